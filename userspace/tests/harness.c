// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../common/memory.h"
#include "../common/number.h"
#include "../common/options.h"
#include "../common/say.h"
#include "harness.h"

struct ssdc_random harness_random;

static unsigned int tests, failures;

static const struct option_def option_table[] = {
	{ "seed", .letter = 's', .arg = "N", .doc = "first seed" },
	{ "rounds", .letter = 'r', .arg = "N", .doc = "number of rounds, each with its own seed" },
	{ "steps", .letter = 'n', .arg = "N", .doc = "length of a round" },
	{ "limit", .letter = 'l', .arg = "N", .doc = "requests to take from each trace" },
	{ "plugin", .letter = 'p', .arg = "NAME", .doc = "test this plug-in only" },
	{ "verbose", .letter = 'v', .doc = "print what is done" },
	{ "rules", .letter = 'R', .arg = "NAME,...", .doc = "check these rules, too; or all" },
	{ "self-test", .letter = 't', .doc = "break each rule on purpose: that must be found" },
	{ "break", .letter = 'b', .arg = "NAME", .doc = "break a rule on purpose", .hidden = true },
	OPTION_END
};

static void take(struct harness *options, const struct option_def *def, const char *value)
{
	switch (def->letter) {
	case 's':
		options->seed = take_number(def->name, value, 0, U64_MAX);
		break;
	case 'r':
		options->rounds = take_number(def->name, value, 0, U64_MAX);
		break;
	case 'n':
		options->steps = take_number(def->name, value, 1, U64_MAX);
		break;
	case 'l':
		options->limit = take_number(def->name, value, 1, U64_MAX);
		break;
	case 'p':
		options->only = value;
		break;
	case 'v':
		options->verbose = true;
		break;
	case 'R':
		options->rules = value;
		break;
	case 't':
		options->self_test = true;
		break;
	case 'b':
		options->sabotage = value;
		break;
	}
}

static void __attribute__((__noreturn__)) help(const struct option_def *defs)
{
	printf("Usage: %s [OPTION]... [TRACE]...\n\n", program_invocation_short_name);
	options_help(defs);
	exit(TOOL_OK);
}

/**
 * harness_options() - read the command line; ends the program if it is wrong
 * @options: defaults; result
 * @letters: the options the program has, such as "sr"
 * @argc: as of main()
 * @argv: as of main()
 */
void harness_options(struct harness *options, const char *letters, int argc, char **argv)
{
	struct option_def defs[ARRAY_SIZE(option_table)];
	const struct option_def *from;
	struct option_reader reader;
	enum option_found found;
	unsigned int nr = 0;

	for (from = option_table; from->name; from++)
		if (strchr(letters, from->letter))
			defs[nr++] = *from;
	defs[nr] = (struct option_def)OPTION_END;
	options->files = argv;
	options_begin(&reader, NULL, defs, argc, argv);
	while ((found = options_next(&reader)) != OPTION_LAST) {
		if (found == OPTION_HELP)
			help(defs);
		if (found == OPTION_BAD)
			exit(TOOL_BAD_USAGE);
		if (found == OPTION_GIVEN)
			take(options, reader.def, reader.value);
		else
			options->files[options->nr_files++] = (char *)reader.value;
	}
	options_end(&reader);
}

/* One line of TAP; everything before it reaches the reader first. */
static void line(const char *start, const char *format, va_list args)
{
	fputs(start, stdout);
	vprintf(format, args);
	putchar('\n');
	fflush(stdout);
}

/**
 * result() - report a test
 * @good: has it passed?
 * @format: its name, as for printf
 */
void result(bool good, const char *format, ...)
{
	char start[32];
	va_list args;

	snprintf(start, sizeof(start), "%sok %u - ", good ? "" : "not ", ++tests);
	va_start(args, format);
	line(start, format, args);
	va_end(args);
	failures += !good;
}

/**
 * skip() - report a test that cannot be run here
 * @reason: why
 * @format: its name, as for printf
 */
void skip(const char *reason, const char *format, ...)
{
	va_list args;

	printf("ok %u - ", ++tests);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf(" # SKIP %s\n", reason);
	fflush(stdout);
}

/**
 * diag() - print a diagnostic line
 * @format: as for printf
 */
void diag(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	line("# ", format, args);
	va_end(args);
}

/**
 * repeat_with() - say how to repeat a failure
 * @format: the options of this program that do, as for printf
 */
void repeat_with(const char *format, ...)
{
	va_list args;

	printf("# repeat with: %s ", program_invocation_short_name);
	va_start(args, format);
	line("", format, args);
	va_end(args);
}

/**
 * finish() - print the plan
 *
 * Return: the exit code: 0 if there were tests and all passed.
 */
int finish(void)
{
	printf("1..%u\n", tests);
	return failures || !tests ? TOOL_FAILED : TOOL_OK;
}

/**
 * give_up() - end the program at once with a failed test
 * @name: of the test
 */
void give_up(const char *name)
{
	result(false, "%s", name);
	finish();
	fflush(stdout);
	/* Without exit handlers: what is still allocated is no leak. */
	_exit(TOOL_FAILED);
}
