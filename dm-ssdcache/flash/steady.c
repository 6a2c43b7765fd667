// SPDX-License-Identifier: GPL-2.0
/*
 * Ageing: the steady state of random writes to all pages ("aged steady").
 *
 * All logical pages are valid. First each block gets as many valid pages as in the mean-field limit
 * of greedy GC under uniform writes [Bux10]: blocks fill at a constant rate and lose valid pages
 * one by one, each page at the same rate, until GC takes blocks with j valid pages. The share of
 * blocks with i valid pages, j < i, is then proportional to 1 / i. The other pages are in open
 * blocks, whose fill differs from plane to plane. Then pages are written by the real FTL and its
 * GC, in no time, to correct the differences from the theory: another victim rule, more open
 * blocks, small blocks, or a skew.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/prefetch.h>
#include "ftl.h"
#include "map-cache.h"
#include "steady.h"
#include "victim.h"

/* Page writes per call of ssdf_steady_write(); a block that GC moves counts as BLOCK_WRITES. */
#define WRITES_PER_STEP 4096
#define BLOCK_WRITES	16

/*
 * In theory some victims have j valid pages and others j - 1, so that the mean is any number. Here
 * all have j. In blocks of fewer pages than these, the difference is a large share of what GC
 * moves.
 */
#define LARGE_BLOCK	64

/* Open blocks: one for the host, one for GC. */
#define OPEN_BLOCKS 2

/*
 * 2^32 divided by the golden ratio. Multiples of this step, modulo 2^32, are spread evenly, however
 * many there are.
 */
#define PHASE_STEP	0x9e3779b9u

/* Fixed point: 1 / i. */
static u64 reciprocal(u32 i)
{
	return div_u64(1ULL << 32, i);
}

/*
 * Page writes that correct the distribution: few if the theory describes it, otherwise as many as a
 * rule or a skew needs to settle. Under a skew, spare pages must become outdated pages of blocks
 * with cold data, which takes as many writes of cold pages.
 */
static u64 nr_writes(const struct ssdf_device *f)
{
	u64 cold = f->nr_pages - f->nr_lpns, all = 3ULL * f->nr_lpns;

	if (f->params.aged_hot)
		return max(all, div_u64(100 * cold, f->params.aged_hot));
	if (f->params.gc_victim == SSDF_GREEDY && !f->params.hot_cold && !f->params.map_cache &&
	    f->params.pages >= LARGE_BLOCK)
		return f->nr_lpns / 16;
	return all;
}

/* Before the first plane gets its pages. */
void ssdf_steady_begin(struct ssdf_device *f)
{
	f->ageing.writes_left = nr_writes(f);
	f->ageing.phase = ssdc_random_next(&f->ageing.random) >> 32;
}

/*
 * Pages in the host's open block. After many writes, planes open their next blocks, and collect, at
 * different times, so any number of pages is as likely as any other. But planes that program
 * together are in step.
 */
static u32 open_pages(const struct ssdf_device *f, u32 lpns)
{
	u32 turn = f->ageing.turn, place = f->params.multi_plane ? turn % f->nr_dies : turn;
	u64 phase = (u32)(f->ageing.phase + place * PHASE_STEP);

	return phase * min(f->params.pages, lpns) >> 32;
}

/*
 * Compute the number of blocks with data, and j, for the current plane. GC keeps gc_below blocks
 * free, unless victims free less than they must. The fewer blocks have data, the larger is j.
 */
void ssdf_steady_plane(struct ssdf_device *f, u32 lpns)
{
	struct ssdf_ageing *a = &f->ageing;
	u32 pages = f->params.pages, not_data = f->bad_per_plane + a->map_pages / pages;
	u32 most = f->params.blocks - not_data - OPEN_BLOCKS;
	u32 in_use = most - min(most, f->gc_below), least, j;
	u64 blocks, valid;

	a->open = open_pages(f, lpns);
	lpns -= a->open;
	least = div_u64(lpns + pages - 1, pages);
	blocks = least;
	most -= f->gc_must_below;
	most -= min(most, f->host_blocks - 1);
	a->sum = 0;
	for (j = pages - 1; j; j--) {
		a->sum += reciprocal(j + 1);
		blocks = mul_u64_u64_div_u64(lpns, a->sum, (u64)(pages - j) << 32);
		/* With a smaller j, more blocks would be in use. */
		if (j <= pages - f->gc_worth && blocks >= in_use)
			break;
		if (blocks >= most)
			break;
	}
	a->emptiest = j;
	if (!j)
		a->sum += reciprocal(1);
	a->blocks = max_t(u32, least, min_t(u64, blocks, most));
	a->blocks_left = a->blocks;
	a->least = j + 1;
	a->part = 0;
	a->pages_left = 0;
	/* Valid pages in excess of the distribution are in GC's open block. */
	valid = mul_u64_u64_div_u64(a->blocks, (u64)(pages - j) << 32, a->sum);
	a->open_moved = min_t(u32, lpns - min_t(u64, valid, lpns), pages - 1);
	a->valid = lpns - a->open_moved;
	a->outdated = a->blocks * pages - a->valid;
}

/*
 * Begin the next block: set its number of valid pages from its place in the distribution. The
 * oldest block has the fewest.
 */
static void begin_block(struct ssdf_device *f)
{
	struct ssdf_ageing *a = &f->ageing;
	u32 pages = f->params.pages, index = a->blocks - a->blocks_left--, least;
	u64 place = mul_u64_u64_div_u64(a->sum, 2 * index + 1, 2ULL * a->blocks);

	while (a->least < pages && a->part + reciprocal(a->least) < place)
		a->part += reciprocal(a->least++);
	/* In the end, exactly all logical pages must be valid. */
	least = a->valid - min(a->valid, a->blocks_left * pages);
	a->valid_left = clamp(a->least, least, min(a->valid, pages));
	a->pages_left = pages;
}

