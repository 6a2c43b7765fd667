// SPDX-License-Identifier: GPL-2.0
/*
 * The driver of engine-fuzz: requests and copies. fuzz-io.c has the rest of the driver, I/O and the
 * worker.
 *
 * The driver uses all freedom that its contract with the engine allows: a copy moves each half of a
 * block at its start or at its end, and other events happen in between; a request that the engine
 * does not hold up may continue at any later time.
 */
#include <stdlib.h>
#include <string.h>
#include "engine-fuzz.h"

/* Requests of the host, a FLUSH of the driver's own, and one that ends a round. */
#define NR_REQUESTS	(MAX_ACTIVE + 2)

/* Sectors of the longest read or write: more than a step of the engine works on. */
#define LONGEST		(3 * SSDC_STEP_SECTORS)

/* Turns in which others submit requests, and in which the worker must get past its own. */
#define BUSY_TURNS	60
#define MOST_TURNS	300000

static struct request *free_requests[NR_REQUESTS];
static unsigned int nr_free_requests;

static struct request *get_request(void)
{
	struct request *request;
	u64 *buffer;

	if (!nr_free_requests)
		fail("more than %u requests in flight", NR_REQUESTS);
	request = free_requests[--nr_free_requests];
	buffer = request->buffer;
	memset(request, 0, sizeof(*request));
	request->buffer = buffer;
	return request;
}

static void put_request(struct request *request)
{
	free_requests[nr_free_requests++] = request;
}

void requests_setup(void)
{
	struct request *request;

	while (nr_free_requests < NR_REQUESTS) {
		request = xcalloc(1, sizeof(*request));
		request->buffer = xcalloc(LONGEST, sizeof(u64));
		put_request(request);
	}
	INIT_LIST_HEAD(&f.requests);
}

void requests_teardown(void)
{
	while (nr_free_requests) {
		free(free_requests[--nr_free_requests]->buffer);
		free(free_requests[nr_free_requests]);
	}
}

/* Forget the requests of an engine that is about to be destroyed. */
void requests_drop(void)
{
	struct request *request, *next;

	list_for_each_entry_safe(request, next, &f.requests, node)
		put_request(request);
	INIT_LIST_HEAD(&f.requests);
	f.active = 0;
}

/* ---- copies ---- */

static const u64 half_mask[] = { 0, 0xffffffffULL, 0xffffffff00000000ULL, U64_MAX };

/* Which halves of cell @i of a copy are moved at its start. */
static u64 early_halves(u64 bits, u32 i)
{
	return half_mask[bits >> (2 * i & 63) & 3];
}

/* At times all, none, or those up to some point. */
static u64 random_halves(void)
{
	u64 bits = ssdc_random_next(&harness_random);

	switch (bits >> 62) {
	case 0:
		return 0;
	case 1:
		return U64_MAX;
	case 2:
		return (1ULL << (bits & 63)) - 1;
	default:
		return ssdc_random_next(&harness_random);
	}
}

/* Move some halves of the cells of a copy: those at the start, or the others at the end. */
static void move_halves(const struct pending *pending, bool end)
{
	struct request *request = pending->request;
	u64 *frame = buffer_cells(pending->seg.buffer, pending->seg.frame_sector);
	u64 *buffer = request->buffer + (pending->cell - request->cell);
	u64 flip = end ? U64_MAX : 0;
	u32 i;

	for (i = 0; i < pending->nr; i++) {
		u64 mask = early_halves(pending->halves, i) ^ flip;

		if (SABOTAGE(BREAK_SHORT_COPY) && chance(10))
			mask &= half_mask[1];
		if (request->rq.host.op == SSDC_WRITE)
			frame[i] = (frame[i] & ~mask) |
				   (data_of(request->change, pending->cell + i) & mask);
		else
			buffer[i] = (buffer[i] & ~mask) | (frame[i] & mask);
	}
}

/* Copy what the request does not write from the page's twin. */
static void copy_rest(const struct ssdc_segment *seg)
{
	u64 *to = buffer_cells(seg->buffer, 0), *from = buffer_cells(seg->rest, 0);

	memcpy(to, from, f.page_cells * sizeof(u64));
	if (SABOTAGE(BREAK_REST_COPY))
		memset(to, 0xff, f.page_cells * sizeof(u64)); /* RUBBISH */
	memcpy(f.written + (to - f.dram), f.written + (from - f.dram), f.page_cells);
}

