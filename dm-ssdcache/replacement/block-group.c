// SPDX-License-Identifier: GPL-2.0
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "../base/alloc.h"
#include "block-group.h"

/* Half as many buckets as frames: a block usually has two or more cached pages. */
static u32 nr_buckets(const struct block_groups *g)
{
	return rounddown_pow_of_two(g->r->nr_frames) / 2;
}

/**
 * block_groups_create() - allocate one group per frame, and the directory
 * @g: part of the policy's instance, all zero
 * @r: the policy
 * @lists: the policy's lists of groups
 * @nr_lists: number of @lists, 1 to 1024
 * @directory: true if the policy looks groups up by block address
 * @error: filled in on failure
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM with everything freed.
 */
int block_groups_create(struct block_groups *g, struct ssdc_replacement *r,
			struct group_list *lists, unsigned int nr_lists, bool directory,
			struct ssdc_error *error)
{
	u32 i, buckets;

	g->r = r;
	g->lists = lists;
	g->nr_lists = nr_lists;
	buckets = directory ? nr_buckets(g) : 0;
	g->groups = ssdc_alloc_array(r->nr_frames, sizeof(*g->groups));
	if (directory)
		g->buckets = ssdc_alloc_array(buckets, sizeof(*g->buckets));
	if (!g->groups || (directory && !g->buckets)) {
		scnprintf(error->text, sizeof(error->text),
			  "%s: no memory: %llu bytes are needed to keep track of its blocks",
			  r->plugin.type->info.name,
			  (unsigned long long)r->nr_frames * r->plugin.type->info.page_bytes);
		block_groups_destroy(g);
		return -ENOMEM;
	}
	if (directory)
		g->hash_shift = 64 - ilog2(buckets);
	for (i = 0; i < buckets; i++)
		g->buckets[i] = NO_GROUP;
	for (i = 0; i < r->nr_frames; i++)
		g->groups[i].hash_next = i + 1 < r->nr_frames ? i + 1 : NO_GROUP;
	for (i = 0; i < nr_lists; i++) {
		lists[i].head = NO_GROUP;
		lists[i].tail = NO_GROUP;
	}
	return 0;
}

/* Context: may sleep. */
void block_groups_destroy(struct block_groups *g)
{
	kvfree(g->groups);
	kvfree(g->buckets);
}

/* ---- directory ---- */

static u32 *bucket_of(const struct block_groups *g, u64 first)
{
	return &g->buckets[(first * 0x9E3779B97F4A7C15ULL) >> g->hash_shift];
}

static u64 page_of(const struct block_groups *g, ssdc_frame_t frame)
{
	return ssdc_page_nr(ssdc_replacement_entry(g->r, frame)->page);
}

/* First page number of the block that holds @frame's page. */
static u64 first_of(const struct block_groups *g, ssdc_frame_t frame, u32 span)
{
	return div_u64(page_of(g, frame), span) * span;
}

static u32 find(const struct block_groups *g, u64 first, u32 span, bool kind)
{
	u32 group = *bucket_of(g, first);

	while (group != NO_GROUP) {
		const struct block_group *at = block_group_at(g, group);

		if (at->span == span && at->kind == kind && page_of(g, at->head) - first < span)
			break;
		group = at->hash_next;
	}
	return group;
}

/* Never fails: there are as many groups as frames, and no group in use is empty. */
static u32 take_free(struct block_groups *g)
{
	u32 group = g->free;
	struct block_group *at = block_group_at(g, group);

	g->free = at->hash_next;
	g->used++;
	at->note = 0;
	at->count = 0;
	at->head = SSDC_NO_FRAME;
	return group;
}

/* Free a group that is on no list; @frame held its last page. */
static void free_group(struct block_groups *g, u32 group, ssdc_frame_t frame)
{
	struct block_group *at = block_group_at(g, group);

	if (at->span) {
		u32 *link = bucket_of(g, first_of(g, frame, at->span));

		while (*link != group)
			link = &block_group_at(g, *link)->hash_next;
		*link = at->hash_next;
	}
	at->hash_next = g->free;
	g->free = group;
	g->used--;
}

