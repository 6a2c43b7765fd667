// SPDX-License-Identifier: GPL-2.0
/*
 * Latency histograms. A bucket is narrow enough for percentiles to be accurate to one part in a
 * thousand; a percentile is exact if all latencies of its bucket are equal.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "replay.h"

/* 2^SUB_BITS buckets have one width; the next 2^SUB_BITS are twice as wide. */
#define SUB_BITS	10u
#define NR_BUCKETS	((64u - SUB_BITS + 1) << SUB_BITS)

struct bucket {
	uint64_t count;
	uint64_t sum_ns;
	uint64_t max_ns;
};

/**
 * struct latencies - latencies of an operation
 * @count: requests
 * @bytes: sum of their sizes
 * @sum_ns: sum of their latencies
 * @buckets: by latency
 */
struct latencies {
	uint64_t count;
	uint64_t bytes;
	uint64_t sum_ns;
	struct bucket buckets[NR_BUCKETS];
};

static unsigned int bucket_of(uint64_t ns)
{
	unsigned int shift = 0;

	if (ns >> (SUB_BITS + 1))
		shift = 63 - __builtin_clzll(ns) - SUB_BITS;
	return (shift << SUB_BITS) + (ns >> shift);
}

struct latencies *latencies_new(void)
{
	return xcalloc(TRACE_NR_OPS, sizeof(struct latencies));
}

/**
 * latencies_add() - count a request
 * @all: latencies of all operations
 * @request: request
 * @ns: its latency
 */
void latencies_add(struct latencies *all, const struct trace_request *request, uint64_t ns)
{
	struct latencies *latencies = &all[request->op];
	struct bucket *bucket = &latencies->buckets[bucket_of(ns)];

	latencies->count++;
	latencies->bytes += (uint64_t)request->nr_sectors * TRACE_SECTOR_BYTES;
	latencies->sum_ns += ns;
	bucket->count++;
	bucket->sum_ns += ns;
	if (ns > bucket->max_ns)
		bucket->max_ns = ns;
}

/* The latency that @per_mille of the requests do not exceed. */
static uint64_t percentile(const struct latencies *latencies, unsigned int per_mille)
{
	uint64_t rank = (latencies->count * per_mille + 999) / 1000;
	uint64_t seen = 0;
	unsigned int i;

	for (i = 0; i < NR_BUCKETS; i++) {
		seen += latencies->buckets[i].count;
		if (seen && seen >= rank)
			return latencies->buckets[i].max_ns;
	}
	return 0;
}

/*
 * Mean of the slowest hundredth. A bucket that is only partly in it counts with its mean, which may be below the 99th percentile:
 * that is the longest of the bucket.
 */
static uint64_t worst_mean(const struct latencies *latencies)
{
	uint64_t worst = (latencies->count + 99) / 100, p99_ns = percentile(latencies, 990);
	uint64_t left = worst, sum_ns = 0;
	unsigned int i;

	for (i = NR_BUCKETS; left && i--;) {
		const struct bucket *bucket = &latencies->buckets[i];

		if (bucket->count <= left) {
			sum_ns += bucket->sum_ns;
			left -= bucket->count;
		} else {
			sum_ns += bucket->sum_ns / bucket->count * left;
			left = 0;
		}
	}
	if (!worst)
		return 0;
	return sum_ns / worst < p99_ns ? p99_ns : sum_ns / worst;
}

static void print_op(const char *name, const struct latencies *latencies, bool last)
{
	uint64_t count = latencies->count;

	printf("    \"%s\": {\"count\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"mean_ns\": %" PRIu64
	       ", \"p50_ns\": %" PRIu64 ", \"p90_ns\": %" PRIu64 ", \"p99_ns\": %" PRIu64
	       ", \"p999_ns\": %" PRIu64 ", \"max_ns\": %" PRIu64 ", \"worst1_mean_ns\": %" PRIu64
	       "}%s\n",
	       name, count, latencies->bytes, count ? latencies->sum_ns / count : 0,
	       percentile(latencies, 500), percentile(latencies, 900), percentile(latencies, 990),
	       percentile(latencies, 999), percentile(latencies, 1000), worst_mean(latencies),
	       last ? "" : ",");
}

/**
 * latencies_print() - print the latencies of each operation, as JSON
 * @all: latencies
 */
void latencies_print(const struct latencies *all)
{
	unsigned int op;

	printf("  \"latency\": {\n");
	for (op = 0; op < TRACE_NR_OPS; op++)
		print_op(trace_op_names[op], &all[op], op + 1 == TRACE_NR_OPS);
	printf("  }\n");
}
