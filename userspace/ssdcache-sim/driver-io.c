// SPDX-License-Identifier: GPL-2.0
/*
 * What the worker and the ends of bios are in the kernel: a shard's requests advance, its I/O goes to the origin, and what has
 * ended is told to the engine.
 */
#include "driver-parts.h"
#include "progress.h"

static struct sim_io *new_io(struct sim *sim, struct sim_shard *s, enum sim_io_kind kind,
			     struct sim_request *request)
{
	struct sim_io *io = sim->free_ios;

	if (io)
		sim->free_ios = io->next_free;
	else
		io = xmalloc(sizeof(*io));
	io->kind = kind;
	io->shard = s;
	io->request = request;
	io->merged = NULL;
	return io;
}

static u64 latency_ns(const struct sim_options *options, enum ssdc_op op)
{
	switch (op) {
	case SSDC_READ:
		return options->read_ns;
	case SSDC_FLUSH:
		return options->flush_ns;
	default:
		return options->write_ns;
	}
}

/* Submit I/O to the origin; sim_end_io() is called when it has ended. */
static void start_io(struct sim *sim, struct sim_io *io, enum ssdc_op op, u64 sector,
		     u64 nr_sectors)
{
	if (!sim->flash) {
		sim_events_add(&sim->events, sim->now_ns + latency_ns(sim->options, op), io);
		return;
	}
	io->flash.op = op;
	io->flash.sector = sector;
	io->flash.nr_sectors = nr_sectors;
	io->flash.stream = 0;
	while (ssdf_next_ns(sim->flash) <= sim->now_ns)
		ssdf_advance(sim->flash, sim->now_ns);
	ssdf_submit(sim->flash, &io->flash, sim->now_ns);
}

/* The FLUSH of a request begins at the origin, or waits for that of another shard. */
static void start_flush(struct sim *sim, struct sim_io *io)
{
	if (sim->nr_shards == 1) {
		start_io(sim, io, SSDC_FLUSH, io->request->rq.host.sector, io->request->rq.host.nr_sectors);
	} else if (sim->flushing) {
		sim_push(&sim->waiters, io);
	} else {
		sim->flushing = io;
		start_io(sim, io, SSDC_FLUSH, 0, 0);
	}
}

/* A FLUSH has ended at the origin: so it has for those that share it, and the next one begins. */
static void flush_ended(struct sim *sim, const struct sim_io *flush)
{
	struct sim_io *io;

	if (flush != sim->flushing)
		return;
	while ((io = sim_pop(&sim->sharers))) {
		sim_push(&io->shard->ended, io);
		sim_set_due(sim, io->shard);
	}
	sim->sharers = sim->waiters;
	sim->waiters.first = NULL;
	sim->flushing = sim_pop(&sim->sharers);
	if (sim->flushing)
		start_io(sim, sim->flushing, SSDC_FLUSH, 0, 0);
}

static void complete(struct sim *sim, struct sim_request *request)
{
	struct sim_image *image = request->shard->image;

	if (request->rq.error)
		die(TOOL_FAILED, "internal error: request %llu failed with %d",
		    request->rq.host.id, request->rq.error);
	if (image)
		sim_image_end(image, &request->rq, &request->data);
	if (sim->nr_shards > 1) {
		if (list_empty(&request->parts))
			sim->records_inflight--;
		list_del(&request->parts);
	}
	request->next_free = sim->free_requests;
	sim->free_requests = request;
}

/**
 * sim_advance() - advance a request until it waits or ends
 * @sim: run
 * @request: request
 */
void sim_advance(struct sim *sim, struct sim_request *request)
{
	const struct sim_options *options = sim->options;
	struct sim_shard *s = request->shard;
	enum ssdc_action action;
	struct ssdc_segment seg;
	struct sim_io *io;

	for (;;) {
		action = ssdc_step(s->e, &request->rq, sim->now_ns, &seg);
		switch (action) {
		case SSDC_COPY:
			if (s->image)
				sim_image_copy(s->image, &request->rq, &request->data, &seg);
			if (!options->dram_ns)
				continue;
			sim_events_add(&sim->events, sim->now_ns + options->dram_ns,
				       new_io(sim, s, COPY, request));
			return;
		case SSDC_READ_ORIGIN:
			io = new_io(sim, s, ORIGIN_READ, request);
			io->seg = seg;
			start_io(sim, io, SSDC_READ, request->rq.host.sector + seg.rq_sector,
				 seg.nr_sectors);
			continue;
		case SSDC_BYPASS:
			start_io(sim, new_io(sim, s, BYPASS, request), SSDC_READ,
				 request->rq.host.sector, request->rq.host.nr_sectors);
			return;
		case SSDC_FORWARD:
		case SSDC_FLUSH_ORIGIN:
			io = new_io(sim, s, FORWARD, request);
			io->flushes = action == SSDC_FLUSH_ORIGIN || request->rq.host.op == SSDC_FLUSH;
			if (io->flushes)
				start_flush(sim, io);
			else
				start_io(sim, io, request->rq.host.op, request->rq.host.sector,
					 request->rq.host.nr_sectors);
			return;
		case SSDC_AGAIN:
		case SSDC_MORE:
		case SSDC_YIELD:
			continue;
		case SSDC_WAIT:
			return;
		case SSDC_COMPLETE:
			complete(sim, request);
			return;
		}
	}
}

