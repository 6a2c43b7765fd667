// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcache-trace replay
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "replay.h"

#define MAX_DEPTH	4096u
#define DEFAULT_DEPTH	256u
#define LEAD_NS		10000000u	/* from the start to the first request */
#define REPORT_NS	(5 * NSEC_PER_SEC)
#define SETTLE_POLL_NS	200000u
#define SETTLE_MAX_NS	(60 * NSEC_PER_SEC)
#define BUFFER_ALIGN	4096u

static const char help[] =
	"Usage: ssdcache-trace replay [OPTIONS] --device DEV FILE...\n"
	"\n"
	"Replays traces on a block device by direct I/O, and prints the latencies as JSON.\n"
	"What is on the device is overwritten. Without --closed or --speed max, requests start\n"
	"at their recorded times, whether those before have ended or not, and latencies count\n"
	"from those times.\n"
	"\n"
	"  --device DEV   the block device; a file of the right size will do as well\n"
	"  --speed X      divide the recorded times by X; 'max': start at once, --depth at a time\n"
	"  --depth N      requests that the kernel is given at a time (256)\n"
	"  --closed       one request at a time: each waits for the one before\n"
	"  --settle FILE  with --closed: before each request wait until FILE reads 1, such as\n"
	"                 /sys/block/dm-0/ssdcache/quiescent\n"
	"  --feeder       have the kernel's test module ssdcache-feeder start the requests, which\n"
	"                 takes less memory and fewer system calls; zeroes are written\n"
	"  --limit N      replay the first N requests only\n"
	"  --wrap         take addresses beyond the device modulo its size\n"
	"  --verify       check what is read against what was written\n"
	"  --seed N       of the data that are written (0)\n";

uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

void replay_never_settled(const struct replay *replay)
{
	trace_die(TRACE_FAILED, "%s: did not read 1 within %llu s", replay->settle_name,
		  SETTLE_MAX_NS / NSEC_PER_SEC);
}

static void sleep_ns(uint64_t ns)
{
	struct timespec time = { .tv_sec = ns / NSEC_PER_SEC, .tv_nsec = ns % NSEC_PER_SEC };

	while (nanosleep(&time, &time) && errno == EINTR)
		;
}

static void wait_until_settled(const struct replay *replay)
{
	uint64_t give_up = now_ns() + SETTLE_MAX_NS;
	char c;

	for (;;) {
		ssize_t nr = pread(replay->settle, &c, 1, 0);

		if (nr < 0)
			trace_die(TRACE_FAILED, "%s: %s", replay->settle_name, strerror(errno));
		if (nr == 1 && c == '1')
			return;
		if (now_ns() > give_up)
			replay_never_settled(replay);
		sleep_ns(SETTLE_POLL_NS);
	}
}

static void prepare_data(struct replay *replay, struct slot *slot)
{
	const struct trace_request *request = &replay->trace.requests[slot->request];
	size_t bytes = (size_t)request->nr_sectors * TRACE_SECTOR_BYTES;

	if (request->op != TRACE_READ && request->op != TRACE_WRITE)
		return;
	if (bytes > slot->room) {
		free(slot->buffer);
		if (posix_memalign(&slot->buffer, BUFFER_ALIGN, bytes))
			trace_die(TRACE_FAILED, "no memory for a request of %zu bytes", bytes);
		slot->room = bytes;
	}
	if (request->op == TRACE_WRITE)
		pattern_fill(slot->buffer, request->sector, request->nr_sectors, slot->request + 1,
			     replay->seed);
}

/**
 * due_ns() - when a request is to start
 * @replay: replay, for which is_timed()
 * @request: request
 *
 * Return: a time of CLOCK_MONOTONIC.
 */
uint64_t due_ns(const struct replay *replay, const struct trace_request *request)
{
	return replay->base_ns + (uint64_t)(request->time_ns / replay->speed);
}

