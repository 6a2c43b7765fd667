// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/sort.h>
#include "../../dm-ssdcache/base/histogram.h"
#include "../../dm-ssdcache/base/random.h"

#define SAMPLES 4001

struct fixture {
	struct ssdc_histogram hist;
	u64 samples[SAMPLES];
};

static int hist_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct fixture), GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

static unsigned int bucket_of(struct kunit *test, u64 ns)
{
	struct fixture *f = test->priv;
	unsigned int i;

	ssdc_histogram_reset(&f->hist);
	ssdc_histogram_add(&f->hist, ns);
	for (i = 0; i < SSDC_HIST_BUCKETS; i++)
		if (f->hist.buckets[i])
			return i;
	KUNIT_FAIL(test, "%llu is in no bucket", ns);
	return 0;
}

static void hist_buckets_are_continuous(struct kunit *test)
{
	unsigned int i;

	KUNIT_EXPECT_EQ(test, ssdc_histogram_low_ns(0), 0ULL);
	for (i = 1; i < SSDC_HIST_BUCKETS; i++)
		KUNIT_EXPECT_EQ(test, ssdc_histogram_low_ns(i), ssdc_histogram_high_ns(i - 1) + 1);
	KUNIT_EXPECT_EQ(test, ssdc_histogram_high_ns(SSDC_HIST_BUCKETS - 1), U64_MAX);
}

static void hist_bounds_belong_to_their_bucket(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < SSDC_HIST_BUCKETS; i++) {
		KUNIT_EXPECT_EQ(test, bucket_of(test, ssdc_histogram_low_ns(i)), i);
		KUNIT_EXPECT_EQ(test, bucket_of(test, ssdc_histogram_high_ns(i)), i);
	}
}

static void hist_buckets_are_narrow(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < SSDC_HIST_BUCKETS - 1; i++) {
		u64 low = ssdc_histogram_low_ns(i);

		KUNIT_EXPECT_LE(test, ssdc_histogram_high_ns(i) - low, low / 64);
	}
}

static void hist_longest_times(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, bucket_of(test, U64_MAX), SSDC_HIST_BUCKETS - 1u);
	KUNIT_EXPECT_EQ(test, bucket_of(test, 1ULL << 42), SSDC_HIST_BUCKETS - 1u);
	KUNIT_EXPECT_EQ(test, bucket_of(test, (127ULL << 35) - 1), SSDC_HIST_BUCKETS - 2u);
}

static void hist_empty(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct ssdc_latency latency, zero = {};

	ssdc_histogram_read(&f->hist, &latency);
	KUNIT_EXPECT_EQ(test, memcmp(&latency, &zero, sizeof(zero)), 0);
}

static void hist_one_sample(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct ssdc_latency latency;

	ssdc_histogram_add(&f->hist, 1234567);
	ssdc_histogram_read(&f->hist, &latency);
	KUNIT_EXPECT_EQ(test, latency.count, 1ULL);
	KUNIT_EXPECT_EQ(test, latency.mean_ns, 1234567ULL);
	KUNIT_EXPECT_EQ(test, latency.p50_ns, 1234567ULL);
	KUNIT_EXPECT_EQ(test, latency.p999_ns, 1234567ULL);
	KUNIT_EXPECT_EQ(test, latency.max_ns, 1234567ULL);
	KUNIT_EXPECT_EQ(test, latency.worst1_mean_ns, 1234567ULL);
}

