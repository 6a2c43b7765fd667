// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/block/dm-N/ssdcache: made from the descriptor tables.
 *
 * A node belongs to the mapped device and outlives a reload: the new cache
 * takes it over from the old one. Files reach the cache by node_get() and
 * node_put(); detaching waits for them. Attaching does not: requests are held up
 * then, for which a file's function may be waiting. No lock is held while one
 * runs, so a store may remake directories whose files are being read.
 */
#include <linux/blkdev.h>
#include <linux/kobject.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/wait.h>

#include "cache.h"

struct ssdc_node;

enum dir_kind {
	DIR_ROOT,
	DIR_PARAMS,
	DIR_STATS,
	DIR_LATENCY,
	DIR_PLUGIN_PARAMS,
	DIR_PLUGIN_STATS,
};

/* One file; @index is the row of the table that the directory shows. */
struct row {
	struct attribute attr;
	unsigned int index;
};

/* A directory and its files. */
struct dir {
	struct kobject kobj;
	struct ssdc_node *node;
	enum dir_kind kind;
	const struct ssdc_plugin_type *type;	/* that it shows, for DIR_PLUGIN_* */
	unsigned int nr_files;
	struct row files[];
};

/* What a mapped device has in sysfs. */
struct ssdc_node {
	struct list_head all;		/* in nodes */
	struct mapped_device *md;
	unsigned int refs;		/* caches: two during a reload, else one */
	spinlock_t lock;		/* guards cache, and the sysfs_users of caches */
	struct ssdc_cache *cache;	/* that the files show; NULL while there is none */
	wait_queue_head_t idle;		/* woken when the users of a cache drop to 0 */
	struct dir *root;
	struct dir *params;
	struct dir *stats;
	struct dir *latency;
	struct dir *plugin_params[SSDC_NR_KINDS];
	struct dir *plugin_stats[SSDC_NR_KINDS];
};

static LIST_HEAD(nodes);
static DEFINE_MUTEX(nodes_lock);	/* guards nodes, their refs and their directories */

static struct ssdc_cache *node_get(struct ssdc_node *node)
{
	struct ssdc_cache *c;

	spin_lock(&node->lock);
	c = node->cache;
	if (c)
		c->sysfs_users++;
	spin_unlock(&node->lock);
	return c;
}

static void node_put(struct ssdc_node *node, struct ssdc_cache *c)
{
	spin_lock(&node->lock);
	if (!--c->sysfs_users)
		wake_up_all(&node->idle);
	spin_unlock(&node->lock);
}

static bool is_unused(struct ssdc_node *node, const struct ssdc_cache *c)
{
	bool unused;

	spin_lock(&node->lock);
	unused = !c->sysfs_users;
	spin_unlock(&node->lock);
	return unused;
}

/* Files of the root directory. */

static ssize_t show_origin(struct ssdc_cache *c, char *buf)
{
	return sysfs_emit(buf, "%s\n", c->origin->name);
}

static ssize_t show_schema(struct ssdc_cache *c, char *buf)
{
	return sysfs_emit(buf, "1\n");
}

static ssize_t show_dram_bytes(struct ssdc_cache *c, char *buf)
{
	return sysfs_emit(buf, "%llu\n", (u64)c->engine->nr_frames *
			  c->engine->page_sectors << SECTOR_SHIFT);
}

static ssize_t show_page_bytes(struct ssdc_cache *c, char *buf)
{
	return sysfs_emit(buf, "%u\n", c->engine->page_sectors << SECTOR_SHIFT);
}

static ssize_t show_frames(struct ssdc_cache *c, char *buf)
{
	return sysfs_emit(buf, "%u\n", c->engine->nr_frames);
}

static ssize_t show_page_overhead(struct ssdc_cache *c, char *buf)
{
	u32 bytes;

	spin_lock(&c->lock);
	bytes = ssdc_page_overhead_bytes(c->engine);
	spin_unlock(&c->lock);
	return sysfs_emit(buf, "%u\n", bytes + (u32)sizeof(struct page *) * c->pages_per_frame);
}

static ssize_t show_state(struct ssdc_cache *c, char *buf)
{
	char state[24];

	return sysfs_emit(buf, "%s\n", ssdc_state_name(c, state, sizeof(state)));
}

static ssize_t show_first_error(struct ssdc_cache *c, char *buf)
{
	return sysfs_emit(buf, "%d\n", READ_ONCE(c->engine->first_error));
}

static ssize_t show_last_error(struct ssdc_cache *c, char *buf)
{
	ssize_t n;

	mutex_lock(&c->control);
	n = sysfs_emit(buf, "%s\n", c->last_error.text);
	mutex_unlock(&c->control);
	return n;
}

