// SPDX-License-Identifier: GPL-2.0
/*
 * FLUSHes of the origin that another shard has asked for, and that fail; and an origin that is
 * replaced by another device.
 */
#include "driver.h"

/* Four pages that the periodic flush has written, and that no FLUSH has covered. */
static struct td *written_pages(struct kunit *test)
{
	struct ssdc_params params = td_params();
	struct td *td;

	params.tunables.flush_interval_s = 30;
	td = td_new(test, &params);
	td_fill(td, 0, 4);
	td->now_ns += 30ULL * NSEC_PER_SEC;
	td_settle(td);
	TD_EXPECT_STAT(td, "periodic_flushed", 4);
	TD_EXPECT_STAT(td, "dirty", 0);
	return td;
}

/* The driver checks that the data are on media after the FLUSH. */
static void elsewhere_pages_are_written_again(struct kunit *test)
{
	struct td *td = written_pages(test);
	struct td_host *flush;

	td_fail_elsewhere(td, -EIO, false);
	td_background(td);
	TD_EXPECT_STAT(td, "dirty", 4);
	TD_EXPECT_STAT(td, "flush_errors", 0);
	KUNIT_EXPECT_EQ(test, td->e->first_error, -EIO);
	flush = td_flush(td);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	flush = td_flush(td);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_STAT(td, "dirty", 0);
}

static void elsewhere_reported_is_not_reported_again(struct kunit *test)
{
	struct td *td = written_pages(test);
	struct td_host *flush;

	td_fail_elsewhere(td, -EIO, true);
	td_background(td);
	TD_EXPECT_STAT(td, "dirty", 4);
	flush = td_flush(td);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_STAT(td, "dirty", 0);
}

/* This shard's FLUSH succeeds after the other has failed: what was written before may be lost. */
static void elsewhere_fails_the_flush_asked_for(struct kunit *test)
{
	struct td *td = written_pages(test);
	struct td_host *flush = td_flush(td);

	td_until_flush(td);
	td_fail_elsewhere(td, -EIO, true);
	TD_EXPECT_STAT(td, "dirty", 0);
	td_end_forward(td, 0);
	td_settle(td);
	KUNIT_EXPECT_TRUE(test, flush->done);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	TD_EXPECT_STAT(td, "flush_errors", 0);
	TD_EXPECT_STAT(td, "dirty", 4);
	flush = td_flush(td);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_STAT(td, "dirty", 0);
}

/*
 * The FLUSH that failed was this shard's, too, which ends without an error. The origin keeps what
 * it has cached, pages that have left DRAM, so the next FLUSH must reach the origin. With volatile
 * DRAM it always does.
 */
static void elsewhere_a_shared_flush_covers_nothing(struct kunit *test)
{
	struct td *td = written_pages(test);
	struct td_host *flush;
	u32 cursor = 0;

	ssdc_drop_clean(td->e, &cursor);
	TD_EXPECT_STAT(td, "used", 0);
	td_set_mode(td, SSDC_PROTECTED);
	flush = td_flush(td);
	td_until_flush(td);
	ssdc_flush_failed_elsewhere(td->e, -EIO, true);
	ssdc_forward_done(td->e, &flush->rq, 0);
	list_del_init(&flush->node);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	/* The driver checks that the data are on media after the FLUSH. */
	flush = td_flush(td);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	/* That FLUSH counts: there is nothing left for another one to do. */
	flush = td_flush(td);
	KUNIT_EXPECT_TRUE(test, list_empty(&td->forwarded));
	TD_EXPECT_DONE(td, flush);
}

/* While the own FLUSH is on its way, pages that may be lost leave only after a second write. */
static void elsewhere_keeps_pages_at_once(struct kunit *test)
{
	struct td *td = written_pages(test);
	struct td_host *flush = td_flush(td), *last = NULL;
	unsigned int i;

	td_until_flush(td);
	td_fail_elsewhere(td, -EIO, true);
	td_background(td);
	TD_EXPECT_STAT(td, "dirty", 4);
	/* The four are victims of these. */
	for (i = 0; i < 16; i++)
		last = td_write_page(td, 20 + i);
	for (i = 0; i < TD_MANY && !last->done; i++) {
		td_background(td);
		td_start_ios(td);
		td_end_ios(td, 0);
		td_run_ready(td);
	}
	KUNIT_EXPECT_TRUE(test, last->done);
	KUNIT_EXPECT_FALSE(test, flush->done);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_FALSE(test, td_cached(td, i));
	td_load(td, 0, 4);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
}

