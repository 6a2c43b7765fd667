// SPDX-License-Identifier: GPL-2.0
/*
 * An FP-tree stores transactions as paths from the root. The items of a path are in order of
 * frequency, so common prefixes are stored once:
 *
 *	transactions	a b c			root
 *			a b			 a:3
 *			a c			 b:2   c:1
 *						 c:1
 *
 * The sets that end with an item are grown from its conditional tree, which is the tree of
 * the paths above the item's nodes: for c these are "a b" and "a", once each. A conditional
 * tree has fewer items than its parent tree, and the depth is at most SSDC_FP_ELEMENTS - 1,
 * so a stack of trees replaces recursion.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "fp-growth.h"

#define NONE		0xffffu
#define ROOT		0u
#define SLOT_BITS	12

/* Each access makes at most one node; a conditional tree has fewer than its parent tree. */
#define NODES		(SSDC_FP_ACCESSES + 1)

static_assert(SSDC_FP_SLOTS == 1u << SLOT_BITS);
static_assert(NODES < NONE);

/*
 * Work that does not count as units, which the caller limits, ends a call of ssdc_fp_step(), too:
 * after MOST_LOOKS looks at siblings and at counts. To report a set takes as long as SET_LOOKS.
 */
#define MOST_LOOKS	160u
#define SET_LOOKS	32u

/**
 * ssdc_fp_bytes() - size of the memory that ssdc_fp_create() allocates
 */
size_t ssdc_fp_bytes(void)
{
	return SSDC_FP_ACCESSES * (sizeof(struct ssdc_fp_access) +
				   sizeof(struct ssdc_fp_address)) +
		SSDC_FP_SLOTS * sizeof(u16) +
		SSDC_FP_ELEMENTS * NODES * sizeof(struct ssdc_fp_node);
}

/**
 * ssdc_fp_create() - allocate a miner's memory
 * @fp: all zero
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ssdc_fp_create(struct ssdc_fp_growth *fp)
{
	gfp_t flags = GFP_KERNEL | __GFP_NOWARN;
	unsigned int i;

	fp->accesses = kvcalloc(SSDC_FP_ACCESSES, sizeof(*fp->accesses), flags);
	fp->addresses = kvcalloc(SSDC_FP_ACCESSES, sizeof(*fp->addresses), flags);
	fp->slots = kvcalloc(SSDC_FP_SLOTS, sizeof(*fp->slots), flags);
	fp->nodes = kvcalloc(SSDC_FP_ELEMENTS * NODES, sizeof(*fp->nodes), flags);
	if (!fp->accesses || !fp->addresses || !fp->slots || !fp->nodes) {
		ssdc_fp_destroy(fp);
		return -ENOMEM;
	}
	for (i = 0; i < SSDC_FP_ELEMENTS; i++)
		fp->trees[i].nodes = fp->nodes + i * NODES;
	return 0;
}

/**
 * ssdc_fp_destroy() - free what ssdc_fp_create() allocated
 * @fp: miner
 *
 * Context: may sleep.
 */
void ssdc_fp_destroy(struct ssdc_fp_growth *fp)
{
	kvfree(fp->nodes);
	kvfree(fp->slots);
	kvfree(fp->addresses);
	kvfree(fp->accesses);
	memset(fp, 0, sizeof(*fp));
}

/**
 * ssdc_fp_clear() - begin a new window; abandon mining in progress
 * @fp: miner
 */
void ssdc_fp_clear(struct ssdc_fp_growth *fp)
{
	fp->nr_accesses = 0;
	fp->phase = SSDC_FP_COLLECT;
}

/**
 * ssdc_fp_add() - add an access to the window
 * @fp: miner, cleared and not started
 * @transaction: less than SSDC_FP_TRANSACTIONS, not less than that of the previous access
 * @address: any number
 *
 * Return: false if the access does not fit.
 */
bool ssdc_fp_add(struct ssdc_fp_growth *fp, u32 transaction, u64 address)
{
	struct ssdc_fp_access *access = &fp->accesses[fp->nr_accesses];

	if (fp->nr_accesses == SSDC_FP_ACCESSES || transaction >= SSDC_FP_TRANSACTIONS)
		return false;
	access->address = address;
	access->transaction = transaction;
	fp->nr_accesses++;
	return true;
}

static void tree_clear(struct ssdc_fp_tree *tree)
{
	tree->nr_nodes = 1;
	tree->nodes[ROOT].child = NONE;
	tree->branches = false;
	memset(tree->counts, 0, sizeof(tree->counts));
	memset(tree->heads, 0xff, sizeof(tree->heads));
}

/**
 * ssdc_fp_start() - start mining; the window is complete
 * @fp: miner
 * @params: parameters of the search
 */
