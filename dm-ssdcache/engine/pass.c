// SPDX-License-Identifier: GPL-2.0
/*
 * The books of the running sync pass: which of its pages are done, which clean pages the
 * policies have been notified of, and when to retry failed pages. sync.c runs the passes.
 *
 * Policies are notified of clean pages in the order of their frames: a page waits for the
 * pages before it that are still in flight. Notified as flushes end, policies would see an
 * order that depends on how fast the device is compared with the CPU that starts them.
 *
 * Floor of page.c and pass.c: calls switch.c and the directory.
 */
#include <linux/bitmap.h>
#include <linux/kernel.h>
#include "directory.h"
#include "pass.h"
#include "switch.h"

/* So many pages wait for a slow one; then they are notified out of order. */
#define MAX_UNNOTIFIED	4096

#define MAX_RETRY_FACTOR 64

static void notify_page(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry(e, frame);

	ssdc_clear_unnotified(e, frame);
	e->early_declined = false;
	if (entry->flags & SSDC_E_POLICY)
		ssdc_policy_clean(e, frame, entry->reason);
}

/* Notify the policies of a bounded number of clean pages, up to the first one in flight. */
void ssdc_pass_notify(struct ssdc_engine *e)
{
	struct ssdc_sync_pass *pass = &e->pass;
	unsigned int pages;

	for (pages = 0; pages < SSDC_PASS_STEP_PAGES && pass->unnotified; pages++) {
		u32 end = min_t(u64, pass->cursor, (u64)pass->notified + SSDC_PASS_STEP_BITS);
		u32 nr = find_next_bit(e->dirty_frames, end, pass->notified);
		u16 flags;

		pass->notified = nr;
		if (nr >= end)
			continue;
		flags = ssdc_entry(e, ssdc_frame(nr))->flags;
		if ((flags & SSDC_E_SYNC) && pass->unnotified < MAX_UNNOTIFIED)
			return;
		pass->notified++;
		if (flags & SSDC_E_UNNOTIFIED)
			notify_page(e, ssdc_frame(nr));
	}
}

/* A page of the running pass is clean: its policy is notified in the order of frames. */
void ssdc_pass_page_clean(struct ssdc_engine *e, ssdc_frame_t frame)
{
	if (ssdc_frame_nr(frame) < e->pass.notified) {
		ssdc_policy_clean(e, frame, ssdc_entry(e, frame)->reason);
		return;
	}
	ssdc_entry(e, frame)->flags |= SSDC_E_UNNOTIFIED;
	__set_bit(ssdc_frame_nr(frame), e->dirty_frames);
	e->pass.unnotified++;
	ssdc_pass_notify(e);
}

/* A page of the running pass was flushed, or its flush failed. */
void ssdc_pass_page_done(struct ssdc_engine *e, ssdc_frame_t frame, int error)
{
	ssdc_entry(e, frame)->flags &= ~SSDC_E_SYNC;
	e->pass.pending--;
	if (error && !e->pass.error)
		e->pass.error = error;
}

/* A flush failed: try again after a pause that grows while nothing succeeds. */
void ssdc_retry_later(struct ssdc_engine *e, u64 now_ns)
{
	u32 longest = e->tunables.retry_ms * MAX_RETRY_FACTOR;

	if (e->retry_at_ns)
		return;
	e->retry_pause_ms = e->retry_pause_ms ? min(e->retry_pause_ms * 2, longest) :
						e->tunables.retry_ms;
	e->retry_at_ns = now_ns + e->retry_pause_ms * SSDC_NS_PER_MS;
}
