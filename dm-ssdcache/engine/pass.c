// SPDX-License-Identifier: GPL-2.0
/*
 * The bookkeeping of the running sync pass: pages that are done, policies to notify, the time of
 * the next retry. sync.c runs the passes.
 *
 * Policies are notified of flushed pages in the order of frame numbers: a page waits for pages of
 * lower frames that are still in flight. If policies were notified in the order of completion, that
 * order would depend on how fast the device is compared with the CPU that submits the flushes.
 */
#include <linux/bitmap.h>
#include <linux/kernel.h>
#include "directory.h"
#include "pass.h"
#include "switch.h"
#include "view.h"

const struct ssdc_pass_limits ssdc_default_pass_limits = {
	.step_pages = 64,
	.step_bits = 16384,
	.unawaited = 64,
	.fewest = 128,
	.most = 1024,
	.usual = 512,
	.unnotified = 4096,
};

/* Flash pages of each plane that a FLUSH keeps in flight. */
#define FLASH_PAGES 4

/* Pages that a pass queues at least in each of many shards, if a FLUSH waits, and if none does. */
#define FEWEST_OF_SHARD 32u
#define FEWEST_UNAWAITED 4u

/* Longest pause between retries, in multiples of retry_ms. */
#define MAX_RETRY_FACTOR 64

/* The periodic passes of all shards come at about the same time, so each queues its share. */
void ssdc_pass_init(struct ssdc_engine *e)
{
	e->pass_limits = ssdc_default_pass_limits;
	e->pass_limits.unawaited = max(e->pass_limits.unawaited / e->nr_shards, FEWEST_UNAWAITED);
}

/*
 * How many pages a pass queues at a time while a FLUSH waits. Host writes to a queued page wait for
 * it, so few pages should be queued. Too few pages would leave planes idle, because some planes get
 * more of them than others, and may take in a page while they program one. A FLUSH reaches all
 * shards at once, so each has a share. All dirty pages may be in one shard, so no share is tiny.
 */
u32 ssdc_pass_width(struct ssdc_engine *e)
{
	const struct ssdc_pass_limits *limits = &e->pass_limits;
	u32 width = limits->usual;

	ssdc_update_view(e);
	if (e->view.stripe_sectors)
		width = clamp_t(u64,
				(u64)e->view.stripe_sectors * FLASH_PAGES >> e->tier.page_shift,
				limits->fewest, limits->most);
	return max(width / e->nr_shards, min(width, FEWEST_OF_SHARD));
}

static void notify_page(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	ssdc_clear_unnotified(e, frame);
	e->early_declined = false;
	if (entry->flags & SSDC_E_POLICY)
		ssdc_policy_clean(e, frame, entry->reason);
}

/* Most notifications of policies in one hold of the lock. */
static unsigned int notices_per_hold(const struct ssdc_engine *e)
{
	unsigned int work = ssdc_replacement_ops(e->replacement)->clean_work;

	if (e->draining)
		work = max(work, ssdc_replacement_ops(e->draining)->clean_work);
	return max(e->pass_limits.step_pages / (1 + work / 4), 1u);
}

/*
 * Notify policies of a bounded number of flushed pages, up to the first page in flight. Returns
 * whether more notifications must follow in another hold of the lock, before anything else.
 */
bool ssdc_pass_notify(struct ssdc_engine *e)
{
	struct ssdc_sync_pass *pass = &e->pass;
	unsigned int pages, most = notices_per_hold(e);

	if (!pass->notices)
		pass->notices = e->pass_limits.step_pages;
	for (pages = 0; pages < most && pass->notices && pass->due; pages++) {
		u32 end = min_t(u64, pass->cursor, (u64)pass->notified + e->pass_limits.step_bits);
		u32 nr = find_next_bit(e->dirty_frames, end, pass->notified);
		u16 flags;

		pass->notified = nr;
		pass->notices--;
		if (nr >= end)
			continue;
		flags = ssdc_entry_at(e, ssdc_frame(nr))->flags;
		if ((flags & SSDC_E_SYNC) && pass->due < e->pass_limits.unnotified) {
			pass->notices = 0;
			break;
		}
		pass->notified++;
		if (flags & SSDC_E_UNNOTIFIED)
			notify_page(e, ssdc_frame(nr));
	}
	if (!pass->due)
		pass->notices = 0;
	return pass->notices;
}

/* A page of the running pass was flushed and stays: notify its policy when its turn comes. */
void ssdc_pass_page_clean(struct ssdc_engine *e, ssdc_frame_t frame)
{
	if (ssdc_frame_nr(frame) < e->pass.notified) {
		ssdc_policy_clean(e, frame, ssdc_entry_at(e, frame)->reason);
		return;
	}
	ssdc_entry_at(e, frame)->flags |= SSDC_E_UNNOTIFIED;
	__set_bit(ssdc_frame_nr(frame), e->dirty_frames);
	e->pass.unnotified++;
	e->pass.due += ssdc_frame_nr(frame) < e->pass.cursor;
	ssdc_pass_notify(e);
}

/* A flush of a page of the running pass ended; the pass keeps its first error. */
void ssdc_pass_page_done(struct ssdc_engine *e, ssdc_frame_t frame, int error)
{
	ssdc_entry_at(e, frame)->flags &= ~SSDC_E_SYNC;
	e->pass.pending--;
	if (error && !e->pass.error)
		e->pass.error = error;
}

static u32 longest_pause_ms(const struct ssdc_engine *e)
{
	return e->tunables.retry_ms * MAX_RETRY_FACTOR;
}

/*
 * The tunable retry_ms may have been set: shorten the pause in progress to the longest one that is
 * possible now.
 */
void ssdc_retry_sooner(struct ssdc_engine *e, u64 now_ns)
{
	if (e->retry_at_ns)
		e->retry_at_ns = min(e->retry_at_ns,
				     now_ns + longest_pause_ms(e) * SSDC_NS_PER_MS);
}

/*
 * A flush failed: start the retry timer. The pause doubles with each failure, until a flush
 * succeeds.
 */
void ssdc_retry_later(struct ssdc_engine *e, u64 now_ns)
{
	if (e->retry_at_ns)
		return;
	e->retry_pause_ms = e->retry_pause_ms ? min(e->retry_pause_ms * 2, longest_pause_ms(e)) :
						e->tunables.retry_ms;
	e->retry_at_ns = now_ns + e->retry_pause_ms * SSDC_NS_PER_MS;
}
