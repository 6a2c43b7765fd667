// SPDX-License-Identifier: GPL-2.0
/*
 * An FP-tree holds transactions as paths from the root, the items of each in the order
 * of their frequency, so that common beginnings are stored once:
 *
 *	transactions	a b c			root
 *			a b			 a:3
 *			a c			 b:2   c:1
 *						 c:1
 *
 * Sets that end with an item are grown from the tree of the paths above its nodes (its
 * conditional tree): for c these are "a b" and "a", once each. That tree has fewer
 * items than the one before, and it is at most SSDC_FP_ELEMENTS - 1 trees deep: a stack
 * of trees takes the place of recursion.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "fp-growth.h"

#define NONE		0xffffu
#define ROOT		0u
#define SLOT_BITS	12

/* Each access makes one node at most; a conditional tree has fewer than the one before. */
#define NODES		(SSDC_FP_ACCESSES + 1)

static_assert(SSDC_FP_SLOTS == 1u << SLOT_BITS);
static_assert(NODES < NONE);

/**
 * ssdc_fp_bytes() - memory that ssdc_fp_create() allocates
 */
size_t ssdc_fp_bytes(void)
{
	return SSDC_FP_ACCESSES * (sizeof(struct ssdc_fp_access) +
				   sizeof(struct ssdc_fp_address)) +
		SSDC_FP_SLOTS * sizeof(u16) +
		SSDC_FP_ELEMENTS * NODES * sizeof(struct ssdc_fp_node);
}

/**
 * ssdc_fp_create() - make a miner for windows
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
 * ssdc_fp_clear() - begin a new window; what was under way is given up
 * @fp: miner
 */
void ssdc_fp_clear(struct ssdc_fp_growth *fp)
{
	fp->nr_accesses = 0;
	fp->phase = SSDC_FP_COLLECT;
}

/**
 * ssdc_fp_add() - an access of the window
 * @fp: miner, cleared and not started
 * @transaction: below SSDC_FP_TRANSACTIONS, not less than that of the access before
 * @address: any number
 *
 * Return: false if there is no room for it.
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
 * ssdc_fp_start() - the window is complete: ssdc_fp_step() may begin
 * @fp: miner
 * @params: what to look for
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

/* The address's record, made if it is a new one. */
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

/* One access is counted. */
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

/* One address joins its bucket; from the last to the first, so that the first leads it. */
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

/* One address gets the next rank; or the next bucket is looked at. */
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

