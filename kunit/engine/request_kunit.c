// SPDX-License-Identifier: GPL-2.0
#include "driver.h"

#define EXPECT_SEG(host, from, at, nr) do { \
	const struct ssdc_segment *_seg = &(host)->seg; \
	KUNIT_EXPECT_EQ(test, _seg->frame_sector, from); \
	KUNIT_EXPECT_EQ(test, _seg->rq_sector, at); \
	KUNIT_EXPECT_EQ(test, _seg->nr_sectors, nr); \
} while (0)

static struct td *write_buffer(struct kunit *test)
{
	struct ssdc_params params = td_params();

	params.admission = "write-buffer";
	return td_new(test, &params);
}

static void request_write_miss_takes_a_free_frame(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *write = td_begin(td, SSDC_WRITE, 40, 8);

	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_COPY);
	KUNIT_EXPECT_TRUE(test, write->seg.frame == ssdc_frame(0));
	EXPECT_SEG(write, 0u, 0u, 8u);
	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_COMPLETE);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 5));
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	TD_EXPECT_STAT(td, "write_pages", 1);
	TD_EXPECT_STAT(td, "write_hits", 0);
	TD_EXPECT_STAT(td, "write_absorbed", 1);
	TD_EXPECT_STAT(td, "evictions", 0);
}

static void request_write_hit_reuses_the_frame(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *write;

	td_fill(td, 4, 2);
	write = td_begin(td, SSDC_WRITE, 32, 8);
	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_COPY);
	KUNIT_EXPECT_TRUE(test, write->seg.frame == ssdc_frame(0));
	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_COMPLETE);
	TD_EXPECT_STAT(td, "write_pages", 3);
	TD_EXPECT_STAT(td, "write_hits", 1);
	TD_EXPECT_STAT(td, "write_absorbed", 3);
	TD_EXPECT_STAT(td, "used", 2);
}

/* Sectors 12 to 30:  ....xxxx xxxxxxxx xxxxxx..  of pages 1, 2, 3. */
static void request_write_is_cut_at_page_bounds(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *write = td_begin(td, SSDC_WRITE, 12, 18);

	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_COPY);
	EXPECT_SEG(write, 4u, 0u, 4u);
	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_COPY);
	EXPECT_SEG(write, 0u, 4u, 8u);
	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_COPY);
	EXPECT_SEG(write, 0u, 12u, 6u);
	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_COMPLETE);
	KUNIT_EXPECT_EQ(test, *ssdc_valid_mask(td->e, ssdc_frame(0)), 0xf0);
	KUNIT_EXPECT_EQ(test, *ssdc_dirty_mask(td->e, ssdc_frame(0)), 0xf0);
	KUNIT_EXPECT_EQ(test, *ssdc_valid_mask(td->e, ssdc_frame(1)), 0xff);
	KUNIT_EXPECT_EQ(test, *ssdc_valid_mask(td->e, ssdc_frame(2)), 0x3f);
	TD_EXPECT_STAT(td, "write_pages", 3);
	TD_EXPECT_STAT(td, "write_bytes", 18 * 512);
}

static void request_written_sectors_are_valid_after_the_copy(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *write = td_begin(td, SSDC_WRITE, 0, 8);

	KUNIT_ASSERT_EQ(test, td_step(td, write), SSDC_COPY);
	KUNIT_EXPECT_EQ(test, *ssdc_valid_mask(td->e, ssdc_frame(0)), 0x00);
	KUNIT_EXPECT_EQ(test, *ssdc_dirty_mask(td->e, ssdc_frame(0)), 0xff);
	KUNIT_EXPECT_EQ(test, td_entry(td, 0)->pins, 1);
	td_run(td, write);
	KUNIT_EXPECT_EQ(test, *ssdc_valid_mask(td->e, ssdc_frame(0)), 0xff);
	KUNIT_EXPECT_EQ(test, td_entry(td, 0)->pins, 0);
}

static void request_read_hit_starts_no_io(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *read;

	td_fill(td, 3, 1);
	read = td_begin(td, SSDC_READ, 26, 4);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_COPY);
	EXPECT_SEG(read, 2u, 0u, 4u);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_COMPLETE);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	TD_EXPECT_STAT(td, "read_pages", 1);
	TD_EXPECT_STAT(td, "read_hits", 1);
	TD_EXPECT_STAT(td, "read_bytes", 4 * 512);
}

/* Valid ..xxx...: from the origin, from DRAM, from the origin. */
static void request_read_of_a_partly_valid_page(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *write = td_submit(td, SSDC_WRITE, 2, 3);
	struct td_host *read = td_begin(td, SSDC_READ, 0, 8);
	u32 i;

	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_READ_ORIGIN);
	EXPECT_SEG(read, 0u, 0u, 2u);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_COPY);
	EXPECT_SEG(read, 2u, 2u, 3u);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_READ_ORIGIN);
	EXPECT_SEG(read, 0u, 5u, 3u);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_WAIT);
	td_end_sub(td, 0);
	KUNIT_EXPECT_FALSE(test, read->done);
	/* The last read ends the request, without another step. */
	td_end_sub(td, 0);
	TD_EXPECT_DONE(td, read);
	for (i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ(test, read->data[i], i >= 2 && i < 5 ? write->version : 1u);
	TD_EXPECT_STAT(td, "read_hits", 0);
	TD_EXPECT_STAT(td, "bypassed_reads", 2);
	/* Sectors of a bypassing read are not cached. */
	KUNIT_EXPECT_EQ(test, *ssdc_valid_mask(td->e, ssdc_frame(0)), 0x1c);
}

