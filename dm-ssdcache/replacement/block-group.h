/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Groups of cached pages that leave together: the pages of a flash block, of a virtual
 * block or of one request.
 *
 *	list	 group		pages, most recent first
 *	 [0]	[ A ]  -----> 3  0  1
 *	  |	[ B ]  -----> 9
 *	 [1]	[ C ]  -----> 22 23
 *	directory: first page of the block -> group
 *
 * A policy has one or more lists of groups. Each page is in one group (its entry's weight is
 * the group's index), and each group is on one list. The directory finds the group of a
 * block address. Groups without a block address have span 0 and are not in the directory.
 *
 * One group per frame is allocated when the policy is created: 24 bytes per page of the DRAM tier,
 * plus 2 for the directory. All other functions allocate nothing and are O(1), or O(pages of a
 * group) where noted. The engine's lock protects all groups.
 *
 * Two values are derived instead of stored: a group's first page number (any of its page
 * numbers, rounded down to the span) and its tail (the @prev of its head).
 */
#ifndef SSDC_BLOCK_GROUP_H
#define SSDC_BLOCK_GROUP_H

#include <linux/kernel.h>
#include "../policy-api/replacement.h"

#define NO_GROUP U32_MAX

/* Largest block size in pages. */
#define GROUP_MAX_SPAN 256

/* Tunables of policies that group pages by flash block; @block and @width are u32 members. */
#define FLASH_BLOCK_TUNABLES(type, block, width, default_width) \
	{ "block", "pages", "flash block size; pages already cached keep their grouping", \
	  offsetof(type, block), 64, 2, GROUP_MAX_SPAN, NULL }, \
	{ "width", "pages", "pages of a block written at a time, like planes of a chip; 0: all", \
	  offsetof(type, width), default_width, 0, SSDC_MAX_WIDTH, NULL }

/**
 * struct block_group - pages that leave together
 * @head: most recent page; the pages are linked by their entries
 * @prev: more recent neighbour on the list
 * @next: less recent neighbour on the list
 * @hash_next: next group in the directory's chain, or on the free list
 * @count: number of pages, at most GROUP_MAX_SPAN
 * @span: block size in pages, 0: the group is not in the directory
 * @list: index of the policy's list
 * @kind: part of the directory key; free for the policy's use if @span is 0
 * @note: for the policy's use
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

/* A list of groups, most recent first. */
struct group_list {
	u32 head;
	u32 tail;
	u32 groups;
	u32 pages;
};

/**
 * struct block_groups - all groups of a policy
 * @r: the policy
 * @lists: the policy's lists of groups
 * @nr_lists: number of @lists
 * @groups: one per frame
 * @buckets: the directory, or NULL
 * @hash_shift: shift of the directory's hash
 * @free: first free group
 * @used: number of groups in use
 * @slots: scratch: the frame of each page of a block
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

/* Memory per page for struct ssdc_plugin_info, without and with a directory. */
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
void block_group_fill(struct block_groups *g, u32 group, const ssdc_frame_t *frames, u32 nr);
void block_group_touch(struct block_groups *g, ssdc_frame_t frame);
bool block_group_del(struct block_groups *g, ssdc_frame_t frame);
u32 block_group_dissolve(struct block_groups *g, u32 group);
void block_group_take_sorted(struct block_groups *g, u32 group, struct ssdc_batch *batch,
			     unsigned int max);
void block_group_take(struct block_groups *g, u32 group, struct ssdc_batch *batch,
		      unsigned int max);

ssdc_frame_t block_groups_hottest(const struct block_groups *g);
int block_groups_check(const struct block_groups *g, struct ssdc_error *finding);

static inline struct block_group *block_group_at(const struct block_groups *g, u32 group)
{
	return &g->groups[group];
}

static inline u32 block_group_of(const struct block_groups *g, ssdc_frame_t frame)
{
	return ssdc_replacement_entry(g->r, frame)->weight;
}

#endif /* SSDC_BLOCK_GROUP_H */
