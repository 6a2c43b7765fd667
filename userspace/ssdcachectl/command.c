// SPDX-License-Identifier: GPL-2.0
/*
 * Command lines against the record of a verb, and help made from that record.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ctl.h"

#define MAX_OPTIONS 24

static const struct option_def help_option = {
	.name = "help", .doc = "show this help",
};

static bool is_number(const char *word)
{
	char *end;

	if (!word || (*word != '.' && (*word < '0' || *word > '9')))
		return false;
	strtod(word, &end);
	return !*end;
}

/* The option that "name" or "name=value" means. */
static const struct option_def *find_option(const struct verb *verb, const char *word, size_t len)
{
	const struct option_def *def;

	for (def = verb->options; def->name; def++)
		if (strlen(def->name) == len && !strncmp(def->name, word, len))
			return def;
	return NULL;
}

static int unknown_option(const struct verb *verb, const char *word, size_t len)
{
	const char *names[MAX_OPTIONS], *guess;
	const struct option_def *def;
	char typed[32];
	size_t nr = 0;

	for (def = verb->options; def->name; def++)
		names[nr++] = def->name;
	snprintf(typed, sizeof(typed), "%.*s", (int)len, word);
	guess = nearest(typed, names, nr);
	if (guess)
		return usage("%s: unknown option '--%s': did you mean '--%s'?", verb->name, typed,
			     guess);
	return usage("%s: unknown option '--%s': 'ssdcachectl %s --help' lists the options",
		     verb->name, typed, verb->name);
}

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

/* One option at argv[*at], and its value, which may be the next word. */
static int parse_option(struct command *cmd, char **argv, int argc, int *at)
{
	const char *word = argv[*at] + 2;
	size_t len = strcspn(word, "=");
	const struct option_def *def = find_option(cmd->verb, word, len);
	const char *value = word[len] ? word + len + 1 : NULL;
	const char *next = *at + 1 < argc ? argv[*at + 1] : NULL;

	if (!def)
		return unknown_option(cmd->verb, word, len);
	if (!def->arg) {
		if (value)
			return usage("%s: --%s takes no value", cmd->verb->name, def->name);
	} else if (!value) {
		bool take = next && (def->arg_optional ? is_number(next) : strncmp(next, "--", 2));

		if (take) {
			value = next;
			++*at;
		} else if (!def->arg_optional) {
			return usage("%s: --%s needs a value: --%s %s", cmd->verb->name, def->name,
				     def->name, def->arg);
		}
	}
	return add_option(cmd, def, value ? value : "");
}

static int check_complete(const struct command *cmd)
{
	const struct verb *verb = cmd->verb;
	const struct option_def *def;

	if (cmd->nr_args < verb->min_args) {
		const char *missing = verb->args;
		int i;

		for (i = 0; i < cmd->nr_args; i++)
			missing += strcspn(missing, " ") + 1;
		return usage("%s: %.*s is missing: ssdcachectl %s %s", verb->name,
			     (int)strcspn(missing, " "), missing, verb->name, verb->args);
	}
	for (def = verb->options; def->name; def++)
		if (def->required && !command_has(cmd, def->name))
			return usage("%s: --%s %s is missing", verb->name, def->name, def->arg);
	return 0;
}

/**
 * command_parse() - read the words after the verb
 * @verb: the verb
 * @argc: words after it
 * @argv: those words
 * @cmd: result; points into @argv
 *
 * Return: what to do; errors have been told.
 */
enum parse_result command_parse(const struct verb *verb, int argc, char **argv,
				struct command *cmd)
{
	bool options = true;
	int i;

	memset(cmd, 0, sizeof(*cmd));
	cmd->verb = verb;
	for (i = 0; i < argc; i++) {
		const char *word = argv[i];

		if (options && (!strcmp(word, "--help") || !strcmp(word, "-h")))
			return PARSE_HELP;
		if (options && !strcmp(word, "--")) {
			options = false;
		} else if (options && !strncmp(word, "--", 2)) {
			if (parse_option(cmd, argv, argc, &i))
				return PARSE_ERROR;
		} else if (options && word[0] == '-' && word[1]) {
			usage("%s: unknown option '%s': options have two dashes", verb->name, word);
			return PARSE_ERROR;
		} else if (cmd->nr_args == verb->max_args) {
			usage("%s: unexpected word '%s': ssdcachectl %s %s", verb->name, word,
			      verb->name, verb->args);
			return PARSE_ERROR;
		} else {
			cmd->args[cmd->nr_args++] = word;
		}
	}
	return check_complete(cmd) ? PARSE_ERROR : PARSE_RUN;
}

/**
 * command_option() - the value of an option that is given at most once
 * @cmd: parsed command line
 * @name: of the option
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
 * @name: of the option
 */
bool command_has(const struct command *cmd, const char *name)
{
	return command_option(cmd, name);
}

/* "--dram SIZE", "--watch [SECONDS]" */
static void option_words(const struct option_def *def, char glue, char *buf, size_t size)
{
	if (!def->arg)
		snprintf(buf, size, "--%s", def->name);
	else
		snprintf(buf, size, def->arg_optional ? "--%s%c[%s]" : "--%s%c%s", def->name, glue,
			 def->arg);
}

static void print_option(const struct option_def *def)
{
	char words[64];

	option_words(def, ' ', words, sizeof(words));
	printf("  %-22s ", words);
	wrap(def->doc, 25);
}

static void print_synopsis(const struct verb *verb)
{
	char text[512], words[64];
	const struct option_def *def;
	int at = snprintf(text, sizeof(text), "%s", verb->args);

	for (def = verb->options; def->name; def++) {
		if (def->hidden)
			continue;
		option_words(def, CTL_GLUE, words, sizeof(words));
		at += snprintf(text + at, sizeof(text) - at,
			       def->required ? "%s%s" : "%s[%s]", at ? " " : "", words);
		at += snprintf(text + at, sizeof(text) - at, "%s", def->many ? "..." : "");
	}
	printf("Usage: ssdcachectl %s ", verb->name);
	wrap(text, strlen(verb->name) + 20);
}

/**
 * verb_help() - print the help of a verb
 * @verb: the verb
 */
void verb_help(const struct verb *verb)
{
	const struct option_def *def;

	print_synopsis(verb);
	putchar('\n');
	wrap(verb->doc, 0);
	printf("\nOptions:\n");
	for (def = verb->options; def->name; def++)
		if (!def->hidden)
			print_option(def);
	print_option(&help_option);
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
