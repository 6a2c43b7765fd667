// SPDX-License-Identifier: GPL-2.0
/*
 * VBBMS with the sizes of [Lin22]: of 16 frames, 9 are for random requests, in virtual blocks
 * of 3 pages (A B C, D E F, …), and 7 for sequential ones, in blocks of 4 (A B C D, …).
 */
#include "../engine/driver.h"

static void write_pages(struct td *td, const char *letters)
{
	for (; *letters; letters++)
		td_fill(td, *letters - 'A', 1);
}

static void write_run(struct td *td, char first, u32 pages)
{
	struct td_host *host = td_submit(td, SSDC_WRITE, (first - 'A') * TD_PAGE_SECTORS,
					 pages * TD_PAGE_SECTORS);

	td_settle(td);
	TD_EXPECT_DONE(td, host);
}

#define EXPECT_REGIONS(random, sequential) do { \
	TD_EXPECT_POLICY_STAT(td, "random_pages", random); \
	TD_EXPECT_POLICY_STAT(td, "sequential_pages", sequential); \
} while (0)

/* A sequential request has more pages than a sequential virtual block. */
static void vbbms_tells_requests_apart_by_size(struct kunit *test)
{
	struct td *td = td_simple(test, "vbbms");

	write_run(td, 'A', 4);
	EXPECT_REGIONS(4, 0);
	write_run(td, 'I', 5);
	EXPECT_REGIONS(4, 5);
	TD_EXPECT_POLICY_STAT(td, "random_writes", 1);
	TD_EXPECT_POLICY_STAT(td, "sequential_writes", 1);
}

/* A request as long as two pages that touches three counts as three. */
static void vbbms_counts_pages_that_a_request_touches(struct kunit *test)
{
	struct td *td = td_simple(test, "vbbms:sequential_from=2");

	td_submit(td, SSDC_WRITE, 3, 16);
	td_settle(td);
	EXPECT_REGIONS(0, 3);
}

static void vbbms_boundary_can_be_set(struct kunit *test)
{
	struct td *td = td_simple(test, "vbbms:sequential_from=1");

	write_run(td, 'A', 1);
	write_run(td, 'I', 2);
	EXPECT_REGIONS(1, 2);
}

static void vbbms_random_region_is_lru(struct kunit *test)
{
	struct td *td = td_simple(test, "vbbms");

	write_pages(td, "ADGB");
	td_load(td, 3, 1);
	TD_EXPECT_POLICY_STAT(td, "random_blocks", 3);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "G | A B | D");
	TD_EXPECT_POLICY_STAT(td, "random_victims", 3);
}

static void vbbms_sequential_region_is_fifo(struct kunit *test)
{
	struct td *td = td_simple(test, "vbbms:random_share=10");

	write_run(td, 'A', 6);
	write_run(td, 'I', 5);
	write_run(td, 'A', 6);
	write_pages(td, "A");
	TD_EXPECT_POLICY_STAT(td, "sequential_blocks", 4);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "A B C D | E F | I J K L | M");
	TD_EXPECT_POLICY_STAT(td, "sequential_victims", 4);
}

/* A new page joins its block, which keeps its place in the FIFO. */
static void vbbms_sequential_block_keeps_its_place(struct kunit *test)
{
	struct td *td = td_simple(test, "vbbms:random_share=10,sequential_from=1");

	write_run(td, 'A', 2);
	write_run(td, 'E', 2);
	write_run(td, 'C', 2);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "A B C D | E F");
}

/* Pages stay in the sequential region even if random requests use them. */
static void vbbms_pages_stay_in_their_region(struct kunit *test)
{
	struct td *td = td_simple(test, "vbbms");

	write_run(td, 'A', 5);
	write_pages(td, "ABF");
	EXPECT_REGIONS(1, 5);
	write_run(td, 'A', 6);
	EXPECT_REGIONS(1, 5);
}

/* Each region has its own blocks, even for the same addresses. */
static void vbbms_blocks_of_both_regions_at_one_place(struct kunit *test)
{
	struct td *td = td_simple(test, "vbbms:random_block=4");

	write_pages(td, "A");
	write_run(td, 'B', 5);
	EXPECT_REGIONS(1, 5);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "B C D | E F | A");
}

