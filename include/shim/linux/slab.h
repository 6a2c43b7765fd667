/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory. A test can make the n-th allocation from now fail, see ssdc_shim_fail_alloc.
 */
#ifndef SSDC_SHIM_LINUX_SLAB_H
#define SSDC_SHIM_LINUX_SLAB_H

#include <linux/types.h>

#define GFP_KERNEL	0u
#define __GFP_NOWARN 0u
#define __GFP_RETRY_MAYFAIL 0u
#define __GFP_ZERO 0u

/* Counts down with each allocation; the one that reaches 0 fails. 0: none fails. */
extern unsigned long ssdc_shim_fail_alloc;

/* Allocations that have failed so far. */
extern unsigned long ssdc_shim_failed_allocs;

void *kvcalloc(size_t nr, size_t size, gfp_t flags);
void kvfree(const void *memory);

static inline void *kcalloc(size_t nr, size_t size, gfp_t flags)
{
	return kvcalloc(nr, size, flags);
}

static inline void *kzalloc(size_t size, gfp_t flags)
{
	return kvcalloc(1, size, flags);
}

static inline void *kvzalloc(size_t size, gfp_t flags)
{
	return kvcalloc(1, size, flags);
}

static inline void kfree(const void *memory)
{
	kvfree(memory);
}

#endif /* SSDC_SHIM_LINUX_SLAB_H */