/**
 * replay_late() - a request found no free slot before its time
 * @replay: replay
 * @ns: how late there was one
 */
void replay_late(struct replay *replay, uint64_t ns)
{
	replay->late++;
	if (ns > replay->max_late_ns)
		replay->max_late_ns = ns;
}

static void start(struct replay *replay, size_t index)
{
	unsigned int nr = replay->idle[--replay->nr_idle];
	struct slot *slot = &replay->slots[nr];
	uint64_t now, due;

	slot->request = index;
	prepare_data(replay, slot);
	now = now_ns();
	due = now;
	if (is_timed(replay)) {
		due = due_ns(replay, &replay->trace.requests[index]);
		slot->due.tv_sec = due / NSEC_PER_SEC;
		slot->due.tv_nsec = due % NSEC_PER_SEC;
		if (now > due && !replay->verify)
			replay_late(replay, now - due);
	}
	slot->start_ns = due;
	if (replay->verify)
		verifier_starts(replay, slot, now);
	ring_queue(replay, nr, due > now);
}

static void report_progress(struct replay *replay, uint64_t now)
{
	if (now < replay->next_report_ns)
		return;
	replay->next_report_ns = now + REPORT_NS;
	trace_warn("replay: %" PRIu64 " of %" PRIu64 " requests", replay->done, replay->nr);
}

/**
 * replay_ended() - count a request that has ended
 * @replay: replay
 * @number: of the request, from 0
 * @request: request
 * @end_ns: when it ended
 * @latency_ns: its latency
 * @failure: what went wrong, or NULL
 */
void replay_ended(struct replay *replay, uint64_t number, const struct trace_request *request,
		  uint64_t end_ns, uint64_t latency_ns, const char *failure)
{
	if (!failure)
		latencies_add(replay->latencies, request, latency_ns);
	else if (!replay->errors++)
		trace_warn("request %" PRIu64 ": a %s of %u sectors at sector %" PRIu64 ": %s",
			   number + 1, trace_op_names[request->op], request->nr_sectors,
			   request->sector, failure);
	replay->done++;
	replay->end_ns = end_ns;
	report_progress(replay, end_ns);
}

/**
 * replay_done() - a request of the ring has ended
 * @replay: replay
 * @nr: of its slot
 * @result: bytes, 0 for what has no data, or -errno
 */
void replay_done(struct replay *replay, unsigned int nr, int result)
{
	struct slot *slot = &replay->slots[nr];
	const struct trace_request *request = &replay->trace.requests[slot->request];
	bool data = request->op == TRACE_READ || request->op == TRACE_WRITE;
	int expected = data ? (int)(request->nr_sectors * TRACE_SECTOR_BYTES) : 0;
	const char *failure = NULL;
	uint64_t now = now_ns();

	if (result != expected)
		failure = result < 0 ? strerror(-result) : "done in part only";
	replay_ended(replay, slot->request, request, now, now - slot->start_ns, failure);
	if (replay->verify)
		verifier_ends(replay, slot, now, failure);
	replay->idle[replay->nr_idle++] = nr;
}

/*
 * The kernel is told of requests long before they are due. But what a read may find is judged by
 * what was over when it was handed to the kernel, so that with --verify it is done in time only.
 */
static bool may_start(const struct replay *replay, size_t index)
{
	return !replay->verify || !is_timed(replay) ||
	       now_ns() >= due_ns(replay, &replay->trace.requests[index]);
}

/* When there is something to start, whether a request ends or not; 0: not before one ends. */
static uint64_t wake_ns(const struct replay *replay, size_t next)
{
	if (!replay->verify || !is_timed(replay) || next == replay->trace.nr || !replay->nr_idle)
		return 0;
	return due_ns(replay, &replay->trace.requests[next]);
}

