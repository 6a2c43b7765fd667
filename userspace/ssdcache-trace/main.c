// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcache-trace: the command line, from the tables of the verbs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../common/complete.h"
#include "../common/files.h"
#include "../trace/reader.h"
#include "trace.h"

static const struct trace_verb *const verbs[] = {
	&trace_verb_convert, &trace_verb_info, &trace_verb_replay,
};

#define NR_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static void print_overview(void)
{
	unsigned int i;

	printf("Usage: ssdcache-trace VERB [OPTIONS] FILE...\n"
	       "\n"
	       "Makes, describes and replays captures of block requests.\n"
	       "\n"
	       "Verbs:\n");
	for (i = 0; i < NR_VERBS; i++)
		printf("  %-8s %s\n", verbs[i]->name, verbs[i]->doc);
	printf("\n"
	       "'ssdcache-trace VERB --help' shows the options of a verb; 'ssdcache-trace --version'\n"
	       "shows the version. Exit codes: 0 done, 1 failed, 2 wrong command line or bad trace.\n");
}

static void print_help(const struct trace_verb *verb)
{
	printf("Usage: ssdcache-trace %s %s\n\n", verb->name, verb->args);
	wrap(verb->more, 0);
	printf("\nOptions:\n");
	options_help(verb->options);
}

static const struct trace_verb *find_verb(const char *word)
{
	const char *names[NR_VERBS], *guess;
	unsigned int i;

	for (i = 0; i < NR_VERBS; i++) {
		if (!strcmp(verbs[i]->name, word))
			return verbs[i];
		names[i] = verbs[i]->name;
	}
	guess = nearest(word, names, NR_VERBS);
	if (guess)
		die(TOOL_BAD_USAGE, "'%s' is not a verb: did you mean '%s'?", word, guess);
	die(TOOL_BAD_USAGE, "'%s' is not a verb: expected convert, info or replay", word);
}

static bool asks_version(const char *word)
{
	return !strcmp(word, "--version") || !strcmp(word, "-V");
}

static int run_verb(const struct trace_verb *verb, int argc, char **argv)
{
	char **names = xcalloc(argc, sizeof(*names));
	struct option_reader reader;
	enum option_found found;
	int nr = 0, status = TOOL_OK;

	if (argc == 2 && !completing && asks_version(argv[1])) {
		print_version();
		free(names);
		return TOOL_OK;
	}
	options_begin(&reader, verb->name, verb->options, argc, argv);
	do {
		found = options_next(&reader);
		if (found == OPTION_GIVEN)
			verb->take(reader.def, reader.value);
		else if (found == OPTION_WORD)
			names[nr++] = (char *)reader.value;
	} while (found == OPTION_GIVEN || found == OPTION_WORD);
	options_end(&reader);
	if (found == OPTION_HELP)
		print_help(verb);
	else
		status = found == OPTION_BAD ? TOOL_BAD_USAGE : verb->run(names, nr);
	free(names);
	return status;
}

/* What the shells' completion offers besides the names of options; files where there is nothing. */
static void complete_word(const struct completion *at)
{
	unsigned int i;

	for (i = 0; at->option && !strcmp(at->option->name, "format") && trace_formats[i]; i++)
		candidate(at, "%s", trace_formats[i]->name);
}

static int complete_verb(const char *typed)
{
	const struct completion at = { .typed = typed };
	unsigned int i;

	for (i = 0; i < NR_VERBS; i++)
		candidate(&at, "%s", verbs[i]->name);
	candidate(&at, "--help");
	candidate(&at, "--version");
	return end_of_output() ? TOOL_OK : TOOL_FAILED;
}

int main(int argc, char **argv)
{
	int status = TOOL_OK;

	hold_standard_files();
	complete_begin(&argc, &argv);
	complete_more = complete_word;
	if (completing && (argc == 2 || argv[1][0] == '-'))
		return argc == 2 ? complete_verb(argv[1]) : TOOL_OK;
	if (argc < 2)
		die(TOOL_BAD_USAGE, "which verb? convert, info or replay; --help shows more");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		print_overview();
	else if (asks_version(argv[1]))
		print_version();
	else
		status = run_verb(find_verb(argv[1]), argc - 1, argv + 1);
	if (!end_of_output() && !status)
		status = TOOL_FAILED;
	return status;
}
