// SPDX-License-Identifier: GPL-2.0
/*
 * The decisions of writes.
 *
 *	PAGES	copy page by page
 *	ORIGIN	wait until the pages are flushed, for FUA and for a write through that waits
 */
#include <linux/kernel.h>
#include "engine.h"
#include "copy.h"
#include "decide.h"
#include "evict.h"
#include "page.h"
#include "prefetch.h"
#include "stable.h"
#include "twin.h"
#include "wait.h"
#include "write.h"

/* Is any sector of the piece being written? Such sectors are dirty and not valid yet. */
bool ssdc_is_being_written(const struct ssdc_engine *e, ssdc_frame_t frame, struct ssdc_piece piece)
{
	u32 i;

	for (i = piece.from; i < piece.from + piece.nr; i++)
		if (ssdc_mask_bit(ssdc_dirty_mask(e, frame), i) &&
		    !ssdc_mask_bit(ssdc_valid_mask(e, frame), i))
			return true;
	return false;
}

/* If admission chose write through, flush the page as soon as its copy ends. */
static void write_through(struct ssdc_engine *e, const struct ssdc_request *rq, ssdc_frame_t frame)
{
	if (rq->mode != SSDC_WRITE_BACK)
		ssdc_want_flush(e, frame, SSDC_FLUSH_THROUGH);
}

/*
 * Page of no policy, for which there is room -> dirty page being written, the policy's most recent.
 * @evicted: the policy was asked for victims.
 */
static __always_inline enum ssdc_action insert_page(struct ssdc_engine *e, struct ssdc_request *rq,
						    ssdc_frame_t frame, struct ssdc_piece piece,
						    bool evicted, struct ssdc_segment *seg)
{
	enum ssdc_action action;

	ssdc_set_dirty(e, frame, piece.from, piece.nr);
	ssdc_enter_policy(e, frame, &rq->host, true);
	action = ssdc_copy(e, rq, frame, piece.from, piece.nr, seg);
	write_through(e, rq, frame);
	/* The frame must be pinned before this call: the page itself may be among the victims. */
	evicted |= ssdc_evict_surplus(e, rq);
	e->stats.write_absorbed += !evicted;
	e->stats.write_pages++;
	return action;
}

/* Page that is not cached -> page being written. Or returns SSDC_WAIT, or as ssdc_make_room(). */
static enum ssdc_action write_miss(struct ssdc_engine *e, struct ssdc_request *rq,
				   struct ssdc_piece piece, struct ssdc_segment *seg)
{
	enum ssdc_action action;
	u32 maps = e->maps;
	ssdc_frame_t frame;
	bool evicted;

	ssdc_note_miss(e, rq);
	if (!ssdc_has_frame(e, rq))
		return ssdc_is_evicting(e) ? SSDC_MORE : ssdc_wait_frame(e, rq);
	action = ssdc_make_room(e, rq, &rq->host, 1);
	if (unlikely(action != SSDC_COMPLETE))
		return action;
	/* A padded batch may have taken in the page itself, to make room. */
	if (unlikely(e->maps != maps) && ssdc_lookup(e, piece.page) != SSDC_NO_FRAME)
		return SSDC_AGAIN;
	evicted = ssdc_enter(e, rq, 1);
	frame = ssdc_take_frame(e, rq);
	ssdc_map(e, frame, piece.page);
	return insert_page(e, rq, frame, piece, evicted, seg);
}

/* Prefetched page -> page being written. */
static noinline enum ssdc_action write_prefetched(struct ssdc_engine *e, struct ssdc_request *rq,
						  ssdc_frame_t frame, struct ssdc_piece piece,
						  struct ssdc_segment *seg)
{
	enum ssdc_action action;

	ssdc_note_miss(e, rq);
	action = ssdc_make_room(e, rq, &rq->host, 0);
	if (action != SSDC_COMPLETE)
		return action;
	/* To make room, the page itself has left the partition. */
	if (!ssdc_entry_at(e, frame)->prefetched)
		return SSDC_AGAIN;
	e->stats.write_hits++;
	ssdc_prefetch_leave(e, frame, true);
	return insert_page(e, rq, frame, piece, ssdc_enter(e, rq, 0), seg);
}

/* Page whose flush is in flight -> dirty page being written, with a twin. */
static noinline enum ssdc_action write_in_flight(struct ssdc_engine *e, struct ssdc_request *rq,
						 ssdc_frame_t frame, struct ssdc_piece piece,
						 struct ssdc_segment *seg)
{
	enum ssdc_action action;

	ssdc_twin_begin(e, frame);
	e->stats.moved_writes++;
	ssdc_note_write_hit(e, rq, frame, piece);
	action = ssdc_copy(e, rq, frame, piece.from, piece.nr, seg);
	if (rq->pinned != SSDC_NO_FRAME)
		ssdc_copy_rest(e, rq, frame, seg);
	write_through(e, rq, frame);
	return action;
}

/*
 * One page of a write:
 *
 *	discard in progress		-> wait for its end
 *	cached, no I/O			-> hit, copy
 *	prefetched, no I/O		-> hit, copy; the page enters the policy
 *	cached, flush in flight		-> hit, copy to another buffer, if there is one: see twin.c
 *	cached, other I/O		-> wait for the page: its data must not change during I/O
 *	victim				-> wait until it has left
 *	not cached, frame free		-> evict if the tier is full, insert, copy
 *	not cached, no frame free	-> wait for a frame
 */
enum ssdc_action ssdc_write_page(struct ssdc_engine *e, struct ssdc_request *rq,
				 struct ssdc_segment *seg)
{
	struct ssdc_piece piece = ssdc_piece_at(e, rq, rq->pos);
	ssdc_frame_t frame = ssdc_lookup(e, piece.page);
	enum ssdc_action action;

