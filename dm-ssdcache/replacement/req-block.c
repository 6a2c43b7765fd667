// SPDX-License-Identifier: GPL-2.0
/*
 * Req-block: the pages of one write request form a block and leave together.
 *
 * Source	Lin et al., ICPP 2022 [Lin22], sections 3.1 to 3.4, Fig. 4 to 6, Alg. 1
 * Status	as published; choices where the paper is silent are listed here
 * Cost		O(1) per access, O(pages of two blocks) per eviction; 44 bytes per page
 *
 *	write miss -> [ IRL: blocks as requests made them          ] -> tail
 *	hit on a block of more than delta pages: the page moves to
 *		      [ DRL: pages split off, a block per request  ] -> tail
 *	hit on a block of at most delta pages: the block moves to
 *		      [ SRL: small blocks that were used again     ] -> tail
 *
 * Of the three tails, the block with the lowest frequency leaves with all its pages (eq. 1):
 *
 *	accesses / (pages * age)
 *
 * If that block was split off and its original block is still in IRL, the original leaves
 * with it (Fig. 6, "downgraded merging").
 *
 * Choices where the paper is silent:
 *
 * - Time is counted in host requests, or by the clock (clock=time); an age of 0 counts as 1.
 * - A host request counts as one access to a block, however many pages of the block it uses. With
 *   count=pages, each page counts.
 * - A block is judged small or large once per request, at the request's first hit. Taken literally,
 *   Alg. 1, line 22, judges it for each page (literal=on): when a request rewrites a block of 20
 *   pages, 15 move to DRL one by one and the other 5 become small.
 * - At equal frequencies IRL's block leaves before DRL's, and DRL's before SRL's.
 * - A block that the newest request has built leaves only if there is no other tail.
 * - Concurrent requests each add to their own block if it is among the first MAX_SCANNED of
 *   the list. The paper serves one request at a time and uses the block at the head.
 * - A block ends at SSDC_BATCH_FRAMES / 2 pages or half the DRAM tier; the request then
 *   starts another one.
 * - If a block has pages split off several blocks, the first of these is its original block.
 * - Pages that are read into DRAM or adopted form blocks of one page.
 */
#include <linux/errno.h>
#include <linux/slab.h>
#include "../base/alloc.h"
#include "block-group.h"

enum { IRL, DRL, SRL, NR_LISTS };	/* the order in which equals leave */

enum { COUNT_REQUESTS, COUNT_PAGES };

enum { CLOCK_REQUESTS, CLOCK_TIME };

/**
 * struct request_block - a group's data beyond its pages
 * @request: id of the request that made the block, or NO_REQUEST
 * @born: time of creation
 * @hit_by: id of the last request that hit the block
 * @original: group that this block was split from, or NO_GROUP
 * @original_life: @life of @original at that time
 * @life: how often the group was created, modulo 2^16; detects that it was reused
 *
 * The group's @note counts accesses; creation is the first. The group's @kind says whether
 * the block is small for @hit_by.
 */
struct request_block {
	u32 request;
	u32 born;
	u32 hit_by;
	u32 original;
	u16 original_life;
	u16 life;
};

/*
 * Units of 65.536 µs. The 32-bit time repeats after 78 hours, and a block of that age counts as
 * new.
 */
#define CLOCK_SHIFT 16

/* Most blocks that a request scans to find its own. More requests rarely wait at the same time. */
#define MAX_SCANNED 64

/* Request ids are truncated to 32 bits. */
#define NO_REQUEST U32_MAX

struct req_block {
	struct ssdc_replacement r;
	struct block_groups g;
	struct group_list lists[NR_LISTS];
	struct request_block *blocks;	/* indexed by group */
	u32 now;			/* by clock */
	u64 latest_ns;			/* the latest beginning of a request */
	u32 newest;			/* id of the newest request */
	/* tunables */
	u32 delta;
	u32 count;
	u32 clock;
	u32 literal;
	/* statistics */
	u64 upgrades;
	u64 splits;
	u64 split_pages;
	u64 merges;
	u64 merged_pages;
	u64 victims[NR_LISTS];
};

static const char *const count_words[] = { "requests", "pages", NULL };
static const char *const clock_words[] = { "requests", "time", NULL };

static struct req_block *to_rb(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct req_block, r);
}

static int rb_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	struct req_block *rb = to_rb(r);
	int err = block_groups_create(&rb->g, r, rb->lists, NR_LISTS, false, error);

	if (err)
		return err;
	rb->newest = NO_REQUEST;
	rb->blocks = ssdc_alloc_array(r->nr_frames, sizeof(*rb->blocks));
	if (rb->blocks)
		return 0;
	block_groups_destroy(&rb->g);
	scnprintf(error->text, sizeof(error->text),
		  "req-block: no memory: %llu bytes are needed to keep track of its blocks",
		  (unsigned long long)r->nr_frames * r->plugin.type->info.page_bytes);
	return -ENOMEM;
}

