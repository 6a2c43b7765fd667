// SPDX-License-Identifier: GPL-2.0
/*
 * Requests of a flash device, from their arrival to their end.
 *
 * A request is cut into flash pages, and each page gets a command from a fixed
 * supply. A request that finds none waits, in order of arrival, and goes on where
 * it was; so a request may have any size.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/slab.h>
#include "internal.h"

/* Events, pages of a discard, or writes to be tried again, in one call under the lock. */
#define STEP 64

/* Pages of a read or write: no less than there are commands in any but large devices. */
#define MAX_PAGES_AT_ONCE 1024

/* All of a request is done: it is over, once it is durable if it has to be. */
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

/* The page of a request that comes next. */
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

/*
 * Nothing was written there since the device was made, but the medium below may
 * hold data from before: a read takes as long as if it had been put there in turn.
 */
static ssdf_ppn_t assumed_place(const struct ssdf_device *f, ssdf_lpn_t lpn)
{
	u32 page = ssdf_lpn_nr(lpn) / f->nr_planes % f->params.pages;

	return ssdf_ppn(ssdf_static_plane(f, lpn) * f->params.blocks * f->params.pages + page);
}

/* Give a program its page and queue it. Returns false if no block is free for it. */
static bool try_program(struct ssdf_device *f, struct ssdf_command *cmd)
{
	ssdf_ppn_t old = f->map[ssdf_lpn_nr(cmd->lpn)];
	u32 outdated;

	cmd->kind = SSDF_PROGRAM;
	cmd->purpose = SSDF_HOST;
	cmd->bytes = f->params.page_bytes;
	if (f->held || !ssdf_write_page(f, cmd->lpn, cmd))
		return false;
	outdated = f->outdated_plane;
	f->stats.host_programs++;
	ssdf_media_write(f, cmd, cmd->lpn, old);
	ssdf_queue(f, cmd);
	ssdf_gc_start(f, cmd->plane);
	if (outdated < f->nr_planes)
		ssdf_gc_start(f, outdated);
	return true;
}

/* A host command is over. */
static void end_command(struct ssdf_device *f, struct ssdf_command *cmd)
{
	struct ssdf_request *rq = cmd->rq;

	list_add(&cmd->node, &f->free_commands);
	if (!--rq->pending && rq->cursor == rq->nr_sectors)
		ssdf_end_request(f, rq);
	ssdf_feed(f);
}

static void program(struct ssdf_device *f, struct ssdf_command *cmd)
{
	if (try_program(f, cmd))
		return;
	f->stats.stalled_writes++;
	ssdf_tell_stalled(f, cmd->lpn);
	list_add_tail(&cmd->node, &f->stalled);
}

/* Where a program would have to go; nr_planes: anywhere. */
static u32 only_plane(const struct ssdf_device *f, const struct ssdf_command *cmd)
{
	return f->params.allocation == SSDF_STATIC ? ssdf_static_plane(f, cmd->lpn) : f->nr_planes;
}

/* A block of the plane became free: only then can there be room where there was none. */
void ssdf_retry_stalled(struct ssdf_device *f, u32 plane)
{
	struct ssdf_command *cmd, *next;

	list_for_each_entry_safe(cmd, next, &f->stalled, node) {
		u32 only = only_plane(f, cmd);

		if (only != plane && only != f->nr_planes)
			continue;
		/* A command that finds room leaves the list, for its die's queue. */
		list_del_init(&cmd->node);
		if (try_program(f, cmd))
			continue;
		list_add_tail(&cmd->node, &next->node);
		return;
	}
}

/* The medium takes writes again: all that are stalled are to be tried, see try_stalled(). */
void ssdf_retry_all(struct ssdf_device *f)
{
	struct ssdf_command *cmd;

	f->retries = 0;
	list_for_each_entry(cmd, &f->stalled, node)
		f->retries++;
}

