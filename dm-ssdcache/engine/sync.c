// SPDX-License-Identifier: GPL-2.0
/*
 * Sync passes, one run over all dirty pages each: for FLUSH (and suspend), every
 * flush_interval_s, and to retry failed pages. One pass runs at a time; FLUSH requests that
 * arrive during a pass share the next one.
 *
 * A pass writes the pages that it finds dirty. These include every page that was dirty when
 * the pass began, which is what FLUSH promises. pass.c keeps the books.
 *
 * Floor of discard.c, sync.c, read-ahead.c and writeback.c: calls evict.c and everything
 * below.
 */
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include "engine.h"
#include "evict.h"
#include "page.h"
#include "pass.h"
#include "sync.h"
#include "wait.h"

/* A FLUSH waits for the next walk. */
void ssdc_sync_join(struct ssdc_engine *e, struct ssdc_request *rq)
{
	list_add_tail(&rq->node, &e->sync_waiters);
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
	u32 end = min_t(u64, e->nr_frames, (u64)e->sweep.cursor + SSDC_PASS_STEP_BITS);
	unsigned int pages;

	for (pages = 0; pages < SSDC_PASS_STEP_PAGES && ssdc_sync_has_room(e); pages++) {
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
	return e->tunables.flush_interval_s * SSDC_NS_PER_S;
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
			ssdc_tell_ready(e);
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
