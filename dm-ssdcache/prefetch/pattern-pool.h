/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The patterns of a window: the frequent sets with the most accesses, refined by uniting two
 * sets if more than half of one is in the other ([Li22], step 2 of 3.2.1).
 */
#ifndef SSDC_PATTERN_POOL_H
#define SSDC_PATTERN_POOL_H

#include "fp-growth.h"

/* Number of sets kept; sets with fewer accesses are dropped. */
#define SSDC_POOL_PATTERNS 128u

/**
 * struct ssdc_pattern - a set of pages that are read together
 * @nr: number of pages; 0: united with another pattern
 * @accesses: support times pages, as found
 * @pages: page numbers in ascending order
 */
struct ssdc_pattern {
	u32 nr;
	u32 accesses;
	u64 pages[SSDC_FP_ELEMENTS];
};

/**
 * struct ssdc_pool - patterns
 * @nr: number of patterns in @order
 * @next: ssdc_pool_unite(): next pattern to compare; 0: it begins
 * @best: the one with most pages in common so far
 * @most: number of these pages
 * @order: indices into @patterns, most accesses first; among equals, first found first
 * @patterns: unordered
 */
struct ssdc_pool {
	u32 nr;
	u32 next;
	u32 best;
	u32 most;
	u8 order[SSDC_POOL_PATTERNS];
	struct ssdc_pattern patterns[SSDC_POOL_PATTERNS];
};

void ssdc_pool_clear(struct ssdc_pool *pool);
void ssdc_pool_add(struct ssdc_pool *pool, const struct ssdc_fp_set *set);
bool ssdc_pool_unite(struct ssdc_pool *pool, u32 at, u32 max_elements);
const struct ssdc_pattern *ssdc_pool_at(const struct ssdc_pool *pool, u32 at);

#endif /* SSDC_PATTERN_POOL_H */
