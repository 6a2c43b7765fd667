// SPDX-License-Identifier: GPL-2.0
/*
 * Host bios, from their arrival to their end: this file asks the engine, and carries out the
 * answers that need no record for I/O. io.c carries out the others.
 */
#include <linux/blkdev.h>

#include "../common/origin.h"
#include "cache.h"
#include "holds.h"
#include "latency.h"
#include "trace.h"

static noinline void part_ended(struct dmsc_bio *part, u64 now_ns)
{
	if (part->rq.host.op == SSDC_DISCARD)
		dmsc_discard_part_ended(part, now_ns);
	else
		dmsc_flush_part_ended(part);
}

/* Inline: most requests end here. */
static __always_inline void end_request(struct dmsc_shard *s, struct dmsc_bio *b, u64 now_ns)
{
	struct bio *bio;

	trace_ssdcache_complete(s->cache, &b->rq, now_ns);
	if (b->flush) {
		part_ended(b, now_ns);
		return;
	}
	dmsc_latency_add(s, b->rq.host.op, now_ns - b->rq.host.start_ns);
	bio = b->bio;
	/* The engine decides: another FLUSH may have covered one whose own bio has failed. */
	bio->bi_status = b->rq.error ? errno_to_blk_status(b->rq.error) : BLK_STS_OK;
	if (unlikely(b->rq.host.op == SSDC_FLUSH))
		dmsc_host_flush_ends(b);
	else
		bio_endio(bio);
}

/**
 * dmsc_end_request() - complete the bio of a request, or the part of a flush or discard
 * @s: shard
 * @b: its record; the engine holds no reference to the request any more
 * @now_ns: current time
 *
 * Context: any task, without the lock.
 */
void dmsc_end_request(struct dmsc_shard *s, struct dmsc_bio *b, u64 now_ns)
{
	end_request(s, b, now_ns);
}

/* The origin is done with a remapped bio: give the bio back to device-mapper. */
static void give_back(struct bio *bio, const struct dmsc_bio *b)
{
	bio->bi_end_io = b->end_io;
	bio->bi_private = b->private;
}

/**
 * dmsc_forward_ended() - the origin completed a forwarded FLUSH or discard: tell the worker
 * @b: its record, or that of a part
 *
 * Context: any, including interrupts.
 */
void dmsc_forward_ended(struct dmsc_bio *b)
{
	struct dmsc_shard *s = b->shard;

	/*
	 * The worker may complete the bio before queue_work() runs here. The RCU section
	 * keeps dmsc_workers_suspend() from returning, and @s from being freed, until then.
	 */
	rcu_read_lock();
	llist_add(&b->done, &s->done_bios);
	queue_work(s->wq, &s->work);
	rcu_read_unlock();
}

/* Device-mapper's own end_io runs later, when the engine completes the request. */
static void forward_ended(struct bio *bio)
{
	struct dmsc_bio *b = bio->bi_private;

	give_back(bio, b);
	if (b->discard)
		dmsc_discard_forwarded(b->discard);
	else
		dmsc_forward_ended(b);
}

/* Tell a choice how long the read took. */
static noinline void measure_read(struct dmsc_cache *c, const struct dmsc_bio *b, int error,
				  u64 now_ns)
{
	if (dmsc_auto_measures(c, b->rq.host.nr_sectors) && !error)
		dmsc_auto_take_time(c, false, now_ns - b->rq.host.start_ns);
}

/*
 * The error of a read, for the engine. Read-ahead that fails is no error, like a read that would
 * have had to wait: dm-mirror and RAID 5 refuse read-ahead that would wait, with EIO. Whoever needs
 * the data reads again, and that read counts.
 */
static int error_of_read(const struct bio *bio)
{
	if (likely(!bio->bi_status))
		return 0;
	return bio->bi_opf & REQ_RAHEAD ? -EAGAIN : blk_status_to_errno(bio->bi_status);
}

/*
 * The origin completed a read that bypasses DRAM as a whole. Most such requests end here. The
 * others wait for the flushes of their victims, and are ended by the worker.
 *
 * Context: any, including interrupts.
 */
static void read_ended(struct bio *bio)
{
	struct dmsc_bio *b = bio->bi_private;
	struct dmsc_shard *s = b->shard;
	int error = error_of_read(bio);
	u64 now_ns = ktime_get_ns();
	enum ssdc_action action;
	struct ssdc_engine *e;
	unsigned long flags;

	give_back(bio, b);
	spin_lock_irqsave(&s->lock, flags);
	dmsc_hold_begins(s);
	e = s->engine;
	action = ssdc_bypass_done(e, &b->rq, error, now_ns);
	/*
	 * Kick the worker under the lock: if the worker ends the request, @s may be freed once the
	 * lock is released.
	 */
	if (ssdc_bypass_has_work(e, &b->rq))
		dmsc_worker_kick(s);
	if (unlikely(dmsc_auto_chooses(s->cache)))
		measure_read(s->cache, b, error, now_ns);
	dmsc_hold_ends(s, SSDC_HELD_BY_READ_ENDED);
	spin_unlock_irqrestore(&s->lock, flags);
	if (action != SSDC_COMPLETE)
		return;
	dmsc_latency_add(s, SSDC_READ, now_ns - b->rq.host.start_ns);
	trace_ssdcache_complete(s->cache, &b->rq, now_ns);
	/*
	 * bio_endio() has done its part before it called this function. The status is the origin's.
	 */
	b->end_io(bio);
}

