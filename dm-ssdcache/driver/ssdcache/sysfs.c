// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/block/dm-N/ssdcache.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "cache.h"
#include "holds.h"
#include "latency.h"

static struct dmsc_cache *cache_of(struct dms_sysfs *sysfs)
{
	return container_of(sysfs, struct dmsc_cache, sysfs);
}

/* Files of the root directory. */

static ssize_t show_origin(struct dms_sysfs *sysfs, char *buf)
{
	return sysfs_emit(buf, "%s\n", cache_of(sysfs)->origin->name);
}

/* A reload can exchange the shards. */
static u32 frames_of(struct dms_sysfs *sysfs, u32 *page_bytes)
{
	struct dmsc_cache *c = cache_of(sysfs);
	u32 nr_frames;

	mutex_lock(&c->control);
	nr_frames = dmsc_capacity(c);
	*page_bytes = c->shards->engine->tier.page_sectors << SECTOR_SHIFT;
	mutex_unlock(&c->control);
	return nr_frames;
}

static ssize_t show_dram_bytes(struct dms_sysfs *sysfs, char *buf)
{
	u32 page_bytes, nr_frames = frames_of(sysfs, &page_bytes);

	return sysfs_emit(buf, "%llu\n", (u64)nr_frames * page_bytes);
}

static ssize_t show_page_bytes(struct dms_sysfs *sysfs, char *buf)
{
	u32 page_bytes;

	frames_of(sysfs, &page_bytes);
	return sysfs_emit(buf, "%u\n", page_bytes);
}

static ssize_t show_frames(struct dms_sysfs *sysfs, char *buf)
{
	u32 page_bytes;

	return sysfs_emit(buf, "%u\n", frames_of(sysfs, &page_bytes));
}

static ssize_t show_page_overhead(struct dms_sysfs *sysfs, char *buf)
{
	struct dmsc_cache *c = cache_of(sysfs);
	struct dmsc_shard *s;
	u32 bytes;

	mutex_lock(&c->control);
	s = c->shards;
	spin_lock_irq(&s->lock);
	bytes = ssdc_page_overhead_bytes(s->engine);
	spin_unlock_irq(&s->lock);
	bytes += sizeof(struct page *) * s->pages_per_frame;
	mutex_unlock(&c->control);
	return sysfs_emit(buf, "%u\n", bytes);
}

static ssize_t show_numa(struct dms_sysfs *sysfs, char *buf)
{
	struct dmsc_cache *c = cache_of(sysfs);
	u32 numa;

	mutex_lock(&c->control);
	numa = c->numa;
	mutex_unlock(&c->control);
	return dms_show_tunable(&ssdc_numa_tunable, numa, buf);
}

static ssize_t show_node_bytes(struct dms_sysfs *sysfs, char *buf)
{
	struct dmsc_cache *c = cache_of(sysfs);
	ssize_t n;

	mutex_lock(&c->control);
	n = dmsc_numa_print(c, buf);
	mutex_unlock(&c->control);
	return n;
}

static ssize_t show_state(struct dms_sysfs *sysfs, char *buf)
{
	struct dmsc_cache *c = cache_of(sysfs);
	char state[24];

	mutex_lock(&c->control);
	dmsc_state_name(c, state, sizeof(state));
	mutex_unlock(&c->control);
	return sysfs_emit(buf, "%s\n", state);
}

static ssize_t show_first_error(struct dms_sysfs *sysfs, char *buf)
{
	struct dmsc_cache *c = cache_of(sysfs);
	int error;

	mutex_lock(&c->control);
	error = dmsc_first_error(c);
	mutex_unlock(&c->control);
	return sysfs_emit(buf, "%d\n", error);
}

static ssize_t show_last_error(struct dms_sysfs *sysfs, char *buf)
{
	struct dmsc_cache *c = cache_of(sysfs);

	return dms_show_last_error(&c->control, &c->last_error, buf);
}

static ssize_t show_progress(struct dms_sysfs *sysfs, char *buf)
{
	struct dmsc_cache *c = cache_of(sysfs);
	u32 dirty = 0, flushing = 0;
	struct dmsc_shard *s;

	mutex_lock(&c->control);
	dmsc_for_each_shard(s, c) {
		spin_lock_irq(&s->lock);
		dirty += s->engine->tier.dirty_pages;
		flushing += s->engine->flushing_pages;
		spin_unlock_irq(&s->lock);
	}
	mutex_unlock(&c->control);
	return sysfs_emit(buf, "%u dirty %u flushing\n", dirty, flushing);
}

static bool is_quiescent(struct dmsc_shard *s)
{
	bool quiescent;

	spin_lock_irq(&s->lock);
	quiescent = ssdc_quiescent(s->engine);
	spin_unlock_irq(&s->lock);
	return quiescent && !work_busy(&s->work);
}