/* Is the next page that the plane gets valid? */
bool ssdf_steady_page(struct ssdf_device *f)
{
	struct ssdf_ageing *a = &f->ageing;

	if (!a->pages_left)
		begin_block(f);
	if (ssdf_random_below(&a->random, a->pages_left--) >= a->valid_left)
		return false;
	a->valid_left--;
	return true;
}

static ssdf_lpn_t pick(struct ssdf_device *f)
{
	struct ssdc_random *random = &f->ageing.random;
	u32 hot = div_u64((u64)f->nr_lpns * f->params.aged_hot, 100);

	if (!hot)
		return ssdf_lpn(ssdf_random_below(random, f->nr_lpns));
	if (ssdf_random_below(random, 100) >= f->params.aged_hot)
		return ssdf_lpn(ssdf_random_below(random, hot));
	return ssdf_lpn(hot + ssdf_random_below(random, f->nr_lpns - hot));
}

static void check_later(struct ssdf_device *f, u32 plane)
{
	if (plane < f->nr_planes && list_empty(&f->planes[plane].check))
		list_add_tail(&f->planes[plane].check, &f->gc_checks);
}

/* Write a page. Returns false if there is no room; the page then keeps its place. */
static bool write_page(struct ssdf_device *f, ssdf_lpn_t lpn)
{
	struct ssdf_command cmd = {};

	if (!ssdf_write_page(f, lpn, &cmd))
		return false;
	check_later(f, cmd.plane);
	check_later(f, f->outdated_plane);
	ssdf_programmed(f, cmd.ppn);
	return true;
}

static void fetch_entry(const struct ssdf_device *f, u32 page)
{
	if (f->reverse[page] != SSDF_NO_LPN)
		prefetchw(&f->map[ssdf_lpn_nr(f->reverse[page])]);
}

static void move_block(struct ssdf_device *f, u32 plane, ssdf_block_t victim)
{
	u32 first = ssdf_block_nr(victim) * f->params.pages, end = first + f->params.pages, i;
	ssdf_lpn_t lpn;

	for (i = first; i < end; i++) {
		if (i + SSDF_PAGES_AHEAD < end)
			fetch_entry(f, i + SSDF_PAGES_AHEAD);
		lpn = f->reverse[i];
		if (lpn == SSDF_NO_LPN)
			continue;
		ssdf_map_moved(f, plane, lpn);
		ssdf_programmed(f, ssdf_gc_page(f, plane, lpn));
	}
	while ((lpn = ssdf_map_next_update(f, plane)) != SSDF_NO_LPN)
		if (write_page(f, lpn))
			ssdf_map_written(f, lpn);
}

/* GC as in gc.c, in no time. Returns the number of blocks that were moved. */
static u32 collect(struct ssdf_device *f, u32 plane)
{
	ssdf_block_t victim;
	u32 nr = 0;

	while ((victim = ssdf_choose_victim(f, plane)) != SSDF_NO_BLOCK) {
		move_block(f, plane, victim);
		ssdf_erased(f, plane, victim);
		nr++;
	}
	return nr;
}

static u32 collect_all(struct ssdf_device *f)
{
	struct ssdf_plane *p;
	u32 nr = 0;

	while ((p = list_first_entry_or_null(&f->gc_checks, struct ssdf_plane, check))) {
		list_del_init(&p->check);
		nr += collect(f, p - f->planes);
	}
	return nr;
}

/* A lookup as in device.c, in no time. */
static void look_up(struct ssdf_device *f, ssdf_lpn_t lpn)
{
	ssdf_lpn_t dirty;

	if (ssdf_map_find(f, lpn))
		return;
	dirty = ssdf_map_make_room(f);
	if (dirty != SSDF_NO_LPN)
		write_page(f, dirty);
	ssdf_map_insert(f, lpn);
}

/* Write one page. Returns the number of blocks that GC moved. */
static u32 write_one(struct ssdf_device *f)
{
	ssdf_lpn_t lpn = pick(f);

	if (f->params.map_cache)
		look_up(f, lpn);
	if (write_page(f, lpn))
		ssdf_map_changed(f, lpn);
	return collect_all(f);
}

/*
 * Have the controller hold as many mappings as it has room for: pages that none of the writes has
 * picked were written earlier. Works on a bounded number. Returns whether any are left.
 */
static bool fill_map_cache(struct ssdf_device *f)
{
	struct ssdf_ageing *a = &f->ageing;
	u32 end = min(f->nr_lpns, a->filled + SSDF_LONG_STEP);

	for (; a->filled < end; a->filled++)
		if (!ssdf_map_fill(f, ssdf_lpn(a->filled)))
			return false;
	return end < f->nr_lpns;
}

/*
 * Write a bounded number of the pages that are written before the first use. Returns whether any
 * are left.
 */
bool ssdf_steady_write(struct ssdf_device *f)
{
	struct ssdf_ageing *a = &f->ageing;
	u32 done = 0;

	for (; done < WRITES_PER_STEP && a->writes_left; a->writes_left--)
		done += 1 + BLOCK_WRITES * write_one(f);
	/* The hits and misses so far were not those of requests. */
	f->stats = (struct ssdf_stats) {};
	return a->writes_left || (f->params.aged == SSDF_STEADY && fill_map_cache(f));
}
