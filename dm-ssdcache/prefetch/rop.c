// SPDX-License-Identifier: GPL-2.0
/*
 * rop: prefetches by Markov chains over the distances between reads of a region.
 *
 * Source	Xu, Jin, Tao, Guo, Xiang, Tian, "An efficient resource-optimized learning
 *		prefetcher for solid state drives", DATE 2018 [Xu18]: the abstract, and the
 *		description in [Li22]: chains over read addresses, divide and conquer, bounded
 *		memory, batches of future reads
 * Status	stand-in: the order of the chain, the size of regions, the thresholds and the
 *		choice of states to forget are ours
 * Cost		O(pages) per request, 8 comparisons each, and `depth` predictions
 * Memory	44 KiB
 *
 * The address space is cut into regions of 4096 pages. A state is the distance, within its
 * region, between a page and the page read before; it counts up to 8 distances that followed
 * it. A prediction follows the most likely distances for up to `depth` pages, while the
 * product of their probabilities exceeds the threshold:
 *
 *	reads		7 8 20 21 33			distances  1 12 1 12
 *	state (12)	-> 1: 2				next 34, then 46, ...
 *	state (1)	-> 12: 2
 *
 * 1024 states are kept in sets of 8; a full set forgets its least recently used state.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include "../policy-api/prefetch.h"

#define REGION_SHIFT	12
#define REGION_PAGES	4096u
#define REGIONS		256u
#define REGION_BITS	8
#define SETS		128u
#define SET_BITS	7
#define WAYS		8u
#define SUCCESSORS	8u
#define MOST		255u

/* Pages of a request that are learned from; bounds the cost of a long request. */
#define READ_PAGES	32u

/* Probability 1, in units of 2^-16. Each step rounds down by less than one unit. */
#define ONE		65536u

struct state {
	u64 region;		/* region number + 1; 0: unused */
	u32 used;		/* time of the last use, in accesses */
	s16 distance;
	u16 total;		/* sum of @counts */
	s16 next[SUCCESSORS];	/* distances that followed */
	u8 counts[SUCCESSORS];
};

/* The most recent reads of a region. */
struct region {
	u64 number;		/* region number + 1; 0: unused */
	u16 last;		/* last page read, within the region */
	s16 distance;		/* from the page read before; 0: unknown */
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

/* Find or add a state; a new state replaces the least recently used one. */
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

/* Halve all counts before one overflows. */
static void halve(struct state *state)
{
	u32 i;

	state->total = 0;
	for (i = 0; i < SUCCESSORS; i++) {
		state->counts[i] /= 2;
		state->total += state->counts[i];
	}
}

/* Count that @next followed the state; a new distance replaces the least likely one. */
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

/* A page of a region was read: learn its distance from the last page of the region. */
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

/* Want the pages along the most likely distances, while these are likely enough. */
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

static void rop_observe_pages(struct ssdc_prefetch *p, const struct ssdc_host_request *rq,
			      u32 first, u32 nr, bool is_last)
{
	struct rop *rop = to_rop(p);
	u32 shift = p->plugin.tier->page_shift;
	u64 page = (rq->sector >> shift) + first, end = page + nr;
	u64 last = (rq->sector + rq->nr_sectors - 1) >> shift;
	struct region *region = NULL;

	if (rq->op != SSDC_READ)
		return;
	/* The end of a long read tells where the next read starts, so learn from the end. */
	if (last - page >= READ_PAGES)
		page = last - READ_PAGES + 1;
	/* Of a very long read, the last pages are not shown: see ssdc_request_visits(). */
	if (is_last)
		end = last + 1;
	for (; page < end; page++) {
		region = region_of(rop, page >> REGION_SHIFT);
		step_to(rop, region, page % REGION_PAGES);
	}
	if (is_last && region->distance)
		predict(rop, region);
}

/* ---- instance ---- */

static void set_share(struct rop *rop)
{
	rop->p.pages_max = rop->p.plugin.tier->capacity * (u64)rop->share / 100;
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

static int rop_check(const struct ssdc_prefetch *p, struct ssdc_error *finding)
{
	const struct rop *rop = to_rop(p);
	u32 i, j, total, known = 0;

	for (i = 0; i < SETS * WAYS; i++) {
		const struct state *state = &rop->states[i];

		for (total = 0, j = 0; j < SUCCESSORS; j++)
			total += state->counts[j];
		if (total != state->total)
			return ssdc_finding(finding,
					    "state %u: the counts sum up to %u, the total is %u",
					    i, total, state->total);
		if (state->region && !state->distance)
			return ssdc_finding(finding, "state %u: a region without a distance", i);
		known += !!state->region;
	}
	if (known != rop->known)
		return ssdc_finding(finding, "%u states are known, the count is %u", known,
				    rop->known);
	return 0;
}

#define TUNABLE(member) offsetof(struct rop, member)

static const struct ssdc_tunable rop_tunables[] = {
	{ "share", "percent", "share of DRAM that prefetched pages may hold",
	  TUNABLE(share), 8, 1, 50, NULL },
	{ "threshold", "percent", "least probability of a prefetched page; more: fewer pages",
	  TUNABLE(threshold), 50, 1, 99, NULL },
	{ "depth", "pages", "largest number of pages prefetched after a read",
	  TUNABLE(depth), 4, 1, 16, NULL },
};

#define COUNTER(member, unit, doc) \
	SSDC_STAT(struct rop, member, #member, unit, SSDC_COUNTER, doc)

static const struct ssdc_stat rop_stats[] = {
	SSDC_PREFETCH_STATS,
	COUNTER(learned, "pages", "pages read at a distance that was learned"),
	COUNTER(forgotten, "states", "states replaced by others"),
	COUNTER(predicted, "pages", "pages likely enough to be wanted"),
	SSDC_STAT(struct rop, known, "states", "states", SSDC_GAUGE, "states known, of 1024"),
};

struct ssdc_prefetch_type ssdc_rop = {
	.plugin = {
		.kind = SSDC_PREFETCH,
		.info = {
			.name = "rop",
			.source = "ROP: Xu et al., DATE 2018 [Xu18], as in [Li22]",
			.status = "stand-in from its abstract and the description in [Li22]",
			.doc = "prefetches likely pages by Markov chains; fixed share of DRAM",
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
	.observe_pages = rop_observe_pages,
	.check = rop_check,
};
