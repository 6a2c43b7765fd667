/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TESTS_KUNIT_LINUX_MM_H
#define TESTS_KUNIT_LINUX_MM_H

#include <linux/limits.h>

#define PAGE_SHIFT	12

/* A host may overcommit memory: no test can use all of it. */
static inline unsigned long totalram_pages(void)
{
	return ULONG_MAX;
}

#endif /* TESTS_KUNIT_LINUX_MM_H */
