// SPDX-License-Identifier: GPL-2.0
/*
 * FLUSHes of the origin, and what they make stable.
 *
 * A page is stable once a FLUSH has succeeded that began after the write of the page had ended.
 * One FLUSH is at the origin at a time, so that it is known which of two came first; requests
 * that wait for its end share the next one. A FLUSH that fails may have lost what the origin had
 * cached, and the next one may succeed without a word about that. Therefore, when a FLUSH fails:
 *
 *	- all FLUSH and FUA requests in progress fail, too;
 *	- if it was no FLUSH of the host, the next FLUSH of the host reports the error;
 *	- all cached pages that are not stable become dirty again, and page writes in flight
 *	  are repeated when they end, so that a later FLUSH covers them. No sync pass starts
 *	  before that.
 *
 * Pages that were evicted before cannot be written again, even if they have been read back. That
 * is why the host must learn of the error.
 *
 * The shards of a cache have one origin. So each must know of failed FLUSHes of the others.
 *
 * An entry remembers in 5 bits how many FLUSHes had begun when its page was written. If more
 * FLUSHes than these bits can tell have begun since the last one succeeded, every written page
 * counts as not stable: to write a page again does no harm.
 */
#include <linux/kernel.h>
#include "engine.h"
#include "directory.h"
#include "page.h"
#include "stable.h"
#include "switch.h"
#include "wait.h"

/* Bits of @written of an entry. */
#define WRITTEN		0x40	/* the page was written to the origin, without FUA */
#define AGAIN		0x20	/* its flush in flight must be repeated */
#define NUMBER_MASK	0x1f	/* number of FLUSHes begun by then */

/* A page that becomes dirty again takes as long as so many looks at a page. */
#define REWRITE_WORK	6

/* As long as one takes this many looks at frames that stay as they are. */
#define FRAMES_PER_LOOK 4

/* A write of a page, or of part of it, ended. Without FUA, the origin may have cached the data. */
void ssdc_page_written(struct ssdc_engine *e, const struct ssdc_io *io)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, io->frame);

	if (!io->fua)
		entry->written = WRITTEN | (entry->written & AGAIN) |
			(e->stability.begun & NUMBER_MASK);
	/* A FLUSH that failed in between may have lost them. */
	if (io->flush_failures != e->stability.failures)
		entry->written |= AGAIN;
}

/* The flush of a page ended: repeat it if that is necessary and makes sense. */
bool ssdc_write_again(struct ssdc_engine *e, ssdc_frame_t frame, int error)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	if (likely(!(entry->written & AGAIN)))
		return false;
	entry->written &= ~AGAIN;
	if (error)
		return false;
	ssdc_flush_again(e, frame);
	return true;
}

/*
 * Need @rq, which asks for a FLUSH, wait no more? A FLUSH has succeeded that began after the
 * request had asked, or one has failed since the request began.
 */
bool ssdc_is_flushed(struct ssdc_engine *e, struct ssdc_request *rq)
{
	struct ssdc_stability *s = &e->stability;

	if (!rq->flush_nr)
		rq->flush_nr = s->begun + 1;
	return rq->flush_nr <= s->covered || ssdc_has_failed_flush(e, rq);
}

/* Park @rq until the FLUSH at the origin ends. */
void ssdc_wait_flush(struct ssdc_engine *e, struct ssdc_request *rq)
{
	list_add_tail(&rq->node, &e->stability.waiters);
	ssdc_park(e, rq);
}

/* A FLUSH of the origin begins, for @rq and all that wait for one. */
void ssdc_flush_begins(struct ssdc_engine *e, struct ssdc_request *rq)
{
	rq->covers = e->origin_changes;
	rq->flush_nr = ++e->stability.begun;
	e->stability.active = true;
}

/*
 * The page at the head of the queue may be half flushed, by runs. What has been written of it may
 * be lost, and the end of the next run will not show that.
 */
static void repeat_half_done(struct ssdc_engine *e)
{
	ssdc_frame_t frame = e->flush_queue.head;

	if (frame != SSDC_NO_FRAME && ssdc_entry_at(e, frame)->cursor)
		ssdc_entry_at(e, frame)->written |= AGAIN;
}

/* @reported: the host learns of the error from the request that asked for the FLUSH. */
static void flush_failed(struct ssdc_engine *e, bool reported, int error)
{
	struct ssdc_stability *s = &e->stability;

	if (!e->first_error)
		e->first_error = error;
	s->failures++;
	s->failed = s->begun;
	s->last_error = error;
	if (!reported)
		s->unreported = error;
	if (!s->rewriting)
		s->covered_before = s->covered;
	s->rewriting = true;
	s->cursor = 0;
	repeat_half_done(e);
}

