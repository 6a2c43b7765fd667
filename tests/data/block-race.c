// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that write and read the same few logical blocks of a device at the same time, with direct I/O. Each
 * write fills a block with one byte, so a block that holds two different bytes mixes two writes. Requests cover
 * one to eight blocks.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BLOCKS 8
#define MAX_BLOCK 4096

static const char *device;
static int block;
static unsigned long rounds;
static atomic_bool torn;

static void die(const char *what)
{
	fprintf(stderr, "block-race: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void *buffer(void)
{
	void *p = aligned_alloc(MAX_BLOCK, BLOCKS * MAX_BLOCK);

	if (!p)
		die("memory");
	return p;
}

static int open_device(void)
{
	int fd = open(device, O_RDWR | O_DIRECT);

	if (fd < 0)
		die(device);
	return fd;
}

static void *writer(void *number)
{
	unsigned char *data = buffer();
	int fd = open_device();
	unsigned long i;

	for (i = 0; i < rounds && !torn; i++) {
		size_t nr = 1 + i % BLOCKS, first = i / BLOCKS % (BLOCKS - nr + 1);

		memset(data, 2 * i + (long)number, nr * block);
		if (pwrite(fd, data, nr * block, first * block) != (ssize_t)(nr * block))
			die("write");
	}
	close(fd);
	free(data);
	return NULL;
}

static void *reader(void *unused)
{
	unsigned char *data = buffer();
	int fd = open_device();
	unsigned long i;
	int b, at;

	(void)unused;
	for (i = 0; i < rounds && !torn; i++) {
		if (pread(fd, data, BLOCKS * block, 0) != BLOCKS * block)
			die("read");
		for (b = 0; b < BLOCKS; b++) {
			const unsigned char *bytes = data + b * block;

			for (at = 1; at < block && bytes[at] == bytes[0]; at++)
				;
			if (at == block)
				continue;
			torn = true;
			printf("block %d: byte 0 is %#x, byte %d is %#x, in read %lu\n", b, bytes[0], at,
			       bytes[at], i);
		}
	}
	close(fd);
	free(data);
	return NULL;
}

int main(int argc, char **argv)
{
	void *(*const work[4])(void *) = { writer, writer, reader, reader };
	pthread_t threads[4];
	int fd, i;

	if (argc != 3) {
		fputs("usage: block-race DEVICE ROUNDS\n", stderr);
		return 2;
	}
	device = argv[1];
	rounds = strtoul(argv[2], NULL, 10);
	fd = open_device();
	if (ioctl(fd, BLKSSZGET, &block) || block > MAX_BLOCK)
		die("logical block size");
	if (pwrite(fd, memset(buffer(), 0, BLOCKS * block), BLOCKS * block, 0) != BLOCKS * block)
		die("first write");
	close(fd);
	for (i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, work[i], (void *)(long)i))
			die("thread");
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return torn;
}
