// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks of the log of ssdflash on a zoned drive: where they are, how to change them, and whether the
 * next table accepts them.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <linux/crc32.h>
#include "../harness.h"
#include "lab.h"

u32 block_sector(const struct log_place *log, u32 region, u32 block)
{
	u32 zone = region * first_data_zone / 2 + block / log->per_zone;

	return zone * ZONE_SECTORS + block % log->per_zone * DMSF_LOG_BLOCK_SECTORS;
}

struct log_place place_of(const struct dmsf_target *f)
{
	const struct dmsf_zoned *z = f->zoned;

	return (struct log_place) {
		.region = z->log.region,
		.per_zone = z->layout.capacity_sectors / DMSF_LOG_BLOCK_SECTORS,
		.map_blocks = z->log.map_blocks,
		.end = z->log.next_block,
	};
}

/* An orderly removal. */
struct log_place removed(struct dmsf_target *f)
{
	struct log_place log;

	stop_target(f);
	log = place_of(f);
	destroy_target(f);
	settle_all();
	return log;
}

struct flip flip_bit(const struct log_place *log, u32 region, u32 block)
{
	char *data = (char *)drive_data(block_sector(log, region, block));
	struct flip flip = { .byte = data + rnd(DMSF_LOG_BLOCK_SECTORS * SECTOR), .mask = 1 << rnd(8) };

	*flip.byte ^= flip.mask;
	return flip;
}

void flip_back(const struct flip *flip)
{
	*flip->byte ^= flip->mask;
}

bool starts(bool right)
{
	struct dmsf_target *f = create_target();
	bool ok = f && start_target(f);

	if (ok && right)
		check_all();
	if (f)
		destroy_target(f);
	if (ok)
		settle_all();
	return ok;
}

/* The power is back: do all hosts find what they may? */
bool starts_with_power(void)
{
	drive_power_on();
	garbage = false;
	return starts(true);
}

/* The start is refused with @error and the words @what, and changes nothing. */
bool is_refused_as(int error, const char *what)
{
	u32 sum = drive_sum();

	refused.text[0] = '\0';
	if (!starts(false) && refusal == error && strstr(refused.text, what) && sum == drive_sum())
		return true;
	diag("wanted \"%s\", got \"%s\" (%d)%s", what, refused.text, refusal,
	     sum == drive_sum() ? "" : "; the drive has changed");
	return false;
}

/* Likewise, naming what is damaged. */
bool is_refused(const char *what)
{
	return is_refused_as(-EUCLEAN, what);
}

bool block_is_refused(const struct log_place *log, u32 block)
{
	struct flip flip = flip_bit(log, log->region, block);
	char what[64];
	bool ok;

	snprintf(what, sizeof(what), "block %u of region %u", block, log->region);
	ok = is_refused(what);
	flip_back(&flip);
	return ok;
}

void begin_case(void)
{
	drive_wrong = NULL;
	spoils = 0;
	garbage = false;
}

void commit_until(struct dmsf_target *f, u32 next_block)
{
	while (f->zoned->log.next_block < next_block && !drive_wrong)
		some_commits(1);
}

/* The next commit begins the other region, as when this one is full. */
void begin_region(struct dmsf_target *f)
{
	f->zoned->log.next_block = f->zoned->log.region_blocks;
}

void set_crc(unsigned char *block)
{
	u32 crc;

	memset(block + 8, 0, sizeof(crc));
	crc = crc32_le(~0U, block, DMSF_LOG_BLOCK_BYTES);
	memcpy(block + 8, &crc, sizeof(crc));
}

/* The generation that a block names. */
void set_generation(const struct log_place *log, u32 region, u32 block, u64 generation)
{
	unsigned char *data = (unsigned char *)drive_data(block_sector(log, region, block));

	memcpy(data + 16, &generation, sizeof(generation));
	set_crc(data);
}

static void manage_zone(u32 zone, blk_opf_t op)
{
	struct bio bio;

	bio_init(&bio, &drive, NULL, 0, op);
	bio.bi_iter.bi_sector = zone * ZONE_SECTORS;
	submit_bio_wait(&bio);
}

void reset_zone(u32 zone)
{
	manage_zone(zone, REQ_OP_ZONE_RESET);
}

void finish_zone(u32 zone)
{
	manage_zone(zone, REQ_OP_ZONE_FINISH);
}

/* Write @nr sectors from the start of an empty zone. */
void write_zone(u32 zone, const char *data, u32 nr)
{
	struct bio_vec vec;
	struct bio bio;

	bio_init(&bio, &drive, &vec, 1, REQ_OP_WRITE);
	bio.bi_iter.bi_sector = zone * ZONE_SECTORS;
	__bio_add_page(&bio, virt_to_page((void *)data), nr * SECTOR, 0);
	submit_bio_wait(&bio);
	drive_power_on();
}
