// SPDX-License-Identifier: GPL-2.0
/*
 * rop: Markov chains over the distances between reads of a region.
 *
 * Source	Xu, Jin, Tao, Guo, Xiang, Tian, "An efficient resource-optimized learning
 *		prefetcher for solid state drives", DATE 2018, as far as S001 and its
 *		abstract tell it: chains over read addresses, divide and conquer, bounded
 *		memory, batches of future reads
 * Status	a stand-in: order of the chain, size of regions, thresholds and what is
 *		forgotten are ours
 * Cost		O(pages) per request, with 8 looks for each, and at most 4 steps ahead
 * Memory	44 KiB
 *
 * The address space is cut into regions of 4096 pages. In each the distance of a page to
 * the one read before is a state; a state knows up to 8 distances that followed it, and how
 * often. Predictions follow the most likely ones for up to depth steps, as long as their
 * probabilities, multiplied, stay above the threshold:
 *
 *	reads		7 8 20 21 33			distances  1 12 1 12
 *	state (12)	-> 1: 2				next 34, then 46, ...
 *	state (1)	-> 12: 2
 *
 * 1024 states are kept in sets of 8; in its set the one used least recently is forgotten.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include "../engine/engine.h"

#define REGION_SHIFT	12
#define REGION_PAGES	4096u
#define REGIONS		256u
#define REGION_BITS	8
#define SETS		128u
#define SET_BITS	7
#define WAYS		8u
#define SUCCESSORS	8u
#define MOST		255u

/* Pages of a request that are learned from, so that a long one costs no more. */
#define READ_PAGES	32u

/* Probabilities in units of 2^-16, of which less than one per step is cut off. */
#define ONE		65536u

struct state {
	u64 region;		/* number + 1; 0: none */
	u32 used;		/* when, in accesses */
	s16 distance;
	u16 total;		/* of @counts */
	s16 next[SUCCESSORS];
	u8 counts[SUCCESSORS];
};

/* The last reads of a region. */
struct region {
	u64 number;		/* + 1; 0: none */
	u16 last;		/* page in the region */
	s16 distance;		/* of it to the one before, 0: not known */
};

struct rop {
	struct ssdc_prefetch p;

	/* Tunables. */
	u32 share;
	u32 threshold;
	u32 depth;

	struct region regions[REGIONS];
	struct state *states;	/* SETS * WAYS */
	u32 accesses;

	/* Statistics. */
	u64 learned;
	u64 forgotten;
	u64 predicted;
	u32 known;
};

static struct rop *to_rop(const struct ssdc_prefetch *p)
{
	return container_of((struct ssdc_prefetch *)p, struct rop, p);
}

/* ---- states ---- */

static struct state *set_of(struct rop *rop, u64 region, s16 distance)
{
	u64 key = region << 16 | (u16)distance;

	return &rop->states[((key * 0x9e3779b97f4a7c15ULL) >> (64 - SET_BITS)) * WAYS];
}

static struct state *find(struct rop *rop, u64 region, s16 distance)
{
	struct state *set = set_of(rop, region, distance);
	u32 i;

	for (i = 0; i < WAYS; i++)
		if (set[i].region == region + 1 && set[i].distance == distance)
			return &set[i];
	return NULL;
}

/* The state, in the place of the one used least recently if it is a new one. */
static struct state *find_or_add(struct rop *rop, u64 region, s16 distance)
{
	struct state *set = set_of(rop, region, distance);
	struct state *state = find(rop, region, distance);
	u32 i;

	if (state)
		return state;
	state = set;
	for (i = 1; i < WAYS && state->region; i++)
		if (!set[i].region || (s32)(set[i].used - state->used) < 0)
			state = &set[i];
	rop->forgotten += !!state->region;
	rop->known += !state->region;
	*state = (struct state) { .region = region + 1, .distance = distance };
	return state;
}

static u32 most_likely(const struct state *state)
{
	u32 i, best = 0;

	for (i = 1; i < SUCCESSORS; i++)
		if (state->counts[i] > state->counts[best])
			best = i;
	return best;
}

static u32 least_likely(const struct state *state)
{
	u32 i, least = 0;

	for (i = 1; i < SUCCESSORS; i++)
		if (state->counts[i] < state->counts[least])
			least = i;
	return least;
}

/* All counts are halved before one would overflow. */
static void halve(struct state *state)
{
	u32 i;

	state->total = 0;
	for (i = 0; i < SUCCESSORS; i++) {
		state->counts[i] /= 2;
		state->total += state->counts[i];
	}
}

/* @next followed the state. A new one takes the place of the least likely. */
static void learn(struct rop *rop, struct state *state, s16 next)
{
	u32 i;

	rop->learned++;
	state->used = rop->accesses;
	for (i = 0; i < SUCCESSORS; i++)
		if (state->counts[i] && state->next[i] == next)
			break;
	if (i == SUCCESSORS) {
		i = least_likely(state);
		state->total -= state->counts[i];
		state->counts[i] = 0;
		state->next[i] = next;
	}
	if (state->counts[i] == MOST)
		halve(state);
	state->counts[i]++;
	state->total++;
}

/* ---- reads ---- */

static struct region *region_of(struct rop *rop, u64 number)
{
	struct region *region;

	region = &rop->regions[(number * 0x9e3779b97f4a7c15ULL) >> (64 - REGION_BITS)];
	if (region->number != number + 1)
		*region = (struct region) { .number = number + 1, .last = REGION_PAGES };
	return region;
}

