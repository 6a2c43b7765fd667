// SPDX-License-Identifier: GPL-2.0
/*
 * The counterparts of host.c, io.c and worker.c of the kernel's driver, with the same order of events at one moment, since a
 * policy may look at the load of the origin: a submitter carries its request as far as that needs no record of an I/O; the
 * worker does all else. I/O is staged as it is decided, and submitted after all decisions.
 */
#include "driver-parts.h"
#include "progress.h"

/* Describe I/O. */
static void describe(struct sim_io *io, enum ssdc_op op, u64 sector, u64 nr_sectors)
{
	io->flash.op = op;
	io->flash.sector = sector;
	io->flash.nr_sectors = nr_sectors;
}

/* Queue for submit_staged(), in order. */
static void stage(struct sim_io *io, enum ssdc_op op, u64 sector, u64 nr_sectors)
{
	describe(io, op, sector, nr_sectors);
	sim_push(&io->shard->staged, io);
}

/* The FLUSH of a request is staged, or waits for that of another shard. */
static void stage_flush(struct sim *sim, struct sim_io *io)
{
	if (sim->nr_shards > 1 && sim->flushing) {
		sim_push(&sim->waiters, io);
		return;
	}
	if (sim->nr_shards > 1)
		sim->flushing = io;
	stage(io, SSDC_FLUSH, 0, 0);
}

/* A FLUSH has ended at the origin: so it has for those that share it, and the next one is staged. */
static void flush_ended(struct sim *sim, const struct sim_io *flush)
{
	struct sim_shard *s = flush->shard;
	struct sim_io *io;

	if (sim->nr_shards == 1 || flush != sim->flushing)
		return;
	while ((io = sim_pop(&sim->sharers))) {
		sim_push(&io->shard->ended, io);
		sim_set_due(sim, io->shard);
	}
	sim->sharers = sim->waiters;
	sim->waiters.first = NULL;
	sim->flushing = sim_pop(&sim->sharers);
	if (sim->flushing) {
		describe(sim->flushing, SSDC_FLUSH, 0, 0);
		sim_push(&s->staged, sim->flushing);
	}
}

/* Get a record for I/O, or queue the I/O behind others that wait for one. */
static bool take_record(struct sim_io *io, enum sim_pool_kind kind)
{
	struct sim_pool *pool = &io->shard->pools[kind];

	if (!pool->free || pool->starved.first) {
		sim_push(&pool->starved, io);
		return false;
	}
	pool->free--;
	return true;
}

/* Send the request as a whole to the origin: at once, or after all decisions of the worker. */
static void remap(struct sim *sim, struct sim_request *request, enum sim_io_kind kind, bool in_worker)
{
	const struct ssdc_host_request *host = &request->rq.host;
	struct sim_io *io = sim_new_io(sim, request->shard, kind, request);

	describe(io, host->op, host->sector, host->nr_sectors);
	if (in_worker)
		sim_push(&io->shard->staged_requests, io);
	else
		sim_start_io(sim, io);
}

/* Have the worker go on with a request that needs I/O of its own. */
static void hand_over(struct sim *sim, struct sim_io *io)
{
	sim_push(&io->shard->handed, io);
	sim_set_due(sim, io->shard);
}

static void stage_segment(struct sim_io *io)
{
	stage(io, SSDC_READ, io->request->rq.host.sector + io->seg.rq_sector, io->seg.nr_sectors);
}

/* Carry a request as far as possible. Inline: nearly all that its submitter carries end at once. */
static __always_inline void run(struct sim *sim, struct sim_request *request, bool in_worker)
{
	const struct sim_options *options = sim->options;
	struct sim_shard *s = request->shard;
	enum ssdc_action action;
	struct ssdc_segment seg;
	struct sim_io *io;

	for (;;) {
		action = ssdc_step(s->e, &request->rq, sim->now_ns, &seg);
		if (!in_worker && ssdc_step_has_work(s->e, &request->rq, action))
			sim_set_due(sim, s);
		switch (action) {
		case SSDC_COPY:
			if (s->image)
				sim_image_copy(s->image, &request->rq, &request->data, &seg);
			if (!options->dram_ns)
				continue;
			sim_events_add(&sim->events, sim->now_ns + options->dram_ns,
				       sim_new_io(sim, s, COPY, request));
			return;
		case SSDC_READ_ORIGIN:
			io = sim_new_io(sim, s, ORIGIN_READ, request);
			io->seg = seg;
			if (!in_worker)
				hand_over(sim, io);
			if (!in_worker || !take_record(io, READ_RECORDS))
				return;
			stage_segment(io);
			continue;
		case SSDC_BYPASS:
			remap(sim, request, BYPASS, in_worker);
			return;
		case SSDC_FORWARD:
			/* The last part of a discard sends it to the origin. */
			if (request->discard && --request->discard->left)
				return;
			/* The shards share FLUSHes of the origin. */
			if (request->rq.host.op != SSDC_FLUSH || sim->nr_shards == 1) {
				remap(sim, request, FORWARD, in_worker);
				return;
			}
			fallthrough;
		case SSDC_FLUSH_ORIGIN:
			io = sim_new_io(sim, s, FLUSH, request);
			if (!in_worker)
				hand_over(sim, io);
			else if (take_record(io, FLUSH_RECORDS))
				stage_flush(sim, io);
			return;
		case SSDC_YIELD:
			if (!in_worker)
				continue;
			list_add_tail(&request->rq.node, &s->yielded);
			return;
		case SSDC_AGAIN:
		case SSDC_MORE:
			continue;
		case SSDC_WAIT:
			return;
		case SSDC_COMPLETE:
			sim_complete(sim, request);
			return;
		}
	}
}