static void begin_copy(struct request *request, const struct ssdc_segment *seg)
{
	u32 cell = request->cell + (seg->rq_sector >> f.cell_shift);
	struct pending *pending = get_pending(COPY, request, cell, seg->nr_sectors >> f.cell_shift);

	pending->seg = *seg;
	pending->halves = random_halves();
	NOTE2(cell, pending->nr, "copy of request %llu begins, frame %llu", request->rq.host.id,
	      ssdc_frame_nr(seg->frame));
	move_halves(pending, false);
}

/*
 * The copy ends; the request continues. The rest of the page is copied last: its source must not
 * change before that.
 */
void end_copy(struct pending *pending)
{
	struct request *request = pending->request;
	u64 *frame = buffer_cells(pending->seg.buffer, pending->seg.frame_sector);
	u32 end = pending->cell + pending->nr - request->cell;

	NOTE1(pending->cell, pending->nr, "copy of request %llu ends", request->rq.host.id);
	if (pending->seg.rest != SSDC_NO_BUFFER)
		copy_rest(&pending->seg);
	move_halves(pending, false);
	move_halves(pending, true);
	if (SABOTAGE(BREAK_MISPLACED_COPY) && chance(20) && pending->nr > 1)
		frame[0] = frame[1];
	f.counts.copies_again += end <= request->copied;
	request->copied = end;
	if (request->rq.host.op == SSDC_WRITE)
		memset(f.written + (frame - f.dram), 1, pending->nr);
	advance(request);
}

/* ---- the end of a request ---- */

static bool changes_data(const struct request *request)
{
	return request->rq.host.op == SSDC_WRITE || request->rq.host.op == SSDC_DISCARD;
}

bool is_host_flush(const struct request *request)
{
	return request->rq.host.op == SSDC_FLUSH && !request->rq.force;
}

/* Data of a cell if the power was cut now, and the origin's cache was lost. */
u64 kept_data(u32 cell, enum kept kept)
{
	u32 sector = (cell << f.cell_shift) & (f.e->tier.page_sectors - 1);
	ssdc_frame_t frame = frame_of_cell(cell);

	if (kept == KEPT_MEDIA || SABOTAGE(BREAK_PROTECTED_LOST) || frame == SSDC_NO_FRAME)
		return origin_media(cell);
	if (!ssdc_mask_bit(ssdc_dirty_mask(f.e, frame), sector) &&
	    !(ssdc_has_twin(f.e, frame) &&
	      ssdc_mask_bit(ssdc_dirty_mask(f.e, ssdc_twin_of(f.e, frame)), sector)))
		return origin_media(cell);
	/* The sector is being written. */
	if (!ssdc_mask_bit(ssdc_valid_mask(f.e, frame), sector))
		return UNSURE;
	return *frame_cells(frame, sector);
}

/* Which of the two the present mode of DRAM promises. */
enum kept kept_now(void)
{
	return f.e->tunables.dram_mode == SSDC_VOLATILE ? KEPT_MEDIA : KEPT_DRAM;
}

/* @reported: the host learns of the error. */
static void note_failed_flush(bool reported)
{
	u32 now = max(promises_time(), 1u);	/* 0 would mean never */
	struct request *other;

	f.flush_failed = now;
	f.flush_excuse = now;
	if (!reported)
		f.flush_owed = now;
	list_for_each_entry(other, &f.requests, node)
		other->must_fail |= is_host_flush(other) && !other->flush_succeeded;
}

/*
 * A FLUSH of the origin ended. If it failed, all host FLUSHes must fail that are in progress, except
 * those whose own FLUSH of the origin has succeeded before.
 */
void flush_ended(struct request *request, int error)
{
	if (!error) {
		request->flush_succeeded = true;
		return;
	}
	f.counts.failed_flushes++;
	request->flush_failed = true;
	note_failed_flush(is_host_flush(request));
}

/* A FLUSH of the origin failed that another shard has asked for; the host may know of the error. */
void fail_elsewhere(void)
{
	bool reported = toss();

	if (!has_rule(RULE_FLUSH_ERROR) || !origin_fails_elsewhere())
		return;
	NOTE1(NO_CELL, 0, "the FLUSH of another shard fails; the host knows: %llu", reported);
	f.counts.failed_elsewhere++;
	f.last_error = promises_time();
	note_failed_flush(reported);
	if (!SABOTAGE(BREAK_FLUSH_ELSEWHERE))
		ssdc_flush_failed_elsewhere(f.e, -EIO, reported);
	f.kicked = true;
}

/*
 * The origin of a suspended device has failed, and another device takes its place, which lacks what the
 * origin had only cached.
 */
