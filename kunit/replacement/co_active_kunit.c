// SPDX-License-Identifier: GPL-2.0
/*
 * Co-Active on a device of four chips: A E I M are on the first, B F J N on the second, and
 * so on. The test decides which chips are busy.
 */
#include "../engine/driver.h"

enum { CLEAN, COLD, HOT };

#define EAGER "co-active:cold_share=100,clean_max=100"

static const u32 busy[] = { 1, 1, 1, 1 };

static void set_depth(struct td_device *device, u32 a, u32 b, u32 c, u32 d)
{
	const u32 depth[] = { a, b, c, d };

	memcpy(device->depth, depth, sizeof(depth));
}

/* Initially all chips are busy. */
static struct td *on_chips(struct kunit *test, const char *spec, struct td_device *device)
{
	struct td *td = td_simple(test, spec);

	device->nr = 4;
	memcpy(device->depth, busy, sizeof(busy));
	td_set_device(td, device);
	return td;
}

/* Submit a request and complete all that follows from it. */
static void read_page(struct td *td, u64 page)
{
	td_load(td, page, 1);
	td_settle(td);
}

static void write_run(struct td *td, u64 first, u32 pages)
{
	struct td_host *host = td_submit(td, SSDC_WRITE, first * TD_PAGE_SECTORS,
					 pages * TD_PAGE_SECTORS);

	td_settle(td);
	TD_EXPECT_DONE(td, host);
}

/* An idle chip gets one page, the least recent. F is on the second chip, too. */
static void co_active_idle_chips_get_a_page_each(struct kunit *test)
{
	struct td_device device = {};
	struct td *td = on_chips(test, EAGER, &device);
	struct td_host *read;

	write_run(td, 0, 6);
	KUNIT_EXPECT_STREQ(test, td_list(td, COLD), "F E D C B A");
	set_depth(&device, 1, 0, 1, 0);
	/* while a request is in flight */
	read = td_begin(td, SSDC_READ, 0, 8);
	KUNIT_ASSERT_EQ(test, td_step(td, read), SSDC_COPY);
	td_background(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "D B");
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 2u);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.reason, SSDC_FLUSH_EARLY);
	set_depth(&device, 1, 1, 1, 1);
	td_run(td, read);
	td_settle(td);
	KUNIT_EXPECT_FALSE(test, td_dirty(td, 1));
	TD_EXPECT_POLICY_STAT(td, "written_back", 2);
	TD_EXPECT_STAT(td, "early_flushed", 2);
}

/* "Cold and dirty data": pages written twice stay dirty. */
static void co_active_hot_pages_stay_dirty(struct kunit *test)
{
	struct td_device device = {};
	struct td *td = on_chips(test, EAGER, &device);

	write_run(td, 0, 4);
	write_run(td, 1, 2);
	KUNIT_EXPECT_STREQ(test, td_list(td, COLD), "D A");
	KUNIT_EXPECT_STREQ(test, td_list(td, HOT), "C B");
	set_depth(&device, 0, 0, 0, 0);
	write_run(td, 30, 1);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 1));
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 2));
	KUNIT_EXPECT_FALSE(test, td_dirty(td, 0));
	KUNIT_EXPECT_FALSE(test, td_dirty(td, 3));
}

/* By default half of the cold pages may be flushed. */
static void co_active_newest_cold_pages_stay_dirty(struct kunit *test)
{
	struct td_device device = {};
	struct td *td = on_chips(test, "co-active:clean_max=100", &device);

	write_run(td, 0, 8);
	set_depth(&device, 0, 0, 0, 0);
	read_page(td, 0);
	/* first B C D E, then of the remaining four F G, and so on down to the last one */
	KUNIT_EXPECT_STREQ(test, td_list(td, COLD), "A");
	TD_EXPECT_POLICY_STAT(td, "written_back", 7);
}

