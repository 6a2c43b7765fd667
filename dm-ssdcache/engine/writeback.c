// SPDX-License-Identifier: GPL-2.0
/*
 * Page I/O: hand queued fills and flushes to the driver, and change the state of the page when
 * its I/O ends. Also early flush.
 *
 * The I/O of a page may be split into runs of sectors: a fill reads the sectors that are not
 * valid; a flush writes the whole page or, with SSDC_E_RUNS, its dirty sectors only. The state
 * changes when the last run ends.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include "engine.h"
#include "directory.h"
#include "evict.h"
#include "page.h"
#include "pass.h"
#include "prefetch.h"
#include "stable.h"
#include "switch.h"
#include "thrash.h"
#include "twin.h"
#include "view.h"
#include "wait.h"
#include "writeback.h"

/* After this many failed flushes of victims in a row, fail writes that wait for frames. */
#define MAX_EVICT_FAILURES 16

/* Runs handed out per turn of fills or flushes, when both are queued. */
#define TURN 32

/*
 * A victim may have returned to the policy: then requests that wait for frames need another victim.
 */
static void evict_more(struct ssdc_engine *e)
{
	if (!list_empty(&e->frame_waiters))
		ssdc_evict(e, NULL);
}

/* Hand out the sectors [from, end) of the page at the head of @queue. */
static __always_inline void begin_io(struct ssdc_engine *e, const struct ssdc_queue *queue,
				     u32 from, u32 end, bool write, struct ssdc_io *io)
{
	ssdc_frame_t frame = queue->head;
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	io->frame = frame;
	io->buffer = e->buffers[ssdc_frame_nr(frame)];
	io->sector = ssdc_page_sector(e, entry->page) + from;
	io->frame_sector = from;
	io->nr_sectors = end - from;
	io->write = write;
	/* Protected DRAM must write to stable media, because the host need not send a FLUSH. */
	io->fua = write && e->tunables.dram_mode == SSDC_PROTECTED;
	io->reason = entry->reason;
	io->flush_failures = e->stability.failures;
	e->plain_writes += io->write && !io->fua;
	entry->ios++;
	e->device_inflight++;
	ssdc_units_begin(e, io->sector, io->nr_sectors);
}

/*
 * Hand out the next run of the page at the head of @queue; with its last run the page leaves the
 * queue. A run of a flush has set bits in @mask (dirty); a run of a fill has clear bits (not
 * valid).
 */
static noinline void next_run(struct ssdc_engine *e, struct ssdc_queue *queue, const u8 *mask,
			      bool write, struct ssdc_io *io)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, queue->head);
	u32 length = ssdc_page_length(e, entry->page);
	u32 from = entry->cursor, end;

	if (ssdc_mask_bit(mask, from) != write)
		from += ssdc_mask_run(mask, from, length);
	end = from + ssdc_mask_run(mask, from, length);
	begin_io(e, queue, from, end, write, io);
	if (end < length)
		end += ssdc_mask_run(mask, end, length);
	entry->cursor = end;
	if (end >= length) {
		ssdc_queue_pop(e, queue);
		entry->cursor = SSDC_ALL_ISSUED;
	}
}

/*
 * Hand out the page at the head of @queue as a single run, which is nearly always possible. No run
 * of the page has been handed out.
 */
static __always_inline void whole_page(struct ssdc_engine *e, struct ssdc_queue *queue, bool write,
				       struct ssdc_io *io)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, queue->head);

	begin_io(e, queue, 0, ssdc_page_length(e, entry->page), write, io);
	ssdc_queue_pop(e, queue);
	entry->cursor = SSDC_ALL_ISSUED;
}

static noinline void next_fill(struct ssdc_engine *e, struct ssdc_io *io)
{
	const u8 *valid = ssdc_valid_mask(e, e->fill_queue.head);

	if (likely(ssdc_mask_all_empty(valid, e->mask_bytes)))
		whole_page(e, &e->fill_queue, false, io);
	else
		next_run(e, &e->fill_queue, valid, false, io);
}

/*
 * Hand out the next flush. Sectors that a failed FLUSH may have lost are clean, so a flush by runs
 * would leave them out: while pages are being rewritten, all valid sectors become dirty first.
 */
static noinline void next_flush(struct ssdc_engine *e, struct ssdc_io *io)
{
	ssdc_frame_t frame = e->flush_queue.head;
	const struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	if (likely(!(entry->flags & SSDC_E_RUNS))) {
		whole_page(e, &e->flush_queue, true, io);
		return;
	}
	if (unlikely(e->stability.rewriting) && !entry->cursor)
		ssdc_set_all_dirty(e, frame);
	next_run(e, &e->flush_queue, ssdc_dirty_mask(e, frame), true, io);
}