/* A bounded number of them; those that find no room go to the end, so that their order stays. */
static void try_stalled(struct ssdf_device *f)
{
	struct ssdf_command *cmd;
	u32 i;

	for (i = 0; i < STEP && f->retries && !f->held; i++) {
		cmd = list_first_entry_or_null(&f->stalled, struct ssdf_command, node);
		f->retries = cmd ? f->retries - 1 : 0;
		if (!cmd)
			return;
		list_del_init(&cmd->node);
		if (!try_program(f, cmd))
			list_add_tail(&cmd->node, &f->stalled);
	}
}

/* Nothing will be written any more. */
void ssdf_fail_stalled(struct ssdf_device *f)
{
	struct ssdf_command *cmd;

	while ((cmd = list_first_entry_or_null(&f->stalled, struct ssdf_command, node))) {
		list_del_init(&cmd->node);
		cmd->rq->failed = true;
		end_command(f, cmd);
	}
}

static void read_place(struct ssdf_device *f, struct ssdf_command *cmd, ssdf_ppn_t ppn)
{
	cmd->kind = SSDF_READ;
	cmd->ppn = ssdf_is_mapped(ppn) ? ppn : assumed_place(f, cmd->lpn);
	cmd->plane = ssdf_plane_of(f, cmd->ppn);
	ssdf_queue(f, cmd);
}

/* Need the flash be asked, or does the controller know the page's data? */
static bool is_in_flash(const struct ssdf_device *f, ssdf_ppn_t ppn)
{
	return ppn == SSDF_UNMAPPED || (ssdf_is_mapped(ppn) && ssdf_is_programmed(f, ppn));
}

/* A read of it takes no time: cached by the controller, or known to be empty. */
static bool is_known(const struct ssdf_device *f, ssdf_ppn_t ppn)
{
	return !is_in_flash(f, ppn);
}

static void count_known(struct ssdf_device *f, ssdf_ppn_t ppn)
{
	if (ppn == SSDF_TRIMMED)
		f->stats.trimmed_reads++;
	else
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
	read_place(f, cmd, ppn);
}

/* A program writes whole pages: what is left of an old one is read first. */
static void write_piece(struct ssdf_device *f, struct ssdf_request *rq, struct piece piece,
			struct ssdf_command *cmd)
{
	ssdf_ppn_t ppn = f->map[ssdf_lpn_nr(piece.lpn)];

	if (piece.sectors == f->page_sectors || !is_in_flash(f, ppn)) {
		program(f, cmd);
		return;
	}
	cmd->purpose = SSDF_MERGE;
	cmd->bytes = (f->page_sectors - piece.sectors) << 9;
	f->stats.merge_reads++;
	read_place(f, cmd, ppn);
}

static struct ssdf_command *take_command(struct ssdf_device *f, struct ssdf_request *rq,
					 struct piece piece)
{
	struct ssdf_command *cmd = list_first_entry_or_null(&f->free_commands,
							    struct ssdf_command, node);

	if (!cmd)
		return NULL;
	list_del_init(&cmd->node);
	cmd->rq = rq;
	cmd->lpn = piece.lpn;
	rq->pending++;
	return cmd;
}

/* Returns false if there is no command for the page now. */
static bool do_piece(struct ssdf_device *f, struct ssdf_request *rq, struct piece piece)
{
	ssdf_ppn_t ppn = f->map[ssdf_lpn_nr(piece.lpn)];
	struct ssdf_command *cmd;

	/* A medium has to fetch even what takes no time. */
	if (!f->media && rq->op == SSDC_READ && is_known(f, ppn)) {
		count_known(f, ppn);
		return true;
	}
	cmd = take_command(f, rq, piece);
	if (!cmd)
		return false;
	if (rq->op == SSDC_READ)
		read_piece(f, rq, piece, cmd);
	else
		write_piece(f, rq, piece, cmd);
	return true;
}

