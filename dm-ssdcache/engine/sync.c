// SPDX-License-Identifier: GPL-2.0
/*
 * Walks over all dirty pages: for FLUSH (and suspend), every flush_interval_s,
 * and to try failed pages again. One walk runs at a time; FLUSH requests that
 * arrive meanwhile share the next one.
 *
 * A walk writes what is dirty when it comes by. That is at least every page
 * that was dirty when it began, which is what a FLUSH promises.
 *
 * Policies hear which pages are clean now in the order of the frames: a page waits
 * for those before it that are still on their way. Told as they end, pages would
 * reach the policies in an order that depends on how fast the device is against
 * the CPU that starts them.
 */
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include "internal.h"

/* Bounds of one step under the lock. */
#define STEP_PAGES	64
#define STEP_BITS	32768

/* Pages that wait for one that is slow, before they do not any more. */
#define MAX_UNTOLD	4096

#define NS_PER_MS	1000000ULL
#define NS_PER_S	1000000000ULL
#define MAX_RETRY_FACTOR 64

/* A FLUSH waits for the next walk. */
void ssdc_sync_join(struct ssdc_engine *e, struct ssdc_request *rq)
{
	list_add_tail(&rq->node, &e->sync_waiters);
}

static void tell_page(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry(e, frame);

	ssdc_forget_untold(e, frame);
	e->early_declined = false;
	if (entry->flags & SSDC_E_POLICY)
		ssdc_policy_clean(e, frame, entry->reason);
}

/* Tell the policies of a bounded number of pages, up to the first still on its way. */
static void tell_ready(struct ssdc_engine *e)
{
	struct ssdc_sweep *sweep = &e->sweep;
	unsigned int pages;

	for (pages = 0; pages < STEP_PAGES && sweep->untold; pages++) {
		u32 end = min_t(u64, sweep->cursor, (u64)sweep->told + STEP_BITS);
		u32 nr = find_next_bit(e->dirty_frames, end, sweep->told);
		u16 flags;

		sweep->told = nr;
		if (nr >= end)
			continue;
		flags = ssdc_entry(e, ssdc_frame(nr))->flags;
		if ((flags & SSDC_E_SYNC) && sweep->untold < MAX_UNTOLD)
			return;
		sweep->told++;
		if (flags & SSDC_E_UNTOLD)
			tell_page(e, ssdc_frame(nr));
	}
}

/* A page of the running walk is clean: its policy hears in its turn. */
void ssdc_sync_page_clean(struct ssdc_engine *e, ssdc_frame_t frame)
{
	if (ssdc_frame_nr(frame) < e->sweep.told) {
		ssdc_policy_clean(e, frame, ssdc_entry(e, frame)->reason);
		return;
	}
	ssdc_entry(e, frame)->flags |= SSDC_E_UNTOLD;
	__set_bit(ssdc_frame_nr(frame), e->dirty_frames);
	e->sweep.untold++;
	tell_ready(e);
}

/* A page of the running walk is on the origin, or could not be written. */
void ssdc_sync_page_done(struct ssdc_engine *e, ssdc_frame_t frame, int error)
{
	ssdc_entry(e, frame)->flags &= ~SSDC_E_SYNC;
	e->sweep.pending--;
	if (error && !e->sweep.error)
		e->sweep.error = error;
}

/* A flush failed: try again after a pause that grows while nothing succeeds. */
void ssdc_retry_later(struct ssdc_engine *e, u64 now_ns)
{
	u32 longest = e->tunables.retry_ms * MAX_RETRY_FACTOR;

	if (e->retry_at_ns)
		return;
	e->retry_pause_ms = e->retry_pause_ms ? min(e->retry_pause_ms * 2, longest) :
						e->tunables.retry_ms;
	e->retry_at_ns = now_ns + e->retry_pause_ms * NS_PER_MS;
}

static void sweep_start(struct ssdc_engine *e, enum ssdc_flush_reason reason)
{
	e->sweep.active = true;
	e->sweep.scanned = false;
	e->sweep.told = 0;
	e->sweep.reason = reason;
	e->sweep.cursor = 0;
	e->sweep.pending = 0;
	e->sweep.error = 0;
	e->stats.sync_passes++;
	if (reason == SSDC_FLUSH_FORCED)
		list_splice_init(&e->sync_waiters, &e->sweep.requests);
}

