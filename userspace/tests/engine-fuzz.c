// SPDX-License-Identifier: GPL-2.0
/*
 * Drives the engine directly with random requests, completions in random order, random I/O errors, and
 * live changes of policies and tunables. A model knows which data each sector may hold. The driver's
 * side uses all freedom that its contract with the engine allows:
 *
 * - copies and I/O move each sector either at their start or at their end, and a frame holds rubbish
 *   during its fill;
 * - a failed write reaches some of its sectors, a failed read spoils its sectors;
 * - the origin has a volatile cache: only a FLUSH makes data stable.
 *
 * Half of the instances of replacement policies are compared with their references, see
 * reference/reference.h.
 *
 *	engine-fuzz [-s SEED] [-r ROUNDS] [-n STEPS] [-p POLICY] [-v]
 *
 * A round is one engine with its own seed: SEED, SEED + 1, ... A failure prints the options that repeat
 * it. Successive rounds start with successive combinations of plug-ins; the default number of rounds
 * covers all of them. With POLICY, each round starts with that replacement policy and most switches
 * return to it; "each" does so for one policy after the other.
 *
 * At times the origin is a device that reports its state, truthfully or not. The admission scheme
 * "whim" and the prefetcher "wish" belong to this test, see fuzz-plugins.c.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/errno.h>
#include "engine-fuzz.h"
#include "reference/reference.h"

#define DEFAULT_ROUNDS	120
#define DEFAULT_STEPS	6000
#define TOTAL_STEPS	(DEFAULT_ROUNDS * DEFAULT_STEPS)
#define MAX_ACTIVE	16
#define DRAIN_STEPS	200000
#define CHECK_EVERY	16
#define RUBBISH		(1ULL << 60)

struct fuzz f;
static const char *favourite;	/* policy, or NULL */

void fail(const char *format, ...)
{
	va_list args;

	printf("# seed %llu, step %llu: ", f.seed, f.step);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	repeat_with("-r 1 -v -s %llu -n %llu%s%s", f.seed, f.steps, favourite ? " -p " : "",
		    favourite ? favourite : "");
	give_up("engine fuzz");
}

void ref_differs(const char *text)
{
	fail("%s", text);
}

#define SAY(...) do { if (f.verbose) fprintf(stderr, __VA_ARGS__); } while (0)


static bool io_fails(void)
{
	if (!percent(f.error_percent))
		return false;
	f.last_error = sim_model_time(f.model);
	return true;
}

static u64 *frame_data(ssdc_frame_t frame, u32 sector)
{
	return f.dram + (u64)ssdc_frame_nr(frame) * f.e->tier.page_sectors + sector;
}

/* ---- I/O in flight ---- */

static struct pending *begin_pending(enum pending_kind kind, struct request *request, u64 sectors)
{
	struct pending *pending = xcalloc(1, sizeof(*pending));

	if (f.nr_pending == ARRAY_SIZE(f.pending))
		fail("more than %zu I/Os in flight", ARRAY_SIZE(f.pending));
	pending->kind = kind;
	pending->request = request;
	pending->data = xcalloc(sectors + 1, sizeof(u64));
	f.pending[f.nr_pending++] = pending;
	return pending;
}

/* At the start: sample the data of some sectors. */
static void sample(u64 *data, const u64 *from, u64 nr)
{
	for (; nr; nr--, data++, from++)
		*data = percent(50) ? *from : RUBBISH;
}

/* At the end: the samples, and the present data of the other sectors. */
static u64 sampled(u64 data, u64 now)
{
	return data == RUBBISH ? now : data;
}

static void begin_copy(struct request *request, const struct ssdc_segment *seg)
{
	struct pending *pending = begin_pending(COPY, request, seg->nr_sectors);
	u64 *frame = frame_data(seg->frame, seg->frame_sector);
	u32 i;

	pending->seg = *seg;
	if (request->rq.host.op == SSDC_READ) {
		sample(pending->data, frame, seg->nr_sectors);
		return;
	}
	for (i = 0; i < seg->nr_sectors; i++)
		if (percent(50))
			frame[i] = request->value;
}

static void end_copy(struct pending *pending)
{
	const struct ssdc_segment *seg = &pending->seg;
	struct request *request = pending->request;
	u64 *frame = frame_data(seg->frame, seg->frame_sector);
	u32 i;

	for (i = 0; i < seg->nr_sectors; i++) {
		if (request->rq.host.op == SSDC_WRITE)
			frame[i] = request->value;
		else
			request->buffer[seg->rq_sector + i] = sampled(pending->data[i], frame[i]);
	}
}

