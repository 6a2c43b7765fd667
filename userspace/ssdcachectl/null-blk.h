/* SPDX-License-Identifier: GPL-2.0 */
/*
 * null_blk devices, by way of configfs.
 */
#ifndef SSDCACHECTL_NULL_BLK_H
#define SSDCACHECTL_NULL_BLK_H

#include <stdint.h>
#include "ctl.h"

int null_blk_make(const struct command *cmd, const char *name, uint64_t megabytes);
int null_blk_remove(const char *name);

#endif /* SSDCACHECTL_NULL_BLK_H */
