/* SPDX-License-Identifier: GPL-2.0 */
/* sync.c: sync passes over the dirty pages. */
#ifndef SSDC_SYNC_H
#define SSDC_SYNC_H

#include "state.h"

void ssdc_sync_join(struct ssdc_engine *e, struct ssdc_request *rq);
u64 ssdc_sync_step(struct ssdc_engine *e, u64 now_ns);

/*
 * May the sync pass queue more pages? If no FLUSH waits for it, the pass should not be in the way
 * of requests. If one does, the pass may have as much I/O in flight as all others have, so that it
 * gets its share of a busy device.
 */
static inline bool ssdc_pass_has_room(const struct ssdc_engine *e)
{
	u32 pending = e->pass.pending, others;

	if (list_empty(&e->pass.requests) && list_empty(&e->sync_waiters))
		return pending < e->pass_limits.unawaited;
	others = e->device_inflight - min(e->device_inflight, pending);
	return pending < max(e->pass.width, min(others, e->pass_limits.most));
}

/* Has ssdc_sync_step() something to do now? */
static inline bool ssdc_sync_wants_step(const struct ssdc_engine *e)
{
	if (e->stability.rewriting)
		return true;
	if (e->pass.active)
		return e->pass.scanned ? !e->pass.pending : ssdc_pass_has_room(e);
	return !list_empty(&e->sync_waiters);
}

/* Has ssdc_sync_step() nothing to do, now or at a later time? */
static inline bool ssdc_sync_rests(const struct ssdc_engine *e)
{
	return !e->pass.active && list_empty(&e->sync_waiters) && !e->periodic_at_ns &&
		!e->retry_at_ns && !e->stability.rewriting;
}

#endif /* SSDC_SYNC_H */
