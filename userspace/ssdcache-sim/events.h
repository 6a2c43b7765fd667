/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_EVENTS_H
#define SSDC_SIM_EVENTS_H

#include "sim.h"

struct sim_io;

/**
 * struct sim_event - the end of an I/O
 * @time_ns: when
 * @sequence: order among events of the same time
 * @io: the I/O
 */
struct sim_event {
	u64 time_ns;
	u64 sequence;
	struct sim_io *io;
};

/* A binary heap, the next event at the root. All zero is an empty one. */
struct sim_events {
	struct sim_event *heap;
	size_t nr;
	size_t room;
	u64 sequence;
};

void sim_events_add(struct sim_events *events, u64 time_ns, struct sim_io *io);
struct sim_io *sim_events_pop(struct sim_events *events);
void sim_events_free(struct sim_events *events);

static inline u64 sim_events_next_ns(const struct sim_events *events)
{
	return events->nr ? events->heap[0].time_ns : U64_MAX;
}

#endif /* SSDC_SIM_EVENTS_H */
