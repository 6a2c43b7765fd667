// SPDX-License-Identifier: GPL-2.0
#include "../engine/driver.h"

enum { T1, T2 };

/* Case I. */
static void arc_hit_moves_to_t2(struct kunit *test)
{
	struct td *td = td_simple(test, "arc");

	td_fill(td, 0, 3);
	td_load(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, T1), "C B");
	KUNIT_EXPECT_STREQ(test, td_list(td, T2), "A");
	td_load(td, 1, 1);
	td_load(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, T2), "A B");
}

/* Case IV with all of DRAM in T1: the victim is not remembered. */
static void arc_full_t1_forgets(struct kunit *test)
{
	struct td *td = td_simple(test, "arc");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	TD_EXPECT_POLICY_STAT(td, "b1_ghosts", 0);
}

/* Case II: B returns from B1, so T1 should have a page. */
static void arc_page_of_b1_makes_t1_larger(struct kunit *test)
{
	struct td *td = td_simple(test, "arc");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 0, 1);
	td_load(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 1));
	TD_EXPECT_POLICY_STAT(td, "b1_ghosts", 1);
	td_load(td, 1, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, T2), "B A");
	TD_EXPECT_POLICY_STAT(td, "t1_target", 1);
	TD_EXPECT_POLICY_STAT(td, "b1_hits", 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 2));
	TD_EXPECT_POLICY_STAT(td, "b1_ghosts", 1);
}

/* Case III: A left T2, as T1 has the one page that it should have, and returns. */
static void arc_page_of_b2_makes_t1_smaller(struct kunit *test)
{
	struct td *td = td_simple(test, "arc");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 0, 1);
	td_load(td, 20, 1);
	td_load(td, 1, 1);
	TD_EXPECT_POLICY_STAT(td, "t1_target", 1);
	td_load(td, 3, 13);
	td_load(td, 20, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, T1), "");
	td_load(td, 21, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	TD_EXPECT_POLICY_STAT(td, "b2_ghosts", 1);
	td_load(td, 0, 1);
	TD_EXPECT_POLICY_STAT(td, "b2_hits", 1);
	TD_EXPECT_POLICY_STAT(td, "t1_target", 0);
}

/* A request of two pages, both remembered: p changes once for each, before its victim leaves. */
static void arc_pages_of_a_request(struct kunit *test)
{
	struct td *td = td_simple(test, "arc");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 0, 2);
	td_load(td, 20, 2);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 2));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 3));
	td_load(td, 2, 2);
	TD_EXPECT_POLICY_STAT(td, "b1_hits", 2);
	TD_EXPECT_POLICY_STAT(td, "t1_target", 2);
	KUNIT_EXPECT_STREQ(test, td_list(td, T2), "D C B A");
}

static struct kunit_case arc_cases[] = {
	KUNIT_CASE(arc_hit_moves_to_t2),
	KUNIT_CASE(arc_full_t1_forgets),
	KUNIT_CASE(arc_page_of_b1_makes_t1_larger),
	KUNIT_CASE(arc_page_of_b2_makes_t1_smaller),
	KUNIT_CASE(arc_pages_of_a_request),
	{}
};

static struct kunit_suite arc_suite = {
	.name = "ssdcache_arc",
	.exit = td_exit,
	.test_cases = arc_cases,
};

kunit_test_suite(arc_suite);
