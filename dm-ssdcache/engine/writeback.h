/* SPDX-License-Identifier: GPL-2.0 */
/* writeback.c: queued I/O and early flush. */
#ifndef SSDC_WRITEBACK_H
#define SSDC_WRITEBACK_H

#include "state.h"

u64 ssdc_early(struct ssdc_engine *e, u64 now_ns);

/*
 * May the policy flush early, now or when the device becomes idle? Not while flushes fail, and not
 * before the policy has been notified of all clean pages. While the host is busy, only an eager
 * policy may.
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
 * May the policy flush early, and has the driver no timer for that yet? If more requests come
 * before the timer fires, the host becomes idle later, and the timer is set again when it fires. An
 * eager policy does not wait for a timer.
 */
static inline bool ssdc_early_due(const struct ssdc_engine *e)
{
	return ssdc_early_wanted(e) && (!e->early_timed || e->replacement->eager);
}

#endif /* SSDC_WRITEBACK_H */
