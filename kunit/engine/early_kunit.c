// SPDX-License-Identifier: GPL-2.0
#include "driver.h"

/* Early flush above 4 of 16 pages, up to 3 pages at once. */
static struct td *early(struct kunit *test, u32 idle_us)
{
	struct ssdc_params params = td_params();

	params.replacement = "cflru-ef:threshold=25,adapt=off,ef_batch=3";
	params.tunables.idle_us = idle_us;
	return td_new(test, &params);
}

static void early_not_at_the_threshold(struct kunit *test)
{
	struct td *td = early(test, 0);

	td_fill(td, 0, 4);
	KUNIT_EXPECT_FALSE(test, ssdc_has_work(td->e));
	KUNIT_EXPECT_EQ(test, td_background(td), SSDC_NEVER);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
}

static void early_down_to_the_threshold(struct kunit *test)
{
	struct td *td = early(test, 0);

	td_fill(td, 0, 9);
	KUNIT_EXPECT_TRUE(test, ssdc_has_work(td->e));
	td_background(td);
	/* 9 dirty pages, 5 above the limit: 3 pages, then 2 */
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 3u);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.reason, SSDC_FLUSH_EARLY);
	td_end_ios(td, 0);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 2u);
	td_end_ios(td, 0);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	TD_EXPECT_STAT(td, "dirty", 4);
	TD_EXPECT_STAT(td, "used", 9);
	TD_EXPECT_STAT(td, "early_flushes", 2);
	TD_EXPECT_STAT(td, "early_flushed", 5);
	KUNIT_EXPECT_TRUE(test, ssdc_quiescent(td->e));
}

static void early_one_batch_at_a_time(struct kunit *test)
{
	struct td *td = early(test, 0);

	td_fill(td, 0, 12);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 3u);
	td_end_io(td, 0, 0);
	td_end_io(td, 0, 0);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	td_end_io(td, 0, 0);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 3u);
}

static void early_not_while_a_request_is_under_way(struct kunit *test)
{
	struct td *td = early(test, 0);
	struct td_host *read;

	td_fill(td, 0, 9);
	read = td_begin(td, SSDC_READ, 0, 8);
	KUNIT_ASSERT_EQ(test, td_step(td, read), SSDC_COPY);
	KUNIT_EXPECT_FALSE(test, ssdc_has_work(td->e));
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	td_run(td, read);
	KUNIT_EXPECT_TRUE(test, ssdc_has_work(td->e));
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 3u);
}

/* The driver has a timer: the ends of further requests leave no work, and move the time. */
static void early_timer_is_set_once(struct kunit *test)
{
	struct td *td = early(test, 1000);
	u64 start_ns = td->now_ns;

	td_fill(td, 0, 9);
	KUNIT_EXPECT_TRUE(test, ssdc_has_work(td->e));
	KUNIT_EXPECT_EQ(test, td_background(td), start_ns + 1000000);
	KUNIT_EXPECT_FALSE(test, ssdc_has_work(td->e));
	KUNIT_EXPECT_FALSE(test, ssdc_quiescent(td->e));
	td->now_ns += 600000;
	td_read_page(td, 0);
	KUNIT_EXPECT_FALSE(test, ssdc_has_work(td->e));
	td->now_ns = start_ns + 1000000;
	KUNIT_EXPECT_EQ(test, td_background(td), start_ns + 1600000);
	TD_EXPECT_STAT(td, "early_flushes", 0);
	td->now_ns = start_ns + 1600000;
	td_settle(td);
	TD_EXPECT_STAT(td, "early_flushed", 5);
	KUNIT_EXPECT_TRUE(test, ssdc_quiescent(td->e));
}

/* A pass of the worker while a request is in progress sets no timer: the end of it must. */
static void early_timer_after_a_busy_pass(struct kunit *test)
{
	struct td *td = early(test, 1000);
	struct td_host *read;

	td_fill(td, 0, 9);
	td_background(td);
	KUNIT_EXPECT_FALSE(test, ssdc_has_work(td->e));
	read = td_begin(td, SSDC_READ, 0, 8);
	KUNIT_ASSERT_EQ(test, td_step(td, read), SSDC_COPY);
	KUNIT_EXPECT_EQ(test, td_background(td), SSDC_NEVER);
	td_run(td, read);
	KUNIT_EXPECT_TRUE(test, ssdc_has_work(td->e));
	KUNIT_EXPECT_EQ(test, td_background(td), td->now_ns + 1000000);
}

