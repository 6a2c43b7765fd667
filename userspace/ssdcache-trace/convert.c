// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcache-trace convert
 */
#include <stdlib.h>
#include <string.h>
#include "trace.h"

static const char more[] =
	"Makes a capture of one or more traces, merged by time. OUT is compressed if its name ends "
	"in .gz or .zst; - is standard output. IN may be compressed, unless it comes from "
	"blktrace.\n"
	"\n"
	"For blktrace, IN is the files of one device, or what their names start with: 'dm-0' stands "
	"for dm-0.blktrace.0, dm-0.blktrace.1, and so on.";

static const struct option_def options[] = {
	{ "output", .letter = 'o', .id = 'o', .arg = "OUT", .doc = "the capture" },
	{ "from", .id = 'f', .arg = "KIND",
	  .doc = "what IN is: blktrace, msr, capture, or any (the default: look at the files)" },
	{ "limit", .id = 'l', .arg = "N", .doc = "take only the first N requests" },
	{ "cut", .id = 'c', .arg = "N",
	  .doc = "cut reads and writes at multiples of N sectors; the device mapper cuts at 2048 above an ssdcache" },
	OPTION_END
};

static struct {
	enum trace_kind kind;
	uint64_t limit;
	uint64_t cut_sectors;		/* 0: do not cut */
	const char *output;
} given = { .kind = TRACE_ANY, .limit = UINT64_MAX };

static enum trace_kind take_kind(const char *word)
{
	unsigned int i;

	for (i = 0; i < TRACE_NR_KINDS; i++)
		if (!strcmp(word, trace_kind_names[i]))
			return i;
	die(TOOL_BAD_USAGE, "--from: '%s' is not one of any, blktrace, msr, capture", word);
}

static uint64_t pieces(const struct trace_request *request, uint64_t every)
{
	uint64_t last = request->sector + request->nr_sectors - 1;

	if (request->op != TRACE_READ && request->op != TRACE_WRITE)
		return 1;
	return last / every - request->sector / every + 1;
}

/* Cut requests at multiples of @every sectors. */
static void cut(struct trace *trace, uint64_t every)
{
	struct trace_request *piece, *all;
	size_t i, nr = 0;

	for (i = 0; i < trace->nr; i++)
		nr += pieces(&trace->requests[i], every);
	all = xcalloc(nr, sizeof(*all));
	piece = all;
	for (i = 0; i < trace->nr; i++) {
		struct trace_request rest = trace->requests[i];
		uint64_t left;

		for (left = pieces(&rest, every); left > 1; left--) {
			*piece = rest;
			piece->nr_sectors = every - rest.sector % every;
			rest.sector += piece->nr_sectors;
			rest.nr_sectors -= piece->nr_sectors;
			piece++;
		}
		*piece++ = rest;
	}
	free(trace->requests);
	trace->requests = all;
	trace->nr = nr;
}

static void take(const struct option_def *option, const char *value)
{
	switch (option->id) {
	case 'c':
		given.cut_sectors = take_number(option->name, value, 1, UINT32_MAX);
		break;
	case 'f':
		given.kind = take_kind(value);
		break;
	case 'l':
		given.limit = take_number(option->name, value, 1, UINT64_MAX);
		break;
	case 'o':
		given.output = value;
		break;
	}
}

static int run(char **names, int nr_names)
{
	struct trace trace;

	if (!given.output || !nr_names)
		die(TOOL_BAD_USAGE, "convert: %s is missing: 'ssdcache-trace convert --help'",
		    given.output ? "IN" : "-o OUT");
	trace_load(&trace, names, nr_names, given.kind, given.limit);
	if (!trace.nr)
		warn("%s: no requests", names[0]);
	if (given.cut_sectors)
		cut(&trace, given.cut_sectors);
	trace_save(&trace, given.output);
	trace_free(&trace);
	return TOOL_OK;
}

const struct trace_verb trace_verb_convert = {
	.name = "convert",
	.args = "[--from KIND] [--limit N] [--cut N] -o OUT IN...",
	.doc = "make a capture of blktrace's output or of another trace",
	.more = more,
	.options = options,
	.take = take,
	.run = run,
};