/* ---- lists of groups ---- */

static void link_group(struct block_groups *g, u32 group, unsigned int list, u32 prev, u32 next)
{
	struct group_list *to = &g->lists[list];
	struct block_group *at = block_group_at(g, group);

	at->list = list;
	at->prev = prev;
	at->next = next;
	if (prev == NO_GROUP)
		to->head = group;
	else
		block_group_at(g, prev)->next = group;
	if (next == NO_GROUP)
		to->tail = group;
	else
		block_group_at(g, next)->prev = group;
	to->groups++;
	to->pages += at->count;
}

static void unlink_group(struct block_groups *g, u32 group)
{
	struct block_group *at = block_group_at(g, group);
	struct group_list *from = &g->lists[at->list];

	if (at->prev == NO_GROUP)
		from->head = at->next;
	else
		block_group_at(g, at->prev)->next = at->next;
	if (at->next == NO_GROUP)
		from->tail = at->prev;
	else
		block_group_at(g, at->next)->prev = at->prev;
	from->groups--;
	from->pages -= at->count;
}

/* Move a group to the head (most recent end) of @list. */
void block_group_move_head(struct block_groups *g, u32 group, unsigned int list)
{
	if (g->lists[list].head == group)
		return;
	unlink_group(g, group);
	link_group(g, group, list, NO_GROUP, g->lists[list].head);
}

/* Move a group to the tail (least recent end) of @list. */
void block_group_move_tail(struct block_groups *g, u32 group, unsigned int list)
{
	if (g->lists[list].tail == group)
		return;
	unlink_group(g, group);
	link_group(g, group, list, g->lists[list].tail, NO_GROUP);
}

/**
 * block_group_get() - find or create the group of a block address
 * @g: groups
 * @frame: frame of a page in the block
 * @span: block size in pages
 * @kind: kind of the block
 * @list: list for a new group
 *
 * Return: the group. A new group is empty and at the tail of @list; add a page to it
 * before any other operation.
 */
u32 block_group_get(struct block_groups *g, ssdc_frame_t frame, u32 span, bool kind,
		    unsigned int list)
{
	u64 first = first_of(g, frame, span);
	u32 group = find(g, first, span, kind);
	struct block_group *at;
	u32 *bucket;

	if (group != NO_GROUP)
		return group;
	group = take_free(g);
	at = block_group_at(g, group);
	bucket = bucket_of(g, first);
	at->span = span;
	at->kind = kind;
	at->hash_next = *bucket;
	*bucket = group;
	link_group(g, group, list, g->lists[list].tail, NO_GROUP);
	return group;
}

/* Create an empty group without a block address at the tail of @list; add a page at once. */
u32 block_group_new(struct block_groups *g, unsigned int list)
{
	u32 group = take_free(g);

	block_group_at(g, group)->span = 0;
	link_group(g, group, list, g->lists[list].tail, NO_GROUP);
	return group;
}

/* ---- pages ---- */

static struct ssdc_entry *entry_of(const struct block_groups *g, ssdc_frame_t frame)
{
	return ssdc_replacement_entry(g->r, frame);
}

static ssdc_frame_t tail_of(const struct block_groups *g, const struct block_group *at)
{
	return entry_of(g, at->head)->prev;
}

/* Make @frame the most recent (@to_head) or the least recent page of @at. */
static void link_page(struct block_groups *g, struct block_group *at, ssdc_frame_t frame,
		      bool to_head)
{
	struct ssdc_entry *entry = entry_of(g, frame);
	ssdc_frame_t head = at->head;

	entry->prev = frame;
	entry->next = SSDC_NO_FRAME;
	if (head == SSDC_NO_FRAME || to_head)
		at->head = frame;
	if (head != SSDC_NO_FRAME) {
		struct ssdc_entry *old = entry_of(g, head);

		entry->prev = old->prev;
		if (to_head)
			entry->next = head;
		else
			entry_of(g, old->prev)->next = frame;
		old->prev = frame;
	}
	at->count++;
}

