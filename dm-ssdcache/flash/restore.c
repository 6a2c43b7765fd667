// SPDX-License-Identifier: GPL-2.0
/*
 * The state that a medium remembers: the map, and how far each block is written.
 *
 *	ssdf_media_set(), ssdf_map_set() ..., ssdf_restore()
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include "internal.h"

/* Pages that the host has. */
u32 ssdf_nr_lpns(const struct ssdf_device *f)
{
	return f->nr_lpns;
}

/**
 * ssdf_map_get() - where a page is
 * @f: device
 * @lpn: page, below ssdf_nr_lpns()
 */
ssdf_ppn_t ssdf_map_get(const struct ssdf_device *f, ssdf_lpn_t lpn)
{
	return f->map[ssdf_lpn_nr(lpn)];
}

/**
 * ssdf_map_set() - say where a page is, before ssdf_restore()
 * @f: device
 * @lpn: page
 * @ppn: place, or SSDF_TRIMMED; replaces what was said before
 *
 * Return: false if there is no such page or place.
 */
bool ssdf_map_set(struct ssdf_device *f, ssdf_lpn_t lpn, ssdf_ppn_t ppn)
{
	if (ssdf_lpn_nr(lpn) >= f->nr_lpns ||
	    (ppn != SSDF_TRIMMED && ssdf_ppn_nr(ppn) >= f->nr_pages))
		return false;
	f->map[ssdf_lpn_nr(lpn)] = ppn;
	return true;
}

/* Blocks, then pages, then blocks once more: what is at place @at of that row. */
static int restore_one(struct ssdf_device *f, u32 (*written)(void *media, ssdf_block_t block),
		       u64 at)
{
	u64 behind = (u64)f->nr_blocks + f->nr_lpns;

	if (at >= f->nr_blocks && at < behind)
		return ssdf_restore_page(f, ssdf_lpn(at - f->nr_blocks)) ? 0 : -EUCLEAN;
	if (at < f->nr_blocks)
		ssdf_restore_block(f, ssdf_block(at), written(f->media_data, ssdf_block(at)));
	else
		ssdf_restore_closed(f, ssdf_block(at - behind));
	return 0;
}

/**
 * ssdf_restore() - go on with what the medium holds
 * @f: device whose map is set
 * @written: pages of a block that are written, from its first one on; some of the last
 *	may be in nobody's map
 * @at: how far it is; 0 at first
 *
 * Return: 1 after a bounded step: call again; 0 if that was the last; -EUCLEAN if two
 * pages are said to be at the same place, or one where nothing was written.
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
 * ssdf_is_open() - will more be written to a block, before it is erased?
 * @f: device
 * @block: which
 */
bool ssdf_is_open(const struct ssdf_device *f, ssdf_block_t block)
{
	return f->blocks[ssdf_block_nr(block)].written < f->params.pages;
}

/**
 * ssdf_start_gc() - collect where there is too little room
 * @f: device that was restored
 * @now_ns: current time
 */
void ssdf_start_gc(struct ssdf_device *f, u64 now_ns)
{
	u32 plane;

	f->clock_ns = max(f->clock_ns, now_ns);
	for (plane = 0; plane < f->nr_planes; plane++)
		ssdf_gc_start(f, plane);
}
