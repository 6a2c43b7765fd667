// SPDX-License-Identifier: GPL-2.0
#include "../engine/driver.h"

enum { CLEAN, DIRTY };

static void pr_lru_lists(struct kunit *test)
{
	struct td *td = td_simple(test, "pr-lru");

	td_fill(td, 0, 2);
	td_load(td, 2, 2);
	td_load(td, 0, 1);
	td_fill(td, 2, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "D");
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "C A B");
}

/* All were used once: the least recent of them leaves. */
static void pr_lru_equal_uses_are_lru(struct kunit *test)
{
	struct td *td = td_simple(test, "pr-lru");

	td_fill(td, 0, TD_FRAMES);
	KUNIT_EXPECT_STREQ(test, td_drain(td), "A B C D E F G H I J K L M N O P");
}

/* A and B are the oldest. A was used three times, and so C is less likely to be used again. */
static void pr_lru_used_often_stays(struct kunit *test)
{
	struct td *td = td_simple(test, "pr-lru");

	td_fill(td, 0, 2);
	td_fill(td, 0, 2);
	td_fill(td, 0, 2);
	td_fill(td, 2, TD_FRAMES - 2);
	td_fill(td, 20, 1);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 0));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 1));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 2));
	TD_EXPECT_POLICY_STAT(td, "passed_over", 2);
	TD_EXPECT_POLICY_STAT(td, "dirty_victims", 1);
}

/*
 * A and B were used twice, and last B, then A. A leaves: the interval between its uses was longer.
 */
static void pr_lru_interval_counts(struct kunit *test)
{
	struct td *td = td_simple(test, "pr-lru");

	td_fill(td, 0, 1);
	td_fill(td, 2, 14);
	td_fill(td, 2, 14);
	td_fill(td, 2, 14);
	td_fill(td, 1, 1);
	td_fill(td, 1, 1);
	td_fill(td, 0, 1);
	td_fill(td, 2, 14);
	td_fill(td, 2, 14);
	td_fill(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 1));
}

/* A, dirty, is the oldest; the PR of the old clean page B is below the mean. */
static void pr_lru_clean_cold_page_leaves_first(struct kunit *test)
{
	struct td *td = td_simple(test, "pr-lru");

	td_fill(td, 0, 1);
	td_load(td, 1, 1);
	td_fill(td, 2, 14);
	td_fill(td, 20, 1);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 0));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 1));
	TD_EXPECT_POLICY_STAT(td, "clean_victims", 1);
}

/* The only clean page is the newest, and so it is hot: the oldest dirty page leaves. */
static void pr_lru_clean_hot_page_stays(struct kunit *test)
{
	struct td *td = td_simple(test, "pr-lru");

	td_fill(td, 0, 15);
	td_load(td, 15, 1);
	td_fill(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 15));
	TD_EXPECT_POLICY_STAT(td, "dirty_victims", 1);
}

/* B is flushed, and stays between the clean pages that were used before and after. */
static void pr_lru_cleaned_page_keeps_its_place(struct kunit *test)
{
	struct td *td = td_simple(test, "pr-lru");

	td_load(td, 0, 1);
	td_fill(td, 1, 1);
	td_load(td, 2, 1);
	td_clean_all(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "C B A");
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "");
}

static struct kunit_case pr_lru_cases[] = {
	KUNIT_CASE(pr_lru_lists),
	KUNIT_CASE(pr_lru_equal_uses_are_lru),
	KUNIT_CASE(pr_lru_used_often_stays),
	KUNIT_CASE(pr_lru_interval_counts),
	KUNIT_CASE(pr_lru_clean_cold_page_leaves_first),
	KUNIT_CASE(pr_lru_clean_hot_page_stays),
	KUNIT_CASE(pr_lru_cleaned_page_keeps_its_place),
	{}
};

static struct kunit_suite pr_lru_suite = {
	.name = "ssdcache_pr_lru",
	.exit = td_exit,
	.test_cases = pr_lru_cases,
};

kunit_test_suite(pr_lru_suite);