/* Samples of one bucket, from 1007616 to 1015807, whose middle is below them. */
static void hist_slowest_are_not_below_percentile(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct ssdc_latency latency;
	u32 i;

	KUNIT_ASSERT_EQ(test, ssdc_histogram_bucket(1010000), ssdc_histogram_bucket(1015000));
	for (i = 0; i < 300; i++)
		ssdc_histogram_add(&f->hist, 1010000);
	ssdc_histogram_read(&f->hist, &latency);
	KUNIT_EXPECT_EQ(test, latency.p99_ns, 1010000ULL);
	KUNIT_EXPECT_EQ(test, latency.worst1_mean_ns, 1010000ULL);
	ssdc_histogram_add(&f->hist, 1015000);
	ssdc_histogram_read(&f->hist, &latency);
	KUNIT_EXPECT_EQ(test, latency.p99_ns, 1015000ULL);
	KUNIT_EXPECT_EQ(test, latency.worst1_mean_ns, 1015000ULL);
}

static void hist_reset(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct ssdc_latency latency, zero = {};

	ssdc_histogram_add(&f->hist, 5);
	ssdc_histogram_reset(&f->hist);
	ssdc_histogram_read(&f->hist, &latency);
	KUNIT_EXPECT_EQ(test, memcmp(&latency, &zero, sizeof(zero)), 0);
}

static void hist_merge(struct kunit *test)
{
	static const u64 samples[] = { 5, 1000, 123456789, 7, 1000, U64_MAX };
	struct ssdc_histogram *all = kunit_kzalloc(test, sizeof(*all), GFP_KERNEL);
	struct ssdc_histogram *half = kunit_kzalloc(test, 2 * sizeof(*half), GFP_KERNEL);
	struct fixture *f = test->priv;
	unsigned int i;

	KUNIT_ASSERT_TRUE(test, all && half);
	for (i = 0; i < ARRAY_SIZE(samples); i++) {
		ssdc_histogram_add(all, samples[i]);
		ssdc_histogram_add(&half[i % 2], samples[i]);
	}
	ssdc_histogram_merge(&f->hist, &half[0]);
	ssdc_histogram_merge(&f->hist, &half[1]);
	KUNIT_EXPECT_EQ(test, memcmp(&f->hist, all, sizeof(*all)), 0);
}

/* As with a backlog of days: 40000 times 2^50 ns is more than 2^64 ns. */
static void hist_sum_beyond_64_bits(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct ssdc_latency latency;
	u32 i;

	ssdc_histogram_add(&f->hist, U64_MAX);
	ssdc_histogram_add(&f->hist, U64_MAX - 1);
	ssdc_histogram_add(&f->hist, U64_MAX - 5);
	ssdc_histogram_read(&f->hist, &latency);
	KUNIT_EXPECT_EQ(test, latency.mean_ns, U64_MAX - 2);
	ssdc_histogram_reset(&f->hist);
	for (i = 0; i < 40000; i++)
		ssdc_histogram_add(&f->hist, (1ULL << 50) + i);
	ssdc_histogram_read(&f->hist, &latency);
	KUNIT_EXPECT_EQ(test, latency.mean_ns, (1ULL << 50) + 19999);
	KUNIT_EXPECT_EQ(test, ssdc_histogram_mean(2, 8, 4), (1ULL << 63) + 2);
}

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* The upper bound of the bucket of the sample at the percentile's rank, at most the maximum. */
static u64 brute_percentile(struct fixture *f, u32 nr, u32 per_mille)
{
	u64 sample = f->samples[DIV_ROUND_UP(nr * per_mille, 1000) - 1];
	unsigned int i = 0;

	while (ssdc_histogram_high_ns(i) < sample)
		i++;
	return min(ssdc_histogram_high_ns(i), f->samples[nr - 1]);
}

/* At least the sample itself, at most 3 % more, and never more than the longest one. */
static void expect_percentile(struct kunit *test, u32 nr, u32 per_mille, u64 ns)
{
	struct fixture *f = test->priv;
	u64 sample = f->samples[DIV_ROUND_UP(nr * per_mille, 1000) - 1];

	KUNIT_EXPECT_EQ(test, ns, brute_percentile(f, nr, per_mille));
	KUNIT_EXPECT_GE(test, ns, sample);
	KUNIT_EXPECT_LE(test, ns, sample + 3 * sample / 100);
	KUNIT_EXPECT_LE(test, ns, f->samples[nr - 1]);
}

