// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcache-trace replay: options, sequence, result.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../common/files.h"
#include "replay.h"

#define MAX_DEPTH	4096u
#define DEFAULT_DEPTH	256u
#define MIN_SPEED	0.001
#define MAX_SPEED	1e6
#define LEAD_NS		10000000u	/* from the start to the first request */

static const char more[] =
	"Replays traces on a block device by direct I/O and prints the latencies as JSON. The "
	"data on the device are overwritten. Without --closed or --speed max, each request starts "
	"at its recorded time, whether those before have ended or not, and its latency counts from "
	"that time. A signal (Ctrl-C) ends the replay with the results so far.";

static const struct option_def options[] = {
	{ "device", .id = 'D', .arg = "DEV",
	  .doc = "the block device; a file of the right size will do for requests of whole blocks of 4 KiB" },
	{ "speed", .id = 'x', .arg = "X",
	  .doc = "divide the recorded times by X; 'max': start at once, --depth at a time" },
	{ "depth", .id = 'd', .arg = "N", .doc = "requests given to the kernel at a time (256)" },
	{ "closed", .id = 'c', .doc = "one request at a time: each waits for the one before" },
	{ "settle", .id = 's', .arg = "FILE",
	  .doc = "with --closed: before each request wait until FILE reads 1, such as /sys/block/dm-0/ssdcache/quiescent" },
	{ "feeder", .id = 'f',
	  .doc = "let the test module ssdcache-feeder start the requests, with less memory and fewer system calls; it writes zeroes" },
	TRACE_FORMAT_OPTION,
	TRACE_SKIP_BAD_OPTION,
	TRACE_CUT_OPTIONS,
	TRACE_LIMIT_OPTION("replay the first N requests only"),
	{ "wrap", .id = 'w', .doc = "take addresses modulo the size of the device" },
	{ "verify", .id = 'v', .doc = "check the data read against the data written" },
	{ "seed", .id = 'S', .arg = "N", .doc = "seed of the data written (0)" },
	OPTION_END
};

static struct replay replay = { .settle = -1, .speed = 1, .depth = DEFAULT_DEPTH };

static struct {
	const char *device;
	struct trace_plan plan;
	bool feeder;
	bool speed;
	bool depth;
} given = { .plan = TRACE_PLAN_DEFAULT };

static void replay_run(void)
{
	replay.base_ns = now_ns() + LEAD_NS;
	/* Start at a round time, so that in virtual time the start-up makes no difference. */
	if (is_timed(&replay))
		replay.base_ns += LEAD_NS - replay.base_ns % LEAD_NS;
	/* Progress on terminals only: writing to standard error may block the replay. */
	replay.next_report_ns = isatty(STDERR_FILENO) ? replay.base_ns + REPLAY_REPORT_NS :
							UINT64_MAX;
	interrupt_watch();
	if (replay.source)
		feeder_run(&replay);
	else
		slots_run(&replay);
	if (replay.settle >= 0)
		wait_until_settled(&replay);
}

/**
 * replay_fit() - make a request fit device and clock; ends the program if it does not
 * @of: replay
 * @request: request
 * @number: of the request, from 1
 */
void replay_fit(const struct replay *of, struct trace_request *request, uint64_t number)
{
	if (is_timed(of) && request->time_ns / of->speed > TRACE_MAX_NS)
		die(TOOL_BAD_USAGE,
		    "--speed: %g: request %" PRIu64 " would start after %g ns: expected at most %llu",
		    of->speed, number, request->time_ns / of->speed, TRACE_MAX_NS);
	device_fit(&of->device, request, number, of->wrap);
}

/* Check all requests before the first one starts. */
static void fit(void)
{
	struct trace_request request;

	if (replay.source) {
		while (trace_source_next(replay.source, &request))
			replay_fit(&replay, &request, ++replay.nr);
		trace_source_rewind(replay.source);
		return;
	}
	for (; replay.nr < replay.trace.nr; replay.nr++)
		replay_fit(&replay, &replay.trace.requests[replay.nr], replay.nr + 1);
}

static void replay_open(char **names, int nr_names)
{
	if (given.feeder)
		replay.source = trace_source_open(names, nr_names, &given.plan);
	else
		trace_load(&replay.trace, names, nr_names, &given.plan);
	device_open(&replay.device, given.device);
	fit();
	if (replay.source) {
		trace_some_left(replay.source, replay.nr, names, nr_names, &given.plan);
		trace_source_remark_times(replay.source);
	}
	replay.latencies = latencies_new();
	if (!given.feeder)
		slots_open(&replay);
}

static void replay_close(void)
{
	if (replay.source) {
		trace_source_close(replay.source);
	} else {
		slots_close(&replay);
		trace_free(&replay.trace);
	}
	free(replay.latencies);
	if (replay.settle >= 0)
		close(replay.settle);
	close(replay.device.fd);
}

