// SPDX-License-Identifier: GPL-2.0
/* WOW, as described in dm-ssdcache/replacement/wow.c. */
#include "reference.h"

enum { RECENCY };	/* own[] of a block */

struct wow {
	struct ref ref;
	struct ref_blocks blocks;	/* most recently written first */
	u64 hand;			/* the block after the last one looked at is at or behind this */
	u64 hand_span;
};

static struct wow *to_wow(struct ref *ref)
{
	return (struct wow *)ref;
}

static void destroy(struct ref *ref)
{
	ref_blocks_free(&to_wow(ref)->blocks);
}

static size_t get_block(struct wow *wow, u64 page)
{
	u64 span = ref_tunable(&wow->ref, "block"), first = page - page % span;
	size_t at = ref_blocks_at(&wow->blocks, first, span);

	if (at == wow->blocks.nr) {
		ref_blocks_insert(&wow->blocks, at);
		wow->blocks.at[at].first = first;
		wow->blocks.at[at].span = span;
		wow->blocks.at[at].own[RECENCY] = false;
	}
	return at;
}

static void insert(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty)
{
	struct wow *wow = to_wow(ref);
	size_t at = get_block(wow, page);

	ref_list_add_head(&wow->blocks.at[at].pages, page);
	ref_blocks_move(&wow->blocks, at, &wow->blocks, 0);
}

static void hit(struct ref *ref, u64 page, const struct ref_request *rq, bool write)
{
	struct wow *wow = to_wow(ref);
	size_t at = ref_blocks_with(&wow->blocks, page);

	if (!write)
		return;
	wow->blocks.at[at].own[RECENCY] = true;
	ref_list_remove(&wow->blocks.at[at].pages, page);
	ref_list_add_head(&wow->blocks.at[at].pages, page);
	ref_blocks_move(&wow->blocks, at, &wow->blocks, 0);
}

static void remove_page(struct ref *ref, u64 page)
{
	struct wow *wow = to_wow(ref);
	size_t at = ref_blocks_with(&wow->blocks, page);

	ref_list_remove(&wow->blocks.at[at].pages, page);
	if (!wow->blocks.at[at].pages.nr)
		ref_blocks_drop(&wow->blocks, at);
}

static bool is_before(const struct ref_block *block, u64 first, u64 span)
{
	return block->first < first || (block->first == first && block->span < span);
}

/* The lowest block that is not before the hand, or the lowest of all. */
static size_t next(const struct wow *wow)
{
	const struct ref_block *at = wow->blocks.at;
	size_t i, lowest = 0, found = wow->blocks.nr;

	for (i = 0; i < wow->blocks.nr; i++) {
		if (is_before(&at[i], at[lowest].first, at[lowest].span))
			lowest = i;
		if (!is_before(&at[i], wow->hand, wow->hand_span) &&
		    (found == wow->blocks.nr || is_before(&at[i], at[found].first, at[found].span)))
			found = i;
	}
	return found < wow->blocks.nr ? found : lowest;
}

static void victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	struct wow *wow = to_wow(ref);
	u32 looks = ref_tunable(ref, "looks");
	size_t at;

	if (!wow->blocks.nr)
		return;
	for (;;) {
		at = next(wow);
		wow->hand = wow->blocks.at[at].first;
		wow->hand_span = wow->blocks.at[at].span + 1;
		if (!wow->blocks.at[at].own[RECENCY] || !looks--)
			break;
		wow->blocks.at[at].own[RECENCY] = false;
	}
	ref_blocks_evict(&wow->blocks, at, batch);
}

static void adopt(struct ref *ref, u64 page)
{
	struct wow *wow = to_wow(ref);
	size_t at = get_block(wow, page);

	ref_list_add_tail(&wow->blocks.at[at].pages, page);
	ref_blocks_move(&wow->blocks, at, &wow->blocks, wow->blocks.nr - 1);
}

static u64 pop_hottest(struct ref *ref)
{
	struct wow *wow = to_wow(ref);
	u64 page = wow->blocks.nr ? ref_list_head(&wow->blocks.at[0].pages) : REF_NO_PAGE;

	if (page != REF_NO_PAGE)
		remove_page(ref, page);
	return page;
}

const struct ref_type ref_wow = {
	.name = "wow",
	.bytes = sizeof(struct wow),
	.destroy = destroy,
	.insert = insert,
	.hit = hit,
	.remove = remove_page,
	.victims = victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};
