// SPDX-License-Identifier: GPL-2.0
/* LFU: lowest count first; among equals, the page that has had its count longest. */
#include "reference.h"

/* Page 0 is the one whose count changed last. */
struct lfu {
	struct ref ref;
	struct ref_list pages;
	struct ref_list counts;		/* count of the page at the same place */
};

static struct lfu *to_lfu(struct ref *ref)
{
	return (struct lfu *)ref;
}

static void destroy(struct ref *ref)
{
	ref_list_free(&to_lfu(ref)->pages);
	ref_list_free(&to_lfu(ref)->counts);
}

static void enter(struct lfu *lfu, size_t at, u64 page, u64 count)
{
	ref_list_insert(&lfu->pages, at, page);
	ref_list_insert(&lfu->counts, at, count);
}

/* Returns the page's count. */
static u64 leave(struct lfu *lfu, u64 page)
{
	size_t at;

	for (at = 0; at < lfu->pages.nr && lfu->pages.pages[at] != page; at++)
		;
	if (at == lfu->pages.nr)
		ref_differs("lfu: a page is not at its place in the reference");
	ref_list_take(&lfu->pages, at);
	return ref_list_take(&lfu->counts, at);
}

static void insert(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty)
{
	enter(to_lfu(ref), 0, page, 1);
}

static void hit(struct ref *ref, u64 page, const struct ref_request *rq, bool write)
{
	u64 count = leave(to_lfu(ref), page) + 1;

	enter(to_lfu(ref), 0, page, count > 255 ? 255 : count);
}

static void remove_page(struct ref *ref, u64 page)
{
	leave(to_lfu(ref), page);
}

static void victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	struct lfu *lfu = to_lfu(ref);
	size_t at, least = 0;

	if (!lfu->pages.nr)
		return;
	for (at = 0; at < lfu->pages.nr; at++)
		if (lfu->counts.pages[at] <= lfu->counts.pages[least])
			least = at;
	ref_list_add_tail(batch, lfu->pages.pages[least]);
	leave(lfu, lfu->pages.pages[least]);
}

static void adopt(struct ref *ref, u64 page)
{
	enter(to_lfu(ref), to_lfu(ref)->pages.nr, page, 1);
}

/* Counts change when a page is used, so the most recently used page is the first. */
static u64 pop_hottest(struct ref *ref)
{
	u64 page = ref_list_head(&to_lfu(ref)->pages);

	if (page != REF_NO_PAGE)
		leave(to_lfu(ref), page);
	return page;
}

const struct ref_type ref_lfu = {
	.name = "lfu",
	.bytes = sizeof(struct lfu),
	.destroy = destroy,
	.insert = insert,
	.hit = hit,
	.remove = remove_page,
	.victims = victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};