static void print_result(bool partial)
{
	const char *mode = replay.closed ? "closed" : replay.speed > 0 ? "open" : "max";

	printf("{\n  \"mode\": \"%s\",\n  \"speed\": %g,\n  \"depth\": %u,\n", mode, replay.speed,
	       replay.depth);
	if (partial)
		printf("  \"interrupted\": true,\n  \"requests_left\": %" PRIu64 ",\n", replay.nr - replay.done);
	printf("  \"requests\": %" PRIu64 ",\n  \"errors\": %" PRIu64 ",\n", replay.done, replay.errors);
	printf("  \"late\": %" PRIu64 ",\n  \"max_late_ns\": %" PRIu64 ",\n", replay.late,
	       replay.max_late_ns);
	printf("  \"elapsed_ns\": %" PRIu64 ",\n",
	       replay.done ? replay.end_ns - (replay.base_ns - LEAD_NS) : 0);
	if (replay.verify)
		printf("  \"verified_sectors\": %" PRIu64 ",\n  \"bad_sectors\": %" PRIu64 ",\n",
		       replay.verifier.sectors, replay.verifier.bad);
	latencies_print(replay.latencies);
	printf("}\n");
}

static double take_speed(const char *text)
{
	double speed;

	if (!strcmp(text, "max"))
		return 0;
	if (!parse_real(text, MIN_SPEED, MAX_SPEED, &speed))
		die(TOOL_BAD_USAGE, "--speed: '%s' is not max or a number from %g to %.0f", text,
		    MIN_SPEED, MAX_SPEED);
	return speed;
}

static void take(const struct option_def *option, const char *value)
{
	if (trace_plan_take(&given.plan, option, value))
		return;
	switch (option->id) {
	case 'c':
		replay.closed = true;
		break;
	case 'd':
		replay.depth = take_number(option->name, value, 1, MAX_DEPTH);
		given.depth = true;
		break;
	case 'D':
		given.device = value;
		break;
	case 'f':
		given.feeder = true;
		break;
	case 'S':
		replay.seed = take_number(option->name, value, 0, UINT64_MAX);
		break;
	case 's':
		replay.settle_name = value;
		break;
	case 'x':
		replay.speed = take_speed(value);
		given.speed = true;
		break;
	case 'v':
		replay.verify = true;
		break;
	case 'w':
		replay.wrap = true;
		break;
	}
}

/* Requests are in memory before the first one starts, so a small trace would be lost without a word. */
static void check_device(char **names, int nr_names)
{
	int i;

	for (i = 0; i < nr_names; i++)
		if (overwrites(given.device, strcmp(names[i], "-") ? names[i] : "/dev/stdin"))
			die(TOOL_BAD_USAGE, "--device: '%s' is a trace, which would be overwritten", given.device);
}

static void check(char **names, int nr_names)
{
	if (!given.device || !nr_names)
		die(TOOL_BAD_USAGE, "replay: %s is missing: 'ssdcache-trace replay --help'",
		    given.device ? "FILE" : "--device DEV");
	check_device(names, nr_names);
	if (replay.settle_name && !replay.closed)
		die(TOOL_BAD_USAGE, "--settle needs --closed");
	if (replay.closed && (given.speed || given.depth))
		die(TOOL_BAD_USAGE, "--%s has no meaning with --closed, which %s", given.speed ? "speed" : "depth",
		    given.speed ? "ignores the recorded times" : "keeps one request in flight");
	if (given.feeder && replay.verify)
		die(TOOL_BAD_USAGE, "--verify does not work with --feeder, which writes zeroes");
}

/* End as the signal would have ended the program, unless the results are lost: that is a failure like others. */
static void end_by(int number)
{
	warn("the replay was interrupted after %" PRIu64 " of %" PRIu64 " request%s", replay.done, replay.nr, plural(replay.nr));
	if (end_of_output())
		raise(number);
}

static int run(char **names, int nr_names)
{
	int interrupted;
	bool bad;

	check(names, nr_names);
	if (!is_timed(&replay))
		trace_plan_ignore_times(&given.plan, nr_names);
	if (replay.closed)
		replay.depth = 1;
	if (replay.settle_name)
		replay.settle = open(replay.settle_name, O_RDONLY | O_CLOEXEC);
	if (replay.settle_name && replay.settle < 0)
		die(TOOL_FAILED, "%s: %s", replay.settle_name, strerror(errno));

	replay_open(names, nr_names);
	replay_run();
	interrupted = interrupt_unwatch();
	print_result(interrupted);
	if (interrupted)
		end_by(interrupted);
	bad = replay.errors || replay.verifier.bad;
	replay_close();
	return bad ? TOOL_FAILED : TOOL_OK;
}

const struct trace_verb trace_verb_replay = {
	.name = "replay",
	.args = "[OPTION]... --device DEV FILE...",
	.doc = "replay a trace on a block device, and show the latencies",
	.more = more,
	.options = options,
	.take = take,
	.run = run,
};