static ssize_t show_progress(struct ssdc_cache *c, char *buf)
{
	return sysfs_emit(buf, "%u dirty %u flushing\n", READ_ONCE(c->engine->dirty_pages),
			  READ_ONCE(c->engine->flushing_pages));
}

static ssize_t show_quiescent(struct ssdc_cache *c, char *buf)
{
	bool quiescent;

	spin_lock(&c->lock);
	quiescent = ssdc_quiescent(c->engine);
	spin_unlock(&c->lock);
	return sysfs_emit(buf, "%d\n", quiescent && !work_busy(&c->work));
}

static ssize_t show_plugin(struct ssdc_cache *c, enum ssdc_kind kind, char *buf)
{
	char spec[SSDC_SPEC_LEN];

	spin_lock(&c->lock);
	ssdc_spec_print(ssdc_current_plugin(c->engine, kind), spec, sizeof(spec));
	spin_unlock(&c->lock);
	return sysfs_emit(buf, "%s\n", spec);
}

static ssize_t show_available(enum ssdc_kind kind, char *buf)
{
	const struct ssdc_plugin_type *type = NULL;
	unsigned int noio = ssdc_lock_types();
	ssize_t at = 0;

	while ((type = ssdc_type_next(kind, type)))
		at += sysfs_emit_at(buf, at, "%s\t%s\t%s\t%s\n", type->info.name,
				    type->info.source, type->info.status, type->info.doc);
	ssdc_unlock_types(noio);
	return at;
}

#define PLUGIN_FILES(kind, KIND) \
	static ssize_t show_##kind(struct ssdc_cache *c, char *buf) \
	{ return show_plugin(c, KIND, buf); } \
	static int store_##kind(struct ssdc_cache *c, const char *spec) \
	{ ssdc_load_type(KIND, spec); return ssdc_set_plugin(c, KIND, spec); } \
	static ssize_t show_available_##kind(struct ssdc_cache *c, char *buf) \
	{ return show_available(KIND, buf); }

PLUGIN_FILES(replacement, SSDC_REPLACEMENT)
PLUGIN_FILES(admission, SSDC_ADMISSION)
PLUGIN_FILES(prefetch, SSDC_PREFETCH)
#undef PLUGIN_FILES

static const struct root_file {
	const char *name;
	ssize_t (*show)(struct ssdc_cache *c, char *buf);
	int (*store)(struct ssdc_cache *c, const char *value);
} root_files[] = {
	{ "schema", show_schema, NULL },
	{ "origin", show_origin, NULL },
	{ "dram_bytes", show_dram_bytes, NULL },
	{ "page_bytes", show_page_bytes, NULL },
	{ "frames", show_frames, NULL },
	{ "page_overhead_bytes", show_page_overhead, NULL },
	{ "state", show_state, NULL },
	{ "first_error", show_first_error, NULL },
	{ "last_error", show_last_error, NULL },
	{ "progress", show_progress, NULL },
	{ "quiescent", show_quiescent, NULL },
	{ "replacement", show_replacement, store_replacement },
	{ "admission", show_admission, store_admission },
	{ "prefetch", show_prefetch, store_prefetch },
	{ "available_replacement", show_available_replacement, NULL },
	{ "available_admission", show_available_admission, NULL },
	{ "available_prefetch", show_available_prefetch, NULL },
	{ "actions", NULL, ssdc_action },
};

/* Files of the other directories. */

static ssize_t show_param(const struct ssdc_tunable *tunable, void *base, char *buf)
{
	ssize_t at = ssdc_tunable_print(tunable, *ssdc_tunable_at(tunable, base), buf,
					PAGE_SIZE - 1);

	buf[at++] = '\n';
	return at;
}

static ssize_t show_stat(struct ssdc_cache *c, const struct ssdc_stat *stat, const void *base,
			 char *buf)
{
	u64 value;

	spin_lock(&c->lock);
	value = ssdc_stat_read(stat, base);
	spin_unlock(&c->lock);
	return sysfs_emit(buf, "%llu\n", value);
}

/* Of a plug-in that may be replaced by another at any moment. */
static ssize_t show_plugin_row(struct ssdc_cache *c, const struct dir *dir, unsigned int index,
			       char *buf)
{
	const struct ssdc_plugin_info *info = &dir->type->info;
	struct ssdc_plugin *plugin;
	ssize_t n = -ENODEV;

	spin_lock(&c->lock);
	plugin = ssdc_current_plugin(c->engine, dir->type->kind);
	if (plugin->type == dir->type) {
		if (dir->kind == DIR_PLUGIN_PARAMS)
			n = show_param(&info->tunables[index], plugin, buf);
		else
			n = sysfs_emit(buf, "%llu\n", ssdc_stat_read(&info->stats[index], plugin));
	}
	spin_unlock(&c->lock);
	return n;
}

