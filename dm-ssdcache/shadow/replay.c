// SPDX-License-Identifier: GPL-2.0
/*
 * One shadow: a driver of an engine that copies no data and does no I/O. An I/O ends after a
 * modelled time. Events at the same time have the order of the simulator's driver: completions
 * precede arrivals, and background work follows both.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/slab.h>
#include "../base/alloc.h"
#include "replay.h"

/* ---- the modelled origin, without queues ---- */

static u32 unit_of(const struct ssdc_shadow *shadow, u64 sector)
{
	u32 unit;

	div_u64_rem(sector >> shadow->e->tier.page_shift, shadow->origin.units, &unit);
	return unit;
}

/* An I/O starts now. Returns when it ends. */
static u64 end_of_io(struct ssdc_shadow *shadow, bool write, u64 sector, u64 nr_sectors)
{
	struct ssdc_shadow_origin *origin = &shadow->origin;
	u64 busy_ns = write ? origin->write_busy_ns : origin->read_busy_ns;
	u32 shift = shadow->e->tier.page_shift;
	u64 page = sector >> shift, last = (sector + nr_sectors - 1) >> shift;

	for (; origin->busy_until_ns && page <= last; page++) {
		u64 *busy = &origin->busy_until_ns[unit_of(shadow, page << shift)];

		*busy = max(*busy, shadow->now_ns + busy_ns);
		origin->all_idle_ns = max(origin->all_idle_ns, *busy);
	}
	return shadow->now_ns + (write ? origin->write_ns : origin->read_ns);
}

static bool is_busy(const struct ssdc_shadow *shadow, u32 unit)
{
	return shadow->origin.busy_until_ns[unit] > shadow->now_ns;
}

static bool units_view(void *device, struct ssdc_view *view)
{
	const struct ssdc_shadow *shadow = device;
	const struct ssdc_shadow_origin *origin = &shadow->origin;
	u32 i, unit;

	view->source = SSDC_VIEW_ESTIMATED;
	view->channels = origin->channels;
	view->dies = origin->dies_per_chip;
	view->units = origin->units;
	view->idle_channels = min(origin->channels, origin->units);
	view->idle_units = origin->units;
	view->queued = 0;
	view->utilisation = 0;
	view->stripe_sectors = 0;
	view->collects = false;
	if (origin->all_idle_ns <= shadow->now_ns)
		return true;
	view->idle_channels = 0;
	view->idle_units = 0;
	for (i = 0; i < origin->units; i++)
		view->idle_units += !is_busy(shadow, i);
	for (i = 0; i < origin->channels && i < origin->units; i++) {
		for (unit = i; unit < origin->units; unit += origin->channels)
			if (is_busy(shadow, unit))
				break;
		view->idle_channels += unit >= origin->units;
	}
	view->queued = origin->units - view->idle_units;
	view->utilisation = view->queued * 1000 / origin->units;
	return true;
}

static bool units_ask(void *device, struct ssdc_unit_query *queries, unsigned int nr)
{
	const struct ssdc_shadow *shadow = device;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		queries[i].unit = unit_of(shadow, queries[i].sector);
		queries[i].depth = is_busy(shadow, queries[i].unit);
		queries[i].gc = false;
	}
	return true;
}

/* The time at which the next unit becomes idle, or SSDC_NEVER. O(units). */
static u64 next_idle_ns(const struct ssdc_shadow *shadow)
{
	const struct ssdc_shadow_origin *origin = &shadow->origin;
	u64 next_ns = SSDC_NEVER;
	u32 i;

	if (origin->all_idle_ns <= shadow->now_ns)
		return next_ns;
	for (i = 0; i < origin->units; i++)
		if (is_busy(shadow, i))
			next_ns = min(next_ns, origin->busy_until_ns[i]);
	return next_ns;
}

static const struct ssdc_device_ops units_ops = {
	.view = units_view,
	.ask_units = units_ask,
	.always = true,
};

/* ---- the modelled origin, of dies ---- */

static bool dies_view(void *device, struct ssdc_view *view)
{
	const struct ssdc_shadow *shadow = device;
	const struct ssdc_dies *dies = &shadow->origin.dies;

	view->source = SSDC_VIEW_EXACT;
	view->channels = dies->params.channels;
	view->dies = shadow->origin.dies_per_chip;
	view->units = dies->params.dies;
	view->idle_channels = dies->idle_channels;
	view->idle_units = dies->idle_dies;
	view->queued = dies->load;
	view->utilisation = (view->units - view->idle_units) * 1000 / view->units;
	view->stripe_sectors = dies->params.dies * dies->params.planes *
		dies->params.page_sectors;
	view->collects = false;		/* the model has no GC */
	return true;
}

