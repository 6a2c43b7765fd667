// SPDX-License-Identifier: GPL-2.0
#include "../engine/driver.h"

#define LIST 0

static void lru_new_page_is_most_recent(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_fill(td, 0, 2);
	td_load(td, 2, 1);

	/* should be head -> C -> B -> A -> tail */
	KUNIT_EXPECT_STREQ(test, td_list(td, LIST), "C B A");
	TD_EXPECT_POLICY_STAT(td, "lru_list", 3);
}

static void lru_read_hit_moves_to_the_head(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_fill(td, 0, 3);
	td_load(td, 0, 1);

	/* C B A becomes A C B */
	KUNIT_EXPECT_STREQ(test, td_list(td, LIST), "A C B");
}

static void lru_write_hit_moves_to_the_head(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_fill(td, 0, 3);
	td_submit(td, SSDC_WRITE, 10, 1);

	/* C B A becomes B C A */
	KUNIT_EXPECT_STREQ(test, td_list(td, LIST), "B C A");
}

static void lru_hit_of_the_head_changes_nothing(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_fill(td, 0, 3);
	td_fill(td, 2, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, LIST), "C B A");
}

/* A read miss fetches the page and uses it: once, not twice. */
static void lru_page_read_in_is_used_once(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *read = td_read_page(td, 0);

	td_start_ios(td);
	td_end_io(td, 0, 0);
	td_fill(td, 1, 1);
	/* B A: the first copy to the reader, which follows, is no hit */
	td_run_ready(td);
	TD_EXPECT_DONE(td, read);
	KUNIT_EXPECT_STREQ(test, td_list(td, LIST), "B A");
}

/* Sectors that are not in DRAM: the page is, and is used. */
static void lru_read_of_missing_sectors_uses_the_page(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_submit(td, SSDC_WRITE, 0, 1);
	td_fill(td, 1, 1);
	td_submit(td, SSDC_READ, 4, 2);
	td_settle(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, LIST), "A B");
}

static void lru_least_recent_leaves(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 0, 1);
	td_fill(td, 2, 1);
	td_fill(td, 20, 2);
	KUNIT_EXPECT_STREQ(test, td_drain(td), "E F G H I J K L M N O P A C U V");
}

static void lru_flushed_page_keeps_its_place(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_fill(td, 0, 3);
	td_clean_all(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, LIST), "C B A");
}

static void lru_discarded_page_is_gone(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_fill(td, 0, 3);
	td_submit(td, SSDC_DISCARD, 8, 8);
	td_settle(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, LIST), "C A");
}

static void lru_pages_of_a_request_in_address_order(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_submit(td, SSDC_WRITE, 0, 24);
	KUNIT_EXPECT_STREQ(test, td_list(td, LIST), "C B A");
}

static struct kunit_case lru_cases[] = {
	KUNIT_CASE(lru_new_page_is_most_recent),
	KUNIT_CASE(lru_read_hit_moves_to_the_head),
	KUNIT_CASE(lru_write_hit_moves_to_the_head),
	KUNIT_CASE(lru_hit_of_the_head_changes_nothing),
	KUNIT_CASE(lru_page_read_in_is_used_once),
	KUNIT_CASE(lru_read_of_missing_sectors_uses_the_page),
	KUNIT_CASE(lru_least_recent_leaves),
	KUNIT_CASE(lru_flushed_page_keeps_its_place),
	KUNIT_CASE(lru_discarded_page_is_gone),
	KUNIT_CASE(lru_pages_of_a_request_in_address_order),
	{}
};

static struct kunit_suite lru_suite = {
	.name = "ssdcache_lru",
	.exit = td_exit,
	.test_cases = lru_cases,
};

kunit_test_suite(lru_suite);
