// SPDX-License-Identifier: GPL-2.0
#include "../engine/driver.h"

/* A list's number is a use count. */

static void lfu_new_page_was_used_once(struct kunit *test)
{
	struct td *td = td_simple(test, "lfu");

	td_fill(td, 0, 2);
	td_load(td, 2, 1);

	/* level 1: C B A */
	KUNIT_EXPECT_STREQ(test, td_counted(td, 1), "C1 B1 A1");
	KUNIT_EXPECT_STREQ(test, td_list(td, 2), "");
	TD_EXPECT_POLICY_STAT(td, "used_once", 3);
}

static void lfu_hit_moves_one_level_up(struct kunit *test)
{
	struct td *td = td_simple(test, "lfu");

	td_fill(td, 0, 3);
	td_load(td, 1, 1);
	td_fill(td, 0, 1);
	td_fill(td, 0, 1);

	/* level 1: C; level 2: B; level 3: A */
	KUNIT_EXPECT_STREQ(test, td_counted(td, 1), "C1");
	KUNIT_EXPECT_STREQ(test, td_counted(td, 2), "B2");
	KUNIT_EXPECT_STREQ(test, td_counted(td, 3), "A3");
}

static void lfu_least_often_used_leaves(struct kunit *test)
{
	struct td *td = td_simple(test, "lfu");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 0, 15);
	/* level 2: O ... A; level 1: P, the last to enter and the first to leave */
	td_fill(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 15));
	TD_EXPECT_POLICY_STAT(td, "victim_count", 1);
	/* the page that evicted it is next */
	td_fill(td, 21, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 20));
}

/* Among equally used pages, the one that has had its count longest leaves. */
static void lfu_ties_first_in_first_out(struct kunit *test)
{
	struct td *td = td_simple(test, "lfu");

	td_fill(td, 0, 5);
	td_load(td, 2, 1);
	td_load(td, 0, 1);

	/* level 1: E D B; level 2: A C */
	KUNIT_EXPECT_STREQ(test, td_list(td, 1), "E D B");
	KUNIT_EXPECT_STREQ(test, td_list(td, 2), "A C");
	KUNIT_EXPECT_STREQ(test, td_drain(td), "B D E C A");
}

static void lfu_count_is_forgotten_on_eviction(struct kunit *test)
{
	struct td *td = td_simple(test, "lfu");

	td_fill(td, 0, 1);
	td_load(td, 0, 1);
	td_load(td, 0, 1);
	td_submit(td, SSDC_DISCARD, 0, 8);
	td_settle(td);
	td_fill(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_counted(td, 1), "A1");
}

static void lfu_count_stops_at_255(struct kunit *test)
{
	struct td *td = td_simple(test, "lfu");
	unsigned int i;

	td_fill(td, 0, 2);
	for (i = 0; i < 300; i++)
		td_load(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_counted(td, 255), "A255");
	for (i = 0; i < 300; i++)
		td_load(td, 1, 1);
	/* at the maximum, too, the page that has had its count longest is last */
	KUNIT_EXPECT_STREQ(test, td_counted(td, 255), "B255 A255");
	td_load(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_counted(td, 255), "A255 B255");
}

static void lfu_flush_leaves_the_count(struct kunit *test)
{
	struct td *td = td_simple(test, "lfu");

	td_fill(td, 0, 2);
	td_fill(td, 0, 1);
	td_clean_all(td);
	KUNIT_EXPECT_STREQ(test, td_counted(td, 1), "B1");
	KUNIT_EXPECT_STREQ(test, td_counted(td, 2), "A2");
}

static void lfu_page_read_in_was_used_once(struct kunit *test)
{
	struct td *td = td_simple(test, "lfu");

	td_load(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_counted(td, 1), "A1");
	td_load(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_counted(td, 2), "A2");
}

static struct kunit_case lfu_cases[] = {
	KUNIT_CASE(lfu_new_page_was_used_once),
	KUNIT_CASE(lfu_hit_moves_one_level_up),
	KUNIT_CASE(lfu_least_often_used_leaves),
	KUNIT_CASE(lfu_ties_first_in_first_out),
	KUNIT_CASE(lfu_count_is_forgotten_on_eviction),
	KUNIT_CASE(lfu_count_stops_at_255),
	KUNIT_CASE(lfu_flush_leaves_the_count),
	KUNIT_CASE(lfu_page_read_in_was_used_once),
	{}
};

static struct kunit_suite lfu_suite = {
	.name = "ssdcache_lfu",
	.exit = td_exit,
	.test_cases = lfu_cases,
};

kunit_test_suite(lfu_suite);