static bool dies_ask(void *device, struct ssdc_unit_query *queries, unsigned int nr)
{
	const struct ssdc_shadow *shadow = device;
	const struct ssdc_dies *dies = &shadow->origin.dies;
	bool known = false;
	u32 least = 0;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		queries[i].gc = false;
		if (!queries[i].write || dies->params.is_static) {
			queries[i].unit = ssdc_dies_place(dies, queries[i].sector);
			queries[i].depth = ssdc_dies_load(dies, queries[i].unit);
			continue;
		}
		if (!known)
			least = ssdc_dies_least_load(dies);
		known = true;
		queries[i].unit = SSDC_ANY_UNIT;
		queries[i].depth = least;
	}
	return true;
}

static const struct ssdc_device_ops dies_ops = {
	.view = dies_view,
	.ask_units = dies_ask,
	.always = true,
};

/* ---- I/O ---- */

static struct ssdc_shadow_io *take_io(struct ssdc_shadow *shadow, enum ssdc_shadow_io_kind kind)
{
	struct ssdc_shadow_io *io;

	io = list_first_entry(&shadow->free_ios, struct ssdc_shadow_io, job.node);
	list_del(&io->job.node);
	io->kind = kind;
	io->merged = NULL;
	return io;
}

/*
 * Most I/O ends in the order in which it starts, so the search for the place starts at the end of
 * the list.
 */
static void end_at(struct ssdc_shadow *shadow, struct ssdc_shadow_io *io, u64 end_ns)
{
	struct list_head *at = shadow->in_flight.prev;

	io->end_ns = end_ns;
	while (at != &shadow->in_flight &&
	       list_entry(at, struct ssdc_shadow_io, job.node)->end_ns > end_ns)
		at = at->prev;
	list_add(&io->job.node, at);
}

static void start_io(struct ssdc_shadow *shadow, struct ssdc_shadow_io *io, bool write,
		     u64 sector, u64 nr_sectors)
{
	if (!shadow->origin.queues) {
		end_at(shadow, io, end_of_io(shadow, write, sector, nr_sectors));
		return;
	}
	io->job.sector = sector;
	io->job.nr_sectors = nr_sectors;
	io->job.write = write;
	ssdc_dies_submit(&shadow->origin.dies, &io->job, shadow->now_ns);
}

/* The end of the next I/O whose end is known, or SSDC_NEVER. */
static u64 next_end_ns(const struct ssdc_shadow *shadow)
{
	if (list_empty(&shadow->in_flight))
		return SSDC_NEVER;
	return list_first_entry(&shadow->in_flight, struct ssdc_shadow_io, job.node)->end_ns;
}

static u64 next_event_ns(const struct ssdc_shadow *shadow)
{
	u64 end_ns = next_end_ns(shadow);

	if (!shadow->origin.queues)
		return end_ns;
	return min(end_ns, ssdc_dies_next_ns(&shadow->origin.dies));
}

/*
 * Take the next page that is to be read or written, and a slot for it. Returns NULL if there is
 * none.
 */
static struct ssdc_shadow_io *next_page(struct ssdc_shadow *shadow)
{
	struct ssdc_shadow_io *io = shadow->next_page;
	struct ssdc_io page;

	shadow->next_page = NULL;
	if (io || list_empty(&shadow->free_ios) || !ssdc_next_io(shadow->e, &page))
		return io;
	io = take_io(shadow, SSDC_SHADOW_PAGE);
	io->io = page;
	return io;
}

/*
 * Start the I/O of a page and of the pages that join it. The driver starts all queued I/O, one
 * after the other; here, the page that did not join is the first page of the next call. Returns
 * false if no page is queued.
 */
