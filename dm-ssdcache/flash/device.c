// SPDX-License-Identifier: GPL-2.0
/*
 * Requests of a flash device, from submission to completion.
 *
 * A request is cut into flash pages, and each page gets a command from a fixed pool. Neither reads
 * nor writes can take the whole pool. When the commands are in use, requests wait, and later resume
 * where they stopped, so a request may have any size. Reads wait behind reads, all other requests
 * behind each other, in order of arrival.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/prefetch.h>
#include "device.h"
#include "errors.h"
#include "ftl.h"
#include "gc.h"
#include "lookup.h"
#include "map-cache.h"
#include "media-commands.h"
#include "nand.h"
#include "program.h"

/* Pages of a read or write per call: at least the pool of commands, except on large devices. */
#define MAX_PAGES_AT_ONCE 1024

/* All pages of a request are done. A durable request is flushed first, and ends with the flush. */
void ssdf_end_request(struct ssdf_device *f, struct ssdf_request *rq)
{
	if (f->media && rq->durable && !rq->failed) {
		rq->durable = false;
		f->media->flush(f->media_data, rq);
		return;
	}
	rq->done_ns = f->clock_ns;
	ssdc_histogram_add(&f->latency[rq->op], rq->done_ns - rq->start_ns);
	f->inflight--;
	list_add_tail(&rq->node, &f->done);
	if (f->until_done)
		f->events_left = 1;
}

/* The next page of a request. */
struct piece {
	ssdf_lpn_t lpn;
	u32 sectors;
};

static struct piece next_piece(const struct ssdf_device *f, const struct ssdf_request *rq)
{
	u64 sector = rq->sector + rq->cursor, left = rq->nr_sectors - rq->cursor;
	u32 from = sector & (f->page_sectors - 1);

	return (struct piece) {
		ssdf_lpn(sector >> f->sector_bits), min_t(u64, left, f->page_sectors - from),
	};
}

static void free_command(struct ssdf_device *f, struct ssdf_command *cmd)
{
	cmd->next_free = f->free_commands;
	f->free_commands = cmd;
	f->lanes[ssdf_lane_of(cmd->rq)].commands--;
}

/* The request no longer needs the command. */
static __always_inline void leave_request(struct ssdf_device *f, struct ssdf_command *cmd)
{
	cmd->rq->pending--;
	if (likely(!f->params.map_cache) || !ssdf_write_owed(f, cmd))
		free_command(f, cmd);
}

/* A host command has ended. Inline: each command comes here. */
static __always_inline void end_command(struct ssdf_device *f, struct ssdf_command *cmd)
{
	struct ssdf_request *rq = cmd->rq;

	leave_request(f, cmd);
	if (!rq->pending && rq->cursor == rq->nr_sectors)
		ssdf_end_request(f, rq);
	if (unlikely(f->backlog))
		ssdf_feed(f);
}

static void fail_lane(struct ssdf_device *f, struct ssdf_lane_state *lane)
{
	struct ssdf_command *cmd;

	while ((cmd = list_first_entry_or_null(&lane->stalled, struct ssdf_command, node))) {
		list_del_init(&cmd->node);
		if (!cmd->rq) {
			free_command(f, cmd);
			continue;
		}
		cmd->rq->failed = true;
		end_command(f, cmd);
	}
}

/* The medium failed: no write can succeed any more. */
void ssdf_fail_stalled(struct ssdf_device *f)
{
	fail_lane(f, &f->lanes[SSDF_READ_LANE]);
	fail_lane(f, &f->lanes[SSDF_WRITE_LANE]);
}

/* A read takes no time: the page is in the controller, was discarded, or is lost. */
static bool is_known(const struct ssdf_device *f, ssdf_ppn_t ppn)
{
	return !ssdf_is_in_flash(f, ppn);
}

static void count_known(struct ssdf_device *f, ssdf_ppn_t ppn)
{
	if (ppn == SSDF_TRIMMED)
		f->stats.trimmed_reads++;
	else if (ppn != SSDF_LOST)
		f->stats.buffered_reads++;
}

