// SPDX-License-Identifier: GPL-2.0
/* FAB: the block with the most pages leaves; among equals, the least recently written. */
#include "reference.h"

struct fab {
	struct ref ref;
	struct ref_blocks blocks;	/* most recently written first */
	u64 writing;			/* number of the block that the newest request is writing */
};

static struct fab *to_fab(struct ref *ref)
{
	return (struct fab *)ref;
}

static void destroy(struct ref *ref)
{
	ref_blocks_free(&to_fab(ref)->blocks);
}

static size_t get_block(struct fab *fab, u64 page)
{
	u64 span = ref_tunable(&fab->ref, "block"), first = page - page % span;
	size_t at = ref_blocks_at(&fab->blocks, first, span);

	if (at == fab->blocks.nr) {
		ref_blocks_insert(&fab->blocks, at);
		fab->blocks.at[at].first = first;
		fab->blocks.at[at].span = span;
	}
	return at;
}

static void request(struct ref *ref, const struct ref_request *rq)
{
	to_fab(ref)->writing = 0;
}

static void insert(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty)
{
	struct fab *fab = to_fab(ref);
	size_t at = get_block(fab, page);

	ref_list_add_head(&fab->blocks.at[at].pages, page);
	ref_blocks_move(&fab->blocks, at, &fab->blocks, 0);
	if (rq)
		fab->writing = fab->blocks.at[0].number;
}

static void hit(struct ref *ref, u64 page, const struct ref_request *rq, bool write)
{
	struct fab *fab = to_fab(ref);
	size_t at = ref_blocks_with(&fab->blocks, page);

	if (!write)
		return;
	ref_list_remove(&fab->blocks.at[at].pages, page);
	ref_list_add_head(&fab->blocks.at[at].pages, page);
	ref_blocks_move(&fab->blocks, at, &fab->blocks, 0);
	fab->writing = fab->blocks.at[0].number;
}

static void remove_page(struct ref *ref, u64 page)
{
	struct fab *fab = to_fab(ref);
	size_t at = ref_blocks_with(&fab->blocks, page);

	ref_list_remove(&fab->blocks.at[at].pages, page);
	if (fab->blocks.at[at].pages.nr)
		ref_blocks_move(&fab->blocks, at, &fab->blocks, 0);
	else
		ref_blocks_drop(&fab->blocks, at);
}

/* Search from the least recent block, so that the first of equals is kept. */
static size_t largest(const struct fab *fab)
{
	size_t at, best = fab->blocks.nr;

	for (at = fab->blocks.nr; at-- > 0;) {
		if (fab->blocks.at[at].number == fab->writing)
			continue;
		if (best == fab->blocks.nr ||
		    fab->blocks.at[at].pages.nr > fab->blocks.at[best].pages.nr)
			best = at;
	}
	return best < fab->blocks.nr ? best : 0;
}

static void victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	struct fab *fab = to_fab(ref);

	if (fab->blocks.nr)
		ref_blocks_evict(&fab->blocks, largest(fab), batch);
}

static void adopt(struct ref *ref, u64 page)
{
	struct fab *fab = to_fab(ref);
	size_t at = get_block(fab, page);

	ref_list_add_tail(&fab->blocks.at[at].pages, page);
	ref_blocks_move(&fab->blocks, at, &fab->blocks, fab->blocks.nr - 1);
}

/* For each size the most recently written block; of these, the most recently used page. */
static u64 pop_hottest(struct ref *ref)
{
	struct fab *fab = to_fab(ref);
	bool seen[SSDC_BATCH_FRAMES] = {};
	u64 page = REF_NO_PAGE;
	size_t at;

	for (at = 0; at < fab->blocks.nr; at++) {
		struct ref_list *pages = &fab->blocks.at[at].pages;

		if (!seen[pages->nr])
			page = ref_hotter(ref, ref_list_head(pages), page);
		seen[pages->nr] = true;
	}
	if (page != REF_NO_PAGE)
		remove_page(ref, page);
	return page;
}

const struct ref_type ref_fab = {
	.name = "fab",
	.bytes = sizeof(struct fab),
	.destroy = destroy,
	.request = request,
	.insert = insert,
	.hit = hit,
	.remove = remove_page,
	.victims = victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};
