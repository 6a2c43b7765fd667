/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Groups of cached pages that leave together, for policies that think in blocks: a
 * flash block, a virtual block, the pages of one request.
 *
 *	list	 group		pages, most recent first
 *	 [0]	[ A ]  -----> 3  0  1
 *	  |	[ B ]  -----> 9
 *	 [1]	[ C ]  -----> 22 23
 *	directory: first page of the block -> group
 *
 * A policy has one or more lists of groups. A page is in one group (its entry's weight
 * says which), a group on one list. Groups of a block of addresses are found through the
 * directory; others, with a span of 0, are not in it.
 *
 * There can be as many groups as frames, so that many are allocated when the policy is
 * created: 24 bytes per page of the DRAM tier, and 2 for the directory. All functions but
 * that one are O(1), or O(pages of a group) where they say so, and allocate nothing.
 *
 * What a group's pages tell is not kept twice: its first page number is that of any of its
 * pages, rounded down to the span, and of the page at its head @prev is the one at its tail.
 */
#ifndef SSDC_BLOCK_GROUP_H
#define SSDC_BLOCK_GROUP_H

#include <linux/kernel.h>
#include "../engine/engine.h"

#define NO_GROUP U32_MAX

/* The largest block of addresses. */
#define GROUP_MAX_SPAN 256

/* Tunables of policies that group pages by flash block: u32 members of their type. */
#define FLASH_BLOCK_TUNABLES(type, block, serial) \
	{ "block", "pages", "size of a flash block; pages cached before keep their grouping", \
	  offsetof(type, block), 64, 2, GROUP_MAX_SPAN, NULL }, \
	{ "serial", "", "on: a block's pages are written one by one, as into one flash block", \
	  offsetof(type, serial), 1, 0, 0, ssdc_off_on }

/**
 * struct block_group - pages that leave together
 * @head: the most recent of its pages, which are linked by their entries
 * @prev: group before it on its list (more recent)
 * @next: group behind it
 * @hash_next: next in the directory's chain; of a free group: the next free one
 * @count: its pages, at most GROUP_MAX_SPAN
 * @span: pages of the block of addresses, 0: the group is not in the directory
 * @list: which of the policy's lists
 * @kind: blocks of different kinds with the same address are different; of a group that is
 *	not in the directory it is the policy's own
 * @note: the policy's own
 */
struct block_group {
	ssdc_frame_t head;
	u32 prev;
	u32 next;
	u32 hash_next;
	u16 count;
	u16 span;
	u16 list : 15;
	u16 kind : 1;
	u16 note;
};

/* A list of groups, most recent first; the counts are for decisions and statistics. */
struct group_list {
	u32 head;
	u32 tail;
	u32 groups;
	u32 pages;
};

/**
 * struct block_groups - all groups of a policy
 * @r: the policy
 * @lists: its lists
 * @nr_lists: how many
 * @groups: one per frame
 * @buckets: the directory, NULL if the policy needs none
 * @hash_shift: of the directory
 * @free: first free group
 * @used: groups in use
 * @slots: scratch, a frame per page of a block
 */
struct block_groups {
	struct ssdc_replacement *r;
	struct group_list *lists;
	unsigned int nr_lists;
	struct block_group *groups;
	u32 *buckets;
	u32 hash_shift;
	u32 free;
	u32 used;
	ssdc_frame_t slots[GROUP_MAX_SPAN];
};

/* Memory per page, for struct ssdc_plugin_info: without and with a directory. */
#define BLOCK_GROUP_BYTES ((unsigned int)sizeof(struct block_group))
#define BLOCK_GROUP_DIRECTORY_BYTES (BLOCK_GROUP_BYTES + 2)

int block_groups_create(struct block_groups *g, struct ssdc_replacement *r,
			struct group_list *lists, unsigned int nr_lists, bool directory,
			struct ssdc_error *error);
void block_groups_destroy(struct block_groups *g);

u32 block_group_get(struct block_groups *g, ssdc_frame_t frame, u32 span, bool kind,
		    unsigned int list);
u32 block_group_new(struct block_groups *g, unsigned int list);
void block_group_move_head(struct block_groups *g, u32 group, unsigned int list);
void block_group_move_tail(struct block_groups *g, u32 group, unsigned int list);

void block_group_add_head(struct block_groups *g, u32 group, ssdc_frame_t frame);
void block_group_add_tail(struct block_groups *g, u32 group, ssdc_frame_t frame);
void block_group_touch(struct block_groups *g, ssdc_frame_t frame);
bool block_group_del(struct block_groups *g, ssdc_frame_t frame);
void block_group_take_sorted(struct block_groups *g, u32 group, struct ssdc_batch *batch,
			     unsigned int max);
void block_group_take(struct block_groups *g, u32 group, struct ssdc_batch *batch,
		      unsigned int max);

ssdc_frame_t block_groups_hottest(const struct block_groups *g);
int block_groups_check(const struct block_groups *g);

static inline struct block_group *block_group_at(const struct block_groups *g, u32 group)
{
	return &g->groups[group];
}

static inline u32 block_group_of(const struct block_groups *g, ssdc_frame_t frame)
{
	return ssdc_replacement_entry(g->r, frame)->weight;
}

#endif /* SSDC_BLOCK_GROUP_H */
