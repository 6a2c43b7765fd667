// SPDX-License-Identifier: GPL-2.0
/*
 * LFU: the least often used page leaves; among pages with the same count, the page that has had
 * this count longest.
 *
 * Source	Robinson & Devarakonda, SIGMETRICS 1990 [Robinson90], a baseline of [Sha23]
 *		and [Lin22]; ties are first in, first out, as in libCacheSim
 * Cost		O(1) per access; 3 KiB per cache for the lists
 *
 *	level	1: [ G F E ]	<- insert; tail is the victim
 *		2: [ D ]	<- hit on a page of level 1
 *		3: [ C B A ]
 *
 * Counts stop at 255 (a byte per page, as in [Sha23]) and are forgotten on eviction. There is
 * no ageing: neither paper describes any.
 */
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include "../policy-api/replacement.h"

#define LEVELS 256

struct lfu {
	struct ssdc_replacement r;
	unsigned long used[BITS_TO_LONGS(LEVELS)];	/* levels that hold pages */
	struct ssdc_list levels[LEVELS];
	u32 lowest;					/* statistic: count of the last victim */
};

static struct lfu *to_lfu(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct lfu, r);
}

static int lfu_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	unsigned int i;

	for (i = 0; i < LEVELS; i++)
		ssdc_list_init(&to_lfu(r)->levels[i]);
	return 0;
}

static void set_level(struct lfu *lfu, ssdc_frame_t frame, u32 level)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(&lfu->r, frame);

	entry->weight = level;
	entry->list = level;
	__set_bit(level, lfu->used);
}

static void leave_level(struct lfu *lfu, ssdc_frame_t frame)
{
	u32 level = ssdc_replacement_entry(&lfu->r, frame)->weight;

	ssdc_list_del(lfu->r.entries, &lfu->levels[level], frame);
	if (ssdc_list_empty(&lfu->levels[level]))
		__clear_bit(level, lfu->used);
}

static void lfu_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
		       const struct ssdc_host_request *rq, bool dirty)
{
	set_level(to_lfu(r), frame, 1);
	ssdc_list_add_head(r->entries, &to_lfu(r)->levels[1], frame);
}

static void lfu_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		    const struct ssdc_host_request *rq, bool write)
{
	u32 level = min_t(u32, ssdc_replacement_entry(r, frame)->weight + 1, LEVELS - 1);

	leave_level(to_lfu(r), frame);
	set_level(to_lfu(r), frame, level);
	ssdc_list_add_head(r->entries, &to_lfu(r)->levels[level], frame);
}

static void lfu_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	leave_level(to_lfu(r), frame);
}

static void lfu_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			struct ssdc_batch *batch, unsigned int max)
{
	struct lfu *lfu = to_lfu(r);
	u32 level = find_first_bit(lfu->used, LEVELS);
	ssdc_frame_t frame;

	if (level >= LEVELS)
		return;
	lfu->lowest = level;
	frame = lfu->levels[level].tail;
	leave_level(lfu, frame);
	ssdc_batch_add(batch, frame);
}

static void lfu_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	set_level(to_lfu(r), frame, 1);
	ssdc_list_add_tail(r->entries, &to_lfu(r)->levels[1], frame);
}

/* Each level is in order of last use, so the most recent page is one of the heads. */
static ssdc_frame_t lfu_pop_hottest(struct ssdc_replacement *r)
{
	struct lfu *lfu = to_lfu(r);
	ssdc_frame_t frame = SSDC_NO_FRAME;
	u32 level;

	for_each_set_bit(level, lfu->used, LEVELS)
		frame = ssdc_replacement_hotter(r, lfu->levels[level].head, frame);
	if (frame != SSDC_NO_FRAME)
		leave_level(lfu, frame);
	return frame;
}

static int lfu_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	const struct lfu *lfu = to_lfu(r);
	u32 level;

	for (level = 0; level < LEVELS; level++)
		if (test_bit(level, lfu->used) == ssdc_list_empty(&lfu->levels[level]))
			return ssdc_finding(finding, "level %u has %u pages and is marked as %s",
					    level, lfu->levels[level].count,
					    test_bit(level, lfu->used) ? "used" : "unused");
	return ssdc_lists_check(r, lfu->levels, NULL, LEVELS, finding);
}

static const struct ssdc_stat lfu_stats[] = {
	SSDC_STAT(struct lfu, levels[1].count, "used_once", "pages", SSDC_GAUGE,
		  "pages used once"),
	SSDC_STAT(struct lfu, lowest, "victim_count", "uses", SSDC_GAUGE,
		  "use count of the last victim"),
};

struct ssdc_replacement_type ssdc_lfu = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "lfu",
			.source = "Robinson & Devarakonda, SIGMETRICS 1990 [Robinson90]",
			.status = "as published; counts stop at 255",
			.doc = "least often used page first; ties first in, first out",
			.stats = lfu_stats,
			.nr_stats = ARRAY_SIZE(lfu_stats),
			.instance_bytes = sizeof(struct lfu),
		},
	},
	.create = lfu_create,
	.insert = lfu_insert,
	.hit = lfu_hit,
	.remove = lfu_remove,
	.no_view = true,
	.victims = lfu_victims,
	.adopt = lfu_adopt,
	.pop_hottest = lfu_pop_hottest,
	.check = lfu_check,
};