static void begin_origin_read(struct request *request, const struct ssdc_segment *seg)
{
	struct pending *pending = begin_pending(ORIGIN_READ, request, seg->nr_sectors);

	pending->seg = *seg;
	sample(pending->data, f.cache + request->rq.host.sector + seg->rq_sector, seg->nr_sectors);
}

static void end_origin_read(struct pending *pending)
{
	struct ssdc_request *rq = &pending->request->rq;
	u64 *to = pending->request->buffer + pending->seg.rq_sector;
	const u64 *from = f.cache + rq->host.sector + pending->seg.rq_sector;
	bool failed = io_fails();
	u32 i;

	for (i = 0; i < pending->seg.nr_sectors; i++)
		to[i] = failed ? RUBBISH : sampled(pending->data[i], from[i]);
	ssdc_sub_done(f.e, rq, &pending->seg, failed ? -EIO : 0);
}

static bool is_host_flush(const struct ssdc_request *rq)
{
	return rq->host.op == SSDC_FLUSH && !rq->force;
}

static void begin_forward(struct request *request, bool flush)
{
	struct pending *pending = begin_pending(FORWARD, request, 0);
	u64 i;

	/* Decide now: a request that will fail does only a part. */
	pending->fails = io_fails();
	if (flush) {
		/* Writes that ended before the FLUSH began are stable when it ends. */
		for (i = 0; i < f.e->origin_sectors; i++)
			if (!pending->fails || percent(50))
				f.media[i] = f.cache[i];
		return;
	}
	for (i = request->rq.host.sector; i < request->rq.host.sector + request->rq.host.nr_sectors; i++)
		if (percent(50))
			f.cache[i] = 0;
}

static void end_forward(struct pending *pending)
{
	struct ssdc_request *rq = &pending->request->rq;
	bool failed = pending->fails;
	u64 i;

	if (rq->host.op == SSDC_DISCARD)
		for (i = rq->host.sector; i < rq->host.sector + rq->host.nr_sectors; i++)
			if (!failed || percent(50))
				f.cache[i] = 0;
	/* The error of a FLUSH fails requests that began after the decision, too. */
	if (failed)
		f.last_error = sim_model_time(f.model);
	if (is_host_flush(rq)) {
		pending->request->forwarded = true;
		pending->request->must_fail = failed || f.unreported;
		f.unreported = false;
	} else if (failed && rq->host.op != SSDC_DISCARD) {
		f.unreported = true;
	}
	ssdc_forward_done(f.e, rq, failed ? -EIO : 0);
}

static void begin_page_io(const struct ssdc_io *io)
{
	struct pending *pending = begin_pending(PAGE_IO, NULL, io->nr_sectors);
	u64 *frame = frame_data(io->frame, io->frame_sector);
	u64 *origin = f.cache + io->sector;
	u32 i;

	SAY("  %s frame %u sectors %llu+%u\n", io->write ? "flush" : "fill",
	    ssdc_frame_nr(io->frame), io->sector, io->nr_sectors);
	if (!io->nr_sectors || io->frame_sector + io->nr_sectors > f.e->tier.page_sectors ||
	    io->sector + io->nr_sectors > f.e->origin_sectors)
		fail("page I/O of sectors %llu+%u", io->sector, io->nr_sectors);
	pending->io = *io;
	if (io->write) {
		pending->seen = xcalloc(io->nr_sectors, sizeof(u64));
		memcpy(pending->seen, frame, io->nr_sectors * sizeof(u64));
		for (i = 0; i < io->nr_sectors; i++)
			if (percent(50))
				origin[i] = frame[i];
		return;
	}
	sample(pending->data, origin, io->nr_sectors);
	for (i = 0; i < io->nr_sectors; i++)
		frame[i] = RUBBISH;
}