/* After a burst of 3 pages, 3 pages may be clean. */
static void co_active_threshold_follows_bursts(struct kunit *test)
{
	struct td_device device = {};
	struct td *td = on_chips(test, EAGER ",pause_ms=10", &device);

	td_fill(td, 0, 1);
	TD_EXPECT_POLICY_STAT(td, "threshold_now", 1);
	write_run(td, 1, 2);
	TD_EXPECT_POLICY_STAT(td, "threshold_now", 3);
	/* a pause; then each smaller burst lowers the level by one */
	td->now_ns += 11000000;
	write_run(td, 3, 1);
	TD_EXPECT_POLICY_STAT(td, "burst_level", 3);
	TD_EXPECT_POLICY_STAT(td, "threshold_now", 3);
	td->now_ns += 11000000;
	write_run(td, 4, 1);
	TD_EXPECT_POLICY_STAT(td, "burst_level", 2);
	TD_EXPECT_POLICY_STAT(td, "threshold_now", 2);
	set_depth(&device, 0, 0, 0, 0);
	read_page(td, 0);
	TD_EXPECT_POLICY_STAT(td, "written_back", 2);
	TD_EXPECT_POLICY_STAT(td, "clean_list", 2);
	/* a read after a pause ends a burst, too: 1 page, and the level falls to 1 */
	td->now_ns += 11000000;
	read_page(td, 1);
	TD_EXPECT_POLICY_STAT(td, "burst_level", 1);
	TD_EXPECT_POLICY_STAT(td, "threshold_now", 1);
}

/* By default a quarter of 16 pages may be clean. */
static void co_active_threshold_has_a_limit(struct kunit *test)
{
	struct td_device device = {};
	struct td *td = on_chips(test, "co-active", &device);

	write_run(td, 0, 12);
	TD_EXPECT_POLICY_STAT(td, "threshold_now", 4);
	set_depth(&device, 0, 0, 0, 0);
	read_page(td, 0);
	TD_EXPECT_POLICY_STAT(td, "clean_list", 4);
	TD_EXPECT_STAT(td, "dirty", 8);
	td_set(td, "clean_max", "50");
	TD_EXPECT_POLICY_STAT(td, "threshold_now", 8);
}

/* "Clean data are preferentially evicted"; then the least recent dirty page, cold or hot. */
static void co_active_victims(struct kunit *test)
{
	struct td_device device = {};
	struct td *td = on_chips(test, EAGER, &device);

	write_run(td, 0, 5);
	td_fill(td, 1, 1);
	td_load(td, 10, 2);
	td_fill(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_drain(td), "K L C D E B A");
	TD_EXPECT_POLICY_STAT(td, "clean_victims", 2);
	TD_EXPECT_POLICY_STAT(td, "dirty_victims", 5);
}

/* A page rewritten after a flush was flushed in vain, and becomes hot. */
static void co_active_rewritten_page_is_hot(struct kunit *test)
{
	struct td_device device = {};
	struct td *td = on_chips(test, EAGER, &device);

	set_depth(&device, 0, 0, 0, 0);
	write_run(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "A");
	write_run(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, HOT), "A");
	TD_EXPECT_POLICY_STAT(td, "rewritten_clean", 1);
}

/* Dynamic allocation: as many pages are flushed as there are idle chips. */
static void co_active_dynamic_allocation(struct kunit *test)
{
	struct td_device device = { .dynamic = true };
	struct td *td = on_chips(test, EAGER, &device);
	struct td_host *read;

	write_run(td, 0, 8);
	set_depth(&device, 0, 1, 0, 1);
	read = td_begin(td, SSDC_READ, 0, 8);
	KUNIT_ASSERT_EQ(test, td_step(td, read), SSDC_COPY);
	td_background(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "C B");
	set_depth(&device, 1, 1, 1, 1);
	td_run(td, read);
}

static struct kunit_case co_active_cases[] = {
	KUNIT_CASE(co_active_idle_chips_get_a_page_each),
	KUNIT_CASE(co_active_hot_pages_stay_dirty),
	KUNIT_CASE(co_active_newest_cold_pages_stay_dirty),
	KUNIT_CASE(co_active_threshold_follows_bursts),
	KUNIT_CASE(co_active_threshold_has_a_limit),
	KUNIT_CASE(co_active_victims),
	KUNIT_CASE(co_active_rewritten_page_is_hot),
	KUNIT_CASE(co_active_dynamic_allocation),
	{}
};

static struct kunit_suite co_active_suite = {
	.name = "ssdcache_co_active",
	.exit = td_exit,
	.test_cases = co_active_cases,
};

kunit_test_suite(co_active_suite);
