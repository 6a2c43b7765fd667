// SPDX-License-Identifier: GPL-2.0
/*
 * discard-race: long discards, writes, reads and FLUSHes of several threads at random, each of whose results is compared with
 * what the order of the requests allows.
 *
 * A request A comes before B if A had ended when B began. A sector may have the data of each write or discard that no other
 * has followed. A request that failed may have changed its sectors, and is not followed by anything before it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define SECTOR		512u
#define MAX_SECTORS	256u	/* of a write or read */
#define MAX_OPS		20000u
#define WRITERS		3u

struct op {
	uint64_t start, end;	/* ns */
	uint64_t from, to;	/* sectors */
	uint64_t tag;		/* of the data written; 0: zeroes */
	bool is_read, failed;
	uint64_t *seen;		/* read: the data of each sector */
};

static struct op ops[MAX_OPS];
static unsigned int nr_ops;
static uint64_t *base;		/* data of all sectors at the beginning of the round */
static uint64_t nr_sectors, granule = 1, deadline, next_tag = 1;
static const char *device;

static void die(const char *what)
{
	fprintf(stderr, "discard-race: %s: %s\n", what, strerror(errno));
	exit(2);
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static uint64_t below(unsigned int *seed, uint64_t n)
{
	return ((uint64_t)rand_r(seed) << 31 | (uint64_t)rand_r(seed)) % n;
}

static int open_device(const char *name, int flags)
{
	int fd = open(name, O_RDWR | O_DIRECT | flags);

	if (fd < 0)
		die(name);
	return fd;
}

/* A record for a request that begins now; NULL at the end of the round. */
static struct op *begin(void)
{
	unsigned int at;

	if (now() >= deadline)
		return NULL;
	at = __atomic_fetch_add(&nr_ops, 1, __ATOMIC_RELAXED);
	return at < MAX_OPS ? &ops[at] : NULL;
}

static uint64_t *buffer(void)
{
	void *memory;

	if (posix_memalign(&memory, 4096, MAX_SECTORS * SECTOR))
		die("memory");
	return memory;
}

static void some_sectors(struct op *op, unsigned int *seed)
{
	uint64_t nr = 1 + below(seed, below(seed, 2) ? 16 : MAX_SECTORS);

	op->from = below(seed, nr_sectors - nr);
	op->to = op->from + nr;
}

static void *writer(void *arg)
{
	unsigned int seed = (uintptr_t)arg;
	int fd = open_device(device, seed % 3 ? 0 : O_DSYNC);
	uint64_t *data = buffer();
	struct op *op;

	while ((op = begin())) {
		size_t i, bytes;

		some_sectors(op, &seed);
		bytes = (op->to - op->from) * SECTOR;
		op->tag = __atomic_fetch_add(&next_tag, 1, __ATOMIC_RELAXED);
		for (i = 0; i < bytes / sizeof(*data); i++)
			data[i] = op->tag;
		op->start = now();
		op->failed = pwrite(fd, data, bytes, op->from * SECTOR) != (ssize_t)bytes;
		op->end = now();
		usleep(below(&seed, 2000));
	}
	close(fd);
	free(data);
	return NULL;
}

/* Read op->from to op->to into op->seen. */
static void read_op(int fd, struct op *op, uint64_t *data)
{
	size_t nr = op->to - op->from, bytes = nr * SECTOR, i;

	op->is_read = true;
	op->seen = calloc(nr, sizeof(*op->seen));
	op->start = now();
	op->failed = pread(fd, data, bytes, op->from * SECTOR) != (ssize_t)bytes;
	op->end = now();
	for (i = 0; i < nr; i++)
		op->seen[i] = data[i * SECTOR / sizeof(*data)];
}

static void *reader(void *arg)
{
	unsigned int seed = (uintptr_t)arg;
	int fd = open_device(device, 0);
	uint64_t *data = buffer();
	struct op *op;

	while ((op = begin())) {
		some_sectors(op, &seed);
		read_op(fd, op, data);
		usleep(below(&seed, 2000));
	}
	close(fd);
	free(data);
	return NULL;
}

static void *flusher(void *arg)
{
	unsigned int seed = (uintptr_t)arg;
	int fd = open_device(device, 0);

	while (now() < deadline) {
		fsync(fd);
		usleep(below(&seed, 20000));
	}
	close(fd);
	return NULL;
}

struct discarder {
	const char *name;
	unsigned int seed;
};

static void *discarder(void *arg)
{
	struct discarder *d = arg;
	int fd = open_device(d->name, 0);
	struct op *op;

	while ((op = begin())) {
		uint64_t from = below(&d->seed, nr_sectors / 3), to = nr_sectors - below(&d->seed, nr_sectors / 3);
		uint64_t range[2];

		if (!below(&d->seed, 4))
			to = from + 1 + below(&d->seed, nr_sectors / 8);
		from -= from % granule;
		to += (granule - to % granule) % granule;
		op->from = from;
		op->to = to;
		range[0] = from * SECTOR;
		range[1] = (to - from) * SECTOR;
		op->start = now();
		op->failed = ioctl(fd, BLKDISCARD, range);
		op->end = now();
		usleep(below(&d->seed, 30000));
	}
	close(fd);
	return NULL;
}

static bool covers(const struct op *op, uint64_t sector)
{
	return !op->is_read && op->end && op->from <= sector && sector < op->to;
}

/* Had any write or discard of the sector that began after @after ended before @before? */
static bool is_followed(uint64_t sector, uint64_t after, uint64_t before)
{
	unsigned int i;

	for (i = nr_ops; i-- > 0;)
		if (ops[i].end < before && ops[i].start > after && !ops[i].failed && covers(&ops[i], sector))
			return true;
	return false;
}

static bool is_right(uint64_t sector, uint64_t value, uint64_t start, uint64_t end)
{
	unsigned int i;

	/* The last ones first: they are the most probable. */
	for (i = nr_ops; i-- > 0;)
		if (ops[i].tag == value && covers(&ops[i], sector) && ops[i].start < end &&
		    !is_followed(sector, ops[i].end, start))
			return true;
	return value == base[sector] && !is_followed(sector, 0, start);
}

static unsigned int wrong;

static void check(const struct op *read)
{
	uint64_t sector;
	unsigned int i;

	for (sector = read->from; sector < read->to; sector++) {
		uint64_t value = read->seen[sector - read->from];

		if (is_right(sector, value, read->start, read->end) || wrong++ > 5)
			continue;
		printf("sector %ju: read %ju at %ju to %ju; before: %ju\n", sector, value, read->start, read->end, base[sector]);
		for (i = 0; i < nr_ops; i++)
			if (covers(&ops[i], sector))
				printf("\t%ju to %ju: %ju%s, sectors %ju to %ju\n", ops[i].start, ops[i].end, ops[i].tag,
				       ops[i].failed ? " failed" : "", ops[i].from, ops[i].to);
	}
}

static void finish_round(void)
{
	uint64_t *data = buffer(), sector;
	int fd = open_device(device, 0);
	uint64_t *after = calloc(nr_sectors, sizeof(*after));
	unsigned int i, failed = 0, discards = 0;

	for (i = 0; i < nr_ops; i++) {
		failed += ops[i].failed;
		discards += !ops[i].is_read && !ops[i].tag;
		if (ops[i].is_read && !ops[i].failed)
			check(&ops[i]);
	}
	for (sector = 0; sector < nr_sectors; sector += MAX_SECTORS) {
		struct op all = { .from = sector, .to = sector + MAX_SECTORS };

		do {
			free(all.seen);
			read_op(fd, &all, data);
		} while (all.failed);
		check(&all);
		memcpy(after + sector, all.seen, MAX_SECTORS * sizeof(*after));
		free(all.seen);
	}
	printf("%u requests, %u discards, %u failed\n", nr_ops, discards, failed);
	for (i = 0; i < nr_ops; i++)
		free(ops[i].seen);
	free(base);
	base = after;
	free(data);
	close(fd);
}

int main(int argc, char **argv)
{
	unsigned int round, rounds, i, seed, nr_threads;
	struct discarder discarders[8];
	pthread_t threads[16];
	uint64_t bytes, ms;
	int fd;

	if (argc < 6 || argc > 13) {
		fputs("usage: discard-race ROUNDS MS SEED GRANULE DEVICE [DEVICE-FOR-DISCARDS]...\n", stderr);
		return 2;
	}
	rounds = strtoul(argv[1], NULL, 10);
	ms = strtoul(argv[2], NULL, 10);
	seed = strtoul(argv[3], NULL, 10);
	granule = strtoul(argv[4], NULL, 10);
	device = argv[5];
	fd = open_device(device, 0);
	if (ioctl(fd, BLKGETSIZE64, &bytes))
		die("BLKGETSIZE64");
	close(fd);
	nr_sectors = bytes / SECTOR / MAX_SECTORS * MAX_SECTORS;
	base = calloc(nr_sectors, sizeof(*base));
	for (round = 0; round < rounds && !wrong; round++) {
		memset(ops, 0, sizeof(ops));
		nr_ops = 0;
		nr_threads = 0;
		deadline = now() + ms * 1000000;
		for (i = 0; i < WRITERS; i++)
			pthread_create(&threads[nr_threads++], NULL, writer, (void *)(uintptr_t)(seed++ * 3 + i));
		pthread_create(&threads[nr_threads++], NULL, reader, (void *)(uintptr_t)seed++);
		pthread_create(&threads[nr_threads++], NULL, flusher, (void *)(uintptr_t)seed++);
		for (i = 0; i < (unsigned int)argc - 5; i++) {
			discarders[i] = (struct discarder){ argv[5 + i], seed++ };
			pthread_create(&threads[nr_threads++], NULL, discarder, &discarders[i]);
		}
		for (i = 0; i < nr_threads; i++)
			pthread_join(threads[i], NULL);
		if (nr_ops > MAX_OPS)
			nr_ops = MAX_OPS;
		finish_round();
	}
	return wrong != 0;
}
