/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by crash-writer and crash-replay: data that identify the request that wrote them, and the journal of what must
 * survive a crash.
 */
#ifndef CRASH_FORMAT_H
#define CRASH_FORMAT_H

#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define SECTOR 512u
#define SECTOR_WORDS (SECTOR / sizeof(uint64_t))
#define STAMP_MAGIC 0x7373646373746d70ull

/* The sector number that crash-writer --mark-on stamps its marks with */
#define MARK_SECTOR UINT64_MAX

/* Kinds of records in the journal. */
enum record_kind {
	DURABLE = 1,	/* the range is on stable media, as written by request @seq or a later one */
	ZEROED,		/* discard @seq was started: from now on the range may read as zeroes */
	MARK,		/* mark @seq was written to the log of dm-log-writes */
};

struct record {
	uint32_t kind;
	uint32_t nr;
	uint64_t sector;
	uint64_t seq;
};

static inline void __attribute__((__noreturn__, __format__(__printf__, 1, 2)))
die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}

static inline void *allocate(size_t bytes)
{
	void *memory = calloc(1, bytes);

	if (!memory)
		die("no memory for %zu bytes", bytes);
	return memory;
}

static inline uint64_t number(const char *option, const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 10);

	if (end == text || *end)
		die("%s: '%s' is not a number", option, text);
	return value;
}

static inline uint64_t mixed(uint64_t sector, uint64_t seq, unsigned int word)
{
	uint64_t x = sector * 0x9e3779b97f4a7c15ull + seq * 0xbf58476d1ce4e5b9ull + word;

	x ^= x >> 31;
	return x * 0x94d049bb133111ebull;
}

static inline void stamp(void *data, uint64_t sector, uint64_t seq)
{
	uint64_t *words = data;
	unsigned int i;

	words[0] = STAMP_MAGIC;
	words[1] = sector;
	words[2] = seq;
	for (i = 3; i < SECTOR_WORDS; i++)
		words[i] = mixed(sector, seq, i);
}

/* Returns the request that wrote the sector, 0 for zeroes, or UINT64_MAX for anything else. */
static inline uint64_t stamp_of(const void *data, uint64_t sector)
{
	const uint64_t *words = data;
	uint64_t seq = words[2];
	unsigned int i;

	if (words[0] == STAMP_MAGIC) {
		if (words[1] != sector)
			return UINT64_MAX;
		for (i = 3; i < SECTOR_WORDS; i++)
			if (words[i] != mixed(sector, seq, i))
				return UINT64_MAX;
		return seq;
	}
	for (i = 0; i < SECTOR_WORDS; i++)
		if (words[i])
			return UINT64_MAX;
	return 0;
}

#endif /* CRASH_FORMAT_H */