/* With pages in both queues, fills go first, but neither queue starves the other. */
static bool is_flush_turn(struct ssdc_engine *e)
{
	if (++e->turn_pages >= TURN) {
		e->turn_pages = 0;
		e->flush_turn = !e->flush_turn;
	}
	return e->flush_turn;
}

/**
 * ssdc_next_io() - fetch a queued page read or write
 * @e: engine
 * @io: result: the I/O to start; pass it to ssdc_io_done() when it ends
 *
 * Until ssdc_io_done(), the engine keeps the data of a write unchanged, and does not use the
 * sectors that a read fetches.
 *
 * Return: false if nothing is queued.
 */
bool ssdc_next_io(struct ssdc_engine *e, struct ssdc_io *io)
{
	bool fills = e->fill_queue.head != SSDC_NO_FRAME;
	bool flushes = e->flush_queue.head != SSDC_NO_FRAME;

	if (fills && flushes) {
		flushes = is_flush_turn(e);
	} else {
		/*
		 * The turns begin anew. So the order depends only on the pages queued now, and is
		 * the same in the kernel and in the simulator.
		 */
		e->turn_pages = 0;
		e->flush_turn = false;
		if (!fills && !flushes)
			return false;
	}
	if (flushes)
		next_flush(e, io);
	else
		next_fill(e, io);
	return true;
}

/**
 * ssdc_io_joins() - whether a page read or write continues another as one I/O of the origin
 * @e: engine
 * @last: the last page of that I/O
 * @nr_pages: number of its pages
 * @io: the I/O that ssdc_next_io() filled in next
 *
 * Kernel and simulator merge by the same rule, so that the origin sees the same I/O.
 *
 * Context: needs no lock: reads only fields that never change.
 * Return: true if the page can be added to the I/O.
 */
bool ssdc_io_joins(const struct ssdc_engine *e, const struct ssdc_io *last, unsigned int nr_pages,
		   const struct ssdc_io *io)
{
	u32 nr_sectors = (nr_pages + 1) << e->tier.page_shift;

	return nr_pages < SSDC_IO_PAGES && nr_sectors <= SSDC_IO_BYTES >> SSDC_SECTOR_SHIFT &&
		last->write == io->write && last->fua == io->fua &&
		last->sector + last->nr_sectors == io->sector;
}

/* Page being read for a request -> page at rest or, after an error, free frame. */
static void read_finished(struct ssdc_engine *e, ssdc_frame_t frame, int error)
{
	/* After an error, the waiting requests bypass DRAM, as their sectors may be readable. */
	ssdc_wake_page(e, frame, SSDC_FILLED, 0);
	if (!error)
		return;
	ssdc_policy_remove(e, frame);
	ssdc_unmap(e, frame);
	ssdc_frame_push(e, frame);
	ssdc_grant_frames(e);
}

/* The fill of a page ended. After an error, only the dirty sectors of a dirty page are flushed. */
static void fill_finished(struct ssdc_engine *e, ssdc_frame_t frame, int error)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	entry->flags &= ~SSDC_E_FILL;
	e->stats.read_errors += !!error;
	if (!(entry->flags & SSDC_E_DIRTY)) {
		if (entry->flags & SSDC_E_VICTIM)
			ssdc_victim_read(e, frame, error);
		else if (entry->prefetched)
			ssdc_prefetch_arrived(e, frame, error);
		else
			read_finished(e, frame, error);
		return;
	}
	if (error)
		entry->flags |= SSDC_E_RUNS;
	ssdc_wake_page(e, frame, SSDC_FILLED, 0);
	ssdc_settle(e, frame);
}

/* A flush failed, and a timer starts the retry. */
static void count_failure(struct ssdc_engine *e, int error, u64 now_ns)
{
	e->stats.write_errors++;
	if (!e->first_error)
		e->first_error = error;
	ssdc_retry_later(e, now_ns);
}

/* A flush has succeeded. */
static void count_success(struct ssdc_engine *e, enum ssdc_flush_reason reason)
{
	e->stats.flushed_pages[reason]++;
	e->evict_failures = 0;
	e->retry_pause_ms = 0;
}

/* Dirty page -> dirty page whose last flush failed. */
static void set_failed(struct ssdc_engine *e, struct ssdc_entry *entry)
{
	if (entry->flags & SSDC_E_FAILED)
		return;
	entry->flags |= SSDC_E_FAILED;
	e->failed_pages++;
	e->failed_victims += !!(entry->flags & SSDC_E_VICTIM);
}