static void rb_destroy(struct ssdc_replacement *r)
{
	block_groups_destroy(&to_rb(r)->g);
	kvfree(to_rb(r)->blocks);
}

static u32 pages_of(const struct req_block *rb, u32 group)
{
	return block_group_at(&rb->g, group)->count;
}

static u32 max_pages(const struct req_block *rb)
{
	return min_t(u32, SSDC_BATCH_FRAMES / 2, rb->r.capacity / 2);
}

static u32 new_block(struct req_block *rb, unsigned int list, u32 request)
{
	u32 group = block_group_new(&rb->g, list);
	struct request_block *block = &rb->blocks[group];

	block_group_at(&rb->g, group)->note = 1;
	block_group_at(&rb->g, group)->kind = false;
	block->request = request;
	block->born = rb->now;
	block->hit_by = request;
	block->original = NO_GROUP;
	block->life++;
	return group;
}

/*
 * Alg. 1, create_req_blk(): the request's own block if it has room, else a new empty block
 * at the head.
 */
static u32 block_for(struct req_block *rb, unsigned int list, u32 request)
{
	u32 group = rb->lists[list].head;
	unsigned int i;

	for (i = 0; i < MAX_SCANNED && group != NO_GROUP && request != NO_REQUEST; i++) {
		if (rb->blocks[group].request == request && pages_of(rb, group) < max_pages(rb))
			return group;
		group = block_group_at(&rb->g, group)->next;
	}
	group = new_block(rb, list, request);
	block_group_move_head(&rb->g, group, list);
	return group;
}

static void rb_request(struct ssdc_replacement *r, const struct ssdc_host_request *rq)
{
	struct req_block *rb = to_rb(r);

	/* If several requests begin at the same time, one may come after a younger one. */
	rb->latest_ns = max(rb->latest_ns, rq->start_ns);
	rb->now = rb->clock == CLOCK_TIME ? rb->latest_ns >> CLOCK_SHIFT : rb->now + 1;
	rb->newest = rq->id;
}

static void rb_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
		      const struct ssdc_host_request *rq, bool dirty)
{
	struct req_block *rb = to_rb(r);

	block_group_add_head(&rb->g, block_for(rb, IRL, rq ? (u32)rq->id : NO_REQUEST), frame);
}

/* Fig. 5 (a): move the page from its block to the request's block in DRL. */
static void split(struct req_block *rb, ssdc_frame_t frame, u32 request)
{
	u32 from = block_group_of(&rb->g, frame), to;
	u16 life = rb->blocks[from].life;
	bool remains = block_group_del(&rb->g, frame);

	to = block_for(rb, DRL, request);
	if (!pages_of(rb, to)) {
		rb->splits++;
		rb->blocks[to].original = remains ? from : NO_GROUP;
		rb->blocks[to].original_life = life;
	}
	rb->split_pages++;
	block_group_add_head(&rb->g, to, frame);
}

/* Count the access. Returns whether the block is small for this request. */
static bool hit_block(struct req_block *rb, u32 group, u32 request)
{
	struct request_block *block = &rb->blocks[group];
	struct block_group *at = block_group_at(&rb->g, group);
	bool first = block->hit_by != request;

	if (first || rb->literal)
		at->kind = at->count <= rb->delta;
	if ((first || rb->count == COUNT_PAGES) && at->note < U16_MAX)
		at->note++;
	block->hit_by = request;
	return at->kind;
}

static void rb_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		   const struct ssdc_host_request *rq, bool write)
{
	struct req_block *rb = to_rb(r);
	u32 group = block_group_of(&rb->g, frame);

	if (!hit_block(rb, group, rq->id)) {
		split(rb, frame, rq->id);
		return;
	}
	/* Fig. 5 (b) */
	if (block_group_at(&rb->g, group)->list != SRL)
		rb->upgrades++;
	block_group_touch(&rb->g, frame);
	block_group_move_head(&rb->g, group, SRL);
}

static void rb_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	block_group_del(&to_rb(r)->g, frame);
}

/* Eq. 1, cross-multiplied: factors of 16, 9 and 32 bits. */
static bool colder(const struct req_block *rb, u32 a, u32 b)
{
	u32 age_a = max(rb->now - rb->blocks[a].born, 1u);
	u32 age_b = max(rb->now - rb->blocks[b].born, 1u);

	return (u64)block_group_at(&rb->g, a)->note * pages_of(rb, b) * age_b <
	       (u64)block_group_at(&rb->g, b)->note * pages_of(rb, a) * age_a;
}

/* The coldest tail, or NO_GROUP; skips blocks of the newest request unless @newest_counts. */
static u32 coldest_tail(const struct req_block *rb, bool newest_counts)
{
	u32 coldest = NO_GROUP;
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++) {
		u32 tail = rb->lists[i].tail;

		if (tail == NO_GROUP ||
		    (!newest_counts && rb->blocks[tail].request == rb->newest))
			continue;
		if (coldest == NO_GROUP || colder(rb, tail, coldest))
			coldest = tail;
	}
	return coldest;
}

