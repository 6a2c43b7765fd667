// SPDX-License-Identifier: GPL-2.0
#include "../engine/driver.h"

enum { SMALL, MAIN };

/* 10 % of 16 pages: one. */
static void s3_fifo_fills_the_small_queue_first(struct kunit *test)
{
	struct td *td = td_simple(test, "s3-fifo");

	td_fill(td, 0, 3);
	KUNIT_EXPECT_STREQ(test, td_list(td, SMALL), "A");
	KUNIT_EXPECT_STREQ(test, td_list(td, MAIN), "C B");
}

/* A was not used and leaves; it returns to the main queue, in place of U. */
static void s3_fifo_remembered_page_enters_main(struct kunit *test)
{
	struct td *td = td_simple(test, "s3-fifo");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	KUNIT_EXPECT_STREQ(test, td_list(td, SMALL), "U");
	TD_EXPECT_POLICY_STAT(td, "ghosts", 1);
	td_load(td, 0, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 20));
	KUNIT_EXPECT_STREQ(test, td_list(td, SMALL), "");
	TD_EXPECT_POLICY_STAT(td, "ghost_hits", 1);
	TD_EXPECT_POLICY_STAT(td, "main_list", TD_FRAMES);
}

/* Two hits move A to the main queue, without its count; B, with one, leaves. */
static void s3_fifo_used_page_moves_to_main(struct kunit *test)
{
	struct td *td = td_simple(test, "s3-fifo:small=50");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 0, 2);
	td_load(td, 0, 1);
	td_load(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 1));
	KUNIT_EXPECT_STREQ(test, td_counted(td, MAIN), "A0 P0 O0 N0 M0 L0 K0 J0 I0");
	TD_EXPECT_POLICY_STAT(td, "promoted", 1);
}

/* The main queue is too long: B, which was used, has another round, and C leaves. */
static void s3_fifo_main_spares_used_pages(struct kunit *test)
{
	struct td *td = td_simple(test, "s3-fifo");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 20, 1);
	td_load(td, 0, 1);
	td_load(td, 1, 1);
	td_load(td, 1, 1);
	td_load(td, 21, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 2));
	KUNIT_EXPECT_STREQ(test, td_counted(td, MAIN),
			   "B1 A0 P0 O0 N0 M0 L0 K0 J0 I0 H0 G0 F0 E0 D0");
	TD_EXPECT_POLICY_STAT(td, "spared", 1);
}

static void s3_fifo_looks_are_bounded(struct kunit *test)
{
	struct td *td = td_simple(test, "s3-fifo:small=90,looks=2");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 0, TD_FRAMES);
	td_load(td, 0, TD_FRAMES);
	td_load(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 2));
	TD_EXPECT_POLICY_STAT(td, "promoted", 2);
	TD_EXPECT_POLICY_STAT(td, "cut_short", 1);
}

/* In the main queue, one look spares B; C leaves, although it was used. */
static void s3_fifo_looks_in_main_are_bounded(struct kunit *test)
{
	struct td *td = td_simple(test, "s3-fifo:looks=1");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 20, 1);
	td_load(td, 0, 1);
	td_load(td, 1, 2);
	td_load(td, 21, 1);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 1));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 2));
	TD_EXPECT_POLICY_STAT(td, "spared", 1);
	TD_EXPECT_POLICY_STAT(td, "cut_short", 1);
}

static struct kunit_case s3_fifo_cases[] = {
	KUNIT_CASE(s3_fifo_fills_the_small_queue_first),
	KUNIT_CASE(s3_fifo_remembered_page_enters_main),
	KUNIT_CASE(s3_fifo_used_page_moves_to_main),
	KUNIT_CASE(s3_fifo_main_spares_used_pages),
	KUNIT_CASE(s3_fifo_looks_are_bounded),
	KUNIT_CASE(s3_fifo_looks_in_main_are_bounded),
	{}
};

static struct kunit_suite s3_fifo_suite = {
	.name = "ssdcache_s3_fifo",
	.exit = td_exit,
	.test_cases = s3_fifo_cases,
};

kunit_test_suite(s3_fifo_suite);
