// SPDX-License-Identifier: GPL-2.0
/*
 * Reads and writes a block device with direct I/O. The data tell where and when they were written.
 *
 * Each written sector holds its number and a tag, spread over the sector. A check with the same tag reports the first
 * sector with other data. Tag 0 means zeroes.
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
#include <sys/uio.h>
#include <unistd.h>

#define SECTOR 512
#define WORDS (SECTOR / sizeof(uint64_t))

static void usage(void)
{
	fputs("usage: blkio write|fua|check DEVICE OFFSET LENGTH TAG [LENGTH TAG]... [REQUEST]\n"
	      "       blkio tag DEVICE OFFSET\n"
	      "       blkio nowait DEVICE OFFSET LENGTH\n"
	      "       blkio flush DEVICE\n"
	      "       blkio discard|zero|erase DEVICE OFFSET LENGTH\n"
	      "       blkio --hint HINT write|fua ...\n"
	      "zero is WRITE_ZEROES, without the kernel's fallback to writes of zeroes; erase is\n"
	      "secure erase. Several LENGTHs follow one another. OFFSET, LENGTH and REQUEST (the size\n"
	      "of a request) are in bytes, or have k, m or g. check reports the first sector that\n"
	      "differs and fails; tag prints the tag of a sector; nowait reads with RWF_NOWAIT. HINT is\n"
	      "a number of F_SET_RW_HINT.\n",
	      stderr);
	exit(2);
}

static void die(const char *what)
{
	fprintf(stderr, "blkio: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t size(const char *text)
{
	char *end;
	uint64_t number = strtoull(text, &end, 10);

	switch (*end) {
	case 'g':
		number <<= 10;
		/* fallthrough */
	case 'm':
		number <<= 10;
		/* fallthrough */
	case 'k':
		number <<= 10;
		end++;
	}
	if (end == text || *end)
		usage();
	return number;
}

static uint64_t mix(uint64_t sector, uint64_t tag, unsigned int word)
{
	uint64_t x = sector * 0x9e3779b97f4a7c15ull + tag * 0xbf58476d1ce4e5b9ull + word;

	x ^= x >> 31;
	x *= 0x94d049bb133111ebull;
	return x ^ x >> 29;
}

/* Words 0 and 1 are plain numbers, for humans who read a dump, and for "tag". */
static void make(uint64_t *data, uint64_t sector, uint64_t tag)
{
	unsigned int i;

	if (!tag) {
		memset(data, 0, SECTOR);
		return;
	}
	data[0] = sector;
	data[1] = tag;
	for (i = 2; i < WORDS; i++)
		data[i] = mix(sector, tag, i);
}

static void describe(const uint64_t *data, char *text, size_t len)
{
	uint64_t expected[WORDS];

	make(expected, data[0], data[1]);
	if (!memcmp(data, expected, SECTOR))
		snprintf(text, len, "those of sector %" PRIu64 ", tag %" PRIu64, data[0], data[1]);
	else
		snprintf(text, len, "none of ours: %016" PRIx64 " %016" PRIx64, data[0], data[1]);
}

static void check(const uint64_t *data, uint64_t sector, uint64_t tag)
{
	uint64_t expected[WORDS];
	char found[80];

	make(expected, sector, tag);
	if (!memcmp(data, expected, SECTOR))
		return;
	describe(data, found, sizeof(found));
	fprintf(stderr, "blkio: sector %" PRIu64 ": the data are not of tag %" PRIu64 " but %s\n",
		sector, tag, found);
	exit(1);
}

static void *buffer(uint64_t bytes)
{
	void *data = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);

	if (!data)
		die("memory");
	return data;
}

enum verb { WRITE, FUA, CHECK };

