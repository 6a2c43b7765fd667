// SPDX-License-Identifier: GPL-2.0
/*
 * Padding: the flush of a batch covers the pages between its victims, too. The driver checks the
 * data, also of pages that padding reads and writes.
 */
#include "driver.h"

/* Use the other 13 frames for two blocks of eight, neither of them written as a whole. */
static void write_others(struct td *td)
{
	td_fill(td, 33, 7);
	td_fill(td, 41, 6);
}

/*
 * The picture in page.c: pages 1, 4 and 5 of a block of eight are cached. Each frame takes in the
 * gap after its page.
 */
static struct td *gaps(struct kunit *test, const char *spec)
{
	struct td *td = td_simple(test, spec);

	td_fill(td, 5, 1);
	td_fill(td, 4, 1);
	td_fill(td, 1, 1);
	write_others(td);
	KUNIT_ASSERT_EQ(test, td->e->tier.dirty_pages, TD_FRAMES);
	return td;
}

static void padded_batch(struct kunit *test)
{
	struct td *td = gaps(test, "bplru:block=8,padding=on,width=0");
	struct td_host *write = td_write_page(td, 20);

	KUNIT_ASSERT_EQ(test, td_start_ios(td), 3u);
	td_expect_flush(td, 0, 1, SSDC_FLUSH_EVICT);
	td_expect_flush(td, 1, 4, SSDC_FLUSH_EVICT);
	td_expect_flush(td, 2, 5, SSDC_FLUSH_EVICT);
	td_end_ios(td, 0);

	/* Page 4 has no gap: its frame is free. The write waits for the others, too. */
	td_run_ready(td);
	KUNIT_EXPECT_FALSE(test, write->done);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 2u);
	td_expect_fill(td, 0, 2);
	td_expect_fill(td, 1, 6);
	td_end_ios(td, 0);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 2u);
	td_expect_flush(td, 0, 2, SSDC_FLUSH_PAD);
	td_expect_flush(td, 1, 6, SSDC_FLUSH_PAD);
	td_end_ios(td, 0);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 2u);
	td_expect_fill(td, 0, 3);
	td_expect_fill(td, 1, 7);
	td_end_ios(td, 0);
	td_start_ios(td);
	td_end_ios(td, 0);

	/* Pages before the first victim are written from the last victim's frame. */
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	td_expect_fill(td, 0, 0);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_STAT(td, "padded_pages", 5);
	TD_EXPECT_STAT(td, "pad_flushed", 5);
	TD_EXPECT_STAT(td, "batch_flushed", 3);
	TD_EXPECT_STAT(td, "evicted_pages", 3);
	TD_EXPECT_STAT(td, "fills", 0);
	KUNIT_EXPECT_EQ(test, td_free_frames(td), 2);
}

/* Padded and serial: the whole block, one I/O at a time. */
static void padded_and_serial(struct kunit *test)
{
	static const u64 order[] = { 1, 2, 3, 4, 5, 6, 7, 0 };
	struct td *td = gaps(test, "bplru:block=8,padding=on,width=1");
	unsigned int i;

	td_write_page(td, 20);
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		bool cached = order[i] == 1 || order[i] == 4 || order[i] == 5;

		KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
		if (!cached) {
			td_expect_fill(td, 0, order[i]);
			td_end_io(td, 0, 0);
			KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
		}
		td_expect_flush(td, 0, order[i], cached ? SSDC_FLUSH_EVICT : SSDC_FLUSH_PAD);
		td_end_io(td, 0, 0);
	}
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	td_settle(td);
}

/* If one page of a block is dirty, clean victims are written too; if none is, nothing is. */
static void padded_clean_pages(struct kunit *test)
{
	struct td *td = gaps(test, "bplru:block=8,padding=on,width=1");

	td_clean_all(td);
	td_fill(td, 4, 1);
	write_others(td);
	td_write_page(td, 20);
	td_settle(td);
	TD_EXPECT_STAT(td, "batch_flushed", 1);
	TD_EXPECT_STAT(td, "pad_flushed", 7);
	TD_EXPECT_STAT(td, "padded_pages", 5);
	TD_EXPECT_STAT(td, "evicted_clean", 0);
}