static bool start_pages(struct ssdc_shadow *shadow)
{
	struct ssdc_shadow_io *first = next_page(shadow), *last = first, *io;
	unsigned int nr = 1;
	u64 nr_sectors;

	if (!first)
		return false;
	nr_sectors = first->io.nr_sectors;
	while ((io = next_page(shadow)) && ssdc_io_joins(shadow->e, &last->io, nr, &io->io)) {
		last->merged = io;
		last = io;
		nr_sectors += io->io.nr_sectors;
		nr++;
	}
	shadow->next_page = io;
	start_io(shadow, first, first->io.write, first->io.sector, nr_sectors);
	return true;
}

static void end_request(struct ssdc_shadow *shadow, struct ssdc_shadow_request *request)
{
	list_add(&request->node, &shadow->free_requests);
}

static void end_part(struct ssdc_shadow *shadow, struct ssdc_shadow_io *io)
{
	list_add(&io->job.node, &shadow->free_ios);
	switch (io->kind) {
	case SSDC_SHADOW_PAGE:
		if (ssdc_io_done(shadow->e, &io->io, 0, shadow->now_ns))
			while (ssdc_go_on(shadow->e))
				;
		break;
	case SSDC_SHADOW_READ:
		if (ssdc_sub_done(shadow->e, &io->request->rq, &io->seg, 0,
				  shadow->now_ns) == SSDC_COMPLETE)
			end_request(shadow, io->request);
		break;
	case SSDC_SHADOW_BYPASS:
		if (ssdc_bypass_done(shadow->e, &io->request->rq, 0,
				     shadow->now_ns) == SSDC_COMPLETE)
			end_request(shadow, io->request);
		break;
	case SSDC_SHADOW_FORWARD:
		ssdc_forward_done(shadow->e, &io->request->rq, 0);
		break;
	}
}

static void end_io(struct ssdc_shadow *shadow, struct ssdc_shadow_io *io)
{
	struct ssdc_shadow_io *merged;

	list_del(&io->job.node);
	for (; io; io = merged) {
		merged = io->merged;
		end_part(shadow, io);
	}
}

/* Let the next event happen: I/O ends or goes on. Returns false if no I/O ended. */
static bool next_event(struct ssdc_shadow *shadow)
{
	struct ssdc_dies *dies = &shadow->origin.dies;
	struct ssdc_dies_job *job, *next;
	LIST_HEAD(ended);

	if (!shadow->origin.queues || next_end_ns(shadow) <= ssdc_dies_next_ns(dies)) {
		shadow->now_ns = max(shadow->now_ns, next_end_ns(shadow));
		end_io(shadow, list_first_entry(&shadow->in_flight, struct ssdc_shadow_io,
						job.node));
		return true;
	}
	shadow->now_ns = max(shadow->now_ns, ssdc_dies_next_ns(dies));
	ssdc_dies_event(dies, &ended);
	if (list_empty(&ended))
		return false;
	list_for_each_entry_safe(job, next, &ended, node)
		end_io(shadow, container_of(job, struct ssdc_shadow_io, job));
	return true;
}

/* ---- background work ---- */

/*
 * Do all background work that is due now, and set the time of the next. A policy that found too few
 * idle units is asked again once another unit becomes idle. That happens later than the end of the
 * I/O, as units stay busy for longer.
 */
static void background(struct ssdc_shadow *shadow)
{
	do {
		shadow->wake_ns = ssdc_background(shadow->e, shadow->now_ns);
	} while (shadow->wake_ns == SSDC_GO_ON);
	shadow->unsettled = !shadow->wake_ns;
	shadow->idle_ns = SSDC_NEVER;
	if (shadow->origin.busy_until_ns && shadow->e->early_declined)
		shadow->idle_ns = next_idle_ns(shadow);
}

/* The time of the next event that no I/O causes: a timer, or a unit that becomes idle. */
static u64 next_wake_ns(const struct ssdc_shadow *shadow)
{
	return min(shadow->wake_ns, shadow->idle_ns);
}

/* ---- requests ---- */

/*
 * Without queues, a discard takes as long as a write, and keeps no unit busy; with dies, it is no
 * work for them.
 */
static void start_forward(struct ssdc_shadow *shadow, struct ssdc_shadow_io *io,
			  const struct ssdc_host_request *host, enum ssdc_action action)
{
	struct ssdc_shadow_origin *origin = &shadow->origin;

	if (action == SSDC_FLUSH_ORIGIN || host->op == SSDC_FLUSH)
		end_at(shadow, io, shadow->now_ns + origin->flush_ns);
	else if (host->op == SSDC_DISCARD)
		end_at(shadow, io, shadow->now_ns + (origin->queues ? 0 : origin->write_ns));
	else
		start_io(shadow, io, host->op == SSDC_WRITE, host->sector, host->nr_sectors);
}

