/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the targets "readers" and "traces" share: inputs, and what must hold for requests.
 *
 *	byte 0	format: 0 any, then as in TRACE_FORMATS; + 64: two files, cut in the middle of the
 *		rest; + 128: skip bad lines
 *	byte 1	for "traces"
 *	byte 2	limit of requests; 0: none
 *	byte 3	bits: + 1 repeat twice, + 2 after 1 s, + 4 before 100 s, + 8 skip 2 requests, + 16 align,
 *		+ 32 fold onto 1000 sectors, + 64 keep all requests, + 128 for "readers"
 *	byte 4	low 3 bits: for "traces"; + 8 leave out what is not touched; the rest: for "traces"
 *	byte 5	for "traces"
 *	rest	the files
 *
 * What is accepted is in order and in range, and the same requests come again after a rewind.
 */
#ifndef SSDC_FUZZ_TRACE_INPUT_H
#define SSDC_FUZZ_TRACE_INPUT_H

#include "../ssdcache-trace/trace.h"
#include "memory-file.h"

/* An input's first bytes. */
struct trace_input_bytes {
	unsigned int format;
	bool skip_bad;
	unsigned int cut;
	unsigned long long limit;
	unsigned int flags;
	unsigned int output;
	unsigned int end;
};

int trace_input_take(struct trace_input_bytes *bytes, const uint8_t *data, size_t size,
		     char **names);
struct trace_plan trace_input_plan(const struct trace_input_bytes *bytes);
const char *trace_input_format(const struct trace_input_bytes *bytes);
void trace_input_check(const struct trace *trace);
void trace_input_check_rewind(const struct trace *trace, char **names, int nr_names,
			      const struct trace_plan *plan);

#endif /* SSDC_FUZZ_TRACE_INPUT_H */
