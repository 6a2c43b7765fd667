// SPDX-License-Identifier: GPL-2.0
/*
 * What a policy can ask for its victims: batches with a width, and eviction although frames are
 * free.
 */
#include "driver.h"

/* Four blocks of four pages, all dirty; A B C D is the least recently written block. */
static struct td *four_blocks(struct kunit *test, const char *spec)
{
	struct td *td = td_simple(test, spec);

	td_fill(td, 0, TD_FRAMES);
	/* No block was written sequentially from its first to its last page. */
	td_fill(td, 3, 1);
	td_fill(td, 0, 1);
	td_fill(td, 7, 1);
	td_fill(td, 4, 1);
	td_fill(td, 11, 1);
	td_fill(td, 8, 1);
	td_fill(td, 15, 1);
	td_fill(td, 12, 1);
	KUNIT_ASSERT_EQ(test, td->e->tier.dirty_pages, TD_FRAMES);
	return td;
}

static void evict_side_by_side(struct kunit *test)
{
	struct td *td = four_blocks(test, "bplru:block=4,width=0");
	struct td_host *write = td_write_page(td, 20);

	KUNIT_EXPECT_EQ(test, td_start_ios(td), 4u);
	td_end_ios(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_STAT(td, "evictions", 1);
	TD_EXPECT_STAT(td, "evicted_pages", 4);
}

/* One page after the other. The write ends with the last; with evict_wait=frame, the first. */
static void evict_serial_for(struct kunit *test, enum ssdc_evict_wait wait)
{
	struct td *td = four_blocks(test, "bplru:block=4,width=1");
	struct td_host *write;
	u64 page;

	td->e->tunables.evict_wait = wait;
	write = td_write_page(td, 20);
	for (page = 0; page < 4; page++) {
		KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
		td_expect_flush(td, 0, page, SSDC_FLUSH_EVICT);
		KUNIT_EXPECT_TRUE(test, td_cached(td, 3));
		td_end_io(td, 0, 0);
		td_run_ready(td);
		KUNIT_EXPECT_EQ(test, write->done, wait == SSDC_WAIT_FRAME || page == 3);
	}
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	KUNIT_EXPECT_EQ(test, td_free_frames(td), 3);
	TD_EXPECT_STAT(td, "batch_flushed", 4);
}

static void evict_serial(struct kunit *test)
{
	evict_serial_for(test, SSDC_WAIT_BATCH);
}

static void evict_serial_waiting_for_a_frame(struct kunit *test)
{
	evict_serial_for(test, SSDC_WAIT_FRAME);
}

/* Two planes: page 2 follows page 0, and page 3 follows page 1, whichever ends first. */
static void evict_two_at_a_time(struct kunit *test)
{
	struct td *td = four_blocks(test, "bplru:block=4,width=2");
	struct td_host *write = td_write_page(td, 20);

	KUNIT_ASSERT_EQ(test, td_start_ios(td), 2u);
	td_expect_flush(td, 0, 0, SSDC_FLUSH_EVICT);
	td_expect_flush(td, 1, 1, SSDC_FLUSH_EVICT);
	td_end_io(td, 1, 0);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	td_expect_flush(td, 1, 3, SSDC_FLUSH_EVICT);
	td_end_io(td, 1, 0);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	td_end_io(td, 0, 0);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	td_expect_flush(td, 0, 2, SSDC_FLUSH_EVICT);
	td_run_ready(td);
	KUNIT_EXPECT_FALSE(test, write->done);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	TD_EXPECT_STAT(td, "batch_flushed", 4);
}

/* A page that cannot be written stays; the next of the batch does not wait for it. */
static void evict_serial_with_an_error(struct kunit *test)
{
	struct td *td = four_blocks(test, "bplru:block=4,width=1");

	td_write_page(td, 20);
	td_start_ios(td);
	td_end_io(td, 0, 0);
	td_start_ios(td);
	td_expect_flush(td, 0, 1, SSDC_FLUSH_EVICT);
	td_end_io(td, 0, -EIO);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 1));
	td_start_ios(td);
	td_expect_flush(td, 0, 2, SSDC_FLUSH_EVICT);
	td_settle(td);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 3));
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 1));
	TD_EXPECT_STAT(td, "batch_flushed", 3);
}

