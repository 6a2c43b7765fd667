// SPDX-License-Identifier: GPL-2.0
/*
 * Freeboard in a tier of 16 pages: a wave has 2 pages, an eighth of the tier. With a reserve of
 * 25 %, 4 pages should not be dirty.
 */
#include "../engine/driver.h"

enum { ONCE, CLEAN, SYNCED, DIRTY };

/* Write pages in one request, and do what follows at once. */
static void write_run(struct td *td, u64 first, u32 nr)
{
	td_fill(td, first, nr);
	td_settle(td);
}

/* Write so many pages that are not cached, one request each, while no I/O ends. */
static void write_each(struct td *td, u64 first, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		td_write_page(td, first + i);
}

/* 12 of 16 pages may be dirty; a wave follows the next one. */
static void freeboard_wave_restores_reserve(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard:quiet_us=0,reserve=25");

	write_run(td, 0, 12);
	TD_EXPECT_POLICY_STAT(td, "waves", 0);
	write_run(td, 12, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "B A");
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "M L K J I H G F E D C");
	KUNIT_EXPECT_FALSE(test, td_dirty(td, 0));
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 2));
	TD_EXPECT_POLICY_STAT(td, "waves", 1);
	TD_EXPECT_POLICY_STAT(td, "written_back", 2);
	TD_EXPECT_STAT(td, "early_flushed", 2);
}

/* One page for each idle die, while the device collects garbage. */
static void freeboard_gc(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard:quiet_us=0,reserve=25");
	struct td_device device = { .nr = 4, .depth = { 1, 1, 1 } };

	td_set_device(td, &device);
	write_run(td, 0, 13);
	TD_EXPECT_POLICY_STAT(td, "written_back", 2);
	device.collects = true;
	write_run(td, 13, 2);
	TD_EXPECT_POLICY_STAT(td, "written_back", 3);
	/* All dies are busy. */
	device.depth[3] = 1;
	write_run(td, 15, 1);
	TD_EXPECT_POLICY_STAT(td, "written_back", 4);
	TD_EXPECT_POLICY_STAT(td, "waves", 3);
}

/*
 * A device that collects garbage: the target does not grow as pages that were read leave before A,
 * which is less recent and dirty. A batch that the host waits for has it grow by a wave only.
 */
static void freeboard_gc_target(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard:quiet_us=0,reserve=25");
	struct td_device device = { .nr = 4, .collects = true };

	td_set_device(td, &device);
	td_fill(td, 0, 1);
	td_load(td, 1, 15);
	td_load(td, 20, 1);
	TD_EXPECT_POLICY_STAT(td, "clean_victims", 2);
	TD_EXPECT_POLICY_STAT(td, "target_now", 4);
	td_fill(td, 30, 15);
	TD_EXPECT_POLICY_STAT(td, "target_now", 4);
	write_each(td, 50, 1);
	TD_EXPECT_POLICY_STAT(td, "short_batches", 1);
	TD_EXPECT_POLICY_STAT(td, "target_now", 6);
	td_settle(td);
}

/* A wave begins 1 ms after the last request. */
static void freeboard_waits_for_quiet(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard:reserve=25");
	u64 start_ns = td->now_ns;

	td_fill(td, 0, 13);
	KUNIT_EXPECT_EQ(test, td_background(td), start_ns + 1000000);
	td->now_ns = start_ns + 999999;
	td_settle(td);
	td_read_page(td, 0);
	td->now_ns = start_ns + 1999998;
	td_settle(td);
	TD_EXPECT_POLICY_STAT(td, "waves", 0);
	td->now_ns++;
	td_settle(td);
	TD_EXPECT_POLICY_STAT(td, "waves", 1);
	/* The core tunable may ask for more. */
	td->e->tunables.idle_us = 3000;
	td_fill(td, 13, 2);
	KUNIT_EXPECT_EQ(test, td_background(td), td->now_ns + 3000000);
	td->e->tunables.idle_us = 0;
	td_set(td, "quiet_us", "0");
	td_settle(td);
	TD_EXPECT_POLICY_STAT(td, "waves", 2);
}

