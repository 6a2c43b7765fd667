// SPDX-License-Identifier: GPL-2.0
/*
 * AD-LRU: one LRU queue for pages used once and one for pages used again. In each, clean pages
 * leave first, and dirty pages have a second chance.
 *
 * Source	Jin et al., Data & Knowledge Engineering 72, 2012 [Jin12]: the abstract, and
 *		descriptions and code of others. The full text was not available.
 * Cost		O(1) per access; up to `looks` pages per eviction; no memory beyond struct
 *		ssdc_entry
 *
 *	insert -> cold [ clean | dirty ]  -> victim while above `min_cold` percent of DRAM
 *	hit ->	  hot  [ clean | dirty ]  -> victim otherwise
 *
 *	in a queue:	the least recent clean page leaves; if there is none, dirty pages are
 *			looked at from the least recent on: the first time they go to the head,
 *			the second time they leave
 *
 * The paper finds the least recent clean page by a pointer, FC. Here the clean and the dirty pages
 * of a queue are two lists, each in order of use.
 *
 * STAND-IN: the share of the cold queue, 10 percent; and the limit on looks, after which the next
 * dirty page leaves. A page that a flush has cleaned moves to its place among the clean pages. The
 * search for the place stops after SSDC_STEP_FRAMES pages, so the order of old clean pages is
 * approximate after a FLUSH of many pages.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include "../policy-api/replacement.h"

enum { COLD, HOT, NR_QUEUES };
enum { CLEAN, DIRTY, NR_PARTS };

#define NR_LISTS	(NR_QUEUES * NR_PARTS)

struct ad_lru {
	struct ssdc_replacement r;
	struct ssdc_list lists[NR_LISTS];
	/* tunables */
	u32 min_cold;
	u32 looks;
	/* statistics */
	u64 clean_victims;
	u64 dirty_victims;
	u64 spared;
};

static struct ad_lru *to_ad(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct ad_lru, r);
}

static int ad_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		ssdc_list_init(&to_ad(r)->lists[i]);
	return 0;
}

static u8 list_of(const struct ssdc_replacement *r, ssdc_frame_t frame, u8 queue)
{
	bool dirty = ssdc_replacement_entry(r, frame)->flags & SSDC_E_DIRTY;

	return queue * NR_PARTS + (dirty ? DIRTY : CLEAN);
}

static u32 pages_of(const struct ad_lru *ad, u8 queue)
{
	return ad->lists[queue * NR_PARTS + CLEAN].count +
		ad->lists[queue * NR_PARTS + DIRTY].count;
}

static void use(struct ad_lru *ad, ssdc_frame_t frame, u8 queue)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(&ad->r, frame);

	entry->list = list_of(&ad->r, frame, queue);
	entry->weight = 0;
	ssdc_list_add_head(ad->r.entries, &ad->lists[entry->list], frame);
}

/* @weight of an entry is 1 if the page has had its second chance. */
static void ad_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
		      const struct ssdc_host_request *rq, bool dirty)
{
	use(to_ad(r), frame, COLD);
}

static void ad_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_list_del(r->entries, &to_ad(r)->lists[ssdc_replacement_entry(r, frame)->list], frame);
}

static void ad_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		   const struct ssdc_host_request *rq, bool write)
{
	ad_remove(r, frame);
	use(to_ad(r), frame, HOT);
}

/* The page keeps its place in the order of use. */
static void ad_clean(struct ssdc_replacement *r, ssdc_frame_t frame, enum ssdc_flush_reason reason)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(r, frame);
	ssdc_frame_t older, behind = SSDC_NO_FRAME;
	struct ssdc_list *clean;
	unsigned int steps;

	if (entry->list % NR_PARTS == CLEAN)
		return;
	ad_remove(r, frame);
	entry->list -= DIRTY - CLEAN;
	clean = &to_ad(r)->lists[entry->list];
	older = clean->tail;
	for (steps = 0; steps < SSDC_STEP_FRAMES && older != SSDC_NO_FRAME; steps++) {
		if (ssdc_replacement_hotter(r, older, frame) == older)
			break;
		behind = older;
		older = ssdc_replacement_entry(r, older)->prev;
	}
	ssdc_list_add_before(r->entries, clean, frame, behind);
}

static ssdc_frame_t take_dirty(struct ad_lru *ad, struct ssdc_list *dirty)
{
	ssdc_frame_t frame = dirty->tail, spared = frame;
	u32 nr;

	for (nr = 0; nr < ad->looks && frame != SSDC_NO_FRAME; nr++) {
		struct ssdc_entry *entry = ssdc_replacement_entry(&ad->r, frame);

		if (entry->weight)
			break;
		entry->weight = 1;
		spared = frame;
		frame = entry->prev;
	}
	ad->spared += nr;
	ssdc_list_move_tails(ad->r.entries, dirty, dirty, spared, nr);
	return ssdc_list_pop_tail(ad->r.entries, dirty);
}