/* Dirty page whose flush failed -> dirty page of the policy. A timer starts the retry. */
static void flush_failed(struct ssdc_engine *e, ssdc_frame_t frame, int error, u64 now_ns)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	entry->flags &= ~SSDC_E_RUNS;
	count_failure(e, error, now_ns);

	/* A read may have taken the victim back meanwhile. */
	e->evict_failures += entry->flags & SSDC_E_VICTIM || entry->reason == SSDC_FLUSH_EVICT;
	if (entry->flags & SSDC_E_VICTIM) {
		ssdc_spare_victim(e, frame);
	} else {
		/* The policy may have counted the page as clean since early() chose it. */
		ssdc_policy_remove(e, frame);
	}
	set_failed(e, entry);
	/* The most recent page, so that the policy chooses other victims first. */
	ssdc_policy_insert(e, frame, NULL, true);
	ssdc_wake_page(e, frame, SSDC_FLUSHED, error);
	if (e->evict_failures >= MAX_EVICT_FAILURES) {
		e->evict_failures = 0;
		ssdc_fail_frame_waiters(e, error);
	}
}

/* The flush of a page ended: dirty page -> clean page or, if it was a victim, free frame. */
static void flush_finished(struct ssdc_engine *e, ssdc_frame_t frame, int error, u64 now_ns)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);
	enum ssdc_flush_reason reason = entry->reason;
	bool in_pass = entry->flags & SSDC_E_SYNC;
	bool stays = !(entry->flags & SSDC_E_VICTIM);
	bool had_failed = entry->flags & SSDC_E_FAILED;

	entry->flags &= ~SSDC_E_FLUSH;
	e->flushing_pages--;
	if (reason == SSDC_FLUSH_EARLY)
		e->early_inflight--;
	if (in_pass)
		ssdc_pass_page_done(e, frame, error);
	if (error) {
		flush_failed(e, frame, error, now_ns);
		return;
	}

	ssdc_set_clean(e, frame);
	count_success(e, reason);
	if (stays && in_pass && reason != SSDC_FLUSH_EARLY)
		ssdc_pass_page_clean(e, frame);
	else if (stays)		/* outside of a pass, SSDC_FLUSH_FORCED is for a FUA write */
		ssdc_policy_clean(e, frame, reason == SSDC_FLUSH_FORCED ?
				  SSDC_FLUSH_THROUGH : reason);
	ssdc_wake_page(e, frame, SSDC_FLUSHED, 0);
	ssdc_settle_flushed(e, frame);
	if (stays)
		ssdc_evict_surplus(e, NULL);
	if (had_failed)
		ssdc_evict_excess(e);
}

/* A run of a page ended with *@error. Was it the last one? If so, set *@error if any run failed. */
static __always_inline bool is_last_run(struct ssdc_entry *entry, int *error)
{
	/* Computed before the count is stored, so that one load is enough for both. */
	bool last = entry->ios == 1 && entry->cursor == SSDC_ALL_ISSUED;

	entry->ios--;
	if (*error)
		entry->flags |= SSDC_E_IO_ERROR;
	if (!last)
		return false;
	if (unlikely(entry->flags & SSDC_E_IO_ERROR)) {
		entry->flags &= ~SSDC_E_IO_ERROR;
		*error = *error ? *error : -EIO;
	}
	return true;
}

/*
 * See ssdc_io_done(). Reads and writes have separate functions, so that each saves few registers.
 */
static noinline bool read_done(struct ssdc_engine *e, const struct ssdc_io *io, int error)
{
	if (!error)
		ssdc_set_valid(e, io->frame, io->frame_sector, io->nr_sectors);
	if (!is_last_run(ssdc_entry_at(e, io->frame), &error))
		return false;
	fill_finished(e, io->frame, error);
	evict_more(e);
	return e->pass.notices;
}

/*
 * The flush of a page with a twin ended: the page stays dirty. After an error of a bad sector that
 * the host never wrote, nothing has failed yet: see ssdc_flush_again_by_runs().
 */
static noinline void twin_flushed(struct ssdc_engine *e, const struct ssdc_io *io, int error,
				  u64 now_ns)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, io->frame);
	bool stays = !(entry->flags & SSDC_E_VICTIM);
	bool lost = ssdc_must_repeat(e, io->frame);
	bool by_runs = ssdc_twin_written(e, io->frame, lost, error);

	entry->ios--;
	if (io->reason == SSDC_FLUSH_EARLY)
		e->early_inflight--;
	if (!error) {
		count_success(e, io->reason);
	} else if (!by_runs) {
		count_failure(e, error, now_ns);
		set_failed(e, entry);
	}
	ssdc_twin_end(e, io->frame, error ? by_runs : lost, error);
	if (stays && !error)
		ssdc_evict_surplus(e, NULL);
}

