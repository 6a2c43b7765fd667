// SPDX-License-Identifier: GPL-2.0
/*
 * The state machine of a host request. ssdc_step() runs it until the driver must act:
 *
 *	read	NEW (-> OBSERVE) -> FETCH -> PAGES -> END
 *	write	NEW (-> OBSERVE) -> PAGES -> END
 *		NEW -> PAGES -> ORIGIN -> END			write through, waiting
 *		NEW -> PAGES -> ORIGIN -> FORWARD -> END	FUA, volatile DRAM
 *	FLUSH	NEW -> SYNC -> FORWARD -> END
 *	discard	NEW -> DISCARD -> FORWARD (-> FORWARD) -> DROP -> RELEASE -> END
 *
 * read.c decides in FETCH and in PAGES of a read, write.c in PAGES of a write and in ORIGIN,
 * discard.c in DISCARD, DROP and RELEASE. In each phase, the request may wait for a page or a frame
 * (wait.c), and then repeats the step.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include "engine.h"
#include "copy.h"
#include "decide.h"
#include "discard.h"
#include "read.h"
#include "stable.h"
#include "sync.h"
#include "view.h"
#include "wait.h"
#include "write.h"

/* A host read or write arrived: notify the plug-ins. */
static void observe(struct ssdc_engine *e, struct ssdc_request *rq)
{
	if (ssdc_replacement_ops(e->replacement)->request)
		ssdc_replacement_ops(e->replacement)->request(e->replacement, &rq->host);
	ssdc_admission_observe(e->admission, &rq->host);
	ssdc_prefetch_observe(e->prefetch, &rq->host);
}

/* Show the next pages of a read or write to plug-ins. Returns whether more are left. */
static bool observe_pages(struct ssdc_engine *e, struct ssdc_request *rq)
{
	const struct ssdc_admission_type *a = ssdc_admission_ops(e->admission);
	const struct ssdc_prefetch_type *p = ssdc_prefetch_ops(e->prefetch);
	u32 left = ssdc_request_visits(&e->tier, &rq->host) - rq->observed;
	u32 nr = min(left, SSDC_OBSERVED_PAGES);

	/* The plug-ins may have changed since the last call. */
	if (!a->observe_pages && !p->observe_pages)
		return false;
	if (a->observe_pages)
		a->observe_pages(e->admission, &rq->host, rq->observed, nr);
	if (p->observe_pages)
		p->observe_pages(e->prefetch, &rq->host, rq->observed, nr, nr == left);
	rq->observed += nr;
	return nr < left;
}

/* FUA on volatile DRAM bypasses admission; so does every write while flushes are failing. */
static enum ssdc_write_mode write_mode(struct ssdc_engine *e, const struct ssdc_request *rq)
{
	if ((rq->host.fua && e->tunables.dram_mode == SSDC_VOLATILE) || e->retry_at_ns)
		return SSDC_WRITE_BACK;
	return ssdc_admit_write(e->admission, &rq->host);
}

static __always_inline void begin_read(struct ssdc_engine *e, struct ssdc_request *rq)
{
	e->stats.read_bytes += rq->host.nr_sectors << SSDC_SECTOR_SHIFT;
	rq->phase = SSDC_RQ_FETCH;
}

static __always_inline void begin_write(struct ssdc_engine *e, struct ssdc_request *rq)
{
	e->stats.write_bytes += rq->host.nr_sectors << SSDC_SECTOR_SHIFT;
	rq->phase = SSDC_RQ_PAGES;
}

/* NEW -> first phase of the operation, if no plug-in observes the request. */
static __always_inline void begin_op(struct ssdc_engine *e, struct ssdc_request *rq)
{
	switch (rq->host.op) {
	case SSDC_READ:
		begin_read(e, rq);
		break;
	case SSDC_WRITE:
		begin_write(e, rq);
		e->stats.fua_writes += rq->host.fua;
		if (rq->host.fua)
			ssdc_note_failures(e, rq);
		rq->mode = write_mode(e, rq);
		break;
	case SSDC_DISCARD:
		rq->reads_before = 0;
		list_add_tail(&rq->range_node, &e->discards);
		rq->phase = SSDC_RQ_DISCARD;
		break;
	case SSDC_FLUSH:
	default:
		ssdc_note_failures(e, rq);
		rq->phase = SSDC_RQ_SYNC;
		break;
	}
}

