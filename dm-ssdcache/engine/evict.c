// SPDX-License-Identifier: GPL-2.0
/*
 * Victims: from the policy's answer to frames for the requests that wait.
 *
 *	policy's batch -> VICTIM -> flushed, if dirty -> clean and unused -> free
 *
 * A policy that knows the blocks of a flash chip may ask for a serial or a padded batch;
 * page.c has how these are written.
 *
 * Floor of its own: above the partition of prefetched pages, which gives victims, too.
 */
#include <linux/kernel.h>
#include "directory.h"
#include "evict.h"
#include "page.h"
#include "prefetch.h"
#include "switch.h"
#include "thrash.h"
#include "wait.h"

/* Is there something to be written? Without it a block is only dropped. */
static bool any_dirty(const struct ssdc_engine *e)
{
	unsigned int i;

	for (i = 0; i < e->batch.nr; i++)
		if (ssdc_entry(e, e->batch.frames[i])->flags & SSDC_E_DIRTY)
			return true;
	return false;
}

/* Is the page queued to be flushed, or being flushed, for another reason? */
static bool has_flush(const struct ssdc_entry *entry)
{
	return entry->flags & (SSDC_E_FLUSH | SSDC_E_WANT_FLUSH);
}

/* The policy's batch -> victims, linked and padded as it asked. */
static void mark_batch(struct ssdc_engine *e)
{
	struct ssdc_batch *batch = &e->batch;
	bool padded = batch->pad_pages && any_dirty(e);
	struct ssdc_entry *before = NULL;
	unsigned int i;

	for (i = 0; i < batch->nr; i++) {
		struct ssdc_entry *entry = ssdc_entry(e, batch->frames[i]);

		ssdc_make_victim(e, batch->frames[i]);
		if (!has_flush(entry))
			entry->reason = SSDC_FLUSH_EVICT;
		if (padded)
			ssdc_pad_victim(e, batch->frames[i],
					batch->frames[(i + 1) % batch->nr], batch->pad_pages);
		if (!(entry->flags & SSDC_E_DIRTY)) {
			e->stats.evicted_clean++;
			continue;
		}
		if (batch->serial && before && !has_flush(entry)) {
			before->next = batch->frames[i];
			entry->flags |= SSDC_E_BEHIND;
		}
		before = entry;
	}
}

/* The policy's next victims leave. Returns false if it holds no page. */
bool ssdc_evict_batch(struct ssdc_engine *e)
{
	unsigned int i;

	e->batch.nr = 0;
	e->batch.serial = false;
	e->batch.pad_pages = 0;
	ssdc_policy_victims(e, &e->batch);
	if (!e->batch.nr)
		return false;
	e->stats.evictions++;
	e->stats.evicted_pages += e->batch.nr;
	for (i = 0; i < e->batch.nr; i++)
		ssdc_thrash_evicted(e, e->batch.frames[i]);
	mark_batch(e);
	for (i = 0; i < e->batch.nr; i++)
		ssdc_settle(e, e->batch.frames[i]);
	return true;
}

/*
 * Evict until there is a victim for each frame that requests wait for: first prefetched pages
 * beyond their share, then pages of the policy, then any prefetched page.
 */
void ssdc_evict(struct ssdc_engine *e)
{
	while (e->wanted > e->nr_victims + e->nr_free - e->granted)
		if (!ssdc_prefetch_evict_excess(e) && !ssdc_evict_batch(e) &&
		    !ssdc_prefetch_evict_any(e))
			return;		/* all pages are in flight: their end calls again */
}

/* Is the page a victim that is not on the origin yet? */
static bool is_being_evicted(const struct ssdc_entry *entry)
{
	return (entry->flags & SSDC_E_VICTIM) && (entry->flags & SSDC_E_DIRTY);
}

/*
 * A page entered, or was flushed and stays: does the policy hold more than it wants to? At
 * most one batch leaves. The request that wrote the page, @rq or NULL, at its end waits for
 * the first of the last batch. While a change of policy is under way victims come from the
 * old one, which has no say.
 */
bool ssdc_evict_surplus(struct ssdc_engine *e, struct ssdc_request *rq)
{
	unsigned int i;

	if (!e->replacement->surplus || e->draining || !ssdc_evict_batch(e))
		return false;
	for (i = 0; rq && i < e->batch.nr; i++) {
		const struct ssdc_entry *entry = ssdc_entry(e, e->batch.frames[i]);

		if (is_being_evicted(entry)) {
			rq->evicted_page = ssdc_page_nr(entry->page);
			break;
		}
	}
	return true;
}

/* The frame whose flush @rq waits for, as if it had needed that frame; or SSDC_NO_FRAME. */
ssdc_frame_t ssdc_evicted_frame(const struct ssdc_engine *e, struct ssdc_request *rq)
{
	ssdc_frame_t frame = ssdc_lookup(e, ssdc_page(rq->evicted_page));

	if (frame != SSDC_NO_FRAME && is_being_evicted(ssdc_entry(e, frame)))
		return frame;
	rq->evicted_page = SSDC_NO_PAGE;
	return SSDC_NO_FRAME;
}

/* A frame that @rq may have now, or SSDC_NO_FRAME. */
ssdc_frame_t ssdc_frame_take(struct ssdc_engine *e, struct ssdc_request *rq)
{
	if (rq->grants) {
		rq->grants--;
		e->granted--;
		return ssdc_frame_pop(e);
	}
	if (e->nr_free > e->granted && list_empty(&e->frame_waiters))
		return ssdc_frame_pop(e);
	return SSDC_NO_FRAME;
}

/*
 * ssdc_frame_take() found none: evict for the @need frames that @rq still needs. Returns one
 * of them; or SSDC_NO_FRAME: @rq is parked and becomes ready when it has a frame.
 */
ssdc_frame_t ssdc_frame_wait(struct ssdc_engine *e, struct ssdc_request *rq, u32 need)
{
	u64 evictions = e->stats.evictions;
	ssdc_frame_t frame;

	rq->want = min(need, e->tier.nr_frames / 2);
	e->wanted += rq->want;
	ssdc_evict(e);
	rq->debt += e->stats.evictions - evictions;
	frame = ssdc_frame_take(e, rq);
	if (frame != SSDC_NO_FRAME) {
		e->wanted -= rq->want;
		rq->want = 0;
		return frame;
	}

	if (rq->served)
		list_add(&rq->node, &e->frame_waiters);
	else
		list_add_tail(&rq->node, &e->frame_waiters);
	ssdc_park(e, rq);
	e->stats.frame_waits++;
	return SSDC_NO_FRAME;
}

/* Cached page at rest, clean or not worth keeping -> free frame, once nobody reads it any more. */
void ssdc_drop(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry(e, frame);

	if (entry->prefetched)
		ssdc_prefetch_leave(e, frame, false);
	else
		ssdc_policy_remove(e, frame);
	if (entry->flags & SSDC_E_DIRTY)
		ssdc_set_clean(e, frame);
	ssdc_make_victim(e, frame);
	e->stats.dropped_pages++;
	ssdc_settle(e, frame);
}
