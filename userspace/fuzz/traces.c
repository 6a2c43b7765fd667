// SPDX-License-Identifier: GPL-2.0
/*
 * The readers of all trace formats, their detection, and "ssdcache-trace convert" and "info".
 *
 * An input is as in trace-input.h.
 *
 *	byte 1	requests are cut at multiples of so many sectors, plus 1, times 8
 *	byte 4	low 3 bits: how the capture is written: see capture_file_begin(); + 16: there is a file with
 *		its name; + 32: its end is cut off; + 64: it is also written before anything else, so that
 *		what is refused is refused while it is written
 *	byte 5	where the end is cut off; which compression is refused
 *
 * A capture of the requests has the same requests, cut.
 */
#include <jansson.h>
#include <string.h>
#include "capture-file.h"
#include "fuzz.h"
#include "trace-input.h"

#define MAX_PIECES	20000u		/* of requests, when cut */
#define MAX_COMPACT	300u		/* requests that are compared with all others */
#define EXTENT_SECTORS	2048u
#define LAST_SECOND	"4611686018"	/* before TRACE_MAX_NS */

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

/* The options that @how stands for, to @verb. */
static void give_plan(const struct trace_verb *verb, const struct trace_input_bytes *bytes)
{
	char limit[32];

	snprintf(limit, sizeof(limit), "%llu",
		 bytes->limit ? bytes->limit : (unsigned long long)UINT64_MAX);
	give(verb, "format", trace_input_format(bytes));
	give(verb, "limit", limit);
	give(verb, "repeat", bytes->flags & 1 ? "2" : "1");
	give(verb, "after", bytes->flags & 2 ? "1" : "0");
	give(verb, "before", bytes->flags & 4 ? "100" : LAST_SECOND);
	give(verb, "skip", bytes->flags & 8 ? "2" : "0");
}

/* Make a capture of the traces, cut at multiples of @every sectors; 0: of the requests as they have been loaded. */
static void write_capture(const char *name, const struct trace *trace, char **names, int nr_names,
			  const struct trace_input_bytes *bytes, uint64_t every)
{
	struct trace_saver *saver;
	char cut[32];
	size_t i;

	if (every) {
		snprintf(cut, sizeof(cut), "%llu", (unsigned long long)every);
		give_plan(&trace_verb_convert, bytes);
		give(&trace_verb_convert, "cut", cut);
		give(&trace_verb_convert, "output", name);
		trace_verb_convert.run(names, nr_names);
		return;
	}
	saver = trace_saver_beside(name);
	if (!saver)
		saver = trace_saver_in_place(name);
	for (i = 0; i < trace->nr; i++)
		trace_saver_put(saver, &trace->requests[i]);
	trace_saver_close(saver);
}

/* Requests of a capture are those of @trace, cut. */
static void check_capture(const struct trace *trace, const struct trace *again, uint64_t every)
{
	size_t i, at = 0;

	for (i = 0; i < trace->nr; i++) {
		struct trace_request whole = trace->requests[i];

		/* Times of a capture count from its first request. */
		whole.time_ns -= trace->requests[0].time_ns;
		at = check_pieces(&whole, again, at, every);
	}
	if (at != again->nr)
		fuzz_wrong("convert: %zu requests too many", again->nr - at);
}

/* Without its end, a compressed capture is refused. Else it has the first requests; the last one may have lost digits. */
static void check_end(char *name, const struct trace *whole, const struct trace_plan *plan)
{
	struct trace begin;
	size_t i;

	trace_load(&begin, &name, 1, plan);
	if (capture_file_is_compressed())
		fuzz_wrong("a compressed capture without its end is read");
	if (begin.nr > whole->nr)
		fuzz_wrong("a capture without its end has more requests");
	for (i = 0; i + 1 < begin.nr; i++)
		if (memcmp(&begin.requests[i], &whole->requests[i], sizeof(*begin.requests)))
			fuzz_wrong("request %zu is another without the end", i);
	trace_free(&begin);
}

static void check_convert(const struct trace *trace, char **names, int nr_names,
			  const struct trace_input_bytes *bytes, uint64_t every)
{
	struct trace_plan capture = TRACE_PLAN_DEFAULT;
	struct trace again;
	char *name;

	name = (char *)capture_file_begin(bytes->output & 7, bytes->output & 16, bytes->end);
	write_capture(name, trace, names, nr_names, bytes, every);
	name = (char *)capture_file_end();
	if (!trace->nr)
		return;
	capture.format = trace_format_find("capture");
	trace_load(&again, &name, 1, &capture);
	check_capture(trace, &again, every ? every : UINT64_MAX);
	if (bytes->output & 32) {
		capture_file_cut(bytes->end);
		fuzz_begin_run();
		check_end(name, &again, &capture);
	}
	trace_free(&again);
}

