// SPDX-License-Identifier: GPL-2.0
/*
 * CFLRU-EF-SC: early flush with a second chance for rewritten pages.
 *
 * Source	Shin, Micromachines 14:796 (2023) [Shin23], sections 3.2 to 3.4, Fig. 1 to 3
 * Status	stand-in: the threshold's equations, see early-threshold.h
 * Cost		O(1) per access; an early flush moves up to O(n) pages between lists, in steps
 *		of SSDC_STEP_FRAMES. The write count is in struct ssdc_entry.
 *
 *	read miss         -> [ clean  ] -> 1st choice
 *	                        ^ early flush: write count 1
 *	insert, write hit -> [ dirty  ] -> 2nd choice
 *	                        v early flush: write count > 1, reset to 1
 *	                     [ second ] -> 3rd choice
 *	                        v tail, while longer than the dirty list
 *	                     head of [ dirty ]
 *
 * A write hit moves a page to the head of the dirty list, or of the second list if the page
 * is there. A flush keeps the write count, so a page that is written again after an early
 * flush has count 2 and earns a second chance (Fig. 2a: "the write count remains unchanged").
 *
 * There is one deviation. The paper balances the two lists only after an early flush has moved a
 * page, so balancing stops for good once the dirty list is empty. Here an early flush that finds
 * the dirty list empty balances the lists first.
 *
 * Pages cleaned by a FLUSH, which the paper does not cover, become the most recent clean
 * pages, in frame order.
 */
#include <linux/errno.h>
#include "early-threshold.h"

enum { CLEAN, DIRTY, SECOND, NR_LISTS };

#define MAX_COUNT (EARLY_FLUSHED - 1)

struct cflru_ef_sc {
	struct ssdc_replacement r;
	struct ssdc_list lists[NR_LISTS];
	struct early_threshold early;
	u32 charge;
	u64 second_chances;
};

static struct cflru_ef_sc *to_sc(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct cflru_ef_sc, r);
}

static void sc_tuned(struct ssdc_replacement *r)
{
	early_threshold_tuned(&to_sc(r)->early, r);
}

static int sc_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		ssdc_list_init(&to_sc(r)->lists[i]);
	to_sc(r)->early.percent = to_sc(r)->early.threshold;
	sc_tuned(r);
	return 0;
}

static void unlink_page(struct cflru_ef_sc *sc, ssdc_frame_t frame)
{
	ssdc_list_del(sc->r.entries, &sc->lists[ssdc_replacement_entry(&sc->r, frame)->list],
		      frame);
}

static void link_head(struct cflru_ef_sc *sc, ssdc_frame_t frame, u8 list)
{
	ssdc_replacement_entry(&sc->r, frame)->list = list;
	ssdc_list_add_head(sc->r.entries, &sc->lists[list], frame);
}

static u32 write_count(const struct ssdc_entry *entry)
{
	return entry->weight & ~EARLY_FLUSHED;
}

static void set_count(struct ssdc_entry *entry, u32 count)
{
	entry->weight = (entry->weight & EARLY_FLUSHED) | count;
}

static void sc_request(struct ssdc_replacement *r, const struct ssdc_host_request *rq)
{
	early_threshold_request(&to_sc(r)->early, r, rq);
}

static void sc_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
		      const struct ssdc_host_request *rq, bool dirty)
{
	ssdc_replacement_entry(r, frame)->weight = dirty;
	link_head(to_sc(r), frame, dirty ? DIRTY : CLEAN);
}

/* Fig. 1: (1) clean -> dirty, (2) within dirty, (3) within second. */
static void sc_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		   const struct ssdc_host_request *rq, bool write)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(r, frame);
	u8 list = write && entry->list == CLEAN ? DIRTY : entry->list;

	if (write) {
		early_threshold_rewrite(&to_sc(r)->early, entry);
		set_count(entry, min(write_count(entry) + 1, MAX_COUNT));
	}
	unlink_page(to_sc(r), frame);
	link_head(to_sc(r), frame, list);
}

static void sc_clean(struct ssdc_replacement *r, ssdc_frame_t frame,
		     enum ssdc_flush_reason reason)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(r, frame);

	early_threshold_clean(entry, reason);
	if (entry->list == CLEAN)
		return;
	unlink_page(to_sc(r), frame);
	link_head(to_sc(r), frame, CLEAN);
}

static void sc_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	unlink_page(to_sc(r), frame);
}

/*
 * Section 4 gives this policy less DRAM than its rivals, because the write count takes 4 bytes per
 * buffer: 64 of 128 Ki buffers.
 */
static bool sc_full(struct ssdc_replacement *r, const struct ssdc_host_request *rq)
{
	u32 page_bytes = r->plugin.tier->page_sectors << 9;
	u64 charged = (u64)r->capacity * to_sc(r)->charge + page_bytes - 1;

	return r->pages && r->pages >= r->capacity - div_u64(charged, page_bytes);
}

static void sc_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
		       struct ssdc_batch *batch, unsigned int max)
{
	struct cflru_ef_sc *sc = to_sc(r);
	unsigned int i;