static void ad_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
		       struct ssdc_batch *batch, unsigned int max)
{
	struct ad_lru *ad = to_ad(r);
	u32 least = div_u64((u64)r->capacity * ad->min_cold, 100);
	u8 queue = pages_of(ad, COLD) > least ? COLD : HOT;
	ssdc_frame_t frame;

	if (!pages_of(ad, queue))
		queue = !queue;
	frame = ssdc_list_pop_tail(r->entries, &ad->lists[queue * NR_PARTS + CLEAN]);
	if (frame == SSDC_NO_FRAME)
		frame = take_dirty(ad, &ad->lists[queue * NR_PARTS + DIRTY]);
	if (frame == SSDC_NO_FRAME)
		return;
	if (ssdc_replacement_entry(r, frame)->flags & SSDC_E_DIRTY)
		ad->dirty_victims++;
	else
		ad->clean_victims++;
	ssdc_batch_add(batch, frame);
}

static void ad_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(r, frame);

	entry->list = list_of(r, frame, COLD);
	ssdc_list_add_tail(r->entries, &to_ad(r)->lists[entry->list], frame);
}

static ssdc_frame_t ad_pop_hottest(struct ssdc_replacement *r)
{
	ssdc_frame_t frame = SSDC_NO_FRAME;
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		frame = ssdc_replacement_hotter(r, to_ad(r)->lists[i].head, frame);
	if (frame != SSDC_NO_FRAME)
		ad_remove(r, frame);
	return frame;
}

static int ad_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	static const char *const names[NR_LISTS] = {
		"cold clean", "cold dirty", "hot clean", "hot dirty"
	};
	const struct ad_lru *ad = to_ad(r);
	ssdc_frame_t frame;
	u8 list;

	for (list = 0; list < NR_LISTS; list++) {
		for (frame = ad->lists[list].head; frame != SSDC_NO_FRAME;
		     frame = ssdc_replacement_entry(r, frame)->next) {
			const struct ssdc_entry *entry = ssdc_replacement_entry(r, frame);

			if (list_of(r, frame, list / NR_PARTS) != list &&
			    !(entry->flags & SSDC_E_UNNOTIFIED))
				return ssdc_finding(finding, "frame %u is on list \"%s\"",
						    ssdc_frame_nr(frame), names[list]);
		}
	}
	return ssdc_lists_check(r, ad->lists, names, NR_LISTS, finding);
}

static const struct ssdc_tunable ad_tunables[] = {
	{ "min_cold", "percent", "DRAM share below which the cold queue loses no page",
	  offsetof(struct ad_lru, min_cold), 10, 0, 100, NULL },
	{ "looks", "pages", "dirty pages that an eviction may give a second chance",
	  offsetof(struct ad_lru, looks), 256, 1, 4096, NULL },
};

static const struct ssdc_stat ad_stats[] = {
	SSDC_STAT(struct ad_lru, lists[COLD * NR_PARTS + CLEAN].count, "cold_clean_list", "pages",
		  SSDC_GAUGE, "clean pages used once"),
	SSDC_STAT(struct ad_lru, lists[COLD * NR_PARTS + DIRTY].count, "cold_dirty_list", "pages",
		  SSDC_GAUGE, "dirty pages used once"),
	SSDC_STAT(struct ad_lru, lists[HOT * NR_PARTS + CLEAN].count, "hot_clean_list", "pages",
		  SSDC_GAUGE, "clean pages used again"),
	SSDC_STAT(struct ad_lru, lists[HOT * NR_PARTS + DIRTY].count, "hot_dirty_list", "pages",
		  SSDC_GAUGE, "dirty pages used again"),
	SSDC_STAT(struct ad_lru, clean_victims, "clean_victims", "pages", SSDC_COUNTER,
		  "clean victims"),
	SSDC_STAT(struct ad_lru, dirty_victims, "dirty_victims", "pages", SSDC_COUNTER,
		  "dirty victims"),
	SSDC_STAT(struct ad_lru, spared, "spared", "pages", SSDC_COUNTER,
		  "dirty pages given a second chance"),
};

struct ssdc_replacement_type ssdc_ad_lru = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "ad-lru",
			.source = "Jin et al., Data & Knowledge Engineering 72, 2012 [Jin12]",
			.status = "stand-in from abstract and others' descriptions: shares, looks",
			.doc = "pages used once, then others; of these clean ones first",
			.tunables = ad_tunables,
			.nr_tunables = ARRAY_SIZE(ad_tunables),
			.stats = ad_stats,
			.nr_stats = ARRAY_SIZE(ad_stats),
			.instance_bytes = sizeof(struct ad_lru),
			.on_request = true,
		},
	},
	.long_victims = true,
	.no_view = true,
	.create = ad_create,
	.insert = ad_insert,
	.hit = ad_hit,
	.clean = ad_clean,
	.clean_work = SSDC_STEP_FRAMES,
	.remove = ad_remove,
	.victims = ad_victims,
	.adopt = ad_adopt,
	.pop_hottest = ad_pop_hottest,
	.check = ad_check,
};
