// SPDX-License-Identifier: GPL-2.0
/*
 * MRU: evict the most recently used page.
 *
 * Source	textbook; suits loops over more pages than fit
 * Cost		O(keep) per eviction, else O(1); no memory besides struct ssdc_entry
 *
 *	insert, hit -> head [ A B C D ... ] tail
 *			          ^ victim, for keep = 2
 */
#include "dm-ssdcache-policy.h"

struct mru {
	struct ssdc_replacement r;	/* must be first */
	struct ssdc_list list;
	u32 keep;
	u64 kept;
};

static struct mru *to_mru(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct mru, r);
}

static int mru_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	ssdc_list_init(&to_mru(r)->list);
	return 0;
}

static void mru_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
		       const struct ssdc_host_request *rq, bool dirty)
{
	ssdc_list_add_head(r->entries, &to_mru(r)->list, frame);
}

static void mru_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		    const struct ssdc_host_request *rq, bool write)
{
	ssdc_list_move_head(r->entries, &to_mru(r)->list, frame);
}

static void mru_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_list_del(r->entries, &to_mru(r)->list, frame);
}

/* Spare the newest `keep` pages, which had no time to be used again. */
static void mru_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			struct ssdc_batch *batch, unsigned int max)
{
	struct mru *mru = to_mru(r);
	ssdc_frame_t frame = mru->list.head;
	u32 i;

	if (ssdc_list_empty(&mru->list))
		return;
	for (i = 0; i < mru->keep && frame != mru->list.tail; i++) {
		frame = ssdc_replacement_entry(r, frame)->next;
		mru->kept++;
	}
	ssdc_list_del(r->entries, &mru->list, frame);
	ssdc_batch_add(batch, frame);
}

static void mru_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_list_add_tail(r->entries, &to_mru(r)->list, frame);
}

static ssdc_frame_t mru_pop_hottest(struct ssdc_replacement *r)
{
	return ssdc_list_pop_head(r->entries, &to_mru(r)->list);
}

static int mru_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	static const char *const names[] = { "mru" };

	return ssdc_lists_check(r, &to_mru(r)->list, names, 1, finding);
}

static const struct ssdc_tunable mru_tunables[] = {
	{ .name = "keep", .unit = "pages", .doc = "newest pages that are spared",
	  .offset = offsetof(struct mru, keep), .def = 0, .min = 0, .max = SSDC_STEP_FRAMES },
};

static const struct ssdc_stat mru_stats[] = {
	SSDC_STAT(struct mru, list.count, "mru_list", "pages", SSDC_GAUGE, "pages on the list"),
	SSDC_STAT(struct mru, kept, "passed_over", "pages", SSDC_COUNTER,
		  "pages that were spared"),
};

static struct ssdc_replacement_type mru_type = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "mru",
			.source = "textbook",
			.status = "a sample",
			.doc = "most recently used page first",
			.tunables = mru_tunables,
			.nr_tunables = ARRAY_SIZE(mru_tunables),
			.stats = mru_stats,
			.nr_stats = ARRAY_SIZE(mru_stats),
			.instance_bytes = sizeof(struct mru),
		},
	},
	.create = mru_create,
	.insert = mru_insert,
	.hit = mru_hit,
	.remove = mru_remove,
	.no_view = true,
	.victims = mru_victims,
	.adopt = mru_adopt,
	.pop_hottest = mru_pop_hottest,
	.check = mru_check,
};

ssdc_module_plugin(mru_type, "MRU replacement for ssdcache, a sample");
MODULE_AUTHOR("The dm-ssdcache developers");
