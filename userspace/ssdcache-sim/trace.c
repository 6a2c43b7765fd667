// SPDX-License-Identifier: GPL-2.0
/*
 * The requests of all traces, read by ../trace, as the engine wants them.
 */
#include <stdlib.h>
#include <string.h>
#include "trace.h"

static const u8 ops[TRACE_NR_OPS] = {
	[TRACE_READ] = SSDC_READ,
	[TRACE_WRITE] = SSDC_WRITE,
	[TRACE_FLUSH] = SSDC_FLUSH,
	[TRACE_DISCARD] = SSDC_DISCARD,
};

_Static_assert(TRACE_MAX_SECTORS == SIM_MAX_SECTORS && TRACE_MAX_NS == SIM_MAX_NS,
	       "what is read can be simulated");
_Static_assert(sizeof(struct trace_request) == sizeof(struct sim_record),
	       "requests are converted in place");

/* Convert one request where it is. */
static void convert(void *place)
{
	struct trace_request from;
	struct sim_record to;

	memcpy(&from, place, sizeof(from));
	to = (struct sim_record) {
		.time_ns = from.time_ns,
		.sector = from.sector,
		.nr_sectors = from.nr_sectors,
		.disk = from.disk,
		.op = ops[from.op],
		.fua = from.fua,
	};
	memcpy(place, &to, sizeof(to));
}

/**
 * sim_workload_read() - read traces; ends the program if one is bad
 * @workload: result
 * @names: of the files
 * @nr_names: how many
 * @plan: what to take of them
 */
void sim_workload_read(struct sim_workload *workload, char **names, int nr_names,
		       const struct trace_plan *plan)
{
	struct trace_plan keep = *plan;
	struct trace_source *source;
	void *requests;
	size_t i;

	keep.keep = true;
	source = trace_source_open(names, nr_names, &keep);
	requests = trace_source_take(source, &workload->nr);
	if (!workload->nr)
		die(TOOL_BAD_USAGE, "%s%s: no requests", names[0], nr_names > 1 ? ", …" : "");
	for (i = 0; i < workload->nr; i++)
		convert((char *)requests + i * sizeof(struct sim_record));
	workload->records = requests;
	workload->sectors = trace_source_sectors(source);
	workload->skipped = trace_source_skipped(source);
	trace_source_close(source);
}

/**
 * sim_workload_load() - read the first requests of traces; ends the program if one is bad
 * @workload: result
 * @names: of the files
 * @nr_names: how many
 * @limit: how many requests to take
 * @time_scale: factor for times
 */
void sim_workload_load(struct sim_workload *workload, char **names, int nr_names, u64 limit,
		       double time_scale)
{
	struct trace_plan plan = trace_plan_default;

	plan.limit = limit;
	plan.time_scale = time_scale;
	sim_workload_read(workload, names, nr_names, &plan);
}

void sim_workload_free(struct sim_workload *workload)
{
	free(workload->records);
}
