/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_ZONED_LINUX_CRC32_H
#define SSDC_ZONED_LINUX_CRC32_H

#include <zlib.h>

/* zlib inverts the CRC before and after; the kernel leaves that to callers. */
static inline unsigned int crc32_le(unsigned int crc, const unsigned char *data, size_t len)
{
	return ~(unsigned int)crc32(~crc, data, len);
}

#endif /* SSDC_ZONED_LINUX_CRC32_H */
