// SPDX-License-Identifier: GPL-2.0
#include "driver.h"

/* All 16 frames dirty: pages 0 (least recent) to 15. */
static struct td *all_dirty(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_fill(td, 0, TD_FRAMES);
	KUNIT_ASSERT_EQ(test, td->e->tier.dirty_pages, TD_FRAMES);
	return td;
}

static void wait_for_a_frame_while_all_are_dirty(struct kunit *test)
{
	struct td *td = all_dirty(test);
	struct td_host *write = td_write_page(td, 20);

	KUNIT_EXPECT_EQ(test, write->action, SSDC_WAIT);
	KUNIT_EXPECT_EQ(test, td_run_ready(td), 0u);

	/* the least recent page leaves */
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	KUNIT_EXPECT_TRUE(test, td->ios[0].io.write);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.sector, 0ULL);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.reason, SSDC_FLUSH_EVICT);
	td_end_io(td, 0, 0);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	KUNIT_EXPECT_EQ(test, td_run_ready(td), 1u);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_STAT(td, "frame_waits", 1);
	TD_EXPECT_STAT(td, "evictions", 1);
	TD_EXPECT_STAT(td, "evicted_pages", 1);
	TD_EXPECT_STAT(td, "evicted_clean", 0);
	TD_EXPECT_STAT(td, "batch_flushed", 1);
	TD_EXPECT_STAT(td, "write_pages", TD_FRAMES + 1);
	TD_EXPECT_STAT(td, "write_absorbed", TD_FRAMES);
}

static void wait_is_not_needed_for_a_clean_victim(struct kunit *test)
{
	struct td *td = all_dirty(test);
	struct td_host *write;

	td_clean_all(td);
	write = td_write_page(td, 20);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	TD_EXPECT_STAT(td, "frame_waits", 0);
	TD_EXPECT_STAT(td, "evicted_clean", 1);
}

static void wait_is_first_come_first_served(struct kunit *test)
{
	struct td *td = all_dirty(test);
	struct td_host *first = td_write_page(td, 20);
	struct td_host *second = td_write_page(td, 21);
	struct td_host *third = td_write_page(td, 22);

	/* a victim for each, flushed in parallel */
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 3u);
	/* Whichever victim is written first, the first request gets the frame. */
	td_end_io(td, 2, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, first);
	KUNIT_EXPECT_FALSE(test, second->done);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, second);
	KUNIT_EXPECT_FALSE(test, third->done);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, third);
}

static void wait_asks_for_all_frames_of_a_request_at_once(struct kunit *test)
{
	struct td *td = all_dirty(test);
	struct td_host *write = td_submit(td, SSDC_WRITE, 20 * 8, 4 * 8);

	KUNIT_EXPECT_EQ(test, td_start_ios(td), 4u);
	td_end_ios(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_STAT(td, "evictions", 4);
}

static void wait_counts_only_pages_that_are_missing(struct kunit *test)
{
	struct td *td = all_dirty(test);
	struct td_host *write = td_submit(td, SSDC_WRITE, 14 * 8, 4 * 8);

	/* pages 14 and 15 are cached and done, 16 and 17 are not */
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 2u);
	td_end_ios(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_STAT(td, "write_hits", 2);
	TD_EXPECT_STAT(td, "write_absorbed", TD_FRAMES + 2);
}

/* A request that has its first frame is not overtaken for its second. */
static void wait_keeps_the_turn_of_a_large_request(struct kunit *test)
{
	struct td *td = all_dirty(test);
	struct td_host *large = td_submit(td, SSDC_WRITE, 20 * 8, 2 * 8);
	struct td_host *small = td_write_page(td, 30);

	KUNIT_ASSERT_EQ(test, td_start_ios(td), 3u);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 20));
	td_end_io(td, 0, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, large);
	KUNIT_EXPECT_FALSE(test, small->done);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, small);
	KUNIT_EXPECT_EQ(test, td->e->nr_debts, 0u);
	KUNIT_EXPECT_EQ(test, td->e->granted, 0u);
}