/*
 * Have the medium read a page. Returns false if no read in the model follows, as the model knows
 * the page.
 */
static noinline bool read_medium(struct ssdf_device *f, struct ssdf_command *cmd, ssdf_ppn_t ppn)
{
	ssdf_media_read(f, cmd, cmd->lpn, ppn);
	if (!is_known(f, ppn))
		return true;
	count_known(f, ppn);
	return false;
}

static __always_inline void read_piece(struct ssdf_device *f, struct piece piece, ssdf_ppn_t ppn,
				       struct ssdf_command *cmd)
{
	cmd->kind = SSDF_READ;
	cmd->bytes = piece.sectors << 9;
	if (unlikely(f->media) && !read_medium(f, cmd, ppn))
		return;
	f->stats.host_reads++;
	ssdf_read_place(f, cmd);
}

/* A program covers a whole page, so a partial write first reads the rest of the old page. */
static __always_inline void write_piece(struct ssdf_device *f, struct piece piece, ssdf_ppn_t ppn,
					struct ssdf_command *cmd)
{
	if (piece.sectors == f->page_sectors || !ssdf_is_in_flash(f, ppn)) {
		ssdf_program(f, cmd);
		return;
	}
	cmd->purpose = SSDF_MERGE;
	cmd->bytes = (f->page_sectors - piece.sectors) << 9;
	f->stats.merge_reads++;
	ssdf_read_place(f, cmd);
}

/*
 * @ppn: place of the page. Inline, like the functions that it calls, because every page needs it.
 */
static __always_inline void start_piece(struct ssdf_device *f, struct piece piece, ssdf_ppn_t ppn,
					struct ssdf_command *cmd)
{
	cmd->purpose = SSDF_HOST;
	if (cmd->rq->op == SSDC_READ)
		read_piece(f, piece, ppn, cmd);
	else
		write_piece(f, piece, ppn, cmd);
}

static bool has_command(const struct ssdf_device *f, const struct ssdf_lane_state *lane)
{
	return lane->commands < f->lane_commands && f->free_commands;
}

static struct ssdf_command *take_command(struct ssdf_device *f, struct ssdf_lane_state *lane,
					 struct ssdf_request *rq, struct piece piece)
{
	struct ssdf_command *cmd;

	if (!has_command(f, lane))
		return NULL;
	lane->commands++;
	cmd = f->free_commands;
	f->free_commands = cmd->next_free;
	cmd->rq = rq;
	cmd->lpn = piece.lpn;
	rq->pending++;
	return cmd;
}

/*
 * Does the controller know, without a read of the flash, that it has the page, or that the page was
 * discarded? It learns of a discard from the map.
 */
static bool is_known_by_map(struct ssdf_device *f, ssdf_lpn_t lpn)
{
	return f->map[ssdf_lpn_nr(lpn)] != SSDF_TRIMMED || ssdf_map_hit(f, lpn);
}

/*
 * Begin with a page of a request. Returns false if no command is free for it now. @cached: the
 * controller holds only a part of the map. Inline, because every page needs it.
 */
static __always_inline bool do_piece(struct ssdf_device *f, struct ssdf_lane_state *lane,
				     struct ssdf_request *rq, struct piece piece, bool cached)
{
	ssdf_ppn_t ppn = f->map[ssdf_lpn_nr(piece.lpn)];
	/* A medium must fetch the data even if the read takes no time in the model. */
	bool known = rq->op == SSDC_READ && !f->media && is_known(f, ppn);
	struct ssdf_command *cmd;

	if (known && (!cached || is_known_by_map(f, piece.lpn))) {
		count_known(f, ppn);
		return true;
	}
	cmd = take_command(f, lane, rq, piece);
	if (!cmd)
		return false;
	if (cached && !ssdf_look_up(f, cmd))
		return true;
	if (known) {
		count_known(f, ppn);
		leave_request(f, cmd);
		return true;
	}
	start_piece(f, piece, ppn, cmd);
	return true;
}

