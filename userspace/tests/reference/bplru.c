// SPDX-License-Identifier: GPL-2.0
/*
 * BPLRU: the least recently written block leaves. A block with all pages cached that was
 * written from its first to its last page moves to the end at once.
 */
#include "reference.h"

/* @own of a block: the last page written, from 1, and the length of the sequence up to it. */
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

/* A new block is added at the end. */
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

/* A sequence starts at page 1; each page follows the last one or repeats it. */
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
	if (blocks(ref)->nr)
		ref_blocks_evict(blocks(ref), blocks(ref)->nr - 1, batch);
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
