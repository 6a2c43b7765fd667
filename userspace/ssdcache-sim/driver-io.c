// SPDX-License-Identifier: GPL-2.0
/*
 * I/O at the origin: it is submitted, ends, and is given to its shard.
 */
#include <stdlib.h>
#include "driver-parts.h"

/**
 * sim_new_io() - get the record of an I/O
 * @sim: run
 * @kind: its kind
 * @s: shard
 * @request: whose I/O it is, or NULL
 *
 * Return: a record for sim_put_io().
 */
struct sim_io *sim_new_io(struct sim *sim, struct sim_shard *s, enum sim_io_kind kind, struct sim_request *request)
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

/**
 * sim_start_io() - submit I/O to the origin
 * @sim: run
 * @io: its record, with operation and sectors; sim_hand_out() has it when it has ended
 */
void sim_start_io(struct sim *sim, struct sim_io *io)
{
	if (!sim->flash) {
		sim_events_add(&sim->events, sim->now_ns + latency_ns(sim->options, io->flash.op), io);
		return;
	}
	io->flash.stream = 0;
	while (ssdf_next_ns(sim->flash) <= sim->now_ns)
		ssdf_advance(sim->flash, sim->now_ns);
	ssdf_submit(sim->flash, &io->flash, sim->now_ns);
}

/**
 * sim_complete() - a request has ended
 * @sim: run
 * @request: request; freed
 */
void sim_complete(struct sim *sim, struct sim_request *request)
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

static void end_bypass(struct sim *sim, struct sim_request *request)
{
	const struct ssdc_segment whole = { .nr_sectors = request->rq.host.nr_sectors };
	struct sim_shard *s = request->shard;
	enum ssdc_action action;

	if (s->image)
		sim_image_read(s->image, &request->rq, &request->data, &whole);
	action = ssdc_bypass_done(s->e, &request->rq, 0, sim->now_ns);
	if (ssdc_bypass_has_work(s->e, &request->rq))
		sim_set_due(sim, s);
	if (action == SSDC_COMPLETE)
		sim_complete(sim, request);
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

static void hand_to_worker(struct sim *sim, struct sim_io *io)
{
	sim_push(io->kind == FORWARD ? &io->shard->handed : &io->shard->ended, io);
	sim_set_due(sim, io->shard);
}

/* All parts of a discard learn that it is back from the origin. */
static void end_discard(struct sim *sim, struct sim_discard *discard)
{
	struct sim_request *part;
	unsigned int i;

	for (i = 0; i < discard->nr; i++) {
		part = discard->parts[i];
		part->discard = NULL;
		hand_to_worker(sim, sim_new_io(sim, part->shard, FORWARD, part));
	}
	free(discard);
}

/* See sim_hand_out(). */
void sim_hand_out_ended(struct sim *sim)
{
	struct sim_io *io;

	while ((io = next_ended(sim))) {
		if (io->kind == BYPASS) {
			end_bypass(sim, io->request);
			sim_put_io(sim, io);
		} else if (io->kind == FORWARD && io->request->discard) {
			end_discard(sim, io->request->discard);
			sim_put_io(sim, io);
		} else {
			hand_to_worker(sim, io);
		}
	}
}
