// SPDX-License-Identifier: GPL-2.0
/*
 * W-TinyLFU, section 4 of [Einziger17]. The sketch is four rows of counters; which counters a page
 * has is a choice of dm-ssdcache/replacement/w-tinylfu.c that is repeated here.
 */
#include <stdlib.h>
#include "reference.h"

enum { WINDOW, PROBATION, PROTECTED, NR_LISTS };

#define ROWS 4

struct w_tinylfu {
	struct ref ref;
	struct ref_list lists[NR_LISTS];
	size_t columns;			/* per row */
	unsigned char *rows[ROWS];
	u64 uses;
};

static struct w_tinylfu *to_w(struct ref *ref)
{
	return (struct w_tinylfu *)ref;
}

static void create(struct ref *ref)
{
	struct w_tinylfu *w = to_w(ref);
	unsigned int row;

	for (w->columns = 4; w->columns < 4 * (size_t)ref->frames; w->columns *= 2)
		;
	for (row = 0; row < ROWS; row++)
		w->rows[row] = xcalloc(w->columns, 1);
}

static void destroy(struct ref *ref)
{
	struct w_tinylfu *w = to_w(ref);
	unsigned int i;

	for (i = 0; i < ROWS; i++)
		free(w->rows[i]);
	for (i = 0; i < NR_LISTS; i++)
		ref_list_free(&w->lists[i]);
}

/* Groups of four columns, selected by bits 24 and up of the hash; the two highest say which one. */
static unsigned char *counter(struct w_tinylfu *w, u64 page, unsigned int row)
{
	static const u64 factors[ROWS] = {
		11400714819323198485ULL, 14029467366897019727ULL,
		1609587929392839161ULL, 15485907386658061715ULL,
	};
	u64 hash = (page + row + 1) * factors[row];

	hash ^= hash / 4294967296ULL;
	hash *= factors[0];
	return &w->rows[row][hash / 16777216 % (w->columns / 4) * 4 + hash / (1ULL << 62)];
}

static unsigned int uses_of(struct w_tinylfu *w, u64 page)
{
	unsigned int row, least = 15;

	for (row = 0; row < ROWS; row++)
		if (*counter(w, page, row) < least)
			least = *counter(w, page, row);
	return least;
}

static void count(struct w_tinylfu *w, u64 page)
{
	unsigned int row, least = uses_of(w, page);
	size_t i;

	for (row = 0; row < ROWS; row++)
		if (least < 15 && *counter(w, page, row) == least)
			(*counter(w, page, row))++;
	if (++w->uses < (u64)w->ref.frames * ref_tunable(&w->ref, "sample"))
		return;
	w->uses /= 2;
	for (row = 0; row < ROWS; row++)
		for (i = 0; i < w->columns; i++)
			w->rows[row][i] /= 2;
}

static u64 window_size(struct ref *ref)
{
	u64 size = (u64)ref->frames * ref_tunable(ref, "window") / 100;

	return size ? size : 1;
}

static void spill(struct w_tinylfu *w, unsigned int from, u64 most)
{
	unsigned int i;

	for (i = 0; i < 4 && w->lists[from].nr > most; i++)
		ref_list_add_head(&w->lists[PROBATION], ref_list_pop_tail(&w->lists[from]));
}

static void insert(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty)
{
	count(to_w(ref), page);
	ref_list_add_head(&to_w(ref)->lists[WINDOW], page);
	spill(to_w(ref), WINDOW, window_size(ref));
}

static void remove_page(struct ref *ref, u64 page)
{
	if (!ref_list_drop(&to_w(ref)->lists[WINDOW], page) &&
	    !ref_list_drop(&to_w(ref)->lists[PROBATION], page))
		ref_list_remove(&to_w(ref)->lists[PROTECTED], page);
}

static void hit(struct ref *ref, u64 page, const struct ref_request *rq, bool write)
{
	struct w_tinylfu *w = to_w(ref);
	bool in_window = ref_list_has(&w->lists[WINDOW], page);

	count(w, page);
	remove_page(ref, page);
	ref_list_add_head(&w->lists[in_window ? WINDOW : PROTECTED], page);
	spill(w, PROTECTED,
	      (ref->frames - window_size(ref)) * ref_tunable(ref, "protected") / 100);
}

static void victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	struct w_tinylfu *w = to_w(ref);
	struct ref_list *window = &w->lists[WINDOW];
	struct ref_list *last = &w->lists[w->lists[PROBATION].nr ? PROBATION : PROTECTED];
	u64 candidate, page;

	if (!last->nr) {
		if (window->nr)
			ref_list_add_tail(batch, ref_list_pop_tail(window));
		return;
	}
	page = last->pages[last->nr - 1];
	if (window->nr >= window_size(ref)) {
		candidate = ref_list_pop_tail(window);
		if (uses_of(w, candidate) <= uses_of(w, page)) {
			ref_list_add_tail(batch, candidate);
			return;
		}
		ref_list_add_head(&w->lists[PROBATION], candidate);
	}
	remove_page(ref, page);
	ref_list_add_tail(batch, page);
}

static void adopt(struct ref *ref, u64 page)
{
	ref_list_add_tail(&to_w(ref)->lists[PROBATION], page);
}

static u64 pop_hottest(struct ref *ref)
{
	u64 page = ref_hottest(ref, to_w(ref)->lists, NR_LISTS);

	if (page != REF_NO_PAGE)
		remove_page(ref, page);
	return page;
}

const struct ref_type ref_w_tinylfu = {
	.name = "w-tinylfu",
	.bytes = sizeof(struct w_tinylfu),
	.create = create,
	.destroy = destroy,
	.insert = insert,
	.hit = hit,
	.remove = remove_page,
	.victims = victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};
