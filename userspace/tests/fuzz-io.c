// SPDX-License-Identifier: GPL-2.0
/*
 * The driver of engine-fuzz: I/O, and the worker.
 *
 * I/O ends in any order. The worker does no more than that of the kernel's driver: it runs only after
 * I/O ended, after a live change, when its timer fires, or if ssdc_has_work() asked for it. A request
 * or a page that the engine forgets to report is stuck.
 */
#include <stdlib.h>
#include <string.h>
#include "engine-fuzz.h"

#define DRAIN_STEPS	200000

static struct pending *free_pending[MAX_PENDING];
static unsigned int nr_free_pending;

/* A record of something that ends later, by end_random(). */
struct pending *get_pending(enum pending_kind kind, struct request *request, u32 cell, u32 nr)
{
	struct pending *pending = nr_free_pending ? free_pending[--nr_free_pending] :
						    xcalloc(1, sizeof(*pending));

	if (f.nr_pending == MAX_PENDING)
		fail("more than %u I/Os in flight", MAX_PENDING);
	pending->kind = kind;
	pending->request = request;
	pending->cell = cell;
	pending->nr = nr;
	pending->error = 0;
	pending->reported = false;
	if (pending->room < nr) {
		free(pending->data);
		pending->data = xmalloc(nr * sizeof(*pending->data));
		pending->room = nr;
	}
	f.pending[f.nr_pending++] = pending;
	return pending;
}

static void put_pending(struct pending *pending)
{
	free_pending[nr_free_pending++] = pending;
}

/* Forget the I/O of an engine that is about to be destroyed. */
void pending_drop(void)
{
	while (f.nr_pending)
		put_pending(f.pending[--f.nr_pending]);
	f.discards = 0;
}

void pending_teardown(void)
{
	while (nr_free_pending) {
		free(free_pending[--nr_free_pending]->data);
		free(free_pending[nr_free_pending]);
	}
}

/* ---- the origin ---- */

void begin_origin_read(struct request *request, const struct ssdc_segment *seg)
{
	u32 cell = request->cell + (seg->rq_sector >> f.cell_shift);
	struct pending *pending = get_pending(ORIGIN_READ, request, cell,
					      seg->nr_sectors >> f.cell_shift);

	pending->seg = *seg;
	NOTE1(cell, pending->nr, "request %llu reads from the origin", request->rq.host.id);
	origin_begin(pending);
}

static void end_origin_read(struct pending *pending)
{
	struct request *request = pending->request;

	memcpy(request->buffer + (pending->cell - request->cell), pending->data,
	       pending->nr * sizeof(u64));
	if (ssdc_sub_done(f.e, &request->rq, &pending->seg, pending->error, f.now_ns) == SSDC_COMPLETE)
		complete(request);
}

void begin_bypass(struct request *request)
{
	struct pending *pending = get_pending(BYPASS, request, request->cell, request->nr);

	NOTE1(request->cell, request->nr, "request %llu bypasses DRAM", request->rq.host.id);
	origin_begin(pending);
}

static void end_bypass(struct pending *pending)
{
	struct request *request = pending->request;
	enum ssdc_action action;

	memcpy(request->buffer, pending->data, pending->nr * sizeof(u64));
	action = ssdc_bypass_done(f.e, &request->rq, pending->error, f.now_ns);
	/* This handler queues the worker only if there is work. */
	if (ssdc_bypass_has_work(f.e, &request->rq))
		f.kicked = true;
	if (action == SSDC_COMPLETE)
		complete(request);
}

void begin_flush(struct request *request)
{
	struct pending *pending = get_pending(ORIGIN_FLUSH, request, 0, 0);

	NOTE1(NO_CELL, 0, "request %llu flushes the origin", request->rq.host.id);
	origin_begin(pending);
}

static void end_flush(struct pending *pending)
{
	flush_ended(pending->request, pending->error);
	ssdc_forward_done(f.e, &pending->request->rq, pending->error);
}

/* Do the two concern the same page? */
static bool share_page(const struct pending *a, const struct pending *b)
{
	u32 page = f.page_cells;

	return a->cell / page <= (b->cell + b->nr - 1) / page &&
		b->cell / page <= (a->cell + a->nr - 1) / page;
}

/* While a discard is at the origin, there is no page I/O in the pages that it overlaps. */
static void check_overlap(const struct pending *begun)
{
	unsigned int i;

	if (begun->kind != ORIGIN_DISCARD && !f.discards)
		return;
	for (i = 0; i < f.nr_pending; i++) {
		const struct pending *pending = f.pending[i], *page = begun;

		if (begun->kind == ORIGIN_DISCARD)
			page = pending;
		else if (pending->kind != ORIGIN_DISCARD)
			continue;
		if (page->kind != PAGE_READ &&
		    (page->kind != PAGE_WRITE || !has_rule(RULE_DISCARD_OVERLAP)))
			continue;
		if (share_page(begun, pending))
			fail_at(page->cell, "%s of page %u while a discard that overlaps it is at the origin",
				page->kind == PAGE_READ ? "fill" : "flush",
				page->cell / f.page_cells);
	}
}