static void end_page_io(struct pending *pending)
{
	const struct ssdc_io *io = &pending->io;
	u64 *frame = frame_data(io->frame, io->frame_sector);
	u64 *origin = f.cache + io->sector;
	bool failed = io_fails();
	u32 i;

	if (io->write && memcmp(pending->seen, frame, io->nr_sectors * sizeof(u64)))
		fail("frame %u changed while it was being written", ssdc_frame_nr(io->frame));
	for (i = 0; i < io->nr_sectors; i++) {
		if (failed && percent(50))
			continue;
		if (io->write)
			origin[i] = frame[i];
		if (io->write && io->fua && !failed)
			f.media[io->sector + i] = frame[i];
		if (!io->write)
			frame[i] = sampled(pending->data[i], origin[i]);
	}
	SAY("  %s of frame %u %s\n", io->write ? "flush" : "fill", ssdc_frame_nr(io->frame),
	    failed ? "failed" : "done");
	/* The page fails with its last run, even if an earlier run failed. */
	if (ssdc_entry_at(f.e, io->frame)->flags & SSDC_E_IO_ERROR)
		f.last_error = sim_model_time(f.model);
	ssdc_io_done(f.e, io, failed ? -EIO : 0, f.now_ns);
}

/* ---- requests ---- */

static bool changes_data(const struct request *request)
{
	return request->rq.host.op == SSDC_WRITE || request->rq.host.op == SSDC_DISCARD;
}

/*
 * Would a power failure leave data of the sector that were acknowledged before @start, or newer
 * ones? Data in protected DRAM stay. While a write is copied to the frame of a sector, the frame
 * has older data of the sector, or another sector's, which the model does not take for this one's.
 */
static bool is_stable(u64 sector, u64 start, bool protected)
{
	u32 in_page = sector & (f.e->tier.page_sectors - 1);
	ssdc_frame_t frame = ssdc_lookup(f.e, ssdc_page_of(f.e, sector));
	bool valid;

	if (!protected || frame == SSDC_NO_FRAME ||
	    !ssdc_mask_bit(ssdc_dirty_mask(f.e, frame), in_page))
		return sim_model_allows(f.model, sector, f.media[sector], start);
	valid = ssdc_mask_bit(ssdc_valid_mask(f.e, frame), in_page);
	return sim_model_allows(f.model, sector, *frame_data(frame, in_page), start) ||
		(!valid && sim_model_allows(f.model, sector, f.media[sector], start));
}

/* Check that data acknowledged before @start are stable. */
static void check_stable(u64 start, bool protected, const char *what)
{
	u64 sector;

	for (sector = 0; sector < f.e->origin_sectors; sector++)
		if (!is_stable(sector, start, protected))
			fail("%s: sector %llu is not stable, the origin has %llu", what, sector,
			     f.media[sector]);
}

/* A completed write promised its data at @where: check that nothing older is there. */
static void check_written(const struct request *request, const u64 *where, const char *what)
{
	const struct ssdc_request *rq = &request->rq;
	u64 sector;

	for (sector = rq->host.sector; sector < rq->host.sector + rq->host.nr_sectors; sector++)
		if (!sim_model_since(f.model, sector, where[sector], request->op.start))
			fail("%s %llu: sector %llu of the origin has %llu", what, rq->host.id,
			     sector, where[sector]);
}

static void check_read(const struct request *request)
{
	const struct ssdc_request *rq = &request->rq;
	u64 i;

	for (i = 0; i < rq->host.nr_sectors; i++)
		if (!sim_model_allows(f.model, rq->host.sector + i, request->buffer[i],
				      request->op.start))
			fail("read %llu: sector %llu has %llu", rq->host.id, rq->host.sector + i,
			     request->buffer[i]);
}

static void complete(struct request *request)
{
	struct ssdc_request *rq = &request->rq;
	enum sim_end end = SIM_ACKED;

	SAY("  request %llu ends with %d: %s %llu+%llu start %llu\n", rq->host.id, rq->error,
	    ssdc_op_names[rq->host.op], rq->host.sector, rq->host.nr_sectors, request->op.start);
	if (rq->error && f.last_error < request->op.start && !request->must_fail)
		fail("request %llu failed with %d although all I/O succeeded", rq->host.id,
		     rq->error);
	if (is_host_flush(rq) && !request->forwarded)
		request->must_fail = f.unreported;
	if (!rq->error && request->must_fail)
		fail("FLUSH %llu hides the error of an earlier FLUSH", rq->host.id);
	if (rq->error)
		end = rq->host.op == SSDC_DISCARD ? SIM_UNKNOWN : SIM_LOST;
	if (changes_data(request))
		sim_model_changed(f.model, &request->op, rq->host.sector, rq->host.nr_sectors, end);
	if (!rq->error && rq->host.op == SSDC_READ)
		check_read(request);
	if (!rq->error && rq->host.op == SSDC_FLUSH &&
	    (rq->force || request->was_volatile || request->was_protected))
		check_stable(request->op.start, request->was_protected && !rq->force, "FLUSH");
	if (!rq->error && rq->host.fua && request->was_volatile)
		check_written(request, f.media, "FUA write");
	/* After an error, such a write may complete with its data in DRAM only. */
	if (rq->mode == SSDC_WRITE_SYNC && f.last_error < request->op.start)
		check_written(request, f.cache, "synchronous write");
	sim_op_end(f.model, &request->op);
	list_del(&request->node);
	f.active--;
	f.completed++;
	free(request->buffer);
	free(request);
}