static ssize_t emit_latency(const struct ssdc_latency *l, char *buf)
{
	return sysfs_emit(buf, "count %llu\nmean_ns %llu\np50_ns %llu\np90_ns %llu\np99_ns %llu\n"
			  "p999_ns %llu\nmax_ns %llu\nworst1_mean_ns %llu\n", l->count, l->mean_ns,
			  l->p50_ns, l->p90_ns, l->p99_ns, l->p999_ns, l->max_ns,
			  l->worst1_mean_ns);
}

/* Lines of up to 40 characters that are sure to fit a page. */
#define MAX_LINES 100

static u64 count_buckets(const struct ssdc_histogram *hist, unsigned int first, unsigned int nr)
{
	u64 count = 0;

	while (nr--)
		count += hist->buckets[first + nr];
	return count;
}

/* How many neighbouring buckets, a power of two, have to share a line. */
static unsigned int buckets_per_line(const struct ssdc_histogram *hist)
{
	unsigned int step, i, lines;

	for (step = 1; step < 8; step *= 2) {
		lines = 0;
		for (i = 0; i < SSDC_HIST_BUCKETS; i += step)
			lines += !!count_buckets(hist, i, step);
		if (lines <= MAX_LINES)
			break;
	}
	return step;
}

/* Lines "low_ns high_ns count"; empty ones are left out. */
static ssize_t emit_histogram(const struct ssdc_histogram *hist, char *buf)
{
	unsigned int i, step = buckets_per_line(hist);
	ssize_t at = 0;

	for (i = 0; i < SSDC_HIST_BUCKETS; i += step) {
		u64 count = count_buckets(hist, i, step);

		if (count)
			at += sysfs_emit_at(buf, at, "%llu %llu %llu\n", ssdc_histogram_low_ns(i),
					    ssdc_histogram_high_ns(i + step - 1), count);
	}
	return at;
}

/* Two files per operation: even rows sum up, odd rows list the buckets. */
static ssize_t show_latency(struct ssdc_cache *c, unsigned int index, char *buf)
{
	struct ssdc_histogram *hist = kmalloc(sizeof(*hist), GFP_NOIO);
	struct ssdc_latency latency;
	ssize_t n;

	if (!hist)
		return -ENOMEM;
	spin_lock(&c->lock);
	*hist = c->engine->latency[index / 2];
	spin_unlock(&c->lock);
	if (index % 2) {
		n = emit_histogram(hist, buf);
	} else {
		ssdc_histogram_read(hist, &latency);
		n = emit_latency(&latency, buf);
	}
	kfree(hist);
	return n;
}

static const char *const latency_names[] = {
	"read", "read_histogram", "write", "write_histogram",
	"flush", "flush_histogram", "discard", "discard_histogram",
};

static ssize_t show_row(struct ssdc_cache *c, const struct dir *dir, unsigned int index, char *buf)
{
	switch (dir->kind) {
	case DIR_ROOT:
		return root_files[index].show(c, buf);
	case DIR_PARAMS:
		return show_param(&ssdc_core_tunable_table[index], &c->engine->tunables, buf);
	case DIR_STATS:
		return show_stat(c, &ssdc_core_stat_table[index], c->engine, buf);
	case DIR_LATENCY:
		return show_latency(c, index, buf);
	default:
		return show_plugin_row(c, dir, index, buf);
	}
}

static int store_row(struct ssdc_cache *c, const struct dir *dir, unsigned int index,
		     const char *value)
{
	char key[2 * SSDC_NAME_LEN + 16];

	switch (dir->kind) {
	case DIR_ROOT:
		return root_files[index].store(c, value);
	case DIR_PARAMS:
		return ssdc_set(c, ssdc_core_tunable_table[index].name, value);
	case DIR_PLUGIN_PARAMS:
		scnprintf(key, sizeof(key), "%s.%s", ssdc_kind_name(dir->type->kind),
			  dir->type->info.tunables[index].name);
		return ssdc_set(c, key, value);
	default:
		return -EIO;
	}
}

static ssize_t row_file_show(struct kobject *kobj, struct attribute *attr, char *buf)
{
	struct dir *dir = container_of(kobj, struct dir, kobj);
	struct ssdc_cache *c = node_get(dir->node);
	ssize_t n;

	if (!c)
		return -ENODEV;

	n = show_row(c, dir, container_of(attr, struct row, attr)->index, buf);
	node_put(dir->node, c);
	return n;
}