/* All pages dirty and being evicted for @large, which has borrowed the whole reserve. */
static struct td *all_borrowed(struct kunit *test, struct td_host **large)
{
	struct td *td = all_dirty(test);

	*large = td_submit(td, SSDC_WRITE, 20 * 8, TD_RESERVE * 8);
	KUNIT_ASSERT_FALSE(test, (*large)->done);
	KUNIT_ASSERT_EQ(test, td->e->nr_free, 0u);
	KUNIT_ASSERT_EQ(test, td->e->nr_debts, TD_RESERVE);
	return td;
}

static void wait_granted_frame_is_not_stolen(struct kunit *test)
{
	struct td_host *large, *first, *late;
	struct td *td = all_borrowed(test, &large);

	TD_EXPECT_STAT(td, "frame_waits", 1);
	first = td_write_page(td, 60);
	KUNIT_EXPECT_EQ(test, first->action, SSDC_WAIT);
	TD_EXPECT_STAT(td, "frame_waits", 2);
	td_start_ios(td);
	td_end_io(td, 0, 0);
	/* The frame is free, but granted to the first request. */
	KUNIT_EXPECT_EQ(test, td->e->nr_free, 1u);
	late = td_write_page(td, 61);
	KUNIT_EXPECT_EQ(test, late->action, SSDC_WAIT);
	TD_EXPECT_STAT(td, "frame_waits", 3);
	td_run_ready(td);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 60));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 61));
	td_settle(td);
	TD_EXPECT_DONE(td, large);
	TD_EXPECT_DONE(td, first);
	TD_EXPECT_DONE(td, late);
}

/* Two writes of one new page: the second finds it cached and gives its frame back. */
static void wait_unused_grant_is_returned(struct kunit *test)
{
	struct td_host *large, *first, *second;
	struct td *td = all_borrowed(test, &large);

	first = td_write_page(td, 60);
	second = td_write_page(td, 60);
	td_start_ios(td);
	td_end_io(td, 0, 0);
	td_end_io(td, 0, 0);
	KUNIT_EXPECT_EQ(test, td->e->granted, 2u);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, td->e->granted, 0u);
	KUNIT_EXPECT_EQ(test, td->e->nr_free, 1u);
	TD_EXPECT_STAT(td, "write_hits", 1);
	td_settle(td);
	TD_EXPECT_DONE(td, first);
	TD_EXPECT_DONE(td, second);
}

static void wait_unused_grant_goes_to_the_next(struct kunit *test)
{
	struct td_host *large, *first, *second, *third;
	struct td *td = all_borrowed(test, &large);

	first = td_write_page(td, 60);
	second = td_write_page(td, 60);
	third = td_write_page(td, 61);
	td_start_ios(td);
	td_end_io(td, 0, 0);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 61));
	td_settle(td);
	TD_EXPECT_DONE(td, first);
	TD_EXPECT_DONE(td, second);
	TD_EXPECT_DONE(td, third);
}

/* A frame that a victim returns pays the oldest debt. */
static void wait_debts_are_paid_in_order(struct kunit *test)
{
	struct td *td = all_dirty(test);
	struct td_host *two = td_submit(td, SSDC_WRITE, 20 * 8, 2 * 8);
	struct td_host *one = td_write_page(td, 30);

	/* All pages are in DRAM, and all victims are flushed side by side. */
	KUNIT_EXPECT_TRUE(test, td_cached(td, 30));
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 3u);
	td_end_io(td, 2, 0);
	KUNIT_EXPECT_EQ(test, td_run_ready(td), 0u);
	td_end_io(td, 1, 0);
	KUNIT_EXPECT_EQ(test, td_run_ready(td), 1u);
	TD_EXPECT_DONE(td, two);
	KUNIT_EXPECT_FALSE(test, one->done);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, one);
	TD_EXPECT_STAT(td, "frame_waits", 2);
}

