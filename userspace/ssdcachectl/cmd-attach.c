// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcachectl attach: create the caches of a table, at boot or later.
 *
 * A line is NAME ORIGIN OPTION... with the options of "create" without their dashes. "create" parses and runs it, so that the
 * two cannot differ.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernel.h"
#include "sysfs.h"

#define TAB "/etc/ssdcachetab"
#define BLANKS " \t\r\n"

/* "create", the origin, options, "--dry-run", "--", the name, and the NULL at the end */
#define MAX_WORDS (CTL_MAX_GIVEN + 6)

static const struct option_def options[] = {
	{ .name = "tab", .arg = "FILE", .doc = "the table (" TAB ")" },
	{ .name = "dry-run", .doc = "print the kernel's table lines and do nothing" },
	OPTION_END
};

/**
 * struct tab - a table being read
 * @cmd: the command line of "attach"
 * @file: its name
 * @line: number of the line about the cache that was named; 0: none found yet
 */
struct tab {
	const struct command *cmd;
	const char *file;
	unsigned int line;
};

/**
 * struct line - a line as a command line of "create"
 * @argc: number of words
 * @argv: the words, allocated
 * @noauto: leave the cache out unless it is named
 */
struct line {
	int argc;
	char *argv[MAX_WORDS];
	bool noauto;
};

static bool is_there(const struct tab *tab, const char *name)
{
	struct device *list;
	size_t nr = device_list(tab->cmd, &list), i;
	bool there = false;

	for (i = 0; i < nr; i++)
		there |= list[i].target == DEVICE_CACHE && !strcmp(list[i].name, name);
	free(list);
	return there;
}

static void add_word(struct line *line, const char *prefix, const char *word)
{
	char *text;

	if (asprintf(&text, "%s%s", prefix, word) < 0)
		die(TOOL_FAILED, "no memory");
	line->argv[line->argc++] = text;
}

/* The cache shows the same file system and label as its origin, so these name both. */
static int add_origin(struct line *line, const char *word)
{
	static const char *const tags[][2] = {
		{ "PARTUUID=", "--origin=/dev/disk/by-partuuid/" },
		{ "PARTLABEL=", "--origin=/dev/disk/by-partlabel/" },
		{ "ID=", "--origin=/dev/disk/by-id/" },
	};
	size_t i;

	if (!strcmp(word, "-"))
		return TOOL_OK;
	if (!strncmp(word, "UUID=", 5) || !strncmp(word, "LABEL=", 6))
		return usage("'%s' is the file system's, which the cache has, too: name the origin by its path, PARTUUID= or ID=",
			     word);
	for (i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		size_t len = strlen(tags[i][0]);

		if (strncmp(word, tags[i][0], len))
			continue;
		add_word(line, tags[i][1], word + len);
		return TOOL_OK;
	}
	if (word[0] != '/')
		return usage("'%s' is not an origin: a path, PARTUUID=, PARTLABEL= or ID=, or - with profile=", word);
	add_word(line, "--origin=", word);
	return TOOL_OK;
}

static int add_option(struct line *line, const char *word)
{
	size_t len = strcspn(word, "=");

	if (!strcmp(word, "noauto")) {
		line->noauto = true;
		return TOOL_OK;
	}
	if (word[0] == '-' || !len || !strcmp(word, "dry-run"))
		return usage("'%s' is not an option: those of 'ssdcachectl create', without dashes", word);
	if (len == 6 && !strncmp(word, "origin", len))
		return usage("'%s': the origin is the second word", word);
	if (line->argc >= MAX_WORDS - 4)
		return usage("more than %d options", CTL_MAX_GIVEN);
	add_word(line, "--", word);
	return TOOL_OK;
}

static int split(const struct tab *tab, char *name, char *rest, struct line *line)
{
	char *word = strtok_r(NULL, BLANKS, &rest);
	int code;

	add_word(line, "", "create");
	if (!word)
		return usage("the origin is missing: NAME ORIGIN [OPTION]...");
	code = add_origin(line, word);
	while (!code && (word = strtok_r(NULL, BLANKS, &rest)))
		code = add_option(line, word);
	if (command_has(tab->cmd, "dry-run"))
		add_word(line, "", "--dry-run");
	add_word(line, "", "--");
	add_word(line, "", name);
	return code;
}