/* While a host request is in progress, a wave begins below half of the target. */
static void freeboard_busy_host(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard:quiet_us=0,reserve=25");
	struct td_host *read;

	td_fill(td, 0, 12);
	read = td_begin(td, SSDC_READ, 0, TD_PAGE_SECTORS);
	KUNIT_ASSERT_EQ(test, td_step(td, read), SSDC_COPY);
	td_write_page(td, 12);
	td_write_page(td, 13);
	td_background(td);
	TD_EXPECT_POLICY_STAT(td, "waves", 0);
	td_write_page(td, 14);
	td_background(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "C B");
	td_run(td, read);
	td_settle(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "E D C B");
	TD_EXPECT_POLICY_STAT(td, "waves", 2);
}

/* A is the least recent page, and has been rewritten: the wave takes the next two. */
static void freeboard_rewritten_page_is_spared(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard:quiet_us=0,reserve=25");

	write_run(td, 0, 1);
	write_run(td, 0, 1);
	write_run(td, 1, 12);
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "C B");
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
	TD_EXPECT_POLICY_STAT(td, "second_chances", 1);
	/* once */
	write_run(td, 13, 1);
	write_run(td, 14, 1);
	write_run(td, 15, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "E D C B");
	TD_EXPECT_POLICY_STAT(td, "second_chances", 1);
}

/*
 * K has been read twice. 1 page of 16 that was read once stays as long as clean ones, 2 do not.
 * Dirty pages come last.
 */
static void freeboard_victims(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard:quiet_us=0,reserve=25");

	td_load(td, 10, 3);
	td_load(td, 10, 1);
	td_fill(td, 0, 3);
	KUNIT_EXPECT_STREQ(test, td_list(td, ONCE), "M L");
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "K");
	KUNIT_EXPECT_STREQ(test, td_batches(td), "L K | M | A B | C");
	TD_EXPECT_POLICY_STAT(td, "clean_victims", 3);
	/* A batch that had to be flushed: from 4 by 4. C leaves as on an overloaded device. */
	TD_EXPECT_POLICY_STAT(td, "dirty_victims", 2);
	TD_EXPECT_POLICY_STAT(td, "overload_victims", 1);
	TD_EXPECT_POLICY_STAT(td, "short_batches", 1);
	TD_EXPECT_POLICY_STAT(td, "target_now", 8);
}

/* All pages are rewritten: after a look at each the least recent one leaves. */
static void freeboard_rewritten_victim(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard:quiet_us=0,reserve=25");

	td_fill(td, 0, 3);
	td_fill(td, 0, 3);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "A B | C");
	TD_EXPECT_POLICY_STAT(td, "second_chances", 3);
}

/* The clean pages are still on their way to the origin: who needs room waits for one of them. */
static void freeboard_victim_in_flight(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard:quiet_us=0,reserve=25");
	struct td_host *host;

	td_fill(td, 0, 12);
	td_write_page(td, 12);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 2u);
	td_write_page(td, 13);
	td_write_page(td, 14);
	td_write_page(td, 15);
	TD_EXPECT_POLICY_STAT(td, "short_batches", 0);
	host = td_write_page(td, 16);
	KUNIT_EXPECT_FALSE(test, host->done);
	TD_EXPECT_POLICY_STAT(td, "waited_victims", 1);
	TD_EXPECT_POLICY_STAT(td, "short_batches", 1);
	TD_EXPECT_POLICY_STAT(td, "target_now", 8);
	td_settle(td);
	TD_EXPECT_DONE(td, host);
}

/* A page that is being read leaves after dirty ones. */
static void freeboard_page_being_read(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard:quiet_us=0,reserve=25");

	td_fill(td, 0, 2);
	td_submit(td, SSDC_READ, 2 * TD_PAGE_SECTORS, 14 * TD_PAGE_SECTORS);
	TD_EXPECT_POLICY_STAT(td, "once_list", 14);
	td_write_page(td, 16);
	TD_EXPECT_POLICY_STAT(td, "dirty_victims", 2);
	TD_EXPECT_POLICY_STAT(td, "waited_victims", 0);
	td_settle(td);
}

