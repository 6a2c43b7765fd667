// SPDX-License-Identifier: GPL-2.0
/*
 * A zoned drive with a volatile cache.
 *
 * A write is in the cache when its bio ends. A FLUSH makes the whole cache durable when it
 * starts; a write with FUA is itself durable when it ends. After a power
 * failure a zone keeps its durable sectors and everything before them, plus a random part
 * of the rest; few or many of the sectors that were not durable may hold garbage. Writes in
 * flight are done in part, and not durable. A reset is in the cache, too: after a power failure
 * the zone may be as it was before the reset, without what was written since. Each zone fares on
 * its own, so writes and resets reach the medium in any order. A FLUSH that fails may lose the
 * cache. No FLUSH is part of a write, as device-mapper would forget its error: see preflush.h.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <linux/crc32.h>
#include <linux/device-mapper.h>
#include <linux/sched/signal.h>
#include "../../../dm-ssdcache/base/random.h"
#include "drive.h"

#define SECTOR		512
#define LOG_BLOCK	4096

/* A zone as it was before a reset that is not durable. */
struct before {
	u32 wp;
	u8 cond;
	bool finish_durable;
	bool durable[ZONE_SECTORS];
	char data[ZONE_SECTORS][SECTOR];
};

struct zone {
	u32 wp;				/* sectors from the start of the zone */
	u8 cond;
	bool finish_durable;
	struct before *before;		/* NULL: the last reset is durable */
	const struct blk_zone *odd;	/* what reports of the zone say instead, or NULL */
};

struct block_device {
	struct zone *zones;
	u32 nr_zones;
	u32 capacity;
	u32 max_active;
	u32 write_bytes;		/* writes start and end at multiples of this */
	char (*data)[SECTOR];
	bool *durable;			/* by sector */
	bool *bad;			/* likewise: reads fail */
	u32 cut_after;
	u32 fail_after;
	u32 fail_flush_after;
	u32 kill_after;
	bool off;
	bool failed;
};

struct block_device drive;
const char *drive_wrong;
bool drive_verbose;
bool drive_killed;
void (*drive_read_failed)(const char *data);
void (*drive_cache_lost)(void);

LIST_HEAD(drive_bios);
u64 drive_steps;

static struct ssdc_random dice = { .state = 1 };

void drive_seed(u64 seed)
{
	ssdc_random_seed(&dice, seed);
}

u32 rnd(u32 below)
{
	return ssdc_random_below(&dice, below);
}

void drive_say(const char *what)
{
	if (!drive_wrong)
		drive_wrong = what;
}

void drive_log(const char *format, ...)
{
	va_list args;

	if (!drive_verbose)
		return;
	va_start(args, format);
	printf("# ");
	vprintf(format, args);
	putchar('\n');
	va_end(args);
}

/* The drive. */

static const struct blk_zone conventional = {
	.type = BLK_ZONE_TYPE_CONVENTIONAL, .cond = BLK_ZONE_COND_NOT_WP, .capacity = ZONE_SECTORS,
};
static u32 nr_conventional;

void drive_begin_with(u32 nr)
{
	nr_conventional = nr;
}

void drive_create(u32 nr_zones, u32 capacity_sectors, u32 max_active)
{
	u32 i;

	drive = (struct block_device) {
		.nr_zones = nr_zones, .capacity = capacity_sectors, .max_active = max_active,
		.write_bytes = SECTOR,
		.zones = calloc(nr_zones, sizeof(*drive.zones)),
		.data = calloc(nr_zones * ZONE_SECTORS, sizeof(*drive.data)),
		.durable = calloc(nr_zones * ZONE_SECTORS, sizeof(*drive.durable)),
		.bad = calloc(nr_zones * ZONE_SECTORS, sizeof(*drive.bad)),
	};
	drive_steps = 0;
	for (i = 0; i < nr_zones; i++)
		drive.zones[i].cond = BLK_ZONE_COND_EMPTY;
	for (i = 0; i < nr_conventional; i++)
		drive.zones[i].odd = &conventional;
}

void drive_destroy(void)
{
	u32 i;

	for (i = 0; i < drive.nr_zones; i++)
		free(drive.zones[i].before);
	free(drive.zones);
	free(drive.data);
	free(drive.durable);
	free(drive.bad);
}

sector_t bdev_zone_sectors(struct block_device *bdev)
{
	(void)bdev;
	return ZONE_SECTORS;
}

