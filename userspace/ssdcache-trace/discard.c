// SPDX-License-Identifier: GPL-2.0
/*
 * Discards block, and io_uring has none before Linux 6.12: a thread carries them out.
 * The ring writes a slot's number into one pipe, at its time; the thread writes it into
 * the other when the discard is over, and the ring reads it from there.
 */
#include <errno.h>
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
	int error;

	discarder->device = device;
	discarder->trace = trace;
	discarder->slots = slots;
	if (pipe(discarder->to) || pipe(discarder->from))
		die(TOOL_FAILED, "cannot make a pipe: %s", strerror(errno));
	error = pthread_create(&discarder->thread, NULL, work, discarder);
	if (error)
		die(TOOL_FAILED, "cannot start a thread: %s", strerror(error));
}

/**
 * discarder_stop() - end the thread; no discard is under way
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
