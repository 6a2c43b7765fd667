// SPDX-License-Identifier: GPL-2.0
/*
 * Sync passes: one run over all dirty pages, for FLUSH (and suspend), every flush_interval_s, and
 * to retry failed pages. One pass runs at a time; FLUSH requests that arrive during a pass share
 * the next one.
 *
 * A pass flushes each page that is dirty when the scan reaches its frame, and its dirty neighbours
 * with it. That includes every page that was dirty when the pass began, as FLUSH requires. pass.c
 * does the bookkeeping.
 */
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include "engine.h"
#include "evict.h"
#include "page.h"
#include "pass.h"
#include "stable.h"
#include "sync.h"
#include "wait.h"

/*
 * Dirty pages of the same 16 KiB are flushed side by side, wherever their frames are. A flash page
 * that holds several of them is then programmed only once, without a read of its other data.
 */
#define NEIGHBOUR_SECTORS 32u

/* Queue a parked FLUSH request for the next pass. */
void ssdc_sync_join(struct ssdc_engine *e, struct ssdc_request *rq)
{
	list_add_tail(&rq->node, &e->sync_waiters);
}

static void pass_start(struct ssdc_engine *e, enum ssdc_flush_reason reason)
{
	e->pass.active = true;
	e->pass.scanned = false;
	e->pass.notified = 0;
	e->pass.reason = reason;
	e->pass.cursor = 0;
	e->pass.found = 0;
	e->pass.notices = 0;
	e->pass.pending = 0;
	e->pass.width = ssdc_pass_width(e);
	e->pass.due = 0;
	e->pass.error = 0;
	e->stats.sync_passes++;
	if (reason == SSDC_FLUSH_FORCED)
		list_splice_init(&e->sync_waiters, &e->pass.requests);
}

static void pass_page(struct ssdc_engine *e, ssdc_frame_t frame)
{
	ssdc_entry_at(e, frame)->flags |= SSDC_E_SYNC;
	e->pass.pending++;
	e->pass.found++;
	ssdc_want_flush(e, frame, e->pass.reason);
}

/* Must the pass flush the page, and has it not begun to? */
static bool is_left(const struct ssdc_engine *e, ssdc_frame_t frame)
{
	u16 flags = ssdc_entry_at(e, frame)->flags;

	if (e->pass.reason == SSDC_FLUSH_RETRY && !(flags & SSDC_E_FAILED))
		return false;
	return (flags & (SSDC_E_DIRTY | SSDC_E_SYNC)) == SSDC_E_DIRTY;
}

/*
 * Add a page and its dirty neighbours to the pass. Neighbours that the scan has passed were written
 * later, and are left out. Returns the number of pages looked at.
 */
static u32 pass_neighbours(struct ssdc_engine *e, ssdc_frame_t frame)
{
	u64 page = ssdc_page_nr(ssdc_entry_at(e, frame)->page);
	u32 nr = max(NEIGHBOUR_SECTORS >> e->tier.page_shift, 1u), i;
	u64 first = page & ~(u64)(nr - 1);

	for (i = 0; i < nr; i++) {
		ssdc_frame_t next = frame;

		if (first + i != page) {
			next = ssdc_lookup(e, ssdc_page(first + i));
			if (next == SSDC_NO_FRAME || ssdc_frame_nr(next) < e->pass.cursor ||
			    !is_left(e, next))
				continue;
		}
		pass_page(e, next);
	}
	return nr;
}

/* Has the device stopped answering? Then the scan must stop, as every page would cost a timeout. */
static bool is_gone(int error)
{
	return error == -ETIMEDOUT || error == -ENOLINK || error == -ENODEV;
}

/*
 * Queue flushes of a bounded number of dirty pages. Returns true if the step is not over: pages
 * with many sectors, or with neighbours, take several holds of the lock.
 */
static bool pass_scan(struct ssdc_engine *e)
{
	const struct ssdc_pass_limits *limits = &e->pass_limits;
	u32 end = min_t(u64, e->tier.nr_frames, (u64)e->pass.cursor + limits->step_bits);
	/* A page is one look, and one more for each 64 of its sectors. */
	unsigned int most = max(limits->step_pages / (1 + e->mask_bytes / 8), 1u), pages;

	for (pages = 0; e->pass.found < limits->step_pages && ssdc_pass_has_room(e);) {
		u32 nr = find_next_bit(e->dirty_frames, end, e->pass.cursor);

		if (nr >= end) {
			e->pass.cursor = end;
			e->pass.scanned = end == e->tier.nr_frames;
			break;
		}
		if (pages >= most)
			return true;
		e->pass.cursor = nr + 1;
		if (is_left(e, ssdc_frame(nr))) {
			pages += pass_neighbours(e, ssdc_frame(nr));
			continue;
		}
		/* Flushed as a neighbour: its policy may be notified from now on. */
		e->pass.due += !!(ssdc_entry_at(e, ssdc_frame(nr))->flags & SSDC_E_UNNOTIFIED);
		pages++;
	}
	e->pass.found = 0;
	return false;
}