/*
 * Read or write: commands for as many pages as there are, up to a bound. Returns true
 * once it has all. Dies begin when all are queued, so that planes can work together.
 */
static bool expand(struct ssdf_device *f, struct ssdf_request *rq)
{
	u32 i;

	/* What ends while the request is being cut must not end it. */
	rq->pending++;
	ssdf_plug(f);
	for (i = 0; i < MAX_PAGES_AT_ONCE && rq->cursor < rq->nr_sectors; i++) {
		struct piece piece = next_piece(f, rq);

		if (!do_piece(f, rq, piece))
			break;
		rq->cursor += piece.sectors;
	}
	ssdf_unplug(f);
	rq->pending--;
	return rq->cursor == rq->nr_sectors;
}

/* A bounded number of the pages that lie wholly inside. Returns true after the last. */
static bool trim(struct ssdf_device *f, struct ssdf_request *rq)
{
	u32 i;

	for (i = 0; i < STEP && rq->cursor < rq->nr_sectors && !f->held; i++) {
		struct piece piece = next_piece(f, rq);

		if (piece.sectors == f->page_sectors)
			ssdf_trim_page(f, piece.lpn);
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
		return true;	/* what was acknowledged is in the flash */
	}
}

/* Requests that wait go on, in their order. */
void ssdf_feed(struct ssdf_device *f)
{
	struct ssdf_request *rq;

	while ((rq = list_first_entry_or_null(&f->waiting, struct ssdf_request, node))) {
		if (!go_on(f, rq))
			return;
		list_del(&rq->node);
		if (!rq->pending)
			ssdf_end_request(f, rq);
	}
}

/* NAND, or the medium, is done with a command; it is over when both are. */
void ssdf_command_done(struct ssdf_device *f, struct ssdf_command *cmd)
{
	if (--cmd->waits)
		return;
	if (cmd->purpose == SSDF_GC) {
		ssdf_gc_step(f, cmd);
		return;
	}
	if (cmd->purpose == SSDF_MERGE && !f->failed) {
		program(f, cmd);
		return;
	}
	cmd->rq->failed |= cmd->purpose == SSDF_MERGE;
	if (cmd->kind == SSDF_PROGRAM)
		ssdf_programmed(f, cmd->ppn);
	end_command(f, cmd);
}

/**
 * ssdf_submit() - take a request
 * @f: device
 * @rq: op, sector and nr_sectors are set; within the capacity
 * @now_ns: current time; ssdf_advance() was called with it and returned false
 *
 * The request may be over at once: ask ssdf_next_done().
 *
 * Context: the caller's lock. Takes time in proportion to the request's pages, up to
 * a bound: the rest comes with ssdf_advance().
 */
void ssdf_submit(struct ssdf_device *f, struct ssdf_request *rq, u64 now_ns)
{
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
	if (!list_empty(&f->waiting) || !go_on(f, rq))
		list_add_tail(&rq->node, &f->waiting);
	else if (!rq->pending)
		ssdf_end_request(f, rq);
}

/* Does the first waiting request only need another step? */
static bool may_feed(struct ssdf_device *f)
{
	const struct ssdf_request *rq;

	rq = list_first_entry_or_null(&f->waiting, struct ssdf_request, node);
	if (!rq)
		return false;
	return rq->op == SSDC_DISCARD ? !f->held : !list_empty(&f->free_commands);
}

/* Is there something to do that no event will bring about? */
static bool may_go_on(struct ssdf_device *f)
{
	return (f->retries && !f->held) || may_feed(f);
}

/**
 * ssdf_advance() - let a bounded number of events happen
 * @f: device
 * @now_ns: current time
 *
 * Context: the caller's lock.
 * Return: true if there may be more to happen by @now_ns: call again, after giving
 * others a chance to take the lock.
 */
