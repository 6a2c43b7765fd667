// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that wait for a page (its copy, fill or flush) or for a frame, and requests that are
 * ready for their next step.
 *
 * A request that waits for a page looks the page up again when it is woken. Frames are granted one
 * by one, in order of arrival. A request that needs several frames waits at the front of the queue
 * once it has got the first.
 *
 * A debtor has evicted pages, and does not end before as many victims have left. Any victim that
 * leaves pays one debt, of the oldest debtor: batches mostly leave in the order of their eviction.
 * A victim that returns because its flush failed pays a debt, too: the debtor's data are safe in
 * DRAM, and another try could fail as well.
 */
#include <linux/kernel.h>
#include "engine.h"
#include "directory.h"
#include "wait.h"

/* Waiting request -> ready request, for ssdc_next_ready(). */
void ssdc_make_ready(struct ssdc_engine *e, struct ssdc_request *rq)
{
	list_add_tail(&rq->node, &e->ready);
}

/**
 * ssdc_next_ready() - fetch a request that is ready for its next step
 * @e: engine
 *
 * Return: a request to pass to ssdc_step(), NULL if there is none.
 */
struct ssdc_request *ssdc_next_ready(struct ssdc_engine *e)
{
	struct ssdc_request *rq = list_first_entry_or_null(&e->ready, struct ssdc_request, node);

	if (!rq)
		return NULL;
	list_del_init(&rq->node);
	if (rq->parked)
		ssdc_unpark(e, rq);
	return rq;
}

/* Park @rq on a list of requests that wait for a page, a discard or a read. */
static enum ssdc_action wait_on(struct ssdc_engine *e, struct ssdc_request *rq,
				struct list_head *waiters)
{
	list_add_tail(&rq->node, waiters);
	ssdc_park(e, rq);
	e->stats.page_waits++;
	return SSDC_WAIT;
}

static struct list_head *page_waiters(struct ssdc_engine *e, u64 page)
{
	return &e->page_waiters[page & (e->nr_wait_lists - 1)];
}

/* Park @rq until ssdc_wake_page() is called for the page in @frame. */
enum ssdc_action ssdc_wait_page(struct ssdc_engine *e, struct ssdc_request *rq, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	entry->flags |= SSDC_E_WAITED;
	rq->wait_page = ssdc_page_nr(entry->page);
	return wait_on(e, rq, page_waiters(e, rq->wait_page));
}

/*
 * Wake the requests, if any, that wait for the page in @frame. A request in phase ORIGIN is done
 * with a page that was flushed, even if the page is dirty again when the request runs. The @error
 * of a failed flush fails writes that must be on the origin's stable media. It does not fail a
 * write through, nor any write to protected DRAM, because their data are safe in DRAM.
 */
void ssdc_wake_waiters(struct ssdc_engine *e, ssdc_frame_t frame, enum ssdc_event event, int error)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);
	u64 page = ssdc_page_nr(entry->page);
	struct ssdc_request *rq, *next;

	entry->flags &= ~SSDC_E_WAITED;
	list_for_each_entry_safe(rq, next, page_waiters(e, page), node) {
		if (rq->wait_page != page)
			continue;
		if (rq->phase == SSDC_RQ_ORIGIN && event == SSDC_FLUSHED) {
			rq->flushed = true;
			if (!error || !rq->stable)
				;	/* flushed, or safe in DRAM */
			else if (e->tunables.dram_mode == SSDC_PROTECTED)
				rq->in_dram = true;
			else if (!rq->error)
				rq->error = error;
		}
		list_del(&rq->node);
		ssdc_make_ready(e, rq);
	}
}

/* See ssdc_grant_frames(). */
void ssdc_grant_waiters(struct ssdc_engine *e)
{
	struct ssdc_request *rq;

	while (e->nr_free > e->granted && !list_empty(&e->frame_waiters)) {
		rq = list_first_entry(&e->frame_waiters, struct ssdc_request, node);
		list_del(&rq->node);
		rq->grants++;
		rq->served = true;
		e->granted++;
		ssdc_make_ready(e, rq);
	}
}

/*
 * @rq waits until @nr victims have left. The caller makes sure that at least @nr victims are not
 * needed for other debts.
 */
void ssdc_add_debts(struct ssdc_engine *e, struct ssdc_request *rq, u32 nr)
{
	if (!nr)
		return;
	if (!rq->debts)
		list_add_tail(&rq->debt_node, &e->debtors);
	rq->debts += nr;
	e->nr_debts += nr;
}

/* See ssdc_pay_debt(). There must be a debt. */
void ssdc_pay_oldest(struct ssdc_engine *e)
{
	struct ssdc_request *rq;

	rq = list_first_entry(&e->debtors, struct ssdc_request, debt_node);
	e->nr_debts--;
	if (--rq->debts)
		return;
	list_del(&rq->debt_node);
	if (rq->parked && list_empty(&rq->node))
		ssdc_make_ready(e, rq);
}

/* @rq ends before its debts are paid. */
void ssdc_forgive_debts(struct ssdc_engine *e, struct ssdc_request *rq)
{
	if (!rq->debts)
		return;
	e->nr_debts -= rq->debts;
	rq->debts = 0;
	list_del(&rq->debt_node);
}