/* Send the whole bio to the origin; @end_io gets it back. */
static inline enum dmsc_outcome remap(struct dmsc_shard *s, struct dmsc_bio *b,
				      bio_end_io_t *end_io)
{
	struct bio *bio = b->bio;

	b->end_io = bio->bi_end_io;
	b->private = bio->bi_private;
	bio->bi_end_io = end_io;
	b->shard = s;
	bio->bi_private = b;
	/* The target begins at sector 0: see open_origin(). */
	bio_set_dev(bio, dmsc_origin(s->cache));
	return DMSC_REMAPPED;
}

static enum dmsc_outcome defer(struct dmsc_bio *b, enum dmsc_needs needs)
{
	b->needs = needs;
	return DMSC_DEFERRED;
}

/*
 * Would anything else wait while the shard's worker copies? @work: other requests are ready, or I/O
 * is to be started. With only one CPU, another worker would merely copy later.
 */
static bool copy_holds_up(const struct dmsc_shard *s, bool work)
{
	return (work || s->more_ended || dmsc_something_ended(s) || dmsc_has_staged(s) ||
		!list_empty(&s->yielded)) && num_online_cpus() > 1;
}

/* The holder of the lock during a step of the request. */
static inline enum ssdc_holder held_by(const struct dmsc_bio *b)
{
	return (enum ssdc_holder)b->rq.host.op;
}

/*
 * Carry a request as far as possible. A hit takes the lock twice: to find and pin the page, and
 * after the copy. Inline, as a call costs 1 % of a read that bypasses DRAM. Without @measured, no
 * time is spent on the question whether holds are to be measured.
 */
static __always_inline enum dmsc_outcome run(struct dmsc_shard *s, struct dmsc_bio *b, u64 now_ns,
					     bool in_worker, bool measured)
{
	enum ssdc_action action;
	struct ssdc_engine *e;
	bool work;

	for (;;) {
		spin_lock_irq(&s->lock);
		if (measured)
			dmsc_hold_begins(s);
		e = s->engine;
		action = ssdc_step(e, &b->rq, now_ns, &b->seg);
		work = ssdc_step_has_work(e, &b->rq, action);
		if (measured)
			dmsc_hold_ends(s, held_by(b));
		spin_unlock_irq(&s->lock);
		/* In the worker, a copy is followed by a look at all work. */
		if (work && !(in_worker && action == SSDC_COPY))
			dmsc_worker_kick(s);

		switch (action) {
		case SSDC_COPY:
			if (in_worker && copy_holds_up(s, work))
				return DMSC_COPYING;
			dmsc_dram_copy(s, b->bio, &b->seg);
			now_ns = ktime_get_ns();
			break;
		case SSDC_YIELD:
			if (in_worker)
				return DMSC_YIELDED;
			fallthrough;
		case SSDC_AGAIN:
			cond_resched();
			break;
		case SSDC_MORE:
			break;
		case SSDC_READ_ORIGIN:
			return defer(b, DMSC_NEEDS_SEGMENT);
		case SSDC_BYPASS:
			return remap(s, b, read_ended);
		case SSDC_FORWARD:
			/* The shards share FLUSHes of the origin. */
			if (b->rq.host.op == SSDC_FLUSH && s->cache->nr_shards > 1)
				return defer(b, DMSC_NEEDS_FLUSH);
			b->needs = DMSC_NEEDS_FORWARD;
			/* Other parts may go on from now on: @b may have been freed. */
			if (b->discard && !dmsc_discard_goes_ahead(b))
				return DMSC_OVER;
			return remap(s, b, forward_ended);
		case SSDC_FLUSH_ORIGIN:
			return defer(b, DMSC_NEEDS_FLUSH);
		case SSDC_WAIT:
			/* The lock was dropped: @b may have been freed since. */
			return DMSC_OVER;
		case SSDC_COMPLETE:
			end_request(s, b, now_ns);
			return DMSC_OVER;
		}
	}
}

static noinline enum dmsc_outcome run_measured(struct dmsc_shard *s, struct dmsc_bio *b, u64 now_ns)
{
	return run(s, b, now_ns, false, true);
}

/* Carry a request as far as possible in the submitter's context. */
static __always_inline enum dmsc_outcome run_here(struct dmsc_shard *s, struct dmsc_bio *b,
						  u64 now_ns)
{
	if (static_branch_unlikely(&dmsc_measures_holds))
		return run_measured(s, b, now_ns);
	return run(s, b, now_ns, false, false);
}

/* Have the shard's worker continue a request that needs an I/O record. */
static void hand_over(struct dmsc_shard *s, struct dmsc_bio *b)
{
	llist_add(&b->done, &s->done_bios);
	queue_work(s->wq, &s->work);
}

