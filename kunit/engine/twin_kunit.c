// SPDX-License-Identifier: GPL-2.0
/* Writes to pages whose flush is in flight. The test driver checks the data. */
#include "driver.h"

/* Pages [0, nr) are dirty; the flushes of *@flush are in flight. */
static struct td *in_flight(struct kunit *test, const char *replacement, u32 nr,
			    struct td_host **flush)
{
	struct td *td = td_simple(test, replacement);

	td_fill(td, 0, nr);
	*flush = td_flush(td);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), nr);
	return td;
}

/* Likewise one page, and a write of its sectors [2, 4) is being copied. */
static struct td *being_copied(struct kunit *test, struct td_host **flush, struct td_host **write)
{
	struct td *td = in_flight(test, "lru", 1, flush);

	*write = td_begin(td, SSDC_WRITE, 2, 2);
	KUNIT_ASSERT_EQ(test, td_step(td, *write), SSDC_COPY);
	KUNIT_ASSERT_TRUE(test, (*write)->seg.rest != SSDC_NO_BUFFER);
	return td;
}

/* The sectors of page 0 that are dirty. */
static u8 dirty_sectors(struct td *td)
{
	return *ssdc_dirty_mask(td->e, ssdc_lookup(td->e, ssdc_page(0)));
}

static void twin_write_does_not_wait(struct kunit *test)
{
	struct td_host *flush, *write, *read;
	struct td *td = in_flight(test, "lru", 1, &flush);
	int nr_free = td_free_frames(td);

	write = td_write_page(td, 0);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_EQ(test, td_free_frames(td), nr_free - 1);
	read = td_read_page(td, 0);
	TD_EXPECT_DONE(td, read);
	KUNIT_EXPECT_EQ(test, read->data[0], write->version);
	TD_EXPECT_STAT(td, "moved_writes", 1);
	TD_EXPECT_STAT(td, "page_waits", 0);
	TD_EXPECT_STAT(td, "write_hits", 1);
	td_end_io(td, 0, 0);
	KUNIT_EXPECT_EQ(test, td_free_frames(td), nr_free);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
	TD_EXPECT_STAT(td, "forced_flushed", 1);
}

/* The page is at rest, so further writes need no further frame. */
static void twin_one_is_enough(struct kunit *test)
{
	struct td_host *flush;
	struct td *td = in_flight(test, "lru", 1, &flush);
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct td_host *write = td_submit(td, SSDC_WRITE, i, 4);

		TD_EXPECT_DONE(td, write);
	}
	TD_EXPECT_STAT(td, "moved_writes", 1);
	td_settle(td);
	td_clean_all(td);
}

/* A FLUSH covers the data that were there when it began. */
static void twin_flush_in_progress_needs_the_older_data_only(struct kunit *test)
{
	struct td_host *flush;
	struct td *td = in_flight(test, "lru", 1, &flush);

	td_write_page(td, 0);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
}

/* The writes of a page reach the origin one after the other. */
static void twin_next_flush_waits_for_the_older_data(struct kunit *test)
{
	struct td *td = td_simple(test, "cflru-ef:threshold=25,adapt=off,ef_batch=1");
	struct td_host *flush;

	td_fill(td, 0, 5);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	td_expect_flush(td, 0, 0, SSDC_FLUSH_EARLY);
	td_write_page(td, 0);
	flush = td_flush(td);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 5u - 1);
	while (td->nr_ios > 1)
		td_end_io(td, 1, 0);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	td_end_io(td, 0, 0);
	td_background(td);
	KUNIT_EXPECT_FALSE(test, flush->done);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	td_expect_flush(td, 0, 0, SSDC_FLUSH_FORCED);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_STAT(td, "early_flushed", 1);
	TD_EXPECT_STAT(td, "forced_flushed", 5);
}

