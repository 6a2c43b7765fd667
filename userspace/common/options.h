/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options: one table serves the parser (getopt_long), --help, completion and the tests of the
 * manual pages.
 */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct option;

/**
 * struct option_def - an option
 * @name: without the dashes; NULL ends a table
 * @letter: short form, 0 for none
 * @id: for the tool's own use
 * @arg: what its value is called in help; NULL: it takes none
 * @doc: what it does, one sentence
 * @heading: printed above this option in the help; NULL: none
 * @arg_attached: the value may be left out, and can only follow as "--name=value"
 * @arg_optional: the value may be left out; the next word is the value if it is a number
 * @many: may be given more than once
 * @required: the command does not work without
 * @hidden: left out of the help, of completion and of guesses at what was meant
 */
struct option_def {
	const char *name;
	char letter;
	int id;
	const char *arg;
	const char *doc;
	const char *heading;
	bool arg_attached;
	bool arg_optional;
	bool many;
	bool required;
	bool hidden;
};

#define OPTION_END	{ .name = NULL }

/* What options_next() found. OPTION_BAD: an error, already reported. */
enum option_found { OPTION_GIVEN, OPTION_WORD, OPTION_HELP, OPTION_LAST, OPTION_BAD };

/**
 * struct option_reader - a command line being read
 * @verb: for messages; NULL: the tool has no verbs
 * @defs: the options, ended by OPTION_END; --help and -h come on their own
 * @argc: as of main(); with verbs, from the verb on
 * @argv: likewise
 * @longs: @defs as getopt_long() wants them
 * @letters: likewise the short forms
 * @ended: "--" or the end was met
 * @def: the option found
 * @value: its value, or the word found; NULL: no value
 */
struct option_reader {
	const char *verb;
	const struct option_def *defs;
	int argc;
	char **argv;
	struct option *longs;
	char *letters;
	bool ended;
	const struct option_def *def;
	const char *value;
};

void options_begin(struct option_reader *reader, const char *verb, const struct option_def *defs,
		   int argc, char **argv);
enum option_found options_next(struct option_reader *reader);
void options_end(struct option_reader *reader);

void option_words(const struct option_def *def, char glue, char *buf, size_t size);
void options_help(const struct option_def *defs);

#endif /* COMMON_OPTIONS_H */