/* Take @frame off @at's list of pages. */
static void unlink_page(struct block_groups *g, struct block_group *at, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = entry_of(g, frame);

	if (at->head == frame)
		at->head = entry->next;
	else
		entry_of(g, entry->prev)->next = entry->next;
	/* The list wraps backwards: the head's @prev is the tail. */
	if (entry->next != SSDC_NO_FRAME)
		entry_of(g, entry->next)->prev = entry->prev;
	else if (at->head != SSDC_NO_FRAME)
		entry_of(g, at->head)->prev = entry->prev;
	at->count--;
}

static void enter(struct block_groups *g, u32 group, ssdc_frame_t frame, bool to_head)
{
	struct block_group *at = block_group_at(g, group);
	struct ssdc_entry *entry = entry_of(g, frame);

	entry->weight = group;
	entry->list = 0;
	g->lists[at->list].pages++;
	link_page(g, at, frame, to_head);
}

/* Add @frame as the most recent page of a group. */
void block_group_add_head(struct block_groups *g, u32 group, ssdc_frame_t frame)
{
	enter(g, group, frame, true);
}

/* Add @frame as the least recent page of a group. */
void block_group_add_tail(struct block_groups *g, u32 group, ssdc_frame_t frame)
{
	enter(g, group, frame, false);
}

/*
 * Add @nr pages to an empty group. The result is that of block_group_add_head() for each page, but
 * the function is quicker for many pages.
 */
void block_group_fill(struct block_groups *g, u32 group, const ssdc_frame_t *frames, u32 nr)
{
	struct block_group *at = block_group_at(g, group);
	u32 i;

	for (i = 0; i < nr; i++) {
		struct ssdc_entry *entry = entry_of(g, frames[i]);

		entry->weight = group;
		entry->list = 0;
		entry->prev = frames[i + 1 < nr ? i + 1 : 0];
		entry->next = i ? frames[i - 1] : SSDC_NO_FRAME;
	}
	at->head = frames[nr - 1];
	at->count = nr;
	g->lists[at->list].pages += nr;
}

/* Make @frame the most recent page of its group. */
void block_group_touch(struct block_groups *g, ssdc_frame_t frame)
{
	struct block_group *at = block_group_at(g, block_group_of(g, frame));

	if (at->head == frame)
		return;
	unlink_page(g, at, frame);
	link_page(g, at, frame, true);
}

/* Remove @frame from its group. Returns false if that freed the group. */
bool block_group_del(struct block_groups *g, ssdc_frame_t frame)
{
	u32 group = block_group_of(g, frame);
	struct block_group *at = block_group_at(g, group);

	unlink_page(g, at, frame);
	g->lists[at->list].pages--;
	if (at->count)
		return true;
	unlink_group(g, group);
	free_group(g, group, frame);
	return false;
}

/* Free a group whose pages all leave. This is quicker than unlinking each page. */
static void drop_group(struct block_groups *g, u32 group)
{
	struct block_group *at = block_group_at(g, group);

	unlink_group(g, group);
	free_group(g, group, at->head);
	/* Policies may still look at @count. */
	at->count = 0;
}

/*
 * Sort the pages of a group with a block address: @slots[i] becomes the frame of page i of the
 * block, or SSDC_NO_FRAME. Returns the block's size in pages. O(pages of the block).
 */
static u32 sort_pages(struct block_groups *g, u32 group)
{
	const struct block_group *at = block_group_at(g, group);
	ssdc_frame_t frame = at->head;
	u32 span = at->span;
	u64 first = first_of(g, frame, span);

	static_assert((__force u32)SSDC_NO_FRAME == U32_MAX);	/* the bytes of free slots */
	memset(g->slots, 0xff, span * sizeof(g->slots[0]));
	while (frame != SSDC_NO_FRAME) {
		g->slots[page_of(g, frame) - first] = frame;
		frame = entry_of(g, frame)->next;
	}
	return span;
}

