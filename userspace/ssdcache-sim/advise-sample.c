// SPDX-License-Identifier: GPL-2.0
/*
 * A shorter workload: a few parts of the whole at even distances, one right after the other, each with its
 * own arrival times. Runs of it get as much less DRAM: the parts touch fewer pages, so DRAM is then
 * replaced about as often as in the whole. The device stays: bursts are whole, and have to wait as in the whole.
 */
#include <stdlib.h>
#include <string.h>
#include "advise.h"

#define NR_PARTS	4

/* Append requests of the whole; their first one arrives at @start_ns. Returns when the next part starts. */
static u64 append(struct sim_workload *to, const struct sim_workload *whole, size_t from, size_t nr, u64 start_ns)
{
	const struct sim_record *records = whole->records + from;
	u64 first_ns = records[0].time_ns, length_ns = records[nr - 1].time_ns - first_ns;
	size_t i;

	for (i = 0; i < nr; i++) {
		struct sim_record *record = &to->records[to->nr++];

		*record = records[i];
		record->time_ns += start_ns - first_ns;
	}
	return start_ns + length_ns + (nr > 1 ? length_ns / (nr - 1) : 0);
}

/**
 * advise_sample_make() - make a shorter workload
 * @sample: result, to be freed with advise_sample_free()
 * @whole: all requests
 * @share: about so many of them, of 1; 1: all
 */
void advise_sample_make(struct advise_sample *sample, const struct sim_workload *whole, double share)
{
	size_t part = whole->nr * share / NR_PARTS, i;
	u64 start_ns = 0;

	*sample = (struct advise_sample) { .workload = *whole, .share = 1 };
	if (share >= 1 || !part)
		return;
	sample->owned = true;
	sample->workload.mapped_bytes = 0;
	sample->workload.nr = 0;
	sample->workload.records = xcalloc(NR_PARTS * part, sizeof(*sample->workload.records));
	for (i = 0; i < NR_PARTS; i++)
		start_ns = append(&sample->workload, whole, (whole->nr - part) * i / (NR_PARTS - 1), part,
				  start_ns);
	sample->share = (double)sample->workload.nr / whole->nr;
}

void advise_sample_free(struct advise_sample *sample)
{
	if (sample->owned)
		sim_workload_free(&sample->workload);
}
