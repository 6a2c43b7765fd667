/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The DRAM tier, as the plug-ins that serve it see it. Fields are read directly; the functions are
 * the engine's (engine/tier.c).
 *
 * Context: the engine's lock, except for the fixed fields.
 */
#ifndef SSDC_TIER_H
#define SSDC_TIER_H

#include <linux/types.h>

#define SSDC_MAX_FRAMES	0x2000000u	/* their entries take one allocation below 2 GiB */

/**
 * struct ssdc_tier - the DRAM tier, as plug-ins see it
 * @capacity: size of the tier: the pages that the policy and the prefetcher may hold; fixed
 * @nr_frames: number of frames, more than @capacity: see engine/evict.c; fixed. Frame numbers are
 *	below it, so it is the length of arrays that are indexed by frame
 * @page_sectors: sectors per page, a power of two; fixed
 * @page_shift: log2 of @page_sectors; fixed
 * @used_pages: pages in the directory: all that hold a frame, including prefetched pages, pages
 *	being filled and victims whose flush is not complete
 * @dirty_pages: pages in the directory with sectors newer than the origin's, including pages that
 *	are being flushed
 *
 * A plug-in's create(), which runs without the engine's lock, reads the last two with
 * READ_ONCE(): they change meanwhile.
 */
struct ssdc_tier {
	u32 capacity;
	u32 nr_frames;
	u32 page_sectors;
	u32 page_shift;
	u32 used_pages;
	u32 dirty_pages;
};

bool ssdc_page_is_dirty(const struct ssdc_tier *tier, u64 page);
bool ssdc_page_is_cached(const struct ssdc_tier *tier, u64 page);
u32 ssdc_prefetched_pages(const struct ssdc_tier *tier);
u32 ssdc_read_hit_us(const struct ssdc_tier *tier);
u32 ssdc_write_hit_us(const struct ssdc_tier *tier);

#endif /* SSDC_TIER_H */
