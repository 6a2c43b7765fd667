// SPDX-License-Identifier: GPL-2.0
/* Req-block: [Lin22], Alg. 1 and eq. 1, with the choices of dm-ssdcache/replacement/req-block.c. */
#include "reference.h"

enum { IRL, DRL, SRL, NR_LISTS };

/* Indices into @own of a block. */
enum {
	REQUEST,	/* Req, from 1; 0: none */
	ACCESS_CNT,
	T_INSERT,
	HIT_BY,		/* last request that hit it, from 1 */
	SMALL,		/* was the block small at that hit? */
	ORIGINAL,	/* number of the block it was split from, 0: none */
};

struct req_block {
	struct ref ref;
	struct ref_blocks lists[NR_LISTS];
	u64 now;
	u64 newest;
};

static struct req_block *to_rb(struct ref *ref)
{
	return (struct req_block *)ref;
}

static void destroy(struct ref *ref)
{
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		ref_blocks_free(&to_rb(ref)->lists[i]);
}

static size_t max_pages(const struct ref *ref)
{
	return min_t(u64, SSDC_BATCH_FRAMES / 2, ref->frames / 2);
}

static void request(struct ref *ref, const struct ref_request *rq)
{
	struct req_block *rb = to_rb(ref);

	rb->now = ref_tunable(ref, "clock") ? rq->time_ns >> 16 : rb->now + 1;
	rb->newest = rq->id + 1;
}

static struct ref_block *new_block(struct req_block *rb, unsigned int list, size_t at, u64 req)
{
	struct ref_block *block = ref_blocks_insert(&rb->lists[list], at);

	block->own[REQUEST] = req;
	block->own[HIT_BY] = req;
	block->own[ACCESS_CNT] = 1;
	block->own[T_INSERT] = rb->now;
	return block;
}

/* Alg. 1, lines 1 to 6; searches the first 64 blocks, because requests are concurrent. */
static struct ref_block *create_req_blk(struct req_block *rb, unsigned int list, u64 req)
{
	struct ref_blocks *blocks = &rb->lists[list];
	size_t i;

	for (i = 0; req && i < blocks->nr && i < 64; i++)
		if (blocks->at[i].own[REQUEST] == req &&
		    blocks->at[i].pages.nr < max_pages(&rb->ref))
			return &blocks->at[i];
	new_block(rb, list, 0, req);
	return &blocks->at[0];
}

/* Lines 36 and 37. */
static void insert(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty)
{
	ref_list_add_head(&create_req_blk(to_rb(ref), IRL, rq ? rq->id + 1 : 0)->pages, page);
}

/* The list that contains the page; *@at is the place of its block. */
static unsigned int find(const struct req_block *rb, u64 page, size_t *at)
{
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++) {
		*at = ref_blocks_with(&rb->lists[i], page);
		if (*at < rb->lists[i].nr)
			return i;
	}
	ref_differs("req-block: a page is on no list of the reference");
}

static void remove_page(struct ref *ref, u64 page)
{
	struct req_block *rb = to_rb(ref);
	size_t at;
	unsigned int list = find(rb, page, &at);

	ref_list_remove(&rb->lists[list].at[at].pages, page);
	if (!rb->lists[list].at[at].pages.nr)
		ref_blocks_drop(&rb->lists[list], at);
}

/* Lines 20 to 28. */
static void hit(struct ref *ref, u64 page, const struct ref_request *rq, bool write)
{
	struct req_block *rb = to_rb(ref);
	u64 req = rq->id + 1, original;
	size_t at;
	unsigned int list = find(rb, page, &at);
	struct ref_block *block = &rb->lists[list].at[at];
	bool first = block->own[HIT_BY] != req;

	if (first || ref_tunable(ref, "count"))
		block->own[ACCESS_CNT]++;
	if (first || ref_tunable(ref, "literal"))
		block->own[SMALL] = block->pages.nr <= ref_tunable(ref, "delta");
	block->own[HIT_BY] = req;
	if (block->own[SMALL]) {
		ref_list_remove(&block->pages, page);
		ref_list_add_head(&block->pages, page);
		ref_blocks_move(&rb->lists[list], at, &rb->lists[SRL], 0);
		return;
	}
	original = block->number;
	remove_page(ref, page);
	block = create_req_blk(rb, DRL, req);
	if (!block->pages.nr)
		block->own[ORIGINAL] = original;
	ref_list_add_head(&block->pages, page);
}

/* Eq. 1: is a's frequency lower than b's? */
static bool less_frequent(const struct req_block *rb, const struct ref_block *a,
			  const struct ref_block *b)
{
	u64 age_a = rb->now - a->own[T_INSERT], age_b = rb->now - b->own[T_INSERT];
	long double freq_a, freq_b;

	freq_a = (long double)a->own[ACCESS_CNT] / (a->pages.nr * (age_a ? age_a : 1));
	freq_b = (long double)b->own[ACCESS_CNT] / (b->pages.nr * (age_b ? age_b : 1));
	return freq_a < freq_b;
}

static const struct ref_block *tail(const struct req_block *rb, unsigned int list)
{
	return &rb->lists[list].at[rb->lists[list].nr - 1];
}

/* The list whose tail has the lowest frequency, NR_LISTS if all are empty. */
static unsigned int least_frequent(const struct req_block *rb, bool with_newest)
{
	unsigned int i, least = NR_LISTS;

	for (i = 0; i < NR_LISTS; i++) {
		if (!rb->lists[i].nr || (!with_newest && tail(rb, i)->own[REQUEST] == rb->newest))
			continue;
		if (least == NR_LISTS || less_frequent(rb, tail(rb, i), tail(rb, least)))
			least = i;
	}
	return least;
}

static void evict(struct ref_blocks *blocks, size_t at, struct ref_list *batch)
{
	while (blocks->at[at].pages.nr)
		ref_list_add_tail(batch, ref_list_pop_tail(&blocks->at[at].pages));
	ref_blocks_drop(blocks, at);
}

/* Lines 7 to 14. */
static void victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	struct req_block *rb = to_rb(ref);
	unsigned int list = least_frequent(rb, false);
	size_t original;
	u64 number;

	if (list == NR_LISTS)
		list = least_frequent(rb, true);
	if (list == NR_LISTS)
		return;
	number = tail(rb, list)->own[ORIGINAL];
	evict(&rb->lists[list], rb->lists[list].nr - 1, batch);
	original = ref_blocks_number(&rb->lists[IRL], number);
	if (number && original < rb->lists[IRL].nr)
		evict(&rb->lists[IRL], original, batch);
}

static void adopt(struct ref *ref, u64 page)
{
	struct req_block *rb = to_rb(ref);

	ref_list_add_head(&new_block(rb, IRL, rb->lists[IRL].nr, 0)->pages, page);
}

static u64 pop_hottest(struct ref *ref)
{
	struct req_block *rb = to_rb(ref);
	u64 page = REF_NO_PAGE;
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		if (rb->lists[i].nr)
			page = ref_hotter(ref, ref_list_head(&rb->lists[i].at[0].pages), page);
	if (page != REF_NO_PAGE)
		remove_page(ref, page);
	return page;
}

const struct ref_type ref_req_block = {
	.name = "req-block",
	.bytes = sizeof(struct req_block),
	.destroy = destroy,
	.request = request,
	.insert = insert,
	.hit = hit,
	.remove = remove_page,
	.victims = victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};
