// SPDX-License-Identifier: GPL-2.0
/*
 * LRU: the least recently used page leaves.
 *
 * Source	textbook; built into SSDsim [Hu11] and MQSim [Tavakkol18], and the baseline of
 *		[Sha23], [Li22] and [Lin22]
 * Cost		O(1) per access, no memory beyond struct ssdc_entry
 *
 *	insert, hit -> head [ A B C ... ] tail -> victim
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include "../policy-api/replacement.h"

struct lru {
	struct ssdc_replacement r;
	struct ssdc_list list;
};

static int lru_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	ssdc_list_init(&container_of(r, struct lru, r)->list);
	return 0;
}

static void lru_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
		       const struct ssdc_host_request *rq, bool dirty)
{
	ssdc_list_add_head(r->entries, &container_of(r, struct lru, r)->list, frame);
}

static void lru_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		    const struct ssdc_host_request *rq, bool write)
{
	ssdc_list_move_head(r->entries, &container_of(r, struct lru, r)->list, frame);
}

static void lru_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_list_del(r->entries, &container_of(r, struct lru, r)->list, frame);
}

static void lru_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			struct ssdc_batch *batch, unsigned int max)
{
	struct lru *lru = container_of(r, struct lru, r);

	if (!ssdc_list_empty(&lru->list))
		ssdc_batch_add(batch, ssdc_list_pop_tail(r->entries, &lru->list));
}

static void lru_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_list_add_tail(r->entries, &container_of(r, struct lru, r)->list, frame);
}

static ssdc_frame_t lru_pop_hottest(struct ssdc_replacement *r)
{
	return ssdc_list_pop_head(r->entries, &container_of(r, struct lru, r)->list);
}

static int lru_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	static const char *const names[] = { "lru" };

	return ssdc_lists_check(r, &container_of(r, struct lru, r)->list, names, 1, finding);
}

static const struct ssdc_stat lru_stats[] = {
	SSDC_STAT(struct lru, list.count, "lru_list", "pages", SSDC_GAUGE, "pages on the list"),
};

struct ssdc_replacement_type ssdc_lru = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "lru",
			.source = "textbook; built into SSDsim [Hu11] and MQSim [Tavakkol18]",
			.status = "as published",
			.doc = "least recently used page first",
			.stats = lru_stats,
			.nr_stats = ARRAY_SIZE(lru_stats),
			.instance_bytes = sizeof(struct lru),
		},
	},
	.create = lru_create,
	.insert = lru_insert,
	.hit = lru_hit,
	.remove = lru_remove,
	.no_view = true,
	.victims = lru_victims,
	.adopt = lru_adopt,
	.pop_hottest = lru_pop_hottest,
	.check = lru_check,
};
