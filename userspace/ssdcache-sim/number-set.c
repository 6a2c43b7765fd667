// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include "number-set.h"

#define WORD_SHIFT 6

static u64 bit_of(u32 number)
{
	return 1ULL << (number & 63);
}

/**
 * number_set_create() - make an empty set
 * @set: result
 * @bound: all numbers are less; not 0
 */
void number_set_create(struct number_set *set, u32 bound)
{
	u64 words = bound;

	set->nr_levels = 0;
	set->bytes = 0;
	do {
		words = (words + 63) >> WORD_SHIFT;
		set->levels[set->nr_levels++] = xcalloc(words, sizeof(u64));
		set->bytes += words * sizeof(u64);
	} while (words > 1);
}

void number_set_add(struct number_set *set, u32 number)
{
	unsigned int level;

	for (level = 0; level < set->nr_levels; level++, number >>= WORD_SHIFT)
		set->levels[level][number >> WORD_SHIFT] |= bit_of(number);
}

bool number_set_has(const struct number_set *set, u32 number)
{
	return set->levels[0][number >> WORD_SHIFT] & bit_of(number);
}

void number_set_remove(struct number_set *set, u32 number)
{
	unsigned int level;

	for (level = 0; level < set->nr_levels; level++, number >>= WORD_SHIFT) {
		u64 *word = &set->levels[level][number >> WORD_SHIFT];

		*word &= ~bit_of(number);
		if (*word)
			return;
	}
}

static u32 highest_bit(u64 word)
{
	return 63 - __builtin_clzll(word);
}

/**
 * number_set_highest() - the highest number of a set up to a limit
 * @set: set
 * @limit: highest number accepted, less than the bound
 *
 * Return: the number or NUMBER_SET_NONE.
 */
u32 number_set_highest(const struct number_set *set, u32 limit)
{
	unsigned int level;
	u32 at = limit;

	for (level = 0; level < set->nr_levels; level++) {
		u64 word = set->levels[level][at >> WORD_SHIFT] & (bit_of(at) | (bit_of(at) - 1));

		if (word) {
			at = (at & ~63u) + highest_bit(word);
			break;
		}
		at >>= WORD_SHIFT;
		if (!at--)
			return NUMBER_SET_NONE;
	}
	if (level == set->nr_levels)
		return NUMBER_SET_NONE;
	while (level--)
		at = (at << WORD_SHIFT) + highest_bit(set->levels[level][at]);
	return at;
}

void number_set_free(struct number_set *set)
{
	while (set->nr_levels)
		free(set->levels[--set->nr_levels]);
}