/* All pages are done and all policies notified: forward the FLUSH requests, or fail them. */
static void pass_finish(struct ssdc_engine *e)
{
	struct ssdc_request *rq, *next;

	e->pass.active = false;
	list_for_each_entry_safe(rq, next, &e->pass.requests, node) {
		list_del(&rq->node);
		rq->error = e->pass.error;
		rq->phase = SSDC_RQ_FORWARD;
		if (rq->error) {
			/* A host FLUSH reports all failures at once. */
			rq->phase = SSDC_RQ_END;
			ssdc_flush_result(e, rq);
		}
		ssdc_make_ready(e, rq);
	}
}

static u64 periodic_ns(const struct ssdc_engine *e)
{
	return e->tunables.flush_interval_s * SSDC_NS_PER_S;
}

/*
 * Is a pass due, and for what reason? No pass is due until all pages that must be written again
 * have been found, because a pass must include them.
 */
static bool pass_due(struct ssdc_engine *e, u64 now_ns, enum ssdc_flush_reason *reason)
{
	if (e->stability.rewriting)
		return false;
	if (!list_empty(&e->sync_waiters)) {
		*reason = SSDC_FLUSH_FORCED;
		return true;
	}
	if (e->frozen)
		return false;
	if (e->periodic_at_ns && now_ns >= e->periodic_at_ns) {
		e->periodic_at_ns = now_ns + periodic_ns(e);
		*reason = SSDC_FLUSH_PERIODIC;
		return e->tier.dirty_pages;
	}
	if (e->retry_at_ns && now_ns >= e->retry_at_ns) {
		e->retry_at_ns = 0;
		*reason = SSDC_FLUSH_RETRY;
		return e->failed_pages;
	}
	return false;
}

/*
 * All pages have been flushed: send the remaining notifications to policies, then end the pass.
 * Returns true if the step is not over.
 */
static bool pass_end(struct ssdc_engine *e)
{
	if (ssdc_pass_notify(e))
		return true;
	/* While flushes fail, victims return to the policy: the surplus would never end. */
	if (!e->failed_pages && ssdc_evict_surplus(e, NULL))
		return true;
	if (!e->pass.unnotified)
		pass_finish(e);
	return false;
}

/*
 * The device is gone: the pass looks for no more pages. It has flushed neighbours beyond the
 * cursor, too, whose policies must still be notified.
 */
static void stop_scan(struct ssdc_engine *e)
{
	e->pass.scanned = true;
	e->pass.cursor = e->tier.nr_frames;
	e->pass.due = e->pass.unnotified;
}

/*
 * Start a pass that is due, or do a bounded step of the running pass. Returns when to call again: 0
 * or SSDC_GO_ON means at once, SSDC_NEVER after an event.
 */
u64 ssdc_sync_step(struct ssdc_engine *e, u64 now_ns)
{
	enum ssdc_flush_reason reason;
	u64 next_ns = SSDC_NEVER;

	if (e->stability.rewriting)
		ssdc_rewrite_step(e);
	if (!e->pass.active && pass_due(e, now_ns, &reason))
		pass_start(e, reason);
	if (e->pass.active) {
		if (is_gone(e->pass.error))
			stop_scan(e);
		if (!e->pass.scanned && pass_scan(e))
			return SSDC_GO_ON;
		if (e->pass.scanned && !e->pass.pending && pass_end(e))
			return SSDC_GO_ON;
	}
	if (ssdc_sync_wants_step(e))
		return 0;
	if (e->periodic_at_ns)
		next_ns = e->periodic_at_ns;
	if (e->retry_at_ns)
		next_ns = min(next_ns, e->retry_at_ns);
	/* The completions of a running pass cause the next call. */
	return e->pass.active ? SSDC_NEVER : next_ns;
}

/**
 * ssdc_tunables_changed() - a core tunable was set, or an engine was created
 * @e: engine
 * @now_ns: current time
 *
 * Starts the timer of the periodic flush. An earlier expiry is kept, because another tunable may
 * have changed, and repeated changes must not postpone the flush again and again. The same holds
 * for the timer of the retry.
 */
void ssdc_tunables_changed(struct ssdc_engine *e, u64 now_ns)
{
	u64 at_ns = now_ns + periodic_ns(e);

	ssdc_retry_sooner(e, now_ns);
	if (!e->tunables.flush_interval_s)
		e->periodic_at_ns = 0;
	else if (!e->periodic_at_ns || at_ns < e->periodic_at_ns)
		e->periodic_at_ns = at_ns;
}
