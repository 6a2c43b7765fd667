/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Latency histogram on a log scale, 19 KiB: 64 buckets per power of two, so the bounds of a
 * bucket are less than 1.6 % apart (1 ns below 128 ns). Latencies from almost 2^42 ns (73 minutes)
 * on share the last bucket.
 */
#ifndef SSDC_HISTOGRAM_H
#define SSDC_HISTOGRAM_H

#include <linux/log2.h>
#include <linux/types.h>

#define SSDC_HIST_SUB_BITS	6
#define SSDC_HIST_MAX_BITS	42
#define SSDC_HIST_BUCKETS \
	((SSDC_HIST_MAX_BITS - SSDC_HIST_SUB_BITS + 1) << SSDC_HIST_SUB_BITS)

/* Powers of two that have buckets of their own. */
#define SSDC_HIST_ORDERS (SSDC_HIST_BUCKETS >> SSDC_HIST_SUB_BITS)

/**
 * struct ssdc_histogram - latencies of one operation
 * @count: number of samples
 * @sum_ns: sum of all samples, modulo 2^64
 * @sum_wraps: how often @sum_ns has wrapped: in simulations, backlogs of hours add up to centuries
 * @max_ns: longest sample
 * @buckets: samples per bucket
 */
struct ssdc_histogram {
	u64 count;
	u64 sum_ns;
	u64 sum_wraps;
	u64 max_ns;
	u64 buckets[SSDC_HIST_BUCKETS];
};

/**
 * struct ssdc_latency - summary of a histogram
 * @count: number of samples
 * @mean_ns: mean, exact
 * @p50_ns: percentile: upper bound of the bucket that it falls in, at most @max_ns
 * @p90_ns: likewise
 * @p99_ns: likewise
 * @p999_ns: likewise
 * @max_ns: longest sample, exact
 * @worst1_mean_ns: mean of the slowest 1 % (at least one sample), by the middle of their buckets;
 *	at least @p99_ns, at most @max_ns
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

/**
 * ssdc_histogram_bucket() - the bucket that counts a value
 * @ns: value
 *
 * Values below 64 have a bucket each; from there on, each range [2^k, 2^(k+1)) is divided into 64
 * equal buckets. Inline, because every request ends with this function.
 */
static inline unsigned int ssdc_histogram_bucket(u64 ns)
{
	/* 0 for values below 128. */
	unsigned int order = ilog2(ns | 1u << SSDC_HIST_SUB_BITS) - SSDC_HIST_SUB_BITS;

	if (order >= SSDC_HIST_MAX_BITS - SSDC_HIST_SUB_BITS)
		return SSDC_HIST_BUCKETS - 1;
	/* 64 to 127 of ns >> order: 64 adds one to the order, the rest is the bucket in it. */
	return (order << SSDC_HIST_SUB_BITS) + (ns >> order);
}

void ssdc_histogram_add(struct ssdc_histogram *hist, u64 ns);
void ssdc_histogram_merge(struct ssdc_histogram *hist, const struct ssdc_histogram *other);
void ssdc_histogram_reset(struct ssdc_histogram *hist);
void ssdc_histogram_read(const struct ssdc_histogram *hist, struct ssdc_latency *latency);
u64 ssdc_histogram_percentile(const struct ssdc_histogram *hist, const u64 *orders, u32 per_mille);
u64 ssdc_histogram_mean(u64 sum_wraps, u64 sum_ns, u64 count);
u64 ssdc_histogram_low_ns(unsigned int bucket);
u64 ssdc_histogram_high_ns(unsigned int bucket);

#endif /* SSDC_HISTOGRAM_H */
