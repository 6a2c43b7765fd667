// SPDX-License-Identifier: GPL-2.0
/*
 * DISCARD, WRITE_ZEROES and secure erase: forward the request to the origin, and drop its range
 * from DRAM.
 *
 * Discarded data must not come back, and a discard that the origin refuses must not bring back data
 * older than the data in DRAM. So dirty sectors stay in DRAM until the discard has succeeded. While
 * it is in progress,
 *
 *	- no page of its range is flushed, as the flush might take effect after the discard. A flush
 *	  that is in flight already ends first;
 *	- no page of its range is filled, for a read or to complete a page, as the fill might return
 *	  the data from before the discard;
 *	- writes to its range wait.
 *
 *	DISCARD   wait for copies and I/O of each page; drop pages without dirty sectors; wait for
 *		  reads of the others that are at the origin
 *	FORWARD   the discard is at the origin; with protected DRAM, a FLUSH follows
 *	DROP      drop the dirty sectors of its range or, if the discard failed, keep them
 *	RELEASE   start the flushes that were held back
 *
 * A discard waits only for copies and I/O that began before it looked at its pages. So discards
 * with a common range do not wait for each other.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include "engine.h"
#include "directory.h"
#include "discard.h"
#include "evict.h"
#include "page.h"
#include "pass.h"
#include "shards.h"
#include "stable.h"
#include "wait.h"

/* Pages or frames examined before the driver does other work. */
#define STEP_PAGES 256

/*
 * Units of work: one is a look at a page or frame that holds no page of the range. A visit of a
 * page costs VISIT_WORK more; READS_PER_LOOK looks at a read cost one unit.
 */
#define VISIT_WORK 5
#define READS_PER_LOOK 4
/* Looks at consecutive frames that need no work, per unit. */
#define FRAMES_PER_LOOK 4

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

/* The sectors of a page that are in the range of a discard: [from, from + nr). */
struct overlap {
	u32 from;
	u32 nr;
};

static struct overlap overlap_of(const struct ssdc_engine *e, const struct ssdc_request *rq,
				 ssdc_page_t page)
{
	u64 first = ssdc_page_sector(e, page);
	u64 from = max(rq->host.sector, first);
	u64 end = min(rq->host.sector + rq->host.nr_sectors, first + ssdc_page_length(e, page));

	return (struct overlap){ .from = from - first, .nr = end - from };
}

static bool is_dirty(const struct ssdc_engine *e, ssdc_frame_t frame)
{
	return ssdc_entry_at(e, frame)->flags & SSDC_E_DIRTY;
}

/* Dirty page whose dirty sectors were dropped -> dropped page, or free frame of a victim. */
static void drop_dirty(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	if ((entry->flags & SSDC_E_WANT_FLUSH) && entry->reason == SSDC_FLUSH_EARLY)
		e->early_inflight--;
	entry->flags &= ~SSDC_E_WANT_FLUSH;
	if (entry->flags & SSDC_E_SYNC)
		ssdc_pass_page_done(e, frame, 0);
	ssdc_wake_page(e, frame, SSDC_FLUSHED, 0);
	if (!(entry->flags & SSDC_E_VICTIM)) {
		ssdc_drop(e, frame);
		return;
	}
	ssdc_set_clean(e, frame);
	ssdc_settle(e, frame);
}

/* DISCARD: false if the page must be waited for. Copies to readers may go on. */
static bool visit_before(struct ssdc_engine *e, struct ssdc_request *rq, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);
	struct overlap at = overlap_of(e, rq, entry->page);

	if (entry->writers || entry->cursor == SSDC_HAS_TWIN ||
	    (entry->flags & (SSDC_E_FILL | SSDC_E_FLUSH)))
		return false;
	/* A clean victim needs no rewriting. */
	if (entry->flags & (SSDC_E_POLICY | SSDC_E_DIRTY))
		ssdc_rewrite_page(e, frame);
	if (ssdc_mask_any(ssdc_dirty_mask(e, frame), at.from, at.nr)) {
		rq->kept = true;
		return true;
	}
	ssdc_mask_clear(ssdc_valid_mask(e, frame), at.from, at.nr);
	/* A page that stays may be filled again. A clean victim leaves soon. */
	if (entry->flags & SSDC_E_DIRTY)
		ssdc_overtake_reads(e, frame);
	else if (!(entry->flags & SSDC_E_VICTIM))
		ssdc_drop(e, frame);
	return true;
}

