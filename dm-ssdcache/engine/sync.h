/* SPDX-License-Identifier: GPL-2.0 */
/* sync.c: sync passes over the dirty pages. */
#ifndef SSDC_SYNC_H
#define SSDC_SYNC_H

#include "state.h"

void ssdc_sync_join(struct ssdc_engine *e, struct ssdc_request *rq);
u64 ssdc_sync_step(struct ssdc_engine *e, u64 now_ns);

/* May the sync pass queue more pages? */
static inline bool ssdc_pass_has_room(const struct ssdc_engine *e)
{
	bool awaited = !list_empty(&e->pass.requests) || !list_empty(&e->sync_waiters);

	return e->pass.pending < (awaited ? e->pass_limits.awaited : e->pass_limits.unawaited);
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
