// SPDX-License-Identifier: GPL-2.0
/*
 * LCR: pages of overloaded flash chips stay longer.
 *
 * Source	Liu et al., NAS 2018 [Liu18]: the abstract, and the description in [Zhou23].
 *		The full text was not available.
 * Cost		O(1) per access; O(1) to O(candidates) per eviction; no memory beyond
 *		struct ssdc_entry
 *
 * From the abstract: "give a higher priority to cache the blocks on overloaded flash chips",
 * clean ones too, because a later miss would have to wait. [Zhou23] adds that the victim
 * comes from a narrowed range.
 *
 * STAND-IN: a chip is overloaded if its queue exceeds `overload` percent of the mean of all chips.
 * The victim is the least recent page, among the last `candidates` pages and within the last
 * `window` percent of the LRU list, whose chip is not overloaded. If there is no such page, the
 * victim is the least recent page.
 */
#include <linux/errno.h>
#include "cold-end.h"

struct lcr {
	struct ssdc_replacement r;
	struct cold_end cold;
	u32 overload;			/* tunable: percent of the mean */
	u64 all_overloaded;		/* statistic */
};

static struct lcr *to_lcr(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct lcr, r);
}

static int lcr_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	ssdc_list_init(&to_lcr(r)->cold.list);
	return 0;
}

static void lcr_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
		       const struct ssdc_host_request *rq, bool dirty)
{
	cold_end_insert(&to_lcr(r)->cold, r, frame);
}

static void lcr_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		    const struct ssdc_host_request *rq, bool write)
{
	ssdc_list_move_head(r->entries, &to_lcr(r)->cold.list, frame);
}

static void lcr_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_list_del(r->entries, &to_lcr(r)->cold.list, frame);
}

/*
 * Queue of the chip to which a dirty page will be written, or from which a clean page will be read
 * again.
 */
static u32 depth_of(const struct lcr *lcr, ssdc_frame_t frame)
{
	return ssdc_unit_depth(lcr->r.plugin.tier, cold_end_sector(&lcr->r, frame),
			       cold_end_is_dirty(&lcr->r, frame));
}

/* depth > overload % of queued / units */
static bool is_overloaded(const struct lcr *lcr, const struct ssdc_view *view, u32 depth)
{
	return (u64)depth * view->units * 100 > (u64)view->queued * lcr->overload;
}

static void lcr_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			struct ssdc_batch *batch, unsigned int max)
{
	struct lcr *lcr = to_lcr(r);
	ssdc_frame_t frame = lcr->cold.list.tail;
	u32 passed, nr, depth, coldest_depth = 0;

	if (ssdc_list_empty(&lcr->cold.list))
		return;
	nr = cold_end_pages(&lcr->cold);
	for (passed = 0; passed < nr; passed++) {
		depth = depth_of(lcr, frame);
		if (!passed)
			coldest_depth = depth;
		if (!is_overloaded(lcr, view, depth)) {
			cold_end_take(&lcr->cold, r, batch, frame, passed, depth);
			return;
		}
		frame = ssdc_replacement_entry(r, frame)->prev;
	}
	lcr->all_overloaded++;
	cold_end_take(&lcr->cold, r, batch, lcr->cold.list.tail, 0, coldest_depth);
}

static void lcr_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	cold_end_adopt(&to_lcr(r)->cold, r, frame);
}

static ssdc_frame_t lcr_pop_hottest(struct ssdc_replacement *r)
{
	return ssdc_list_pop_head(r->entries, &to_lcr(r)->cold.list);
}

static int lcr_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	return cold_end_check(&to_lcr(r)->cold, r, finding);
}

static const struct ssdc_tunable lcr_tunables[] = {
	COLD_END_TUNABLES(struct lcr, cold),
	{ "overload", "percent", "share of the mean chip queue above which a chip is overloaded",
	  offsetof(struct lcr, overload), 100, 0, 10000, NULL },
};

static const struct ssdc_stat lcr_stats[] = {
	COLD_END_STATS(struct lcr, cold),
	SSDC_STAT(struct lcr, all_overloaded, "all_overloaded", "times", SSDC_COUNTER,
		  "evictions for which all candidates were on overloaded chips"),
};

struct ssdc_replacement_type ssdc_lcr = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "lcr",
			.source = "Liu et al., NAS 2018 [Liu18]",
			.status = "stand-in from abstract and [Zhou23]: overload, candidates",
			.doc = "LRU that passes over pages of overloaded flash chips",
			.tunables = lcr_tunables,
			.nr_tunables = ARRAY_SIZE(lcr_tunables),
			.stats = lcr_stats,
			.nr_stats = ARRAY_SIZE(lcr_stats),
			.instance_bytes = sizeof(struct lcr),
		},
	},
	.long_victims = true,
	.create = lcr_create,
	.insert = lcr_insert,
	.hit = lcr_hit,
	.remove = lcr_remove,
	.victims = lcr_victims,
	.adopt = lcr_adopt,
	.pop_hottest = lcr_pop_hottest,
	.check = lcr_check,
};
