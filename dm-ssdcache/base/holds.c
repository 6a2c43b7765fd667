// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>
#include <linux/log2.h>
#include "holds.h"

#define BY(holder, name, doc) \
	SSDC_STAT_ROW(struct ssdc_holds, by[holder], name, "holds, ns", SSDC_COUNTER, doc)

/* The rows of holders come first, in the order of enum ssdc_holder. */
const struct ssdc_stat ssdc_hold_stat_table[] = {
	BY(SSDC_READ, "read", "by steps of host reads: how many, and the longest"),
	BY(SSDC_WRITE, "write", "by steps of host writes"),
	BY(SSDC_FLUSH, "flush", "by steps of FLUSHes"),
	BY(SSDC_DISCARD, "discard", "by steps of discards"),
	BY(SSDC_HELD_BY_READ_ENDED, "read_ended", "by reads that the origin has completed"),
	BY(SSDC_HELD_BY_PAGE_ENDED, "page_ended", "by fills and flushes of pages that ended"),
	BY(SSDC_HELD_BY_FORWARD_ENDED, "forward_ended",
	   "by FLUSHes and discards that the origin has completed"),
	BY(SSDC_HELD_BY_NEXT_READY, "next_ready", "by looks for a request that may go on"),
	BY(SSDC_HELD_BY_NEXT_IO, "next_io", "by looks for a fill or flush to start"),
	BY(SSDC_HELD_BY_BACKGROUND, "background",
	   "by early flushes, sync passes, prefetching, ticks and steps of plug-ins"),
	BY(SSDC_HELD_BY_MESSAGE, "message", "by live changes, drop_clean and reset_stats"),
	BY(SSDC_HELD_BY_STATISTICS, "statistics", "by copies of statistics, to be shown"),
	SSDC_STAT(struct ssdc_holds, count, "count", "holds", SSDC_COUNTER, "holds in all"),
	SSDC_STAT(struct ssdc_holds, sum_ns, "sum_ns", "ns", SSDC_COUNTER, "their length in all"),
	SSDC_STAT_ROW(struct ssdc_holds, buckets, "histogram", "holds", SSDC_COUNTER,
		      "holds of 0 ns, 1 ns, 2 to 3 ns, 4 to 7 ns, and so on: powers of two"),
};

const unsigned int ssdc_nr_hold_stats = ARRAY_SIZE(ssdc_hold_stat_table);

/**
 * ssdc_holds_add() - count a hold
 * @holds: holds of the lock
 * @by: the reason for which the lock was held
 * @ns: length of the hold
 *
 * Context: the lock itself.
 */
void ssdc_holds_add(struct ssdc_holds *holds, enum ssdc_holder by, u64 ns)
{
	unsigned int bucket = ns ? ilog2(ns) + 1 : 0;

	holds->count++;
	holds->sum_ns += ns;
	holds->buckets[min(bucket, SSDC_HOLD_BUCKETS - 1u)]++;
	holds->by[by][0]++;
	holds->by[by][1] = max(holds->by[by][1], ns);
	if (ns > holds->longest_ns) {
		holds->longest_ns = ns;
		holds->longest_by = by;
	}
}

/**
 * ssdc_holds_merge() - add the holds of another lock
 * @holds: sum
 * @other: holds of the other lock
 *
 * Context: any; the caller has @other to itself.
 */
void ssdc_holds_merge(struct ssdc_holds *holds, const struct ssdc_holds *other)
{
	unsigned int i;

	holds->count += other->count;
	holds->sum_ns += other->sum_ns;
	for (i = 0; i < SSDC_HOLD_BUCKETS; i++)
		holds->buckets[i] += other->buckets[i];
	for (i = 0; i < SSDC_NR_HOLDERS; i++) {
		holds->by[i][0] += other->by[i][0];
		holds->by[i][1] = max(holds->by[i][1], other->by[i][1]);
	}
	if (other->longest_ns > holds->longest_ns) {
		holds->longest_ns = other->longest_ns;
		holds->longest_by = other->longest_by;
	}
}

/* The name of the holder of the longest hold; "none" if each hold took 0 ns. */
const char *ssdc_holds_longest_by(const struct ssdc_holds *holds)
{
	return holds->longest_ns ? ssdc_hold_stat_table[holds->longest_by].name : "none";
}
