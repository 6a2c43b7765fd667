// SPDX-License-Identifier: GPL-2.0
/*
 * Requests arrive: cut for the shards, narrowed if they are discards, and shown to the shadows.
 */
#include "../../dm-ssdcache/shadow/shadow.h"
#include "auto.h"
#include "driver-parts.h"
#include "progress.h"

/**
 * struct arrival - a request, or the part of it for a shard
 * @op: operation
 * @sector: start; 0 for a FLUSH
 * @nr_sectors: length
 * @fua: a write with FUA
 * @force: a FLUSH writes all dirty pages, whatever dram_mode says
 */
struct arrival {
	enum ssdc_op op;
	u64 sector;
	u64 nr_sectors;
	bool fua;
	bool force;
};

/* Inline: nearly all requests go to the only shard. */
static __always_inline void submit_to(struct sim *sim, struct sim_shard *s, struct arrival a, struct list_head *parts,
				      struct sim_discard *discard)
{
	struct sim_request *request = sim->free_requests;

	if (request)
		sim->free_requests = request->next_free;
	else
		request = xmalloc(sizeof(*request));
	ssdc_request_init(&request->rq, a.op, a.sector, a.nr_sectors, sim->now_ns);
	request->rq.host.fua = a.fua;
	request->rq.force = a.force;
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
static void submit_parts(struct sim *sim, u64 shards, struct arrival a, struct list_head *parts)
{
	struct sim_discard *discard = xcalloc(1, sizeof(*discard));
	struct sim_shard *s;

	discard->left = hweight64(shards);
	for_each_shard(s, sim)
		if (shards & BIT_ULL(s - sim->shards))
			submit_to(sim, s, a, parts, discard);
}

/*
 * A FLUSH goes to all shards, and a discard of many regions to those that have some of them. Any other request is cut at the
 * ends of regions.
 */
static noinline void submit_to_shards(struct sim *sim, struct arrival a)
{
	u32 shift = sim->shards->e->region_shift;
	u64 end = a.sector + a.nr_sectors, shards = 0;
	struct sim_shard *s;
	LIST_HEAD(parts);

	sim->records_inflight++;
	if (a.op == SSDC_DISCARD)
		shards = ssdc_shards_of_discard(a.sector, a.nr_sectors, shift, sim->nr_shards);
	if (a.op == SSDC_FLUSH)
		for_each_shard(s, sim)
			submit_to(sim, s, a, &parts, NULL);
	else if (shards)
		submit_parts(sim, shards, a, &parts);
	for (; a.op != SSDC_FLUSH && !shards && a.sector < end; a.sector += a.nr_sectors) {
		a.nr_sectors = min_t(u64, end - a.sector, ssdc_region_left(a.sector, shift));
		s = &sim->shards[ssdc_shard_of(a.sector, shift, sim->nr_shards)];
		submit_to(sim, s, a, &parts, NULL);
	}
	/* All may have ended at once. The others go on without this head. */
	if (list_empty(&parts))
		sim->records_inflight--;
	list_del(&parts);
}

static inline void submit(struct sim *sim, struct arrival a)
{
	if (sim->nr_shards == 1)
		submit_to(sim, sim->shards, a, NULL, NULL);
	else
		submit_to_shards(sim, a);
}

/**
 * sim_submit_flush() - a FLUSH of all dirty pages arrives, whatever dram_mode says
 * @sim: run
 */
void sim_submit_flush(struct sim *sim)
{
	submit(sim, (struct arrival) { .op = SSDC_FLUSH, .force = true });
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
static noinline void feed(struct sim *sim, struct arrival a)
{
	if (sim->options->choice) {
		sim_auto_feed(sim->options->choice, sim->shards->e, a.op, a.sector, a.nr_sectors, a.fua, sim->now_ns);
		/* New policies may have something to do at once. */
		if (ssdc_has_work(sim->shards->e))
			sim_set_due(sim, sim->shards);
	}
	if (!sim->options->shadows)
		return;
	/* The references of --shadow have the policies of the beginning. */
	if (sim->options->choice && sim->options->choice->stats.switches)
		ssdc_shadows_detach(sim->options->shadows);
	ssdc_shadows_feed(sim->options->shadows, a.op, a.sector, a.nr_sectors, a.fua, sim->now_ns);
	while (ssdc_shadows_step(sim->options->shadows, UINT_MAX))
		;
}

/* The shadows see the requests that the engine gets. */
static inline void feed_shadows(struct sim *sim, struct arrival a)
{
	if (unlikely(sim->options->choice || sim->options->shadows))
		feed(sim, a);
}

static noinline void submit_discard(struct sim *sim, const struct sim_record *record)
{
	struct arrival a = { .op = SSDC_DISCARD, .sector = record->sector, .nr_sectors = record->nr_sectors };

	if (!ssdc_narrow_discard(&a.sector, &a.nr_sectors, sim_discard_sectors(sim), 0))
		return;
	submit(sim, a);
	feed_shadows(sim, a);
}

/**
 * sim_submit_record() - a request of the workload arrives
 * @sim: run; sim_settle_all() does what the request makes due
 * @record: request
 */
void sim_submit_record(struct sim *sim, const struct sim_record *record)
{
	const struct arrival a = {
		.op = record->op,
		.sector = record->sector,
		.nr_sectors = record->nr_sectors,
		.fua = record->fua && record->op != SSDC_FLUSH,
	};

	if (unlikely(record->op == SSDC_DISCARD)) {
		submit_discard(sim, record);
	} else {
		submit(sim, a);
		feed_shadows(sim, a);
	}
}
