/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SHIM_LINUX_MATH64_H
#define SSDC_SHIM_LINUX_MATH64_H

#include <linux/types.h>

/* Most dividends fit into 32 bits, and processors divide those several times as fast. */
static inline u64 div_u64(u64 dividend, u32 divisor)
{
	if (!(dividend >> 32))
		return (u32)dividend / divisor;
	return dividend / divisor;
}

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

static inline u64 div_u64_rem(u64 dividend, u32 divisor, u32 *remainder)
{
	if (!(dividend >> 32)) {
		*remainder = (u32)dividend % divisor;
		return (u32)dividend / divisor;
	}
	*remainder = dividend % divisor;
	return dividend / divisor;
}

/* a * b / c with a product of more than 64 bits; the result must fit. */
static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 c)
{
	__extension__ typedef unsigned __int128 product;

	return (product)a * b / c;
}

static inline u64 mul_u64_u32_div(u64 a, u32 b, u32 c)
{
	return mul_u64_u64_div_u64(a, b, c);
}

/* a * b / 2^shift, likewise */
static inline u64 mul_u64_u32_shr(u64 a, u32 b, unsigned int shift)
{
	__extension__ typedef unsigned __int128 product;

	return (product)a * b >> shift;
}

#endif /* SSDC_SHIM_LINUX_MATH64_H */
