// SPDX-License-Identifier: GPL-2.0
/*
 * Device-mapper target "ssdcache": a DRAM tier with published SSD buffer policies in front of a
 * block device. This file has the callbacks for device-mapper; cache.h lists the other files.
 */
#include <linux/blkdev.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/lcm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "../common/origin.h"
#include "cache.h"
#include "latency.h"
#include "../ssdflash/flash.h"
#include "../../version.h"

/*
 * Replacing or removing a table discards its pages, so retry the last flush briefly in
 * case the error is transient.
 */
#define SUSPEND_TRIES	5
#define SUSPEND_SECONDS	10

static int open_origin(struct dmsc_cache *c, const char *path, u64 page_bytes,
		       struct ssdc_error *error)
{
	struct dm_target *ti = c->ti;
	char page[24], block[24];
	u64 size;
	int r;

	r = dms_open_origin(ti, path, false, &c->origin, error);
	if (r)
		return r;
	if (page_bytes >= SSDC_MIN_PAGE_BYTES &&
	    page_bytes < bdev_logical_block_size(dmsc_origin(c))) {
		ssdc_print_size(page_bytes, page, sizeof(page));
		ssdc_print_size(bdev_logical_block_size(dmsc_origin(c)), block, sizeof(block));
		scnprintf(error->text, sizeof(error->text),
			  "page: %s is less than a block of \"%.64s\", %s", page, path, block);
		return -EINVAL;
	}
	size = bdev_nr_sectors(dmsc_origin(c));
	if (ti->begin || ti->len != size) {
		scnprintf(error->text, sizeof(error->text),
			  "length: start and length are %llu %llu, but must cover the origin: 0 %llu",
			  (u64)ti->begin, (u64)ti->len, size);
		return -EINVAL;
	}
	return 0;
}

/* Do the shards have engines, whose types are pinned? */
static bool has_engines(const struct dmsc_cache *c)
{
	return c->nr_shards && c->shards->engine;
}

static void destroy_shards(struct dmsc_cache *c)
{
	struct dmsc_shard *s;

	dmsc_for_each_shard(s, c) {
		ssdc_engine_destroy(s->engine);
		dmsc_io_destroy(s);
		dmsc_dram_free(s);
	}
	kvfree(c->shards);
}

/* Frees a cache, also one that is only partly constructed. */
static void destroy(struct dmsc_cache *c)
{
	const struct ssdc_plugin_type *types[SSDC_NR_KINDS] = {};
	unsigned int kind;
	u32 dirty;

	dmsc_caches_remove(c);
	dms_node_detach(&c->sysfs);
	dmsc_auto_destroy(c);
	dmsc_workers_destroy(c);
	if (has_engines(c)) {
		dirty = dmsc_dirty_pages(c);
		if (dirty)
			DMCRIT("%s: %u dirty pages could not be written and are lost",
			       dm_device_name(dm_table_get_md(c->ti->table)), dirty);
		for (kind = 0; kind < SSDC_NR_KINDS; kind++)
			types[kind] = ssdc_current_plugin(c->shards->engine, kind)->type;
	}
	destroy_shards(c);
	dmsc_latency_destroy(c);
	for (kind = 0; kind < SSDC_NR_KINDS; kind++)
		if (types[kind])
			dmsc_unpin_type(types[kind]);
	if (c->origin)
		dm_put_device(c->ti, c->origin);
	mutex_destroy(&c->control);
	kfree(c);
}

static int check_params(const struct dmsc_config *config, struct ssdc_error *error)
{
	unsigned int noio = dmsc_lock_types();
	int r;

	r = ssdc_params_check(&config->params, error);
	dmsc_unlock_types(noio);
	return r ? r : ssdc_shards_check(&config->params, config->nr_shards, error);
}

/* What make_engine() needs. */
struct engine_of {
	const struct ssdc_params *params;
	struct ssdc_error *error;
	struct ssdc_engine *engine;
};

static void make_engine(void *data)
{
	struct engine_of *of = data;
	unsigned int noio = dmsc_lock_types();

	of->engine = ssdc_engine_create(of->params, of->error);
	dmsc_unlock_types(noio);
}

