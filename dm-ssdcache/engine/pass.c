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

/* Pages that wait for one that is slow, before they do not any more. */
#define MAX_UNTOLD	4096

#define MAX_RETRY_FACTOR 64

static void tell_page(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry(e, frame);

	ssdc_forget_untold(e, frame);
	e->early_declined = false;
	if (entry->flags & SSDC_E_POLICY)
		ssdc_policy_clean(e, frame, entry->reason);
}

/* Tell the policies of a bounded number of pages, up to the first still on its way. */
void ssdc_tell_ready(struct ssdc_engine *e)
{
	struct ssdc_sweep *sweep = &e->sweep;
	unsigned int pages;

	for (pages = 0; pages < SSDC_PASS_STEP_PAGES && sweep->untold; pages++) {
		u32 end = min_t(u64, sweep->cursor, (u64)sweep->told + SSDC_PASS_STEP_BITS);
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
	ssdc_tell_ready(e);
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
	e->retry_at_ns = now_ns + e->retry_pause_ms * SSDC_NS_PER_MS;
}