/* NEW -> OBSERVE or first phase of the operation, for a read or write that plug-ins observe. */
static void begin_watched(struct ssdc_engine *e, struct ssdc_request *rq, bool wanted)
{
	/* If the request is long, observing its pages is enough for one hold of the lock. */
	bool is_long = ssdc_request_visits(&e->tier, &rq->host) > SSDC_OBSERVED_PAGES / 2;

	observe(e, rq);
	ssdc_note_steps(e, rq, wanted);
	rq->observed = 0;
	if (!is_long)
		observe_pages(e, rq);
	begin_op(e, rq);
	if (is_long)
		rq->phase = SSDC_RQ_OBSERVE;
}

/* @rq is the host's, of type @op. */
static __always_inline void count_begin(struct ssdc_engine *e, struct ssdc_request *rq,
					enum ssdc_op op)
{
	rq->host.id = e->next_id++;
	e->stats.requests[op]++;
	e->host_inflight++;
	e->host_reads += op == SSDC_READ;
	e->early_declined = false;
}

static inline void begin(struct ssdc_engine *e, struct ssdc_request *rq, bool wanted)
{
	enum ssdc_op op = rq->host.op;

	if (unlikely(rq->force)) {
		rq->host.id = e->next_id++;
		e->own_inflight++;
		e->early_declined = false;
	} else {
		count_begin(e, rq, op);
	}
	if (e->watched && (op == SSDC_READ || op == SSDC_WRITE))
		begin_watched(e, rq, wanted);
	else
		begin_op(e, rq);
}

static __always_inline void count_end(struct ssdc_engine *e, const struct ssdc_request *rq,
				      enum ssdc_op op, u64 now_ns)
{
	e->host_inflight--;
	e->host_reads -= op == SSDC_READ;
	e->last_host_ns = now_ns;
	e->early_declined = false;
	if (op < e->nr_latencies)
		ssdc_histogram_add(&e->latency[op], now_ns - rq->host.start_ns);
}

/* Count the request, of type @op, as ended. The engine no longer refers to it. */
static __always_inline enum ssdc_action complete(struct ssdc_engine *e, struct ssdc_request *rq,
						 enum ssdc_op op, u64 now_ns)
{
	if (unlikely(rq->grants | rq->debts)) {
		ssdc_return_grants(e, rq);
		ssdc_forgive_debts(e, rq);
	}
	if (unlikely(rq->force)) {
		e->own_inflight--;
		return SSDC_COMPLETE;
	}
	count_end(e, rq, op, now_ns);
	if (unlikely(op == SSDC_DISCARD))
		ssdc_discard_over(e, rq);
	if (unlikely(rq->error))
		e->stats.failed_requests += rq->error != -EAGAIN;
	else if (e->watched && (op == SSDC_READ || op == SSDC_WRITE))
		ssdc_admission_ended(e->admission, &rq->host, now_ns, now_ns - rq->host.start_ns);
	return SSDC_COMPLETE;
}

/* Is any page of the request left to decide about? */
static bool has_decisions(const struct ssdc_request *rq)
{
	if (rq->host.op == SSDC_READ)
		return rq->phase == SSDC_RQ_FETCH && rq->ahead < rq->host.nr_sectors;
	return rq->pos < rq->host.nr_sectors && !rq->error;
}

/*
 * Run one of the policy's steps that come before the next decision of @rq. Returns false if no step
 * is left.
 */
