// SPDX-License-Identifier: GPL-2.0
/*
 * The counterpart of the kernel driver: an event queue in simulated time in place of bios, a worker
 * and a timer. The origin is a flash device, or has one latency for reads and one for writes and
 * serves any number of requests at once, like null_blk.
 *
 * At any one time, completions precede arrivals.
 */
#include <stdlib.h>
#include "../../dm-ssdcache/shadow/shadow.h"
#include "auto.h"
#include "device.h"
#include "driver.h"
#include "events.h"
#include "image.h"
#include "opt.h"
#include "progress.h"
#include "series.h"

struct sim_request {
	struct ssdc_request rq;
	struct sim_data data;
	struct sim_request *next_free;
};

/* What has ended when an event is due. */
enum sim_io_kind {
	PAGE_IO,	/* from ssdc_next_io(), adjacent pages merged */
	ORIGIN_READ,	/* SSDC_READ_ORIGIN */
	BYPASS,		/* SSDC_BYPASS */
	FORWARD,	/* SSDC_FORWARD, SSDC_FLUSH_ORIGIN */
	COPY,		/* SSDC_COPY */
};

struct sim_io {
	enum sim_io_kind kind;
	struct ssdf_request flash;	/* to a flash device */
	struct ssdc_io io;
	struct ssdc_segment seg;
	struct sim_request *request;
	struct sim_io *merged;		/* PAGE_IO: the next page of this I/O */
	struct sim_io *next_free;
};

struct sim {
	struct ssdc_engine *e;
	const struct sim_options *options;
	struct ssdf_device *flash;	/* NULL: flat latencies */
	struct sim_events events;
	struct sim_series *series;
	struct sim_image *image;	/* with --verify */
	struct sim_future *future;	/* for the policy opt, or NULL */
	u64 now_ns;
	u64 wake_ns;			/* when to call ssdc_background() */
	struct sim_request *free_requests;
	struct sim_io *free_ios;
};

static struct sim_io *new_io(struct sim *sim, enum sim_io_kind kind, struct sim_request *request)
{
	struct sim_io *io = sim->free_ios;