static void request_read_of_the_valid_part_hits(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *read;

	td_submit(td, SSDC_WRITE, 2, 3);
	read = td_submit(td, SSDC_READ, 3, 2);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_STAT(td, "read_hits", 1);
}

/* Sectors of A: xx......, no sector of these, and x.x.x.x.: one hit each, by the page alone. */
static void request_read_of_a_partly_valid_page_is_one_hit(struct kunit *test)
{
	struct td *td = td_simple(test, "lfu");

	td_submit(td, SSDC_WRITE, 0, 2);
	td_submit(td, SSDC_READ, 0, 8);
	td_end_sub(td, 0);
	td_settle(td);
	KUNIT_EXPECT_STREQ(test, td_counted(td, 2), "A2");

	td_submit(td, SSDC_READ, 4, 4);
	td_end_sub(td, 0);
	td_settle(td);
	KUNIT_EXPECT_STREQ(test, td_counted(td, 3), "A3");

	td_submit(td, SSDC_WRITE, 4, 1);
	td_submit(td, SSDC_WRITE, 6, 1);
	KUNIT_EXPECT_STREQ(test, td_counted(td, 5), "A5");
	td_submit(td, SSDC_READ, 0, 7);
	td_end_sub(td, 0);
	td_end_sub(td, 0);
	td_settle(td);
	KUNIT_EXPECT_STREQ(test, td_counted(td, 6), "A6");
	TD_EXPECT_STAT(td, "read_hits", 0);
}

/* A gap in the middle: xx....xx, then the next page is not cached at all. */
static void request_read_alternates_between_dram_and_origin(struct kunit *test)
{
	struct td *td = write_buffer(test);
	struct td_host *read;

	td_submit(td, SSDC_WRITE, 0, 2);
	td_submit(td, SSDC_WRITE, 6, 2);
	read = td_begin(td, SSDC_READ, 0, 24);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_COPY);
	EXPECT_SEG(read, 0u, 0u, 2u);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_READ_ORIGIN);
	EXPECT_SEG(read, 0u, 2u, 4u);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_COPY);
	EXPECT_SEG(read, 6u, 6u, 2u);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_READ_ORIGIN);
	EXPECT_SEG(read, 0u, 8u, 16u);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_WAIT);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
}

/* The flushes of a write's victims do not wait for the ends of its copies. */
static void request_copy_leaves_work_to_the_worker(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *hit, *write;

	td_fill(td, 0, TD_FRAMES);
	hit = td_begin(td, SSDC_WRITE, 0, 8);
	KUNIT_EXPECT_EQ(test, td_step(td, hit), SSDC_COPY);
	KUNIT_EXPECT_FALSE(test, ssdc_step_has_work(td->e, SSDC_COPY));
	td_run(td, hit);
	write = td_begin(td, SSDC_WRITE, TD_FRAMES * TD_PAGE_SECTORS, 8);
	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_COPY);
	KUNIT_EXPECT_TRUE(test, ssdc_step_has_work(td->e, SSDC_COPY));
	td_run(td, write);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
}

/*
 * A write overtakes a read's copy, and its page leaves. The end of the copy frees the victim: the
 * flush of the next one in turn is queued by the very step that finds that the read bypasses DRAM.
 */
static void request_bypass_leaves_work_to_the_worker(struct kunit *test)
{
	struct ssdc_params params = td_params();
	struct td_host *read, *write;
	struct td *td;
	int block;

	params.replacement = "bplru:block=4,width=1";
	params.admission = "write-buffer";
	td = td_new(test, &params);
	/* Blocks that were not written sequentially; block 0 leaves first. */
	for (block = 0; block < TD_FRAMES; block += 4) {
		td_fill(td, block + 3, 1);
		td_fill(td, block, 3);
	}
	read = td_begin(td, SSDC_READ, 0, 8);
	KUNIT_ASSERT_EQ(test, td_step(td, read), SSDC_COPY);
	td_submit(td, SSDC_WRITE, 0, 8);
	for (block = 4; block < TD_FRAMES; block += 4)
		td_fill(td, block, 1);
	write = td_write_page(td, 40);
	KUNIT_ASSERT_EQ(test, td->e->nr_debts, 4u);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	KUNIT_ASSERT_EQ(test, td->ios[0].io.sector, 0ULL);
	td_end_io(td, 0, 0);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 0u);
	KUNIT_ASSERT_EQ(test, td_step(td, read), SSDC_BYPASS);
	KUNIT_EXPECT_FALSE(test, td->e->watched);
	KUNIT_EXPECT_TRUE(test, ssdc_step_has_work(td->e, SSDC_BYPASS));
	KUNIT_EXPECT_TRUE(test, ssdc_bypass_has_work(td->e));
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_DONE(td, write);
}