/* A victim that a FLUSH already writes is out of the series; the others take turns. */
static void evict_serial_during_a_flush(struct kunit *test)
{
	struct td *td = four_blocks(test, "bplru:block=4,width=1");
	struct td_host *flush = td_flush(td), *write;

	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), TD_FRAMES);
	write = td_write_page(td, 20);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	td_end_ios(td, 0);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_STAT(td, "forced_flushed", TD_FRAMES);
	TD_EXPECT_STAT(td, "batch_flushed", 0);
}

/* A later FLUSH covers victims that wait for their turn, and the page that has entered. */
static void evict_serial_before_a_flush(struct kunit *test)
{
	struct td *td = four_blocks(test, "bplru:block=4,width=1");
	struct td_host *write = td_write_page(td, 20), *flush;

	td_start_ios(td);
	flush = td_flush(td);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_STAT(td, "batch_flushed", 4);
	TD_EXPECT_STAT(td, "forced_flushed", 13);
}

/* A read is served from a victim that waits for its turn; a write and a discard wait for it. */
static void evict_serial_with_requests(struct kunit *test)
{
	struct td *td = four_blocks(test, "bplru:block=4,width=1");
	struct td_host *read, *discard, *write;

	td_write_page(td, 20);
	td_start_ios(td);
	read = td_read_page(td, 3);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_STAT(td, "read_hits", 0);
	TD_EXPECT_STAT(td, "admitted_reads", 0);
	write = td_write_page(td, 2);
	KUNIT_EXPECT_FALSE(test, write->done);
	discard = td_submit(td, SSDC_DISCARD, 3 * TD_PAGE_SECTORS, TD_PAGE_SECTORS);
	KUNIT_EXPECT_FALSE(test, discard->done);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_DONE(td, discard);
}

/* Clean pages are dropped without waiting for their turn. */
static void evict_serial_drops_clean_pages_at_once(struct kunit *test)
{
	struct td *td = four_blocks(test, "bplru:block=4,width=1");
	struct td_host *write;

	td_clean_all(td);
	write = td_write_page(td, 20);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 3));
	TD_EXPECT_STAT(td, "evicted_clean", 4);
}

/* 9 of 16 pages are for random requests: the tenth page evicts one. */
static void evict_surplus(struct kunit *test)
{
	struct td *td = td_simple(test, "vbbms:random_block=1");
	struct td_host *write;

	td_fill(td, 0, 9);
	TD_EXPECT_STAT(td, "evictions", 0);
	write = td_write_page(td, 9);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 9));
	KUNIT_EXPECT_FALSE(test, write->done);
	KUNIT_EXPECT_EQ(test, td_free_frames(td), 6);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	td_expect_flush(td, 0, 0, SSDC_FLUSH_EVICT);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_STAT(td, "write_absorbed", 9);
	TD_EXPECT_STAT(td, "frame_waits", 1);
	KUNIT_EXPECT_EQ(test, td_free_frames(td), 7);
}

/* Four pages evict four, in parallel, and the write waits for all. */
static void evict_surplus_of_several(struct kunit *test)
{
	struct td *td = td_simple(test, "vbbms:random_block=1");
	struct td_host *write;

	td_fill(td, 0, 9);
	write = td_submit(td, SSDC_WRITE, 9 * TD_PAGE_SECTORS, 4 * TD_PAGE_SECTORS);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 4u);
	td_expect_flush(td, 3, 3, SSDC_FLUSH_EVICT);
	while (td->nr_ios > 1)
		td_end_io(td, 0, 0);
	td_run_ready(td);
	KUNIT_EXPECT_FALSE(test, write->done);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, write);
}