/* Pages that were read leave before A, which is less recent and dirty: the target grows. */
static void freeboard_dirty_page_outlives_clean(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard:quiet_us=0,reserve=25");

	td_fill(td, 0, 1);
	td_load(td, 1, 15);
	td_load(td, 20, 1);
	TD_EXPECT_POLICY_STAT(td, "clean_victims", 2);
	TD_EXPECT_POLICY_STAT(td, "target_now", 6);
	td_set(td, "adapt", "off");
	TD_EXPECT_POLICY_STAT(td, "target_now", 4);
	td_load(td, 21, 2);
	TD_EXPECT_POLICY_STAT(td, "clean_victims", 4);
	TD_EXPECT_POLICY_STAT(td, "target_now", 4);
}

/* A page written again after an early flush costs the target a page; it is at least a wave. */
static void freeboard_flushed_in_vain(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard:quiet_us=0,reserve=25");

	write_run(td, 0, 13);
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "B A");
	write_run(td, 0, 1);
	TD_EXPECT_POLICY_STAT(td, "rewritten_clean", 1);
	TD_EXPECT_POLICY_STAT(td, "target_now", 3);
	/* not flushed since */
	write_run(td, 0, 1);
	TD_EXPECT_POLICY_STAT(td, "rewritten_clean", 1);
	write_run(td, 1, 1);
	TD_EXPECT_POLICY_STAT(td, "target_now", 2);
	write_run(td, 13, 3);
	write_run(td, 2, 1);
	TD_EXPECT_POLICY_STAT(td, "rewritten_clean", 3);
	TD_EXPECT_POLICY_STAT(td, "target_now", 2);
}

/* Do what I/O and background work there is; a request in progress stays so. */
static void end_all_ios(struct td *td)
{
	unsigned int nr_ios;

	do {
		td_background(td);
		nr_ios = td_start_ios(td);
		td_end_ios(td, 0);
		td_run_ready(td);
	} while (nr_ios);
}

/*
 * The host waits for a batch, which has more than a 32nd of the tier: from then on pages leave
 * alone, and no wave begins, until the host is idle.
 */
static void freeboard_overload(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard:quiet_us=0,reserve=25");

	td_fill(td, 0, 16);
	write_each(td, 16, 2);
	TD_EXPECT_POLICY_STAT(td, "dirty_victims", 2);
	TD_EXPECT_POLICY_STAT(td, "overload_victims", 0);
	write_each(td, 18, 2);
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "T S R Q P O N M L K J I H G F E");
	TD_EXPECT_POLICY_STAT(td, "dirty_victims", 2);
	TD_EXPECT_POLICY_STAT(td, "overload_victims", 2);
	td_background(td);
	TD_EXPECT_POLICY_STAT(td, "waves", 0);
	td_settle(td);
	/* the target has grown to 8 */
	TD_EXPECT_POLICY_STAT(td, "waves", 4);
	write_each(td, 20, 1);
	TD_EXPECT_POLICY_STAT(td, "clean_victims", 2);
	TD_EXPECT_POLICY_STAT(td, "overload_victims", 2);
}

/* An idle host ends the overload, however soon the next request comes; a wave still waits. */
static void freeboard_overload_ends_without_quiet(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard:reserve=25");

	td_fill(td, 0, 16);
	write_each(td, 16, 4);
	TD_EXPECT_POLICY_STAT(td, "overload_victims", 2);
	td_settle(td);
	TD_EXPECT_POLICY_STAT(td, "waves", 2);
	write_each(td, 20, 1);
	TD_EXPECT_POLICY_STAT(td, "overload_victims", 2);
	/* The reserve is below half of the target once more. */
	td_settle(td);
	TD_EXPECT_POLICY_STAT(td, "waves", 3);
	td->now_ns += 1000000;
	td_settle(td);
	TD_EXPECT_POLICY_STAT(td, "waves", 5);
}

/*
 * In a tier of 64 pages, the host must have waited for more than 2. Batches at rest make good for
 * one that it waited for. While a request is in progress, waves end at half of the target.
 */