static void advance(struct request *request)
{
	struct ssdc_segment seg;

	for (;;) {
		switch (ssdc_step(f.e, &request->rq, f.now_ns, &seg)) {
		case SSDC_COPY:
			begin_copy(request, &seg);
			return;
		case SSDC_READ_ORIGIN:
			begin_origin_read(request, &seg);
			continue;
		case SSDC_FORWARD:
			begin_forward(request, request->rq.host.op == SSDC_FLUSH);
			return;
		case SSDC_FLUSH_ORIGIN:
			begin_forward(request, true);
			return;
		case SSDC_AGAIN:
			continue;
		case SSDC_WAIT:
			return;
		case SSDC_COMPLETE:
			complete(request);
			return;
		}
	}
}

static void submit(enum ssdc_op op, u64 sector, u64 nr, bool fua, bool force)
{
	struct request *request = xcalloc(1, sizeof(*request));

	ssdc_request_init(&request->rq, op, sector, nr, f.now_ns);
	request->rq.host.fua = fua;
	request->rq.force = force;
	request->was_volatile = f.e->tunables.dram_mode == SSDC_VOLATILE;
	request->was_protected = f.e->tunables.dram_mode == SSDC_PROTECTED;
	sim_op_begin(f.model, &request->op);
	list_add_tail(&request->node, &f.requests);
	f.active++;
	if (op == SSDC_WRITE)
		request->value = ++f.next_value;
	if (op == SSDC_READ)
		request->buffer = xcalloc(nr, sizeof(u64));
	if (changes_data(request))
		sim_model_change(f.model, &request->op, sector, nr, request->value);
	SAY("%s %llu+%llu%s%s value %llu start %llu\n", ssdc_op_names[op], sector, nr,
	    fua ? " FUA" : "", force ? " force" : "", request->value, request->op.start);
	advance(request);
}

static void submit_random(void)
{
	u64 size = f.e->origin_sectors, page = f.e->tier.page_sectors;
	u64 sector, nr, kind = below(100);

	/* Most requests go to a few pages, some to pages whose waiters share a list. */
	sector = percent(50) ? below(min(size, 8 * page)) : below(size);
	if (percent(20))
		sector = min(below(4) * SSDC_WAIT_BUCKETS * page + below(page), size - 1);
	switch (below(8)) {
	case 0:
		nr = between(1, SSDC_MAX_REQUEST_SECTORS);
		break;
	case 1:
	case 2:
		nr = between(1, 4 * page);
		break;
	case 3:
	case 4:
		sector -= sector % page;
		nr = page;
		break;
	default:
		nr = between(1, page);
	}
	nr = min(nr, size - sector);
	nr = min_t(u64, nr, SSDC_MAX_REQUEST_SECTORS);
	if (kind < 35)
		submit(SSDC_READ, sector, nr, false, false);
	else if (kind < 85)
		submit(SSDC_WRITE, sector, nr, percent(10), false);
	else if (kind < 92)
		submit(SSDC_FLUSH, 0, 0, false, percent(20));
	else if (percent(5))
		submit(SSDC_DISCARD, 0, size, false, false);
	else
		submit(SSDC_DISCARD, sector, nr, false, false);
}

/* ---- other duties of the driver ---- */

static void end_random(void)
{
	unsigned int i = below(f.nr_pending);
	struct pending *pending = f.pending[i];

	f.pending[i] = f.pending[--f.nr_pending];
	switch (pending->kind) {
	case PAGE_IO:
		end_page_io(pending);
		break;
	case ORIGIN_READ:
		end_origin_read(pending);
		break;
	case FORWARD:
		end_forward(pending);
		break;
	case COPY:
		end_copy(pending);
		advance(pending->request);
		break;
	}
	free(pending->data);
	free(pending->seen);
	free(pending);
}