static const u32 sample_counts[] = { 1, 2, 3, 9, 10, 11, 99, 100, 101, 999, 1000, 1001, SAMPLES };

static void count_desc(const u32 *nr, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u samples", *nr);
}

KUNIT_ARRAY_PARAM(sample_count, sample_counts, count_desc);

/* Samples of all magnitudes up to 2^42, from a generator with a fixed seed. */
static void hist_against_brute_force(struct kunit *test)
{
	u32 i, slowest, nr = *(const u32 *)test->param_value;
	struct fixture *f = test->priv;
	struct ssdc_latency latency;
	struct ssdc_random random = { .state = 88172645463325252ULL };
	u64 x, sum = 0, worst = 0, orders[SSDC_HIST_ORDERS] = {};

	for (i = 0; i < nr; i++) {
		x = ssdc_random_next(&random);
		f->samples[i] = (x >> 22) >> (x % 40);
		sum += f->samples[i];
		ssdc_histogram_add(&f->hist, f->samples[i]);
		orders[ssdc_histogram_bucket(f->samples[i]) >> SSDC_HIST_SUB_BITS]++;
	}
	sort(f->samples, nr, sizeof(u64), compare, NULL);
	slowest = DIV_ROUND_UP(nr, 100);
	for (i = nr - slowest; i < nr; i++)
		worst += f->samples[i];
	worst /= slowest;

	ssdc_histogram_read(&f->hist, &latency);
	KUNIT_EXPECT_EQ(test, latency.count, (u64)nr);
	KUNIT_EXPECT_EQ(test, latency.mean_ns, sum / nr);
	expect_percentile(test, nr, 500, latency.p50_ns);
	expect_percentile(test, nr, 900, latency.p90_ns);
	expect_percentile(test, nr, 990, latency.p99_ns);
	expect_percentile(test, nr, 999, latency.p999_ns);
	expect_percentile(test, nr, 500, ssdc_histogram_percentile(&f->hist, orders, 500));
	expect_percentile(test, nr, 990, ssdc_histogram_percentile(&f->hist, orders, 990));
	KUNIT_EXPECT_EQ(test, latency.max_ns, f->samples[nr - 1]);
	/* By midpoints: within half a bucket, 1/128. */
	KUNIT_EXPECT_LE(test, latency.worst1_mean_ns, latency.max_ns);
	KUNIT_EXPECT_GE(test, latency.worst1_mean_ns, latency.p99_ns);
	KUNIT_EXPECT_GE(test, latency.worst1_mean_ns + worst / 128 + 1, worst);
	/* The 99th percentile, which it is not below, is the upper end of a bucket. */
	KUNIT_EXPECT_LE(test, latency.worst1_mean_ns, worst + worst / 64 + 1);
	if (latency.worst1_mean_ns > latency.p99_ns)
		KUNIT_EXPECT_LE(test, latency.worst1_mean_ns, worst + worst / 128 + 1);
}

static struct kunit_case hist_cases[] = {
	KUNIT_CASE(hist_buckets_are_continuous),
	KUNIT_CASE(hist_bounds_belong_to_their_bucket),
	KUNIT_CASE(hist_buckets_are_narrow),
	KUNIT_CASE(hist_longest_times),
	KUNIT_CASE(hist_empty),
	KUNIT_CASE(hist_one_sample),
	KUNIT_CASE(hist_slowest_are_not_below_percentile),
	KUNIT_CASE(hist_reset),
	KUNIT_CASE(hist_merge),
	KUNIT_CASE(hist_sum_beyond_64_bits),
	KUNIT_CASE_PARAM(hist_against_brute_force, sample_count_gen_params),
	{}
};

static struct kunit_suite hist_suite = {
	.name = "ssdcache_histogram",
	.init = hist_init,
	.test_cases = hist_cases,
};

kunit_test_suite(hist_suite);