static ssize_t show_auto(struct dms_sysfs *sysfs, char *buf)
{
	return dmsc_auto_show(cache_of(sysfs), SSDC_REPLACEMENT, buf);
}

static ssize_t show_auto_admission(struct dms_sysfs *sysfs, char *buf)
{
	return dmsc_auto_show(cache_of(sysfs), SSDC_ADMISSION, buf);
}

static ssize_t show_quiescent(struct dms_sysfs *sysfs, char *buf)
{
	struct dmsc_cache *c = cache_of(sysfs);
	bool quiescent = true;
	struct dmsc_shard *s;

	mutex_lock(&c->control);
	dmsc_for_each_shard(s, c)
		quiescent &= is_quiescent(s);
	mutex_unlock(&c->control);
	return sysfs_emit(buf, "%d\n", quiescent && !work_busy(&c->chooser.work));
}

static ssize_t show_plugin(struct dms_sysfs *sysfs, enum ssdc_kind kind, char *buf)
{
	struct dmsc_cache *c = cache_of(sysfs);
	char spec[SSDC_SPEC_LEN];

	mutex_lock(&c->control);
	ssdc_spec_print(ssdc_current_plugin(c->shards->engine, kind), spec, sizeof(spec));
	mutex_unlock(&c->control);
	return sysfs_emit(buf, "%s\n", spec);
}

static int store_plugin(struct dms_sysfs *sysfs, enum ssdc_kind kind, const char *spec)
{
	if (!dmsc_auto_load_types(kind, spec))
		dmsc_load_type(kind, spec);
	return dmsc_set_plugin(cache_of(sysfs), kind, spec);
}

/* Returns -EFBIG if the list does not fit a page. */
static ssize_t list_types(enum ssdc_kind kind, bool with_doc, char *buf)
{
	const struct ssdc_plugin_type *type = NULL;
	ssize_t at = 0;

	while ((type = ssdc_type_next(kind, type)))
		at += scnprintf(buf + at, PAGE_SIZE - at, "%s\t%s\t%s\t%s\n", type->info.name,
				type->info.source, type->info.status,
				with_doc ? type->info.doc : "");
	return at < PAGE_SIZE - 1 ? at : -EFBIG;
}

static ssize_t show_available(enum ssdc_kind kind, char *buf)
{
	unsigned int noio = dmsc_lock_types();
	ssize_t n = list_types(kind, true, buf);

	if (n < 0)
		n = list_types(kind, false, buf);
	dmsc_unlock_types(noio);
	return n;
}

#define PLUGIN_FILES(kind, KIND) \
	static ssize_t show_##kind(struct dms_sysfs *sysfs, char *buf) \
	{ return show_plugin(sysfs, KIND, buf); } \
	static int store_##kind(struct dms_sysfs *sysfs, const char *spec) \
	{ return store_plugin(sysfs, KIND, spec); } \
	static ssize_t show_available_##kind(struct dms_sysfs *sysfs, char *buf) \
	{ return show_available(KIND, buf); }

PLUGIN_FILES(replacement, SSDC_REPLACEMENT)
PLUGIN_FILES(admission, SSDC_ADMISSION)
PLUGIN_FILES(prefetch, SSDC_PREFETCH)
#undef PLUGIN_FILES

static int store_actions(struct dms_sysfs *sysfs, const char *action)
{
	return dmsc_run_action(cache_of(sysfs), action);
}

static const struct dms_file root_files[] = {
	{ "schema", dms_show_schema, NULL },
	{ "origin", show_origin, NULL },
	{ "dram_bytes", show_dram_bytes, NULL },
	{ "page_bytes", show_page_bytes, NULL },
	{ "frames", show_frames, NULL },
	{ "page_overhead_bytes", show_page_overhead, NULL },
	{ "numa", show_numa, NULL },
	{ "node_bytes", show_node_bytes, NULL },
	{ "state", show_state, NULL },
	{ "first_error", show_first_error, NULL },
	{ "last_error", show_last_error, NULL, 0400 },
	{ "progress", show_progress, NULL },
	{ "quiescent", show_quiescent, NULL },
	{ "replacement", show_replacement, store_replacement },
	{ "admission", show_admission, store_admission },
	{ "prefetch", show_prefetch, store_prefetch },
	{ "auto", show_auto, NULL },
	{ "auto_admission", show_auto_admission, NULL },
	{ "available_replacement", show_available_replacement, NULL },
	{ "available_admission", show_available_admission, NULL },
	{ "available_prefetch", show_available_prefetch, NULL },
	{ "actions", NULL, store_actions },
};

/* params/ and stats/ */

