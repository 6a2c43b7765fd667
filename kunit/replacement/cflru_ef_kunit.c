// SPDX-License-Identifier: GPL-2.0
#include "../engine/driver.h"

/* Lists, as in cflru-ef.c. */
enum { CLEAN, DIRTY };

/* Early flush above 4 of 16 pages, one page at a time. */
#define SPEC "cflru-ef:threshold=25,adapt=off,ef_batch=1"

/* One early flush. */
static void idle_once(struct td *td)
{
	td_background(td);
	td_start_ios(td);
	td_end_ios(td, 0);
}

static void cflru_ef_read_miss_enters_clean(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	td_load(td, 0, 2);
	td_fill(td, 2, 2);

	/* clean B A; dirty D C */
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "B A");
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "D C");
	TD_EXPECT_POLICY_STAT(td, "clean_list", 2);
	TD_EXPECT_POLICY_STAT(td, "dirty_list", 2);
}

static void cflru_ef_read_hit_stays_on_its_list(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	td_load(td, 0, 2);
	td_fill(td, 2, 2);
	td_load(td, 0, 1);
	td_load(td, 2, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "A B");
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "C D");
}

static void cflru_ef_write_hit_becomes_dirty(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	td_load(td, 0, 2);
	td_fill(td, 2, 2);
	td_fill(td, 0, 1);
	td_fill(td, 2, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "B");
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "C A D");
}

static void cflru_ef_clean_pages_leave_first(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	td_fill(td, 0, 3);
	td_load(td, 3, 3);

	/* clean F E D, then dirty C B A, each from its tail */
	KUNIT_EXPECT_STREQ(test, td_drain(td), "D E F A B C");
}

static void cflru_ef_early_flush_takes_the_least_recent(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	td_load(td, 25, 1);
	td_fill(td, 0, 6);
	td_fill(td, 0, 1);
	td_fill(td, 0, 1);
	td_fill(td, 1, 1);

	/* dirty B A F E D C: C moves to the head of clean */
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "B A F E D C");
	idle_once(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "C Z");
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "B A F E D");
	idle_once(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "D C Z");
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "B A F E");
	idle_once(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "B A F E");
}

/* Unlike with cflru-ef-sc, a rewritten page gets no second chance. */
static void cflru_ef_early_flush_ignores_rewrites(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);
	unsigned int i;

	for (i = 0; i < 10; i++)
		td_fill(td, 0, 1);
	td_fill(td, 1, 4);
	idle_once(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "A");
}

static void cflru_ef_forced_flush_makes_clean(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	td_load(td, 25, 1);
	td_fill(td, 0, 2);
	td_clean_all(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "B A Z");
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "");
}

#define AS_DEFAULT "cflru-ef:threshold=25,adapt=off"

static unsigned int first_batch(struct kunit *test, const char *spec)
{
	struct td *td = td_simple(test, spec);

	td_fill(td, 0, TD_FRAMES);
	td_background(td);
	return td_start_ios(td);
}

/* 4 channels of one chip with 2 dies */
static void cflru_ef_batch_is_one_page_per_die(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, first_batch(test, AS_DEFAULT), 2u);
}

static void cflru_ef_batch_may_count_all_dies(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, first_batch(test, AS_DEFAULT ",ef_dies=device"), 8u);
}

/* After early flushes, eviction is cheap: victims are clean. */
static void cflru_ef_early_flush_makes_clean_victims(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	td_fill(td, 0, TD_FRAMES);
	td_settle(td);
	ssdc_reset_stats(td->e);
	td_submit(td, SSDC_WRITE, 30 * 8, 8 * 8);
	TD_EXPECT_STAT(td, "evicted_clean", 8);
	TD_EXPECT_STAT(td, "frame_waits", 0);
	TD_EXPECT_POLICY_STAT(td, "dirty_victims", 0);
}

static struct kunit_case cflru_ef_cases[] = {
	KUNIT_CASE(cflru_ef_read_miss_enters_clean),
	KUNIT_CASE(cflru_ef_read_hit_stays_on_its_list),
	KUNIT_CASE(cflru_ef_write_hit_becomes_dirty),
	KUNIT_CASE(cflru_ef_clean_pages_leave_first),
	KUNIT_CASE(cflru_ef_early_flush_takes_the_least_recent),
	KUNIT_CASE(cflru_ef_early_flush_ignores_rewrites),
	KUNIT_CASE(cflru_ef_forced_flush_makes_clean),
	KUNIT_CASE(cflru_ef_batch_is_one_page_per_die),
	KUNIT_CASE(cflru_ef_batch_may_count_all_dies),
	KUNIT_CASE(cflru_ef_early_flush_makes_clean_victims),
	{}
};

static struct kunit_suite cflru_ef_suite = {
	.name = "ssdcache_cflru_ef",
	.exit = td_exit,
	.test_cases = cflru_ef_cases,
};

kunit_test_suite(cflru_ef_suite);
