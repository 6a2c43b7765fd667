// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../../dm-ssdcache/auto/auto.h"
#include "../common/complete.h"
#include "../specs/specs.h"
#include "../trace/reader.h"
#include "advise.h"
#include "describe.h"
#include "opt.h"
#include "options.h"
#include "progress.h"
#include "report.h"
#include "run.h"
#include "sweep.h"
#include "trace.h"

/* What the shells' completion offers besides the names of options; files where there is nothing. */
static void complete_word(const struct completion *at)
{
	const char *name = at->option ? at->option->name : "";
	unsigned int i;

	if (!at->option) {
		if (!at->verb && !at->nr_words) {
			candidate(at, "sweep");
			candidate(at, "advise");
		}
	} else if (ssdc_auto_is_spec(at->typed) && strchr(at->typed, ':')) {
		/* A candidate has a shadow. */
		sim_opt_offer(false);
		complete_kind(*at, name);
	} else if (!strcmp(name, "flash")) {
		complete_profile(*at);
	} else if (!strcmp(name, "describe")) {
		for (i = 0; sim_describe_formats[i]; i++)
			candidate(at, "%s", sim_describe_formats[i]);
	} else if (!strcmp(name, "format")) {
		candidate(at, "any");
		for (i = 0; trace_formats[i]; i++)
			candidate(at, "%s", trace_formats[i]->name);
	} else if (!strcmp(name, "goal")) {
		for (i = 0; i < ADVISE_NR_GOALS; i++)
			candidate(at, "%s", advise_goal_names[i]);
	} else if (!strcmp(name, "shadow") || !strcmp(name, "shadow-admission")) {
		sim_opt_offer(false);
		complete_specs(*at, name[6] ? "admission" : "replacement", COMPLETE_GROUPS);
	} else if (!complete_specs(*at, name, at->verb ? COMPLETE_AUTO | COMPLETE_GROUPS : COMPLETE_AUTO)) {
		complete_value(*at, ssdc_core_tunable_table, ssdc_nr_core_tunables, name, strlen(name));
	}
}

static const char *const verbs[] = { "sweep", "advise" };

/* A verb comes first; it is no trace unless there is such a file. */
static void check_traces(const struct sim_options *options)
{
	size_t verb;
	int i;

	for (i = 0; i < options->nr_traces; i++)
		for (verb = 0; verb < ARRAY_SIZE(verbs); verb++)
			if (!strcmp(options->traces[i], verbs[verb]) && access(verbs[verb], F_OK))
				die(TOOL_BAD_USAGE, "'%s' is no file, and as a verb it comes first: 'ssdcache-sim %s [OPTION]... TRACE...'",
				    verbs[verb], verbs[verb]);
}

/* The first word is a verb, an option or a file. */
static void check_verb(const char *word)
{
	const char *guess = nearest(word, verbs, ARRAY_SIZE(verbs));

	if (guess && access(word, F_OK))
		die(TOOL_BAD_USAGE, "'%s' is neither a file nor a verb: did you mean '%s'?", word, guess);
}

/**
 * sim_main() - the program
 * @argc: as of main()
 * @argv: likewise
 *
 * Return: exit code.
 */
int sim_main(int argc, char **argv)
{
	struct sim_workload workload;
	struct sim_options options;
	double start, loaded, end;
	struct sim_run run;
	char **words;

	complete_begin(&argc, &argv);
	complete_more = complete_word;
	/* The verb itself is being completed if nothing follows. */
	if (argc > 1 + completing && !strcmp(argv[1], "advise"))
		return advise_main(argc - 1, argv + 1);
	/* No advice: a cache cannot know what is still to come. */
	sim_opt_offer(true);
	if (argc > 1 + completing && !strcmp(argv[1], "sweep"))
		return sweep_main(argc - 1, argv + 1);
	if (argc > 1 && !completing)
		check_verb(argv[1]);
	words = xcalloc(argc, sizeof(*words));
	memcpy(words, argv, argc * sizeof(*words));
	sim_options_parse(&options, argc, argv);
	check_traces(&options);
	options.command = sweep_command_of_run(argc, words, false, NULL);
	free(words);
	sim_progress_start();
	start = sim_cpu_seconds();
	sim_workload_read(&workload, options.traces, options.nr_traces, &options.plan);
	sim_workload_remark(&workload, &options.plan);
	loaded = sim_cpu_seconds();
	sim_run(&run, &options, &workload);
	end = sim_cpu_seconds();
	sim_progress_end();

	sim_report(run.e, run.flash, &options, &workload, run.simulated_ns);
	sim_run_check_changes(&run, &options);
	if (options.speed)
		fprintf(stderr, "ssdcache-sim: %zu request%s loaded in %.6f s, run in %.6f s of CPU time\n",
			workload.nr, plural(workload.nr), loaded - start, end - loaded);
	sim_run_free(&run);
	sim_workload_free(&workload);
	free(options.command);
	return TOOL_OK;
}
