// SPDX-License-Identifier: GPL-2.0
#include "../engine/driver.h"

enum { COLD_CLEAN, COLD_DIRTY, HOT_CLEAN, HOT_DIRTY };

static void ad_lru_lists(struct kunit *test)
{
	struct td *td = td_simple(test, "ad-lru");

	td_fill(td, 0, 2);
	td_load(td, 2, 2);
	td_load(td, 0, 1);
	td_fill(td, 2, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, COLD_CLEAN), "D");
	KUNIT_EXPECT_STREQ(test, td_list(td, COLD_DIRTY), "B");
	KUNIT_EXPECT_STREQ(test, td_list(td, HOT_CLEAN), "");
	KUNIT_EXPECT_STREQ(test, td_list(td, HOT_DIRTY), "C A");
}

/* A is older, but dirty. */
static void ad_lru_clean_page_of_the_cold_queue_leaves(struct kunit *test)
{
	struct td *td = td_simple(test, "ad-lru");

	td_fill(td, 0, 2);
	td_load(td, 2, 2);
	td_fill(td, 4, 12);
	td_fill(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 2));
	TD_EXPECT_POLICY_STAT(td, "clean_victims", 1);
}

/* All dirty: a whole round of second chances, then A leaves. */
static void ad_lru_dirty_pages_have_a_second_chance(struct kunit *test)
{
	struct td *td = td_simple(test, "ad-lru");

	td_fill(td, 0, TD_FRAMES);
	td_fill(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	TD_EXPECT_POLICY_STAT(td, "spared", TD_FRAMES);
	TD_EXPECT_POLICY_STAT(td, "dirty_victims", 1);
	td_fill(td, 21, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 1));
	TD_EXPECT_POLICY_STAT(td, "spared", TD_FRAMES);
}

/* One cold page of 16 is no more than 10 %: the hot queue loses its clean page. */
static void ad_lru_cold_queue_has_a_share(struct kunit *test)
{
	struct td *td = td_simple(test, "ad-lru");

	td_fill(td, 0, 15);
	td_load(td, 15, 1);
	td_load(td, 15, 1);
	td_fill(td, 1, 14);
	KUNIT_EXPECT_STREQ(test, td_list(td, COLD_DIRTY), "A");
	KUNIT_EXPECT_STREQ(test, td_list(td, HOT_CLEAN), "P");
	td_fill(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 15));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 0));
}

/* B is flushed, and stays between the clean pages that were used before and after. */
static void ad_lru_cleaned_page_keeps_its_place(struct kunit *test)
{
	struct td *td = td_simple(test, "ad-lru");

	td_load(td, 0, 1);
	td_fill(td, 1, 1);
	td_load(td, 2, 1);
	td_clean_all(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, COLD_CLEAN), "C B A");
	KUNIT_EXPECT_STREQ(test, td_list(td, COLD_DIRTY), "");
}

static struct kunit_case ad_lru_cases[] = {
	KUNIT_CASE(ad_lru_lists),
	KUNIT_CASE(ad_lru_clean_page_of_the_cold_queue_leaves),
	KUNIT_CASE(ad_lru_dirty_pages_have_a_second_chance),
	KUNIT_CASE(ad_lru_cold_queue_has_a_share),
	KUNIT_CASE(ad_lru_cleaned_page_keeps_its_place),
	{}
};

static struct kunit_suite ad_lru_suite = {
	.name = "ssdcache_ad_lru",
	.exit = td_exit,
	.test_cases = ad_lru_cases,
};

kunit_test_suite(ad_lru_suite);
