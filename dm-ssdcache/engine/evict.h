/* SPDX-License-Identifier: GPL-2.0 */
/* evict.c: eviction, and frames for requests. */
#ifndef SSDC_EVICT_H
#define SSDC_EVICT_H

#include <linux/kernel.h>
#include "directory.h"
#include "wait.h"

void ssdc_evict_rest(struct ssdc_engine *e);
void ssdc_evict(struct ssdc_engine *e, struct ssdc_request *rq);
bool ssdc_evict_batch(struct ssdc_engine *e, struct ssdc_request *rq);
void ssdc_evict_excess(struct ssdc_engine *e);
bool ssdc_evict_surplus_now(struct ssdc_engine *e, struct ssdc_request *rq);
enum ssdc_action ssdc_find_room(struct ssdc_engine *e, struct ssdc_request *rq,
				const struct ssdc_host_request *host, u32 nr);
void ssdc_owe_victims(struct ssdc_engine *e, struct ssdc_request *rq);
bool ssdc_find_frame(struct ssdc_engine *e, struct ssdc_request *rq);
enum ssdc_action ssdc_wait_frame(struct ssdc_engine *e, struct ssdc_request *rq);
void ssdc_drop(struct ssdc_engine *e, ssdc_frame_t frame);

/* Has the victim made room for a page of @rq? */
static inline bool ssdc_has_evicted(const struct ssdc_request *rq, const struct ssdc_entry *entry)
{
	return entry->stamp == (u32)rq->host.id;
}

/* Pages that need room: all pages except victims. */
static inline u32 ssdc_residents(const struct ssdc_engine *e)
{
	return e->tier.used_pages - e->nr_victims;
}

/* A number that differs from page to page of a request. */
static inline u64 ssdc_progress(const struct ssdc_request *rq)
{
	return rq->pos + rq->ahead;
}

/* Was the policy asked for victims for the page that @rq decides about? */
static inline bool ssdc_was_asked(const struct ssdc_request *rq)
{
	return rq->evicted_at == ssdc_progress(rq);
}

/* The victims for a page of @rq have been accounted for. */
static inline void ssdc_forget_victims(struct ssdc_request *rq)
{
	rq->evicted_at = SSDC_NOT_EVICTED;
	rq->left_victims = 0;
}

/*
 * @rq decides about a page: make room for it. @host: the request if the page is written, NULL if it
 * is read. @nr: 1 for a page that is not resident, 0 for one that has been in the partition.
 * Returns SSDC_COMPLETE when there is room, else as ssdc_find_room(). Inline, as there often is
 * room: a batch of several victims leaves room for the next pages, too.
 */
static inline enum ssdc_action ssdc_make_room(struct ssdc_engine *e, struct ssdc_request *rq,
					      const struct ssdc_host_request *host, u32 nr)
{
	if (ssdc_residents(e) + nr > e->tier.capacity || ssdc_is_evicting(e) ||
	    ssdc_replacement_ops(e->replacement)->full || ssdc_was_asked(rq))
		return ssdc_find_room(e, rq, host, nr);
	rq->batches = 0;
	return SSDC_COMPLETE;
}

/* Is a frame granted to @rq or, if no request waits, free? */
static inline bool ssdc_may_take_frame(const struct ssdc_engine *e, const struct ssdc_request *rq)
{
	return rq->grants || (e->nr_free > e->granted && list_empty(&e->frame_waiters));
}

/*
 * Is there a frame for a page of @rq that is not cached? If so, the caller calls ssdc_make_room()
 * and ssdc_take_frame() next. If not, it calls ssdc_wait_frame() or, while ssdc_is_evicting(), this
 * function again later.
 */
static inline bool ssdc_has_frame(struct ssdc_engine *e, struct ssdc_request *rq)
{
	return likely(ssdc_may_take_frame(e, rq)) || ssdc_find_frame(e, rq);
}

/* Take the frame that ssdc_has_frame() found. */
static inline ssdc_frame_t ssdc_take_frame(struct ssdc_engine *e, struct ssdc_request *rq)
{
	if (unlikely(rq->grants)) {
		rq->grants--;
		e->granted--;
	}
	return ssdc_frame_pop(e);
}

/*
 * The page enters, and takes a free frame if @nr is 1. @rq gets debts for victims that must be
 * flushed first. Returns whether the policy was asked for victims.
 */
static inline bool ssdc_enter(struct ssdc_engine *e, struct ssdc_request *rq, u32 nr)
{
	bool evicted = ssdc_was_asked(rq);

	if (evicted && rq->left_victims)
		ssdc_owe_victims(e, rq);
	else if (unlikely(e->tunables.evict_wait == SSDC_WAIT_FRAME) && nr &&
		 e->tier.used_pages >= e->tier.capacity && e->nr_debts < e->nr_victims)
		ssdc_add_debts(e, rq, 1);
	ssdc_forget_victims(rq);
	return evicted;
}

/*
 * A page entered, or was flushed and stays: evict one batch if the policy reports a surplus. @rq is
 * the request that inserted the page, or NULL. No effect during a change of policy, when victims
 * come from the old policy, nor while another batch is being accounted for. The batch is short, and
 * leaves within this call. The rest of the surplus leaves later. Returns whether a batch was
 * evicted.
 */
static inline bool ssdc_evict_surplus(struct ssdc_engine *e, struct ssdc_request *rq)
{
	return unlikely(e->replacement->surplus) && ssdc_evict_surplus_now(e, rq);
}

#endif /* SSDC_EVICT_H */