/**
 * sim_advance() - carry a new request as far as its submitter does
 * @sim: run
 * @request: request
 */
void sim_advance(struct sim *sim, struct sim_request *request)
{
	run(sim, request, false);
}

static noinline void go_on(struct sim *sim, struct sim_request *request)
{
	run(sim, request, true);
}

static struct sim_request *to_request(struct ssdc_request *rq)
{
	return container_of(rq, struct sim_request, rq);
}

/* I/O of a request has its record. */
static void go_on_with(struct sim *sim, struct sim_io *io)
{
	struct sim_request *request = io->request;

	if (io->kind == FLUSH) {
		stage_flush(sim, io);
	} else {
		stage_segment(io);
		go_on(sim, request);
	}
}

static noinline bool serve_starved(struct sim *sim, struct sim_pool *pool)
{
	bool any = false;

	while (pool->free && pool->starved.first) {
		pool->free--;
		go_on_with(sim, sim_pop(&pool->starved));
		any = true;
	}
	return any;
}

static inline bool is_starved(const struct sim_shard *s)
{
	return s->pools[READ_RECORDS].starved.first || s->pools[FLUSH_RECORDS].starved.first;
}

/* Continue requests that need not wait any more, up to one that yields: it goes on first next time. */
static bool run_ready(struct sim *sim, struct sim_shard *s)
{
	struct ssdc_request *rq;
	bool any = false;

	if (is_starved(s)) {
		any = serve_starved(sim, &s->pools[FLUSH_RECORDS]);
		any |= serve_starved(sim, &s->pools[READ_RECORDS]);
	}
	if (!list_empty(&s->yielded)) {
		rq = list_first_entry(&s->yielded, struct ssdc_request, node);
		list_del_init(&rq->node);
		go_on(sim, to_request(rq));
		any = true;
	}
	while (list_empty(&s->yielded) && (rq = ssdc_next_ready(s->e))) {
		go_on(sim, to_request(rq));
		any = true;
	}
	return any;
}

/* The next page I/O of the engine, or NULL. It stays the next one until it is staged. */
static inline struct sim_io *next_page(struct sim *sim, struct sim_shard *s)
{
	if (!s->next) {
		s->next = sim_new_io(sim, s, PAGE_IO, NULL);
		if (!ssdc_next_io(s->e, &s->next->io)) {
			sim_put_io(sim, s->next);
			s->next = NULL;
		}
	}
	return s->next;
}

/* Stage the queued fills and flushes, as far as there are records; merge adjacent pages. */
static void stage_pages(struct sim *sim, struct sim_shard *s)
{
	struct sim_pool *pool = &s->pools[PAGE_RECORDS];
	struct sim_io *first, *last, *next;
	unsigned int nr;
	u64 nr_sectors;

	while (pool->free && (first = next_page(sim, s))) {
		pool->free--;
		s->next = NULL;
		nr_sectors = first->io.nr_sectors;
		last = first;
		for (nr = 1; (next = next_page(sim, s)) && ssdc_io_joins(s->e, &last->io, nr, &next->io); nr++) {
			last->merged = next;
			last = next;
			s->next = NULL;
			nr_sectors += next->io.nr_sectors;
		}
		stage(first, first->io.write ? SSDC_WRITE : SSDC_READ, first->io.sector, nr_sectors);
		if (sim->flash)
			ssdf_expect(sim->flash, first->io.sector, nr_sectors);
	}
}

/* Is there anything to continue or to stage? Nearly always there is nothing. */
static inline bool has_work(const struct sim_shard *s)
{
	return ssdc_has_queued(s->e) || s->next || !list_empty(&s->yielded) || is_starved(s);
}

static bool has_staged(const struct sim_shard *s)
{
	return s->staged_requests.first || s->staged.first;
}