/*
 * After a failed discard, all valid sectors at @at become dirty, because the origin may have
 * discarded some of them. Data that the host has read from DRAM must not change when the page is
 * evicted.
 */
static void set_dirty(struct ssdc_engine *e, ssdc_frame_t frame, struct overlap at)
{
	const u8 *valid = ssdc_valid_mask(e, frame);
	u32 end = at.from + at.nr, run;

	for (; at.from < end; at.from += run) {
		run = ssdc_mask_run(valid, at.from, end);
		if (ssdc_mask_bit(valid, at.from))
			ssdc_set_dirty(e, frame, at.from, run);
	}
}

/* DROP: the page has been at rest since visit_before(), except for copies outside of the range. */
static void visit_after(struct ssdc_engine *e, struct ssdc_request *rq, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);
	struct overlap at = overlap_of(e, rq, entry->page);

	if (!is_dirty(e, frame))
		return;
	if (rq->error) {
		set_dirty(e, frame, at);
		return;
	}
	/* If a FLUSH failed meanwhile, the origin may have lost the rest of the page. */
	ssdc_rewrite_page(e, frame);
	ssdc_mask_clear(ssdc_valid_mask(e, frame), at.from, at.nr);
	ssdc_mask_clear(ssdc_dirty_mask(e, frame), at.from, at.nr);
	if (ssdc_mask_any(ssdc_dirty_mask(e, frame), 0, ssdc_page_length(e, entry->page)))
		ssdc_overtake_reads(e, frame);
	else
		drop_dirty(e, frame);
}

static bool visit(struct ssdc_engine *e, struct ssdc_request *rq, ssdc_frame_t frame)
{
	switch (rq->phase) {
	case SSDC_RQ_DISCARD:
		return visit_before(e, rq, frame);
	case SSDC_RQ_DROP:
		visit_after(e, rq, frame);
		return true;
	case SSDC_RQ_RELEASE:
	default:
		ssdc_settle(e, frame);
		return true;
	}
}

static enum ssdc_phase next_phase(const struct ssdc_request *rq)
{
	if (rq->phase == SSDC_RQ_DISCARD)
		return SSDC_RQ_FORWARD;
	return rq->phase == SSDC_RQ_DROP && rq->held ? SSDC_RQ_RELEASE : SSDC_RQ_END;
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
 * Is any sector of the range dirty in the page of @frame? visit_before() has seen the page, and may
 * have dropped it.
 */
static bool leaves_dirty(const struct ssdc_engine *e, const struct ssdc_request *rq,
			 ssdc_frame_t frame)
{
	struct overlap at;

	if (!is_dirty(e, frame))
		return false;
	at = overlap_of(e, rq, ssdc_entry_at(e, frame)->page);
	return ssdc_mask_any(ssdc_dirty_mask(e, frame), at.from, at.nr);
}

/* About how many of @pages pages, those of the range, lie in regions of this shard? */
static u64 own_pages(const struct ssdc_engine *e, const struct ssdc_request *rq, u64 pages)
{
	u64 last = rq->host.sector + rq->host.nr_sectors - 1;

	return (rq->host.sector ^ last) >> e->region_shift ? div_u64(pages, e->nr_shards) : pages;
}

/* The number of the next page of the range, after @nr, that lies in another region. */
static u64 next_region(const struct ssdc_engine *e, const struct ssdc_request *rq, u64 nr)
{
	u64 first = rq->host.sector >> e->tier.page_shift;
	u64 sector = ssdc_page_sector(e, ssdc_page(first + nr));

	return nr + (ssdc_region_left(sector, e->region_shift) >> e->tier.page_shift);
}

/* Does page @nr of the range belong to another shard? */
static bool is_foreign(const struct ssdc_engine *e, const struct ssdc_request *rq, u64 nr)
{
	return e->nr_shards > 1 &&
		!ssdc_owns(e, ssdc_page((rq->host.sector >> e->tier.page_shift) + nr));
}

/*
 * DISCARD, DROP and RELEASE: visit the pages of the range, or all frames if there are fewer frames.
 * Regions of other shards are skipped. Returns SSDC_MORE after a bounded number, and SSDC_AGAIN
 * after STEP_PAGES and at the end of the phase.
 */
enum ssdc_action ssdc_discard_step(struct ssdc_engine *e, struct ssdc_request *rq)
{
	u64 pages = ((rq->host.sector + rq->host.nr_sectors - 1) >> e->tier.page_shift) -
		    (rq->host.sector >> e->tier.page_shift) + 1;
	bool by_page = own_pages(e, rq, pages) <= e->tier.nr_frames;
	u64 end = by_page ? pages : e->tier.nr_frames;
	unsigned int work = 0, looked = 0;

