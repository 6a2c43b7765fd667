/* SPDX-License-Identifier: GPL-2.0 */
/* evict.c: eviction, and frames for requests. */
#ifndef SSDC_EVICT_H
#define SSDC_EVICT_H

#include "state.h"

void ssdc_evict(struct ssdc_engine *e);
bool ssdc_evict_batch(struct ssdc_engine *e);
bool ssdc_evict_surplus(struct ssdc_engine *e, struct ssdc_request *rq);
ssdc_frame_t ssdc_evicted_frame(const struct ssdc_engine *e, struct ssdc_request *rq);
ssdc_frame_t ssdc_frame_take(struct ssdc_engine *e, struct ssdc_request *rq);
ssdc_frame_t ssdc_frame_wait(struct ssdc_engine *e, struct ssdc_request *rq, u32 need);
void ssdc_drop(struct ssdc_engine *e, ssdc_frame_t frame);

#endif /* SSDC_EVICT_H */
