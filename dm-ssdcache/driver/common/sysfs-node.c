// SPDX-License-Identifier: GPL-2.0
/*
 * Nodes in sysfs and their directories.
 *
 * A node belongs to the mapped device and survives a reload: the new instance of the target
 * replaces the old one in it. File functions (show, store) hold the instance between node_get() and
 * node_put(), and detaching an instance waits for them. Attaching does not wait: requests are held
 * up at that time, and a file function may be waiting for a request. No lock is held while a file
 * function runs, so that a store may renew directories whose files are being read.
 */
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/err.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/wait.h>

#include "../../policy-api/plugin.h"
#include "sysfs-node.h"

/* The root directory and its contents, for one target of a mapped device. */
struct dms_node {
	struct list_head all;		/* link in nodes */
	struct mapped_device *md;
	const struct dms_node_type *type;
	unsigned int refs;		/* attached instances; two during a reload */
	spinlock_t lock;		/* guards @shown and the users of instances */
	struct dms_sysfs *shown;	/* instance that the files show, or NULL */
	wait_queue_head_t idle;		/* woken when an instance has no users left */
	struct dms_dir *root;
	struct list_head dirs;		/* all directories, children before their parents */
};

static LIST_HEAD(nodes);
static DEFINE_MUTEX(nodes_lock);	/* guards @nodes, their refs and their directories */

static struct dms_sysfs *node_get(struct dms_node *node)
{
	struct dms_sysfs *sysfs;

	spin_lock(&node->lock);
	sysfs = node->shown;
	if (sysfs)
		sysfs->users++;
	spin_unlock(&node->lock);
	return sysfs;
}

static void node_put(struct dms_node *node, struct dms_sysfs *sysfs)
{
	spin_lock(&node->lock);
	if (!--sysfs->users)
		wake_up_all(&node->idle);
	spin_unlock(&node->lock);
}

static bool is_unused(struct dms_node *node, const struct dms_sysfs *sysfs)
{
	bool unused;

	spin_lock(&node->lock);
	unused = !sysfs->users;
	spin_unlock(&node->lock);
	return unused;
}

static bool is_shown(struct dms_node *node, const struct dms_sysfs *sysfs)
{
	bool shown;

	spin_lock(&node->lock);
	shown = node->shown == sysfs;
	spin_unlock(&node->lock);
	return shown;
}

static struct dms_dir *dir_of(struct kobject *kobj)
{
	return container_of(kobj, struct dms_dir, kobj);
}

static unsigned int index_of(struct attribute *attr)
{
	return container_of(attr, struct dms_row, attr)->index;
}

static ssize_t row_show(struct kobject *kobj, struct attribute *attr, char *buf)
{
	struct dms_dir *dir = dir_of(kobj);
	struct dms_sysfs *sysfs = node_get(dir->node);
	ssize_t n;

	if (!sysfs)
		return -ENODEV;
	n = dir->type->show(sysfs, dir, index_of(attr), buf);
	node_put(dir->node, sysfs);
	return n;
}

static int refuse_length(struct dms_sysfs *sysfs, const char *name, const char *value)
{
	struct ssdc_error error;

	scnprintf(error.text, sizeof(error.text), "%s: \"%.32s...\" is longer than %u bytes", name,
		  value, SSDC_SPEC_LEN);
	return sysfs->type->refuse(sysfs, &error);
}

static int store_text(struct dms_sysfs *sysfs, const struct dms_dir *dir, unsigned int index,
		      const char *buf, size_t count)
{
	char value[SSDC_SPEC_LEN + 1];

	memcpy(value, buf, count);
	value[count] = '\0';
	return dir->type->store(sysfs, dir, index, strim(value));
}

static ssize_t row_store(struct kobject *kobj, struct attribute *attr, const char *buf,
			 size_t count)
{
	struct dms_dir *dir = dir_of(kobj);
	struct dms_sysfs *sysfs = node_get(dir->node);
	int r;

	if (!sysfs)
		return -ENODEV;
	if (count > SSDC_SPEC_LEN)
		r = refuse_length(sysfs, attr->name, buf);
	else
		r = store_text(sysfs, dir, index_of(attr), buf, count);
	node_put(dir->node, sysfs);
	return r ? r : count;
}

static const struct sysfs_ops row_ops = {
	.show = row_show,
	.store = row_store,
};

static void dir_release(struct kobject *kobj)
{
	kfree(dir_of(kobj));
}

static const struct kobj_type dir_kobj_type = {
	.sysfs_ops = &row_ops,
	.release = dir_release,
};

static void describe_root(const struct dms_dir *dir, unsigned int index, struct attribute *attr)
{
	const struct dms_file *file = &((const struct dms_file *)dir->shows)[index];

	attr->name = file->name;
	attr->mode = file->mode ? file->mode : (file->show ? 0444 : 0) | (file->store ? 0200 : 0);
}