	while (rq->pos < end && work + looked / READS_PER_LOOK < e->hold_work) {
		ssdc_frame_t frame;

		work++;
		if (by_page && is_foreign(e, rq, rq->pos)) {
			rq->pos = min(next_region(e, rq, rq->pos), end);
			continue;
		}
		frame = candidate(e, rq, by_page, rq->pos);
		if (frame != SSDC_NO_FRAME) {
			work += VISIT_WORK;
			if (!visit(e, rq, frame))
				return ssdc_wait_page(e, rq, frame);
			if (rq->phase == SSDC_RQ_DISCARD && leaves_dirty(e, rq, frame) &&
			    ssdc_must_wait_reads(e, rq, ssdc_entry_at(e, frame)->page, &looked))
				return ssdc_wait_reads(e, rq);
		}
		rq->reads_before = 0;
		if (!(++rq->pos % STEP_PAGES))
			break;
	}
	if (rq->pos < end)
		return rq->pos % STEP_PAGES ? SSDC_MORE : SSDC_AGAIN;
	rq->phase = next_phase(rq);
	rq->pos = 0;
	return SSDC_AGAIN;
}

/* The discard is on the origin, or was refused: FORWARD -> its next phase. */
void ssdc_discard_flushed(struct ssdc_request *rq, int error)
{
	rq->error = error;
	if (rq->kept)
		rq->phase = SSDC_RQ_DROP;
	else
		rq->phase = rq->held ? SSDC_RQ_RELEASE : SSDC_RQ_END;
}

/*
 * The discard ended at the origin. Dirty sectors in protected DRAM are stable, and must not be
 * dropped before the discard is stable, too: otherwise, a power failure could bring back older
 * data.
 */
void ssdc_discard_forwarded(const struct ssdc_engine *e, struct ssdc_request *rq, int error)
{
	rq->discarded = !error && rq->kept && e->tunables.dram_mode == SSDC_PROTECTED;
	if (!rq->discarded)
		ssdc_discard_flushed(rq, error);
}

/**
 * ssdc_drop_clean() - drop clean pages that are not in use, a bounded number per call
 * @e: engine; keeps all pages while some must be written again (stable.c)
 * @cursor: next frame to examine; 0 to start. The caller repeats until it is nr_frames
 */
void ssdc_drop_clean(struct ssdc_engine *e, u32 *cursor)
{
	u32 work = 0, looked = 0;

	if (e->stability.rewriting) {
		*cursor += min(e->tier.nr_frames - *cursor, (u32)STEP_PAGES);
		return;
	}
	for (; *cursor < e->tier.nr_frames && work + looked / FRAMES_PER_LOOK < e->hold_work;
	     (*cursor)++) {
		const struct ssdc_entry *entry = &e->entries[*cursor];

		if (((entry->flags & SSDC_E_POLICY) || entry->prefetched) && !entry->pins &&
		    !(entry->flags & (BUSY | SSDC_E_DIRTY))) {
			ssdc_drop(e, ssdc_frame(*cursor));
			work += VISIT_WORK;
		}
		looked++;
	}
}
