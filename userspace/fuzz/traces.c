// SPDX-License-Identifier: GPL-2.0
/*
 * The readers of all trace formats, their detection, and "ssdcache-trace convert" and "info".
 *
 * An input is as in trace-input.h; the second byte says that requests are cut at multiples of so
 * many sectors, times 8. A capture of the requests has the same requests, cut.
 */
#include <jansson.h>
#include <string.h>
#include "fuzz.h"
#include "trace-input.h"

#define MAX_PIECES	20000u		/* of requests, when cut */
#define OUT		2
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

static void check_convert(const struct trace *trace, char **names, int nr_names,
			  const struct trace_input_bytes *bytes, uint64_t every)
{
	static const struct trace_plan plain = TRACE_PLAN_DEFAULT;
	struct trace_plan capture = plain;
	char *out = (char *)fuzz_file_name(OUT), cut[32];
	struct trace again;
	size_t i, at = 0;

	snprintf(cut, sizeof(cut), "%llu", (unsigned long long)every);
	fuzz_file_fill(OUT, "", 0);
	give_plan(&trace_verb_convert, bytes);
	give(&trace_verb_convert, "cut", cut);
	give(&trace_verb_convert, "output", out);
	trace_verb_convert.run(names, nr_names);
	if (!trace->nr)
		return;
	capture.format = trace_format_find("capture");
	trace_load(&again, &out, 1, &capture);
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
	trace_input_check_rewind(&trace, names, nr_names, &plan);
	/* Options of verbs that can only be switched on would stay on for the inputs that follow. */
	if (count_pieces(&trace, 8) <= MAX_PIECES && !plan.fold_sectors && !plan.align && !plan.skip_bad) {
		check_convert(&trace, names, nr_names, &bytes, 8 * (1 + bytes.cut));
		check_info(names, nr_names, &bytes);
	}
	trace_free(&trace);
	memory_file_check();
}

void fuzz_after(void)
{
}