sector_t bdev_nr_sectors(struct block_device *bdev)
{
	return (u64)bdev->nr_zones * ZONE_SECTORS;
}

unsigned int bdev_logical_block_size(struct block_device *bdev)
{
	(void)bdev;
	return SECTOR;
}

unsigned int bdev_zone_write_granularity(struct block_device *bdev)
{
	return bdev->write_bytes;
}

void drive_write_in(u32 bytes)
{
	drive.write_bytes = bytes;
}

unsigned int bdev_max_open_zones(struct block_device *bdev)
{
	(void)bdev;
	return 0;
}

unsigned int bdev_max_active_zones(struct block_device *bdev)
{
	return bdev->max_active;
}

/* The write pointer that a drive reports for a zone that has none: some drives report the zone's start. */
static u64 write_pointer(const struct blk_zone *report, u32 nr)
{
	switch (report->cond) {
	case BLK_ZONE_COND_NOT_WP:
		return U64_MAX;
	case BLK_ZONE_COND_READONLY:
	case BLK_ZONE_COND_OFFLINE:
		return nr % 2 ? report->start : U64_MAX;
	default:
		return report->wp;
	}
}

int blkdev_report_zones(struct block_device *bdev, sector_t sector, unsigned int nr,
			report_zones_cb cb, void *data)
{
	u32 first = sector / ZONE_SECTORS, i;

	if (bdev->off)
		return -EIO;
	if (bdev->fail_after && !--bdev->fail_after) {
		bdev->failed = true;
		return -EIO;
	}
	for (i = 0; i < nr && first + i < bdev->nr_zones; i++) {
		const struct zone *zone = &bdev->zones[first + i];
		u64 start = (u64)(first + i) * ZONE_SECTORS;
		struct blk_zone report = {
			.start = start, .len = ZONE_SECTORS, .capacity = bdev->capacity,
			.type = BLK_ZONE_TYPE_SEQWRITE_REQ, .cond = zone->cond,
			/* The write pointer of a full zone is meaningless. */
			.wp = start + (zone->cond == BLK_ZONE_COND_FULL ? ZONE_SECTORS : zone->wp),
		};
		int r;

		if (zone->odd) {
			report.type = zone->odd->type;
			report.cond = zone->odd->cond;
			report.capacity = zone->odd->capacity;
			report.wp = write_pointer(&report, first + i);
		}
		r = cb(&report, i, data);
		if (r)
			return r;
	}
	return i;
}

void drive_make_odd(u32 nr, u8 type, u8 cond, u32 capacity_sectors)
{
	static struct blk_zone odd;

	odd = (struct blk_zone) { .type = type, .cond = cond, .capacity = capacity_sectors };
	drive.zones[nr].odd = &odd;
}

/* The last reset of the zone becomes durable. */
static void settle_reset(struct zone *zone)
{
	free(zone->before);
	zone->before = NULL;
}

static void flush_cache(void)
{
	u32 i;

	for (i = 0; i < drive.nr_zones; i++) {
		settle_reset(&drive.zones[i]);
		memset(&drive.durable[i * ZONE_SECTORS], true, drive.zones[i].wp);
		drive.zones[i].finish_durable = true;
	}
}

static bool is_unusable(const struct zone *zone)
{
	return zone->odd && (zone->odd->cond == BLK_ZONE_COND_READONLY || zone->odd->cond == BLK_ZONE_COND_OFFLINE);
}

/* An unusable zone is not active, however it was before. */
static u32 nr_active(void)
{
	u32 active = 0, i;

	for (i = 0; i < drive.nr_zones; i++)
		active += drive.zones[i].cond == BLK_ZONE_COND_IMP_OPEN && !is_unusable(&drive.zones[i]);
	return active;
}

/* A drive that has lost its cache may have more active zones, as resets are undone. */
static void check_active(void)
{
	if (nr_active() > drive.max_active && !drive.failed)
		drive_say("too many zones are active");
}

/* Copy the first @nr sectors of a bio to or from the drive. */
static void copy(struct bio *bio, char *data, u32 nr, bool to_drive)
{
	struct bvec_iter iter, start = bio->bi_iter;
	struct bio_vec vec;

	start.bi_size = nr * SECTOR;
	__bio_for_each_segment(vec, bio, iter, start) {
		if (to_drive)
			memcpy_from_bvec(data, &vec);
		else
			memcpy_to_bvec(&vec, data);
		data += vec.bv_len;
	}
}

