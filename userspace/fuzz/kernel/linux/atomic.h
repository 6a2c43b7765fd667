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
#define atomic64_add_return(value, atomic)	((atomic)->counter += (value))
#define atomic64_xchg(atomic, value)	__atomic_exchange_n(&(atomic)->counter, value, __ATOMIC_SEQ_CST)

#endif /* SSDC_FUZZ_LINUX_ATOMIC_H */