/* The write that evicts a batch waits for all of it; the next one uses the room. */
static void wait_for_a_batch(struct kunit *test)
{
	struct td *td = td_simple(test, "bplru:block=4,width=0");
	struct td_host *first, *second;

	td_fill(td, 0, TD_FRAMES);
	first = td_write_page(td, 20);
	second = td_write_page(td, 24);
	TD_EXPECT_DONE(td, second);
	TD_EXPECT_STAT(td, "evictions", 1);
	KUNIT_EXPECT_EQ(test, td->e->nr_debts, 4u);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 4u);
	while (td->nr_ios) {
		KUNIT_EXPECT_FALSE(test, first->done);
		td_end_io(td, 0, 0);
		td_run_ready(td);
	}
	TD_EXPECT_DONE(td, first);
	TD_EXPECT_STAT(td, "write_absorbed", TD_FRAMES + 1);
}

/* Clean victims leave at once, and are not waited for. */
static void wait_for_the_dirty_pages_of_a_batch(struct kunit *test)
{
	struct td *td = td_simple(test, "bplru:block=4,width=0");
	struct td_host *write;
	u64 page;

	td_fill(td, 0, TD_FRAMES);
	td_clean_all(td);
	td_fill(td, 1, 1);
	/* Not sequentially: such blocks leave first. */
	for (page = TD_FRAMES - 1; page >= 4; page--)
		td_fill(td, page, 1);
	write = td_write_page(td, 20);
	KUNIT_EXPECT_EQ(test, td->e->nr_debts, 1u);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_STAT(td, "evicted_clean", 3);
}

/* evict_wait=frame: one frame ends the write that evicts; each further write waits for one, too. */
static void wait_page_in_a_batch_that_is_being_flushed(struct kunit *test)
{
	struct td *td = td_simple(test, "bplru:block=4,width=0");
	struct td_host *first, *second;

	td->e->tunables.evict_wait = SSDC_WAIT_FRAME;
	td_fill(td, 0, TD_FRAMES);
	first = td_write_page(td, 20);
	second = td_write_page(td, 24);
	TD_EXPECT_STAT(td, "evictions", 1);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 4u);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, first);
	KUNIT_EXPECT_FALSE(test, second->done);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, second);
	TD_EXPECT_STAT(td, "write_absorbed", TD_FRAMES + 1);
	td_settle(td);
}

/* FUA and a FLUSH of a request with debts. */
static void wait_fua_with_debts(struct kunit *test)
{
	struct td *td = all_dirty(test);
	struct td_host *fua = td_fua_page(td, 20), *flush = td_flush(td);

	KUNIT_EXPECT_EQ(test, td->e->nr_debts, 1u);
	td_settle(td);
	TD_EXPECT_DONE(td, fua);
	TD_EXPECT_DONE(td, flush);
	KUNIT_EXPECT_EQ(test, td->e->nr_debts, 0u);
}

/* A discard drops the data of a victim: no flush, and its debt is paid. */
static void wait_discard_pays_a_debt(struct kunit *test)
{
	struct td *td = all_dirty(test);
	struct td_host *write, *discard;

	discard = td_submit(td, SSDC_DISCARD, 0, 8);
	KUNIT_ASSERT_EQ(test, discard->action, SSDC_FORWARD);
	write = td_write_page(td, 20);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	KUNIT_EXPECT_FALSE(test, write->done);
	td_end_forward(td, 0);
	td_settle(td);
	TD_EXPECT_DONE(td, discard);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_STAT(td, "batch_flushed", 0);
}

/* A request of twice the DRAM tier evicts its own first pages. */
static void wait_request_larger_than_dram(struct kunit *test)
{
	struct td *td = all_dirty(test);
	struct td_host *write = td_submit(td, SSDC_WRITE, 20 * 8, 2 * TD_FRAMES * 8);

	/* as many at a time as the reserve has frames */
	KUNIT_EXPECT_EQ(test, td_start_ios(td), TD_RESERVE);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 51));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 20));
	KUNIT_EXPECT_EQ(test, td->e->granted, 0u);
}