static ssize_t row_file_store(struct kobject *kobj, struct attribute *attr, const char *buf,
			      size_t count)
{
	struct dir *dir = container_of(kobj, struct dir, kobj);
	char value[SSDC_SPEC_LEN + 1];
	struct ssdc_cache *c;
	int r;

	if (count > SSDC_SPEC_LEN)
		return -EINVAL;
	memcpy(value, buf, count);
	value[count] = '\0';
	strim(value);

	c = node_get(dir->node);
	if (!c)
		return -ENODEV;
	r = store_row(c, dir, container_of(attr, struct row, attr)->index, strim(value));
	node_put(dir->node, c);
	return r ? r : count;
}

static const struct sysfs_ops row_ops = {
	.show = row_file_show,
	.store = row_file_store,
};

static void dir_release(struct kobject *kobj)
{
	kfree(container_of(kobj, struct dir, kobj));
}

static const struct kobj_type dir_type = {
	.sysfs_ops = &row_ops,
	.release = dir_release,
};

/* Name and mode of a directory's file number @index. */
static void describe_file(const struct dir *dir, unsigned int index, struct attribute *attr)
{
	attr->mode = 0444;
	switch (dir->kind) {
	case DIR_ROOT:
		attr->name = root_files[index].name;
		attr->mode = (root_files[index].show ? 0444 : 0) |
			     (root_files[index].store ? 0200 : 0);
		break;
	case DIR_PARAMS:
		attr->name = ssdc_core_tunable_table[index].name;
		attr->mode = 0644;
		break;
	case DIR_STATS:
		attr->name = ssdc_core_stat_table[index].name;
		break;
	case DIR_LATENCY:
		attr->name = latency_names[index];
		break;
	case DIR_PLUGIN_PARAMS:
		attr->name = dir->type->info.tunables[index].name;
		attr->mode = 0644;
		break;
	case DIR_PLUGIN_STATS:
		attr->name = dir->type->info.stats[index].name;
		break;
	}
}

static void dir_remove(struct dir **slot)
{
	if (!*slot)
		return;
	kobject_del(&(*slot)->kobj);
	kobject_put(&(*slot)->kobj);
	*slot = NULL;
}

/* Make a directory with all its files; *slot stays NULL on failure. */
static int dir_make(struct dir **slot, struct ssdc_node *node, struct kobject *parent,
		    const char *name, enum dir_kind kind, const struct ssdc_plugin_type *type,
		    unsigned int nr_files)
{
	struct dir *dir = kzalloc(struct_size(dir, files, nr_files), GFP_KERNEL);
	unsigned int i;
	int r;

	if (!dir)
		return -ENOMEM;
	dir->node = node;
	dir->kind = kind;
	dir->type = type;
	dir->nr_files = nr_files;
	r = kobject_init_and_add(&dir->kobj, &dir_type, parent, "%s", name);
	if (r) {
		kobject_put(&dir->kobj);
		return r;
	}
	*slot = dir;
	for (i = 0; !r && i < nr_files; i++) {
		dir->files[i].index = i;
		sysfs_attr_init(&dir->files[i].attr);
		describe_file(dir, i, &dir->files[i].attr);
		r = sysfs_create_file(&dir->kobj, &dir->files[i].attr);
	}
	if (r)
		dir_remove(slot);
	return r;
}

static void remove_plugin_dirs(struct ssdc_node *node, enum ssdc_kind kind)
{
	dir_remove(&node->plugin_params[kind]);
	dir_remove(&node->plugin_stats[kind]);
}

/* The current plug-in's own directories, unless they are there. */
static int make_plugin_dirs(struct ssdc_node *node, struct ssdc_cache *c, enum ssdc_kind kind)
{
	const struct ssdc_plugin_type *type;
	int r;

	spin_lock(&c->lock);
	type = ssdc_current_plugin(c->engine, kind)->type;
	spin_unlock(&c->lock);

	if (node->plugin_params[kind] && node->plugin_params[kind]->type == type)
		return 0;
	remove_plugin_dirs(node, kind);
	r = dir_make(&node->plugin_params[kind], node, &node->params->kobj, ssdc_kind_name(kind),
		     DIR_PLUGIN_PARAMS, type, type->info.nr_tunables);
	if (r)
		return r;
	return dir_make(&node->plugin_stats[kind], node, &node->stats->kobj, ssdc_kind_name(kind),
			DIR_PLUGIN_STATS, type, type->info.nr_stats);
}