static void transfer(int fd, enum verb verb, uint64_t offset, uint64_t length, uint64_t tag,
		     uint64_t request)
{
	char *data = buffer(request);
	uint64_t at;

	while (length) {
		struct iovec iov = { data, length < request ? length : request };
		ssize_t n;

		for (at = 0; verb != CHECK && at < iov.iov_len; at += SECTOR)
			make((uint64_t *)(data + at), (offset + at) / SECTOR, tag);
		if (verb == CHECK)
			n = preadv(fd, &iov, 1, offset);
		else
			n = pwritev2(fd, &iov, 1, offset, verb == FUA ? RWF_DSYNC : 0);
		if (n != (ssize_t)iov.iov_len) {
			if (n >= 0)
				errno = ENODATA;
			die(verb == CHECK ? "read" : "write");
		}
		for (at = 0; verb == CHECK && at < iov.iov_len; at += SECTOR)
			check((uint64_t *)(data + at), (offset + at) / SECTOR, tag);
		offset += n;
		length -= n;
	}
	free(data);
}

/* LENGTH TAG ... [REQUEST] */
static void transfers(int fd, enum verb verb, uint64_t offset, int argc, char **argv)
{
	uint64_t request = argc % 2 ? size(argv[argc - 1]) : 1 << 20;
	int i;

	for (i = 0; i + 1 < argc; i += 2) {
		transfer(fd, verb, offset, size(argv[i]), size(argv[i + 1]), request);
		offset += size(argv[i]);
	}
}

static void print_tag(int fd, uint64_t offset)
{
	uint64_t *data = buffer(SECTOR);
	char found[80];

	if (pread(fd, data, SECTOR, offset) != SECTOR)
		die("read");
	describe(data, found, sizeof(found));
	if (found[0] == 't')
		printf("%" PRIu64 "\n", data[1]);
	else
		puts(data[0] || data[1] ? found : "0");
	free(data);
}

static void read_nowait(int fd, uint64_t offset, uint64_t length)
{
	struct iovec iov = { buffer(length), length };

	if (preadv2(fd, &iov, 1, offset, RWF_NOWAIT) != (ssize_t)length)
		die("read");
	free(iov.iov_base);
}

static void flush(int fd)
{
	if (fsync(fd))
		die("flush");
}

static void range(int fd, const char *verb, unsigned long command, uint64_t offset, uint64_t length)
{
	uint64_t range[2] = { offset, length };

	if (ioctl(fd, command, range))
		die(verb);
}

/* Punching a hole in a block device sends WRITE_ZEROES. */
static void zero(int fd, uint64_t offset, uint64_t length)
{
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length))
		die("zero");
}

int main(int argc, char **argv)
{
	const char *verb;
	uint64_t hint = 0;
	bool reads;
	int fd;

	if (argc > 3 && !strcmp(argv[1], "--hint")) {
		hint = size(argv[2]);
		argc -= 2;
		argv += 2;
	}
	if (argc < 3)
		usage();
	verb = argv[1];
	reads = !strcmp(verb, "check") || !strcmp(verb, "tag") || !strcmp(verb, "nowait");
	fd = open(argv[2], (reads ? O_RDONLY : O_RDWR) | O_DIRECT);
	if (fd < 0)
		die(argv[2]);
	if (hint && fcntl(fd, F_SET_RW_HINT, &hint))
		die("hint");

	if (!strcmp(verb, "write") && argc > 5)
		transfers(fd, WRITE, size(argv[3]), argc - 4, argv + 4);
	else if (!strcmp(verb, "fua") && argc > 5)
		transfers(fd, FUA, size(argv[3]), argc - 4, argv + 4);
	else if (!strcmp(verb, "check") && argc > 5)
		transfers(fd, CHECK, size(argv[3]), argc - 4, argv + 4);
	else if (!strcmp(verb, "tag") && argc == 4)
		print_tag(fd, size(argv[3]));
	else if (!strcmp(verb, "nowait") && argc == 5)
		read_nowait(fd, size(argv[3]), size(argv[4]));
	else if (!strcmp(verb, "flush") && argc == 3)
		flush(fd);
	else if (!strcmp(verb, "discard") && argc == 5)
		range(fd, verb, BLKDISCARD, size(argv[3]), size(argv[4]));
	else if (!strcmp(verb, "zero") && argc == 5)
		zero(fd, size(argv[3]), size(argv[4]));
	else if (!strcmp(verb, "erase") && argc == 5)
		range(fd, verb, BLKSECDISCARD, size(argv[3]), size(argv[4]));
	else
		usage();

	if (close(fd))
		die("close");
	return 0;
}
