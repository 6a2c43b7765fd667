// SPDX-License-Identifier: GPL-2.0
/*
 * Formats a zoned device for dm-zoned, like "dmzadm --format", which few distributions package.
 *
 * The format is version 1 (without names) of struct dmz_super in the kernel's dm-zoned-metadata.c. The device must be
 * new, because zones are not reset, and must start with conventional zones.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/blkzoned.h>
#include <linux/fs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BLOCK		4096
#define BLOCK_BITS	(BLOCK * 8)
#define MAP_ENTRY	8	/* bytes per chunk: a zone's worth of data */
#define RESERVED	2	/* sequential zones that dm-zoned keeps for itself */
#define GENERATION	1

struct super {
	uint32_t magic;
	uint32_t version;
	uint64_t generation;
	uint64_t block;
	uint32_t nr_meta_blocks;
	uint32_t nr_reserved;
	uint32_t nr_chunks;
	uint32_t nr_map_blocks;
	uint32_t nr_bitmap_blocks;
	uint32_t crc;
};

static void die(const char *what)
{
	fprintf(stderr, "format-zoned: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint32_t divide_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

/* The kernel's crc32_le(): neither the start value nor the result is inverted. */
static uint32_t crc32(uint32_t crc, const uint8_t *data, size_t len)
{
	unsigned int bit;

	while (len--) {
		crc ^= *data++;
		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
	}
	return crc;
}

static void write_block(int fd, uint64_t block, const void *data)
{
	if (pwrite(fd, data, BLOCK, block * BLOCK) != BLOCK)
		die("write");
}

/* A set of metadata: super block, map of the chunks (none is mapped), bitmap of valid blocks (none is valid). */
static void write_set(int fd, const struct super *super, uint64_t first)
{
	static uint8_t data[BLOCK];
	struct super *at = (struct super *)data;
	uint64_t block = first + 1;
	uint32_t i;

	memset(data, 0xff, BLOCK);
	for (i = 0; i < super->nr_map_blocks; i++)
		write_block(fd, block++, data);
	memset(data, 0, BLOCK);
	for (i = 0; i < super->nr_bitmap_blocks; i++)
		write_block(fd, block++, data);
	*at = *super;
	at->block = first;
	at->crc = crc32(GENERATION, data, BLOCK);
	write_block(fd, first, data);
}

int main(int argc, char **argv)
{
	struct super super = {
		.magic = 'D' << 24 | 'Z' << 16 | 'B' << 8 | 'D',
		.version = 1,
		.generation = GENERATION,
		.nr_reserved = RESERVED,
	};
	uint32_t zone_sectors, nr_zones, zone_blocks, meta_zones = 0;
	int fd;

	if (argc != 2) {
		fputs("usage: format-zoned DEVICE\n", stderr);
		return 2;
	}
	fd = open(argv[1], O_RDWR);
	if (fd < 0)
		die(argv[1]);
	if (ioctl(fd, BLKGETZONESZ, &zone_sectors) || ioctl(fd, BLKGETNRZONES, &nr_zones))
		die("zones");
	zone_blocks = zone_sectors / (BLOCK / 512);
	super.nr_bitmap_blocks = nr_zones * divide_up(zone_blocks, BLOCK_BITS);
	do {
		meta_zones++;
		super.nr_chunks = nr_zones - 2 * meta_zones - RESERVED;
		super.nr_map_blocks = divide_up((uint64_t)super.nr_chunks * MAP_ENTRY, BLOCK);
		super.nr_meta_blocks = 1 + super.nr_map_blocks + super.nr_bitmap_blocks;
	} while (super.nr_meta_blocks > (uint64_t)meta_zones * zone_blocks);

	/* The second set is the log of the first. */
	write_set(fd, &super, 0);
	write_set(fd, &super, (uint64_t)meta_zones * zone_blocks);
	if (fsync(fd) || close(fd))
		die("flush");
	return 0;
}
