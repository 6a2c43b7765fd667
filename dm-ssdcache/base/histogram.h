/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Log-scale latency histogram: eight buckets per power of two, so a bucket's
 * bounds are at most 12.5 % apart, over the whole range of u64 nanoseconds up
 * to 2^42 (73 minutes); longer ones count in the last bucket.
 */
#ifndef SSDC_HISTOGRAM_H
#define SSDC_HISTOGRAM_H

#include <linux/types.h>

#define SSDC_HIST_SUB_BITS	3
#define SSDC_HIST_MAX_BITS	42
#define SSDC_HIST_BUCKETS \
	((SSDC_HIST_MAX_BITS - SSDC_HIST_SUB_BITS + 1) << SSDC_HIST_SUB_BITS)

/**
 * struct ssdc_histogram - latencies of one operation
 * @count: samples
 * @sum_ns: of all samples
 * @max_ns: the longest
 * @buckets: samples per bucket
 */
struct ssdc_histogram {
	u64 count;
	u64 sum_ns;
	u64 max_ns;
	u64 buckets[SSDC_HIST_BUCKETS];
};

/**
 * struct ssdc_latency - what a histogram says
 * @count: samples
 * @mean_ns: exact
 * @p50_ns: percentiles: upper bound of the bucket the percentile falls in
 * @p90_ns: as above
 * @p99_ns: as above
 * @p999_ns: as above
 * @max_ns: exact
 * @worst1_mean_ns: mean of the slowest 1 % (at least one sample), by bucket midpoints,
 *	never above @max_ns
 */
struct ssdc_latency {
	u64 count;
	u64 mean_ns;
	u64 p50_ns;
	u64 p90_ns;
	u64 p99_ns;
	u64 p999_ns;
	u64 max_ns;
	u64 worst1_mean_ns;
};

void ssdc_histogram_add(struct ssdc_histogram *hist, u64 ns);
void ssdc_histogram_reset(struct ssdc_histogram *hist);
void ssdc_histogram_read(const struct ssdc_histogram *hist, struct ssdc_latency *latency);
u64 ssdc_histogram_low_ns(unsigned int bucket);
u64 ssdc_histogram_high_ns(unsigned int bucket);

#endif /* SSDC_HISTOGRAM_H */
