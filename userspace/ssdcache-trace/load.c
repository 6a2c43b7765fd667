// SPDX-License-Identifier: GPL-2.0
/*
 * All requests of traces at once, for replays that need them in memory.
 */
#include <stdlib.h>
#include "trace.h"

const char *const trace_op_names[TRACE_NR_OPS] = { "read", "write", "flush", "discard" };

/**
 * trace_some_left() - end the program if options leave none of the requests that traces have; else say what was skipped
 * @source: traces; those of blktrace have none if the device was at rest
 * @nr: requests taken
 * @names: of the files
 * @nr_names: how many
 * @plan: what to take
 */
void trace_some_left(const struct trace_source *source, uint64_t nr, char **names, int nr_names,
		     const struct trace_plan *plan)
{
	if (!nr && trace_source_most(source))
		trace_plan_nothing(plan, names, nr_names, trace_source_skipped(source));
	trace_source_remark(source);
}

/**
 * trace_load() - read traces; ends the program if one is bad
 * @trace: result
 * @names: of the files; for blktrace also the start of their names
 * @nr_names: how many
 * @plan: what to take
 */
void trace_load(struct trace *trace, char **names, int nr_names, const struct trace_plan *plan)
{
	struct trace_plan keep = *plan;
	struct trace_source *source;
	size_t i;

	keep.keep = UINT64_MAX;
	source = trace_source_open(names, nr_names, &keep);
	trace->requests = trace_source_take(source, &trace->nr);
	trace_some_left(source, trace->nr, names, nr_names, plan);
	trace_source_remark_times(source);
	trace_source_close(source);
	trace->sectors = 0;
	for (i = 0; i < trace->nr; i++) {
		const struct trace_request *request = &trace->requests[i];

		if (request->sector + request->nr_sectors > trace->sectors)
			trace->sectors = request->sector + request->nr_sectors;
	}
}

void trace_free(struct trace *trace)
{
	free(trace->requests);
}
