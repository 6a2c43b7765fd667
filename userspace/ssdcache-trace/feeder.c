// SPDX-License-Identifier: GPL-2.0
/*
 * Replays through the test module ssdcache-feeder, a thousand requests per system call. The trace
 * is read during the replay.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "../../include/ssdcache-feeder.h"
#include "replay.h"

#define DEVICE	"/dev/" SSDC_FEED_NAME
#define BATCH	1024u

_Static_assert((int)TRACE_READ == SSDC_FEED_READ && (int)TRACE_WRITE == SSDC_FEED_WRITE &&
	       (int)TRACE_FLUSH == SSDC_FEED_FLUSH && (int)TRACE_DISCARD == SSDC_FEED_DISCARD,
	       "operations have the same numbers on both sides");

/**
 * struct feeder - a replay by the feeder
 * @replay: the replay
 * @fd: of the feeder
 * @requests: next requests
 * @nr: length of @requests
 * @at: how many of them the feeder has taken
 * @taken: requests read from the source
 */
struct feeder {
	struct replay *replay;
	int fd;
	struct ssdc_feed_request requests[BATCH];
	size_t nr;
	size_t at;
	uint64_t taken;
};

static void feeder_open(struct feeder *feeder)
{
	const struct replay *replay = feeder->replay;
	struct ssdc_feed_setup setup = {
		.device = replay->device.fd,
		.settle = replay->settle,
		/* In closed mode one request is in flight, whatever the depth. */
		.depth = replay->closed ? BATCH : replay->depth,
		.closed = replay->closed,
	};

	feeder->fd = open(DEVICE, O_RDWR | O_CLOEXEC);
	if (feeder->fd < 0)
		die(TOOL_FAILED, "%s: %s: is the module ssdcache-feeder loaded?", DEVICE,
		    strerror(errno));
	if (ioctl(feeder->fd, SSDC_FEED_SETUP, &setup))
		die(TOOL_FAILED, "%s: cannot feed %s: %s", DEVICE, replay->device.name,
		    strerror(errno));
}

/*
 * A due request starts before all other work of the same moment. In virtual time, where much happens
 * at one moment, this makes the order deterministic.
 */
static void go_first(void)
{
	struct sched_param param = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		die(TOOL_FAILED, "cannot get real-time priority: %s", strerror(errno));
}

static void take_request(struct feeder *feeder, const struct trace_request *from)
{
	const struct replay *replay = feeder->replay;
	struct ssdc_feed_request *to = &feeder->requests[feeder->nr++];

	memset(to, 0, sizeof(*to));
	to->due_ns = is_timed(replay) ? due_ns(replay, from) : 0;
	to->sector = from->sector;
	to->nr_sectors = from->nr_sectors;
	to->op = from->op;
	to->fua = from->fua;
}

/* Refill @requests. Returns false at the end of the trace. */
static bool fill(struct feeder *feeder)
{
	const struct replay *replay = feeder->replay;
	struct trace_request request;

	if (feeder->at < feeder->nr)
		return true;
	feeder->at = 0;
	feeder->nr = 0;
	while (feeder->nr < BATCH && trace_source_next(replay->source, &request)) {
		replay_fit(replay, &request, ++feeder->taken);
		take_request(feeder, &request);
	}
	return feeder->nr;
}

static void submit(struct feeder *feeder)
{
	const struct ssdc_feed_request *request = &feeder->requests[feeder->at];
	ssize_t nr = write(feeder->fd, request, (feeder->nr - feeder->at) * sizeof(*request));

	if (nr >= 0)
		feeder->at += nr / sizeof(*request);
	else if (errno == ETIMEDOUT)
		replay_never_settled(feeder->replay);
	else if (errno != EINTR)
		die(TOOL_FAILED, "%s: request %" PRIu64 ": %s", DEVICE,
		    feeder->taken - feeder->nr + feeder->at + 1, strerror(errno));
}

static void count(struct replay *replay, const struct ssdc_feed_result *result)
{
	const struct trace_request request = {
		.sector = result->request.sector,
		.nr_sectors = result->request.nr_sectors,
		.op = result->request.op,
		.fua = result->request.fua,
	};

	if (result->late_ns)
		replay_late(replay, result->late_ns);
	replay_ended(replay, result->number, &request, result->end_ns, result->latency_ns,
		     result->error ? strerror(-result->error) : NULL);
}

/* Wait for results and count them. Returns false if no request is in flight. */
static bool collect(struct feeder *feeder)
{
	struct ssdc_feed_result results[BATCH];
	ssize_t nr = read(feeder->fd, results, sizeof(results));
	size_t i;

	if (nr < 0 && errno == EINTR)
		return true;
	if (nr < 0)
		die(TOOL_FAILED, "%s: %s", DEVICE, strerror(errno));
	for (i = 0; i < nr / sizeof(*results); i++)
		count(feeder->replay, &results[i]);
	return nr;
}

/**
 * feeder_run() - replay from @replay->source; ends the program if the feeder does not work
 * @replay: replay
 *
 * After an interruption, no more requests start; those that have started end.
 */
void feeder_run(struct replay *replay)
{
	struct feeder feeder = { .replay = replay };

	feeder_open(&feeder);
	go_first();
	while (!interrupt_came() && fill(&feeder)) {
		submit(&feeder);
		if (feeder.at < feeder.nr)
			collect(&feeder);
	}
	while (collect(&feeder))
		;
	close(feeder.fd);
}