/* One step of the running request. */
static void run_step(struct ssdc_shadow *shadow)
{
	struct ssdc_shadow_request *request = shadow->running;
	const struct ssdc_host_request *host = &request->rq.host;
	struct ssdc_shadow_io *io;
	struct ssdc_segment seg;
	enum ssdc_action action = ssdc_step(shadow->e, &request->rq, shadow->now_ns, &seg);

	/* The copy takes no time. After the copy of the last page, nearly all requests end. */
	if (action == SSDC_COPY && seg.rq_sector + seg.nr_sectors == host->nr_sectors)
		action = ssdc_step(shadow->e, &request->rq, shadow->now_ns, &seg);
	switch (action) {
	case SSDC_COPY:
	case SSDC_AGAIN:
	case SSDC_MORE:
	case SSDC_YIELD:
		return;
	case SSDC_READ_ORIGIN:
		io = take_io(shadow, SSDC_SHADOW_READ);
		io->seg = seg;
		io->request = request;
		start_io(shadow, io, false, host->sector + seg.rq_sector, seg.nr_sectors);
		return;
	case SSDC_BYPASS:
		io = take_io(shadow, SSDC_SHADOW_BYPASS);
		io->request = request;
		start_io(shadow, io, false, host->sector, host->nr_sectors);
		break;
	case SSDC_FORWARD:
	case SSDC_FLUSH_ORIGIN:
		io = take_io(shadow, SSDC_SHADOW_FORWARD);
		io->request = request;
		start_forward(shadow, io, host, action);
		break;
	case SSDC_WAIT:
		break;
	case SSDC_COMPLETE:
		end_request(shadow, request);
		break;
	}
	shadow->running = NULL;
	/* As in the driver: nearly all hits leave nothing to do. */
	if (action != SSDC_COMPLETE || ssdc_end_has_work(shadow->e, &request->rq))
		shadow->unsettled = true;
}

static bool has_waiting_jobs(const struct ssdc_shadow *shadow)
{
	return shadow->origin.queues && ssdc_dies_has_waiting(&shadow->origin.dies);
}

/* Is nothing due by @until_ns? Nearly always the answer is yes, so it must be quick. */
static bool is_at_rest(const struct ssdc_shadow *shadow, u64 until_ns)
{
	return !shadow->running && !shadow->unsettled && !shadow->next_page &&
		!ssdc_has_queued(shadow->e) && !has_waiting_jobs(shadow) &&
		next_event_ns(shadow) > until_ns && next_wake_ns(shadow) > until_ns;
}

/*
 * Do one bounded piece of the work that is due by @until_ns: a step of a request, the start of some
 * I/O, a pass of background work, or the end of an I/O. Returns false if nothing is due.
 */
bool ssdc_shadow_work(struct ssdc_shadow *shadow, u64 until_ns)
{
	struct ssdc_request *rq;
	u64 end_ns;

	if (is_at_rest(shadow, until_ns))
		return false;
	/* A step may start a read or forward the request. */
	if (shadow->running && !list_empty(&shadow->free_ios)) {
		run_step(shadow);
		return true;
	}
	if (!shadow->running) {
		rq = ssdc_next_ready(shadow->e);
		if (rq) {
			shadow->running = container_of(rq, struct ssdc_shadow_request, rq);
			return true;
		}
		if (start_pages(shadow)) {
			shadow->unsettled = true;
			return true;
		}
	}
	if (shadow->origin.queues && ssdc_dies_feed(&shadow->origin.dies, shadow->now_ns))
		return true;
	end_ns = next_event_ns(shadow);
	if (end_ns <= shadow->now_ns || (shadow->running && end_ns != SSDC_NEVER)) {
		if (next_event(shadow))
			shadow->unsettled = true;
		return true;
	}
	if (shadow->unsettled) {
		background(shadow);
		return true;
	}
	if (min(end_ns, next_wake_ns(shadow)) > until_ns)
		return false;
	shadow->now_ns = max(shadow->now_ns, min(end_ns, next_wake_ns(shadow)));
	if (shadow->idle_ns <= shadow->now_ns)
		ssdc_device_idles(shadow->e);
	shadow->unsettled = true;
	return true;
}