static int create_engine(struct dmsc_shard *s, const struct ssdc_params *params,
			 struct ssdc_error *error)
{
	struct engine_of of = { params, error };
	int r;

	r = dmsc_dram_alloc(s, params, error);
	if (r)
		return r;
	dmsc_on_node(s, make_engine, &of);
	s->engine = of.engine;
	if (!s->engine)
		return -ENOMEM;
	ssdc_set_device(s->engine, &dmsf_device_ops, dmsc_origin(s->cache));
	ssdc_freeze(s->engine, true);
	return 0;
}

static int create_shards(struct dmsc_cache *c, const struct dmsc_config *config,
			 struct ssdc_error *error)
{
	struct ssdc_params params = config->params;
	struct dmsc_shard *s;
	int r;

	params.latencies = SSDC_NO_LATENCIES;
	r = check_params(config, error);
	if (r)
		return r;
	ssdc_shards_divide(&params, config->nr_shards);
	params.region_sectors =
		ssdc_region_for(bdev_discard_granularity(dmsc_origin(c)) >> SECTOR_SHIFT,
				bdev_discard_alignment(dmsc_origin(c)) >> SECTOR_SHIFT);
	c->region_shift = ilog2(params.region_sectors);
	r = dmsc_dram_check(&params, config->nr_shards, error);
	if (!r)
		r = dmsc_shards_create(c, config->nr_shards, error);
	if (r)
		return r;
	dmsc_numa_place(c, config->numa);
	dmsc_for_each_shard(s, c) {
		params.shard = s - c->shards;
		r = create_engine(s, &params, error);
		if (r)
			break;
	}
	return r;
}

/* The types of the three plug-ins stay pinned as long as the engines have instances. */
static int create_engines(struct dmsc_cache *c, const struct dmsc_config *config,
			  struct ssdc_error *error)
{
	const struct ssdc_params *params = &config->params;
	struct dmsc_shard *s;
	unsigned int kind;
	int r;

	r = dmsc_pin_types(params, error);
	if (r)
		return r;
	r = create_shards(c, config, error);
	if (!r)
		return 0;
	dmsc_for_each_shard(s, c) {
		ssdc_engine_destroy(s->engine);
		s->engine = NULL;
	}
	for (kind = 0; kind < SSDC_NR_KINDS; kind++)
		dmsc_unpin_spec(kind, ssdc_params_spec(params, kind));
	return r;
}

static int create_workers(struct dmsc_cache *c, struct ssdc_error *error)
{
	struct dmsc_shard *s;
	int r = 0;

	dmsc_for_each_shard(s, c)
		r = r ? r : dmsc_io_create(s);
	if (!r)
		r = dmsc_latency_create(c);
	if (!r)
		r = dmsc_workers_create(c, dm_device_name(dm_table_get_md(c->ti->table)));
	if (r)
		scnprintf(error->text, sizeof(error->text),
			  "no memory for I/O records and statistics");
	return r;
}

static int create(struct dmsc_cache *c, struct dmsc_config *config, struct ssdc_error *error)
{
	/* As given: dmsc_auto_prepare() replaces "auto" by a candidate. */
	const char *replacement = config->params.replacement;
	const char *admission = config->params.admission;
	int r;

	r = open_origin(c, config->origin, config->params.page_bytes, error);
	if (r)
		return r;
	config->params.origin_sectors = c->ti->len;
	r = dmsc_auto_prepare(c, &config->params, error);
	if (!r)
		r = create_engines(c, config, error);
	if (!r)
		r = dmsc_auto_start(c, error);
	if (r)
		ssdc_auto_offer(error, replacement, admission);
	return r ? r : create_workers(c, error);
}

static void describe(struct dm_target *ti)
{
	ti->flush_supported = true;
	/*
	 * When device-mapper loads the table, it reserves this many bios. The maximum is needed,
	 * because the shards may be replaced by those of the previous table. The resume sets the
	 * number of bios for each FLUSH.
	 */
	ti->num_flush_bios = SSDC_MAX_SHARDS;
	ti->num_discard_bios = 1;
	ti->num_secure_erase_bios = 1;
	ti->num_write_zeroes_bios = 1;
	ti->per_io_data_size = sizeof(struct dmsc_bio);
}

