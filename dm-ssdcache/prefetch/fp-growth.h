/* SPDX-License-Identifier: GPL-2.0 */
/*
 * FP-Growth (Han, Pei, Yin, SIGMOD 2000): finds all sets of addresses that occur together in
 * enough transactions of a window, without generating candidates.
 *
 * It works in steps and in memory that is allocated once:
 *
 *	ssdc_fp_clear()
 *	ssdc_fp_add()		for each access, in the order of transactions
 *	ssdc_fp_start()
 *	ssdc_fp_step()		until it returns false; calls found() for each set
 *
 * A transaction contains an address once, however often it was added. Only the SSDC_FP_ITEMS
 * most frequent addresses are used; among equals, those that came first.
 */
#ifndef SSDC_FP_GROWTH_H
#define SSDC_FP_GROWTH_H

#include <linux/bitmap.h>
#include "../base/types.h"

#define SSDC_FP_ACCESSES	2048u	/* per window */
#define SSDC_FP_TRANSACTIONS	256u	/* per window */
#define SSDC_FP_ITEMS		128u	/* addresses that form sets */
#define SSDC_FP_ELEMENTS	10u	/* largest set */
#define SSDC_FP_SLOTS		(2 * SSDC_FP_ACCESSES)

/**
 * struct ssdc_fp_set - a frequent set
 * @nr: number of addresses, 2 to SSDC_FP_ELEMENTS
 * @support: transactions that contain all of them
 * @addresses: least frequent first
 */
struct ssdc_fp_set {
	u32 nr;
	u32 support;
	u64 addresses[SSDC_FP_ELEMENTS];
};

/**
 * struct ssdc_fp_params - parameters of the search
 * @min_support: least support of a set, at least 1
 * @max_elements: largest set, 2 to SSDC_FP_ELEMENTS
 * @brief: omit a set that a larger set of the same support contains, as far as this shows
 *	without a search. If more than @max_elements addresses always occur together, report
 *	some sets of @max_elements that cover all of them.
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
	SSDC_FP_COLLECT,	/* add accesses */
	SSDC_FP_COUNT,		/* count addresses */
	SSDC_FP_SORT,		/* put addresses into buckets by count */
	SSDC_FP_RANK,		/* assign ranks; the most frequent address gets rank 0 */
	SSDC_FP_BUILD,		/* insert transactions into the tree */
	SSDC_FP_GROW,		/* take the next item of the tree at @depth */
	SSDC_FP_COUNT_PATHS,	/* conditional tree: count the items above that item */
	SSDC_FP_BUILD_PATHS,	/* conditional tree: insert their paths */
	SSDC_FP_REPORT_PATH,	/* report the sets of a tree that is a single path */
	SSDC_FP_OVER,
};

struct ssdc_fp_access {
	u64 address;
	u16 transaction;
	u16 index;		/* in addresses[] */
};

struct ssdc_fp_address {
	u64 address;
	u16 transaction;	/* last transaction counted */
	u16 count;
	u16 next;		/* next address in the bucket */
	u16 rank;
};

/* A node of a tree; node 0 is the root. Links are node numbers in the same tree. */
struct ssdc_fp_node {
	u16 parent;
	u16 child;
	u16 sibling;
	u16 next;		/* next node of the same item */
	u16 count;
	u8 item;
};

/* The tree of the window or the conditional tree of a suffix, and the progress in it. */
struct ssdc_fp_tree {
	struct ssdc_fp_node *nodes;
	u32 nr_nodes;
	bool branches;		/* the tree is more than a single path */
	u32 next_item;		/* items from here on are done */
	u16 counts[SSDC_FP_ITEMS];
	u16 heads[SSDC_FP_ITEMS];	/* first node of each item */
};

struct ssdc_fp_growth {
	struct ssdc_fp_params params;
	enum ssdc_fp_phase phase;
	u32 cursor;		/* progress in the phase */
	u64 work;		/* units since ssdc_fp_start() */
	u64 sets;		/* sets reported since ssdc_fp_start() */

	struct ssdc_fp_access *accesses;
	u32 nr_accesses;
	struct ssdc_fp_address *addresses;
	u32 nr_addresses;
	u16 *slots;		/* hash of addresses: index + 1 */
	u16 buckets[SSDC_FP_TRANSACTIONS + 1];
	u16 items[SSDC_FP_ITEMS];	/* rank -> index in addresses[] */
	u32 nr_items;
	bool more_items;	/* more than SSDC_FP_ITEMS addresses were frequent */
	DECLARE_BITMAP(members, SSDC_FP_ITEMS);	/* of the transaction being inserted */

	struct ssdc_fp_node *nodes;	/* of all trees */
	struct ssdc_fp_tree trees[SSDC_FP_ELEMENTS];
	u32 depth;
	u8 suffix[SSDC_FP_ELEMENTS];	/* the item that each tree is grown from */
	u8 path[SSDC_FP_ITEMS];
	u32 path_suffix;	/* REPORT_PATH: length of the suffix; 0: the window's tree */
	u32 path_length;
	u32 looks;		/* in this call of ssdc_fp_step(): see MOST_LOOKS */
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
