/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_SERIES_H
#define SSDC_SIM_SERIES_H

#include "sim.h"

struct rows;
struct sim_series;

struct sim_series *sim_series_create(struct ssdc_engine *e, const char *name, u64 interval_ns, u64 least_ns);
void sim_series_destroy(struct sim_series *series, u64 now_ns);

struct sim_series {
	struct ssdc_engine *engine;
	struct rows *file;
	FILE *out;
	u64 interval_ns;
	u64 next_ns;
	u64 rows;
	struct ssdc_core_stats before;
};

void sim_series_catch_up(struct sim_series *series, u64 now_ns);

/* Advance to @now_ns: write the rows due before. */
static inline void sim_series_until(struct sim_series *series, u64 now_ns)
{
	if (series->next_ns < now_ns)
		sim_series_catch_up(series, now_ns);
}

#endif /* SSDC_SIM_SERIES_H */