static void twin_fua_waits_for_its_own_data(struct kunit *test)
{
	struct td_host *flush, *fua;
	struct td *td = in_flight(test, "lru", 1, &flush);

	fua = td_fua_page(td, 0);
	KUNIT_EXPECT_EQ(test, fua->action, SSDC_WAIT);
	TD_EXPECT_STAT(td, "moved_writes", 1);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	KUNIT_EXPECT_FALSE(test, fua->done);
	td_settle(td);
	TD_EXPECT_DONE(td, fua);
	TD_EXPECT_DONE(td, flush);
}

/* The early flush of page 0 is in flight. */
static struct td *early_in_flight(struct kunit *test)
{
	struct td *td = td_simple(test, "mq-ssd");

	td_write_page(td, 0);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	return td;
}

/* The policy learns that the page became clean before it learns of the write. */
static void twin_policy_sees_a_clean_page_written(struct kunit *test)
{
	struct td *td = early_in_flight(test);

	TD_EXPECT_POLICY_STAT(td, "under_way", 1);
	td_write_page(td, 0);
	TD_EXPECT_POLICY_STAT(td, "under_way", 0);
	TD_EXPECT_POLICY_STAT(td, "hot_writes", 1);
	td_settle(td);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
	TD_EXPECT_STAT(td, "early_flushed", 1);
}

/* The policy has asked for this flush, so it is notified, although a FLUSH waits for the page. */
static void twin_early_flush_in_a_pass(struct kunit *test)
{
	struct td *td = early_in_flight(test);
	struct td_host *flush;

	flush = td_flush(td);
	td_background(td);
	td_write_page(td, 0);
	TD_EXPECT_POLICY_STAT(td, "under_way", 0);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
}

/*
 * The flush of a FUA write's second page is in flight, and the FUA write waits for its first page.
 * For the policy, this is no flush for a FLUSH: it is not told that it has flushed too late.
 */
static void twin_flush_of_fua(struct kunit *test)
{
	struct td *td = td_simple(test, "freeboard:reserve=25");
	struct td_host *fua;

	td_fill(td, 0, 3);
	TD_EXPECT_POLICY_STAT(td, "target_now", 4);
	fua = td_begin(td, SSDC_WRITE, 3 * TD_PAGE_SECTORS, 2 * TD_PAGE_SECTORS);
	fua->rq.host.fua = true;
	td_run(td, fua);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 2u);
	td_write_page(td, 4);
	TD_EXPECT_STAT(td, "moved_writes", 1);
	td_settle(td);
	TD_EXPECT_DONE(td, fua);
	TD_EXPECT_POLICY_STAT(td, "target_now", 4);
}

static void twin_keeps_its_place_in_the_policy(struct kunit *test)
{
	struct td_host *flush;
	struct td *td = in_flight(test, "fifo", 3, &flush);

	td_write_page(td, 1);
	td_settle(td);
	KUNIT_EXPECT_STREQ(test, td_drain(td), "A B C");
}

static void twin_part_of_a_page(struct kunit *test)
{
	struct td_host *flush, *write;
	struct td *td = being_copied(test, &flush, &write);

	td_run(td, write);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_EQ(test, dirty_sectors(td), 0x0c);
	td_load(td, 0, 1);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, dirty_sectors(td), 0x0c);
	td_clean_all(td);
}

/* A write ends in the middle of a page with a twin, or begins there, and goes on in other pages. */
static void twin_parts_of_pages(struct kunit *test)
{
	struct td_host *flush, *write;
	struct td *td = in_flight(test, "lru", 3, &flush);

	td_end_io(td, 1, 0);
	write = td_submit(td, SSDC_WRITE, 6, 12);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_STAT(td, "moved_writes", 2);
	KUNIT_EXPECT_EQ(test, dirty_sectors(td), 0xc0);
	td_load(td, 0, 3);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	td_clean_all(td);
}

/* Until the copy ends, the page has none of its data. */
static void twin_part_of_a_page_holds_up_others(struct kunit *test)
{
	struct td_host *flush, *write, *reader, *writer;
	struct td *td = being_copied(test, &flush, &write);

	reader = td_submit(td, SSDC_READ, 6, 1);
	KUNIT_EXPECT_EQ(test, reader->action, SSDC_WAIT);
	writer = td_submit(td, SSDC_WRITE, 4, 1);
	KUNIT_EXPECT_EQ(test, writer->action, SSDC_WAIT);
	td_run(td, write);
	td_run_ready(td);
	TD_EXPECT_DONE(td, reader);
	TD_EXPECT_DONE(td, writer);
	td_load(td, 0, 1);
}

