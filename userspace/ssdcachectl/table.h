/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Table lines: "<start> <len> ssdcache <origin> <#args> [<key> <value>]..."
 */
#ifndef SSDCACHECTL_TABLE_H
#define SSDCACHECTL_TABLE_H

#include "ctl.h"
#include "devmap.h"

/* origin.c */
int origin_size(const struct command *cmd, const char *origin, uint64_t *bytes);
int origin_claim(const struct command *cmd, const char *origin, int *lock);
bool origin_in_use(const char *origin);

/* table.c */
int table_size(const struct command *cmd, const char *option, const char *text, uint64_t *bytes);
int table_check_dram(const struct command *cmd, uint64_t dram, uint64_t page);
int table_check_shards(const struct command *cmd, const char *shards, uint64_t dram, uint64_t page);
int table_check_origin(const struct command *cmd, const char *origin);
int table_from_options(const struct command *cmd, const char *origin, uint64_t sectors,
		       struct devmap_table *table);
bool table_word(const struct devmap_table *table, const char *key, char *buf, size_t size);
bool table_set_word(struct devmap_table *table, const char *key, const char *value);

#endif /* SSDCACHECTL_TABLE_H */
