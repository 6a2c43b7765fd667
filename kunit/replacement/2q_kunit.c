// SPDX-License-Identifier: GPL-2.0
#include "../engine/driver.h"

enum { A1IN, AM };

/* Uses shortly after each other are one use. */
static void twoq_hit_in_a1in_changes_nothing(struct kunit *test)
{
	struct td *td = td_simple(test, "2q");

	td_fill(td, 0, 3);
	td_load(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, A1IN), "C B A");
	KUNIT_EXPECT_STREQ(test, td_list(td, AM), "");
}

/* A left A1in and returns: it is worth keeping. */
static void twoq_remembered_page_enters_am(struct kunit *test)
{
	struct td *td = td_simple(test, "2q");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	TD_EXPECT_POLICY_STAT(td, "ghosts", 1);
	td_load(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, AM), "A");
	KUNIT_EXPECT_FALSE(test, td_cached(td, 1));
	TD_EXPECT_POLICY_STAT(td, "ghost_hits", 1);
	TD_EXPECT_POLICY_STAT(td, "ghosts", 1);
	td_load(td, 2, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, A1IN), "U P O N M L K J I H G F E D C");
}

/* With A1in at its share of 15 pages, the last page of Am leaves, and is not remembered. */
static void twoq_am_is_evicted_when_a1in_is_short(struct kunit *test)
{
	struct td *td = td_simple(test, "2q:in=99");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 20, 1);
	td_load(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, AM), "A");
	td_load(td, 21, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	TD_EXPECT_POLICY_STAT(td, "ghosts", 1);
}

/* out=50: eight pages are remembered. */
static void twoq_a1out_is_bounded(struct kunit *test)
{
	struct td *td = td_simple(test, "2q");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 30, 10);
	TD_EXPECT_POLICY_STAT(td, "ghosts", 8);
	td_load(td, 1, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, AM), "");
	td_load(td, 9, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, AM), "J");
}

static void twoq_am_is_lru(struct kunit *test)
{
	struct td *td = td_simple(test, "2q");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 20, 3);
	td_load(td, 0, 2);
	KUNIT_EXPECT_STREQ(test, td_list(td, AM), "B A");
	td_load(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, AM), "A B");
}

static struct kunit_case twoq_cases[] = {
	KUNIT_CASE(twoq_hit_in_a1in_changes_nothing),
	KUNIT_CASE(twoq_remembered_page_enters_am),
	KUNIT_CASE(twoq_am_is_evicted_when_a1in_is_short),
	KUNIT_CASE(twoq_a1out_is_bounded),
	KUNIT_CASE(twoq_am_is_lru),
	{}
};

static struct kunit_suite twoq_suite = {
	.name = "ssdcache_2q",
	.exit = td_exit,
	.test_cases = twoq_cases,
};

kunit_test_suite(twoq_suite);
