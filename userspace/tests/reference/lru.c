// SPDX-License-Identifier: GPL-2.0
/*
 * Policies with one list: LRU and FIFO; ECR, LCR and GCaR as described in
 * dm-ssdcache/replacement, but looking up the chip of each page separately.
 */
#include "reference.h"

struct one_list {
	struct ref ref;
	struct ref_list pages;
};

static struct ref_list *pages(struct ref *ref)
{
	return &((struct one_list *)ref)->pages;
}

static void destroy(struct ref *ref)
{
	ref_list_free(pages(ref));
}

static void insert(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty)
{
	ref_list_add_head(pages(ref), page);
}

static void hit(struct ref *ref, u64 page, const struct ref_request *rq, bool write)
{
	ref_list_remove(pages(ref), page);
	ref_list_add_head(pages(ref), page);
}

static void remove_page(struct ref *ref, u64 page)
{
	ref_list_remove(pages(ref), page);
}

static void victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	if (pages(ref)->nr)
		ref_list_add_tail(batch, ref_list_pop_tail(pages(ref)));
}

static void adopt(struct ref *ref, u64 page)
{
	ref_list_add_tail(pages(ref), page);
}

static u64 pop_hottest(struct ref *ref)
{
	return ref_list_pop_head(pages(ref));
}

const struct ref_type ref_lru = {
	.name = "lru",
	.bytes = sizeof(struct one_list),
	.destroy = destroy,
	.insert = insert,
	.hit = hit,
	.remove = remove_page,
	.victims = victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};

/* FIFO: the same without hits. */
const struct ref_type ref_fifo = {
	.name = "fifo",
	.bytes = sizeof(struct one_list),
	.destroy = destroy,
	.insert = insert,
	.remove = remove_page,
	.victims = victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};

/* ---- ECR, LCR ---- */

/* Number of candidates at the cold end. */
static size_t window(struct ref *ref)
{
	size_t nr = pages(ref)->nr * ref_tunable(ref, "window") / 100;

	if (nr > ref_tunable(ref, "candidates"))
		nr = ref_tunable(ref, "candidates");
	return nr ? nr : 1;
}

/* The page at place @i, counted from the cold end. */
static u64 coldest(struct ref *ref, size_t i)
{
	return pages(ref)->pages[pages(ref)->nr - 1 - i];
}

static void leave(struct ref *ref, u64 page, struct ref_list *batch)
{
	ref_list_remove(pages(ref), page);
	ref_list_add_tail(batch, page);
}

/* 0 for a clean page; for a dirty page, its chip's queue and its own program. */
static u64 cost(struct ref *ref, u64 page)
{
	return ref_dirty(ref, page) ? (u64)ref_chip(ref, page, true).depth + 1 : 0;
}

static void ecr_victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	u64 best;
	size_t i;

	if (!pages(ref)->nr)
		return;
	best = coldest(ref, 0);
	for (i = 1; i < window(ref); i++)
		if (cost(ref, coldest(ref, i)) < cost(ref, best))
			best = coldest(ref, i);
	leave(ref, best, batch);
}

static bool is_overloaded(struct ref *ref, const struct ssdc_view *view, u64 page)
{
	double mean = (double)view->queued / view->units;
	u64 depth = ref_chip(ref, page, ref_dirty(ref, page)).depth;

	return depth * 100.0 > mean * ref_tunable(ref, "overload") * (1 + 1e-12);
}

static void lcr_victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	size_t i;

	if (!pages(ref)->nr)
		return;
	for (i = 0; i < window(ref); i++) {
		if (!is_overloaded(ref, view, coldest(ref, i))) {
			leave(ref, coldest(ref, i), batch);
			return;
		}
	}
	leave(ref, coldest(ref, 0), batch);
}

static void gcar_victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	size_t i;

	for (i = 0; i < pages(ref)->nr && i < ref_tunable(ref, "candidates"); i++) {
		u64 page = coldest(ref, i);

		if (!ref_chip(ref, page, ref_dirty(ref, page)).gc) {
			leave(ref, page, batch);
			return;
		}
	}
	if (pages(ref)->nr)
		leave(ref, coldest(ref, 0), batch);
}

const struct ref_type ref_gcar = {
	.name = "gcar",
	.bytes = sizeof(struct one_list),
	.destroy = destroy,
	.insert = insert,
	.hit = hit,
	.remove = remove_page,
	.victims = gcar_victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};

const struct ref_type ref_ecr = {
	.name = "ecr",
	.bytes = sizeof(struct one_list),
	.destroy = destroy,
	.insert = insert,
	.hit = hit,
	.remove = remove_page,
	.victims = ecr_victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};

const struct ref_type ref_lcr = {
	.name = "lcr",
	.bytes = sizeof(struct one_list),
	.destroy = destroy,
	.insert = insert,
	.hit = hit,
	.remove = remove_page,
	.victims = lcr_victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};
