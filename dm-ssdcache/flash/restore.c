// SPDX-License-Identifier: GPL-2.0
/*
 * Restore the state that a medium remembers: the map, and the number of written pages of each
 * block.
 *
 *	ssdf_media_set(), ssdf_map_set() ..., ssdf_restore()
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include "ftl.h"
#include "gc.h"

/**
 * ssdf_nr_lpns() - number of logical pages
 * @f: device
 */
u32 ssdf_nr_lpns(const struct ssdf_device *f)
{
	return f->nr_lpns;
}

/**
 * ssdf_map_get() - the physical page of a logical page
 * @f: device
 * @lpn: logical page, less than ssdf_nr_lpns()
 *
 * Context: the caller's lock.
 */
ssdf_ppn_t ssdf_map_get(const struct ssdf_device *f, ssdf_lpn_t lpn)
{
	return f->map[ssdf_lpn_nr(lpn)];
}

/**
 * ssdf_map_set() - set the physical page of a logical page, before ssdf_restore()
 * @f: device
 * @lpn: logical page
 * @ppn: physical page, SSDF_TRIMMED or SSDF_LOST; replaces any earlier value
 *
 * Return: false if either page is out of range.
 */
bool ssdf_map_set(struct ssdf_device *f, ssdf_lpn_t lpn, ssdf_ppn_t ppn)
{
	if (ssdf_lpn_nr(lpn) >= f->nr_lpns ||
	    (ppn != SSDF_TRIMMED && ppn != SSDF_LOST && ssdf_ppn_nr(ppn) >= f->nr_pages))
		return false;
	f->map[ssdf_lpn_nr(lpn)] = ppn;
	return true;
}

/* Step @at of a restore: all blocks, then all logical pages, then all blocks once more. */
static int restore_one(struct ssdf_device *f, u32 (*written)(void *media, ssdf_block_t block),
		       u64 at)
{
	u64 after_pages = (u64)f->nr_blocks + f->nr_lpns;

	if (at >= f->nr_blocks && at < after_pages)
		return ssdf_restore_page(f, ssdf_lpn(at - f->nr_blocks)) ? 0 : -EUCLEAN;
	if (at < f->nr_blocks)
		ssdf_restore_block(f, ssdf_block(at), written(f->media_data, ssdf_block(at)));
	else
		ssdf_restore_closed(f, ssdf_block(at - after_pages));
	return 0;
}

/**
 * ssdf_restore() - rebuild the device's state from its map and the medium
 * @f: device whose map is set
 * @written: returns how many pages of a block are written, counted from its first page; the
 *	map need not name the last of them. SSDF_UNUSABLE: the block counts as bad, and all its
 *	pages as written
 * @at: progress; 0 at first
 *
 * Return: 1 after a bounded step: call again; 0 after the last step; -EUCLEAN if the map
 * names a physical page twice, or one that is not written.
 */
int ssdf_restore(struct ssdf_device *f, u32 (*written)(void *media, ssdf_block_t block), u64 *at)
{
	u64 end = 2 * (u64)f->nr_blocks + f->nr_lpns;
	u64 until = min(end, *at + SSDF_LONG_STEP);
	int r;

	for (; *at < until; ++*at) {
		r = restore_one(f, written, *at);
		if (r)
			return r;
	}
	return until < end;
}

/**
 * ssdf_is_open() - will the block receive writes before its next erase?
 * @f: device
 * @block: block number
 */
bool ssdf_is_open(const struct ssdf_device *f, ssdf_block_t block)
{
	return f->blocks[ssdf_block_nr(block)].written < f->params.pages;
}

/**
 * ssdf_start_gc() - start GC in all planes that need it
 * @f: device that was restored
 * @now_ns: current time
 *
 * Context: the caller's lock.
 */
void ssdf_start_gc(struct ssdf_device *f, u64 now_ns)
{
	u32 plane;

	f->clock_ns = max(f->clock_ns, now_ns);
	for (plane = 0; plane < f->nr_planes; plane++)
		ssdf_gc_check(f, plane);
}
