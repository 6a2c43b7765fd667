// SPDX-License-Identifier: GPL-2.0
#include "../engine/driver.h"

static void mq_queue_by_uses(struct kunit *test)
{
	struct td *td = td_simple(test, "mq");

	td_fill(td, 0, 3);
	td_load(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, 0), "C B");
	KUNIT_EXPECT_STREQ(test, td_list(td, 1), "A");
	td_load(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, 1), "A");
	td_load(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, 2), "A");
	td_load(td, 1, 1);
	td_load(td, 2, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, 1), "C B");
}

static void mq_lowest_queue_leaves_first(struct kunit *test)
{
	struct td *td = td_simple(test, "mq");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 0, 3);
	td_load(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 3));
	KUNIT_EXPECT_STREQ(test, td_list(td, 1), "C B A");
}

/* A has not been used for more than two accesses. */
static void mq_page_not_used_for_long_moves_down(struct kunit *test)
{
	struct td *td = td_simple(test, "mq:lifetime=2");

	td_fill(td, 0, 1);
	td_load(td, 0, 1);
	td_load(td, 5, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, 1), "A");
	td_load(td, 6, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, 1), "");
	KUNIT_EXPECT_STREQ(test, td_list(td, 0), "A G F");
	TD_EXPECT_POLICY_STAT(td, "expired", 1);
}

/* A shorter lifetime counts for pages that were used before it was set, and a longer one, too. */
static void mq_lifetime_is_changed(struct kunit *test)
{
	struct td *td = td_simple(test, "mq:lifetime=1000000000");

	td_fill(td, 0, 1);
	td_load(td, 0, 1);
	td_load(td, 5, 5);
	KUNIT_EXPECT_STREQ(test, td_list(td, 1), "A");
	td_set(td, "lifetime", "6");
	td_load(td, 0, 1);
	td_load(td, 5, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, 1), "F A");
	td_set(td, "lifetime", "2");
	td_load(td, 11, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, 1), "F");
	td_set(td, "lifetime", "3");
	td_load(td, 13, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, 1), "F");
	td_load(td, 14, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, 1), "");
	TD_EXPECT_POLICY_STAT(td, "expired", 2);
}

/* A leaves after two uses, and returns with three. */
static void mq_uses_are_remembered(struct kunit *test)
{
	struct td *td = td_simple(test, "mq:queues=1");

	td_fill(td, 0, 1);
	td_load(td, 0, 1);
	td_fill(td, 1, 15);
	td_load(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	td_set(td, "queues", "8");
	td_load(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, 1), "A");
	TD_EXPECT_POLICY_STAT(td, "ghost_hits", 1);
	td_load(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, 2), "A");
}

static void mq_last_queue_has_the_rest(struct kunit *test)
{
	struct td *td = td_simple(test, "mq:queues=2");

	td_fill(td, 0, 1);
	td_load(td, 0, 1);
	td_load(td, 0, 1);
	td_load(td, 0, 1);
	td_load(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, 1), "A");
}

static struct kunit_case mq_cases[] = {
	KUNIT_CASE(mq_queue_by_uses),
	KUNIT_CASE(mq_lowest_queue_leaves_first),
	KUNIT_CASE(mq_page_not_used_for_long_moves_down),
	KUNIT_CASE(mq_lifetime_is_changed),
	KUNIT_CASE(mq_uses_are_remembered),
	KUNIT_CASE(mq_last_queue_has_the_rest),
	{}
};

static struct kunit_suite mq_suite = {
	.name = "ssdcache_mq",
	.exit = td_exit,
	.test_cases = mq_cases,
};

kunit_test_suite(mq_suite);