/* Begin all parts of a discard. Only the last one that begins can send the bio to the origin. */
static noinline int map_discard(struct dmsc_cache *c, struct dmsc_discard *d, u64 now_ns)
{
	enum dmsc_outcome outcome = DMSC_OVER;
	unsigned int nr, i;
	struct dmsc_bio *parts = dmsc_discard_parts(d, &nr);

	dmsc_auto_feed(c, parts->shard, &parts->rq.host);
	for (i = 0; i < nr; i++) {
		trace_ssdcache_request(c, &parts[i].rq);
		outcome = run_measured(parts[i].shard, &parts[i], now_ns);
	}
	return outcome == DMSC_REMAPPED ? DM_MAPIO_REMAPPED : DM_MAPIO_SUBMITTED;
}

/**
 * dmsc_map_bio() - process a host bio
 * @c: cache
 * @bio: device-mapper's clone of the bio
 *
 * Context: the submitter's. Does not wait for I/O.
 * Return: DM_MAPIO_SUBMITTED or DM_MAPIO_REMAPPED; DM_MAPIO_KILL if data are lost.
 */
int dmsc_map_bio(struct dmsc_cache *c, struct bio *bio)
{
	struct dmsc_bio *b = dm_per_bio_data(bio, sizeof(*b));
	struct dmsc_shard *s = c->shards;
	u64 now_ns = ktime_get_ns();
	struct dmsc_discard *d;
	enum ssdc_op op;

	if (unlikely(!c->direct)) {
		if (c->refuses_io)
			return DM_MAPIO_KILL;
		d = dmsc_discard_create(c, bio, now_ns);
		if (d)
			return map_discard(c, d, now_ns);
		s = dmsc_route(c, bio);
	}
	op = dms_bio_op(bio);
	if (op == SSDC_DISCARD && bio_op(bio) == REQ_OP_DISCARD && !dmsc_narrow_discard(c, bio)) {
		bio_endio(bio);
		return DM_MAPIO_SUBMITTED;
	}
	if (op == SSDC_WRITE && (bio->bi_opf & REQ_FUA) && dms_preflush_fails(c->ti, bio)) {
		bio_endio(bio);
		return DM_MAPIO_SUBMITTED;
	}
	/* The target begins at sector 0: see open_origin(). */
	ssdc_request_init(&b->rq, op, bio->bi_iter.bi_sector, bio_sectors(bio), now_ns);
	if (op == SSDC_WRITE && (bio->bi_opf & REQ_FUA))
		b->rq.host.fua = true;
	b->bio = bio;
	if (unlikely(op == SSDC_FLUSH))
		dmsc_host_flush_begins(c, b);
	b->needs = DMSC_NEEDS_NOTHING;
	b->flush = NULL;
	trace_ssdcache_request(c, &b->rq);
	dmsc_auto_feed(c, s, &b->rq.host);

	switch (run_here(s, b, now_ns)) {
	case DMSC_REMAPPED:
		return DM_MAPIO_REMAPPED;
	case DMSC_DEFERRED:
		hand_over(s, b);
		break;
	case DMSC_YIELDED:
	case DMSC_COPYING:
	case DMSC_OVER:
		break;
	}
	return DM_MAPIO_SUBMITTED;
}

/**
 * dmsc_submit_remapped() - submit a remapped host bio after its submitter has returned
 * @bio: host bio
 *
 * If the submitter must not wait, the origin could refuse the bio with EAGAIN. That is of use only
 * while the submitter is there to try again: io_uring would report the late error to its user.
 *
 * Context: may sleep.
 */
void dmsc_submit_remapped(struct bio *bio)
{
	bio->bi_opf &= ~REQ_NOWAIT;
	submit_bio_noacct(bio);
}

/*
 * Copy for a request that had to wait, and carry it on as its submitter would. @b may be freed with
 * the request's end; dmsc_workers_suspend() waits for this function.
 */
static void copy_and_go_on(struct work_struct *work)
{
	struct dmsc_bio *b = container_of(work, struct dmsc_bio, copy);
	struct dmsc_shard *s = b->shard;

	dmsc_dram_copy(s, b->bio, &b->seg);
	switch (run_measured(s, b, ktime_get_ns())) {
	case DMSC_REMAPPED:
		dmsc_submit_remapped(b->bio);
		break;
	case DMSC_DEFERRED:
		hand_over(s, b);
		break;
	case DMSC_YIELDED:
	case DMSC_COPYING:
	case DMSC_OVER:
		break;
	}
}

/**
 * dmsc_run_in_worker() - carry a request as far as possible, in the shard's worker
 * @s: shard
 * @b: its record
 *
 * Context: worker.
 * Return: the outcome for the request.
 */
enum dmsc_outcome dmsc_run_in_worker(struct dmsc_shard *s, struct dmsc_bio *b)
{
	enum dmsc_outcome outcome = run(s, b, ktime_get_ns(), true, true);

	if (outcome == DMSC_COPYING) {
		b->shard = s;
		INIT_WORK(&b->copy, copy_and_go_on);
		queue_work(s->cache->copiers, &b->copy);
	}
	return outcome;
}