static int create(const struct tab *tab, struct line *line)
{
	struct command create;

	switch (command_parse(&verb_create, line->argc, line->argv, &create)) {
	case PARSE_RUN:
		break;
	case PARSE_HELP:
		return usage("'help' is not an option: those of 'ssdcachectl create', without dashes");
	case PARSE_ERROR:
		return TOOL_BAD_USAGE;
	}
	if (!command_has(tab->cmd, "dry-run") && is_there(tab, create.args[0])) {
		printf("%s is attached already\n", create.args[0]);
		return TOOL_OK;
	}
	return verb_create.run(&create);
}

static void free_words(struct line *line)
{
	int i;

	for (i = 0; i < line->argc; i++)
		free(line->argv[i]);
}

static int attach_line(struct tab *tab, char *text)
{
	struct line line = {};
	char *rest, *name = strtok_r(text, BLANKS, &rest);
	int code = split(tab, name, rest, &line);

	if (!code && (tab->cmd->nr_args || !line.noauto))
		code = create(tab, &line);
	free_words(&line);
	return code;
}

static int attach_at(struct tab *tab, unsigned int nr, char *text)
{
	static char about[600];
	int code;

	snprintf(about, sizeof(about), "%.500s, line %u: ", tab->file, nr);
	say_about = make_printable(about);
	code = attach_line(tab, text);
	say_about = "";
	return code;
}

/* Is the line about a cache that is wanted? */
static bool is_wanted(const struct tab *tab, const char *text)
{
	const char *wanted = tab->cmd->nr_args ? tab->cmd->args[0] : NULL;
	size_t len;

	text += strspn(text, BLANKS);
	len = strcspn(text, BLANKS);
	return len && (!wanted || (strlen(wanted) == len && !strncmp(text, wanted, len)));
}

/* One cache that is named is created at the end: a second line about it is an error. */
static int attach_wanted(struct tab *tab, FILE *file)
{
	char *text = NULL, *named = NULL;
	int code = TOOL_OK;
	size_t room = 0;
	unsigned int nr;

	for (nr = 1; getline(&text, &room, file) >= 0; nr++) {
		int one = TOOL_OK;

		text[strcspn(text, "#")] = '\0';
		if (!is_wanted(tab, text))
			continue;
		if (!tab->cmd->nr_args) {
			one = attach_at(tab, nr, text);
		} else if (tab->line) {
			one = usage("attach: %s, lines %u and %u: both are about %s", tab->file, tab->line, nr, tab->cmd->args[0]);
		} else {
			tab->line = nr;
			named = strdup(text);
			if (!named)
				die(TOOL_FAILED, "no memory");
		}
		if (one && !code)
			code = one;
	}
	if (ferror(file))
		code = fail("attach: cannot read %s: %s", tab->file, strerror(errno));
	if (!code && named)
		code = attach_at(tab, tab->line, named);
	free(named);
	free(text);
	return code;
}

static int run(const struct command *cmd)
{
	struct tab tab = { .cmd = cmd, .file = command_option(cmd, "tab") };
	FILE *file;
	int code;

	if (!tab.file)
		tab.file = TAB;
	file = fopen(tab.file, "re");
	if (!file)
		return fail("attach: cannot read %s: %s", tab.file, strerror(errno));
	code = attach_wanted(&tab, file);
	fclose(file);
	if (!code && cmd->nr_args && !tab.line)
		code = fail("attach: %s has no line about %s", tab.file, cmd->args[0]);
	return code;
}

const struct verb verb_attach = {
	.name = "attach",
	.args = "[NAME]",
	.max_args = 1,
	.doc = "Create the caches of " TAB ", or one of them, as at boot.",
	.more =
	"A line of the table is NAME ORIGIN OPTION..., with the options of 'ssdcachectl create' without dashes:\n"
	"\n"
	"fast PARTUUID=5c5ba1fd-02 dram=1g replacement=cflru-ef-sc admission=read-write\n"
	"\n"
	"ssdcachetab(5) has the details. Caches that exist are left as they are. A line that fails does not keep the others from "
	"being attached. 'ssdcachectl remove NAME' is the opposite.",
	.options = options,
	.run = run,
};
