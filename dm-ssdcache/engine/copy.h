/* SPDX-License-Identifier: GPL-2.0 */
/*
 * copy.c: copies between the buffers of host requests and frames. The functions that every hit runs
 * are inline.
 */
#ifndef SSDC_COPY_H
#define SSDC_COPY_H

#include <linux/kernel.h>
#include "directory.h"
#include "twin.h"

/* Writes may overtake a copy to a reader this often; further writes are held up. */
#define SSDC_MAX_OVERTAKEN 2

void ssdc_unpinned(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_hold_writes(struct ssdc_engine *e, struct ssdc_request *rq, ssdc_frame_t frame);
void ssdc_check_overtaken(struct ssdc_engine *e, struct ssdc_request *rq);

/* Does nothing depend on the end of the last copy of the page? */
static inline bool ssdc_ends_quietly(const struct ssdc_entry *entry)
{
	return !(entry->flags & (SSDC_E_VICTIM | SSDC_E_WANT_FLUSH | SSDC_E_WAITED));
}

/*
 * Do copies take no time, and does nothing depend on the end of this one? Nothing does if no
 * request waits for the page and no flush or eviction of the page is decided, neither now nor after
 * the copy has begun.
 */
static inline bool ssdc_ends_at_once(const struct ssdc_engine *e, const struct ssdc_request *rq,
				     const struct ssdc_entry *entry)
{
	return !entry->pins && ssdc_ends_quietly(entry) &&
		(rq->host.op == SSDC_READ ||
		 (rq->mode == SSDC_WRITE_BACK && !e->replacement->surplus));
}

/* A copy begins and ends at once: written sectors become valid, and the request advances. */
static inline void ssdc_copy_at_once(struct ssdc_engine *e, struct ssdc_request *rq,
				     ssdc_frame_t frame, u32 from, u32 nr)
{
	if (rq->host.op == SSDC_WRITE)
		ssdc_set_valid(e, frame, from, nr);
	rq->pos += nr;
}

/* Pin @frame and have the driver copy @nr of its sectors, from @from on. @op is that of @rq. */
static __always_inline enum ssdc_action ssdc_pin(struct ssdc_engine *e, struct ssdc_request *rq,
						 enum ssdc_op op, ssdc_frame_t frame, u32 from,
						 u32 nr, struct ssdc_segment *seg)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	if (op == SSDC_WRITE) {
		ssdc_overtake_reads(e, frame);
		ssdc_mask_clear(ssdc_valid_mask(e, frame), from, nr);
		entry->writers++;
	} else {
		rq->overwrites = *ssdc_overwrites(e, frame);
		if (unlikely(rq->overtaken == SSDC_MAX_OVERTAKEN))
			ssdc_hold_writes(e, rq, frame);
	}
	entry->pins++;
	rq->pinned = frame;
	rq->copy_sectors = nr;
	seg->frame = frame;
	seg->buffer = e->buffers[ssdc_frame_nr(frame)];
	seg->rest = SSDC_NO_BUFFER;
	seg->frame_sector = from;
	seg->rq_sector = rq->pos;
	seg->nr_sectors = nr;
	return SSDC_COPY;
}

/*
 * As ssdc_pin(), but if copies take no time and nothing depends on the end of this one, the copy
 * ends at once, and no frame is pinned.
 */
static inline enum ssdc_action ssdc_copy(struct ssdc_engine *e, struct ssdc_request *rq,
					 ssdc_frame_t frame, u32 from, u32 nr,
					 struct ssdc_segment *seg)
{
	if (unlikely(e->instant_copies) && ssdc_ends_at_once(e, rq, ssdc_entry_at(e, frame))) {
		ssdc_copy_at_once(e, rq, frame, from, nr);
		return SSDC_COPY;
	}
	return ssdc_pin(e, rq, rq->host.op, frame, from, nr, seg);
}

/*
 * The copy ended: the page is unpinned, written sectors become valid, and the request advances. A
 * read that was overtaken by a write does not advance, but copies again. When the last write, or
 * the last copy, of a page ends, waiting requests are woken and the page's flags are acted on.
 */
static inline void ssdc_copied(struct ssdc_engine *e, struct ssdc_request *rq)
{
	ssdc_frame_t frame = rq->pinned;
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);
	bool last;

	if (rq->host.op == SSDC_WRITE) {
		u32 from = (rq->host.sector + rq->pos) & (e->tier.page_sectors - 1);

		ssdc_set_valid(e, frame, from, rq->copy_sectors);
		if (unlikely(rq->completes))
			ssdc_page_completed(e, rq, frame, from);
		rq->pos += rq->copy_sectors;
		entry->pins--;
		last = !--entry->writers;
	} else {
		if (unlikely(rq->overtaken || rq->overwrites != *ssdc_overwrites(e, frame)))
			ssdc_check_overtaken(e, rq);
		if (likely(!rq->overtaken))
			rq->pos += rq->copy_sectors;
		last = !--entry->pins;
	}
	rq->pinned = SSDC_NO_FRAME;
	if (last && !ssdc_ends_quietly(entry))
		ssdc_unpinned(e, frame);
}

#endif /* SSDC_COPY_H */
