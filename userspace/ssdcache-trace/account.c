// SPDX-License-Identifier: GPL-2.0
/*
 * What io_uring and the feeder share: the clock, the wait until the cache is at rest, and the counts
 * of completed requests.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "replay.h"

#define SETTLE_POLL_NS	200000u
#define SETTLE_MAX_NS	(60 * NSEC_PER_SEC)

/* The time of CLOCK_MONOTONIC. */
uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

void replay_never_settled(const struct replay *replay)
{
	die(TOOL_FAILED, "%s: did not read 1 within %llu s", replay->settle_name,
	    SETTLE_MAX_NS / NSEC_PER_SEC);
}

static void sleep_ns(uint64_t ns)
{
	struct timespec time = { .tv_sec = ns / NSEC_PER_SEC, .tv_nsec = ns % NSEC_PER_SEC };

	while (nanosleep(&time, &time) && errno == EINTR && !interrupt_came())
		;
}

/**
 * wait_until_settled() - wait until the file of --settle reads 1, or a signal asks for the end
 * @replay: replay, for which @replay->settle is open
 */
void wait_until_settled(const struct replay *replay)
{
	uint64_t give_up = now_ns() + SETTLE_MAX_NS;
	char c;

	while (!interrupt_came()) {
		ssize_t nr = pread(replay->settle, &c, 1, 0);

		if (nr < 0)
			die(TOOL_FAILED, "%s: %s", replay->settle_name, strerror(errno));
		if (nr == 1 && c == '1')
			return;
		if (now_ns() > give_up)
			replay_never_settled(replay);
		sleep_ns(SETTLE_POLL_NS);
	}
}

/**
 * due_ns() - when a request starts
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
 * replay_late() - count a request that was due before a slot was free
 * @replay: replay
 * @ns: the delay
 */
void replay_late(struct replay *replay, uint64_t ns)
{
	replay->late++;
	if (ns > replay->max_late_ns)
		replay->max_late_ns = ns;
}

static void report_progress(struct replay *replay, uint64_t now)
{
	if (now < replay->next_report_ns)
		return;
	replay->next_report_ns = now + REPLAY_REPORT_NS;
	warn("replay: %" PRIu64 " of %" PRIu64 " request%s", replay->done, replay->nr, plural(replay->nr));
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
		warn("request %" PRIu64 ": a %s of %u sectors at sector %" PRIu64 ": %s",
		     number + 1, trace_op_names[request->op], request->nr_sectors,
		     request->sector, failure);
	replay->done++;
	replay->end_ns = end_ns;
	report_progress(replay, end_ns);
}