void replace_origin(void)
{
	bool failed = f.e->failed_pages, lost;

	if (!has_rule(RULE_FLUSH_ERROR) || !has_rule(RULE_FLUSH_LOSS))
		return;
	lost = origin_replace();
	NOTE2(NO_CELL, 0, "the origin is replaced: %llu failed pages, lost other than in DRAM: %llu",
	      f.e->failed_pages, lost);
	f.counts.replaced++;
	f.last_error = promises_time();
	note_failed_flush(!failed || !lost);
	if (!SABOTAGE(BREAK_REPLACED))
		ssdc_origin_replaced(f.e, -EIO, failed);
}

/* Is another host FLUSH in progress, which may report an error? */
static bool other_flush(const struct request *request)
{
	const struct request *other;

	list_for_each_entry(other, &f.requests, node)
		if (other != request && is_host_flush(other))
			return true;
	return false;
}

/* A host FLUSH ends: no error of a FLUSH may be hidden. */
static void check_flush_error(const struct request *request)
{
	const struct ssdc_request *rq = &request->rq;

	if (rq->error) {
		f.flush_owed = 0;
		/* It failed for no reason of its own: the error is reported. */
		if (request->op.start > f.last_error && !other_flush(request))
			f.flush_excuse = 0;
		return;
	}
	if (request->flush_failed)
		fail("FLUSH %llu ended well although its FLUSH of the origin failed", rq->host.id);
	if (has_rule(RULE_FLUSH_ERROR) && request->must_fail)
		fail("FLUSH %llu hides the error of another FLUSH that failed meanwhile",
		     rq->host.id);
	if (has_rule(RULE_FLUSH_ERROR) && f.flush_owed && request->op.start > f.flush_owed &&
	    !other_flush(request))
		fail("FLUSH %llu hides the error of an earlier FLUSH that no host FLUSH asked for",
		     rq->host.id);
	if (request->op.start > f.flush_excuse && !other_flush(request))
		f.flush_excuse = 0;
}

/* May this request fail although all I/O since its start succeeded? */
static bool may_fail(const struct request *request)
{
	return f.last_error >= request->op.start || (is_host_flush(request) && f.flush_excuse);
}

/*
 * Does a FLUSH or FUA write, acknowledged now, make data stable? Without @mode_rule only if DRAM was
 * in one mode all the time.
 */
static bool makes_stable(const struct request *request, enum rule mode_rule)
{
	if (request->rq.force || has_rule(mode_rule))
		return true;
	return kept_now() == KEPT_MEDIA ? request->was_volatile : request->was_protected;
}

static void end_flush(struct request *request)
{
	enum kept kept = request->rq.force ? KEPT_MEDIA : kept_now();
	u32 cell, nr;

	if (is_host_flush(request))
		check_flush_error(request);
	if (request->rq.error || !makes_stable(request, RULE_FLUSH_MODE))
		return;
	flush_kept(request->epoch, kept);
	/* Only some: all would take more time than the rest of the model. */
	cell = pick(f.nr_cells);
	for (nr = min(f.nr_cells - cell, 64u); nr; nr--, cell++)
		check_kept(cell, kept_data(cell, kept), kept, "FLUSH");
}

static void end_write(struct request *request)
{
	const struct ssdc_request *rq = &request->rq;
	bool in_dram = request->copied == request->nr;
	enum kept kept = kept_now();
	u32 i;

	change_end(request->change, rq->error ? CHANGE_LOST : CHANGE_ACKED);
	if (rq->error && in_dram && !rq->host.fua)
		fail("write %llu failed although its data are in DRAM", rq->host.id);
	/* If DRAM was volatile before, the data may be in the origin's cache, which a FLUSH failed to write. */
	if (rq->error && in_dram && request->was_protected && has_rule(RULE_FUA_PROTECTED) &&
	    f.flush_failed < request->op.start)
		fail("FUA write %llu failed although its data are in DRAM, which is protected",
		     rq->host.id);
	if (rq->error)
		return;
	if (rq->host.fua && makes_stable(request, RULE_FUA_MODE)) {
		change_kept(request->change, kept);
		for (i = request->cell; i < request->cell + request->nr; i++)
			check_kept(i, kept_data(i, kept), kept, "FUA write");
	}
	/* After an error, such a write may end with its data in DRAM only. */
	if (rq->mode != SSDC_WRITE_SYNC &&
	    !(SABOTAGE(BREAK_SYNC_WRITE) && rq->mode == SSDC_WRITE_THROUGH))
		return;
	if (f.last_error >= request->op.start || origin_has_failed() || SABOTAGE(BREAK_FLUSH_LOSS))
		return;
	for (i = request->cell; i < request->cell + request->nr; i++)
		check_not_older(request->change, i, origin_cache(i), "synchronous write");
}

