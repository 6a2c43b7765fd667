// SPDX-License-Identifier: GPL-2.0
/*
 * Discards, by a thread: BLKDISCARD blocks, and io_uring has no discard before Linux 6.12. The ring
 * writes the slot's number into one pipe when the discard is due; the thread writes it into the
 * other pipe, which the ring reads, when the discard has ended.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "replay.h"

static void *work(void *data)
{
	struct discarder *discarder = data;
	uint32_t nr;

	while (read(discarder->to[0], &nr, sizeof(nr)) == sizeof(nr)) {
		struct slot *slot = &discarder->slots[nr];
		const struct trace_request *request =
			&discarder->trace->requests[slot->request];

		slot->result = device_discard(discarder->device, request->sector,
					      request->nr_sectors);
		if (write(discarder->from[1], &nr, sizeof(nr)) != sizeof(nr))
			die(TOOL_FAILED, "cannot report a discard: %s", strerror(errno));
	}
	return NULL;
}

/**
 * discarder_start() - start the thread
 * @discarder: result
 * @device: on which to discard
 * @trace: requests
 * @slots: whose numbers will come through the pipe
 */
void discarder_start(struct discarder *discarder, const struct device *device,
		     const struct trace *trace, struct slot *slots)
{
	sigset_t all, before;
	int error;

	discarder->device = device;
	discarder->trace = trace;
	discarder->slots = slots;
	if (pipe(discarder->to) || pipe(discarder->from))
		die(TOOL_FAILED, "cannot make a pipe: %s", strerror(errno));
	/* Signals are for the thread that waits for requests. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&discarder->thread, NULL, work, discarder);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		die(TOOL_FAILED, "cannot start a thread: %s", strerror(error));
}

/**
 * discarder_stop() - end the thread; no discard may be in flight
 * @discarder: discarder
 */
void discarder_stop(struct discarder *discarder)
{
	close(discarder->to[1]);
	pthread_join(discarder->thread, NULL);
	close(discarder->to[0]);
	close(discarder->from[0]);
	close(discarder->from[1]);
}