/* The page stays dirty; the write neither hangs nor fails. */
static void evict_surplus_with_an_error(struct kunit *test)
{
	struct td *td = td_simple(test, "vbbms:random_block=1");
	struct td_host *write;

	td_fill(td, 0, 9);
	write = td_write_page(td, 9);
	td_start_ios(td);
	td_end_io(td, 0, -EIO);
	td_run_ready(td);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
}

/* Clean pages leave at once. */
static void evict_surplus_of_clean_pages(struct kunit *test)
{
	struct td *td = td_simple(test, "vbbms:random_block=1");
	struct td_host *write;

	td_fill(td, 0, 9);
	td_clean_all(td);
	write = td_write_page(td, 9);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
}

/* A part that is full evicts before the page enters: the page does not leave with its block. */
static void evict_part_before_the_page_enters(struct kunit *test)
{
	struct td *td = td_simple(test, "vbbms:random_block=64");
	struct td_host *write;
	u64 page;

	for (page = 0; page < 9; page++)
		td_fill(td, page, 1);
	write = td_begin(td, SSDC_WRITE, 9 * TD_PAGE_SECTORS, TD_PAGE_SECTORS);
	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_COPY);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 9u);
	td_run(td, write);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 9));
	KUNIT_EXPECT_EQ(test, td_free_frames(td), (int)TD_FRAMES - 1);
	TD_EXPECT_STAT(td, "evictions", 1);
}

/* The part has no room at all: the page being written is evicted, once it is copied. */
static void evict_surplus_of_the_page_itself(struct kunit *test)
{
	struct td *td = td_simple(test, "vbbms:random_share=1");
	struct td_host *write = td_begin(td, SSDC_WRITE, 9 * TD_PAGE_SECTORS, TD_PAGE_SECTORS);

	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_COPY);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	td_run(td, write);
	KUNIT_EXPECT_FALSE(test, write->done);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 1u);
	td_expect_flush(td, 0, 9, SSDC_FLUSH_EVICT);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_EQ(test, td_free_frames(td), (int)TD_FRAMES);
	TD_EXPECT_STAT(td, "evictions", 1);
}

/* After a region has shrunk, a few batches leave for each page that enters. */
static void evict_surplus_after_a_change(struct kunit *test)
{
	struct td *td = td_simple(test, "vbbms:random_block=1,random_share=90");

	td_fill(td, 0, 14);
	TD_EXPECT_STAT(td, "evictions", 0);
	td_set(td, "random_share", "50");
	TD_EXPECT_STAT(td, "evictions", 0);
	td_fill(td, 20, 1);
	TD_EXPECT_STAT(td, "evictions", 3);
	td_set(td, "borrow", "on");
	td_fill(td, 21, 2);
	TD_EXPECT_STAT(td, "evictions", 3);
}

/* four_blocks(), whose batches the engine accounts for page by page, one per call. */
static struct td *slow_blocks(struct kunit *test, const char *spec)
{
	struct td *td = four_blocks(test, spec);

	td->e->hold_work = 1;
	return td;
}

static struct td_host *begin_write(struct td *td, u64 page)
{
	return td_begin(td, SSDC_WRITE, page * TD_PAGE_SECTORS, TD_PAGE_SECTORS);
}

/*
 * All pages of a batch leave the policy at once, and each call does the rest for one of them. The
 * page enters when that is done, and the flushes go on side by side.
 */
static void evict_long_batch_in_pieces(struct kunit *test)
{
	struct td *td = slow_blocks(test, "bplru:block=4,width=0");
	struct td_host *write = begin_write(td, 20);
	unsigned int call;

	for (call = 0; call < 4; call++) {
		KUNIT_EXPECT_EQ(test, td_hold(td, write), SSDC_MORE);
		KUNIT_EXPECT_EQ(test, td->e->nr_victims, 4u);
		KUNIT_EXPECT_EQ(test, td->e->stats.evicted_pages, (u64)call);
		KUNIT_EXPECT_EQ(test, td->e->flushing_pages, call);
		td_check(td);
	}
	KUNIT_EXPECT_FALSE(test, td_cached(td, 20));
	KUNIT_EXPECT_EQ(test, td_hold(td, write), SSDC_COPY);
	td_run(td, write);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 4u);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_STAT(td, "evictions", 1);
	TD_EXPECT_STAT(td, "batch_flushed", 4);
}

