// SPDX-License-Identifier: GPL-2.0
/*
 * Freeboard in a tier of 16 pages: a wave has 2 pages, an eighth of the tier, and by default 4
 * pages should not be dirty.
 */
#include "../engine/driver.h"

enum { ONCE, CLEAN, DIRTY };

/* Write pages in one request, and do what follows while the host is idle. */
static void write_run(struct td *td, u64 first, u32 nr)
{
	td_fill(td, first, nr);
	td_settle(td);
}

/* 12 of 16 pages may be dirty; a wave follows the next one. */
static void freeboard_wave_restores_reserve(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard");

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

/* While a host request is in progress, a wave begins below half of the target. */
static void freeboard_busy_host(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard");
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
	struct td *td = td_simple(test, "freeboard");

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
	struct td *td = td_simple(test, "freeboard");

	td_load(td, 10, 3);
	td_load(td, 10, 1);
	td_fill(td, 0, 3);
	KUNIT_EXPECT_STREQ(test, td_list(td, ONCE), "M L");
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "K");
	KUNIT_EXPECT_STREQ(test, td_batches(td), "L K | M | A B | C");
	TD_EXPECT_POLICY_STAT(td, "clean_victims", 3);
	TD_EXPECT_POLICY_STAT(td, "dirty_victims", 3);
	/* two batches that had to be flushed */
	TD_EXPECT_POLICY_STAT(td, "short_batches", 2);
	TD_EXPECT_POLICY_STAT(td, "target_now", 8);
}

/* All pages are rewritten: after a look at each the least recent one leaves. */
static void freeboard_rewritten_victim(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard");

	td_fill(td, 0, 3);
	td_fill(td, 0, 3);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "A B | C");
	TD_EXPECT_POLICY_STAT(td, "second_chances", 3);
}

/* The clean pages are still on their way to the origin: who needs their room waits. */
static void freeboard_victim_in_flight(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard");
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
	TD_EXPECT_POLICY_STAT(td, "waited_victims", 2);
	TD_EXPECT_POLICY_STAT(td, "short_batches", 1);
	TD_EXPECT_POLICY_STAT(td, "target_now", 6);
	td_settle(td);
	TD_EXPECT_DONE(td, host);
}

/* A page written again after an early flush costs the target a page; it is at least a wave. */
static void freeboard_flushed_in_vain(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard");

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

static void freeboard_tunables(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard:adapt=off");

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

static struct kunit_case freeboard_cases[] = {
	KUNIT_CASE(freeboard_wave_restores_reserve),
	KUNIT_CASE(freeboard_busy_host),
	KUNIT_CASE(freeboard_rewritten_page_is_spared),
	KUNIT_CASE(freeboard_victims),
	KUNIT_CASE(freeboard_rewritten_victim),
	KUNIT_CASE(freeboard_victim_in_flight),
	KUNIT_CASE(freeboard_flushed_in_vain),
	KUNIT_CASE(freeboard_tunables),
	{}
};

static struct kunit_suite freeboard_suite = {
	.name = "ssdcache_freeboard",
	.exit = td_exit,
	.test_cases = freeboard_cases,
};

kunit_test_suite(freeboard_suite);