static noinline bool write_done(struct ssdc_engine *e, const struct ssdc_io *io, int error,
				u64 now_ns)
{
	bool has_twin = ssdc_has_twin(e, io->frame), last;

	ssdc_page_written(e, io);
	if (!io->fua) {
		e->plain_writes--;
		/* After an error the page is still dirty. */
		if (!error)
			e->origin_written = ++e->origin_changes;
	}
	if (unlikely(has_twin)) {
		twin_flushed(e, io, error, now_ns);
		evict_more(e);
		return e->pass.notices;
	}
	last = is_last_run(ssdc_entry_at(e, io->frame), &error);
	if (!last || ssdc_write_again(e, io->frame, error) ||
	    ssdc_flush_again_by_runs(e, io->frame, error))
		return false;
	flush_finished(e, io->frame, error, now_ns);
	evict_more(e);
	return e->pass.notices;
}

/**
 * ssdc_io_done() - a page read or write of ssdc_next_io() ended
 * @e: engine
 * @io: as ssdc_next_io() filled it in
 * @error: 0 or -errno
 * @now_ns: current time
 *
 * A failed flush leaves the page dirty; a retry follows. A failed fill fails no request: the
 * requests that wait read their sectors from the origin.
 *
 * Return: true if the driver must drop the lock for an instant, and then call ssdc_go_on() until
 * that returns false, before anything else.
 */
bool ssdc_io_done(struct ssdc_engine *e, const struct ssdc_io *io, int error, u64 now_ns)
{
	e->device_inflight--;
	e->early_declined = false;
	ssdc_units_end(e, io->sector, io->nr_sectors);
	return io->write ? write_done(e, io, error, now_ns) : read_done(e, io, error);
}

/**
 * ssdc_go_on() - continue the work that ssdc_io_done() has begun
 * @e: engine
 *
 * Return: as ssdc_io_done().
 */
bool ssdc_go_on(struct ssdc_engine *e)
{
	return ssdc_pass_notify(e);
}

/*
 * When to ask the policy for pages to flush early; SSDC_NEVER means not before another event. An
 * eager policy is asked once no I/O is queued, so that its view of the origin does not depend on
 * the order of the driver's work.
 */
static u64 early_at_ns(const struct ssdc_engine *e, u64 now_ns)
{
	u32 idle_us = max(e->tunables.idle_us, e->replacement->quiet_us);
	u64 idle_at_ns = e->last_host_ns + idle_us * 1000ULL;

	if (!ssdc_early_wanted(e))
		return SSDC_NEVER;
	if (e->replacement->eager)
		return ssdc_has_queued(e) ? SSDC_NEVER : now_ns;
	return max(idle_at_ns, now_ns);
}

/* Queue early flushes of the pages that the policy has named. Returns how many there are. */
static unsigned int queue_early(struct ssdc_engine *e)
{
	unsigned int i, nr = 0;

	for (i = 0; i < e->batch.nr; i++) {
		const struct ssdc_entry *entry = ssdc_entry_at(e, e->batch.frames[i]);

		if (entry->flags & (SSDC_E_FLUSH | SSDC_E_WANT_FLUSH))
			continue;	/* flushed for another reason */
		nr++;
		e->early_inflight++;
		ssdc_want_flush(e, e->batch.frames[i], SSDC_FLUSH_EARLY);
	}
	return nr;
}

/*
 * Flush early if it is time. Returns when to call again: 0 or SSDC_GO_ON means at once, SSDC_NEVER
 * after an event.
 */
u64 ssdc_early(struct ssdc_engine *e, u64 now_ns)
{
	u64 at_ns = early_at_ns(e, now_ns);
	unsigned int nr, before = e->early_pages;
	bool more;

	e->early_pages = 0;
	e->early_timed = !before && at_ns != now_ns && at_ns != SSDC_NEVER;
	if (!before && at_ns != now_ns)
		return at_ns;
	e->batch.nr = 0;
	e->batch.goes_on = false;
	/* The whole batch uses the view from its beginning. */
	if (!before)
		ssdc_device_view(e);
	more = ssdc_replacement_ops(e->replacement)->early(e->replacement, &e->view, &e->batch,
							   SSDC_BATCH_FRAMES - before);
	nr = queue_early(e);
	e->stats.early_flushes += nr && !before;
	nr += before;
	if (e->batch.goes_on && nr < SSDC_BATCH_FRAMES) {
		e->early_pages = nr;
		return SSDC_GO_ON;
	}
	if (more && !nr)
		return 0;
	e->early_declined = !nr;
	return SSDC_NEVER;
}
