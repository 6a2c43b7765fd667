/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sector masks: one bit per sector of a page, 8 to 128 bits, as an array of bytes. A range is
 * [from, from + nr), within the page, and never empty.
 */
#ifndef SSDC_MASK_H
#define SSDC_MASK_H

#include <linux/bitops.h>
#include <linux/string.h>
#include <linux/types.h>

/*
 * The bytes of a range: the bits @head of byte @first, all bits of the bytes in between, and the
 * bits @tail of byte @last. Every hit checks a range, and most ranges are within one byte, or two
 * if pages have 8 KiB, so the functions handle these without a span.
 */
struct ssdc_span {
	u32 first;
	u32 last;
	u8 head;
	u8 tail;
};

static inline struct ssdc_span ssdc_span_of(u32 from, u32 nr)
{
	u32 end = from + nr - 1;

	return (struct ssdc_span){
		.first = from / 8,
		.last = end / 8,
		.head = 0xff << from % 8,
		.tail = 0xff >> (7 - end % 8),
	};
}

/* The number of bytes after the first one. */
static inline u32 ssdc_span_more(u32 from, u32 nr)
{
	return (from + nr - 1) / 8 - from / 8;
}

/* The bits of a range within one byte, or two. */
static inline u16 ssdc_span_bits(u32 from, u32 nr)
{
	return ((1u << nr) - 1) << from % 8;
}

/* Set a range within two bytes. All ranges are so short if pages have at most 8 KiB. */
static inline void ssdc_mask_set_short(u8 *mask, u32 from, u32 nr)
{
	mask[from / 8] |= ssdc_span_bits(from, nr);
	if (ssdc_span_more(from, nr))
		mask[from / 8 + 1] |= ssdc_span_bits(from, nr) >> 8;
}

static inline void ssdc_mask_set(u8 *mask, u32 from, u32 nr)
{
	u32 more = ssdc_span_more(from, nr);
	struct ssdc_span s;

	if (more <= 1) {
		ssdc_mask_set_short(mask, from, nr);
		return;
	}
	s = ssdc_span_of(from, nr);
	mask[s.first] |= s.head;
	while (++s.first < s.last)
		mask[s.first] = 0xff;
	mask[s.last] |= s.tail;
}

static inline void ssdc_mask_clear(u8 *mask, u32 from, u32 nr)
{
	u32 more = ssdc_span_more(from, nr);
	struct ssdc_span s;

	if (more <= 1) {
		mask[from / 8] &= ~ssdc_span_bits(from, nr);
		if (more)
			mask[from / 8 + 1] &= ~(ssdc_span_bits(from, nr) >> 8);
		return;
	}
	s = ssdc_span_of(from, nr);
	mask[s.first] &= ~s.head;
	while (++s.first < s.last)
		mask[s.first] = 0;
	mask[s.last] &= ~s.tail;
}

/* Are all bits of the range set? */
static inline bool ssdc_mask_full(const u8 *mask, u32 from, u32 nr)
{
	u32 more = ssdc_span_more(from, nr);
	struct ssdc_span s;

	if (!more)
		return !(~mask[from / 8] & ssdc_span_bits(from, nr));
	if (more == 1)
		return !(~(mask[from / 8] | mask[from / 8 + 1] << 8) & ssdc_span_bits(from, nr));
	s = ssdc_span_of(from, nr);
	if (~mask[s.first] & s.head)
		return false;
	while (++s.first < s.last)
		if (mask[s.first] != 0xff)
			return false;
	return !(~mask[s.last] & s.tail);
}

/* Is any bit of the range set? */
static inline bool ssdc_mask_any(const u8 *mask, u32 from, u32 nr)
{
	u32 more = ssdc_span_more(from, nr);
	struct ssdc_span s;

	if (!more)
		return mask[from / 8] & ssdc_span_bits(from, nr);
	s = ssdc_span_of(from, nr);
	if (mask[s.first] & s.head)
		return true;
	while (++s.first < s.last)
		if (mask[s.first])
			return true;
	return mask[s.last] & s.tail;
}

/*
 * Set all bytes of a mask. Pages of 4 and 8 KiB have masks too short for memset(). Inline, as
 * @value is constant.
 */
static __always_inline void ssdc_mask_put(u8 *mask, u32 bytes, u8 value)
{
	if (bytes > 2) {
		memset(mask, value, bytes);
		return;
	}
	mask[0] = value;
	mask[bytes - 1] = value;
}

static inline void ssdc_mask_zero(u8 *mask, u32 bytes)
{
	ssdc_mask_put(mask, bytes, 0);
}

static inline void ssdc_mask_fill(u8 *mask, u32 bytes)
{
	ssdc_mask_put(mask, bytes, 0xff);
}

/* Set the bits that are set in @other. */
static inline void ssdc_mask_add(u8 *mask, const u8 *other, u32 bytes)
{
	u32 i;

	for (i = 0; i < bytes; i++)
		mask[i] |= other[i];
}

/*
 * Can a whole mask be seen to be full, or to be empty, at a glance? Returns false if the mask is
 * longer than that of a page of 8 KiB.
 */
static inline bool ssdc_mask_all_full(const u8 *mask, u32 bytes)
{
	return bytes <= 2 && (mask[0] & mask[bytes - 1]) == 0xff;
}

static inline bool ssdc_mask_all_empty(const u8 *mask, u32 bytes)
{
	return bytes <= 2 && !(mask[0] | mask[bytes - 1]);
}

static inline bool ssdc_mask_bit(const u8 *mask, u32 bit)
{
	return mask[bit / 8] & (1u << (bit % 8));
}

/* Number of consecutive bits from @from on, up to @end, with the value of bit @from. */
static inline u32 ssdc_mask_run(const u8 *mask, u32 from, u32 end)
{
	u8 same = ssdc_mask_bit(mask, from) ? 0xff : 0;
	u32 to = from, other;

	/* One byte at a time: @other has the bits from @to on that differ. */
	while (to < end) {
		other = (u8)(mask[to / 8] ^ same) >> to % 8;
		if (other) {
			to += __ffs(other);
			break;
		}
		to = (to | 7) + 1;
	}
	return (to < end ? to : end) - from;
}

#endif /* SSDC_MASK_H */
