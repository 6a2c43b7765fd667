// SPDX-License-Identifier: GPL-2.0
/*
 * PUD-LRU: flash blocks that are seldom updated leave, blocks with the most pages first.
 *
 * Source	Hu et al., MASCOTS 2010 [Hu10]: the abstract, and comments in code of others. The
 *		full text was not available.
 * Cost		O(1) per access, O(candidates) per eviction; 8 bytes and
 *		BLOCK_GROUP_DIRECTORY_BYTES per page
 *
 *	write -> most recent [ F  E  D | C  B  A ] least recent: candidates
 *				PUD	 9  2  7   mean 6: A and C are seldom updated
 *				pages	 5  8  3   C leaves
 *
 * From the abstract: blocks are told apart by the predicted average update distance (PUD), which
 * combines frequency and recency, and the block that leaves has as many pages as possible.
 *
 * STAND-IN: the PUD of a block is the number of all page writes since its first page entered,
 * divided by the number of its own page writes, or by 1. If a write brought that page in, this is
 * the mean of the distances between the block's updates, including the distance from the last
 * update to now. Of the `candidates` least recently written blocks,
 * blocks with at least the mean PUD are seldom updated. Of these blocks, the block with the most
 * pages leaves; among equals, the block with the larger PUD, then the least recently written one.
 *
 * A page that a read brings in makes its block the most recent one, but is no page write. The block
 * that the newest request is writing leaves only if there is no other. Read hits change nothing.
 */
#include <linux/errno.h>
#include <linux/math64.h>
#include "../base/alloc.h"
#include "block-group.h"

/* Number of fractional bits of a PUD. */
#define PUD_FRACTION_BITS 8

struct updates {
	u32 first;			/* number of page writes before the block's first page */
	u32 nr;				/* the block's page writes since, including that one */
};

struct pud_lru {
	struct ssdc_replacement r;
	struct block_groups g;
	struct group_list list;
	struct updates *updates;	/* by group */
	u32 now;			/* page writes so far */
	u32 writing;			/* group that the newest request wrote last, or NO_GROUP */
	/* tunables */
	u32 block;
	u32 width;
	u32 candidates;
	/* scratch: candidates of one search */
	u32 groups[SSDC_STEP_FRAMES];
	u64 puds[SSDC_STEP_FRAMES];
	/* statistics */
	u64 full_blocks;
};

static struct pud_lru *to_pud(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct pud_lru, r);
}

static int pud_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	struct pud_lru *pud = to_pud(r);
	int result = block_groups_create(&pud->g, r, &pud->list, 1, true, error);

	if (result)
		return result;
	pud->writing = NO_GROUP;
	pud->updates = ssdc_alloc_array(r->nr_frames, sizeof(*pud->updates));
	if (pud->updates)
		return 0;
	scnprintf(error->text, sizeof(error->text),
		  "pud-lru: no memory: %llu bytes are needed to count the updates of blocks",
		  (unsigned long long)r->nr_frames * sizeof(*pud->updates));
	block_groups_destroy(&pud->g);
	return -ENOMEM;
}

static void pud_destroy(struct ssdc_replacement *r)
{
	kvfree(to_pud(r)->updates);
	block_groups_destroy(&to_pud(r)->g);
}

/* The group of @frame's page. */
static u32 get_group(struct pud_lru *pud, ssdc_frame_t frame)
{
	u32 group = block_group_get(&pud->g, frame, pud->block, false, 0);

	if (!block_group_at(&pud->g, group)->count) {
		pud->updates[group].first = pud->now;
		pud->updates[group].nr = 0;
	}
	return group;
}

static void update(struct pud_lru *pud, u32 group)
{
	pud->now++;
	pud->updates[group].nr++;
	pud->writing = group;
	block_group_move_head(&pud->g, group, 0);
}

static void pud_request(struct ssdc_replacement *r, const struct ssdc_host_request *rq)
{
	to_pud(r)->writing = NO_GROUP;
}

static void pud_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
		       const struct ssdc_host_request *rq, bool dirty)
{
	struct pud_lru *pud = to_pud(r);
	u32 group = get_group(pud, frame);

	block_group_add_head(&pud->g, group, frame);
	if (rq)
		update(pud, group);
	else
		block_group_move_head(&pud->g, group, 0);
}

static void pud_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		    const struct ssdc_host_request *rq, bool write)
{
	struct pud_lru *pud = to_pud(r);

	if (!write)
		return;
	block_group_touch(&pud->g, frame);
	update(pud, block_group_of(&pud->g, frame));
}

static void pud_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct pud_lru *pud = to_pud(r);
	u32 group = block_group_of(&pud->g, frame);

	if (!block_group_del(&pud->g, frame) && pud->writing == group)
		pud->writing = NO_GROUP;
}

