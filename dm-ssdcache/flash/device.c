// SPDX-License-Identifier: GPL-2.0
/*
 * Requests of a flash device, from submission to completion.
 *
 * A request is cut into flash pages, and each page gets a command from a fixed
 * pool, of which neither reads nor writes can take all. When the commands are in use,
 * requests wait and resume where they stopped, so a request may have any size. Reads wait
 * behind reads, all other requests behind each other, in order of arrival.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include "../base/alloc.h"
#include "age.h"
#include "device.h"
#include "errors.h"
#include "ftl.h"
#include "gc.h"
#include "map-cache.h"
#include "media-commands.h"
#include "nand.h"
#include "stats.h"
#include "victim.h"
#include "wear.h"

/* Events, discarded pages or retried writes per call: bounds the time under the lock. */
#define STEP 64

/* Pages of a read or write per call: at least the pool of commands, except on large devices. */
#define MAX_PAGES_AT_ONCE 1024

/* The part of the pool, one in so many, that reads leave for writes, and writes for reads. */
#define COMMANDS_RESERVED 5

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
}

static enum ssdf_lane lane_of(const struct ssdf_request *rq)
{
	return rq->op == SSDC_READ ? SSDF_READ_LANE : SSDF_WRITE_LANE;
}

/* The next page of a request. */
struct piece {
	ssdf_lpn_t lpn;
	u32 sectors;
};

static struct piece next_piece(const struct ssdf_device *f, const struct ssdf_request *rq)
{
	u32 from, lpn = div_u64_rem(rq->sector + rq->cursor, f->page_sectors, &from);
	u64 left = rq->nr_sectors - rq->cursor;

	return (struct piece) { ssdf_lpn(lpn), min_t(u64, left, f->page_sectors - from) };
}

static void count_stream(struct ssdf_device *f, const struct ssdf_command *cmd)
{
	u32 holds = f->blocks[ssdf_block_of(f, cmd->ppn)].holds;

	if (holds < f->params.streams)
		f->stats.stream_programs[holds]++;
	else if (holds < f->params.streams + f->params.hot_cold)
		f->stats.hot_programs++;
}

static void count_program(struct ssdf_device *f, const struct ssdf_command *cmd)
{
	if (cmd->purpose == SSDF_MAP_EVICT) {
		f->stats.map_writes++;
		return;
	}
	f->stats.host_programs++;
	count_stream(f, cmd);
}

/* Allocate a page for a program and queue it. Returns false if no block is free. */
static bool try_program(struct ssdf_device *f, struct ssdf_command *cmd)
{
	ssdf_ppn_t old = f->map[ssdf_lpn_nr(cmd->lpn)];
	u32 outdated;

	cmd->kind = SSDF_PROGRAM;
	if (cmd->purpose != SSDF_MAP_EVICT)
		cmd->purpose = SSDF_HOST;
	cmd->bytes = f->params.page_bytes;
	if (f->held || !ssdf_write_page(f, cmd->lpn, cmd))
		return false;
	outdated = f->outdated_plane;
	if (cmd->purpose == SSDF_HOST)
		ssdf_map_changed(f, cmd->lpn);
	count_program(f, cmd);
	ssdf_media_write(f, cmd, cmd->lpn, old);
	ssdf_queue(f, cmd);
	ssdf_gc_check(f, cmd->plane);
	if (outdated < f->nr_planes)
		ssdf_gc_check(f, outdated);
	return true;
}

static void free_command(struct ssdf_device *f, struct ssdf_command *cmd)
{
	list_add(&cmd->node, &f->free_commands);
	f->lanes[lane_of(cmd->rq)].commands--;
	cmd->rq->pending--;
}

/* A host command has ended. */
static void end_command(struct ssdf_device *f, struct ssdf_command *cmd)
{
	struct ssdf_request *rq = cmd->rq;

	free_command(f, cmd);
	if (!rq->pending && rq->cursor == rq->nr_sectors)
		ssdf_end_request(f, rq);
	ssdf_feed(f);
}