/* A page of a region is read: the distance to the last one followed the distance before. */
static void step_to(struct rop *rop, struct region *region, u16 at)
{
	s16 distance = at - region->last;

	rop->accesses++;
	if (region->last == REGION_PAGES) {
		region->last = at;
		return;
	}
	if (!distance)
		return;
	if (region->distance)
		learn(rop, find_or_add(rop, region->number - 1, region->distance), distance);
	region->last = at;
	region->distance = distance;
}

/* Along the most likely distances, while that is likely enough. */
static void predict(struct rop *rop, const struct region *region)
{
	u64 base = (region->number - 1) << REGION_SHIFT;
	s32 at = region->last;
	s16 distance = region->distance;
	u32 chance = ONE, i;

	for (i = 0; i < rop->depth; i++) {
		const struct state *state = find(rop, region->number - 1, distance);
		u32 best;

		if (!state || state->total < 2)
			return;
		best = most_likely(state);
		chance = (u64)chance * state->counts[best] / state->total;
		if (100 * chance <= rop->threshold * ONE)
			return;
		distance = state->next[best];
		at += distance;
		if (at < 0 || at >= (s32)REGION_PAGES)
			return;
		rop->predicted++;
		ssdc_prefetch_want(&rop->p, base + at);
	}
}

static void rop_observe(struct ssdc_prefetch *p, const struct ssdc_request *rq)
{
	struct rop *rop = to_rop(p);
	u32 shift = p->plugin.engine->page_shift;
	u64 page = rq->sector >> shift, last = (rq->sector + rq->nr_sectors - 1) >> shift;
	struct region *region = NULL;

	if (rq->op != SSDC_READ)
		return;
	/* The end of a long read says where it goes on. */
	if (last - page >= READ_PAGES)
		page = last - READ_PAGES + 1;
	for (; page <= last; page++) {
		region = region_of(rop, page >> REGION_SHIFT);
		step_to(rop, region, page % REGION_PAGES);
	}
	if (region->distance)
		predict(rop, region);
}

/* ---- instance ---- */

static void set_share(struct rop *rop)
{
	rop->p.pages_max = rop->p.plugin.engine->nr_frames * (u64)rop->share / 100;
}

static void rop_tuned(struct ssdc_prefetch *p)
{
	set_share(to_rop(p));
}

static int rop_create(struct ssdc_prefetch *p, struct ssdc_error *error)
{
	struct rop *rop = to_rop(p);

	rop->states = kvcalloc(SETS * WAYS, sizeof(*rop->states), GFP_KERNEL | __GFP_NOWARN);
	if (!rop->states) {
		scnprintf(error->text, sizeof(error->text), "rop: no memory for its states");
		return -ENOMEM;
	}
	set_share(rop);
	return 0;
}

static void rop_destroy(struct ssdc_prefetch *p)
{
	kvfree(to_rop(p)->states);
}

static int rop_check(const struct ssdc_prefetch *p)
{
	const struct rop *rop = to_rop(p);
	u32 i, j, total, known = 0;

	for (i = 0; i < SETS * WAYS; i++) {
		const struct state *state = &rop->states[i];

		for (total = 0, j = 0; j < SUCCESSORS; j++)
			total += state->counts[j];
		if (total != state->total || (state->region && !state->distance))
			return -EUCLEAN;
		known += !!state->region;
	}
	return known == rop->known ? 0 : -EUCLEAN;
}

#define TUNABLE(member) offsetof(struct rop, member)

static const struct ssdc_tunable rop_tunables[] = {
	{ "share", "percent", "of DRAM that prefetched pages may hold",
	  TUNABLE(share), 8, 1, 50, NULL },
	{ "threshold", "percent", "probability above which a page is brought in; more: fewer are",
	  TUNABLE(threshold), 50, 1, 99, NULL },
	{ "depth", "pages", "that are brought in ahead, at most",
	  TUNABLE(depth), 4, 1, 16, NULL },
};

#define COUNTER(member, unit, doc) \
	SSDC_STAT(struct rop, member, #member, unit, SSDC_COUNTER, doc)

static const struct ssdc_stat rop_stats[] = {
	SSDC_PREFETCH_STATS,
	COUNTER(learned, "pages", "read at a distance that could be learned"),
	COUNTER(forgotten, "states", "in whose place another one came"),
	COUNTER(predicted, "pages", "that were likely enough"),
	SSDC_STAT(struct rop, known, "states", "states", SSDC_GAUGE, "known now, of 1024"),
};

struct ssdc_prefetch_type ssdc_rop = {
	.plugin = {
		.kind = SSDC_PREFETCH,
		.info = {
			.name = "rop",
			.source = "Xu et al., An efficient resource-… (DATE 2018), in S001",
			.status = "a stand-in made from its abstract and what S001 tells of it",
			.doc = "brings in likely pages, by Markov chains; fixed share",
			.tunables = rop_tunables,
			.nr_tunables = ARRAY_SIZE(rop_tunables),
			.stats = rop_stats,
			.nr_stats = ARRAY_SIZE(rop_stats),
			.instance_bytes = sizeof(struct rop),
		},
	},
	.create = rop_create,
	.destroy = rop_destroy,
	.tuned = rop_tuned,
	.observe = rop_observe,
	.check = rop_check,
};