static void sweep_page(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry(e, frame);

	if (e->sweep.reason == SSDC_FLUSH_RETRY && !(entry->flags & SSDC_E_FAILED))
		return;
	entry->flags |= SSDC_E_SYNC;
	e->sweep.pending++;
	ssdc_want_flush(e, frame, e->sweep.reason);
}

/* A device that does not answer is not asked for every page: that takes a timeout each. */
static bool is_gone(int error)
{
	return error == -ETIMEDOUT || error == -ENOLINK || error == -ENODEV;
}

static void sweep_scan(struct ssdc_engine *e)
{
	u32 end = min_t(u64, e->nr_frames, (u64)e->sweep.cursor + STEP_BITS);
	unsigned int pages;

	for (pages = 0; pages < STEP_PAGES && ssdc_sync_has_room(e); pages++) {
		u32 nr = find_next_bit(e->dirty_frames, end, e->sweep.cursor);

		if (nr >= end) {
			e->sweep.cursor = end;
			e->sweep.scanned = end == e->nr_frames;
			return;
		}
		e->sweep.cursor = nr + 1;
		sweep_page(e, ssdc_frame(nr));
	}
}

/* Each page is done, and its policy knows: the FLUSH requests go on to the origin, or fail. */
static void sweep_finish(struct ssdc_engine *e)
{
	struct ssdc_request *rq, *next;

	e->sweep.active = false;
	list_for_each_entry_safe(rq, next, &e->sweep.requests, node) {
		list_del(&rq->node);
		rq->error = e->sweep.error;
		rq->phase = rq->error ? SSDC_RQ_END : SSDC_RQ_BELOW;
		ssdc_make_ready(e, rq);
	}
}

static u64 periodic_ns(const struct ssdc_engine *e)
{
	return e->tunables.flush_interval_s * NS_PER_S;
}

/* What the next walk is for, if there is to be one. */
static bool sweep_due(struct ssdc_engine *e, u64 now_ns, enum ssdc_flush_reason *reason)
{
	if (!list_empty(&e->sync_waiters)) {
		*reason = SSDC_FLUSH_FORCED;
		return true;
	}
	if (e->frozen)
		return false;
	if (e->periodic_at_ns && now_ns >= e->periodic_at_ns) {
		e->periodic_at_ns = now_ns + periodic_ns(e);
		*reason = SSDC_FLUSH_PERIODIC;
		return e->dirty_pages;
	}
	if (e->retry_at_ns && now_ns >= e->retry_at_ns) {
		e->retry_at_ns = 0;
		*reason = SSDC_FLUSH_RETRY;
		return e->failed_pages;
	}
	return false;
}

/* A bounded piece of the walk. Returns when to be called again, 0: at once. */
u64 ssdc_sync_step(struct ssdc_engine *e, u64 now_ns)
{
	enum ssdc_flush_reason reason;
	u64 next_ns = SSDC_NEVER;

	if (!e->sweep.active && sweep_due(e, now_ns, &reason))
		sweep_start(e, reason);
	if (e->sweep.active) {
		if (is_gone(e->sweep.error))
			e->sweep.scanned = true;
		if (!e->sweep.scanned)
			sweep_scan(e);
		if (e->sweep.scanned && !e->sweep.pending) {
			tell_ready(e);
			ssdc_evict_surplus(e, NULL);
		}
		if (e->sweep.scanned && !e->sweep.pending && !e->sweep.untold)
			sweep_finish(e);
	}
	if (ssdc_sync_wants_step(e))
		return 0;
	if (e->periodic_at_ns)
		next_ns = e->periodic_at_ns;
	if (e->retry_at_ns)
		next_ns = min(next_ns, e->retry_at_ns);
	/* While a walk runs its end brings the driver back. */
	return e->sweep.active ? SSDC_NEVER : next_ns;
}

/**
 * ssdc_tunables_changed() - a core tunable was set
 * @e: engine
 * @now_ns: current time
 *
 * A periodic flush that is due sooner than a whole interval from now stays so: it may have
 * been another tunable, and one that is set again and again.
 */
void ssdc_tunables_changed(struct ssdc_engine *e, u64 now_ns)
{
	u64 at_ns = now_ns + periodic_ns(e);

	if (!e->tunables.flush_interval_s)
		e->periodic_at_ns = 0;
	else if (!e->periodic_at_ns || at_ns < e->periodic_at_ns)
		e->periodic_at_ns = at_ns;
}
