// SPDX-License-Identifier: GPL-2.0
/*
 * WOW, wise ordering for writes: groups of pages leave in the order of their addresses, as in
 * CSCAN; groups that were written again meanwhile are spared for a round, as in CLOCK.
 *
 * Source	Gill & Modha, FAST 2005 [Gill05], sections 3.2 and 3.3
 * Cost		O(log groups) per new group, O(1) per other access; up to `looks` groups per
 *		eviction; 16 bytes and BLOCK_GROUP_DIRECTORY_BYTES per page
 *
 *	groups by address	[ 0'  64  192'  256  640 ]	' written again: recency bit
 *				           ^ hand: clears ', takes the first without, goes round
 *
 * A group has the pages of an aligned part of the address space. A new group has no recency bit; a
 * write to a cached page sets the bit of the page's group. Reads change nothing.
 *
 * The paper also says when to destage: at a rate that rises between two thresholds of occupancy.
 * Here groups leave when a page needs room, as with all policies; early flushes are set by the
 * engine's tunables.
 *
 * The order of addresses is a treap, a binary tree whose shape follows from hashes of addresses:
 * on average its depth is a few times log2(groups).
 */
#include <linux/errno.h>
#include <linux/math64.h>
#include "../base/alloc.h"
#include "block-group.h"

/* Data of a group in addition to struct block_group, whose @note is the recency bit. */
struct node {
	u64 first;			/* first page of its addresses */
	u32 left;
	u32 right;
};

struct wow {
	struct ssdc_replacement r;
	struct block_groups g;
	struct group_list list;
	struct node *nodes;		/* by group */
	u32 root;
	u64 hand;			/* the next group is not before @hand and @hand_span */
	u32 hand_span;
	/* tunables */
	u32 block;
	u32 width;
	u32 looks;
	/* statistics */
	u64 spared;
	u64 rounds;
	u64 cut_short;
};

static struct wow *to_wow(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct wow, r);
}

static int wow_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	struct wow *wow = to_wow(r);
	int result = block_groups_create(&wow->g, r, &wow->list, 1, true, error);

	if (result)
		return result;
	wow->root = NO_GROUP;
	wow->nodes = ssdc_alloc_array(r->nr_frames, sizeof(*wow->nodes));
	if (wow->nodes)
		return 0;
	scnprintf(error->text, sizeof(error->text),
		  "wow: no memory: %llu bytes are needed for the order of groups",
		  (unsigned long long)r->nr_frames * sizeof(*wow->nodes));
	block_groups_destroy(&wow->g);
	return -ENOMEM;
}

static void wow_destroy(struct ssdc_replacement *r)
{
	kvfree(to_wow(r)->nodes);
	block_groups_destroy(&to_wow(r)->g);
}

/* ---- the order of addresses ---- */

/*
 * Is @group before a group of @span pages from @first on? Groups with the same first page differ in
 * their spans if the tunable was changed.
 */
static bool is_before(const struct wow *wow, u32 group, u64 first, u32 span)
{
	const struct node *node = &wow->nodes[group];

	return node->first < first ||
		(node->first == first && block_group_at(&wow->g, group)->span < span);
}