void ssdc_fp_start(struct ssdc_fp_growth *fp, const struct ssdc_fp_params *params)
{
	unsigned int i;

	fp->params = *params;
	fp->phase = SSDC_FP_COUNT;
	fp->cursor = 0;
	fp->work = 0;
	fp->sets = 0;
	fp->nr_addresses = 0;
	fp->nr_items = 0;
	fp->more_items = false;
	fp->depth = 0;
	memset(fp->slots, 0, SSDC_FP_SLOTS * sizeof(*fp->slots));
	for (i = 0; i <= SSDC_FP_TRANSACTIONS; i++)
		fp->buckets[i] = NONE;
	memset(fp->members, 0, sizeof(fp->members));
	tree_clear(&fp->trees[0]);
}

/* ---- the frequent addresses ---- */

/* Index of the address's record; adds the record if it is missing. */
static u32 index_of(struct ssdc_fp_growth *fp, u64 address)
{
	u32 at = (address * 0x9e3779b97f4a7c15ULL) >> (64 - SLOT_BITS);
	struct ssdc_fp_address *record;

	for (; fp->slots[at]; at = (at + 1) % SSDC_FP_SLOTS)
		if (fp->addresses[fp->slots[at] - 1].address == address)
			return fp->slots[at] - 1;
	record = &fp->addresses[fp->nr_addresses++];
	record->address = address;
	record->transaction = NONE;
	record->count = 0;
	record->rank = NONE;
	fp->slots[at] = fp->nr_addresses;
	return fp->nr_addresses - 1;
}

/* Count one access. */
static void step_count(struct ssdc_fp_growth *fp)
{
	struct ssdc_fp_access *access = &fp->accesses[fp->cursor];
	struct ssdc_fp_address *address;

	if (fp->cursor == fp->nr_accesses) {
		fp->phase = SSDC_FP_SORT;
		fp->cursor = fp->nr_addresses;
		return;
	}
	fp->cursor++;
	access->index = index_of(fp, access->address);
	address = &fp->addresses[access->index];
	if (address->transaction == access->transaction)
		return;
	address->transaction = access->transaction;
	address->count++;
}

/* Add one address to its bucket, last address first, so that the first one ends up in front. */
static void step_sort(struct ssdc_fp_growth *fp)
{
	struct ssdc_fp_address *address;

	if (!fp->cursor) {
		fp->phase = SSDC_FP_RANK;
		fp->cursor = SSDC_FP_TRANSACTIONS;
		return;
	}
	address = &fp->addresses[--fp->cursor];
	address->next = fp->buckets[address->count];
	fp->buckets[address->count] = fp->cursor;
}

/* Give one address the next rank, or move on to the next bucket. */
static void step_rank(struct ssdc_fp_growth *fp)
{
	u16 index = fp->buckets[fp->cursor];

	if (fp->cursor < fp->params.min_support || fp->more_items) {
		fp->phase = SSDC_FP_BUILD;
		fp->cursor = 0;
		return;
	}
	if (index == NONE) {
		fp->cursor--;
		return;
	}
	if (fp->nr_items == SSDC_FP_ITEMS) {
		fp->more_items = true;
		return;
	}
	fp->buckets[fp->cursor] = fp->addresses[index].next;
	fp->addresses[index].rank = fp->nr_items;
	fp->items[fp->nr_items++] = index;
}

/* ---- trees ---- */

static u16 find_child(struct ssdc_fp_growth *fp, const struct ssdc_fp_tree *tree, u32 parent,
		      u8 item)
{
	u16 node = tree->nodes[parent].child;

	while (node != NONE && tree->nodes[node].item != item) {
		node = tree->nodes[node].sibling;
		fp->looks++;
	}
	return node;
}

static u16 add_child(struct ssdc_fp_tree *tree, u32 parent, u8 item)
{
	u16 number = tree->nr_nodes++;

	tree->branches |= tree->nodes[parent].child != NONE;
	tree->nodes[number] = (struct ssdc_fp_node) {
		.parent = parent,
		.child = NONE,
		.sibling = tree->nodes[parent].child,
		.next = tree->heads[item],
		.item = item,
	};
	tree->nodes[parent].child = number;
	tree->heads[item] = number;
	return number;
}

/* Find or add the child of @parent for @item, and add @count to it. */
static u16 pass(struct ssdc_fp_growth *fp, struct ssdc_fp_tree *tree, u32 parent, u8 item,
		u32 count)
{
	u16 node = find_child(fp, tree, parent, item);

	if (node == NONE)
		node = add_child(tree, parent, item);
	tree->nodes[node].count += count;
	return node;
}

