// SPDX-License-Identifier: GPL-2.0
/*
 * The threshold of cflru-ef and cflru-ef-sc: the stand-in for its unpublished equations, and
 * the fixed mode.
 */
#include "../engine/driver.h"

static const char *const policies[] = { "cflru-ef", "cflru-ef-sc" };

static void policy_desc(const char *const *policy, char *desc)
{
	strscpy(desc, *policy, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(policy, policies, policy_desc);

/* Create the policy under test with these tunables. */
static struct td *td_with(struct kunit *test, const char *tunables)
{
	char spec[SSDC_SPEC_LEN];

	scnprintf(spec, sizeof(spec), "%s%s%s", *(const char *const *)test->param_value,
		  tunables[0] ? ":" : "", tunables);
	return td_simple(test, spec);
}

static void threshold_starts_at_80_percent(struct kunit *test)
{
	struct td *td = td_with(test, "");

	TD_EXPECT_POLICY_STAT(td, "threshold_now", 80);
	/* 80 % of 16 pages */
	KUNIT_EXPECT_EQ(test, td->e->replacement->early_above, 12u);
	td_fill(td, 0, 12);
	KUNIT_EXPECT_FALSE(test, ssdc_has_work(td->e));
	td_fill(td, 12, 1);
	KUNIT_EXPECT_TRUE(test, ssdc_has_work(td->e));
}

/* Without early flushes, writes evict dirty pages. */
static void threshold_falls_with_dirty_victims(struct kunit *test)
{
	struct td *td = td_with(test, "period=20");
	u32 i;

	/* idle_us prevents early flushes */
	td->e->tunables.idle_us = 60000000;
	td_fill(td, 0, 19);
	TD_EXPECT_POLICY_STAT(td, "dirty_victims", 3);
	TD_EXPECT_POLICY_STAT(td, "threshold_now", 80);
	td_fill(td, 19, 1);
	TD_EXPECT_POLICY_STAT(td, "threshold_now", 75);
	TD_EXPECT_POLICY_STAT(td, "threshold_lowered", 1);
	KUNIT_EXPECT_EQ(test, td->e->replacement->early_above, 12u);
	td_fill(td, 20, 20);
	TD_EXPECT_POLICY_STAT(td, "threshold_now", 70);
	KUNIT_EXPECT_EQ(test, td->e->replacement->early_above, 11u);
	/* the lower bound is 10 */
	for (i = 0; i < 20; i++)
		td_fill(td, 40 + 20 * (i & 1), 20);
	TD_EXPECT_POLICY_STAT(td, "threshold_now", 10);
	TD_EXPECT_POLICY_STAT(td, "threshold_raised", 0);
}

/* The same few pages are flushed early and rewritten again and again. */
static void threshold_rises_with_rewrites_after_early_flush(struct kunit *test)
{
	struct td *td = td_with(test, "threshold=25,period=10,ef_batch=16");
	u32 i;

	for (i = 0; i < 60; i++) {
		td_fill(td, i % 6, 1);
		td_settle(td);
	}
	KUNIT_EXPECT_GT(test, td_policy_stat(td, "early_rewrites"), 0ULL);
	KUNIT_EXPECT_GT(test, td_policy_stat(td, "threshold_now"), 25ULL);
	KUNIT_EXPECT_GT(test, td_policy_stat(td, "threshold_raised"), 0ULL);
	TD_EXPECT_POLICY_STAT(td, "threshold_lowered", 0);
	TD_EXPECT_POLICY_STAT(td, "dirty_victims", 0);
}

static void threshold_does_not_rise_above_95(struct kunit *test)
{
	struct td *td = td_with(test, "threshold=0,period=4,step=50");
	u32 i;

	/* At first each write leads to an early flush of everything. */
	for (i = 0; i < 200; i++) {
		td_fill(td, i % 16, 1);
		td_settle(td);
	}
	KUNIT_EXPECT_LE(test, td_policy_stat(td, "threshold_now"), 95ULL);
	KUNIT_EXPECT_GE(test, td_policy_stat(td, "threshold_now"), 50ULL);
}

static void threshold_stays_without_either(struct kunit *test)
{
	struct td *td = td_with(test, "period=5");
	u32 i;

	for (i = 0; i < 10; i++)
		td_fill(td, 0, 10);
	TD_EXPECT_POLICY_STAT(td, "threshold_now", 80);
	TD_EXPECT_POLICY_STAT(td, "threshold_lowered", 0);
	TD_EXPECT_POLICY_STAT(td, "threshold_raised", 0);
}

static void threshold_period_counts_writes_only(struct kunit *test)
{
	struct td *td = td_with(test, "period=20");

	td->e->tunables.idle_us = 60000000;
	td_fill(td, 0, 19);
	td_load(td, 0, 19);
	td_clean_all(td);
	TD_EXPECT_POLICY_STAT(td, "threshold_now", 80);
	td_fill(td, 0, 1);
	TD_EXPECT_POLICY_STAT(td, "threshold_now", 75);
}

static void threshold_period_is_1000_writes(struct kunit *test)
{
	struct td *td = td_with(test, "");
	u32 i;

	td->e->tunables.idle_us = 60000000;
	td_fill(td, 0, 20);
	for (i = 20; i < 999; i++)
		td_fill(td, 19, 1);
	TD_EXPECT_POLICY_STAT(td, "threshold_now", 80);
	td_fill(td, 19, 1);
	TD_EXPECT_POLICY_STAT(td, "threshold_now", 75);
}

/* A page flushed for another reason, or only read, is no rewrite after an early flush. */
static void threshold_counts_each_early_flush_once(struct kunit *test)
{
	struct td *td = td_with(test, "threshold=25,adapt=off,ef_batch=1");

	td_fill(td, 0, 5);
	td_settle(td);
	KUNIT_ASSERT_FALSE(test, td_dirty(td, 0));
	td_load(td, 0, 1);
	TD_EXPECT_POLICY_STAT(td, "early_rewrites", 0);
	td->e->tunables.idle_us = 60000000;
	td_fill(td, 0, 1);
	TD_EXPECT_POLICY_STAT(td, "early_rewrites", 1);
	td_fill(td, 0, 1);
	TD_EXPECT_POLICY_STAT(td, "early_rewrites", 1);
	td_clean_all(td);
	td_fill(td, 0, 5);
	TD_EXPECT_POLICY_STAT(td, "early_rewrites", 1);
}

static void threshold_is_fixed_when_told_so(struct kunit *test)
{
	struct td *td = td_with(test, "adapt=off,period=5");

	td->e->tunables.idle_us = 60000000;
	td_fill(td, 0, 100);
	KUNIT_EXPECT_GT(test, td_policy_stat(td, "dirty_victims"), 0ULL);
	TD_EXPECT_POLICY_STAT(td, "threshold_now", 80);
	TD_EXPECT_POLICY_STAT(td, "threshold_lowered", 0);
}

static void threshold_can_be_set(struct kunit *test)
{
	struct td *td = td_with(test, "");

	td_set(td, "threshold", "50");
	TD_EXPECT_POLICY_STAT(td, "threshold_now", 50);
	KUNIT_EXPECT_EQ(test, td->e->replacement->early_above, 8u);
	td_set(td, "threshold", "100");
	KUNIT_EXPECT_EQ(test, td->e->replacement->early_above, TD_FRAMES);
}

/* Other tunables keep the adapted threshold. */
static void threshold_survives_other_tunables(struct kunit *test)
{
	struct td *td = td_with(test, "period=20");

	td->e->tunables.idle_us = 60000000;
	td_fill(td, 0, 20);
	TD_EXPECT_POLICY_STAT(td, "threshold_now", 75);
	td_set(td, "ef_batch", "3");
	td_set(td, "step", "10");
	TD_EXPECT_POLICY_STAT(td, "threshold_now", 75);
	td_set(td, "adapt", "off");
	TD_EXPECT_POLICY_STAT(td, "threshold_now", 80);
}

static struct kunit_case threshold_cases[] = {
	KUNIT_CASE_PARAM(threshold_starts_at_80_percent, policy_gen_params),
	KUNIT_CASE_PARAM(threshold_falls_with_dirty_victims, policy_gen_params),
	KUNIT_CASE_PARAM(threshold_rises_with_rewrites_after_early_flush, policy_gen_params),
	KUNIT_CASE_PARAM(threshold_does_not_rise_above_95, policy_gen_params),
	KUNIT_CASE_PARAM(threshold_stays_without_either, policy_gen_params),
	KUNIT_CASE_PARAM(threshold_period_counts_writes_only, policy_gen_params),
	KUNIT_CASE_PARAM(threshold_period_is_1000_writes, policy_gen_params),
	KUNIT_CASE_PARAM(threshold_counts_each_early_flush_once, policy_gen_params),
	KUNIT_CASE_PARAM(threshold_is_fixed_when_told_so, policy_gen_params),
	KUNIT_CASE_PARAM(threshold_can_be_set, policy_gen_params),
	KUNIT_CASE_PARAM(threshold_survives_other_tunables, policy_gen_params),
	{}
};

static struct kunit_suite threshold_suite = {
	.name = "ssdcache_early_threshold",
	.exit = td_exit,
	.test_cases = threshold_cases,
};

kunit_test_suite(threshold_suite);