/*
 * Begin a request, at its time. The request takes its first step at once, if there is a record for
 * the I/O that the step may cause. While too many requests are in progress, the next event comes
 * first. Returns false if the caller must repeat the call.
 */
bool ssdc_shadow_begin(struct ssdc_shadow *shadow, const struct ssdc_shadow_record *record)
{
	struct ssdc_shadow_request *request;

	if (shadow->running || list_empty(&shadow->free_requests)) {
		ssdc_shadow_work(shadow, SSDC_NEVER - 1);
		return false;
	}
	request = list_first_entry(&shadow->free_requests, struct ssdc_shadow_request, node);
	list_del(&request->node);
	if (!shadow->closed)
		shadow->now_ns = max(shadow->now_ns, record->time_ns);
	/* The response time counts from the arrival, even if the request had to wait for a slot. */
	ssdc_request_init(&request->rq, record->op, record->sector, record->nr_sectors,
			  shadow->closed ? shadow->now_ns : record->time_ns);
	request->rq.host.fua = record->fua;
	shadow->begun_ns = record->time_ns;
	shadow->running = request;
	if (!list_empty(&shadow->free_ios))
		run_step(shadow);
	return true;
}

/* ---- create and destroy ---- */

/* Set the times of I/O that starts from now on. */
void ssdc_shadow_set_times(struct ssdc_shadow *shadow, u64 read_ns, u64 write_ns)
{
	struct ssdc_shadow_origin *origin = &shadow->origin;
	struct ssdc_dies_params *dies = &origin->dies.params;
	u32 rate = shadow->stats.rate_ppm;

	origin->read_ns = read_ns;
	origin->write_ns = write_ns;
	dies->read_ns = read_ns - min(read_ns, dies->transfer_ns);
	dies->program_ns = write_ns - min(write_ns, dies->transfer_ns);
	origin->read_busy_ns = div_u64(read_ns * SSDC_SHADOW_WHOLE, rate);
	origin->write_busy_ns = div_u64(write_ns * SSDC_SHADOW_WHOLE, rate);
}

/* Without queues, nothing waits for I/O, and end_at() looks at all I/O in progress. */
static u32 max_slots(const struct ssdc_shadow *shadow)
{
	return shadow->origin.queues ? SSDC_SHADOW_MAX_SLOTS : SSDC_SHADOW_FEW_SLOTS;
}

static u32 nr_requests(const struct ssdc_shadow *shadow)
{
	return clamp(shadow->e->tier.nr_frames / 2, SSDC_SHADOW_MIN_REQUESTS, max_slots(shadow));
}

static u32 nr_ios(const struct ssdc_shadow *shadow)
{
	return clamp(shadow->e->tier.nr_frames, SSDC_SHADOW_MIN_IOS, max_slots(shadow));
}

static int init_dies(struct ssdc_shadow *shadow, const struct ssdc_shadow_params *params)
{
	const struct ssdc_core_tunables *tunables = &params->live->tunables;
	struct ssdc_shadow_origin *origin = &shadow->origin;
	struct ssdc_dies_params dies = {
		.channels = tunables->channels,
		.dies = tunables->channels * params->chips * tunables->dies,
		.planes = params->planes,
		.page_sectors = params->flash_page_bytes >> SSDC_SECTOR_SHIFT,
		.transfer_ns = params->transfer_ns,
		.multi_plane = params->multi_plane,
		.is_static = params->static_places,
	};

	if (ssdc_dies_init(&origin->dies, &dies, min(nr_ios(shadow), params->commands)))
		return -ENOMEM;
	ssdc_shadow_set_times(shadow, params->read_ns, params->write_ns);
	ssdc_set_device(shadow->e, &dies_ops, shadow);
	return 0;
}

static int init_origin(struct ssdc_shadow *shadow, const struct ssdc_shadow_params *params)
{
	struct ssdc_shadow_origin *origin = &shadow->origin;

	origin->queues = params->queues;
	origin->flush_ns = params->flush_ns;
	origin->dies_per_chip = params->live->tunables.dies;
	if (params->queues)
		return init_dies(shadow, params);
	ssdc_shadow_set_times(shadow, params->read_ns, params->write_ns);
	origin->channels = params->live->tunables.channels;
	origin->units = min(origin->channels * params->chips * origin->dies_per_chip,
			    SSDC_MAX_UNITS);
	/* The shadow sees all I/O, so its engine knows the load. */
	if (shadow->threshold > U32_MAX)
		return 0;
	origin->busy_until_ns = ssdc_alloc_array(origin->units, sizeof(u64));
	if (!origin->busy_until_ns)
		return -ENOMEM;
	ssdc_set_device(shadow->e, &units_ops, shadow);
	return 0;
}

