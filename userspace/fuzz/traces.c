// SPDX-License-Identifier: GPL-2.0
/*
 * The readers of all trace formats, and "ssdcache-trace convert" and "info".
 *
 *	byte 0	kind: any, blktrace, MSR, capture; + 4: two files, cut in the middle of the rest
 *	byte 1	requests are cut at multiples of so many sectors, times 8
 *	byte 2	limit of requests; 0: none
 *	rest	the files
 *
 * What is accepted is in order and in range; a capture of it has the same requests, cut.
 */
#include <jansson.h>
#include <string.h>
#include "fuzz.h"
#include "../ssdcache-trace/trace.h"

#define MAX_PIECES	20000u		/* of requests, when cut */
#define OUT		2

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

/* Pieces of all requests when cut at multiples of @every sectors. */
static uint64_t count_pieces(const struct trace *trace, uint64_t every)
{
	uint64_t nr = 0;
	size_t i;

	for (i = 0; i < trace->nr; i++)
		nr += 2 + trace->requests[i].nr_sectors / every;
	return nr;
}

static void give(const struct trace_verb *verb, const char *name, const char *value)
{
	const struct option_def *option = verb->options;

	while (strcmp(option->name, name))
		option++;
	verb->take(option, value);
}

/* The pieces of @whole from @at on in @cut. Returns where those of the next request start. */
static size_t check_pieces(const struct trace_request *whole, const struct trace *cut, size_t at,
			   uint64_t every)
{
	bool may_cut = whole->op == TRACE_READ || whole->op == TRACE_WRITE;
	uint64_t sector = whole->sector, end = sector + whole->nr_sectors;

	do {
		const struct trace_request *piece = &cut->requests[at];

		if (at++ == cut->nr)
			fuzz_wrong("convert: a request is missing");
		if (piece->time_ns != whole->time_ns || piece->op != whole->op ||
		    piece->fua != whole->fua || piece->sector != sector)
			fuzz_wrong("convert: piece %zu is another request", at);
		sector += piece->nr_sectors;
		if (sector != end && (!may_cut || sector % every))
			fuzz_wrong("convert: piece %zu ends at sector %llu", at,
				   (unsigned long long)sector);
		if (may_cut && piece->nr_sectors > every)
			fuzz_wrong("convert: piece %zu is too long", at);
	} while (sector < end);
	return at;
}

static void check_convert(const struct trace *trace, char **names, int nr_names, const char *kind,
			  const char *limit, uint64_t every)
{
	char *out = (char *)fuzz_file_name(OUT), cut[32];
	struct trace again;
	size_t i, at = 0;

	snprintf(cut, sizeof(cut), "%llu", (unsigned long long)every);
	fuzz_file_fill(OUT, "", 0);
	give(&trace_verb_convert, "from", kind);
	give(&trace_verb_convert, "limit", limit);
	give(&trace_verb_convert, "cut", cut);
	give(&trace_verb_convert, "output", out);
	trace_verb_convert.run(names, nr_names);
	if (!trace->nr)
		return;
	trace_load(&again, &out, 1, TRACE_CAPTURE, UINT64_MAX);
	for (i = 0; i < trace->nr; i++) {
		struct trace_request whole = trace->requests[i];

		/* Times of a capture count from its first request. */
		whole.time_ns -= trace->requests[0].time_ns;
		at = check_pieces(&whole, &again, at, every);
	}
	if (at != again.nr)
		fuzz_wrong("convert: %zu requests too many", again.nr - at);
	trace_free(&again);
}

static void check_info(char **names, int nr_names, const char *limit)
{
	json_t *facts;

	give(&trace_verb_info, "json", NULL);
	give(&trace_verb_info, "limit", limit);
	trace_verb_info.run(names, nr_names);
	/* 2^63 bytes are no integer of jansson's. */
	facts = json_loads(fuzz_output(), JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
	if (!facts)
		fuzz_wrong("info: not JSON: %s", fuzz_output());
	json_decref(facts);
}

void fuzz_one(const uint8_t *data, size_t size)
{
	char *names[] = { (char *)fuzz_file_name(0), (char *)fuzz_file_name(1) };
	struct fuzz_bytes bytes = { data, size };
	uint32_t how = fuzz_number(&bytes, 1), every = 8 * (1 + fuzz_number(&bytes, 1));
	uint32_t most = fuzz_number(&bytes, 1);
	enum trace_kind kind = how % 4;
	int nr_names = how & 4 ? 2 : 1;
	size_t half = nr_names == 2 ? bytes.left / 2 : bytes.left;
	struct trace trace;
	char limit[32];
	size_t i;

	fuzz_file_fill(0, bytes.at, half);
	fuzz_file_fill(1, bytes.at + half, bytes.left - half);
	snprintf(limit, sizeof(limit), "%llu", most ? most : (unsigned long long)UINT64_MAX);
	trace_load(&trace, names, nr_names, kind, most ? most : UINT64_MAX);
	for (i = 0; i < trace.nr; i++)
		check_request(&trace, i);
	if (count_pieces(&trace, 8) <= MAX_PIECES) {
		check_convert(&trace, names, nr_names, trace_kind_names[kind], limit, every);
		/* blktrace's files must be named to "info" by their start. */
		if (kind == TRACE_ANY && trace.nr)
			check_info(names, nr_names, limit);
	}
	trace_free(&trace);
}

void fuzz_after(void)
{
}
