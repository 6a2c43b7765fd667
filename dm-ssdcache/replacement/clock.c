// SPDX-License-Identifier: GPL-2.0
/*
 * CLOCK: a FIFO queue in which pages that were used since they entered get another round.
 *
 * Source	Corbato, "A Paging Experiment with the Multics System" (1968) [Corbato69]; counters
 *		of several bits as in libCacheSim [Yang20]
 * Cost		O(1) per hit, no list operation; up to `looks` pages per eviction; no memory
 *		beyond struct ssdc_entry
 *
 *	insert -> head [ D  C  B  A ] tail: where the hand is
 *	             ^---------------'	 count above 0: one less, another round
 *				     `-> count 0: victim
 *
 * A hit adds 1 to the page's count, which stops at 2^bits - 1. After an eviction has given `looks`
 * pages another round, the next page leaves regardless of its count, because an eviction must not
 * take long.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include "../policy-api/replacement.h"

struct clock {
	struct ssdc_replacement r;
	struct ssdc_list list;
	/* tunables */
	u32 bits;
	u32 looks;
	/* statistics */
	u64 spared;
	u64 cut_short;
};

static struct clock *to_clock(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct clock, r);
}

static int clock_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	ssdc_list_init(&to_clock(r)->list);
	return 0;
}

/* @weight of an entry is the count; it is 0 on arrival. */
static void clock_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
			 const struct ssdc_host_request *rq, bool dirty)
{
	ssdc_list_add_head(r->entries, &to_clock(r)->list, frame);
}

static void clock_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		      const struct ssdc_host_request *rq, bool write)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(r, frame);

	if (entry->weight + 1 < 1u << to_clock(r)->bits)
		entry->weight++;
}

static void clock_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_list_del(r->entries, &to_clock(r)->list, frame);
}

static void clock_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			  struct ssdc_batch *batch, unsigned int max)
{
	struct clock *clock = to_clock(r);
	struct ssdc_list *list = &clock->list;
	ssdc_frame_t frame = list->tail, spared = frame;
	u32 i, nr = 0;

	if (ssdc_list_empty(list))
		return;
	for (i = 0; i < clock->looks && ssdc_replacement_entry(r, frame)->weight; i++) {
		ssdc_replacement_entry(r, frame)->weight--;
		spared = frame;
		frame = ssdc_replacement_entry(r, frame)->prev;
		nr++;
		/* A whole round leaves the queue as it was. */
		if (frame == SSDC_NO_FRAME) {
			frame = list->tail;
			nr = 0;
		}
	}
	ssdc_list_move_tails(r->entries, list, list, spared, nr);
	clock->spared += i;
	clock->cut_short += ssdc_replacement_entry(r, list->tail)->weight != 0;
	ssdc_batch_add(batch, ssdc_list_pop_tail(r->entries, list));
}

static void clock_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_list_add_tail(r->entries, &to_clock(r)->list, frame);
}

/* Hits do not change the queue: its youngest page stands for the most recent one. */
static ssdc_frame_t clock_pop_hottest(struct ssdc_replacement *r)
{
	return ssdc_list_pop_head(r->entries, &to_clock(r)->list);
}

static int clock_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	static const char *const names[] = { "clock" };

	return ssdc_lists_check(r, &to_clock(r)->list, names, 1, finding);
}

static const struct ssdc_tunable clock_tunables[] = {
	{ "bits", "", "width of a page's count: 1 is CLOCK, more spare frequently used pages",
	  offsetof(struct clock, bits), 1, 1, 8, NULL },
	{ "looks", "pages", "pages that an eviction may give another round",
	  offsetof(struct clock, looks), 256, 1, 4096, NULL },
};

static const struct ssdc_stat clock_stats[] = {
	SSDC_STAT(struct clock, list.count, "clock_list", "pages", SSDC_GAUGE,
		  "pages on the list"),
	SSDC_STAT(struct clock, spared, "spared", "pages", SSDC_COUNTER,
		  "pages given another round"),
	SSDC_STAT(struct clock, cut_short, "cut_short", "pages", SSDC_COUNTER,
		  "victims that had been used, because of the limit on looks"),
};

struct ssdc_replacement_type ssdc_clock = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "clock",
			.source = "Corbato, MIT Project MAC MAC-M-384 (1968) [Corbato69]",
			.status = "as published; an eviction passes at most `looks` pages",
			.doc = "oldest page not used since its last round first",
			.tunables = clock_tunables,
			.nr_tunables = ARRAY_SIZE(clock_tunables),
			.stats = clock_stats,
			.nr_stats = ARRAY_SIZE(clock_stats),
			.instance_bytes = sizeof(struct clock),
			.on_request = true,
		},
	},
	.long_victims = true,
	.no_view = true,
	.create = clock_create,
	.insert = clock_insert,
	.hit = clock_hit,
	.remove = clock_remove,
	.victims = clock_victims,
	.adopt = clock_adopt,
	.pop_hottest = clock_pop_hottest,
	.check = clock_check,
};
