/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_ZONED_LINUX_HASH_H
#define SSDC_ZONED_LINUX_HASH_H

#include <linux/types.h>

static inline u32 hash_32(u32 value, unsigned int bits)
{
	return value * 0x61C88647U >> (32 - bits);
}

#endif /* SSDC_ZONED_LINUX_HASH_H */
