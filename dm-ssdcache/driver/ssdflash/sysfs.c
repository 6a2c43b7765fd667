// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/block/dm-N/ssdflash, built from the descriptor tables, with the names and formats
 * of /sys/block/dm-N/ssdcache.
 */
#include <linux/err.h>
#include <linux/sysfs.h>

#include "zoned/zoned.h"

#define DM_MSG_PREFIX "ssdflash"

static struct dmsf_target *target_of(struct dms_sysfs *sysfs)
{
	return container_of(sysfs, struct dmsf_target, sysfs);
}

/* Files of the root directory. */

static ssize_t show_origin(struct dms_sysfs *sysfs, char *buf)
{
	return sysfs_emit(buf, "%s\n", target_of(sysfs)->origin->name);
}

static ssize_t show_profile(struct dms_sysfs *sysfs, char *buf)
{
	return sysfs_emit(buf, "%s\n", dmsf_profile_name(target_of(sysfs)));
}

static ssize_t show_memory_bytes(struct dms_sysfs *sysfs, char *buf)
{
	struct dmsf_target *f = target_of(sysfs);

	return sysfs_emit(buf, "%llu\n", dmsf_memory_bytes(&f->device_params, f->zoned));
}

static ssize_t show_state(struct dms_sysfs *sysfs, char *buf)
{
	return sysfs_emit(buf, "%s\n", dmsf_state_name(target_of(sysfs)));
}

static ssize_t show_last_error(struct dms_sysfs *sysfs, char *buf)
{
	struct dmsf_target *f = target_of(sysfs);

	return dms_show_last_error(&f->control, &f->last_error, buf);
}

static ssize_t show_quiescent(struct dms_sysfs *sysfs, char *buf)
{
	struct dmsf_target *f = target_of(sysfs);
	bool quiescent;

	spin_lock_bh(&f->lock);
	quiescent = ssdf_is_quiescent(f->device);
	spin_unlock_bh(&f->lock);
	return sysfs_emit(buf, "%d\n", quiescent);
}

/*
 * Show how much a suspend must still wait for: requests, pages on their way, and changes of the map
 * to write.
 */
static ssize_t show_progress(struct dms_sysfs *sysfs, char *buf)
{
	struct dmsf_target *f = target_of(sysfs);
	u32 requests, pages, changes = 0;
	struct ssdc_view view;

	spin_lock_bh(&f->lock);
	ssdf_get_view(f->device, &view);
	requests = ssdf_inflight(f->device);
	pages = view.queued;
	if (f->zoned)
		dmsf_zoned_progress(f->zoned, &pages, &changes);
	spin_unlock_bh(&f->lock);
	return sysfs_emit(buf, "%u requests %u pages %u changes\n", requests, pages, changes);
}

static int store_actions(struct dms_sysfs *sysfs, const char *action)
{
	return dmsf_action(target_of(sysfs), action);
}

static const struct dms_file root_files[] = {
	{ "schema", dms_show_schema, NULL },
	{ "origin", show_origin, NULL },
	{ "profile", show_profile, NULL },
	{ "memory_bytes", show_memory_bytes, NULL },
	{ "state", show_state, NULL },
	{ "last_error", show_last_error, NULL, 0400 },
	{ "quiescent", show_quiescent, NULL },
	{ "progress", show_progress, NULL },
	{ "actions", NULL, store_actions },
};

/* Files of the other directories. */

static u32 read_param(struct dms_sysfs *sysfs, const struct ssdc_tunable *tunable)
{
	return *ssdc_tunable_at(tunable, &target_of(sysfs)->device_params);
}

static int refuse(struct dms_sysfs *sysfs, const struct ssdc_error *error)
{
	return dmsf_refuse(target_of(sysfs), error);
}

static void read_stat(struct dms_sysfs *sysfs, const struct ssdc_stat *stat, u64 *numbers)
{
	struct dmsf_target *f = target_of(sysfs);

	spin_lock_bh(&f->lock);
	ssdf_update_stats(f->device, dmsf_now_ns(f));
	dms_read_stat(stat, f->device, numbers);
	spin_unlock_bh(&f->lock);
}

static void copy_latency(struct dms_sysfs *sysfs, enum ssdc_op op, struct ssdc_histogram *hist)
{
	struct dmsf_target *f = target_of(sysfs);

	spin_lock_bh(&f->lock);
	*hist = *ssdf_latency(f->device, op);
	spin_unlock_bh(&f->lock);
}

/* Files are named by channel number. A later table may have fewer channels. */
static ssize_t show_channel(struct dms_sysfs *sysfs, const struct dms_dir *dir,
			    unsigned int index, char *buf)
{
	struct dmsf_target *f = target_of(sysfs);
	u64 busy_ns;

	if (index >= f->device_params.channels)
		return -ENODEV;
	spin_lock_bh(&f->lock);
	busy_ns = ssdf_channel_busy_ns(f->device, index, dmsf_now_ns(f));
	spin_unlock_bh(&f->lock);
	return sysfs_emit(buf, "%llu\n", busy_ns);
}

static const struct dms_dir_type channels_type = {
	.show = show_channel,
};

/* The node. */

static int make_dirs(struct dms_dir *root)
{
	return dms_make_dirs(root, false, ssdf_param_table, ssdf_nr_params, ssdf_stat_table,
			     ssdf_nr_stats);
}

/* Without memory for the directory, the values are available by message only. */
static void update(struct dms_dir *root, struct dms_sysfs *sysfs)
{
	int r;

	r = dms_dir_renew(dms_dir_find(root, "stats"), "channel_busy_ns", &channels_type, NULL,
			  target_of(sysfs)->device_params.channels);
	if (r)
		DMWARN("cannot create the directory of channels in sysfs (%pe)", ERR_PTR(r));
}

static const struct dms_node_type node_type = {
	.name = "ssdflash",
	.files = root_files,
	.nr_files = ARRAY_SIZE(root_files),
	.read_param = read_param,
	.refuse = refuse,
	.read_stat = read_stat,
	.copy_latency = copy_latency,
	.make_dirs = make_dirs,
	.update = update,
};

/**
 * dmsf_sysfs_attach() - show a target in sysfs, replacing the previous table's target
 * @f: target that is being resumed
 *
 * Call dms_node_detach() before freeing the target.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int dmsf_sysfs_attach(struct dmsf_target *f)
{
	return dms_node_attach(&f->sysfs, &node_type, f->ti);
}