/* The rank of a group: a group is above groups with a smaller rank. */
static u64 rank_of(const struct wow *wow, u32 group)
{
	u64 hash = (wow->nodes[group].first + block_group_at(&wow->g, group)->span) *
		0x9e3779b97f4a7c15ULL;

	return (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9ULL;
}

/*
 * Split the tree below @from: groups before @group become its left tree, the others its right tree.
 */
static void split(struct wow *wow, u32 from, u32 group)
{
	u32 span = block_group_at(&wow->g, group)->span;
	struct node *node = &wow->nodes[group];
	u32 *left = &node->left, *right = &node->right;

	while (from != NO_GROUP) {
		if (is_before(wow, from, node->first, span)) {
			*left = from;
			left = &wow->nodes[from].right;
			from = *left;
		} else {
			*right = from;
			right = &wow->nodes[from].left;
			from = *right;
		}
	}
	*left = NO_GROUP;
	*right = NO_GROUP;
}

static void enter_order(struct wow *wow, u32 group, u64 first)
{
	u64 rank;
	u32 *at = &wow->root;

	wow->nodes[group].first = first;
	rank = rank_of(wow, group);
	while (*at != NO_GROUP && rank_of(wow, *at) > rank)
		at = is_before(wow, *at, first, block_group_at(&wow->g, group)->span) ?
			&wow->nodes[*at].right : &wow->nodes[*at].left;
	split(wow, *at, group);
	*at = group;
}

static void leave_order(struct wow *wow, u32 group, u64 first, u32 span)
{
	u32 *at = &wow->root, left, right;

	while (*at != group)
		at = is_before(wow, *at, first, span) ? &wow->nodes[*at].right :
							&wow->nodes[*at].left;
	left = wow->nodes[group].left;
	right = wow->nodes[group].right;
	while (left != NO_GROUP && right != NO_GROUP) {
		if (rank_of(wow, left) > rank_of(wow, right)) {
			*at = left;
			at = &wow->nodes[left].right;
			left = *at;
		} else {
			*at = right;
			at = &wow->nodes[right].left;
			right = *at;
		}
	}
	*at = left != NO_GROUP ? left : right;
}

/*
 * The first group that is not before a group of @span pages from @first on; NO_GROUP: there is
 * none.
 */
static u32 find_from(const struct wow *wow, u64 first, u32 span)
{
	u32 group = wow->root, found = NO_GROUP;

	while (group != NO_GROUP) {
		if (is_before(wow, group, first, span)) {
			group = wow->nodes[group].right;
		} else {
			found = group;
			group = wow->nodes[group].left;
		}
	}
	return found;
}

/* Number of groups that a walk keeps for its next steps: most trees are lower than that. */
#define WALK_DEPTH 64

/* A walk in the order of addresses: groups whose left trees are done, the next one last. */
struct walk {
	u32 groups[WALK_DEPTH];
	u32 end;
	u32 nr;			/* groups before @end; overwritten ones are found anew */
};

static void walk_push(struct walk *walk, u32 group)
{
	walk->groups[walk->end++ % WALK_DEPTH] = group;
	walk->nr = min(walk->nr + 1, (u32)WALK_DEPTH);
}

/* Begin a walk at the first group that is not before a group of @span pages from @first on. */
static void walk_from(const struct wow *wow, struct walk *walk, u64 first, u32 span)
{
	u32 group = wow->root;

	while (group != NO_GROUP) {
		if (is_before(wow, group, first, span)) {
			group = wow->nodes[group].right;
		} else {
			walk_push(walk, group);
			group = wow->nodes[group].left;
		}
	}
}

/*
 * The next group; there is at least one group. Takes a few steps on average, as each group is
 * pushed only once.
 */
static u32 walk_next(const struct wow *wow, struct walk *walk)
{
	u32 group = walk->groups[--walk->end % WALK_DEPTH];
	u32 below = wow->nodes[group].right;

	walk->nr--;
	for (; below != NO_GROUP; below = wow->nodes[below].left)
		walk_push(walk, below);
	return group;
}

/* ---- the policy ---- */

static u32 get_group(struct wow *wow, ssdc_frame_t frame)
{
	u32 group = block_group_get(&wow->g, frame, wow->block, false, 0);
	u64 page = ssdc_page_nr(ssdc_replacement_entry(&wow->r, frame)->page);

	if (block_group_at(&wow->g, group)->count)
		return group;
	block_group_at(&wow->g, group)->note = 0;
	enter_order(wow, group, div_u64(page, wow->block) * wow->block);
	return group;
}

static void wow_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
		       const struct ssdc_host_request *rq, bool dirty)
{
	struct wow *wow = to_wow(r);
	u32 group = get_group(wow, frame);

	block_group_add_head(&wow->g, group, frame);
	block_group_move_head(&wow->g, group, 0);
}

static void wow_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		    const struct ssdc_host_request *rq, bool write)
{
	struct wow *wow = to_wow(r);
	u32 group = block_group_of(&wow->g, frame);

	if (!write)
		return;
	block_group_at(&wow->g, group)->note = 1;
	block_group_touch(&wow->g, frame);
	block_group_move_head(&wow->g, group, 0);
}

static void wow_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct wow *wow = to_wow(r);
	u32 group = block_group_of(&wow->g, frame);
	u32 span = block_group_at(&wow->g, group)->span;

	if (block_group_at(&wow->g, group)->count == 1)
		leave_order(wow, group, wow->nodes[group].first, span);
	block_group_del(&wow->g, frame);
}

