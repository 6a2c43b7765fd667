/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory for arrays whose length depends on the size of a device or of the DRAM tier.
 */
#ifndef SSDC_ALLOC_H
#define SSDC_ALLOC_H

#include <linux/limits.h>
#include <linux/slab.h>
#include <linux/types.h>
#include <linux/vmalloc.h>

/**
 * ssdc_alloc_array() - allocate an array of any size
 * @nr: number of elements
 * @bytes: size of an element
 *
 * kvcalloc() refuses more than INT_MAX bytes.
 *
 * Context: may sleep. The kernel logs no warning on failure: the caller reports it in one line.
 * Return: the zeroed array, to be freed with kvfree(); NULL without memory.
 */
static inline void *ssdc_alloc_array(size_t nr, size_t bytes)
{
	if (bytes && nr > INT_MAX / bytes)
		return __vcalloc(nr, bytes, GFP_KERNEL | __GFP_NOWARN);
	return kvcalloc(nr, bytes, GFP_KERNEL | __GFP_NOWARN);
}

#endif /* SSDC_ALLOC_H */
