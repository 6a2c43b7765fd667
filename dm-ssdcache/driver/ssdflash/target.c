// SPDX-License-Identifier: GPL-2.0
/*
 * Device-mapper target "ssdflash": a block device with the timing of flash.
 *
 * Payload stays at its logical address on the origin, as with dm-linear; channels,
 * dies, FTL and garbage collection are a model that says when a request is over.
 * What the origin itself takes goes on at the same time. On a zoned origin the model's
 * erase blocks are zones, and payload is where its map says.
 */
#include <linux/blkdev.h>
#include <linux/lcm.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "../../compat/compat.h"
#include "../common/origin.h"
#include "zoned/zoned.h"

#define DM_MSG_PREFIX "ssdflash"

static int open_origin(struct ssdf_target *f, const char *path, struct ssdc_error *error)
{
	struct dm_target *ti = f->ti;
	u64 size;
	int r;

	r = ssdc_open_origin(ti, path, true, &f->origin, error);
	if (r)
		return r;
	size = bdev_nr_sectors(f->origin->bdev);
	if (ti->begin || ti->len > size) {
		scnprintf(error->text, sizeof(error->text),
			  "length: want 0 and at most %llu, the size of the origin, not %llu %llu",
			  size, (u64)ti->begin, (u64)ti->len);
		return -EINVAL;
	}
	return 0;
}

/* Undo whatever was done of the constructor. */
static void destroy(struct ssdf_target *f)
{
	ssdc_node_detach(&f->sysfs);
	ssdf_stop(f);
	ssdf_zoned_destroy(f);
	ssdf_destroy(f->device);
	if (f->origin)
		dm_put_device(f->ti, f->origin);
	mutex_destroy(&f->control);
	kfree(f);
}

static int create_device(struct ssdf_target *f, struct ssdc_error *error)
{
	int r = ssdf_params_check(&f->device_params, f->ti->len, error);
	u64 needed = r ? 0 : ssdf_memory_bytes(&f->device_params);

	if (r)
		return r;
	/* To find out by allocating would push everybody else's pages out. */
	if (needed >> PAGE_SHIFT > si_mem_available()) {
		scnprintf(error->text, sizeof(error->text),
			  "%llu MiB are needed for the map, %lu MiB of memory are available",
			  DIV_ROUND_UP_ULL(needed, SZ_1M), si_mem_available() >> (20 - PAGE_SHIFT));
		return -ENOMEM;
	}
	DMINFO("%s: %llu KiB of memory for the flash device's map",
	       dm_device_name(dm_table_get_md(f->ti->table)),
	       needed >> 10);
	f->device = ssdf_create(&f->device_params, error);
	if (!f->device)
		return -ENOMEM;
	while (ssdf_age(f->device))
		cond_resched();
	ssdf_reset_stats(f->device, ktime_get_ns());
	ssdf_observe(f->device, &ssdf_trace_observer, f);
	return 0;
}

static int create(struct ssdf_target *f, struct ssdc_error *error)
{
	struct zoned_layout layout;
	bool zoned;
	int r;

	r = open_origin(f, f->config.origin, error);
	if (r)
		return r;
	zoned = bdev_is_zoned(f->origin->bdev);
	f->device_params = f->config.params;
	if (zoned)
		r = ssdf_zoned_layout(f, &layout, error);
	if (!r)
		r = create_device(f, error);
	return r || !zoned ? r : ssdf_zoned_create(f, &layout, error);
}

static void describe(struct dm_target *ti)
{
	struct ssdf_target *f = ti->private;

	ti->num_flush_bios = 1;
	ti->flush_supported = true;
	ti->num_discard_bios = 1;
	/* The model has a use for them even if the origin has none. */
	ti->discards_supported = true;
	/* The model would drop whole pages only, and leave what is in parts of others. */
	ti->num_secure_erase_bios = !f->zoned;
	ti->num_write_zeroes_bios = !f->zoned;
	ti->per_io_data_size = sizeof(struct ssdf_bio);
}