void begin_discard(struct request *request)
{
	struct pending *pending = get_pending(ORIGIN_DISCARD, request, request->cell, request->nr);

	NOTE1(request->cell, request->nr, "discard %llu is at the origin", request->rq.host.id);
	check_overlap(pending);
	f.discards++;
	origin_begin(pending);
}

static void end_discard(struct pending *pending)
{
	f.discards--;
	f.counts.failed_discards += !!pending->error;
	ssdc_forward_done(f.e, &pending->request->rq, pending->error);
}

static void begin_page_io(const struct ssdc_io *io)
{
	u32 sectors = io->sector | io->frame_sector | io->nr_sectors;
	u64 *frame = buffer_cells(io->buffer, io->frame_sector);
	struct pending *pending;

	if (!io->nr_sectors || io->frame_sector + io->nr_sectors > f.e->tier.page_sectors ||
	    io->sector + io->nr_sectors > f.e->origin_sectors ||
	    sectors & ((1u << f.cell_shift) - 1))
		fail("page I/O of sectors %llu+%u", io->sector, io->nr_sectors);
	pending = get_pending(io->write ? PAGE_WRITE : PAGE_READ, NULL, io->sector >> f.cell_shift,
			      io->nr_sectors >> f.cell_shift);
	pending->io = *io;
	NOTE1(pending->cell, pending->nr,
	      !io->write ? "fill of frame %llu begins" : io->fua ? "FUA flush of frame %llu begins" :
	      "flush of frame %llu begins", ssdc_frame_nr(io->frame));
	check_overlap(pending);
	if (io->write) {
		memcpy(pending->data, frame, pending->nr * sizeof(u64));
	} else {
		memset(f.written + (frame - f.dram), 0, pending->nr);
		memset(frame, 0xff, pending->nr * sizeof(u64)); /* RUBBISH */
	}
	origin_begin(pending);
	if (SABOTAGE(BREAK_CHANGED_FRAME) && io->write && chance(20))
		frame[0] = RUBBISH;
}

static void report_page_io(struct pending *pending)
{
	const struct ssdc_io *io = &pending->io;
	bool more;

	/* The page fails with its last run, even if an earlier run failed. */
	if (ssdc_entry_at(f.e, io->frame)->flags & SSDC_E_IO_ERROR)
		f.last_error = promises_time();
	more = ssdc_io_done(f.e, io, pending->error, f.now_ns);
	/* Other CPUs may come in between. The next flush of the pass goes on, too. */
	while (more && pick(8))
		more = ssdc_go_on(f.e);
}

static void end_page_io(struct pending *pending)
{
	u64 *frame = buffer_cells(pending->io.buffer, pending->io.frame_sector);
	u32 i;

	if (pending->kind == PAGE_READ)
		memcpy(frame, pending->data, pending->nr * sizeof(u64));
	for (i = 0; i < pending->nr; i++)
		if (frame[i] != pending->data[i] && pending->data[i] != LOST)
			fail_at(pending->cell + i, "frame %u changed while it was being written",
				ssdc_frame_nr(pending->io.frame));
	report_page_io(pending);
}

/* ---- what ends ---- */

static void end_io(struct pending *pending)
{
	origin_end(pending);
	NOTE1(pending->nr ? pending->cell : NO_CELL, pending->nr,
	      pending->kind == ORIGIN_FLUSH ? "the FLUSH ends, error %llu" :
	      pending->kind == ORIGIN_DISCARD ? "the discard ends at the origin, error %llu" :
	      pending->kind == ORIGIN_READ || pending->kind == BYPASS ? "the read from the origin ends, error %llu" :
	      pending->kind == PAGE_READ ? "the fill ends, error %llu" : "the flush ends, error %llu",
	      -pending->error);
	if (pending->error)
		f.last_error = promises_time();
	/* Other completion handlers queue the worker. */
	if (pending->kind != BYPASS)
		f.kicked = true;
}

static void end_pending(struct pending *pending)
{
	if (pending->reported) {
		f.discards -= pending->kind == ORIGIN_DISCARD;
		origin_lingered(pending);
		return;
	}
	switch (pending->kind) {
	case PAGE_READ:
	case PAGE_WRITE:
		end_io(pending);
		end_page_io(pending);
		break;
	case ORIGIN_READ:
		end_io(pending);
		end_origin_read(pending);
		break;
	case BYPASS:
		end_io(pending);
		end_bypass(pending);
		break;
	case ORIGIN_FLUSH:
		end_io(pending);
		end_flush(pending);
		break;
	case ORIGIN_DISCARD:
		end_io(pending);
		end_discard(pending);
		break;
	case COPY:
		end_copy(pending);
		break;
	case RESUME:
		advance(pending->request);
		break;
	}
}