/* Change an answer of the engine. */
static void break_answer(struct request *request)
{
	struct ssdc_request *rq = &request->rq;

	if (SABOTAGE(BREAK_FLUSH_HIDDEN) && request->flush_failed && is_host_flush(request))
		rq->error = 0;
	if (SABOTAGE(BREAK_FLUSH_FORGOTTEN) && is_host_flush(request) &&
	    f.last_error < request->op.start)
		rq->error = 0;
	if (SABOTAGE(BREAK_FLUSH_INVENTED) && is_host_flush(request) && chance(100))
		rq->error = -EIO;
	if (SABOTAGE(BREAK_FUA_PROTECTED) && rq->host.fua && request->was_protected &&
	    may_fail(request))
		rq->error = -EIO;
	if (SABOTAGE(BREAK_WRITE_FAILED) && rq->host.op == SSDC_WRITE && !rq->host.fua &&
	    may_fail(request))
		rq->error = -EIO;
}

void complete(struct request *request)
{
	struct ssdc_request *rq = &request->rq;

	if (sabotage)
		break_answer(request);
	NOTE2(request->nr ? request->cell : NO_CELL, request->nr, "request %llu ends, error %llu",
	      rq->host.id, -rq->error);
	if (rq->error && !may_fail(request))
		fail("request %llu failed with %d although all I/O succeeded", rq->host.id,
		     rq->error);
	if (rq->force)
		f.forced_error = rq->error;
	op_end(&request->op);
	switch (rq->host.op) {
	case SSDC_READ:
		if (!rq->error)
			check_read(&request->op, request->cell, request->nr, request->buffer,
				   rq->host.id);
		break;
	case SSDC_WRITE:
		end_write(request);
		break;
	case SSDC_FLUSH:
		end_flush(request);
		break;
	default:
		change_end(request->change, !rq->error ? CHANGE_ACKED :
			   has_rule(RULE_DISCARD_DATA) ? CHANGE_LOST : CHANGE_UNKNOWN);
	}
	list_del(&request->node);
	f.active--;
	f.counts.requests++;
	put_request(request);
}

/* ---- the way of a request ---- */

/* Let other events happen before the request continues. False: it goes on at once. */
static bool put_off(struct request *request)
{
	if (toss())
		return false;
	get_pending(RESUME, request, request->cell, request->nr);
	return true;
}

/*
 * The worker is within a request, and others come in between: submitters, and @no_io: no interrupts.
 * They have nothing more to do sooner or later, and the request must then get on by itself.
 */
static void others_go_on(struct request *held, unsigned int turns, bool no_io)
{
	unsigned int nr;

	if (turns > MOST_TURNS)
		fail("request %llu: the worker does not get past it", held->rq.host.id);
	for (nr = pick(4); nr; nr--) {
		if (turns < BUSY_TURNS && pick(3) && f.active < MAX_ACTIVE && !f.quiet)
			submit_random();
		else
			end_other(held, no_io);
	}
}

/* The worker is queued if there is work. */
static enum ssdc_action step_request(struct request *request, struct ssdc_segment *seg)
{
	enum ssdc_action action = ssdc_step(f.e, &request->rq, f.now_ns, seg);

	if (ssdc_step_has_work(f.e, &request->rq, action) && !(SABOTAGE(BREAK_NO_KICK) && chance(50)))
		f.kicked = true;
	return action;
}

/* Carry a request as far as possible. */
void advance(struct request *request)
{
	struct ssdc_segment seg;
	bool no_io = request == f.held && pick(4);
	unsigned int turns = 0;

	for (;;) {
		switch (step_request(request, &seg)) {
		case SSDC_COPY:
			begin_copy(request, &seg);
			return;
		case SSDC_READ_ORIGIN:
			begin_origin_read(request, &seg);
			if (put_off(request))
				return;
			continue;
		case SSDC_BYPASS:
			begin_bypass(request);
			return;
		case SSDC_FORWARD:
			if (request->rq.host.op == SSDC_DISCARD)
				begin_discard(request);
			else
				begin_flush(request);
			return;
		case SSDC_FLUSH_ORIGIN:
			if (SABOTAGE(BREAK_FUA_FLUSH) && request->rq.host.fua)
				ssdc_forward_done(f.e, &request->rq, 0);
			else
				begin_flush(request);
			return;
		case SSDC_AGAIN:
		case SSDC_MORE:
		case SSDC_YIELD:
			if (request == f.held)
				others_go_on(request, turns++, no_io);
			else if (put_off(request))
				return;
			continue;
		case SSDC_WAIT:
			return;
		case SSDC_COMPLETE:
			complete(request);
			return;
		}
		fail("request %llu: unknown action", request->rq.host.id);
	}
}

