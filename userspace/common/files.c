// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "files.h"
#include "say.h"

/* As many as the kernel follows. */
#define MOST_LINKS 40

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* What a link at @path leads to, or NULL if there is none. */
static char *followed(const char *path)
{
	char target[PATH_MAX], *next;
	ssize_t len = readlink(path, target, sizeof(target) - 1);
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path) + 1 : 0;

	if (len < 0)
		return NULL;
	target[len] = '\0';
	if (asprintf(&next, "%.*s%s", target[0] == '/' ? 0 : folder, path, target) < 0)
		die(TOOL_FAILED, "no memory");
	return next;
}

/**
 * behind_links() - what a name stands for if it is a link
 * @name: of a file that need not be there
 *
 * Return: a path that is no link, unless links lead in a circle; to be freed.
 */
char *behind_links(const char *name)
{
	char *path = strdup(name), *next;
	int hops;

	if (!path)
		die(TOOL_FAILED, "no memory");
	for (hops = 0; hops < MOST_LINKS && (next = followed(path)); hops++) {
		free(path);
		path = next;
	}
	return path;
}

/* Where a file will be that is not there yet, behind links that lead nowhere, in folders that may not be there either. */
static char *place_of(const char *name)
{
	char *path = behind_links(name), *rest = strdup(""), *real = NULL, *slash, *next;

	do {
		slash = strrchr(path, '/');
		if (!rest || asprintf(&next, "/%s%s", slash ? slash + 1 : path, rest) < 0)
			die(TOOL_FAILED, "no memory");
		free(rest);
		rest = next;
		if (slash)
			*slash = '\0';
		real = realpath(!slash ? "." : *path ? path : "/", NULL);
	} while (!real && slash);
	if (asprintf(&next, "%s%s", real ?: "", rest) < 0)
		die(TOOL_FAILED, "no memory");
	free(path);
	free(rest);
	free(real);
	return next;
}

/* Will two files that are not there yet be the same? */
static bool is_same_place(const char *one, const char *other)
{
	char *place = place_of(one), *other_place = place_of(other);
	bool same = !strcmp(place, other_place);

	free(place);
	free(other_place);
	return same;
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

/**
 * hold_standard_files() - have no other file opened as standard input, output or error, if one is closed
 *
 * A message would be written into that file. What is closed cannot be read or written afterwards, either.
 */
void hold_standard_files(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}
