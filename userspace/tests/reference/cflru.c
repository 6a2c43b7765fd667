// SPDX-License-Identifier: GPL-2.0
/* CFLRU: the least recent clean page within the last `window` pages, else the last page. */
#include "reference.h"

struct cflru {
	struct ref ref;
	struct ref_list pages;
};

static struct ref_list *pages(struct ref *ref)
{
	return &((struct cflru *)ref)->pages;
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
	size_t window = (u64)ref->frames * ref_tunable(ref, "window") / 100;
	size_t i, at, nr = pages(ref)->nr;

	for (i = 0; i < window && i < nr; i++) {
		at = nr - 1 - i;
		if (ref_dirty(ref, pages(ref)->pages[at]))
			continue;
		ref_list_add_tail(batch, ref_list_take(pages(ref), at));
		return;
	}
	if (nr)
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

const struct ref_type ref_cflru = {
	.name = "cflru",
	.bytes = sizeof(struct cflru),
	.calm = true,
	.destroy = destroy,
	.insert = insert,
	.hit = hit,
	.remove = remove_page,
	.victims = victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};