/* Report the end of a page write or discard, which has taken effect, and leave it in flight. */
static bool end_early(struct pending *pending)
{
	if (pending->reported || toss() ||
	    !((SABOTAGE(BREAK_EARLY_END) && pending->kind == PAGE_WRITE) ||
	      (SABOTAGE(BREAK_EARLY_DISCARD) && pending->kind == ORIGIN_DISCARD)))
		return false;
	end_io(pending);
	pending->reported = true;
	origin_linger(pending);
	if (pending->kind == PAGE_WRITE)
		report_page_io(pending);
	else
		ssdc_forward_done(f.e, &pending->request->rq, pending->error);
	return true;
}

static void end_at(unsigned int i)
{
	struct pending *pending = f.pending[i];

	if (sabotage && end_early(pending))
		return;
	f.pending[i] = f.pending[--f.nr_pending];
	end_pending(pending);
	put_pending(pending);
}

/* End any I/O or copy, or continue any request that was put off. */
void end_random(void)
{
	end_at(pick(f.nr_pending));
}

static bool is_io(const struct pending *pending)
{
	return pending->kind != COPY && pending->kind != RESUME;
}

/* The same, but of another request, and @no_io: no I/O. Nothing happens if there is none. */
void end_other(const struct request *request, bool no_io)
{
	unsigned int first = pick(f.nr_pending), i, n;

	for (n = 0; n < f.nr_pending; n++) {
		i = (first + n) % f.nr_pending;
		if (f.pending[i]->request != request && !(no_io && is_io(f.pending[i]))) {
			end_at(i);
			return;
		}
	}
}

/* ---- the worker ---- */

static bool start_one_io(void)
{
	struct ssdc_io io;

	if (!ssdc_next_io(f.e, &io))
		return false;
	begin_page_io(&io);
	return true;
}

static bool advance_one_ready(void)
{
	struct ssdc_request *rq = ssdc_next_ready(f.e);

	if (!rq)
		return false;
	f.held = pick(3) ? NULL : container_of(rq, struct request, rq);
	advance(container_of(rq, struct request, rq));
	f.held = NULL;
	return true;
}

/* Background work, which arms the timer. Returns true if there is more at once. */
static bool background(void)
{
	u64 next_ns;

	do {
		next_ns = ssdc_background(f.e, f.now_ns);
	} while (next_ns == SSDC_GO_ON && pick(4));
	/* Other CPUs come in between. */
	if (next_ns == SSDC_GO_ON)
		next_ns = 0;
	f.wake_ns = next_ns && !f.e->frozen ? next_ns : SSDC_NEVER;
	return !next_ns;
}

/* Run the worker until it finds nothing to do. */
void worker(void)
{
	unsigned int rounds = 0;
	bool fast = !pick(16), more;

	do {
		f.kicked = false;
		more = background();
		while (advance_one_ready() || start_one_io())
			more = true;
		/* An origin may be as fast as the worker: padded blocks then take many rounds. */
		while (fast && f.nr_pending)
			end_random();
		if (++rounds > 200000)
			fail("ssdc_background() never runs out of steps");
	} while (more || f.kicked);
}

/* A part of the worker's run, which continues later. */
void worker_piece(void)
{
	switch (pick(4)) {
	case 0:
		background();
		break;
	case 1:
		advance_one_ready();
		break;
	default:
		start_one_io();
	}
}

/* The timer queues the worker if it is time. */
void fire_timer(void)
{
	if (f.now_ns < f.wake_ns)
		return;
	f.wake_ns = SSDC_NEVER;
	f.kicked = true;
}

/* What the driver does next if no request arrives. Returns false if there is nothing. */
static bool next_event(void)
{
	if (f.kicked)
		worker();
	else if (f.nr_pending)
		end_random();
	else if (f.wake_ns != SSDC_NEVER)
		f.now_ns = max(f.now_ns, f.wake_ns);
	else
		return false;
	fire_timer();
	return true;
}

/* No request arrives until @done. Fails if that never is. */
void wait_until(bool (*done)(void), const char *what)
{
	unsigned int steps;

	f.quiet = true;
	for (steps = 0; !done(); steps++)
		if (steps == DRAIN_STEPS || !next_event())
			fail("stuck, waiting for %s: %u requests, %u I/Os in flight%s", what,
			     f.active, f.nr_pending,
			     steps == DRAIN_STEPS ? "" : "; nothing queues the worker");
	f.quiet = false;
}
