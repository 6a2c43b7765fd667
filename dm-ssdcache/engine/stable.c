// SPDX-License-Identifier: GPL-2.0
/*
 * FLUSHes of the origin, and the pages that they make stable.
 *
 * A page is stable once a FLUSH has succeeded that began after the write of the page had ended.
 * Only one FLUSH is at the origin at a time, so that the order of FLUSHes is known; requests that
 * wait for its end share the next FLUSH. When a FLUSH fails, the origin may have lost the data in
 * its cache, and the next FLUSH may succeed all the same. Therefore, when a FLUSH fails:
 *
 *	- all FLUSH and FUA requests in progress fail, too;
 *	- if the host did not send that FLUSH, the next FLUSH of the host reports the error;
 *	- all cached pages that are not stable become dirty again, and page writes in flight are
 *	  repeated when they end, so that a later FLUSH covers them. No sync pass starts before all
 *	  such pages have been found.
 *
 * Pages that have been evicted since they were written cannot be written again, even if they have
 * been read back. This is why the host must learn of the error.
 *
 * The shards of a cache have the same origin. So each shard must know of failed FLUSHes of the
 * others.
 *
 * An entry remembers in 5 bits how many FLUSHes had begun when its page was written. If more
 * FLUSHes have begun since the last success than 5 bits can tell apart, every written page counts
 * as not stable: writing a page again does no harm.
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
#define NUMBER_MASK	0x1f	/* FLUSHes that had begun when the page was written */

/* The work of making a page dirty again, in looks at a page. */
#define REWRITE_WORK	6

/* Looks at frames that stay as they are, per unit of work. */
#define FRAMES_PER_LOOK 4

/* A write of a page, or of part of it, ended. Without FUA, the origin may have cached the data. */
void ssdc_page_written(struct ssdc_engine *e, const struct ssdc_io *io)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, io->frame);

	if (!io->fua)
		entry->written = WRITTEN | (entry->written & AGAIN) |
			(e->stability.begun & NUMBER_MASK);
	/* If a FLUSH failed in between, the origin may have lost these data. */
	if (io->flush_failures != e->stability.failures)
		entry->written |= AGAIN;
}

/* The flush of a page ended: must it be repeated? If so, the caller repeats it. */
bool ssdc_must_repeat(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	if (likely(!(entry->written & AGAIN)))
		return false;
	entry->written &= ~AGAIN;
	return true;
}

/* The flush of a page ended: repeat the flush if it is necessary and has not failed. */
bool ssdc_write_again(struct ssdc_engine *e, ssdc_frame_t frame, int error)
{
	if (likely(!ssdc_must_repeat(e, frame)) || error)
		return false;
	ssdc_flush_again(e, frame);
	return true;
}

/*
 * May @rq, which asks for a FLUSH, stop waiting? It may if a FLUSH that began after the request had
 * asked has succeeded, or if any FLUSH has failed since the request began.
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

/* A FLUSH of the origin begins, for @rq and all requests that wait for a FLUSH. */
void ssdc_flush_begins(struct ssdc_engine *e, struct ssdc_request *rq)
{
	rq->covers = e->origin_changes;
	rq->flush_nr = ++e->stability.begun;
	e->stability.active = true;
}

/*
 * If the page at the head of the queue is flushed by runs, some of its runs may have been written
 * already. The origin may have lost these runs, and the end of the next run will not show that.
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
	s->doubted = e->origin_changes;
	s->last_error = error;
	if (!reported)
		s->unreported = error;
	if (!s->rewriting)
		s->covered_before = s->covered;
	s->rewriting = true;
	s->cursor = 0;
	repeat_half_done(e);
}

/* The FLUSH of @rq ended. The first waiting request that it does not cover sends the next FLUSH. */
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
 * The origin may have lost data that this shard had written: the pages become dirty again, and are
 * not evicted before they have been written. Call this function before the next FLUSH begins at the
 * origin. If this shard has a FLUSH in progress, that FLUSH counts as failed. If it is the same
 * FLUSH of the origin, pass no error to ssdc_forward_done(): the error would count as another
 * failure.
 */
void ssdc_flush_failed_elsewhere(struct ssdc_engine *e, int error, bool reported)
{
	if (e->stability.active)
		e->stability.elsewhere = true;
	else
		e->stability.begun++;
	flush_failed(e, reported, error);
}

/**
 * ssdc_origin_replaced() - another device takes the place of the origin
 * @e: engine without requests and I/O, to which no other engine's FLUSH belongs
 * @error: -errno
 * @failed: page writes to the old device have failed
 *
 * The new device may lack what the old one had in its cache: a drive that was unplugged returns
 * as another device. No FLUSH has failed on that account. So the cached pages that no FLUSH
 * has covered become dirty again. Pages may also have left DRAM since; if the old device has
 * @failed, the next FLUSH of the host reports the error. If not, somebody has moved the data of a
 * device that works, and has read what was in its cache.
 *
 * Context: the engine's lock.
 */
void ssdc_origin_replaced(struct ssdc_engine *e, int error, bool failed)
{
	const struct ssdc_stability *s = &e->stability;

	if (e->origin_changes > max(e->origin_flushed, s->doubted))
		ssdc_flush_failed_elsewhere(e, error, !failed);
}

/*
 * The error that @rq reports, once ssdc_is_flushed(). A host FLUSH also reports a failure that no
 * request has reported; such a failure is reported only once.
 */
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
 * page of its policy. If the page is dirty already, all its valid sectors become dirty. Returns
 * false if the page is stable.
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

/* After a failed FLUSH: make unstable pages in the next frames dirty, a bounded amount of work. */
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
 * Was the page written before a FLUSH that failed, not covered by an earlier FLUSH, and not written
 * again since? Such a page must be dirty. Returns false if more FLUSHes have begun than an entry
 * can tell apart.
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