/* "By following the proportion of 3:2": the tenth random page evicts a random block. */
static void vbbms_each_region_evicts_from_itself(struct kunit *test)
{
	struct td *td = td_simple(test, "vbbms");

	write_pages(td, "ABCDEFGHI");
	EXPECT_REGIONS(9, 0);
	TD_EXPECT_STAT(td, "evictions", 0);
	write_pages(td, "J");
	EXPECT_REGIONS(7, 0);
	td_settle(td);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 2));
	TD_EXPECT_STAT(td, "evictions", 1);
	TD_EXPECT_STAT(td, "evicted_pages", 3);
	write_run(td, 'Q', 7);
	EXPECT_REGIONS(7, 7);
	write_run(td, 'Z', 5);
	/* pages 16 to 19 leave when the first of them arrives, 20 to 22 with the fifth */
	TD_EXPECT_POLICY_STAT(td, "random_victims", 1);
	TD_EXPECT_POLICY_STAT(td, "sequential_victims", 2);
	EXPECT_REGIONS(7, 5);
}

static void vbbms_may_borrow(struct kunit *test)
{
	struct td *td = td_simple(test, "vbbms:borrow=on");

	write_pages(td, "ABCDEFGHIJKLMNO");
	EXPECT_REGIONS(15, 0);
	TD_EXPECT_STAT(td, "evictions", 0);
	/* Borrowed frames are returned as soon as they are needed. */
	write_run(td, 'Q', 5);
	TD_EXPECT_POLICY_STAT(td, "sequential_victims", 0);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	EXPECT_REGIONS(9, 5);
}

static void expect_sizes_of_sha23(struct kunit *test, const char *spec)
{
	struct td *td = td_simple(test, spec);

	write_run(td, 'A', 6);
	EXPECT_REGIONS(6, 0);
	TD_EXPECT_POLICY_STAT(td, "random_blocks", 1);
	write_run(td, 'M', 7);
	EXPECT_REGIONS(6, 7);
	TD_EXPECT_POLICY_STAT(td, "sequential_blocks", 2);
}

/* [Sha23]: "6 and 8 pages, respectively". */
static void vbbms_sizes_of_sha23(struct kunit *test)
{
	expect_sizes_of_sha23(test, "vbbms:profile=sha23");
}

static void vbbms_older_name_of_sha23(struct kunit *test)
{
	expect_sizes_of_sha23(test, "vbbms:profile=s000");
}

static void vbbms_pages_read_in_are_random(struct kunit *test)
{
	struct td *td = td_simple(test, "vbbms");

	td_load(td, 0, 2);
	td_submit(td, SSDC_READ, 8 * TD_PAGE_SECTORS, 6 * TD_PAGE_SECTORS);
	td_settle(td);
	EXPECT_REGIONS(8, 0);
}

/* From LRU: the most recent pages fill the random region, the others the sequential one. */
static void vbbms_adopts_into_both_regions(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct ssdc_error error = {};
	struct ssdc_plugin *next;

	td_fill(td, 0, TD_FRAMES);
	next = ssdc_plugin_create(SSDC_REPLACEMENT, "vbbms", &td->e->tier, &error);
	KUNIT_ASSERT_NOT_NULL(test, next);
	ssdc_switch_begin(td->e, (struct ssdc_replacement *)next);
	ssdc_plugin_destroy(&ssdc_switch_step(td->e)->plugin);
	EXPECT_REGIONS(9, 7);
	TD_EXPECT_STAT(td, "evictions", 0);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "H I | J K L | M N O | P | A B C D | E F G");
}

static struct kunit_case vbbms_cases[] = {
	KUNIT_CASE(vbbms_tells_requests_apart_by_size),
	KUNIT_CASE(vbbms_counts_pages_that_a_request_touches),
	KUNIT_CASE(vbbms_boundary_can_be_set),
	KUNIT_CASE(vbbms_random_region_is_lru),
	KUNIT_CASE(vbbms_sequential_region_is_fifo),
	KUNIT_CASE(vbbms_sequential_block_keeps_its_place),
	KUNIT_CASE(vbbms_pages_stay_in_their_region),
	KUNIT_CASE(vbbms_blocks_of_both_regions_at_one_place),
	KUNIT_CASE(vbbms_each_region_evicts_from_itself),
	KUNIT_CASE(vbbms_may_borrow),
	KUNIT_CASE(vbbms_sizes_of_sha23),
	KUNIT_CASE(vbbms_older_name_of_sha23),
	KUNIT_CASE(vbbms_pages_read_in_are_random),
	KUNIT_CASE(vbbms_adopts_into_both_regions),
	{}
};

static struct kunit_suite vbbms_suite = {
	.name = "ssdcache_vbbms",
	.exit = td_exit,
	.test_cases = vbbms_cases,
};

kunit_test_suite(vbbms_suite);
