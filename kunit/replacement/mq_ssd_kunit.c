// SPDX-License-Identifier: GPL-2.0
/* The write cache of MQSim. */
#include "../../dm-ssdcache/base/page-set.h"
#include "../engine/driver.h"

enum { LRU, PENDING, LEAVING };

#define PERIOD_NS 1000000000ULL

/* Write pages one by one, completing all that follows. */
static void write_pages(struct td *td, u64 first, u32 nr)
{
	td_fill(td, first, nr);
	td_settle(td);
}

static struct td_host *write_run(struct td *td, u64 first, u32 pages)
{
	return td_submit(td, SSDC_WRITE, first * TD_PAGE_SECTORS, pages * TD_PAGE_SECTORS);
}

static void mq_ssd_cold_page_is_written_and_leaves(struct kunit *test)
{
	struct td *td = td_simple(test, "mq-ssd");
	struct td_host *write = td_write_page(td, 0);

	/* the write is acknowledged before the page is on the origin */
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_STREQ(test, td_list(td, PENDING), "A");
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.reason, SSDC_FLUSH_EARLY);
	TD_EXPECT_POLICY_STAT(td, "under_way", 1);
	td_end_ios(td, 0);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	TD_EXPECT_POLICY_STAT(td, "left_clean", 1);
	TD_EXPECT_POLICY_STAT(td, "under_way", 0);
	TD_EXPECT_STAT(td, "used", 0);
}

/* The second write within a second is hot, whether the page is still cached or not. */
static void mq_ssd_hot_page_stays(struct kunit *test)
{
	struct td *td = td_simple(test, "mq-ssd");

	write_pages(td, 0, 2);
	TD_EXPECT_POLICY_STAT(td, "cold_writes", 2);
	write_pages(td, 0, 1);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
	write_pages(td, 0, 1);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
	TD_EXPECT_POLICY_STAT(td, "hot_writes", 2);
	KUNIT_EXPECT_STREQ(test, td_list(td, LRU), "A");
}

static void mq_ssd_cold_again_in_the_next_period(struct kunit *test)
{
	struct td *td = td_simple(test, "mq-ssd");

	write_pages(td, 0, 1);
	td->now_ns += PERIOD_NS - 1000000;
	write_pages(td, 0, 1);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
	td->now_ns += 1000000;
	write_pages(td, 0, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	TD_EXPECT_POLICY_STAT(td, "cold_writes", 2);
	TD_EXPECT_POLICY_STAT(td, "hot_writes", 1);
	TD_EXPECT_POLICY_STAT(td, "periods", 2);
}

static void mq_ssd_period_can_be_set(struct kunit *test)
{
	struct td *td = td_simple(test, "mq-ssd:period_ms=5");

	write_pages(td, 0, 1);
	td->now_ns += 5000000;
	write_pages(td, 0, 1);
	TD_EXPECT_POLICY_STAT(td, "cold_writes", 2);
}

/* A new length counts for the period that has begun, from its beginning on. */
static void mq_ssd_period_is_changed(struct kunit *test)
{
	struct td *td = td_simple(test, "mq-ssd:period_ms=3600000");

	td_set(td, "period_ms", "20");
	write_pages(td, 0, 1);
	td_set(td, "period_ms", "3600000");
	td->now_ns += 20000000;
	write_pages(td, 0, 1);
	TD_EXPECT_POLICY_STAT(td, "hot_writes", 1);
	td_set(td, "period_ms", "21");
	write_pages(td, 0, 1);
	TD_EXPECT_POLICY_STAT(td, "hot_writes", 2);
	td->now_ns += 1000000;
	write_pages(td, 0, 1);
	TD_EXPECT_POLICY_STAT(td, "cold_writes", 2);
	TD_EXPECT_POLICY_STAT(td, "periods", 2);
}

static void mq_ssd_budget(struct kunit *test)
{
	struct td *td = td_simple(test, "mq-ssd:budget=2");

	TD_EXPECT_DONE(td, write_run(td, 0, 5));
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 2u);
	KUNIT_EXPECT_STREQ(test, td_list(td, PENDING), "E D C");
	KUNIT_EXPECT_STREQ(test, td_list(td, LRU), "B A");
	td_end_io(td, 0, 0);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	KUNIT_EXPECT_STREQ(test, td_list(td, LRU), "C B");
	td_settle(td);
	TD_EXPECT_STAT(td, "used", 0);
	TD_EXPECT_STAT(td, "early_flushed", 5);
}

