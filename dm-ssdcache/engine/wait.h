/* SPDX-License-Identifier: GPL-2.0 */
/* wait.c: requests that wait for a page or a frame, ready requests, discards in progress. */
#ifndef SSDC_WAIT_H
#define SSDC_WAIT_H

#include "state.h"

/* Why the requests that wait for a page are woken. */
enum ssdc_event {
	SSDC_UNPINNED,
	SSDC_FILLED,
	SSDC_FLUSHED,
};

void ssdc_make_ready(struct ssdc_engine *e, struct ssdc_request *rq);
enum ssdc_action ssdc_wait_page(struct ssdc_engine *e, struct ssdc_request *rq, ssdc_frame_t frame);
void ssdc_wake_waiters(struct ssdc_engine *e, ssdc_frame_t frame, enum ssdc_event event, int error);
void ssdc_grant_waiters(struct ssdc_engine *e);
void ssdc_add_debts(struct ssdc_engine *e, struct ssdc_request *rq, u32 nr);
void ssdc_pay_oldest(struct ssdc_engine *e);
void ssdc_forgive_debts(struct ssdc_engine *e, struct ssdc_request *rq);
void ssdc_return_grants(struct ssdc_engine *e, struct ssdc_request *rq);
void ssdc_fail_frame_waiters(struct ssdc_engine *e, int error);
bool ssdc_discard_overlaps(const struct ssdc_engine *e, ssdc_page_t page);
bool ssdc_find_holders(struct ssdc_engine *e, ssdc_page_t page);
void ssdc_discard_over(struct ssdc_engine *e, struct ssdc_request *rq);
bool ssdc_find_discard(const struct ssdc_engine *e, u64 sector, u64 nr_sectors);
enum ssdc_action ssdc_wait_discard(struct ssdc_engine *e, struct ssdc_request *rq);
void ssdc_origin_read_begins(struct ssdc_engine *e, struct ssdc_request *rq, u64 sector, u32 nr);
bool ssdc_must_wait_reads(struct ssdc_engine *e, struct ssdc_request *rq, ssdc_page_t page,
			  unsigned int *looked);
enum ssdc_action ssdc_wait_reads(struct ssdc_engine *e, struct ssdc_request *rq);

/*
 * Wake the requests that wait for the page in @frame. Inline, because no request waits for most
 * events.
 */
static inline void ssdc_wake_page(struct ssdc_engine *e, ssdc_frame_t frame, enum ssdc_event event,
				  int error)
{
	if (ssdc_entry_at(e, frame)->flags & SSDC_E_WAITED)
		ssdc_wake_waiters(e, frame, event, error);
}

/* Grant free frames to waiting requests, in their order. */
static inline void ssdc_grant_frames(struct ssdc_engine *e)
{
	if (unlikely(!list_empty(&e->frame_waiters)))
		ssdc_grant_waiters(e);
}

/* A victim left, or returned. A debtor that waits for nothing else becomes ready. */
static inline void ssdc_pay_debt(struct ssdc_engine *e)
{
	if (e->nr_debts)
		ssdc_pay_oldest(e);
}

/*
 * Count @rq as waiting. The caller makes sure that ssdc_make_ready() or ssdc_unpark() is called
 * later.
 */
static inline void ssdc_park(struct ssdc_engine *e, struct ssdc_request *rq)
{
	rq->parked = true;
	e->waiting_requests++;
}

static inline void ssdc_unpark(struct ssdc_engine *e, struct ssdc_request *rq)
{
	rq->parked = false;
	e->waiting_requests--;
}

/* Does a discard in progress cover any of the sectors? The list is nearly always empty. */
static inline bool ssdc_discard_covers(const struct ssdc_engine *e, u64 sector, u64 nr_sectors)
{
	return !list_empty(&e->discards) && ssdc_find_discard(e, sector, nr_sectors);
}

/* Must the flush of @page wait for discards? These then settle the page at their ends. */
static inline bool ssdc_discard_holds(struct ssdc_engine *e, ssdc_page_t page)
{
	return !list_empty(&e->discards) && ssdc_find_holders(e, page);
}

/* The last read of @rq at the origin ended. */
static inline void ssdc_last_read_ends(struct ssdc_engine *e, struct ssdc_request *rq)
{
	hlist_del(&rq->read_node);
	if (unlikely(rq->awaited))
		list_splice_tail_init(&e->read_waiters, &e->ready);
}

/* @rq begins to read all of its sectors at the origin. */
static inline void ssdc_whole_read_begins(struct ssdc_engine *e, struct ssdc_request *rq)
{
	rq->subs = 1;
	hlist_add_head(&rq->read_node, &e->origin_reads);
	rq->bypassed = ~0ULL;
	rq->awaited = false;
}

#endif /* SSDC_WAIT_H */