/* The copy reads the twin, so its frame is not free before the copy ends. */
static void twin_copy_outlives_the_flush(struct kunit *test)
{
	struct td_host *flush, *write, *next;
	struct td *td = being_copied(test, &flush, &write);
	int nr_free = td_free_frames(td);

	td_end_io(td, 0, 0);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_free_frames(td), nr_free);
	next = td_flush(td);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	td_run(td, write);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_EQ(test, td_free_frames(td), nr_free + 1);
	KUNIT_EXPECT_EQ(test, dirty_sectors(td), 0x0c);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_DONE(td, next);
	KUNIT_EXPECT_FALSE(test, td_dirty(td, 0));
}

static void twin_failed_flush(struct kunit *test)
{
	struct td_host *flush;
	struct td *td = in_flight(test, "lru", 1, &flush);

	td_write_page(td, 0);
	td_end_io(td, 0, -EIO);
	TD_EXPECT_STAT(td, "write_errors", 1);
	TD_EXPECT_STAT(td, "failed", 1);
	td_background(td);
	td_run_ready(td);
	KUNIT_EXPECT_TRUE(test, flush->done);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	/* The retry writes the newer data. */
	td->now_ns += 100000000;
	td_settle(td);
	TD_EXPECT_STAT(td, "failed", 0);
	TD_EXPECT_STAT(td, "retry_flushed", 1);
	KUNIT_EXPECT_FALSE(test, td_dirty(td, 0));
}

/* Of page 0, only sectors [0, 2) are dirty. The flush of the page is in flight. */
static struct td *part_in_flight(struct kunit *test, struct td_host **flush)
{
	struct td *td = td_simple(test, "lru");

	td_load(td, 0, 1);
	td_put(td, td_submit(td, SSDC_WRITE, 0, 2));
	*flush = td_flush(td);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	return td;
}

/*
 * What the failed flush has not written is dirty again, and no other sector. Only these sectors are
 * written next, as the bad sector may be another one. The FLUSH waits for them.
 */
static void twin_bad_sector_of_others(struct kunit *test)
{
	struct td_host *flush;
	struct td *td = part_in_flight(test, &flush);

	td_put(td, td_submit(td, SSDC_WRITE, 4, 1));
	KUNIT_EXPECT_EQ(test, dirty_sectors(td), 0x10);
	td_end_io(td, 0, -EIO);
	KUNIT_EXPECT_EQ(test, dirty_sectors(td), 0x13);
	td_background(td);
	td_run_ready(td);
	KUNIT_EXPECT_FALSE(test, flush->done);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 2u);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.nr_sectors, 2u);
	KUNIT_EXPECT_EQ(test, td->ios[1].io.frame_sector, 4u);
	KUNIT_EXPECT_EQ(test, td->ios[1].io.nr_sectors, 1u);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_STAT(td, "write_errors", 0);
	TD_EXPECT_STAT(td, "forced_flushed", 1);
	KUNIT_EXPECT_FALSE(test, td_dirty(td, 0));
}

/* Likewise if the copy of part of the page ends only after the flush. */
static void twin_bad_sector_of_others_during_the_copy(struct kunit *test)
{
	struct td_host *flush, *write;
	struct td *td = part_in_flight(test, &flush);

	write = td_begin(td, SSDC_WRITE, 4, 1);
	KUNIT_ASSERT_EQ(test, td_step(td, write), SSDC_COPY);
	td_end_io(td, 0, -EIO);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	td_run(td, write);
	KUNIT_EXPECT_EQ(test, dirty_sectors(td), 0x13);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 2u);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_STAT(td, "write_errors", 0);
}

