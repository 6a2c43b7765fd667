// SPDX-License-Identifier: GPL-2.0
/*
 * Random requests while allocations of this process fail. A request may fail, but what has succeeded must be right.
 *
 * Blocks that a failed write or discard concerned may have any data until they are written again. The known data of all
 * blocks are written to MODEL, and a later run with "check" compares another device with them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#define BLOCK 4096
#define WORDS (BLOCK / sizeof(uint64_t))
#define MAX 4096	/* blocks of the longest request */
#define ANY UINT32_MAX	/* tag of a block that may have any data; tag 0 means zeroes */

static uint32_t *tags;
static uint64_t nr_blocks, state = 0x9e3779b97f4a7c15ull;
static uint64_t *buffer;
static int fd;

static void die(const char *what)
{
	fprintf(stderr, "io-faults: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t random_number(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t word(uint64_t block, uint32_t tag, unsigned int i)
{
	return tag ? (block << 32 | tag) * 0xbf58476d1ce4e5b9ull + i : 0;
}

static void check_blocks(uint64_t first, uint64_t nr)
{
	uint64_t b;
	unsigned int i;

	for (b = 0; b < nr; b++) {
		if (tags[first + b] == ANY)
			continue;
		for (i = 0; i < WORDS; i++) {
			if (buffer[b * WORDS + i] == word(first + b, tags[first + b], i))
				continue;
			fprintf(stderr, "io-faults: block %" PRIu64 ", word %u: other data than of tag %u\n", first + b, i,
				tags[first + b]);
			exit(3);
		}
	}
}

static void set_tags(uint64_t first, uint64_t nr, uint32_t tag)
{
	while (nr--)
		tags[first++] = tag;
}

/* Returns whether the request succeeded. */
static bool write_blocks(uint64_t first, uint64_t nr, uint32_t tag, int flags)
{
	struct iovec vec = { buffer, nr * BLOCK };
	bool ok;
	uint64_t b;
	unsigned int i;

	for (b = 0; b < nr; b++)
		for (i = 0; i < WORDS; i++)
			buffer[b * WORDS + i] = word(first + b, tag, i);
	ok = pwritev2(fd, &vec, 1, first * BLOCK, flags) == (ssize_t)(nr * BLOCK);
	set_tags(first, nr, ok ? tag : ANY);
	return ok;
}

static bool read_blocks(uint64_t first, uint64_t nr)
{
	if (pread(fd, buffer, nr * BLOCK, first * BLOCK) != (ssize_t)(nr * BLOCK))
		return false;
	check_blocks(first, nr);
	return true;
}

static bool drop_blocks(uint64_t first, uint64_t nr, unsigned long request)
{
	uint64_t range[2] = { first * BLOCK, nr * BLOCK };
	bool ok = !ioctl(fd, request, range);

	set_tags(first, nr, ok ? 0 : ANY);
	return ok;
}

static bool do_request(uint32_t tag)
{
	unsigned int kind = random_number() % 16;
	uint64_t nr = random_number() % 8 ? 1 + random_number() % 24 : 1 + random_number() % MAX, first;

	nr = nr < nr_blocks ? nr : nr_blocks;
	first = random_number() % (nr_blocks - nr + 1);
	switch (kind) {
	case 0:
		return !fdatasync(fd);
	case 1:
		return drop_blocks(first, nr, BLKDISCARD);
	case 2:
		return drop_blocks(first, nr, BLKZEROOUT);
	case 3:
	case 4:
		return write_blocks(first, nr < 32 ? nr : 32, tag, RWF_DSYNC);
	case 5 ... 9:
		return write_blocks(first, nr, tag, 0);
	default:
		return read_blocks(first, nr);
	}
}

/* Opening and writing the file needs memory, too. */
static void fail_allocations(char on)
{
	unsigned int tries;
	bool done = false;
	int file;

	for (tries = 0; tries < 100000 && !done; tries++) {
		file = open("/proc/self/make-it-fail", O_WRONLY);
		done = file >= 0 && write(file, &on, 1) == 1;
		if (file >= 0)
			close(file);
	}
	if (!done)
		die("make-it-fail");
}

static void model(const char *path, bool load)
{
	FILE *file = fopen(path, load ? "r" : "w");
	size_t nr;

	if (!file)
		die(path);
	nr = load ? fread(tags, sizeof(*tags), nr_blocks, file) : fwrite(tags, sizeof(*tags), nr_blocks, file);
	if (nr != nr_blocks || fclose(file))
		die(path);
}

int main(int argc, char **argv)
{
	uint64_t bytes, i, good = 0, first;
	bool check;

	if (argc != 5) {
		fputs("usage: io-faults run|check DEVICE MODEL REQUESTS\n", stderr);
		return 2;
	}
	check = !strcmp(argv[1], "check");
	fd = open(argv[2], O_RDWR | O_DIRECT);
	if (fd < 0 || ioctl(fd, BLKGETSIZE64, &bytes))
		die(argv[2]);
	nr_blocks = bytes / BLOCK;
	tags = calloc(nr_blocks, sizeof(*tags));
	buffer = aligned_alloc(BLOCK, (size_t)MAX * BLOCK);
	if (!tags || !buffer || mlockall(MCL_CURRENT | MCL_FUTURE))
		die("memory");
	memset(buffer, 0, (size_t)MAX * BLOCK);
	if (check) {
		model(argv[3], true);
	} else {
		for (first = 0; first < nr_blocks; first += MAX)
			if (!write_blocks(first, nr_blocks - first < MAX ? nr_blocks - first : MAX, 1, 0))
				die("first write");
		fail_allocations('1');
		for (i = 0; i < strtoull(argv[4], NULL, 10); i++)
			good += do_request(2 + i);
		fail_allocations('0');
		printf("%" PRIu64 " of %" PRIu64 " requests succeeded\n", good, i);
	}
	for (first = 0; first < nr_blocks; first += MAX)
		if (!read_blocks(first, nr_blocks - first < MAX ? nr_blocks - first : MAX))
			die("last read");
	if (!check)
		model(argv[3], false);
	return 0;
}
