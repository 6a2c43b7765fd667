/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SHIM_LINUX_BITMAP_H
#define SSDC_SHIM_LINUX_BITMAP_H

#include <linux/bitops.h>

#define DECLARE_BITMAP(name, bits)	unsigned long name[BITS_TO_LONGS(bits)]

/* The first set bit at or after @from, @size if there is none. */
unsigned long find_next_bit(const unsigned long *map, unsigned long size, unsigned long from);

static inline unsigned long find_first_bit(const unsigned long *map, unsigned long size)
{
	return find_next_bit(map, size, 0);
}

#define for_each_set_bit(bit, map, size)				\
	for ((bit) = find_first_bit(map, size); (bit) < (size);		\
	     (bit) = find_next_bit(map, size, (bit) + 1))

static inline bool bitmap_empty(const unsigned long *map, unsigned long bits)
{
	return find_first_bit(map, bits) == bits;
}

#endif /* SSDC_SHIM_LINUX_BITMAP_H */
