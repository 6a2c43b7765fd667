// SPDX-License-Identifier: GPL-2.0
/*
 * SIEVE: a FIFO queue in which pages that were used since the hand passed them are spared, and stay
 * in their places.
 *
 * Source	Zhang et al., "SIEVE is simpler than LRU", NSDI 2024 [Zhang24]
 * Cost		O(1) per hit, no list operation; up to `looks` pages per eviction; no memory
 *		beyond struct ssdc_entry
 *
 *	insert -> head [ A B' C D' E ] tail		' visited: hit since insert or last pass
 *	                      ^ hand: moves from tail to head, clears ', evicts the first
 *	                        page without one; from the head it returns to the tail
 *
 * After the hand has passed `looks` visited pages, the next page leaves, visited or not, because an
 * eviction must not take long.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include "../policy-api/replacement.h"

struct sieve {
	struct ssdc_replacement r;
	struct ssdc_list list;
	ssdc_frame_t hand;		/* next page to look at, SSDC_NO_FRAME: the tail */
	u32 looks;			/* tunable */
	/* statistics */
	u64 spared;
	u64 cut_short;
};

static struct sieve *to_sieve(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct sieve, r);
}

static int sieve_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	ssdc_list_init(&to_sieve(r)->list);
	to_sieve(r)->hand = SSDC_NO_FRAME;
	return 0;
}

/* @weight of an entry is 1 if the page was visited; it is 0 on arrival. */
static void sieve_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
			 const struct ssdc_host_request *rq, bool dirty)
{
	ssdc_list_add_head(r->entries, &to_sieve(r)->list, frame);
}

static void sieve_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		      const struct ssdc_host_request *rq, bool write)
{
	ssdc_replacement_entry(r, frame)->weight = 1;
}

static void unlink_page(struct sieve *sieve, ssdc_frame_t frame)
{
	if (sieve->hand == frame)
		sieve->hand = ssdc_replacement_entry(&sieve->r, frame)->prev;
	ssdc_list_del(sieve->r.entries, &sieve->list, frame);
}

static void sieve_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	unlink_page(to_sieve(r), frame);
}

static void sieve_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			  struct ssdc_batch *batch, unsigned int max)
{
	struct sieve *sieve = to_sieve(r);
	ssdc_frame_t frame = sieve->hand;
	u32 i;

	if (ssdc_list_empty(&sieve->list))
		return;
	if (frame == SSDC_NO_FRAME)
		frame = sieve->list.tail;
	for (i = 0; i < sieve->looks && ssdc_replacement_entry(r, frame)->weight; i++) {
		ssdc_replacement_entry(r, frame)->weight = 0;
		sieve->spared++;
		frame = ssdc_replacement_entry(r, frame)->prev;
		if (frame == SSDC_NO_FRAME)
			frame = sieve->list.tail;
	}
	sieve->cut_short += ssdc_replacement_entry(r, frame)->weight;
	sieve->hand = frame;
	unlink_page(sieve, frame);
	ssdc_batch_add(batch, frame);
}

static void sieve_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_list_add_tail(r->entries, &to_sieve(r)->list, frame);
}

static ssdc_frame_t sieve_pop_hottest(struct ssdc_replacement *r)
{
	ssdc_frame_t frame = to_sieve(r)->list.head;

	if (frame != SSDC_NO_FRAME)
		unlink_page(to_sieve(r), frame);
	return frame;
}

static int sieve_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	static const char *const names[] = { "sieve" };
	const struct sieve *sieve = to_sieve(r);
	int result = ssdc_lists_check(r, &sieve->list, names, 1, finding);

	if (result || sieve->hand == SSDC_NO_FRAME)
		return result;
	if (!(ssdc_replacement_entry(r, sieve->hand)->flags & SSDC_E_POLICY))
		return ssdc_finding(finding, "the hand is at frame %u, whose page has left",
				    ssdc_frame_nr(sieve->hand));
	return 0;
}

static const struct ssdc_tunable sieve_tunables[] = {
	{ "looks", "pages", "visited pages that an eviction may pass",
	  offsetof(struct sieve, looks), 256, 1, 4096, NULL },
};

static const struct ssdc_stat sieve_stats[] = {
	SSDC_STAT(struct sieve, list.count, "sieve_list", "pages", SSDC_GAUGE,
		  "pages on the list"),
	SSDC_STAT(struct sieve, spared, "spared", "pages", SSDC_COUNTER,
		  "visited pages that the hand passed"),
	SSDC_STAT(struct sieve, cut_short, "cut_short", "pages", SSDC_COUNTER,
		  "victims that were visited, because of the limit on looks"),
};

struct ssdc_replacement_type ssdc_sieve = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "sieve",
			.source = "Zhang et al., NSDI 2024 [Zhang24]",
			.status = "as published; an eviction passes at most `looks` pages",
			.doc = "oldest page not used since the hand passed it first",
			.tunables = sieve_tunables,
			.nr_tunables = ARRAY_SIZE(sieve_tunables),
			.stats = sieve_stats,
			.nr_stats = ARRAY_SIZE(sieve_stats),
			.instance_bytes = sizeof(struct sieve),
			.on_request = true,
		},
	},
	.long_victims = true,
	.no_view = true,
	.create = sieve_create,
	.insert = sieve_insert,
	.hit = sieve_hit,
	.remove = sieve_remove,
	.victims = sieve_victims,
	.adopt = sieve_adopt,
	.pop_hottest = sieve_pop_hottest,
	.check = sieve_check,
};