static bool policy_step(struct ssdc_engine *e, struct ssdc_request *rq)
{
	struct ssdc_plugin *plugin = &e->replacement->plugin;

	if (!plugin->wants_step || e->frozen || !has_decisions(rq))
		rq->steps = 0;
	/* Steps that a batch has caused follow when all its victims are accounted for. */
	if (!rq->steps || ssdc_is_evicting(e))
		return false;
	rq->steps--;
	plugin->wants_step = plugin->type->step(plugin);
	e->stats.plugin_steps++;
	return true;
}

/* PAGES: deal with the next page; after the last one, wait for debts and bypassing reads. */
static enum ssdc_action next_page(struct ssdc_engine *e, struct ssdc_request *rq,
				  struct ssdc_segment *seg, unsigned int *left)
{
	if (rq->pos < rq->host.nr_sectors && !rq->error)
		return rq->host.op == SSDC_READ ? ssdc_read_pages(e, rq, seg, left) :
						  ssdc_write_page(e, rq, seg);
	ssdc_return_grants(e, rq);
	if (rq->debts && rq->error)
		ssdc_forgive_debts(e, rq);
	if (rq->subs || rq->debts) {
		e->stats.frame_waits += rq->debts && !rq->subs;
		ssdc_park(e, rq);
		return SSDC_WAIT;
	}
	rq->stable = ssdc_needs_flush(e, rq);
	rq->phase = ssdc_waits_for_origin(rq) ? SSDC_RQ_ORIGIN : SSDC_RQ_END;
	rq->pos = 0;
	rq->ahead = 0;
	return SSDC_AGAIN;
}

/*
 * SYNC: with volatile DRAM, wait for a sync pass. Protected DRAM may keep its dirty pages. But the
 * origin's cache may hold discards, and pages written while DRAM was volatile; the FLUSH is
 * forwarded to make them stable, and after a FLUSH that failed. In three cases, a sync pass goes
 * first even if DRAM is protected: while a page write without FUA is in flight, while the engine
 * looks for pages that must be written again, and if a failure has not been reported.
 */
static enum ssdc_action sync(struct ssdc_engine *e, struct ssdc_request *rq)
{
	if (e->tunables.dram_mode == SSDC_PROTECTED && !rq->force && !e->plain_writes &&
	    !e->stability.rewriting && !e->stability.unreported) {
		rq->phase = e->origin_changes == e->origin_flushed ? SSDC_RQ_END : SSDC_RQ_FORWARD;
		return SSDC_AGAIN;
	}
	ssdc_park(e, rq);
	ssdc_sync_join(e, rq);
	return SSDC_WAIT;
}

static bool is_at_discard(const struct ssdc_request *rq)
{
	return rq->host.op == SSDC_DISCARD && !rq->discarded;
}

static void set_error(struct ssdc_request *rq, int error)
{
	if (!rq->error)
		rq->error = error;
}

/* FORWARD -> the next phase: the FLUSH that @rq asked for has ended. */
static void flushed(struct ssdc_engine *e, struct ssdc_request *rq)
{
	int error = ssdc_flush_result(e, rq);

	rq->phase = SSDC_RQ_END;
	if (rq->host.op == SSDC_DISCARD)
		ssdc_discard_flushed(rq, error);
	set_error(rq, error);
}

/*
 * Forward a discard, or a FLUSH unless that of another request covers it. FUA, the driver's own
 * FLUSH, and the FLUSH that follows a discard have no bio to forward: the driver sends an empty
 * FLUSH.
 */
static enum ssdc_action forward(struct ssdc_engine *e, struct ssdc_request *rq)
{
	if (is_at_discard(rq)) {
		e->device_inflight++;
		return SSDC_FORWARD;
	}
	if (ssdc_is_flushed(e, rq)) {
		flushed(e, rq);
		return SSDC_AGAIN;
	}
	if (e->stability.active) {
		ssdc_wait_flush(e, rq);
		return SSDC_WAIT;
	}
	ssdc_flush_begins(e, rq);
	e->device_inflight++;
	return ssdc_is_host_flush(rq) ? SSDC_FORWARD : SSDC_FLUSH_ORIGIN;
}

