// SPDX-License-Identifier: GPL-2.0
/*
 * Wear: erases of each block, their distribution, and static wear levelling.
 *
 * Blocks are reused in the order of their erases, which levels the wear of blocks that GC takes.
 * Static wear levelling moves data that nobody overwrites, and whose blocks GC therefore never
 * takes. After an erase, a closed block is collected next if its number of erases is more than
 * wear_threshold below that of the plane's most worn block.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include "../base/alloc.h"
#include "stats.h"
#include "wear.h"

/* Closed blocks that wear levelling looks at after an erase. */
#define WEAR_LOOKS 64

static u32 level_of(u32 erases)
{
	return min_t(u32, erases, SSDF_WEAR_LEVELS - 1);
}

static u32 bucket_of(u32 erases)
{
	return erases ? min_t(u32, ilog2(erases) + 1, SSDF_ERASE_BUCKETS - 1) : 0;
}

/* Every block starts with aged_erases. */
int ssdf_wear_create(struct ssdf_device *f)
{
	u32 erases = f->params.aged_erases, i;

	f->levels = ssdc_alloc_array(SSDF_WEAR_LEVELS, sizeof(*f->levels));
	if (!f->levels)
		return -ENOMEM;
	f->levels[level_of(erases)] = f->good_blocks;
	f->erase_histogram[bucket_of(erases)] = f->good_blocks;
	f->total_erases = (u64)erases * f->good_blocks;
	f->min_erases = level_of(erases);
	f->max_erases = erases;
	for (i = 0; i < f->nr_blocks; i++)
		f->blocks[i].erases = erases;
	for (i = 0; i < f->nr_planes; i++)
		f->planes[i].max_erases = erases;
	return 0;
}

void ssdf_wear_destroy(struct ssdf_device *f)
{
	kvfree(f->levels);
}

/* A block was erased. */
void ssdf_count_erase(struct ssdf_device *f, u32 plane, ssdf_block_t nr)
{
	struct ssdf_block_info *block = &f->blocks[ssdf_block_nr(nr)];
	struct ssdf_plane *p = &f->planes[plane];

	f->levels[level_of(block->erases)]--;
	f->erase_histogram[bucket_of(block->erases)]--;
	block->erases++;
	f->levels[level_of(block->erases)]++;
	f->erase_histogram[bucket_of(block->erases)]++;
	f->total_erases++;
	/* Runs as often as min_erases grows, and ends at the erases of this block at the latest. */
	while (!f->levels[level_of(f->min_erases)])
		f->min_erases++;
	f->max_erases = max(f->max_erases, block->erases);
	p->max_erases = max(p->max_erases, block->erases);
	ssdf_notify_erased(f, plane, nr);
}

/* A closed block that is behind by more than the threshold, or SSDF_NO_BLOCK. */
ssdf_block_t ssdf_least_worn(struct ssdf_device *f, u32 plane)
{
	struct ssdf_plane *p = &f->planes[plane];
	u32 looks = min_t(u32, f->params.blocks, WEAR_LOOKS), first = plane * f->params.blocks, i;
	u32 least = p->max_erases, best = U32_MAX;

	for (i = 0; i < looks; i++) {
		const struct ssdf_block_info *block = &f->blocks[first + p->wear_hand];

		if (block->closed && block->erases < least) {
			least = block->erases;
			best = first + p->wear_hand;
		}
		p->wear_hand = p->wear_hand + 1 < f->params.blocks ? p->wear_hand + 1 : 0;
	}
	return p->max_erases - least > f->params.wear_threshold ? ssdf_block(best) : SSDF_NO_BLOCK;
}