/* The FLUSH of @rq ended. Of those who wait, the first that it does not cover sends the next. */
void ssdc_flush_ended(struct ssdc_engine *e, const struct ssdc_request *rq, int error)
{
	struct ssdc_stability *s = &e->stability;

	s->active = false;
	list_splice_tail_init(&s->waiters, &e->ready);
	e->stats.flush_errors += !!error;
	if (error) {
		flush_failed(e, ssdc_is_host_flush(rq), error);
	} else if (!s->elsewhere) {
		e->origin_flushed = rq->covers;
		s->covered = rq->flush_nr;
	}
	s->elsewhere = false;
}

/**
 * ssdc_flush_failed_elsewhere() - a FLUSH of the origin failed that another shard had asked for
 * @e: engine of the same origin
 * @error: -errno
 * @reported: the FLUSH is the host's, which learns of the error
 *
 * The origin may have lost what this shard had written: its pages become dirty again, and are not
 * evicted before they have been written. Call it before the next FLUSH begins at the origin. A
 * FLUSH that this shard has asked for, and has not got the result of, counts as failed. If it is
 * the same one, tell ssdc_forward_done() of no error, which would count as another failure.
 */
void ssdc_flush_failed_elsewhere(struct ssdc_engine *e, int error, bool reported)
{
	if (e->stability.active)
		e->stability.elsewhere = true;
	else
		e->stability.begun++;
	flush_failed(e, reported, error);
}

/* The error that @rq, for which ssdc_is_flushed(), reports. A host FLUSH reports it only once. */
int ssdc_flush_result(struct ssdc_engine *e, const struct ssdc_request *rq)
{
	struct ssdc_stability *s = &e->stability;
	int error = ssdc_has_failed_flush(e, rq) ? s->last_error : 0;

	if (!ssdc_is_host_flush(rq))
		return error;
	if (!error)
		error = s->unreported;
	s->unreported = 0;
	return error;
}

/* Was the page stable before FLUSHes failed? */
static bool was_stable(const struct ssdc_stability *s, const struct ssdc_entry *entry)
{
	u64 uncovered = s->begun - s->covered_before;

	if (!(entry->written & WRITTEN))
		return true;
	return ((s->begun - entry->written) & NUMBER_MASK) > min_t(u64, uncovered, NUMBER_MASK);
}

/*
 * While pages are being rewritten: clean page that is not stable -> dirty page, the most recent
 * one of its policy. If some sectors are dirty already, all valid ones become so. Returns false if
 * the page is stable.
 */
bool ssdc_rewrite_page(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);
	bool clean = !(entry->flags & SSDC_E_DIRTY);

	if (!e->stability.rewriting || was_stable(&e->stability, entry))
		return false;
	ssdc_set_all_dirty(e, frame);
	/* The next flush writes the whole page. */
	entry->written &= AGAIN;
	/* A flush in flight may have passed sectors that are dirty only now. */
	if (entry->flags & SSDC_E_FLUSH)
		entry->written |= AGAIN;
	if (!clean || !(entry->flags & SSDC_E_POLICY))
		return true;
	ssdc_policy_remove(e, frame);
	ssdc_policy_insert(e, frame, NULL, true);
	return true;
}

/* After a failed FLUSH: the next frames, a bounded amount of work. */
void ssdc_rewrite_step(struct ssdc_engine *e)
{
	struct ssdc_stability *s = &e->stability;
	u32 work = 0, looked = 0;

	for (; s->cursor < e->tier.nr_frames && work + looked / FRAMES_PER_LOOK < e->hold_work;
	     s->cursor++) {
		looked++;
		if (e->entries[s->cursor].flags & (SSDC_E_POLICY | SSDC_E_DIRTY))
			work += ssdc_rewrite_page(e, ssdc_frame(s->cursor)) ? REWRITE_WORK : 0;
	}
	s->rewriting = s->cursor < e->tier.nr_frames;
}

/*
 * Was the page written before a FLUSH that failed, covered by none before that, and not again? Such
 * a page must be dirty. False if more FLUSHes have begun than an entry can tell apart.
 */
bool ssdc_may_be_lost(const struct ssdc_engine *e, const struct ssdc_entry *entry)
{
	const struct ssdc_stability *s = &e->stability;
	u64 nr = s->begun - ((s->begun - entry->written) & NUMBER_MASK);

	if (s->rewriting || !(entry->written & WRITTEN) ||
	    s->begun - s->covered_before > NUMBER_MASK)
		return false;
	return nr >= s->covered_before && nr < s->failed;
}
