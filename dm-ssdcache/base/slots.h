/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Eight slots of 16 bits each, packed into two words, so that they are searched and moved four at a
 * time. Slot 0 is in the lowest bits of the first word.
 */
#ifndef SSDC_SLOTS_H
#define SSDC_SLOTS_H

#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/types.h>

#define SSDC_SLOTS		8u
#define SSDC_SLOT_BITS		16
#define SSDC_WORD_SLOTS		4u
#define SSDC_EVERY_SLOT		0x0001000100010001ULL
#define SSDC_SLOT_SIGNS		0x8000800080008000ULL

struct ssdc_slots {
	u64 words[2];
};

static inline u16 ssdc_slots_get(const struct ssdc_slots *slots, unsigned int slot)
{
	return slots->words[slot / SSDC_WORD_SLOTS] >> slot % SSDC_WORD_SLOTS * SSDC_SLOT_BITS;
}

/*
 * The answer has the highest bit of a slot set if the slot has @value. Only the lowest such bit is
 * certain: it is that of the first @value.
 */
static inline u64 ssdc_slots_equal(u64 word, u64 value)
{
	u64 other = word ^ value * SSDC_EVERY_SLOT;

	return (other - SSDC_EVERY_SLOT) & ~other;
}

/* The first slot that has @value, or SSDC_SLOTS. */
static inline unsigned int ssdc_slots_find(const struct ssdc_slots *slots, u16 value)
{
	u64 first = ssdc_slots_equal(slots->words[0], value);
	u64 second = ssdc_slots_equal(slots->words[1], value);

	if (likely(!((first | second) & SSDC_SLOT_SIGNS)))
		return SSDC_SLOTS;
	first &= SSDC_SLOT_SIGNS;
	if (first)
		return __ffs64(first) / SSDC_SLOT_BITS;
	return SSDC_WORD_SLOTS + __ffs64(second & SSDC_SLOT_SIGNS) / SSDC_SLOT_BITS;
}

/*
 * Put @value into slot 0 of a word; slots up to @last move by one, and the value of @last is lost.
 */
static inline u64 ssdc_word_push(u64 word, u16 value, unsigned int last)
{
	u64 stay = (~0ULL << last * SSDC_SLOT_BITS) << SSDC_SLOT_BITS;

	return (word & stay) | ((word << SSDC_SLOT_BITS | value) & ~stay);
}

/* Put @value into slot 0; slots up to @last, at most SSDC_SLOTS - 1, move by one. */
static inline void ssdc_slots_push(struct ssdc_slots *slots, u16 value, unsigned int last)
{
	u16 carry = slots->words[0] >> (64 - SSDC_SLOT_BITS);

	if (last >= SSDC_WORD_SLOTS)
		slots->words[1] = ssdc_word_push(slots->words[1], carry, last - SSDC_WORD_SLOTS);
	slots->words[0] = ssdc_word_push(slots->words[0], value, min(last, SSDC_WORD_SLOTS - 1));
}

#endif /* SSDC_SLOTS_H */
