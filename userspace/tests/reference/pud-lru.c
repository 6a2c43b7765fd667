// SPDX-License-Identifier: GPL-2.0
/* PUD-LRU, as described in dm-ssdcache/replacement/pud-lru.c. */
#include "reference.h"

/* Of a block, own[] has the number of the page write that made it, and of its page writes since. */
enum { FIRST, NR };

struct pud {
	struct ref ref;
	struct ref_blocks blocks;	/* most recently written first */
	u64 now;
	u64 writing;			/* number of the block that the newest request is writing */
};

static struct pud *to_pud(struct ref *ref)
{
	return (struct pud *)ref;
}

static void destroy(struct ref *ref)
{
	ref_blocks_free(&to_pud(ref)->blocks);
}

static size_t get_block(struct pud *pud, u64 page)
{
	u64 span = ref_tunable(&pud->ref, "block"), first = page - page % span;
	size_t at = ref_blocks_at(&pud->blocks, first, span);

	if (at == pud->blocks.nr) {
		ref_blocks_insert(&pud->blocks, at);
		pud->blocks.at[at].first = first;
		pud->blocks.at[at].span = span;
		pud->blocks.at[at].own[FIRST] = pud->now;
		pud->blocks.at[at].own[NR] = 0;
	}
	return at;
}

static void request(struct ref *ref, const struct ref_request *rq)
{
	to_pud(ref)->writing = 0;
}

static void update(struct pud *pud, size_t at, bool write)
{
	ref_blocks_move(&pud->blocks, at, &pud->blocks, 0);
	if (!write)
		return;
	pud->now++;
	pud->blocks.at[0].own[NR]++;
	pud->writing = pud->blocks.at[0].number;
}

static void insert(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty)
{
	struct pud *pud = to_pud(ref);
	size_t at = get_block(pud, page);

	ref_list_add_head(&pud->blocks.at[at].pages, page);
	update(pud, at, rq);
}

static void hit(struct ref *ref, u64 page, const struct ref_request *rq, bool write)
{
	struct pud *pud = to_pud(ref);
	size_t at = ref_blocks_with(&pud->blocks, page);

	if (!write)
		return;
	ref_list_remove(&pud->blocks.at[at].pages, page);
	ref_list_add_head(&pud->blocks.at[at].pages, page);
	update(pud, at, true);
}

static void remove_page(struct ref *ref, u64 page)
{
	struct pud *pud = to_pud(ref);
	size_t at = ref_blocks_with(&pud->blocks, page);

	ref_list_remove(&pud->blocks.at[at].pages, page);
	if (!pud->blocks.at[at].pages.nr)
		ref_blocks_drop(&pud->blocks, at);
}

/* In units of 1/256. */
static u64 distance(const struct pud *pud, size_t at)
{
	const struct ref_block *block = &pud->blocks.at[at];

	return (pud->now - block->own[FIRST]) * 256 / (block->own[NR] ? block->own[NR] : 1);
}

static bool is_candidate(struct pud *pud, size_t at)
{
	size_t i, older = 0;

	if (pud->blocks.at[at].number == pud->writing)
		return false;
	for (i = at + 1; i < pud->blocks.nr; i++)
		older += pud->blocks.at[i].number != pud->writing;
	return older < ref_tunable(&pud->ref, "candidates");
}

static size_t choose(struct pud *pud)
{
	size_t at, nr = 0, best = pud->blocks.nr;
	u64 sum = 0;

	for (at = 0; at < pud->blocks.nr; at++) {
		if (!is_candidate(pud, at))
			continue;
		sum += distance(pud, at);
		nr++;
	}
	for (at = pud->blocks.nr; at-- > 0;) {
		const struct ref_block *block = &pud->blocks.at[at];

		if (!is_candidate(pud, at) || distance(pud, at) * nr < sum)
			continue;
		if (best == pud->blocks.nr || block->pages.nr > pud->blocks.at[best].pages.nr ||
		    (block->pages.nr == pud->blocks.at[best].pages.nr &&
		     distance(pud, at) > distance(pud, best)))
			best = at;
	}
	return best < pud->blocks.nr ? best : 0;
}

static void victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	struct pud *pud = to_pud(ref);

	if (pud->blocks.nr)
		ref_blocks_evict(&pud->blocks, choose(pud), batch);
}

static void adopt(struct ref *ref, u64 page)
{
	struct pud *pud = to_pud(ref);
	size_t at = get_block(pud, page);

	ref_list_add_tail(&pud->blocks.at[at].pages, page);
	ref_blocks_move(&pud->blocks, at, &pud->blocks, pud->blocks.nr - 1);
}

static u64 pop_hottest(struct ref *ref)
{
	struct pud *pud = to_pud(ref);
	u64 page = pud->blocks.nr ? ref_list_head(&pud->blocks.at[0].pages) : REF_NO_PAGE;

	if (page != REF_NO_PAGE)
		remove_page(ref, page);
	return page;
}

const struct ref_type ref_pud_lru = {
	.name = "pud-lru",
	.bytes = sizeof(struct pud),
	.destroy = destroy,
	.request = request,
	.insert = insert,
	.hit = hit,
	.remove = remove_page,
	.victims = victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};
