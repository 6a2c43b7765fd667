// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that wait, for a page (its copy, fill or flush) or for a free frame, and those
 * that are ready to go on.
 *
 * Frames are granted in order of arrival. A request that needs several frames keeps its
 * turn until it has all of them; eviction (evict.c) learns how many it still needs, so that
 * all its victims are flushed side by side.
 *
 * Floor of wait.c, switch.c and thrash.c: above the directory, below page.c.
 */
#include <linux/kernel.h>
#include "engine.h"
#include "directory.h"
#include "wait.h"

/* Waiting request -> ready: the driver fetches it with ssdc_next_ready(). */
void ssdc_make_ready(struct ssdc_engine *e, struct ssdc_request *rq)
{
	list_add_tail(&rq->node, &e->ready);
}

/* The request will come back by ssdc_make_ready(). */
void ssdc_park(struct ssdc_engine *e, struct ssdc_request *rq)
{
	rq->parked = true;
	e->waiting_requests++;
}

/**
 * ssdc_next_ready() - fetch a request that may go on
 * @e: engine
 *
 * Return: a request to be given to ssdc_step(), NULL if there is none.
 */
struct ssdc_request *ssdc_next_ready(struct ssdc_engine *e)
{
	struct ssdc_request *rq = list_first_entry_or_null(&e->ready, struct ssdc_request, node);

	if (!rq)
		return NULL;
	list_del_init(&rq->node);
	if (rq->parked) {
		rq->parked = false;
		e->waiting_requests--;
	}
	return rq;
}

static struct list_head *page_waiters(struct ssdc_engine *e, u64 page)
{
	return &e->page_waiters[page % SSDC_WAIT_BUCKETS];
}

/* Park @rq until something happened to the page in @frame. */
enum ssdc_action ssdc_wait_page(struct ssdc_engine *e, struct ssdc_request *rq, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry(e, frame);

	entry->flags |= SSDC_E_WAITED;
	rq->wait_page = ssdc_page_nr(entry->page);
	list_add_tail(&rq->node, page_waiters(e, rq->wait_page));
	ssdc_park(e, rq);
	e->stats.page_waits++;
	return SSDC_WAIT;
}

/*
 * Something happened to the page in @frame: let its waiters look again. A
 * failed flush fails the FUA writes that wait for it; a write through that admission
 * asked for is safe in DRAM. Either is done with a page that was flushed,
 * even if it is dirty again when the request gets to look.
 */
void ssdc_wake_page(struct ssdc_engine *e, ssdc_frame_t frame, enum ssdc_event event, int error)
{
	struct ssdc_entry *entry = ssdc_entry(e, frame);
	u64 page = ssdc_page_nr(entry->page);
	struct ssdc_request *rq, *next;

	if (!(entry->flags & SSDC_E_WAITED))
		return;
	entry->flags &= ~SSDC_E_WAITED;
	list_for_each_entry_safe(rq, next, page_waiters(e, page), node) {
		if (rq->wait_page != page)
			continue;
		if (rq->phase == SSDC_RQ_ORIGIN && event == SSDC_FLUSHED) {
			rq->flushed = true;
			if (rq->host.fua && !rq->error)
				rq->error = error;
		}
		list_del(&rq->node);
		ssdc_make_ready(e, rq);
	}
}

/* Hand free frames to those who wait, first come first served. */
void ssdc_grant_frames(struct ssdc_engine *e)
{
	struct ssdc_request *rq;

	while (e->nr_free > e->granted && !list_empty(&e->frame_waiters)) {
		rq = list_first_entry(&e->frame_waiters, struct ssdc_request, node);
		list_del(&rq->node);
		e->wanted -= rq->want;
		rq->want = 0;
		rq->grants++;
		rq->served = true;
		e->granted++;
		ssdc_make_ready(e, rq);
	}
}

/* @rq needs no more frames: pass on what was set aside for it. */
void ssdc_return_grants(struct ssdc_engine *e, struct ssdc_request *rq)
{
	if (!rq->grants)
		return;
	e->granted -= rq->grants;
	rq->grants = 0;
	ssdc_grant_frames(e);
}

/*
 * Eviction gets nowhere because the origin cannot be written. Writes fail: nothing
 * of them was acknowledged yet. Reads bypass DRAM.
 */
void ssdc_fail_frame_waiters(struct ssdc_engine *e, int error)
{
	struct ssdc_request *rq, *next;

	list_for_each_entry_safe(rq, next, &e->frame_waiters, node) {
		list_del(&rq->node);
		e->wanted -= rq->want;
		rq->want = 0;
		if (rq->host.op == SSDC_READ)
			rq->bypass = true;
		else
			rq->error = error;
		ssdc_make_ready(e, rq);
	}
}

/* Does a discard in flight overlap @page? The list is nearly always empty. */
bool ssdc_discard_overlaps(const struct ssdc_engine *e, ssdc_page_t page)
{
	u64 first = ssdc_page_sector(e, page);
	const struct ssdc_request *rq;

	list_for_each_entry(rq, &e->discards, discard_node)
		if (first < rq->host.sector + rq->host.nr_sectors &&
		    rq->host.sector < first + e->tier.page_sectors)
			return true;
	return false;
}
