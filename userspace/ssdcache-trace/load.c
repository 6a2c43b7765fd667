// SPDX-License-Identifier: GPL-2.0
/*
 * Reads text traces, with the readers of ssdcache-sim.
 */
#include <stdlib.h>
#include "../ssdcache-sim/trace.h"
#include "trace.h"

const char *const trace_op_names[TRACE_NR_OPS] = { "read", "write", "flush", "discard" };
const char *const trace_kind_names[TRACE_NR_KINDS] = { "any", "blktrace", "msr", "capture" };

static const struct sim_format *const formats[TRACE_NR_KINDS] = {
	[TRACE_MSR] = &sim_format_msr,
	[TRACE_CAPTURE] = &sim_format_capture,
};

static const uint8_t ops[SSDC_NR_OPS] = {
	[SSDC_READ] = TRACE_READ,
	[SSDC_WRITE] = TRACE_WRITE,
	[SSDC_FLUSH] = TRACE_FLUSH,
	[SSDC_DISCARD] = TRACE_DISCARD,
};

_Static_assert(TRACE_MAX_SECTORS == SIM_MAX_SECTORS && TRACE_MAX_NS == SIM_MAX_NS,
	       "what blktrace.c accepts can be read again");

static void take_record(struct trace_request *to, const struct sim_record *from)
{
	to->time_ns = from->time_ns;
	to->sector = from->sector;
	to->nr_sectors = from->nr_sectors;
	to->op = ops[from->op];
	to->fua = from->fua;
}

/**
 * trace_load_text() - read text traces, merged by time; ends the program if one is bad
 * @trace: result
 * @names: of the files
 * @nr_names: how many
 * @kind: required format, or TRACE_ANY
 * @limit: how many requests to take
 */
void trace_load_text(struct trace *trace, char **names, int nr_names, enum trace_kind kind,
		     uint64_t limit)
{
	struct sim_workload workload;
	size_t i;

	if (kind == TRACE_ANY)
		sim_workload_load(&workload, names, nr_names, limit, 1);
	else
		sim_workload_load_as(&workload, names, nr_names, limit, formats[kind]);
	trace->nr = workload.nr;
	trace->sectors = 0;
	trace->requests = xcalloc(workload.nr, sizeof(*trace->requests));
	for (i = 0; i < workload.nr; i++) {
		struct trace_request *to = &trace->requests[i];

		take_record(to, &workload.records[i]);
		if (to->sector + to->nr_sectors > trace->sectors)
			trace->sectors = to->sector + to->nr_sectors;
	}
	sim_workload_free(&workload);
}

/**
 * trace_load() - read traces of any kind; ends the program if one is bad
 * @trace: result
 * @names: of the files; for blktrace also the start of their names
 * @nr_names: how many
 * @kind: required format, or TRACE_ANY
 * @limit: how many requests to take
 */
void trace_load(struct trace *trace, char **names, int nr_names, enum trace_kind kind,
		uint64_t limit)
{
	if (kind == TRACE_BLKTRACE || (kind == TRACE_ANY && trace_is_blktrace(names[0])))
		trace_load_blktrace(trace, names, nr_names, limit);
	else
		trace_load_text(trace, names, nr_names, kind, limit);
}

void trace_free(struct trace *trace)
{
	free(trace->requests);
}

/* Text is read on demand; blktrace's files must be sorted first. */
struct trace_source {
	struct sim_loader *text;
	struct trace trace;
	size_t at;
};

/**
 * trace_source_open() - start to read requests one by one; ends the program if a trace is bad
 * @names: of the files; for blktrace also the start of their names
 * @nr_names: how many
 * @limit: how many requests to take
 */
struct trace_source *trace_source_open(char **names, int nr_names, uint64_t limit)
{
	struct trace_source *source = xcalloc(1, sizeof(*source));

	if (trace_is_blktrace(names[0]))
		trace_load_blktrace(&source->trace, names, nr_names, limit);
	else
		source->text = sim_loader_open(names, nr_names, limit);
	return source;
}

/**
 * trace_source_next() - the next request
 * @source: requests
 * @request: result
 *
 * Return: false if there is none.
 */
bool trace_source_next(struct trace_source *source, struct trace_request *request)
{
	struct sim_record record;

	if (source->text) {
		if (!sim_loader_next(source->text, &record))
			return false;
		take_record(request, &record);
		return true;
	}
	if (source->at == source->trace.nr)
		return false;
	*request = source->trace.requests[source->at++];
	return true;
}

/**
 * trace_source_rewind() - start again with the first request
 * @source: requests
 */
void trace_source_rewind(struct trace_source *source)
{
	source->at = 0;
	if (source->text)
		sim_loader_rewind(source->text);
}

void trace_source_close(struct trace_source *source)
{
	if (source->text)
		sim_loader_close(source->text);
	trace_free(&source->trace);
	free(source);
}
