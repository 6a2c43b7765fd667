// SPDX-License-Identifier: GPL-2.0
/*
 * The data of a replay's writes: a sector holds its address and the number of the request that wrote
 * it; all its bytes follow from these and the seed.
 */
#include <string.h>
#include "replay.h"

#define WORDS	(TRACE_SECTOR_BYTES / sizeof(uint64_t))
#define HEADER	2	/* words: address, sequence */

/* The finisher of splitmix64: each bit of the result depends on all of @x. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static void fill_sector(uint64_t *words, uint64_t sector, uint64_t sequence, uint64_t seed)
{
	uint64_t word = mix(mix(mix(seed) + sector) + sequence);
	const uint64_t step = word | 1;
	unsigned int i;

	words[0] = sector;
	words[1] = sequence;
	for (i = HEADER; i < WORDS; i++)
		words[i] = word += step;
}

/**
 * pattern_fill() - the data of a write
 * @buffer: result
 * @sector: start
 * @nr_sectors: length
 * @sequence: number of the request, from 1
 * @seed: of the replay
 */
void pattern_fill(void *buffer, uint64_t sector, uint32_t nr_sectors, uint64_t sequence,
		  uint64_t seed)
{
	uint64_t *words = buffer;
	uint32_t i;

	for (i = 0; i < nr_sectors; i++, words += WORDS)
		fill_sector(words, sector + i, sequence, seed);
}

/**
 * pattern_check() - which request wrote a sector
 * @buffer: the sector's data
 * @sector: its address
 * @seed: of the replay
 *
 * Return: the number of the request; 0: no request of a replay wrote this here.
 */
uint64_t pattern_check(const void *buffer, uint64_t sector, uint64_t seed)
{
	uint64_t expected[WORDS], sequence;

	memcpy(&sequence, (const char *)buffer + sizeof(uint64_t), sizeof(sequence));
	fill_sector(expected, sector, sequence, seed);
	return memcmp(buffer, expected, sizeof(expected)) ? 0 : sequence;
}