	for (i = CLEAN; i < NR_LISTS; i++) {
		ssdc_frame_t frame = ssdc_list_pop_tail(r->entries, &sc->lists[i]);

		if (frame == SSDC_NO_FRAME)
			continue;
		early_threshold_victim(&sc->early, ssdc_replacement_entry(r, frame));
		ssdc_batch_add(batch, frame);
		return;
	}
}

/* Fig. 3, adjust_list_size(): keep the dirty list at least as long as the second list. */
static u32 even_out(struct cflru_ef_sc *sc, u32 limit)
{
	u32 moves = 0;

	while (sc->lists[DIRTY].count < sc->lists[SECOND].count && moves < limit) {
		link_head(sc, ssdc_list_pop_tail(sc->r.entries, &sc->lists[SECOND]), DIRTY);
		moves++;
	}
	return moves;
}

/*
 * Fig. 3, early_flush(), once per page to flush. The page moves to the clean list at once:
 * another write moves it back.
 */
static bool sc_early(struct ssdc_replacement *r, const struct ssdc_view *view,
		     struct ssdc_batch *batch, unsigned int max)
{
	struct cflru_ef_sc *sc = to_sc(r);
	u32 want = early_threshold_batch(&sc->early, r, view, max);
	u32 moves = 0;

	if (ssdc_list_empty(&sc->lists[DIRTY]))
		moves += even_out(sc, SSDC_STEP_FRAMES);
	while (batch->nr < want && moves < SSDC_STEP_FRAMES) {
		ssdc_frame_t frame = ssdc_list_pop_tail(r->entries, &sc->lists[DIRTY]);
		struct ssdc_entry *entry;

		if (frame == SSDC_NO_FRAME)
			return false;
		entry = ssdc_replacement_entry(r, frame);
		if (write_count(entry) > 1) {
			set_count(entry, 1);
			link_head(sc, frame, SECOND);
			sc->second_chances++;
		} else {
			link_head(sc, frame, CLEAN);
			ssdc_batch_add(batch, frame);
		}
		moves += 1 + even_out(sc, SSDC_STEP_FRAMES);
	}
	return batch->nr < want;
}

static void sc_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(r, frame);

	entry->list = entry->flags & SSDC_E_DIRTY ? DIRTY : CLEAN;
	entry->weight = entry->list == DIRTY;
	ssdc_list_add_tail(r->entries, &to_sc(r)->lists[entry->list], frame);
}

static ssdc_frame_t sc_pop_hottest(struct ssdc_replacement *r)
{
	struct cflru_ef_sc *sc = to_sc(r);
	ssdc_frame_t frame = SSDC_NO_FRAME;
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		frame = ssdc_replacement_hotter(r, sc->lists[i].head, frame);
	if (frame != SSDC_NO_FRAME)
		unlink_page(sc, frame);
	return frame;
}

static int sc_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	static const char *const names[NR_LISTS] = { "clean", "dirty", "second" };

	return ssdc_lists_check(r, to_sc(r)->lists, names, NR_LISTS, finding);
}

static const struct ssdc_tunable sc_tunables[] = {
	EARLY_THRESHOLD_TUNABLES(struct cflru_ef_sc, early),
	{ "charge", "bytes", "metadata per page that DRAM holds beside the pages; [Shin23]: 4",
	  offsetof(struct cflru_ef_sc, charge), 0, 0, 1024, NULL },
};

static const struct ssdc_stat sc_stats[] = {
	SSDC_STAT(struct cflru_ef_sc, lists[CLEAN].count, "clean_list", "pages", SSDC_GAUGE,
		  "pages on the clean list"),
	SSDC_STAT(struct cflru_ef_sc, lists[DIRTY].count, "dirty_list", "pages", SSDC_GAUGE,
		  "pages on the dirty list"),
	SSDC_STAT(struct cflru_ef_sc, lists[SECOND].count, "second_chance_list", "pages",
		  SSDC_GAUGE, "pages on the second-chance list"),
	SSDC_STAT(struct cflru_ef_sc, second_chances, "second_chances", "pages", SSDC_COUNTER,
		  "rewritten pages that an early flush spared"),
	EARLY_THRESHOLD_STATS(struct cflru_ef_sc, early),
};

struct ssdc_replacement_type ssdc_cflru_ef_sc = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "cflru-ef-sc",
			.source = "Shin, Micromachines 14:796 (2023) [Shin23]",
			.status = "as published; stand-in: threshold equations",
			.doc = "early flush with a second chance for rewritten pages",
			.tunables = sc_tunables,
			.nr_tunables = ARRAY_SIZE(sc_tunables),
			.stats = sc_stats,
			.nr_stats = ARRAY_SIZE(sc_stats),
			.instance_bytes = sizeof(struct cflru_ef_sc),
		},
	},
	.create = sc_create,
	.tuned = sc_tuned,
	.request = sc_request,
	.insert = sc_insert,
	.hit = sc_hit,
	.clean = sc_clean,
	.remove = sc_remove,
	.full = sc_full,
	.no_view = true,
	.victims = sc_victims,
	.early = sc_early,
	.adopt = sc_adopt,
	.pop_hottest = sc_pop_hottest,
	.check = sc_check,
};
