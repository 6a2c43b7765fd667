/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User-space stand-in for the kernel header: the part of KUnit that the suites in kunit/ use, with the
 * kernel's names and meaning. tests/kunit.c runs the suites.
 */
#ifndef TESTS_KUNIT_KUNIT_TEST_H
#define TESTS_KUNIT_KUNIT_TEST_H

#include <setjmp.h>
#include <stdio.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/types.h>

/* What the kernel's header has from others. */
#define NSEC_PER_SEC	1000000000L

#define list_for_each(at, list)	for (at = (list)->next; at != (list); at = at->next)

static inline bool __test_and_set_bit(unsigned long nr, unsigned long *map)
{
	bool was_set = test_bit(nr, map);

	__set_bit(nr, map);
	return was_set;
}

#define KUNIT_PARAM_DESC_SIZE	128

/**
 * struct kunit - a test case that runs
 * @priv: the suite's own data
 * @param_value: parameter of this run, or NULL
 * @out: where a failed assertion goes on
 * @memory: of kunit_kzalloc(), freed at the end of the case
 * @why: reasons of failures, a line each; or why the case is skipped
 * @failed: an expectation or assertion was wrong
 * @skipped: kunit_skip() was called
 */
struct kunit {
	void *priv;
	const void *param_value;
	jmp_buf out;
	struct list_head memory;
	char why[2000];
	bool failed;
	bool skipped;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	const void *(*generate_params)(const void *before, char *desc);
};

struct kunit_suite {
	const char *name;
	int (*init)(struct kunit *test);
	void (*exit)(struct kunit *test);
	struct kunit_case *test_cases;
	struct kunit_suite *next;
};

void kunit_add_suite(struct kunit_suite *suite);
void *kunit_kzalloc(struct kunit *test, size_t size, gfp_t flags);
void kunit_kfree(struct kunit *test, const void *memory);
void kunit_fail(struct kunit *test, bool ends, const char *file, int line, const char *expected,
		const char *format, ...) __attribute__((__format__(__printf__, 6, 7)));
void kunit_mark_skipped(struct kunit *test, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));
void kunit_end(struct kunit *test) __attribute__((__noreturn__));

static inline void *kunit_kcalloc(struct kunit *test, size_t nr, size_t size, gfp_t flags)
{
	return kunit_kzalloc(test, nr * size, flags);
}

#define KUNIT_CASE(function)	{ .run_case = function, .name = #function }
#define KUNIT_CASE_PARAM(function, generator)	\
	{ .run_case = function, .name = #function, .generate_params = generator }

#define KUNIT_ARRAY_PARAM(array_name, array, describe)					\
	static const void *array_name##_gen_params(const void *before, char *desc)	\
	{										\
		__typeof__(&(array)[0]) param = before;					\
		void (*describe_param)(__typeof__(param), char *) = describe;		\
											\
		param = before ? param + 1 : (array);					\
		if (param - (array) >= (long)ARRAY_SIZE(array))				\
			return NULL;							\
		if (describe_param)							\
			describe_param(param, desc);					\
		return param;								\
	}

#define kunit_test_suite(suite)								\
	static void __attribute__((__constructor__)) suite##_add(void)			\
	{										\
		kunit_add_suite(&(suite));						\
	}										\
	extern int ssdc_shim_no_module_info

#define kunit_skip(test, ...) do {							\
	kunit_mark_skipped(test, __VA_ARGS__);						\
	kunit_end(test);								\
} while (0)

#define KUNIT_CHECK(test, ends, good, expected, ...) do {				\
	if (!(good))									\
		kunit_fail(test, ends, __FILE__, __LINE__, expected, __VA_ARGS__);	\
} while (0)

/* The message has both values; the caller's message follows. */
#define KUNIT_COMPARE(test, ends, left, op, right, format, ...) do {			\
	const __typeof__(left) left_ = (left);						\
	const __typeof__(right) right_ = (right);					\
											\
	KUNIT_CHECK(test, ends, left_ op right_, #left " " #op " " #right,		\
		    "%lld and %lld. " format, (long long)left_, (long long)right_,	\
		    ##__VA_ARGS__);							\
} while (0)

/* As in the kernel, NULL differs from any text, and from NULL. */
#define KUNIT_COMPARE_TEXT(test, ends, left, right, format, ...) do {			\
	const char *left_ = (left), *right_ = (right);					\
											\
	KUNIT_CHECK(test, ends, left_ && right_ && !strcmp(left_, right_),		\
		    #left " == " #right, "'%s' and '%s'. " format, left_ ?: "NULL",	\
		    right_ ?: "NULL", ##__VA_ARGS__);					\
} while (0)

#define KUNIT_COMPARE_POINTERS(test, ends, left, right, format, ...) do {		\
	const void *left_ = (left), *right_ = (right);					\
											\
	KUNIT_CHECK(test, ends, left_ == right_, #left " == " #right,			\
		    "%p and %p. " format, left_, right_, ##__VA_ARGS__);		\
} while (0)

#define KUNIT_FAIL(test, ...)				KUNIT_CHECK(test, false, false, "success", __VA_ARGS__)