static void request_write_buffer_reads_past_dram(struct kunit *test)
{
	struct td *td = write_buffer(test);
	struct td_host *read = td_begin(td, SSDC_READ, 4, 20);

	/* three pages, one read */
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_BYPASS);
	TD_EXPECT_STAT(td, "waiting", 1);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	/* The end of the read is the end of the request. */
	td_end_sub(td, 0);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_STAT(td, "waiting", 0);
	TD_EXPECT_STAT(td, "used", 0);
	TD_EXPECT_STAT(td, "bypassed_reads", 1);
	TD_EXPECT_STAT(td, "read_pages", 3);
	TD_EXPECT_STAT(td, "admitted_reads", 0);
}

static void request_read_write_caches_what_it_reads(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *read = td_read_page(td, 7);

	KUNIT_EXPECT_EQ(test, read->action, SSDC_WAIT);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 1u);
	KUNIT_EXPECT_FALSE(test, td->ios[0].io.write);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.sector, 56ULL);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.nr_sectors, 8u);
	td_end_io(td, 0, 0);
	KUNIT_EXPECT_EQ(test, td_run_ready(td), 1u);
	TD_EXPECT_DONE(td, read);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 7));
	KUNIT_EXPECT_FALSE(test, td_dirty(td, 7));
	TD_EXPECT_STAT(td, "read_hits", 0);
	TD_EXPECT_STAT(td, "admitted_reads", 1);

	read = td_read_page(td, 7);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_STAT(td, "read_hits", 1);
}

/* A fill reads the whole page, beyond the sectors that were requested. */
static void request_small_read_brings_the_whole_page(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_submit(td, SSDC_READ, 59, 1);
	td_start_ios(td);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.sector, 56ULL);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.nr_sectors, 8u);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, *ssdc_valid_mask(td->e, ssdc_frame(0)), 0xff);
}

static void request_missed_pages_are_read_side_by_side(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *read;

	td_fill(td, 1, 1);
	read = td_submit(td, SSDC_READ, 0, 32);

	/* pages 0, 2, 3 are missing */
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 3u);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.sector, 0ULL);
	KUNIT_EXPECT_EQ(test, td->ios[1].io.sector, 16ULL);
	KUNIT_EXPECT_EQ(test, td->ios[2].io.sector, 24ULL);

	/* They may end in any order. */
	td_end_io(td, 2, 0);
	td_run_ready(td);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	KUNIT_EXPECT_FALSE(test, read->done);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_STAT(td, "read_pages", 4);
	TD_EXPECT_STAT(td, "read_hits", 1);
}

static void request_two_reads_share_a_fill(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *first = td_read_page(td, 7);
	struct td_host *second = td_read_page(td, 7);

	KUNIT_EXPECT_EQ(test, td_start_ios(td), 1u);
	td_end_io(td, 0, 0);
	KUNIT_EXPECT_EQ(test, td_run_ready(td), 2u);
	TD_EXPECT_DONE(td, first);
	TD_EXPECT_DONE(td, second);
	TD_EXPECT_STAT(td, "admitted_reads", 1);
	TD_EXPECT_STAT(td, "read_hits", 0);
}

/* A read of more pages than the tier holds evicts its own first pages. */
static void request_read_larger_than_dram(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *read = td_submit(td, SSDC_READ, 0, 3 * TD_FRAMES * 8);

	/* Each page is read once: the evicted ones in one piece, past DRAM. */
	KUNIT_EXPECT_EQ(test, td_start_ios(td), TD_FRAMES);
	TD_EXPECT_STAT(td, "bypassed_reads", 1);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_STAT(td, "used", TD_FRAMES);
	TD_EXPECT_STAT(td, "evicted_pages", 2 * TD_FRAMES);
	TD_EXPECT_STAT(td, "bypassed_reads", 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 2 * TD_FRAMES - 1));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 2 * TD_FRAMES));
}

/* The policy evicts each page of the read for the next one: these are read past DRAM, and once. */
static void request_reads_no_page_that_it_evicts(struct kunit *test)
{
	struct td *td = td_simple(test, "lfu");
	struct td_host *read;

	td_fill(td, 0, TD_FRAMES);
	td_fill(td, 0, TD_FRAMES);
	td_clean_all(td);
	/* Pages that have been used once leave first: 20 for 21, 21 for 22 ... */
	read = td_submit(td, SSDC_READ, 20 * 8, 6 * 8);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 1u);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.sector, 25 * 8ULL);
	KUNIT_EXPECT_EQ(test, td->e->nr_victims, 0u);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_STAT(td, "bypassed_reads", 1);
	TD_EXPECT_STAT(td, "evicted_pages", 6);
	TD_EXPECT_STAT(td, "read_hits", 0);
}

/* A page that is read enters before the next page of its request is looked at. */
static void request_decides_page_by_page(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *read;

	td_fill(td, 0, TD_FRAMES);
	/* A is next to leave: it does for U, before the request comes to it. */
	td_submit(td, SSDC_WRITE, 20 * 8, 8);
	td_settle(td);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	/* V evicts C, as B has been used before. */
	read = td_read_page(td, 1);
	TD_EXPECT_DONE(td, read);
	read = td_read_page(td, 21);
	KUNIT_EXPECT_STREQ(test, td_list(td, 0), "V B U P O N M L K J I H G F E D");
	td_settle(td);
	TD_EXPECT_DONE(td, read);
}

