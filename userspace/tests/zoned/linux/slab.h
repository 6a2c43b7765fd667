/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_ZONED_LINUX_SLAB_H
#define SSDC_ZONED_LINUX_SLAB_H

#include_next <linux/slab.h>
#include <linux/bitmap.h>

static inline void *alloc_pages_exact(size_t size, gfp_t flags)
{
	return kvcalloc(1, size, flags);
}

static inline void free_pages_exact(void *memory, size_t size)
{
	(void)size;
	kvfree(memory);
}

static inline unsigned long *bitmap_zalloc(unsigned int bits, gfp_t flags)
{
	return kvcalloc(BITS_TO_LONGS(bits), sizeof(unsigned long), flags);
}

static inline void bitmap_free(const unsigned long *map)
{
	kvfree(map);
}

#endif /* SSDC_ZONED_LINUX_SLAB_H */
