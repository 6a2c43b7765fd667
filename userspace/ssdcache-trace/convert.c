// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcache-trace convert
 */
#include <string.h>
#include "trace.h"

static const char more[] =
	"Makes a capture of one or more traces, merged by time. OUT is compressed if its name ends "
	"in .gz, .zst, .xz or .bz2; - is standard output. IN has any format of --format, plain or compressed by "
	"gzip, Zstandard, xz or bzip2; - is standard input.\n"
	"\n"
	"For blktrace, IN is the files of one device, or what their names start with: 'dm-0' stands "
	"for dm-0.blktrace.0, dm-0.blktrace.1, and so on.";

static const struct option_def options[] = {
	{ "output", .letter = 'o', .id = 'o', .arg = "OUT", .doc = "the capture" },
	TRACE_FORMAT_OPTION,
	{ "from", .id = TRACE_OPTION_FORMAT, .arg = "NAME", .hidden = true,
	  .doc = "the earlier name of --format" },
	TRACE_SKIP_BAD_OPTION,
	TRACE_CUT_OPTIONS,
	TRACE_LIMIT_OPTION("take only the first N requests"),
	TRACE_SCALE_OPTION,
	{ "fold", .id = 'F',
	  .doc = "fold addresses beyond --origin-sectors onto the device (modulo its size), as ssdcache-sim does" },
	{ "origin-sectors", .id = 's', .arg = "N", .doc = "size of the device for --fold" },
	{ "cut", .id = 'c', .arg = "N",
	  .doc = "cut reads and writes at multiples of N sectors; Linux may cut direct I/O above 2048" },
	OPTION_END
};

static struct {
	struct trace_plan plan;
	uint64_t cut_sectors;		/* 0: do not cut */
	bool fold;
	uint64_t origin_sectors;
	const char *output;
} given = { .plan = TRACE_PLAN_DEFAULT };

/* Save a request, cut at multiples of @every sectors; 0: not cut. */
static void save(struct trace_saver *saver, struct trace_request rest, uint64_t every)
{
	uint64_t last = rest.sector + rest.nr_sectors - 1, left = 0;

	if (every && (rest.op == TRACE_READ || rest.op == TRACE_WRITE))
		left = last / every - rest.sector / every;
	for (; left; left--) {
		struct trace_request piece = rest;

		piece.nr_sectors = every - rest.sector % every;
		rest.sector += piece.nr_sectors;
		rest.nr_sectors -= piece.nr_sectors;
		trace_saver_put(saver, &piece);
	}
	trace_saver_put(saver, &rest);
}

static void take(const struct option_def *option, const char *value)
{
	if (trace_plan_take(&given.plan, option, value))
		return;
	switch (option->id) {
	case 'c':
		given.cut_sectors = take_number(option->name, value, 1, UINT32_MAX);
		break;
	case 'F':
		given.fold = true;
		break;
	case 'o':
		given.output = value;
		break;
	case 's':
		given.origin_sectors = take_number(option->name, value, 1, TRACE_MAX_SECTORS);
		break;
	}
}

static int run(char **names, int nr_names)
{
	struct trace_request request;
	struct trace_source *source;
	struct trace_saver *saver;
	bool any;

	if (!given.output || !nr_names)
		die(TOOL_BAD_USAGE, "convert: %s is missing: 'ssdcache-trace convert --help'",
		    given.output ? "IN" : "-o OUT");
	if (given.fold != !!given.origin_sectors)
		die(TOOL_BAD_USAGE, given.fold ? "--fold needs a size: --origin-sectors" :
						 "--origin-sectors has no meaning without --fold");
	given.plan.fold_sectors = given.origin_sectors;
	saver = trace_saver_beside(given.output);
	if (!saver)
		given.plan.output = strcmp(given.output, "-") ? given.output : "/dev/stdout";
	source = trace_source_open(names, nr_names, &given.plan);
	any = trace_source_next(source, &request);
	trace_some_left(source, any, names, nr_names, &given.plan);
	trace_source_remark_times(source);
	if (!saver)
		saver = trace_saver_in_place(given.output);
	for (bool more_left = any; more_left; more_left = trace_source_next(source, &request))
		save(saver, request, given.cut_sectors);
	trace_saver_close(saver);
	if (!any)
		warn("%s: no requests", names[0]);
	trace_source_close(source);
	return TOOL_OK;
}

const struct trace_verb trace_verb_convert = {
	.name = "convert",
	.args = "[OPTION]... -o OUT IN...",
	.doc = "make a capture of a trace of any format",
	.more = more,
	.options = options,
	.take = take,
	.run = run,
};
