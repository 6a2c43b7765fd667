// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include "fuzz.h"
#include "trace-input.h"

#define NAME(ident, name) name,
static const char *const trace_format_names[] = { TRACE_FORMATS(NAME) };
#define NR_FORMATS (sizeof(trace_format_names) / sizeof(trace_format_names[0]))

static void check_request(const struct trace *trace, size_t i)
{
	const struct trace_request *request = &trace->requests[i];

	if (request->op >= TRACE_NR_OPS)
		fuzz_wrong("request %zu: operation %u", i, request->op);
	if (!request->nr_sectors != (request->op == TRACE_FLUSH))
		fuzz_wrong("request %zu: a %s of %u sectors", i, trace_op_names[request->op],
			   request->nr_sectors);
	if (request->fua && request->op != TRACE_WRITE)
		fuzz_wrong("request %zu: a %s with FUA", i, trace_op_names[request->op]);
	if (request->sector > TRACE_MAX_SECTORS ||
	    request->sector + request->nr_sectors > trace->sectors ||
	    trace->sectors > TRACE_MAX_SECTORS)
		fuzz_wrong("request %zu: sector %llu", i, (unsigned long long)request->sector);
	if (request->time_ns > TRACE_MAX_NS ||
	    (i && request->time_ns < trace->requests[i - 1].time_ns))
		fuzz_wrong("request %zu: time %llu", i, (unsigned long long)request->time_ns);
}

/* Every request of @trace is in order and in range. */
void trace_input_check(const struct trace *trace)
{
	size_t i;

	for (i = 0; i < trace->nr; i++)
		check_request(trace, i);
}

/**
 * trace_input_take() - take an input apart
 * @bytes: result: its first bytes
 * @data: input
 * @size: its length
 * @names: result: of its files
 *
 * Return: how many files.
 */
int trace_input_take(struct trace_input_bytes *bytes, const uint8_t *data, size_t size, char **names)
{
	struct fuzz_bytes left = { data, size };
	uint32_t how = fuzz_number(&left, 1);
	int nr_names = how & 64 ? 2 : 1;
	size_t half;

	bytes->format = (how & 63) % (NR_FORMATS + 1);
	bytes->skip_bad = how & 128;
	bytes->cut = fuzz_number(&left, 1);
	bytes->limit = fuzz_number(&left, 1);
	bytes->flags = fuzz_number(&left, 1);
	bytes->output = fuzz_number(&left, 1);
	bytes->end = fuzz_number(&left, 1);
	half = nr_names == 2 ? left.left / 2 : left.left;
	memory_file_fill(0, left.at, half);
	memory_file_fill(1, left.at + half, left.left - half);
	names[0] = (char *)memory_file_name(0);
	names[1] = (char *)memory_file_name(1);
	return nr_names;
}

/* The value of --format. */
const char *trace_input_format(const struct trace_input_bytes *bytes)
{
	return bytes->format ? trace_format_names[bytes->format - 1] : "any";
}

struct trace_plan trace_input_plan(const struct trace_input_bytes *bytes)
{
	struct trace_plan plan = TRACE_PLAN_DEFAULT;

	if (bytes->format)
		plan.format = trace_format_find(trace_format_names[bytes->format - 1]);
	if (bytes->limit)
		plan.limit = bytes->limit;
	plan.skip_bad = bytes->skip_bad;
	plan.repeat = bytes->flags & 1 && !bytes->skip_bad ? 2 : 1;
	plan.after_ns = bytes->flags & 2 ? 1000000000 : 0;
	plan.before_ns = bytes->flags & 4 ? 100000000000 : TRACE_MAX_NS / 1000000000 * 1000000000;
	plan.skip = bytes->flags & 8 ? 2 : 0;
	plan.align = bytes->flags & 16;
	plan.fold_sectors = bytes->flags & 32 ? 1000 : 0;
	plan.keep = bytes->flags & 64 ? UINT64_MAX : 0;
	plan.compact = bytes->output & 8;
	return plan;
}

/* Requests one by one, twice, are those that were loaded. */
void trace_input_check_rewind(const struct trace *trace, char **names, int nr_names,
			      const struct trace_plan *plan)
{
	struct trace_source *source = trace_source_open(names, nr_names, plan);
	struct trace_request request;
	unsigned int pass;
	size_t i;

	for (pass = 0; pass < 2; pass++) {
		for (i = 0; trace_source_next(source, &request); i++)
			if (i >= trace->nr || memcmp(&request, &trace->requests[i], sizeof(request)))
				fuzz_wrong("pass %u: request %zu is another", pass, i);
		if (i != trace->nr)
			fuzz_wrong("pass %u: %zu requests, not %zu", pass, i, trace->nr);
		trace_source_rewind(source);
	}
	trace_source_close(source);
}