/* The next group without the recency bit; there is at least one group. */
static u32 choose(struct wow *wow)
{
	struct walk walk = { .nr = 0 };
	u32 looks, group;

	for (looks = wow->looks;; looks--) {
		if (!walk.nr)
			walk_from(wow, &walk, wow->hand, wow->hand_span);
		if (!walk.nr) {
			wow->rounds++;
			walk_from(wow, &walk, 0, 0);
		}
		group = walk_next(wow, &walk);
		wow->hand = wow->nodes[group].first;
		wow->hand_span = block_group_at(&wow->g, group)->span + 1;
		if (!block_group_at(&wow->g, group)->note)
			return group;
		if (!looks)
			break;
		block_group_at(&wow->g, group)->note = 0;
		wow->spared++;
	}
	wow->cut_short++;
	return group;
}

static void wow_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			struct ssdc_batch *batch, unsigned int max)
{
	struct wow *wow = to_wow(r);
	u32 group;

	if (wow->root == NO_GROUP)
		return;
	group = choose(wow);
	if (block_group_at(&wow->g, group)->count <= max)
		leave_order(wow, group, wow->nodes[group].first,
			    block_group_at(&wow->g, group)->span);
	block_group_take_sorted(&wow->g, group, batch, max);
	batch->width = wow->width;
}

static void wow_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct wow *wow = to_wow(r);
	u32 group = get_group(wow, frame);

	block_group_add_tail(&wow->g, group, frame);
	block_group_move_tail(&wow->g, group, 0);
}

static ssdc_frame_t wow_pop_hottest(struct ssdc_replacement *r)
{
	ssdc_frame_t frame = block_groups_hottest(&to_wow(r)->g);

	if (frame != SSDC_NO_FRAME)
		wow_remove(r, frame);
	return frame;
}

/* Check all groups, in order, from the lowest on. */
static int order_check(const struct wow *wow, struct ssdc_error *finding)
{
	u32 count, group = find_from(wow, 0, 0);

	for (count = 0; group != NO_GROUP && count <= wow->g.used; count++)
		group = find_from(wow, wow->nodes[group].first,
				  block_group_at(&wow->g, group)->span + 1);
	if (count == wow->g.used)
		return 0;
	return ssdc_finding(finding, "%u groups are in the order of addresses, %u exist", count,
			    wow->g.used);
}

static int wow_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	int result = block_groups_check(&to_wow(r)->g, finding);

	return result ? result : order_check(to_wow(r), finding);
}

static const struct ssdc_tunable wow_tunables[] = {
	FLASH_BLOCK_TUNABLES(struct wow, block, width, 0),
	{ "looks", "blocks", "blocks written again that an eviction may spare",
	  offsetof(struct wow, looks), 256, 1, 4096, NULL },
};

static const struct ssdc_stat wow_stats[] = {
	SSDC_STAT(struct wow, g.used, "blocks", "blocks", SSDC_GAUGE,
		  "blocks with cached pages"),
	SSDC_STAT(struct wow, spared, "spared", "blocks", SSDC_COUNTER,
		  "blocks that the hand passed because they were written again"),
	SSDC_STAT(struct wow, rounds, "rounds", "times", SSDC_COUNTER,
		  "times that the hand went back to the lowest address"),
	SSDC_STAT(struct wow, cut_short, "cut_short", "blocks", SSDC_COUNTER,
		  "victims that were written again, because of the limit on looks"),
};

struct ssdc_replacement_type ssdc_wow = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "wow",
			.source = "Gill & Modha, FAST 2005 [Gill05]",
			.status = "as published; pages leave to make room, not by thresholds",
			.doc = "blocks leave in the order of addresses, unless written again",
			.tunables = wow_tunables,
			.nr_tunables = ARRAY_SIZE(wow_tunables),
			.stats = wow_stats,
			.nr_stats = ARRAY_SIZE(wow_stats),
			.instance_bytes = sizeof(struct wow),
			.page_bytes = BLOCK_GROUP_DIRECTORY_BYTES + sizeof(struct node),
			.on_request = true,
		},
	},
	.long_victims = true,
	.no_view = true,
	.create = wow_create,
	.destroy = wow_destroy,
	.insert = wow_insert,
	.hit = wow_hit,
	.remove = wow_remove,
	.victims = wow_victims,
	.adopt = wow_adopt,
	.pop_hottest = wow_pop_hottest,
	.check = wow_check,
};
