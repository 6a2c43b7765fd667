// SPDX-License-Identifier: GPL-2.0
/*
 * Which block garbage collection takes: the victim rules.
 *
 * The start of GC, and the least number of pages that a block must free, are the same for all
 * rules; see ssdf_gc_worth_pages(). A rule looks at a bounded number of blocks; FIFO looks at most
 * at all blocks of a plane.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include "ftl.h"
#include "stream.h"
#include "victim.h"

/* Blocks that cost-benefit compares; in planes with fewer blocks, it compares all. */
#define COST_BENEFIT_LOOKS 512

/* Greater ages count as this one. */
#define MAX_AGE BIT_ULL(38)

/* d-choices draws numbers until it has found closed blocks, at most this many numbers for each. */
#define DRAWS_PER_CHOICE 4

static ssdf_block_t block_of_plane(const struct ssdf_device *f, u32 plane, u32 index)
{
	return ssdf_block(plane * f->params.blocks + index);
}

static struct ssdf_block_info *info(const struct ssdf_device *f, ssdf_block_t nr)
{
	return &f->blocks[ssdf_block_nr(nr)];
}

static u32 outdated(const struct ssdf_device *f, ssdf_block_t nr)
{
	return f->params.pages - info(f, nr)->valid;
}

/* The next block of the plane, in the order of their numbers. */
static ssdf_block_t turn_hand(struct ssdf_device *f, u32 plane)
{
	struct ssdf_plane *p = &f->planes[plane];
	u32 index = p->victim_hand;

	p->victim_hand = index + 1 < f->params.blocks ? index + 1 : 0;
	return block_of_plane(f, plane, index);
}

/* The block with the fewest valid pages [Bux10]. */
static ssdf_block_t greedy(struct ssdf_device *f, u32 plane, u32 worth)
{
	return ssdf_emptiest(f, plane, worth);
}

/*
 * (1 - u) age / (1 + u), where u is the share of valid pages [Rosenblum92, section 3.4]. The age is
 * the number of host pages written since the youngest data of the block; moved pages keep their
 * age.
 */
static u64 benefit(const struct ssdf_device *f, ssdf_block_t nr)
{
	/* Bounded, so that the product fits. */
	u64 age = 1 + min_t(u64, f->host_pages - f->stamps[ssdf_block_nr(nr)], MAX_AGE);

	return div_u64((outdated(f, nr) * age) << 8, f->params.pages + info(f, nr)->valid);
}

/*
 * The block with the greatest benefit per cost; in large planes, out of the next COST_BENEFIT_LOOKS
 * blocks.
 */
static ssdf_block_t cost_benefit(struct ssdf_device *f, u32 plane, u32 worth)
{
	u32 i, looks = min_t(u32, f->params.blocks, COST_BENEFIT_LOOKS);
	ssdf_block_t best = SSDF_NO_BLOCK, nr;
	u64 best_benefit = 0, its_benefit;

	for (i = 0; i < looks; i++) {
		nr = turn_hand(f, plane);
		if (!info(f, nr)->closed || outdated(f, nr) < worth)
			continue;
		its_benefit = benefit(f, nr);
		if (best == SSDF_NO_BLOCK || its_benefit > best_benefit) {
			best = nr;
			best_benefit = its_benefit;
		}
	}
	return best != SSDF_NO_BLOCK ? best : ssdf_emptiest(f, plane, worth);
}

/* Of d blocks at random, the one with the fewest valid pages [VanHoudt13, section 2]. */
static ssdf_block_t d_choices(struct ssdf_device *f, u32 plane, u32 worth)
{
	u32 draws = f->params.gc_choices * DRAWS_PER_CHOICE, met = 0;
	ssdf_block_t best = SSDF_NO_BLOCK, nr;

	for (; draws && met < f->params.gc_choices; draws--) {
		nr = block_of_plane(f, plane,
				    ssdf_random_below(&f->victim_random, f->params.blocks));
		if (!info(f, nr)->closed)
			continue;
		met++;
		if (best == SSDF_NO_BLOCK || info(f, nr)->valid < info(f, best)->valid)
			best = nr;
	}
	return best != SSDF_NO_BLOCK ? best : ssdf_emptiest(f, plane, worth);
}

/*
 * The block that was written first, regardless of its valid pages [Desnoyers14, LRW]. Blocks are
 * reused in the order of their erases, so their order hardly changes, and a hand goes round. Wear
 * levelling and several open blocks change it a little.
 */
static ssdf_block_t fifo(struct ssdf_device *f, u32 plane, u32 worth)
{
	struct ssdf_plane *p = &f->planes[plane];
	ssdf_block_t nr;

	/*
	 * Free blocks precede the oldest closed one. The caller has made sure that some block is
	 * closed.
	 */
	do {
		nr = turn_hand(f, plane);
	} while (!info(f, nr)->closed);
	/* A block that is left alone stays the oldest. */
	if (outdated(f, nr) < worth)
		p->victim_hand = ssdf_block_nr(nr) % f->params.blocks;
	return nr;
}

static ssdf_block_t (*const rules[])(struct ssdf_device *f, u32 plane, u32 worth) = {
	[SSDF_GREEDY] = greedy,
	[SSDF_COST_BENEFIT] = cost_benefit,
	[SSDF_D_CHOICES] = d_choices,
	[SSDF_FIFO] = fifo,
};

/* Seed the choices of rules that choose at random: the same seed, the same victims. */
void ssdf_victim_begin(struct ssdf_device *f)
{
	ssdc_random_seed(&f->victim_random, f->params.seed);
}

/*
 * Closed block -> victim, if the plane has too few free blocks and the block is worth it. When free
 * blocks are short, rules that do not look for outdated pages may choose a block that has none.
 * Some other block of the plane has outdated pages, so GC gains a page in the end. This does not
 * hold with map_cache: each moved page may cost the write of a translation page, which makes
 * another page outdated. So with map_cache, a block without outdated pages is left alone.
 */
ssdf_block_t ssdf_choose_victim(struct ssdf_device *f, u32 plane)
{
	u32 nr_free = f->planes[plane].nr_free, worth = f->gc_worth;
	bool must = nr_free < f->gc_must_below;
	ssdf_block_t nr;

	if (nr_free >= f->gc_below)
		return SSDF_NO_BLOCK;
	if (must)
		worth = 1;
	if (ssdf_emptiest(f, plane, worth) == SSDF_NO_BLOCK)
		return SSDF_NO_BLOCK;
	if (must && f->params.gc_victim == SSDF_FIFO)
		worth = 0;
	/*
	 * A crash has wasted a block of the reserve, and the plane may have no free block at
	 * all: then a block without valid pages is the only one that GC can take. A rule that
	 * takes full blocks would also restore the reserve only after many moves.
	 */
	if (f->media && nr_free < f->gc_reserve)
		nr = ssdf_emptiest(f, plane, worth);
	else
		nr = rules[f->params.gc_victim](f, plane, worth);
	if (must && f->params.map_cache && !outdated(f, nr))
		nr = ssdf_emptiest(f, plane, 1);
	if (!must && outdated(f, nr) < worth)
		return SSDF_NO_BLOCK;
	ssdf_take_closed(f, plane, nr);
	ssdf_stream_collected(f, plane, nr);
	return nr;
}