bool ssdf_advance(struct ssdf_device *f, u64 now_ns)
{
	unsigned int i;

	try_stalled(f);
	if (may_feed(f))
		ssdf_feed(f);
	for (i = 0; i < STEP; i++)
		if (!ssdf_nand_event(f, now_ns))
			break;
	return i == STEP || may_go_on(f);
}

/**
 * ssdf_next_ns() - when the next event is
 * @f: device
 *
 * Return: its time, in the past if ssdf_advance() is to be called at once;
 * SSDF_NEVER if nothing happens before the next request.
 */
u64 ssdf_next_ns(struct ssdf_device *f)
{
	if (may_go_on(f))
		return f->clock_ns;
	return f->nr_events ? f->events[0].time_ns : SSDF_NEVER;
}

/**
 * ssdf_next_done() - fetch a request that is over
 * @f: device
 *
 * Return: the caller's again, with done_ns set; NULL if there is none.
 */
struct ssdf_request *ssdf_next_done(struct ssdf_device *f)
{
	struct ssdf_request *rq = list_first_entry_or_null(&f->done, struct ssdf_request, node);

	if (rq)
		list_del_init(&rq->node);
	return rq;
}

/* Would ssdf_next_done() return a request? */
bool ssdf_has_done(const struct ssdf_device *f)
{
	return !list_empty(&f->done);
}

/**
 * ssdf_get_view() - what the device is doing
 * @f: device
 * @view: result: source, channels, dies and what counts units, which are dies
 *
 * A channel is idle when nothing is or waits to be transferred, and at least one of its
 * dies has nothing to do.
 *
 * Context: the caller's lock, or none if a moment's look will do; takes time in
 * proportion to the number of channels.
 */
void ssdf_get_view(const struct ssdf_device *f, struct ssdc_view *view)
{
	u32 i;

	view->source = SSDC_VIEW_EXACT;
	view->channels = f->params.channels;
	view->dies = f->params.dies;
	view->idle_channels = 0;
	for (i = 0; i < f->params.channels; i++)
		view->idle_channels += READ_ONCE(f->channels[i].idle_dies) &&
				       !READ_ONCE(f->channels[i].user);
	view->units = f->nr_dies;
	view->idle_units = READ_ONCE(f->idle_dies);
	view->queued = READ_ONCE(f->load);
	view->utilisation = (f->nr_dies - view->idle_units) * 1000 / f->nr_dies;
}

/* The die that has the page's data; of one that was never written, that has its place. */
static u32 die_of_data(const struct ssdf_device *f, ssdf_lpn_t lpn)
{
	ssdf_ppn_t ppn = READ_ONCE(f->map[ssdf_lpn_nr(lpn)]);
	u32 plane = ssdf_is_mapped(ppn) ? ssdf_plane_of(f, ppn) : ssdf_static_plane(f, lpn);

	return plane / f->params.planes;
}

static void ask_die(const struct ssdf_device *f, struct ssdc_unit_query *query)
{
	ssdf_lpn_t lpn = ssdf_lpn(div_u64(query->sector, f->page_sectors));

	if (ssdf_lpn_nr(lpn) >= f->nr_lpns)
		lpn = ssdf_lpn(0);
	query->unit = f->params.allocation == SSDF_STATIC ?
		      ssdf_static_plane(f, lpn) / f->params.planes : die_of_data(f, lpn);
	query->depth = READ_ONCE(f->dies[query->unit].load);
}

/**
 * ssdf_ask_units() - what would accesses of pages have to wait for?
 * @f: device
 * @queries: sector and write are set; the answers are unit, which is a die, and depth
 * @nr: how many
 *
 * With dynamic allocation a write goes to the die that has the least to do when it comes:
 * its depth is that of the die that would be chosen now.
 *
 * Context: as ssdf_get_view(); takes time in proportion to @nr, and once to the number of
 * dies if there are such writes.
 */
