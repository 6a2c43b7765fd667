// SPDX-License-Identifier: GPL-2.0
/*
 * Answers to plug-ins about the DRAM tier. See policy-api/tier.h.
 *
 * This file is above directory.c; no other file of the engine calls it.
 */
#include <linux/export.h>
#include "directory.h"

/**
 * ssdc_page_is_dirty() - is a page cached, and newer than the origin's?
 * @tier: the DRAM tier
 * @page: its number
 *
 * Context: the engine's lock.
 */
bool ssdc_page_is_dirty(const struct ssdc_tier *tier, u64 page)
{
	const struct ssdc_engine *e = ssdc_tier_engine(tier);
	ssdc_frame_t frame = ssdc_lookup(e, ssdc_page(page));

	return frame != SSDC_NO_FRAME && (ssdc_entry_at(e, frame)->flags & SSDC_E_DIRTY);
}
EXPORT_SYMBOL_GPL(ssdc_page_is_dirty);

/**
 * ssdc_page_is_cached() - would a read find a page in DRAM, or on the way there?
 * @tier: the DRAM tier
 * @page: its number
 *
 * Context: the engine's lock.
 */
bool ssdc_page_is_cached(const struct ssdc_tier *tier, u64 page)
{
	const struct ssdc_engine *e = ssdc_tier_engine(tier);
	ssdc_frame_t frame = ssdc_lookup(e, ssdc_page(page));

	/* Clean victims are about to leave; reads of such pages go to the origin. */
	return frame != SSDC_NO_FRAME &&
		(ssdc_entry_at(e, frame)->flags & (SSDC_E_VICTIM | SSDC_E_DIRTY)) != SSDC_E_VICTIM;
}
EXPORT_SYMBOL_GPL(ssdc_page_is_cached);

/**
 * ssdc_prefetched_pages() - number of prefetched pages, including those being read
 * @tier: the DRAM tier
 *
 * Context: the engine's lock.
 */
u32 ssdc_prefetched_pages(const struct ssdc_tier *tier)
{
	return ssdc_tier_engine(tier)->prefetched.count;
}
EXPORT_SYMBOL_GPL(ssdc_prefetched_pages);

/**
 * ssdc_read_hit_us() - microseconds that a page read saves when it hits: the tunable alpha_us
 * @tier: the DRAM tier
 *
 * Context: the engine's lock.
 */
u32 ssdc_read_hit_us(const struct ssdc_tier *tier)
{
	return ssdc_tier_engine(tier)->tunables.alpha_us;
}
EXPORT_SYMBOL_GPL(ssdc_read_hit_us);

/**
 * ssdc_write_hit_us() - microseconds that a page write saves when it hits: the tunable beta_us
 * @tier: the DRAM tier
 *
 * Context: the engine's lock.
 */
u32 ssdc_write_hit_us(const struct ssdc_tier *tier)
{
	return ssdc_tier_engine(tier)->tunables.beta_us;
}
EXPORT_SYMBOL_GPL(ssdc_write_hit_us);