/* The work of a page of a write, in looks at a page. The page may evict others. */
static unsigned int write_work(const struct ssdc_engine *e)
{
	const struct ssdc_replacement_type *ops = ssdc_replacement_ops(e->replacement);

	return ops->long_victims ? e->hold_work : 8 + ssdc_hit_work(e);
}

/*
 * With instant copies, a copy has ended. Does the step go on in this call? *@left: the work that
 * the call may still do. The work of copies of whole pages to readers has been subtracted already.
 * At most one more copy of a read comes before the request waits or ends.
 */
static bool goes_on(const struct ssdc_engine *e, const struct ssdc_request *rq, unsigned int *left)
{
	if (rq->host.op == SSDC_WRITE)
		*left -= min(*left, write_work(e));
	return *left;
}

/* Run the state machine of a request from its present phase on: see ssdc_step(). */
static noinline enum ssdc_action run(struct ssdc_engine *e, struct ssdc_request *rq, u64 now_ns,
				     struct ssdc_segment *seg)
{
	unsigned int left = e->hold_work;
	enum ssdc_action action;
	enum ssdc_phase phase;
	bool wanted;

	wanted = e->replacement->plugin.wants_step;
	if (rq->phase == SSDC_RQ_NEW)
		begin(e, rq, wanted);
	for (;;) {
		phase = rq->phase;
		switch (phase) {
		case SSDC_RQ_OBSERVE:
			if (!observe_pages(e, rq))
				rq->phase = rq->host.op == SSDC_READ ? SSDC_RQ_FETCH :
								       SSDC_RQ_PAGES;
			return SSDC_MORE;
		case SSDC_RQ_FETCH:
			if (rq->error) {
				rq->phase = SSDC_RQ_END;
				continue;
			}
			if (unlikely(rq->steps) && !rq->fill_then && policy_step(e, rq))
				return SSDC_YIELD;
			action = ssdc_fetch(e, rq, wanted, seg);
			break;
		case SSDC_RQ_PAGES:
			if (unlikely(rq->steps) && policy_step(e, rq))
				return SSDC_YIELD;
			action = next_page(e, rq, seg, &left);
			ssdc_note_steps(e, rq, wanted);
			break;
		case SSDC_RQ_ORIGIN:
			action = ssdc_write_to_origin(e, rq);
			break;
		case SSDC_RQ_SYNC:
			action = sync(e, rq);
			break;
		case SSDC_RQ_DISCARD:
		case SSDC_RQ_DROP:
		case SSDC_RQ_RELEASE:
			action = ssdc_discard_step(e, rq);
			if (action == SSDC_AGAIN)
				return action;
			break;
		case SSDC_RQ_FORWARD:
			action = forward(e, rq);
			break;
		case SSDC_RQ_END:
		default:
			if (ssdc_is_exposed(e, rq)) {
				ssdc_origin_again(rq);
				continue;
			}
			return complete(e, rq, rq->host.op, now_ns);
		}
		if (unlikely(e->instant_copies) && action == SSDC_COPY &&
		    rq->pinned == SSDC_NO_FRAME) {
			if (!goes_on(e, rq, &left))
				return SSDC_MORE;
			wanted = e->replacement->plugin.wants_step;
			continue;
		}
		/* A request that is still in the same phase is long: the driver drops the lock. */
		if (action != SSDC_AGAIN || rq->phase == phase)
			return action;
	}
}

/* A copy of @rq ended: see ssdc_step(). */
static noinline enum ssdc_action copied(struct ssdc_engine *e, struct ssdc_request *rq, u64 now_ns,
					struct ssdc_segment *seg)
{
	ssdc_copied(e, rq);
	/* Fast paths: most requests end here, and reads of several pages copy their next page. */
	if (rq->pos == rq->host.nr_sectors && !rq->subs && !rq->host.fua &&
	    rq->mode != SSDC_WRITE_SYNC && !rq->debts)
		return complete(e, rq, rq->host.op, now_ns);
	if (rq->host.op == SSDC_READ && !rq->error && !rq->steps && ssdc_copy_next(e, rq, seg))
		return SSDC_COPY;
	return run(e, rq, now_ns, seg);
}

