// SPDX-License-Identifier: GPL-2.0
#include "../engine/driver.h"

/* A is spared where it is; the hand stays behind B, which leaves. */
static void sieve_visited_page_stays_in_place(struct kunit *test)
{
	struct td *td = td_simple(test, "sieve");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 0, 1);
	td_load(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 1));
	KUNIT_EXPECT_STREQ(test, td_counted(td, 0),
			   "U0 P0 O0 N0 M0 L0 K0 J0 I0 H0 G0 F0 E0 D0 C0 A0");
	td_load(td, 21, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 2));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 0));
}

/* The page at the hand is dropped: the hand goes on to the next younger one, D. */
static void sieve_hand_outlives_its_page(struct kunit *test)
{
	struct td *td = td_simple(test, "sieve");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 20, 1);
	td_load(td, 21, 1);
	td_submit(td, SSDC_DISCARD, 2 * TD_PAGE_SECTORS, TD_PAGE_SECTORS);
	td_settle(td);
	td_load(td, 22, 1);
	td_load(td, 23, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 3));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 4));
}

/* From the head the hand returns to the tail. */
static void sieve_hand_returns_to_the_tail(struct kunit *test)
{
	struct td *td = td_simple(test, "sieve");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 0, TD_FRAMES);
	td_load(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	TD_EXPECT_POLICY_STAT(td, "spared", TD_FRAMES);
}

static void sieve_looks_are_bounded(struct kunit *test)
{
	struct td *td = td_simple(test, "sieve:looks=2");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 0, TD_FRAMES);
	td_load(td, 20, 1);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 0));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 2));
	TD_EXPECT_POLICY_STAT(td, "cut_short", 1);
}

static struct kunit_case sieve_cases[] = {
	KUNIT_CASE(sieve_visited_page_stays_in_place),
	KUNIT_CASE(sieve_hand_outlives_its_page),
	KUNIT_CASE(sieve_hand_returns_to_the_tail),
	KUNIT_CASE(sieve_looks_are_bounded),
	{}
};

static struct kunit_suite sieve_suite = {
	.name = "ssdcache_sieve",
	.exit = td_exit,
	.test_cases = sieve_cases,
};

kunit_test_suite(sieve_suite);
