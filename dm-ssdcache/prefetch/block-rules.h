/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rules "this page follows that page" for the pages of a window: a hash table of pages, each
 * with its few rules of highest support.
 */
#ifndef SSDC_BLOCK_RULES_H
#define SSDC_BLOCK_RULES_H

#include "../base/describe.h"
#include "../base/types.h"

#define SSDC_RULE_BLOCKS	2048u
#define SSDC_RULE_SLOTS		(2 * SSDC_RULE_BLOCKS)
#define SSDC_RULE_SUCCESSORS	4u
#define SSDC_NO_BLOCK		0xffffu

/**
 * struct ssdc_rule_block - a page and its rules
 * @page: page number
 * @segment: last segment counted in @support; SSDC_NO_BLOCK: none
 * @support: number of segments that contain the page
 * @next: blocks that follow by a rule; SSDC_NO_BLOCK: unused
 * @counts: support of these rules, in descending order
 */
struct ssdc_rule_block {
	u64 page;
	u16 segment;
	u16 support;
	u16 next[SSDC_RULE_SUCCESSORS];
	u16 counts[SSDC_RULE_SUCCESSORS];
};

/**
 * struct ssdc_rules - the pages of a window and the rules between them
 * @blocks: array of SSDC_RULE_BLOCKS
 * @slots: hash table of SSDC_RULE_SLOTS: block index + 1, 0: free
 * @nr: number of blocks in use
 */
struct ssdc_rules {
	struct ssdc_rule_block *blocks;
	u16 *slots;
	u32 nr;
};

void ssdc_rules_clear(struct ssdc_rules *rules);
u16 ssdc_rules_block(struct ssdc_rules *rules, u64 page);
const struct ssdc_rule_block *ssdc_rules_find(const struct ssdc_rules *rules, u64 page);
void ssdc_rule_add(struct ssdc_rule_block *first, u16 second, u16 support);
int ssdc_rules_check(const struct ssdc_rules *rules, struct ssdc_error *finding);

#endif /* SSDC_BLOCK_RULES_H */
