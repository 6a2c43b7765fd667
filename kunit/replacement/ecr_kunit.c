// SPDX-License-Identifier: GPL-2.0
/* ECR on a device of four chips: A E I M are on the first, B F J N on the second, and so on. */
#include "../engine/driver.h"

static struct td *filled(struct kunit *test, const char *spec, struct td_device *device)
{
	struct td *td = td_simple(test, spec);

	if (device)
		td_set_device(td, device);
	td_fill(td, 0, TD_FRAMES);
	return td;
}

/* [Lin22]: "the victim page which requires the shortest waiting time to be flushed". */
static void ecr_shortest_queue_first(struct kunit *test)
{
	struct td_device device = { .nr = 4, .depth = { 3, 2, 1, 2 } };
	struct td *td = filled(test, "ecr:window=100", &device);

	KUNIT_EXPECT_STREQ(test, td_drain(td), "C G K O B D F H J L N P A E I M");
	TD_EXPECT_POLICY_STAT(td, "dirty_victims", 16);
	TD_EXPECT_POLICY_STAT(td, "commands_ahead", 4 * 1 + 8 * 2 + 4 * 3);
}

static void ecr_least_recent_of_equals(struct kunit *test)
{
	struct td_device device = { .nr = 4, .depth = { 2, 2, 2, 2 } };
	struct td *td = filled(test, "ecr", &device);

	td_load(td, 0, 2);
	KUNIT_EXPECT_STREQ(test, td_drain(td), "C D E F G H I J K L M N O P A B");
	TD_EXPECT_POLICY_STAT(td, "passed_over", 0);
}

/* Queues change between evictions. */
static void ecr_asks_anew_each_time(struct kunit *test)
{
	struct td_device device = { .nr = 4, .depth = { 1, 1, 0, 1 } };
	struct td *td = filled(test, "ecr:window=100", &device);

	td_fill(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 2));
	TD_EXPECT_POLICY_STAT(td, "passed_over", 2);
	device.depth[2] = 5;
	device.depth[3] = 0;
	td_fill(td, 21, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 3));
	TD_EXPECT_POLICY_STAT(td, "passed_over", 4);
	TD_EXPECT_POLICY_STAT(td, "lru_list", 16);
}

/* A clean page costs nothing, even if its chip is busy. */
static void ecr_clean_page_first(struct kunit *test)
{
	struct td_device device = { .nr = 4, .depth = { 0, 0, 9, 0 } };
	struct td *td = td_simple(test, "ecr:window=100");

	td_set_device(td, &device);
	td_fill(td, 0, 2);
	td_load(td, 2, 1);
	td_fill(td, 3, TD_FRAMES - 3);
	td_fill(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 2));
	TD_EXPECT_POLICY_STAT(td, "clean_victims", 1);
	td_fill(td, 21, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
}

/* Candidates are a quarter of 16 pages: E, whose chip is idle, is not among them. */
static void ecr_window(struct kunit *test)
{
	struct td_device device = { .nr = 8, .depth = { 3, 3, 2, 3, 0, 0, 0, 0 } };
	struct td *td = filled(test, "ecr", &device);

	td_fill(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 2));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 4));
}

static void ecr_candidates(struct kunit *test)
{
	struct td_device device = { .nr = 4, .depth = { 3, 2, 1, 1 } };
	struct td *td = filled(test, "ecr:window=100,candidates=2", &device);

	td_fill(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 1));
}

/* With dynamic allocation all dirty pages cost the same. */
static void ecr_dynamic_allocation(struct kunit *test)
{
	struct td_device device = { .nr = 4, .dynamic = true, .depth = { 3, 2, 1, 2 } };
	struct td *td = filled(test, "ecr:window=100", &device);

	KUNIT_EXPECT_STREQ(test, td_drain(td), "A B C D E F G H I J K L M N O P");
}

/* Estimated queues, 4 channels of 2 dies: a read that bypasses DRAM keeps A's and I's chip busy. */
static void ecr_with_an_estimate(struct kunit *test)
{
	struct ssdc_params params = td_params();
	struct td_host *read, *write;
	struct td *td;

	params.replacement = "ecr";
	params.admission = "write-buffer";
	td = td_new(test, &params);
	td_fill(td, 0, TD_FRAMES);
	read = td_read_page(td, 24);
	KUNIT_EXPECT_FALSE(test, read->done);
	write = td_write_page(td, 40);
	KUNIT_EXPECT_EQ(test, write->action, SSDC_WAIT);
	TD_EXPECT_POLICY_STAT(td, "passed_over", 1);
	td_end_sub(td, 0);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 1));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 0));
	TD_EXPECT_STAT(td, "estimated_views", 1);
}

static struct kunit_case ecr_cases[] = {
	KUNIT_CASE(ecr_shortest_queue_first),
	KUNIT_CASE(ecr_least_recent_of_equals),
	KUNIT_CASE(ecr_asks_anew_each_time),
	KUNIT_CASE(ecr_clean_page_first),
	KUNIT_CASE(ecr_window),
	KUNIT_CASE(ecr_candidates),
	KUNIT_CASE(ecr_dynamic_allocation),
	KUNIT_CASE(ecr_with_an_estimate),
	{}
};

static struct kunit_suite ecr_suite = {
	.name = "ssdcache_ecr",
	.exit = td_exit,
	.test_cases = ecr_cases,
};

kunit_test_suite(ecr_suite);
