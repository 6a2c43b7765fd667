// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcachectl advise, report, serve: other programs do it.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../common/complete.h"
#include "../common/memory.h"
#include "../common/python-package.h"
#include "ctl.h"
#include "live.h"

#define SIMULATOR	"ssdcache-sim"
#define REPORTER	"ssdcache-report"
#define SERVER		"ssdcache-serve"

static const struct option_def no_options[] = {
	OPTION_END
};

/*
 * Become @program, beside this program, as it was called, or in PATH. Returns only if it cannot be run: the file that cannot, to be
 * freed, or NULL if there is none; errno says why.
 */
static char *become_quietly(const char *program, char **words)
{
	char *folder = strdup(program_invocation_name), *path = NULL;
	int error = ENOENT;

	if (folder && strchr(folder, '/') && asprintf(&path, "%s/%s", dirname(folder), program) > 0) {
		execv(path, words);
		error = errno;
	}
	free(folder);
	if (error == ENOENT) {
		free(path);
		path = NULL;
		execvp(program, words);
		error = errno;
	}
	errno = error;
	return path;
}

/* The same, with a message. */
static int become(const char *verb, const char *program, char **words, const char *how_to_install)
{
	char *path = become_quietly(program, words);
	int error = errno, code;

	if (path)
		code = fail("%s: cannot run %s: %s", verb, path, strerror(error));
	else
		code = fail("%s: cannot run %s: %s (%s)", verb, program, strerror(error), how_to_install);
	free(path);
	return code;
}

/* "advise --live NAME" is about a cache that runs; all else is about captures. */
static bool is_live(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--live") || !strncmp(argv[i], "--live=", 7))
			return true;
	return false;
}

/*
 * May an option stand where @words end, or is a value or a capture wanted there? The simulator knows its options: it offers --help,
 * typed there, or does not. Where it is not installed, --live is all there is.
 */
static bool takes_option(char **words, int nr)
{
	char *typed = words[nr - 1], answer[64];
	FILE *from;
	pid_t child;
	int ends[2], status = 0;
	size_t len;

	if (*typed != '-' || pipe2(ends, O_CLOEXEC))
		return false;
	words[nr - 1] = (char *)"--help";
	child = fork();
	if (!child) {
		dup2(ends[1], STDOUT_FILENO);
		become_quietly(SIMULATOR, words);
		_exit(127);
	}
	words[nr - 1] = typed;
	close(ends[1]);
	from = fdopen(ends[0], "r");
	if (!from)
		die(TOOL_FAILED, "no memory");
	len = fread(answer, 1, sizeof(answer) - 1, from);
	fclose(from);
	answer[len] = '\0';
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return !strcmp(answer, "--help\n") || (WIFEXITED(status) && WEXITSTATUS(status) == 127);
}

static int run_advise(int argc, char **argv)
{
	const struct completion at = { .typed = argv[argc - 1] };
	char **words;
	int code;

	if (is_live(argc, argv))
		return live_advise(argc, argv);
	words = xcalloc(argc + 3, sizeof(*words));
	words[0] = (char *)SIMULATOR;
	words[1] = (char *)"--complete";
	memcpy(words + 1 + completing, argv, argc * sizeof(*argv));
	if (completing && takes_option(words, argc + 2)) {
		candidate(&at, "--live");
		fflush(stdout);
	}
	code = become("advise", SIMULATOR, words, "'make install' installs it");
	free(words);
	return code;
}

/* A program of the Python package. */
static int become_python(const char *verb, const char *program, int argc, char **argv)
{
	char **words = xcalloc(argc + 1, sizeof(*words));
	int code;

	memcpy(words, argv, argc * sizeof(*argv));
	words[0] = (char *)program;
	code = become(verb, program, words, GET_PYTHON_PACKAGE);
	free(words);
	return code;
}

static int run_report(int argc, char **argv)
{
	/* For completion: those of ssdcache-report, which the Python package's tests compare. */
	static const struct option_def of_report[] = {
		{ .name = "output", .letter = 'o', .arg = "FILE.html" },
		{ .name = "title", .arg = "TITLE" },
		{ .name = "flash", .arg = "SPEC" },
		{ .name = "page", .arg = "SIZE" },
		{ .name = "dram", .arg = "SIZES" },
		{ .name = "replacement", .arg = "SPECS" },
		{ .name = "plugin", .arg = "FILE" },
		{ .name = "effort", .arg = "PERCENT" },
		{ .name = "keep", .arg = "DIRECTORY" },
		{ .name = "commit", .arg = "COMMIT" },
		{ .name = "limit", .arg = "N" },
		{ .name = "skip", .arg = "N" },
		{ .name = "after", .arg = "TIME" },
		{ .name = "before", .arg = "TIME" },
		{ .name = "repeat", .arg = "N" },
		{ .name = "time-scale", .arg = "FACTOR" },
		{ .name = "format", .arg = "FORMAT" },
		{ .name = "skip-bad" },
		{ .name = "align" },
		{ .name = "dram_mode", .arg = "MODE" },
		{ .name = "depth", .arg = "N" },
		{ .name = "version" },
		OPTION_END
	};

	if (completing)
		complete_options("report", of_report, argc, argv);
	return become_python("report", REPORTER, argc, argv);
}

static int run_serve(int argc, char **argv)
{
	static const struct option_def of_server[] = {
		{ .name = "port", .arg = "N" },
		{ .name = "interval", .arg = "SECONDS" },
		OPTION_SYSFS,
		{ .name = "version" },
		OPTION_END
	};
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (completing)
		complete_options("serve", of_server, argc, argv);
	/* It asks this program. */
	if (len > 0) {
		self[len] = '\0';
		setenv("SSDCACHECTL", self, 0);
	}
	return become_python("serve", SERVER, argc, argv);
}

const struct verb verb_advise = {
	.name = "advise",
	.args = "[OPTION]... CAPTURE...",
	.doc = "Say which policies, and how much DRAM, suit the requests of a capture, and how sure that is.",
	.more = "Runs 'ssdcache-sim advise' with the same words: 'ssdcache-sim advise --help' shows the options. "
		"--live needs no capture: the shadows of the cache see a sample of its requests.",
	.options = live_options,
	.run_words = run_advise,
};

const struct verb verb_report = {
	.name = "report",
	.args = "[OPTION]... TRACE...",
	.doc = "Make a page: which policies suit a trace, and why.",
	.more = "Runs 'ssdcache-report' of the Python package with the same words: 'ssdcache-report --help' shows the options.",
	.options = no_options,
	.run_words = run_report,
};

const struct verb verb_serve = {
	.name = "serve",
	.args = "[NAME] [OPTION]...",
	.doc = "Show a live page to browsers on this machine.",
	.more = "Runs 'ssdcache-serve' of the Python package with the same words: 'ssdcache-serve --help' shows the options.",
	.options = no_options,
	.run_words = run_serve,
};
