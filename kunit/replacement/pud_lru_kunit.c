// SPDX-License-Identifier: GPL-2.0
/* Blocks of four pages: A to D, E to H, ... */
#include "../engine/driver.h"

/* PUDs 16/4, 12/4, 8/4 and 4/4: two are above the mean, of the same size. The larger one leaves. */
static void pud_lru_largest_distance_leaves(struct kunit *test)
{
	struct td *td = td_simple(test, "pud-lru:block=4");

	td_fill(td, 0, 4);
	td_fill(td, 4, 4);
	td_fill(td, 8, 4);
	td_fill(td, 12, 4);
	td_fill(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 3));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 4));
}

/* A to D have been written three times: 24/12, which is below the mean. */
static void pud_lru_updated_block_stays(struct kunit *test)
{
	struct td *td = td_simple(test, "pud-lru:block=4");

	td_fill(td, 0, 4);
	td_fill(td, 4, 4);
	td_fill(td, 8, 4);
	td_fill(td, 12, 4);
	td_fill(td, 0, 4);
	td_fill(td, 0, 4);
	td_fill(td, 20, 1);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 0));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 4));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 7));
}

/* A and B, 16/2, and E to H, 14/4, are above the mean: the larger block leaves. */
static void pud_lru_block_with_most_pages_leaves(struct kunit *test)
{
	struct td *td = td_simple(test, "pud-lru:block=4");

	td_fill(td, 0, 2);
	td_fill(td, 4, 4);
	td_fill(td, 8, 4);
	td_fill(td, 12, 4);
	td_fill(td, 16, 2);
	td_fill(td, 20, 1);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 0));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 4));
	TD_EXPECT_POLICY_STAT(td, "full_blocks", 1);
}

/* A to D are read, E to P written, D read again. Then one more page evicts A to D, or E to H. */
static void read_a_block(struct kunit *test, const char *spec, bool stays)
{
	struct td *td = td_simple(test, spec);

	td_load(td, 0, 3);
	td_fill(td, 4, 4);
	td_fill(td, 8, 4);
	td_fill(td, 12, 4);
	td_load(td, 3, 1);
	td_fill(td, 20, 1);
	KUNIT_EXPECT_EQ(test, td_cached(td, 0), stays);
	KUNIT_EXPECT_EQ(test, td_cached(td, 3), stays);
	KUNIT_EXPECT_EQ(test, td_cached(td, 4), !stays);
}

/*
 * A to D were read, before the 12 page writes: 12/1. E to H are 12/4, and the mean is 4.5. A to D
 * leave, although D was read last.
 */
static void pud_lru_block_that_is_read(struct kunit *test)
{
	read_a_block(test, "pud-lru:block=4", false);
}

/* A to D, which were read, are the least recent block until D is read: then E to H are. */
static void pud_lru_read_makes_block_recent(struct kunit *test)
{
	read_a_block(test, "pud-lru:block=4,candidates=1", true);
}

/* candidates=1: the least recently written block. */
static void pud_lru_candidates_are_bounded(struct kunit *test)
{
	struct td *td = td_simple(test, "pud-lru:block=4,candidates=1");

	td_fill(td, 0, 1);
	td_fill(td, 4, 4);
	td_fill(td, 8, 4);
	td_fill(td, 12, 4);
	td_fill(td, 16, 3);
	td_fill(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 4));
}

static struct kunit_case pud_lru_cases[] = {
	KUNIT_CASE(pud_lru_largest_distance_leaves),
	KUNIT_CASE(pud_lru_updated_block_stays),
	KUNIT_CASE(pud_lru_block_with_most_pages_leaves),
	KUNIT_CASE(pud_lru_block_that_is_read),
	KUNIT_CASE(pud_lru_read_makes_block_recent),
	KUNIT_CASE(pud_lru_candidates_are_bounded),
	{}
};

static struct kunit_suite pud_lru_suite = {
	.name = "ssdcache_pud_lru",
	.exit = td_exit,
	.test_cases = pud_lru_cases,
};

kunit_test_suite(pud_lru_suite);
