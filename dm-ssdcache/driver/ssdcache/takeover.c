// SPDX-License-Identifier: GPL-2.0
/*
 * A new table takes over the data that the previous table of its device could not write.
 *
 * A suspend flushes all dirty pages. If the origin fails, these pages would be gone with the old
 * table, and the new table would serve the origin's older data. Device-mapper cannot refuse the new
 * table at that point, so the new table takes over the DRAM tier of the old one: the shards with
 * their engines, pages and plug-ins. The new table uses only the origin and the tunables of its own
 * table line. A further reload, once the origin works, applies the rest.
 */
#include <linux/blkdev.h>

#include "../ssdflash/flash.h"
#include "cache.h"
#include "latency.h"

static void adopt(struct dmsc_shard *s, struct dmsc_cache *c,
		  const struct ssdc_core_tunables *tunables)
{
	spin_lock_irq(&s->lock);
	s->cache = c;
	if (tunables)
		s->engine->tunables = *tunables;
	ssdc_set_device(s->engine, &dmsf_device_ops, dmsc_origin(c));
	spin_unlock_irq(&s->lock);
}

/* Neither cache has a request, and both are frozen. Workers may look at the shards. */
static void exchange(struct dmsc_cache *c, struct dmsc_cache *old)
{
	unsigned int noio = dmsc_lock_caches();
	struct ssdc_core_tunables tunables;
	struct dmsc_shard *s = c->shards;

	spin_lock_irq(&s->lock);
	tunables = s->engine->tunables;
	spin_unlock_irq(&s->lock);
	swap(c->shards, old->shards);
	swap(c->nr_shards, old->nr_shards);
	swap(c->region_shift, old->region_shift);
	swap(c->numa, old->numa);
	dmsc_latency_exchange(c, old);
	dmsc_for_each_shard(s, c)
		adopt(s, c, &tunables);
	dmsc_for_each_shard(s, old)
		adopt(s, old, NULL);
	dmsc_shards_changed(c);
	dmsc_shards_changed(old);
	dmsc_unlock_caches(noio);
	dmsc_auto_exchange(c, old);
}

static bool has_unreported(const struct dmsc_cache *c)
{
	struct dmsc_shard *s;

	dmsc_for_each_shard(s, c)
		if (s->engine->stability.unreported)
			return true;
	return false;
}

/* One shard reports the errors that the shards of the previous table have not reported. */
static void inherit_errors(struct dmsc_shard *heir, const struct dmsc_cache *old)
{
	struct dmsc_shard *s;

	spin_lock_irq(&heir->lock);
	dmsc_for_each_shard(s, old)
		ssdc_inherit_errors(heir->engine, s->engine);
	spin_unlock_irq(&heir->lock);
}

/* The pages do not fit into the new device: serve nothing rather than older data. */
static void refuse_io(struct dmsc_cache *c, u32 dirty)
{
	c->refuses_io = true;
	dmsc_shards_changed(c);
	DMCRIT("%s: the length has changed, %u dirty pages are lost: all I/O fails until a reload",
	       dm_device_name(dm_table_get_md(c->ti->table)), dirty);
}

/*
 * Most drivers, and the block layer of newer kernels, refuse to read or write a part of a block. If
 * the new origin has larger blocks, a page with part of one can then neither be filled nor written.
 * The errors alone would look as if the origin were broken.
 */
static void compare_blocks(const struct dmsc_cache *c, const struct dmsc_cache *old)
{
	u32 before = bdev_logical_block_size(dmsc_origin(old));
	u32 now = bdev_logical_block_size(dmsc_origin(c));

	if (now > before)
		DMWARN("%s: logical blocks have %u bytes now, not %u: pages with part of a %s",
		       dm_device_name(dm_table_get_md(c->ti->table)), now, before,
		       "block may stay dirty until a reload with smaller blocks");
}

/*
 * The log has the error of the old table, which is the first one of the new table, too. The engines
 * forget it before they belong to the new table, whose workers would log it as one of its own
 * origin, and then log no error that follows.
 */
static void forget_errors(struct dmsc_cache *c)
{
	struct dmsc_shard *s;

	dmsc_for_each_shard(s, c) {
		spin_lock_irq(&s->lock);
		s->engine->first_error = 0;
		s->error_sector = DMSC_NO_SECTOR;
		spin_unlock_irq(&s->lock);
	}
}

static bool has_failed_pages(const struct dmsc_cache *c)
{
	struct dmsc_shard *s;

	dmsc_for_each_shard(s, c)
		if (s->engine->failed_pages)
			return true;
	return false;
}

/* What the origin of @old had in its cache need not be on the origin of the new table. */
static void replace_origin(struct dmsc_cache *old)
{
	bool failed = has_failed_pages(old);
	struct dmsc_shard *s;

	dmsc_for_each_shard(s, old) {
		spin_lock_irq(&s->lock);
		ssdc_origin_replaced(s->engine, dmsc_first_error(old) ?: -EIO, failed);
		spin_unlock_irq(&s->lock);
	}
}

/* Take over the dirty pages or, if there are none, the unreported errors of @old. */
static void take_over(struct dmsc_cache *c, struct dmsc_cache *old)
{
	u32 dirty = dmsc_dirty_pages(old);

	if (!dirty && !has_unreported(old))
		return;
	/*
	 * File functions of the old table are not waited for: they may wait for requests. They
	 * hold @old, whose destruction waits for them.
	 */
	mutex_lock(&old->control);
	mutex_lock_nested(&c->control, SINGLE_DEPTH_NESTING);
	atomic_set(&c->first_error, dmsc_first_error(old));
	if (dirty && dmsc_origin(old) != dmsc_origin(c))
		replace_origin(old);
	forget_errors(old);
	if (!dirty) {
		inherit_errors(c->shards, old);
	} else if (old->ti->len == c->ti->len) {
		exchange(c, old);
		DMWARN("%s: error %d: kept the DRAM tier of the old table, with %u dirty pages",
		       dm_device_name(dm_table_get_md(c->ti->table)),
		       dmsc_first_error(c), dirty);
		compare_blocks(c, old);
	} else {
		refuse_io(c, dirty);
	}
	mutex_unlock(&c->control);
	mutex_unlock(&old->control);
	/* The workers may have read the address of their cache before the exchange. */
	dmsc_workers_finish(old);
	dmsc_workers_finish(c);
}

/**
 * dmsc_take_over() - take over the dirty pages and unreported errors of the previous table
 * @c: cache at its first resume, before it is shown in sysfs
 *
 * @c is live afterwards, even if its resume fails: the next table takes over from it.
 *
 * Context: may sleep.
 */
void dmsc_take_over(struct dmsc_cache *c)
{
	struct dmsc_cache *old = dmsc_claim_previous(c);

	if (!old)
		return;
	take_over(c, old);
	dmsc_release_previous(old);
}