/*
 * Likewise if a FLUSH failed meanwhile. All that the origin may have lost was dirty when the flush
 * began, so the other sectors stay clean.
 */
static void twin_bad_sector_of_others_and_a_failed_flush(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *own;

	td->lossy = true;
	td_load(td, 0, 1);
	own = td_own_flush(td);
	td_until_flush(td);
	td_put(td, td_submit(td, SSDC_WRITE, 0, 2));
	ssdc_want_flush(td->e, ssdc_lookup(td->e, ssdc_page(0)), SSDC_FLUSH_PERIODIC);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	td_put(td, td_submit(td, SSDC_WRITE, 4, 1));
	td_end_forward(td, -EIO);
	td_background(td);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, own->rq.error, -EIO);
	td_end_io(td, 0, -EIO);
	KUNIT_EXPECT_EQ(test, dirty_sectors(td), 0x13);
	TD_EXPECT_STAT(td, "write_errors", 0);
	/* The next FLUSH of the host reports the failure, and writes the dirty sectors only. */
	td_flush(td);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 2u);
	td_settle(td);
	td_clean_all(td);
}

/* One of the dirty sectors is bad. */
static void twin_failed_flush_of_part_of_a_page(struct kunit *test)
{
	struct td_host *flush;
	struct td *td = part_in_flight(test, &flush);

	td_put(td, td_submit(td, SSDC_WRITE, 4, 1));
	td_end_io(td, 0, -EIO);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 2u);
	td_end_io(td, 0, -EIO);
	td_end_io(td, 0, 0);
	td_background(td);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	TD_EXPECT_STAT(td, "write_errors", 1);
	KUNIT_EXPECT_EQ(test, dirty_sectors(td), 0x13);
	td_clean_all(td);
}

/* An error that is not that of a bad sector */
static void twin_device_fails(struct kunit *test)
{
	struct td_host *flush;
	struct td *td = part_in_flight(test, &flush);

	td_put(td, td_submit(td, SSDC_WRITE, 4, 1));
	td_end_io(td, 0, -ENOSPC);
	KUNIT_EXPECT_EQ(test, dirty_sectors(td), 0x13);
	td_background(td);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -ENOSPC);
	TD_EXPECT_STAT(td, "write_errors", 1);
	td_clean_all(td);
}

/*
 * A FLUSH fails while part of a page is being copied, after its flush has ended: the origin may
 * have lost what that flush wrote.
 */
static void twin_lost_during_the_copy(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *flush, *own, *write;

	td->lossy = true;
	td_fill(td, 0, 1);
	own = td_own_flush(td);
	td_until_flush(td);
	td_put(td, td_write_page(td, 0));
	flush = td_flush(td);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	write = td_begin(td, SSDC_WRITE, 2, 2);
	KUNIT_ASSERT_EQ(test, td_step(td, write), SSDC_COPY);
	td_end_io(td, 0, 0);
	td_end_forward(td, -EIO);
	td_background(td);
	KUNIT_EXPECT_EQ(test, own->rq.error, -EIO);
	td_run(td, write);
	KUNIT_EXPECT_EQ(test, dirty_sectors(td), 0xff);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	flush = td_flush(td);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
}

/* The copy of part of a page ends after the flush has failed. */
static void twin_failed_flush_during_the_copy(struct kunit *test)
{
	struct td_host *flush, *write;
	struct td *td = being_copied(test, &flush, &write);

	td_end_io(td, 0, -EIO);
	td_run(td, write);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_EQ(test, dirty_sectors(td), 0xff);
	td_background(td);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	td_clean_all(td);
}

/*
 * A FLUSH fails while the older data are in flight, so the origin may have lost them. The pass
 * waits for the newer data.
 */
