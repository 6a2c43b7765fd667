// SPDX-License-Identifier: GPL-2.0
/*
 * Requests arrive: cut for the shards, narrowed if they are discards, and shown to the shadows.
 */
#include "../../dm-ssdcache/shadow/shadow.h"
#include "auto.h"
#include "driver-parts.h"
#include "progress.h"

/* Inline: nearly all requests go to the only shard. */
static __always_inline void submit_to(struct sim *sim, struct sim_shard *s, enum ssdc_op op, u64 sector,
				      u64 nr_sectors, bool fua, bool force, struct list_head *parts,
				      struct sim_discard *discard)
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
	request->discard = discard;
	if (discard)
		discard->parts[discard->nr++] = request;
	if (parts)
		list_add_tail(&request->parts, parts);
	if (s->image)
		sim_image_begin(s->image, &request->rq, &request->data);
	sim_advance(sim, request);
}

/* A discard that is not cut: a part for each of @shards. */
static void submit_parts(struct sim *sim, u64 shards, u64 sector, u64 nr_sectors, struct list_head *parts)
{
	struct sim_discard *discard = xcalloc(1, sizeof(*discard));
	struct sim_shard *s;

	discard->left = hweight64(shards);
	for_each_shard(s, sim)
		if (shards & BIT_ULL(s - sim->shards))
			submit_to(sim, s, SSDC_DISCARD, sector, nr_sectors, false, false, parts, discard);
}

/*
 * A FLUSH goes to all shards, and a discard of many regions to those that have some of them. Any other request is cut at the
 * ends of regions.
 */
static noinline void submit_to_shards(struct sim *sim, enum ssdc_op op, u64 sector, u64 nr_sectors, bool fua,
				      bool force)
{
	u32 shift = sim->shards->e->region_shift;
	struct sim_shard *s;
	LIST_HEAD(parts);
	u64 part, shards = 0;

	sim->records_inflight++;
	if (op == SSDC_DISCARD)
		shards = ssdc_shards_of_discard(sector, nr_sectors, shift, sim->nr_shards);
	if (op == SSDC_FLUSH)
		for_each_shard(s, sim)
			submit_to(sim, s, op, 0, 0, false, force, &parts, NULL);
	else if (shards)
		submit_parts(sim, shards, sector, nr_sectors, &parts);
	for (; op != SSDC_FLUSH && !shards && nr_sectors; sector += part, nr_sectors -= part) {
		part = min_t(u64, nr_sectors, ssdc_region_left(sector, shift));
		s = &sim->shards[ssdc_shard_of(sector, shift, sim->nr_shards)];
		submit_to(sim, s, op, sector, part, fua, force, &parts, NULL);
	}
	/* All may have ended at once. The others go on without this head. */
	if (list_empty(&parts))
		sim->records_inflight--;
	list_del(&parts);
}

static inline void submit(struct sim *sim, enum ssdc_op op, u64 sector, u64 nr_sectors, bool fua, bool force)
{
	if (sim->nr_shards == 1)
		submit_to(sim, sim->shards, op, sector, nr_sectors, fua, force, NULL, NULL);
	else
		submit_to_shards(sim, op, sector, nr_sectors, fua, force);
}

/**
 * sim_submit() - a request arrives
 * @sim: run
 * @op: operation
 * @sector: first sector; 0 for a FLUSH
 * @nr_sectors: how many
 * @fua: is a write with FUA
 * @force: a FLUSH writes all dirty pages, whatever dram_mode says
 */
void sim_submit(struct sim *sim, enum ssdc_op op, u64 sector, u64 nr_sectors, bool fua, bool force)
{
	submit(sim, op, sector, nr_sectors, fua, force);
}

/**
 * sim_discard_sectors() - the granule of discards
 * @sim: run
 *
 * The driver of the kernel narrows discards to whole flash pages above ssdflash.
 *
 * Return: sectors.
 */
u32 sim_discard_sectors(const struct sim *sim)
{
	return sim->flash ? sim->options->flash.page_bytes >> SSDC_SECTOR_SHIFT : 1;
}

/* See feed_shadows(). */
static noinline void feed(struct sim *sim, enum ssdc_op op, u64 sector, u64 nr_sectors, bool fua)
{
	if (sim->options->choice) {
		sim_auto_feed(sim->options->choice, sim->shards->e, op, sector, nr_sectors, fua, sim->now_ns);
		/* New policies may have something to do at once. */
		if (ssdc_has_work(sim->shards->e))
			sim_set_due(sim, sim->shards);
	}
	if (!sim->options->shadows)
		return;
	/* The references of --shadow have the policies of the beginning. */
	if (sim->options->choice && sim->options->choice->stats.switches)
		ssdc_shadows_detach(sim->options->shadows);
	ssdc_shadows_feed(sim->options->shadows, op, sector, nr_sectors, fua, sim->now_ns);
	while (ssdc_shadows_step(sim->options->shadows, UINT_MAX))
		;
}

/* The shadows see the requests that the engine gets. */
static inline void feed_shadows(struct sim *sim, enum ssdc_op op, u64 sector, u64 nr_sectors, bool fua)
{
	if (unlikely(sim->options->choice || sim->options->shadows))
		feed(sim, op, sector, nr_sectors, fua);
}

static void submit_discard(struct sim *sim, u64 sector, u64 nr_sectors)
{
	if (!ssdc_narrow_discard(&sector, &nr_sectors, sim_discard_sectors(sim), 0))
		return;
	sim_submit(sim, SSDC_DISCARD, sector, nr_sectors, false, false);
	feed_shadows(sim, SSDC_DISCARD, sector, nr_sectors, false);
}

/**
 * sim_submit_record() - a request of the workload arrives
 * @sim: run; sim_settle_all() does what the request makes due
 * @record: request
 */
void sim_submit_record(struct sim *sim, const struct sim_record *record)
{
	bool fua = record->fua && record->op != SSDC_FLUSH;

	if (unlikely(record->op == SSDC_DISCARD)) {
		submit_discard(sim, record->sector, record->nr_sectors);
	} else {
		submit(sim, record->op, record->sector, record->nr_sectors, fua, false);
		feed_shadows(sim, record->op, record->sector, record->nr_sectors, fua);
	}
}
