/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The shim's kernel.h, and definitions that every kernel source gets implicitly.
 */
#ifndef SSDC_ZONED_LINUX_KERNEL_H
#define SSDC_ZONED_LINUX_KERNEL_H

#include_next <linux/kernel.h>
#include <endian.h>
#include <linux/math64.h>

typedef u8 __u8;
typedef u32 __le32;
typedef u64 __le64;

#define cpu_to_le32(x)	htole32(x)
#define cpu_to_le64(x)	htole64(x)
#define le32_to_cpu(x)	le32toh(x)
#define le64_to_cpu(x)	le64toh(x)

#ifndef __packed
#define __packed	__attribute__((__packed__))
#endif

#define cond_resched()	do { } while (0)

#define min_not_zero(a, b) ({			\
	__auto_type ssdc_x = (a);		\
	__auto_type ssdc_y = (b);		\
	!ssdc_x ? ssdc_y : !ssdc_y ? ssdc_x : min(ssdc_x, ssdc_y); })

static inline u64 div64_u64_rem(u64 dividend, u64 divisor, u64 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

#endif /* SSDC_ZONED_LINUX_KERNEL_H */
