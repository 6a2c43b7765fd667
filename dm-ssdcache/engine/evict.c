// SPDX-License-Identifier: GPL-2.0
/*
 * Eviction: turn the victims that the policy names into free frames for waiting requests.
 *
 *	page of the policy -> victim -> flushed, if dirty -> clean and unpinned -> free frame
 *
 * A request that lacks frames says how many it needs, so that all its victims are flushed in
 * parallel. The pages of one batch leave together. A policy that works in blocks of a flash chip
 * may ask for a serial or a padded batch; page.c writes these.
 */
#include <linux/kernel.h>
#include "directory.h"
#include "evict.h"
#include "page.h"
#include "prefetch.h"
#include "stable.h"
#include "switch.h"
#include "thrash.h"
#include "wait.h"

/* Is any page of the batch dirty? Otherwise the batch is dropped, not padded. */
static bool any_dirty(const struct ssdc_engine *e)
{
	unsigned int i;

	for (i = 0; i < e->batch.nr; i++)
		if (ssdc_entry_at(e, e->batch.frames[i])->flags & SSDC_E_DIRTY)
			return true;
	return false;
}

/* Is a flush of the page decided already, for another reason? */
static bool has_flush(const struct ssdc_entry *entry)
{
	return entry->flags & (SSDC_E_FLUSH | SSDC_E_WANT_FLUSH);
}

/* Pages of the batch -> victims, linked and padded as the policy asked. */
static void mark_batch(struct ssdc_engine *e)
{
	struct ssdc_batch *batch = &e->batch;
	struct ssdc_entry *before = NULL;
	unsigned int i;
	bool padded;

	for (i = 0; i < batch->nr; i++)
		ssdc_rewrite_page(e, batch->frames[i]);
	padded = batch->pad_pages && any_dirty(e);
	for (i = 0; i < batch->nr; i++) {
		struct ssdc_entry *entry = ssdc_entry_at(e, batch->frames[i]);

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

/* Evict one batch of the policy. Returns false if the policy holds no page. */
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

/* Frames that are free or will be soon. */
static u32 vacant(const struct ssdc_engine *e)
{
	return e->nr_victims + e->nr_free;
}

/*
 * May the policy's pages leave? Half of DRAM keeps them, however many requests wait: these often
 * wait for the same few pages, and a page that left as soon as it entered would be flushed once
 * for each of them.
 */
static bool policy_gives_way(struct ssdc_engine *e)
{
	return vacant(e) < e->tier.nr_frames / 2 && ssdc_evict_batch(e);
}

/*
 * Evict until there is a free frame or a victim for each frame that requests wait for. In this
 * order: prefetched pages beyond their share, pages of the policy, other prefetched pages.
 */
void ssdc_evict(struct ssdc_engine *e)
{
	while (e->wanted > vacant(e) - e->granted)
		if (!ssdc_prefetch_evict_excess(e) && !policy_gives_way(e) &&
		    !ssdc_prefetch_evict_any(e))
			return;		/* called again as pages come to rest, or become free */
}

/* Is the page a victim that must still be flushed? */
static bool is_being_evicted(const struct ssdc_entry *entry)
{
	return (entry->flags & SSDC_E_VICTIM) && (entry->flags & SSDC_E_DIRTY);
}

/*
 * A page entered, or was flushed and stays: evict one batch if the policy reports a surplus. @rq
 * is the write that inserted the page, or NULL; at its end it waits for the first dirty page of
 * its last batch. No effect during a change of policy, when victims come from the old one.
 *
 * Return: whether a batch was evicted.
 */
bool ssdc_evict_surplus(struct ssdc_engine *e, struct ssdc_request *rq)
{
	unsigned int i;

	if (!e->replacement->surplus || e->draining || !ssdc_evict_batch(e))
		return false;
	for (i = 0; rq && i < e->batch.nr; i++) {
		const struct ssdc_entry *entry = ssdc_entry_at(e, e->batch.frames[i]);

		if (is_being_evicted(entry)) {
			rq->evicted_page = ssdc_page_nr(entry->page);
			break;
		}
	}
	return true;
}

/*
 * The frame of @rq->evicted_page, whose flush @rq waits for as if it needed that frame. Returns
 * SSDC_NO_FRAME, and clears @evicted_page, once there is nothing to wait for.
 */
ssdc_frame_t ssdc_evicted_frame(const struct ssdc_engine *e, struct ssdc_request *rq)
{
	ssdc_frame_t frame = ssdc_lookup(e, ssdc_page(rq->evicted_page));

	if (frame != SSDC_NO_FRAME && is_being_evicted(ssdc_entry_at(e, frame)))
		return frame;
	rq->evicted_page = SSDC_NO_PAGE;
	return SSDC_NO_FRAME;
}

/*
 * Take a frame for @rq: one granted to it or, if no request waits, a free one. SSDC_NO_FRAME if
 * there is none.
 */
ssdc_frame_t ssdc_frame_take(struct ssdc_engine *e, struct ssdc_request *rq)
{
	ssdc_frame_t frame;

	if (rq->grants) {
		rq->grants--;
		e->granted--;
		frame = ssdc_frame_pop(e);
		/* The requests behind @rq may have found half of DRAM vacant. */
		if (!list_empty(&e->frame_waiters))
			ssdc_evict(e);
		return frame;
	}
	if (e->nr_free > e->granted && list_empty(&e->frame_waiters))
		return ssdc_frame_pop(e);
	return SSDC_NO_FRAME;
}

/*
 * After ssdc_frame_take() failed: evict for the @need frames that @rq lacks. Returns one of them,
 * or SSDC_NO_FRAME: @rq is parked and becomes ready when it is granted a frame.
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

/*
 * Cached page without I/O or writers -> free frame, once its readers have unpinned it. The caller
 * has no more use for its dirty sectors.
 */
void ssdc_drop(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

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
