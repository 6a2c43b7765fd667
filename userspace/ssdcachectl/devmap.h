/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The device-mapper ioctls, through libdevmapper. Every call returns 0 or
 * -errno and prints nothing.
 */
#ifndef SSDCACHECTL_DEVMAP_H
#define SSDCACHECTL_DEVMAP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define DEVMAP_NAME_LEN		127
#define DEVMAP_UUID_LEN		128
#define DEVMAP_TABLE_LEN	4096

/**
 * struct devmap_state - state of a device in the kernel
 * @exists: there is such a device; otherwise the other fields are not set
 * @suspended: its I/O is held back
 * @live_table: it has a table in use
 * @inactive_table: it has a table loaded that is not in use yet
 * @read_only: it accepts no writes
 * @open_count: how often it is open
 * @device: its number
 */
struct devmap_state {
	bool exists;
	bool suspended;
	bool live_table;
	bool inactive_table;
	bool read_only;
	int open_count;
	dev_t device;
};

/**
 * struct devmap_table - a one-target table
 * @start: first sector
 * @length: sectors
 * @params: the words after the target's name
 */
struct devmap_table {
	uint64_t start;
	uint64_t length;
	char params[DEVMAP_TABLE_LEN];
};

/* What identifies a device; its name can change, its UUID cannot. @uuid may be "". */
struct devmap_id {
	char name[DEVMAP_NAME_LEN + 1];
	char uuid[DEVMAP_UUID_LEN + 1];
};

void devmap_begin(void);
void devmap_end(void);
int devmap_lock(dev_t device);
int devmap_try_lock(dev_t device);
int devmap_lock_name(const char *name);
void devmap_hold_signals(sigset_t *before);
void devmap_release_signals(const sigset_t *before);
int devmap_has_target(bool *has);
int devmap_read_state(const char *name, struct devmap_state *state);
int devmap_create(const char *name, const char *uuid, const struct devmap_table *table,
		  bool read_only);
int devmap_create_as(const char *target, const char *name, const char *uuid,
		     const struct devmap_table *table, bool read_only);
int devmap_read_id(const char *name, struct devmap_id *id);
int devmap_read_id_at(unsigned int major, unsigned int minor, struct devmap_id *id);
int devmap_remove(const char *name);
int devmap_read_table(const char *name, struct devmap_table *table);
int devmap_load(const char *name, const struct devmap_table *table, bool read_only);
int devmap_unload(const char *name);
int devmap_suspend(const char *name);
int devmap_resume(const char *name);
int devmap_message(const char *name, const char *message);
bool devmap_name_ok(const char *name);

#endif /* SSDCACHECTL_DEVMAP_H */
