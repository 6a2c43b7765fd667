/* SPDX-License-Identifier: GPL-2.0 */
/* write.c: the decisions of writes. */
#ifndef SSDC_WRITE_H
#define SSDC_WRITE_H

#include "copy.h"
#include "decide.h"

enum ssdc_action ssdc_write_page(struct ssdc_engine *e, struct ssdc_request *rq,
				 struct ssdc_segment *seg);
enum ssdc_action ssdc_write_to_origin(struct ssdc_engine *e, struct ssdc_request *rq);
bool ssdc_needs_flush(const struct ssdc_engine *e, const struct ssdc_request *rq);
bool ssdc_waits_for_origin(const struct ssdc_request *rq);
bool ssdc_is_exposed(const struct ssdc_engine *e, const struct ssdc_request *rq);
void ssdc_origin_again(struct ssdc_request *rq);
bool ssdc_is_being_written(const struct ssdc_engine *e, ssdc_frame_t frame,
			   struct ssdc_piece piece);

/*
 * May a write of the piece begin? It may not while the page is a victim, while the page's fill or
 * flush is decided or in flight, while a request waits for the page (overlapping writes could
 * starve that request), while a read holds up writes, while another request writes the same
 * sectors, or while there are as many copies as the entry can count.
 */
static inline bool ssdc_can_write(const struct ssdc_engine *e, ssdc_frame_t frame,
				  struct ssdc_piece piece)
{
	const struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	if (entry->flags & (SSDC_E_FLUSH | SSDC_E_FILL | SSDC_E_VICTIM | SSDC_E_WANT_FLUSH |
			    SSDC_E_WAITED))
		return false;
	return !entry->pins ||
		(entry->writers < SSDC_MAX_WRITERS && entry->pins < SSDC_MAX_PINS &&
		 !entry->read_held &&
		 !(entry->writers && ssdc_is_being_written(e, frame, piece)));
}

/* A page of the policy is about to be written again. */
static inline void ssdc_note_write_hit(struct ssdc_engine *e, const struct ssdc_request *rq,
				       ssdc_frame_t frame, struct ssdc_piece piece)
{
	e->stats.write_hits++;
	e->stats.write_absorbed++;
	e->stats.write_pages++;
	ssdc_set_dirty(e, frame, piece.from, piece.nr);
	ssdc_policy_hit(e, frame, &rq->host, true);
}

#endif /* SSDC_WRITE_H */