static u32 read_param(struct dms_sysfs *sysfs, const struct ssdc_tunable *tunable)
{
	struct dmsc_cache *c = cache_of(sysfs);
	u32 value;

	mutex_lock(&c->control);
	value = *ssdc_tunable_at(tunable, &c->shards->engine->tunables);
	mutex_unlock(&c->control);
	return value;
}

static int set_param(struct dms_sysfs *sysfs, const char *name, const char *value)
{
	return dmsc_set(cache_of(sysfs), name, value);
}

static int refuse(struct dms_sysfs *sysfs, const struct ssdc_error *error)
{
	return dmsc_refuse(cache_of(sysfs), error);
}

static void read_stat(struct dms_sysfs *sysfs, const struct ssdc_stat *stat, u64 *numbers)
{
	struct dmsc_cache *c = cache_of(sysfs);
	struct dmsc_shard *s;

	mutex_lock(&c->control);
	dmsc_for_each_shard(s, c) {
		dmsc_lock(s);
		ssdc_update_stats(s->engine);
		ssdc_stat_merge(stat, s->engine, numbers);
		dmsc_unlock(s, SSDC_HELD_BY_STATISTICS);
	}
	mutex_unlock(&c->control);
}

static void copy_latency(struct dms_sysfs *sysfs, enum ssdc_op op, struct ssdc_histogram *hist)
{
	struct dmsc_cache *c = cache_of(sysfs);

	mutex_lock(&c->control);
	dmsc_latency_read(c, op, hist);
	mutex_unlock(&c->control);
}

/*
 * params/KIND/ and stats/KIND/. A plug-in can be replaced while its files are read: a
 * directory shows plug-ins of the type it was made for, and reads fail for any other.
 */

static const struct ssdc_plugin_type *type_of(const struct dms_dir *dir)
{
	return dir->shows;
}

/* The current plug-in, or NULL if it is of another type. The caller holds @control. */
static struct ssdc_plugin *plugin_of(struct dmsc_shard *s, const struct dms_dir *dir)
{
	struct ssdc_plugin *plugin = ssdc_current_plugin(s->engine, type_of(dir)->kind);

	return plugin->type == type_of(dir) ? plugin : NULL;
}

static void describe_plugin_param(const struct dms_dir *dir, unsigned int index,
				  struct attribute *attr)
{
	attr->name = type_of(dir)->info.tunables[index].name;
}

static ssize_t show_plugin_param(struct dms_sysfs *sysfs, const struct dms_dir *dir,
				 unsigned int index, char *buf)
{
	const struct ssdc_tunable *tunable = &type_of(dir)->info.tunables[index];
	struct dmsc_cache *c = cache_of(sysfs);
	struct ssdc_plugin *plugin;
	u32 value = 0;

	mutex_lock(&c->control);
	plugin = plugin_of(c->shards, dir);
	if (plugin)
		value = *ssdc_tunable_at(tunable, plugin);
	mutex_unlock(&c->control);
	return plugin ? dms_show_tunable(tunable, value, buf) : -ENODEV;
}

static int store_plugin_param(struct dms_sysfs *sysfs, const struct dms_dir *dir,
			      unsigned int index, const char *value)
{
	const struct ssdc_plugin_type *type = type_of(dir);
	char key[2 * SSDC_NAME_LEN + 16];

	scnprintf(key, sizeof(key), "%s.%s", ssdc_kind_name(type->kind),
		  type->info.tunables[index].name);
	return dmsc_set(cache_of(sysfs), key, value);
}

static const struct dms_dir_type plugin_params_type = {
	.describe = describe_plugin_param,
	.show = show_plugin_param,
	.store = store_plugin_param,
};

static void describe_plugin_stat(const struct dms_dir *dir, unsigned int index,
				 struct attribute *attr)
{
	attr->name = type_of(dir)->info.stats[index].name;
}

/* Returns false if the plug-ins are of another type. */
static bool read_plugin_stat(struct dmsc_cache *c, const struct dms_dir *dir,
			     const struct ssdc_stat *stat, u64 *numbers)
{
	struct ssdc_plugin *plugin = NULL;
	struct dmsc_shard *s;

	mutex_lock(&c->control);
	dmsc_for_each_shard(s, c) {
		plugin = plugin_of(s, dir);
		if (!plugin)
			break;
		dmsc_lock(s);
		ssdc_stat_merge(stat, plugin, numbers);
		dmsc_unlock(s, SSDC_HELD_BY_STATISTICS);
	}
	mutex_unlock(&c->control);
	return plugin;
}

