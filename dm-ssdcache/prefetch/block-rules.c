// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>
#include <linux/string.h>
#include "block-rules.h"

#define SLOT_BITS 12

static_assert(SSDC_RULE_SLOTS == 1u << SLOT_BITS);

/* The slot of @page, or the free slot for it. At most half of the slots are in use. */
static u16 *slot_of(const struct ssdc_rules *rules, u64 page)
{
	u32 at = (page * 0x9e3779b97f4a7c15ULL) >> (64 - SLOT_BITS);

	while (rules->slots[at] && rules->blocks[rules->slots[at] - 1].page != page)
		at = (at + 1) % SSDC_RULE_SLOTS;
	return &rules->slots[at];
}

/**
 * ssdc_rules_clear() - forget all pages and rules
 * @rules: table
 */
void ssdc_rules_clear(struct ssdc_rules *rules)
{
	rules->nr = 0;
	memset(rules->slots, 0, SSDC_RULE_SLOTS * sizeof(*rules->slots));
}

/**
 * ssdc_rules_block() - find or add the block of a page
 * @rules: table; the caller adds at most SSDC_RULE_BLOCKS pages
 * @page: page number
 *
 * Return: index of the block.
 */
u16 ssdc_rules_block(struct ssdc_rules *rules, u64 page)
{
	u16 *slot = slot_of(rules, page);
	struct ssdc_rule_block *block;

	if (!*slot) {
		block = &rules->blocks[rules->nr++];
		*block = (struct ssdc_rule_block) { .page = page, .segment = SSDC_NO_BLOCK };
		memset(block->next, 0xff, sizeof(block->next));
		*slot = rules->nr;
	}
	return *slot - 1;
}

/**
 * ssdc_rules_find() - look up the block of a page
 * @rules: table
 * @page: page number
 *
 * Return: the block, or NULL.
 */
const struct ssdc_rule_block *ssdc_rules_find(const struct ssdc_rules *rules, u64 page)
{
	u16 number = *slot_of(rules, page);

	return number ? &rules->blocks[number - 1] : NULL;
}

/**
 * ssdc_rule_add() - add a rule if it is among the best of its first block
 * @first: the first block
 * @second: index of the block that follows it
 * @support: support of the rule; among equals, rules to blocks seen earlier win
 */
void ssdc_rule_add(struct ssdc_rule_block *first, u16 second, u16 support)
{
	u32 at = SSDC_RULE_SUCCESSORS, behind;

	while (at && (first->counts[at - 1] < support ||
		      (first->counts[at - 1] == support && first->next[at - 1] > second)))
		at--;
	if (at == SSDC_RULE_SUCCESSORS)
		return;
	behind = SSDC_RULE_SUCCESSORS - 1 - at;
	memmove(first->next + at + 1, first->next + at, behind * sizeof(u16));
	memmove(first->counts + at + 1, first->counts + at, behind * sizeof(u16));
	first->next[at] = second;
	first->counts[at] = support;
}

static int block_check(const struct ssdc_rules *rules, u32 nr, struct ssdc_error *finding)
{
	const struct ssdc_rule_block *block = &rules->blocks[nr];
	u32 i;

	for (i = 0; i < SSDC_RULE_SUCCESSORS; i++) {
		if (block->next[i] == SSDC_NO_BLOCK)
			continue;
		if (block->next[i] >= rules->nr)
			return ssdc_finding(finding,
					    "block %u: successor %u is block %u of %u", nr, i,
					    block->next[i], rules->nr);
		if (block->counts[i] > block->support)
			return ssdc_finding(finding,
					    "block %u: successor %u has support %u, the block %u",
					    nr, i, block->counts[i], block->support);
		if (i && block->counts[i] > block->counts[i - 1])
			return ssdc_finding(finding,
					    "block %u: successor %u has support %u, the one before %u",
					    nr, i, block->counts[i], block->counts[i - 1]);
	}
	return 0;
}

/* Verify all rules. For tests. */
int ssdc_rules_check(const struct ssdc_rules *rules, struct ssdc_error *finding)
{
	u32 i;
	int r = 0;

	for (i = 0; i < rules->nr && !r; i++)
		r = block_check(rules, i, finding);
	return r;
}