static void wait_many_large_requests_at_once(struct kunit *test)
{
	struct td *td = all_dirty(test);
	struct td_host *writes[4];
	unsigned int i;

	for (i = 0; i < 4; i++)
		writes[i] = td_submit(td, SSDC_WRITE, (20 + 20 * i) * 8, 12 * 8);
	td_settle(td);
	for (i = 0; i < 4; i++)
		TD_EXPECT_DONE(td, writes[i]);
	KUNIT_EXPECT_EQ(test, td->e->nr_debts, 0u);
	KUNIT_EXPECT_EQ(test, td->e->granted, 0u);
	KUNIT_EXPECT_EQ(test, td->e->nr_victims, 0u);
}

/*
 * More requests wait than there are frames, eight for each page. A page stays until all eight have
 * written to it: no page enters twice, and none is flushed half empty.
 */
static void wait_page_stays_for_the_requests_behind(struct kunit *test)
{
	const u32 pages = 2 * TD_FRAMES;
	struct td *td = all_dirty(test);
	struct td_host **writes;
	u32 i;

	writes = kunit_kcalloc(test, pages * TD_PAGE_SECTORS, sizeof(*writes), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, writes);
	for (i = 0; i < pages * TD_PAGE_SECTORS; i++)
		writes[i] = td_submit(td, SSDC_WRITE, 20 * TD_PAGE_SECTORS + i, 1);
	td_settle(td);
	for (i = 0; i < pages * TD_PAGE_SECTORS; i++)
		TD_EXPECT_DONE(td, writes[i]);
	TD_EXPECT_STAT(td, "write_hits", pages * (TD_PAGE_SECTORS - 1));
	TD_EXPECT_STAT(td, "evicted_pages", pages + td_free_frames(td));
	TD_EXPECT_STAT(td, "fills", 0);
	KUNIT_EXPECT_LE(test, td_free_frames(td), TD_FRAMES / 2);
}

/* Likewise for reads: each page is read once, as many at a time as the reserve has frames. */
static void wait_reads_of_few_pages_fill_each_once(struct kunit *test)
{
	const u32 pages = 2 * TD_FRAMES;
	struct td *td = all_dirty(test);
	struct td_host **reads;
	u32 i;

	reads = kunit_kcalloc(test, pages * TD_PAGE_SECTORS, sizeof(*reads), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, reads);
	for (i = 0; i < pages * TD_PAGE_SECTORS; i++)
		reads[i] = td_submit(td, SSDC_READ, 20 * TD_PAGE_SECTORS + i, 1);
	/* fills, and the flushes of victims */
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 2 * TD_RESERVE);
	td_settle(td);
	for (i = 0; i < pages * TD_PAGE_SECTORS; i++)
		TD_EXPECT_DONE(td, reads[i]);
	TD_EXPECT_STAT(td, "admitted_reads", pages);
	TD_EXPECT_STAT(td, "evicted_pages", pages + td_free_frames(td));
}

/* Pages are read and victims flushed side by side; the read ends after both. */
static void wait_reads_have_debts_too(struct kunit *test)
{
	struct td *td = all_dirty(test);
	struct td_host *read = td_submit(td, SSDC_READ, 20 * 8, 3 * 8);

	KUNIT_ASSERT_EQ(test, td_start_ios(td), 6u);
	KUNIT_EXPECT_FALSE(test, td->ios[0].io.write);
	KUNIT_EXPECT_TRUE(test, td->ios[3].io.write);
	while (td->nr_ios > 3)
		td_end_io(td, 0, 0);
	td_run_ready(td);
	KUNIT_EXPECT_FALSE(test, read->done);
	td_end_ios(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, read);
}

/* All pages are being filled: the victim's frame is free when its fill has ended. */
static void wait_victim_that_is_being_filled(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *first = td_submit(td, SSDC_READ, 0, 8 * 8);
	struct td_host *second = td_submit(td, SSDC_READ, 8 * 8, 8 * 8);
	struct td_host *write = td_write_page(td, 100);

	KUNIT_EXPECT_EQ(test, td_start_ios(td), 16u);
	KUNIT_EXPECT_EQ(test, td->e->nr_victims, 1u);
	KUNIT_EXPECT_FALSE(test, write->done);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	TD_EXPECT_DONE(td, write);
	td_settle(td);
	TD_EXPECT_DONE(td, first);
	TD_EXPECT_DONE(td, second);
	TD_EXPECT_STAT(td, "bypassed_reads", 1);
}

