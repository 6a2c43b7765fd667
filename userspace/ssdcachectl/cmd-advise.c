// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcachectl advise: the simulator knows.
 */
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "../common/memory.h"
#include "ctl.h"

#define SIMULATOR "ssdcache-sim"

static const struct option_def no_options[] = {
	OPTION_END
};

/* Beside this program, as it was called; then in PATH. */
static int run_words(int argc, char **argv)
{
	char **words = xcalloc(argc + 2, sizeof(*words)), *folder = strdup(program_invocation_name), *path;

	words[0] = (char *)SIMULATOR;
	memcpy(words + 1, argv, argc * sizeof(*argv));
	if (folder && strchr(folder, '/') && asprintf(&path, "%s/%s", dirname(folder), SIMULATOR) > 0) {
		execv(path, words);
		if (errno != ENOENT)
			return fail("advise: cannot run %s: %s", path, strerror(errno));
	}
	execvp(SIMULATOR, words);
	return fail("advise: cannot run %s: %s ('make install' installs it)", SIMULATOR, strerror(errno));
}

const struct verb verb_advise = {
	.name = "advise",
	.args = "[OPTION]... CAPTURE...",
	.doc = "Say which policies, and how much DRAM, suit the requests of a capture, and how sure that is.",
	.more = "Runs 'ssdcache-sim advise' with the same words: 'ssdcache-sim advise --help' shows the options.",
	.options = no_options,
	.run_words = run_words,
};
