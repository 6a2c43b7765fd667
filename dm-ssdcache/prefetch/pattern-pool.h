/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The patterns of a window: the frequent sets with the most accesses, then refined by
 * uniting those of which one has more than half of the other (S001, step 2 of 3.2.1).
 */
#ifndef SSDC_PATTERN_POOL_H
#define SSDC_PATTERN_POOL_H

#include "fp-growth.h"

/* Sets that are kept; of more, those with the fewest accesses are left out. */
#define SSDC_POOL_PATTERNS 128u

/**
 * struct ssdc_pattern - a set of pages that are read together
 * @nr: pages; 0: became a part of another
 * @accesses: support times pages, when it was found
 * @pages: in ascending order
 */
struct ssdc_pattern {
	u32 nr;
	u32 accesses;
	u64 pages[SSDC_FP_ELEMENTS];
};

/**
 * struct ssdc_pool - patterns
 * @nr: in @order
 * @order: of @patterns: the one with the most accesses first, of equals the first found
 * @patterns: in no order
 */
struct ssdc_pool {
	u32 nr;
	u8 order[SSDC_POOL_PATTERNS];
	struct ssdc_pattern patterns[SSDC_POOL_PATTERNS];
};

void ssdc_pool_clear(struct ssdc_pool *pool);
void ssdc_pool_add(struct ssdc_pool *pool, const struct ssdc_fp_set *set);
bool ssdc_pool_unite(struct ssdc_pool *pool, u32 at, u32 max_elements);
const struct ssdc_pattern *ssdc_pool_at(const struct ssdc_pool *pool, u32 at);

#endif /* SSDC_PATTERN_POOL_H */
