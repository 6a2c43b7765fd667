// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include <stdio.h>
#include <sys/stat.h>
#include "files.h"

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The folder that a name is in; @last: the rest. */
static bool find_folder(const char *name, struct stat *folder, const char **last)
{
	const char *slash = strrchr(name, '/');
	char path[4096] = ".";

	*last = slash ? slash + 1 : name;
	if (slash)
		snprintf(path, sizeof(path), "%.*s/", (int)(slash - name), name);
	return !stat(path, folder);
}

/* Will two files that are not there yet be the same? */
static bool is_same_place(const char *one, const char *other)
{
	const char *last, *other_last;
	struct stat folder, other_folder;

	return find_folder(one, &folder, &last) && find_folder(other, &other_folder, &other_last) &&
	       !strcmp(last, other_last) && is_same(&folder, &other_folder);
}

/**
 * overwrites() - is what a program writes the same file as another one, by whatever name?
 * @output: file to be written
 * @other: file to be read, or another one to be written
 *
 * Only what keeps data counts: two outputs may go to /dev/null.
 */
bool overwrites(const char *output, const char *other)
{
	struct stat a, b;
	bool is_there = !stat(output, &a), other_is_there = !stat(other, &b);

	if (is_there && other_is_there)
		return is_same(&a, &b) && (S_ISREG(a.st_mode) || S_ISBLK(a.st_mode));
	return !is_there && !other_is_there && is_same_place(output, other);
}
