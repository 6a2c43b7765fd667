// SPDX-License-Identifier: GPL-2.0
/*
 * Parses a command line according to the verb's record, and prints help from that record.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ctl.h"

static int add_option(struct command *cmd, const struct option_def *def, const char *value)
{
	if (!def->many && command_has(cmd, def->name))
		return usage("%s: --%s is given twice", cmd->verb->name, def->name);
	if (cmd->nr_given == CTL_MAX_GIVEN)
		return usage("%s: more than %d options", cmd->verb->name, CTL_MAX_GIVEN);
	cmd->given[cmd->nr_given].def = def;
	cmd->given[cmd->nr_given].value = value;
	cmd->nr_given++;
	return 0;
}

/*
 * What a verb takes, or only what it needs. @glue is between an option and its value. The caller
 * frees the text.
 */
static char *synopsis(const struct verb *verb, bool needed, char glue)
{
	const struct option_def *def;
	char *text, words[64];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die(TOOL_FAILED, "no memory");
	fputs(verb->args, out);
	for (def = verb->options; def->name; def++) {
		if (def->hidden || (needed && !def->required))
			continue;
		option_words(def, glue, words, sizeof(words));
		fprintf(out, def->required ? "%s%s" : "%s[%s]", ftell(out) ? " " : "", words);
		fputs(def->many ? "..." : "", out);
	}
	if (fclose(out))
		die(TOOL_FAILED, "no memory");
	return text;
}

/* Say what is wrong with @word, and what the verb needs. @what has one %s. */
static int __attribute__((__format__(__printf__, 2, 0)))
wrong_words(const struct verb *verb, const char *what, const char *word)
{
	char *needed = synopsis(verb, true, ' '), *wrong;
	int code;

	if (asprintf(&wrong, what, word) < 0)
		die(TOOL_FAILED, "no memory");
	code = usage("%s: %s: ssdcachectl %s%s%s%s%s", verb->name, wrong, verb->name, *needed ? " " : "", needed,
		     verb->needs ? " " : "", verb->needs ? verb->needs : "");
	free(wrong);
	free(needed);
	return code;
}

static int add_word(struct command *cmd, const char *word)
{
	const struct verb *verb = cmd->verb;

	if (cmd->nr_args == verb->max_args)
		return wrong_words(verb, "unexpected word '%s'", word);
	cmd->args[cmd->nr_args++] = word;
	return 0;
}

static int report_missing_word(const struct command *cmd)
{
	const char *missing = cmd->verb->args;
	char word[64];
	int i;

	for (i = 0; i < cmd->nr_args; i++)
		missing += strcspn(missing, " ") + 1;
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(missing, " "), missing);
	return wrong_words(cmd->verb, "%s is missing", word);
}

static int report_missing_option(const struct verb *verb, const struct option_def *def)
{
	char words[64];

	option_words(def, ' ', words, sizeof(words));
	return wrong_words(verb, "%s is missing", words);
}

static int check_complete(const struct command *cmd)
{
	const struct verb *verb = cmd->verb;
	const struct option_def *def;

	if (cmd->nr_args < verb->min_args)
		return report_missing_word(cmd);
	for (def = verb->options; def->name; def++)
		if (def->required && !command_has(cmd, def->name))
			return report_missing_option(verb, def);
	return 0;
}

/**
 * command_parse() - read a command line
 * @verb: the verb
 * @argc: words, from the verb on
 * @argv: those words
 * @cmd: result; points into @argv
 *
 * Return: what to do; errors have been reported.
 */
enum parse_result command_parse(const struct verb *verb, int argc, char **argv,
				struct command *cmd)
{
	struct option_reader reader;
	enum option_found found;
	int error = 0;

	memset(cmd, 0, sizeof(*cmd));
	cmd->verb = verb;
	options_begin(&reader, verb->name, verb->options, argc, argv);
	do {
		found = options_next(&reader);
		if (found == OPTION_GIVEN)
			error = add_option(cmd, reader.def, reader.value ? reader.value : "");
		else if (found == OPTION_WORD)
			error = add_word(cmd, reader.value);
	} while (!error && (found == OPTION_GIVEN || found == OPTION_WORD));
	options_end(&reader);
	if (found == OPTION_HELP)
		return PARSE_HELP;
	return error || found == OPTION_BAD || check_complete(cmd) ? PARSE_ERROR : PARSE_RUN;
}

/**
 * command_option() - the value of an option that is given at most once
 * @cmd: parsed command line
 * @name: name of the option
 *
 * Return: the value, "" if it has none, NULL if the option was not given.
 */
const char *command_option(const struct command *cmd, const char *name)
{
	int i;

	for (i = 0; i < cmd->nr_given; i++)
		if (!strcmp(cmd->given[i].def->name, name))
			return cmd->given[i].value;
	return NULL;
}

/**
 * command_has() - was an option given?
 * @cmd: parsed command line
 * @name: name of the option
 */
bool command_has(const struct command *cmd, const char *name)
{
	return command_option(cmd, name);
}

static void print_synopsis(const struct verb *verb)
{
	char *text = synopsis(verb, false, WRAP_GLUE);

	printf("Usage: ssdcachectl %s ", verb->name);
	wrap(text, strlen(verb->name) + 20);
	free(text);
}

/**
 * verb_help() - print the help of a verb
 * @verb: the verb
 */
void verb_help(const struct verb *verb)
{
	print_synopsis(verb);
	putchar('\n');
	wrap(verb->doc, 0);
	printf("\nOptions:\n");
	options_help(verb->options);
	if (verb->more) {
		putchar('\n');
		wrap(verb->more, 0);
	}
}

/**
 * verb_words() - print a verb's words for programs: completion, checks of the manual page
 * @verb: the verb
 */
void verb_words(const struct verb *verb)
{
	const struct option_def *def;
	char words[64];

	printf("%s %s\n", verb->name, verb->args);
	for (def = verb->options; def->name; def++) {
		option_words(def, ' ', words, sizeof(words));
		printf("%s %s\n", verb->name, words);
	}
}
