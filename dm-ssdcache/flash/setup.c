// SPDX-License-Identifier: GPL-2.0
/* Create a flash device from its parameters, destroy it, and check it. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include "../base/alloc.h"
#include "age.h"
#include "device.h"
#include "ftl.h"
#include "gc.h"
#include "map-cache.h"
#include "nand-setup.h"
#include "victim.h"
#include "wear.h"

/*
 * Reads leave one in this many commands of the pool to writes, and writes leave as many to reads.
 */
#define COMMANDS_RESERVED 5

static int create_commands(struct ssdf_device *f)
{
	u32 nr = ssdf_nr_commands(&f->params), i;

	f->commands = ssdc_alloc_array(nr, sizeof(*f->commands));
	if (!f->commands)
		return -ENOMEM;
	f->nr_commands = nr;
	f->lane_commands = nr - nr / COMMANDS_RESERVED;
	for (i = 0; i < nr; i++) {
		f->commands[i].slot = i;
		f->commands[i].next_free = i + 1 < nr ? &f->commands[i + 1] : NULL;
	}
	f->free_commands = f->commands;
	for (i = 0; i < f->nr_planes; i++)
		f->planes[i].gc.slot = nr + i;
	return 0;
}

/* Each page type has a time to read and a time to program. A block is erased at its first page. */
static void derive_page_types(struct ssdf_device *f)
{
	const struct ssdf_params *p = &f->params;
	u32 reads[SSDF_MAX_PAGE_TYPES] = { p->read_ns, p->read2_ns, p->read3_ns, p->read4_ns };
	u32 programs[SSDF_MAX_PAGE_TYPES] = {
		p->program_ns, p->program2_ns, p->program3_ns, p->program4_ns,
	};
	u32 i;

	for (i = 0; i < SSDF_MAX_PAGE_TYPES && (reads[i] || programs[i]); i++) {
		u32 read_ns = p->read2_ns ? reads[i] : p->read_ns;
		u32 program_ns = p->program2_ns ? programs[i] : p->program_ns;

		f->track_ns[ssdf_array_track(SSDF_READ, i)] = read_ns;
		f->track_ns[ssdf_array_track(SSDF_PROGRAM, i)] = program_ns;
		f->track_ns[ssdf_array_track(SSDF_COPYBACK, i)] = read_ns + program_ns;
	}
	f->track_ns[ssdf_array_track(SSDF_ERASE, 0)] = p->erase_ns;
	f->page_types = i;
}

static void derive(struct ssdf_device *f)
{
	const struct ssdf_params *p = &f->params;
	u32 spare_blocks = div_u64((u64)p->blocks * p->over_provisioning, 100) -
			   ssdf_bad_per_plane(p) - ssdf_map_blocks(p);

	f->nr_dies = p->channels * p->chips * p->dies;
	f->nr_planes = f->nr_dies * p->planes;
	f->nr_blocks = f->nr_planes * p->blocks;
	f->bad_per_plane = ssdf_bad_per_plane(p);
	f->good_blocks = f->nr_blocks - f->nr_planes * f->bad_per_plane;
	f->plane_pages = p->blocks * p->pages;
	f->nr_pages = f->nr_blocks * p->pages;
	f->page_sectors = p->page_bytes >> 9;
	f->sector_bits = ilog2(f->page_sectors);
	f->by_pages = reciprocal_value(p->pages);
	f->by_plane_pages = reciprocal_value(p->pages * p->blocks);
	f->by_blocks = reciprocal_value(p->blocks);
	f->by_planes = reciprocal_value(f->nr_planes);
	f->by_dies = reciprocal_value(f->nr_dies);
	f->nr_lpns = div_u64(ssdf_capacity_sectors(p), f->page_sectors);
	f->nr_map_pages = ssdf_map_pages(p, f->nr_lpns);
	f->spread_pages = p->allocation == SSDF_STATIC ? f->nr_dies : 1;
	derive_page_types(f);
	f->track_ns[SSDF_TRANSFERS] = ssdf_transfer_ns(p, p->page_bytes);
	f->gc_reserve = 1;
	f->host_blocks = ssdf_host_blocks(p);
	/*
	 * Half of the mean lifetime: on average, a page is overwritten after as many writes as
	 * there are pages.
	 */
	f->hot_age = f->nr_lpns / 2;
	/* GC needs the last free block, so the host waits when only that block is left. */
	f->gc_below = max_t(u32, 2, div_u64((u64)p->blocks * p->gc_threshold, 100));
	f->urgent_below = max_t(u32, 2, div_u64((u64)p->blocks * p->gc_urgent, 100));
	f->gc_must_below = clamp_t(u32, spare_blocks / 10, 2, f->urgent_below);
	f->gc_worth = ssdf_gc_worth_pages(p);
	/*
	 * Each open block may be the next to need a free block; min_spare() includes these blocks.
	 */
	f->gc_below += f->host_blocks - 1;
	f->urgent_below += f->host_blocks - 1;
	f->gc_must_below += f->host_blocks - 1;
}

/**
 * ssdf_create() - create a device
 * @params: checked by ssdf_params_check()
 * @error: reason of a failure
 *
 * Call ssdf_age() next.
 *
 * Context: may sleep.
 * Return: the device, which the caller frees with ssdf_destroy(), or NULL.
 */
struct ssdf_device *ssdf_create(const struct ssdf_params *params, struct ssdc_error *error)
{
	struct ssdf_device *f = ssdc_alloc_array(1, sizeof(*f));
	u32 i;

	if (f) {
		f->params = *params;
		for (i = 0; i < SSDF_NR_LANES; i++) {
			INIT_LIST_HEAD(&f->lanes[i].waiting);
			INIT_LIST_HEAD(&f->lanes[i].stalled);
		}
		INIT_LIST_HEAD(&f->found);
		INIT_LIST_HEAD(&f->done);
		INIT_LIST_HEAD(&f->gc_checks);
		derive(f);
	}
	if (!f || ssdf_ftl_create(f) || ssdf_wear_create(f) || ssdf_nand_create(f) ||
	    ssdf_map_cache_create(f) || create_commands(f)) {
		ssdf_destroy(f);
		scnprintf(error->text, sizeof(error->text),
			  "no memory: the map of the flash device needs %llu bytes",
			  ssdf_memory_bytes(params));
		return NULL;
	}
	ssdf_victim_begin(f);
	ssdf_age_begin(f);
	return f;
}

/**
 * ssdf_destroy() - free a device
 * @f: device, or NULL
 *
 * Context: may sleep.
 */
void ssdf_destroy(struct ssdf_device *f)
{
	if (!f)
		return;
	kvfree(f->commands);
	ssdf_map_cache_destroy(f);
	ssdf_nand_destroy(f);
	ssdf_wear_destroy(f);
	ssdf_ftl_destroy(f);
	kvfree(f);
}

/**
 * ssdf_check() - verify all invariants
 * @f: device
 *
 * For tests: time proportional to the number of pages.
 *
 * Return: 0 or -EUCLEAN.
 */
int ssdf_check(const struct ssdf_device *f)
{
	int r = ssdf_ftl_check(f);

	r = r ? r : ssdf_map_cache_check(f);
	r = r ? r : ssdf_backlog_check(f);
	return r ? r : ssdf_nand_check(f);
}
