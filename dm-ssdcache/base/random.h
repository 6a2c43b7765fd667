/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pseudo-random numbers by xorshift64*: good enough for mixing and for tests, and the same
 * sequence for the same seed on every machine. Test programs outside the shim include this
 * header, so it uses C's own types.
 */
#ifndef SSDC_RANDOM_H
#define SSDC_RANDOM_H

/* The state of a generator; never 0. */
struct ssdc_random {
	unsigned long long state;
};

/* Spread small seeds (0, 1, 2, ...) over all bits of the state. */
static inline void ssdc_random_seed(struct ssdc_random *random, unsigned long long seed)
{
	random->state = (seed + 1) * 0x9E3779B97F4A7C15ULL;
	if (!random->state)
		random->state = 1;
}

static inline unsigned long long ssdc_random_next(struct ssdc_random *random)
{
	random->state ^= random->state >> 12;
	random->state ^= random->state << 25;
	random->state ^= random->state >> 27;
	return random->state * 0x2545F4914F6CDD1DULL;
}

/* A number from 0 to @limit - 1. */
static inline unsigned long long ssdc_random_below(struct ssdc_random *random,
						   unsigned long long limit)
{
	return (ssdc_random_next(random) >> 11) % limit;
}

#endif /* SSDC_RANDOM_H */