/* Fast path: the rest of a read is within one page, so its die can start at once. */
static bool read_rest(struct ssdf_device *f, struct ssdf_lane_state *lane, struct ssdf_request *rq)
{
	struct piece piece = next_piece(f, rq);

	if (rq->cursor + piece.sectors != rq->nr_sectors ||
	    !do_piece(f, lane, rq, piece, f->params.map_cache))
		return false;
	rq->cursor = rq->nr_sectors;
	return true;
}

/* Queue commands for a bounded number of pages. Dies start once all are queued. */
static noinline void expand_plugged(struct ssdf_device *f, struct ssdf_lane_state *lane,
				    struct ssdf_request *rq)
{
	u32 i;

	if (rq->op == SSDC_READ && read_rest(f, lane, rq))
		return;
	/* Keep the request open while it is being cut. */
	rq->pending++;
	ssdf_plug(f);
	f->gc_plugged = true;
	for (i = 0; i < MAX_PAGES_AT_ONCE && rq->cursor < rq->nr_sectors; i++) {
		struct piece piece = next_piece(f, rq);

		if (!do_piece(f, lane, rq, piece, f->params.map_cache))
			break;
		rq->cursor += piece.sectors;
	}
	ssdf_unplug(f);
	ssdf_gc_unplug(f);
	rq->pending--;
}

/* Queue commands for pages that are on different dies: each die starts at once. */
static void expand_spread(struct ssdf_device *f, struct ssdf_lane_state *lane,
			  struct ssdf_request *rq)
{
	struct piece piece = next_piece(f, rq);
	u64 left = rq->nr_sectors - rq->cursor;

	f->gc_plugged = true;
	while (do_piece(f, lane, rq, piece, false)) {
		left -= piece.sectors;
		if (!left)
			break;
		piece.lpn = ssdf_lpn(ssdf_lpn_nr(piece.lpn) + 1);
		piece.sectors = min_t(u64, left, f->page_sectors);
	}
	rq->cursor = rq->nr_sectors - left;
	ssdf_gc_unplug(f);
}

/*
 * Read or write: queue commands for a bounded number of pages. Returns true when all pages have
 * one. If a die may get several of the pages, all pages are queued before a die starts, so that
 * planes can work together. The same is done with map_cache, as a lookup may involve any die.
 */
static bool expand(struct ssdf_device *f, struct ssdf_request *rq)
{
	struct ssdf_lane_state *lane = &f->lanes[ssdf_lane_of(rq)];
	u64 first = (rq->sector + rq->cursor) >> f->sector_bits;
	u64 last = (rq->sector + rq->nr_sectors - 1) >> f->sector_bits;

	if (last - first < min_t(u32, f->spread_pages, MAX_PAGES_AT_ONCE) && !f->params.map_cache)
		expand_spread(f, lane, rq);
	else
		expand_plugged(f, lane, rq);
	return rq->cursor == rq->nr_sectors;
}

/* Discard a bounded number of whole pages. Returns true after the last. */
static bool trim(struct ssdf_device *f, struct ssdf_request *rq)
{
	u32 i, plane;

	for (i = 0; i < SSDF_STEP && rq->cursor < rq->nr_sectors && !f->held; i++) {
		struct piece piece = next_piece(f, rq);

		if (piece.sectors == f->page_sectors) {
			if (f->map[ssdf_lpn_nr(piece.lpn)] != SSDF_TRIMMED)
				ssdf_map_changed(f, piece.lpn);
			plane = ssdf_trim_page(f, piece.lpn);
			if (plane < f->nr_planes)
				ssdf_gc_check(f, plane);
		}
		rq->cursor += piece.sectors;
	}
	return rq->cursor == rq->nr_sectors;
}

static bool go_on(struct ssdf_device *f, struct ssdf_request *rq)
{
	if (f->failed && rq->op != SSDC_READ) {
		rq->failed = true;
		rq->cursor = rq->nr_sectors;
		return true;
	}
	switch (rq->op) {
	case SSDC_READ:
	case SSDC_WRITE:
		return expand(f, rq);
	case SSDC_DISCARD:
		return trim(f, rq);
	default:
		return true;	/* FLUSH: acknowledged writes are in the flash already */
	}
}