static blk_status_t write_zone(struct bio *bio, u32 nr_zone, u32 from, u32 nr, u32 most)
{
	u64 sector = (u64)nr_zone * ZONE_SECTORS + from;
	struct zone *zone = &drive.zones[nr_zone];

	/* A torn write must not leave a commit without the blocks before it. */
	if (bio->bi_opf & REQ_FUA && nr != LOG_BLOCK / SECTOR)
		drive_say("a write with FUA has several blocks");
	if (bio->bi_opf & REQ_PREFLUSH)
		drive_say("a FLUSH is part of a write: device-mapper would forget its error");
	if ((from | nr) * SECTOR % drive.write_bytes) {
		if (!drive_has_failed())
			drive_say("a write is not a multiple of what the drive writes");
		return BLK_STS_IOERR;
	}
	if (zone->cond == BLK_ZONE_COND_FULL || from != zone->wp || from + nr > drive.capacity) {
		if (!drive_has_failed())
			drive_say("a write is not at the write pointer");
		return BLK_STS_IOERR;
	}
	nr = min(nr, most);
	if (!nr)
		return BLK_STS_OK;
	copy(bio, drive.data[sector], nr, true);
	memset(&drive.durable[sector], !!(bio->bi_opf & REQ_FUA), nr);
	memset(&drive.bad[sector], false, nr);
	if (bio->bi_opf & REQ_FUA)
		settle_reset(zone);
	zone->wp += nr;
	zone->cond = zone->wp == drive.capacity ? BLK_ZONE_COND_FULL : BLK_ZONE_COND_IMP_OPEN;
	zone->finish_durable = false;
	check_active();
	return BLK_STS_OK;
}

static void note_reset(struct zone *zone, u32 nr)
{
	struct before *before = malloc(sizeof(*before));

	before->wp = zone->wp;
	before->cond = zone->cond;
	before->finish_durable = zone->finish_durable;
	memcpy(before->durable, &drive.durable[nr * ZONE_SECTORS], sizeof(before->durable));
	memcpy(before->data, drive.data[nr * ZONE_SECTORS], sizeof(before->data));
	zone->before = before;
}

static void undo_reset(struct zone *zone, u32 nr)
{
	const struct before *before = zone->before;

	zone->wp = before->wp;
	zone->cond = before->cond;
	zone->finish_durable = before->finish_durable;
	memcpy(&drive.durable[nr * ZONE_SECTORS], before->durable, sizeof(before->durable));
	memcpy(drive.data[nr * ZONE_SECTORS], before->data, sizeof(before->data));
	settle_reset(zone);
}

static void reset_zone(u32 nr)
{
	struct zone *zone = &drive.zones[nr];

	if (!zone->before && zone->cond != BLK_ZONE_COND_EMPTY)
		note_reset(zone, nr);
	memset(&drive.durable[nr * ZONE_SECTORS], false, ZONE_SECTORS * sizeof(*drive.durable));
	drive.zones[nr].wp = 0;
	drive.zones[nr].cond = BLK_ZONE_COND_EMPTY;
	memset(drive.data[nr * ZONE_SECTORS], 0xee, ZONE_SECTORS * SECTOR);
}

static blk_status_t read_zone(struct bio *bio, u32 nr)
{
	if (memchr(&drive.bad[bio->bi_iter.bi_sector], true, nr))
		return BLK_STS_IOERR;
	copy(bio, drive.data[bio->bi_iter.bi_sector], nr, false);
	return BLK_STS_OK;
}

/* Execute a bio; a write only up to its first @most sectors. */
static blk_status_t do_bio(struct bio *bio, u32 most)
{
	u32 zone = bio->bi_iter.bi_sector / ZONE_SECTORS;
	u32 from = bio->bi_iter.bi_sector % ZONE_SECTORS, nr = bio->bi_iter.bi_size / SECTOR;

	if (bio->bi_opf & REQ_PREFLUSH && !nr) {
		flush_cache();
		return BLK_STS_OK;
	}
	if (zone >= drive.nr_zones || from + nr > ZONE_SECTORS) {
		drive_say("a bio crosses a zone boundary");
		return BLK_STS_IOERR;
	}
	if (drive.zones[zone].odd == &conventional)
		drive_say("a conventional zone is used");
	if (is_unusable(&drive.zones[zone]) && bio_op(bio) != REQ_OP_READ)
		drive_say("a zone that is read-only or offline is written");
	if (is_unusable(&drive.zones[zone]) && drive.zones[zone].odd->cond == BLK_ZONE_COND_OFFLINE)
		return BLK_STS_IOERR;
	switch (bio_op(bio)) {
	case REQ_OP_READ:
		return read_zone(bio, nr);
	case REQ_OP_WRITE:
		return write_zone(bio, zone, from, nr, most);
	case REQ_OP_ZONE_RESET:
		reset_zone(zone);
		return BLK_STS_OK;
	case REQ_OP_ZONE_FINISH:
		drive.zones[zone].cond = BLK_ZONE_COND_FULL;
		return BLK_STS_OK;
	default:
		drive_say("a bio has an unknown operation");
		return BLK_STS_IOERR;
	}
}

