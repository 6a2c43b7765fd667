/* SPDX-License-Identifier: GPL-2.0 */
/* prefetch.c: the partition of prefetched pages. */
#ifndef SSDC_ENGINE_PREFETCH_H
#define SSDC_ENGINE_PREFETCH_H

#include "state.h"

/* Most prefetches in flight: few, because a host read that arrives queues behind them. */
#define SSDC_PREFETCH_INFLIGHT 8

void ssdc_prefetch_start(struct ssdc_engine *e, ssdc_frame_t frame, ssdc_page_t page);
void ssdc_prefetch_arrived(struct ssdc_engine *e, ssdc_frame_t frame, int error);
void ssdc_prefetch_hit(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_prefetch_leave(struct ssdc_engine *e, ssdc_frame_t frame, bool written);
bool ssdc_prefetch_evict_excess(struct ssdc_engine *e);
ssdc_frame_t ssdc_prefetch_replace(struct ssdc_engine *e);
int ssdc_prefetch_check(const struct ssdc_engine *e, struct ssdc_error *finding);

/* Does the partition exceed its share? */
static inline bool ssdc_prefetch_has_excess(const struct ssdc_engine *e)
{
	return e->prefetched.count > e->prefetch->pages_max;
}

#endif /* SSDC_ENGINE_PREFETCH_H */