static int ssdflash_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	struct ssdc_error error;
	struct ssdf_target *f;
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
	ssdf_timer_create(f);
	r = ssdf_table_parse(&f->config, argc, argv, &error);
	if (!r)
		r = create(f, &error);
	if (r) {
		destroy(f);
		return ssdc_refuse_table(ti, &error, r);
	}
	/* The words of the table line are gone when this returns. */
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
	return ssdf_map_bio(ti->private, bio);
}

static void ssdflash_postsuspend(struct dm_target *ti)
{
	ssdf_stop(ti->private);
}

/* Only now a table that was in use before is not any more. */
static int start_zoned(struct ssdf_target *f)
{
	struct ssdc_error error;
	int r;

	if (ssdf_claim_origin(f)) {
		r = ssdf_zoned_start(f, &error);
		if (r)
			ssdf_release_origin(f);
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
	struct ssdf_target *f = ti->private;
	int r = ssdf_sysfs_attach(f);

	return r || !f->zoned ? r : start_zoned(f);
}

static void ssdflash_resume(struct dm_target *ti)
{
	ssdf_start(ti->private);
}

static void ssdflash_status(struct dm_target *ti, status_type_t type, unsigned int flags,
			    char *result, unsigned int maxlen)
{
	struct ssdf_target *f = ti->private;
	unsigned int sz = 0;

	switch (type) {
	case STATUSTYPE_INFO:
		ssdf_status_print(f, result, maxlen);
		break;
	case STATUSTYPE_TABLE:
		ssdf_table_print(f, result, maxlen);
		break;
	case STATUSTYPE_IMA:
		DMEMIT_TARGET_NAME_VERSION(ti->type);
		DMEMIT(",origin=%s,profile=%s;", f->origin->name, ssdf_profile_name(f));
		break;
	}
}

static int ssdflash_message(struct dm_target *ti, unsigned int argc, char **argv, char *result,
			    unsigned int maxlen)
{
	return ssdf_message(ti->private, argc, argv, result, maxlen);
}

static int ssdflash_iterate_devices(struct dm_target *ti, iterate_devices_callout_fn fn,
				    void *data)
{
	struct ssdf_target *f = ti->private;

	/* Of a zoned origin more is used than the host gets. */
	return fn(ti, f->origin, 0, f->zoned ? ssdf_zoned_sectors(f->zoned) : ti->len, data);
}

static void ssdflash_io_hints(struct dm_target *ti, struct queue_limits *limits)
{
	struct ssdf_target *f = ti->private;
	u32 page_bytes = max(f->device_params.page_bytes, limits->physical_block_size);

	limits->io_opt = page_bytes;
	if (f->zoned)
		ssdc_limits_not_zoned(limits);
	if (f->zoned || !bdev_max_discard_sectors(f->origin->bdev)) {
		/* Discards stay here, see stays_here(): the origin's limits mean nothing. */
		limits->discard_granularity = page_bytes;
		limits->discard_alignment = 0;
		limits->max_hw_discard_sectors = UINT_MAX >> SECTOR_SHIFT;
		limits->max_discard_sectors = UINT_MAX >> SECTOR_SHIFT;
	} else {
		/* The flash forgets whole pages. */
		limits->discard_granularity = lcm_not_zero(limits->discard_granularity, page_bytes);
	}
}

static struct target_type ssdflash_target = {
	.name = "ssdflash",
	.version = { 1, 0, 0 },
	/* Not zoned itself, whatever the origin is. */
	.features = DM_TARGET_NOWAIT | DM_TARGET_MIXED_ZONED_MODEL,
	.module = THIS_MODULE,
	.ctr = ssdflash_ctr,
	.dtr = ssdflash_dtr,
	.map = ssdflash_map,
	.postsuspend = ssdflash_postsuspend,
	.preresume = ssdflash_preresume,
	.resume = ssdflash_resume,
	.status = ssdflash_status,
	.message = ssdflash_message,
	.iterate_devices = ssdflash_iterate_devices,
	.io_hints = ssdflash_io_hints,
};

int ssdf_register(void)
{
	return dm_register_target(&ssdflash_target);
}

void ssdf_unregister(void)
{
	dm_unregister_target(&ssdflash_target);
}
