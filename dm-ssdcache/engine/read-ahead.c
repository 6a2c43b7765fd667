// SPDX-License-Identifier: GPL-2.0
/*
 * Starting the reads that the prefetcher wants. prefetch.c keeps the pages.
 *
 * Prefetching yields to the host: a read starts only while no host read is in flight and no
 * request waits for a frame, and few are in flight at a time. A host write of a page in
 * flight waits for that read, as for any other fill, and so is never undone by it.
 *
 * The frame comes from the partition itself when that is full. Otherwise it is a free frame,
 * or the replacement policy is asked for a batch of victims. A wanted page that cannot have a
 * frame is forgotten.
 *
 * Floor of discard.c, sync.c, read-ahead.c and writeback.c: calls evict.c and everything
 * below.
 */
#include <linux/kernel.h>
#include "directory.h"
#include "evict.h"
#include "prefetch.h"
#include "read-ahead.h"
#include "wait.h"

static bool is_full(const struct ssdc_engine *e)
{
	return e->prefetched.count >= e->prefetch->pages_max;
}

/* Will a frame become free later: that of a victim, or of a prefetched page in flight? */
static bool waits_for_frame(const struct ssdc_engine *e)
{
	if (is_full(e))
		return e->prefetch_inflight && e->prefetch_inflight == e->prefetched.count;
	return e->nr_free <= e->granted && e->nr_victims;
}

/* Can ssdc_prefetch_step() serve a wanted page now? */
bool ssdc_prefetch_ready(const struct ssdc_engine *e)
{
	if (!e->prefetch->nr_wants || e->host_reads || e->frozen ||
	    e->prefetch_inflight == SSDC_PREFETCH_INFLIGHT || !list_empty(&e->frame_waiters))
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
 * A free frame; or SSDC_NO_FRAME, and the policy has given victims. No eviction while flushes
 * fail: the victims would come back.
 */
static ssdc_frame_t free_frame(struct ssdc_engine *e)
{
	if (e->nr_free <= e->granted && !e->retry_at_ns)
		ssdc_evict_batch(e);
	return e->nr_free > e->granted ? ssdc_frame_pop(e) : SSDC_NO_FRAME;
}

static bool is_useful(const struct ssdc_engine *e, ssdc_page_t page)
{
	return ssdc_page_sector(e, page) < e->origin_sectors &&
		ssdc_lookup(e, page) == SSDC_NO_FRAME && !ssdc_discard_overlaps(e, page);
}

/* Start reads of the wanted pages, as many as can be started now. */
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
