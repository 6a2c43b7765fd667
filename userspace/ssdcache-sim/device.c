// SPDX-License-Identifier: GPL-2.0
/*
 * A flash device that is made and aged once, for a run, or for several in processes of their own.
 *
 * All of its memory is in one piece, which processes share until one writes to a page of it: the kernel copies that
 * page then. GC writes all over the maps, so a run with GC and more than a few thousand requests changes most pages.
 * Such a run copies the whole piece before it starts, into huge pages if there are any, which takes a third of that
 * time. A run that never gets to GC changes few pages, however large the device.
 */
#include <arena.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include "device.h"

#define HUGE_BYTES	(2ul << 20)
#define PAGE_BYTES	4096

/* For what ssdf_memory_bytes() leaves out: gaps between arrays. */
#define SLACK_BYTES	(64ul << 10)

/* A run with GC copies the device if it writes more flash pages than one for so many pages of the device's memory. */
#define PAGES_PER_WRITE	8

/* Huge pages, of which a fork copies few entries of page tables; NULL: there is no memory. */
static char *map_memory(size_t bytes)
{
	char *start = mmap(NULL, bytes + HUGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			   -1, 0), *aligned;

	if (start == MAP_FAILED)
		return NULL;
	aligned = (char *)roundup((unsigned long)start, HUGE_BYTES);
	if (aligned > start)
		munmap(start, aligned - start);
	munmap(aligned + bytes, start + HUGE_BYTES - aligned);
	/* If there are no huge pages, small ones do, as they do for a small device, which would not fill a huge one. */
	if (bytes > HUGE_BYTES)
		madvise(aligned, bytes, MADV_HUGEPAGE);
	return aligned;
}

/* Make and age a flash device. Asks @give_up, unless it is NULL, now and then. Returns NULL on failure. */
static struct ssdf_device *make_flash(const struct ssdf_params *params, bool (*give_up)(void), struct ssdc_error *error)
{
	struct ssdf_device *flash = ssdf_create(params, error);

	while (flash && ssdf_age(flash)) {
		if (give_up && give_up()) {
			ssdc_finding(error, "given up");
			ssdf_destroy(flash);
			return NULL;
		}
	}
	return flash;
}

/**
 * sim_device_make() - make and age a flash device, in one piece unless there is such a device already
 * @device: result, to be freed with sim_device_free()
 * @params: its parameters, by sim_size_origin()
 * @give_up: asked now and then; NULL: never
 * @error: on failure, the reason
 *
 * Processes that are forked afterwards can use the device, each for one run: none sees what another changes.
 *
 * Return: 0 or an error.
 */
int sim_device_make(struct sim_device *device, const struct ssdf_params *params, bool (*give_up)(void),
		    struct ssdc_error *error)
{
	size_t bytes = roundup(ssdf_memory_bytes(params) + SLACK_BYTES, HUGE_BYTES);

	*device = (struct sim_device) { .params = *params };
	if (!ssdc_shim_arena.start)
		device->memory = map_memory(bytes);
	if (device->memory) {
		device->bytes = bytes;
		ssdc_shim_arena = (struct ssdc_shim_arena) { .start = device->memory, .bytes = bytes, .open = true };
	}
	device->flash = make_flash(params, give_up, error);
	ssdc_shim_arena.open = false;
	if (!device->flash)
		sim_device_free(device);
	return device->flash ? 0 : -ENOMEM;
}

void sim_device_free(struct sim_device *device)
{
	ssdf_destroy(device->flash);
	if (device->memory)
		munmap(device->memory, device->bytes);
	if (ssdc_shim_arena.start == device->memory)
		ssdc_shim_arena = (struct ssdc_shim_arena) {};
	*device = (struct sim_device) {};
}

/*
 * Flash pages that can be written before GC may start. GC looks at the free blocks of each plane, and planes do not
 * fill alike: half of the pages are counted.
 */
static u64 pages_before_gc(const struct ssdf_params *p)
{
	u64 pages = (u64)p->channels * p->chips * p->dies * p->planes * p->blocks * p->pages;
	u32 used = p->gc_threshold + p->aged_valid + p->aged_invalid;

	if (p->aged == SSDF_STEADY || used >= 100)
		return 0;
	return pages * (100 - used) / 100 / 2;
}

static bool writes_much(const struct sim_device *device, const struct sim_workload *workload)
{
	u64 most = max_t(u64, device->bytes / PAGE_BYTES / PAGES_PER_WRITE, pages_before_gc(&device->params));
	u64 page_sectors = device->params.page_bytes >> SSDC_SECTOR_SHIFT, sectors = 0;
	size_t i;

	for (i = 0; i < workload->nr && sectors <= most * page_sectors; i++)
		if (workload->records[i].op == SSDC_WRITE)
			sectors += max_t(u64, workload->records[i].nr_sectors, page_sectors);
	return sectors > most * page_sectors;
}

/**
 * sim_device_take() - use a device in a process that was forked after sim_device_make()
 * @device: device
 * @workload: what will be run
 *
 * Return: the flash device.
 */
struct ssdf_device *sim_device_take(const struct sim_device *device, const struct sim_workload *workload)
{
	size_t used = ssdc_shim_arena.used;
	char *copy;

	if (!device->memory || ssdc_shim_arena.start != device->memory || !writes_much(device, workload))
		return device->flash;
	copy = map_memory(device->bytes);
	if (!copy)
		return device->flash;
	memcpy(copy, device->memory, used);
	/* The copy takes the place of the memory that is shared with other processes: pointers stay right. */
	if (mremap(copy, device->bytes, device->bytes, MREMAP_MAYMOVE | MREMAP_FIXED, device->memory) == MAP_FAILED)
		munmap(copy, device->bytes);
	return device->flash;
}