/* Does a read or write touch an extent with a sector from @sector on, before @end? */
static bool is_touched(const struct trace *trace, uint64_t sector, uint64_t end)
{
	size_t i;

	for (i = 0; i < trace->nr; i++) {
		const struct trace_request *request = &trace->requests[i];
		uint64_t last = request->sector + request->nr_sectors - 1;

		if (request->op <= TRACE_WRITE && request->sector / EXTENT_SECTORS * EXTENT_SECTORS < end &&
		    (last / EXTENT_SECTORS + 1) * EXTENT_SECTORS > sector)
			return true;
	}
	return false;
}

/* Do two requests lie in the same order before and after? */
static bool same_order(const struct trace_request *a, const struct trace_request *b, const struct trace_request *new_a,
		       const struct trace_request *new_b)
{
	int before = (a->sector > b->sector) - (a->sector < b->sector);
	int after = (new_a->sector > new_b->sector) - (new_a->sector < new_b->sector);

	/* The starts of discards may be moved to the same place. */
	return before == after || (!after && (a->op == TRACE_DISCARD || b->op == TRACE_DISCARD));
}

static void check_moved(const struct trace_request *wide, const struct trace_request *narrow)
{
	if (wide->op != narrow->op || wide->time_ns != narrow->time_ns || wide->fua != narrow->fua)
		fuzz_wrong("compact: another request");
	if (narrow->sector > wide->sector || narrow->nr_sectors > wide->nr_sectors)
		fuzz_wrong("compact: a request is further on, or longer");
	if (wide->op <= TRACE_WRITE &&
	    (wide->nr_sectors != narrow->nr_sectors || wide->sector % EXTENT_SECTORS != narrow->sector % EXTENT_SECTORS))
		fuzz_wrong("compact: a request is not whole");
}

/* What --compact leaves: each request but discards of what is not touched, in the same order on the device. */
static void check_compact(char **names, int nr_names, const struct trace_plan *compact)
{
	struct trace_plan plan = *compact;
	const struct trace_request *last = NULL, *last_moved = NULL;
	struct trace wide, narrow;
	size_t i, at = 0;

	plan.fold_sectors = 0;
	trace_load(&narrow, names, nr_names, &plan);
	plan.compact = false;
	trace_load(&wide, names, nr_names, &plan);
	for (i = 0; i < wide.nr && wide.nr <= MAX_COMPACT; i++) {
		const struct trace_request *request = &wide.requests[i], *moved = &narrow.requests[at];

		if (request->op == TRACE_DISCARD &&
		    !is_touched(&wide, request->sector, request->sector + request->nr_sectors))
			continue;
		if (at++ == narrow.nr)
			fuzz_wrong("compact: a request is missing");
		check_moved(request, moved);
		if (request->op == TRACE_FLUSH)
			continue;
		if (last && !same_order(last, request, last_moved, moved))
			fuzz_wrong("compact: requests %zu and before have changed places", i);
		last = request;
		last_moved = moved;
	}
	if (wide.nr <= MAX_COMPACT && at != narrow.nr)
		fuzz_wrong("compact: %zu requests too many", narrow.nr - at);
	trace_free(&wide);
	trace_free(&narrow);
}

static void check_info(char **names, int nr_names, const struct trace_input_bytes *bytes)
{
	json_t *facts;

	give(&trace_verb_info, "json", NULL);
	give_plan(&trace_verb_info, bytes);
	trace_verb_info.run(names, nr_names);
	/* 2^63 bytes are no integer of jansson's. */
	facts = json_loads(fuzz_output(), JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
	if (!facts)
		fuzz_wrong("info: not JSON: %s", fuzz_output());
	json_decref(facts);
}

/* Options of verbs that can only be switched on would stay on for the inputs that follow. */
static bool stays_on(const struct trace_plan *plan)
{
	return plan->fold_sectors || plan->align || plan->skip_bad || plan->compact;
}

void fuzz_one(const uint8_t *data, size_t size)
{
	struct trace_input_bytes bytes;
	char *names[2];
	int nr_names = trace_input_take(&bytes, data, size, names);
	struct trace_plan plan = trace_input_plan(&bytes);
	struct trace trace;

	if (bytes.output & 64 && !stays_on(&plan)) {
		write_capture(capture_file_begin(bytes.output & 7, bytes.output & 16, bytes.end), NULL, names, nr_names,
			      &bytes, UINT32_MAX);
		capture_file_end();
		fuzz_begin_run();
	}
	trace_load(&trace, names, nr_names, &plan);
	trace_input_check(&trace);
	plan.keep = 0;
	trace_input_check_rewind(&trace, names, nr_names, &plan);
	if (plan.compact)
		check_compact(names, nr_names, &plan);
	if (count_pieces(&trace, 8) <= MAX_PIECES) {
		if (!stays_on(&plan))
			check_info(names, nr_names, &bytes);
		fuzz_begin_run();
		check_convert(&trace, names, nr_names, &bytes, stays_on(&plan) ? 0 : 8 * (1 + bytes.cut));
	}
	trace_free(&trace);
	memory_file_check();
}

void fuzz_after(void)
{
	capture_file_after();
}