static bool start_one_io(void)
{
	struct ssdc_io io;

	if (!ssdc_next_io(f.e, &io))
		return false;
	begin_page_io(&io);
	return true;
}

static bool advance_one_ready(void)
{
	struct ssdc_request *rq = ssdc_next_ready(f.e);

	if (!rq)
		return false;
	advance(container_of(rq, struct request, rq));
	return true;
}

/* Do all work the engine has ready. */
static void work(void)
{
	unsigned int rounds = 0;

	do {
		while (advance_one_ready() || start_one_io())
			;
		f.wake_ns = ssdc_background(f.e, f.now_ns);
		if (++rounds > 10000)
			fail("ssdc_background() never runs out of steps");
	} while (!f.wake_ns || advance_one_ready() || start_one_io());
}

/* ---- live changes ---- */

static unsigned int nr_types(enum ssdc_kind kind)
{
	const struct ssdc_plugin_type *type = NULL;
	unsigned int nr = 0;

	while ((type = ssdc_type_next(kind, type)))
		nr++;
	return nr;
}

static u32 random_value(const struct ssdc_tunable *tunable)
{
	u32 nr = 0;

	if (!tunable->words)
		return percent(50) ? between(tunable->min, min(tunable->max, tunable->min + 100)) :
				     between(tunable->min, tunable->max);
	while (tunable->words[nr])
		nr++;
	return below(nr);
}

/* The spec of type number @nr of a kind, with some of its tunables. */
static const char *random_spec(enum ssdc_kind kind, unsigned int nr)
{
	const struct ssdc_plugin_type *type = NULL;
	char *spec = f.specs[kind];
	char separator = ':';
	unsigned int i;
	int at;

	do
		type = ssdc_type_next(kind, type);
	while (nr--);
	at = scnprintf(spec, SSDC_SPEC_LEN, "%s", type->info.name);
	for (i = 0; i < type->info.nr_tunables; i++) {
		const struct ssdc_tunable *tunable = &type->info.tunables[i];

		if (percent(60))
			continue;
		at += scnprintf(spec + at, SSDC_SPEC_LEN - at, "%c%s=", separator, tunable->name);
		at += ssdc_tunable_print(tunable, random_value(tunable), spec + at,
					 SSDC_SPEC_LEN - at);
		separator = ',';
	}
	return spec;
}

/* The number of the favourite among the replacement policies. */
static unsigned int favourite_number(void)
{
	const struct ssdc_plugin_type *type = NULL;
	unsigned int nr = 0;

	while ((type = ssdc_type_next(SSDC_REPLACEMENT, type)) &&
	       strcmp(type->info.name, favourite))
		nr++;
	return nr;
}

static unsigned int random_policy(void)
{
	return favourite && percent(70) ? favourite_number() : below(nr_types(SSDC_REPLACEMENT));
}

/* References of "calm" policies allow no live changes, so those are not compared. */
static void watch_random(struct ssdc_replacement *r)
{
	const struct ref_type *type = ref_type_find(r->plugin.type->info.name);

	if (type && !type->calm && percent(50) && ref_watch(r))
		SAY("compared with its reference\n");
}

static struct ssdc_plugin *random_plugin(enum ssdc_kind kind)
{
	unsigned int nr = kind == SSDC_REPLACEMENT ? random_policy() : below(nr_types(kind));
	const char *spec = random_spec(kind, nr);
	struct ssdc_error error = {};
	struct ssdc_plugin *plugin = ssdc_plugin_create(kind, spec, &f.e->tier, &error);

	SAY("%s %s\n", ssdc_kind_name(kind), spec);
	if (!plugin)
		fail("%s %s: %s", ssdc_kind_name(kind), spec, error.text);
	return plugin;
}

static void switch_step(void)
{
	struct ssdc_replacement *old = ssdc_switch_step(f.e);

	if (!old)
		return;
	ssdc_plugin_destroy(&old->plugin);
	f.wake_ns = f.now_ns; /* the driver wakes its worker: the new policy may have background work */
}

