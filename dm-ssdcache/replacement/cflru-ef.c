// SPDX-License-Identifier: GPL-2.0
/*
 * CFLRU-EF: CFLRU that flushes dirty pages early, while the device is idle.
 *
 * Source	Shin, IEEE Access 8 (2020) [Shin20], as described in [Shin23]
 * Status	stand-in: the threshold's equations, see early-threshold.h
 * Cost		O(1) per access, no memory beyond struct ssdc_entry
 *
 * Clean pages leave first, in the whole DRAM tier. While the device is idle and the dirty
 * share exceeds the threshold, the least recent dirty pages are flushed and stay as clean
 * pages.
 *
 *	read miss        -> [ clean ] -> 1st choice
 *	                       ^ early flush of the tail
 *	insert, write hit -> [ dirty ] -> 2nd choice
 *
 * Pages cleaned by a FLUSH, which the paper does not cover, become the most recent clean
 * pages, in frame order.
 */
#include <linux/errno.h>
#include "early-threshold.h"

enum { CLEAN, DIRTY, NR_LISTS };

struct cflru_ef {
	struct ssdc_replacement r;
	struct ssdc_list lists[NR_LISTS];
	struct early_threshold early;
};

static struct cflru_ef *to_ef(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct cflru_ef, r);
}

static void ef_tuned(struct ssdc_replacement *r)
{
	early_threshold_tuned(&to_ef(r)->early, r);
}

static int ef_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		ssdc_list_init(&to_ef(r)->lists[i]);
	to_ef(r)->early.percent = to_ef(r)->early.threshold;
	ef_tuned(r);
	return 0;
}

static void unlink_page(struct cflru_ef *ef, ssdc_frame_t frame)
{
	ssdc_list_del(ef->r.entries, &ef->lists[ssdc_replacement_entry(&ef->r, frame)->list],
		      frame);
}

static void link_head(struct cflru_ef *ef, ssdc_frame_t frame, u8 list)
{
	ssdc_replacement_entry(&ef->r, frame)->list = list;
	ssdc_list_add_head(ef->r.entries, &ef->lists[list], frame);
}

static void ef_request(struct ssdc_replacement *r, const struct ssdc_host_request *rq)
{
	early_threshold_request(&to_ef(r)->early, r, rq);
}

static void ef_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
		      const struct ssdc_host_request *rq, bool dirty)
{
	ssdc_replacement_entry(r, frame)->weight = 0;
	link_head(to_ef(r), frame, dirty ? DIRTY : CLEAN);
}

static void ef_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		   const struct ssdc_host_request *rq, bool write)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(r, frame);
	u8 list = write ? DIRTY : entry->list;

	if (write)
		early_threshold_rewrite(&to_ef(r)->early, entry);
	unlink_page(to_ef(r), frame);
	link_head(to_ef(r), frame, list);
}

static void ef_clean(struct ssdc_replacement *r, ssdc_frame_t frame,
		     enum ssdc_flush_reason reason)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(r, frame);

	early_threshold_clean(entry, reason);
	if (entry->list == CLEAN)
		return;
	unlink_page(to_ef(r), frame);
	link_head(to_ef(r), frame, CLEAN);
}

static void ef_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	unlink_page(to_ef(r), frame);
}

static void ef_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
		       struct ssdc_batch *batch, unsigned int max)
{
	struct cflru_ef *ef = to_ef(r);
	ssdc_frame_t frame = ssdc_list_pop_tail(r->entries, &ef->lists[CLEAN]);

	if (frame == SSDC_NO_FRAME)
		frame = ssdc_list_pop_tail(r->entries, &ef->lists[DIRTY]);
	if (frame == SSDC_NO_FRAME)
		return;
	early_threshold_victim(&ef->early, ssdc_replacement_entry(r, frame));
	ssdc_batch_add(batch, frame);
}

/* Move the pages to the clean list at once: a write moves a page back. */
static bool ef_early(struct ssdc_replacement *r, const struct ssdc_view *view,
		     struct ssdc_batch *batch, unsigned int max)
{
	struct cflru_ef *ef = to_ef(r);
	u32 want = early_threshold_batch(&ef->early, r, view, max);

	while (batch->nr < want && !ssdc_list_empty(&ef->lists[DIRTY])) {
		ssdc_frame_t frame = ssdc_list_pop_tail(r->entries, &ef->lists[DIRTY]);

		link_head(ef, frame, CLEAN);
		ssdc_batch_add(batch, frame);
	}
	return false;
}

static void ef_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(r, frame);

	entry->weight = 0;
	entry->list = entry->flags & SSDC_E_DIRTY ? DIRTY : CLEAN;
	ssdc_list_add_tail(r->entries, &to_ef(r)->lists[entry->list], frame);
}

static ssdc_frame_t ef_pop_hottest(struct ssdc_replacement *r)
{
	struct cflru_ef *ef = to_ef(r);
	ssdc_frame_t frame = ssdc_replacement_hotter(r, ef->lists[CLEAN].head,
						     ef->lists[DIRTY].head);

	if (frame != SSDC_NO_FRAME)
		unlink_page(ef, frame);
	return frame;
}

static int ef_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	static const char *const names[NR_LISTS] = { "clean", "dirty" };

	return ssdc_lists_check(r, to_ef(r)->lists, names, NR_LISTS, finding);
}

static const struct ssdc_tunable ef_tunables[] = {
	EARLY_THRESHOLD_TUNABLES(struct cflru_ef, early),
};

static const struct ssdc_stat ef_stats[] = {
	SSDC_STAT(struct cflru_ef, lists[CLEAN].count, "clean_list", "pages", SSDC_GAUGE,
		  "pages on the clean list"),
	SSDC_STAT(struct cflru_ef, lists[DIRTY].count, "dirty_list", "pages", SSDC_GAUGE,
		  "pages on the dirty list"),
	EARLY_THRESHOLD_STATS(struct cflru_ef, early),
};

struct ssdc_replacement_type ssdc_cflru_ef = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "cflru-ef",
			.source = "Shin, IEEE Access 8 (2020) [Shin20]",
			.status = "as described in [Shin23]; stand-in: threshold equations",
			.doc = "clean pages first; idle device: flush the least recent dirty pages",
			.tunables = ef_tunables,
			.nr_tunables = ARRAY_SIZE(ef_tunables),
			.stats = ef_stats,
			.nr_stats = ARRAY_SIZE(ef_stats),
			.instance_bytes = sizeof(struct cflru_ef),
		},
	},
	.create = ef_create,
	.tuned = ef_tuned,
	.request = ef_request,
	.insert = ef_insert,
	.hit = ef_hit,
	.clean = ef_clean,
	.remove = ef_remove,
	.no_view = true,
	.victims = ef_victims,
	.early = ef_early,
	.adopt = ef_adopt,
	.pop_hottest = ef_pop_hottest,
	.check = ef_check,
};
