// SPDX-License-Identifier: GPL-2.0
/*
 * DISCARD, WRITE_ZEROES and secure erase: drop the range from DRAM, then forward the request to
 * the origin.
 *
 * Discarded data must not come back. A discard waits for the I/O of each page before it drops the
 * page, so no flush reaches the origin after the discard. Until the discard ends, no page of its
 * range is filled, for a read or to complete a page (see ssdc_discard_overlaps()): a fill might
 * return what the origin held before.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include "engine.h"
#include "directory.h"
#include "discard.h"
#include "evict.h"
#include "wait.h"

/* Pages or frames examined per step, which runs under the lock. */
#define STEP_PAGES 256

#define BUSY (SSDC_E_FILL | SSDC_E_FLUSH | SSDC_E_WANT_FLUSH | SSDC_E_VICTIM)

/**
 * ssdc_narrow_discard() - narrow a DISCARD to whole granules of the origin
 * @sector: first sector
 * @nr_sectors: length, at least 1
 * @granule_sectors: smallest unit that the origin discards; 0 or 1: any sector
 * @offset_sectors: sector at which the first whole granule begins
 *
 * An origin may ignore parts of granules, and its data there may be older than DRAM's. So these
 * parts stay as they are, in DRAM and on the origin. The driver calls this function before
 * ssdc_request_init(), for DISCARD only: no origin ignores WRITE_ZEROES or secure erase.
 *
 * Context: any, without a lock.
 * Return: false if no whole granule is left; the range is unchanged, and there is nothing to do.
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

/* Drop the sectors of the page that are in the range. False if the page must be waited for. */
static bool discard_page(struct ssdc_engine *e, const struct ssdc_request *rq, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);
	u64 first = ssdc_page_sector(e, entry->page);
	u32 length = ssdc_page_length(e, entry->page);
	u64 from = max(rq->host.sector, first) - first;
	u64 end = min(rq->host.sector + rq->host.nr_sectors, first + length) - first;

	/* Copies to readers may go on: the frame is not reused until they unpin it. */
	if (entry->writers || (entry->flags & BUSY))
		return false;
	ssdc_mask_clear(ssdc_valid_mask(e, frame), from, end - from);
	ssdc_mask_clear(ssdc_dirty_mask(e, frame), from, end - from);
	/* A page without dirty sectors is dropped: the origin has the rest of it. */
	if (!ssdc_mask_any(ssdc_dirty_mask(e, frame), 0, length))
		ssdc_drop(e, frame);
	return true;
}

/*
 * The frame of page @nr of the range or, if not @by_page, frame @nr if its page is in the range;
 * else SSDC_NO_FRAME.
 */
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

/*
 * DISCARD -> FORWARD once the range is dropped. Examines the pages of the range, or all frames if
 * these are fewer; SSDC_AGAIN after a bounded number.
 */
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
 * ssdc_drop_clean() - drop clean pages that are not in use, a bounded number of frames per call
 * @e: engine
 * @cursor: next frame to examine; 0 to start. The caller repeats until it is nr_frames
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
