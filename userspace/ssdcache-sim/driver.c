// SPDX-License-Identifier: GPL-2.0
/*
 * The counterpart of the kernel driver: an event queue in simulated time in place of bios, workers
 * and timers. The origin is a flash device, or has one latency for reads and one for writes and
 * serves any number of requests at once, like null_blk.
 *
 * At any one time, I/O of the origin ends first; then requests arrive, all of them; then the workers do
 * what is due. This is the order of a kernel on one CPU: interrupt, submitter, worker. With several shards,
 * the requests are cut at the ends of regions; one shard after the other does its work, in the order in
 * which the first events of each came.
 */
#include <stdlib.h>
#include "device.h"
#include "driver.h"
#include "driver-parts.h"
#include "progress.h"

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

	while (!quiescent(sim) && (at_ns = sim_next_ns(sim, SSDC_NEVER)) != SSDC_NEVER)
		sim_next_event(sim, at_ns);
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

/* All happens that is due before a moment; then I/O ends that ends at that moment. */
static void run_until(struct sim *sim, u64 now_ns)
{
	u64 at_ns;

	while ((at_ns = sim_next_ns(sim, now_ns)) < now_ns)
		sim_next_event(sim, at_ns);
	sim_move_to(sim, now_ns);
	if (at_ns == now_ns)
		sim_hand_out(sim);
}

static void drive_open(struct sim *sim, const struct sim_workload *workload)
{
	bool joins = false;	/* the request before, at the same moment */
	size_t i;

	for (i = 0; i < workload->nr; i++) {
		const struct sim_record record = sim_request(workload, i);

		sim_flash_expect(sim->flash, workload, i + 1);
		if (!joins)
			run_until(sim, record.time_ns);
		sim_progress(i);
		reach(sim, i);
		sim_submit_record(sim, &record);
		joins = i + 1 < workload->nr && workload->records[i + 1].time_ns == record.time_ns;
		if (!joins)
			sim_settle_all(sim);
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
		sim_submit_record(sim, &record);
		sim_settle_all(sim);
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
			sim_next_event(sim, sim_next_ns(sim, SSDC_NEVER));
		reach(sim, i);
		sim_submit_record(sim, &record);
		sim_settle_all(sim);
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
	INIT_LIST_HEAD(&s->yielded);
	s->pools[PAGE_RECORDS].free = SSDC_PAGE_IOS;
	s->pools[READ_RECORDS].free = SSDC_READ_IOS;
	s->pools[FLUSH_RECORDS].free = SSDC_FLUSH_IOS;
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
	sim_submit_flush(sim);
	sim_settle_all(sim);
	rest(sim);
}

/* When the last request arrives, if times of arrival count; the run ends no sooner. */
static u64 last_arrival(const struct sim_options *options, const struct sim_workload *workload)
{
	if (options->closed || options->depth || !workload->nr)
		return 0;
	return sim_request(workload, workload->nr - 1).time_ns;
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
		sim.series = sim_series_create(engines[0], options->series, options->series_ns, last_arrival(options, workload));
	sim.future = sim_opt_foresee(engines[0], workload, sim_discard_sectors(&sim));
	for_each_shard(s, &sim) {
		ssdc_tunables_changed(s->e, 0);
		sim_work(&sim, s);
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