/* @rq needs no more frames: grant its remaining ones to others. */
void ssdc_return_grants(struct ssdc_engine *e, struct ssdc_request *rq)
{
	if (!rq->grants)
		return;
	e->granted -= rq->grants;
	rq->grants = 0;
	ssdc_grant_frames(e);
}

/*
 * Evictions fail because the origin cannot be written. Fail the writes that wait for frames, which
 * have not been acknowledged. Let the reads that wait bypass DRAM.
 */
void ssdc_fail_frame_waiters(struct ssdc_engine *e, int error)
{
	struct ssdc_request *rq, *next;

	list_for_each_entry_safe(rq, next, &e->frame_waiters, node) {
		list_del(&rq->node);
		if (rq->host.op == SSDC_READ)
			rq->bypass = true;
		else
			rq->error = error;
		ssdc_make_ready(e, rq);
	}
}

/* May the discard still change the range? In its last two phases its fate is known. */
static bool covers(const struct ssdc_request *discard, u64 sector, u64 nr_sectors)
{
	return sector < discard->host.sector + discard->host.nr_sectors &&
		discard->host.sector < sector + nr_sectors &&
		discard->phase != SSDC_RQ_RELEASE && discard->phase != SSDC_RQ_END;
}

/* See ssdc_discard_covers(). */
bool ssdc_find_discard(const struct ssdc_engine *e, u64 sector, u64 nr_sectors)
{
	const struct ssdc_request *rq;

	list_for_each_entry(rq, &e->discards, range_node)
		if (covers(rq, sector, nr_sectors))
			return true;
	return false;
}

/* Does a discard in progress overlap @page? */
bool ssdc_discard_overlaps(const struct ssdc_engine *e, ssdc_page_t page)
{
	return ssdc_discard_covers(e, ssdc_page_sector(e, page), e->tier.page_sectors);
}

/* See ssdc_discard_holds(). */
bool ssdc_find_holders(struct ssdc_engine *e, ssdc_page_t page)
{
	struct ssdc_request *rq;
	bool held = false;

	list_for_each_entry(rq, &e->discards, range_node) {
		if (!covers(rq, ssdc_page_sector(e, page), e->tier.page_sectors))
			continue;
		rq->held = true;
		held = true;
	}
	return held;
}

/* Park a write until a discard ends; the write then looks for discards again. */
enum ssdc_action ssdc_wait_discard(struct ssdc_engine *e, struct ssdc_request *rq)
{
	return wait_on(e, rq, &e->discard_waiters);
}

/* The bit of a sector's page in @bypassed of a read. The last bit stands for all further pages. */
static u32 bypass_bit(const struct ssdc_engine *e, const struct ssdc_request *read, u64 sector)
{
	u64 first = read->host.sector >> e->tier.page_shift;

	return min_t(u64, (sector >> e->tier.page_shift) - first, 63);
}

/*
 * @rq begins to read @nr sectors from @sector on at the origin. Unlike ssdc_whole_read_begins(),
 * there may be other pages of @rq in DRAM.
 */
void ssdc_origin_read_begins(struct ssdc_engine *e, struct ssdc_request *rq, u64 sector, u32 nr)
{
	u32 first = bypass_bit(e, rq, sector), last = bypass_bit(e, rq, sector + nr - 1);

	if (!rq->subs++) {
		hlist_add_head(&rq->read_node, &e->origin_reads);
		rq->bypassed = 0;
		rq->awaited = false;
	}
	rq->bypassed |= (~0ULL << first) & (~0ULL >> (63 - last));
}

/*
 * Must a discard wait for a read at the origin before it leaves the dirty sectors of @page in DRAM?
 * The read may have begun before a fill or a write brought these sectors to DRAM, and may return
 * discarded data. If the discard then fails, later reads would return the older data from DRAM.
 * Reads that begin later find the sectors in DRAM, so the discard waits only for reads that have
 * begun by now. Adds the number of reads looked at to @looked.
 */
bool ssdc_must_wait_reads(struct ssdc_engine *e, struct ssdc_request *rq, ssdc_page_t page,
			  unsigned int *looked)
{
	u64 first = max(rq->host.sector, ssdc_page_sector(e, page));
	u64 end = min(rq->host.sector + rq->host.nr_sectors,
		      ssdc_page_sector(e, page) + e->tier.page_sectors);
	struct ssdc_request *read;

	if (!rq->reads_before)
		rq->reads_before = e->next_id;
	hlist_for_each_entry(read, &e->origin_reads, read_node) {
		(*looked)++;
		if (read->host.id < rq->reads_before && read->host.sector < end &&
		    first < read->host.sector + read->host.nr_sectors &&
		    read->bypassed >> bypass_bit(e, read, max(first, read->host.sector)) & 1) {
			read->awaited = true;
			read->lone = false;
			return true;
		}
	}
	return false;
}

/* Park a discard until a read at the origin ends; the discard then looks for such reads again. */
enum ssdc_action ssdc_wait_reads(struct ssdc_engine *e, struct ssdc_request *rq)
{
	return wait_on(e, rq, &e->read_waiters);
}

/* Discard in progress -> discard that ended. */
void ssdc_discard_over(struct ssdc_engine *e, struct ssdc_request *rq)
{
	list_del(&rq->range_node);
	list_splice_tail_init(&e->discard_waiters, &e->ready);
}
