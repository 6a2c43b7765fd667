// SPDX-License-Identifier: GPL-2.0
/*
 * The partition of prefetched pages: clean pages that belong to no replacement policy,
 * in the order of their use, those on their way included.
 *
 *	prefetcher wants it -> FILL, at the head -> read done -> at rest
 *
 *	a host read finds it		to the head; it stays
 *	the host writes it		to the replacement policy, dirty
 *	at the tail, partition full	its frame is taken by the next one
 *	at the tail, frames are needed	victim; first if the partition is beyond its grant,
 *					else when the replacement policy has none to give
 *	discard, drop_clean		as any other page
 *
 * Prefetching yields to the host. It starts a read only while no host read is under way
 * and nobody waits for a frame, and has few in flight. A host write of a page on its way
 * waits for that read, as for any other fill of a page, and so is never undone by it.
 *
 * A frame for it is a free one, or below the grant one that the replacement policy is
 * asked for, a batch at a time. What cannot have one is forgotten.
 */
#include <linux/kernel.h>
#include "internal.h"

/* Prefetched pages on their way: a host read that comes has to wait for few of them. */
#define MAX_INFLIGHT 8

static void leave(struct ssdc_engine *e, ssdc_frame_t frame, enum ssdc_prefetch_end end)
{
	struct ssdc_entry *entry = ssdc_entry(e, frame);

	ssdc_list_del(e->entries, &e->prefetched, frame);
	entry->prefetched = false;
	e->stats.prefetch_unused += !entry->weight && end != SSDC_DROPPED;
	if (ssdc_prefetch_type(e->prefetch)->left)
		ssdc_prefetch_type(e->prefetch)->left(e->prefetch, entry->page, entry->weight,
						      end);
}

/* Prefetched page at rest -> page that belongs to nobody: the host has written or dropped it. */
void ssdc_prefetch_leave(struct ssdc_engine *e, ssdc_frame_t frame, bool written)
{
	leave(e, frame, written ? SSDC_WRITTEN : SSDC_DROPPED);
}

/* A host read found the page, there or on its way. */
void ssdc_prefetch_hit(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry(e, frame);
	bool late = entry->flags & SSDC_E_FILL;

	ssdc_list_move_head(e->entries, &e->prefetched, frame);
	if (late)
		e->stats.prefetch_late_hits++;
	else
		e->stats.prefetch_hits++;
	if (ssdc_prefetch_type(e->prefetch)->hit)
		ssdc_prefetch_type(e->prefetch)->hit(e->prefetch, entry->page, !entry->weight,
						     late);
	entry->weight = 1;
}

/* The least recently used page that is not on its way. Of those there are few. */
static ssdc_frame_t last_at_rest(const struct ssdc_engine *e)
{
	ssdc_frame_t frame = e->prefetched.tail;

	while (frame != SSDC_NO_FRAME && (ssdc_entry(e, frame)->flags & SSDC_E_FILL))
		frame = ssdc_entry(e, frame)->prev;
	return frame;
}

/* One page becomes a victim. Returns false if none can. */
static bool give_way(struct ssdc_engine *e)
{
	ssdc_frame_t frame = last_at_rest(e);

	if (frame == SSDC_NO_FRAME)
		return false;
	leave(e, frame, SSDC_GAVE_WAY);
	ssdc_make_victim(e, frame);
	ssdc_settle(e, frame);
	return true;
}

/* A frame is needed: does the partition hold more than it may? */
bool ssdc_prefetch_gives_way(struct ssdc_engine *e)
{
	return e->prefetched.count > e->prefetch->pages_max && give_way(e);
}

/* A frame is needed that the replacement policy does not have. */
bool ssdc_prefetch_has_to(struct ssdc_engine *e)
{
	return give_way(e);
}

static bool is_full(const struct ssdc_engine *e)
{
	return e->prefetched.count >= e->prefetch->pages_max;
}

/* Will there be a frame, but not yet: a victim's, or that of a prefetched page on its way? */
static bool waits_for_frame(const struct ssdc_engine *e)
{
	if (is_full(e))
		return e->prefetch_inflight && e->prefetch_inflight == e->prefetched.count;
	return e->nr_free <= e->granted && e->coming;
}

/* Is there something to be done about a wanted page at once? */
bool ssdc_prefetch_ready(const struct ssdc_engine *e)
{
	if (!e->prefetch->nr_wants || e->host_reads || e->frozen ||
	    e->prefetch_inflight == MAX_INFLIGHT || !list_empty(&e->frame_waiters))
		return false;
	return !waits_for_frame(e);
}

