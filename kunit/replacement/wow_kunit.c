// SPDX-License-Identifier: GPL-2.0
/* Blocks of four pages: A to D, E to H, ... */
#include "../engine/driver.h"

static void wow_blocks_leave_by_address(struct kunit *test)
{
	struct td *td = td_simple(test, "wow:block=4");

	td_fill(td, 8, 4);
	td_fill(td, 0, 4);
	td_fill(td, 12, 4);
	td_fill(td, 4, 4);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "A B C D | E F G H | I J K L | M N O P");
}

/* A was written again: its block is spared for a round. */
static void wow_block_written_again_is_spared(struct kunit *test)
{
	struct td *td = td_simple(test, "wow:block=4");

	td_fill(td, 8, 4);
	td_fill(td, 0, 4);
	td_fill(td, 12, 4);
	td_fill(td, 4, 4);
	td_fill(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "E F G H | I J K L | M N O P | A B C D");
	TD_EXPECT_POLICY_STAT(td, "spared", 1);
	TD_EXPECT_POLICY_STAT(td, "rounds", 1);
}

/* The hand stands behind D: one that enters there waits for the next round, one ahead leaves. */
static void wow_hand_goes_on(struct kunit *test)
{
	struct td *td = td_simple(test, "wow:block=4");

	td_fill(td, 8, 4);
	td_fill(td, 0, 4);
	td_fill(td, 12, 4);
	td_fill(td, 4, 4);
	td_fill(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 3));
	td_fill(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "E F G H | I J K L | M N O P | U | A");
}

static void wow_reads_change_nothing(struct kunit *test)
{
	struct td *td = td_simple(test, "wow:block=4");

	td_fill(td, 8, 4);
	td_fill(td, 0, 4);
	td_fill(td, 12, 4);
	td_fill(td, 4, 4);
	td_load(td, 0, 4);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "A B C D | E F G H | I J K L | M N O P");
}

/* Two blocks are spared, the third leaves although it was written again. */
static void wow_looks_are_bounded(struct kunit *test)
{
	struct td *td = td_simple(test, "wow:block=4,looks=2");

	td_fill(td, 8, 4);
	td_fill(td, 0, 4);
	td_fill(td, 12, 4);
	td_fill(td, 4, 4);
	td_fill(td, 0, TD_FRAMES);
	td_fill(td, 20, 1);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 0));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 4));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 8));
	TD_EXPECT_POLICY_STAT(td, "spared", 2);
	TD_EXPECT_POLICY_STAT(td, "cut_short", 1);
}

static struct kunit_case wow_cases[] = {
	KUNIT_CASE(wow_blocks_leave_by_address),
	KUNIT_CASE(wow_block_written_again_is_spared),
	KUNIT_CASE(wow_hand_goes_on),
	KUNIT_CASE(wow_reads_change_nothing),
	KUNIT_CASE(wow_looks_are_bounded),
	{}
};

static struct kunit_suite wow_suite = {
	.name = "ssdcache_wow",
	.exit = td_exit,
	.test_cases = wow_cases,
};

kunit_test_suite(wow_suite);
