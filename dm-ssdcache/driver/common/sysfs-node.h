/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Directories of values below /sys/block/dm-N, for both targets.
 *
 *	sysfs-node.c	nodes, directories, files; who may look at what and when
 *	sysfs-show.c	values that both targets show alike
 *	sysfs.c		ssdcache/
 *	flash-sysfs.c	ssdflash/
 */
#ifndef DMS_SYSFS_NODE_H
#define DMS_SYSFS_NODE_H

#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/sysfs.h>

#include "../../base/describe.h"
#include "../../base/histogram.h"
#include "../../base/types.h"

struct dm_target;
struct dms_dir;
struct dms_node;

/**
 * struct dms_sysfs - an instance of a target, as files see it; a member of it
 * @node: where it is shown; set by dms_node_attach()
 * @users: files being read or written; under the node's lock
 */
struct dms_sysfs {
	struct dms_node *node;
	unsigned int users;
};

/**
 * struct dms_dir_type - what files a directory has
 * @describe: name and mode of file number @index; they are preset to the number, and to
 *	0444 or, with @store, 0644. NULL: as they are
 * @show: print the file's value into a page. Returns its length or -errno
 * @store: take a new value, without white space around it; NULL: none is taken
 *
 * No lock is held while @show and @store run, which may sleep.
 */
struct dms_dir_type {
	void (*describe)(const struct dms_dir *dir, unsigned int index, struct attribute *attr);
	ssize_t (*show)(struct dms_sysfs *sysfs, const struct dms_dir *dir, unsigned int index,
			char *buf);
	int (*store)(struct dms_sysfs *sysfs, const struct dms_dir *dir, unsigned int index,
		     const char *value);
};

/* One file; @index counts from 0 in its directory. */
struct dms_row {
	struct attribute attr;
	unsigned int index;
	char number[12];		/* @index as text */
};

/**
 * struct dms_dir - a directory and its files
 * @kobj: it is
 * @all: in the node's list
 * @node: that it belongs to
 * @parent: above it; NULL for the root directory
 * @type: what files it has
 * @shows: the table, or whatever else the type shows
 * @nr_files: of @files
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
 * @name: of it
 * @show: see struct dms_dir_type; NULL: it cannot be read
 * @store: likewise; NULL: it cannot be written
 */
struct dms_file {
	const char *name;
	ssize_t (*show)(struct dms_sysfs *sysfs, char *buf);
	int (*store)(struct dms_sysfs *sysfs, const char *value);
};

/**
 * struct dms_node_type - what a target has in sysfs
 * @name: of the root directory
 * @files: its files
 * @nr_files: of @files
 * @make_dirs: make the directories that do not depend on the instance
 * @update: make those that do, as far as they are not there
 */
struct dms_node_type {
	const char *name;
	const struct dms_file *files;
	unsigned int nr_files;
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
int dms_dir_renew(struct dms_dir *parent, const char *name, const struct dms_dir_type *type,
		  const void *shows, unsigned int nr_files);

/* sysfs-show.c */
#define DMS_NR_LATENCY_FILES (2 * SSDC_NR_OPS)

void dms_describe_tunable(const struct dms_dir *dir, unsigned int index,
			  struct attribute *attr);
void dms_describe_stat(const struct dms_dir *dir, unsigned int index, struct attribute *attr);
void dms_describe_latency(const struct dms_dir *dir, unsigned int index,
			  struct attribute *attr);
ssize_t dms_show_tunable(const struct ssdc_tunable *tunable, void *base, char *buf);
ssize_t dms_show_stat(const struct ssdc_stat *stat, const void *base, char *buf);
ssize_t dms_show_latency(struct dms_sysfs *sysfs, unsigned int index, char *buf,
			 void (*copy)(struct dms_sysfs *sysfs, enum ssdc_op op,
				      struct ssdc_histogram *hist));

#endif /* DMS_SYSFS_NODE_H */