/* While a write is copied, its sectors are neither old nor new. */
static void request_read_waits_for_a_copy(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *write = td_begin(td, SSDC_WRITE, 0, 4);
	struct td_host *read;

	KUNIT_ASSERT_EQ(test, td_step(td, write), SSDC_COPY);
	read = td_submit(td, SSDC_READ, 0, 4);
	KUNIT_EXPECT_EQ(test, read->action, SSDC_WAIT);
	td_run(td, write);
	KUNIT_EXPECT_EQ(test, td_run_ready(td), 1u);
	TD_EXPECT_DONE(td, read);
	KUNIT_EXPECT_EQ(test, read->data[0], write->version);
	TD_EXPECT_STAT(td, "page_waits", 1);
}

static void request_write_joins_a_page_that_is_read(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *read, *write;

	td_fill(td, 0, 1);
	read = td_begin(td, SSDC_READ, 0, 4);
	KUNIT_ASSERT_EQ(test, td_step(td, read), SSDC_COPY);
	write = td_submit(td, SSDC_WRITE, 4, 4);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_EQ(test, td_entry(td, 0)->pins, 1);
	td_run(td, read);
	TD_EXPECT_DONE(td, read);
	KUNIT_EXPECT_EQ(test, td_entry(td, 0)->pins, 0);
}

static void request_ids_are_in_order_of_arrival(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *first = td_write_page(td, 0), *second = td_write_page(td, 1);

	KUNIT_EXPECT_EQ(test, second->rq.host.id, first->rq.host.id + 1);
}

static void request_latency_is_from_arrival_to_completion(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *write = td_begin(td, SSDC_WRITE, 0, 8);

	td_step(td, write);
	td->now_ns += 1000;
	td_run(td, write);
	KUNIT_EXPECT_EQ(test, td->e->latency[SSDC_WRITE].count, 1ULL);
	KUNIT_EXPECT_EQ(test, td->e->latency[SSDC_WRITE].max_ns, 1000ULL);
	KUNIT_EXPECT_EQ(test, td->e->latency[SSDC_READ].count, 0ULL);
	KUNIT_EXPECT_EQ(test, td->e->last_host_ns, td->now_ns);
}

static void request_inflight_is_counted_until_completion(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *read = td_read_page(td, 0);

	TD_EXPECT_STAT(td, "host_inflight", 1);
	TD_EXPECT_STAT(td, "waiting", 1);
	KUNIT_EXPECT_FALSE(test, ssdc_quiescent(td->e));
	td_start_ios(td);
	TD_EXPECT_STAT(td, "device_inflight", 1);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_STAT(td, "host_inflight", 0);
	TD_EXPECT_STAT(td, "device_inflight", 0);
	TD_EXPECT_STAT(td, "waiting", 0);
	KUNIT_EXPECT_TRUE(test, ssdc_quiescent(td->e));
}

/* 1021 sectors: page 127 has sectors 1016 to 1020 only. */
static struct td *odd_origin(struct kunit *test)
{
	struct ssdc_params params = td_params();

	params.origin_sectors = 1021;
	return td_new(test, &params);
}

static void request_last_page_of_an_odd_origin_is_whole(struct kunit *test)
{
	struct td *td = odd_origin(test);
	struct td_host *flush;

	td_submit(td, SSDC_WRITE, 1016, 5);
	flush = td_flush(td);
	td_background(td);
	/* no fill: the page has only these five sectors */
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	KUNIT_EXPECT_TRUE(test, td->ios[0].io.write);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.sector, 1016ULL);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.nr_sectors, 5u);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
}

static void request_last_page_of_an_odd_origin_is_filled(struct kunit *test)
{
	struct td *td = odd_origin(test);
	struct td_host *flush;

	td_submit(td, SSDC_WRITE, 1018, 1);
	flush = td_flush(td);
	td_background(td);
	/* fill xx.xx, then one write */
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 2u);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.sector, 1016ULL);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.nr_sectors, 2u);
	KUNIT_EXPECT_EQ(test, td->ios[1].io.sector, 1019ULL);
	KUNIT_EXPECT_EQ(test, td->ios[1].io.nr_sectors, 2u);
	td_end_ios(td, 0);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.nr_sectors, 5u);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
}

static void request_last_page_of_an_odd_origin_is_read(struct kunit *test)
{
	struct td *td = odd_origin(test);
	struct td_host *read = td_submit(td, SSDC_READ, 1000, 21);

	KUNIT_ASSERT_EQ(test, td_start_ios(td), 3u);
	KUNIT_EXPECT_EQ(test, td->ios[2].io.sector, 1016ULL);
	KUNIT_EXPECT_EQ(test, td->ios[2].io.nr_sectors, 5u);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
}

static const u32 page_kbs[] = { 4, 8, 16, 32, 64 };

static void page_desc(const u32 *kb, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%uk", *kb);
}

KUNIT_ARRAY_PARAM(page_kb, page_kbs, page_desc);

static struct td *sized(struct kunit *test)
{
	struct ssdc_params params = td_params();