static struct ssdf_request *first_waiting(struct ssdf_lane_state *lane)
{
	return list_first_entry_or_null(&lane->waiting, struct ssdf_request, node);
}

static bool has_waiting(const struct ssdf_device *f)
{
	return !list_empty(&f->lanes[SSDF_READ_LANE].waiting) ||
		!list_empty(&f->lanes[SSDF_WRITE_LANE].waiting);
}

static void feed(struct ssdf_device *f, struct ssdf_lane_state *lane)
{
	struct ssdf_request *rq;

	while ((rq = first_waiting(lane))) {
		if (!go_on(f, rq))
			return;
		list_del(&rq->node);
		if (!rq->pending)
			ssdf_end_request(f, rq);
	}
}

static bool may_feed_lane(const struct ssdf_device *f, struct ssdf_lane_state *lane)
{
	const struct ssdf_request *rq = first_waiting(lane);

	if (!rq)
		return false;
	return rq->op == SSDC_DISCARD ? !f->held : has_command(f, lane);
}

/* Can a waiting request resume without an event? */
static bool may_feed(struct ssdf_device *f)
{
	return may_feed_lane(f, &f->lanes[SSDF_READ_LANE]) ||
	       may_feed_lane(f, &f->lanes[SSDF_WRITE_LANE]);
}

/*
 * Resume waiting requests, in order of arrival. If one of them can go on after this bounded call,
 * ssdf_advance() calls this function again before the next event.
 */
noinline void ssdf_feed(struct ssdf_device *f)
{
	feed(f, &f->lanes[SSDF_READ_LANE]);
	feed(f, &f->lanes[SSDF_WRITE_LANE]);
	if (may_feed(f))
		f->events_left = 1;
}

/* The part of its request that the command's page holds. */
static struct piece piece_of(const struct ssdf_device *f, const struct ssdf_command *cmd)
{
	const struct ssdf_request *rq = cmd->rq;
	u64 from = (u64)ssdf_lpn_nr(cmd->lpn) * f->page_sectors;
	u64 end = min(from + f->page_sectors, rq->sector + rq->nr_sectors);

	return (struct piece) { cmd->lpn, end - max(from, rq->sector) };
}

/* The mapping is known: go on with the page, which may have reached the controller meanwhile. */
static void start_page(struct ssdf_device *f, struct ssdf_command *cmd)
{
	ssdf_ppn_t ppn = f->map[ssdf_lpn_nr(cmd->lpn)];

	if (cmd->rq->op == SSDC_READ && is_known(f, ppn)) {
		count_known(f, ppn);
		end_command(f, cmd);
		return;
	}
	start_piece(f, piece_of(f, cmd), ppn, cmd);
}

/*
 * Go on with the pages of a bounded number of commands whose mapping was read. If commands are
 * left, ssdf_advance() calls this function again before the next event.
 */
static void start_found(struct ssdf_device *f)
{
	struct ssdf_command *cmd;
	u32 i;

	/* As in expand_plugged(): planes can work together. */
	ssdf_plug(f);
	f->gc_plugged = true;
	for (i = 0; i < SSDF_STEP; i++) {
		cmd = list_first_entry_or_null(&f->found, struct ssdf_command, node);
		if (!cmd)
			break;
		list_del_init(&cmd->node);
		f->started++;
		ssdf_lookup_end(f, cmd);
		start_page(f, cmd);
	}
	ssdf_unplug(f);
	ssdf_gc_unplug(f);
	if (f->started >= SSDF_STEP)
		f->events_left = 1;
}

/* A translation page was read, for all commands that wait for it. */
static void end_lookup_read(struct ssdf_device *f, struct ssdf_command *cmd)
{
	list_add_tail(&cmd->node, &f->found);
	f->backlog = true;
	ssdf_lookup_end_read(f, cmd, &f->found);
	start_found(f);
}