static ssize_t show_root(struct dms_sysfs *sysfs, const struct dms_dir *dir, unsigned int index,
			 char *buf)
{
	return ((const struct dms_file *)dir->shows)[index].show(sysfs, buf);
}

static int store_root(struct dms_sysfs *sysfs, const struct dms_dir *dir, unsigned int index,
		      const char *value)
{
	return ((const struct dms_file *)dir->shows)[index].store(sysfs, value);
}

static const struct dms_dir_type root_type = {
	.describe = describe_root,
	.show = show_root,
	.store = store_root,
};

static void dir_remove(struct dms_dir *dir)
{
	list_del(&dir->all);
	kobject_del(&dir->kobj);
	kobject_put(&dir->kobj);
}

static int make_file(struct dms_dir *dir, unsigned int index)
{
	struct dms_row *row = &dir->files[index];

	row->index = index;
	scnprintf(row->number, sizeof(row->number), "%u", index);
	/* Two lockdep classes: a store to a file of the root may remove files elsewhere. */
	if (!dir->parent)
		sysfs_attr_init(&row->attr);
	else
		sysfs_attr_init(&row->attr);
	row->attr.name = row->number;
	row->attr.mode = dir->type->store ? 0644 : 0444;
	if (dir->type->describe)
		dir->type->describe(dir, index, &row->attr);
	return sysfs_create_file(&dir->kobj, &row->attr);
}

/* @parent is NULL for the root. Returns an ERR_PTR on failure. */
static struct dms_dir *dir_make(struct dms_node *node, struct dms_dir *parent,
				const char *name, const struct dms_dir_type *type,
				 const void *shows, unsigned int nr_files)
{
	struct kobject *above = parent ? &parent->kobj : &disk_to_dev(dm_disk(node->md))->kobj;
	struct dms_dir *dir = kzalloc(struct_size(dir, files, nr_files), GFP_KERNEL);
	unsigned int i;
	int r;

	if (!dir)
		return ERR_PTR(-ENOMEM);
	dir->node = node;
	dir->parent = parent;
	dir->type = type;
	dir->shows = shows;
	dir->nr_files = nr_files;
	r = kobject_init_and_add(&dir->kobj, &dir_kobj_type, above, "%s", name);
	if (r) {
		kobject_put(&dir->kobj);
		return ERR_PTR(r);
	}
	list_add(&dir->all, &node->dirs);
	for (i = 0; !r && i < nr_files; i++)
		r = make_file(dir, i);
	if (!r)
		return dir;
	dir_remove(dir);
	return ERR_PTR(r);
}

/**
 * dms_dir_find() - find a directory by name
 * @parent: parent directory
 * @name: name of the directory
 *
 * Context: from make_dirs() and update() of struct dms_node_type.
 * Return: the directory or NULL.
 */
struct dms_dir *dms_dir_find(struct dms_dir *parent, const char *name)
{
	struct dms_dir *dir;

	list_for_each_entry(dir, &parent->node->dirs, all)
		if (dir->parent == parent && !strcmp(kobject_name(&dir->kobj), name))
			return dir;
	return NULL;
}

/**
 * dms_dir_make() - create a directory with its files
 * @parent: parent directory
 * @name: name of the directory
 * @type: type of the files; must outlive the node
 * @shows: data for @type; must outlive the directory
 * @nr_files: number of files
 *
 * The directory is removed with its node.
 *
 * Context: from make_dirs() and update() of struct dms_node_type. May sleep.
 * Return: 0 or -errno.
 */
int dms_dir_make(struct dms_dir *parent, const char *name, const struct dms_dir_type *type,
		 const void *shows, unsigned int nr_files)
{
	return PTR_ERR_OR_ZERO(dir_make(parent->node, parent, name, type, shows, nr_files));
}

/**
 * dms_dir_renew() - create a directory, or replace it if its files changed
 * @parent: parent directory
 * @name: name of the directory
 * @type: type of the files; must outlive the node
 * @shows: data for @type; must outlive the directory
 * @nr_files: number of files
 *
 * A directory with the same @shows and @nr_files stays as it is. The removal of any other directory
 * waits for its file functions.
 *
 * Context: from update() of struct dms_node_type. May sleep.
 * Return: 0, or -errno without such a directory.
 */
int dms_dir_renew(struct dms_dir *parent, const char *name, const struct dms_dir_type *type,
		  const void *shows, unsigned int nr_files)
{
	struct dms_dir *dir = dms_dir_find(parent, name);

	if (dir && dir->shows == shows && dir->nr_files == nr_files)
		return 0;
	if (dir)
		dir_remove(dir);
	return dms_dir_make(parent, name, type, shows, nr_files);
}

/**
 * dms_dir_drop() - remove a directory, if there is one
 * @parent: parent directory
 * @name: name of the directory
 *
 * The removal waits for the directory's file functions.
 *
 * Context: from update() of struct dms_node_type. May sleep.
 */