	params.page_bytes = *(const u32 *)test->param_value << 10;
	params.dram_bytes = TD_FRAMES * params.page_bytes;
	params.origin_sectors = 64 * (params.page_bytes >> 9);
	return td_new(test, &params);
}

/* Every other sector, the worst case for the masks; then all of it is read and flushed. */
static void request_alternating_sectors(struct kunit *test)
{
	struct td *td = sized(test);
	u32 i, sectors = td->e->tier.page_sectors;
	struct td_host *read, *write = NULL;

	for (i = 1; i < sectors; i += 2)
		write = td_submit(td, SSDC_WRITE, 3 * sectors + i, 1);
	read = td_submit(td, SSDC_READ, 3 * sectors, sectors);
	TD_EXPECT_STAT(td, "bypassed_reads", sectors / 2);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	KUNIT_EXPECT_EQ(test, read->data[0], 1u);
	KUNIT_EXPECT_EQ(test, read->data[sectors - 1], write->version);

	td_flush(td);
	td_background(td);
	/* half of its sectors are missing */
	KUNIT_EXPECT_EQ(test, td_start_ios(td), min(sectors / 2, TD_MAX_IOS));
	td_clean_all(td);
	KUNIT_EXPECT_TRUE(test, ssdc_mask_full(ssdc_valid_mask(td->e, ssdc_frame(0)), 0, sectors));
}

/* More pages than frames, each written in its middle, then all read back. */
static void request_every_page_size_keeps_data(struct kunit *test)
{
	struct td *td = sized(test);
	u32 i, sectors = td->e->tier.page_sectors;

	for (i = 0; i < 40; i++) {
		struct td_host *write = td_submit(td, SSDC_WRITE, i * sectors + sectors / 2 - 1, 2);

		td_settle(td);
		TD_EXPECT_DONE(td, write);
	}
	td_load(td, 0, 40);
	td_clean_all(td);
	td_load(td, 0, 40);
	KUNIT_EXPECT_EQ(test, td->e->tier.used_pages, TD_FRAMES);
}

/* A sector must never hold bytes of both. */
static void request_write_waits_for_a_write_of_the_same_sectors(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *first, *beside, *same;

	td_fill(td, 0, 1);
	first = td_begin(td, SSDC_WRITE, 0, 4);
	KUNIT_ASSERT_EQ(test, td_step(td, first), SSDC_COPY);
	beside = td_begin(td, SSDC_WRITE, 4, 4);
	KUNIT_ASSERT_EQ(test, td_step(td, beside), SSDC_COPY);
	same = td_begin(td, SSDC_WRITE, 3, 1);
	KUNIT_ASSERT_EQ(test, td_step(td, same), SSDC_WAIT);
	td_run(td, first);
	TD_EXPECT_DONE(td, first);
	td_run(td, beside);
	td_run_ready(td);
	TD_EXPECT_DONE(td, same);
	td_load(td, 0, 1);
}

static void request_read_waits_for_a_write_of_the_same_sectors(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *write, *beside, *same;

	td_fill(td, 0, 1);
	write = td_begin(td, SSDC_WRITE, 0, 4);
	KUNIT_ASSERT_EQ(test, td_step(td, write), SSDC_COPY);
	beside = td_submit(td, SSDC_READ, 4, 4);
	TD_EXPECT_DONE(td, beside);
	same = td_submit(td, SSDC_READ, 3, 1);
	KUNIT_EXPECT_EQ(test, same->action, SSDC_WAIT);
	td_run(td, write);
	td_run_ready(td);
	TD_EXPECT_DONE(td, same);
	KUNIT_EXPECT_EQ(test, same->data[0], write->version);
}

/* The read copies again, and neither the policy nor the statistics see a second access. */
static void request_read_that_a_write_overtakes_copies_again(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *read, *write;

	td_fill(td, 0, 2);
	read = td_begin(td, SSDC_READ, 0, 8);
	KUNIT_ASSERT_EQ(test, td_step(td, read), SSDC_COPY);
	write = td_submit(td, SSDC_WRITE, 2, 1);
	TD_EXPECT_DONE(td, write);
	td_fill(td, 1, 1);
	KUNIT_ASSERT_EQ(test, td_step(td, read), SSDC_COPY);
	KUNIT_ASSERT_EQ(test, td_step(td, read), SSDC_COMPLETE);
	TD_EXPECT_DONE(td, read);
	KUNIT_EXPECT_EQ(test, read->data[2], write->version);
	KUNIT_EXPECT_STREQ(test, td_list(td, 0), "B A");
	TD_EXPECT_STAT(td, "read_pages", 1);
	TD_EXPECT_STAT(td, "read_hits", 1);
}

