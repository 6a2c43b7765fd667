/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_FUZZ_LINUX_ATOMIC_H
#define SSDC_FUZZ_LINUX_ATOMIC_H

#include <linux/spinlock.h>
#include <linux/types.h>

typedef struct {
	s64 counter;
} atomic64_t;

#define atomic64_read(atomic)		((atomic)->counter)
#define atomic64_set(atomic, value)	((atomic)->counter = (value))

#endif /* SSDC_FUZZ_LINUX_ATOMIC_H */
