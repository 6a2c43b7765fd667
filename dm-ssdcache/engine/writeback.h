/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queued I/O and early flush (writeback.c).
 */
#ifndef SSDC_WRITEBACK_H
#define SSDC_WRITEBACK_H

#include "state.h"

u64 ssdc_early(struct ssdc_engine *e, u64 now_ns);

/* Would the policy flush early if the device were idle? Not while flushes fail. */
static inline bool ssdc_early_wanted(const struct ssdc_engine *e)
{
	const struct ssdc_replacement *r = e->replacement;

	return e->tier.dirty_pages - e->flushing_pages > r->early_above &&
		(r->eager || (!e->host_inflight && !e->early_inflight)) && !e->early_declined &&
		!e->retry_at_ns && !e->frozen && !e->pass.unnotified &&
		ssdc_replacement_type(r)->early;
}

/* Is there something that the driver is to go on with, or to start? */
static inline bool ssdc_has_queued(const struct ssdc_engine *e)
{
	return !list_empty(&e->ready) || e->fill_queue.head != SSDC_NO_FRAME ||
		e->flush_queue.head != SSDC_NO_FRAME;
}

#endif /* SSDC_WRITEBACK_H */
