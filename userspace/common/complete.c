// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "complete.h"
#include "memory.h"
#include "say.h"

bool completing;
void (*complete_more)(const struct completion *at);

/**
 * complete_begin() - is the command line to be completed?
 * @argc: as of main(); without --complete afterwards
 * @argv: likewise
 *
 * Sets completing. The tool then goes on to the table of options for these words, as it would to run them.
 */
void complete_begin(int *argc, char ***argv)
{
	completing = *argc > 2 && !strcmp((*argv)[1], "--complete");
	if (!completing)
		return;
	(*argv)[1] = (*argv)[0];
	(*argv)++;
	(*argc)--;
}

/**
 * candidate() - print a candidate, if it begins with what is typed
 * @at: the command line
 * @format: as for printf()
 */
void candidate(const struct completion *at, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		die(TOOL_FAILED, "no memory");
	va_end(args);
	if (!strncmp(text, at->typed, strlen(at->typed)))
		printf("%.*s%s\n", at->prefix_len, at->prefix, text);
	free(text);
}

/**
 * complete_after() - complete the rest of a word
 * @at: the command line
 * @len: characters of @at->typed that stay as they are
 */
void complete_after(struct completion *at, size_t len)
{
	if (!at->prefix)
		at->prefix = at->typed;
	at->typed += len;
	at->prefix_len = at->typed - at->prefix;
}

static const struct option_def *find(const struct option_def *defs, const char *name, size_t len)
{
	for (; defs->name; defs++)
		if (strlen(defs->name) == len && !strncmp(defs->name, name, len))
			return defs;
	return NULL;
}

/* The option whose value is the next word, NULL if @word is no such option. */
static const struct option_def *opens(const struct option_def *defs, const char *word)
{
	const struct option_def *def;

	if (!strncmp(word, "--", 2)) {
		def = find(defs, word + 2, strlen(word + 2));
		return def && def->arg && !def->arg_attached && !def->arg_optional ? def : NULL;
	}
	for (def = defs; word[0] == '-' && word[1] && !word[2] && def->name; def++)
		if (def->letter == word[1])
			return def->arg ? def : NULL;
	return NULL;
}

static void more(const struct completion *at)
{
	if (complete_more)
		complete_more(at);
}

/**
 * complete_options() - print the candidates for the last word of a command line, and end the program
 * @verb: of the command line, or NULL
 * @defs: its options, ended by OPTION_END
 * @argc: words; with verbs, from the verb on
 * @argv: these words
 */
void complete_options(const char *verb, const struct option_def *defs, int argc, char **argv)
{
	struct completion at = { .verb = verb, .words = xcalloc(argc, sizeof(*argv)), .typed = argv[argc - 1] };
	const char *value = strchr(at.typed, '=');
	bool ended = false;
	int i;

	for (i = 1; i < argc - 1; i++) {
		at.option = ended ? NULL : opens(defs, argv[i]);
		if (at.option)
			i++;
		else if (!ended && !strcmp(argv[i], "--"))
			ended = true;
		else if (ended || argv[i][0] != '-')
			at.words[at.nr_words++] = argv[i];
	}
	/* The option's value is the last word, not one before that. */
	if (i == argc - 1)
		at.option = NULL;
	if (!at.option && !ended && !strncmp(at.typed, "--", 2) && value) {
		at.option = find(defs, at.typed + 2, value - at.typed - 2);
		if (at.option)
			complete_after(&at, value + 1 - at.typed);
	}
	more(&at);
	if (!at.option && !ended && at.typed[0] == '-') {
		for (; defs->name; defs++)
			if (!defs->hidden)
				candidate(&at, "--%s", defs->name);
		candidate(&at, "--help");
	}
	free(at.words);
	exit(end_of_output() ? TOOL_OK : TOOL_FAILED);
}
