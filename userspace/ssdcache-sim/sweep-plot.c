// SPDX-License-Identifier: GPL-2.0
/*
 * --plot: the page is made by ssdcache-page of the Python package. It is looked for beside this program and
 * in PATH; the environment variable SSDCACHE_PAGE names another one.
 */
#include <errno.h>
#include <libgen.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../common/files.h"
#include "../common/python-package.h"
#include "sweep.h"

#define PAGE_TOOL	"ssdcache-page"
#define MAX_COMMAND	(64 << 10)

extern char **environ;

/* With the default signals: a sweep blocks those that end it. */
static int start(pid_t *pid, const char *tool, char **words)
{
	posix_spawnattr_t attr;
	sigset_t none;
	int error;

	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	error = posix_spawnp(pid, tool, NULL, &attr, words, environ);
	posix_spawnattr_destroy(&attr);
	return error;
}

/*
 * Returns the exit code, or -1 times the signal that ended the tool. *@error: errno if the tool could
 * not be started.
 */
static int run(const char *tool, char **words, int *error)
{
	int status;
	pid_t pid;

	*error = start(&pid, tool, words);
	if (*error)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			die(TOOL_FAILED, "cannot wait for %s: %s", tool, strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static char *find_tool(void)
{
	const char *named = getenv("SSDCACHE_PAGE");
	char self[PATH_MAX], *beside;
	ssize_t len;

	if (named && *named)
		return strdup(named);
	len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[max_t(ssize_t, len, 0)] = '\0';
	if (asprintf(&beside, "%s/%s", dirname(self), PAGE_TOOL) < 0)
		die(TOOL_FAILED, "no memory");
	if (!access(beside, X_OK))
		return beside;
	free(beside);
	return strdup(PAGE_TOOL);
}

static bool starts_in(const char *name, const char *directory)
{
	size_t len = strlen(directory);

	while (len && directory[len - 1] == '/')
		len--;
	return len && !strncmp(name, directory, len) && name[len] == '/';
}

/* The page may be for the directory of the results, which need not be there. */
static void check_place(const struct sweep *sweep)
{
	char *copy = strdup(sweep->plot);
	struct stat status;

	if (!copy)
		die(TOOL_FAILED, "no memory");
	if (!stat(sweep->plot, &status) && S_ISDIR(status.st_mode))
		die(TOOL_BAD_USAGE, "--plot: %s: %s", sweep->plot, strerror(EISDIR));
	/* An advice has no directory. */
	if (sweep->directory && starts_in(sweep->plot, sweep->directory))
		make_directories(sweep->directory);	/* or access() says why */
	if (access(dirname(copy), W_OK | X_OK))
		die(TOOL_BAD_USAGE, "--plot: %s: %s", sweep->plot, strerror(errno));
	free(copy);
}

/**
 * sweep_plot_check() - find out whether a page can be made, before hours of work; ends the program if not
 * @sweep: sweep; its page tool is filled in
 */
void sweep_plot_check(struct sweep *sweep)
{
	int error, code;

	check_place(sweep);
	sweep->page_tool = find_tool();
	if (!sweep->page_tool)
		die(TOOL_FAILED, "no memory");
	code = run(sweep->page_tool, (char *[]) { PAGE_TOOL, "--check", NULL }, &error);
	if (error)
		die(TOOL_BAD_USAGE, "--plot: %s: %s; " GET_PYTHON_PACKAGE, sweep->page_tool, strerror(error));
	if (code < 0)
		die(TOOL_FAILED, "--plot: %s --check: ended by signal %d (%s)", sweep->page_tool,
		    -code, strsignal(-code));
	/* The tool has said why. */
	if (code == 1)
		exit(TOOL_BAD_USAGE);
	if (code)
		die(TOOL_BAD_USAGE, "--plot: '%s --check' failed; " GET_PYTHON_PACKAGE, sweep->page_tool);
}

/* A word of a command line has at most 128 KiB, and a page needs no longer command. */
static void shorten(char *command)
{
	static const char dots[] = " ...";
	size_t at = MAX_COMMAND - sizeof(dots);

	if (strlen(command) < MAX_COMMAND)
		return;
	/* Not within a character of several bytes. */
	while (at && (command[at] & 0xc0) == 0x80)
		at--;
	strcpy(command + at, dots);
}

/**
 * sweep_page() - make the page of --plot
 * @sweep: sweep that has ended, or that of an advice; its command may be shortened
 * @file: what the page shows
 *
 * Return: whether the page was made.
 */
bool sweep_page(const struct sweep *sweep, const char *file)
{
	char *words[] = { PAGE_TOOL, "-o", (char *)sweep->plot, "--command", sweep->command, "--", (char *)file,
			  NULL };
	int error, code;

	shorten(sweep->command);
	code = run(sweep->page_tool, words, &error);
	if (error)
		warn("--plot: no page was made of %s: %s: %s", file, sweep->page_tool, strerror(error));
	else if (code < 0)
		warn("--plot: no page was made of %s: %s: ended by signal %d (%s)", file,
		     sweep->page_tool, -code, strsignal(-code));
	else if (code)
		warn("--plot: no page was made of %s: %s has said why", file, sweep->page_tool);
	return !code;
}

/**
 * sweep_plot_make() - make a page of cells.csv
 * @sweep: sweep that has ended; its command may be shortened
 *
 * Return: whether the page was made.
 */
bool sweep_plot_make(const struct sweep *sweep)
{
	char *table = sweep_path(sweep, "cells.csv");
	bool made = sweep_page(sweep, table);

	free(table);
	return made;
}