/* Submit until I/O of the shard ends. Returns whether there was any. */
static bool submit_staged(struct sim *sim, struct sim_shard *s)
{
	struct sim_io *io;

	if (!has_staged(s))
		return false;
	do {
		io = sim_pop(&s->staged_requests);
		sim_start_io(sim, io ? io : sim_pop(&s->staged));
		sim_hand_out(sim);
	} while (has_staged(s) && !s->ended.first && !s->handed.first);
	return true;
}

/* Continue, stage and submit. Returns whether there was anything to do. */
static noinline bool do_work(struct sim *sim, struct sim_shard *s)
{
	bool any = false;

	if (has_work(s)) {
		any = run_ready(sim, s);
		stage_pages(sim, s);
	}
	return submit_staged(sim, s) || any;
}

/* Would do_work() find something? Nearly always there is nothing. */
static inline bool has_start(const struct sim_shard *s)
{
	return has_work(s) || has_staged(s);
}

/* Has the engine something for another round, or has anything ended since this one began? */
static inline bool has_rest(const struct sim_shard *s)
{
	return s->ended.first || s->handed.first || ssdc_has_work(s->e);
}

/* As the kernel's, returns whether more is to be done now. Only --time-steps reads the clock: without it, two runs give the same report. */
static bool background(struct sim *sim, struct sim_shard *s)
{
	bool timed = sim->options->time_steps && ssdc_step_wanted(s->e);
	double start = timed ? sim_cpu_seconds() : 0;

	do {
		s->wake_ns = ssdc_background(s->e, sim->now_ns);
	} while (s->wake_ns == SSDC_GO_ON);
	if (timed)
		s->e->stats.plugin_step_ns += 1e9 * (sim_cpu_seconds() - start);
	return !s->wake_ns;
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
		sim_put_io(sim, io);
	}
}

/* Tell the engine that I/O has ended. */
static void end_io(struct sim *sim, struct sim_io *io)
{
	struct sim_request *request = io->request;
	struct sim_shard *s = io->shard;

	switch (io->kind) {
	case PAGE_IO:
		io = end_pages(sim, io);
		s->pools[PAGE_RECORDS].free++;
		break;
	case ORIGIN_READ:
		if (s->image)
			sim_image_read(s->image, &request->rq, &request->data, &io->seg);
		if (ssdc_sub_done(s->e, &request->rq, &io->seg, 0, sim->now_ns) == SSDC_COMPLETE)
			sim_complete(sim, request);
		s->pools[READ_RECORDS].free++;
		break;
	case FLUSH:
		flush_ended(sim, io);
		ssdc_forward_done(s->e, &request->rq, 0);
		s->pools[FLUSH_RECORDS].free++;
		break;
	case COPY:
		go_on(sim, request);
		break;
	case BYPASS:
	case FORWARD:
		break;		/* not in this queue */
	}
	sim_put_io(sim, io);
}

/* Report what has ended. The consequences of one I/O are decided before the next is reported. */
static bool finish_ios(struct sim *sim, struct sim_shard *s)
{
	struct sim_queue ended = s->ended;
	struct sim_io *io;

	if (!ended.first)
		return false;
	s->ended.first = NULL;
	while ((io = sim_pop(&ended))) {
		end_io(sim, io);
		if (!has_work(s))
			continue;
		run_ready(sim, s);
		stage_pages(sim, s);
	}
	return true;
}

static void end_forward(struct sim *sim, struct sim_io *io)
{
	struct sim_shard *s = io->shard;

	if (s->image && io->request->rq.host.op == SSDC_DISCARD)
		sim_image_discard(s->image, &io->request->rq);
	ssdc_forward_done(s->e, &io->request->rq, 0);
	sim_put_io(sim, io);
}

/* Go on with requests that the origin or their submitters have handed to the worker. */
static bool finish_handed(struct sim *sim, struct sim_shard *s)
{
	struct sim_queue handed = s->handed;
	struct sim_io *io;

	if (!handed.first)
		return false;
	s->handed.first = NULL;
	while ((io = sim_pop(&handed))) {
		if (io->kind == FORWARD)
			end_forward(sim, io);
		else if (take_record(io, io->kind == FLUSH ? FLUSH_RECORDS : READ_RECORDS))
			go_on_with(sim, io);
	}
	return true;
}

/**
 * sim_work() - a shard's worker does all that is to be done at this moment
 * @sim: run
 * @s: shard
 */
void sim_work(struct sim *sim, struct sim_shard *s)
{
	bool any, more, starts = false;

	do {
		any = finish_ios(sim, s);
		any |= finish_handed(sim, s);
		if (has_start(s))
			any |= do_work(sim, s);
		more = any;
		/* A policy that flushes early has to find the origin busy with all I/O that is due. */
		if (has_staged(s))
			continue;
		more = background(sim, s);
		starts = has_start(s);
		if (starts)
			more |= do_work(sim, s);
	} while (more || (any && (starts || has_rest(s))));
}
