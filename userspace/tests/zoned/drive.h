/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A zoned drive with a volatile cache, and the part of a kernel that target/zoned*.c run on:
 * one thread, in which works and bios happen in any order, see drive_step().
 */
#ifndef SSDC_TESTS_ZONED_DRIVE_H
#define SSDC_TESTS_ZONED_DRIVE_H

#include <linux/blkdev.h>

#define ZONE_SECTORS	256

extern struct block_device drive;

/* The first thing that went wrong, or NULL. */
extern const char *drive_wrong;

/* Print what the kernel log would have. */
extern bool drive_verbose;

/* Let something happen that waits for time to pass; returns false if there is nothing. */
extern bool (*drive_tick)(void);

/* Says which run that was. */
extern void (*drive_bail_out)(const char *why);

void drive_seed(u64 seed);
u32 rnd(u32 below);
void drive_say(const char *what);

void drive_create(u32 nr_zones, u32 capacity_sectors, u32 max_active);
void drive_destroy(void);
bool drive_step(void);

/* The power fails at the n-th bio from now; from then on all of them fail. 0: never. */
void drive_cut_after(u32 bios);

/* The n-th bio from now fails. 0: none. */
void drive_fail_after(u32 bios);
bool drive_is_off(void);

/* Has something failed that may make requests fail? */
bool drive_has_failed(void);

/* What is not durable may be lost, as after a power failure; then all is well again. */
void drive_power_on(void);

/* A word somewhere in the first zones is not what it was, but its block's checksum is right. */
void drive_spoil(u32 nr_zones);

/* A zone says that it is of that kind, condition and capacity. */
void drive_make_odd(u32 zone, u8 type, u8 cond, u32 capacity_sectors);

#endif /* SSDC_TESTS_ZONED_DRIVE_H */