/* Pages that wait for their flush need no further event. */
static void mq_ssd_budget_is_raised(struct kunit *test)
{
	struct td *td = td_simple(test, "mq-ssd:budget=1");

	TD_EXPECT_DONE(td, write_run(td, 0, 3));
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 0u);
	td_set(td, "budget", "2");
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	KUNIT_EXPECT_STREQ(test, td_list(td, PENDING), "C");
	TD_EXPECT_POLICY_STAT(td, "under_way", 2);
}

/* Without early flushes all pages are on one LRU list. */
static void mq_ssd_no_budget(struct kunit *test)
{
	struct td *td = td_simple(test, "mq-ssd:budget=0");

	write_pages(td, 0, 3);
	write_pages(td, 0, 1);
	TD_EXPECT_POLICY_STAT(td, "cold_writes", 3);
	TD_EXPECT_POLICY_STAT(td, "hot_writes", 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, LRU), "A C B");
	KUNIT_EXPECT_STREQ(test, td_list(td, PENDING), "");
	TD_EXPECT_STAT(td, "early_flushed", 0);
	write_pages(td, 3, TD_FRAMES - 2);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 1));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 0));
}

/* Pages that wait for an early flush leave first if the budget is set to 0 meanwhile. */
static void mq_ssd_budget_is_taken_away(struct kunit *test)
{
	struct td *td = td_simple(test, "mq-ssd");

	TD_EXPECT_DONE(td, write_run(td, 0, 2));
	KUNIT_EXPECT_STREQ(test, td_list(td, PENDING), "B A");
	td_set(td, "budget", "0");
	TD_EXPECT_DONE(td, write_run(td, 2, TD_FRAMES - 2));
	KUNIT_EXPECT_STREQ(test, td_list(td, PENDING), "B A");
	td_write_page(td, TD_FRAMES);
	td_settle(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, PENDING), "B");
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 2));
}

/* A read hits a page whose flush is in flight, but does not keep it. */
static void mq_ssd_page_on_its_way_is_read(struct kunit *test)
{
	struct td *td = td_simple(test, "mq-ssd");
	struct td_host *read;

	td_write_page(td, 0);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	read = td_read_page(td, 0);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_STAT(td, "read_hits", 1);
	td_end_ios(td, 0);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
}

/* A write to a page in flight waits for the flush, finds the page gone, and is hot. */
static void mq_ssd_page_on_its_way_is_written(struct kunit *test)
{
	struct td *td = td_simple(test, "mq-ssd");
	struct td_host *write;

	td_write_page(td, 0);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	write = td_write_page(td, 0);
	TD_EXPECT_DONE(td, write);
	td_settle(td);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
	TD_EXPECT_POLICY_STAT(td, "hot_writes", 1);
}

static void mq_ssd_victims_are_lru(struct kunit *test)
{
	struct td *td = td_simple(test, "mq-ssd");

	write_pages(td, 0, TD_FRAMES);
	write_pages(td, 0, TD_FRAMES);
	TD_EXPECT_STAT(td, "dirty", TD_FRAMES);
	td_load(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_drain(td), "B C D E F G H I J K L M N O P A");
	TD_EXPECT_POLICY_STAT(td, "lru_victims", 16);
}

static void mq_ssd_keep_clean(struct kunit *test)
{
	struct td *td = td_simple(test, "mq-ssd:keep_clean=on");

	write_pages(td, 0, 3);
	KUNIT_EXPECT_STREQ(test, td_list(td, LRU), "C B A");
	TD_EXPECT_STAT(td, "dirty", 0);
	TD_EXPECT_STAT(td, "early_flushed", 3);
}

