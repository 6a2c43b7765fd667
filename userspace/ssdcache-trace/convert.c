// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcache-trace convert
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "trace.h"

static const char help[] =
	"Usage: ssdcache-trace convert [--from KIND] [--limit N] [--cut N] -o OUT IN...\n"
	"\n"
	"Makes a capture of one or more traces, merged by time. OUT is compressed if its\n"
	"name ends in .gz or .zst; - is standard output. IN may be compressed, unless it\n"
	"comes from blktrace.\n"
	"\n"
	"  --from KIND   what IN is: blktrace, msr, capture, or any (found out by itself)\n"
	"  --limit N     take only the first N requests\n"
	"  --cut N       cut reads and writes at multiples of N sectors; 2048 is what the device\n"
	"                mapper does above an ssdcache\n"
	"  -o, --output OUT\n"
	"\n"
	"Of blktrace, IN is the files of one device, or what their names start with:\n"
	"'dm-0' stands for dm-0.blktrace.0, dm-0.blktrace.1, and so on.\n";

static enum trace_kind take_kind(const char *word)
{
	unsigned int i;

	for (i = 0; i < TRACE_NR_KINDS; i++)
		if (!strcmp(word, trace_kind_names[i]))
			return i;
	trace_die(TRACE_BAD_USAGE, "--from '%s': expected any, blktrace, msr or capture", word);
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
	all = trace_zalloc(nr, sizeof(*all));
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

/**
 * trace_convert() - the verb
 * @argc: words from the verb on
 * @argv: those words
 *
 * Return: exit code.
 */
int trace_convert(int argc, char **argv)
{
	static const struct option options[] = {
		{ "cut", required_argument, NULL, 'c' },
		{ "from", required_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ "limit", required_argument, NULL, 'l' },
		{ "output", required_argument, NULL, 'o' },
		{}
	};
	enum trace_kind kind = TRACE_ANY;
	uint64_t limit = UINT64_MAX, every = 0;
	const char *output = NULL;
	struct trace trace;
	int option;

	while ((option = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
		switch (option) {
		case 'c':
			every = trace_number("--cut", optarg, 1, UINT32_MAX);
			break;
		case 'f':
			kind = take_kind(optarg);
			break;
		case 'l':
			limit = trace_number("--limit", optarg, 1, UINT64_MAX);
			break;
		case 'o':
			output = optarg;
			break;
		case 'h':
			fputs(help, stdout);
			return TRACE_OK;
		default:
			return TRACE_BAD_USAGE;
		}
	}
	if (!output || optind == argc)
		trace_die(TRACE_BAD_USAGE, "convert: %s is missing: 'ssdcache-trace convert --help'",
			  output ? "IN" : "-o OUT");
	trace_load(&trace, argv + optind, argc - optind, kind, limit);
	if (!trace.nr)
		trace_warn("%s: no requests", argv[optind]);
	if (every)
		cut(&trace, every);
	trace_save(&trace, output);
	trace_free(&trace);
	return TRACE_OK;
}
