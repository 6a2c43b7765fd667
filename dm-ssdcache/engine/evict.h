/* SPDX-License-Identifier: GPL-2.0 */
/* evict.c: eviction, and frames for requests. */
#ifndef SSDC_EVICT_H
#define SSDC_EVICT_H

#include "state.h"

void ssdc_evict_rest(struct ssdc_engine *e);
void ssdc_evict(struct ssdc_engine *e, struct ssdc_request *rq);
bool ssdc_evict_batch(struct ssdc_engine *e, struct ssdc_request *rq);
void ssdc_evict_excess(struct ssdc_engine *e);
bool ssdc_evict_surplus(struct ssdc_engine *e, struct ssdc_request *rq);
enum ssdc_action ssdc_make_room(struct ssdc_engine *e, struct ssdc_request *rq,
				const struct ssdc_host_request *host, u32 nr);
bool ssdc_enter(struct ssdc_engine *e, struct ssdc_request *rq, u32 nr);
bool ssdc_has_frame(struct ssdc_engine *e, struct ssdc_request *rq);
enum ssdc_action ssdc_wait_frame(struct ssdc_engine *e, struct ssdc_request *rq);
ssdc_frame_t ssdc_take_frame(struct ssdc_engine *e, struct ssdc_request *rq);
void ssdc_drop(struct ssdc_engine *e, ssdc_frame_t frame);

/* Has the victim made room for a page of @rq? */
static inline bool ssdc_has_evicted(const struct ssdc_request *rq, const struct ssdc_entry *entry)
{
	return entry->stamp == (u32)rq->host.id;
}

/* Pages that need room: all but victims. */
static inline u32 ssdc_residents(const struct ssdc_engine *e)
{
	return e->tier.used_pages - e->nr_victims;
}

#endif /* SSDC_EVICT_H */