static void switch_random(void)
{
	if (f.e->draining) {
		switch_step();
	} else if (percent(20)) {
		struct ssdc_prefetch *old = f.e->prefetch;

		f.e->prefetch = (struct ssdc_prefetch *)random_plugin(SSDC_PREFETCH);
		ssdc_plugin_destroy(&old->plugin);
	} else if (percent(30)) {
		struct ssdc_admission *old = f.e->admission;

		f.e->admission = (struct ssdc_admission *)random_plugin(SSDC_ADMISSION);
		ssdc_plugin_destroy(&old->plugin);
	} else {
		struct ssdc_replacement *next =
			(struct ssdc_replacement *)random_plugin(SSDC_REPLACEMENT);

		watch_random(next);
		if (ssdc_switch_begin(f.e, next))
			fail("switch refused");
	}
}

static void tune_random(void)
{
	struct ssdc_plugin *plugin = ssdc_current_plugin(f.e, below(SSDC_NR_KINDS));
	const struct ssdc_plugin_info *info = &plugin->type->info;
	const struct ssdc_tunable *tunable;
	struct request *request;

	if (info->nr_tunables && percent(60)) {
		tunable = &info->tunables[below(info->nr_tunables)];
		*ssdc_tunable_at(tunable, plugin) = random_value(tunable);
		ssdc_plugin_tuned(plugin);
		SAY("%s %s = %u\n", info->name, tunable->name,
		    *ssdc_tunable_at(tunable, plugin));
		return;
	}
	tunable = &ssdc_core_tunable_table[below(ssdc_nr_core_tunables)];
	*ssdc_tunable_at(tunable, &f.e->tunables) = random_value(tunable);
	ssdc_tunables_changed(f.e, f.now_ns);
	SAY("%s = %u\n", tunable->name, *ssdc_tunable_at(tunable, &f.e->tunables));
	list_for_each_entry(request, &f.requests, node) {
		request->was_volatile &= f.e->tunables.dram_mode == SSDC_VOLATILE;
		request->was_protected &= f.e->tunables.dram_mode == SSDC_PROTECTED;
	}
}

/* The origin writes some of its cached sectors to the media on its own. */
static void destage(void)
{
	u64 at = below(f.e->origin_sectors), nr = between(1, 64);

	for (; nr && at < f.e->origin_sectors; nr--, at++)
		f.media[at] = f.cache[at];
}

/* ---- rounds ---- */

static void check_engine(void)
{
	struct ssdc_error finding;

	if (ssdc_engine_check(f.e, &finding))
		fail("ssdc_engine_check(): %s", finding.text);
}

static void check_rest(void)
{
	const struct ssdc_engine *e = f.e;

	check_engine();
	if (f.active || !ssdc_quiescent(e))
		fail("%u requests are stuck (%u waiting, %u I/Os in flight)", f.active,
		     e->waiting_requests, e->device_inflight);
	if (e->host_reads || e->prefetch_inflight || e->wanted || e->granted || e->nr_victims || e->early_inflight || e->flushing_pages ||
	    e->waiting_requests || e->device_inflight || e->host_inflight)
		fail("at rest, but wanted %u granted %u victims %u early %u flushing %u waiting %u device %u host %u",
		     e->wanted, e->granted, e->nr_victims, e->early_inflight, e->flushing_pages,
		     e->waiting_requests, e->device_inflight, e->host_inflight);
	if (e->stats.read_hits > e->stats.read_pages ||
	    e->stats.write_hits > e->stats.write_pages ||
	    e->stats.write_absorbed > e->stats.write_pages ||
	    e->stats.prefetch_hits > e->stats.read_hits ||
	    e->stats.evicted_clean > e->stats.evicted_pages)
		fail("statistics contradict each other");
}

/*
 * Let everything come to rest. Sometimes freeze first, as a suspend does: I/O in flight must end while
 * nothing else starts.
 */
static void drain(void)
{
	unsigned int steps;

	ssdc_freeze(f.e, percent(30));
	for (steps = 0; f.e->frozen && steps < DRAIN_STEPS; steps++) {
		work();
		if (f.nr_pending)
			end_random();
		else if (!ssdc_io_pending(f.e))
			break;
	}
	if (f.e->frozen && (ssdc_io_pending(f.e) || ssdc_has_work(f.e)))
		fail("a suspended device does not come to rest");
	ssdc_freeze(f.e, false);
	for (steps = 0; steps < DRAIN_STEPS; steps++) {
		work();
		if (f.e->draining)
			switch_step();
		if (f.nr_pending)
			end_random();
		else if (ssdc_quiescent(f.e) && !f.active)
			break;
		else if (f.wake_ns != SSDC_NEVER)
			f.now_ns = max(f.now_ns, f.wake_ns);
		else if (!f.e->draining)
			break;
	}
	while (f.e->draining)
		switch_step();
	check_rest();
}

