// SPDX-License-Identifier: GPL-2.0
#include "driver.h"

/* While a write is copied, its sectors are neither old nor new. */
static void copy_read_waits_for_a_copy(struct kunit *test)
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

/* A sector must never hold bytes of both. */
static void copy_write_waits_for_a_write_of_the_same_sectors(struct kunit *test)
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

static void copy_read_waits_for_a_write_of_the_same_sectors(struct kunit *test)
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
static void copy_read_that_a_write_overtakes_copies_again(struct kunit *test)
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
static void copy_read_is_overtaken_twice_at_most(struct kunit *test)
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
static void copy_read_that_a_write_overtakes_finds_the_page_evicted(struct kunit *test)
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

static void copy_waits_while_a_page_has_too_many_copies(struct kunit *test)
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

/*
 * A driver without data is not told of copies that nothing depends on. The read of a page that a
 * write waits for pins that, so that the end of the copy wakes the write, as it does otherwise.
 */
static void copy_that_takes_no_time(struct kunit *test)
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
	ssdc_request_init(&write, SSDC_WRITE, TD_PAGE_SECTORS, TD_PAGE_SECTORS, td->now_ns);
	KUNIT_EXPECT_EQ(test, ssdc_step(td->e, &write, td->now_ns, &seg), SSDC_WAIT);
	ssdc_request_init(&read, SSDC_READ, TD_PAGE_SECTORS, TD_PAGE_SECTORS, td->now_ns);
	KUNIT_EXPECT_EQ(test, ssdc_step(td->e, &read, td->now_ns, &seg), SSDC_COPY);
	KUNIT_EXPECT_EQ(test, ssdc_step(td->e, &read, td->now_ns, &seg), SSDC_COMPLETE);
	KUNIT_EXPECT_PTR_EQ(test, ssdc_next_ready(td->e), &write);
	KUNIT_EXPECT_EQ(test, ssdc_step(td->e, &write, td->now_ns, &seg), SSDC_WAIT);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	td_end_io(td, 0, 0);
	KUNIT_EXPECT_PTR_EQ(test, ssdc_next_ready(td->e), &write);
	KUNIT_EXPECT_EQ(test, ssdc_step(td->e, &write, td->now_ns, &seg), SSDC_COMPLETE);
	KUNIT_EXPECT_EQ(test, td->e->host_inflight, 0u);
	td_check(td);
}

static struct kunit_case copy_cases[] = {
	KUNIT_CASE(copy_read_waits_for_a_copy),
	KUNIT_CASE(copy_write_waits_for_a_write_of_the_same_sectors),
	KUNIT_CASE(copy_read_waits_for_a_write_of_the_same_sectors),
	KUNIT_CASE(copy_read_that_a_write_overtakes_copies_again),
	KUNIT_CASE(copy_read_is_overtaken_twice_at_most),
	KUNIT_CASE(copy_read_that_a_write_overtakes_finds_the_page_evicted),
	KUNIT_CASE(copy_waits_while_a_page_has_too_many_copies),
	KUNIT_CASE(copy_that_takes_no_time),
	{}
};

static struct kunit_suite copy_suite = {
	.name = "ssdcache_copy",
	.exit = td_exit,
	.test_cases = copy_cases,
};

kunit_test_suite(copy_suite);
