// SPDX-License-Identifier: GPL-2.0
/*
 * SLRU: pages that were hit are protected from those that were not.
 *
 * Source	Karedla, Love & Wherry, "Caching strategies to improve disk system performance",
 *		IEEE Computer 27(3), 1994
 * Cost		O(1) per access
 *
 *	insert -> [ probation ] -> 1st choice
 *		    |       ^
 *		   hit     beyond `protected` percent of DRAM
 *		    v       |
 *	hit ->    [ protected ] -> 2nd choice
 */
#include <linux/math64.h>
#include "dm-ssdcache-policy.h"

enum { PROBATION, PROTECTED, NR_LISTS };

/* A smaller share takes effect gradually: each hit moves at most this many pages. */
#define MOVES 4

struct slru {
	struct ssdc_replacement r;	/* must be first */
	struct ssdc_list lists[NR_LISTS];
	u32 share;			/* of the protected list, percent of the tier */
	u64 promoted;
};

static struct slru *to_slru(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct slru, r);
}

static int slru_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	ssdc_list_init(&to_slru(r)->lists[PROBATION]);
	ssdc_list_init(&to_slru(r)->lists[PROTECTED]);
	return 0;
}

static void link_head(struct slru *slru, ssdc_frame_t frame, u8 list)
{
	ssdc_replacement_entry(&slru->r, frame)->list = list;
	ssdc_list_add_head(slru->r.entries, &slru->lists[list], frame);
}

static void slru_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
			const struct ssdc_host_request *rq, bool dirty)
{
	link_head(to_slru(r), frame, PROBATION);
}

static void slru_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_list_del(r->entries, &to_slru(r)->lists[ssdc_replacement_entry(r, frame)->list],
		      frame);
}

static void slru_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		     const struct ssdc_host_request *rq, bool write)
{
	struct slru *slru = to_slru(r);
	struct ssdc_list *protected = &slru->lists[PROTECTED];
	u32 i, most = div_u64((u64)r->capacity * slru->share, 100);

	slru->promoted += ssdc_replacement_entry(r, frame)->list == PROBATION;
	slru_remove(r, frame);
	link_head(slru, frame, PROTECTED);
	for (i = 0; i < MOVES && protected->count > most; i++)
		link_head(slru, ssdc_list_pop_tail(r->entries, protected), PROBATION);
}

static void slru_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			 struct ssdc_batch *batch, unsigned int max)
{
	struct slru *slru = to_slru(r);
	u8 list = ssdc_list_empty(&slru->lists[PROBATION]) ? PROTECTED : PROBATION;

	if (!ssdc_list_empty(&slru->lists[list]))
		ssdc_batch_add(batch, ssdc_list_pop_tail(r->entries, &slru->lists[list]));
}

static void slru_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_list_add_tail(r->entries, &to_slru(r)->lists[PROBATION], frame);
}

static ssdc_frame_t slru_pop_hottest(struct ssdc_replacement *r)
{
	struct slru *slru = to_slru(r);
	ssdc_frame_t frame = ssdc_replacement_hotter(r, slru->lists[PROTECTED].head,
						     slru->lists[PROBATION].head);

	if (frame != SSDC_NO_FRAME)
		slru_remove(r, frame);
	return frame;
}

static int slru_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	static const char *const names[NR_LISTS] = { "probation", "protected" };

	return ssdc_lists_check(r, to_slru(r)->lists, names, NR_LISTS, finding);
}

static const struct ssdc_tunable slru_tunables[] = {
	{ .name = "protected", .unit = "percent", .doc = "DRAM share of pages that were hit",
	  .offset = offsetof(struct slru, share), .def = 80, .min = 1, .max = 99 },
};

static const struct ssdc_stat slru_stats[] = {
	SSDC_STAT(struct slru, lists[PROBATION].count, "probation_list", "pages", SSDC_GAUGE,
		  "pages not hit lately"),
	SSDC_STAT(struct slru, lists[PROTECTED].count, "protected_list", "pages", SSDC_GAUGE,
		  "protected pages"),
	SSDC_STAT(struct slru, promoted, "promoted", "pages", SSDC_COUNTER,
		  "pages that a hit has protected"),
};

static struct ssdc_replacement_type slru_type = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "slru",
			.source = "Karedla et al., IEEE Computer 27(3), 1994",
			.status = "as published",
			.doc = "pages never hit first, then the least recently used one",
			.tunables = slru_tunables,
			.nr_tunables = ARRAY_SIZE(slru_tunables),
			.stats = slru_stats,
			.nr_stats = ARRAY_SIZE(slru_stats),
			.instance_bytes = sizeof(struct slru),
		},
	},
	.create = slru_create,
	.insert = slru_insert,
	.hit = slru_hit,
	.remove = slru_remove,
	.no_view = true,
	.victims = slru_victims,
	.adopt = slru_adopt,
	.pop_hottest = slru_pop_hottest,
	.check = slru_check,
};

ssdc_module_plugin(slru_type, "SLRU replacement for ssdcache");
MODULE_AUTHOR("The dm-ssdcache developers");
