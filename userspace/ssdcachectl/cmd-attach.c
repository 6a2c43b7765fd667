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
#include <unistd.h>
#include "devmap.h"
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
 */
struct tab {
	const struct command *cmd;
	const char *file;
};

/**
 * struct entry - a line of the table that is not empty
 * @line: its number
 * @text: without a comment, allocated
 */
struct entry {
	unsigned int line;
	char *text;
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

/* Two calls may come at once: at boot, and by hand. The second one finds the cache attached. */
static int create_once(const struct tab *tab, const struct command *create)
{
	int code = TOOL_OK, lock = devmap_lock_name(create->args[0]);

	if (is_there(tab, create->args[0]))
		printf("%s is attached already\n", create->args[0]);
	else
		code = verb_create.run(create);
	if (lock >= 0)
		close(lock);
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
	return command_has(tab->cmd, "dry-run") ? verb_create.run(&create) : create_once(tab, &create);
}

static void free_words(struct line *line)
{
	int i;

	for (i = 0; i < line->argc; i++)
		free(line->argv[i]);
}

static int attach_line(const struct tab *tab, char *text)
{
	struct line line = {};
	char *rest, *name = strtok_r(text, BLANKS, &rest);
	int code = split(tab, name, rest, &line);

	if (!code && (tab->cmd->nr_args || !line.noauto))
		code = create(tab, &line);
	free_words(&line);
	return code;
}

static int attach_at(const struct tab *tab, const struct entry *entry)
{
	static char about[600];
	int code;

	snprintf(about, sizeof(about), "%.500s, line %u: ", tab->file, entry->line);
	say_about = make_printable(about);
	code = attach_line(tab, entry->text);
	say_about = "";
	return code;
}

static struct entry *read_entries(FILE *file, size_t *nr)
{
	struct entry *entries = NULL, *entry;
	char *text = NULL;
	size_t room = 0;
	unsigned int line;

	*nr = 0;
	for (line = 1; getline(&text, &room, file) >= 0; line++) {
		text[strcspn(text, "#")] = '\0';
		if (!text[strspn(text, BLANKS)])
			continue;
		entries = realloc(entries, (*nr + 1) * sizeof(*entries));
		if (!entries)
			die(TOOL_FAILED, "no memory");
		entry = &entries[(*nr)++];
		entry->line = line;
		entry->text = strdup(text);
		if (!entry->text)
			die(TOOL_FAILED, "no memory");
	}
	free(text);
	return entries;
}

static size_t name_of(const struct entry *entry, const char **name)
{
	*name = entry->text + strspn(entry->text, BLANKS);
	return strcspn(*name, BLANKS);
}

static bool is_about(const struct entry *entry, const char *name, size_t len)
{
	const char *own;

	return name_of(entry, &own) == len && !strncmp(own, name, len);
}

/*
 * Two lines about a cache may name two origins, and nothing says which one is meant. The first of them reports the others; no cache is
 * attached for any. Returns whether there are others.
 */
static bool is_repeated(const struct tab *tab, const struct entry *entries, size_t nr, size_t at, int *code)
{
	const char *name;
	size_t len = name_of(&entries[at], &name), i;
	bool repeated = false;
	char *shown;

	for (i = 0; i < nr; i++) {
		if (i == at || !is_about(&entries[i], name, len))
			continue;
		if (i < at)
			return true;
		repeated = true;
		if (asprintf(&shown, "%.*s", (int)len, name) < 0)
			die(TOOL_FAILED, "no memory");
		*code = usage("attach: %s, lines %u and %u: both are about %s", tab->file, entries[at].line, entries[i].line,
			      make_printable(shown));
		free(shown);
	}
	return repeated;
}

/* A line that fails keeps no other cache out. */
static int attach_wanted(const struct tab *tab, const struct entry *entries, size_t nr, bool *found)
{
	const char *wanted = tab->cmd->nr_args ? tab->cmd->args[0] : NULL;
	int code = TOOL_OK;
	size_t i;

	*found = false;
	for (i = 0; i < nr; i++) {
		int one = TOOL_OK;

		if (wanted && !is_about(&entries[i], wanted, strlen(wanted)))
			continue;
		*found = true;
		if (!is_repeated(tab, entries, nr, i, &one))
			one = attach_at(tab, &entries[i]);
		if (one && !code)
			code = one;
	}
	return code;
}

static int run(const struct command *cmd)
{
	struct tab tab = { .cmd = cmd, .file = command_option(cmd, "tab") };
	struct entry *entries;
	int code, error;
	bool found;
	size_t nr, i;
	FILE *file;

	if (!tab.file)
		tab.file = TAB;
	file = fopen(tab.file, "re");
	if (!file)
		return fail("attach: cannot read %s: %s", tab.file, strerror(errno));
	errno = 0;
	entries = read_entries(file, &nr);
	error = ferror(file) ? errno : 0;
	fclose(file);
	if (error)
		code = fail("attach: cannot read %s: %s", tab.file, strerror(error));
	else
		code = attach_wanted(&tab, entries, nr, &found);
	if (!error && cmd->nr_args && !found)
		code = fail("attach: %s has no line about %s", tab.file, cmd->args[0]);
	for (i = 0; i < nr; i++)
		free(entries[i].text);
	free(entries);
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