#define KUNIT_EXPECT_EQ(test, left, right)		KUNIT_COMPARE(test, false, left, ==, right, "")
#define KUNIT_EXPECT_EQ_MSG(test, left, right, ...)	KUNIT_COMPARE(test, false, left, ==, right, __VA_ARGS__)
#define KUNIT_EXPECT_NE(test, left, right)		KUNIT_COMPARE(test, false, left, !=, right, "")
#define KUNIT_EXPECT_NE_MSG(test, left, right, ...)	KUNIT_COMPARE(test, false, left, !=, right, __VA_ARGS__)
#define KUNIT_EXPECT_LT(test, left, right)		KUNIT_COMPARE(test, false, left, <, right, "")
#define KUNIT_EXPECT_LT_MSG(test, left, right, ...)	KUNIT_COMPARE(test, false, left, <, right, __VA_ARGS__)
#define KUNIT_EXPECT_LE(test, left, right)		KUNIT_COMPARE(test, false, left, <=, right, "")
#define KUNIT_EXPECT_LE_MSG(test, left, right, ...)	KUNIT_COMPARE(test, false, left, <=, right, __VA_ARGS__)
#define KUNIT_EXPECT_GT(test, left, right)		KUNIT_COMPARE(test, false, left, >, right, "")
#define KUNIT_EXPECT_GE(test, left, right)		KUNIT_COMPARE(test, false, left, >=, right, "")
#define KUNIT_EXPECT_GE_MSG(test, left, right, ...)	KUNIT_COMPARE(test, false, left, >=, right, __VA_ARGS__)
#define KUNIT_EXPECT_PTR_EQ(test, left, right)		KUNIT_COMPARE_POINTERS(test, false, left, right, "")
#define KUNIT_EXPECT_PTR_EQ_MSG(test, left, right, ...)	KUNIT_COMPARE_POINTERS(test, false, left, right, __VA_ARGS__)
#define KUNIT_EXPECT_STREQ(test, left, right)		KUNIT_COMPARE_TEXT(test, false, left, right, "")
#define KUNIT_EXPECT_STREQ_MSG(test, left, right, ...)	KUNIT_COMPARE_TEXT(test, false, left, right, __VA_ARGS__)
#define KUNIT_EXPECT_TRUE(test, value)			KUNIT_CHECK(test, false, value, #value " to be true", "is false")
#define KUNIT_EXPECT_TRUE_MSG(test, value, ...)		KUNIT_CHECK(test, false, value, #value " to be true", __VA_ARGS__)
#define KUNIT_EXPECT_FALSE(test, value)			KUNIT_CHECK(test, false, !(value), #value " to be false", "is true")
#define KUNIT_EXPECT_NULL(test, value)			KUNIT_CHECK(test, false, !(value), #value " to be NULL", "is not NULL")
#define KUNIT_EXPECT_NULL_MSG(test, value, ...)		KUNIT_CHECK(test, false, !(value), #value " to be NULL", __VA_ARGS__)
#define KUNIT_EXPECT_NOT_NULL(test, value)		KUNIT_CHECK(test, false, value, #value " not to be NULL", "is NULL")
#define KUNIT_EXPECT_NOT_NULL_MSG(test, value, ...)	KUNIT_CHECK(test, false, value, #value " not to be NULL", __VA_ARGS__)

#define KUNIT_ASSERT_EQ(test, left, right)		KUNIT_COMPARE(test, true, left, ==, right, "")
#define KUNIT_ASSERT_EQ_MSG(test, left, right, ...)	KUNIT_COMPARE(test, true, left, ==, right, __VA_ARGS__)
#define KUNIT_ASSERT_NE(test, left, right)		KUNIT_COMPARE(test, true, left, !=, right, "")
#define KUNIT_ASSERT_LT(test, left, right)		KUNIT_COMPARE(test, true, left, <, right, "")
#define KUNIT_ASSERT_LT_MSG(test, left, right, ...)	KUNIT_COMPARE(test, true, left, <, right, __VA_ARGS__)
#define KUNIT_ASSERT_LE(test, left, right)		KUNIT_COMPARE(test, true, left, <=, right, "")
#define KUNIT_ASSERT_GT(test, left, right)		KUNIT_COMPARE(test, true, left, >, right, "")
#define KUNIT_ASSERT_GE(test, left, right)		KUNIT_COMPARE(test, true, left, >=, right, "")
#define KUNIT_ASSERT_GE_MSG(test, left, right, ...)	KUNIT_COMPARE(test, true, left, >=, right, __VA_ARGS__)
#define KUNIT_ASSERT_PTR_EQ(test, left, right)		KUNIT_COMPARE_POINTERS(test, true, left, right, "")
#define KUNIT_ASSERT_TRUE(test, value)			KUNIT_CHECK(test, true, value, #value " to be true", "is false")
#define KUNIT_ASSERT_TRUE_MSG(test, value, ...)		KUNIT_CHECK(test, true, value, #value " to be true", __VA_ARGS__)
#define KUNIT_ASSERT_FALSE(test, value)			KUNIT_CHECK(test, true, !(value), #value " to be false", "is true")
#define KUNIT_ASSERT_FALSE_MSG(test, value, ...)	KUNIT_CHECK(test, true, !(value), #value " to be false", __VA_ARGS__)
#define KUNIT_ASSERT_NULL_MSG(test, value, ...)		KUNIT_CHECK(test, true, !(value), #value " to be NULL", __VA_ARGS__)
#define KUNIT_ASSERT_NOT_NULL(test, value)		KUNIT_CHECK(test, true, value, #value " not to be NULL", "is NULL")
#define KUNIT_ASSERT_NOT_NULL_MSG(test, value, ...)	KUNIT_CHECK(test, true, value, #value " not to be NULL", __VA_ARGS__)

#endif /* TESTS_KUNIT_KUNIT_TEST_H */
