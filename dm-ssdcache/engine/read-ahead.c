// SPDX-License-Identifier: GPL-2.0
/*
 * Start the reads that the prefetcher asked for. prefetch.c keeps the pages.
 *
 * Prefetching yields to the host: reads start only while no host read is in progress and no
 * request waits for a frame, and few are in flight at a time. A host write to a page in flight
 * waits for the read, as for any fill, so the read never overwrites newer data.
 *
 * A full partition replaces one of its own pages. Otherwise the page gets a free frame, or the
 * replacement policy evicts a batch. A page that cannot have a frame is skipped.
 */
#include "directory.h"
#include "evict.h"
#include "prefetch.h"
#include "read-ahead.h"
#include "wait.h"

static bool is_full(const struct ssdc_engine *e)
{
	return e->prefetched.count >= e->prefetch->pages_max;
}

/* Is there room for a page that does not use the reserve? */
static bool has_room(const struct ssdc_engine *e)
{
	return e->tier.used_pages + e->granted < e->tier.capacity;
}

/* Twins may have taken all frames that are free otherwise. */
static bool has_spare_frame(const struct ssdc_engine *e)
{
	return has_room(e) && e->nr_free > e->granted;
}

/* Will a victim, a twin, or a prefetched page in flight provide a frame later? */
static bool waits_for_frame(const struct ssdc_engine *e)
{
	if (is_full(e))
		return e->prefetch_inflight && e->prefetch_inflight == e->prefetched.count;
	return !has_spare_frame(e) && (e->nr_victims || has_room(e));
}

/* Can ssdc_prefetch_step() start, or skip, a requested page now? */
bool ssdc_prefetch_ready(const struct ssdc_engine *e)
{
	if (!e->prefetch->nr_wants || e->host_reads || e->frozen ||
	    e->prefetch_inflight == SSDC_PREFETCH_INFLIGHT || e->nr_debts ||
	    !list_empty(&e->frame_waiters))
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

/*
 * Returns a free frame. If there is none, evicts a batch, and returns SSDC_NO_FRAME unless a frame
 * became free at once. Evicts nothing while flushes fail, as the victims would stay dirty.
 */
static ssdc_frame_t free_frame(struct ssdc_engine *e)
{
	if (!has_spare_frame(e) && !e->retry_at_ns)
		ssdc_evict_batch(e, NULL);
	return has_spare_frame(e) ? ssdc_frame_pop(e) : SSDC_NO_FRAME;
}

static bool is_useful(const struct ssdc_engine *e, ssdc_page_t page)
{
	return ssdc_owns(e, page) && ssdc_lookup(e, page) == SSDC_NO_FRAME &&
		!ssdc_discard_overlaps(e, page);
}

/* Start reads of as many requested pages as possible. */
void ssdc_prefetch_step(struct ssdc_engine *e)
{
	while (ssdc_prefetch_ready(e)) {
		ssdc_page_t page = next_want(e);
		ssdc_frame_t frame = SSDC_NO_FRAME;

		if (is_useful(e, page)) {
			frame = is_full(e) ? ssdc_prefetch_replace(e) : free_frame(e);
			if (frame == SSDC_NO_FRAME && waits_for_frame(e))
				return;
		}
		forget_want(e);
		if (frame != SSDC_NO_FRAME)
			ssdc_prefetch_start(e, frame, page);
		else
			e->prefetch->unserved++;
	}
}
