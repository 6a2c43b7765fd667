// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include "../../dm-ssdcache/base/holds.h"

static void hold_falls_into_its_power_of_two(struct kunit *test)
{
	static const struct {
		u64 ns;
		unsigned int bucket;
	} cases[] = {
		{ 0, 0 }, { 1, 1 }, { 2, 2 }, { 3, 2 }, { 4, 3 }, { 1023, 10 }, { 1024, 11 },
		{ (1ULL << 30) - 1, 30 }, { 1ULL << 30, 31 }, { U64_MAX, 31 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ssdc_holds holds = {};

		ssdc_holds_add(&holds, SSDC_HELD_BY_BACKGROUND, cases[i].ns);

		KUNIT_EXPECT_EQ(test, holds.buckets[cases[i].bucket], 1);
		KUNIT_EXPECT_EQ(test, holds.sum_ns, cases[i].ns);
	}
}

static void longest_hold_names_its_holder(struct kunit *test)
{
	struct ssdc_holds holds = {};

	KUNIT_EXPECT_STREQ(test, ssdc_holds_longest_by(&holds), "none");
	ssdc_holds_add(&holds, (enum ssdc_holder)SSDC_WRITE, 5);
	ssdc_holds_add(&holds, SSDC_HELD_BY_PAGE_ENDED, 9);
	ssdc_holds_add(&holds, (enum ssdc_holder)SSDC_WRITE, 7);

	KUNIT_EXPECT_STREQ(test, ssdc_holds_longest_by(&holds), "page_ended");
	KUNIT_EXPECT_EQ(test, holds.longest_ns, 9);
	KUNIT_EXPECT_EQ(test, holds.count, 3);
	KUNIT_EXPECT_EQ(test, holds.by[SSDC_WRITE][0], 2);
	KUNIT_EXPECT_EQ(test, holds.by[SSDC_WRITE][1], 7);
}

/* ssdc_holds_longest_by() takes the name from the row. */
static void rows_of_holders_are_in_their_order(struct kunit *test)
{
	unsigned int by;

	for (by = 0; by < SSDC_NR_HOLDERS; by++)
		KUNIT_EXPECT_EQ(test, ssdc_hold_stat_table[by].offset,
				offsetof(struct ssdc_holds, by) + 16 * by);
}

static struct kunit_case holds_cases[] = {
	KUNIT_CASE(hold_falls_into_its_power_of_two),
	KUNIT_CASE(longest_hold_names_its_holder),
	KUNIT_CASE(rows_of_holders_are_in_their_order),
	{}
};

static struct kunit_suite holds_suite = {
	.name = "ssdcache_holds",
	.test_cases = holds_cases,
};

kunit_test_suite(holds_suite);