static void twin_lost_by_a_failed_flush(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *own, *flush;

	td->lossy = true;
	td_fill(td, 0, 1);
	own = td_own_flush(td);
	td_until_flush(td);
	td_fill(td, 1, 1);
	flush = td_flush(td);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	td_put(td, td_submit(td, SSDC_WRITE, 8, 4));
	td_end_forward(td, -EIO);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, own->rq.error, -EIO);
	td_end_io(td, 0, 0);
	KUNIT_EXPECT_EQ(test, *ssdc_dirty_mask(td->e, ssdc_lookup(td->e, ssdc_page(1))), 0xff);
	td_background(td);
	KUNIT_EXPECT_FALSE(test, flush->done);
	KUNIT_ASSERT_GE(test, td_start_ios(td), 1u);
	td_settle(td);
	/* The failed FLUSH may have lost data of the host. */
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	KUNIT_EXPECT_FALSE(test, td_dirty(td, 1));
	flush = td_flush(td);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
}

/*
 * The pass flushes page 1 as a neighbour of page 0. When its scan comes to page 1, the page has
 * been written again, so the pass waits for both flushes, also if the origin may have lost the
 * first.
 */
static void twin_is_in_the_pass_twice(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *flush;

	td->lossy = true;
	td->e->pass_limits.usual = 2;
	td_own_flush(td);
	td_fill(td, 0, 2);
	td_until_flush(td);
	td_fill(td, 0, 2);
	flush = td_flush(td);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 2u);
	td_write_page(td, 1);
	td_end_io(td, 0, 0);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td->e->pass.pending, 2u);
	td_end_forward(td, -EIO);
	td_end_io(td, 0, 0);
	KUNIT_EXPECT_EQ(test, td->e->pass.pending, 1u);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	td_clean_all(td);
}

/*
 * Likewise if the first flush meets a bad sector of others. The pass waits for the dirty sectors,
 * and does not fail.
 */
static void twin_bad_sector_of_others_in_the_pass_twice(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *flush;

	td->e->pass_limits.usual = 2;
	td_load(td, 0, 2);
	td_fill(td, 0, 1);
	td_put(td, td_submit(td, SSDC_WRITE, 8, 2));
	flush = td_flush(td);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 2u);
	td_put(td, td_submit(td, SSDC_WRITE, 12, 1));
	td_end_io(td, 0, 0);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td->e->pass.pending, 2u);
	td_end_io(td, 0, -EIO);
	KUNIT_EXPECT_EQ(test, td->e->pass.pending, 1u);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_STAT(td, "write_errors", 0);
}

/*
 * A FLUSH fails, part of a page is copied meanwhile, and then the flush of the page fails. What an
 * earlier flush wrote is lost, too. It must be dirty, although neither of the two writes covers it:
 * a flush by runs would leave it out. @before: the FLUSH fails before the flush begins.
 */
static void lost_during_the_copy(struct kunit *test, bool before)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *own, *write;

	td->lossy = true;
	td_fill(td, 0, 1);
	own = td_own_flush(td);
	td_until_flush(td);
	td_put(td, td_submit(td, SSDC_WRITE, 4, 1));
	ssdc_want_flush(td->e, ssdc_lookup(td->e, ssdc_page(0)), SSDC_FLUSH_PERIODIC);
	if (before)
		td_end_forward(td, -EIO);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	write = td_begin(td, SSDC_WRITE, 2, 1);
	KUNIT_ASSERT_EQ(test, td_step(td, write), SSDC_COPY);
	if (!before)
		td_end_forward(td, -EIO);
	td_background(td);
	td_run(td, write);
	td_end_io(td, 0, -EIO);
	KUNIT_EXPECT_EQ(test, dirty_sectors(td), 0xff);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, own->rq.error, -EIO);
	/* The next FLUSH of the host reports the failure. */
	td_flush(td);
	td_settle(td);
	td_clean_all(td);
}

static void twin_lost_by_a_failed_flush_during_the_copy(struct kunit *test)
{
	lost_during_the_copy(test, false);
}

static void twin_lost_by_an_earlier_failed_flush(struct kunit *test)
{
	lost_during_the_copy(test, true);
}

