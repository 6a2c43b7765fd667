/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sector masks: one bit per sector of a page, 8 to 128 of them, in bytes.
 * Ranges are [from, from + nr), within the page.
 */
#ifndef SSDC_MASK_H
#define SSDC_MASK_H

#include <linux/types.h>

/* The bits of byte @index that belong to the range. */
static inline u8 ssdc_mask_byte(u32 index, u32 from, u32 end)
{
	u32 first = index * 8;
	u8 bits = 0xff;

	if (from > first)
		bits &= 0xff << (from - first);
	if (end < first + 8)
		bits &= 0xff >> (first + 8 - end);
	return bits;
}

static inline void ssdc_mask_set(u8 *mask, u32 from, u32 nr)
{
	u32 i, end = from + nr;

	for (i = from / 8; i * 8 < end; i++)
		mask[i] |= ssdc_mask_byte(i, from, end);
}

static inline void ssdc_mask_clear(u8 *mask, u32 from, u32 nr)
{
	u32 i, end = from + nr;

	for (i = from / 8; i * 8 < end; i++)
		mask[i] &= ~ssdc_mask_byte(i, from, end);
}

/* All bits of the range set? */
static inline bool ssdc_mask_full(const u8 *mask, u32 from, u32 nr)
{
	u32 i, end = from + nr;

	for (i = from / 8; i * 8 < end; i++) {
		u8 bits = ssdc_mask_byte(i, from, end);

		if ((mask[i] & bits) != bits)
			return false;
	}
	return true;
}

/* Any bit of the range set? */
static inline bool ssdc_mask_any(const u8 *mask, u32 from, u32 nr)
{
	u32 i, end = from + nr;

	for (i = from / 8; i * 8 < end; i++)
		if (mask[i] & ssdc_mask_byte(i, from, end))
			return true;
	return false;
}

static inline bool ssdc_mask_bit(const u8 *mask, u32 bit)
{
	return mask[bit / 8] & (1u << (bit % 8));
}

/* How many bits from @from on, below @end, have the same value as bit @from. */
static inline u32 ssdc_mask_run(const u8 *mask, u32 from, u32 end)
{
	bool value = ssdc_mask_bit(mask, from);
	u32 to = from + 1;

	while (to < end && ssdc_mask_bit(mask, to) == value)
		to++;
	return to - from;
}

#endif /* SSDC_MASK_H */
