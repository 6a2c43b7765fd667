// SPDX-License-Identifier: GPL-2.0
#include "../engine/driver.h"

#define LIST 0

static void fifo_newest_first(struct kunit *test)
{
	struct td *td = td_simple(test, "fifo");

	td_fill(td, 0, 2);
	td_load(td, 2, 1);
	td_fill(td, 3, 1);

	/* should be head -> D -> C -> B -> A -> tail */
	KUNIT_EXPECT_STREQ(test, td_list(td, LIST), "D C B A");
	TD_EXPECT_POLICY_STAT(td, "fifo_list", 4);
}

static void fifo_hits_change_nothing(struct kunit *test)
{
	struct td *td = td_simple(test, "fifo");

	td_fill(td, 0, 3);
	td_fill(td, 0, 1);
	td_load(td, 1, 1);

	/* should be head -> C -> B -> A -> tail */
	KUNIT_EXPECT_STREQ(test, td_list(td, LIST), "C B A");
}

static void fifo_oldest_leaves(struct kunit *test)
{
	struct td *td = td_simple(test, "fifo");

	td_fill(td, 0, TD_FRAMES);
	td_fill(td, 0, 1);
	td_fill(td, 20, 2);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 1));
	KUNIT_EXPECT_STREQ(test, td_drain(td), "C D E F G H I J K L M N O P U V");
}

static void fifo_flushed_page_keeps_its_place(struct kunit *test)
{
	struct td *td = td_simple(test, "fifo");

	td_fill(td, 0, 3);
	td_clean_all(td);
	td_fill(td, 3, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, LIST), "D C B A");
}

static void fifo_discarded_page_is_gone(struct kunit *test)
{
	struct td *td = td_simple(test, "fifo");

	td_fill(td, 0, 4);
	td_submit(td, SSDC_DISCARD, 8, 16);
	td_settle(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, LIST), "D A");
}

static void fifo_page_that_comes_back_is_new(struct kunit *test)
{
	struct td *td = td_simple(test, "fifo");

	td_fill(td, 0, 3);
	td_submit(td, SSDC_DISCARD, 0, 8);
	td_settle(td);
	td_fill(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, LIST), "A C B");
}

static struct kunit_case fifo_cases[] = {
	KUNIT_CASE(fifo_newest_first),
	KUNIT_CASE(fifo_hits_change_nothing),
	KUNIT_CASE(fifo_oldest_leaves),
	KUNIT_CASE(fifo_flushed_page_keeps_its_place),
	KUNIT_CASE(fifo_discarded_page_is_gone),
	KUNIT_CASE(fifo_page_that_comes_back_is_new),
	{}
};

static struct kunit_suite fifo_suite = {
	.name = "ssdcache_fifo",
	.exit = td_exit,
	.test_cases = fifo_cases,
};

kunit_test_suite(fifo_suite);
