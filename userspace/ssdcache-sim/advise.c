// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of "ssdcache-sim advise" is that of a sweep, and what has no value is searched.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "../common/number.h"
#include "advise.h"
#include "outputs.h"
#include "pool.h"

#define MAX_JOBS	4096
#define DEFAULT_EFFORT	20

enum { GOAL = SIM_FIRST_FREE_OPTION, LATENCY, EFFORT, JSON, JOBS, PLOT, CHECK, QUIET, SHOW_VERSION };

static const struct option_def own_options[] = {
	{ "goal", .id = GOAL, .arg = "GOAL", .heading = "Advice:",
	  .doc = "what is wanted: low latency (the default: the mean response of all requests, FLUSHes and discards included), reads or writes (their mean response), p99 (the response that 1 % of all requests exceed), few flash-writes (bytes programmed), or many hits (page accesses that find the page in DRAM)" },
	{ "latency", .id = LATENCY, .arg = "TIME",
	  .doc = "find the least DRAM for this response, such as 250us or 2ms; not with --goal flash-writes and hits" },
	{ "effort", .id = EFFORT, .arg = "PERCENT",
	  .doc = "run at most this share of what a full search would run; 100: run all combinations whole; default 20" },
	{ "json", .id = JSON, .doc = "print JSON instead of text" },
	{ "jobs", .letter = 'j', .id = JOBS, .arg = "N",
	  .doc = "runs at a time; default: as many as CPUs may be used" },
	{ "plot", .id = PLOT, .arg = "FILE",
	  .doc = "make a page of HTML with plots of the advice, by ssdcache-page of the Python package" },
	{ "check", .id = CHECK, .hidden = true, .doc = "for ssdcache-report: check the options, and read no trace" },
	{ "quiet", .id = QUIET, .hidden = true, .doc = "for ssdcache-report: leave out remarks, which an earlier search has made" },
	{ "version", .letter = 'V', .id = SHOW_VERSION, .doc = "print the version" },
	OPTION_END
};

const char *const advise_goal_names[ADVISE_NR_GOALS] = {
	[ADVISE_LATENCY] = "latency",
	[ADVISE_READS] = "reads",
	[ADVISE_WRITES] = "writes",
	[ADVISE_P99] = "p99",
	[ADVISE_FLASH_WRITES] = "flash-writes",
	[ADVISE_HITS] = "hits",
};

static enum advise_goal take_goal(const char *value)
{
	unsigned int goal;

	for (goal = 0; goal < ADVISE_NR_GOALS; goal++)
		if (!strcmp(value, advise_goal_names[goal]))
			return goal;
	die(TOOL_BAD_USAGE, "--goal: '%s' is not one of latency, reads, writes, p99, flash-writes, hits", value);
}

static u64 take_time_ns(const char *value)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	size_t len = strspn(value, "0123456789."), i;
	char number[32];
	double real;

	snprintf(number, sizeof(number), "%.*s", (int)len, value);
	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (len < sizeof(number) && !strcmp(value + len, units[i].unit) &&
		    parse_real(number, 0.001, 1e6, &real))
			return real * units[i].ns;
	die(TOOL_BAD_USAGE, "--latency: '%s' is not a time with its unit, such as 250us, 1.5ms or 2s", value);
}

static void take_option(struct sweep *sweep, const struct option_def *def, const char *value)
{
	struct advise *a = container_of(sweep, struct advise, sweep);

	switch (def->id) {
	case GOAL:
		a->goal = take_goal(value);
		return;
	case LATENCY:
		a->latency_ns = take_time_ns(value);
		return;
	case EFFORT:
		a->effort = take_number(def->name, value, 1, 100) / 100.0;
		return;
	case JSON:
		a->json = true;
		return;
	case JOBS:
		a->sweep.jobs = take_number(def->name, value, 1, MAX_JOBS);
		return;
	case PLOT:
		a->sweep.plot = value;
		return;
	case CHECK:
		a->check_only = true;
		return;
	case QUIET:
		a->quiet = true;
		return;
	case SHOW_VERSION:
		print_version();
		exit(end_of_output() ? TOOL_OK : TOOL_FAILED);
	}
	if (sim_option_axis(def) != SIM_AXIS_NONE)
		advise_take_values(a, def, value);
	else
		sweep_take_common(&a->sweep, def, value);
}

/* What a run has a default for is searched. Returns the text of an option for the help; freed by the caller. */
static char *searched_doc(const struct option_def *def)
{
	static const struct {
		const char *name, *doc;
	} docs[] = {
		{ "dram", "sizes of the DRAM; default: up to what the requests touch" },
		{ "page", "power of two from 4k to 64k; default: a page of the flash device" },
		{ "replacement", "replacement policies; default: usual" },
		{ "admission", "admission schemes; default: all" },
		{ "prefetch", "prefetchers; default: all" },
	};
	const char *doc = def->doc, *names = "";
	char *text;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(docs); i++) {
		if (strcmp(def->name, docs[i].name))
			continue;
		doc = docs[i].doc;
		names = strstr(def->doc, "; one of ") ?: "";
	}
	if (asprintf(&text, "%s%s", doc, names) < 0)
		die(TOOL_FAILED, "no memory");
	return text;
}

static void print_options(const struct option_def *defs)
{
	struct option_def said[SIM_MAX_OPTIONS], *to;

	for (to = said; defs->name; to++, defs++) {
		*to = *defs;
		to->doc = searched_doc(defs);
	}
	*to = (struct option_def)OPTION_END;
	options_help(said);
	while (to != said)
		free((char *)(--to)->doc);
}