static int ssdcache_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	struct dmsc_config config;
	struct ssdc_error error = {};
	struct dmsc_cache *c;
	int r;

	r = dmsc_table_parse(&config, argc, argv, &error);
	if (r)
		return dms_refuse_table(ti, &error, r);
	c = kzalloc(sizeof(*c), GFP_KERNEL);
	if (!c) {
		ti->error = "no memory";
		return -ENOMEM;
	}
	INIT_LIST_HEAD(&c->all);
	c->ti = ti;
	mutex_init(&c->control);
	dmsc_auto_init(c);

	r = create(c, &config, &error);
	if (r) {
		destroy(c);
		/* Allocations fail for a process that was killed. */
		if (r == -ENOMEM && fatal_signal_pending(current)) {
			scnprintf(error.text, sizeof(error.text), "interrupted");
			r = -EINTR;
		}
		return dms_refuse_table(ti, &error, r);
	}
	describe(ti);
	ti->private = c;
	dmsc_caches_add(c);
	return 0;
}

static void ssdcache_dtr(struct dm_target *ti)
{
	destroy(ti->private);
}

static int ssdcache_map(struct dm_target *ti, struct bio *bio)
{
	return dmsc_map_bio(ti->private, bio);
}

/* Requests still arrive: flush most pages before device-mapper holds requests up. */
static void ssdcache_presuspend(struct dm_target *ti)
{
	dmsc_flush_all(ti->private, false);
}

static u32 retry_ms(struct dmsc_cache *c)
{
	u32 ms;

	spin_lock_irq(&c->shards->lock);
	ms = c->shards->engine->tunables.retry_ms;
	spin_unlock_irq(&c->shards->lock);
	return ms;
}

/* No request is in flight: flush the remaining dirty pages. */
static void ssdcache_postsuspend(struct dm_target *ti)
{
	struct dmsc_cache *c = ti->private;
	unsigned int tries = 1;
	unsigned long end;
	int r;

	r = dmsc_flush_all(c, true);
	end = jiffies + SUSPEND_SECONDS * HZ;
	while (r && tries++ < SUSPEND_TRIES && time_before(jiffies, end)) {
		msleep(min(retry_ms(c), 1000u));
		r = dmsc_flush_all(c, true);
	}
	dmsc_auto_suspend(c);
	dmsc_workers_suspend(c);
	/* The workers have made all pages dirty that a failed FLUSH may have lost. */
	if (r)
		DMERR("%s: suspend: %u pages are still dirty, the flush failed (%pe)",
		      dm_device_name(dm_table_get_md(ti->table)), dmsc_dirty_pages(c),
		      ERR_PTR(r));
}

static int ssdcache_preresume(struct dm_target *ti)
{
	struct dmsc_cache *c = ti->private;

	if (!c->live)
		dmsc_take_over(c);
	ti->num_flush_bios = c->nr_shards;
	return dmsc_sysfs_attach(c);
}

static void ssdcache_resume(struct dm_target *ti)
{
	struct dmsc_cache *c = ti->private;
	struct dmsc_shard *s;

	dmsc_for_each_shard(s, c) {
		spin_lock_irq(&s->lock);
		ssdc_tunables_changed(s->engine, ktime_get_ns());
		spin_unlock_irq(&s->lock);
	}
	dmsc_workers_resume(c);
	dmsc_auto_resume(c);
}

static void ssdcache_status(struct dm_target *ti, status_type_t type, unsigned int flags,
			    char *result, unsigned int maxlen)
{
	struct dmsc_cache *c = ti->private;
	const struct ssdc_engine *e;
	unsigned int sz = 0;
	u32 dram_mode;

	switch (type) {
	case STATUSTYPE_INFO:
		dmsc_status_print(c, result, maxlen);
		break;
	case STATUSTYPE_TABLE:
		dmsc_table_print(c, result, maxlen);
		break;
	case STATUSTYPE_IMA:
		mutex_lock(&c->control);
		e = c->shards->engine;
		spin_lock_irq(&c->shards->lock);
		dram_mode = e->tunables.dram_mode;
		spin_unlock_irq(&c->shards->lock);
		DMEMIT_TARGET_NAME_VERSION(ti->type);
		DMEMIT(",origin=%s,dram_bytes=%llu,page_bytes=%u,dram_mode=%s;", c->origin->name,
		       (u64)dmsc_capacity(c) * e->tier.page_sectors << SECTOR_SHIFT,
		       e->tier.page_sectors << SECTOR_SHIFT,
		       ssdc_core_tunable_table[0].words[dram_mode]);
		mutex_unlock(&c->control);
		break;
	}
}