/* The same, but another read wants the page: it stays, and is read once. */
static void wait_victim_that_is_being_filled_returns(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *first = td_submit(td, SSDC_READ, 0, 16 * 8), *again;

	td_write_page(td, 100);
	KUNIT_EXPECT_EQ(test, td->e->nr_victims, 1u);
	again = td_read_page(td, 0);
	KUNIT_EXPECT_STREQ(test, td_list(td, 0), "A 100 P O N M L K J I H G F E D C");
	td_settle(td);
	TD_EXPECT_DONE(td, first);
	TD_EXPECT_DONE(td, again);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 0));
	TD_EXPECT_STAT(td, "admitted_reads", 17);
}

/* Flush of page 0 in flight. */
static struct td *flushing(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_fill(td, 0, 1);
	td_flush(td);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	return td;
}

static void wait_reader_does_not_wait_for_a_flush(struct kunit *test)
{
	struct td *td = flushing(test);
	struct td_host *read = td_read_page(td, 0);

	TD_EXPECT_DONE(td, read);
	TD_EXPECT_STAT(td, "read_hits", 1);
}

static void wait_writer_does_not_wait_for_other_pages(struct kunit *test)
{
	struct td *td = flushing(test);
	struct td_host *write = td_write_page(td, 1);

	TD_EXPECT_DONE(td, write);
}

/* Pages 0 and 64 share a wait bucket. */
static void wait_wakes_only_those_of_the_page(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *first, *second;

	td_read_page(td, 0);
	td_read_page(td, 64);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 2u);
	first = td_write_page(td, 0);
	second = td_write_page(td, 64);
	td_end_io(td, 1, 0);
	KUNIT_EXPECT_EQ(test, td_run_ready(td), 2u);
	KUNIT_EXPECT_FALSE(test, first->done);
	TD_EXPECT_DONE(td, second);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, first);
}

static void wait_writer_waits_for_a_fill(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *read = td_read_page(td, 3);
	struct td_host *write = td_write_page(td, 3);

	KUNIT_EXPECT_EQ(test, write->action, SSDC_WAIT);
	td_start_ios(td);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 3));
}

/* A read takes a victim back: it is served at once, and the page is the most recent one. */
static void wait_victim_returns_for_a_read(struct kunit *test)
{
	struct td *td = all_dirty(test);
	struct td_host *write = td_write_page(td, 20), *read;

	td_start_ios(td);
	read = td_read_page(td, 0);
	KUNIT_EXPECT_STREQ(test, td_list(td, 0), "A U P O N M L K J I H G F E D C");
	TD_EXPECT_STAT(td, "evicted_pages", 2);
	/* A has left no more, which pays the debt of the write. */
	td_run_ready(td);
	TD_EXPECT_DONE(td, write);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 0));
	KUNIT_EXPECT_FALSE(test, td_dirty(td, 0));
	TD_EXPECT_STAT(td, "fills", 0);
	/* a miss, though nothing was read */
	TD_EXPECT_STAT(td, "read_pages", 1);
	TD_EXPECT_STAT(td, "read_hits", 0);
	TD_EXPECT_STAT(td, "admitted_reads", 1);
}

/* The flush of such a page fails: it is dirty, and nothing is lost. */
static void wait_victim_returns_and_fails(struct kunit *test)
{
	struct td *td = all_dirty(test);
	struct td_host *read;

	td_write_page(td, 20);
	td_start_ios(td);
	read = td_read_page(td, 0);
	td_end_io(td, 0, -EIO);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	td_clean_all(td);
	td_load(td, 0, 2);
}

