// SPDX-License-Identifier: GPL-2.0
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>
#include "histogram.h"

/**
 * ssdc_histogram_low_ns() - lowest value of a bucket
 * @bucket: less than SSDC_HIST_BUCKETS
 */
u64 ssdc_histogram_low_ns(unsigned int bucket)
{
	unsigned int order = bucket >> SSDC_HIST_SUB_BITS;
	u64 sub = bucket & ((1u << SSDC_HIST_SUB_BITS) - 1);

	if (!order)
		return sub;
	return (sub + (1u << SSDC_HIST_SUB_BITS)) << (order - 1);
}

/**
 * ssdc_histogram_high_ns() - highest value of a bucket
 * @bucket: less than SSDC_HIST_BUCKETS
 */
u64 ssdc_histogram_high_ns(unsigned int bucket)
{
	if (bucket == SSDC_HIST_BUCKETS - 1)
		return U64_MAX;
	return ssdc_histogram_low_ns(bucket + 1) - 1;
}

/**
 * ssdc_histogram_add() - add a sample
 * @hist: histogram
 * @ns: latency
 *
 * Context: the lock that guards @hist.
 */
void ssdc_histogram_add(struct ssdc_histogram *hist, u64 ns)
{
	hist->count++;
	hist->sum_ns += ns;
	hist->sum_wraps += hist->sum_ns < ns;
	if (ns > hist->max_ns)
		hist->max_ns = ns;
	hist->buckets[ssdc_histogram_bucket(ns)]++;
}

/**
 * ssdc_histogram_merge() - add all samples of another histogram
 * @hist: histogram
 * @other: the other one
 *
 * Context: the locks that guard @hist and @other.
 */
void ssdc_histogram_merge(struct ssdc_histogram *hist, const struct ssdc_histogram *other)
{
	unsigned int i;

	hist->count += other->count;
	hist->sum_ns += other->sum_ns;
	hist->sum_wraps += other->sum_wraps + (hist->sum_ns < other->sum_ns);
	hist->max_ns = max(hist->max_ns, other->max_ns);
	for (i = 0; i < SSDC_HIST_BUCKETS; i++)
		hist->buckets[i] += other->buckets[i];
}

/**
 * ssdc_histogram_reset() - remove all samples
 * @hist: histogram
 *
 * Context: the lock that guards @hist.
 */
void ssdc_histogram_reset(struct ssdc_histogram *hist)
{
	memset(hist, 0, sizeof(*hist));
}

/* Number of the sample at a percentile, counted from 1 for the shortest. */
static u64 rank_of(const struct ssdc_histogram *hist, u32 per_mille)
{
	return div_u64(hist->count * per_mille + 999, 1000);
}

/*
 * Find the percentiles in one walk: the upper bounds of their buckets, but at most the longest
 * sample.
 */
static void read_percentiles(const struct ssdc_histogram *hist, struct ssdc_latency *latency)
{
	struct {
		u32 per_mille;
		u64 *ns;
	} wanted[] = {
		{ 500, &latency->p50_ns }, { 900, &latency->p90_ns },
		{ 990, &latency->p99_ns }, { 999, &latency->p999_ns },
	};
	u64 seen = 0, rank = rank_of(hist, wanted[0].per_mille);
	unsigned int bucket, i = 0;

	for (bucket = 0; bucket < SSDC_HIST_BUCKETS; bucket++) {
		seen += hist->buckets[bucket];
		while (i < ARRAY_SIZE(wanted) && seen >= rank) {
			*wanted[i].ns = min(ssdc_histogram_high_ns(bucket), hist->max_ns);
			if (++i < ARRAY_SIZE(wanted))
				rank = rank_of(hist, wanted[i].per_mille);
		}
	}
}

/**
 * ssdc_histogram_percentile() - one percentile, without a walk over all buckets
 * @hist: histogram with at least one sample
 * @orders: sums of its buckets, SSDC_HIST_ORDERS of them, each over 1 << SSDC_HIST_SUB_BITS
 * @per_mille: which percentile
 *
 * Return: as ssdc_histogram_read() finds it.
 */
u64 ssdc_histogram_percentile(const struct ssdc_histogram *hist, const u64 *orders, u32 per_mille)
{
	u64 seen = 0, rank = rank_of(hist, per_mille);
	unsigned int order = 0, bucket;

	while (seen + orders[order] < rank)
		seen += orders[order++];
	bucket = order << SSDC_HIST_SUB_BITS;
	while (seen + hist->buckets[bucket] < rank)
		seen += hist->buckets[bucket++];
	return min(ssdc_histogram_high_ns(bucket), hist->max_ns);
}

/**
 * ssdc_histogram_mean() - divide a sum that may exceed 64 bits
 * @sum_wraps: the sum, divided by 2^64
 * @sum_ns: the rest of the sum
 * @count: number of samples of 64 bits that make the sum; not 0
 *
 * Return: the mean.
 */
u64 ssdc_histogram_mean(u64 sum_wraps, u64 sum_ns, u64 count)
{
	u64 rest = sum_wraps;
	unsigned int bit;

	if (likely(!sum_wraps))
		return div64_u64(sum_ns, count);
	/* Long division. @rest is less than @count, because the mean fits into 64 bits. */
	for (bit = 0; bit < 64; bit++) {
		bool carry = rest >> 63;

		rest = rest << 1 | sum_ns >> 63;
		sum_ns <<= 1;
		if (carry || rest >= count) {
			rest -= count;
			sum_ns |= 1;
		}
	}
	return sum_ns;
}

/* Mean of the @nr slowest samples, by the middle of their buckets. */
static u64 mean_of_slowest(const struct ssdc_histogram *hist, u64 nr)
{
	unsigned int i = SSDC_HIST_BUCKETS;
	u64 left = nr, sum = 0;

	while (i-- && left) {
		u64 take = min_t(u64, hist->buckets[i], left);
		u64 low = ssdc_histogram_low_ns(i);
		u64 high = min(ssdc_histogram_high_ns(i), hist->max_ns);

		sum += take * (low + (high - low) / 2);
		left -= take;
	}
	return div64_u64(sum, nr);
}

/**
 * ssdc_histogram_read() - summarise a histogram
 * @hist: histogram; a copy, or hold the lock that guards it
 * @latency: result; all zero without samples
 */
void ssdc_histogram_read(const struct ssdc_histogram *hist, struct ssdc_latency *latency)
{
	memset(latency, 0, sizeof(*latency));
	if (!hist->count)
		return;
	latency->count = hist->count;
	latency->mean_ns = ssdc_histogram_mean(hist->sum_wraps, hist->sum_ns, hist->count);
	read_percentiles(hist, latency);
	latency->max_ns = hist->max_ns;
	/*
	 * None of these samples is below the 99th percentile, for which the upper bound of its
	 * bucket stands.
	 */
	latency->worst1_mean_ns = max(mean_of_slowest(hist, div_u64(hist->count + 99, 100)),
				      latency->p99_ns);
}
