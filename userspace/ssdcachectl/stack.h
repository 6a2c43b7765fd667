/* SPDX-License-Identifier: GPL-2.0 */
/*
 * "create --profile": the devices under the cache. A flash device NAME-flash on the origin or,
 * without an origin, on a null_blk ssdc-NAME made for it. The UUIDs of the cache and of the flash
 * device say that these belong together, also after a rename.
 */
#ifndef SSDCACHECTL_STACK_H
#define SSDCACHECTL_STACK_H

#include "ctl.h"
#include "devmap.h"
#include "null-blk.h"
#include "sysfs.h"

/**
 * struct stack - the devices to create
 * @name: of the cache
 * @uuid: of the cache
 * @flash: device-mapper's name of the flash device
 * @flash_uuid: its UUID, which also says whether a null_blk is made for it
 * @path: its path
 * @origin: path of the flash device's origin
 * @null_blk: name of the null_blk device; "" if the origin is given
 * @null_blk_size: its size
 * @zone_words: further words of the table of a flash device on zones, or ""
 * @table: of the flash device
 */
struct stack {
	const char *name;
	char uuid[DEVMAP_UUID_LEN + 1];
	char flash[DEVMAP_NAME_LEN + 1];
	char flash_uuid[DEVMAP_UUID_LEN + 1];
	char path[DEVMAP_NAME_LEN + 16];
	char origin[512];
	char null_blk[DEVMAP_NAME_LEN + 1];
	struct null_blk_size null_blk_size;
	char zone_words[64];
	struct devmap_table table;
};

/**
 * struct stack_made - the devices that were made for a cache
 * @flash: name of the flash device; "" if there is none
 * @null_blk: name of the null_blk device; "" if none was made. ssdcachectl 1.0 did not record
 *	whether it made one: a name then, of a device that may not exist
 */
struct stack_made {
	char flash[DEVMAP_NAME_LEN + 1];
	char null_blk[DEVMAP_NAME_LEN + 1];
};

int stack_plan(const struct command *cmd, struct stack *stack);
int stack_make(const struct command *cmd, const struct stack *stack);
void stack_undo(const struct stack *stack);
void stack_find(const struct device *cache, struct stack_made *made);
int stack_remove(const struct command *cmd, const char *name, const struct stack_made *made);

#endif /* SSDCACHECTL_STACK_H */
