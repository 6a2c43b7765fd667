// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include "../../dm-ssdcache/base/ghost.h"
#include "../../dm-ssdcache/base/random.h"

#define NR 4u

static int ghost_init(struct kunit *test)
{
	struct ssdc_ghosts *ghosts = kunit_kzalloc(test, sizeof(*ghosts), GFP_KERNEL);

	test->priv = ghosts;
	return ghosts ? ssdc_ghosts_create(ghosts, NR) : -ENOMEM;
}

static void ghost_exit(struct kunit *test)
{
	if (test->priv)
		ssdc_ghosts_destroy(test->priv);
}

static void expect_sound(struct kunit *test)
{
	struct ssdc_error finding;

	if (ssdc_ghosts_check(test->priv, &finding))
		KUNIT_FAIL(test, "%s", finding.text);
}

static bool has(struct kunit *test, u64 page)
{
	return ssdc_ghost_find(test->priv, page) != SSDC_NO_GHOST;
}

static void ghost_is_found_with_its_value(struct kunit *test)
{
	struct ssdc_ghosts *ghosts = test->priv;
	u64 far = (1ULL << 56) - 1;

	ssdc_ghost_add(ghosts, 0, 7, 11);
	ssdc_ghost_add(ghosts, 1, far, 12);
	KUNIT_EXPECT_FALSE(test, has(test, 8));
	KUNIT_ASSERT_TRUE(test, has(test, 7));
	KUNIT_EXPECT_EQ(test, ghosts->all[ssdc_ghost_find(ghosts, 7)].value, 11u);
	KUNIT_ASSERT_TRUE(test, has(test, far));
	KUNIT_EXPECT_EQ(test, (u32)ghosts->all[ssdc_ghost_find(ghosts, far)].list, 1u);
	expect_sound(test);
}

/* A page has one ghost: the newer replaces the older. */
static void ghost_is_added_again(struct kunit *test)
{
	struct ssdc_ghosts *ghosts = test->priv;

	ssdc_ghost_add(ghosts, 0, 7, 11);
	ssdc_ghost_add(ghosts, 1, 7, 12);
	KUNIT_EXPECT_EQ(test, ghosts->lists[0].count, 0u);
	KUNIT_EXPECT_EQ(test, ghosts->lists[1].count, 1u);
	KUNIT_EXPECT_EQ(test, ghosts->all[ssdc_ghost_find(ghosts, 7)].value, 12u);
	expect_sound(test);
}

static void ghost_oldest_is_forgotten(struct kunit *test)
{
	struct ssdc_ghosts *ghosts = test->priv;
	u64 page;

	ssdc_ghost_add(ghosts, 1, 100, 0);
	for (page = 0; page < NR; page++)
		ssdc_ghost_add(ghosts, 0, page, 0);
	/* of the same list, although 100 is older */
	KUNIT_EXPECT_FALSE(test, has(test, 0));
	KUNIT_EXPECT_TRUE(test, has(test, 1));
	KUNIT_EXPECT_TRUE(test, has(test, 100));
	expect_sound(test);
}

/* A list without ghosts takes one of the other list. */
static void ghost_of_the_other_list_is_forgotten(struct kunit *test)
{
	struct ssdc_ghosts *ghosts = test->priv;
	u64 page;

	for (page = 0; page < NR; page++)
		ssdc_ghost_add(ghosts, 0, page, 0);
	ssdc_ghost_add(ghosts, 1, 100, 0);
	KUNIT_EXPECT_FALSE(test, has(test, 0));
	KUNIT_EXPECT_TRUE(test, has(test, 100));
	expect_sound(test);
}

static void ghost_trim(struct kunit *test)
{
	struct ssdc_ghosts *ghosts = test->priv;
	u64 page;

	for (page = 0; page < NR; page++)
		ssdc_ghost_add(ghosts, 0, page, 0);
	ssdc_ghost_trim(ghosts, 0, NR);
	KUNIT_EXPECT_TRUE(test, has(test, 0));
	ssdc_ghost_trim(ghosts, 0, 2);
	KUNIT_EXPECT_FALSE(test, has(test, 1));
	KUNIT_EXPECT_TRUE(test, has(test, 2));
	ssdc_ghost_trim(ghosts, 0, 0);
	KUNIT_EXPECT_EQ(test, ghosts->lists[0].count, 0u);
	expect_sound(test);
}

/* Drop from both ends and the middle, in random order. */
static void ghost_random(struct kunit *test)
{
	struct ssdc_ghosts *ghosts = test->priv;
	struct ssdc_random random;
	unsigned int i;

	ssdc_random_seed(&random, 1);
	for (i = 0; i < 2000; i++) {
		u64 page = ssdc_random_below(&random, 8);

		if (ssdc_random_below(&random, 2))
			ssdc_ghost_add(ghosts, ssdc_random_below(&random, 2), page, i);
		else if (has(test, page))
			ssdc_ghost_drop(ghosts, ssdc_ghost_find(ghosts, page));
		expect_sound(test);
	}
}

static struct kunit_case ghost_cases[] = {
	KUNIT_CASE(ghost_is_found_with_its_value),
	KUNIT_CASE(ghost_is_added_again),
	KUNIT_CASE(ghost_oldest_is_forgotten),
	KUNIT_CASE(ghost_of_the_other_list_is_forgotten),
	KUNIT_CASE(ghost_trim),
	KUNIT_CASE(ghost_random),
	{}
};

static struct kunit_suite ghost_suite = {
	.name = "ssdcache_ghost",
	.init = ghost_init,
	.exit = ghost_exit,
	.test_cases = ghost_cases,
};

kunit_test_suite(ghost_suite);
