/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_ZONED_LINUX_SLAB_H
#define SSDC_ZONED_LINUX_SLAB_H

#include_next <linux/slab.h>

static inline void *alloc_pages_exact(size_t size, gfp_t flags)
{
	return kvcalloc(1, size, flags);
}

static inline void free_pages_exact(void *memory, size_t size)
{
	(void)size;
	kvfree(memory);
}

#endif /* SSDC_ZONED_LINUX_SLAB_H */
