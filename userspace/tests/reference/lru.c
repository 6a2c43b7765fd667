// SPDX-License-Identifier: GPL-2.0
/* LRU and FIFO: one list. */
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

/* The same without hits. */
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
