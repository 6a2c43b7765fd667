// SPDX-License-Identifier: GPL-2.0
/* Several engines in one cache: which one a sector belongs to, and the DRAM of each. */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include "shards.h"

static const char *const numa_words[] = {
	[SSDC_NUMA_INTERLEAVE] = "interleave",
	[SSDC_NUMA_LOCAL] = "local",
	NULL
};

/* A key of the table line of the kernel's driver. */
const struct ssdc_tunable ssdc_numa_tunable = {
	"numa", "", "NUMA nodes of the memory: all in turn, or one for each shard",
	0, SSDC_NUMA_INTERLEAVE, 0, 0, numa_words,
};

/**
 * ssdc_shards_check() - can a cache have this many shards?
 * @params: of the cache; valid
 * @nr: number of shards
 * @error: on failure: the valid numbers
 *
 * Context: any, without a lock.
 * Return: 0 or -EINVAL.
 */
int ssdc_shards_check(const struct ssdc_params *params, u64 nr, struct ssdc_error *error)
{
	u64 pages = params->dram_bytes >> ilog2(params->page_bytes);
	u64 most = min_t(u64, pages / SSDC_MIN_FRAMES, SSDC_MAX_SHARDS);

	if (nr && nr <= most)
		return 0;
	scnprintf(error->text, sizeof(error->text),
		  "shards: %llu is not from 1 to %llu%s", (unsigned long long)nr,
		  (unsigned long long)most,
		  most < SSDC_MAX_SHARDS ? ": each needs 16 pages of dram" : "");
	return -EINVAL;
}

/**
 * ssdc_shards_divide() - divide a cache evenly among shards
 * @params: parameters of the cache; on return, those of each shard
 * @nr: number of shards
 *
 * The DRAM of a shard is rounded down to whole pages. The caller sets @shard of the parameters.
 *
 * Context: any, without a lock.
 */
void ssdc_shards_divide(struct ssdc_params *params, u32 nr)
{
	u32 page_shift = ilog2(params->page_bytes);

	params->dram_bytes = div_u64(params->dram_bytes >> page_shift, nr) << page_shift;
	/* At least 1, because 0 would mean a share of the tier. */
	if (params->reserve_bytes)
		params->reserve_bytes = max_t(u64, div_u64(params->reserve_bytes, nr), 1);
	params->nr_shards = nr;
}

/**
 * ssdc_region_for() - the size of regions above an origin
 * @granule: granule of the origin's discards, in sectors, less than 4 GiB; 0: the origin has none
 * @offset: sector of the origin's first granule
 *
 * A discard is cut at the ends of regions, and then narrowed to whole granules. So a region must
 * contain whole granules: its size is a multiple of the granule if possible; otherwise it contains
 * at least three granules.
 *
 * Context: any, without a lock.
 * Return: sectors, a power of two.
 */
u32 ssdc_region_for(u32 granule, u32 offset)
{
	u32 least = granule;

	if (!granule)
		return SSDC_REGION_SECTORS;
	if (offset || !is_power_of_2(granule))
		least *= 4;
	return roundup_pow_of_two(max(least, SSDC_REGION_SECTORS));
}

/**
 * ssdc_shards_of_discard() - the shards that take part in a discard that is not cut
 * @sector: first sector
 * @nr_sectors: length, at least 1
 * @shift: regions have 1 << @shift sectors
 * @nr: number of shards
 *
 * O(regions), and fewer if all shards take part.
 *
 * Context: any, without a lock.
 * Return: a bit for each shard that has a region in the range; 0: the discard has few regions, and
 *	is cut at their ends.
 */
u64 ssdc_shards_of_discard(u64 sector, u64 nr_sectors, u32 shift, u32 nr)
{
	u64 region = sector >> shift, last = (sector + nr_sectors - 1) >> shift, shards = 0;

	if (last - region < SSDC_CUT_REGIONS)
		return 0;
	for (; region <= last && hweight64(shards) < nr; region++)
		shards |= BIT_ULL(ssdc_shard_of(region << shift, shift, nr));
	return shards;
}
