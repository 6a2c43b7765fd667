// SPDX-License-Identifier: GPL-2.0
#include "driver.h"

static void request_write_miss_takes_a_free_frame(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *write = td_begin(td, SSDC_WRITE, 40, 8);

	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_COPY);
	KUNIT_EXPECT_TRUE(test, write->seg.frame == ssdc_frame(0));
	TD_EXPECT_SEG(td, write, 0u, 0u, 8u);
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
	TD_EXPECT_SEG(td, write, 4u, 0u, 4u);
	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_COPY);
	TD_EXPECT_SEG(td, write, 0u, 4u, 8u);
	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_COPY);
	TD_EXPECT_SEG(td, write, 0u, 12u, 6u);
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
	TD_EXPECT_SEG(td, read, 2u, 0u, 4u);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_COMPLETE);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	TD_EXPECT_STAT(td, "read_pages", 1);
	TD_EXPECT_STAT(td, "read_hits", 1);
	TD_EXPECT_STAT(td, "read_bytes", 4 * 512);
}

/* The flushes of a write's victims do not wait for the ends of its copies. */
static void request_copy_leaves_work_to_the_worker(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *hit, *write;

	td_fill(td, 0, TD_FRAMES);
	hit = td_begin(td, SSDC_WRITE, 0, 8);
	KUNIT_EXPECT_EQ(test, td_step(td, hit), SSDC_COPY);
	KUNIT_EXPECT_FALSE(test, ssdc_step_has_work(td->e, &hit->rq, SSDC_COPY));
	td_run(td, hit);
	write = td_begin(td, SSDC_WRITE, TD_FRAMES * TD_PAGE_SECTORS, 8);
	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_COPY);
	KUNIT_EXPECT_TRUE(test, ssdc_step_has_work(td->e, &write->rq, SSDC_COPY));
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
	KUNIT_EXPECT_TRUE(test, ssdc_step_has_work(td->e, &read->rq, SSDC_BYPASS));
	KUNIT_EXPECT_TRUE(test, ssdc_bypass_has_work(td->e, &read->rq));
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_DONE(td, write);
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

static struct kunit_case request_cases[] = {
	KUNIT_CASE(request_write_miss_takes_a_free_frame),
	KUNIT_CASE(request_write_hit_reuses_the_frame),
	KUNIT_CASE(request_write_is_cut_at_page_bounds),
	KUNIT_CASE(request_written_sectors_are_valid_after_the_copy),
	KUNIT_CASE(request_read_hit_starts_no_io),
	KUNIT_CASE(request_copy_leaves_work_to_the_worker),
	KUNIT_CASE(request_bypass_leaves_work_to_the_worker),
	KUNIT_CASE(request_ids_are_in_order_of_arrival),
	KUNIT_CASE(request_latency_is_from_arrival_to_completion),
	KUNIT_CASE(request_inflight_is_counted_until_completion),
	{}
};

static struct kunit_suite request_suite = {
	.name = "ssdcache_request",
	.exit = td_exit,
	.test_cases = request_cases,
};

kunit_test_suite(request_suite);