/* The page leaves once both its older and its newer data are on the origin. */
static void twin_page_is_evicted(struct kunit *test)
{
	struct td_host *flush;
	struct td *td = in_flight(test, "fifo", 1, &flush);
	u32 nr_free, i;

	for (i = 0; i < TD_FRAMES + 1; i++)
		td_write_page(td, i);
	nr_free = td->e->nr_free;
	KUNIT_EXPECT_EQ(test, td->e->nr_victims, 1u);
	td_end_io(td, 0, 0);
	KUNIT_EXPECT_EQ(test, td->e->nr_free, nr_free + 1);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	td_expect_flush(td, 0, 0, SSDC_FLUSH_EVICT);
	td_end_io(td, 0, 0);
	KUNIT_EXPECT_EQ(test, td->e->nr_free, nr_free + 2);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
}

static void twin_discard_waits_for_the_older_data(struct kunit *test)
{
	struct td_host *flush, *discard;
	struct td *td = in_flight(test, "lru", 1, &flush);

	td_write_page(td, 0);
	discard = td_submit(td, SSDC_DISCARD, 0, 8);
	KUNIT_EXPECT_EQ(test, discard->action, SSDC_WAIT);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, discard->action, SSDC_FORWARD);
	td_settle(td);
	TD_EXPECT_DONE(td, discard);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
}

static void twin_needs_a_free_frame(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	u32 nr = TD_FRAMES + TD_RESERVE, i;
	struct td_host *write;

	for (i = 0; i < nr; i++)
		td_write_page(td, i);
	KUNIT_ASSERT_EQ(test, td->e->nr_free, 0u);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), TD_RESERVE);
	ssdc_want_flush(td->e, ssdc_lookup(td->e, ssdc_page(nr - 1)), SSDC_FLUSH_FORCED);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	write = td_write_page(td, nr - 1);
	KUNIT_EXPECT_EQ(test, write->action, SSDC_WAIT);
	TD_EXPECT_STAT(td, "moved_writes", 0);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
}

#define SOME_PAGES 40u

/*
 * 48 pages and 16 frames beyond: 40 pages and 24 twins leave no frame, although the tier is not
 * full.
 */
static struct td *no_frame_is_free(struct kunit *test, struct td_host **flush)
{
	struct ssdc_params params = td_params();
	struct td *td;
	u32 i;

	params.page_bytes = SSDC_MAX_PAGE_BYTES;
	params.dram_bytes = 48 * SSDC_MAX_PAGE_BYTES;
	params.origin_sectors = 64 * (SSDC_MAX_PAGE_BYTES >> SSDC_SECTOR_SHIFT);
	td = td_new(test, &params);
	td_fill(td, 0, SOME_PAGES);
	*flush = td_flush(td);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), SOME_PAGES);
	for (i = 0; td->e->nr_free; i++)
		td_write_page(td, i);
	TD_EXPECT_STAT(td, "moved_writes", 24);
	return td;
}

/* Twins become free without an eviction. So a request that needs a frame evicts no page. */
static void twin_frames_are_waited_for(struct kunit *test)
{
	struct td_host *flush, *write;
	struct td *td = no_frame_is_free(test, &flush);

	write = td_write_page(td, SOME_PAGES);
	KUNIT_EXPECT_EQ(test, write->action, SSDC_WAIT);
	TD_EXPECT_STAT(td, "evicted_pages", 0);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, write);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_STAT(td, "evicted_pages", 0);
}

static void twin_frames_are_waited_for_by_prefetched_pages(struct kunit *test)
{
	struct td_host *flush;
	struct td *td = no_frame_is_free(test, &flush);

	td->e->prefetch->pages_max = 4;
	ssdc_prefetch_want(td->e->prefetch, SOME_PAGES);
	KUNIT_EXPECT_FALSE(test, ssdc_prefetch_ready(td->e));
	td_background(td);
	TD_EXPECT_STAT(td, "prefetched", 0);
	td_end_io(td, 0, 0);
	td_background(td);
	TD_EXPECT_STAT(td, "prefetched", 1);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_STAT(td, "prefetched_pages", 1);
	TD_EXPECT_STAT(td, "evicted_pages", 0);
}