/*
 * Fast paths of requests within one page that no plug-in observes (@quick): hits, and reads that
 * bypass DRAM. They decide as run() and copied() do, which handle all other requests. The calls of
 * those two are jumps: the fast paths need so few registers that none has to be saved.
 */

static __always_inline bool is_in_one_page(const struct ssdc_engine *e,
					   const struct ssdc_request *rq)
{
	u64 from = rq->host.sector & (e->tier.page_sectors - 1);

	return from + rq->host.nr_sectors <= e->tier.page_sectors;
}

/* The page of @rq, all of whose sectors are in it. */
static __always_inline struct ssdc_piece only_piece(const struct ssdc_engine *e,
						    const struct ssdc_request *rq)
{
	return (struct ssdc_piece){
		.page = ssdc_page_of(e, rq->host.sector),
		.from = rq->host.sector & (e->tier.page_sectors - 1),
		.nr = rq->host.nr_sectors,
	};
}

/* FETCH: the page is cached. */
static noinline enum ssdc_action read_cached(struct ssdc_engine *e, struct ssdc_request *rq,
					     u64 now_ns, struct ssdc_segment *seg,
					     ssdc_frame_t frame)
{
	struct ssdc_piece piece = only_piece(e, rq);

	if (!ssdc_can_copy_all(e, frame, piece))
		return run(e, rq, now_ns, seg);
	rq->phase = SSDC_RQ_PAGES;
	rq->ahead = piece.nr;
	ssdc_use_page(e, frame, &rq->host, true);
	return ssdc_pin(e, rq, SSDC_READ, frame, piece.from, piece.nr, seg);
}

static __always_inline enum ssdc_action first_read(struct ssdc_engine *e, struct ssdc_request *rq,
						   u64 now_ns, struct ssdc_segment *seg)
{
	ssdc_page_t page = ssdc_page_of(e, rq->host.sector);
	ssdc_frame_t frame;

	count_begin(e, rq, SSDC_READ);
	begin_read(e, rq);
	if (!is_in_one_page(e, rq))
		return run(e, rq, now_ns, seg);
	frame = ssdc_lookup(e, page);
	if (frame != SSDC_NO_FRAME)
		return read_cached(e, rq, now_ns, seg, frame);
	if (ssdc_admits_reads(e->admission))
		return run(e, rq, now_ns, seg);
	rq->phase = SSDC_RQ_PAGES;
	e->stats.read_pages++;
	rq->lone = true;
	return ssdc_bypass_page(e, rq, page);
}

/* NEW: the page is cached. */
static noinline enum ssdc_action write_cached(struct ssdc_engine *e, struct ssdc_request *rq,
					      u64 now_ns, struct ssdc_segment *seg,
					      ssdc_frame_t frame)
{
	struct ssdc_piece piece = only_piece(e, rq);

	if (!ssdc_can_write(e, frame, piece) || ssdc_entry_at(e, frame)->prefetched)
		return run(e, rq, now_ns, seg);
	count_begin(e, rq, SSDC_WRITE);
	begin_write(e, rq);
	ssdc_note_write_hit(e, rq, frame, piece);
	return ssdc_pin(e, rq, SSDC_WRITE, frame, piece.from, piece.nr, seg);
}

static __always_inline enum ssdc_action first_write(struct ssdc_engine *e, struct ssdc_request *rq,
						    u64 now_ns, struct ssdc_segment *seg)
{
	ssdc_frame_t frame;

	if (!is_in_one_page(e, rq) || rq->host.fua || e->retry_at_ns ||
	    ssdc_admission_ops(e->admission)->admit_write || !list_empty(&e->discards))
		return run(e, rq, now_ns, seg);
	frame = ssdc_lookup(e, ssdc_page_of(e, rq->host.sector));
	if (frame == SSDC_NO_FRAME)
		return run(e, rq, now_ns, seg);
	return write_cached(e, rq, now_ns, seg, frame);
}

