// SPDX-License-Identifier: GPL-2.0
/*
 * Ageing, the state before the first use: some pages hold valid data, some hold outdated
 * data, the rest is free.
 *
 * The same seed gives the same state. Each plane gets exactly the requested shares of
 * valid and outdated pages (rounded to pages), mixed at random over the blocks they fill.
 * A plane's valid pages are logical pages that static allocation assigns to it, in
 * scattered order.
 *
 * With map_cache, all translation pages are in the flash, too.
 *
 * aged steady: see steady.c.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/prefetch.h>
#include "age.h"
#include "ftl.h"
#include "steady.h"

static u32 common_divisor(u32 a, u32 b)
{
	while (b) {
		u32 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* A step that visits each of 0 ... nr - 1 once before it repeats. */
static u32 pick_stride(u32 nr, struct ssdc_random *random)
{
	u32 stride = nr < 3 ? 1 : 1 + ssdf_random_below(random, nr - 1);

	while (common_divisor(stride, nr) != 1)
		stride = stride + 1 < nr ? stride + 1 : 1;
	return stride;
}

static bool is_steady(const struct ssdf_device *f)
{
	return f->params.aged == SSDF_STEADY;
}

/*
 * Translation pages, which are the logical pages from nr_lpns on, come first, also in static order.
 * The rest of their last block is outdated.
 */
static void begin_map(struct ssdf_device *f, struct ssdf_ageing *ageing)
{
	u32 lpns = f->nr_lpns + f->nr_map_pages, pages = f->params.pages;
	u32 all = (lpns - ageing->turn + f->nr_planes - 1) / f->nr_planes;

	ageing->map_index = ageing->lpns;
	ageing->map_pages = DIV_ROUND_UP(all - ageing->lpns, pages) * pages;
}

static void age_map_page(struct ssdf_device *f, struct ssdf_ageing *ageing)
{
	u64 lpn = (u64)ageing->map_index++ * f->nr_planes + ageing->turn;

	ssdf_fill_page(f, ssdf_static_plane(f, ssdf_lpn(ageing->turn)),
		       lpn < f->nr_lpns + f->nr_map_pages ? ssdf_lpn(lpn) : SSDF_NO_LPN);
	ageing->map_pages--;
}

static u32 next_index(const struct ssdf_ageing *ageing, u32 index)
{
	u32 left = ageing->lpns - ageing->stride;

	return index < left ? index + ageing->stride : index - left;
}

/* Decide how many valid and outdated pages the current plane gets. */
static void begin_plane(struct ssdf_device *f, struct ssdf_ageing *ageing)
{
	u32 pages = f->params.blocks * f->params.pages;
	u32 lpns = (f->nr_lpns - ageing->turn + f->nr_planes - 1) / f->nr_planes, i;

	ageing->lpns = lpns;
	begin_map(f, ageing);
	if (is_steady(f)) {
		ssdf_steady_plane(f, lpns);
	} else {
		ageing->valid = min_t(u32, div_u64((u64)pages * f->params.aged_valid, 100), lpns);
		ageing->outdated = div_u64((u64)pages * f->params.aged_invalid, 100);
	}
	ageing->stride = pick_stride(lpns, &ageing->random);
	ageing->index = ssdf_random_below(&ageing->random, lpns);
	ageing->soon = ageing->index;
	for (i = 0; i < SSDF_PAGES_AHEAD; i++)
		ageing->soon = next_index(ageing, ageing->soon);
}

/* The next valid logical page of the plane. */
static ssdf_lpn_t next_lpn(struct ssdf_device *f, struct ssdf_ageing *ageing)
{
	ssdf_lpn_t lpn = ssdf_lpn(ageing->index * f->nr_planes + ageing->turn);

	ageing->index = next_index(ageing, ageing->index);
	prefetchw(&f->map[ageing->soon * f->nr_planes + ageing->turn]);
	ageing->soon = next_index(ageing, ageing->soon);
	return lpn;
}

static void age_page(struct ssdf_device *f, struct ssdf_ageing *ageing)
{
	u32 plane = ssdf_static_plane(f, ssdf_lpn(ageing->turn));
	bool valid = is_steady(f) ? ssdf_steady_page(f) :
		     ssdf_random_below(&ageing->random, ageing->valid + ageing->outdated) <
		     ageing->valid;

	if (!valid) {
		ssdf_fill_page(f, plane, SSDF_NO_LPN);
		ageing->outdated--;
		return;
	}
	ssdf_fill_page(f, plane, next_lpn(f, ageing));
	ageing->valid--;
}

/* Pages of the blocks that are open. */
static void age_open_page(struct ssdf_device *f, struct ssdf_ageing *ageing)
{
	u32 plane = ssdf_static_plane(f, ssdf_lpn(ageing->turn));

	if (ageing->open) {
		ssdf_fill_page(f, plane, next_lpn(f, ageing));
		ageing->open--;
	} else {
		ssdf_fill_moved_page(f, plane, next_lpn(f, ageing));
		ageing->open_moved--;
	}
}

/* Prepare the work of ssdf_age(). */
void ssdf_age_begin(struct ssdf_device *f)
{
	struct ssdf_ageing *ageing = &f->ageing;

	if (!is_steady(f) && !f->params.aged_valid && !f->params.aged_invalid) {
		ageing->turn = f->nr_planes;
		return;
	}
	ssdc_random_seed(&ageing->random, f->params.seed);
	if (is_steady(f))
		ssdf_steady_begin(f);
	begin_plane(f, ageing);
}

/**
 * ssdf_age() - fill a bounded number of the pages that are used before the first request
 * @f: device by ssdf_create(); submit no request before this has returned false
 *
 * GC starts with the first write, as in a drive that was powered off.
 *
 * Context: needs no lock, as the device is not yet in use; does not sleep.
 * Return: true if there are more pages: call again.
 */
bool ssdf_age(struct ssdf_device *f)
{
	struct ssdf_ageing *ageing = &f->ageing;
	u32 i;

	for (i = 0; i < SSDF_LONG_STEP && ageing->turn < f->nr_planes; i++) {
		if (ageing->map_pages)
			age_map_page(f, ageing);
		else if (ageing->valid + ageing->outdated)
			age_page(f, ageing);
		else if (ageing->open + ageing->open_moved)
			age_open_page(f, ageing);
		else if (++ageing->turn < f->nr_planes)
			begin_plane(f, ageing);
	}
	if (ageing->turn < f->nr_planes)
		return true;
	return ssdf_steady_write(f);
}
