/* SPDX-License-Identifier: GPL-2.0 */
/* stable.c: FLUSHes of the origin, and the pages that they make stable. */
#ifndef SSDC_STABLE_H
#define SSDC_STABLE_H

#include "state.h"

void ssdc_page_written(struct ssdc_engine *e, const struct ssdc_io *io);
bool ssdc_must_repeat(struct ssdc_engine *e, ssdc_frame_t frame);
bool ssdc_write_again(struct ssdc_engine *e, ssdc_frame_t frame, int error);
bool ssdc_is_flushed(struct ssdc_engine *e, struct ssdc_request *rq);
void ssdc_wait_flush(struct ssdc_engine *e, struct ssdc_request *rq);
void ssdc_flush_begins(struct ssdc_engine *e, struct ssdc_request *rq);
void ssdc_flush_ended(struct ssdc_engine *e, const struct ssdc_request *rq, int error);
int ssdc_flush_result(struct ssdc_engine *e, const struct ssdc_request *rq);
bool ssdc_rewrite_page(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_rewrite_step(struct ssdc_engine *e);
bool ssdc_may_be_lost(const struct ssdc_engine *e, const struct ssdc_entry *entry);

/*
 * Do the data in DRAM, and the data flushed from it, survive a power failure? Pages written and
 * discards made while DRAM was volatile may be only in the origin's cache.
 */
static inline bool ssdc_dram_is_stable(const struct ssdc_engine *e)
{
	return e->tunables.dram_mode == SSDC_PROTECTED && !e->plain_writes &&
		e->origin_written <= e->origin_flushed;
}

/* A FLUSH, or a write with FUA, begins: it fails if any FLUSH fails before it ends. */
static inline void ssdc_note_failures(const struct ssdc_engine *e, struct ssdc_request *rq)
{
	rq->flush_failures = e->stability.failures;
	rq->flush_nr = 0;
}

/* Has a FLUSH failed since ssdc_note_failures()? */
static inline bool ssdc_has_failed_flush(const struct ssdc_engine *e,
					 const struct ssdc_request *rq)
{
	return rq->flush_failures != e->stability.failures;
}

#endif /* SSDC_STABLE_H */