static void ring_run(struct replay *replay)
{
	size_t next = 0;

	while (replay->done < replay->nr) {
		while (next < replay->nr && replay->nr_idle && may_start(replay, next)) {
			if (replay->settle >= 0)
				wait_until_settled(replay);
			start(replay, next++);
		}
		ring_wait(replay, wake_ns(replay, next));
	}
}

static void run(struct replay *replay)
{
	replay->base_ns = now_ns() + LEAD_NS;
	/* A round time: what the start-up takes makes no difference in virtual time. */
	if (is_timed(replay))
		replay->base_ns += LEAD_NS - replay->base_ns % LEAD_NS;
	/* Only where somebody looks: to write may take long, in the middle of a replay. */
	replay->next_report_ns = isatty(STDERR_FILENO) ? replay->base_ns + REPORT_NS : UINT64_MAX;
	if (replay->source)
		feeder_run(replay);
	else
		ring_run(replay);
	if (replay->settle >= 0)
		wait_until_settled(replay);
}

static void slots_open(struct replay *replay)
{
	unsigned int i;
	size_t k;

	for (k = 0; k < replay->trace.nr; k++)
		replay->discards |= replay->trace.requests[k].op == TRACE_DISCARD;
	replay->slots = trace_zalloc(replay->depth, sizeof(*replay->slots));
	replay->idle = trace_zalloc(replay->depth, sizeof(*replay->idle));
	for (i = 0; i < replay->depth; i++)
		replay->idle[replay->nr_idle++] = replay->depth - 1 - i;
	if (replay->verify)
		verifier_open(&replay->verifier, &replay->trace, replay->device.sectors);
	if (replay->discards)
		discarder_start(&replay->discarder, &replay->device, &replay->trace,
				replay->slots);
	ring_open(replay);
}

static void slots_close(struct replay *replay)
{
	unsigned int i;

	ring_close(replay);
	if (replay->discards)
		discarder_stop(&replay->discarder);
	if (replay->verify)
		verifier_close(&replay->verifier);
	for (i = 0; i < replay->depth; i++) {
		free(replay->slots[i].buffer);
		free(replay->slots[i].known);
	}
	free(replay->slots);
	free(replay->idle);
}

/* See to it that all requests can be made before the first one is. */
static void fit(struct replay *replay)
{
	struct trace_request request;

	if (replay->source) {
		while (trace_source_next(replay->source, &request))
			device_fit(&replay->device, &request, ++replay->nr, replay->wrap);
		trace_source_rewind(replay->source);
		return;
	}
	for (; replay->nr < replay->trace.nr; replay->nr++)
		device_fit(&replay->device, &replay->trace.requests[replay->nr], replay->nr + 1,
			   replay->wrap);
}

static void replay_open(struct replay *replay, const char *device, char **names, int nr_names,
			uint64_t limit, bool feeder)
{
	if (feeder)
		replay->source = trace_source_open(names, nr_names, limit);
	else
		trace_load(&replay->trace, names, nr_names, TRACE_ANY, limit);
	device_open(&replay->device, device);
	fit(replay);
	replay->latencies = latencies_new();
	if (!feeder)
		slots_open(replay);
}

static void replay_close(struct replay *replay)
{
	if (replay->source) {
		trace_source_close(replay->source);
	} else {
		slots_close(replay);
		trace_free(&replay->trace);
	}
	free(replay->latencies);
	if (replay->settle >= 0)
		close(replay->settle);
	close(replay->device.fd);
}

static void print_result(const struct replay *replay)
{
	const char *mode = replay->closed ? "closed" : replay->speed > 0 ? "open" : "max";

	printf("{\n  \"mode\": \"%s\",\n  \"speed\": %g,\n  \"depth\": %u,\n", mode, replay->speed,
	       replay->depth);
	printf("  \"requests\": %" PRIu64 ",\n  \"errors\": %" PRIu64 ",\n", replay->nr,
	       replay->errors);
	printf("  \"late\": %" PRIu64 ",\n  \"max_late_ns\": %" PRIu64 ",\n", replay->late,
	       replay->max_late_ns);
	printf("  \"elapsed_ns\": %" PRIu64 ",\n",
	       replay->done ? replay->end_ns - (replay->base_ns - LEAD_NS) : 0);
	if (replay->verify)
		printf("  \"verified_sectors\": %" PRIu64 ",\n  \"bad_sectors\": %" PRIu64 ",\n",
		       replay->verifier.sectors, replay->verifier.bad);
	latencies_print(replay->latencies);
	printf("}\n");
}

