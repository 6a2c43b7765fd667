/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Comparisons of eight bytes of an array at a time. The answer has bit 7 set in each byte for which
 * the comparison is true; all other bits are 0. Byte 0, the lowest, is the first byte of the array.
 */
#ifndef SSDC_BYTE_WORDS_H
#define SSDC_BYTE_WORDS_H

#include <linux/string.h>
#include <linux/types.h>

#define SSDC_BYTES_EACH(byte)	((byte) * 0x0101010101010101ULL)
#define SSDC_BYTES_TOP		SSDC_BYTES_EACH(0x80)

/* The eight bytes at @bytes, which need not be aligned. */
static inline u64 ssdc_bytes_load(const u8 *bytes)
{
	u64 word;

	memcpy(&word, bytes, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* A number with which the bytes of several words are compared. */
struct ssdc_bytes_limit {
	u64 add;	/* added to the low seven bits: bit 7 tells whether they are above */
	u64 either;	/* for a limit below 128: bit 7 of the byte itself is enough */
};

static inline struct ssdc_bytes_limit ssdc_bytes_limit(u8 limit)
{
	return (struct ssdc_bytes_limit){
		.add = SSDC_BYTES_EACH((limit ^ 0x7f) & 0x7f),
		.either = limit < 0x80 ? SSDC_BYTES_TOP : 0,
	};
}

/* Which bytes are above the limit? No sum of a byte carries into the next one. */
static inline u64 ssdc_bytes_above(u64 word, struct ssdc_bytes_limit limit)
{
	u64 low = (word & ~SSDC_BYTES_TOP) + limit.add;

	return ((low & word) | ((low | word) & limit.either)) & SSDC_BYTES_TOP;
}

/* Which bytes are equal to @value? */
static inline u64 ssdc_bytes_equal(u64 word, u8 value)
{
	u64 differ = word ^ SSDC_BYTES_EACH(value);

	return ~(((differ & ~SSDC_BYTES_TOP) + ~SSDC_BYTES_TOP) | differ) & SSDC_BYTES_TOP;
}

/* The answer of a comparison as eight bits; the lowest bit is for byte 0. */
static inline u8 ssdc_bytes_pack(u64 answer)
{
	return ((answer >> 7) * 0x0102040810204080ULL) >> 56;
}

#endif /* SSDC_BYTE_WORDS_H */