static void program(struct ssdf_device *f, struct ssdf_command *cmd)
{
	if (try_program(f, cmd))
		return;
	f->stats.stalled_writes++;
	/* Observers know the host's pages only. */
	ssdf_notify_stalled(f, cmd->purpose == SSDF_MAP_EVICT ? cmd->looks_for : cmd->lpn);
	list_add_tail(&cmd->node, &f->lanes[lane_of(cmd->rq)].stalled);
}

/* The only plane that may hold the page; nr_planes: any may. */
static u32 only_plane(const struct ssdf_device *f, const struct ssdf_command *cmd)
{
	return f->params.allocation == SSDF_STATIC ? ssdf_static_plane(f, cmd->lpn) : f->nr_planes;
}

/* Returns false once a program finds no room. */
static bool retry_lane(struct ssdf_device *f, struct ssdf_lane_state *lane, u32 plane)
{
	struct ssdf_command *cmd, *next;

	list_for_each_entry_safe(cmd, next, &lane->stalled, node) {
		u32 only = only_plane(f, cmd);

		if (only != plane && only != f->nr_planes)
			continue;
		/* A command that finds room moves to its die's queue. */
		list_del_init(&cmd->node);
		if (try_program(f, cmd))
			continue;
		list_add_tail(&cmd->node, &next->node);
		return false;
	}
	return true;
}

/* A block of the plane became free: the only event that makes room for stalled programs. */
void ssdf_retry_stalled(struct ssdf_device *f, u32 plane)
{
	if (retry_lane(f, &f->lanes[SSDF_READ_LANE], plane))
		retry_lane(f, &f->lanes[SSDF_WRITE_LANE], plane);
}

/* The medium accepts writes again: try_stalled() retries all stalled programs. */
void ssdf_retry_all(struct ssdf_device *f)
{
	struct ssdf_command *cmd;
	u32 i;

	for (i = 0; i < SSDF_NR_LANES; i++) {
		f->lanes[i].retries = 0;
		list_for_each_entry(cmd, &f->lanes[i].stalled, node)
			f->lanes[i].retries++;
	}
}

static bool has_retries(const struct ssdf_device *f)
{
	return f->lanes[SSDF_READ_LANE].retries || f->lanes[SSDF_WRITE_LANE].retries;
}

/* Retry a bounded number; programs without room go to the tail, which keeps their order. */
static void try_lane(struct ssdf_device *f, struct ssdf_lane_state *lane)
{
	struct ssdf_command *cmd;
	u32 i;

	for (i = 0; i < STEP && lane->retries && !f->held; i++) {
		cmd = list_first_entry_or_null(&lane->stalled, struct ssdf_command, node);
		lane->retries = cmd ? lane->retries - 1 : 0;
		if (!cmd)
			return;
		list_del_init(&cmd->node);
		if (!try_program(f, cmd))
			list_add_tail(&cmd->node, &lane->stalled);
	}
}

static void try_stalled(struct ssdf_device *f)
{
	try_lane(f, &f->lanes[SSDF_READ_LANE]);
	try_lane(f, &f->lanes[SSDF_WRITE_LANE]);
}

