// SPDX-License-Identifier: GPL-2.0
/* FAB with blocks of four pages: A B C D, E F G H, I J K L, M N O P, … */
#include "../engine/driver.h"

#define SPEC "fab:block=4,width=1"

static void write_pages(struct td *td, const char *letters)
{
	for (; *letters; letters++)
		td_fill(td, *letters - 'A', 1);
}

/* After a read request, no block counts as being written. */
static const char *leaving(struct td *td, char cached)
{
	td_load(td, cached - 'A', 1);
	return td_batches(td);
}

static void fab_most_pages_first(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "AIJKEFM");
	KUNIT_EXPECT_STREQ(test, leaving(td, 'A'), "I J K | E F | A | M");
}

/* "FAB only considers the group size while neglecting data recency" ([Lin22]). */
static void fab_recency_does_not_count(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "AEIMNN");
	write_pages(td, "MNM");
	KUNIT_EXPECT_STREQ(test, leaving(td, 'M'), "M N | A | E | I");
}

static void fab_of_equals_the_one_written_least_recently(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "ABEFIJ");
	write_pages(td, "A");
	KUNIT_EXPECT_STREQ(test, leaving(td, 'A'), "E F | I J | A B");
}

static void fab_reads_do_not_count(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "ABEF");
	td_load(td, 0, 2);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "A B | E F");
}

/* Victims are in ascending order, whatever the order of writes. */
static void fab_pages_leave_in_ascending_order(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "DBCA");
	KUNIT_EXPECT_STREQ(test, leaving(td, 'A'), "A B C D");
	TD_EXPECT_POLICY_STAT(td, "full_blocks", 1);
}

/* Frames run out while the third block is being written: the first of the others leaves. */
static void fab_block_being_written_stays(struct kunit *test)
{
	struct td *td = td_simple(test, "fab:block=8");

	td_submit(td, SSDC_WRITE, 0, 6 * 8);
	td_submit(td, SSDC_WRITE, 8 * 8, 5 * 8);
	td_submit(td, SSDC_WRITE, 16 * 8, 8 * 8);
	td_settle(td);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 8));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 16));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 23));
	TD_EXPECT_STAT(td, "evictions", 1);
	TD_EXPECT_STAT(td, "evicted_pages", 6);
}

/* The only block leaves even while it is being written. */
static void fab_block_being_written_leaves_if_alone(struct kunit *test)
{
	struct td *td = td_simple(test, "fab:block=64");

	td_submit(td, SSDC_WRITE, 0, 40 * 8);
	td_settle(td);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 39));
	TD_EXPECT_STAT(td, "failed_requests", 0);
}

static void fab_discarded_pages_do_not_count(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "ABCEFI");
	td_submit(td, SSDC_DISCARD, 0, 2 * 8);
	td_settle(td);
	TD_EXPECT_POLICY_STAT(td, "blocks", 3);
	TD_EXPECT_POLICY_STAT(td, "single_pages", 2);
	/* a block that lost pages becomes the most recent of its size */
	KUNIT_EXPECT_STREQ(test, leaving(td, 'E'), "E F | I | C");
}

/* Cached pages keep their grouping; later pages use the new block size. */
static void fab_block_size_changes(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "ABC");
	td_set(td, "block", "2");
	write_pages(td, "DEF");
	td_fill(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, leaving(td, 'A'), "A B C | E F | D");
}

static void fab_read_pages_belong_to_their_block(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "AEF");
	td_load(td, 1, 2);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "A B C | E F");
}

static struct kunit_case fab_cases[] = {
	KUNIT_CASE(fab_most_pages_first),
	KUNIT_CASE(fab_recency_does_not_count),
	KUNIT_CASE(fab_of_equals_the_one_written_least_recently),
	KUNIT_CASE(fab_reads_do_not_count),
	KUNIT_CASE(fab_pages_leave_in_ascending_order),
	KUNIT_CASE(fab_block_being_written_stays),
	KUNIT_CASE(fab_block_being_written_leaves_if_alone),
	KUNIT_CASE(fab_discarded_pages_do_not_count),
	KUNIT_CASE(fab_block_size_changes),
	KUNIT_CASE(fab_read_pages_belong_to_their_block),
	{}
};

static struct kunit_suite fab_suite = {
	.name = "ssdcache_fab",
	.exit = td_exit,
	.test_cases = fab_cases,
};

kunit_test_suite(fab_suite);