/* Pages cleaned by a FLUSH leave, too: at once, not when a frame is needed. */
static void mq_ssd_flushed_pages_leave(struct kunit *test)
{
	struct td *td = td_simple(test, "mq-ssd");

	write_pages(td, 0, 4);
	write_pages(td, 0, 4);
	TD_EXPECT_STAT(td, "dirty", 4);
	td_clean_all(td);
	TD_EXPECT_STAT(td, "used", 0);
	TD_EXPECT_STAT(td, "forced_flushed", 4);
}

/* Pages that are read into DRAM stay. */
static void mq_ssd_read_pages_stay(struct kunit *test)
{
	struct td *td = td_simple(test, "mq-ssd");

	td_load(td, 0, 3);
	td_settle(td);
	TD_EXPECT_STAT(td, "used", 3);
	KUNIT_EXPECT_STREQ(test, td_list(td, LRU), "C B A");
}

/* The engine retries the flush; early flush does not. */
static void mq_ssd_failed_page_stays_dirty(struct kunit *test)
{
	struct td *td = td_simple(test, "mq-ssd");

	td_write_page(td, 0);
	td_background(td);
	td_start_ios(td);
	td_end_ios(td, -EIO);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
	KUNIT_EXPECT_STREQ(test, td_list(td, LRU), "A");
	TD_EXPECT_POLICY_STAT(td, "under_way", 0);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
}

/* More pages than are remembered of a period: the rest of the period begins anew. */
static void mq_ssd_full_period(struct kunit *test)
{
	struct ssdc_params params = td_params();
	struct td *td;

	params.origin_sectors = (SSDC_PAGE_SET_PAGES + 8) * TD_PAGE_SECTORS;
	params.replacement = "mq-ssd:budget=0";
	td = td_new(test, &params);
	write_run(td, 0, SSDC_PAGE_SET_PAGES);
	td_settle(td);
	write_pages(td, 0, 1);
	TD_EXPECT_POLICY_STAT(td, "full_periods", 0);
	TD_EXPECT_POLICY_STAT(td, "hot_writes", 1);
	write_pages(td, SSDC_PAGE_SET_PAGES, 1);
	TD_EXPECT_POLICY_STAT(td, "full_periods", 1);
	TD_EXPECT_POLICY_STAT(td, "cold_writes", SSDC_PAGE_SET_PAGES + 1);
	write_pages(td, 0, 1);
	TD_EXPECT_POLICY_STAT(td, "cold_writes", SSDC_PAGE_SET_PAGES + 2);
	TD_EXPECT_POLICY_STAT(td, "hot_writes", 1);
	TD_EXPECT_POLICY_STAT(td, "periods", 1);
}

static struct kunit_case mq_ssd_cases[] = {
	KUNIT_CASE(mq_ssd_cold_page_is_written_and_leaves),
	KUNIT_CASE(mq_ssd_hot_page_stays),
	KUNIT_CASE(mq_ssd_cold_again_in_the_next_period),
	KUNIT_CASE(mq_ssd_period_can_be_set),
	KUNIT_CASE(mq_ssd_period_is_changed),
	KUNIT_CASE(mq_ssd_budget),
	KUNIT_CASE(mq_ssd_budget_is_raised),
	KUNIT_CASE(mq_ssd_no_budget),
	KUNIT_CASE(mq_ssd_budget_is_taken_away),
	KUNIT_CASE(mq_ssd_page_on_its_way_is_read),
	KUNIT_CASE(mq_ssd_page_on_its_way_is_written),
	KUNIT_CASE(mq_ssd_victims_are_lru),
	KUNIT_CASE(mq_ssd_keep_clean),
	KUNIT_CASE(mq_ssd_flushed_pages_leave),
	KUNIT_CASE(mq_ssd_read_pages_stay),
	KUNIT_CASE(mq_ssd_failed_page_stays_dirty),
	KUNIT_CASE(mq_ssd_full_period),
	{}
};

static struct kunit_suite mq_ssd_suite = {
	.name = "ssdcache_mq_ssd",
	.exit = td_exit,
	.test_cases = mq_ssd_cases,
};

kunit_test_suite(mq_ssd_suite);
