/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SHIM_LINUX_RECIPROCAL_DIV_H
#define SSDC_SHIM_LINUX_RECIPROCAL_DIV_H

#include <linux/types.h>

struct reciprocal_value {
	u64 m;
};

static inline struct reciprocal_value reciprocal_value(u32 divisor)
{
	return (struct reciprocal_value) { ~0ULL / divisor };
}

/*
 * Exact. With divisor d and m = (2^64 - e) / d, where 1 <= e <= d, the product is
 * (a + 1) / d - (a + 1) e / d / 2^64: less than (a + 1) / d, by at most 1 / d.
 */
static inline u32 reciprocal_divide(u32 a, struct reciprocal_value r)
{
	__extension__ typedef unsigned __int128 product;

	return (product)r.m * (a + 1ULL) >> 64;
}

#endif /* SSDC_SHIM_LINUX_RECIPROCAL_DIV_H */
