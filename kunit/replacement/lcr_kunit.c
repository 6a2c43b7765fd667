// SPDX-License-Identifier: GPL-2.0
/* LCR on a device of four chips: A E I M are on the first, B F J N on the second, and so on. */
#include "../engine/driver.h"

static struct td *filled(struct kunit *test, const char *spec, struct td_device *device)
{
	struct td *td = td_simple(test, spec);

	td_set_device(td, device);
	td_fill(td, 0, TD_FRAMES);
	return td;
}

/* "A higher priority to cache the blocks on overloaded flash chips"; the mean is 1. */
static void lcr_overloaded_chip_keeps_its_pages(struct kunit *test)
{
	struct td_device device = { .nr = 4, .depth = { 4, 0, 0, 0 } };
	struct td *td = filled(test, "lcr:window=100", &device);

	KUNIT_EXPECT_STREQ(test, td_drain(td), "B C D F G H J K L N O P A E I M");
	TD_EXPECT_POLICY_STAT(td, "all_overloaded", 4);
	/* B, C and D pass A, the next three A and E, and so on; the last four pass no page. */
	TD_EXPECT_POLICY_STAT(td, "passed_over", 3 * (1 + 2 + 3 + 4));
	TD_EXPECT_POLICY_STAT(td, "dirty_victims", 16);
	TD_EXPECT_POLICY_STAT(td, "commands_ahead", 4 * 4);
}

/* The victim is the least recent page not on an overloaded chip, not that of the idlest chip. */
static void lcr_is_lru_otherwise(struct kunit *test)
{
	struct td_device device = { .nr = 4, .depth = { 2, 1, 2, 3 } };
	struct td *td = filled(test, "lcr:window=100", &device);

	td_load(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_drain(td), "B C E F G I J K M N O A D H L P");
}

static void lcr_idle_device(struct kunit *test)
{
	struct td_device device = { .nr = 4 };
	struct td *td = filled(test, "lcr", &device);

	KUNIT_EXPECT_STREQ(test, td_drain(td), "A B C D E F G H I J K L M N O P");
	TD_EXPECT_POLICY_STAT(td, "all_overloaded", 0);
	TD_EXPECT_POLICY_STAT(td, "passed_over", 0);
}

/* A queue of four times the mean does not exceed four times the mean. */
static void lcr_overload_can_be_set(struct kunit *test)
{
	struct td_device device = { .nr = 4, .depth = { 4, 0, 0, 0 } };
	struct td *td = filled(test, "lcr:window=100,overload=400", &device);

	td_fill(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	td_set(td, "overload", "399");
	td_fill(td, 21, 1);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 4));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 1));
}

/* All four candidates are on the overloaded half: plain LRU. */
static void lcr_window(struct kunit *test)
{
	struct td_device device = { .nr = 8, .depth = { 1, 1, 1, 1, 0, 0, 0, 0 } };
	struct td *td = filled(test, "lcr", &device);

	td_fill(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	TD_EXPECT_POLICY_STAT(td, "all_overloaded", 1);
}

/* A clean page of an overloaded chip stays: rereading it would take long. */
static void lcr_clean_pages_too(struct kunit *test)
{
	struct td_device device = { .nr = 4, .dynamic = true };
	struct td *td = td_simple(test, "lcr:window=100");

	td_set_device(td, &device);
	td_load(td, 0, 2);
	td_fill(td, 2, TD_FRAMES - 2);
	device.depth[0] = 4;
	td_fill(td, 20, 1);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 0));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 1));
	TD_EXPECT_POLICY_STAT(td, "clean_victims", 1);
}

static struct kunit_case lcr_cases[] = {
	KUNIT_CASE(lcr_overloaded_chip_keeps_its_pages),
	KUNIT_CASE(lcr_is_lru_otherwise),
	KUNIT_CASE(lcr_idle_device),
	KUNIT_CASE(lcr_overload_can_be_set),
	KUNIT_CASE(lcr_window),
	KUNIT_CASE(lcr_clean_pages_too),
	{}
};

static struct kunit_suite lcr_suite = {
	.name = "ssdcache_lcr",
	.exit = td_exit,
	.test_cases = lcr_cases,
};

kunit_test_suite(lcr_suite);