/* Insert the transaction in @fp->members into the window's tree. Returns the path's length. */
static u32 insert_transaction(struct ssdc_fp_growth *fp)
{
	struct ssdc_fp_tree *tree = &fp->trees[0];
	u32 node = ROOT, length = 0, item;

	for_each_set_bit(item, fp->members, SSDC_FP_ITEMS) {
		node = pass(fp, tree, node, item, 1);
		tree->counts[item]++;
		length++;
	}
	memset(fp->members, 0, sizeof(fp->members));
	return length;
}

static void grow_from(struct ssdc_fp_growth *fp, u32 depth, u32 next_item)
{
	fp->depth = depth;
	fp->trees[depth].next_item = next_item;
	fp->phase = SSDC_FP_GROW;
}

/* Add one access to its transaction; the last one inserts the transaction. Returns units. */
static u32 step_build(struct ssdc_fp_growth *fp)
{
	const struct ssdc_fp_access *access = &fp->accesses[fp->cursor];
	u16 rank;

	if (fp->cursor == fp->nr_accesses) {
		grow_from(fp, 0, fp->nr_items);
		return 1;
	}
	rank = fp->addresses[access->index].rank;
	if (rank != NONE)
		__set_bit(rank, fp->members);
	if (++fp->cursor < fp->nr_accesses && access[1].transaction == access->transaction)
		return 1;
	return 1 + insert_transaction(fp);
}

/* ---- growth ---- */

/* Report a set: the suffix, and @nr items of the path from @from. */
static void report(struct ssdc_fp_growth *fp, u32 suffix, u32 from, u32 nr, u32 support)
{
	struct ssdc_fp_set *set = &fp->set;
	u32 i;

	set->nr = 0;
	set->support = support;
	for (i = 0; i < suffix; i++)
		set->addresses[set->nr++] = fp->addresses[fp->items[fp->suffix[i]]].address;
	for (i = from + nr; i-- > from;)
		set->addresses[set->nr++] = fp->addresses[fp->items[fp->path[i]]].address;
	if (set->nr < 2)
		return;
	fp->sets++;
	fp->looks += SET_LOOKS;
	fp->params.found(fp->params.context, set);
}

/*
 * In a tree that is a single path, a set is as frequent as its deepest item, so the longest
 * set of each support contains all others. Report a set that is too long in parts. Returns
 * units.
 */
static u32 start_report(struct ssdc_fp_growth *fp, u32 suffix)
{
	const struct ssdc_fp_tree *tree = &fp->trees[suffix];
	u32 node, length = 0;

	for (node = tree->nodes[ROOT].child; node != NONE; node = tree->nodes[node].child)
		fp->path[length++] = tree->nodes[node].item;
	fp->path_suffix = suffix;
	fp->path_length = length;
	fp->cursor = length;
	fp->phase = SSDC_FP_REPORT_PATH;
	return length;
}

/* The sets that end with one item of the path. Returns units. */
static u32 step_report_path(struct ssdc_fp_growth *fp)
{
	const struct ssdc_fp_tree *tree = &fp->trees[fp->path_suffix];
	u32 longest = fp->params.max_elements - fp->path_suffix, end = fp->cursor, from, support;
	bool longer;

	if (!end) {
		fp->phase = fp->path_suffix ? SSDC_FP_GROW : SSDC_FP_OVER;
		return 0;
	}
	from = (end - 1) / longest * longest;
	support = tree->counts[fp->path[end - 1]];
	longer = end < fp->path_length && tree->counts[fp->path[end]] == support;
	if (!longer || end - from == longest)
		report(fp, fp->path_suffix, from, end - from, support);
	fp->cursor--;
	return 1;
}

/* Select the next frequent item of the tree at @depth; false if none is left. */
static bool next_item(struct ssdc_fp_growth *fp)
{
	struct ssdc_fp_tree *tree = &fp->trees[fp->depth];

	while (tree->next_item)
		if (tree->counts[--tree->next_item] >= fp->params.min_support)
			return true;
	return false;
}

/* Add the next item of the tree at @depth to the suffix. Returns units. */
static u32 step_grow(struct ssdc_fp_growth *fp)
{
	struct ssdc_fp_tree *tree = &fp->trees[fp->depth];
	bool leaf;

	if (fp->params.brief && !fp->depth && !tree->branches)
		return start_report(fp, 0);
	if (!next_item(fp)) {
		if (fp->depth)
			fp->depth--;
		else
			fp->phase = SSDC_FP_OVER;
		return 1;
	}
	fp->suffix[fp->depth] = tree->next_item;
	leaf = fp->depth + 1 == fp->params.max_elements || !tree->next_item;
	if (leaf || !fp->params.brief)
		report(fp, fp->depth + 1, 0, 0, tree->counts[tree->next_item]);
	if (!leaf) {
		tree_clear(&fp->trees[fp->depth + 1]);
		fp->cursor = tree->heads[tree->next_item];
		fp->phase = SSDC_FP_COUNT_PATHS;
	}
	return 1;
}

