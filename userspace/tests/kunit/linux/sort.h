/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TESTS_KUNIT_LINUX_SORT_H
#define TESTS_KUNIT_LINUX_SORT_H

#include <stdlib.h>

/* @swap must be NULL. */
static inline void sort(void *base, size_t nr, size_t size,
			int (*compare)(const void *, const void *), const void *swap)
{
	(void)swap;
	qsort(base, nr, size, compare);
}

#endif /* TESTS_KUNIT_LINUX_SORT_H */
