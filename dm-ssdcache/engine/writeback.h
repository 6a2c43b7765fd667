/* SPDX-License-Identifier: GPL-2.0 */
/* writeback.c: queued I/O and early flush. */
#ifndef SSDC_WRITEBACK_H
#define SSDC_WRITEBACK_H

#include "state.h"

u64 ssdc_early(struct ssdc_engine *e, u64 now_ns);

/*
 * May the policy flush early, now or when the device becomes idle? Not while flushes fail, or
 * while it has not been notified of all clean pages. Only an eager policy may while the host is
 * busy.
 */
static inline bool ssdc_early_wanted(const struct ssdc_engine *e)
{
	const struct ssdc_replacement *r = e->replacement;

	return e->tier.dirty_pages - e->flushing_pages > r->early_above &&
		(r->eager || (!e->host_inflight && !e->early_inflight)) && !e->early_declined &&
		!e->retry_at_ns && !e->frozen && !e->pass.unnotified &&
		ssdc_replacement_ops(r)->early;
}

/*
 * The same, and the driver does not have a timer for it yet. If more requests come, the host has to
 * be idle later than that, and the timer is set again when it fires; an eager policy does not wait.
 */
static inline bool ssdc_early_due(const struct ssdc_engine *e)
{
	return ssdc_early_wanted(e) && (!e->early_timed || e->replacement->eager);
}

#endif /* SSDC_WRITEBACK_H */