static double take_speed(const char *text)
{
	double speed;
	char *end;

	if (!strcmp(text, "max"))
		return 0;
	speed = strtod(text, &end);
	if (*end || !(speed >= 0.001 && speed <= 1e6))
		trace_die(TRACE_BAD_USAGE, "--speed '%s': expected a number from 0.001 to 1000000, or max",
			  text);
	return speed;
}

static const struct option options[] = {
	{ "closed", no_argument, NULL, 'c' },
	{ "depth", required_argument, NULL, 'd' },
	{ "device", required_argument, NULL, 'D' },
	{ "feeder", no_argument, NULL, 'f' },
	{ "help", no_argument, NULL, 'h' },
	{ "limit", required_argument, NULL, 'l' },
	{ "seed", required_argument, NULL, 'S' },
	{ "settle", required_argument, NULL, 's' },
	{ "speed", required_argument, NULL, 'x' },
	{ "verify", no_argument, NULL, 'v' },
	{ "wrap", no_argument, NULL, 'w' },
	{}
};

/**
 * trace_replay() - the verb
 * @argc: words from the verb on
 * @argv: those words
 *
 * Return: exit code.
 */
int trace_replay(int argc, char **argv)
{
	struct replay replay = { .settle = -1, .speed = 1, .depth = DEFAULT_DEPTH };
	const char *device = NULL;
	uint64_t limit = UINT64_MAX;
	bool feeder = false, bad;
	int option;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 'c':
			replay.closed = true;
			break;
		case 'd':
			replay.depth = trace_number("--depth", optarg, 1, MAX_DEPTH);
			break;
		case 'D':
			device = optarg;
			break;
		case 'f':
			feeder = true;
			break;
		case 'h':
			fputs(help, stdout);
			return TRACE_OK;
		case 'l':
			limit = trace_number("--limit", optarg, 1, UINT64_MAX);
			break;
		case 'S':
			replay.seed = trace_number("--seed", optarg, 0, UINT64_MAX);
			break;
		case 's':
			replay.settle_name = optarg;
			break;
		case 'x':
			replay.speed = take_speed(optarg);
			break;
		case 'v':
			replay.verify = true;
			break;
		case 'w':
			replay.wrap = true;
			break;
		default:
			return TRACE_BAD_USAGE;
		}
	}
	if (!device || optind == argc)
		trace_die(TRACE_BAD_USAGE, "replay: %s is missing: 'ssdcache-trace replay --help'",
			  device ? "FILE" : "--device DEV");
	if (replay.settle_name && !replay.closed)
		trace_die(TRACE_BAD_USAGE, "--settle needs --closed");
	if (feeder && replay.verify)
		trace_die(TRACE_BAD_USAGE, "--feeder has no data to --verify");
	if (replay.closed)
		replay.depth = 1;
	if (replay.settle_name)
		replay.settle = open(replay.settle_name, O_RDONLY | O_CLOEXEC);
	if (replay.settle_name && replay.settle < 0)
		trace_die(TRACE_FAILED, "%s: %s", replay.settle_name, strerror(errno));

	replay_open(&replay, device, argv + optind, argc - optind, limit, feeder);
	run(&replay);
	print_result(&replay);
	bad = replay.errors || replay.verifier.bad;
	replay_close(&replay);
	return bad ? TRACE_FAILED : TRACE_OK;
}