/* Failures. */

void drive_cut_after(u32 n)
{
	drive.cut_after = n;
}

void drive_kill_after(u32 n)
{
	drive.kill_after = n;
	drive_killed = false;
}

bool drive_is_killed(void)
{
	return drive_killed;
}

void drive_fail_flush_after(u32 n)
{
	drive.fail_flush_after = n;
}

void drive_fail_after(u32 n)
{
	drive.fail_after = n;
}

bool drive_is_off(void)
{
	return drive.off;
}

bool drive_has_failed(void)
{
	return drive.off || drive.failed;
}

/* Data with FUA may still be in the cache, as their bio does not end. */
static void do_in_part(struct bio *bio)
{
	u32 nr = bio->bi_iter.bi_size / SECTOR;

	if (rnd(2))
		bio->bi_opf &= ~REQ_FUA;
	if (rnd(2))
		do_bio(bio, rnd(2) ? nr : rnd(nr + 1));
}

/* Power failure: bios in flight, @bio and all others, are done in part or not at all. */
static void cut(struct bio *bio)
{
	struct bio *other;

	drive.off = true;
	do_in_part(bio);
	list_for_each_entry(other, &drive_bios, queue)
		do_in_part(other);
}

static void lose_cache(void);

static void fail(const struct bio *bio)
{
	u32 i;

	drive.failed = true;
	if (bio->bi_opf & REQ_PREFLUSH && rnd(4)) {
		lose_cache();
		drive_cache_lost();
	}
	for (i = 0; bio_op(bio) == REQ_OP_READ && i < bio->bi_iter.bi_size / SECTOR; i++)
		drive_read_failed(drive.data[bio->bi_iter.bi_sector + i]);
}

static bool fails_flush(const struct bio *bio)
{
	return bio->bi_opf & REQ_PREFLUSH && drive.fail_flush_after && !--drive.fail_flush_after;
}

blk_status_t drive_serve(struct bio *bio)
{
	drive_killed |= drive.kill_after && !--drive.kill_after;
	if (drive.cut_after && !--drive.cut_after)
		cut(bio);
	if (drive.off)
		return BLK_STS_IOERR;
	if ((drive.fail_after && !--drive.fail_after) || fails_flush(bio)) {
		fail(bio);
		return BLK_STS_IOERR;
	}
	return do_bio(bio, ZONE_SECTORS);
}

/*
 * Power failure: a tail of the sectors that are not durable is lost; in some zones the rest
 * of them becomes garbage. The first sector of a zone is spared, as garbage in the very first
 * header of the log would look like foreign data.
 */
static void lose(struct zone *zone, char (*data)[SECTOR], bool *durable)
{
	u32 safe = 0, end, i, garbage = rnd(3) ? 0 : 2 + rnd(20);

	if (zone->cond == BLK_ZONE_COND_EMPTY)
		return;
	for (i = 0; i < zone->wp; i++)
		if (durable[i])
			safe = i + 1;
	end = rnd(3) ? zone->wp : safe + rnd(zone->wp - safe + 1);
	for (i = 0; i < zone->wp; i++)
		if (i >= end || (i && garbage && !durable[i] && !rnd(garbage)))
			memset(data[i], 0xdd, SECTOR);
	zone->wp = end;
	/* A finished zone stays full if the finish was durable, or by chance. */
	if (zone->cond == BLK_ZONE_COND_FULL && end < drive.capacity &&
	    (zone->finish_durable || rnd(2)))
		return;
	zone->cond = end == drive.capacity ? BLK_ZONE_COND_FULL :
		     end ? BLK_ZONE_COND_IMP_OPEN : BLK_ZONE_COND_EMPTY;
}

