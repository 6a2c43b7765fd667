// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>
#include <linux/string.h>
#include "pattern-pool.h"

/* Patterns compared in a call of ssdc_pool_unite(). */
#define STEP_PATTERNS 16u

static struct ssdc_pattern *pattern_at(struct ssdc_pool *pool, u32 at)
{
	return &pool->patterns[pool->order[at]];
}

/**
 * ssdc_pool_at() - a pattern by its place in the order
 * @pool: pool
 * @at: place, less than @pool->nr
 */
const struct ssdc_pattern *ssdc_pool_at(const struct ssdc_pool *pool, u32 at)
{
	return &pool->patterns[pool->order[at]];
}

void ssdc_pool_clear(struct ssdc_pool *pool)
{
	pool->nr = 0;
	pool->next = 0;
}

static void fill(struct ssdc_pattern *pattern, const struct ssdc_fp_set *set)
{
	u32 i, at;

	pattern->nr = set->nr;
	pattern->accesses = set->nr * set->support;
	for (i = 0; i < set->nr; i++) {
		for (at = i; at && pattern->pages[at - 1] > set->addresses[i]; at--)
			pattern->pages[at] = pattern->pages[at - 1];
		pattern->pages[at] = set->addresses[i];
	}
}

/**
 * ssdc_pool_add() - add a frequent set
 * @pool: pool
 * @set: the set
 */
void ssdc_pool_add(struct ssdc_pool *pool, const struct ssdc_fp_set *set)
{
	u32 accesses = set->nr * set->support, low = 0, high = pool->nr;
	u8 number = pool->nr;

	/* Find the place behind all patterns with at least as many accesses. */
	while (low < high) {
		u32 middle = (low + high) / 2;

		if (ssdc_pool_at(pool, middle)->accesses >= accesses)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == SSDC_POOL_PATTERNS)
		return;
	if (pool->nr == SSDC_POOL_PATTERNS)
		number = pool->order[--pool->nr];
	memmove(pool->order + low + 1, pool->order + low, pool->nr - low);
	pool->order[low] = number;
	pool->nr++;
	fill(&pool->patterns[number], set);
}

static u32 common(const struct ssdc_pattern *a, const struct ssdc_pattern *b)
{
	u32 i = 0, j = 0, nr = 0;

	while (i < a->nr && j < b->nr) {
		if (a->pages[i] == b->pages[j]) {
			nr++;
			i++;
			j++;
		} else if (a->pages[i] < b->pages[j]) {
			i++;
		} else {
			j++;
		}
	}
	return nr;
}

/* Move the pages that only @b has to @a; empty @b. */
static void unite(struct ssdc_pattern *a, struct ssdc_pattern *b)
{
	u32 j, at;

	for (j = 0; j < b->nr; j++) {
		for (at = a->nr; at && a->pages[at - 1] > b->pages[j]; at--)
			;
		if (at && a->pages[at - 1] == b->pages[j])
			continue;
		memmove(a->pages + at + 1, a->pages + at, (a->nr - at) * sizeof(u64));
		a->pages[at] = b->pages[j];
		a->nr++;
	}
	b->nr = 0;
}

/**
 * ssdc_pool_unite() - unite a pattern with the later one that overlaps it most
 * @pool: pool
 * @at: place of the pattern, less than @pool->nr
 * @max_elements: largest size of a pattern
 *
 * More than half of one of the two must be in the other. A call compares a bounded number of
 * patterns; call again with the same @at until the result is false.
 *
 * Return: false if all have been compared and none qualifies.
 */
bool ssdc_pool_unite(struct ssdc_pool *pool, u32 at, u32 max_elements)
{
	struct ssdc_pattern *pattern = pattern_at(pool, at);
	u32 end;

	if (!pool->next) {
		pool->next = at + 1;
		pool->most = 0;
	}
	end = min(pool->next + STEP_PATTERNS, pool->nr);
	for (; pool->next < end; pool->next++) {
		struct ssdc_pattern *other = pattern_at(pool, pool->next);
		u32 shared = common(pattern, other);

		if (2 * shared > min(pattern->nr, other->nr) && shared > pool->most &&
		    pattern->nr + other->nr - shared <= max_elements) {
			pool->best = pool->next;
			pool->most = shared;
		}
	}
	if (end < pool->nr)
		return true;
	pool->next = 0;
	if (!pool->most)
		return false;
	unite(pattern, pattern_at(pool, pool->best));
	return true;
}
