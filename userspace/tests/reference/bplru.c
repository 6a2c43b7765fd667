// SPDX-License-Identifier: GPL-2.0
/*
 * BPLRU: the block written least recently leaves. A block that was written from its
 * first to its last page, and of which all pages are cached, goes to the end at once.
 */
#include "reference.h"

/* Own numbers of a block: the page written last, from 1, and how many in sequence up to it. */
enum { LAST, RUN };

struct bplru {
	struct ref ref;
	struct ref_blocks blocks;
};

static struct ref_blocks *blocks(struct ref *ref)
{
	return &((struct bplru *)ref)->blocks;
}

static void destroy(struct ref *ref)
{
	ref_blocks_free(blocks(ref));
}

/* A new block goes to the end. */
static size_t get_block(struct ref *ref, u64 page)
{
	u64 span = ref_tunable(ref, "block"), first = page - page % span;
	size_t at = ref_blocks_at(blocks(ref), first, span);

	if (at == blocks(ref)->nr) {
		ref_blocks_insert(blocks(ref), at);
		blocks(ref)->at[at].first = first;
		blocks(ref)->at[at].span = span;
	}
	return at;
}

/* Sequence: from page 1 on, each page one behind the one before; the same again is no break. */
static void count_run(struct ref_block *block, u64 nr)
{
	if (block->own[RUN] && nr == block->own[LAST])
		return;
	if (block->own[RUN] && nr == block->own[LAST] + 1)
		block->own[RUN]++;
	else
		block->own[RUN] = nr == 1;
	block->own[LAST] = nr;
}

static void written(struct ref *ref, size_t at, u64 page)
{
	struct ref_block *block = &blocks(ref)->at[at];

	count_run(block, page - block->first + 1);
	if (block->own[RUN] == block->span && block->pages.nr == block->span)
		ref_blocks_move(blocks(ref), at, blocks(ref), blocks(ref)->nr - 1);
	else
		ref_blocks_move(blocks(ref), at, blocks(ref), 0);
}

static void insert(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty)
{
	size_t at = get_block(ref, page);

	ref_list_add_head(&blocks(ref)->at[at].pages, page);
	if (rq)
		written(ref, at, page);
	else
		ref_blocks_move(blocks(ref), at, blocks(ref), 0);
}

static void hit(struct ref *ref, u64 page, const struct ref_request *rq, bool write)
{
	size_t at = ref_blocks_with(blocks(ref), page);

	if (!write)
		return;
	ref_list_remove(&blocks(ref)->at[at].pages, page);
	ref_list_add_head(&blocks(ref)->at[at].pages, page);
	written(ref, at, page);
}

static void remove_page(struct ref *ref, u64 page)
{
	size_t at = ref_blocks_with(blocks(ref), page);

	ref_list_remove(&blocks(ref)->at[at].pages, page);
	if (!blocks(ref)->at[at].pages.nr)
		ref_blocks_drop(blocks(ref), at);
}

static void victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	size_t last = blocks(ref)->nr - 1, i;

	if (!blocks(ref)->nr)
		return;
	for (i = 0; i < blocks(ref)->at[last].pages.nr; i++)
		ref_list_add_tail(batch, blocks(ref)->at[last].pages.pages[i]);
	ref_list_sort(batch);
	ref_blocks_drop(blocks(ref), last);
}

static void adopt(struct ref *ref, u64 page)
{
	size_t at = get_block(ref, page);

	ref_list_add_tail(&blocks(ref)->at[at].pages, page);
}

static u64 pop_hottest(struct ref *ref)
{
	u64 page = blocks(ref)->nr ? ref_list_head(&blocks(ref)->at[0].pages) : REF_NO_PAGE;

	if (page != REF_NO_PAGE)
		remove_page(ref, page);
	return page;
}

const struct ref_type ref_bplru = {
	.name = "bplru",
	.bytes = sizeof(struct bplru),
	.destroy = destroy,
	.insert = insert,
	.hit = hit,
	.remove = remove_page,
	.victims = victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};
