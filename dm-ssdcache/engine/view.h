/* SPDX-License-Identifier: GPL-2.0 */
/* view.c: the load of the origin; see also policy-api/view.h. */
#ifndef SSDC_ENGINE_VIEW_H
#define SSDC_ENGINE_VIEW_H

#include <linux/kernel.h>

#include "state.h"

void ssdc_update_view(struct ssdc_engine *e);
const struct ssdc_view *ssdc_device_view(struct ssdc_engine *e);
void ssdc_count_begin(struct ssdc_engine *e, u64 sector, u32 nr_sectors);
void ssdc_count_end(struct ssdc_engine *e, u64 sector, u32 nr_sectors);
int ssdc_units_check(const struct ssdc_engine *e, struct ssdc_error *finding);

/* A new geometry takes effect when nothing is in flight, as counts depend on the geometry. */
static inline void ssdc_units_renew(struct ssdc_engine *e)
{
	if (e->units.total)
		return;
	e->units.channels = e->tunables.channels;
	e->units.nr = min(e->tunables.channels * e->tunables.dies, SSDC_MAX_UNITS);
}

/* Add a page to the depth of a unit and of its channel. */
static inline void ssdc_unit_begins(struct ssdc_units *units, u32 unit)
{
	units->busy += !units->depth[unit]++;
	units->busy_channels += !units->channel_depth[unit % units->channels]++;
	units->total++;
}

static inline void ssdc_unit_ends(struct ssdc_units *units, u32 unit)
{
	units->busy -= !--units->depth[unit];
	units->busy_channels -= !--units->channel_depth[unit % units->channels];
	units->total--;
}

/* May the device refuse to answer? */
static inline bool ssdc_needs_estimate(const struct ssdc_engine *e)
{
	return !e->always_answers;
}

/* A read or write of these sectors is handed to the driver. O(pages). */
static inline void ssdc_units_begin(struct ssdc_engine *e, u64 sector, u32 nr_sectors)
{
	if (ssdc_needs_estimate(e))
		ssdc_count_begin(e, sector, nr_sectors);
}

/* That read or write ended. */
static inline void ssdc_units_end(struct ssdc_engine *e, u64 sector, u32 nr_sectors)
{
	if (ssdc_needs_estimate(e))
		ssdc_count_end(e, sector, nr_sectors);
}

/*
 * The load of the origin, for a policy that chooses victims. If the policy does not use the view,
 * the decision is only counted, and the result is NULL. For the count, a device that always answers
 * is not asked, as the source of its view never changes.
 */
static inline const struct ssdc_view *ssdc_victims_view(struct ssdc_engine *e, bool used)
{
	if (used)
		return ssdc_device_view(e);
	if (e->always_answers || !e->device_ops)
		e->stats.views[e->device_ops ? e->view.source : SSDC_VIEW_ESTIMATED]++;
	else
		ssdc_device_view(e);
	return NULL;
}

#endif /* SSDC_ENGINE_VIEW_H */