static ssize_t show_plugin_stat(struct dms_sysfs *sysfs, const struct dms_dir *dir,
				unsigned int index, char *buf)
{
	const struct ssdc_stat *stat = &type_of(dir)->info.stats[index];
	u64 *numbers = dms_alloc_numbers(stat);
	ssize_t n = -ENODEV;

	if (!numbers)
		return -ENOMEM;
	if (read_plugin_stat(cache_of(sysfs), dir, stat, numbers))
		n = dms_show_numbers(stat, numbers, buf);
	kfree(numbers);
	return n;
}

static const struct dms_dir_type plugin_stats_type = {
	.describe = describe_plugin_stat,
	.show = show_plugin_stat,
};

/* stats/holds/: the statistics of the table, and the longest hold with its holder. */

static void describe_hold(const struct dms_dir *dir, unsigned int index, struct attribute *attr)
{
	attr->name = index < ssdc_nr_hold_stats ? ssdc_hold_stat_table[index].name : "longest";
}

static void sum_holds(struct dmsc_cache *c, struct ssdc_holds *sum)
{
	struct ssdc_holds holds;
	struct dmsc_shard *s;

	memset(sum, 0, sizeof(*sum));
	mutex_lock(&c->control);
	dmsc_for_each_shard(s, c) {
		spin_lock_irq(&s->lock);
		holds = s->holds;
		spin_unlock_irq(&s->lock);
		ssdc_holds_merge(sum, &holds);
	}
	mutex_unlock(&c->control);
}

static ssize_t show_hold(struct dms_sysfs *sysfs, const struct dms_dir *dir, unsigned int index,
			 char *buf)
{
	struct ssdc_holds holds;
	u64 numbers[SSDC_HOLD_BUCKETS];

	sum_holds(cache_of(sysfs), &holds);
	if (index == ssdc_nr_hold_stats)
		return sysfs_emit(buf, "%llu %s\n", holds.longest_ns,
				  ssdc_holds_longest_by(&holds));
	dms_read_stat(&ssdc_hold_stat_table[index], &holds, numbers);
	return dms_show_numbers(&ssdc_hold_stat_table[index], numbers, buf);
}

static const struct dms_dir_type holds_type = {
	.describe = describe_hold,
	.show = show_hold,
};

/* The node. */

static int make_dirs(struct dms_dir *root)
{
	int r = dms_make_dirs(root, true, ssdc_core_tunable_table, ssdc_nr_core_tunables,
			      ssdc_core_stat_table, ssdc_nr_core_stats);

	if (r)
		return r;
	return dms_dir_make(dms_dir_find(root, "stats"), "holds", &holds_type, NULL,
			    ssdc_nr_hold_stats + 1);
}

/*
 * Renew both directories, even if the first one fails: the old directories show a plug-in that may
 * be freed.
 */
static int renew_plugin_dirs(struct dms_dir *root, struct dmsc_cache *c, enum ssdc_kind kind)
{
	const struct ssdc_plugin_type *type;
	int params, stats;

	mutex_lock(&c->control);
	type = ssdc_current_plugin(c->shards->engine, kind)->type;
	mutex_unlock(&c->control);

	params = dms_dir_renew(dms_dir_find(root, "params"), ssdc_kind_name(kind),
			       &plugin_params_type, type, type->info.nr_tunables);
	stats = dms_dir_renew(dms_dir_find(root, "stats"), ssdc_kind_name(kind),
			      &plugin_stats_type, type, type->info.nr_stats);
	return params ?: stats;
}

/*
 * Removing an old directory waits for stores to its files; these are short, as they only
 * set tunables. A directory that cannot be made is left out: status and messages still
 * give access to its values.
 */
static void update(struct dms_dir *root, struct dms_sysfs *sysfs)
{
	unsigned int kind;
	int r;

	for (kind = 0; kind < SSDC_NR_KINDS; kind++) {
		r = renew_plugin_dirs(root, cache_of(sysfs), kind);
		if (r)
			DMWARN("sysfs: cannot make the directories of the %s plug-in (%pe)",
			       ssdc_kind_name(kind), ERR_PTR(r));
	}
	r = dmsc_auto_renew_dirs(root, cache_of(sysfs));
	if (r)
		DMWARN("sysfs: cannot make the directories of auto (%pe)", ERR_PTR(r));
}

static const struct dms_node_type node_type = {
	.name = "ssdcache",
	.files = root_files,
	.nr_files = ARRAY_SIZE(root_files),
	.read_param = read_param,
	.set_param = set_param,
	.refuse = refuse,
	.read_stat = read_stat,
	.copy_latency = copy_latency,
	.make_dirs = make_dirs,
	.update = update,
};

/**
 * dmsc_sysfs_attach() - show a cache in sysfs, replacing that of the previous table
 * @c: cache that is being resumed
 *
 * Call dms_node_detach() before freeing the cache.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int dmsc_sysfs_attach(struct dmsc_cache *c)
{
	return dms_node_attach(&c->sysfs, &node_type, c->ti);
}