static void count_overlaps(const struct request *request)
{
	const struct request *other;

	list_for_each_entry(other, &f.requests, node) {
		if (other->cell < request->cell + request->nr &&
		    request->cell < other->cell + other->nr &&
		    (changes_data(request) || changes_data(other))) {
			f.counts.overlaps++;
			return;
		}
	}
}

static const char *const begins[SSDC_NR_OPS][2] = {
	[SSDC_READ] = { "a read begins", "a read begins" },
	[SSDC_WRITE] = { "a write begins, change %llu", "a FUA write begins, change %llu" },
	[SSDC_FLUSH] = { "a FLUSH begins", "a FLUSH of the driver's own begins" },
	[SSDC_DISCARD] = { "a discard begins, change %llu",
			   "a discard that trims begins, change %llu" },
};

/* @special: a write with FUA; a FLUSH of the driver's own; a discard that leaves out parts of granules */
void submit(enum ssdc_op op, u32 cell, u32 nr, bool special)
{
	struct request *request = get_request();

	ssdc_request_init(&request->rq, op, (u64)cell << f.cell_shift, (u64)nr << f.cell_shift,
			  f.now_ns);
	request->rq.host.fua = op == SSDC_WRITE && special;
	request->rq.force = op == SSDC_FLUSH && special;
	request->trims = op == SSDC_DISCARD && special;
	request->cell = cell;
	request->nr = nr;
	request->was_volatile = kept_now() == KEPT_MEDIA;
	request->was_protected = !request->was_volatile;
	op_begin(&request->op);
	count_overlaps(request);
	list_add_tail(&request->node, &f.requests);
	f.active++;
	if (changes_data(request))
		request->change = change_begin(&request->op, cell, nr, op == SSDC_DISCARD);
	if (op == SSDC_FLUSH)
		request->epoch = epoch_begin();
	NOTE1(nr ? cell : NO_CELL, nr, begins[op][special], request->change);
	advance(request);
}

/* ---- random requests ---- */

/* The driver narrows a DISCARD to whole granules. */
static void submit_discard(u32 cell, u32 nr)
{
	u64 sector = (u64)cell << f.cell_shift, nr_sectors = (u64)nr << f.cell_shift;
	bool trims = toss();

	if (trims && !SABOTAGE(BREAK_DISCARD_GRANULES) &&
	    !ssdc_narrow_discard(&sector, &nr_sectors, f.granule_cells << f.cell_shift,
				 f.granule_offset << f.cell_shift))
		return;
	submit(SSDC_DISCARD, sector >> f.cell_shift, nr_sectors >> f.cell_shift, trims);
}

/* Short requests, whole pages, several pages, and rarely long ones. */
static u32 random_length(u32 *cell)
{
	u32 page = f.page_cells, kind = pick(256);

	if (kind < 2)
		return 1 + pick(LONGEST >> f.cell_shift);
	if (kind < 30)
		return 1 + pick(4 * page);
	if (kind < 90) {
		*cell -= *cell % page;
		return page;
	}
	return 1 + pick(page);
}

/* Most requests go to a few pages, some to pages whose waiters share a list. */
static u32 random_cell(void)
{
	u32 page = f.page_cells, kind = pick(16);

	if (kind < 4)
		return pick(min(f.nr_cells, 2 * page));
	if (kind < 9)
		return pick(min(f.nr_cells, 8 * page));
	if (kind < 11)
		return min(pick(4) * SSDC_WAIT_BUCKETS * page + pick(page), f.nr_cells - 1);
	return pick(f.nr_cells);
}

void submit_random(void)
{
	u32 cell = random_cell(), nr = random_length(&cell), kind = pick(1024);

	nr = min(nr, f.nr_cells - cell);
	nr = min(nr, LONGEST >> f.cell_shift);
	if (kind < 380)
		submit(SSDC_READ, cell, nr, false);
	else if (kind < 890)
		submit(SSDC_WRITE, cell, nr, chance(100));
	else if (kind < 950)
		submit(SSDC_FLUSH, 0, 0, chance(200));
	else if (kind < 953)
		submit_discard(0, f.nr_cells);
	else
		submit_discard(cell, nr);
}
