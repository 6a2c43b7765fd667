// SPDX-License-Identifier: GPL-2.0
/* CCF-LRU, as described in dm-ssdcache/replacement/ccf-lru.c. */
#include "reference.h"

struct ccf {
	struct ref ref;
	struct ref_list cold_clean;
	struct ref_list mixed;
	struct ref_list hot;		/* in any order */
};

static struct ccf *to_ccf(struct ref *ref)
{
	return (struct ccf *)ref;
}

static void destroy(struct ref *ref)
{
	ref_list_free(&to_ccf(ref)->cold_clean);
	ref_list_free(&to_ccf(ref)->mixed);
	ref_list_free(&to_ccf(ref)->hot);
}

static void insert(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty)
{
	ref_list_add_head(dirty ? &to_ccf(ref)->mixed : &to_ccf(ref)->cold_clean, page);
}

static void remove_page(struct ref *ref, u64 page)
{
	ref_list_drop(&to_ccf(ref)->hot, page);
	if (!ref_list_drop(&to_ccf(ref)->cold_clean, page))
		ref_list_remove(&to_ccf(ref)->mixed, page);
}

static void hit(struct ref *ref, u64 page, const struct ref_request *rq, bool write)
{
	remove_page(ref, page);
	ref_list_add_head(&to_ccf(ref)->mixed, page);
	ref_list_add_head(&to_ccf(ref)->hot, page);
}

static void victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	struct ccf *ccf = to_ccf(ref);
	u32 looks = ref_tunable(ref, "looks");
	u64 page;

	if (ccf->cold_clean.nr) {
		ref_list_add_tail(batch, ref_list_pop_tail(&ccf->cold_clean));
		return;
	}
	while (ccf->mixed.nr) {
		page = ref_list_pop_tail(&ccf->mixed);
		if (!ref_list_drop(&ccf->hot, page) || !looks--) {
			ref_list_add_tail(batch, page);
			return;
		}
		ref_list_add_head(&ccf->mixed, page);
	}
}

static void adopt(struct ref *ref, u64 page)
{
	ref_list_add_tail(ref_dirty(ref, page) ? &to_ccf(ref)->mixed : &to_ccf(ref)->cold_clean, page);
}

static u64 pop_hottest(struct ref *ref)
{
	u64 page = ref_hotter(ref, ref_list_head(&to_ccf(ref)->mixed),
			      ref_list_head(&to_ccf(ref)->cold_clean));

	if (page != REF_NO_PAGE)
		remove_page(ref, page);
	return page;
}

const struct ref_type ref_ccf_lru = {
	.name = "ccf-lru",
	.bytes = sizeof(struct ccf),
	.destroy = destroy,
	.insert = insert,
	.hit = hit,
	.remove = remove_page,
	.victims = victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};
