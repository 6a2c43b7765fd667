// SPDX-License-Identifier: GPL-2.0
/*
 * A new table takes over what the previous table of its device could not write.
 *
 * A suspend flushes all dirty pages. If the origin fails, they would be gone with the old table,
 * and the new one would serve the origin's older data. Device-mapper cannot refuse the new table
 * at that point, so the new table takes over the DRAM tier of the old one: the engine with its
 * pages and plug-ins, and the frames. Of its own table line it uses the origin and the tunables.
 * A further reload, once the origin works, applies the rest.
 */
#include "../ssdflash/flash.h"
#include "cache.h"

/*
 * The cache of the table that @c replaces. Device-mapper destroys it only after the resume of @c,
 * in the same thread; it has no requests.
 */
static struct dmsc_cache *find_previous(const struct dmsc_cache *c)
{
	const struct mapped_device *md = dm_table_get_md(c->ti->table);
	unsigned int noio = dmsc_lock_caches();
	struct dmsc_cache *other = NULL;

	while ((other = dmsc_next_cache(other)))
		/* The other instances of this device change in this thread only. */
		if (other != c && dm_table_get_md(other->ti->table) == md && other->live)
			break;
	dmsc_unlock_caches(noio);
	return other;
}

/*
 * Neither cache has a request, and both are frozen. File functions and workers may look at them:
 * after this they see the other engine, which is as good.
 */
static void exchange(struct dmsc_cache *c, struct dmsc_cache *old)
{
	spin_lock_irq(&old->lock);
	spin_lock_nested(&c->lock, SINGLE_DEPTH_NESTING);
	old->engine->tunables = c->engine->tunables;
	swap(c->engine, old->engine);
	swap(c->frames, old->frames);
	swap(c->nr_kernel_pages, old->nr_kernel_pages);
	swap(c->pages_per_frame, old->pages_per_frame);
	ssdc_set_device(c->engine, &dmsf_device_ops, dmsc_origin(c));
	spin_unlock(&c->lock);
	spin_unlock_irq(&old->lock);
	dmsc_auto_exchange(c, old);
}

/* The pages do not fit into the new device: serve nothing rather than older data. */
static void refuse_io(struct dmsc_cache *c, u32 dirty)
{
	c->refuses_io = true;
	DMCRIT("%s: the length has changed, %u dirty pages are lost: all I/O fails until a reload",
	       dm_device_name(dm_table_get_md(c->ti->table)), dirty);
}

/**
 * dmsc_take_over() - take over the dirty pages and unreported errors of the previous table
 * @c: cache at its first resume, before it is shown in sysfs
 *
 * Context: may sleep.
 */
void dmsc_take_over(struct dmsc_cache *c)
{
	struct dmsc_cache *old = find_previous(c);
	u32 dirty;

	if (!old)
		return;
	dirty = old->engine->tier.dirty_pages;
	if (!dirty && !old->engine->stability.unreported)
		return;
	/*
	 * File functions of the old table are not waited for: they may wait for requests. They
	 * hold @old, whose destruction waits for them.
	 */
	mutex_lock(&old->control);
	mutex_lock_nested(&c->control, SINGLE_DEPTH_NESTING);
	if (!dirty) {
		spin_lock_irq(&c->lock);
		ssdc_inherit_errors(c->engine, old->engine);
		spin_unlock_irq(&c->lock);
	} else if (old->engine->origin_sectors == c->engine->origin_sectors) {
		exchange(c, old);
		DMWARN("%s: error %d: kept the DRAM tier of the old table, with %u dirty pages",
		       dm_device_name(dm_table_get_md(c->ti->table)),
		       c->engine->first_error, dirty);
	} else {
		refuse_io(c, dirty);
	}
	mutex_unlock(&c->control);
	mutex_unlock(&old->control);
	/* The workers may have read the address of the engine before the exchange. */
	flush_work(&old->work);
	flush_work(&c->work);
}
