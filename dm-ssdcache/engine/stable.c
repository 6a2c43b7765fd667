// SPDX-License-Identifier: GPL-2.0
/*
 * FLUSHes of the origin, and what they make stable.
 *
 * A page is stable once a FLUSH has succeeded that began after the write of the page had ended. A
 * FLUSH that fails may have lost what the origin had cached, and the next one may succeed without
 * a word about that. Therefore, when a FLUSH fails:
 *
 *	- all FLUSH and FUA requests in progress fail, too;
 *	- if it was no FLUSH of the host, the next FLUSH of the host reports the error;
 *	- all cached pages that are not stable become dirty again, so that they are written again
 *	  before a later FLUSH succeeds. No sync pass starts before that.
 *
 * Pages that were evicted in between cannot be written again. That is why the host must learn
 * of the error.
 *
 * An entry remembers in 7 bits how many FLUSHes had begun when its page was written; bit 7 is set
 * if the page was written at all. If more FLUSHes than these bits can tell have begun since the last
 * one succeeded, every written page counts as not stable: to write a page again does no harm.
 */
#include <linux/kernel.h>
#include "directory.h"
#include "page.h"
#include "stable.h"
#include "switch.h"

#define WRITTEN		0x80
#define NUMBER_MASK	0x7f

/* Frames examined per step, which runs under the lock. */
#define STEP_FRAMES	1024

/* A write of the page, or of part of it, ended; the origin may have cached the data. */
void ssdc_page_written(struct ssdc_engine *e, ssdc_frame_t frame)
{
	ssdc_entry_at(e, frame)->written = WRITTEN | (e->stability.begun & NUMBER_MASK);
}

/* A FLUSH of the origin begins, for @rq. */
void ssdc_flush_begins(struct ssdc_engine *e, struct ssdc_request *rq)
{
	rq->covers = e->origin_changes;
	rq->flush_nr = ++e->stability.begun;
}

static void flush_failed(struct ssdc_engine *e, const struct ssdc_request *rq, int error)
{
	struct ssdc_stability *s = &e->stability;

	e->stats.flush_errors++;
	if (!e->first_error)
		e->first_error = error;
	s->failures++;
	s->last_error = error;
	if (!ssdc_is_host_flush(rq))
		s->unreported = error;
	s->rewriting = true;
	s->cursor = 0;
}

/* The FLUSH of @rq ended. Returns the error that @rq reports. */
int ssdc_flush_ended(struct ssdc_engine *e, const struct ssdc_request *rq, int error)
{
	struct ssdc_stability *s = &e->stability;

	if (error) {
		flush_failed(e, rq, error);
	} else if (rq->flush_failures != s->failures) {
		error = s->last_error;
	} else {
		e->origin_flushed = max(e->origin_flushed, rq->covers);
		s->covered = max(s->covered, rq->flush_nr);
	}
	if (!ssdc_is_host_flush(rq))
		return error;
	if (!error)
		error = s->unreported;
	s->unreported = 0;
	return error;
}

static bool is_stable(const struct ssdc_stability *s, const struct ssdc_entry *entry)
{
	u64 uncovered = s->begun - s->covered;

	if (!(entry->written & WRITTEN))
		return true;
	return ((s->begun - entry->written) & NUMBER_MASK) > min_t(u64, uncovered, NUMBER_MASK);
}

/* Clean page that is not stable -> dirty page, the most recent one of its policy. */
static void rewrite(struct ssdc_engine *e, ssdc_frame_t frame)
{
	const struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	if (!(entry->flags & SSDC_E_POLICY) || (entry->flags & SSDC_E_DIRTY) ||
	    is_stable(&e->stability, entry))
		return;
	ssdc_policy_remove(e, frame);
	ssdc_set_all_dirty(e, frame);
	ssdc_policy_insert(e, frame, NULL, true);
}

/* After a failed FLUSH: a bounded number of frames. */
void ssdc_rewrite_step(struct ssdc_engine *e)
{
	struct ssdc_stability *s = &e->stability;
	u32 end = min_t(u64, e->tier.nr_frames, (u64)s->cursor + STEP_FRAMES);

	for (; s->cursor < end; s->cursor++)
		rewrite(e, ssdc_frame(s->cursor));
	s->rewriting = s->cursor < e->tier.nr_frames;
}