/* From the third copy on, new writes of the page wait. The first two cost them nothing. */
static void request_read_is_overtaken_twice_at_most(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *read, *beside, *writes[3];
	unsigned int i;

	td_fill(td, 0, 1);
	read = td_begin(td, SSDC_READ, 0, 4);
	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, td_step(td, read), SSDC_COPY);
		writes[i] = td_submit(td, SSDC_WRITE, 4, 1);
		TD_EXPECT_DONE(td, writes[i]);
	}
	/* The end of a write that is being copied already lets no other one in. */
	beside = td_begin(td, SSDC_WRITE, 6, 2);
	KUNIT_ASSERT_EQ(test, td_step(td, beside), SSDC_COPY);
	KUNIT_ASSERT_EQ(test, td_step(td, read), SSDC_COPY);
	writes[2] = td_submit(td, SSDC_WRITE, 4, 1);
	KUNIT_EXPECT_EQ(test, writes[2]->action, SSDC_WAIT);
	td_run(td, beside);
	TD_EXPECT_DONE(td, beside);
	td_run_ready(td);
	KUNIT_EXPECT_FALSE(test, writes[2]->done);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_COMPLETE);
	TD_EXPECT_DONE(td, read);
	td_run_ready(td);
	TD_EXPECT_DONE(td, writes[2]);
	td_load(td, 0, 1);
	TD_EXPECT_STAT(td, "page_waits", 2);
}

/* The page may be gone by then. */
static void request_read_that_a_write_overtakes_finds_the_page_evicted(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *read, *flush;

	td_fill(td, 0, 1);
	read = td_begin(td, SSDC_READ, 0, 8);
	KUNIT_ASSERT_EQ(test, td_step(td, read), SSDC_COPY);
	td_fill(td, 0, 1);
	flush = td_flush(td);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	td_fill(td, 20, TD_FRAMES - 1);
	td_write_page(td, 40);
	td_run(td, read);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
}

static void request_waits_while_a_page_has_too_many_copies(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *reads[SSDC_MAX_PINS], *read, *write;
	u32 i;

	td_fill(td, 0, 1);
	for (i = 0; i < SSDC_MAX_PINS; i++) {
		reads[i] = td_begin(td, SSDC_READ, 0, 8);
		KUNIT_ASSERT_EQ(test, td_step(td, reads[i]), SSDC_COPY);
	}
	read = td_submit(td, SSDC_READ, 0, 8);
	write = td_submit(td, SSDC_WRITE, 0, 8);
	KUNIT_EXPECT_EQ(test, read->action, SSDC_WAIT);
	KUNIT_EXPECT_EQ(test, write->action, SSDC_WAIT);
	for (i = 0; i < SSDC_MAX_PINS; i++) {
		td_run(td, reads[i]);
		TD_EXPECT_DONE(td, reads[i]);
	}
	td_run_ready(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_DONE(td, write);
}

/* An origin of four steps, and DRAM for all of it. */
static struct td *long_td(struct kunit *test, const char *admission)
{
	struct ssdc_params params = td_params();

	params.origin_sectors = 4 * SSDC_STEP_SECTORS;
	params.dram_bytes = params.origin_sectors << SSDC_SECTOR_SHIFT;
	params.admission = admission;
	return td_new(test, &params);
}

/* The lock is dropped after SSDC_STEP_SECTORS; the request is one to everyone else. */
static void request_long_read_takes_several_steps(struct kunit *test)
{
	struct td *td = long_td(test, "write-buffer");
	struct td_host *read = td_begin(td, SSDC_READ, 0, 2 * SSDC_STEP_SECTORS + 8);

	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_AGAIN);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_AGAIN);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_READ_ORIGIN);
	EXPECT_SEG(read, 0u, 0u, SSDC_STEP_SECTORS);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_READ_ORIGIN);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_READ_ORIGIN);
	EXPECT_SEG(read, 0u, 2 * SSDC_STEP_SECTORS, 8u);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_WAIT);
	while (!list_empty(&td->subs))
		td_end_sub(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_STAT(td, "reads", 1);
	TD_EXPECT_STAT(td, "read_pages", 513);
	KUNIT_EXPECT_EQ(test, td->e->latency[SSDC_READ].count, 1ULL);
}

static void request_long_fua_write_takes_several_steps(struct kunit *test)
{
	struct td *td = long_td(test, "read-write");
	struct td_host *write = td_begin(td, SSDC_WRITE, 0, 2 * SSDC_STEP_SECTORS + 8);
	unsigned int i;

	write->rq.host.fua = true;
	for (i = 0; i < 513; i++)
		KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_COPY);
	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_AGAIN);
	KUNIT_EXPECT_EQ(test, td->e->flushing_pages, 256u);
	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_AGAIN);
	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_WAIT);
	KUNIT_EXPECT_EQ(test, td->e->flushing_pages, 513u);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_STAT(td, "writes", 1);
	TD_EXPECT_STAT(td, "write_pages", 513);
	KUNIT_EXPECT_EQ(test, td->e->latency[SSDC_WRITE].count, 1ULL);
}

/* Call ssdc_step() until it is measuring a run of missing pages, or returns another action. */
static enum ssdc_action hold_until_run(struct td *td, struct td_host *host)
{
	enum ssdc_action action;

	do {
		action = td_hold(td, host);
	} while (action == SSDC_MORE && !(host->rq.phase == SSDC_RQ_PAGES && host->rq.run));
	return action;
}