/* A read evicts a block of its own with a dirty page in it: its pages are read and written, too. */
static void padded_pages_of_the_read(struct kunit *test)
{
	struct td *td = td_simple(test, "bplru:block=4,padding=on,width=1");
	struct td_host *read;

	td_fill(td, 0, 1);
	read = td_submit(td, SSDC_READ, TD_PAGE_SECTORS, TD_FRAMES * TD_PAGE_SECTORS);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_STAT(td, "evicted_pages", 4);
	TD_EXPECT_STAT(td, "batch_flushed", 1);
	TD_EXPECT_STAT(td, "pad_flushed", 3);
	TD_EXPECT_STAT(td, "padded_pages", 0);
}

static void padded_nothing_dirty(struct kunit *test)
{
	struct td *td = gaps(test, "bplru:block=8,padding=on,width=1");

	td_clean_all(td);
	td_fill(td, 20, 1);
	TD_EXPECT_STAT(td, "padded_pages", 0);
	TD_EXPECT_STAT(td, "pad_flushed", 0);
	TD_EXPECT_STAT(td, "evicted_clean", 3);
}

/* Padding skips a page that the host has cached: it is newer than the origin's. */
static void padded_leaves_out_what_the_host_writes(struct kunit *test)
{
	struct td *td = gaps(test, "bplru:block=8,padding=on,width=0");
	struct td_host *write;

	td_write_page(td, 20);
	td_start_ios(td);
	td_end_io(td, 1, 0);	/* page 4: a free frame for page 20 */
	td_run_ready(td);
	td_submit(td, SSDC_DISCARD, 33 * TD_PAGE_SECTORS, TD_PAGE_SECTORS);
	td_end_forward(td, 0);
	td_run_ready(td);
	write = td_write_page(td, 3);
	TD_EXPECT_DONE(td, write);
	td_settle(td);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 3));
	TD_EXPECT_STAT(td, "padded_pages", 4);
}

/* Padding is reading page 2. */
static struct td *filling(struct kunit *test)
{
	struct td *td = gaps(test, "bplru:block=8,padding=on,width=0");

	td_write_page(td, 20);
	td_start_ios(td);
	td_end_ios(td, 0);
	td_run_ready(td);
	td_start_ios(td);
	td_expect_fill(td, 0, 2);
	return td;
}

/* A write to a page that padding reads or writes waits, as for any flush. */
static void padded_holds_up_writes_of_the_page(struct kunit *test)
{
	struct td *td = filling(test);
	struct td_host *write, *read;

	read = td_read_page(td, 2);
	write = td_submit(td, SSDC_WRITE, 2 * TD_PAGE_SECTORS + 3, 2);
	KUNIT_EXPECT_FALSE(test, write->done);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 2));
}

/*
 * A discard waits for the fill of a padding page, which becomes dirty. A read of the page that
 * began meanwhile is at the origin, and may return discarded data. If the discard fails, later
 * reads would return the older data of DRAM.
 */
static void padded_page_is_discarded_after_reads(struct kunit *test)
{
	struct td *td = filling(test);
	struct td_host *read, *discard;

	discard = td_submit(td, SSDC_DISCARD, 2 * TD_PAGE_SECTORS, TD_PAGE_SECTORS);
	KUNIT_EXPECT_EQ(test, discard->action, SSDC_WAIT);
	read = td_read_page(td, 2);
	KUNIT_EXPECT_EQ(test, read->action, SSDC_BYPASS);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, discard->action, SSDC_WAIT);
	td_end_sub(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, read);
	KUNIT_EXPECT_EQ(test, discard->action, SSDC_FORWARD);
	td_settle(td);
	TD_EXPECT_DONE(td, discard);
}

static void padded_leaves_out_what_cannot_be_read(struct kunit *test)
{
	struct td *td = gaps(test, "bplru:block=8,padding=on,width=0");

	td_write_page(td, 20);
	td_start_ios(td);
	td_end_ios(td, 0);
	td_start_ios(td);
	td_expect_fill(td, 0, 2);
	td_end_io(td, 0, -EIO);
	td_settle(td);
	TD_EXPECT_STAT(td, "padded_pages", 5);
	TD_EXPECT_STAT(td, "pad_flushed", 4);
	TD_EXPECT_STAT(td, "failed", 0);
	KUNIT_EXPECT_EQ(test, td_free_frames(td), 2);
}

