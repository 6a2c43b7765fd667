// SPDX-License-Identifier: GPL-2.0
/*
 * The load of the origin: exact if the origin reports it, else estimated from the engine's own I/O
 * in flight. See policy-api/view.h.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include "engine.h"
#include "view.h"

/**
 * ssdc_set_device() - set how to ask the origin for its load
 * @e: engine
 * @ops: functions that ask the device; NULL: estimate the load
 * @device: passed to @ops; must stay valid until the next call, or until the engine is destroyed
 */
void ssdc_set_device(struct ssdc_engine *e, const struct ssdc_device_ops *ops, void *device)
{
	e->device_ops = ops;
	e->device = device;
	e->always_answers = ops && ops->always;
	/* ssdc_victims_view() counts by e->view.source without asking the device. */
	if (e->always_answers)
		ssdc_update_view(e);
}

/**
 * ssdc_device_idles() - a unit of the origin has become idle, and no I/O of the engine has ended
 * @e: engine
 *
 * A policy that found the origin too busy for an early flush is asked again.
 */
void ssdc_device_idles(struct ssdc_engine *e)
{
	e->early_declined = false;
}

/* ---- the estimate ---- */

static u32 unit_of(const struct ssdc_engine *e, u64 page)
{
	u32 unit;

	div_u64_rem(page, e->units.nr, &unit);
	return unit;
}

static u64 page_of(const struct ssdc_engine *e, u64 sector)
{
	return sector >> e->tier.page_shift;
}

/* See ssdc_units_begin(). Not inline, so that its callers need few registers. */
noinline void ssdc_count_begin(struct ssdc_engine *e, u64 sector, u32 nr_sectors)
{
	u64 page = page_of(e, sector), last = page_of(e, sector + nr_sectors - 1);

	ssdc_units_renew(e);
	for (; page <= last; page++)
		ssdc_unit_begins(&e->units, unit_of(e, page));
}

/* See ssdc_units_end(). Not inline, so that its callers need few registers. */
noinline void ssdc_count_end(struct ssdc_engine *e, u64 sector, u32 nr_sectors)
{
	u64 page = page_of(e, sector), last = page_of(e, sector + nr_sectors - 1);

	for (; page <= last; page++)
		ssdc_unit_ends(&e->units, unit_of(e, page));
}

static void estimate_view(struct ssdc_engine *e)
{
	struct ssdc_view *view = &e->view;

	ssdc_units_renew(e);
	view->source = SSDC_VIEW_ESTIMATED;
	view->channels = e->tunables.channels;
	view->dies = e->tunables.dies;
	view->idle_channels = e->units.channels - e->units.busy_channels;
	view->units = e->units.nr;
	view->idle_units = e->units.nr - e->units.busy;
	view->queued = e->units.total;
	view->utilisation = e->units.busy * 1000 / e->units.nr;
	view->stripe_sectors = 0;
	view->collects = false;
}

static void estimate_units(struct ssdc_engine *e, struct ssdc_unit_query *queries, unsigned int nr)
{
	unsigned int i;

	ssdc_units_renew(e);
	for (i = 0; i < nr; i++) {
		queries[i].unit = unit_of(e, page_of(e, queries[i].sector));
		queries[i].depth = e->units.depth[queries[i].unit];
		queries[i].gc = false;
	}
}

/* Do the counts agree with each other, and with the I/O in flight? */
int ssdc_units_check(const struct ssdc_engine *e, struct ssdc_error *finding)
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
	if (total != units->total || channels_total != units->total)
		return ssdc_finding(finding,
				    "units have %u pages in flight, channels %u, the count is %u",
				    total, channels_total, units->total);
	if (busy != units->busy || busy_channels != units->busy_channels)
		return ssdc_finding(finding,
				    "%u units and %u channels are busy, the counts are %u and %u",
				    busy, busy_channels, units->busy, units->busy_channels);
	if (!e->device_inflight && total)
		return ssdc_finding(finding, "units have %u pages in flight, the device has none",
				    total);
	return 0;
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
 * Counts the decision as exact_views or estimated_views.
 *
 * Return: a view that is valid until the next call.
 */
const struct ssdc_view *ssdc_device_view(struct ssdc_engine *e)
{
	ssdc_update_view(e);
	e->stats.views[e->view.source]++;
	return &e->view;
}

/**
 * ssdc_ask_units() - how many commands would accesses to pages queue behind?
 * @tier: the DRAM tier
 * @queries: @sector and @write are set; fills in the answers
 * @nr: number of @queries
 *
 * O(@nr). The device is looked up once for all queries; with dynamic allocation, writes cost
 * O(units) once per call.
 */
void ssdc_ask_units(const struct ssdc_tier *tier, struct ssdc_unit_query *queries,
		    unsigned int nr)
{
	struct ssdc_engine *e = ssdc_tier_engine(tier);

	if (!e->device_ops || !e->device_ops->ask_units(e->device, queries, nr))
		estimate_units(e, queries, nr);
}
EXPORT_SYMBOL_GPL(ssdc_ask_units);

/**
 * ssdc_unit_depth() - how many commands would an access to a page queue behind?
 * @tier: the DRAM tier
 * @sector: first sector of the page
 * @write: the access is a write, otherwise a read
 *
 * Return: commands of the unit that would serve the access: for a read the unit that holds the
 * page, for a write the unit to which it would go.
 */
u32 ssdc_unit_depth(const struct ssdc_tier *tier, u64 sector, bool write)
{
	struct ssdc_unit_query query = { .sector = sector, .write = write };

	ssdc_ask_units(tier, &query, 1);
	return query.depth;
}
EXPORT_SYMBOL_GPL(ssdc_unit_depth);