/* Does some item extend the suffix to a set of the same support? */
static bool is_contained(struct ssdc_fp_growth *fp)
{
	const struct ssdc_fp_tree *tree = &fp->trees[fp->depth];
	const struct ssdc_fp_tree *next = &fp->trees[fp->depth + 1];
	u32 item = 0;

	while (item < tree->next_item && next->counts[item] != tree->counts[tree->next_item])
		item++;
	fp->looks += item;
	return item < tree->next_item;
}

/* Count the items above one node of the item, for the conditional tree. Returns units. */
static u32 step_count_paths(struct ssdc_fp_growth *fp)
{
	const struct ssdc_fp_tree *tree = &fp->trees[fp->depth];
	struct ssdc_fp_tree *next = &fp->trees[fp->depth + 1];
	const struct ssdc_fp_node *node = &tree->nodes[fp->cursor];
	u32 parent, units = 1;

	if (fp->cursor == NONE) {
		if (fp->params.brief && !is_contained(fp))
			report(fp, fp->depth + 1, 0, 0, tree->counts[tree->next_item]);
		fp->cursor = tree->heads[tree->next_item];
		fp->phase = SSDC_FP_BUILD_PATHS;
		return units;
	}
	for (parent = node->parent; parent != ROOT; parent = tree->nodes[parent].parent) {
		next->counts[tree->nodes[parent].item] += node->count;
		units++;
	}
	fp->cursor = node->next;
	return units;
}

/* The conditional tree is complete: grow from it. Returns units. */
static u32 enter(struct ssdc_fp_growth *fp)
{
	u32 depth = fp->depth + 1, item = fp->trees[fp->depth].next_item;
	const struct ssdc_fp_tree *tree = &fp->trees[depth];

	if (tree->nr_nodes > 1 && (tree->branches || !fp->params.brief)) {
		grow_from(fp, depth, item);
		return 1;
	}
	return 1 + start_report(fp, depth);
}

/* Insert the frequent items above one node into the conditional tree. Returns units. */
static u32 step_build_paths(struct ssdc_fp_growth *fp)
{
	const struct ssdc_fp_tree *tree = &fp->trees[fp->depth];
	struct ssdc_fp_tree *next = &fp->trees[fp->depth + 1];
	const struct ssdc_fp_node *node = &tree->nodes[fp->cursor];
	u32 parent, to = ROOT, length = 0, units = 1;

	if (fp->cursor == NONE)
		return enter(fp);
	for (parent = node->parent; parent != ROOT; parent = tree->nodes[parent].parent) {
		u8 item = tree->nodes[parent].item;

		if (next->counts[item] >= fp->params.min_support)
			fp->path[length++] = item;
		units++;
	}
	while (length)
		to = pass(fp, next, to, fp->path[--length], node->count);
	fp->cursor = node->next;
	return units;
}

/* Returns units of work: accesses, addresses or nodes visited. */
static u32 step(struct ssdc_fp_growth *fp)
{
	switch (fp->phase) {
	case SSDC_FP_COUNT:
		step_count(fp);
		return 1;
	case SSDC_FP_SORT:
		step_sort(fp);
		return 1;
	case SSDC_FP_RANK:
		step_rank(fp);
		return 1;
	case SSDC_FP_BUILD:
		return step_build(fp);
	case SSDC_FP_GROW:
		return step_grow(fp);
	case SSDC_FP_COUNT_PATHS:
		return step_count_paths(fp);
	case SSDC_FP_BUILD_PATHS:
		return step_build_paths(fp);
	case SSDC_FP_REPORT_PATH:
		return step_report_path(fp);
	default:
		return 0;
	}
}

/**
 * ssdc_fp_step() - do a bounded step of mining
 * @fp: miner, started
 * @units: work to do: accesses, addresses or nodes of a path visited. Exceeded by at most
 *	the work for one path, 3 * SSDC_FP_ITEMS. Sets found and the search for a node among
 *	its siblings are not counted, but a call with much of that ends earlier. One path is
 *	never divided: the search visits each transaction that leaves the path once.
 *
 * Calls found() for each set.
 *
 * Return: true if work remains.
 */
bool ssdc_fp_step(struct ssdc_fp_growth *fp, u32 units)
{
	u32 done = 0;

	fp->looks = 0;
	while (done < units && fp->looks < MOST_LOOKS && fp->phase != SSDC_FP_OVER)
		done += step(fp);
	fp->work += done;
	return fp->phase != SSDC_FP_OVER;
}
