/* SPDX-License-Identifier: GPL-2.0 */
/*
 * "create --profile": the devices under the cache. A flash device NAME-flash on the origin or,
 * without an origin, on a null_blk ssdc-NAME made for it. Their names and the UUID identify them
 * when the cache is removed.
 */
#ifndef SSDCACHECTL_STACK_H
#define SSDCACHECTL_STACK_H

#include "ctl.h"
#include "devmap.h"
#include "null-blk.h"

/**
 * struct stack - the devices to create
 * @name: of the cache
 * @flash: device-mapper's name of the flash device
 * @path: its path
 * @origin: path of the flash device's origin
 * @null_blk: name of the null_blk device; "" if the origin is given
 * @null_blk_size: its size
 * @zone_words: further words of the table of a flash device on zones, or ""
 * @table: of the flash device
 */
struct stack {
	const char *name;
	char flash[DEVMAP_NAME_LEN + 1];
	char path[DEVMAP_NAME_LEN + 16];
	char origin[512];
	char null_blk[DEVMAP_NAME_LEN + 1];
	struct null_blk_size null_blk_size;
	char zone_words[64];
	struct devmap_table table;
};

int stack_plan(const struct command *cmd, struct stack *stack);
int stack_make(const struct command *cmd, const struct stack *stack);
void stack_undo(const struct stack *stack);
int stack_remove(const struct command *cmd, const char *name);

#endif /* SSDCACHECTL_STACK_H */
