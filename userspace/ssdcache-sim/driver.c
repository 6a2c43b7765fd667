// SPDX-License-Identifier: GPL-2.0
/*
 * The counterpart of the kernel driver: an event queue in simulated time in place of bios, workers
 * and timers. The origin is a flash device, or has one latency for reads and one for writes and
 * serves any number of requests at once, like null_blk.
 *
 * At any one time, completions precede arrivals. With several shards, the requests are cut at the
 * ends of regions; at any one time, one shard after the other does its work, in the order in which
 * the first events of each came.
 */
#include <stdlib.h>
#include "../../dm-ssdcache/engine/shards.h"
#include "../../dm-ssdcache/shadow/shadow.h"
#include "auto.h"
#include "device.h"
#include "driver.h"
#include "events.h"
#include "image.h"
#include "opt.h"
#include "progress.h"
#include "series.h"

struct sim_shard;

struct sim_request {
	struct ssdc_request rq;
	struct sim_shard *shard;
	struct list_head parts;		/* several shards: of its record, those that have not ended */
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
	struct sim_shard *shard;
	struct ssdf_request flash;	/* to a flash device */
	struct ssdc_io io;
	struct ssdc_segment seg;
	struct sim_request *request;
	bool flushes;			/* FORWARD: is a FLUSH */
	struct sim_io *merged;		/* PAGE_IO: the next page of this I/O */
	union {
		struct sim_io *next;	/* in a struct sim_queue */
		struct sim_io *next_free;
	};
};

struct sim_queue {
	struct sim_io *first;
	struct sim_io *last;
};

struct sim_shard {
	struct ssdc_engine *e;
	struct sim_image *image;	/* with --verify */
	u64 wake_ns;			/* when to call ssdc_background() */

	/* Unused if there is one shard. */
	struct sim_queue ended;		/* I/O to report to the engine */
	bool due;			/* on the list of the run */
	struct sim_shard *next_due;
};

struct sim {
	struct sim_shard shards[SSDC_MAX_SHARDS];
	unsigned int nr_shards;
	const struct sim_options *options;
	struct ssdf_device *flash;	/* NULL: flat latencies */
	struct sim_events events;
	struct sim_series *series;
	struct sim_future *future;	/* for the policy opt, or NULL */
	u64 now_ns;
	struct sim_request *free_requests;
	struct sim_io *free_ios;

	/* Unused if there is one shard. */
	u32 records_inflight;

	/* The shards with work at this moment. */
	struct sim_shard *first_due;
	struct sim_shard *last_due;

	/* Several shards share FLUSHes of the origin, as in the kernel. */
	struct sim_io *flushing;	/* at the origin */
	struct sim_queue sharers;	/* end with it */
	struct sim_queue waiters;	/* share the next one */
};

#define for_each_shard(s, sim) \
	for ((s) = (sim)->shards; (s) < (sim)->shards + (sim)->nr_shards; (s)++)

static void push(struct sim_queue *queue, struct sim_io *io)
{
	io->next = NULL;
	if (queue->first)
		queue->last->next = io;
	else
		queue->first = io;
	queue->last = io;
}

static struct sim_io *pop(struct sim_queue *queue)
{
	struct sim_io *io = queue->first;

	if (io)
		queue->first = io->next;
	return io;
}

/* The shard has work at this moment. */
static void set_due(struct sim *sim, struct sim_shard *s)
{
	if (s->due)
		return;
	s->due = true;
	s->next_due = NULL;
	if (sim->first_due)
		sim->last_due->next_due = s;
	else
		sim->first_due = s;
	sim->last_due = s;
}

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

