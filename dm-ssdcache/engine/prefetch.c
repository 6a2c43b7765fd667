// SPDX-License-Identifier: GPL-2.0
/*
 * The partition of prefetched pages: clean pages that belong to no replacement policy, in order of
 * use, including those in flight.
 *
 *	prefetch	free frame -> page being read, at the head -> page at rest
 *
 *	a host read finds it			to the head
 *	a host write finds it			to the replacement policy, dirty
 *	at the tail, partition full		replaced by the next prefetched page
 *	at the tail, a page needs room		victim, before the policy's pages, if the
 *						partition exceeds its share
 *	discard, drop_clean			dropped, as any other page
 *
 * read-ahead.c decides when to start reads. @weight of an entry is 1 once a host read has found
 * the page.
 */
#include "directory.h"
#include "page.h"
#include "prefetch.h"
#include "wait.h"

/* Take the page out of the partition and notify the prefetcher. */
static void leave(struct ssdc_engine *e, ssdc_frame_t frame, enum ssdc_prefetch_end end)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	ssdc_list_del(e->entries, &e->prefetched, frame);
	entry->prefetched = false;
	e->stats.prefetch_unused += !entry->weight && end != SSDC_DROPPED;
	if (ssdc_prefetch_ops(e->prefetch)->left)
		ssdc_prefetch_ops(e->prefetch)->left(e->prefetch, entry->page, entry->weight,
						     end);
}

/* Prefetched page at rest -> page of no policy: the host wrote it, or it is dropped. */
void ssdc_prefetch_leave(struct ssdc_engine *e, ssdc_frame_t frame, bool written)
{
	leave(e, frame, written ? SSDC_WRITTEN : SSDC_DROPPED);
}

/* A host read found the page, at rest or in flight. */
void ssdc_prefetch_hit(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);
	bool late = entry->flags & SSDC_E_FILL;

	ssdc_list_move_head(e->entries, &e->prefetched, frame);
	if (late)
		e->stats.prefetch_late_hits++;
	else
		e->stats.prefetch_hits++;
	if (ssdc_prefetch_ops(e->prefetch)->hit)
		ssdc_prefetch_ops(e->prefetch)->hit(e->prefetch, entry->page, !entry->weight,
						    late);
	entry->weight = 1;
}

/* The least recently used page at rest. The loop is short: few pages are in flight. */
static ssdc_frame_t last_at_rest(const struct ssdc_engine *e)
{
	ssdc_frame_t frame = e->prefetched.tail;

	while (frame != SSDC_NO_FRAME && (ssdc_entry_at(e, frame)->flags & SSDC_E_FILL))
		frame = ssdc_entry_at(e, frame)->prev;
	return frame;
}

/* Least recently used page at rest -> victim. Returns false if there is none. */
static bool evict_one(struct ssdc_engine *e)
{
	ssdc_frame_t frame = last_at_rest(e);

	if (frame == SSDC_NO_FRAME)
		return false;
	leave(e, frame, SSDC_GAVE_WAY);
	ssdc_make_victim(e, frame);
	ssdc_settle(e, frame);
	return true;
}

/* A page needs room: evict a prefetched page if the partition exceeds its share. */
bool ssdc_prefetch_evict_excess(struct ssdc_engine *e)
{
	return ssdc_prefetch_has_excess(e) && evict_one(e);
}

/*
 * Least recently used page at rest -> unmapped frame for the next prefetch. Called only while no
 * host read is in progress, so no request uses the page. SSDC_NO_FRAME if all are in flight.
 */
ssdc_frame_t ssdc_prefetch_replace(struct ssdc_engine *e)
{
	ssdc_frame_t frame = last_at_rest(e);

	if (frame == SSDC_NO_FRAME)
		return SSDC_NO_FRAME;
	leave(e, frame, SSDC_REPLACED);
	ssdc_unmap(e, frame);
	return frame;
}

