/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_FUTURE_H
#define SSDC_SIM_FUTURE_H

#include "sector-map.h"
#include "trace.h"

#define SIM_NEVER_USED U32_MAX

/**
 * struct sim_future - when each page is used, known from reading the workload ahead
 * @now: number of the current record
 * @discard_sectors: discards are narrowed to multiples of it
 * @bytes: memory used
 * @places: page -> its place in @pages, from 1
 * @pages: state of each page
 * @nr_pages: how many
 * @events: numbers of the records that use a page, or discard all of it (SIM_DISCARDED),
 *	in order, page by page
 */
struct sim_future {
	u32 now;
	u32 discard_sectors;
	u64 bytes;

	struct sector_map places;
	struct sim_page_future *pages;
	size_t nr_pages;
	u32 *events;
};

void sim_future_create(struct sim_future *future, const struct sim_workload *workload,
		       unsigned int page_shift, bool reads, u32 discard_sectors);
u32 sim_future_next(struct sim_future *future, u64 page);
u64 sim_future_bound(struct sim_future *future, const struct sim_workload *workload, unsigned int page_shift,
		     u32 frames);
bool *sim_future_mark(struct sim_future *future, u64 page);
void sim_future_free(struct sim_future *future);

#endif /* SSDC_SIM_FUTURE_H */