/* The driver drops the lock after a few decisions. Fills begin when all are taken, side by side. */
static void request_long_read_is_decided_in_pieces(struct kunit *test)
{
	struct td *td = long_td(test, "read-write");
	struct td_host *read = td_begin(td, SSDC_READ, 0, SSDC_STEP_SECTORS);
	enum ssdc_action action;
	unsigned int holds = 0;
	u64 before;

	do {
		before = td->e->stats.read_pages;
		action = td_hold(td, read);
		KUNIT_EXPECT_LE(test, td->e->stats.read_pages - before, (u64)SSDC_HOLD_WORK / 4);
		if (td->e->stats.read_pages < 256)
			KUNIT_EXPECT_FALSE(test, ssdc_has_queued(td->e));
		holds++;
	} while (action == SSDC_MORE);
	KUNIT_EXPECT_EQ(test, action, SSDC_WAIT);
	KUNIT_EXPECT_GE(test, holds, 256 * 4 / SSDC_HOLD_WORK);
	KUNIT_EXPECT_TRUE(test, ssdc_has_queued(td->e));
	td_settle(td);
	TD_EXPECT_DONE(td, read);
}

static bool is_being_filled(struct td *td, u64 page)
{
	ssdc_frame_t frame = ssdc_lookup(td->e, ssdc_page(page));

	return frame != SSDC_NO_FRAME && (ssdc_entry_at(td->e, frame)->flags & SSDC_E_FILL);
}

/* A page that has entered for the read is written before its fill: that is not needed any more. */
static void request_write_between_the_pieces_of_a_read(struct kunit *test)
{
	struct td *td = long_td(test, "read-write");
	struct td_host *read = td_begin(td, SSDC_READ, 0, 32 * TD_PAGE_SECTORS);
	struct td_host *write, *part, *other;

	KUNIT_ASSERT_EQ(test, td_hold(td, read), SSDC_MORE);
	write = td_write_page(td, 0);
	TD_EXPECT_DONE(td, write);
	part = td_submit(td, SSDC_WRITE, TD_PAGE_SECTORS, 1);
	TD_EXPECT_DONE(td, part);
	/* Another read of a page without data goes past DRAM. */
	other = td_submit(td, SSDC_READ, 2 * TD_PAGE_SECTORS, TD_PAGE_SECTORS);
	KUNIT_EXPECT_EQ(test, other->action, SSDC_BYPASS);
	td_run(td, read);
	KUNIT_EXPECT_FALSE(test, is_being_filled(td, 0));
	KUNIT_EXPECT_FALSE(test, is_being_filled(td, 1));
	KUNIT_EXPECT_TRUE(test, is_being_filled(td, 2));
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_DONE(td, other);
	TD_EXPECT_STAT(td, "write_hits", 2);
}

/* Likewise, a discard drops it. */
static void request_discard_between_the_pieces_of_a_read(struct kunit *test)
{
	struct td *td = long_td(test, "read-write");
	struct td_host *read = td_begin(td, SSDC_READ, 0, 32 * TD_PAGE_SECTORS);
	struct td_host *discard;

	KUNIT_ASSERT_EQ(test, td_hold(td, read), SSDC_MORE);
	discard = td_submit(td, SSDC_DISCARD, 0, TD_PAGE_SECTORS);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	td_run(td, read);
	td_end_forward(td, 0);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_DONE(td, discard);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
}

/* A dirty victim returns, and needs no fill: the next call must not find it as a hit. */
static void request_victim_taken_back_is_decided_about_once(struct kunit *test)
{
	struct td *td = td_admission(test, "read-write");
	struct td_host *read, *write;

	td->e->hold_work = 1;
	td_fill(td, 0, TD_FRAMES);
	write = td_write_page(td, 20);
	read = td_read_page(td, 0);
	TD_EXPECT_STAT(td, "admitted_reads", 1);
	TD_EXPECT_STAT(td, "read_pages", 1);
	TD_EXPECT_STAT(td, "read_hits", 0);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_DONE(td, read);
}

/* A page enters within a run of missing pages that has been looked up: the run begins again. */
static void request_write_into_the_run_of_a_read(struct kunit *test)
{
	struct td *td = long_td(test, "write-buffer");
	struct td_host *read = td_begin(td, SSDC_READ, 0, SSDC_STEP_SECTORS);
	struct td_host *write;

	KUNIT_ASSERT_EQ(test, hold_until_run(td, read), SSDC_MORE);
	write = td_write_page(td, 1);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_EQ(test, td_hold(td, read), SSDC_READ_ORIGIN);
	EXPECT_SEG(read, 0u, 0u, TD_PAGE_SECTORS);
	td_run(td, read);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_STAT(td, "bypassed_reads", 2);
}

/*
 * A driver without data is not told of copies that nothing depends on. The read of a page that a
 * write waits for pins that, so that the end of the copy wakes the write, as it does otherwise.
 */