static int ssdcache_message(struct dm_target *ti, unsigned int argc, char **argv, char *result,
			    unsigned int maxlen)
{
	return dmsc_message(ti->private, argc, argv, result, maxlen);
}

static int ssdcache_iterate_devices(struct dm_target *ti, iterate_devices_callout_fn fn,
				    void *data)
{
	struct dmsc_cache *c = ti->private;

	return fn(ti, c->origin, 0, ti->len, data);
}

/*
 * The optimal I/O is whole pages, and also whole stripes if the origin has stripes. If the sizes
 * hardly fit each other, their common multiple is too large to be useful, and read-ahead would take
 * twice as much. In that case, the optimal I/O is whole pages only.
 *
 * Physical blocks of the origin can be larger than pages. The block layer takes a device for
 * misaligned, and forgets its optimal I/O, if that is not a multiple of the physical block.
 */
static void ssdcache_io_hints(struct dm_target *ti, struct queue_limits *limits)
{
	struct dmsc_cache *c = ti->private;
	u32 page_bytes = c->shards->engine->tier.page_sectors << SECTOR_SHIFT;
	u32 unit = max(page_bytes, limits->physical_block_size);
	u64 both = lcm_not_zero(unit, limits->io_opt);

	if (both > max(limits->io_opt, SSDC_STEP_SECTORS << SECTOR_SHIFT))
		both = unit;
	limits->io_opt = both;
}

static struct target_type ssdcache_target = {
	.name = "ssdcache",
	.version = { SSDC_VERSION_MAJOR, SSDC_VERSION_MINOR, SSDC_VERSION_PATCH },
	.features = DM_TARGET_NOWAIT,
	.module = THIS_MODULE,
	.ctr = ssdcache_ctr,
	.dtr = ssdcache_dtr,
	.map = ssdcache_map,
	.presuspend = ssdcache_presuspend,
	.postsuspend = ssdcache_postsuspend,
	.preresume = ssdcache_preresume,
	.resume = ssdcache_resume,
	.status = ssdcache_status,
	.message = ssdcache_message,
	.iterate_devices = ssdcache_iterate_devices,
	.io_hints = ssdcache_io_hints,
};

static int __init ssdcache_init(void)
{
	int r = dmsc_numa_register();

	if (r)
		return r;
	r = dmsc_auto_register();
	if (r)
		goto no_auto;
	r = dm_register_target(&ssdcache_target);
	if (r)
		goto no_cache;
	r = dmsf_register();
	if (r)
		goto no_flash;
	r = dmsc_reboot_register();
	if (r)
		goto no_reboot;
	return 0;

no_reboot:
	dmsf_unregister();
no_flash:
	dm_unregister_target(&ssdcache_target);
no_cache:
	dmsc_auto_unregister();
no_auto:
	dmsc_numa_unregister();
	return r;
}

static void __exit ssdcache_exit(void)
{
	dmsc_reboot_unregister();
	dmsf_unregister();
	dm_unregister_target(&ssdcache_target);
	dmsc_auto_unregister();
	dmsc_numa_unregister();
}

module_init(ssdcache_init);
module_exit(ssdcache_exit);

MODULE_DESCRIPTION(DM_NAME " DRAM tier with published SSD buffer policies");
MODULE_AUTHOR("The dm-ssdcache developers");
MODULE_VERSION(SSDC_VERSION);
MODULE_LICENSE("GPL");
/* device-mapper asks for "dm-TARGET"; dm-ssdcache is the module's own name. */
MODULE_ALIAS("dm-ssdflash");
