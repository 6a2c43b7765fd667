// SPDX-License-Identifier: GPL-2.0
#include "driver.h"

static struct td *write_buffer(struct kunit *test)
{
	struct ssdc_params params = td_params();

	params.admission = "write-buffer";
	return td_new(test, &params);
}

/* Valid ..xxx...: from the origin, from DRAM, from the origin. */
static void read_of_a_partly_valid_page(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *write = td_submit(td, SSDC_WRITE, 2, 3);
	struct td_host *read = td_begin(td, SSDC_READ, 0, 8);
	u32 i;

	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_READ_ORIGIN);
	TD_EXPECT_SEG(td, read, 0u, 0u, 2u);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_COPY);
	TD_EXPECT_SEG(td, read, 2u, 2u, 3u);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_READ_ORIGIN);
	TD_EXPECT_SEG(td, read, 0u, 5u, 3u);
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

static void read_of_the_valid_part_hits(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *read;

	td_submit(td, SSDC_WRITE, 2, 3);
	read = td_submit(td, SSDC_READ, 3, 2);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_STAT(td, "read_hits", 1);
}

/* Sectors of A: xx......, no sector of these, and x.x.x.x.: one hit each, by the page alone. */
static void read_of_a_partly_valid_page_is_one_hit(struct kunit *test)
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
static void read_alternates_between_dram_and_origin(struct kunit *test)
{
	struct td *td = write_buffer(test);
	struct td_host *read;

	td_submit(td, SSDC_WRITE, 0, 2);
	td_submit(td, SSDC_WRITE, 6, 2);
	read = td_begin(td, SSDC_READ, 0, 24);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_COPY);
	TD_EXPECT_SEG(td, read, 0u, 0u, 2u);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_READ_ORIGIN);
	TD_EXPECT_SEG(td, read, 0u, 2u, 4u);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_COPY);
	TD_EXPECT_SEG(td, read, 6u, 6u, 2u);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_READ_ORIGIN);
	TD_EXPECT_SEG(td, read, 0u, 8u, 16u);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_WAIT);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
}

static void read_goes_past_a_write_buffer(struct kunit *test)
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

static void read_enters_if_admitted(struct kunit *test)
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
static void read_of_a_sector_brings_the_whole_page(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_submit(td, SSDC_READ, 59, 1);
	td_start_ios(td);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.sector, 56ULL);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.nr_sectors, 8u);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, *ssdc_valid_mask(td->e, ssdc_frame(0)), 0xff);
}

static void read_starts_its_fills_side_by_side(struct kunit *test)
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

static void read_shares_a_fill_with_another(struct kunit *test)
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
static void read_larger_than_dram(struct kunit *test)
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
static void read_skips_pages_that_it_evicts(struct kunit *test)
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
static void read_decides_page_by_page(struct kunit *test)
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

static void read_is_joined_by_a_write(struct kunit *test)
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

static struct kunit_case read_cases[] = {
	KUNIT_CASE(read_of_a_partly_valid_page),
	KUNIT_CASE(read_of_a_partly_valid_page_is_one_hit),
	KUNIT_CASE(read_of_the_valid_part_hits),
	KUNIT_CASE(read_alternates_between_dram_and_origin),
	KUNIT_CASE(read_goes_past_a_write_buffer),
	KUNIT_CASE(read_enters_if_admitted),
	KUNIT_CASE(read_of_a_sector_brings_the_whole_page),
	KUNIT_CASE(read_starts_its_fills_side_by_side),
	KUNIT_CASE(read_shares_a_fill_with_another),
	KUNIT_CASE(read_larger_than_dram),
	KUNIT_CASE(read_skips_pages_that_it_evicts),
	KUNIT_CASE(read_decides_page_by_page),
	KUNIT_CASE(read_is_joined_by_a_write),
	{}
};

static struct kunit_suite read_suite = {
	.name = "ssdcache_read",
	.exit = td_exit,
	.test_cases = read_cases,
};

kunit_test_suite(read_suite);