/* A flush that is queued is about to read the page. */
static void twin_queued_flush_is_waited_for(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *write;

	td_fill(td, 0, 1);
	td_flush(td);
	td_background(td);
	write = td_write_page(td, 0);
	KUNIT_EXPECT_EQ(test, write->action, SSDC_WAIT);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_STAT(td, "moved_writes", 0);
	TD_EXPECT_STAT(td, "page_waits", 1);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
}

/* The policy does not know the page. */
static void twin_victim_is_waited_for(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *write;

	td_fill(td, 0, TD_FRAMES);
	td_write_page(td, TD_FRAMES);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	td_expect_flush(td, 0, 0, SSDC_FLUSH_EVICT);
	write = td_write_page(td, 0);
	KUNIT_EXPECT_EQ(test, write->action, SSDC_WAIT);
	TD_EXPECT_STAT(td, "moved_writes", 0);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
}

/* A page whose last flush failed stays so until the retry has succeeded. */
static void twin_retry_is_waited_for(struct kunit *test)
{
	struct td_host *flush, *write;
	struct td *td = in_flight(test, "lru", 1, &flush);

	td_end_io(td, 0, -EIO);
	td_background(td);
	td_run_ready(td);
	td->now_ns += 100000000;
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	td_expect_flush(td, 0, 0, SSDC_FLUSH_RETRY);
	write = td_write_page(td, 0);
	KUNIT_EXPECT_EQ(test, write->action, SSDC_WAIT);
	TD_EXPECT_STAT(td, "failed", 1);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_STAT(td, "failed", 0);
}

/* The dirty sectors are flushed alone, as separate I/Os. */
static void twin_flush_by_runs_is_waited_for(struct kunit *test)
{
	struct td_host *flush, *write;
	struct td *td = part_in_flight(test, &flush);

	td_end_io(td, 0, -EIO);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	KUNIT_ASSERT_EQ(test, td->ios[0].io.nr_sectors, 2u);
	write = td_submit(td, SSDC_WRITE, 4, 1);
	KUNIT_EXPECT_EQ(test, write->action, SSDC_WAIT);
	TD_EXPECT_STAT(td, "moved_writes", 0);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_DONE(td, flush);
}

/* Otherwise, writes could starve a request that waits for the page. */
static void twin_waits_behind_others(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *fua, *write;

	fua = td_fua_page(td, 0);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	write = td_write_page(td, 0);
	KUNIT_EXPECT_EQ(test, write->action, SSDC_WAIT);
	td_settle(td);
	TD_EXPECT_DONE(td, fua);
	TD_EXPECT_DONE(td, write);
}

static void twin_waits_for_a_reader(struct kunit *test)
{
	struct td_host *flush, *read, *write;
	struct td *td = in_flight(test, "lru", 1, &flush);

	read = td_begin(td, SSDC_READ, 0, 8);
	KUNIT_ASSERT_EQ(test, td_step(td, read), SSDC_COPY);
	write = td_write_page(td, 0);
	KUNIT_EXPECT_EQ(test, write->action, SSDC_WAIT);
	td_run(td, read);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_DONE(td, write);
}

/* Data in protected DRAM are stable, in the twin as well. The driver checks that. */
static void twin_in_protected_dram(struct kunit *test)
{
	struct ssdc_params params = td_params();
	struct td_host *write;
	struct td *td;

	params.replacement = "cflru-ef:threshold=25,adapt=off,ef_batch=1";
	params.tunables.dram_mode = SSDC_PROTECTED;
	td = td_new(test, &params);
	td_fill(td, 0, 5);
	td_put(td, td_flush(td));
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	write = td_begin(td, SSDC_WRITE, 2, 2);
	KUNIT_ASSERT_EQ(test, td_step(td, write), SSDC_COPY);
	td_put(td, td_flush(td));
	td_run(td, write);
	td_put(td, td_flush(td));
	td_settle(td);
	TD_EXPECT_STAT(td, "moved_writes", 1);
}

/*
 * A flush fails while the whole page is being written. Until the copy ends, the only stable data
 * are those of the twin. The driver checks that they are kept.
 */
