// SPDX-License-Identifier: GPL-2.0
#include "../engine/driver.h"

enum { LIR, HIR };

/* One HIR page of 16. */
static void lirs_first_pages_are_lir(struct kunit *test)
{
	struct td *td = td_simple(test, "lirs");

	td_fill(td, 0, TD_FRAMES);
	KUNIT_EXPECT_STREQ(test, td_list(td, LIR), "O N M L K J I H G F E D C B A");
	KUNIT_EXPECT_STREQ(test, td_list(td, HIR), "P");
}

/* P leaves, but is still in S; it returns as LIR, and A, the bottom of S, is HIR. */
static void lirs_remembered_page_is_lir(struct kunit *test)
{
	struct td *td = td_simple(test, "lirs");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 15));
	KUNIT_EXPECT_STREQ(test, td_list(td, HIR), "U");
	TD_EXPECT_POLICY_STAT(td, "ghosts", 1);
	td_load(td, 15, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 20));
	KUNIT_EXPECT_STREQ(test, td_list(td, LIR), "P O N M L K J I H G F E D C B");
	KUNIT_EXPECT_STREQ(test, td_list(td, HIR), "A");
	TD_EXPECT_POLICY_STAT(td, "ghost_hits", 1);
	TD_EXPECT_POLICY_STAT(td, "demoted", 1);
}

/* A is not in S: its next use does not make it LIR, but the one after that does. */
static void lirs_hir_page_needs_two_uses(struct kunit *test)
{
	struct td *td = td_simple(test, "lirs");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 20, 1);
	td_load(td, 15, 1);
	td_load(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, HIR), "A");
	TD_EXPECT_POLICY_STAT(td, "promoted", 0);
	td_load(td, 0, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, LIR), "A P O N M L K J I H G F E D C");
	KUNIT_EXPECT_STREQ(test, td_list(td, HIR), "B");
	TD_EXPECT_POLICY_STAT(td, "promoted", 1);
}

/* All LIR pages are used, so that pruning removes P from S: P returns as HIR. */
static void lirs_pruning(struct kunit *test)
{
	struct td *td = td_simple(test, "lirs");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 20, 1);
	TD_EXPECT_POLICY_STAT(td, "ghosts", 1);
	td_load(td, 0, 15);
	td_load(td, 15, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, HIR), "P");
	TD_EXPECT_POLICY_STAT(td, "ghost_hits", 0);
}

/* ghosts=50: eight pages are remembered. */
static void lirs_ghosts_are_bounded(struct kunit *test)
{
	struct td *td = td_simple(test, "lirs:ghosts=50");

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 30, 12);
	TD_EXPECT_POLICY_STAT(td, "ghosts", 8);
	td_load(td, 15, 1);
	TD_EXPECT_POLICY_STAT(td, "ghost_hits", 0);
	td_load(td, 40, 1);
	TD_EXPECT_POLICY_STAT(td, "ghost_hits", 1);
}

/*
 * J is used while the policy changes: it arrives as LIR, below all others in S, and is used then.
 * So I, a HIR page, stays in S: its next use makes it LIR, and A, the bottom of S, HIR.
 */
static void lirs_page_that_arrives_does_not_prune(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct ssdc_replacement *old;
	struct ssdc_error error = {};
	struct ssdc_plugin *next;

	td_fill(td, 0, 10);
	next = ssdc_plugin_create(SSDC_REPLACEMENT, "lirs:hir=50", &td->e->tier, &error);
	KUNIT_ASSERT_NOT_NULL(test, next);
	KUNIT_ASSERT_EQ(test, ssdc_switch_begin(td->e, (struct ssdc_replacement *)next), 0);
	td_load(td, 0, 9);
	KUNIT_EXPECT_STREQ(test, td_list(td, LIR), "H G F E D C B A");
	KUNIT_EXPECT_STREQ(test, td_list(td, HIR), "I");
	/* Room for one more LIR page. */
	td_set(td, "hir", "44");
	td_load(td, 9, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, LIR), "J H G F E D C B A");
	td_load(td, 8, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, LIR), "I J H G F E D C B");
	KUNIT_EXPECT_STREQ(test, td_list(td, HIR), "A");
	TD_EXPECT_POLICY_STAT(td, "promoted", 1);
	old = ssdc_switch_step(td->e);
	KUNIT_ASSERT_NOT_NULL(test, old);
	ssdc_plugin_destroy(&old->plugin);
}

/*
 * Nobody uses A, the bottom of S, for more than 2^31 accesses: only O is hit. Then P and U leave.
 * U, which was used lately, is still in S: U returns as LIR, and A becomes HIR.
 */
static void lirs_bottom_unused_for_long(struct kunit *test)
{
	struct td *td = td_simple(test, "lirs");

	td_fill(td, 0, TD_FRAMES);
	td->e->stamp += 1u << 31;
	td_load(td, 14, 1);
	td_load(td, 20, 2);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 20));
	TD_EXPECT_POLICY_STAT(td, "ghosts", 1);
	td_load(td, 20, 1);
	TD_EXPECT_POLICY_STAT(td, "ghost_hits", 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, LIR), "U O N M L K J I H G F E D C B");
	KUNIT_EXPECT_STREQ(test, td_list(td, HIR), "A");
}

static struct kunit_case lirs_cases[] = {
	KUNIT_CASE(lirs_first_pages_are_lir),
	KUNIT_CASE(lirs_remembered_page_is_lir),
	KUNIT_CASE(lirs_hir_page_needs_two_uses),
	KUNIT_CASE(lirs_pruning),
	KUNIT_CASE(lirs_ghosts_are_bounded),
	KUNIT_CASE(lirs_page_that_arrives_does_not_prune),
	KUNIT_CASE(lirs_bottom_unused_for_long),
	{}
};

static struct kunit_suite lirs_suite = {
	.name = "ssdcache_lirs",
	.exit = td_exit,
	.test_cases = lirs_cases,
};

kunit_test_suite(lirs_suite);