static void lose_cache(void)
{
	struct zone *zone;
	u32 i;

	for (i = 0; i < drive.nr_zones; i++) {
		zone = &drive.zones[i];
		if (zone->before && rnd(2))
			undo_reset(zone, i);
		lose(zone, &drive.data[i * ZONE_SECTORS], &drive.durable[i * ZONE_SECTORS]);
	}
	/* The drive's own limit: it finishes surplus zones. */
	for (i = 0; i < drive.nr_zones && nr_active() > drive.max_active; i++)
		if (drive.zones[i].cond == BLK_ZONE_COND_IMP_OPEN)
			drive.zones[i].cond = BLK_ZONE_COND_FULL;
	flush_cache();
}

void drive_power_on(void)
{
	if (drive.off)
		lose_cache();
	flush_cache();
	drive.off = false;
	drive.failed = false;
	drive.cut_after = 0;
	drive.fail_after = 0;
	drive.fail_flush_after = 0;
	drive_steps = 0;
}

const char *drive_pick(u32 first, u32 *sector)
{
	u32 zone = first + rnd(drive.nr_zones - first);

	if (!drive.zones[zone].wp)
		return NULL;
	*sector = zone * ZONE_SECTORS + rnd(drive.zones[zone].wp);
	return drive.data[*sector];
}

void drive_spoil(u32 sector, bool bad)
{
	drive.bad[sector] = bad;
}

const char *drive_data(u32 sector)
{
	return drive.data[sector];
}

u32 drive_sum(void)
{
	u32 crc = 0, i;

	for (i = 0; i < drive.nr_zones; i++) {
		crc = crc32_le(crc, (unsigned char *)&drive.zones[i].wp, sizeof(u32));
		crc = crc32_le(crc, (unsigned char *)drive.data[i * ZONE_SECTORS],
			       drive.zones[i].wp * SECTOR);
	}
	return crc;
}

u32 drive_zone_sum(u32 zone)
{
	return crc32_le(0, (unsigned char *)drive.data[zone * ZONE_SECTORS], ZONE_SECTORS * SECTOR);
}

void drive_damage(u32 nr_zones)
{
	u32 zone = rnd(nr_zones), nr = drive.zones[zone].wp * SECTOR / LOG_BLOCK, crc;
	u32 value = rnd(3) ? rnd(3000) : rnd(2) ? -rnd(4) : rnd(U32_MAX);
	u32 at = rnd(2) ? 12 + 4 * rnd(9) : 64 + 4 * rnd((LOG_BLOCK - 64) / 4);
	char *block;

	if (!nr)
		return;
	block = drive.data[zone * ZONE_SECTORS + rnd(nr) * (LOG_BLOCK / SECTOR)];
	memcpy(block + at, &value, sizeof(value));
	memset(block + 8, 0, sizeof(crc));
	crc = crc32_le(~0U, (unsigned char *)block, LOG_BLOCK);
	memcpy(block + 8, &crc, sizeof(crc));
}

/* Copies of a drive that has power and an empty cache. */

struct drive_copy {
	struct zone *zones;
	char (*data)[SECTOR];
};

static void copy_written(char (*to)[SECTOR], char (*from)[SECTOR])
{
	u32 i;

	for (i = 0; i < drive.nr_zones; i++)
		memcpy(to[i * ZONE_SECTORS], from[i * ZONE_SECTORS], (size_t)drive.zones[i].wp * SECTOR);
}

struct drive_copy *drive_save(void)
{
	struct drive_copy *copy = malloc(sizeof(*copy));
	size_t zones = drive.nr_zones * sizeof(*drive.zones);
	size_t data = (size_t)drive.nr_zones * ZONE_SECTORS * SECTOR;

	flush_cache();
	copy->zones = malloc(zones);
	copy->data = malloc(data);
	memcpy(copy->zones, drive.zones, zones);
	copy_written(copy->data, drive.data);
	return copy;
}

void drive_return(const struct drive_copy *copy)
{
	flush_cache();
	memcpy(drive.zones, copy->zones, drive.nr_zones * sizeof(*drive.zones));
	copy_written(drive.data, copy->data);
	memset(drive.durable, false, drive.nr_zones * ZONE_SECTORS * sizeof(*drive.durable));
	flush_cache();
}

void drive_forget(struct drive_copy *copy)
{
	free(copy->zones);
	free(copy->data);
	free(copy);
}
