// SPDX-License-Identifier: GPL-2.0
/*
 * Latencies, exact: all are kept and sorted.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "replay.h"

static int smaller(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The latency that @per_mille of the requests do not exceed. */
static uint64_t percentile(const uint64_t *sorted, size_t nr, unsigned int per_mille)
{
	size_t rank = (nr * per_mille + 999) / 1000;

	return nr ? sorted[rank ? rank - 1 : 0] : 0;
}

static uint64_t mean(const uint64_t *latencies, size_t nr)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		sum += latencies[i];
	return nr ? sum / nr : 0;
}

static void print_op(const char *name, uint64_t *latencies, size_t nr, uint64_t bytes, bool last)
{
	size_t worst = (nr + 99) / 100;

	qsort(latencies, nr, sizeof(*latencies), smaller);
	printf("    \"%s\": {\"count\": %zu, \"bytes\": %" PRIu64 ", \"mean_ns\": %" PRIu64
	       ", \"p50_ns\": %" PRIu64 ", \"p90_ns\": %" PRIu64 ", \"p99_ns\": %" PRIu64
	       ", \"p999_ns\": %" PRIu64 ", \"max_ns\": %" PRIu64 ", \"worst1_mean_ns\": %" PRIu64
	       "}%s\n",
	       name, nr, bytes, mean(latencies, nr), percentile(latencies, nr, 500),
	       percentile(latencies, nr, 900), percentile(latencies, nr, 990),
	       percentile(latencies, nr, 999), percentile(latencies, nr, 1000),
	       mean(latencies + nr - worst, worst), last ? "" : ",");
}

/**
 * latency_print() - print the latencies of each operation
 * @replay: a replay that is over
 */
void latency_print(const struct replay *replay)
{
	uint64_t *latencies = trace_zalloc(replay->trace.nr, sizeof(*latencies));
	unsigned int op;
	size_t i;

	printf("  \"latency\": {\n");
	for (op = 0; op < TRACE_NR_OPS; op++) {
		uint64_t bytes = 0;
		size_t nr = 0;

		for (i = 0; i < replay->trace.nr; i++) {
			const struct trace_request *request = &replay->trace.requests[i];

			if (request->op != op || replay->latency_ns[i] == UINT64_MAX)
				continue;
			latencies[nr++] = replay->latency_ns[i];
			bytes += (uint64_t)request->nr_sectors * TRACE_SECTOR_BYTES;
		}
		print_op(trace_op_names[op], latencies, nr, bytes, op + 1 == TRACE_NR_OPS);
	}
	printf("  }\n");
	free(latencies);
}
