// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcachectl: the control tool of the device-mapper target "ssdcache".
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "../common/files.h"
#include "complete.h"
#include "ctl.h"
#include "sysfs.h"

static int run_help(const struct command *cmd);

static const struct option_def help_options[] = {
	{ .name = "words", .doc = "print the verbs and their options, one a line, for programs" },
	OPTION_END
};

static const struct verb verb_help_verb = {
	.name = "help",
	.args = "[VERB]",
	.max_args = 1,
	.doc = "Show what there is to do, or the help of one verb.",
	.options = help_options,
	.run = run_help,
};

static const struct verb *const verbs[] = {
	&verb_create, &verb_attach, &verb_remove, &verb_resize, &verb_list, &verb_policies,
	&verb_get, &verb_set, &verb_flush, &verb_reset, &verb_drop_clean,
	&verb_stats, &verb_serve, &verb_advise, &verb_report, &verb_help_verb,
};

#define NR_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static const struct verb *find_verb(const char *word)
{
	const char *names[NR_VERBS], *guess;
	size_t i;

	for (i = 0; i < NR_VERBS; i++) {
		if (!strcmp(verbs[i]->name, word))
			return verbs[i];
		names[i] = verbs[i]->name;
	}
	guess = nearest(word, names, NR_VERBS);
	if (guess)
		usage("unknown verb '%s': did you mean '%s'?", word, guess);
	else
		usage("unknown verb '%s': 'ssdcachectl help' lists the verbs", word);
	return NULL;
}

static void print_overview(void)
{
	char words[64];
	size_t i;

	printf("Usage: ssdcachectl VERB [ARGUMENTS] [OPTIONS]\n\n"
	       "Controls DRAM caches with published SSD buffer policies (device-mapper target\n"
	       "\"ssdcache\"); list, get, stats and reset also work on flash devices (\"ssdflash\").\n"
	       "\nVerbs:\n");
	for (i = 0; i < NR_VERBS; i++) {
		snprintf(words, sizeof(words), "%s %s", verbs[i]->name, verbs[i]->args);
		printf("  %-22s ", words);
		wrap(verbs[i]->doc, 25);
	}
	printf("\n'ssdcachectl VERB --help' shows the options of a verb; 'ssdcachectl --version'\n"
	       "shows the version. Exit codes: 0 done, 1 failed, 2 wrong command line.\n");
}

static int run_help(const struct command *cmd)
{
	const struct verb *verb;
	size_t i;

	if (command_has(cmd, "words")) {
		for (i = 0; i < NR_VERBS; i++)
			verb_words(verbs[i]);
		return TOOL_OK;
	}
	if (!cmd->nr_args) {
		print_overview();
		return TOOL_OK;
	}
	verb = find_verb(cmd->args[0]);
	if (!verb)
		return TOOL_BAD_USAGE;
	verb_help(verb);
	return TOOL_OK;
}

static bool asks_version(const char *word)
{
	return !strcmp(word, "--version") || !strcmp(word, "-V");
}

static int show_version(void)
{
	print_version();
	printf("interface schema %d\n", CTL_SCHEMA);
	return TOOL_OK;
}

static int dispatch(int argc, char **argv)
{
	const struct verb *verb;
	struct command cmd;

	complete_begin(&argc, &argv);
	if (ctl_complete(argc, argv, verbs, NR_VERBS) || (completing && argv[1][0] == '-'))
		return TOOL_OK;
	if (argc < 2)
		return usage("nothing to do: 'ssdcachectl help' lists the verbs");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_overview();
		return TOOL_OK;
	}
	if (asks_version(argv[1]))
		return show_version();
	if (argv[1][0] == '-')
		return usage("unknown option '%s': a verb comes first, 'ssdcachectl help' lists them",
			     argv[1]);
	verb = find_verb(argv[1]);
	if (!verb)
		return TOOL_BAD_USAGE;
	if (verb->run_words && !(argc == 3 && (!strcmp(argv[2], "--help") || !strcmp(argv[2], "-h"))))
		return verb->run_words(argc - 1, argv + 1);
	if (argc == 3 && !completing && asks_version(argv[2]))
		return show_version();
	switch (command_parse(verb, argc - 1, argv + 1, &cmd)) {
	case PARSE_RUN:
		return sysfs_root_check(&cmd) ? TOOL_FAILED : verb->run(&cmd);
	case PARSE_HELP:
		verb_help(verb);
		return TOOL_OK;
	case PARSE_ERROR:
		break;
	}
	return TOOL_BAD_USAGE;
}

int main(int argc, char **argv)
{
	int code;

	hold_standard_files();
	/* Whoever ignores it hands that on, and children would end unseen. */
	signal(SIGCHLD, SIG_DFL);
	code = dispatch(argc, argv);
	if (!end_of_output() && !code)
		code = TOOL_FAILED;
	return code;
}