	if (io)
		sim->free_ios = io->next_free;
	else
		io = xmalloc(sizeof(*io));
	io->kind = kind;
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

/* Submit I/O to the origin; end_io() is called when it has ended. */
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

static void complete(struct sim *sim, struct sim_request *request)
{
	if (request->rq.error)
		die(TOOL_FAILED, "internal error: request %llu failed with %d",
		    request->rq.host.id, request->rq.error);
	if (sim->image)
		sim_image_end(sim->image, &request->rq, &request->data);
	request->next_free = sim->free_requests;
	sim->free_requests = request;
}

/* Advance a request until it waits or ends. */
static void advance(struct sim *sim, struct sim_request *request)
{
	const struct sim_options *options = sim->options;
	enum ssdc_action action;
	struct ssdc_segment seg;
	struct sim_io *io;

	for (;;) {
		action = ssdc_step(sim->e, &request->rq, sim->now_ns, &seg);
		switch (action) {
		case SSDC_COPY:
			if (sim->image)
				sim_image_copy(sim->image, &request->rq, &request->data, &seg);
			if (!options->dram_ns)
				continue;
			sim_events_add(&sim->events, sim->now_ns + options->dram_ns,
				       new_io(sim, COPY, request));
			return;
		case SSDC_READ_ORIGIN:
			io = new_io(sim, ORIGIN_READ, request);
			io->seg = seg;
			start_io(sim, io, SSDC_READ, request->rq.host.sector + seg.rq_sector,
				 seg.nr_sectors);
			continue;
		case SSDC_BYPASS:
			start_io(sim, new_io(sim, BYPASS, request), SSDC_READ,
				 request->rq.host.sector, request->rq.host.nr_sectors);
			return;
		case SSDC_FORWARD:
		case SSDC_FLUSH_ORIGIN:
			start_io(sim, new_io(sim, FORWARD, request),
				 action == SSDC_FORWARD ? request->rq.host.op : SSDC_FLUSH,
				 request->rq.host.sector, request->rq.host.nr_sectors);
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
static bool start_pages(struct sim *sim, struct ssdc_io *page)
{
	struct sim_io *first = new_io(sim, PAGE_IO, NULL), *last = first;
	u64 nr_sectors = page->nr_sectors;
	unsigned int nr = 1;
	bool more;

	first->io = *page;
	while ((more = ssdc_next_io(sim->e, page)) && ssdc_io_joins(sim->e, &last->io, nr, page)) {
		last->merged = new_io(sim, PAGE_IO, NULL);
		last = last->merged;
		last->io = *page;
		nr_sectors += page->nr_sectors;
		nr++;
	}
	start_io(sim, first, first->io.write ? SSDC_WRITE : SSDC_READ, first->io.sector, nr_sectors);
	return more;
}

/* Start the engine's queued I/O. Returns false if there is none. */
static bool start_work(struct sim *sim)
{
	struct ssdc_request *rq;
	struct ssdc_io page;
	bool any = false;

	/* After most hits. */
	if (!ssdc_has_queued(sim->e))
		return false;
	while ((rq = ssdc_next_ready(sim->e))) {
		advance(sim, container_of(rq, struct sim_request, rq));
		any = true;
	}
	if (!ssdc_next_io(sim->e, &page))
		return any;
	while (start_pages(sim, &page))
		;
	return true;
}

/* Only --time-steps reads the clock: without it, two runs give the same report. */
static u64 background(struct sim *sim)
{
	bool timed = sim->options->time_steps && ssdc_step_wanted(sim->e);
	double start = timed ? sim_cpu_seconds() : 0;
	u64 wake_ns = ssdc_background(sim->e, sim->now_ns);

	if (timed)
		sim->e->stats.plugin_step_ns += 1e9 * (sim_cpu_seconds() - start);
	return wake_ns;
}

/* Run everything that is due at this moment. */
static void settle(struct sim *sim)
{
	start_work(sim);
	do {
		sim->wake_ns = background(sim);
	} while (start_work(sim) || !sim->wake_ns);
}

/* End the I/O of one or several pages. Frees all records but the last, which is returned. */
static struct sim_io *end_pages(struct sim *sim, struct sim_io *io)
{
	struct sim_io *next;

	for (;; io = next) {
		if (sim->image)
			sim_image_io(sim->image, &io->io);
		ssdc_io_done(sim->e, &io->io, 0, sim->now_ns);
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

	if (sim->image)
		sim_image_read(sim->image, &request->rq, &request->data, &whole);
	if (ssdc_bypass_done(sim->e, &request->rq, 0, sim->now_ns) == SSDC_COMPLETE)
		complete(sim, request);
}

static void end_io(struct sim *sim, struct sim_io *io)
{
	struct sim_request *request = io->request;

	switch (io->kind) {
	case PAGE_IO:
		io = end_pages(sim, io);
		break;
	case ORIGIN_READ:
		if (sim->image)
			sim_image_read(sim->image, &request->rq, &request->data, &io->seg);
		if (ssdc_sub_done(sim->e, &request->rq, &io->seg, 0, sim->now_ns) == SSDC_COMPLETE)
			complete(sim, request);
		break;
	case BYPASS:
		end_bypass(sim, request);
		break;
	case FORWARD:
		if (sim->image && request->rq.host.op == SSDC_DISCARD)
			sim_image_discard(sim->image, &request->rq);
		ssdc_forward_done(sim->e, &request->rq, 0);
		break;
	case COPY:
		advance(sim, request);
		break;
	}
	io->next_free = sim->free_ios;
	sim->free_ios = io;
}

static void submit(struct sim *sim, enum ssdc_op op, u64 sector, u64 nr_sectors, bool fua,
		   bool force)
{
	struct sim_request *request = sim->free_requests;

	if (request)
		sim->free_requests = request->next_free;
	else
		request = xmalloc(sizeof(*request));
	ssdc_request_init(&request->rq, op, sector, nr_sectors, sim->now_ns);
	request->rq.host.fua = fua;
	request->rq.force = force;
	if (sim->image)
		sim_image_begin(sim->image, &request->rq, &request->data);
	advance(sim, request);
}

/* The driver of the kernel narrows discards to whole flash pages above ssdflash. */
static u32 discard_sectors(const struct sim *sim)
{
	return sim->flash ? sim->options->flash.page_bytes >> SSDC_SECTOR_SHIFT : 1;
}

/* The shadows see the requests that the engine gets. */
static void feed_shadows(struct sim *sim, enum ssdc_op op, u64 sector, u64 nr_sectors, bool fua)
{
	if (unlikely(sim->options->choice))
		sim_auto_feed(sim->options->choice, sim->e, op, sector, nr_sectors, fua, sim->now_ns);
	if (!sim->options->shadows)
		return;
	ssdc_shadows_feed(sim->options->shadows, op, sector, nr_sectors, fua, sim->now_ns);
	while (ssdc_shadows_step(sim->options->shadows, UINT_MAX))
		;
}

static void submit_discard(struct sim *sim, u64 sector, u64 nr_sectors)
{
	if (!ssdc_narrow_discard(&sector, &nr_sectors, discard_sectors(sim), 0))
		return;
	submit(sim, SSDC_DISCARD, sector, nr_sectors, false, false);
	feed_shadows(sim, SSDC_DISCARD, sector, nr_sectors, false);
}

static void submit_record(struct sim *sim, const struct sim_record *record)
{
	switch (record->op) {
	case SSDC_FLUSH:
		submit(sim, SSDC_FLUSH, record->sector, record->nr_sectors, false, false);
		feed_shadows(sim, SSDC_FLUSH, record->sector, record->nr_sectors, false);
		break;
	case SSDC_DISCARD:
		submit_discard(sim, record->sector, record->nr_sectors);
		break;
	default:
		submit(sim, record->op, record->sector, record->nr_sectors, record->fua, false);
		feed_shadows(sim, record->op, record->sector, record->nr_sectors, record->fua);
	}
	settle(sim);
}

static void move_to(struct sim *sim, u64 now_ns)
{
	if (sim->series)
		sim_series_until(sim->series, now_ns);
	sim->now_ns = sim_checked_ns(now_ns);
}

static u64 next_ns(const struct sim *sim)
{
	u64 ns = min(sim_events_next_ns(&sim->events), sim->wake_ns);

	if (!sim->flash)
		return ns;
	return ssdf_has_done(sim->flash) ? sim->now_ns : min(ns, ssdf_next_ns(sim->flash));
}

/* End one request that the flash device has completed, if there is one. */
static bool end_flash_io(struct sim *sim)
{
	struct ssdf_request *rq;

	while (ssdf_next_ns(sim->flash) <= sim->now_ns)
		ssdf_advance(sim->flash, sim->now_ns);
	rq = ssdf_next_done(sim->flash);
	if (rq)
		end_io(sim, container_of(rq, struct sim_io, flash));
	return rq;
}

/* Has anything else ended at this moment? */
static bool more_ended(const struct sim *sim)
{
	return sim_events_next_ns(&sim->events) <= sim->now_ns ||
		(sim->flash && ssdf_has_done(sim->flash));
}

/* What is due at @at_ns. Background work follows all completions of the moment, as in the kernel's worker. */
static void next_event(struct sim *sim, u64 at_ns)
{
	move_to(sim, max(at_ns, sim->now_ns));
	if (sim_events_next_ns(&sim->events) <= sim->now_ns)
		end_io(sim, sim_events_pop(&sim->events));
	else if (sim->flash && !end_flash_io(sim) && sim->wake_ns > sim->now_ns)
		return;		/* only the flash device has advanced */
	if (more_ended(sim))
		start_work(sim);
	else
		settle(sim);
}

static void rest(struct sim *sim)
{
	u64 at_ns;

	while (!ssdc_quiescent(sim->e) && (at_ns = next_ns(sim)) != SSDC_NEVER)
		next_event(sim, at_ns);
	if (sim->e->host_inflight)
		die(TOOL_FAILED, "internal error: %u requests never end",
		    sim->e->host_inflight);
}

/* So many records have arrived: move the future of the policy opt to those after them. */
static void reach(struct sim *sim, size_t nr)
{
	struct sim_probe *probe = sim->options->probe;

	if (sim->future)
		sim->future->now = nr;
	if (probe && probe->at == nr)
		probe->see(probe, sim->e, sim->flash);
}

static void drive_open(struct sim *sim, const struct sim_workload *workload)
{
	u64 at_ns;
	size_t i;

	for (i = 0; i < workload->nr; i++) {
		const struct sim_record record = sim_request(workload, i);

		sim_flash_expect(sim->flash, workload, i + 1);
		while ((at_ns = next_ns(sim)) <= record.time_ns)
			next_event(sim, at_ns);
		sim_progress(i);
		move_to(sim, record.time_ns);
		reach(sim, i);
		submit_record(sim, &record);
	}
	rest(sim);
}

static void drive_closed(struct sim *sim, const struct sim_workload *workload)
{
	size_t i;

	for (i = 0; i < workload->nr; i++) {
		const struct sim_record record = sim_request(workload, i);

		sim_progress(i);
		reach(sim, i);
		submit_record(sim, &record);
		rest(sim);
	}
}

static void drive_depth(struct sim *sim, const struct sim_workload *workload, u64 depth)
{
	size_t i;

	for (i = 0; i < workload->nr; i++) {
		const struct sim_record record = sim_request(workload, i);

		sim_progress(i);
		while (sim->e->host_inflight >= depth)
			next_event(sim, next_ns(sim));
		reach(sim, i);
		submit_record(sim, &record);
	}
	rest(sim);
}

static bool flash_view(void *device, struct ssdc_view *view)
{
	ssdf_get_view(device, view);
	return true;
}

static bool flash_ask_units(void *device, struct ssdc_unit_query *queries, unsigned int nr)
{
	ssdf_ask_units(device, queries, nr);
	return true;
}

static const struct ssdc_device_ops flash_ops = { .view = flash_view, .ask_units = flash_ask_units, .always = true };

static void free_pools(struct sim *sim)
{
	while (sim->free_requests) {
		struct sim_request *request = sim->free_requests;

		sim->free_requests = request->next_free;
		free(request);
	}
	while (sim->free_ios) {
		struct sim_io *io = sim->free_ios;

		sim->free_ios = io->next_free;
		free(io);
	}
}

/**
 * sim_drive() - run a workload until the cache is at rest
 * @e: engine, empty
 * @flash: the origin; NULL: one with the latencies of @options
 * @options: command line
 * @workload: requests; all within the origin
 *
 * Return: the simulated time at the end.
 */
__attribute__((__noinline__))	/* "make bench" counts its instructions */
u64 sim_drive(struct ssdc_engine *e, struct ssdf_device *flash, const struct sim_options *options,
	      const struct sim_workload *workload)
{
	struct sim sim = { .e = e, .flash = flash, .options = options };

	if (options->verify)
		sim.image = sim_image_create(e);
	if (options->series)
		sim.series = sim_series_create(e, options->series, options->series_ns);
	if (flash)
		ssdc_set_device(e, &flash_ops, flash);
	sim.future = sim_opt_foresee(e, workload, discard_sectors(&sim));
	ssdc_tunables_changed(e, 0);
	settle(&sim);

	if (options->closed)
		drive_closed(&sim, workload);
	else if (options->depth)
		drive_depth(&sim, workload, options->depth);
	else
		drive_open(&sim, workload);
	if (options->flush_at_end) {
		submit(&sim, SSDC_FLUSH, 0, 0, false, true);
		settle(&sim);
		rest(&sim);
	}
	if (sim.image)
		sim_image_check_origin(sim.image);

	ssdc_update_stats(e);
	sim_series_destroy(sim.series, sim.now_ns);
	sim_image_destroy(sim.image);
	sim_events_free(&sim.events);
	free_pools(&sim);
	return sim.now_ns;
}