/* A FLUSH counts on the flush of a victim, which a write holds up. The page returns before that. */
static void wait_victim_returns_before_its_flush(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *write, *flush, *read;

	td_fill(td, 0, 1);
	write = td_begin(td, SSDC_WRITE, 0, 1);
	KUNIT_ASSERT_EQ(test, td_step(td, write), SSDC_COPY);
	td_fill(td, 1, TD_FRAMES - 1);
	td_write_page(td, 20);
	KUNIT_ASSERT_EQ(test, td->e->nr_victims, 1u);
	flush = td_flush(td);
	td_background(td);
	read = td_submit(td, SSDC_READ, 4, 2);
	KUNIT_EXPECT_STREQ(test, td_list(td, 0), "A U P O N M L K J I H G F E D C");
	td_run(td, write);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_DONE(td, flush);
}

/*
 * A read finds a page that it has itself evicted: the paper's loop reads a clean page. So the read
 * waits for the flush.
 */
static void wait_own_victim(struct kunit *test)
{
	struct td *td = all_dirty(test);
	struct td_host *read;

	td_load(td, 1, 15);
	/* U evicts A ... */
	read = td_submit(td, SSDC_READ, 20 * 8, 8);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	/* ... A evicts B, C comes before D: none is found again */
	read = td_submit(td, SSDC_READ, 0, 3 * 8);
	td_start_ios(td);
	KUNIT_EXPECT_FALSE(test, read->done);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	KUNIT_EXPECT_STREQ(test, td_list(td, 0), "C B A U P O N M L K J I H G F E");
	KUNIT_EXPECT_FALSE(test, td_dirty(td, 1));
	TD_EXPECT_STAT(td, "evicted_pages", 4);
}

/* A read that has evicted pages takes back a victim of another request without waiting. */
static void wait_victim_of_another_request(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *write, *read;

	td_fill(td, 100, TD_FRAMES);
	write = td_write_page(td, 20);
	KUNIT_ASSERT_EQ(test, td->e->nr_victims, 1u);
	/* 99 evicts 101, and 100 returns */
	read = td_submit(td, SSDC_READ, 99 * 8, 2 * 8);
	KUNIT_EXPECT_STREQ(test, td_list(td, 0),
			   "100 99 U 115 114 113 112 111 110 109 108 107 106 105 104 103");
	TD_EXPECT_STAT(td, "page_waits", 1);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_STAT(td, "fills", 0);
	TD_EXPECT_STAT(td, "bypassed_reads", 0);
}

/* A read that may not enter is served from the victim, which leaves. */
static void wait_victim_can_be_read_until_it_is_gone(struct kunit *test)
{
	struct td *td = td_admission(test, "write-buffer");
	struct td_host *write, *read;

	td_fill(td, 0, TD_FRAMES);
	write = td_write_page(td, 20);
	td_start_ios(td);
	read = td_read_page(td, 0);
	TD_EXPECT_DONE(td, read);
	KUNIT_EXPECT_FALSE(test, write->done);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
}

static void wait_victim_stays_while_it_is_copied(struct kunit *test)
{
	struct td *td = td_admission(test, "write-buffer");
	struct td_host *write, *read;

	td_fill(td, 0, TD_FRAMES);
	write = td_write_page(td, 20);
	td_start_ios(td);
	read = td_begin(td, SSDC_READ, 0, 8);
	KUNIT_ASSERT_EQ(test, td_step(td, read), SSDC_COPY);
	td_end_io(td, 0, 0);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 0));
	KUNIT_EXPECT_EQ(test, td_run_ready(td), 0u);
	td_run(td, read);
	TD_EXPECT_DONE(td, read);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	td_run_ready(td);
	TD_EXPECT_DONE(td, write);
}

static void wait_clean_victim_stays_while_it_is_copied(struct kunit *test)
{
	struct td *td = all_dirty(test);
	struct td_host *write, *read;

	td_clean_all(td);
	read = td_begin(td, SSDC_READ, 0, 8);
	KUNIT_ASSERT_EQ(test, td_step(td, read), SSDC_COPY);
	/* Page 0 is the most recent now, so all others leave before it. */
	write = td_submit(td, SSDC_WRITE, 20 * 8, 15 * 8);
	TD_EXPECT_DONE(td, write);
	write = td_write_page(td, 50);
	KUNIT_EXPECT_EQ(test, write->action, SSDC_WAIT);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 0));
	td_run(td, read);
	TD_EXPECT_DONE(td, read);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	td_run_ready(td);
	TD_EXPECT_DONE(td, write);
}