/* With errors off, all acknowledged data must reach the origin. */
static void check_nothing_lost(void)
{
	f.error_percent = 0;
	drain();
	submit(SSDC_FLUSH, 0, 0, false, true);
	drain();
	if (f.e->tier.dirty_pages || f.e->failed_pages)
		fail("%u dirty and %u failed pages after a FLUSH", f.e->tier.dirty_pages,
		     f.e->failed_pages);
	check_stable(sim_model_time(f.model) + 1, false, "at the end");
}

static void step(void)
{
	u64 dice = below(1000);

	f.step++;
	f.now_ns += below(20000);
	if (dice < 300 && f.active < MAX_ACTIVE)
		submit_random();
	else if (dice < 650 && f.nr_pending)
		end_random();
	else if (dice < 750)
		advance_one_ready();
	else if (dice < 850)
		start_one_io();
	else if (dice < 930)
		work();
	else if (dice < 950)
		f.now_ns += below(20000000);
	else if (dice < 960)
		destage();
	else if (dice < 970 || (f.e->draining && dice < 985))
		switch_random();
	else if (dice < 980)
		tune_random();
	else if (dice < 985)
		ssdc_drop_clean(f.e, &f.drop_cursor);
	else if (dice < 987)
		ssdc_reset_stats(f.e);
	else if (dice < 990)
		f.drop_cursor = 0;
	else if (dice < 995)
		f.error_percent = percent(70) ? 0 : PICK(((unsigned int []){ 1, 5, 30, 100 }));
	else if (dice < 997)
		drain();
	else if (dice < 998)
		check_nothing_lost();
	else
		f.talks = percent(50);
	if (percent(20))
		f.talk++;
	if (f.step % CHECK_EVERY == 0)
		check_engine();
}

static u64 nr_combinations(void)
{
	u64 nr = 1;
	unsigned int kind;

	for (kind = 0; kind < SSDC_NR_KINDS; kind++)
		nr *= nr_types(kind);
	return nr;
}

/* Successive seeds go through all combinations of plug-ins. */
static void choose_plugins(u64 seed)
{
	unsigned int kind;

	for (kind = 0; kind < SSDC_NR_KINDS; kind++) {
		random_spec(kind, seed % nr_types(kind));
		seed /= nr_types(kind);
	}
	if (favourite)
		random_spec(SSDC_REPLACEMENT, favourite_number());
	f.params.replacement = f.specs[SSDC_REPLACEMENT];
	f.params.admission = f.specs[SSDC_ADMISSION];
	f.params.prefetch = f.specs[SSDC_PREFETCH];
}

static void setup(u64 seed, u64 steps, bool verbose)
{
	struct ssdc_error error = {};
	u64 frames;

	memset(&f, 0, sizeof(f));
	f.seed = seed;
	f.steps = steps;
	f.verbose = verbose;
	ssdc_random_seed(&harness_random, seed);
	f.wake_ns = SSDC_NEVER;
	f.now_ns = 1000000000;
	INIT_LIST_HEAD(&f.requests);
	frames = between(SSDC_MIN_FRAMES, 64);
	f.params.page_bytes = SSDC_MIN_PAGE_BYTES << below(5);
	f.params.dram_bytes = frames * f.params.page_bytes + below(f.params.page_bytes);
	f.params.origin_sectors = (f.params.page_bytes >> SSDC_SECTOR_SHIFT) *
				  between(frames / 2, 4 * frames) + below(128);
	choose_plugins(seed);
	ssdc_tunables_default(ssdc_core_tunable_table, ssdc_nr_core_tunables, &f.params.tunables);
	f.params.tunables.dram_mode = percent(20);
	f.params.tunables.retry_ms = between(1, 50);
	f.e = ssdc_engine_create(&f.params, &error);
	if (!f.e)
		fail("create: %s", error.text);
	ssdc_set_device(f.e, &talk_ops, NULL);
	f.talks = percent(50);
	watch_random(f.e->replacement);
	ssdc_tunables_changed(f.e, f.now_ns);
	SAY("%u frames of %llu bytes, %llu sectors, %s, %s, %s\n", f.e->tier.nr_frames,
	    f.params.page_bytes, f.params.origin_sectors, f.params.replacement,
	    f.params.admission, f.params.prefetch);
	f.model = sim_model_create();
	f.dram = xcalloc((u64)f.e->tier.nr_frames * f.e->tier.page_sectors, sizeof(u64));
	f.cache = xcalloc(f.params.origin_sectors, sizeof(u64));
	f.media = xcalloc(f.params.origin_sectors, sizeof(u64));
}