/* A read or program of a translation page has ended, for a host command. */
static void go_on_looking(struct ssdf_device *f, struct ssdf_command *cmd)
{
	if (cmd->purpose == SSDF_MAP_LOOKUP) {
		end_lookup_read(f, cmd);
		return;
	}
	if (cmd->kind == SSDF_READ) {
		ssdf_program(f, cmd);
		return;
	}
	if (ssdf_programmed(f, cmd->ppn))
		ssdf_gc_check(f, cmd->plane);
	if (!cmd->rq) {
		free_command(f, cmd);
		ssdf_feed(f);
		return;
	}
	if (ssdf_lookup_start(f, cmd))
		start_page(f, cmd);
}

/* A command ended that does more than read or write a page of a host request. */
static noinline void step_done(struct ssdf_device *f, struct ssdf_command *cmd)
{
	if (cmd->purpose == SSDF_GC || cmd->purpose == SSDF_MAP_UPDATE) {
		ssdf_gc_step(f, cmd);
		return;
	}
	if (cmd->purpose == SSDF_MAP_EVICT || cmd->purpose == SSDF_MAP_LOOKUP) {
		go_on_looking(f, cmd);
		return;
	}
	/* The rest of a partly written page was read. */
	if (!f->failed) {
		ssdf_program(f, cmd);
		return;
	}
	cmd->rq->failed = true;
	end_command(f, cmd);
}

/* Returns true if the command goes on. */
static noinline bool special_goes_on(struct ssdf_device *f, struct ssdf_command *cmd)
{
	if (ssdf_read_again(f, cmd)) {
		ssdf_queue(f, cmd);
		return true;
	}
	if (cmd->purpose == SSDF_HOST)
		return false;
	step_done(f, cmd);
	return true;
}

/* NAND or the medium is done with a command; the command ends when both are. */
void ssdf_command_done(struct ssdf_device *f, struct ssdf_command *cmd)
{
	if (--cmd->waits)
		return;
	if ((cmd->purpose != SSDF_HOST || f->params.read_retry) && special_goes_on(f, cmd))
		return;
	if (cmd->kind == SSDF_PROGRAM && ssdf_programmed(f, cmd->ppn))
		ssdf_gc_check(f, cmd->plane);
	end_command(f, cmd);
}

/**
 * ssdf_expect() - a request will be submitted soon
 * @f: device
 * @sector: its first sector
 * @nr_sectors: length, at least 1; within the capacity
 *
 * Fetches the request's entries of the map into the processor's caches. The map is larger than
 * these, and requests are all over the map: with this call, the simulator takes 10 to 19 % less
 * time.
 *
 * Context: any; reads nothing that changes.
 */
void ssdf_expect(const struct ssdf_device *f, u64 sector, u64 nr_sectors)
{
	prefetchw(&f->map[sector >> f->sector_bits]);
	prefetchw(&f->map[(sector + nr_sectors - 1) >> f->sector_bits]);
}

/**
 * ssdf_submit() - submit a request
 * @f: device
 * @rq: op, sector and nr_sectors are set and within the capacity; the device owns it until
 *	ssdf_next_done() returns it
 * @now_ns: current time; ssdf_advance() was called with it and returned false
 *
 * The request may complete at once, see ssdf_next_done().
 *
 * Context: the caller's lock; does not sleep. Time proportional to the request's pages, up
 * to a bound; ssdf_advance() does the rest.
 */
void ssdf_submit(struct ssdf_device *f, struct ssdf_request *rq, u64 now_ns)
{
	struct list_head *waiting = &f->lanes[ssdf_lane_of(rq)].waiting;

	f->clock_ns = max(f->clock_ns, now_ns);
	rq->start_ns = f->clock_ns;
	rq->cursor = 0;
	rq->pending = 0;
	rq->failed = false;
	f->inflight++;
	if (rq->op == SSDC_READ)
		f->stats.host_bytes_read += rq->nr_sectors << 9;
	else if (rq->op == SSDC_WRITE)
		f->stats.host_bytes_written += rq->nr_sectors << 9;
	if (!list_empty(waiting) || !go_on(f, rq)) {
		list_add_tail(&rq->node, waiting);
		f->backlog = true;
	} else if (!rq->pending) {
		ssdf_end_request(f, rq);
	}
}

