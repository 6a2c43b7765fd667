// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcachectl advise: the simulator knows.
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

#define SIMULATOR "ssdcache-sim"

static const struct option_def no_options[] = {
	OPTION_END
};

/* Returns only if the program cannot be run. */
static int run_words(int argc, char **argv)
{
	char **words = xcalloc(argc + 3, sizeof(*words)), *folder = strdup(program_invocation_name), *path = NULL;
	int code, error = ENOENT;

	words[0] = (char *)SIMULATOR;
	words[1] = (char *)"--complete";
	memcpy(words + 1 + completing, argv, argc * sizeof(*argv));
	/* Beside this program, as it was called; then in PATH. */
	if (folder && strchr(folder, '/') && asprintf(&path, "%s/%s", dirname(folder), SIMULATOR) > 0) {
		execv(path, words);
		error = errno;
	}
	if (error == ENOENT) {
		execvp(SIMULATOR, words);
		code = fail("advise: cannot run %s: %s ('make install' installs it)", SIMULATOR, strerror(errno));
	} else {
		code = fail("advise: cannot run %s: %s", path, strerror(error));
	}
	free(path);
	free(folder);
	free(words);
	return code;
}

const struct verb verb_advise = {
	.name = "advise",
	.args = "[OPTION]... CAPTURE...",
	.doc = "Say which policies, and how much DRAM, suit the requests of a capture, and how sure that is.",
	.more = "Runs 'ssdcache-sim advise' with the same words: 'ssdcache-sim advise --help' shows the options.",
	.options = no_options,
	.run_words = run_words,
};
