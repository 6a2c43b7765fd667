// SPDX-License-Identifier: GPL-2.0
/* BPLRU with blocks of four pages: A B C D, E F G H, I J K L, M N O P, … */
#include "../engine/driver.h"

#define SPEC "bplru:block=4,width=1"

static void write_pages(struct td *td, const char *letters)
{
	for (; *letters; letters++)
		td_fill(td, *letters - 'A', 1);
}

static void bplru_least_recently_written_block_first(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "AEIB");
	KUNIT_EXPECT_STREQ(test, td_batches(td), "E | I | A B");
}

/* One hot page keeps its whole block cached, as [Lin22] observes on ts_0. */
static void bplru_a_write_moves_the_whole_block(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "ACDEGIA");
	KUNIT_EXPECT_STREQ(test, td_batches(td), "E G | I | A C D");
}

static void bplru_a_read_does_not(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "AE");
	td_load(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "A | E");
}

/* LRU compensation: I to L were written sequentially to the end of the block. */
static void bplru_sequential_block_leaves_first(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "AEIJKL");
	TD_EXPECT_POLICY_STAT(td, "sequential_blocks", 1);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "I J K L | A | E");
	TD_EXPECT_POLICY_STAT(td, "full_blocks", 1);
}

static void bplru_sequential_in_one_request(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "A");
	td_submit(td, SSDC_WRITE, 4 * 8, 6 * 8);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "E F G H | A | I J");
}

/* Writes of half a page: the same page twice does not break the sequence. */
static void bplru_sequential_by_half_pages(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);
	unsigned int i;

	write_pages(td, "E");
	for (i = 0; i < 8; i++)
		td_submit(td, SSDC_WRITE, 4 * i, 4);
	TD_EXPECT_POLICY_STAT(td, "sequential_blocks", 1);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "A B C D | E");
}

static void bplru_out_of_order_is_not_sequential(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "EACBD");
	TD_EXPECT_POLICY_STAT(td, "sequential_blocks", 0);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "E | A B C D");
}

static void bplru_not_from_its_first_page_is_not_sequential(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "EABCBCD");
	TD_EXPECT_POLICY_STAT(td, "sequential_blocks", 0);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "E | A B C D");
}

/* Written sequentially to the end, but B was dropped: the block is not full. */
static void bplru_with_a_page_missing_is_not_sequential(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "EABC");
	td_submit(td, SSDC_DISCARD, 8, 8);
	td_settle(td);
	write_pages(td, "D");
	TD_EXPECT_POLICY_STAT(td, "sequential_blocks", 0);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "E | A C D");
}

/* The next write to a compensated block moves it like any other. */
static void bplru_sequential_block_is_used_again(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "EABCD");
	write_pages(td, "B");
	KUNIT_EXPECT_STREQ(test, td_batches(td), "E | A B C D");
}

static void bplru_sequential_block_is_rewritten_sequentially(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "EABCD");
	write_pages(td, "ABCD");
	TD_EXPECT_POLICY_STAT(td, "sequential_blocks", 2);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "A B C D | E");
}

/* Writes to other blocks do not break a sequence. */
static void bplru_two_streams(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "MAEBFCGDH");
	TD_EXPECT_POLICY_STAT(td, "sequential_blocks", 2);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "E F G H | A B C D | M");
}

static void bplru_a_page_read_in_moves_its_block(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "AE");
	td_load(td, 1, 1);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "E | A B");
}

/* Room for four blocks of 4; [Lin22] notes that pages of a block are unevenly hot. */
static void bplru_evicts_whole_blocks(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "ACDEGHIKLMOPQSTU");
	td_fill(td, 40, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 3));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 4));
	TD_EXPECT_STAT(td, "evictions", 1);
	TD_EXPECT_STAT(td, "evicted_pages", 3);
	KUNIT_EXPECT_EQ(test, td_free_frames(td), 2);
}

static void bplru_adopts_by_block(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct ssdc_error error = {};
	struct ssdc_plugin *next;

	write_pages(td, "AEBIF");
	next = ssdc_plugin_create(SSDC_REPLACEMENT, SPEC, &td->e->tier, &error);
	KUNIT_ASSERT_NOT_NULL(test, next);
	ssdc_switch_begin(td->e, (struct ssdc_replacement *)next);
	ssdc_plugin_destroy(&ssdc_switch_step(td->e)->plugin);
	/* blocks are in order of their most recent pages */
	KUNIT_EXPECT_STREQ(test, td_batches(td), "A B | I | E F");
}

static struct kunit_case bplru_cases[] = {
	KUNIT_CASE(bplru_least_recently_written_block_first),
	KUNIT_CASE(bplru_a_write_moves_the_whole_block),
	KUNIT_CASE(bplru_a_read_does_not),
	KUNIT_CASE(bplru_sequential_block_leaves_first),
	KUNIT_CASE(bplru_sequential_in_one_request),
	KUNIT_CASE(bplru_sequential_by_half_pages),
	KUNIT_CASE(bplru_out_of_order_is_not_sequential),
	KUNIT_CASE(bplru_not_from_its_first_page_is_not_sequential),
	KUNIT_CASE(bplru_with_a_page_missing_is_not_sequential),
	KUNIT_CASE(bplru_sequential_block_is_used_again),
	KUNIT_CASE(bplru_sequential_block_is_rewritten_sequentially),
	KUNIT_CASE(bplru_two_streams),
	KUNIT_CASE(bplru_a_page_read_in_moves_its_block),
	KUNIT_CASE(bplru_evicts_whole_blocks),
	KUNIT_CASE(bplru_adopts_by_block),
	{}
};

static struct kunit_suite bplru_suite = {
	.name = "ssdcache_bplru",
	.exit = td_exit,
	.test_cases = bplru_cases,
};

kunit_test_suite(bplru_suite);
