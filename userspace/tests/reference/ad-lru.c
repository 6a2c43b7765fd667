// SPDX-License-Identifier: GPL-2.0
/* AD-LRU, as described in dm-ssdcache/replacement/ad-lru.c, with one list per queue. */
#include "reference.h"

enum { COLD, HOT, NR_QUEUES };

struct ad {
	struct ref ref;
	struct ref_list queues[NR_QUEUES];
	struct ref_list warned;		/* pages that had their second chance, in any order */
};

static struct ad *to_ad(struct ref *ref)
{
	return (struct ad *)ref;
}

static void destroy(struct ref *ref)
{
	ref_list_free(&to_ad(ref)->queues[COLD]);
	ref_list_free(&to_ad(ref)->queues[HOT]);
	ref_list_free(&to_ad(ref)->warned);
}

static void insert(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty)
{
	ref_list_add_head(&to_ad(ref)->queues[COLD], page);
}

static void remove_page(struct ref *ref, u64 page)
{
	ref_list_drop(&to_ad(ref)->warned, page);
	if (!ref_list_drop(&to_ad(ref)->queues[COLD], page))
		ref_list_remove(&to_ad(ref)->queues[HOT], page);
}

static void hit(struct ref *ref, u64 page, const struct ref_request *rq, bool write)
{
	remove_page(ref, page);
	ref_list_add_head(&to_ad(ref)->queues[HOT], page);
}

/* The clean page of the queue that was used least recently. */
static u64 first_clean(struct ref *ref, const struct ref_list *queue)
{
	u64 page = REF_NO_PAGE;
	size_t i;

	for (i = 0; i < queue->nr; i++)
		if (!ref_dirty(ref, queue->pages[i]) &&
		    (page == REF_NO_PAGE || ref_hotter(ref, page, queue->pages[i]) == page))
			page = queue->pages[i];
	return page;
}

static u64 take_dirty(struct ref *ref, struct ref_list *queue)
{
	u32 looks = ref_tunable(ref, "looks");
	u64 page;

	while (!ref_list_has(&to_ad(ref)->warned, page = ref_list_pop_tail(queue)) && looks--) {
		ref_list_add_head(&to_ad(ref)->warned, page);
		ref_list_add_head(queue, page);
	}
	return page;
}

static void victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	struct ad *ad = to_ad(ref);
	u64 least = (u64)ref->frames * ref_tunable(ref, "min_cold") / 100, page;
	struct ref_list *queue = &ad->queues[ad->queues[COLD].nr > least ? COLD : HOT];

	if (!queue->nr)
		queue = &ad->queues[COLD];
	if (!queue->nr)
		return;
	page = first_clean(ref, queue);
	if (page == REF_NO_PAGE)
		page = take_dirty(ref, queue);
	else
		ref_list_remove(queue, page);
	ref_list_drop(&ad->warned, page);
	ref_list_add_tail(batch, page);
}

static void adopt(struct ref *ref, u64 page)
{
	ref_list_add_tail(&to_ad(ref)->queues[COLD], page);
}

/* No changes of policy are compared. */
static u64 pop_hottest(struct ref *ref)
{
	u64 page = ref_hottest(ref, to_ad(ref)->queues, NR_QUEUES);

	if (page != REF_NO_PAGE)
		remove_page(ref, page);
	return page;
}

const struct ref_type ref_ad_lru = {
	.name = "ad-lru",
	.bytes = sizeof(struct ad),
	.calm = true,
	.destroy = destroy,
	.insert = insert,
	.hit = hit,
	.remove = remove_page,
	.victims = victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};