static void wait_writer_of_a_victim_gets_a_new_frame(struct kunit *test)
{
	struct td *td = all_dirty(test);
	struct td_host *other = td_write_page(td, 20);
	struct td_host *write = td_write_page(td, 0);

	KUNIT_EXPECT_EQ(test, write->action, SSDC_WAIT);
	td_start_ios(td);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, other);
	KUNIT_EXPECT_FALSE(test, write->done);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 1));
}

/* A FLUSH of a page that is being written waits for the copy. */
static void wait_flush_waits_for_a_copy(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *write = td_begin(td, SSDC_WRITE, 0, 8), *late;

	KUNIT_ASSERT_EQ(test, td_step(td, write), SSDC_COPY);
	td_flush(td);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	/* Later writers wait, or the flush might never start. */
	late = td_write_page(td, 0);
	KUNIT_EXPECT_EQ(test, late->action, SSDC_WAIT);
	td_run(td, write);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 1u);
	td_settle(td);
	TD_EXPECT_DONE(td, late);
}

static struct kunit_case wait_cases[] = {
	KUNIT_CASE(wait_for_a_frame_while_all_are_dirty),
	KUNIT_CASE(wait_is_not_needed_for_a_clean_victim),
	KUNIT_CASE(wait_is_first_come_first_served),
	KUNIT_CASE(wait_asks_for_all_frames_of_a_request_at_once),
	KUNIT_CASE(wait_counts_only_pages_that_are_missing),
	KUNIT_CASE(wait_keeps_the_turn_of_a_large_request),
	KUNIT_CASE(wait_granted_frame_is_not_stolen),
	KUNIT_CASE(wait_unused_grant_is_returned),
	KUNIT_CASE(wait_unused_grant_goes_to_the_next),
	KUNIT_CASE(wait_debts_are_paid_in_order),
	KUNIT_CASE(wait_for_a_batch),
	KUNIT_CASE(wait_for_the_dirty_pages_of_a_batch),
	KUNIT_CASE(wait_page_in_a_batch_that_is_being_flushed),
	KUNIT_CASE(wait_fua_with_debts),
	KUNIT_CASE(wait_discard_pays_a_debt),
	KUNIT_CASE(wait_request_larger_than_dram),
	KUNIT_CASE(wait_many_large_requests_at_once),
	KUNIT_CASE(wait_page_stays_for_the_requests_behind),
	KUNIT_CASE(wait_reads_of_few_pages_fill_each_once),
	KUNIT_CASE(wait_reads_have_debts_too),
	KUNIT_CASE(wait_victim_that_is_being_filled),
	KUNIT_CASE(wait_victim_that_is_being_filled_returns),
	KUNIT_CASE(wait_reader_does_not_wait_for_a_flush),
	KUNIT_CASE(wait_writer_does_not_wait_for_other_pages),
	KUNIT_CASE(wait_wakes_only_those_of_the_page),
	KUNIT_CASE(wait_writer_waits_for_a_fill),
	KUNIT_CASE(wait_victim_returns_for_a_read),
	KUNIT_CASE(wait_victim_returns_and_fails),
	KUNIT_CASE(wait_victim_returns_before_its_flush),
	KUNIT_CASE(wait_own_victim),
	KUNIT_CASE(wait_victim_of_another_request),
	KUNIT_CASE(wait_victim_can_be_read_until_it_is_gone),
	KUNIT_CASE(wait_victim_stays_while_it_is_copied),
	KUNIT_CASE(wait_clean_victim_stays_while_it_is_copied),
	KUNIT_CASE(wait_writer_of_a_victim_gets_a_new_frame),
	KUNIT_CASE(wait_flush_waits_for_a_copy),
	{}
};

static struct kunit_suite wait_suite = {
	.name = "ssdcache_wait",
	.exit = td_exit,
	.test_cases = wait_cases,
};

kunit_test_suite(wait_suite);