/* The block that @group was split from if it is still in IRL, else NO_GROUP. */
static u32 original_in_irl(const struct req_block *rb, u32 group)
{
	u32 original = rb->blocks[group].original;

	if (original == NO_GROUP || rb->blocks[original].life != rb->blocks[group].original_life ||
	    !block_group_at(&rb->g, original)->count ||
	    block_group_at(&rb->g, original)->list != IRL)
		return NO_GROUP;
	return original;
}

static void rb_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
		       struct ssdc_batch *batch, unsigned int max)
{
	struct req_block *rb = to_rb(r);
	u32 group = coldest_tail(rb, false), original;
	unsigned int nr = batch->nr;

	if (group == NO_GROUP)
		group = coldest_tail(rb, true);
	if (group == NO_GROUP)
		return;
	rb->victims[block_group_at(&rb->g, group)->list]++;
	original = original_in_irl(rb, group);
	block_group_take(&rb->g, group, batch, max);
	max -= batch->nr - nr;
	if (original == NO_GROUP || !max)
		return;
	nr = batch->nr;
	block_group_take(&rb->g, original, batch, max);
	rb->merges++;
	rb->merged_pages += batch->nr - nr;
}

static void rb_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct req_block *rb = to_rb(r);

	block_group_add_head(&rb->g, new_block(rb, IRL, NO_REQUEST), frame);
}

static ssdc_frame_t rb_pop_hottest(struct ssdc_replacement *r)
{
	ssdc_frame_t frame = block_groups_hottest(&to_rb(r)->g);

	if (frame != SSDC_NO_FRAME)
		rb_remove(r, frame);
	return frame;
}

static int rb_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	return block_groups_check(&to_rb(r)->g, finding);
}

static const struct ssdc_tunable rb_tunables[] = {
	{ "delta", "pages", "largest small block; small blocks that are hit stay longer",
	  offsetof(struct req_block, delta), 5, 1, SSDC_BATCH_FRAMES / 2, NULL },
	{ "count", "", "what counts as an access to a block: each host request, or each page",
	  offsetof(struct req_block, count), COUNT_REQUESTS, 0, 0, count_words },
	{ "clock", "", "what a block's age is counted in: host requests, or time",
	  offsetof(struct req_block, clock), CLOCK_REQUESTS, 0, 0, clock_words },
	{ "literal", "", "on: judge for each page whether its block is small, as in Alg. 1",
	  offsetof(struct req_block, literal), 0, 0, 0, ssdc_off_on },
};

#define LIST_STATS(list, name) \
	SSDC_STAT(struct req_block, lists[list].pages, name "_pages", "pages", SSDC_GAUGE, \
		  "pages on the list"), \
	SSDC_STAT(struct req_block, lists[list].groups, name "_blocks", "blocks", SSDC_GAUGE, \
		  "request blocks on the list"), \
	SSDC_STAT(struct req_block, victims[list], name "_victims", "blocks", SSDC_COUNTER, \
		  "victims from the list")

static const struct ssdc_stat rb_stats[] = {
	LIST_STATS(IRL, "irl"),
	LIST_STATS(SRL, "srl"),
	LIST_STATS(DRL, "drl"),
	SSDC_STAT(struct req_block, upgrades, "upgrades", "blocks", SSDC_COUNTER,
		  "small blocks that moved to SRL"),
	SSDC_STAT(struct req_block, splits, "splits", "blocks", SSDC_COUNTER,
		  "blocks made of split-off pages"),
	SSDC_STAT(struct req_block, split_pages, "split_pages", "pages", SSDC_COUNTER,
		  "pages split off large blocks"),
	SSDC_STAT(struct req_block, merges, "merges", "blocks", SSDC_COUNTER,
		  "original blocks that left with a block split from them"),
	SSDC_STAT(struct req_block, merged_pages, "merged_pages", "pages", SSDC_COUNTER,
		  "pages of merged original blocks"),
};

struct ssdc_replacement_type ssdc_req_block = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "req-block",
			.source = "Lin et al., ICPP 2022 [Lin22]",
			.status = "as published; time is counted in host requests",
			.doc = "pages of a request leave together; small reused blocks stay longer",
			.tunables = rb_tunables,
			.nr_tunables = ARRAY_SIZE(rb_tunables),
			.stats = rb_stats,
			.nr_stats = ARRAY_SIZE(rb_stats),
			.instance_bytes = sizeof(struct req_block),
			.page_bytes = BLOCK_GROUP_BYTES + sizeof(struct request_block),
		},
	},
	.long_victims = true,
	.no_view = true,
	.create = rb_create,
	.destroy = rb_destroy,
	.request = rb_request,
	.insert = rb_insert,
	.hit = rb_hit,
	.remove = rb_remove,
	.victims = rb_victims,
	.adopt = rb_adopt,
	.pop_hottest = rb_pop_hottest,
	.check = rb_check,
};