static u16 find_child(const struct ssdc_fp_tree *tree, u32 parent, u8 item)
{
	u16 node = tree->nodes[parent].child;

	while (node != NONE && tree->nodes[node].item != item)
		node = tree->nodes[node].sibling;
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

/* The node below @parent for @item, made if there is none, is passed @count times more. */
static u16 pass(struct ssdc_fp_tree *tree, u32 parent, u8 item, u32 count)
{
	u16 node = find_child(tree, parent, item);

	if (node == NONE)
		node = add_child(tree, parent, item);
	tree->nodes[node].count += count;
	return node;
}

/* The transaction in @fp->members -> path of the window's tree. Returns its length. */
static u32 insert_transaction(struct ssdc_fp_growth *fp)
{
	struct ssdc_fp_tree *tree = &fp->trees[0];
	u32 node = ROOT, length = 0, item;

	for_each_set_bit(item, fp->members, SSDC_FP_ITEMS) {
		node = pass(tree, node, item, 1);
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

/* One access joins its transaction, which is inserted with its last. Returns units. */
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

/* Tell of the suffix, and @nr items of the path from @from on. */
static void tell(struct ssdc_fp_growth *fp, u32 suffix, u32 from, u32 nr, u32 support)
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
	fp->params.found(fp->params.context, set);
}

/*
 * Of a tree that is one path, each set of its items is as frequent as the deepest of
 * them: the longest with each support hold all others. What is too long for one set is
 * told in pieces. Returns units.
 */
static u32 tell_path(struct ssdc_fp_growth *fp, u32 suffix)
{
	const struct ssdc_fp_tree *tree = &fp->trees[suffix];
	u32 longest = fp->params.max_elements - suffix;
	u32 node, length = 0, end;

	for (node = tree->nodes[ROOT].child; node != NONE; node = tree->nodes[node].child)
		fp->path[length++] = tree->nodes[node].item;
	for (end = length; end; end--) {
		u32 from = (end - 1) / longest * longest;
		u32 support = tree->counts[fp->path[end - 1]];
		bool longer = end < length && tree->counts[fp->path[end]] == support;

		if (!longer || end - from == longest)
			tell(fp, suffix, from, end - from, support);
	}
	return 2 * length;
}

/* The item that the tree at @depth goes on with; false if there is none. */
static bool next_item(struct ssdc_fp_growth *fp)
{
	struct ssdc_fp_tree *tree = &fp->trees[fp->depth];

	while (tree->next_item)
		if (tree->counts[--tree->next_item] >= fp->params.min_support)
			return true;
	return false;
}

/* The next item of the tree at @depth joins the suffix. Returns units. */
static u32 step_grow(struct ssdc_fp_growth *fp)
{
	struct ssdc_fp_tree *tree = &fp->trees[fp->depth];
	bool leaf;

	if (fp->params.brief && !fp->depth && !tree->branches) {
		fp->phase = SSDC_FP_OVER;
		return tell_path(fp, 0);
	}
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
		tell(fp, fp->depth + 1, 0, 0, tree->counts[tree->next_item]);
	if (!leaf) {
		tree_clear(&fp->trees[fp->depth + 1]);
		fp->cursor = tree->heads[tree->next_item];
		fp->phase = SSDC_FP_COUNT_PATHS;
	}
	return 1;
}

/* Has the suffix, with one item more, the support that it has without? */
static bool is_contained(const struct ssdc_fp_growth *fp)
{
	const struct ssdc_fp_tree *tree = &fp->trees[fp->depth];
	const struct ssdc_fp_tree *next = &fp->trees[fp->depth + 1];
	u32 item;

	for (item = 0; item < tree->next_item; item++)
		if (next->counts[item] == tree->counts[tree->next_item])
			return true;
	return false;
}

/* What is above one node of the item is counted for the conditional tree. Returns units. */
static u32 step_count_paths(struct ssdc_fp_growth *fp)
{
	const struct ssdc_fp_tree *tree = &fp->trees[fp->depth];
	struct ssdc_fp_tree *next = &fp->trees[fp->depth + 1];
	const struct ssdc_fp_node *node = &tree->nodes[fp->cursor];
	u32 parent, units = 1;

	if (fp->cursor == NONE) {
		if (fp->params.brief && !is_contained(fp))
			tell(fp, fp->depth + 1, 0, 0, tree->counts[tree->next_item]);
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

/* The conditional tree is complete. Returns units. */
static u32 enter(struct ssdc_fp_growth *fp)
{
	u32 depth = fp->depth + 1, item = fp->trees[fp->depth].next_item;
	const struct ssdc_fp_tree *tree = &fp->trees[depth];

	if (tree->nr_nodes > 1 && (tree->branches || !fp->params.brief)) {
		grow_from(fp, depth, item);
		return 1;
	}
	fp->phase = SSDC_FP_GROW;
	return 1 + tell_path(fp, depth);
}

/* What is above one node of the item, and frequent, is inserted. Returns units. */
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
		to = pass(next, to, fp->path[--length], node->count);
	fp->cursor = node->next;
	return units;
}

/* Returns units of work done: looks at an access, an address or a node. */
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
	default:
		return 0;
	}
}

/**
 * ssdc_fp_step() - a bounded piece of the work
 * @fp: miner, started
 * @units: looks at an access, an address or a node of a path; exceeded by at most
 *	what belongs to one path, 3 * SSDC_FP_ITEMS. To find a node among its siblings
 *	is not counted, that is at most SSDC_FP_ACCESSES looks per path
 *
 * found() is called from here.
 *
 * Return: true if there is more to do.
 */
bool ssdc_fp_step(struct ssdc_fp_growth *fp, u32 units)
{
	u32 done = 0;

	while (done < units && fp->phase != SSDC_FP_OVER)
		done += step(fp);
	fp->work += done;
	return fp->phase != SSDC_FP_OVER;
}
