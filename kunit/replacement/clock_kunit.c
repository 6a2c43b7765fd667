// SPDX-License-Identifier: GPL-2.0
#include "../engine/driver.h"

static void clock_hit_leaves_the_queue(struct kunit *test)
{
	struct td *td = td_simple(test, "clock");

	td_fill(td, 0, 3);
	td_load(td, 0, 1);
	td_load(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_counted(td, 0), "C0 B0 A1");
}

/* The hand gives A another round without its bit, and takes B. */
static void clock_used_page_has_another_round(struct kunit *test)
{
	struct td *td = td_simple(test, "clock");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 0, 1);
	td_load(td, 20, 1);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 0));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 1));
	TD_EXPECT_POLICY_STAT(td, "spared", 1);
	KUNIT_EXPECT_STREQ(test, td_counted(td, 0),
			   "U0 A0 P0 O0 N0 M0 L0 K0 J0 I0 H0 G0 F0 E0 D0 C0");
}

static void clock_count_stops(struct kunit *test)
{
	struct td *td = td_simple(test, "clock:bits=2");

	td_fill(td, 0, 1);
	td_load(td, 0, 1);
	td_load(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_counted(td, 0), "A2");
	td_load(td, 0, 1);
	td_load(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_counted(td, 0), "A3");
}

/* All pages were used: a whole round takes their bits, then A leaves. */
static void clock_whole_round(struct kunit *test)
{
	struct td *td = td_simple(test, "clock");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 0, TD_FRAMES);
	td_load(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	TD_EXPECT_POLICY_STAT(td, "spared", TD_FRAMES);
	TD_EXPECT_POLICY_STAT(td, "cut_short", 0);
}

/* The limit on looks: A and B have another round, C leaves although it was used. */
static void clock_looks_are_bounded(struct kunit *test)
{
	struct td *td = td_simple(test, "clock:looks=2");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 0, TD_FRAMES);
	td_load(td, 20, 1);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 0));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 2));
	TD_EXPECT_POLICY_STAT(td, "spared", 2);
	TD_EXPECT_POLICY_STAT(td, "cut_short", 1);
}

static struct kunit_case clock_cases[] = {
	KUNIT_CASE(clock_hit_leaves_the_queue),
	KUNIT_CASE(clock_used_page_has_another_round),
	KUNIT_CASE(clock_count_stops),
	KUNIT_CASE(clock_whole_round),
	KUNIT_CASE(clock_looks_are_bounded),
	{}
};

static struct kunit_suite clock_suite = {
	.name = "ssdcache_clock",
	.exit = td_exit,
	.test_cases = clock_cases,
};

kunit_test_suite(clock_suite);
