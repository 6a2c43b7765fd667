// SPDX-License-Identifier: GPL-2.0
#include "counts.h"

/* 2^SUB_BITS buckets have one width; the next 2^SUB_BITS are twice as wide. */
static unsigned int bucket_of(uint64_t number)
{
	unsigned int shift = 0;

	if (number >> (COUNTS_SUB_BITS + 1))
		shift = 63 - __builtin_clzll(number) - COUNTS_SUB_BITS;
	return (shift << COUNTS_SUB_BITS) + (number >> shift);
}

/**
 * counts_add() - count a number
 * @counts: distribution, all zero at first
 * @number: number
 */
void counts_add(struct counts *counts, uint64_t number)
{
	struct count_bucket *bucket = &counts->buckets[bucket_of(number)];

	counts->nr++;
	bucket->count++;
	if (number > bucket->max)
		bucket->max = number;
}

/**
 * counts_percentile() - the number that a part of the numbers does not exceed
 * @counts: distribution
 * @percent: the part
 *
 * Return: 0 if there are no numbers.
 */
uint64_t counts_percentile(const struct counts *counts, unsigned int percent)
{
	uint64_t rank = counts->nr / 100 * percent + (counts->nr % 100 * percent + 99) / 100, seen = 0;
	unsigned int i;

	if (!counts->nr)
		return 0;
	for (i = 0; i < COUNTS_BUCKETS; i++) {
		seen += counts->buckets[i].count;
		if (seen && seen >= rank)
			return counts->buckets[i].max;
	}
	return 0;
}