static void early_stops_when_a_request_comes(struct kunit *test)
{
	struct td *td = early(test, 0);
	struct td_host *read;

	td_fill(td, 0, 12);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 3u);
	read = td_read_page(td, 100);
	KUNIT_ASSERT_EQ(test, read->action, SSDC_WAIT);
	td_end_ios(td, 0);
	td_background(td);
	/* only the read */
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 1u);
	KUNIT_EXPECT_FALSE(test, td->ios[0].io.write);
	td_end_ios(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, read);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 3u);
}

static void early_after_the_idle_time(struct kunit *test)
{
	struct td *td = early(test, 500);
	u64 idle_ns;

	td->now_ns += 12345;
	td_fill(td, 0, 9);
	idle_ns = td->now_ns + 500000;
	KUNIT_EXPECT_EQ(test, td_background(td), idle_ns);
	td->now_ns = idle_ns - 1;
	KUNIT_EXPECT_EQ(test, td_background(td), idle_ns);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	td->now_ns = idle_ns;
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 3u);
}

static void early_idle_time_starts_anew_with_each_request(struct kunit *test)
{
	struct td *td = early(test, 500);

	td_fill(td, 0, 9);
	td->now_ns += 400000;
	td_fill(td, 0, 1);
	KUNIT_EXPECT_EQ(test, td_background(td), td->now_ns + 500000);
}

static void early_page_is_completed_first(struct kunit *test)
{
	struct td *td = early(test, 0);

	td_submit(td, SSDC_WRITE, 0, 1);
	td_fill(td, 1, 4);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	KUNIT_EXPECT_FALSE(test, td->ios[0].io.write);
	td_settle(td);
	KUNIT_EXPECT_FALSE(test, td_dirty(td, 0));
	TD_EXPECT_STAT(td, "early_flushed", 1);
	TD_EXPECT_STAT(td, "fills", 1);
}

static void early_page_stays_readable_and_is_written_again_later(struct kunit *test)
{
	struct td *td = early(test, 0);
	struct td_host *read, *write;

	td_fill(td, 0, 5);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	read = td_read_page(td, 0);
	TD_EXPECT_DONE(td, read);
	write = td_write_page(td, 0);
	TD_EXPECT_DONE(td, write);
	td_end_io(td, 0, 0);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
}

static void early_never_for_other_policies(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_fill(td, 0, TD_FRAMES);
	KUNIT_EXPECT_FALSE(test, ssdc_has_work(td->e));
	KUNIT_EXPECT_EQ(test, td_background(td), SSDC_NEVER);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
}

static void early_failed_page_is_dirty_for_its_policy_again(struct kunit *test)
{
	struct td *td = early(test, 0);

	td_fill(td, 0, 5);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	td_end_io(td, 0, -EIO);
	TD_EXPECT_POLICY_STAT(td, "clean_list", 0);
	TD_EXPECT_POLICY_STAT(td, "dirty_list", 5);
	TD_EXPECT_STAT(td, "failed", 1);
}

/* Otherwise early flush would retry all dirty pages as fast as the origin can fail. */
static void early_pauses_while_flushes_fail(struct kunit *test)
{
	struct td *td = early(test, 0);
	u64 next_ns;

	td_fill(td, 0, 12);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 3u);
	td_end_ios(td, -EIO);
	next_ns = td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	KUNIT_EXPECT_FALSE(test, ssdc_has_work(td->e));
	KUNIT_EXPECT_EQ(test, next_ns, td->now_ns + 100000000ULL);

	/* The retry succeeds, and early flush goes on. */
	td->now_ns = next_ns;
	td_settle(td);
	TD_EXPECT_STAT(td, "failed", 0);
	TD_EXPECT_STAT(td, "dirty", 4);
}