static void request_copies_that_take_no_time(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct ssdc_request write, read;
	struct ssdc_segment seg;

	td_fill(td, 0, 2);
	ssdc_set_instant_copies(td->e, true);
	ssdc_request_init(&write, SSDC_WRITE, 2 * TD_PAGE_SECTORS, 2 * TD_PAGE_SECTORS, td->now_ns);
	KUNIT_EXPECT_EQ(test, ssdc_step(td->e, &write, td->now_ns, &seg), SSDC_COMPLETE);
	TD_EXPECT_STAT(td, "write_pages", 4);
	ssdc_request_init(&read, SSDC_READ, 1, 3 * TD_PAGE_SECTORS, td->now_ns);
	KUNIT_EXPECT_EQ(test, ssdc_step(td->e, &read, td->now_ns, &seg), SSDC_COMPLETE);
	TD_EXPECT_STAT(td, "read_hits", 4);
	TD_EXPECT_STAT(td, "host_inflight", 0);

	ssdc_want_flush(td->e, ssdc_lookup(td->e, ssdc_page(1)), SSDC_FLUSH_FORCED);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	ssdc_request_init(&write, SSDC_WRITE, TD_PAGE_SECTORS, TD_PAGE_SECTORS, td->now_ns);
	KUNIT_EXPECT_EQ(test, ssdc_step(td->e, &write, td->now_ns, &seg), SSDC_WAIT);
	ssdc_request_init(&read, SSDC_READ, TD_PAGE_SECTORS, TD_PAGE_SECTORS, td->now_ns);
	KUNIT_EXPECT_EQ(test, ssdc_step(td->e, &read, td->now_ns, &seg), SSDC_COPY);
	KUNIT_EXPECT_EQ(test, ssdc_step(td->e, &read, td->now_ns, &seg), SSDC_COMPLETE);
	KUNIT_EXPECT_PTR_EQ(test, ssdc_next_ready(td->e), &write);
	KUNIT_EXPECT_EQ(test, ssdc_step(td->e, &write, td->now_ns, &seg), SSDC_WAIT);
	td_end_io(td, 0, 0);
	KUNIT_EXPECT_PTR_EQ(test, ssdc_next_ready(td->e), &write);
	KUNIT_EXPECT_EQ(test, ssdc_step(td->e, &write, td->now_ns, &seg), SSDC_COMPLETE);
	KUNIT_EXPECT_EQ(test, td->e->host_inflight, 0u);
	td_check(td);
}

static struct kunit_case request_cases[] = {
	KUNIT_CASE(request_write_miss_takes_a_free_frame),
	KUNIT_CASE(request_write_hit_reuses_the_frame),
	KUNIT_CASE(request_write_is_cut_at_page_bounds),
	KUNIT_CASE(request_written_sectors_are_valid_after_the_copy),
	KUNIT_CASE(request_read_hit_starts_no_io),
	KUNIT_CASE(request_read_of_a_partly_valid_page),
	KUNIT_CASE(request_read_of_a_partly_valid_page_is_one_hit),
	KUNIT_CASE(request_read_of_the_valid_part_hits),
	KUNIT_CASE(request_read_alternates_between_dram_and_origin),
	KUNIT_CASE(request_copy_leaves_work_to_the_worker),
	KUNIT_CASE(request_bypass_leaves_work_to_the_worker),
	KUNIT_CASE(request_write_buffer_reads_past_dram),
	KUNIT_CASE(request_read_write_caches_what_it_reads),
	KUNIT_CASE(request_small_read_brings_the_whole_page),
	KUNIT_CASE(request_missed_pages_are_read_side_by_side),
	KUNIT_CASE(request_two_reads_share_a_fill),
	KUNIT_CASE(request_read_larger_than_dram),
	KUNIT_CASE(request_reads_no_page_that_it_evicts),
	KUNIT_CASE(request_decides_page_by_page),
	KUNIT_CASE(request_read_waits_for_a_copy),
	KUNIT_CASE(request_write_joins_a_page_that_is_read),
	KUNIT_CASE(request_ids_are_in_order_of_arrival),
	KUNIT_CASE(request_latency_is_from_arrival_to_completion),
	KUNIT_CASE(request_inflight_is_counted_until_completion),
	KUNIT_CASE(request_last_page_of_an_odd_origin_is_whole),
	KUNIT_CASE(request_last_page_of_an_odd_origin_is_filled),
	KUNIT_CASE(request_last_page_of_an_odd_origin_is_read),
	KUNIT_CASE_PARAM(request_alternating_sectors, page_kb_gen_params),
	KUNIT_CASE_PARAM(request_every_page_size_keeps_data, page_kb_gen_params),
	KUNIT_CASE(request_write_waits_for_a_write_of_the_same_sectors),
	KUNIT_CASE(request_read_waits_for_a_write_of_the_same_sectors),
	KUNIT_CASE(request_read_that_a_write_overtakes_copies_again),
	KUNIT_CASE(request_read_is_overtaken_twice_at_most),
	KUNIT_CASE(request_read_that_a_write_overtakes_finds_the_page_evicted),
	KUNIT_CASE(request_waits_while_a_page_has_too_many_copies),
	KUNIT_CASE(request_long_read_takes_several_steps),
	KUNIT_CASE(request_long_fua_write_takes_several_steps),
	KUNIT_CASE(request_long_read_is_decided_in_pieces),
	KUNIT_CASE(request_write_between_the_pieces_of_a_read),
	KUNIT_CASE(request_discard_between_the_pieces_of_a_read),
	KUNIT_CASE(request_write_into_the_run_of_a_read),
	KUNIT_CASE(request_victim_taken_back_is_decided_about_once),
	KUNIT_CASE(request_copies_that_take_no_time),
	{}
};

static struct kunit_suite request_suite = {
	.name = "ssdcache_request",
	.exit = td_exit,
	.test_cases = request_cases,
};

kunit_test_suite(request_suite);
