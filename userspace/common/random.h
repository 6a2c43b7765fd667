/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random numbers for tests: xorshift64*, the same sequence for the same seed on every machine.
 */
#ifndef COMMON_RANDOM_H
#define COMMON_RANDOM_H

#include <stdint.h>

/* Spreads small seeds (1, 2, 3...) over all bits; the state must not be 0. */
#define RANDOM_SPREAD 0x9e3779b97f4a7c15ULL

static inline uint64_t random_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

#endif /* COMMON_RANDOM_H */
