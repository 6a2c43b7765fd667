/* SPDX-License-Identifier: GPL-2.0 */
/* twin.c: writes to pages whose flush is in flight. */
#ifndef SSDC_TWIN_H
#define SSDC_TWIN_H

#include "page.h"

void ssdc_twin_begin(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_copy_rest(struct ssdc_engine *e, struct ssdc_request *rq, ssdc_frame_t frame,
		    struct ssdc_segment *seg);
void ssdc_page_completed(struct ssdc_engine *e, struct ssdc_request *rq, ssdc_frame_t frame,
			 u32 from);
bool ssdc_twin_written(struct ssdc_engine *e, ssdc_frame_t frame, bool lost, int error);
void ssdc_twin_end(struct ssdc_engine *e, ssdc_frame_t frame, bool again, int error);

/* Are older data of the page in flight, from its twin? */
static inline bool ssdc_has_twin(const struct ssdc_engine *e, ssdc_frame_t frame)
{
	return ssdc_entry_at(e, frame)->cursor == SSDC_HAS_TWIN;
}

/* The twin of a page that has one. */
static inline ssdc_frame_t ssdc_twin_of(const struct ssdc_engine *e, ssdc_frame_t frame)
{
	return ssdc_entry_at(e, frame)->queue_next;
}

/*
 * May a write to a page whose flush is in flight go on? It may if the whole page is in flight as
 * one I/O that is no retry, nothing else uses the page, no request waits for it, and a frame is
 * free.
 */
static inline bool ssdc_can_have_twin(const struct ssdc_engine *e, ssdc_frame_t frame)
{
	const struct ssdc_entry *entry = ssdc_entry_at(e, frame);
	const u16 flags = SSDC_E_FLUSH | SSDC_E_FILL | SSDC_E_VICTIM | SSDC_E_WANT_FLUSH |
			  SSDC_E_WAITED | SSDC_E_FAILED | SSDC_E_RUNS;

	return (entry->flags & flags) == SSDC_E_FLUSH && entry->cursor == SSDC_ALL_ISSUED &&
		!entry->pins && e->nr_free > e->granted;
}

#endif /* SSDC_TWIN_H */