/* The FLUSH of a request begins at the origin, or waits for that of another shard. */
static void start_flush(struct sim *sim, struct sim_io *io)
{
	if (sim->nr_shards == 1) {
		start_io(sim, io, SSDC_FLUSH, io->request->rq.host.sector, io->request->rq.host.nr_sectors);
	} else if (sim->flushing) {
		push(&sim->waiters, io);
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
	while ((io = pop(&sim->sharers))) {
		push(&io->shard->ended, io);
		set_due(sim, io->shard);
	}
	sim->sharers = sim->waiters;
	sim->waiters.first = NULL;
	sim->flushing = pop(&sim->sharers);
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

/* Advance a request until it waits or ends. */
static void advance(struct sim *sim, struct sim_request *request)
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

/* Start the engine's queued I/O. Returns false if there is none. */
static bool start_work(struct sim *sim, struct sim_shard *s)
{
	struct ssdc_request *rq;
	struct ssdc_io page;
	bool any = false;

	/* After most hits. */
	if (!ssdc_has_queued(s->e))
		return false;
	while ((rq = ssdc_next_ready(s->e))) {
		advance(sim, container_of(rq, struct sim_request, rq));
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

/* Run everything that is due at this moment. */
static void settle(struct sim *sim, struct sim_shard *s)
{
	start_work(sim, s);
	do {
		s->wake_ns = background(sim, s);
	} while (start_work(sim, s) || !s->wake_ns);
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

static void end_io(struct sim *sim, struct sim_io *io)
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
		advance(sim, request);
		break;
	}
	io->next_free = sim->free_ios;
	sim->free_ios = io;
}

static void submit_to(struct sim *sim, struct sim_shard *s, enum ssdc_op op, u64 sector, u64 nr_sectors,
		      bool fua, bool force, struct list_head *parts)
{
	struct sim_request *request = sim->free_requests;

	if (request)
		sim->free_requests = request->next_free;
	else
		request = xmalloc(sizeof(*request));
	ssdc_request_init(&request->rq, op, sector, nr_sectors, sim->now_ns);
	request->rq.host.fua = fua;
	request->rq.force = force;
	request->shard = s;
	if (parts)
		list_add_tail(&request->parts, parts);
	if (s->image)
		sim_image_begin(s->image, &request->rq, &request->data);
	advance(sim, request);
}

/* A FLUSH goes to all shards, any other request is cut at the ends of regions. */
static void submit_to_shards(struct sim *sim, enum ssdc_op op, u64 sector, u64 nr_sectors, bool fua,
			     bool force)
{
	u32 shift = sim->shards->e->region_shift;
	struct sim_shard *s;
	LIST_HEAD(parts);
	u64 part;

	sim->records_inflight++;
	if (op == SSDC_FLUSH)
		for_each_shard(s, sim) {
			set_due(sim, s);
			submit_to(sim, s, op, 0, 0, false, force, &parts);
		}
	for (; op != SSDC_FLUSH && nr_sectors; sector += part, nr_sectors -= part) {
		part = min_t(u64, nr_sectors, ssdc_region_left(sector, shift));
		s = &sim->shards[ssdc_shard_of(sector, shift, sim->nr_shards)];
		set_due(sim, s);
		submit_to(sim, s, op, sector, part, fua, force, &parts);
	}
	/* All may have ended at once. The others go on without this head. */
	if (list_empty(&parts))
		sim->records_inflight--;
	list_del(&parts);
}

static void submit(struct sim *sim, enum ssdc_op op, u64 sector, u64 nr_sectors, bool fua,
		   bool force)
{
	if (sim->nr_shards == 1)
		submit_to(sim, sim->shards, op, sector, nr_sectors, fua, force, NULL);
	else
		submit_to_shards(sim, op, sector, nr_sectors, fua, force);
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
		sim_auto_feed(sim->options->choice, sim->shards->e, op, sector, nr_sectors, fua, sim->now_ns);
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

/* Has anything ended at this moment that was not looked at? */
static bool more_ended(const struct sim *sim)
{
	return sim_events_next_ns(&sim->events) <= sim->now_ns ||
		(sim->flash && ssdf_has_done(sim->flash));
}

/* The next I/O that ended at this moment, or NULL. */
static struct sim_io *next_ended(struct sim *sim)
{
	struct ssdf_request *rq;

	if (sim_events_next_ns(&sim->events) <= sim->now_ns)
		return sim_events_pop(&sim->events);
	if (!sim->flash)
		return NULL;
	while (ssdf_next_ns(sim->flash) <= sim->now_ns)
		ssdf_advance(sim->flash, sim->now_ns);
	rq = ssdf_next_done(sim->flash);
	return rq ? container_of(rq, struct sim_io, flash) : NULL;
}

/* Give all I/O that ended at this moment to its shards. */
static void hand_out(struct sim *sim)
{
	struct sim_io *io;

	while ((io = next_ended(sim))) {
		push(&io->shard->ended, io);
		set_due(sim, io->shard);
	}
}

/* The passes of a shard's worker at this moment: it goes on while its I/O ends at once. */
static void work(struct sim *sim, struct sim_shard *s)
{
	struct sim_io *io;

	do {
		while ((io = pop(&s->ended))) {
			end_io(sim, io);
			hand_out(sim);
			if (s->ended.first)
				start_work(sim, s);
		}
		settle(sim, s);
		hand_out(sim);
	} while (s->ended.first);
}

/* One shard after the other does what is due; it may give others work. */
static void work_all(struct sim *sim)
{
	struct sim_shard *s;

	while ((s = sim->first_due)) {
		sim->first_due = s->next_due;
		s->due = false;
		work(sim, s);
	}
}

/* After the arrival of a request. */
static void settle_all(struct sim *sim)
{
	if (sim->nr_shards == 1)
		settle(sim, sim->shards);
	else
		work_all(sim);
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
	settle_all(sim);
}

static void move_to(struct sim *sim, u64 now_ns)
{
	if (sim->series)
		sim_series_until(sim->series, now_ns);
	sim->now_ns = sim_checked_ns(now_ns);
}

/* When the shards have work, and I/O without the flash device ends. */
static u64 next_without_flash(const struct sim *sim)
{
	u64 ns = min(sim_events_next_ns(&sim->events), sim->shards[0].wake_ns);
	unsigned int i;

	for (i = 1; i < sim->nr_shards; i++)
		ns = min(ns, sim->shards[i].wake_ns);
	return ns;
}

/*
 * When the next thing happens; not before @until_ns: at any time after that. Most events of the flash device end no
 * request: they are over by then. With --series, each row shows the device as it is at that moment.
 */
static u64 next_ns(struct sim *sim, u64 until_ns)
{
	u64 other_ns = next_without_flash(sim), ns;

	if (!sim->flash)
		return other_ns;
	while (!ssdf_has_done(sim->flash)) {
		ns = max(ssdf_next_ns(sim->flash), sim->now_ns);
		if (ns > until_ns || ns >= other_ns || sim->series)
			return min(ns, other_ns);
		move_to(sim, ns);
		ssdf_advance(sim->flash, ns);
	}
	return sim->now_ns;
}

/* The same for one shard, without a queue of what has ended. */
static void next_event_of_one(struct sim *sim)
{
	struct sim_shard *s = sim->shards;
	struct sim_io *io = next_ended(sim);

	if (io)
		end_io(sim, io);
	else if (sim->flash && s->wake_ns > sim->now_ns)
		return;		/* only the flash device has advanced */
	if (more_ended(sim))
		start_work(sim, s);
	else
		settle(sim, s);
}

/* What is due at @at_ns. Background work follows all completions of the moment, as in the kernel's worker. */
static void next_event(struct sim *sim, u64 at_ns)
{
	struct sim_shard *s;

	move_to(sim, max(at_ns, sim->now_ns));
	if (sim->nr_shards == 1) {
		next_event_of_one(sim);
		return;
	}
	hand_out(sim);
	for_each_shard(s, sim)
		if (s->wake_ns <= sim->now_ns)
			set_due(sim, s);
	work_all(sim);
}

static bool quiescent(const struct sim *sim)
{
	const struct sim_shard *s;

	for_each_shard(s, sim)
		if (!ssdc_quiescent(s->e))
			return false;
	return true;
}

static u32 host_inflight(const struct sim *sim)
{
	const struct sim_shard *s;
	u32 sum = 0;

	for_each_shard(s, sim)
		sum += s->e->host_inflight;
	return sum;
}

/* Records of the workload, whatever their parts. */
static u32 records_inflight(const struct sim *sim)
{
	return sim->nr_shards == 1 ? host_inflight(sim) : sim->records_inflight;
}

static void rest(struct sim *sim)
{
	u64 at_ns;

	while (!quiescent(sim) && (at_ns = next_ns(sim, SSDC_NEVER)) != SSDC_NEVER)
		next_event(sim, at_ns);
	if (host_inflight(sim))
		die(TOOL_FAILED, "internal error: %u requests never end", host_inflight(sim));
}

/* So many records have arrived: move the future of the policy opt to those after them. */
static void reach(struct sim *sim, size_t nr)
{
	struct sim_probe *probe = sim->options->probe;

	if (sim->future)
		sim->future->now = nr;
	if (probe && probe->at == nr)
		probe->see(probe, sim->shards->e, sim->flash);
}

static void drive_open(struct sim *sim, const struct sim_workload *workload)
{
	u64 at_ns;
	size_t i;

	for (i = 0; i < workload->nr; i++) {
		const struct sim_record record = sim_request(workload, i);

		sim_flash_expect(sim->flash, workload, i + 1);
		while ((at_ns = next_ns(sim, record.time_ns)) <= record.time_ns)
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
		while (records_inflight(sim) >= depth)
			next_event(sim, next_ns(sim, SSDC_NEVER));
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

/* Tracks data, knows the origin, and is at rest. */
static void begin_shard(struct sim *sim, struct sim_shard *s, struct ssdc_engine *e)
{
	s->e = e;
	if (sim->options->verify)
		s->image = sim_image_create(e);
	ssdc_set_instant_copies(e, !s->image && !sim->options->dram_ns);
	if (sim->flash)
		ssdc_set_device(e, &flash_ops, sim->flash);
}

static void end_shard(struct sim_shard *s)
{
	if (s->image)
		sim_image_check_origin(s->image);
	ssdc_update_stats(s->e);
	sim_image_destroy(s->image);
}

static void run(struct sim *sim, const struct sim_workload *workload)
{
	const struct sim_options *options = sim->options;

	if (options->closed)
		drive_closed(sim, workload);
	else if (options->depth)
		drive_depth(sim, workload, options->depth);
	else
		drive_open(sim, workload);
	if (!options->flush_at_end)
		return;
	submit(sim, SSDC_FLUSH, 0, 0, false, true);
	settle_all(sim);
	rest(sim);
}

/**
 * sim_drive_shards() - run a workload until a cache of several engines is at rest
 * @engines: the engine of each shard, empty
 * @nr_shards: how many
 * @flash: the origin; NULL: one with the latencies of @options
 * @options: command line; series, "opt", shadows and probes need a single shard
 * @workload: requests; all within the origin
 *
 * Return: the simulated time at the end.
 */
u64 sim_drive_shards(struct ssdc_engine *const *engines, unsigned int nr_shards, struct ssdf_device *flash,
		     const struct sim_options *options, const struct sim_workload *workload)
{
	struct sim sim = { .nr_shards = nr_shards, .flash = flash, .options = options };
	struct sim_shard *s;

	for_each_shard(s, &sim)
		begin_shard(&sim, s, engines[s - sim.shards]);
	if (options->series)
		sim.series = sim_series_create(engines[0], options->series, options->series_ns);
	sim.future = sim_opt_foresee(engines[0], workload, discard_sectors(&sim));
	for_each_shard(s, &sim) {
		ssdc_tunables_changed(s->e, 0);
		settle(&sim, s);
	}

	run(&sim, workload);

	for_each_shard(s, &sim)
		end_shard(s);
	sim_series_destroy(sim.series, sim.now_ns);
	sim_events_free(&sim.events);
	free_pools(&sim);
	return sim.now_ns;
}

/**
 * sim_drive() - run a workload until the cache is at rest
 * @e: engine, empty
 * @flash: as for sim_drive_shards(), like what follows
 * @options: command line
 * @workload: requests
 *
 * Return: the simulated time at the end.
 */
__attribute__((__noinline__))	/* "make bench" counts its instructions */
u64 sim_drive(struct ssdc_engine *e, struct ssdf_device *flash, const struct sim_options *options,
	      const struct sim_workload *workload)
{
	return sim_drive_shards(&e, 1, flash, options, workload);
}
