// SPDX-License-Identifier: GPL-2.0
#include "../engine/driver.h"

enum { WINDOW, PROBATION, PROTECTED };

/* A window of one page. */
static void w_tinylfu_pages_pass_the_window(struct kunit *test)
{
	struct td *td = td_simple(test, "w-tinylfu");

	td_fill(td, 0, 3);
	KUNIT_EXPECT_STREQ(test, td_list(td, WINDOW), "C");
	KUNIT_EXPECT_STREQ(test, td_list(td, PROBATION), "B A");
	td_load(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, PROTECTED), "A");
}

/* P was used as often as A, which would leave in its place: P leaves. */
static void w_tinylfu_candidate_must_be_used_more_often(struct kunit *test)
{
	struct td *td = td_simple(test, "w-tinylfu");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 15));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 0));
	TD_EXPECT_POLICY_STAT(td, "rejected", 1);
	TD_EXPECT_POLICY_STAT(td, "admitted", 0);
}

/* P was used twice: A leaves. */
static void w_tinylfu_candidate_stays(struct kunit *test)
{
	struct td *td = td_simple(test, "w-tinylfu");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 15, 1);
	td_load(td, 20, 1);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 15));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	KUNIT_EXPECT_STREQ(test, td_list(td, WINDOW), "U");
	KUNIT_EXPECT_STREQ(test, td_list(td, PROBATION), "P O N M L K J I H G F E D C B");
	TD_EXPECT_POLICY_STAT(td, "admitted", 1);
}

/* 15 % of the 15 other pages: two. */
static void w_tinylfu_protected_pages_are_bounded(struct kunit *test)
{
	struct td *td = td_simple(test, "w-tinylfu:protected=15");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 0, 3);
	KUNIT_EXPECT_STREQ(test, td_list(td, PROTECTED), "C B");
	KUNIT_EXPECT_STREQ(test, td_list(td, PROBATION), "A O N M L K J I H G F E D");
}

/* sample=1: after 16 uses. */
static void w_tinylfu_counts_are_halved(struct kunit *test)
{
	struct td *td = td_simple(test, "w-tinylfu:sample=1");

	td_fill(td, 0, TD_FRAMES);
	td_background(td);
	TD_EXPECT_POLICY_STAT(td, "halvings", 1);
}

static struct kunit_case w_tinylfu_cases[] = {
	KUNIT_CASE(w_tinylfu_pages_pass_the_window),
	KUNIT_CASE(w_tinylfu_candidate_must_be_used_more_often),
	KUNIT_CASE(w_tinylfu_candidate_stays),
	KUNIT_CASE(w_tinylfu_protected_pages_are_bounded),
	KUNIT_CASE(w_tinylfu_counts_are_halved),
	{}
};

static struct kunit_suite w_tinylfu_suite = {
	.name = "ssdcache_w_tinylfu",
	.exit = td_exit,
	.test_cases = w_tinylfu_cases,
};

kunit_test_suite(w_tinylfu_suite);