/* A victim that cannot be written stays dirty, and padding stops. */
static void padded_keeps_what_cannot_be_written(struct kunit *test)
{
	struct td *td = gaps(test, "bplru:block=8,padding=on,width=0");

	td_write_page(td, 20);
	td_start_ios(td);
	td_end_ios(td, 0);
	td_run_ready(td);
	td_start_ios(td);
	td_end_ios(td, 0);
	td_start_ios(td);
	td_expect_flush(td, 0, 2, SSDC_FLUSH_PAD);
	td_end_io(td, 0, -EIO);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 2));
	TD_EXPECT_STAT(td, "failed", 1);
	td_end_ios(td, 0);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	td_settle(td);
	TD_EXPECT_STAT(td, "padded_pages", 2);
	td_clean_all(td);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 2));
	TD_EXPECT_STAT(td, "failed", 0);
}

/* Padding must not bring back discarded data. */
static void padded_leaves_out_what_is_discarded(struct kunit *test)
{
	struct td *td = gaps(test, "bplru:block=8,padding=on,width=0");
	struct td_host *discard;

	td_write_page(td, 20);
	td_start_ios(td);
	discard = td_submit(td, SSDC_DISCARD, 2 * TD_PAGE_SECTORS, 2 * TD_PAGE_SECTORS);
	td_end_ios(td, 0);
	td_run_ready(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	td_expect_fill(td, 0, 6);
	td_settle(td);
	TD_EXPECT_DONE(td, discard);
	TD_EXPECT_STAT(td, "padded_pages", 3);
}

/* The origin ends within the block, and within a page. */
static void padded_at_the_end_of_the_origin(struct kunit *test)
{
	struct ssdc_params params = td_params();
	struct td *td;

	params.replacement = "bplru:block=8,padding=on,width=1";
	params.origin_sectors = 125 * TD_PAGE_SECTORS + 3;
	td = td_new(test, &params);
	td_fill(td, 121, 1);
	td_fill(td, 1, 2);
	write_others(td);
	td_write_page(td, 20);
	td_settle(td);
	/* 120, 122 to 124, and 125, which has three sectors */
	TD_EXPECT_STAT(td, "padded_pages", 5);
	TD_EXPECT_STAT(td, "pad_flushed", 5);
}

/* A discard drops victims that are not accounted for yet. They must not be filled to be padded. */
static void padded_long_batch_that_is_discarded(struct kunit *test)
{
	struct td *td = gaps(test, "bplru:block=8,padding=on,width=0");
	struct td_host *write, *discard;

	td_clean_all(td);
	td_fill(td, 4, 1);
	write_others(td);
	td->e->hold_work = 1;
	write = td_begin(td, SSDC_WRITE, 20 * TD_PAGE_SECTORS, TD_PAGE_SECTORS);
	KUNIT_EXPECT_EQ(test, td_hold(td, write), SSDC_MORE);
	discard = td_submit(td, SSDC_DISCARD, 0, 8 * TD_PAGE_SECTORS);
	td_check(td);
	td_run(td, write);
	KUNIT_EXPECT_TRUE(test, td->e->fill_queue.head == SSDC_NO_FRAME);
	td_settle(td);
	TD_EXPECT_DONE(td, discard);
	TD_EXPECT_DONE(td, write);
}

static struct kunit_case padded_cases[] = {
	KUNIT_CASE(padded_batch),
	KUNIT_CASE(padded_and_serial),
	KUNIT_CASE(padded_clean_pages),
	KUNIT_CASE(padded_pages_of_the_read),
	KUNIT_CASE(padded_nothing_dirty),
	KUNIT_CASE(padded_leaves_out_what_the_host_writes),
	KUNIT_CASE(padded_holds_up_writes_of_the_page),
	KUNIT_CASE(padded_page_is_discarded_after_reads),
	KUNIT_CASE(padded_leaves_out_what_cannot_be_read),
	KUNIT_CASE(padded_keeps_what_cannot_be_written),
	KUNIT_CASE(padded_leaves_out_what_is_discarded),
	KUNIT_CASE(padded_at_the_end_of_the_origin),
	KUNIT_CASE(padded_long_batch_that_is_discarded),
	{}
};

static struct kunit_suite padded_suite = {
	.name = "ssdcache_padded",
	.exit = td_exit,
	.test_cases = padded_cases,
};

kunit_test_suite(padded_suite);
