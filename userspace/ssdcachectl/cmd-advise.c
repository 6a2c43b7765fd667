// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcachectl advise, report: other programs know.
 */
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../common/complete.h"
#include "../common/memory.h"
#include "ctl.h"

#define SIMULATOR	"ssdcache-sim"
#define REPORTER	"ssdcache-report"

static const struct option_def no_options[] = {
	OPTION_END
};

/* Become @program, beside this program, as it was called, or in PATH. Returns only if it cannot be run. */
static int become(const char *verb, const char *program, char **words, const char *how_to_install)
{
	char *folder = strdup(program_invocation_name), *path = NULL;
	int code, error = ENOENT;

	if (folder && strchr(folder, '/') && asprintf(&path, "%s/%s", dirname(folder), program) > 0) {
		execv(path, words);
		error = errno;
	}
	if (error == ENOENT) {
		execvp(program, words);
		code = fail("%s: cannot run %s: %s (%s installs it)", verb, program, strerror(errno), how_to_install);
	} else {
		code = fail("%s: cannot run %s: %s", verb, path, strerror(error));
	}
	free(path);
	free(folder);
	return code;
}

static int run_advise(int argc, char **argv)
{
	char **words = xcalloc(argc + 3, sizeof(*words));
	int code;

	words[0] = (char *)SIMULATOR;
	words[1] = (char *)"--complete";
	memcpy(words + 1 + completing, argv, argc * sizeof(*argv));
	code = become("advise", SIMULATOR, words, "'make install'");
	free(words);
	return code;
}

static int run_report(int argc, char **argv)
{
	char **words = xcalloc(argc + 1, sizeof(*words));
	int code;

	/* The names of files, which the shell completes. */
	if (completing) {
		free(words);
		return TOOL_OK;
	}
	memcpy(words, argv, argc * sizeof(*argv));
	words[0] = (char *)REPORTER;
	code = become("report", REPORTER, words, "pip install './userspace/python[plot]' in the source of dm-ssdcache");
	free(words);
	return code;
}

const struct verb verb_advise = {
	.name = "advise",
	.args = "[OPTION]... CAPTURE...",
	.doc = "Say which policies, and how much DRAM, suit the requests of a capture, and how sure that is.",
	.more = "Runs 'ssdcache-sim advise' with the same words: 'ssdcache-sim advise --help' shows the options.",
	.options = no_options,
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
