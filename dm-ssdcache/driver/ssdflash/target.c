// SPDX-License-Identifier: GPL-2.0
/*
 * Device-mapper target "ssdflash": a block device with the timing of flash.
 *
 * Data stay at their logical address on the origin, as with dm-linear. Channels, dies, FTL
 * and garbage collection are a model that decides when each request completes, while the
 * origin's own I/O runs in parallel. On a zoned origin the model's erase blocks are zones,
 * and data are stored where its map says.
 */
#include <linux/blkdev.h>
#include <linux/lcm.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "../../compat/compat.h"
#include "../../version.h"
#include "../common/origin.h"
#include "zoned/zoned.h"

#define DM_MSG_PREFIX "ssdflash"

static int open_origin(struct dmsf_target *f, const char *path, struct ssdc_error *error)
{
	struct dm_target *ti = f->ti;
	u64 size;
	int r;

	r = dms_open_origin(ti, path, true, &f->origin, error);
	if (r)
		return r;
	size = bdev_nr_sectors(f->origin->bdev);
	if (ti->begin || ti->len > size) {
		scnprintf(error->text, sizeof(error->text),
			  "length: must start at 0 and be at most %llu, the size of the origin, not %llu %llu",
			  size, (u64)ti->begin, (u64)ti->len);
		return -EINVAL;
	}
	return 0;
}

/* Undo the constructor, however far it got. */
static void destroy(struct dmsf_target *f)
{
	dms_node_detach(&f->sysfs);
	dmsf_stop(f);
	dmsf_forget(f);
	dmsf_zoned_destroy(f);
	ssdf_destroy(f->device);
	if (f->origin)
		dm_put_device(f->ti, f->origin);
	mutex_destroy(&f->control);
	kfree(f);
}

/* Check first: a failing allocation would reclaim everybody else's pages. */
static int check_memory(struct dmsf_target *f, bool zoned, struct ssdc_error *error)
{
	u64 needed = dmsf_memory_bytes(&f->device_params, zoned);
	unsigned long available = si_mem_available();

	if (needed >> PAGE_SHIFT > available) {
		scnprintf(error->text, sizeof(error->text),
			  "the map %s %llu MiB, but only %lu MiB of memory are available",
			  zoned ? "and the pages in flight need" : "needs",
			  DIV_ROUND_UP_ULL(needed, SZ_1M), available >> (20 - PAGE_SHIFT));
		return -ENOMEM;
	}
	DMINFO("%s: %llu KiB of memory for the map%s of the flash device",
	       dm_device_name(dm_table_get_md(f->ti->table)), needed >> 10,
	       zoned ? " and the pages in flight" : "");
	return 0;
}

static int create_device(struct dmsf_target *f, struct ssdc_error *error)
{
	f->device = ssdf_create(&f->device_params, error);
	if (!f->device)
		return -ENOMEM;
	while (ssdf_age(f->device)) {
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	ssdf_reset_stats(f->device, dmsf_now_ns(f));
	ssdf_observe(f->device, &dmsf_trace_observer, f);
	return 0;
}

static void warn_of_doubt(struct dmsf_target *f)
{
	struct ssdc_error doubt;

	if (ssdf_params_doubt(&f->device_params, &doubt))
		DMWARN("%s: %s", dm_device_name(dm_table_get_md(f->ti->table)), doubt.text);
}

static int create(struct dmsf_target *f, struct ssdc_error *error)
{
	struct dmsf_layout layout;
	bool zoned;
	int r;

	r = open_origin(f, f->config.origin, error);
	if (r)
		return r;
	zoned = bdev_is_zoned(f->origin->bdev);
	f->read_only = zoned && !(dm_table_get_mode(f->ti->table) & BLK_OPEN_WRITE);
	f->device_params = f->config.params;
	if (zoned)
		r = dmsf_zoned_layout(f, &layout, error);
	if (!r)
		r = ssdf_params_check(&f->device_params, f->ti->len, error);
	if (!r)
		warn_of_doubt(f);
	if (!r)
		r = check_memory(f, zoned, error);
	if (!r)
		r = create_device(f, error);
	if (!r && zoned)
		r = dmsf_zoned_create(f, &layout, error);
	/* An allocation that a signal ends fails, too. */
	if (r && fatal_signal_pending(current))
		scnprintf(error->text, sizeof(error->text), "interrupted by a signal");
	return r;
}

static void describe(struct dm_target *ti)
{
	struct dmsf_target *f = ti->private;

	ti->num_flush_bios = 1;
	ti->flush_supported = true;
	ti->num_discard_bios = 1;
	/* The model uses discards even if the origin does not support them. */
	ti->discards_supported = true;
	/* The model drops whole pages only; data in partly covered pages would stay. */
	ti->num_secure_erase_bios = !f->zoned;
	ti->num_write_zeroes_bios = !f->zoned;
	ti->per_io_data_size = sizeof(struct dmsf_bio);
}

static int ssdflash_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	struct ssdc_error error;
	struct dmsf_target *f;
	int r;

	error.text[0] = '\0';
	f = kzalloc(sizeof(*f), GFP_KERNEL);
	if (!f) {
		ti->error = "no memory";
		return -ENOMEM;
	}
	f->ti = ti;
	spin_lock_init(&f->lock);
	mutex_init(&f->control);
	dmsf_timer_create(f);
	r = dmsf_table_parse(&f->config, argc, argv, &error);
	if (!r)
		r = create(f, &error);
	if (r) {
		destroy(f);
		return dms_refuse_table(ti, &error, r);
	}
	/* The words of the table line are freed when this returns. */
	f->config.origin = NULL;
	ti->private = f;
	describe(ti);
	return 0;
}