static void fail_lane(struct ssdf_device *f, struct ssdf_lane_state *lane)
{
	struct ssdf_command *cmd;

	while ((cmd = list_first_entry_or_null(&lane->stalled, struct ssdf_command, node))) {
		list_del_init(&cmd->node);
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

static void read_place(struct ssdf_device *f, struct ssdf_command *cmd)
{
	cmd->kind = SSDF_READ;
	cmd->ppn = ssdf_place_to_read(f, cmd->lpn);
	cmd->plane = ssdf_plane_of(f, cmd->ppn);
	ssdf_queue(f, cmd);
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

static void read_piece(struct ssdf_device *f, struct ssdf_request *rq, struct piece piece,
		       struct ssdf_command *cmd)
{
	ssdf_ppn_t ppn = f->map[ssdf_lpn_nr(piece.lpn)];

	cmd->kind = SSDF_READ;
	cmd->purpose = SSDF_HOST;
	cmd->bytes = piece.sectors << 9;
	ssdf_media_read(f, cmd, cmd->lpn, ppn);
	if (is_known(f, ppn)) {
		count_known(f, ppn);
		return;
	}
	f->stats.host_reads++;
	read_place(f, cmd);
}

/* A program covers a whole page, so a partial write first reads the rest of the old page. */
static void write_piece(struct ssdf_device *f, struct ssdf_request *rq, struct piece piece,
			struct ssdf_command *cmd)
{
	ssdf_ppn_t ppn = f->map[ssdf_lpn_nr(piece.lpn)];

	if (piece.sectors == f->page_sectors || !ssdf_is_in_flash(f, ppn)) {
		program(f, cmd);
		return;
	}
	cmd->purpose = SSDF_MERGE;
	cmd->bytes = (f->page_sectors - piece.sectors) << 9;
	f->stats.merge_reads++;
	read_place(f, cmd);
}

static void start_piece(struct ssdf_device *f, struct ssdf_request *rq, struct piece piece,
			struct ssdf_command *cmd)
{
	cmd->purpose = SSDF_HOST;
	if (rq->op == SSDC_READ)
		read_piece(f, rq, piece, cmd);
	else
		write_piece(f, rq, piece, cmd);
}

/* Read the command's translation page. Returns false if the controller has it. */
static bool read_translation_page(struct ssdf_device *f, struct ssdf_command *cmd)
{
	if (!ssdf_is_in_flash(f, f->map[ssdf_lpn_nr(cmd->lpn)]))
		return false;
	cmd->bytes = f->params.page_bytes;
	f->stats.map_reads++;
	read_place(f, cmd);
	return true;
}

/* The mapping was read. */
static void end_lookup(struct ssdf_device *f, struct ssdf_command *cmd)
{
	cmd->lpn = cmd->looks_for;
	ssdf_map_insert(f, cmd->lpn);
}

/* Returns true if the mapping is known at once. */
static bool start_lookup(struct ssdf_device *f, struct ssdf_command *cmd)
{
	cmd->purpose = SSDF_MAP_LOOKUP;
	cmd->lpn = ssdf_translation_page(f, cmd->looks_for);
	if (ssdf_lookup_follow(f, cmd))
		return false;
	if (!read_translation_page(f, cmd)) {
		end_lookup(f, cmd);
		return true;
	}
	ssdf_lookup_begin_read(f, cmd);
	return false;
}

/*
 * Find the mapping of the command's page. Returns true if it is known at once. Otherwise the
 * command works on translation pages first, one after the other, see go_on_looking().
 */
static bool look_up(struct ssdf_device *f, struct ssdf_command *cmd)
{
	ssdf_lpn_t dirty;

	if (ssdf_map_find(f, cmd->lpn))
		return true;
	cmd->looks_for = cmd->lpn;
	dirty = ssdf_map_make_room(f);
	if (dirty == SSDF_NO_LPN)
		return start_lookup(f, cmd);
	cmd->purpose = SSDF_MAP_EVICT;
	cmd->lpn = dirty;
	if (!read_translation_page(f, cmd))
		program(f, cmd);
	return false;
}

static bool has_command(const struct ssdf_device *f, const struct ssdf_lane_state *lane)
{
	return lane->commands < f->lane_commands && !list_empty(&f->free_commands);
}

static struct ssdf_command *take_command(struct ssdf_device *f, struct ssdf_request *rq,
					 struct piece piece)
{
	struct ssdf_lane_state *lane = &f->lanes[lane_of(rq)];
	struct ssdf_command *cmd;

	if (!has_command(f, lane))
		return NULL;
	lane->commands++;
	cmd = list_first_entry(&f->free_commands, struct ssdf_command, node);
	list_del_init(&cmd->node);
	cmd->rq = rq;
	cmd->lpn = piece.lpn;
	rq->pending++;
	return cmd;
}

/*
 * Does the controller know without the flash that it has the page, or that the page was discarded?
 * The latter it learns from the map.
 */
static bool is_known_by_map(struct ssdf_device *f, ssdf_lpn_t lpn)
{
	return !f->params.map_cache || f->map[ssdf_lpn_nr(lpn)] != SSDF_TRIMMED ||
	       ssdf_map_hit(f, lpn);
}

/* Returns false if there is no command for the page now. */
static bool do_piece(struct ssdf_device *f, struct ssdf_request *rq, struct piece piece)
{
	ssdf_ppn_t ppn = f->map[ssdf_lpn_nr(piece.lpn)];
	struct ssdf_command *cmd;

	/* A medium must fetch the data even if the read takes no time in the model. */
	if (!f->media && rq->op == SSDC_READ && is_known(f, ppn) && is_known_by_map(f, piece.lpn)) {
		count_known(f, ppn);
		return true;
	}
	cmd = take_command(f, rq, piece);
	if (!cmd)
		return false;
	if (f->params.map_cache && !look_up(f, cmd))
		return true;
	if (rq->op == SSDC_READ && is_known(f, ppn) && !f->media) {
		count_known(f, ppn);
		free_command(f, cmd);
		return true;
	}
	start_piece(f, rq, piece, cmd);
	return true;
}

/* Fast path: what is left of a read is within a page, so its die can start at once. */
static bool read_rest(struct ssdf_device *f, struct ssdf_request *rq)
{
	struct piece piece = next_piece(f, rq);

	if (rq->cursor + piece.sectors != rq->nr_sectors || !do_piece(f, rq, piece))
		return false;
	rq->cursor = rq->nr_sectors;
	return true;
}

/*
 * Read or write: queue commands for a bounded number of pages. Returns true when all pages
 * have one. Dies start once all are queued, so that planes can work together.
 */
static bool expand(struct ssdf_device *f, struct ssdf_request *rq)
{
	u32 i;

	if (rq->op == SSDC_READ && read_rest(f, rq))
		return true;
	/* Keep the request open while it is being cut. */
	rq->pending++;
	ssdf_plug(f);
	for (i = 0; i < MAX_PAGES_AT_ONCE && rq->cursor < rq->nr_sectors; i++) {
		struct piece piece = next_piece(f, rq);

		if (!do_piece(f, rq, piece))
			break;
		rq->cursor += piece.sectors;
	}
	ssdf_unplug(f);
	ssdf_gc_check_deferred(f);
	rq->pending--;
	return rq->cursor == rq->nr_sectors;
}

/* Discard a bounded number of whole pages. Returns true after the last. */
static bool trim(struct ssdf_device *f, struct ssdf_request *rq)
{
	u32 i, plane;

	for (i = 0; i < STEP && rq->cursor < rq->nr_sectors && !f->held; i++) {
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

/* Resume waiting requests, in order of arrival. */
void ssdf_feed(struct ssdf_device *f)
{
	if (!has_waiting(f))
		return;
	feed(f, &f->lanes[SSDF_READ_LANE]);
	feed(f, &f->lanes[SSDF_WRITE_LANE]);
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
	start_piece(f, cmd->rq, piece_of(f, cmd), cmd);
}

/*
 * Go on with the pages of a bounded number of commands whose mapping was read. With one command or
 * more left, ssdf_advance() calls this again before the next event.
 */
static void start_found(struct ssdf_device *f)
{
	struct ssdf_command *cmd;
	u32 i;

	/* As in expand(): planes can work together. */
	ssdf_plug(f);
	for (i = 0; i < STEP; i++) {
		cmd = list_first_entry_or_null(&f->found, struct ssdf_command, node);
		if (!cmd)
			break;
		list_del_init(&cmd->node);
		f->started++;
		end_lookup(f, cmd);
		start_page(f, cmd);
	}
	ssdf_unplug(f);
	ssdf_gc_check_deferred(f);
}

/* A translation page was read, for all commands that wait for it. */
static void end_lookup_read(struct ssdf_device *f, struct ssdf_command *cmd)
{
	list_add_tail(&cmd->node, &f->found);
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
		program(f, cmd);
		return;
	}
	if (ssdf_programmed(f, cmd->ppn))
		ssdf_gc_check(f, cmd->plane);
	if (start_lookup(f, cmd))
		start_page(f, cmd);
}

/* NAND or the medium is done with a command; the command ends when both are. */
void ssdf_command_done(struct ssdf_device *f, struct ssdf_command *cmd)
{
	if (--cmd->waits)
		return;
	if (ssdf_read_again(f, cmd)) {
		ssdf_queue(f, cmd);
		return;
	}
	if (cmd->purpose == SSDF_GC || cmd->purpose == SSDF_MAP_UPDATE) {
		ssdf_gc_step(f, cmd);
		return;
	}
	if (cmd->purpose == SSDF_MAP_EVICT || cmd->purpose == SSDF_MAP_LOOKUP) {
		go_on_looking(f, cmd);
		return;
	}
	if (cmd->purpose == SSDF_MERGE && !f->failed) {
		program(f, cmd);
		return;
	}
	cmd->rq->failed |= cmd->purpose == SSDF_MERGE;
	if (cmd->kind == SSDF_PROGRAM && ssdf_programmed(f, cmd->ppn))
		ssdf_gc_check(f, cmd->plane);
	end_command(f, cmd);
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
	struct list_head *waiting = &f->lanes[lane_of(rq)].waiting;

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
	if (!list_empty(waiting) || !go_on(f, rq))
		list_add_tail(&rq->node, waiting);
	else if (!rq->pending)
		ssdf_end_request(f, rq);
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
	return has_waiting(f) && (may_feed_lane(f, &f->lanes[SSDF_READ_LANE]) ||
				  may_feed_lane(f, &f->lanes[SSDF_WRITE_LANE]));
}

/* Is there work left that no event will trigger? */
static bool may_go_on(struct ssdf_device *f)
{
	return (has_retries(f) && !f->held) || !list_empty(&f->found) || may_feed(f);
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
	unsigned int i;

	f->started = 0;
	if (has_retries(f))
		try_stalled(f);
	if (!list_empty(&f->found))
		start_found(f);
	if (may_feed(f))
		ssdf_feed(f);
	for (i = 0; i < STEP && f->started < STEP; i++)
		if (!ssdf_nand_event(f, now_ns))
			break;
	return i == STEP || f->started >= STEP || may_go_on(f);
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
	return f->next_ns;
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

static int create_commands(struct ssdf_device *f)
{
	u32 nr = ssdf_nr_commands(&f->params), i;

	f->commands = ssdc_alloc_array(nr, sizeof(*f->commands));
	if (!f->commands)
		return -ENOMEM;
	f->nr_commands = nr;
	f->lane_commands = nr - nr / COMMANDS_RESERVED;
	for (i = 0; i < nr; i++) {
		f->commands[i].slot = i;
		list_add_tail(&f->commands[i].node, &f->free_commands);
	}
	for (i = 0; i < f->nr_planes; i++)
		f->planes[i].gc.slot = nr + i;
	return 0;
}

/* Each page type has a time to read and a time to program. */
static void derive_page_types(struct ssdf_device *f)
{
	const struct ssdf_params *p = &f->params;
	u32 reads[SSDF_MAX_PAGE_TYPES] = { p->read_ns, p->read2_ns, p->read3_ns, p->read4_ns };
	u32 programs[SSDF_MAX_PAGE_TYPES] = {
		p->program_ns, p->program2_ns, p->program3_ns, p->program4_ns,
	};
	u32 i;

	for (i = 0; i < SSDF_MAX_PAGE_TYPES && (reads[i] || programs[i]); i++) {
		f->type_read_ns[i] = p->read2_ns ? reads[i] : p->read_ns;
		f->type_program_ns[i] = p->program2_ns ? programs[i] : p->program_ns;
	}
	f->page_types = i;
}

static void derive(struct ssdf_device *f)
{
	const struct ssdf_params *p = &f->params;
	u32 spare_blocks = div_u64((u64)p->blocks * p->over_provisioning, 100) -
			   ssdf_bad_per_plane(p) - ssdf_map_blocks(p);

	f->nr_dies = p->channels * p->chips * p->dies;
	f->nr_planes = f->nr_dies * p->planes;
	f->nr_blocks = f->nr_planes * p->blocks;
	f->bad_per_plane = ssdf_bad_per_plane(p);
	f->good_blocks = f->nr_blocks - f->nr_planes * f->bad_per_plane;
	f->nr_pages = f->nr_blocks * p->pages;
	f->page_sectors = p->page_bytes >> 9;
	f->nr_lpns = div_u64(ssdf_capacity_sectors(p), f->page_sectors);
	f->nr_map_pages = ssdf_map_pages(p, f->nr_lpns);
	derive_page_types(f);
	f->page_transfer_ns = ssdf_transfer_ns(p, p->page_bytes);
	f->gc_reserve = 1;
	f->host_blocks = ssdf_host_blocks(p);
	/* Half of the mean: a page is overwritten once in so many writes as there are pages. */
	f->hot_age = f->nr_lpns / 2;
	/* GC needs the last free block: the host waits once only that one is left. */
	f->gc_below = max_t(u32, 2, div_u64((u64)p->blocks * p->gc_threshold, 100));
	f->urgent_below = max_t(u32, 2, div_u64((u64)p->blocks * p->gc_urgent, 100));
	f->gc_must_below = clamp_t(u32, spare_blocks / 10, 2, f->urgent_below);
	f->gc_worth = ssdf_gc_worth_pages(p);
	/* Each open block may be the next to need a free one; min_spare() has room for that. */
	f->gc_below += f->host_blocks - 1;
	f->urgent_below += f->host_blocks - 1;
	f->gc_must_below += f->host_blocks - 1;
}

/**
 * ssdf_create() - create a device
 * @params: checked by ssdf_params_check()
 * @error: reason of a failure
 *
 * Call ssdf_age() next.
 *
 * Context: may sleep.
 * Return: the device, which the caller frees with ssdf_destroy(), or NULL.
 */
struct ssdf_device *ssdf_create(const struct ssdf_params *params, struct ssdc_error *error)
{
	struct ssdf_device *f = ssdc_alloc_array(1, sizeof(*f));
	u32 i;

	if (f) {
		f->params = *params;
		INIT_LIST_HEAD(&f->free_commands);
		for (i = 0; i < SSDF_NR_LANES; i++) {
			INIT_LIST_HEAD(&f->lanes[i].waiting);
			INIT_LIST_HEAD(&f->lanes[i].stalled);
		}
		INIT_LIST_HEAD(&f->found);
		INIT_LIST_HEAD(&f->done);
		INIT_LIST_HEAD(&f->plugged_dies);
		INIT_LIST_HEAD(&f->gc_checks);
		derive(f);
	}
	if (!f || ssdf_ftl_create(f) || ssdf_wear_create(f) || ssdf_nand_create(f) ||
	    ssdf_map_cache_create(f) || create_commands(f)) {
		ssdf_destroy(f);
		scnprintf(error->text, sizeof(error->text),
			  "no memory: the map of the flash device needs %llu bytes",
			  ssdf_memory_bytes(params));
		return NULL;
	}
	ssdf_victim_begin(f);
	ssdf_age_begin(f);
	return f;
}

/**
 * ssdf_destroy() - free a device
 * @f: device, or NULL
 *
 * Context: may sleep.
 */
void ssdf_destroy(struct ssdf_device *f)
{
	if (!f)
		return;
	kvfree(f->commands);
	ssdf_map_cache_destroy(f);
	ssdf_nand_destroy(f);
	ssdf_wear_destroy(f);
	ssdf_ftl_destroy(f);
	kvfree(f);
}

/**
 * ssdf_check() - verify all invariants
 * @f: device
 *
 * For tests: time proportional to the number of pages.
 *
 * Return: 0 or -EUCLEAN.
 */
int ssdf_check(const struct ssdf_device *f)
{
	int r = ssdf_ftl_check(f);

	r = r ? r : ssdf_map_cache_check(f);
	return r ? r : ssdf_nand_check(f);
}