static void twin_keeps_protected_data_during_the_copy(struct kunit *test)
{
	struct ssdc_params params = td_params();
	struct td_host *write;
	int nr_free;
	struct td *td;

	params.tunables.dram_mode = SSDC_PROTECTED;
	td = td_new(test, &params);
	td_fill(td, 0, 1);
	td_put(td, td_flush(td));
	ssdc_want_flush(td->e, ssdc_lookup(td->e, ssdc_page(0)), SSDC_FLUSH_PERIODIC);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	nr_free = td_free_frames(td);
	write = td_begin(td, SSDC_WRITE, 0, TD_PAGE_SECTORS);
	KUNIT_ASSERT_EQ(test, td_step(td, write), SSDC_COPY);
	KUNIT_EXPECT_EQ(test, write->seg.rest, SSDC_NO_BUFFER);
	td_end_io(td, 0, -EIO);
	td_run(td, write);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_EQ(test, td_free_frames(td), nr_free);
	KUNIT_EXPECT_EQ(test, dirty_sectors(td), 0xff);
	td_clean_all(td);
}

static struct kunit_case twin_cases[] = {
	KUNIT_CASE(twin_write_does_not_wait),
	KUNIT_CASE(twin_one_is_enough),
	KUNIT_CASE(twin_flush_in_progress_needs_the_older_data_only),
	KUNIT_CASE(twin_next_flush_waits_for_the_older_data),
	KUNIT_CASE(twin_fua_waits_for_its_own_data),
	KUNIT_CASE(twin_policy_sees_a_clean_page_written),
	KUNIT_CASE(twin_early_flush_in_a_pass),
	KUNIT_CASE(twin_flush_of_fua),
	KUNIT_CASE(twin_keeps_its_place_in_the_policy),
	KUNIT_CASE(twin_part_of_a_page),
	KUNIT_CASE(twin_parts_of_pages),
	KUNIT_CASE(twin_part_of_a_page_holds_up_others),
	KUNIT_CASE(twin_copy_outlives_the_flush),
	KUNIT_CASE(twin_failed_flush),
	KUNIT_CASE(twin_bad_sector_of_others),
	KUNIT_CASE(twin_bad_sector_of_others_during_the_copy),
	KUNIT_CASE(twin_bad_sector_of_others_and_a_failed_flush),
	KUNIT_CASE(twin_failed_flush_of_part_of_a_page),
	KUNIT_CASE(twin_device_fails),
	KUNIT_CASE(twin_lost_during_the_copy),
	KUNIT_CASE(twin_failed_flush_during_the_copy),
	KUNIT_CASE(twin_lost_by_a_failed_flush),
	KUNIT_CASE(twin_is_in_the_pass_twice),
	KUNIT_CASE(twin_bad_sector_of_others_in_the_pass_twice),
	KUNIT_CASE(twin_lost_by_a_failed_flush_during_the_copy),
	KUNIT_CASE(twin_lost_by_an_earlier_failed_flush),
	KUNIT_CASE(twin_page_is_evicted),
	KUNIT_CASE(twin_discard_waits_for_the_older_data),
	KUNIT_CASE(twin_needs_a_free_frame),
	KUNIT_CASE(twin_frames_are_waited_for),
	KUNIT_CASE(twin_frames_are_waited_for_by_prefetched_pages),
	KUNIT_CASE(twin_queued_flush_is_waited_for),
	KUNIT_CASE(twin_victim_is_waited_for),
	KUNIT_CASE(twin_retry_is_waited_for),
	KUNIT_CASE(twin_flush_by_runs_is_waited_for),
	KUNIT_CASE(twin_waits_behind_others),
	KUNIT_CASE(twin_waits_for_a_reader),
	KUNIT_CASE(twin_in_protected_dram),
	KUNIT_CASE(twin_keeps_protected_data_during_the_copy),
	{}
};

static struct kunit_suite twin_suite = {
	.name = "ssdcache_twin",
	.exit = td_exit,
	.test_cases = twin_cases,
};

kunit_test_suite(twin_suite);