static void ssdflash_dtr(struct dm_target *ti)
{
	destroy(ti->private);
}

static int ssdflash_map(struct dm_target *ti, struct bio *bio)
{
	return dmsf_map_bio(ti->private, bio);
}

static void ssdflash_presuspend(struct dm_target *ti)
{
	dmsf_hurry(ti->private, true);
}

static void ssdflash_presuspend_undo(struct dm_target *ti)
{
	dmsf_hurry(ti->private, false);
}

static void ssdflash_postsuspend(struct dm_target *ti)
{
	dmsf_stop(ti->private);
}

/* Claim the origin on resume: until then a previous table may have used it. */
static int start_zoned(struct dmsf_target *f)
{
	struct ssdc_error error;
	int r;

	if (dmsf_claim_origin(f)) {
		r = dmsf_zoned_start(f, &error);
		if (r)
			dmsf_release_origin(f);
	} else {
		r = -EBUSY;
		scnprintf(error.text, sizeof(error.text), "origin: another ssdflash is using it");
	}
	if (r)
		DMERR("%s: %s", dm_device_name(dm_table_get_md(f->ti->table)), error.text);
	return r;
}

static int ssdflash_preresume(struct dm_target *ti)
{
	struct dmsf_target *f = ti->private;
	int r;

	/* First: device-mapper destroys the previous table even if this resume fails. */
	if (f->zoned && dmsf_inherit_loss(f))
		DMERR("%s: the failed table has lost writes: the next FLUSH reports that",
		      dm_device_name(dm_table_get_md(ti->table)));
	r = dmsf_sysfs_attach(f);
	return r || !f->zoned ? r : start_zoned(f);
}

static void ssdflash_resume(struct dm_target *ti)
{
	dmsf_start(ti->private);
}

static void ssdflash_status(struct dm_target *ti, status_type_t type, unsigned int flags,
			    char *result, unsigned int maxlen)
{
	struct dmsf_target *f = ti->private;
	unsigned int sz = 0;

	switch (type) {
	case STATUSTYPE_INFO:
		dmsf_status_print(f, result, maxlen);
		break;
	case STATUSTYPE_TABLE:
		dmsf_table_print(f, result, maxlen);
		break;
	case STATUSTYPE_IMA:
		DMEMIT_TARGET_NAME_VERSION(ti->type);
		DMEMIT(",origin=%s,profile=%s;", f->origin->name, dmsf_profile_name(f));
		break;
	}
}

static int ssdflash_message(struct dm_target *ti, unsigned int argc, char **argv, char *result,
			    unsigned int maxlen)
{
	return dmsf_message(ti->private, argc, argv, result, maxlen);
}

static int ssdflash_iterate_devices(struct dm_target *ti, iterate_devices_callout_fn fn,
				    void *data)
{
	struct dmsf_target *f = ti->private;

	/* A zoned origin is used beyond the capacity that the host sees. */
	return fn(ti, f->origin, 0, f->zoned ? dmsf_zoned_sectors(f->zoned) : ti->len, data);
}

static void ssdflash_io_hints(struct dm_target *ti, struct queue_limits *limits)
{
	struct dmsf_target *f = ti->private;
	u32 page_bytes = max(f->device_params.page_bytes, limits->physical_block_size);

	limits->io_opt = page_bytes;
	if (f->zoned)
		dms_limits_not_zoned(limits);
	if (dmsf_keeps_discards(f)) {
		/* The limits of the origin's discards do not matter. */
		limits->discard_granularity = page_bytes;
		limits->discard_alignment = 0;
		limits->max_hw_discard_sectors = UINT_MAX >> SECTOR_SHIFT;
		limits->max_discard_sectors = UINT_MAX >> SECTOR_SHIFT;
	} else {
		/* The model discards whole pages. */
		limits->discard_granularity = lcm_not_zero(limits->discard_granularity, page_bytes);
	}
}

static struct target_type ssdflash_target = {
	.name = "ssdflash",
	.version = { SSDC_VERSION_MAJOR, SSDC_VERSION_MINOR, SSDC_VERSION_PATCH },
	/* The target is not zoned, even if its origin is. */
	.features = DM_TARGET_NOWAIT | DM_TARGET_MIXED_ZONED_MODEL,
	.module = THIS_MODULE,
	.ctr = ssdflash_ctr,
	.dtr = ssdflash_dtr,
	.map = ssdflash_map,
	.presuspend = ssdflash_presuspend,
	.presuspend_undo = ssdflash_presuspend_undo,
	.postsuspend = ssdflash_postsuspend,
	.preresume = ssdflash_preresume,
	.resume = ssdflash_resume,
	.status = ssdflash_status,
	.message = ssdflash_message,
	.iterate_devices = ssdflash_iterate_devices,
	.io_hints = ssdflash_io_hints,
};

int dmsf_register(void)
{
	return dm_register_target(&ssdflash_target);
}

void dmsf_unregister(void)
{
	dm_unregister_target(&ssdflash_target);
}
