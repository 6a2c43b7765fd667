// SPDX-License-Identifier: GPL-2.0
/*
 * The readers of all trace formats, and their detection, alone: several times as many inputs a
 * second as "traces".
 *
 * An input is as in trace-input.h; with bit 7 of byte 3 the trace is read twice more.
 */
#include "fuzz.h"
#include "trace-input.h"

#define READ_TWICE	128u

void fuzz_one(const uint8_t *data, size_t size)
{
	struct trace_input_bytes bytes;
	char *names[2];
	int nr_names = trace_input_take(&bytes, data, size, names);
	struct trace_plan plan = trace_input_plan(&bytes);
	struct trace trace;

	trace_load(&trace, names, nr_names, &plan);
	trace_input_check(&trace);
	plan.keep = 0;
	if (bytes.flags & READ_TWICE)
		trace_input_check_rewind(&trace, names, nr_names, &plan);
	trace_free(&trace);
	memory_file_check();
}

void fuzz_after(void)
{
}
