// SPDX-License-Identifier: GPL-2.0
/* Dropping all clean pages, in steps. */
#include "driver.h"

static void drop_clean_leaves_dirty_pages(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	u32 cursor = 0;

	td_fill(td, 0, 3);
	td_load(td, 10, 4);
	while (cursor < td->e->tier.nr_frames)
		ssdc_drop_clean(td->e, &cursor);
	td_check(td);
	KUNIT_EXPECT_EQ(test, cursor, td->e->tier.nr_frames);
	TD_EXPECT_STAT(td, "used", 3);
	TD_EXPECT_STAT(td, "dirty", 3);
	TD_EXPECT_STAT(td, "dropped_pages", 4);
}

static void drop_clean_leaves_pages_at_work(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *read, *copying;
	u32 cursor = 0;

	td_load(td, 0, 2);
	read = td_read_page(td, 5);
	copying = td_begin(td, SSDC_READ, 8, 8);
	KUNIT_ASSERT_EQ(test, td_step(td, copying), SSDC_COPY);
	ssdc_drop_clean(td->e, &cursor);
	td_check(td);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 1));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 5));
	td_run(td, copying);
	td_settle(td);
	TD_EXPECT_DONE(td, copying);
	TD_EXPECT_DONE(td, read);
}

static void drop_clean_goes_in_steps(struct kunit *test)
{
	struct ssdc_params params = td_params();
	u32 cursor = 0;
	struct td *td;

	params.dram_bytes = 600 * params.page_bytes;
	params.origin_sectors = 1024 * TD_PAGE_SECTORS;
	td = td_new(test, &params);
	td_load(td, 0, 600);
	ssdc_drop_clean(td->e, &cursor);
	KUNIT_EXPECT_GT(test, cursor, 1u);
	KUNIT_EXPECT_LT(test, cursor, td->e->hold_work);
	TD_EXPECT_STAT(td, "used", 600 - cursor);
	while (cursor < td->e->tier.nr_frames)
		ssdc_drop_clean(td->e, &cursor);
	KUNIT_EXPECT_EQ(test, cursor, td->e->tier.nr_frames);
	TD_EXPECT_STAT(td, "used", 0);
	td_check(td);
}

static struct kunit_case drop_clean_cases[] = {
	KUNIT_CASE(drop_clean_leaves_dirty_pages),
	KUNIT_CASE(drop_clean_leaves_pages_at_work),
	KUNIT_CASE(drop_clean_goes_in_steps),
	{}
};

static struct kunit_suite drop_clean_suite = {
	.name = "ssdcache_drop_clean",
	.exit = td_exit,
	.test_cases = drop_clean_cases,
};

kunit_test_suite(drop_clean_suite);
