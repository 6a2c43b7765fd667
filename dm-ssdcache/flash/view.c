// SPDX-License-Identifier: GPL-2.0
/*
 * Answers to a host about the device: idle channels and dies, and the load of a page's die.
 *
 * Callers that accept a snapshot need no lock: every value that changes is read with READ_ONCE()
 * here, and written with WRITE_ONCE() elsewhere.
 */
#include <linux/kernel.h>
#include "ftl.h"

/* A plane has few free blocks if it has at most this number beyond those that GC keeps free. */
#define FEW_BLOCKS 2u

/**
 * ssdf_get_view() - get the current load of the device
 * @f: device
 * @view: result: source, channels, dies, stripe_sectors, collects and the counts of units; a unit
 *	is a die
 *
 * A channel is idle when nothing is or waits to be transferred, and at least one of its
 * dies has nothing to do.
 *
 * Context: the caller's lock, or none if a snapshot will do. O(1).
 */
void ssdf_get_view(const struct ssdf_device *f, struct ssdc_view *view)
{
	view->source = SSDC_VIEW_EXACT;
	view->channels = f->params.channels;
	view->dies = f->params.dies;
	view->idle_channels = ssdf_idle_channels(f);
	view->units = f->nr_dies;
	view->idle_units = READ_ONCE(f->idle_dies);
	view->queued = READ_ONCE(f->load);
	view->utilisation = reciprocal_divide((f->nr_dies - view->idle_units) * 1000, f->by_dies);
	view->stripe_sectors = f->nr_planes << f->sector_bits;
	view->collects = READ_ONCE(f->free_blocks) <= f->nr_planes * (f->gc_below + FEW_BLOCKS);
}

/* The die with the page's data; for a page that was never written, the die of its static place. */
static u32 die_of_data(const struct ssdf_device *f, ssdf_lpn_t lpn)
{
	ssdf_ppn_t ppn = READ_ONCE(f->map[ssdf_lpn_nr(lpn)]);
	u32 plane = ssdf_is_mapped(ppn) ? ssdf_plane_of(f, ppn) : ssdf_static_plane(f, lpn);

	return f->planes[plane].die->nr;
}

static void ask_die(const struct ssdf_device *f, struct ssdc_unit_query *query)
{
	ssdf_lpn_t lpn = ssdf_lpn(query->sector >> f->sector_bits);

	if (ssdf_is_translation_page(f, lpn))
		lpn = ssdf_lpn(0);
	query->unit = f->params.allocation == SSDF_STATIC ?
		      f->planes[ssdf_static_plane(f, lpn)].die->nr : die_of_data(f, lpn);
	query->depth = READ_ONCE(f->dies[query->unit].load);
	query->gc = READ_ONCE(f->dies[query->unit].collecting);
}

/**
 * ssdf_ask_units() - how much work accesses to pages would wait for
 * @f: device
 * @queries: sector and write are set; the answers are unit, which is a die, depth and gc
 * @nr: number of queries
 *
 * With dynamic allocation a write goes to the least loaded die: its depth is the load of
 * the die that would be chosen now.
 *
 * Context: as ssdf_get_view(); time proportional to @nr, plus once to the number of dies if
 * there are such writes.
 */
void ssdf_ask_units(const struct ssdf_device *f, struct ssdc_unit_query *queries, unsigned int nr)
{
	bool known = false;
	u32 least = 0;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!queries[i].write || f->params.allocation == SSDF_STATIC) {
			ask_die(f, &queries[i]);
			continue;
		}
		if (!known)
			least = ssdf_least_load(f);
		known = true;
		queries[i].unit = SSDC_ANY_UNIT;
		queries[i].depth = least;
		queries[i].gc = false;
	}
}