void ssdf_ask_units(const struct ssdf_device *f, struct ssdc_unit_query *queries, unsigned int nr)
{
	bool known = false;
	u32 least = 0;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!queries[i].write || f->params.allocation == SSDF_STATIC) {
			ask_die(f, &queries[i]);
			continue;
		}
		if (!known)
			least = ssdf_least_load(f);
		known = true;
		queries[i].unit = SSDC_ANY_UNIT;
		queries[i].depth = least;
	}
}

static int create_commands(struct ssdf_device *f)
{
	u32 nr = ssdf_nr_commands(&f->params), i;

	f->commands = kvcalloc(nr, sizeof(*f->commands), GFP_KERNEL);
	if (!f->commands)
		return -ENOMEM;
	f->nr_commands = nr;
	for (i = 0; i < nr; i++) {
		f->commands[i].slot = i;
		list_add_tail(&f->commands[i].node, &f->free_commands);
	}
	for (i = 0; i < f->nr_planes; i++)
		f->planes[i].gc.slot = nr + i;
	return 0;
}

static void derive(struct ssdf_device *f)
{
	const struct ssdf_params *p = &f->params;
	u32 reads[] = { p->read_ns, p->read2_ns, p->read3_ns, p->read4_ns }, i;

	f->nr_dies = p->channels * p->chips * p->dies;
	f->nr_planes = f->nr_dies * p->planes;
	f->nr_blocks = f->nr_planes * p->blocks;
	f->nr_pages = f->nr_blocks * p->pages;
	f->page_sectors = p->page_bytes >> 9;
	f->nr_lpns = div_u64(ssdf_capacity_sectors(p), f->page_sectors);
	for (i = 0; i < ARRAY_SIZE(reads) && reads[i]; i++)
		f->type_read_ns[f->page_types++] = reads[i];
	f->gc_reserve = 1;
	/* GC needs the last block; the host has to wait once only that is left. */
	f->gc_below = max_t(u32, 2, div_u64((u64)p->blocks * p->gc_threshold, 100));
	f->urgent_below = max_t(u32, 2, div_u64((u64)p->blocks * p->gc_urgent, 100));
}

/**
 * ssdf_create() - make a device
 * @params: checked by ssdf_params_check()
 * @error: says what went wrong
 *
 * To be followed by ssdf_age().
 *
 * Context: may sleep.
 * Return: the device, to be freed with ssdf_destroy(), or NULL.
 */
struct ssdf_device *ssdf_create(const struct ssdf_params *params, struct ssdc_error *error)
{
	struct ssdf_device *f = kvzalloc(sizeof(*f), GFP_KERNEL);

	if (f) {
		f->params = *params;
		INIT_LIST_HEAD(&f->free_commands);
		INIT_LIST_HEAD(&f->waiting);
		INIT_LIST_HEAD(&f->stalled);
		INIT_LIST_HEAD(&f->done);
		INIT_LIST_HEAD(&f->plugged_dies);
		INIT_LIST_HEAD(&f->gc_checks);
		derive(f);
	}
	if (!f || ssdf_ftl_create(f) || ssdf_nand_create(f) || create_commands(f)) {
		ssdf_destroy(f);
		scnprintf(error->text, sizeof(error->text),
			  "no memory: %llu bytes are needed for the flash device's map",
			  ssdf_memory_bytes(params));
		return NULL;
	}
	ssdf_age_begin(f);
	return f;
}

void ssdf_destroy(struct ssdf_device *f)
{
	if (!f)
		return;
	kvfree(f->commands);
	ssdf_nand_destroy(f);
	ssdf_ftl_destroy(f);
	kvfree(f);
}

/**
 * ssdf_check() - verify all invariants
 * @f: device
 *
 * For tests: takes time in proportion to the number of pages.
 *
 * Return: 0 or -EUCLEAN.
 */
int ssdf_check(const struct ssdf_device *f)
{
	int r = ssdf_ftl_check(f);

	return r ? r : ssdf_nand_check(f);
}
