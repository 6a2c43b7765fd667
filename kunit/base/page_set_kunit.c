// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include "../../dm-ssdcache/base/page-set.h"

static int page_set_init(struct kunit *test)
{
	struct ssdc_page_set *set = kunit_kzalloc(test, sizeof(*set), GFP_KERNEL);

	test->priv = set;
	return set ? ssdc_page_set_create(set) : -ENOMEM;
}

static void page_set_exit(struct kunit *test)
{
	if (test->priv)
		ssdc_page_set_destroy(test->priv);
}

static void page_set_marks(struct kunit *test)
{
	struct ssdc_page_set *set = test->priv;

	KUNIT_EXPECT_FALSE(test, ssdc_page_set_has(set, 7, 0));
	KUNIT_EXPECT_FALSE(test, ssdc_page_set_add(set, 7, 0));
	KUNIT_EXPECT_TRUE(test, ssdc_page_set_add(set, 7, 0));
	KUNIT_EXPECT_TRUE(test, ssdc_page_set_has(set, 7, 0));
	KUNIT_EXPECT_FALSE(test, ssdc_page_set_has(set, 7, 1));
	KUNIT_EXPECT_FALSE(test, ssdc_page_set_add(set, 7, 1));
	KUNIT_EXPECT_EQ(test, set->used, 1u);
	KUNIT_EXPECT_FALSE(test, ssdc_page_set_has(set, 8, 0));
}

static void page_set_emptied(struct kunit *test)
{
	struct ssdc_page_set *set = test->priv;

	ssdc_page_set_add(set, 1, 0);
	ssdc_page_set_add(set, 1ULL << 60, 0);
	ssdc_page_set_empty(set);
	KUNIT_EXPECT_EQ(test, set->used, 0u);
	KUNIT_EXPECT_FALSE(test, ssdc_page_set_has(set, 1, 0));
	KUNIT_EXPECT_FALSE(test, ssdc_page_set_has(set, 1ULL << 60, 0));
	KUNIT_EXPECT_FALSE(test, ssdc_page_set_add(set, 1, 0));
}

static void page_set_full(struct kunit *test)
{
	struct ssdc_page_set *set = test->priv;
	u64 page;

	for (page = 0; page < SSDC_PAGE_SET_PAGES; page++) {
		KUNIT_ASSERT_TRUE(test, ssdc_page_set_has_room(set, 5 * page));
		KUNIT_ASSERT_FALSE(test, ssdc_page_set_add(set, 5 * page, 0));
	}
	KUNIT_EXPECT_FALSE(test, ssdc_page_set_has_room(set, 1));
	/* A page in the set needs no room. */
	KUNIT_EXPECT_TRUE(test, ssdc_page_set_has_room(set, 5));
	KUNIT_EXPECT_FALSE(test, ssdc_page_set_add(set, 5, 1));
	ssdc_page_set_empty(set);
	KUNIT_EXPECT_TRUE(test, ssdc_page_set_has_room(set, 1));
}

/* When the numbers of fillings start again, no old page reappears. */
static void page_set_fillings_end(struct kunit *test)
{
	struct ssdc_page_set *set = test->priv;

	ssdc_page_set_add(set, 3, 0);
	set->filling = (1u << 30) - 1;
	ssdc_page_set_add(set, 4, 0);
	ssdc_page_set_empty(set);
	KUNIT_EXPECT_EQ(test, set->filling, 1u);
	KUNIT_EXPECT_FALSE(test, ssdc_page_set_has(set, 3, 0));
	KUNIT_EXPECT_FALSE(test, ssdc_page_set_has(set, 4, 0));
}

static struct kunit_case page_set_cases[] = {
	KUNIT_CASE(page_set_marks),
	KUNIT_CASE(page_set_emptied),
	KUNIT_CASE(page_set_full),
	KUNIT_CASE(page_set_fillings_end),
	{}
};

static struct kunit_suite page_set_suite = {
	.name = "ssdcache_page_set",
	.init = page_set_init,
	.exit = page_set_exit,
	.test_cases = page_set_cases,
};

kunit_test_suite(page_set_suite);
