/* SPDX-License-Identifier: GPL-2.0 */
/*
 * "create --profile": what goes below the cache. A flash device NAME-flash on the
 * origin, and without an origin on a null_blk ssdc-NAME made for it. What was made
 * for a cache is known by its names and the UUID, and goes with it.
 */
#ifndef SSDCACHECTL_STACK_H
#define SSDCACHECTL_STACK_H

#include "ctl.h"
#include "devmap.h"
#include "null-blk.h"

/**
 * struct stack - what is to be made
 * @name: of the cache
 * @flash: device-mapper's name of the flash device
 * @path: its path
 * @origin: path of what the flash device is on
 * @null_blk: name of the null_blk device; "" if the origin is given
 * @null_blk_size: how large it is to be
 * @zone_words: what the table of a flash device on zones says besides, or ""
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
