// SPDX-License-Identifier: GPL-2.0
#include "driver.h"

/* 1021 sectors: page 127 has sectors 1016 to 1020 only. */
static struct td *odd_origin(struct kunit *test)
{
	struct ssdc_params params = td_params();

	params.origin_sectors = 1021;
	return td_new(test, &params);
}

static void size_last_page_of_an_odd_origin_is_whole(struct kunit *test)
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

static void size_last_page_of_an_odd_origin_is_filled(struct kunit *test)
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

static void size_last_page_of_an_odd_origin_is_read(struct kunit *test)
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
static void size_alternating_sectors(struct kunit *test)
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
static void size_every_page_size_keeps_data(struct kunit *test)
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

static struct kunit_case size_cases[] = {
	KUNIT_CASE(size_last_page_of_an_odd_origin_is_whole),
	KUNIT_CASE(size_last_page_of_an_odd_origin_is_filled),
	KUNIT_CASE(size_last_page_of_an_odd_origin_is_read),
	KUNIT_CASE_PARAM(size_alternating_sectors, page_kb_gen_params),
	KUNIT_CASE_PARAM(size_every_page_size_keeps_data, page_kb_gen_params),
	{}
};

static struct kunit_suite size_suite = {
	.name = "ssdcache_size",
	.exit = td_exit,
	.test_cases = size_cases,
};

kunit_test_suite(size_suite);
