/* SPDX-License-Identifier: GPL-2.0 */
/*
 * read.c: the decisions of reads. The code for reads within one page that hit or bypass DRAM is
 * inline.
 */
#ifndef SSDC_READ_H
#define SSDC_READ_H

#include <linux/kernel.h>
#include <linux/math64.h>
#include "copy.h"
#include "decide.h"
#include "prefetch.h"
#include "view.h"
#include "wait.h"

enum ssdc_action ssdc_fetch_pages(struct ssdc_engine *e, struct ssdc_request *rq, bool wanted);
enum ssdc_action ssdc_read_pages(struct ssdc_engine *e, struct ssdc_request *rq,
				 struct ssdc_segment *seg, unsigned int *left);

/* May the page enter? Ask the admission scheme only once, even if the page waits for a frame. */
static inline bool ssdc_may_enter(struct ssdc_engine *e, struct ssdc_request *rq, ssdc_page_t page)
{
	if (!ssdc_admits_reads(e->admission) || rq->bypass ||
	    ssdc_discard_covers(e, ssdc_page_sector(e, page), e->tier.page_sectors))
		return false;
	if (!rq->admitted)
		rq->admitted = ssdc_admit_read(e->admission, &rq->host, page);
	return rq->admitted;
}

/*
 * A read finds a page of the policy or of the partition. For the policy, its page is hit, however
 * few of the page's sectors are valid. @now: all sectors of the piece are in DRAM.
 */
static inline void ssdc_use_page(struct ssdc_engine *e, ssdc_frame_t frame,
				 const struct ssdc_host_request *rq, bool now)
{
	e->stats.read_pages++;
	e->stats.read_hits += now;
	if (likely(ssdc_entry_at(e, frame)->flags & SSDC_E_POLICY))
		ssdc_policy_hit(e, frame, rq, false);
	else
		ssdc_prefetch_hit(e, frame);
}

/* Are all sectors of the piece valid? In most pages, all sectors are. */
static inline bool ssdc_has_piece(const struct ssdc_engine *e, ssdc_frame_t frame,
				  struct ssdc_piece piece)
{
	const u8 *valid = ssdc_valid_mask(e, frame);

	return ssdc_mask_all_full(valid, e->mask_bytes) ||
		ssdc_mask_full(valid, piece.from, piece.nr);
}

/* Can the piece be copied now, as a hit? */
static inline bool ssdc_can_copy_all(const struct ssdc_engine *e, ssdc_frame_t frame,
				     struct ssdc_piece piece)
{
	const struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	return !(entry->flags & SSDC_E_VICTIM) && entry->pins != SSDC_MAX_PINS &&
		ssdc_has_piece(e, frame, piece);
}

/* PAGES: copy the next page of a read, if there is one, and if all of its piece is in DRAM. */
static inline bool ssdc_copy_next(struct ssdc_engine *e, struct ssdc_request *rq,
				  struct ssdc_segment *seg)
{
	struct ssdc_piece piece;
	ssdc_frame_t frame;

	if (rq->pos == rq->host.nr_sectors)
		return false;
	piece = ssdc_piece_at(e, rq, rq->pos);
	frame = ssdc_lookup(e, piece.page);
	if (frame == SSDC_NO_FRAME || !ssdc_can_copy_all(e, frame, piece))
		return false;
	rq->run = 0;
	ssdc_copy(e, rq, frame, piece.from, piece.nr, seg);
	return true;
}

/*
 * A read from the origin of all sectors of @rq, whose pages are not cached, begins. @rq waits for
 * its end.
 */
static inline enum ssdc_action ssdc_bypass_begins(struct ssdc_engine *e, struct ssdc_request *rq)
{
	e->device_inflight++;
	e->stats.bypassed_reads++;
	rq->pos = rq->host.nr_sectors;
	ssdc_whole_read_begins(e, rq);
	ssdc_park(e, rq);
	return SSDC_BYPASS;
}

/* As ssdc_bypass(), for a request within @page. */
static inline enum ssdc_action ssdc_bypass_page(struct ssdc_engine *e, struct ssdc_request *rq,
						ssdc_page_t page)
{
	rq->unit = SSDC_MANY_UNITS;
	if (likely(ssdc_needs_estimate(e))) {
		ssdc_units_renew(e);
		div_u64_rem(ssdc_page_nr(page), e->units.nr, &rq->unit);
		ssdc_unit_begins(&e->units, rq->unit);
	}
	return ssdc_bypass_begins(e, rq);
}

/*
 * The whole of @rq bypasses DRAM: count the read in the estimate of the origin's load, and begin
 * it.
 */
static inline enum ssdc_action ssdc_bypass(struct ssdc_engine *e, struct ssdc_request *rq)
{
	rq->unit = SSDC_MANY_UNITS;
	ssdc_units_begin(e, rq->host.sector, rq->host.nr_sectors);
	return ssdc_bypass_begins(e, rq);
}

/*
 * FETCH. Has fast paths: most reads are within one page, and need no second look at the page in
 * PAGES if it is a hit, or if the read bypasses DRAM.
 */
static inline enum ssdc_action ssdc_fetch(struct ssdc_engine *e, struct ssdc_request *rq,
					  bool wanted, struct ssdc_segment *seg)
{
	struct ssdc_piece piece = ssdc_piece_at(e, rq, 0);
	ssdc_frame_t frame;

	/* With @fill_then, the page has been decided about, and fills come first. */
	if (piece.nr < rq->host.nr_sectors || unlikely(rq->fill_then))
		return ssdc_fetch_pages(e, rq, wanted);
	frame = ssdc_lookup(e, piece.page);
	if (frame == SSDC_NO_FRAME ? ssdc_may_enter(e, rq, piece.page) :
				     !ssdc_can_copy_all(e, frame, piece))
		return ssdc_fetch_pages(e, rq, wanted);
	rq->phase = SSDC_RQ_PAGES;
	if (frame == SSDC_NO_FRAME) {
		e->stats.read_pages++;
		if (unlikely(rq->grants))
			ssdc_return_grants(e, rq);
		return ssdc_bypass_page(e, rq, piece.page);
	}
	rq->ahead = piece.nr;
	ssdc_use_page(e, frame, &rq->host, true);
	return ssdc_copy(e, rq, frame, piece.from, piece.nr, seg);
}

#endif /* SSDC_READ_H */