static void freeboard_keeps_up(struct kunit *test)
{
	struct ssdc_params params = td_params();
	struct td_host *read;
	struct td *td;

	params.dram_bytes = 64 * params.page_bytes;
	params.replacement = "freeboard:quiet_us=0,wave=2,reserve=75,adapt=off";
	td = td_new(test, &params);
	td_fill(td, 0, 64);
	read = td_begin(td, SSDC_READ, 63 * TD_PAGE_SECTORS, TD_PAGE_SECTORS);
	KUNIT_ASSERT_EQ(test, td_step(td, read), SSDC_COPY);
	write_each(td, 64, 2);
	TD_EXPECT_POLICY_STAT(td, "dirty_victims", 2);
	end_all_ios(td);
	TD_EXPECT_STAT(td, "dirty", 40);
	write_each(td, 66, 24);
	TD_EXPECT_POLICY_STAT(td, "clean_victims", 24);
	write_each(td, 90, 4);
	TD_EXPECT_POLICY_STAT(td, "dirty_victims", 6);
	TD_EXPECT_POLICY_STAT(td, "overload_victims", 0);
	write_each(td, 94, 1);
	TD_EXPECT_POLICY_STAT(td, "overload_victims", 1);
	td_run(td, read);
	td_settle(td);
}

/* A has the first frame and is the most recent page. Then C is dirty again, and D has been read. */
static void freeboard_flush_keeps_order(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard:quiet_us=0,reserve=25");

	td_fill(td, 0, 6);
	td_fill(td, 0, 1);
	td_flush(td);
	td_settle(td);
	TD_EXPECT_STAT(td, "dirty", 0);
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "F E D C B");
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "A");
	td_fill(td, 2, 1);
	td_load(td, 3, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "C F E B");
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "D A");
	KUNIT_EXPECT_STREQ(test, td_batches(td), "B E | F A | D | C");
	TD_EXPECT_POLICY_STAT(td, "clean_victims", 5);
}

/* A FUA write cleans the most recent page, which leaves before less recent dirty ones. */
static void freeboard_fua(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard:quiet_us=0,reserve=25");

	td_fill(td, 0, 2);
	td_fua_page(td, 2);
	td_settle(td);
	td_fill(td, 3, 1);
	td_fua_page(td, 4);
	td_settle(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "E C");
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "D B A");
	KUNIT_EXPECT_STREQ(test, td_batches(td), "C E | A B | D");
}

/* Pages that a FLUSH has cleaned are part of the reserve: no wave follows before more are dirty. */
static void freeboard_flush_restores_reserve(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard:reserve=25,adapt=off");

	td_fill(td, 0, 16);
	KUNIT_EXPECT_EQ(test, td->e->replacement->early_above, 0u);
	td_flush(td);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, td->e->replacement->early_above, U32_MAX);
	td_fill(td, 0, 12);
	td->now_ns += 1000000;
	td_settle(td);
	TD_EXPECT_POLICY_STAT(td, "waves", 0);
	td_fill(td, 12, 1);
	td->now_ns += 1000000;
	td_settle(td);
	TD_EXPECT_POLICY_STAT(td, "waves", 1);
	TD_EXPECT_STAT(td, "dirty", 11);
}

/* A FLUSH of 3 pages is late for the one beyond a wave, a FUA write for none. */
static void freeboard_late_for_flush(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard:reserve=25");

	td_fill(td, 0, 3);
	td_flush(td);
	td_settle(td);
	TD_EXPECT_POLICY_STAT(td, "target_now", 8);
	td_fill(td, 3, 3);
	td_fua_page(td, 6);
	td_load(td, 0, 1);
	td_settle(td);
	TD_EXPECT_POLICY_STAT(td, "target_now", 8);
	td_set(td, "adapt", "off");
	td_flush(td);
	td_settle(td);
	TD_EXPECT_POLICY_STAT(td, "target_now", 4);
}

/* On an overloaded device, a page that a FLUSH has cleaned leaves before less recent dirty ones. */
static void freeboard_overload_takes_synced(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard:quiet_us=0,reserve=25");
	struct td_host *read;

	td_fill(td, 0, 16);
	read = td_begin(td, SSDC_READ, 15 * TD_PAGE_SECTORS, TD_PAGE_SECTORS);
	KUNIT_ASSERT_EQ(test, td_step(td, read), SSDC_COPY);
	write_each(td, 16, 4);
	TD_EXPECT_POLICY_STAT(td, "overload_victims", 2);
	td_flush(td);
	end_all_ios(td);
	TD_EXPECT_POLICY_STAT(td, "synced_list", 16);
	td_fill(td, 4, 12);
	TD_EXPECT_POLICY_STAT(td, "synced_list", 4);
	write_each(td, 20, 1);
	TD_EXPECT_POLICY_STAT(td, "synced_list", 3);
	TD_EXPECT_POLICY_STAT(td, "overload_victims", 3);
	TD_EXPECT_STAT(td, "evicted_clean", 1);
	td_run(td, read);
	td_settle(td);
}

