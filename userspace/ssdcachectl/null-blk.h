/* SPDX-License-Identifier: GPL-2.0 */
/*
 * null_blk devices, through configfs.
 */
#ifndef SSDCACHECTL_NULL_BLK_H
#define SSDCACHECTL_NULL_BLK_H

#include <stdint.h>
#include "ctl.h"

/* Where null_blk devices are made: /dev/NAME has the folder NAME. */
#define NULL_BLK_CONFIG		"/sys/kernel/config/nullb"

/* Longest name of a disk: the kernel cuts a longer one, without an error. */
#define NULL_BLK_NAME_LEN	31

/**
 * struct null_blk_size - size of a device, in MiB
 * @all: all of it
 * @zone: a zone, a power of two; 0: not zoned
 * @zone_capacity: how much of a zone can be written
 */
struct null_blk_size {
	uint64_t all;
	uint64_t zone;
	uint64_t zone_capacity;
};

int null_blk_make(const struct command *cmd, const char *name, const struct null_blk_size *size);
int null_blk_remove(const char *name);

#endif /* SSDCACHECTL_NULL_BLK_H */