/* Is there work left that no event will trigger? */
static bool may_go_on(struct ssdf_device *f)
{
	if (likely(!f->backlog))
		return false;
	return (ssdf_has_retries(f) && !f->held) || !list_empty(&f->found) || may_feed(f);
}

static bool has_backlog(const struct ssdf_device *f)
{
	return ssdf_has_retries(f) || !list_empty(&f->found) || has_waiting(f);
}

/* For tests: does ssdf_advance() know of everything that waits? */
int ssdf_backlog_check(const struct ssdf_device *f)
{
	return has_backlog(f) && !f->backlog ? -EUCLEAN : 0;
}

/* Do a bounded part of the work that no event triggers. */
static void work_off_backlog(struct ssdf_device *f)
{
	if (ssdf_has_retries(f))
		ssdf_try_stalled(f);
	if (!list_empty(&f->found))
		start_found(f);
	if (may_feed(f))
		ssdf_feed(f);
	f->backlog = has_backlog(f);
}

/**
 * ssdf_advance() - process a bounded number of events
 * @f: device
 * @now_ns: current time
 *
 * Context: the caller's lock; does not sleep.
 * Return: true if more events may be due by @now_ns: drop the lock for a moment, then call
 * again.
 */
bool ssdf_advance(struct ssdf_device *f, u64 now_ns)
{
	f->started = 0;
	f->until_done = false;
	f->events_left = SSDF_STEP;
	if (unlikely(f->backlog)) {
		work_off_backlog(f);
		/* The rest belongs to the same moment, and @now_ns may be later. */
		if (may_go_on(f))
			return true;
	}
	if (f->started < SSDF_STEP)
		ssdf_nand_events(f, min(now_ns, SSDF_NEVER - 1));
	return !f->events_left || f->started >= SSDF_STEP || may_go_on(f);
}

/**
 * ssdf_run() - process events up to the first with which a request ends
 * @f: device, for which no request has ended yet
 * @now_ns: current time, at which ssdf_advance() has something to do
 * @until_ns: process no later event
 *
 * For callers with simulated time, who would only wait for the next event. The function may stop
 * before a request ends, so call it until one does, or until @until_ns.
 *
 * Context: the caller's lock; the time under the lock has no bound.
 * Return: the time of the last event, at least @now_ns.
 */
u64 ssdf_run(struct ssdf_device *f, u64 now_ns, u64 until_ns)
{
	/* Work that waits for no event is done at its own time. */
	if (unlikely(f->backlog)) {
		ssdf_advance(f, now_ns);
		return now_ns;
	}
	f->started = 0;
	f->until_done = true;
	f->events_left = U32_MAX;
	ssdf_nand_events(f, min(until_ns, SSDF_NEVER - 1));
	return max(f->clock_ns, now_ns);
}

/**
 * ssdf_next_ns() - the time of the next event
 * @f: device
 *
 * Context: the caller's lock.
 * Return: time in ns, in the past if ssdf_advance() has work now; SSDF_NEVER if nothing
 * happens before the next request.
 */
u64 ssdf_next_ns(struct ssdf_device *f)
{
	if (may_go_on(f))
		return f->clock_ns;
	return ssdf_next_event_ns(f);
}

/**
 * ssdf_next_done() - fetch a completed request
 * @f: device
 *
 * Context: the caller's lock.
 * Return: the request, with done_ns set, owned by the caller again; NULL if there is none.
 */
struct ssdf_request *ssdf_next_done(struct ssdf_device *f)
{
	struct ssdf_request *rq = list_first_entry_or_null(&f->done, struct ssdf_request, node);

	if (rq)
		list_del_init(&rq->node);
	return rq;
}

/**
 * ssdf_has_done() - would ssdf_next_done() return a request?
 * @f: device
 *
 * Context: the caller's lock.
 */
bool ssdf_has_done(const struct ssdf_device *f)
{
	return !list_empty(&f->done);
}