static ssdc_page_t next_want(const struct ssdc_engine *e)
{
	return ssdc_page(e->prefetch->wants[e->prefetch->first_want]);
}

static void forget_want(struct ssdc_engine *e)
{
	struct ssdc_prefetch *p = e->prefetch;

	p->first_want = (p->first_want + 1) % SSDC_MAX_WANTS;
	p->nr_wants--;
}

/* A partition that is full replaces its own. Nobody reads it: no host read is under way. */
static ssdc_frame_t replace(struct ssdc_engine *e)
{
	ssdc_frame_t frame = last_at_rest(e);

	if (frame == SSDC_NO_FRAME)
		return SSDC_NO_FRAME;
	leave(e, frame, SSDC_REPLACED);
	ssdc_unmap(e, frame);
	return frame;
}

/*
 * A free frame, or SSDC_NO_FRAME with victims on their way. No victims while the origin
 * does not take pages: they would come back.
 */
static ssdc_frame_t free_frame(struct ssdc_engine *e)
{
	if (e->nr_free <= e->granted && !e->retry_at_ns)
		ssdc_evict_batch(e);
	return e->nr_free > e->granted ? ssdc_frame_pop(e) : SSDC_NO_FRAME;
}

static void start(struct ssdc_engine *e, ssdc_frame_t frame, ssdc_page_t page)
{
	ssdc_start_read(e, frame, page);
	ssdc_entry(e, frame)->prefetched = true;
	ssdc_list_add_head(e->entries, &e->prefetched, frame);
	e->prefetch_inflight++;
	e->stats.prefetched_pages++;
	if (ssdc_prefetch_type(e->prefetch)->loaded)
		ssdc_prefetch_type(e->prefetch)->loaded(e->prefetch, page);
}

static bool is_worth_it(const struct ssdc_engine *e, ssdc_page_t page)
{
	return ssdc_page_sector(e, page) < e->origin_sectors &&
		ssdc_lookup(e, page) == SSDC_NO_FRAME && !ssdc_zap_overlaps(e, page);
}

/* Bring in what is wanted, as far as that can be done now. */
void ssdc_prefetch_step(struct ssdc_engine *e)
{
	while (ssdc_prefetch_ready(e)) {
		ssdc_page_t page = next_want(e);
		ssdc_frame_t frame = SSDC_NO_FRAME;

		if (is_worth_it(e, page)) {
			frame = is_full(e) ? replace(e) : free_frame(e);
			if (frame == SSDC_NO_FRAME && waits_for_frame(e))
				return;
		}
		forget_want(e);
		if (frame != SSDC_NO_FRAME)
			start(e, frame, page);
		else
			e->prefetch->unserved++;
	}
}

/* The read of a page is over. One that failed is as if it had never been wanted. */
void ssdc_prefetch_arrived(struct ssdc_engine *e, ssdc_frame_t frame, int error)
{
	e->prefetch_inflight--;
	/* Who waits for it reads its own sectors, past DRAM, if it is not there. */
	ssdc_wake_page(e, frame, SSDC_FILLED, 0);
	if (!error)
		return;
	e->stats.prefetch_errors++;
	leave(e, frame, SSDC_DROPPED);
	ssdc_unmap(e, frame);
	ssdc_frame_push(e, frame);
	ssdc_grant_frames(e);
}

static bool entry_ok(const struct ssdc_entry *entry)
{
	return entry->prefetched && entry->weight <= 1 &&
		!(entry->flags & (SSDC_E_POLICY | SSDC_E_VICTIM | SSDC_E_DIRTY | SSDC_E_FLUSH |
				  SSDC_E_WANT_FLUSH));
}

/* Verify the list and what is counted of it. */
bool ssdc_prefetch_ok(const struct ssdc_engine *e)
{
	const struct ssdc_prefetch *p = e->prefetch;
	ssdc_frame_t frame, prev = SSDC_NO_FRAME;
	u32 count = 0, inflight = 0;

	for (frame = e->prefetched.head; frame != SSDC_NO_FRAME && count <= e->nr_frames;
	     frame = ssdc_entry(e, frame)->next) {
		if (!entry_ok(ssdc_entry(e, frame)) || ssdc_entry(e, frame)->prev != prev)
			return false;
		inflight += !!(ssdc_entry(e, frame)->flags & SSDC_E_FILL);
		prev = frame;
		count++;
	}
	return count == e->prefetched.count && prev == e->prefetched.tail &&
		inflight == e->prefetch_inflight && inflight <= MAX_INFLIGHT &&
		p->pages_max <= e->nr_frames / 2 && p->nr_wants <= SSDC_MAX_WANTS &&
		p->first_want < SSDC_MAX_WANTS;
}