/* The host has learned of it from the other shard. */
static void elsewhere_is_not_reported_for_an_own_flush(struct kunit *test)
{
	struct td *td = written_pages(test);
	struct td_host *flush = td_own_flush(td);

	td_until_flush(td);
	td_fail_elsewhere(td, -EIO, true);
	td_end_forward(td, 0);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	flush = td_flush(td);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_STAT(td, "dirty", 0);
}

/* A page whose write is on its way may be lost, too. */
static void elsewhere_repeats_writes_in_flight(struct kunit *test)
{
	struct td *td = written_pages(test);
	struct td_host *flush;

	td_fill(td, 7, 1);
	flush = td_flush(td);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	td_fail_elsewhere(td, -EIO, true);
	td_end_ios(td, 0);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	flush = td_flush(td);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_STAT(td, "dirty", 0);
}

static void expect_flush(struct kunit *test, struct td *td, int error)
{
	struct td_host *flush = td_flush(td);

	td_settle(td);
	KUNIT_EXPECT_TRUE(test, flush->done);
	KUNIT_EXPECT_EQ(test, flush->rq.error, error);
}

/* What the old device had only cached is written again; the host learns that more may be lost. */
static void replaced_origin_lacks_what_was_cached(struct kunit *test)
{
	struct td *td = written_pages(test);

	td_replace_origin(td, true);
	td_background(td);
	TD_EXPECT_STAT(td, "dirty", 4);
	expect_flush(test, td, -EIO);
	expect_flush(test, td, 0);
	TD_EXPECT_STAT(td, "dirty", 0);
}

/* The old device worked, so somebody has moved its data: what DRAM has is written all the same. */
static void replaced_origin_that_works(struct kunit *test)
{
	struct td *td = written_pages(test);

	td_replace_origin(td, false);
	td_background(td);
	TD_EXPECT_STAT(td, "dirty", 4);
	expect_flush(test, td, 0);
	TD_EXPECT_STAT(td, "dirty", 0);
}

static void replaced_origin_has_what_was_flushed(struct kunit *test)
{
	struct td *td = written_pages(test);

	expect_flush(test, td, 0);
	td_replace_origin(td, true);
	td_background(td);
	TD_EXPECT_STAT(td, "dirty", 0);
	expect_flush(test, td, 0);
}

/* A page whose write has failed is still dirty, so nothing is lost with the old device. */
static void replaced_origin_never_had_failed_writes(struct kunit *test)
{
	struct td *td = written_pages(test);

	expect_flush(test, td, 0);
	td_fill(td, 7, 1);
	td_flush(td);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	td_end_ios(td, -EIO);
	td_settle(td);
	TD_EXPECT_STAT(td, "failed", 1);
	td_replace_origin(td, true);
	td->now_ns += NSEC_PER_SEC;
	expect_flush(test, td, 0);
	TD_EXPECT_STAT(td, "dirty", 0);
}

/* The FLUSH that failed has told the host already. */
static void replaced_origin_is_reported_once(struct kunit *test)
{
	struct td *td = written_pages(test);
	struct td_host *flush = td_flush(td);

	td_until_flush(td);
	td_end_forward(td, -EIO);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	td_replace_origin(td, true);
	td_background(td);
	TD_EXPECT_STAT(td, "dirty", 4);
	expect_flush(test, td, 0);
	TD_EXPECT_STAT(td, "dirty", 0);
}

static struct kunit_case elsewhere_cases[] = {
	KUNIT_CASE(elsewhere_pages_are_written_again),
	KUNIT_CASE(elsewhere_reported_is_not_reported_again),
	KUNIT_CASE(elsewhere_fails_the_flush_asked_for),
	KUNIT_CASE(elsewhere_a_shared_flush_covers_nothing),
	KUNIT_CASE(elsewhere_keeps_pages_at_once),
	KUNIT_CASE(elsewhere_is_not_reported_for_an_own_flush),
	KUNIT_CASE(elsewhere_repeats_writes_in_flight),
	KUNIT_CASE(replaced_origin_lacks_what_was_cached),
	KUNIT_CASE(replaced_origin_that_works),
	KUNIT_CASE(replaced_origin_has_what_was_flushed),
	KUNIT_CASE(replaced_origin_never_had_failed_writes),
	KUNIT_CASE(replaced_origin_is_reported_once),
	{}
};

static struct kunit_suite elsewhere_suite = {
	.name = "ssdcache_elsewhere",
	.exit = td_exit,
	.test_cases = elsewhere_cases,
};

kunit_test_suite(elsewhere_suite);