/* The copy of a hit ended. */
static __always_inline enum ssdc_action hit_copied(struct ssdc_engine *e, struct ssdc_request *rq,
						   u64 now_ns, struct ssdc_segment *seg)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, rq->pinned);

	if (e->watched || rq->copy_sectors != rq->host.nr_sectors || !ssdc_ends_quietly(entry) ||
	    (rq->subs | rq->debts | rq->grants) || rq->error || rq->completes)
		return copied(e, rq, now_ns, seg);
	if (rq->host.op == SSDC_READ) {
		if (rq->overtaken || rq->overwrites != *ssdc_overwrites(e, rq->pinned))
			return copied(e, rq, now_ns, seg);
		entry->pins--;
		count_end(e, rq, SSDC_READ, now_ns);
	} else {
		if (e->mask_bytes > 2 || rq->host.fua || rq->mode == SSDC_WRITE_SYNC)
			return copied(e, rq, now_ns, seg);
		ssdc_mask_set_short(ssdc_valid_mask(e, rq->pinned),
				    rq->host.sector & (e->tier.page_sectors - 1),
				    rq->copy_sectors);
		entry->pins--;
		entry->writers--;
		count_end(e, rq, SSDC_WRITE, now_ns);
	}
	return SSDC_COMPLETE;
}

/**
 * ssdc_set_instant_copies() - say whether copies take time
 * @e: engine without requests
 * @instant: the driver has no data to copy, so a copy ends as it begins. Then ssdc_step() returns
 *	SSDC_COPY only for copies whose end makes a difference to a page
 *
 * Initially, copies take time. Decisions and statistics are the same in either case.
 */
void ssdc_set_instant_copies(struct ssdc_engine *e, bool instant)
{
	e->instant_copies = instant;
	ssdc_renew_quick(e);
}

/**
 * ssdc_step() - advance a request until the driver must act
 * @e: engine
 * @rq: a new request; one whose SSDC_COPY is done, whose SSDC_READ_ORIGIN was started or that
 *	returned SSDC_AGAIN, SSDC_MORE or SSDC_YIELD; or one from ssdc_next_ready()
 * @now_ns: current time
 * @seg: result: the part to copy or read, for SSDC_COPY and SSDC_READ_ORIGIN
 *
 * Return: what the driver must do; see enum ssdc_action. An error of the request is in
 * @rq->error at SSDC_COMPLETE.
 */
enum ssdc_action ssdc_step(struct ssdc_engine *e, struct ssdc_request *rq, u64 now_ns,
			   struct ssdc_segment *seg)
{
	if (rq->pinned != SSDC_NO_FRAME)
		return hit_copied(e, rq, now_ns, seg);
	if (rq->phase == SSDC_RQ_NEW && e->quick) {
		if (rq->host.op == SSDC_READ)
			return first_read(e, rq, now_ns, seg);
		if (rq->host.op == SSDC_WRITE)
			return first_write(e, rq, now_ns, seg);
	}
	return run(e, rq, now_ns, seg);
}

static inline void note_read_end(struct ssdc_engine *e, struct ssdc_request *rq, int error)
{
	e->device_inflight--;
	e->early_declined = false;
	if (likely(!error))
		return;
	/*
	 * -EAGAIN is no error of the origin: the read would have had to wait, or was read-ahead.
	 */
	e->stats.read_errors += error != -EAGAIN;
	if (!rq->error)
		rq->error = error;
}

