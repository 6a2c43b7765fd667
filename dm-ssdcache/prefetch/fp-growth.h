/* SPDX-License-Identifier: GPL-2.0 */
/*
 * FP-Growth (Han, Pei, Yin, SIGMOD 2000): all sets of addresses that are found
 * together in enough transactions of a window, without trying candidates.
 *
 * In steps, with memory that is allocated once:
 *
 *	ssdc_fp_clear()
 *	ssdc_fp_add()		for each access, in the order of transactions
 *	ssdc_fp_start()
 *	ssdc_fp_step()		until it returns false; found() hears of the sets
 *
 * A transaction holds an address once, however often it was added. Of the addresses
 * that are frequent by themselves the SSDC_FP_ITEMS most frequent are looked at, of
 * equal ones those that came first.
 */
#ifndef SSDC_FP_GROWTH_H
#define SSDC_FP_GROWTH_H

#include <linux/bitmap.h>
#include "../base/types.h"

#define SSDC_FP_ACCESSES	2048u	/* of a window */
#define SSDC_FP_TRANSACTIONS	256u	/* likewise */
#define SSDC_FP_ITEMS		128u	/* addresses that sets are made of */
#define SSDC_FP_ELEMENTS	10u	/* of a set, at most */
#define SSDC_FP_SLOTS		(2 * SSDC_FP_ACCESSES)

/**
 * struct ssdc_fp_set - a frequent set
 * @nr: addresses, 2 to SSDC_FP_ELEMENTS
 * @support: transactions that hold them all
 * @addresses: the least frequent first
 */
struct ssdc_fp_set {
	u32 nr;
	u32 support;
	u64 addresses[SSDC_FP_ELEMENTS];
};

/**
 * struct ssdc_fp_params - what to look for
 * @min_support: transactions, at least 1
 * @max_elements: of a set, 2 to SSDC_FP_ELEMENTS
 * @brief: leave out a set that a larger one with the same support contains, as far as
 *	that is seen without a search. Of addresses that always come together, more than
 *	@max_elements, some sets of @max_elements are told that hold all of them
 * @found: called for each set
 * @context: passed to @found
 */
struct ssdc_fp_params {
	u32 min_support;
	u32 max_elements;
	bool brief;
	void (*found)(void *context, const struct ssdc_fp_set *set);
	void *context;
};

/* Private from here on. */

enum ssdc_fp_phase {
	SSDC_FP_COLLECT,	/* accesses are added */
	SSDC_FP_COUNT,		/* addresses are told apart and counted */
	SSDC_FP_SORT,		/* put into buckets by their counts */
	SSDC_FP_RANK,		/* the most frequent one has rank 0 */
	SSDC_FP_BUILD,		/* transactions are inserted into the tree */
	SSDC_FP_GROW,		/* the next item of the tree at @depth is looked at */
	SSDC_FP_COUNT_PATHS,	/* a conditional tree: items above that one are counted */
	SSDC_FP_BUILD_PATHS,	/* their paths are inserted */
	SSDC_FP_OVER,
};

struct ssdc_fp_access {
	u64 address;
	u16 transaction;
	u16 index;		/* in addresses[] */
};

struct ssdc_fp_address {
	u64 address;
	u16 transaction;	/* the last that was counted */
	u16 count;
	u16 next;		/* in its bucket */
	u16 rank;
};

/* Of a tree; 0 is the root. Numbers are those of nodes of the same tree. */
struct ssdc_fp_node {
	u16 parent;
	u16 child;
	u16 sibling;
	u16 next;		/* node of the same item */
	u16 count;
	u8 item;
};

/* A tree, of the window or on condition of a suffix of sets, and how far one got with it. */
struct ssdc_fp_tree {
	struct ssdc_fp_node *nodes;
	u32 nr_nodes;
	bool branches;		/* it is more than one path */
	u32 next_item;		/* items from here on were looked at */
	u16 counts[SSDC_FP_ITEMS];
	u16 heads[SSDC_FP_ITEMS];	/* first node of each item */
};

struct ssdc_fp_growth {
	struct ssdc_fp_params params;
	enum ssdc_fp_phase phase;
	u32 cursor;		/* what the phase has got to */
	u64 work;		/* units, since ssdc_fp_start() */
	u64 sets;		/* told, likewise */

	struct ssdc_fp_access *accesses;
	u32 nr_accesses;
	struct ssdc_fp_address *addresses;
	u32 nr_addresses;
	u16 *slots;		/* hash of addresses: index + 1 */
	u16 buckets[SSDC_FP_TRANSACTIONS + 1];
	u16 items[SSDC_FP_ITEMS];	/* rank -> index in addresses[] */
	u32 nr_items;
	bool more_items;	/* than SSDC_FP_ITEMS were frequent */
	DECLARE_BITMAP(members, SSDC_FP_ITEMS);	/* of the transaction being inserted */

	struct ssdc_fp_node *nodes;	/* of all trees */
	struct ssdc_fp_tree trees[SSDC_FP_ELEMENTS];
	u32 depth;
	u8 suffix[SSDC_FP_ELEMENTS];	/* item that each tree is grown from */
	u8 path[SSDC_FP_ITEMS];
	struct ssdc_fp_set set;
};

int ssdc_fp_create(struct ssdc_fp_growth *fp);
void ssdc_fp_destroy(struct ssdc_fp_growth *fp);
size_t ssdc_fp_bytes(void);
void ssdc_fp_clear(struct ssdc_fp_growth *fp);
bool ssdc_fp_add(struct ssdc_fp_growth *fp, u32 transaction, u64 address);
void ssdc_fp_start(struct ssdc_fp_growth *fp, const struct ssdc_fp_params *params);
bool ssdc_fp_step(struct ssdc_fp_growth *fp, u32 units);

#endif /* SSDC_FP_GROWTH_H */
