/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Directories of values in /sys/block/dm-N, for both targets.
 *
 *	sysfs-node.c		nodes, directories, files and their lifetimes
 *	sysfs-show.c		the directories and values that both targets have
 *	../ssdcache/sysfs.c	/sys/block/dm-N/ssdcache
 *	../ssdflash/sysfs.c	/sys/block/dm-N/ssdflash
 */
#ifndef DMS_SYSFS_NODE_H
#define DMS_SYSFS_NODE_H

#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sysfs.h>

#include "../../base/describe.h"
#include "../../base/histogram.h"
#include "../../base/types.h"

struct dm_target;
struct dms_dir;
struct dms_node;
struct dms_node_type;

/**
 * struct dms_sysfs - a target instance as seen by its sysfs files; embedded in the instance
 * @node: node that shows the instance; set by dms_node_attach()
 * @type: type of @node; set by dms_node_attach()
 * @users: number of running file functions; guarded by the node's lock
 */
struct dms_sysfs {
	struct dms_node *node;
	const struct dms_node_type *type;
	unsigned int users;
};

/**
 * struct dms_dir_type - the files of a directory
 * @describe: set name and mode of file @index; NULL keeps the presets, which are the
 *	index as text, and mode 0644 with @store or 0444 without
 * @show: print the value into a page; returns its length or -errno
 * @store: set the value from text without surrounding white space; NULL: read-only
 *
 * @show and @store run without a lock held and may sleep.
 */
struct dms_dir_type {
	void (*describe)(const struct dms_dir *dir, unsigned int index, struct attribute *attr);
	ssize_t (*show)(struct dms_sysfs *sysfs, const struct dms_dir *dir, unsigned int index,
			char *buf);
	int (*store)(struct dms_sysfs *sysfs, const struct dms_dir *dir, unsigned int index,
		     const char *value);
};

/* One file; @index counts from 0 within its directory. */
struct dms_row {
	struct attribute attr;
	unsigned int index;
	char number[12];		/* @index as text */
};

/**
 * struct dms_dir - a directory and its files
 * @kobj: the directory in sysfs
 * @all: link in the node's list of directories
 * @node: node that owns the directory
 * @parent: parent directory; NULL for the root directory
 * @type: type of the files
 * @shows: data for @type, usually a descriptor table
 * @nr_files: length of @files
 * @files: the files
 */
struct dms_dir {
	struct kobject kobj;
	struct list_head all;
	struct dms_node *node;
	struct dms_dir *parent;
	const struct dms_dir_type *type;
	const void *shows;
	unsigned int nr_files;
	struct dms_row files[];
};

/**
 * struct dms_file - a file of the root directory
 * @name: file name
 * @show: see struct dms_dir_type; NULL: write-only
 * @store: see struct dms_dir_type; NULL: read-only
 * @mode: of the file; 0: everybody may read, root may write
 */
struct dms_file {
	const char *name;
	ssize_t (*show)(struct dms_sysfs *sysfs, char *buf);
	int (*store)(struct dms_sysfs *sysfs, const char *value);
	umode_t mode;
};

/**
 * struct dms_node_type - the files of a target in sysfs
 * @name: name of the root directory
 * @files: files of the root directory
 * @nr_files: length of @files
 * @read_param: value of a file in params/, under the lock that guards it
 * @set_param: set the value of a file in params/; NULL: params/ is read-only
 * @refuse: log why a value is not taken, and keep the reason for last_error; returns -EINVAL
 * @read_stat: copy the numbers of a statistic with dms_read_stat(), under the lock that guards it,
 *	or add up those of all shards. The numbers are 0 before the call
 * @copy_latency: copy the latency histogram of an operation
 * @make_dirs: create the directories that all instances have: dms_make_dirs()
 * @update: create the directories that depend on the instance, unless they exist
 */
struct dms_node_type {
	const char *name;
	const struct dms_file *files;
	unsigned int nr_files;
	u32 (*read_param)(struct dms_sysfs *sysfs, const struct ssdc_tunable *tunable);
	int (*set_param)(struct dms_sysfs *sysfs, const char *name, const char *value);
	int (*refuse)(struct dms_sysfs *sysfs, const struct ssdc_error *error);
	void (*read_stat)(struct dms_sysfs *sysfs, const struct ssdc_stat *stat, u64 *numbers);
	void (*copy_latency)(struct dms_sysfs *sysfs, enum ssdc_op op,
			     struct ssdc_histogram *hist);
	int (*make_dirs)(struct dms_dir *root);
	void (*update)(struct dms_dir *root, struct dms_sysfs *sysfs);
};

/* sysfs-node.c */
int dms_node_attach(struct dms_sysfs *sysfs, const struct dms_node_type *type,
		    struct dm_target *ti);
void dms_node_detach(struct dms_sysfs *sysfs);
void dms_node_update(struct dms_sysfs *sysfs);
struct dms_dir *dms_dir_find(struct dms_dir *parent, const char *name);
int dms_dir_make(struct dms_dir *parent, const char *name, const struct dms_dir_type *type,
		 const void *shows, unsigned int nr_files);
void dms_dir_drop(struct dms_dir *parent, const char *name);
int dms_dir_renew(struct dms_dir *parent, const char *name, const struct dms_dir_type *type,
		  const void *shows, unsigned int nr_files);

/* sysfs-show.c */
ssize_t dms_show_schema(struct dms_sysfs *sysfs, char *buf);
ssize_t dms_show_last_error(struct mutex *lock, const struct ssdc_error *error, char *buf);
ssize_t dms_show_tunable(const struct ssdc_tunable *tunable, u32 value, char *buf);
void dms_read_stat(const struct ssdc_stat *stat, const void *base, u64 *numbers);
u64 *dms_alloc_numbers(const struct ssdc_stat *stat);
ssize_t dms_show_numbers(const struct ssdc_stat *stat, const u64 *numbers, char *buf);
int dms_make_dirs(struct dms_dir *root, bool writable, const struct ssdc_tunable *params,
		  unsigned int nr_params, const struct ssdc_stat *stats, unsigned int nr_stats);

#endif /* DMS_SYSFS_NODE_H */
