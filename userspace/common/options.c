// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "complete.h"
#include "memory.h"
#include "options.h"
#include "say.h"

/* What getopt_long() returns for option number i of the table is FIRST_LONG + i; --help is -1. */
#define FIRST_LONG	256
#define HELP_LETTER	'h'
#define HELP_COLUMN	25

static const struct option_def help_option = { .name = "help", .doc = "show this help" };

static size_t count(const struct option_def *defs)
{
	size_t nr = 0;

	while (defs[nr].name)
		nr++;
	return nr;
}

/**
 * options_begin() - start to read a command line
 * @reader: the reader
 * @verb: for messages; NULL: the tool has no verbs
 * @defs: the options, ended by OPTION_END
 * @argc: as of main(); with verbs, from the verb on
 * @argv: likewise
 */
void options_begin(struct option_reader *reader, const char *verb, const struct option_def *defs,
		   int argc, char **argv)
{
	size_t nr = count(defs), i;
	char *letter;

	if (completing)
		complete_options(verb, defs, argc, argv);
	memset(reader, 0, sizeof(*reader));
	reader->verb = verb;
	reader->defs = defs;
	reader->argc = argc;
	reader->argv = argv;
	reader->longs = xcalloc(nr + 2, sizeof(*reader->longs));
	reader->letters = xcalloc(2 * nr + 4, 1);
	/* '-': words come in order, among the options; ':': tell a missing value from the rest. */
	letter = stpcpy(reader->letters, "-:h");
	for (i = 0; i < nr; i++) {
		struct option *option = &reader->longs[i];

		option->name = defs[i].name;
		option->val = FIRST_LONG + i;
		option->has_arg = !defs[i].arg ? no_argument :
				  defs[i].arg_optional || defs[i].arg_attached ?
				  optional_argument : required_argument;
		if (defs[i].letter)
			*letter++ = defs[i].letter;
		if (defs[i].letter && defs[i].arg)
			*letter++ = ':';
	}
	reader->longs[nr].name = help_option.name;
	reader->longs[nr].val = HELP_LETTER;
	/* 0: getopt_long() forgets the command line before. It only does when it is called; here, on one without words. */
	optind = 0;
	opterr = 0;
	getopt_long(1, argv, reader->letters, reader->longs, NULL);
}

void options_end(struct option_reader *reader)
{
	free(reader->longs);
	free(reader->letters);
}

static enum option_found __attribute__((__format__(__printf__, 2, 3)))
bad(const struct option_reader *reader, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	warn("%s%s%s", reader->verb ? reader->verb : "", reader->verb ? ": " : "", text);
	return OPTION_BAD;
}

/* @word is neither an option nor the unique start of one. */
static enum option_found unknown(const struct option_reader *reader, const char *word)
{
	const char **names, *guess, *starts[2] = { NULL };
	const char *verb = reader->verb;
	size_t nr_starts = 0;
	const struct option_def *def;
	int len = strcspn(word, "=");
	char typed[64];
	size_t nr = 0;

	if (strncmp(word, "--", 2))
		return bad(reader, "unknown option '%s': long options have two dashes", word);
	snprintf(typed, sizeof(typed), "%.*s", len - 2, word + 2);
	names = xcalloc(count(reader->defs), sizeof(*names));
	for (def = reader->defs; def->name; def++) {
		if (!def->hidden)
			names[nr++] = def->name;
		if (nr_starts < 2 && !strncmp(def->name, typed, strlen(typed)))
			starts[nr_starts++] = def->name;
	}
	guess = nearest(typed, names, nr);
	free(names);
	if (nr_starts == 2)
		return bad(reader, "option '--%s' is ambiguous: it could be '--%s' or '--%s'", typed,
			   starts[0], starts[1]);
	if (guess)
		return bad(reader, "unknown option '--%s': did you mean '--%s'?", typed, guess);
	return bad(reader, "unknown option '--%s': '%s%s%s --help' lists the options", typed,
		   program_invocation_short_name, verb ? " " : "", verb ? verb : "");
}

static const struct option_def *find(const struct option_reader *reader, int returned)
{
	const struct option_def *def;

	if (returned >= FIRST_LONG)
		return &reader->defs[returned - FIRST_LONG];
	for (def = reader->defs; def->name; def++)
		if (returned && def->letter == returned)
			return def;
	return NULL;
}

/* A value, also if it is out of its range: no letter of an option is a digit. */
static bool is_negative(const char *word)
{
	return word[0] == '-' && (isdigit((unsigned char)word[1]) || (word[1] == '.' && isdigit((unsigned char)word[2])));
}

/* A number, or one with a unit of time, which the tool refuses: taken for a word, "5s" would be refused as a name. */
static bool is_number(const char *word)
{
	static const char *const ends[] = { "", "s", "sec", "ms", "us", "m", "min", "h" };
	char *end;
	size_t i;

	if (!word || (*word != '.' && (*word < '0' || *word > '9')))
		return false;
	strtod(word, &end);
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!strcmp(end, ends[i]))
			return true;
	return false;
}

static enum option_found no_value(const struct option_reader *reader, const struct option_def *def)
{
	return bad(reader, "--%s needs a value: --%s %s", def->name, def->name, def->arg);
}

