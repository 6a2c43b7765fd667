// SPDX-License-Identifier: GPL-2.0
/*
 * A replay through io_uring: each request in flight has a slot.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "replay.h"

#define BUFFER_ALIGN	4096u

static void prepare_data(struct replay *replay, struct slot *slot)
{
	const struct trace_request *request = &replay->trace.requests[slot->request];
	size_t bytes = (size_t)request->nr_sectors * TRACE_SECTOR_BYTES;

	if (request->op != TRACE_READ && request->op != TRACE_WRITE)
		return;
	if (bytes > slot->room) {
		free(slot->buffer);
		if (posix_memalign(&slot->buffer, BUFFER_ALIGN, bytes))
			die(TOOL_FAILED, "no memory for a request of %zu bytes", bytes);
		slot->room = bytes;
	}
	if (request->op == TRACE_WRITE)
		pattern_fill(slot->buffer, request->sector, request->nr_sectors, slot->request + 1,
			     replay->seed);
}

/* With --verify, each request starts after its time: it is late only if it had to wait for a slot. */
static bool is_late(const struct replay *replay, uint64_t due, uint64_t now)
{
	return replay->verify ? due < replay->freed_ns : due < now;
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
		if (is_late(replay, due, now))
			replay_late(replay, now - due);
	}
	slot->start_ns = due;
	if (replay->verify)
		verifier_starts(replay, slot, now);
	ring_queue(replay, nr, due > now);
}

/* The request in @slot has ended; @result as of ring_completion(). */
static void count(struct replay *replay, struct slot *slot, int result)
{
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
}

static void ended(struct replay *replay, unsigned int nr, int result)
{
	struct slot *slot = &replay->slots[nr];

	/* After an interruption, a request that was not due is left. */
	if (!slot->timed || result != -ECANCELED)
		count(replay, slot, result);
	slot->timed = false;
	if (!replay->nr_idle)
		replay->freed_ns = now_ns();
	replay->idle[replay->nr_idle++] = nr;
}

/*
 * Requests are queued in the kernel long before they are due. --verify is the exception: it judges a
 * read by what had ended when the read was submitted, so requests are submitted only when due.
 */
static bool may_start(const struct replay *replay, size_t index)
{
	return !replay->verify || !is_timed(replay) ||
	       now_ns() >= due_ns(replay, &replay->trace.requests[index]);
}

/* When the next request can start even if none ends before; 0: only after one has ended. */
static uint64_t wake_ns(const struct replay *replay, size_t next)
{
	if (!replay->verify || !is_timed(replay) || next == replay->trace.nr || !replay->nr_idle)
		return 0;
	return due_ns(replay, &replay->trace.requests[next]);
}

/**
 * slots_open() - get ready to replay through io_uring; ends the program if the kernel cannot
 * @replay: replay, its trace loaded and its device open
 */
void slots_open(struct replay *replay)
{
	unsigned int i;
	size_t k;

	for (k = 0; k < replay->trace.nr; k++)
		replay->discards |= replay->trace.requests[k].op == TRACE_DISCARD;
	replay->slots = xcalloc(replay->depth, sizeof(*replay->slots));
	replay->idle = xcalloc(replay->depth, sizeof(*replay->idle));
	for (i = 0; i < replay->depth; i++)
		replay->idle[replay->nr_idle++] = replay->depth - 1 - i;
	if (replay->verify)
		verifier_open(&replay->verifier, &replay->trace, replay->device.sectors);
	if (replay->discards)
		discarder_start(&replay->discarder, &replay->device, &replay->trace,
				replay->slots);
	ring_open(replay);
}

/* Wait until a request has ended, a signal asks for the end, or until @until_ns if that is not 0. */
static void collect(struct replay *replay, uint64_t until_ns)
{
	unsigned int before = replay->nr_idle, nr;
	int result;

	do {
		ring_wait(replay, until_ns);
		while (ring_completion(replay, &nr, &result))
			ended(replay, nr, result);
	} while (replay->nr_idle == before && !interrupt_came() && (!until_ns || now_ns() < until_ns));
}

static void start_next(struct replay *replay, size_t *next)
{
	if (replay->settle >= 0)
		wait_until_settled(replay);
	if (!interrupt_came())
		start(replay, (*next)++);
}

/**
 * slots_run() - start all requests and wait for them
 * @replay: replay
 *
 * After an interruption, no more requests start; those that have started end.
 */
void slots_run(struct replay *replay)
{
	size_t next = 0;

	while (replay->done < replay->nr && !interrupt_came()) {
		while (next < replay->nr && replay->nr_idle && !interrupt_came() &&
		       may_start(replay, next))
			start_next(replay, &next);
		if (!interrupt_came())
			collect(replay, wake_ns(replay, next));
	}
	if (interrupt_came())
		ring_cancel_timed(replay);
	while (replay->nr_idle < replay->depth)
		collect(replay, 0);
}

/**
 * slots_close() - free what slots_open() made
 * @replay: replay
 */
void slots_close(struct replay *replay)
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