/* Pages that are linked: none may leave before all are. */
static void evict_long_batch_with_a_width(struct kunit *test)
{
	struct td *td = slow_blocks(test, "bplru:block=4,width=1");
	struct td_host *write = begin_write(td, 20);
	unsigned int call;

	for (call = 0; call < 5; call++) {
		KUNIT_EXPECT_EQ(test, td_hold(td, write), SSDC_MORE);
		KUNIT_EXPECT_EQ(test, td->e->flushing_pages, 0u);
		td_check(td);
	}
	/* Another request does what is left of the first batch before it gets room of its own. */
	TD_EXPECT_DONE(td, td_write_page(td, 21));
	td_run(td, write);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_STAT(td, "evictions", 1);
	TD_EXPECT_STAT(td, "batch_flushed", 4);
}

/* The request that evicted is late: others find the victims, and the worker does the rest. */
static void evict_long_batch_while_others_come(struct kunit *test)
{
	struct td *td = slow_blocks(test, "bplru:block=4,width=0");
	struct td_host *write = begin_write(td, 20), *read, *again;
	unsigned int steps = 0;

	KUNIT_EXPECT_EQ(test, td_hold(td, write), SSDC_MORE);
	KUNIT_EXPECT_TRUE(test, ssdc_has_work(td->e));
	KUNIT_EXPECT_TRUE(test, ssdc_io_pending(td->e));
	read = td_read_page(td, 1);
	TD_EXPECT_DONE(td, read);
	again = td_write_page(td, 1);
	KUNIT_EXPECT_FALSE(test, again->done);
	td_check(td);
	/* Suspended or not. */
	ssdc_freeze(td->e, true);
	while (ssdc_is_evicting(td->e)) {
		KUNIT_ASSERT_LT(test, steps++, 5u);
		KUNIT_EXPECT_EQ(test, ssdc_background(td->e, td->now_ns), 0ULL);
		td_check(td);
	}
	ssdc_freeze(td->e, false);
	td_run(td, write);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_DONE(td, again);
	TD_EXPECT_STAT(td, "batch_flushed", 4);
}

static struct kunit_case evict_cases[] = {
	KUNIT_CASE(evict_side_by_side),
	KUNIT_CASE(evict_serial),
	KUNIT_CASE(evict_serial_waiting_for_a_frame),
	KUNIT_CASE(evict_two_at_a_time),
	KUNIT_CASE(evict_serial_with_an_error),
	KUNIT_CASE(evict_serial_during_a_flush),
	KUNIT_CASE(evict_serial_before_a_flush),
	KUNIT_CASE(evict_serial_with_requests),
	KUNIT_CASE(evict_serial_drops_clean_pages_at_once),
	KUNIT_CASE(evict_surplus),
	KUNIT_CASE(evict_surplus_of_several),
	KUNIT_CASE(evict_surplus_with_an_error),
	KUNIT_CASE(evict_surplus_of_clean_pages),
	KUNIT_CASE(evict_part_before_the_page_enters),
	KUNIT_CASE(evict_surplus_of_the_page_itself),
	KUNIT_CASE(evict_surplus_after_a_change),
	KUNIT_CASE(evict_long_batch_in_pieces),
	KUNIT_CASE(evict_long_batch_with_a_width),
	KUNIT_CASE(evict_long_batch_while_others_come),
	{}
};

static struct kunit_suite evict_suite = {
	.name = "ssdcache_evict",
	.exit = td_exit,
	.test_cases = evict_cases,
};

kunit_test_suite(evict_suite);