/* No file or device has an empty name: it comes from a variable that is not set, or from "--output=". */
static bool is_name(const struct option_def *def)
{
	static const char *const names[] = { "DEV", "DIRECTORY", "FILE", "OUT" };
	size_t i;

	for (i = 0; def->arg && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(def->arg, names[i]))
			return true;
	return false;
}

/* An option of the table, and optarg if it has a value. */
static enum option_found given(struct option_reader *reader, int returned)
{
	const struct option_def *def = find(reader, returned);

	/* "--origin --dram 1g": the value was forgotten. */
	if (optarg && optarg == reader->argv[optind - 1] && !strncmp(optarg, "--", 2))
		return no_value(reader, def);
	if (optarg && !*optarg && is_name(def))
		return bad(reader, "--%s: the name is empty: --%s %s", def->name, def->name, def->arg);
	if (!optarg && def->arg_optional && optind < reader->argc &&
	    (is_number(reader->argv[optind]) || is_negative(reader->argv[optind])))
		optarg = reader->argv[optind++];
	reader->def = def;
	reader->value = optarg;
	return OPTION_GIVEN;
}

static enum option_found next_word(struct option_reader *reader)
{
	if (optind >= reader->argc)
		return OPTION_LAST;
	reader->value = reader->argv[optind++];
	return OPTION_WORD;
}

static char joined(char c)
{
	return c == '_' ? '-' : c;
}

/* Does an option's name start with what was typed, '_' and '-' being the same? */
static bool starts_like(const char *name, const char *typed, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (joined(name[i]) != joined(typed[i]))
			return false;
	return true;
}

/*
 * Parameters of the kernel's table line have underscores in their names, other options hyphens. Spell the
 * word as the table does, unless it is a name of the table, or the start of one, already.
 */
static void respell(const struct option_reader *reader, char *word)
{
	const struct option_def *def, *like = NULL;
	size_t len;

	if (strncmp(word, "--", 2))
		return;
	word += 2;
	len = strcspn(word, "=");
	for (def = reader->defs; def->name; def++) {
		if (!strncmp(def->name, word, len))
			return;
		/* A whole name goes before a mere start of one. */
		if (starts_like(def->name, word, len) && (!like || !def->name[len]))
			like = def;
	}
	if (like)
		memcpy(word, like->name, len);
}

/**
 * options_next() - the next option or word of a command line
 * @reader: the reader
 *
 * Words of the command line that are options may change: '-' and '_' are the same in names.
 *
 * Return: OPTION_GIVEN: an option, in @reader->def and @reader->value; OPTION_WORD: a word, in
 * @reader->value; OPTION_HELP: --help or -h; OPTION_LAST: there is no more; OPTION_BAD: an error
 * was reported.
 */
enum option_found options_next(struct option_reader *reader)
{
	const struct option_def *def;
	char *word = NULL;
	int returned;

	if (reader->ended)
		return next_word(reader);
	if (optind < reader->argc) {
		word = reader->argv[optind];
		if (is_negative(word))
			return next_word(reader);
		respell(reader, word);
	}
	returned = getopt_long(reader->argc, reader->argv, reader->letters, reader->longs, NULL);
	switch (returned) {
	case -1:
		reader->ended = true;
		return next_word(reader);
	case 1:
		reader->value = optarg;
		return OPTION_WORD;
	case HELP_LETTER:
		return OPTION_HELP;
	case ':':
		return no_value(reader, find(reader, optopt));
	case '?':
		def = find(reader, optopt);
		if (def)
			return bad(reader, "--%s takes no value", def->name);
		return optopt == HELP_LETTER ? bad(reader, "--help takes no value") :
					       unknown(reader, word);
	}
	return given(reader, returned);
}

/**
 * option_words() - an option as help shows it: "--dram SIZE", "--watch [SECONDS]"
 * @def: the option
 * @glue: between the name and the value: ' ', or WRAP_GLUE for wrap()
 * @buf: result
 * @size: of @buf
 */
void option_words(const struct option_def *def, char glue, char *buf, size_t size)
{
	char letter[8] = "";

	if (def->letter)
		snprintf(letter, sizeof(letter), "-%c,%c", def->letter, glue);
	if (!def->arg)
		snprintf(buf, size, "%s--%s", letter, def->name);
	else if (def->arg_attached)
		snprintf(buf, size, "%s--%s[=%s]", letter, def->name, def->arg);
	else
		snprintf(buf, size, def->arg_optional ? "%s--%s%c[%s]" : "%s--%s%c%s", letter,
			 def->name, glue, def->arg);
}

static void print_option(const struct option_def *def)
{
	char words[64];

	if (def->heading)
		printf("\n%s\n", def->heading);
	option_words(def, ' ', words, sizeof(words));
	if (strlen(words) > HELP_COLUMN - 3)
		printf("  %s\n%*s", words, HELP_COLUMN, "");
	else
		printf("  %-*s", HELP_COLUMN - 2, words);
	wrap(def->doc, HELP_COLUMN);
}

/**
 * options_help() - print a table of options, and --help
 * @defs: the options
 */
void options_help(const struct option_def *defs)
{
	for (; defs->name; defs++)
		if (!defs->hidden)
			print_option(defs);
	print_option(&help_option);
}
