// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include "events.h"

static bool before(const struct sim_event *a, const struct sim_event *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	return a->sequence < b->sequence;
}

/**
 * sim_events_add() - queue the end of an I/O
 * @events: queue
 * @time_ns: when; events of the same time keep their order
 * @io: the I/O
 */
void sim_events_add(struct sim_events *events, u64 time_ns, struct sim_io *io)
{
	struct sim_event event = { time_ns, events->sequence++, io };
	size_t at = events->nr;

	if (events->nr == events->room) {
		events->room = events->room ? 2 * events->room : 1024;
		events->heap = xrealloc(events->heap, events->room, sizeof(event));
	}
	events->nr++;
	while (at && before(&event, &events->heap[(at - 1) / 2])) {
		events->heap[at] = events->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	events->heap[at] = event;
}

/**
 * sim_events_pop() - take the next event; there must be one
 * @events: queue
 */
struct sim_io *sim_events_pop(struct sim_events *events)
{
	struct sim_io *io = events->heap[0].io;
	struct sim_event last = events->heap[--events->nr];
	size_t at = 0, child;

	for (child = 1; child < events->nr; child = 2 * at + 1) {
		if (child + 1 < events->nr &&
		    before(&events->heap[child + 1], &events->heap[child]))
			child++;
		if (!before(&events->heap[child], &last))
			break;
		events->heap[at] = events->heap[child];
		at = child;
	}
	events->heap[at] = last;
	return io;
}

void sim_events_free(struct sim_events *events)
{
	free(events->heap);
}
