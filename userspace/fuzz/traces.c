// SPDX-License-Identifier: GPL-2.0
/*
 * The readers of all trace formats, their detection, and "ssdcache-trace convert" and "info".
 *
 *	byte 0	format: 0 any, then as in TRACE_FORMATS; + 64: two files, cut in the middle of the
 *		rest; + 128: skip bad lines
 *	byte 1	requests are cut at multiples of so many sectors, times 8
 *	byte 2	limit of requests; 0: none
 *	byte 3	bits: + 1 repeat twice, + 2 after 1 s, + 4 before 100 s, + 8 skip 2 requests, + 16 align,
 *		+ 32 fold onto 1000 sectors, + 64 keep all requests
 *	rest	the files
 *
 * What is accepted is in order and in range; the same requests come again after a rewind; a capture of them
 * has the same requests, cut.
 */
#include <jansson.h>
#include <string.h>
#include "fuzz.h"
#include "../ssdcache-trace/trace.h"

#define MAX_PIECES	20000u		/* of requests, when cut */
#define OUT		2
#define LAST_SECOND	"4611686018"	/* before TRACE_MAX_NS */

#define NAME(ident, name) name,
static const char *const trace_format_names[] = { TRACE_FORMATS(NAME) };
#define NR_FORMATS (sizeof(trace_format_names) / sizeof(trace_format_names[0]))

/* An input's first bytes. */
struct plan_bytes {
	unsigned int format;
	bool skip_bad;
	unsigned long long limit;
	unsigned int flags;
};

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

/* The options that @how stands for, to @verb. */
static void give_plan(const struct trace_verb *verb, const struct plan_bytes *bytes)
{
	char limit[32];

	snprintf(limit, sizeof(limit), "%llu",
		 bytes->limit ? bytes->limit : (unsigned long long)UINT64_MAX);
	give(verb, "format", bytes->format ? trace_format_names[bytes->format - 1] : "any");
	give(verb, "limit", limit);
	give(verb, "repeat", bytes->flags & 1 ? "2" : "1");
	give(verb, "after", bytes->flags & 2 ? "1" : "0");
	give(verb, "before", bytes->flags & 4 ? "100" : LAST_SECOND);
	give(verb, "skip", bytes->flags & 8 ? "2" : "0");
}

static struct trace_plan make_plan(const struct plan_bytes *bytes)
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
	return plan;
}

static void check_convert(const struct trace *trace, char **names, int nr_names,
			  const struct plan_bytes *bytes, uint64_t every)
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

static void check_info(char **names, int nr_names, const struct plan_bytes *bytes)
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

/* Requests one by one, twice, are those that were loaded. */
static void check_rewind(const struct trace *trace, char **names, int nr_names,
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

void fuzz_one(const uint8_t *data, size_t size)
{
	char *names[] = { (char *)fuzz_file_name(0), (char *)fuzz_file_name(1) };
	struct fuzz_bytes bytes = { data, size };
	uint32_t how = fuzz_number(&bytes, 1), every = 8 * (1 + fuzz_number(&bytes, 1));
	struct plan_bytes of = {
		.format = (how & 63) % (NR_FORMATS + 1), .skip_bad = how & 128,
		.limit = fuzz_number(&bytes, 1), .flags = fuzz_number(&bytes, 1),
	};
	int nr_names = how & 64 ? 2 : 1;
	size_t half = nr_names == 2 ? bytes.left / 2 : bytes.left;
	struct trace_plan plan = make_plan(&of);
	struct trace trace;
	size_t i;

	fuzz_file_fill(0, bytes.at, half);
	fuzz_file_fill(1, bytes.at + half, bytes.left - half);
	trace_load(&trace, names, nr_names, &plan);
	for (i = 0; i < trace.nr; i++)
		check_request(&trace, i);
	plan.keep = 0;
	check_rewind(&trace, names, nr_names, &plan);
	/* Options of verbs that can only be switched on would stay on for the inputs that follow. */
	if (count_pieces(&trace, 8) <= MAX_PIECES && !plan.fold_sectors && !plan.align && !plan.skip_bad) {
		check_convert(&trace, names, nr_names, &of, every);
		check_info(names, nr_names, &of);
	}
	trace_free(&trace);
}

void fuzz_after(void)
{
}
