/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random numbers for tests: xorshift64*, the same sequence for the same seed on every machine.
 */
#ifndef COMMON_RANDOM_H
#define COMMON_RANDOM_H

/* The state of a generator; never 0. */
struct random {
	unsigned long long state;
};

/* Spread small seeds (0, 1, 2...) over all bits of the state. */
static inline void random_seed(struct random *random, unsigned long long seed)
{
	random->state = (seed + 1) * 0x9e3779b97f4a7c15ULL;
	if (!random->state)
		random->state = 1;
}

static inline unsigned long long random_next(struct random *random)
{
	random->state ^= random->state >> 12;
	random->state ^= random->state << 25;
	random->state ^= random->state >> 27;
	return random->state * 0x2545f4914f6cdd1dULL;
}

/* From 0 to @limit - 1. */
static inline unsigned long long random_below(struct random *random, unsigned long long limit)
{
	return (random_next(random) >> 11) % limit;
}

#endif /* COMMON_RANDOM_H */