/* Unmapped frame -> prefetched page being read, at the head of the partition. */
void ssdc_prefetch_start(struct ssdc_engine *e, ssdc_frame_t frame, ssdc_page_t page)
{
	ssdc_start_read(e, frame, page);
	ssdc_entry_at(e, frame)->prefetched = true;
	ssdc_list_add_head(e->entries, &e->prefetched, frame);
	e->prefetch_inflight++;
	e->stats.prefetched_pages++;
	if (ssdc_prefetch_ops(e->prefetch)->loaded)
		ssdc_prefetch_ops(e->prefetch)->loaded(e->prefetch, page);
}

/* Page being read -> page at rest or, after an error, free frame. */
void ssdc_prefetch_arrived(struct ssdc_engine *e, ssdc_frame_t frame, int error)
{
	e->prefetch_inflight--;
	/* After an error, the waiting requests read their sectors from the origin. */
	ssdc_wake_page(e, frame, SSDC_FILLED, 0);
	if (!error)
		return;
	e->stats.prefetch_errors++;
	leave(e, frame, SSDC_DROPPED);
	ssdc_unmap(e, frame);
	ssdc_frame_push(e, frame);
	ssdc_grant_frames(e);
}

static int entry_check(const struct ssdc_entry *entry, ssdc_frame_t frame, ssdc_frame_t prev,
		       struct ssdc_error *finding)
{
	if (!entry->prefetched)
		return ssdc_finding(finding, "frame %u is on the prefetched list and not marked so",
				    ssdc_frame_nr(frame));
	if (entry->weight > 1)
		return ssdc_finding(finding, "prefetched frame %u has weight %u",
				    ssdc_frame_nr(frame), entry->weight);
	if (entry->flags & (SSDC_E_POLICY | SSDC_E_VICTIM | SSDC_E_DIRTY | SSDC_E_FLUSH |
			    SSDC_E_WANT_FLUSH))
		return ssdc_finding(finding,
				    "prefetched frame %u has flags 0x%x, some of which are for other pages",
				    ssdc_frame_nr(frame), entry->flags);
	if (entry->prev != prev)
		return ssdc_finding(finding,
				    "prefetched frame %u has the previous frame %d instead of %d (-1: none)",
				    ssdc_frame_nr(frame), (int)ssdc_frame_nr(entry->prev),
				    (int)ssdc_frame_nr(prev));
	return 0;
}

/* Verify the list and the counts of its pages. */
int ssdc_prefetch_check(const struct ssdc_engine *e, struct ssdc_error *finding)
{
	const struct ssdc_prefetch *p = e->prefetch;
	ssdc_frame_t frame, prev = SSDC_NO_FRAME;
	u32 count = 0, inflight = 0;
	int r;

	for (frame = e->prefetched.head; frame != SSDC_NO_FRAME && count <= e->tier.nr_frames;
	     frame = ssdc_entry_at(e, frame)->next) {
		r = entry_check(ssdc_entry_at(e, frame), frame, prev, finding);
		if (r)
			return r;
		inflight += !!(ssdc_entry_at(e, frame)->flags & SSDC_E_FILL);
		prev = frame;
		count++;
	}
	if (count != e->prefetched.count || prev != e->prefetched.tail)
		return ssdc_finding(finding,
				    "%u prefetched pages are linked, the count is %u; the last is in frame %d, the tail is %d (-1: none)",
				    count, e->prefetched.count, (int)ssdc_frame_nr(prev),
				    (int)ssdc_frame_nr(e->prefetched.tail));
	if (inflight != e->prefetch_inflight || inflight > SSDC_PREFETCH_INFLIGHT)
		return ssdc_finding(finding,
				    "%u prefetched pages are being read, the count is %u, the most is %u",
				    inflight, e->prefetch_inflight, SSDC_PREFETCH_INFLIGHT);
	if (p->pages_max > e->tier.capacity / 2)
		return ssdc_finding(finding, "pages_max of the prefetcher is %u, the most is %u",
				    p->pages_max, e->tier.capacity / 2);
	if (p->nr_wants > SSDC_MAX_WANTS || p->first_want >= SSDC_MAX_WANTS)
		return ssdc_finding(finding,
				    "the queue of wanted pages has %u pages from place %u on, of %u",
				    p->nr_wants, p->first_want, SSDC_MAX_WANTS);
	return 0;
}
