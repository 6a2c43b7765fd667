// SPDX-License-Identifier: GPL-2.0
/* Of 16 pages the correlation buffer has 1 with buffer=10; the bank 4, 5 or 8 with 25, 32 or 50. */
#include "../engine/driver.h"

#define SPEC "dulo:buffer=10,bank=50"

/* F is older than A to D, in the same bank. */
static void dulo_sequence_leaves_before_single_page(struct kunit *test)
{
	struct td *td = td_simple(test, "dulo:buffer=10,bank=32");

	td_fill(td, 5, 1);
	td_fill(td, 3, 1);
	td_fill(td, 0, 3);
	td_fill(td, 7, 1);
	td_background(td);
	TD_EXPECT_POLICY_STAT(td, "refills", 1);
	TD_EXPECT_POLICY_STAT(td, "sequences", 2);
	TD_EXPECT_POLICY_STAT(td, "buffer_pages", 1);
	TD_EXPECT_POLICY_STAT(td, "bank_pages", 0);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "A B C D | F | H");
}

static void dulo_longer_sequence_leaves_first(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	td_fill(td, 20, 2);
	td_fill(td, 0, 3);
	td_fill(td, 10, 1);
	td_fill(td, 13, 2);
	td_fill(td, 17, 1);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "A B C | N O | U V | K | R");
}

/*
 * Page 30 was the second to leave, with the key 1. So K to N have the key 1 + 1/4, which 46 to 52
 * have, too: these entered the bank after A to D had left with the key 1/4.
 */
static void dulo_old_single_pages_leave_before_new_sequence(struct kunit *test)
{
	struct td *td = td_simple(test, "dulo:buffer=10,bank=25,block=8");
	u32 i;

	td_fill(td, 0, 4);
	for (i = 0; i < 12; i++)
		td_fill(td, 30 + 2 * i, 1);
	td_fill(td, 10, 4);
	td_fill(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 30));
	KUNIT_EXPECT_STREQ(test, td_batches(td),
			   "32 | 34 | 36 | 38 | 40 | 42 | 44 | 46 | 48 | 50 | 52 | K L M N | U");
}

/* B to G are neighbours, D and E in blocks of their own. */
static void dulo_sequence_ends_with_its_block(struct kunit *test)
{
	struct td *td = td_simple(test, "dulo:buffer=10,bank=50,block=4");

	td_fill(td, 1, 6);
	td_fill(td, 10, 1);
	td_fill(td, 12, 1);
	td_fill(td, 20, 1);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "B C D | E F G | K | M | U");
}

/* B is used again: A and C keep the key of three pages, B is the most recent page. */
static void dulo_hit_leaves_its_sequence(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	td_fill(td, 0, 3);
	td_fill(td, 10, 2);
	td_fill(td, 13, 1);
	td_fill(td, 15, 1);
	td_fill(td, 17, 1);
	td_fill(td, 20, 1);
	td_background(td);
	td_load(td, 1, 1);
	TD_EXPECT_POLICY_STAT(td, "buffer_pages", 1);
	TD_EXPECT_POLICY_STAT(td, "bank_pages", 1);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "A C | K L | N | P | R | U | B");
}

/* The bank is not full: its oldest block, with E and G, becomes sequences, later the next one. */
static void dulo_bank_helps_out(struct kunit *test)
{
	struct td *td = td_simple(test, "dulo:buffer=10,bank=100,block=4");

	td_fill(td, 4, 1);
	td_fill(td, 0, 4);
	td_fill(td, 6, 1);
	td_fill(td, 20, 1);
	TD_EXPECT_POLICY_STAT(td, "refills", 0);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "E | G | A B C D | U");
	TD_EXPECT_POLICY_STAT(td, "single_victims", 3);
	TD_EXPECT_POLICY_STAT(td, "sequence_victims", 1);
}

static struct kunit_case dulo_cases[] = {
	KUNIT_CASE(dulo_sequence_leaves_before_single_page),
	KUNIT_CASE(dulo_longer_sequence_leaves_first),
	KUNIT_CASE(dulo_old_single_pages_leave_before_new_sequence),
	KUNIT_CASE(dulo_sequence_ends_with_its_block),
	KUNIT_CASE(dulo_hit_leaves_its_sequence),
	KUNIT_CASE(dulo_bank_helps_out),
	{}
};

static struct kunit_suite dulo_suite = {
	.name = "ssdcache_dulo",
	.exit = td_exit,
	.test_cases = dulo_cases,
};

kunit_test_suite(dulo_suite);
