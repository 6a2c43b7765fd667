/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDCACHE_TRACE_COUNTS_H
#define SSDCACHE_TRACE_COUNTS_H

#include <stdint.h>

#ifndef COUNTS_SUB_BITS		/* the fuzzers have fewer */
#define COUNTS_SUB_BITS	10u
#endif
#define COUNTS_BUCKETS	((64u - COUNTS_SUB_BITS + 1) << COUNTS_SUB_BITS)

struct count_bucket {
	uint64_t count;
	uint64_t max;
};

/*
 * A distribution of numbers. Percentiles are exact below 2^(COUNTS_SUB_BITS + 1), or if all numbers of a bucket
 * are equal; otherwise they are at most one part in a thousand too large.
 */
struct counts {
	uint64_t nr;
	struct count_bucket buckets[COUNTS_BUCKETS];
};

void counts_add(struct counts *counts, uint64_t number);
uint64_t counts_percentile(const struct counts *counts, unsigned int percent);

#endif /* SSDCACHE_TRACE_COUNTS_H */
