// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
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

/* Cut the last part of a path, down to "." or "/". Returns false if there is nothing to cut. */
static bool cut_last(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash && slash != path) {
		*slash = '\0';
		return true;
	}
	if (!strcmp(path, slash ? "/" : "."))
		return false;
	strcpy(path, slash ? "/" : ".");
	return true;
}

/* The folder that is there already has to be one that can be written to. */
static int check_folder(const char *path)
{
	struct stat of;

	if (stat(path, &of) || !S_ISDIR(of.st_mode))
		return ENOTDIR;
	return access(path, W_OK | X_OK) ? errno : 0;
}

/**
 * check_directory() - can files be written in a directory, which is made if it is not there?
 * @name: of the directory; nothing is made yet
 *
 * Return: 0, or errno.
 */
int check_directory(const char *name)
{
	char *path = malloc(strlen(name) + sizeof("."));
	struct stat of;
	int error;

	if (!path)
		die(TOOL_FAILED, "no memory");
	strcpy(path, name);
	do
		error = lstat(path, &of) ? errno : 0;
	while (error == ENOENT && *name && cut_last(path));
	if (!error)
		error = check_folder(path);
	free(path);
	return error;
}

/**
 * make_directories() - make a directory, and those that it is in, if they are not there
 * @name: of the directory
 *
 * Return: 0, or errno.
 */
int make_directories(const char *name)
{
	char *path = strdup(name), *at;
	int error;

	if (!path)
		die(TOOL_FAILED, "no memory");
	for (at = path; *at; at++) {
		if (at == path || *at != '/')
			continue;
		*at = '\0';
		mkdir(path, 0777);
		*at = '/';
	}
	error = mkdir(path, 0777) && errno != EEXIST ? errno : 0;
	free(path);
	return error;
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