void dms_dir_drop(struct dms_dir *parent, const char *name)
{
	struct dms_dir *dir = dms_dir_find(parent, name);

	if (dir)
		dir_remove(dir);
}

static void node_destroy(struct dms_node *node)
{
	struct dms_dir *dir, *next;

	list_for_each_entry_safe(dir, next, &node->dirs, all)
		dir_remove(dir);
	list_del(&node->all);
	kfree(node);
}

static int make_dirs(struct dms_node *node)
{
	const struct dms_node_type *type = node->type;

	node->root = dir_make(node, NULL, type->name, &root_type, type->files, type->nr_files);
	if (IS_ERR(node->root))
		return PTR_ERR(node->root);
	return type->make_dirs(node->root);
}

static struct dms_node *node_find(const struct dms_node_type *type, struct mapped_device *md)
{
	struct dms_node *node;

	list_for_each_entry(node, &nodes, all)
		if (node->md == md && node->type == type)
			return node;
	return NULL;
}

static struct dms_node *node_create(const struct dms_node_type *type, struct mapped_device *md)
{
	struct dms_node *node = kzalloc(sizeof(*node), GFP_KERNEL);

	if (!node)
		return NULL;
	node->md = md;
	node->type = type;
	spin_lock_init(&node->lock);
	init_waitqueue_head(&node->idle);
	INIT_LIST_HEAD(&node->dirs);
	list_add(&node->all, &nodes);
	return node;
}

/*
 * Stop showing an instance and wait for its file functions. Call this without nodes_lock,
 * which a file function may take.
 */
static void node_hide(struct dms_node *node, const struct dms_sysfs *sysfs)
{
	spin_lock(&node->lock);
	if (node->shown == sysfs)
		node->shown = NULL;
	spin_unlock(&node->lock);
	wait_event(node->idle, is_unused(node, sysfs));
}

/*
 * A resume takes the lock while requests of its device are held up. Reclaim must not wait
 * for those requests, so allocations under the lock, by any task, are GFP_NOIO.
 */
static unsigned int lock_nodes(void)
{
	unsigned int noio = memalloc_noio_save();

	mutex_lock(&nodes_lock);
	return noio;
}

static void unlock_nodes(unsigned int noio)
{
	mutex_unlock(&nodes_lock);
	memalloc_noio_restore(noio);
}

/*
 * Removing the files waits for file functions, some of which take this lock. But the file functions
 * of a node without instances return at once, so there is no deadlock. The subclass tells lockdep
 * so.
 */
static void node_release(struct dms_node *node, struct dms_sysfs *sysfs)
{
	unsigned int noio = memalloc_noio_save();

	mutex_lock_nested(&nodes_lock, SINGLE_DEPTH_NESTING);
	sysfs->node = NULL;
	if (!--node->refs)
		node_destroy(node);
	unlock_nodes(noio);
}

/**
 * dms_node_attach() - show an instance in sysfs, replacing that of the previous table
 * @sysfs: member of the instance, which is being resumed
 * @type: the files of the target in sysfs
 * @ti: the target
 *
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int dms_node_attach(struct dms_sysfs *sysfs, const struct dms_node_type *type,
		    struct dm_target *ti)
{
	struct mapped_device *md = dm_table_get_md(ti->table);
	struct dms_node *node;
	unsigned int noio;
	int err = -ENOMEM;

	if (sysfs->node)
		return 0;
	noio = lock_nodes();
	node = node_find(type, md);
	if (!node)
		node = node_create(type, md);
	if (node)
		err = node->refs++ ? 0 : make_dirs(node);
	if (!err) {
		sysfs->node = node;
		sysfs->type = type;
		spin_lock(&node->lock);
		node->shown = sysfs;
		spin_unlock(&node->lock);
		type->update(node->root, sysfs);
	}
	unlock_nodes(noio);
	if (err && node)
		node_release(node, sysfs);
	return err;
}

/**
 * dms_node_detach() - stop showing an instance, and wait for its file functions
 * @sysfs: member of the instance, which may be attached or not
 *
 * Context: may sleep; not from a file function.
 */
void dms_node_detach(struct dms_sysfs *sysfs)
{
	struct dms_node *node = sysfs->node;

	if (!node)
		return;
	node_hide(node, sysfs);
	node_release(node, sysfs);
}

/**
 * dms_node_update() - renew the directories that depend on the instance
 * @sysfs: member of the instance, which may be attached or not
 *
 * Context: may sleep.
 */
void dms_node_update(struct dms_sysfs *sysfs)
{
	unsigned int noio = lock_nodes();
	struct dms_node *node = sysfs->node;

	/* A replaced or detached instance is not shown any more. */
	if (node && is_shown(node, sysfs))
		node->type->update(node->root, sysfs);
	unlock_nodes(noio);
}