/**
 * block_group_take_sorted() - move a block's pages to a batch, in ascending order
 * @g: groups
 * @group: a group with a block address; freed once it is empty
 * @batch: receives the pages
 * @max: at most this many pages
 *
 * O(pages of the block).
 */
void block_group_take_sorted(struct block_groups *g, u32 group, struct ssdc_batch *batch,
			     unsigned int max)
{
	u32 i, span = sort_pages(g, group);
	bool all = block_group_at(g, group)->count <= max;

	for (i = 0; i < span && max; i++) {
		if (g->slots[i] == SSDC_NO_FRAME)
			continue;
		if (!all)
			block_group_del(g, g->slots[i]);
		ssdc_batch_add(batch, g->slots[i]);
		max--;
	}
	if (all)
		drop_group(g, group);
}

/**
 * block_group_take() - move a group's pages to a batch, least recent first
 * @g: groups
 * @group: the group; freed once it is empty
 * @batch: receives the pages
 * @max: at most this many pages
 *
 * O(pages of the group).
 */
void block_group_take(struct block_groups *g, u32 group, struct ssdc_batch *batch,
		      unsigned int max)
{
	const struct block_group *at = block_group_at(g, group);
	bool all = at->count <= max;
	u32 nr = min_t(u32, at->count, max);
	ssdc_frame_t frame = tail_of(g, at);

	while (nr--) {
		ssdc_frame_t before = entry_of(g, frame)->prev;

		if (!all)
			block_group_del(g, frame);
		ssdc_batch_add(batch, frame);
		frame = before;
	}
	if (all)
		drop_group(g, group);
}

/**
 * block_group_dissolve() - find the pages of a block by address, and free its group
 * @g: groups; @slots as after sort_pages()
 * @group: a group with a block address
 *
 * The caller adds all pages to other groups at once. O(pages of the block).
 *
 * Return: the block's size in pages.
 */
u32 block_group_dissolve(struct block_groups *g, u32 group)
{
	u32 span = sort_pages(g, group);

	drop_group(g, group);
	return span;
}

/* The most recently used page among the heads of the lists' head groups, or SSDC_NO_FRAME. */
ssdc_frame_t block_groups_hottest(const struct block_groups *g)
{
	ssdc_frame_t frame = SSDC_NO_FRAME;
	unsigned int i;

	for (i = 0; i < g->nr_lists; i++) {
		u32 group = g->lists[i].head;

		if (group != NO_GROUP)
			frame = ssdc_replacement_hotter(g->r, block_group_at(g, group)->head,
							frame);
	}
	return frame;
}

/* ---- check ---- */

static int member_check(const struct block_groups *g, u32 group, ssdc_frame_t frame,
			struct ssdc_error *finding)
{
	const struct block_group *at = block_group_at(g, group);
	const struct ssdc_entry *entry = entry_of(g, frame);

	if (entry->weight != group)
		return ssdc_finding(finding,
				    "frame %u is linked in group %u and marked as in group %u",
				    ssdc_frame_nr(frame), group, entry->weight);
	if (!(entry->flags & SSDC_E_POLICY))
		return ssdc_finding(finding,
				    "group %u: frame %u has flags 0x%x without SSDC_E_POLICY",
				    group, ssdc_frame_nr(frame), entry->flags);
	if (at->span && page_of(g, frame) - first_of(g, at->head, at->span) >= at->span)
		return ssdc_finding(finding,
				    "group %u of the %u pages from %llu has page %llu", group,
				    at->span, first_of(g, at->head, at->span), page_of(g, frame));
	return 0;
}