/* The periodic flush of a page that early flush chooses too, and it fails. */
static void early_page_of_a_failed_periodic_flush_is_dirty_again(struct kunit *test)
{
	struct ssdc_params params = td_params();
	struct td *td;

	params.replacement = "cflru-ef:threshold=25,adapt=off,ef_batch=1";
	params.tunables.flush_interval_s = 1;
	params.tunables.idle_us = 2000000;
	td = td_new(test, &params);
	td_fill(td, 0, 16);
	td->now_ns += 1000000000ULL;
	td_background(td);
	td_start_ios(td);
	td->now_ns += 1000000000ULL;
	td_background(td);
	while (td->nr_ios)
		td_end_io(td, 0, -EIO);
	TD_EXPECT_STAT(td, "dirty", 16);
	TD_EXPECT_POLICY_STAT(td, "dirty_list", 16);
	TD_EXPECT_POLICY_STAT(td, "clean_list", 0);
}

/* A policy that chose no page is asked again after the next event. */
static void early_asks_again_after_a_policy_change(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct ssdc_replacement *old;
	struct ssdc_error error = {};
	struct ssdc_plugin *next;

	td_fill(td, 0, 9);
	next = ssdc_plugin_create(SSDC_REPLACEMENT, "cflru-ef:threshold=25,ef_batch=3",
				  &td->e->tier, &error);
	KUNIT_ASSERT_NOT_NULL(test, next);
	KUNIT_ASSERT_EQ(test, ssdc_switch_begin(td->e, (struct ssdc_replacement *)next), 0);
	/* All pages still belong to lru. */
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	old = ssdc_switch_step(td->e);
	KUNIT_ASSERT_NOT_NULL(test, old);
	ssdc_plugin_destroy(&old->plugin);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 3u);
}

/* 40 cold pages, of which an early batch has 24 so far. */
static struct td *early_cut_batch(struct kunit *test)
{
	struct ssdc_params params = td_params();
	struct td *td;

	params.dram_bytes = 256 * 4096;
	params.origin_sectors = 8192;
	params.replacement = "mq-ssd";
	params.tunables.idle_us = 500;
	td = td_new(test, &params);
	td_fill(td, 0, 40);
	KUNIT_ASSERT_EQ(test, ssdc_background(td->e, td->now_ns), SSDC_GO_ON);
	TD_EXPECT_STAT(td, "early_flushes", 1);
	return td;
}

/* However many pages the policy would flush, and in however many holds. */
static void early_cut_batch_is_bounded(struct kunit *test)
{
	struct ssdc_params params = td_params();
	struct td *td;

	params.dram_bytes = 1024 * 4096;
	params.origin_sectors = 8192;
	params.replacement = "mq-ssd:budget=1000";
	td = td_new(test, &params);
	td_fill(td, 0, SSDC_BATCH_FRAMES + 100);
	while (ssdc_background(td->e, td->now_ns) == SSDC_GO_ON)
		td_check(td);
	TD_EXPECT_STAT(td, "early_flushes", 1);
	KUNIT_EXPECT_EQ(test, td->e->early_inflight, SSDC_BATCH_FRAMES);
	/* The other pages are a batch of their own. */
	while (td_start_ios(td))
		td_end_ios(td, 0);
	td_settle(td);
	TD_EXPECT_STAT(td, "early_flushes", 2);
	TD_EXPECT_STAT(td, "early_flushed", SSDC_BATCH_FRAMES + 100);
}

/* To one that flushes early, two pages at once above 5 %, and is not eager. */
static void change_policy(struct td *td)
{
	struct ssdc_error error = {};
	struct ssdc_replacement *old;
	struct ssdc_plugin *next;

	next = ssdc_plugin_create(SSDC_REPLACEMENT,
				  "cflru-ef:threshold=5,adapt=off,ef_batch=2", &td->e->tier,
				  &error);
	KUNIT_ASSERT_NOT_NULL(td->test, next);
	KUNIT_ASSERT_EQ(td->test, ssdc_switch_begin(td->e, (struct ssdc_replacement *)next), 0);
	do {
		old = ssdc_switch_step(td->e);
	} while (!old);
	ssdc_plugin_destroy(&old->plugin);
}

/* The policy changes while a timer runs for an idle host. The next one does not wait for that. */
static void early_timer_ends_with_its_policy(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard:reserve=25,quiet_us=60000000");

	td_fill(td, 0, 13);
	KUNIT_EXPECT_EQ(test, td_background(td), td->now_ns + 60000000000ULL);
	KUNIT_EXPECT_FALSE(test, ssdc_has_work(td->e));
	change_policy(td);
	KUNIT_EXPECT_TRUE(test, ssdc_has_work(td->e));
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 2u);
	td_settle(td);
}

