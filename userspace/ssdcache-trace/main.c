// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcache-trace: the verbs.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "trace.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *doc;
} verbs[] = {
	{ "convert", trace_convert, "make a capture of blktrace's output or of another trace" },
	{ "info", trace_info, "show what is in a trace" },
	{ "replay", trace_replay, "replay a trace on a block device, and show the latencies" },
};

#define NR_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static void help(void)
{
	unsigned int i;

	printf("Usage: ssdcache-trace VERB [OPTIONS] FILE...\n"
	       "\n"
	       "Makes, describes and replays captures of block requests.\n"
	       "\n"
	       "Verbs:\n");
	for (i = 0; i < NR_VERBS; i++)
		printf("  %-8s %s\n", verbs[i].name, verbs[i].doc);
	printf("\n"
	       "'ssdcache-trace VERB --help' shows the options of a verb. Exit codes: 0 done, 1 failed,\n"
	       "2 wrong command line or bad trace.\n");
}

int main(int argc, char **argv)
{
	int status;
	unsigned int i;

	if (argc < 2)
		trace_die(TRACE_BAD_USAGE, "which verb? convert, info or replay; --help shows more");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		help();
		return TRACE_OK;
	}
	for (i = 0; i < NR_VERBS; i++) {
		if (strcmp(argv[1], verbs[i].name))
			continue;
		/* getopt() names the program in its messages. */
		argv[1] = argv[0];
		status = verbs[i].run(argc - 1, argv + 1);
		if (fflush(stdout) || ferror(stdout))
			trace_die(TRACE_FAILED, "cannot write the output: %s",
				  strerror(errno ? errno : EIO));
		return status;
	}
	trace_die(TRACE_BAD_USAGE, "'%s' is not a verb: expected convert, info or replay", argv[1]);
}