static void teardown(void)
{
	ssdc_engine_destroy(f.e);
	sim_model_destroy(f.model);
	free(f.dram);
	free(f.cache);
	free(f.media);
}

/* Totals of "whim" and "wish" over all rounds. */
static u64 decisions[3], loaded, hits[2], ends[4];

static void run_rounds(u64 seed, u64 rounds, u64 steps, bool verbose)
{
	u64 completed = 0, before = ref_decisions(), i;
	unsigned int mode;

	for (i = 0; i < rounds; i++) {
		setup(seed + i, steps, verbose);
		while (f.step < steps)
			step();
		check_nothing_lost();
		completed += f.completed;
		for (mode = 0; mode < ARRAY_SIZE(decisions); mode++)
			decisions[mode] += f.decisions[mode];
		loaded += f.loaded;
		for (mode = 0; mode < ARRAY_SIZE(hits); mode++)
			hits[mode] += f.hits[mode];
		for (mode = 0; mode < ARRAY_SIZE(ends); mode++)
			ends[mode] += f.ends[mode];
		teardown();
	}
	result(true, "engine fuzz%s%s: %llu steps, %llu requests, %llu decisions compared, %llu rounds from seed %llu",
	       favourite ? " of " : "", favourite ? favourite : "", rounds * steps, completed,
	       ref_decisions() - before, rounds, seed);
}

/* A fuzz in which no write goes through would test little. */
static void check_decisions(void)
{
	result(decisions[SSDC_WRITE_BACK] && decisions[SSDC_WRITE_THROUGH] &&
	       decisions[SSDC_WRITE_SYNC],
	       "all %llu combinations of plug-ins; \"whim\" decided %llu write backs, %llu write throughs, %llu synchronous writes",
	       nr_combinations(), decisions[SSDC_WRITE_BACK], decisions[SSDC_WRITE_THROUGH],
	       decisions[SSDC_WRITE_SYNC]);
}

/* Prefetched pages must have been hit in time and late, and must have left in each way. */
static void check_prefetching(void)
{
	result(loaded && hits[0] && hits[1] && ends[SSDC_GAVE_WAY] && ends[SSDC_REPLACED] &&
	       ends[SSDC_WRITTEN] && ends[SSDC_DROPPED],
	       "prefetching: %llu pages, %llu hits, %llu of these during the fill; %llu evicted, %llu replaced, %llu written, %llu dropped",
	       loaded, hits[0] + hits[1], hits[1], ends[SSDC_GAVE_WAY], ends[SSDC_REPLACED],
	       ends[SSDC_WRITTEN], ends[SSDC_DROPPED]);
}

static void fuzz_each_policy(const struct harness *options)
{
	const struct ssdc_plugin_type *type = NULL;

	while ((type = ssdc_type_next(SSDC_REPLACEMENT, type))) {
		favourite = type->info.name;
		run_rounds(options->seed, options->rounds, options->steps, options->verbose);
	}
}

int main(int argc, char **argv)
{
	struct harness options = { .seed = 1 };

	if (ssdc_type_register(&whim.plugin) || ssdc_type_register(&wish.plugin))
		return TOOL_FAILED;
	harness_options(&options, "srnpv", argc, argv);
	if (!options.rounds)
		options.rounds = max_t(u64, DEFAULT_ROUNDS, nr_combinations());
	if (!options.steps)
		options.steps = max(min(TOTAL_STEPS / options.rounds, (u64)DEFAULT_STEPS), 100ULL);
	if (options.only && !strcmp(options.only, "each")) {
		fuzz_each_policy(&options);
		return finish();
	}
	favourite = options.only;
	run_rounds(options.seed, options.rounds, options.steps, options.verbose);
	if (!favourite && options.rounds >= nr_combinations()) {
		check_decisions();
		check_prefetching();
	}
	return finish();
}
