/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of ssdcachectl share: verbs, options, error messages.
 *
 * A verb is one record: its words, its options and its help text. --help, the
 * completion, the check of the manual page and the parser all use that record.
 */
#ifndef SSDCACHECTL_CTL_H
#define SSDCACHECTL_CTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "../common/options.h"
#include "../common/say.h"

#define CTL_SCHEMA	1	/* of the sysfs interface and of the JSON printed */
#define CTL_TARGET	"ssdcache"
#define CTL_MODULE	"dm-ssdcache"

#define CTL_MAX_ARGS	3
#define CTL_MAX_GIVEN	64

#define OPTION_JSON	{ .name = "json", .doc = "print JSON" }
#define OPTION_SYSFS	{ .name = "sysfs", .arg = "ROOT", \
			  .doc = "read ROOT, a saved copy of /sys" }

struct command;

/**
 * struct verb - something ssdcachectl can do
 * @name: the word
 * @args: positional words as in help, "" for none
 * @min_args: how many of them are required
 * @max_args: how many are accepted
 * @needs: further words that messages name as needed, NULL if none: one of several options that the verb can do with
 * @flash: NAME may also be an ssdflash device
 * @doc: one line
 * @more: further help, NULL if the line says it all
 * @options: ended by OPTION_END
 * @run: does it; returns an exit code
 * @run_words: instead of @run: another program takes the words, from the verb on; only --help alone is ours
 */
struct verb {
	const char *name;
	const char *args;
	int min_args;
	int max_args;
	const char *needs;
	bool flash;
	const char *doc;
	const char *more;
	const struct option_def *options;
	int (*run)(const struct command *cmd);
	int (*run_words)(int argc, char **argv);
};

/**
 * struct command - a parsed command line
 * @verb: what to do
 * @nr_args: positional words
 * @args: the words
 * @nr_given: options
 * @given: the options with their values ("" without one), in order
 */
struct command {
	const struct verb *verb;
	int nr_args;
	const char *args[CTL_MAX_ARGS];
	int nr_given;
	struct {
		const struct option_def *def;
		const char *value;
	} given[CTL_MAX_GIVEN];
};

/* command.c */
enum parse_result {
	PARSE_RUN,
	PARSE_HELP,
	PARSE_ERROR,
};

enum parse_result command_parse(const struct verb *verb, int argc, char **argv,
				struct command *cmd);
const char *command_option(const struct command *cmd, const char *name);
bool command_has(const struct command *cmd, const char *name);
void verb_help(const struct verb *verb);
void verb_words(const struct verb *verb);

/* say.c */
int fail(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));
int usage(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));

/* The verbs, in the order of the help. */
extern const struct verb verb_create, verb_attach, verb_remove, verb_resize, verb_list, verb_policies;
extern const struct verb verb_get, verb_set, verb_flush, verb_reset, verb_drop_clean;
extern const struct verb verb_stats, verb_advise, verb_report, verb_serve;

#endif /* SSDCACHECTL_CTL_H */
