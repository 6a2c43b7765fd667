// SPDX-License-Identifier: GPL-2.0
#include "../engine/driver.h"

enum { COLD_CLEAN, MIXED };

static void ccf_lru_lists(struct kunit *test)
{
	struct td *td = td_simple(test, "ccf-lru");

	td_fill(td, 0, 2);
	td_load(td, 2, 2);
	KUNIT_EXPECT_STREQ(test, td_list(td, COLD_CLEAN), "D C");
	KUNIT_EXPECT_STREQ(test, td_list(td, MIXED), "B A");
	td_load(td, 2, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, COLD_CLEAN), "D");
	KUNIT_EXPECT_STREQ(test, td_counted(td, MIXED), "C1 B0 A0");
}

/* A and B are older, but dirty; C, read once, leaves. */
static void ccf_lru_cold_clean_page_leaves_first(struct kunit *test)
{
	struct td *td = td_simple(test, "ccf-lru");

	td_fill(td, 0, 2);
	td_load(td, 2, 2);
	td_fill(td, 4, 12);
	td_load(td, 3, 1);
	td_fill(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 2));
	TD_EXPECT_POLICY_STAT(td, "clean_victims", 1);
	TD_EXPECT_POLICY_STAT(td, "dirty_victims", 0);
}

/* All pages are hot: each has another round, as a cold page, and A leaves. */
static void ccf_lru_hot_pages_have_another_round(struct kunit *test)
{
	struct td *td = td_simple(test, "ccf-lru");

	td_fill(td, 0, TD_FRAMES);
	td_fill(td, 0, 1);
	td_fill(td, 1, 15);
	td_fill(td, 20, 1);
	TD_EXPECT_POLICY_STAT(td, "spared", TD_FRAMES);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	TD_EXPECT_POLICY_STAT(td, "dirty_victims", 1);
}

/* A was read twice: it is spared once, and cold from then on. */
static void ccf_lru_hot_clean_page_is_spared_once(struct kunit *test)
{
	struct td *td = td_simple(test, "ccf-lru");

	td_load(td, 0, 1);
	td_load(td, 0, 1);
	td_fill(td, 1, 15);
	td_fill(td, 20, 1);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 0));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 1));
	TD_EXPECT_POLICY_STAT(td, "spared", 1);
	KUNIT_EXPECT_STREQ(test, td_counted(td, MIXED),
			   "U0 A0 P0 O0 N0 M0 L0 K0 J0 I0 H0 G0 F0 E0 D0 C0");
}

static void ccf_lru_looks_are_bounded(struct kunit *test)
{
	struct td *td = td_simple(test, "ccf-lru:looks=2");

	td_fill(td, 0, TD_FRAMES);
	td_fill(td, 0, TD_FRAMES);
	td_fill(td, 20, 1);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 0));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 2));
	TD_EXPECT_POLICY_STAT(td, "spared", 2);
}

static struct kunit_case ccf_lru_cases[] = {
	KUNIT_CASE(ccf_lru_lists),
	KUNIT_CASE(ccf_lru_cold_clean_page_leaves_first),
	KUNIT_CASE(ccf_lru_hot_pages_have_another_round),
	KUNIT_CASE(ccf_lru_hot_clean_page_is_spared_once),
	KUNIT_CASE(ccf_lru_looks_are_bounded),
	{}
};

static struct kunit_suite ccf_lru_suite = {
	.name = "ssdcache_ccf_lru",
	.exit = td_exit,
	.test_cases = ccf_lru_cases,
};

kunit_test_suite(ccf_lru_suite);
