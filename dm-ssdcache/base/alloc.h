/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory for arrays whose length depends on the size of a device or of the DRAM tier. An array may
 * take a large part of all memory, so allocations fail rather than wake the OOM killer, which would
 * kill other processes.
 */
#ifndef SSDC_ALLOC_H
#define SSDC_ALLOC_H

#include <linux/slab.h>
#include <linux/types.h>
#include <linux/vmalloc.h>

#define SSDC_ALLOC_GFP	(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/* Arrays up to this size are contiguous; longer arrays may be fragmented. */
#define SSDC_CONTIGUOUS_BYTES	4096

/**
 * ssdc_alloc_array() - allocate an array of any size
 * @nr: number of elements
 * @bytes: size of an element
 *
 * kvcalloc() refuses more than INT_MAX bytes, and wakes the OOM killer.
 *
 * Context: may sleep. The kernel logs no warning on failure: the caller reports it in one line.
 * Return: the zeroed array, to be freed with kvfree(); NULL without memory.
 */
static inline void *ssdc_alloc_array(size_t nr, size_t bytes)
{
	if (bytes && nr > SSDC_CONTIGUOUS_BYTES / bytes)
		return __vcalloc(nr, bytes, SSDC_ALLOC_GFP);
	return kcalloc(nr, bytes, SSDC_ALLOC_GFP);
}

#endif /* SSDC_ALLOC_H */