/* A wave has 48 pages; of clean pages, 16 leave together. */
static void freeboard_few_clean_victims(struct kunit *test)
{
	struct ssdc_params params = td_params();
	struct td *td;

	params.dram_bytes = 512 * params.page_bytes;
	params.origin_sectors = 1024 * TD_PAGE_SECTORS;
	params.replacement = "freeboard";
	td = td_new(test, &params);
	td_load(td, 0, 512);
	td_load(td, 600, 1);
	TD_EXPECT_POLICY_STAT(td, "clean_victims", 16);
	td_load(td, 601, 16);
	TD_EXPECT_POLICY_STAT(td, "clean_victims", 32);
}

static void freeboard_tunables(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard:quiet_us=0,reserve=25,adapt=off");

	write_run(td, 0, 13);
	write_run(td, 0, 1);
	TD_EXPECT_POLICY_STAT(td, "rewritten_clean", 1);
	TD_EXPECT_POLICY_STAT(td, "target_now", 4);
	td_set(td, "reserve", "50");
	TD_EXPECT_POLICY_STAT(td, "target_now", 8);
	td_settle(td);
	/* from 12 in waves of 2 until 8 are not dirty */
	TD_EXPECT_STAT(td, "dirty", 8);
	td_set(td, "reserve", "0");
	TD_EXPECT_POLICY_STAT(td, "target_now", 2);
	td_set(td, "wave", "1");
	TD_EXPECT_POLICY_STAT(td, "target_now", 1);
}

/*
 * create() runs without the engine's lock, which protects the number of prefetched pages: that
 * number must not be read then.
 */
static void freeboard_is_created_without_the_lock(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct ssdc_error error = {};
	struct ssdc_replacement *next;

	td->e->prefetched.count = TD_FRAMES;
	next = (struct ssdc_replacement *)ssdc_plugin_create(SSDC_REPLACEMENT, "freeboard",
							     &td->e->tier, &error);
	td->e->prefetched.count = 0;
	KUNIT_ASSERT_NOT_NULL(test, next);
	KUNIT_EXPECT_FALSE(test, next->eager);
	KUNIT_EXPECT_EQ(test, next->early_above, U32_MAX);
	KUNIT_EXPECT_EQ(test, next->quiet_us, 1000u);
	ssdc_plugin_destroy(&next->plugin);
}

static struct kunit_case freeboard_cases[] = {
	KUNIT_CASE(freeboard_wave_restores_reserve),
	KUNIT_CASE(freeboard_gc),
	KUNIT_CASE(freeboard_gc_target),
	KUNIT_CASE(freeboard_waits_for_quiet),
	KUNIT_CASE(freeboard_busy_host),
	KUNIT_CASE(freeboard_rewritten_page_is_spared),
	KUNIT_CASE(freeboard_victims),
	KUNIT_CASE(freeboard_rewritten_victim),
	KUNIT_CASE(freeboard_victim_in_flight),
	KUNIT_CASE(freeboard_page_being_read),
	KUNIT_CASE(freeboard_dirty_page_outlives_clean),
	KUNIT_CASE(freeboard_flushed_in_vain),
	KUNIT_CASE(freeboard_overload),
	KUNIT_CASE(freeboard_overload_ends_without_quiet),
	KUNIT_CASE(freeboard_keeps_up),
	KUNIT_CASE(freeboard_few_clean_victims),
	KUNIT_CASE(freeboard_flush_keeps_order),
	KUNIT_CASE(freeboard_fua),
	KUNIT_CASE(freeboard_flush_restores_reserve),
	KUNIT_CASE(freeboard_late_for_flush),
	KUNIT_CASE(freeboard_overload_takes_synced),
	KUNIT_CASE(freeboard_tunables),
	KUNIT_CASE(freeboard_is_created_without_the_lock),
	{}
};

static struct kunit_suite freeboard_suite = {
	.name = "ssdcache_freeboard",
	.exit = td_exit,
	.test_cases = freeboard_cases,
};

kunit_test_suite(freeboard_suite);