static void print_help(const struct option_def *defs)
{
	printf("Usage: ssdcache-sim advise [OPTION]... TRACE...\n\n");
	wrap("Says which policies, and how much DRAM, suit a workload, and how sure that is. Compares the "
	     "replacement policies made for flash (\"usual\"), all admission schemes and all prefetchers, or those "
	     "given as for 'ssdcache-sim sweep'. Combinations run on a sample of the requests first, and the "
	     "best of them run whole.\n\n"
	     "Without --dram, the advice covers sizes up to what the requests touch. With one size, the advice "
	     "is for this size. Without --flash, --read-us and so on, the device is that of [Shin23], as large "
	     "as needed and in the steady state of random writes.", 0);
	print_options(defs);
	putchar('\n');
	wrap("Exit codes: 0 done, 1 no combination could run, no size is enough for --latency, or the search was "
	     "interrupted, 2 wrong command line or bad trace.", 0);
}

/* Has an option a meaning for a comparison? */
static bool is_taken(const struct option_def *def)
{
	static const char *const others[] = { "no-cache", "verify", "flush-at-end", "reserve",
						"thrash-span", "shards" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(def->name, others[i]))
			return false;
	return sim_option_is_swept(def);
}

static void free_advise(struct advise *a)
{
	size_t i;

	for (i = 0; i < a->sweep.nr_axes; i++)
		sweep_axis_free(&a->sweep.axes[i]);
	free(a->sweep.axes);
	free(a->sweep.common);
	free(a->sweep.traces);
	free(a->sweep.page_tool);
	free(a->sweep.command);
	sweep_free_words(a->words, a->nr_words);
	free(a->base.traces);
	free(a->sizes);
	free(a->cells);
	free(a->failure);
	json_decref(a->said);
	sim_device_free(&a->device);
	sim_workload_free(&a->sweep.workload);
}

static void print_json(const struct advise *a, const struct advise_verdict *verdict)
{
	json_t *all = advise_json(a, verdict);

	if (!all)
		die(TOOL_FAILED, "no memory");
	if (json_dumpf(all, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER))
		output_failed(errno);
	putchar('\n');
	json_decref(all);
}

/* The page tool reads the JSON from a file in memory, so nothing is left behind. */
static bool make_page(const struct advise *a, const struct advise_verdict *verdict)
{
	json_t *all = advise_json(a, verdict);
	int fd = memfd_create("advice", 0);
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	if (!all || fd < 0 || json_dumpfd(all, fd, JSON_PRESERVE_ORDER) || lseek(fd, 0, SEEK_SET) < 0 || fflush(stdout))
		die(TOOL_FAILED, "--plot: cannot pass the advice on: %s", strerror(errno));
	json_decref(all);
	return sweep_page(&a->sweep, name);
}

static int interrupted(void)
{
	warn("the search was interrupted");
	return TOOL_FAILED;
}

/* Returns the exit code. */
static int conclude(struct advise *a)
{
	struct advise_verdict verdict;
	bool enough, made;

	advise_judge(a, &verdict);
	if (verdict.best[verdict.chosen] == a->nr_candidates)
		die(TOOL_FAILED, "no combination could run; the first one: %s", a->failure);
	if (!advise_compare(a, verdict.chosen) || !advise_try_states(a, verdict.chosen))
		return interrupted();
	/* The baseline may be as good, and other states of the drive may show another order. */
	advise_verdict_free(&verdict);
	advise_judge(a, &verdict);
	if (a->json)
		print_json(a, &verdict);
	else
		advise_print(a, &verdict);
	made = !a->sweep.plot || make_page(a, &verdict);
	enough = !a->latency_ns || verdict.reached < a->nr_sizes;
	advise_verdict_free(&verdict);
	return enough && made && end_of_output() ? TOOL_OK : TOOL_FAILED;
}

/**
 * advise_main() - "ssdcache-sim advise"
 * @argc: as of main(), from "advise" on
 * @argv: likewise
 *
 * Return: exit code.
 */
int advise_main(int argc, char **argv)
{
	struct option_def defs[SIM_MAX_OPTIONS];
	struct advise a = { .effort = DEFAULT_EFFORT / 100.0, .defs = defs, .said = json_object() };
	int code;

	a.sweep.jobs = sim_pool_cpus();
	a.sweep.traces = xcalloc(argc, sizeof(char *));
	sweep_option_table(defs, own_options, is_taken);
	sim_options_load_plugins("advise", defs, argc, argv);
	sim_options_table_free(defs);
	sweep_option_table(defs, own_options, is_taken);
	sweep_read_command_line(&a.sweep, "advise", defs, argc, argv, take_option, print_help);
	if (a.latency_ns && (a.goal == ADVISE_FLASH_WRITES || a.goal == ADVISE_HITS))
		die(TOOL_BAD_USAGE, "--latency has no meaning with --goal %s", advise_goal_names[a.goal]);
	a.sweep.command = sweep_command_line(argc, argv);
	sim_outputs_check(&(struct sim_output) { "plot", a.sweep.plot }, 1, a.sweep.traces, a.sweep.nr_traces);
	if (a.sweep.plot)
		sweep_plot_check(&a.sweep);
	advise_check(&a);
	if (a.check_only) {
		code = TOOL_OK;
	} else {
		advise_load(&a);
		code = advise_search(&a) ? conclude(&a) : interrupted();
	}
	free_advise(&a);
	sim_options_table_free(defs);
	return code;
}