static void node_destroy(struct ssdc_node *node)
{
	unsigned int kind;

	for (kind = 0; kind < SSDC_NR_KINDS; kind++)
		remove_plugin_dirs(node, kind);
	dir_remove(&node->latency);
	dir_remove(&node->stats);
	dir_remove(&node->params);
	dir_remove(&node->root);
	list_del(&node->all);
	kfree(node);
}

static int node_make_dirs(struct ssdc_node *node)
{
	struct kobject *disk = &disk_to_dev(dm_disk(node->md))->kobj;
	int r;

	r = dir_make(&node->root, node, disk, "ssdcache", DIR_ROOT, NULL, ARRAY_SIZE(root_files));
	if (!r)
		r = dir_make(&node->params, node, &node->root->kobj, "params", DIR_PARAMS, NULL,
			     ssdc_nr_core_tunables);
	if (!r)
		r = dir_make(&node->stats, node, &node->root->kobj, "stats", DIR_STATS, NULL,
			     ssdc_nr_core_stats);
	if (!r)
		r = dir_make(&node->latency, node, &node->stats->kobj, "latency", DIR_LATENCY,
			     NULL, ARRAY_SIZE(latency_names));
	return r;
}

static struct ssdc_node *node_find(struct mapped_device *md)
{
	struct ssdc_node *node;

	list_for_each_entry(node, &nodes, all)
		if (node->md == md)
			return node;
	return NULL;
}

static struct ssdc_node *node_create(struct mapped_device *md)
{
	struct ssdc_node *node = kzalloc(sizeof(*node), GFP_KERNEL);

	if (!node)
		return NULL;
	node->md = md;
	spin_lock_init(&node->lock);
	init_waitqueue_head(&node->idle);
	list_add(&node->all, &nodes);
	if (node_make_dirs(node)) {
		node_destroy(node);
		return NULL;
	}
	return node;
}

/*
 * No longer show @c, and wait until nobody looks at it any more. Not under
 * nodes_lock: a file's function may want that.
 */
static void node_hide(struct ssdc_node *node, const struct ssdc_cache *c)
{
	spin_lock(&node->lock);
	if (node->cache == c)
		node->cache = NULL;
	spin_unlock(&node->lock);
	wait_event(node->idle, is_unused(node, c));
}

/*
 * Requests of a device that is being resumed are held up meanwhile. Reclaim must
 * not wait for them, neither under nodes_lock nor in who waits for it.
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
 * Directories of the plug-ins of the cache that the node shows. To remove the old
 * ones waits for stores to them, which do not take long: see message.c. One that
 * cannot be made is left out; the values can still be had by message and status.
 */
static void show_plugins(struct ssdc_node *node, struct ssdc_cache *c)
{
	unsigned int kind;
	int r;

	for (kind = 0; kind < SSDC_NR_KINDS; kind++) {
		r = make_plugin_dirs(node, c, kind);
		if (r)
			DMWARN("the %s directory cannot be made in sysfs (%d)",
			       ssdc_kind_name(kind), r);
	}
}

/**
 * ssdc_sysfs_attach() - show a cache in sysfs, in place of the one before it
 * @c: cache that is being resumed
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ssdc_sysfs_attach(struct ssdc_cache *c)
{
	struct mapped_device *md = dm_table_get_md(c->ti->table);
	struct ssdc_node *node;
	unsigned int noio;

	if (c->node)
		return 0;
	noio = lock_nodes();
	node = node_find(md);
	if (!node)
		node = node_create(md);
	if (node) {
		node->refs++;
		c->node = node;
		spin_lock(&node->lock);
		node->cache = c;
		spin_unlock(&node->lock);
		show_plugins(node, c);
	}
	unlock_nodes(noio);
	return node ? 0 : -ENOMEM;
}

/**
 * ssdc_sysfs_detach() - no longer show a cache that is going away
 * @c: cache
 *
 * Context: may sleep.
 */
void ssdc_sysfs_detach(struct ssdc_cache *c)
{
	struct ssdc_node *node = c->node;
	unsigned int noio;

	if (!node)
		return;
	node_hide(node, c);
	noio = lock_nodes();
	c->node = NULL;
	if (!--node->refs)
		node_destroy(node);
	unlock_nodes(noio);
}

/**
 * ssdc_sysfs_plugins_changed() - show the directories of the current plug-ins
 * @c: cache
 *
 * Context: may sleep.
 */
void ssdc_sysfs_plugins_changed(struct ssdc_cache *c)
{
	unsigned int noio = lock_nodes();

	/* A cache that was replaced, or is going, has no say any more. */
	if (c->node && READ_ONCE(c->node->cache) == c)
		show_plugins(c->node, c);
	unlock_nodes(noio);
}
