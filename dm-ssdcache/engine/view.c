// SPDX-License-Identifier: GPL-2.0
/*
 * The load of the origin: given by it, or estimated. See policy-api/view.h.
 *
 * Ground floor: calls no other file of the engine.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include "engine.h"
#include "view.h"

/**
 * ssdc_set_device() - ask the origin for its load from now on
 * @e: engine
 * @ops: how; NULL: estimate
 * @device: passed to @ops; to be there until they are changed
 */
void ssdc_set_device(struct ssdc_engine *e, const struct ssdc_device_ops *ops, void *device)
{
	e->device_ops = ops;
	e->device = device;
}

/* ---- the estimate ---- */

/* What is under way is counted by the geometry that it began with. */
static void take_over_geometry(struct ssdc_engine *e)
{
	if (e->units.total)
		return;
	e->units.channels = e->tunables.channels;
	e->units.nr = min(e->tunables.channels * e->tunables.dies, SSDC_MAX_UNITS);
}

static u32 unit_of(const struct ssdc_engine *e, u64 page)
{
	u32 unit;

	div_u64_rem(page, e->units.nr, &unit);
	return unit;
}

static void count(struct ssdc_units *units, u32 unit, int change)
{
	u32 *channel = &units->channel_depth[unit % units->channels];

	units->busy -= !!units->depth[unit];
	units->depth[unit] += change;
	units->busy += !!units->depth[unit];
	units->busy_channels -= !!*channel;
	*channel += change;
	units->busy_channels += !!*channel;
	units->total += change;
}

static void count_pages(struct ssdc_engine *e, u64 sector, u32 nr_sectors, int change)
{
	u32 shift = e->tier.page_shift;
	u64 page = sector >> shift, last = (sector + nr_sectors - 1) >> shift;

	for (; page <= last; page++)
		count(&e->units, unit_of(e, page), change);
}

/* A read or write of these sectors is handed to the driver; O(pages). */
void ssdc_units_begin(struct ssdc_engine *e, u64 sector, u32 nr_sectors)
{
	take_over_geometry(e);
	count_pages(e, sector, nr_sectors, 1);
}

/* It has ended. */
void ssdc_units_end(struct ssdc_engine *e, u64 sector, u32 nr_sectors)
{
	count_pages(e, sector, nr_sectors, -1);
}

static void estimate_view(struct ssdc_engine *e)
{
	struct ssdc_view *view = &e->view;

	take_over_geometry(e);
	view->source = SSDC_VIEW_ESTIMATED;
	view->channels = e->tunables.channels;
	view->dies = e->tunables.dies;
	view->idle_channels = e->units.channels - e->units.busy_channels;
	view->units = e->units.nr;
	view->idle_units = e->units.nr - e->units.busy;
	view->queued = e->units.total;
	view->utilisation = e->units.busy * 1000 / e->units.nr;
}

static void estimate_units(const struct ssdc_engine *e, struct ssdc_unit_query *queries,
			   unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		queries[i].unit = unit_of(e, queries[i].sector >> e->tier.page_shift);
		queries[i].depth = e->units.depth[queries[i].unit];
	}
}

/* Do the counts agree with each other, and with what is under way? */
bool ssdc_units_ok(const struct ssdc_engine *e)
{
	const struct ssdc_units *units = &e->units;
	u32 i, busy = 0, busy_channels = 0, total = 0, channels_total = 0;

	for (i = 0; i < units->nr; i++) {
		busy += !!units->depth[i];
		total += units->depth[i];
	}
	for (i = 0; i < units->channels; i++) {
		busy_channels += !!units->channel_depth[i];
		channels_total += units->channel_depth[i];
	}
	return total == units->total && channels_total == units->total && busy == units->busy &&
		busy_channels == units->busy_channels && (e->device_inflight || !total);
}

/* ---- for policies and statistics ---- */

/* Bring @e->view up to date. */
void ssdc_update_view(struct ssdc_engine *e)
{
	struct ssdc_view *view = &e->view;

	if (!e->device_ops || !e->device_ops->view(e->device, view))
		estimate_view(e);
	view->host_inflight = e->host_inflight;
	view->device_inflight = e->device_inflight;
	view->dirty = e->tier.dirty_pages - e->flushing_pages;
}

/**
 * ssdc_device_view() - the load of the origin, for a decision of a policy
 * @e: engine
 *
 * Return: a view that holds until the next call.
 */
const struct ssdc_view *ssdc_device_view(struct ssdc_engine *e)
{
	ssdc_update_view(e);
	e->stats.views[e->view.source]++;
	return &e->view;
}

/**
 * ssdc_ask_units() - what would accesses of pages have to wait for?
 * @tier: the DRAM tier
 * @queries: sector and write are set; the answers are unit and depth
 * @nr: how many
 *
 * O(@nr), and the device is found once for all of them; with dynamic allocation a write
 * costs O(units) once.
 */
void ssdc_ask_units(const struct ssdc_tier *tier, struct ssdc_unit_query *queries,
		    unsigned int nr)
{
	const struct ssdc_engine *e = ssdc_tier_engine(tier);

	if (!e->device_ops || !e->device_ops->ask_units(e->device, queries, nr))
		estimate_units(e, queries, nr);
}
EXPORT_SYMBOL_GPL(ssdc_ask_units);

/**
 * ssdc_unit_depth() - what would an access of a page have to wait for?
 * @tier: the DRAM tier
 * @sector: first one of the page
 * @write: a write of it, else a read
 *
 * Return: commands that the unit has to do to which the page maps: with which a read
 * would find it, or to which a write would go.
 */
u32 ssdc_unit_depth(const struct ssdc_tier *tier, u64 sector, bool write)
{
	struct ssdc_unit_query query = { .sector = sector, .write = write };

	ssdc_ask_units(tier, &query, 1);
	return query.depth;
}
EXPORT_SYMBOL_GPL(ssdc_unit_depth);
