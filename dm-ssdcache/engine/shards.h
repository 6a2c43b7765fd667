/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Several engines in one cache. The origin is cut into regions, and each region belongs to one
 * shard: an engine with a lock, DRAM and plug-ins of its own. The drivers cut requests at the ends
 * of regions, so a request belongs to one shard; a FLUSH goes to all of them, and a discard of many
 * regions to all that have some of these. A policy that works in blocks sees the part of a block
 * that lies in regions of its shard.
 */
#ifndef SSDC_SHARDS_H
#define SSDC_SHARDS_H

#include "state.h"

#define SSDC_MAX_SHARDS		64u
/* The smallest region: 4 MiB, which is one or more flash blocks, even with the largest pages. */
#define SSDC_REGION_SECTORS	8192u
/* A discard of more regions is not cut, so that it reaches the origin as one. */
#define SSDC_CUT_REGIONS	8u

/* Which NUMA nodes the memory of a cache comes from. */
enum ssdc_numa {
	SSDC_NUMA_INTERLEAVE,	/* of each frame: all nodes take turns */
	SSDC_NUMA_LOCAL,	/* of each shard: one node */
};

extern const struct ssdc_tunable ssdc_numa_tunable;

int ssdc_shards_check(const struct ssdc_params *params, u64 nr, struct ssdc_error *error);
void ssdc_shards_divide(struct ssdc_params *params, u32 nr);
u32 ssdc_region_for(u32 granule, u32 offset);
u64 ssdc_shards_of_discard(u64 sector, u64 nr_sectors, u32 shift, u32 nr);

/*
 * The shard that a sector belongs to, out of @nr shards. Regions have 1 << @shift sectors.
 * Multiplication by the golden ratio spreads regions evenly over any number of shards, whether the
 * regions are adjacent or equally far apart.
 */
static inline u32 ssdc_shard_of(u64 sector, u32 shift, u32 nr)
{
	u64 region = sector >> shift;

	return (region * 0x9e3779b97f4a7c15ULL >> 32) * nr >> 32;
}

/* Sectors from @sector to the end of its region. */
static inline u32 ssdc_region_left(u64 sector, u32 shift)
{
	u32 size = 1U << shift;

	return size - (sector & (size - 1));
}

#endif /* SSDC_SHARDS_H */