static u64 pud_of(const struct pud_lru *pud, u32 group)
{
	const struct updates *updates = &pud->updates[group];

	return div_u64((u64)(pud->now - updates->first) << PUD_FRACTION_BITS, max(updates->nr, 1u));
}

/*
 * Note the candidates, from the least recent on, and their PUDs. Returns the sum of the PUDs: their
 * mean times their number @nr. The group that is being written is no candidate.
 */
static u64 sum_of_puds(struct pud_lru *pud, u32 *nr)
{
	u32 group = pud->list.tail, nr_found = 0;
	u64 sum = 0;

	for (; nr_found < pud->candidates && group != NO_GROUP;
	     group = block_group_at(&pud->g, group)->prev) {
		if (group == pud->writing)
			continue;
		pud->groups[nr_found] = group;
		pud->puds[nr_found] = pud_of(pud, group);
		sum += pud->puds[nr_found++];
	}
	*nr = nr_found;
	return sum;
}

/* The victim group; NO_GROUP only if there is no group at all. */
static u32 choose(struct pud_lru *pud)
{
	u32 best = NO_GROUP, best_count = 0, nr, i;
	u64 sum = sum_of_puds(pud, &nr), best_pud = 0;

	if (!nr)
		return pud->writing;
	for (i = 0; i < nr; i++) {
		u32 count = block_group_at(&pud->g, pud->groups[i])->count;

		if (pud->puds[i] * nr < sum || count < best_count ||
		    (count == best_count && pud->puds[i] <= best_pud))
			continue;
		best = pud->groups[i];
		best_count = count;
		best_pud = pud->puds[i];
	}
	return best;
}

static void pud_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			struct ssdc_batch *batch, unsigned int max)
{
	struct pud_lru *pud = to_pud(r);
	u32 group = choose(pud);

	if (group == NO_GROUP)
		return;
	if (block_group_at(&pud->g, group)->count == block_group_at(&pud->g, group)->span)
		pud->full_blocks++;
	if (group == pud->writing)
		pud->writing = NO_GROUP;
	block_group_take_sorted(&pud->g, group, batch, max);
	batch->width = pud->width;
}

static void pud_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct pud_lru *pud = to_pud(r);
	u32 group = get_group(pud, frame);

	block_group_add_tail(&pud->g, group, frame);
	block_group_move_tail(&pud->g, group, 0);
}

static ssdc_frame_t pud_pop_hottest(struct ssdc_replacement *r)
{
	ssdc_frame_t frame = block_groups_hottest(&to_pud(r)->g);

	if (frame != SSDC_NO_FRAME)
		pud_remove(r, frame);
	return frame;
}

static int pud_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	return block_groups_check(&to_pud(r)->g, finding);
}

static const struct ssdc_tunable pud_tunables[] = {
	FLASH_BLOCK_TUNABLES(struct pud_lru, block, width, 0),
	{ "candidates", "blocks", "limit on the blocks considered for one victim",
	  offsetof(struct pud_lru, candidates), SSDC_STEP_FRAMES, 1, SSDC_STEP_FRAMES, NULL },
};

static const struct ssdc_stat pud_stats[] = {
	SSDC_STAT(struct pud_lru, g.used, "blocks", "blocks", SSDC_GAUGE,
		  "blocks with cached pages"),
	SSDC_STAT(struct pud_lru, full_blocks, "full_blocks", "blocks", SSDC_COUNTER,
		  "victim blocks with all their pages cached"),
};

struct ssdc_replacement_type ssdc_pud_lru = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "pud-lru",
			.source = "Hu et al., MASCOTS 2010 [Hu10]",
			.status = "stand-in from abstract: update distance, groups, candidates",
			.doc = "of flash blocks seldom updated, the one with most pages leaves",
			.tunables = pud_tunables,
			.nr_tunables = ARRAY_SIZE(pud_tunables),
			.stats = pud_stats,
			.nr_stats = ARRAY_SIZE(pud_stats),
			.instance_bytes = sizeof(struct pud_lru),
			.page_bytes = BLOCK_GROUP_DIRECTORY_BYTES + sizeof(struct updates),
			.on_request = true,
		},
	},
	.work = 2,
	.long_victims = true,
	.no_view = true,
	.create = pud_create,
	.destroy = pud_destroy,
	.request = pud_request,
	.insert = pud_insert,
	.hit = pud_hit,
	.remove = pud_remove,
	.victims = pud_victims,
	.adopt = pud_adopt,
	.pop_hottest = pud_pop_hottest,
	.check = pud_check,
};
