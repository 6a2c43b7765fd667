// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include "../../dm-ssdcache/admission/reaccess.h"

static int reaccess_init(struct kunit *test)
{
	struct ssdc_reaccess *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	test->priv = r;
	return r ? ssdc_reaccess_create(r) : -ENOMEM;
}

static void reaccess_exit(struct kunit *test)
{
	if (test->priv)
		ssdc_reaccess_destroy(test->priv);
}

static void assert_ok(struct kunit *test)
{
	struct ssdc_error finding;

	KUNIT_ASSERT_EQ_MSG(test, ssdc_reaccess_check(test->priv, &finding), 0, "%s",
			    finding.text);
}

/* Requests of one page each, written as "r" or "w" and a digit: "r3 w3 w4" */
static void accesses(struct kunit *test, u32 half_requests, const char *list)
{
	struct ssdc_reaccess *r = test->priv;

	for (; *list; list += 2, list += *list == ' ') {
		ssdc_reaccess_request(r, half_requests);
		ssdc_reaccess_page(r, list[1] - '0', list[0] == 'w');
		assert_ok(test);
	}
}

#define EXPECT_COUNTS(test, write, want_again, want_pages) do { \
	struct kunit *_test = (test); \
	struct ssdc_reaccess_count _count = ssdc_reaccess_sum(_test->priv, write); \
	KUNIT_EXPECT_EQ(_test, _count.again, (u64)(want_again)); \
	KUNIT_EXPECT_EQ(_test, _count.pages, (u64)(want_pages)); \
} while (0)

static void reaccess_reads_and_writes_apart(struct kunit *test)
{
	accesses(test, 100, "r1 w1 r2 r1 w2 w1 w1 r3");
	EXPECT_COUNTS(test, false, 1, 4);	/* the second r1 */
	EXPECT_COUNTS(test, true, 2, 4);	/* the second and third w1 */
}

/* Halves of three requests: at the seventh, the first three are forgotten. */
static void reaccess_window_moves_by_halves(struct kunit *test)
{
	accesses(test, 3, "w1 w2 w3 w1 w4 w5");
	EXPECT_COUNTS(test, true, 1, 6);
	accesses(test, 3, "w2");
	EXPECT_COUNTS(test, true, 1, 4);	/* w1 w4 w5 w2; w1 was a rewrite */
	accesses(test, 3, "w1 w5 w9");
	EXPECT_COUNTS(test, true, 2, 4);	/* w2 w1 w5 w9: w1 and w5 */
}

/* A page accessed in the current half is still known when the older half is forgotten. */
static void reaccess_page_stays_while_it_is_used(struct kunit *test)
{
	accesses(test, 2, "w7 w8 w7 w9 w7 w8");
	/* The window holds w7 w9 and w7 w8; both w7 are rewrites. */
	EXPECT_COUNTS(test, true, 2, 4);
}

static void pages(struct ssdc_reaccess *r, u64 first, u32 nr)
{
	while (nr--)
		ssdc_reaccess_page(r, first++, true);
}

static void reaccess_half_ends_when_it_is_full(struct kunit *test)
{
	struct ssdc_reaccess *r = test->priv;

	ssdc_reaccess_request(r, U32_MAX);
	pages(r, 0, SSDC_PAGE_SET_PAGES);
	/* Known pages need no room. */
	pages(r, 0, SSDC_PAGE_SET_PAGES);
	EXPECT_COUNTS(test, true, SSDC_PAGE_SET_PAGES, 2 * SSDC_PAGE_SET_PAGES);
	pages(r, 1 << 20, SSDC_PAGE_SET_PAGES);
	EXPECT_COUNTS(test, true, SSDC_PAGE_SET_PAGES, 3 * SSDC_PAGE_SET_PAGES);
	assert_ok(test);
	/* The next new page ends the half, and the first half is forgotten. */
	pages(r, 1 << 21, 1);
	EXPECT_COUNTS(test, true, 0, SSDC_PAGE_SET_PAGES + 1);
	pages(r, 1 << 20, SSDC_PAGE_SET_PAGES - 1);
	EXPECT_COUNTS(test, true, SSDC_PAGE_SET_PAGES - 1, 2 * SSDC_PAGE_SET_PAGES);
	assert_ok(test);
}

/* Pages far apart, up to the last of the largest origin. */
static void reaccess_any_page_number(struct kunit *test)
{
	struct ssdc_reaccess *r = test->priv;
	unsigned int bit;

	ssdc_reaccess_request(r, U32_MAX);
	for (bit = 0; bit < 61; bit++)
		pages(r, 1ULL << bit, 1);
	EXPECT_COUNTS(test, true, 0, 61);
	for (bit = 0; bit < 61; bit++)
		pages(r, 1ULL << bit, 1);
	EXPECT_COUNTS(test, true, 61, 122);
}

static struct kunit_case reaccess_cases[] = {
	KUNIT_CASE(reaccess_reads_and_writes_apart),
	KUNIT_CASE(reaccess_window_moves_by_halves),
	KUNIT_CASE(reaccess_page_stays_while_it_is_used),
	KUNIT_CASE(reaccess_half_ends_when_it_is_full),
	KUNIT_CASE(reaccess_any_page_number),
	{}
};

static struct kunit_suite reaccess_suite = {
	.name = "ssdcache_reaccess",
	.init = reaccess_init,
	.exit = reaccess_exit,
	.test_cases = reaccess_cases,
};

kunit_test_suite(reaccess_suite);
