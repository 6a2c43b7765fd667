// SPDX-License-Identifier: GPL-2.0
/*
 * Time: when something happens next, and all that happens at one moment.
 */
#include "driver-parts.h"

/* One worker after the other does what is due; it may give others work. */
static void work_all(struct sim *sim)
{
	struct sim_shard *s;

	while ((s = sim->first_due)) {
		sim->first_due = s->next_due;
		s->due = false;
		sim_work(sim, s);
	}
}

/**
 * sim_settle_all() - run everything that is due after the arrival of requests
 * @sim: run
 */
void sim_settle_all(struct sim *sim)
{
	sim_hand_out(sim);
	work_all(sim);
}

/**
 * sim_move_to() - let time pass
 * @sim: run
 * @now_ns: the new time
 */
void sim_move_to(struct sim *sim, u64 now_ns)
{
	if (sim->series)
		sim_series_until(sim->series, now_ns);
	sim->now_ns = sim_checked_ns(now_ns);
}

/* When the shards have work, and I/O without the flash device ends. */
static u64 next_without_flash(const struct sim *sim)
{
	u64 ns = min(sim_events_next_ns(&sim->events), sim->shards[0].wake_ns);
	unsigned int i;

	for (i = 1; i < sim->nr_shards; i++)
		ns = min(ns, sim->shards[i].wake_ns);
	return ns;
}

/**
 * sim_next_ns() - when the next thing happens
 * @sim: run
 * @until_ns: what happens later may be said to happen at any time after this
 *
 * Most events of the flash device end no request: they are over then. With --series, each row shows the device as it
 * is at that moment.
 *
 * Return: time; SSDC_NEVER: nothing will happen.
 */
u64 sim_next_ns(struct sim *sim, u64 until_ns)
{
	u64 other_ns = next_without_flash(sim), ns;

	if (!sim->flash)
		return other_ns;
	while (!ssdf_has_done(sim->flash)) {
		ns = max(ssdf_next_ns(sim->flash), sim->now_ns);
		if (ns > until_ns || ns >= other_ns || sim->series)
			return min(ns, other_ns);
		sim_move_to(sim, ssdf_run(sim->flash, ns, min(until_ns, other_ns - 1)));
	}
	return sim->now_ns;
}

/**
 * sim_next_event() - run what is due
 * @sim: run
 * @at_ns: when, from sim_next_ns()
 *
 * Background work follows all completions of the moment, as in the kernel's worker.
 */
void sim_next_event(struct sim *sim, u64 at_ns)
{
	struct sim_shard *s;

	sim_move_to(sim, max(at_ns, sim->now_ns));
	sim_hand_out(sim);
	for_each_shard(s, sim)
		if (s->wake_ns <= sim->now_ns)
			sim_set_due(sim, s);
	work_all(sim);
}