static int group_check(const struct block_groups *g, u32 group, struct ssdc_error *finding)
{
	const struct block_group *at = block_group_at(g, group);
	ssdc_frame_t frame = at->head, prev = SSDC_NO_FRAME;
	u32 count = 0, found = group;
	int r;

	if (!at->count)
		return ssdc_finding(finding, "group %u is empty", group);
	if (at->span)
		found = find(g, first_of(g, frame, at->span), at->span, at->kind);
	if (found != group)
		return ssdc_finding(finding,
				    "group %u: the directory has group %d at its page (-1: none)",
				    group, (int)found);
	while (frame != SSDC_NO_FRAME && count < at->count) {
		r = member_check(g, group, frame, finding);
		if (r)
			return r;
		if (count && entry_of(g, frame)->prev != prev)
			return ssdc_finding(finding,
					    "group %u: frame %u has the previous frame %d, not %u",
					    group, ssdc_frame_nr(frame),
					    (int)ssdc_frame_nr(entry_of(g, frame)->prev),
					    ssdc_frame_nr(prev));
		count++;
		prev = frame;
		frame = entry_of(g, frame)->next;
	}
	if (frame != SSDC_NO_FRAME || count != at->count || tail_of(g, at) != prev)
		return ssdc_finding(finding,
				    "group %u: %u pages%s are linked, its count is %u; the last is frame %u, its tail %u",
				    group, count, frame != SSDC_NO_FRAME ? " and more" : "",
				    at->count, ssdc_frame_nr(prev), ssdc_frame_nr(tail_of(g, at)));
	return 0;
}

static int list_check(const struct block_groups *g, unsigned int list,
		      struct ssdc_error *finding)
{
	const struct group_list *l = &g->lists[list];
	u32 group = l->head, prev = NO_GROUP, groups = 0, pages = 0;
	int r;

	while (group != NO_GROUP && groups <= g->used) {
		const struct block_group *at = block_group_at(g, group);

		if (at->prev != prev)
			return ssdc_finding(finding,
					    "list %u: group %u has the previous group %d, not %d (-1: none)",
					    list, group, (int)at->prev, (int)prev);
		if (at->list != list)
			return ssdc_finding(finding,
					    "list %u: group %u is marked as on list %u", list,
					    group, at->list);
		r = group_check(g, group, finding);
		if (r)
			return r;
		pages += at->count;
		groups++;
		prev = group;
		group = at->next;
	}
	if (group != NO_GROUP || l->groups != groups || l->pages != pages)
		return ssdc_finding(finding,
				    "list %u: %u groups of %u pages%s are linked, its counts are %u and %u",
				    list, groups, pages, group != NO_GROUP ? " and more" : "",
				    l->groups, l->pages);
	if (l->tail != prev)
		return ssdc_finding(finding,
				    "list %u: the tail is group %d, the last group is %d (-1: none)",
				    list, (int)l->tail, (int)prev);
	return 0;
}

/**
 * block_groups_check() - verify all invariants
 * @g: groups
 * @finding: filled in on failure
 *
 * O(pages), for tests.
 *
 * Return: 0 or -EUCLEAN.
 */
int block_groups_check(const struct block_groups *g, struct ssdc_error *finding)
{
	u32 groups = 0, pages = 0, group = g->free;
	unsigned int i;
	int r;

	for (i = 0; i < g->nr_lists; i++) {
		r = list_check(g, i, finding);
		if (r)
			return r;
		groups += g->lists[i].groups;
		pages += g->lists[i].pages;
	}
	if (groups != g->used)
		return ssdc_finding(finding,
				    "the lists hold %u groups, %u are in use", groups, g->used);
	for (; group != NO_GROUP && groups <= g->r->nr_frames; groups++)
		group = block_group_at(g, group)->hash_next;
	if (groups != g->r->nr_frames)
		return ssdc_finding(finding,
				    "%u of %u groups are in use or on the free list", groups,
				    g->r->nr_frames);
	return ssdc_pages_check(g->r, pages, finding);
}
