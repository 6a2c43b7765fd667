/* SPDX-License-Identifier: GPL-2.0 */
/* view.c: the load of the origin; see also policy-api/view.h. */
#ifndef SSDC_ENGINE_VIEW_H
#define SSDC_ENGINE_VIEW_H

#include "state.h"

void ssdc_update_view(struct ssdc_engine *e);
void ssdc_count_begin(struct ssdc_engine *e, u64 sector, u32 nr_sectors);
void ssdc_count_end(struct ssdc_engine *e, u64 sector, u32 nr_sectors);
int ssdc_units_check(const struct ssdc_engine *e, struct ssdc_error *finding);

/* May the device refuse to answer? */
static inline bool ssdc_needs_estimate(const struct ssdc_engine *e)
{
	return !e->device_ops || !e->device_ops->always;
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

#endif /* SSDC_ENGINE_VIEW_H */
