// SPDX-License-Identifier: GPL-2.0
/*
 * DISCARD, WRITE_ZEROES and secure erase: drop the range from DRAM, then forward the
 * request to the origin.
 *
 * Old data must not come back. A page in flight is waited for before it is dropped, so no
 * flush reaches the origin after the discard. While the discard is in flight, no page of its
 * range is read into DRAM, neither for a read nor to complete a partly valid page (see
 * ssdc_discard_overlaps()): the read might return what the origin held before.
 *
 * Floor of discard.c, sync.c, read-ahead.c and writeback.c: calls evict.c and everything
 * below.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include "engine.h"
#include "directory.h"
#include "discard.h"
#include "evict.h"
#include "wait.h"

/* Bound of one step under the lock. */
#define STEP_PAGES 256

#define BUSY (SSDC_E_FILL | SSDC_E_FLUSH | SSDC_E_WANT_FLUSH | SSDC_E_VICTIM)

/**
 * ssdc_narrow_discard() - leave out the parts of granules at the ends of a DISCARD
 * @sector: first sector
 * @nr_sectors: at least 1
 * @granule_sectors: what the origin discards at once; 0 or 1 if it is any sector
 * @offset_sectors: where the first whole granule begins
 *
 * An origin may ignore these parts. What it holds there can be older than what DRAM
 * has, so they stay as they are, here as there. For the driver, before
 * ssdc_request_init(); not for WRITE_ZEROES and secure erase, which no origin ignores.
 *
 * Context: any.
 * Return: whether something is left; if not, nothing was changed, and the request is
 * over.
 */
bool ssdc_narrow_discard(u64 *sector, u64 *nr_sectors, u32 granule_sectors, u32 offset_sectors)
{
	u64 from, end;
	u32 head, tail;

	if (granule_sectors < 2)
		return true;
	from = *sector + granule_sectors - offset_sectors % granule_sectors;
	end = from + *nr_sectors;
	div_u64_rem(from, granule_sectors, &head);
	div_u64_rem(end, granule_sectors, &tail);
	if (head)
		from += granule_sectors - head;
	end -= tail;
	if (from >= end)
		return false;
	*sector += head ? granule_sectors - head : 0;
	*nr_sectors = end - from;
	return true;
}

/* Drop the part of the page that is in the range. False if the page is in flight: wait. */
static bool discard_page(struct ssdc_engine *e, const struct ssdc_request *rq, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry(e, frame);
	u64 first = ssdc_page_sector(e, entry->page);
	u32 length = ssdc_page_length(e, entry->page);
	u64 from = max(rq->host.sector, first) - first;
	u64 end = min(rq->host.sector + rq->host.nr_sectors, first + length) - first;

	/* Readers copy what they found; the frame stays until they unpin it. */
	if (entry->writers || (entry->flags & BUSY))
		return false;
	ssdc_mask_clear(ssdc_valid_mask(e, frame), from, end - from);
	ssdc_mask_clear(ssdc_dirty_mask(e, frame), from, end - from);
	/* Clean leftovers are not worth keeping; the origin has them. */
	if (!ssdc_mask_any(ssdc_dirty_mask(e, frame), 0, length))
		ssdc_drop(e, frame);
	return true;
}

/* The @nr-th place to look for pages of the range: a page of it, or any frame. */
static ssdc_frame_t candidate(const struct ssdc_engine *e, const struct ssdc_request *rq,
			      bool by_page, u64 nr)
{
	u64 first = rq->host.sector >> e->tier.page_shift;
	u64 last = (rq->host.sector + rq->host.nr_sectors - 1) >> e->tier.page_shift;
	const struct ssdc_entry *entry;
	u64 page;

	if (by_page)
		return ssdc_lookup(e, ssdc_page(first + nr));
	entry = &e->entries[nr];
	page = ssdc_page_nr(entry->page);
	if (!(entry->flags & SSDC_E_MAPPED) || page < first || page > last)
		return SSDC_NO_FRAME;
	return ssdc_frame(nr);
}

/* DISCARD -> FORWARD once no page of the range is cached. */
enum ssdc_action ssdc_discard_step(struct ssdc_engine *e, struct ssdc_request *rq)
{
	u64 pages = ((rq->host.sector + rq->host.nr_sectors - 1) >> e->tier.page_shift) -
		    (rq->host.sector >> e->tier.page_shift) + 1;
	bool by_page = pages <= e->tier.nr_frames;
	u64 end = by_page ? pages : e->tier.nr_frames;
	unsigned int steps;

	for (steps = 0; rq->pos < end && steps < STEP_PAGES; steps++) {
		ssdc_frame_t frame = candidate(e, rq, by_page, rq->pos);

		if (frame != SSDC_NO_FRAME && !discard_page(e, rq, frame))
			return ssdc_wait_page(e, rq, frame);
		rq->pos++;
	}
	if (rq->pos == end)
		rq->phase = SSDC_RQ_FORWARD;
	return SSDC_AGAIN;
}

/**
 * ssdc_drop_clean() - drop clean pages, a bounded number of frames per call
 * @e: engine
 * @cursor: next frame to look at: 0 to start, nr_frames when all were seen
 */
void ssdc_drop_clean(struct ssdc_engine *e, u32 *cursor)
{
	u32 end = min(e->tier.nr_frames - *cursor, (u32)STEP_PAGES) + *cursor;

	for (; *cursor < end; (*cursor)++) {
		const struct ssdc_entry *entry = &e->entries[*cursor];

		if (((entry->flags & SSDC_E_POLICY) || entry->prefetched) && !entry->pins &&
		    !(entry->flags & (BUSY | SSDC_E_DIRTY)))
			ssdc_drop(e, ssdc_frame(*cursor));
	}
}
