// SPDX-License-Identifier: GPL-2.0
/*
 * CCF-LRU: cold clean pages leave first; hot pages, clean or dirty, have another round.
 *
 * Source	Li et al., IEEE TCE 55(3), 2009 [Li09]: the abstract, and descriptions and code of
 *		others. The full text was not available.
 * Cost		O(1) per access; up to `looks` pages per eviction; no memory beyond struct
 *		ssdc_entry
 *
 *	read for the first time    -> [ cold clean ] -> 1st choice
 *	written for the first time -> [ mixed ]	     -> 2nd choice, if cold and dirty
 *	used again		   -> [ mixed ], hot
 *
 *	at the tail of the mixed list:	hot	   -> cold, to its head
 *					cold clean -> cold clean list, so leaves
 *					cold dirty -> flushed, leaves
 *
 * From the abstract: clean pages are cold or hot, cold clean pages leave first, and the eviction of
 * hot clean pages is delayed.
 *
 * STAND-IN: a page is hot once it has been used again; there is a limit on looks, after which the
 * next page leaves, whether hot or cold; a dirty page that a flush has cleaned stays in its place.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include "../policy-api/replacement.h"

enum { COLD_CLEAN, MIXED, NR_LISTS };

struct ccf_lru {
	struct ssdc_replacement r;
	struct ssdc_list lists[NR_LISTS];
	u32 looks;			/* tunable */
	/* statistics */
	u64 clean_victims;
	u64 dirty_victims;
	u64 spared;
};

static struct ccf_lru *to_ccf(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct ccf_lru, r);
}

static int ccf_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	ssdc_list_init(&to_ccf(r)->lists[COLD_CLEAN]);
	ssdc_list_init(&to_ccf(r)->lists[MIXED]);
	return 0;
}

static bool is_dirty(const struct ssdc_replacement *r, ssdc_frame_t frame)
{
	return ssdc_replacement_entry(r, frame)->flags & SSDC_E_DIRTY;
}

/* @weight of an entry is 1 if the page is hot; it is 0 on arrival. */
static void ccf_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
		       const struct ssdc_host_request *rq, bool dirty)
{
	u8 list = dirty ? MIXED : COLD_CLEAN;

	ssdc_replacement_entry(r, frame)->list = list;
	ssdc_list_add_head(r->entries, &to_ccf(r)->lists[list], frame);
}

static void ccf_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_list_del(r->entries, &to_ccf(r)->lists[ssdc_replacement_entry(r, frame)->list], frame);
}

static void ccf_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		    const struct ssdc_host_request *rq, bool write)
{
	ccf_remove(r, frame);
	ssdc_replacement_entry(r, frame)->list = MIXED;
	ssdc_replacement_entry(r, frame)->weight = 1;
	ssdc_list_add_head(r->entries, &to_ccf(r)->lists[MIXED], frame);
}

/* Hot pages at the tail of the mixed list -> cold pages at its head. */
static void spare_hot(struct ccf_lru *ccf)
{
	struct ssdc_list *mixed = &ccf->lists[MIXED];
	ssdc_frame_t frame = mixed->tail, spared = frame;
	u32 nr;

	for (nr = 0; nr < ccf->looks && frame != SSDC_NO_FRAME; nr++) {
		struct ssdc_entry *entry = ssdc_replacement_entry(&ccf->r, frame);

		if (!entry->weight)
			break;
		entry->weight = 0;
		spared = frame;
		frame = entry->prev;
	}
	ccf->spared += nr;
	ssdc_list_move_tails(ccf->r.entries, mixed, mixed, spared, nr);
}

static void ccf_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			struct ssdc_batch *batch, unsigned int max)
{
	struct ccf_lru *ccf = to_ccf(r);
	struct ssdc_list *mixed = &ccf->lists[MIXED];
	ssdc_frame_t frame = ssdc_list_pop_tail(r->entries, &ccf->lists[COLD_CLEAN]);

	if (frame == SSDC_NO_FRAME && ssdc_list_empty(mixed))
		return;
	if (frame == SSDC_NO_FRAME) {
		spare_hot(ccf);
		frame = ssdc_list_pop_tail(r->entries, mixed);
	}
	if (is_dirty(r, frame))
		ccf->dirty_victims++;
	else
		ccf->clean_victims++;
	ssdc_batch_add(batch, frame);
}

static void ccf_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	u8 list = is_dirty(r, frame) ? MIXED : COLD_CLEAN;

	ssdc_replacement_entry(r, frame)->list = list;
	ssdc_list_add_tail(r->entries, &to_ccf(r)->lists[list], frame);
}

static ssdc_frame_t ccf_pop_hottest(struct ssdc_replacement *r)
{
	struct ccf_lru *ccf = to_ccf(r);
	ssdc_frame_t frame = ssdc_replacement_hotter(r, ccf->lists[MIXED].head,
						     ccf->lists[COLD_CLEAN].head);

	if (frame != SSDC_NO_FRAME)
		ccf_remove(r, frame);
	return frame;
}

static int ccf_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	static const char *const names[NR_LISTS] = { "cold clean", "mixed" };
	const struct ccf_lru *ccf = to_ccf(r);
	ssdc_frame_t frame = ccf->lists[COLD_CLEAN].head;

	for (; frame != SSDC_NO_FRAME; frame = ssdc_replacement_entry(r, frame)->next)
		if (is_dirty(r, frame) || ssdc_replacement_entry(r, frame)->weight)
			return ssdc_finding(finding,
					    "frame %u is on list \"cold clean\", dirty or hot",
					    ssdc_frame_nr(frame));
	return ssdc_lists_check(r, ccf->lists, names, NR_LISTS, finding);
}

static const struct ssdc_tunable ccf_tunables[] = {
	{ "looks", "pages", "hot pages that an eviction may give another round",
	  offsetof(struct ccf_lru, looks), 256, 1, 4096, NULL },
};

static const struct ssdc_stat ccf_stats[] = {
	SSDC_STAT(struct ccf_lru, lists[COLD_CLEAN].count, "cold_clean_list", "pages", SSDC_GAUGE,
		  "pages read once"),
	SSDC_STAT(struct ccf_lru, lists[MIXED].count, "mixed_list", "pages", SSDC_GAUGE,
		  "pages written, or used again"),
	SSDC_STAT(struct ccf_lru, clean_victims, "clean_victims", "pages", SSDC_COUNTER,
		  "clean victims"),
	SSDC_STAT(struct ccf_lru, dirty_victims, "dirty_victims", "pages", SSDC_COUNTER,
		  "dirty victims"),
	SSDC_STAT(struct ccf_lru, spared, "spared", "pages", SSDC_COUNTER,
		  "hot pages given another round"),
};

struct ssdc_replacement_type ssdc_ccf_lru = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "ccf-lru",
			.source = "Li et al., IEEE TCE 55(3), 2009 [Li09]",
			.status = "stand-in from abstract and others' descriptions: hot, looks",
			.doc = "cold clean pages first, then cold dirty ones; hot pages stay",
			.tunables = ccf_tunables,
			.nr_tunables = ARRAY_SIZE(ccf_tunables),
			.stats = ccf_stats,
			.nr_stats = ARRAY_SIZE(ccf_stats),
			.instance_bytes = sizeof(struct ccf_lru),
			.on_request = true,
		},
	},
	.long_victims = true,
	.no_view = true,
	.create = ccf_create,
	.insert = ccf_insert,
	.hit = ccf_hit,
	.remove = ccf_remove,
	.victims = ccf_victims,
	.adopt = ccf_adopt,
	.pop_hottest = ccf_pop_hottest,
	.check = ccf_check,
};
