/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A zoned drive with a volatile cache.
 */
#ifndef SSDC_TESTS_ZONED_DRIVE_H
#define SSDC_TESTS_ZONED_DRIVE_H

#include <linux/blkdev.h>

#define ZONE_SECTORS	256

extern struct block_device drive;

/* Bios in flight. */
extern struct list_head drive_bios;

/* Steps of the kernel since the drive has had power. */
extern u64 drive_steps;

/* The first error, or NULL. */
extern const char *drive_wrong;

/* Print the messages for the kernel log. */
extern bool drive_verbose;

/* Called with the data of each sector of a read that drive_fail_after() fails. */
extern void (*drive_read_failed)(const char *data);

/* Called when the drive has lost its cache, but not its power. */
extern void (*drive_cache_lost)(void);

void drive_seed(u64 seed);
u32 rnd(u32 below);
void drive_say(const char *what);

void drive_create(u32 nr_zones, u32 capacity_sectors, u32 max_active);
void drive_destroy(void);

/* Execute a bio that is no longer in flight. */
blk_status_t drive_serve(struct bio *bio);

/* Cut the power at the n-th bio from now; from then on all bios fail. 0: never. */
void drive_cut_after(u32 bios);

/* Kill the process that loads or resumes a table, at the n-th bio from now. 0: never. */
void drive_kill_after(u32 bios);
bool drive_is_killed(void);

/* Fail the n-th bio or report of zones from now. 0: none. */
void drive_fail_after(u32 bios);

/* Fail the n-th FLUSH from now. 0: none. */
void drive_fail_flush_after(u32 flushes);
bool drive_is_off(void);

/* Has there been a failure that may make requests fail? */
bool drive_has_failed(void);

/* Restore the power: data that are not durable may be lost; all failures end. */
void drive_power_on(void);

/* Any written sector of zone @first or later, with its data; NULL: none was found. */
const char *drive_pick(u32 first, u32 *sector);

/* Make a sector unreadable until it is written again, or readable. */
void drive_spoil(u32 sector, bool bad);

/* The data of a sector. */
const char *drive_data(u32 sector);

/* A checksum of all write pointers and of the data before them. */
u32 drive_sum(void);

/* A checksum of the data of a zone. */
u32 drive_zone_sum(u32 zone);

/* Change a word somewhere in the first zones, and fix the checksum of its block. */
void drive_damage(u32 nr_zones);

/* Accept only writes that start and end at multiples of @bytes. */
void drive_write_in(u32 bytes);

/* Keep the state of the drive, which has power; return to that state; forget it. */
struct drive_copy *drive_save(void);
void drive_return(const struct drive_copy *copy);
void drive_forget(struct drive_copy *copy);

/* Each drive created from now on begins with @nr conventional zones. Any bio to them is an error. */
void drive_begin_with(u32 nr);

/* Make a zone report that type, condition and capacity. */
void drive_make_odd(u32 zone, u8 type, u8 cond, u32 capacity_sectors);

#endif /* SSDC_TESTS_ZONED_DRIVE_H */