/* Start the I/O of a page and of those that join it. Returns true if @page is now one that did not join. */
static bool start_pages(struct sim *sim, struct sim_shard *s, struct ssdc_io *page)
{
	struct sim_io *first = new_io(sim, s, PAGE_IO, NULL), *last = first;
	u64 nr_sectors = page->nr_sectors;
	unsigned int nr = 1;
	bool more;

	first->io = *page;
	while ((more = ssdc_next_io(s->e, page)) && ssdc_io_joins(s->e, &last->io, nr, page)) {
		last->merged = new_io(sim, s, PAGE_IO, NULL);
		last = last->merged;
		last->io = *page;
		nr_sectors += page->nr_sectors;
		nr++;
	}
	start_io(sim, first, first->io.write ? SSDC_WRITE : SSDC_READ, first->io.sector, nr_sectors);
	return more;
}

/**
 * sim_start_work() - start the I/O that the engine has queued
 * @sim: run
 * @s: shard
 *
 * Return: false if there is none.
 */
bool sim_start_work(struct sim *sim, struct sim_shard *s)
{
	struct ssdc_request *rq;
	struct ssdc_io page;
	bool any = false;

	/* After most hits. */
	if (!ssdc_has_queued(s->e))
		return false;
	while ((rq = ssdc_next_ready(s->e))) {
		sim_advance(sim, container_of(rq, struct sim_request, rq));
		any = true;
	}
	if (!ssdc_next_io(s->e, &page))
		return any;
	while (start_pages(sim, s, &page))
		;
	return true;
}

/* Only --time-steps reads the clock: without it, two runs give the same report. */
static u64 background(struct sim *sim, struct sim_shard *s)
{
	bool timed = sim->options->time_steps && ssdc_step_wanted(s->e);
	double start = timed ? sim_cpu_seconds() : 0;
	u64 wake_ns;

	do {
		wake_ns = ssdc_background(s->e, sim->now_ns);
	} while (wake_ns == SSDC_GO_ON);
	if (timed)
		s->e->stats.plugin_step_ns += 1e9 * (sim_cpu_seconds() - start);
	return wake_ns;
}

/**
 * sim_settle() - run everything that a shard has to do at this moment
 * @sim: run
 * @s: shard
 */
void sim_settle(struct sim *sim, struct sim_shard *s)
{
	sim_start_work(sim, s);
	do {
		s->wake_ns = background(sim, s);
	} while (sim_start_work(sim, s) || !s->wake_ns);
}

/* End the I/O of one or several pages. Frees all records but the last, which is returned. */
static struct sim_io *end_pages(struct sim *sim, struct sim_io *io)
{
	struct sim_shard *s = io->shard;
	struct sim_io *next;

	for (;; io = next) {
		if (s->image)
			sim_image_io(s->image, &io->io);
		if (ssdc_io_done(s->e, &io->io, 0, sim->now_ns))
			while (ssdc_go_on(s->e))
				;
		next = io->merged;
		if (!next)
			return io;
		io->next_free = sim->free_ios;
		sim->free_ios = io;
	}
}

static void end_bypass(struct sim *sim, struct sim_request *request)
{
	const struct ssdc_segment whole = { .nr_sectors = request->rq.host.nr_sectors };
	struct sim_shard *s = request->shard;

	if (s->image)
		sim_image_read(s->image, &request->rq, &request->data, &whole);
	if (ssdc_bypass_done(s->e, &request->rq, 0, sim->now_ns) == SSDC_COMPLETE)
		complete(sim, request);
}

/**
 * sim_end_io() - tell the engine that I/O has ended
 * @sim: run
 * @io: I/O, or the first of those merged; freed
 */
void sim_end_io(struct sim *sim, struct sim_io *io)
{
	struct sim_request *request = io->request;
	struct sim_shard *s = io->shard;

	switch (io->kind) {
	case PAGE_IO:
		io = end_pages(sim, io);
		break;
	case ORIGIN_READ:
		if (s->image)
			sim_image_read(s->image, &request->rq, &request->data, &io->seg);
		if (ssdc_sub_done(s->e, &request->rq, &io->seg, 0, sim->now_ns) == SSDC_COMPLETE)
			complete(sim, request);
		break;
	case BYPASS:
		end_bypass(sim, request);
		break;
	case FORWARD:
		if (s->image && request->rq.host.op == SSDC_DISCARD)
			sim_image_discard(s->image, &request->rq);
		if (sim->nr_shards > 1 && io->flushes)
			flush_ended(sim, io);
		ssdc_forward_done(s->e, &request->rq, 0);
		break;
	case COPY:
		sim_advance(sim, request);
		break;
	}
	io->next_free = sim->free_ios;
	sim->free_ios = io;
}
