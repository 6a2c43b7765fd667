/* SPDX-License-Identifier: GPL-2.0 */
/* evict.c: eviction, and frames for requests. */
#ifndef SSDC_EVICT_H
#define SSDC_EVICT_H

#include "state.h"

void ssdc_evict(struct ssdc_engine *e);
bool ssdc_evict_batch(struct ssdc_engine *e);
bool ssdc_evict_surplus(struct ssdc_engine *e, struct ssdc_request *rq);
void ssdc_note_steps(const struct ssdc_engine *e, struct ssdc_request *rq, bool wanted_step);
void ssdc_make_room(struct ssdc_engine *e, struct ssdc_request *rq,
		    const struct ssdc_host_request *host, u32 nr);
bool ssdc_enter(struct ssdc_engine *e, struct ssdc_request *rq, u32 nr);
bool ssdc_get_frame(struct ssdc_engine *e, struct ssdc_request *rq);
ssdc_frame_t ssdc_take_frame(struct ssdc_engine *e, struct ssdc_request *rq);
void ssdc_drop(struct ssdc_engine *e, ssdc_frame_t frame);

#endif /* SSDC_EVICT_H */