/* The policy changes within a batch. The next one, which is not eager, waits for idle time. */
static void early_batch_ends_with_its_policy(struct kunit *test)
{
	struct td *td = early_cut_batch(test);

	change_policy(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 24u);
	td_end_ios(td, 0);
	KUNIT_EXPECT_EQ(test, td_background(td), td->e->last_host_ns + 500000);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	td->now_ns = td->e->last_host_ns + 500000;
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 2u);
	TD_EXPECT_STAT(td, "early_flushes", 2);
	td_settle(td);
}

/*
 * What a suspend cuts off is a batch of its own afterwards, whether or not the suspended cache has
 * other work: the scheme's next tick.
 */
static void early_batch_ends_with_suspend(struct kunit *test)
{
	const u64 ticks[] = { 0, 1ULL << 60 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ticks); i++) {
		struct td *td = early_cut_batch(test);

		td->e->admission->tick_at_ns = ticks[i];
		ssdc_freeze(td->e, true);
		KUNIT_EXPECT_EQ(test, td_background(td), ticks[i] ? ticks[i] : SSDC_NEVER);
		KUNIT_ASSERT_EQ(test, td_start_ios(td), 24u);
		td_end_ios(td, 0);
		ssdc_freeze(td->e, false);
		td_background(td);
		KUNIT_EXPECT_EQ(test, td_start_ios(td), 16u);
		TD_EXPECT_STAT(td, "early_flushes", 2);
		td->e->admission->tick_at_ns = 0;
		td_settle(td);
		td_exit(test);
	}
}

/* A suspend ends the timer for an idle host, too, whether or not there is other work. */
static void early_timer_ends_with_suspend(struct kunit *test)
{
	const u64 ticks[] = { 0, 1ULL << 60 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ticks); i++) {
		struct td *td = early(test, 1000);

		td_fill(td, 0, 9);
		td_background(td);
		KUNIT_EXPECT_FALSE(test, ssdc_has_work(td->e));
		td->e->admission->tick_at_ns = ticks[i];
		ssdc_freeze(td->e, true);
		td_background(td);
		ssdc_freeze(td->e, false);
		KUNIT_EXPECT_TRUE(test, ssdc_has_work(td->e));
		KUNIT_EXPECT_EQ(test, td_background(td), td->now_ns + 1000000);
		td->e->admission->tick_at_ns = 0;
		td_exit(test);
	}
}

static struct kunit_case early_cases[] = {
	KUNIT_CASE(early_not_at_the_threshold),
	KUNIT_CASE(early_down_to_the_threshold),
	KUNIT_CASE(early_one_batch_at_a_time),
	KUNIT_CASE(early_not_while_a_request_is_under_way),
	KUNIT_CASE(early_timer_is_set_once),
	KUNIT_CASE(early_timer_after_a_busy_pass),
	KUNIT_CASE(early_stops_when_a_request_comes),
	KUNIT_CASE(early_after_the_idle_time),
	KUNIT_CASE(early_idle_time_starts_anew_with_each_request),
	KUNIT_CASE(early_page_is_completed_first),
	KUNIT_CASE(early_page_stays_readable_and_is_written_again_later),
	KUNIT_CASE(early_never_for_other_policies),
	KUNIT_CASE(early_failed_page_is_dirty_for_its_policy_again),
	KUNIT_CASE(early_pauses_while_flushes_fail),
	KUNIT_CASE(early_page_of_a_failed_periodic_flush_is_dirty_again),
	KUNIT_CASE(early_asks_again_after_a_policy_change),
	KUNIT_CASE(early_cut_batch_is_bounded),
	KUNIT_CASE(early_timer_ends_with_its_policy),
	KUNIT_CASE(early_batch_ends_with_its_policy),
	KUNIT_CASE(early_batch_ends_with_suspend),
	KUNIT_CASE(early_timer_ends_with_suspend),
	{}
};

static struct kunit_suite early_suite = {
	.name = "ssdcache_early",
	.exit = td_exit,
	.test_cases = early_cases,
};

kunit_test_suite(early_suite);