/* The last read of @rq at the origin ended. The request ends, too, if it waits for nothing else. */
static __always_inline enum ssdc_action last_read_ended(struct ssdc_engine *e,
							struct ssdc_request *rq, u64 now_ns)
{
	if (unlikely(!rq->parked || !list_empty(&rq->node)))
		return SSDC_WAIT;
	if (unlikely(rq->debts) && !rq->error) {
		e->stats.frame_waits++;
		return SSDC_WAIT;
	}
	ssdc_unpark(e, rq);
	return complete(e, rq, SSDC_READ, now_ns);
}

/**
 * ssdc_sub_done() - a read of SSDC_READ_ORIGIN ended
 * @e: engine
 * @rq: its request
 * @seg: the part that was read, as returned by ssdc_step()
 * @error: 0 or -errno; fails the request
 * @now_ns: current time
 *
 * The last read of a request that waits for nothing else ends the request: no ssdc_step() follows.
 *
 * Return: SSDC_COMPLETE: complete the request with rq->error; the engine no longer refers to it.
 * SSDC_WAIT: do nothing; after the driver drops the lock, another thread may complete and free @rq.
 */
enum ssdc_action ssdc_sub_done(struct ssdc_engine *e, struct ssdc_request *rq,
			       const struct ssdc_segment *seg, int error, u64 now_ns)
{
	note_read_end(e, rq, error);
	ssdc_units_end(e, rq->host.sector + seg->rq_sector, seg->nr_sectors);
	if (--rq->subs)
		return SSDC_WAIT;
	ssdc_last_read_ends(e, rq);
	return last_read_ended(e, rq, now_ns);
}

static noinline enum ssdc_action bypass_done(struct ssdc_engine *e, struct ssdc_request *rq,
					     int error, u64 now_ns)
{
	note_read_end(e, rq, error);
	if (rq->unit != SSDC_MANY_UNITS)
		ssdc_unit_ends(&e->units, rq->unit);
	else
		ssdc_units_end(e, rq->host.sector, rq->host.nr_sectors);
	rq->subs = 0;
	ssdc_last_read_ends(e, rq);
	return last_read_ended(e, rq, now_ns);
}

/**
 * ssdc_bypass_done() - the read of SSDC_BYPASS ended
 * @e: engine
 * @rq: its request
 * @error: 0 or -errno; fails the request
 * @now_ns: current time
 *
 * Context: the lock. O(pages of @rq). An interrupt handler may call this function: no policy
 * decides, and the only function of a plug-in that is called is ended() of the admission scheme.
 * Return: as ssdc_sub_done(). SSDC_WAIT is rare: it means that victims of the request have yet to
 * leave.
 */
enum ssdc_action ssdc_bypass_done(struct ssdc_engine *e, struct ssdc_request *rq, int error,
				  u64 now_ns)
{
	if (unlikely(!rq->lone || error || e->watched || rq->unit == SSDC_MANY_UNITS))
		return bypass_done(e, rq, error, now_ns);
	e->device_inflight--;
	ssdc_unit_ends(&e->units, rq->unit);
	/* The node is not used again: no need to poison it. */
	__hlist_del(&rq->read_node);
	e->waiting_requests--;
	count_end(e, rq, SSDC_READ, now_ns);
	return SSDC_COMPLETE;
}

/**
 * ssdc_forward_done() - the I/O of SSDC_FORWARD or SSDC_FLUSH_ORIGIN ended
 * @e: engine
 * @rq: its request; ssdc_next_ready() returns it next
 * @error: 0 or -errno; fails the request
 */
void ssdc_forward_done(struct ssdc_engine *e, struct ssdc_request *rq, int error)
{
	e->device_inflight--;
	if (is_at_discard(rq)) {
		e->origin_changes++;
		if (e->tunables.dram_mode == SSDC_VOLATILE)
			e->origin_written = e->origin_changes;
		ssdc_note_failures(e, rq);
		ssdc_discard_forwarded(e, rq, error);
		set_error(rq, error);
	} else {
		ssdc_flush_ended(e, rq, error);
		flushed(e, rq);
	}
	ssdc_make_ready(e, rq);
}
