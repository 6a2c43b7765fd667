// SPDX-License-Identifier: GPL-2.0
/* GCaR on a device of four chips: A E I M are on the first, B F J N on the second, and so on. */
#include "../engine/driver.h"

static struct td *filled(struct kunit *test, const char *spec, struct td_device *device)
{
	struct td *td = td_simple(test, spec);

	td_set_device(td, device);
	td_fill(td, 0, TD_FRAMES);
	return td;
}

static void gcar_pages_of_collecting_chips_stay(struct kunit *test)
{
	struct td_device device = { .nr = 4, .gc = { true, true, false, false } };
	struct td *td = filled(test, "gcar", &device);

	KUNIT_EXPECT_STREQ(test, td_drain(td), "C D G H K L O P A B E F I J M N");
	TD_EXPECT_POLICY_STAT(td, "all_collecting", 8);
}

/* A queue is no garbage collection. */
static void gcar_is_lru_otherwise(struct kunit *test)
{
	struct td_device device = { .nr = 4, .depth = { 9, 0, 0, 0 } };
	struct td *td = filled(test, "gcar", &device);

	td_load(td, 1, 1);
	KUNIT_EXPECT_STREQ(test, td_drain(td), "A C D E F G H I J K L M N O P B");
	TD_EXPECT_POLICY_STAT(td, "passed_over", 0);
}

/* A clean page would be read again from its chip. */
static void gcar_clean_pages_stay_too(struct kunit *test)
{
	struct td_device device = { .nr = 4, .gc = { true, false, false, false } };
	struct td *td = filled(test, "gcar", &device);

	td_clean_all(td);
	td_fill(td, 20, 1);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 0));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 1));
	TD_EXPECT_POLICY_STAT(td, "passed_over", 1);
}

/* Dynamic allocation writes to another chip. */
static void gcar_write_that_may_go_anywhere(struct kunit *test)
{
	struct td_device device = { .nr = 4, .dynamic = true, .gc = { true, false, false, false } };
	struct td *td = filled(test, "gcar", &device);

	td_fill(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
}

static void gcar_candidates_are_bounded(struct kunit *test)
{
	struct td_device device = { .nr = 4, .gc = { true, true, true, false } };
	struct td *td = filled(test, "gcar:candidates=3", &device);

	td_fill(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	TD_EXPECT_POLICY_STAT(td, "all_collecting", 1);
	TD_EXPECT_POLICY_STAT(td, "passed_over", 0);
}

static struct kunit_case gcar_cases[] = {
	KUNIT_CASE(gcar_pages_of_collecting_chips_stay),
	KUNIT_CASE(gcar_is_lru_otherwise),
	KUNIT_CASE(gcar_clean_pages_stay_too),
	KUNIT_CASE(gcar_write_that_may_go_anywhere),
	KUNIT_CASE(gcar_candidates_are_bounded),
	{}
};

static struct kunit_suite gcar_suite = {
	.name = "ssdcache_gcar",
	.exit = td_exit,
	.test_cases = gcar_cases,
};

kunit_test_suite(gcar_suite);
