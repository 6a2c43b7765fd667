/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SHIM_LINUX_BITOPS_H
#define SSDC_SHIM_LINUX_BITOPS_H

#include <linux/bits.h>
#include <linux/types.h>

static inline void __set_bit(unsigned long nr, unsigned long *map)
{
	map[nr / BITS_PER_LONG] |= BIT(nr % BITS_PER_LONG);
}

static inline void __clear_bit(unsigned long nr, unsigned long *map)
{
	map[nr / BITS_PER_LONG] &= ~BIT(nr % BITS_PER_LONG);
}

static inline bool test_bit(unsigned long nr, const unsigned long *map)
{
	return map[nr / BITS_PER_LONG] >> (nr % BITS_PER_LONG) & 1;
}

static inline u64 rol64(u64 word, unsigned int shift)
{
	return word << (shift & 63) | word >> (-shift & 63);
}

static inline u64 ror64(u64 word, unsigned int shift)
{
	return word >> (shift & 63) | word << (-shift & 63);
}

/* The lowest set bit; @word is not 0. */
static inline unsigned long __ffs(unsigned long word)
{
	return __builtin_ctzl(word);
}

static inline unsigned int __ffs64(u64 word)
{
	return __builtin_ctzll(word);
}

/* The highest set bit, counted from 1; 0 if there is none. */
static inline int fls64(u64 word)
{
	return word ? 64 - __builtin_clzll(word) : 0;
}

static inline unsigned int hweight8(unsigned int word)
{
	return __builtin_popcount(word & 0xff);
}

static inline unsigned int hweight32(u32 word)
{
	return __builtin_popcount(word);
}

static inline unsigned int hweight64(u64 word)
{
	return __builtin_popcountll(word);
}

#endif /* SSDC_SHIM_LINUX_BITOPS_H */