static int init_slots(struct ssdc_shadow *shadow)
{
	u32 i, requests = nr_requests(shadow), nr = nr_ios(shadow);

	shadow->requests = ssdc_alloc_array(requests, sizeof(*shadow->requests));
	shadow->ios = ssdc_alloc_array(nr, sizeof(*shadow->ios));
	if (!shadow->requests || !shadow->ios)
		return -ENOMEM;
	for (i = 0; i < requests; i++)
		list_add_tail(&shadow->requests[i].node, &shadow->free_requests);
	for (i = 0; i < nr; i++)
		list_add_tail(&shadow->ios[i].job.node, &shadow->free_ios);
	shadow->stats.memory_bytes = sizeof(*shadow) +
		requests * sizeof(*shadow->requests) + nr * sizeof(*shadow->ios) +
		(shadow->origin.busy_until_ns ? shadow->origin.units * sizeof(u64) : 0) +
		(shadow->origin.queues ? ssdc_dies_bytes(&shadow->origin.dies) : 0);
	return 0;
}

/* Memory of the engine and its plug-ins. */
static u64 engine_bytes(const struct ssdc_engine *e)
{
	u64 page_bytes = (u64)e->tier.page_sectors << SSDC_SECTOR_SHIFT;
	struct ssdc_params sizes = {
		.dram_bytes = e->tier.capacity * page_bytes,
		.page_bytes = page_bytes,
		.reserve_bytes = e->reserve_bytes,
		.latencies = SSDC_DATA_LATENCIES,
	};

	return ssdc_engine_bytes(&sizes) +
		(u64)e->tier.nr_frames * e->replacement->plugin.type->info.page_bytes +
		e->replacement->plugin.type->info.instance_bytes +
		e->admission->plugin.type->info.instance_bytes +
		e->prefetch->plugin.type->info.instance_bytes;
}

/*
 * Create the engine of a shadow. @shadow has its candidate, its threshold and the number of its
 * pages; ssdc_shadow_free() is to be called on failure, too.
 */
int ssdc_shadow_init(struct ssdc_shadow *shadow, const struct ssdc_shadow_params *params,
		     struct ssdc_error *error)
{
	const struct ssdc_shadow_candidate reference = {
		params->live->replacement, params->live->admission,
	};
	const struct ssdc_shadow_candidate *candidate = shadow->candidate < params->nr_candidates ?
		&params->candidates[shadow->candidate] : &reference;
	struct ssdc_params own = *params->live;

	INIT_LIST_HEAD(&shadow->free_requests);
	INIT_LIST_HEAD(&shadow->free_ios);
	INIT_LIST_HEAD(&shadow->in_flight);
	own.dram_bytes = shadow->stats.pages * own.page_bytes;
	own.replacement = candidate->replacement;
	own.admission = candidate->admission;
	own.prefetch = "none";
	own.reserve_bytes = 0;
	own.thrash_span = 0;
	own.latencies = SSDC_DATA_LATENCIES;
	shadow->closed = params->closed;
	shadow->begun_ns = SSDC_NEVER;
	shadow->e = ssdc_engine_create(&own, error);
	if (!shadow->e)
		return -EINVAL;
	if (init_origin(shadow, params) || init_slots(shadow)) {
		ssdc_finding(error, "no memory: a shadow of %u pages", shadow->stats.pages);
		return -ENOMEM;
	}
	shadow->stats.memory_bytes += engine_bytes(shadow->e);
	ssdc_tunables_changed(shadow->e, 0);
	shadow->unsettled = true;
	while (ssdc_shadow_work(shadow, 0))
		;
	return 0;
}

void ssdc_shadow_free(struct ssdc_shadow *shadow)
{
	ssdc_engine_destroy(shadow->e);
	kvfree(shadow->origin.busy_until_ns);
	ssdc_dies_free(&shadow->origin.dies);
	kvfree(shadow->requests);
	kvfree(shadow->ios);
}
