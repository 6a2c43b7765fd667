// SPDX-License-Identifier: GPL-2.0
/*
 * Suites whose cases fail, or are skipped, on purpose. kunit-itself.sh runs them with tests/kunit.c, the
 * program that runs the suites of kunit/.
 */
#include <signal.h>
#include <stdlib.h>
#include <kunit/test.h>

/* The compiler does not know what they are, so it does not warn of what is wrong. */
static volatile int one = 1;
static char *volatile text = "a", *volatile no_text;

static const int numbers[] = { 1, 2, 3 };

static void describe(const int *number, char *description)
{
	snprintf(description, KUNIT_PARAM_DESC_SIZE, "number %d", *number);
}

KUNIT_ARRAY_PARAM(number, numbers, describe);

static int number_of(const struct kunit *test)
{
	return *(const int *)test->param_value;
}

static void passes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, one, 1);
	KUNIT_EXPECT_NE(test, one, 2);
	KUNIT_EXPECT_LT(test, one, 2);
	KUNIT_EXPECT_LE(test, one, 1);
	KUNIT_EXPECT_GT(test, one, 0);
	KUNIT_EXPECT_GE(test, one, 1);
	KUNIT_EXPECT_TRUE(test, one == 1);
	KUNIT_EXPECT_FALSE(test, one == 2);
	KUNIT_EXPECT_NULL(test, no_text);
	KUNIT_EXPECT_NOT_NULL(test, text);
	KUNIT_EXPECT_PTR_EQ(test, text, text);
	KUNIT_EXPECT_STREQ(test, text, "a");
}

static void fails(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, one, 2);
	KUNIT_EXPECT_EQ_MSG(test, one, 2, "message %d", 3);
	KUNIT_EXPECT_NE(test, one, 1);
	KUNIT_EXPECT_LT(test, one, 1);
	KUNIT_EXPECT_LE(test, one, 0);
	KUNIT_EXPECT_GT(test, one, 1);
	KUNIT_EXPECT_GE(test, one, 2);
	KUNIT_EXPECT_TRUE(test, one == 2);
	KUNIT_EXPECT_FALSE(test, one == 1);
	KUNIT_EXPECT_NULL(test, text);
	KUNIT_EXPECT_NOT_NULL(test, no_text);
	KUNIT_EXPECT_STREQ(test, text, "b");
	KUNIT_EXPECT_STREQ(test, no_text, "b");
	KUNIT_FAIL(test, "message");
}

static void assertion_ends_the_case(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, one, 2);
	abort();
}

static void is_skipped(struct kunit *test)
{
	kunit_skip(test, "reason");
}

static void failure_is_not_skipped(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, one, 2);
	kunit_skip(test, "reason");
}

static void one_parameter_fails(struct kunit *test)
{
	KUNIT_EXPECT_NE(test, number_of(test), 2);
}

static void failure_then_skip(struct kunit *test)
{
	if (number_of(test) == 2)
		kunit_skip(test, "reason");
	KUNIT_EXPECT_NE(test, number_of(test), 1);
}

static void skip_then_failure(struct kunit *test)
{
	if (number_of(test) == 2)
		kunit_skip(test, "reason");
	KUNIT_EXPECT_NE(test, number_of(test), 3);
}

static void one_parameter_is_skipped(struct kunit *test)
{
	if (number_of(test) == 2)
		kunit_skip(test, "reason");
}

static struct kunit_case various_cases[] = {
	KUNIT_CASE(passes),
	KUNIT_CASE(fails),
	KUNIT_CASE(assertion_ends_the_case),
	KUNIT_CASE(is_skipped),
	KUNIT_CASE(failure_is_not_skipped),
	KUNIT_CASE_PARAM(one_parameter_fails, number_gen_params),
	KUNIT_CASE_PARAM(failure_then_skip, number_gen_params),
	KUNIT_CASE_PARAM(skip_then_failure, number_gen_params),
	KUNIT_CASE_PARAM(one_parameter_is_skipped, number_gen_params),
	{}
};

static struct kunit_suite various_suite = {
	.name = "various",
	.test_cases = various_cases,
};

kunit_test_suite(various_suite);

static int refuse(struct kunit *test)
{
	return -1;
}

/* A case that is skipped does not excuse its exit(). */
static void fail_at_exit(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, one, 2);
}

static struct kunit_case two_cases[] = {
	KUNIT_CASE(passes),
	KUNIT_CASE(is_skipped),
	{}
};

static struct kunit_suite exit_suite = {
	.name = "bad_exit",
	.exit = fail_at_exit,
	.test_cases = two_cases,
};

kunit_test_suite(exit_suite);

static struct kunit_suite init_suite = {
	.name = "bad_init",
	.init = refuse,
	.test_cases = two_cases,
};

kunit_test_suite(init_suite);

static void crashes(struct kunit *test)
{
	raise(SIGFPE);
}

static struct kunit_case crash_cases[] = {
	KUNIT_CASE(is_skipped),
	KUNIT_CASE(crashes),
	{}
};

static struct kunit_suite crash_suite = {
	.name = "crash",
	.test_cases = crash_cases,
};

kunit_test_suite(crash_suite);