	if (ssdc_discard_covers(e, rq->host.sector + rq->pos, piece.nr))
		return ssdc_wait_discard(e, rq);
	if (frame != SSDC_NO_FRAME) {
		if (!ssdc_can_write(e, frame, piece))
			return ssdc_can_have_twin(e, frame) ?
				write_in_flight(e, rq, frame, piece, seg) :
				ssdc_wait_page(e, rq, frame);
		if (ssdc_entry_at(e, frame)->prefetched)
			return write_prefetched(e, rq, frame, piece, seg);
	} else {
		return write_miss(e, rq, piece, seg);
	}
	ssdc_note_write_hit(e, rq, frame, piece);
	action = ssdc_copy(e, rq, frame, piece.from, piece.nr, seg);
	write_through(e, rq, frame);
	return action;
}

/*
 * Must a write's data be on the origin's stable media before the write completes? Also true if a
 * FLUSH has failed since the write began, so that the write fails.
 */
bool ssdc_needs_flush(const struct ssdc_engine *e, const struct ssdc_request *rq)
{
	return rq->host.fua && (!ssdc_dram_is_stable(e) || ssdc_has_failed_flush(e, rq));
}

/* Must a write's pages be on the origin before the write completes? */
bool ssdc_waits_for_origin(const struct ssdc_request *rq)
{
	return rq->mode == SSDC_WRITE_SYNC || rq->stable;
}

/* Has DRAM become volatile since a write left its data there? */
bool ssdc_is_exposed(const struct ssdc_engine *e, const struct ssdc_request *rq)
{
	return rq->in_dram && e->tunables.dram_mode == SSDC_VOLATILE && !rq->error;
}

/* Begin phase ORIGIN again. */
void ssdc_origin_again(struct ssdc_request *rq)
{
	rq->phase = SSDC_RQ_ORIGIN;
	rq->stable = true;
	rq->in_dram = false;
	rq->flush_nr = 0;
	rq->pos = 0;
	rq->ahead = 0;
}

/* The frame of a piece if its page is dirty, or SSDC_NO_FRAME. */
static ssdc_frame_t dirty_frame(const struct ssdc_engine *e, struct ssdc_piece piece)
{
	ssdc_frame_t frame = ssdc_lookup(e, piece.page);

	if (frame != SSDC_NO_FRAME && (ssdc_entry_at(e, frame)->flags & SSDC_E_DIRTY))
		return frame;
	return SSDC_NO_FRAME;
}

/* Have a bounded number of dirty pages of a write flushed side by side, up to the end of a step. */
static void request_flushes(struct ssdc_engine *e, struct ssdc_request *rq)
{
	u64 end = min(round_down(rq->ahead, SSDC_STEP_SECTORS) + SSDC_STEP_SECTORS,
		      rq->host.nr_sectors);
	unsigned int pages;

	for (pages = 0; pages <= e->hold_work / 2 && rq->ahead < end; pages++) {
		struct ssdc_piece piece = ssdc_piece_at(e, rq, rq->ahead);
		ssdc_frame_t frame = dirty_frame(e, piece);

		if (frame != SSDC_NO_FRAME)
			ssdc_want_flush(e, frame, SSDC_FLUSH_FORCED);
		rq->ahead += piece.nr;
	}
}

/* What ssdc_step() returns before the end of a phase: this call advanced from @before to @pos. */
static enum ssdc_action go_on(u64 before, u64 pos)
{
	return before / SSDC_STEP_SECTORS == pos / SSDC_STEP_SECTORS ? SSDC_MORE : SSDC_AGAIN;
}

/*
 * ORIGIN: wait until each page of a write has been flushed. If the write is long, returns SSDC_MORE
 * or SSDC_AGAIN before that. Then a write through ends, and FUA continues with a FLUSH of the
 * origin (FORWARD). If DRAM has become volatile since the write's decision, ORIGIN begins again:
 * pages whose flush failed were safe only in protected DRAM.
 */
enum ssdc_action ssdc_write_to_origin(struct ssdc_engine *e, struct ssdc_request *rq)
{
	u64 before = rq->ahead;
	unsigned int pages;

	if (before < rq->host.nr_sectors) {
		request_flushes(e, rq);
		if (rq->ahead < rq->host.nr_sectors || before)
			return go_on(before, rq->ahead);
	}
	if (rq->flushed)
		rq->pos += ssdc_piece_at(e, rq, rq->pos).nr;
	rq->flushed = false;

	before = rq->pos;
	for (pages = 0; pages <= e->hold_work / 2 && rq->pos < rq->host.nr_sectors && !rq->error;
	     pages++) {
		struct ssdc_piece piece = ssdc_piece_at(e, rq, rq->pos);
		ssdc_frame_t frame = dirty_frame(e, piece);

		if (frame != SSDC_NO_FRAME) {
			ssdc_want_flush(e, frame, SSDC_FLUSH_FORCED);
			return ssdc_wait_page(e, rq, frame);
		}
		rq->pos += piece.nr;
	}
	if (rq->pos < rq->host.nr_sectors && !rq->error)
		return go_on(before, rq->pos);
	if (!rq->error && (ssdc_is_exposed(e, rq) || (!rq->stable && ssdc_needs_flush(e, rq)))) {
		ssdc_origin_again(rq);
		return SSDC_AGAIN;
	}
	rq->phase = rq->error || !rq->stable ? SSDC_RQ_END : SSDC_RQ_FORWARD;
	return SSDC_AGAIN;
}
