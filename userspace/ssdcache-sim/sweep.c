// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of a sweep is that of a run, but some options take several values.
 */
#include <stdlib.h>
#include <string.h>
#include "../common/number.h"
#include "library.h"
#include "outputs.h"
#include "pool.h"
#include "sweep.h"

#define MAX_JOBS	4096
#define MAX_CELLS	10000000

enum { OUTPUT = SIM_FIRST_FREE_OPTION, JOBS, PLOT, SHOW_VERSION };

static const struct option_def own_options[] = {
	{ "output", .letter = 'o', .id = OUTPUT, .arg = "DIRECTORY", .heading = "Sweep:",
	  .doc = "for the results, cells.csv and cells.jsonl; default sweep. Cells that are done there are not run again" },
	{ "jobs", .letter = 'j', .id = JOBS, .arg = "N",
	  .doc = "cells at a time; default: as many as CPUs may be used" },
	{ "plot", .id = PLOT, .arg = "FILE",
	  .doc = "make a page of HTML with plots of the results, by ssdcache-page of the Python package" },
	{ "version", .letter = 'V', .id = SHOW_VERSION, .doc = "print the version" },
	OPTION_END
};

/**
 * sweep_axis_of() - the axis of an option, which is made if there is none
 * @sweep: sweep
 * @def: option of which cells have different values
 */
struct sweep_axis *sweep_axis_of(struct sweep *sweep, const struct option_def *def)
{
	struct sweep_axis *axis;
	size_t i;

	for (i = 0; i < sweep->nr_axes; i++)
		if (sweep->axes[i].def == def)
			return &sweep->axes[i];
	sweep->axes = xrealloc(sweep->axes, sweep->nr_axes + 1, sizeof(*axis));
	axis = &sweep->axes[sweep->nr_axes++];
	*axis = (struct sweep_axis) { .def = def };
	return axis;
}

/**
 * sweep_take_common() - an option that all cells share
 * @sweep: sweep
 * @def: the option
 * @value: its value, or NULL
 *
 * Options that may be given more than once add a word; of the others, the last value counts.
 */
void sweep_take_common(struct sweep *sweep, const struct option_def *def, const char *value)
{
	size_t i;

	for (i = 0; i < sweep->nr_common && !def->many; i++) {
		if (sweep->common[i].def == def) {
			sweep->common[i].value = value;
			return;
		}
	}
	sweep->common = xrealloc(sweep->common, sweep->nr_common + 1, sizeof(*sweep->common));
	sweep->common[sweep->nr_common++] = (struct sweep_option) { def, value };
}

static void take_option(struct sweep *sweep, const struct option_def *def, const char *value)
{
	if (sweep->library)
		ssdcache_sim_check_option(SSDCACHE_SIM_SWEEP, def->name,
					  def->id == SHOW_VERSION || def->id == PLOT ? SIM_USE_PRINT : sim_option_use(def));
	switch (def->id) {
	case OUTPUT:
		sweep->directory = value;
		return;
	case JOBS:
		sweep->jobs = take_number(def->name, value, 1, MAX_JOBS);
		return;
	case PLOT:
		sweep->plot = value;
		return;
	case SHOW_VERSION:
		print_version();
		exit(end_of_output() ? TOOL_OK : TOOL_FAILED);
	}
	if (sim_option_axis(def) == SIM_AXIS_NONE && def->arg && !strcmp(def->arg, "N") && strchr(value, ','))
		die(TOOL_BAD_USAGE, "--%s: '%s' is more than one value: a sweep takes several of SPEC, SIZE and VALUE, of --shards and of --depth",
		    def->name, value);
	if (sim_option_axis(def) != SIM_AXIS_NONE)
		sweep_axis_add(sweep_axis_of(sweep, def), value);
	else
		sweep_take_common(sweep, def, value);
}

static void print_help(const struct option_def *defs)
{
	printf("Usage: ssdcache-sim sweep [OPTION]... TRACE...\n\n");
	wrap("Runs the same workload with each combination of the values given, on all CPUs. Options "
	     "that take SPEC, SIZE or VALUE, --shards and --depth take several, separated by commas or in several options. "
	     "A range of sizes, 1m..128m, has each power of two times its start; 4m..12m+4m goes in "
	     "steps. 'all' means all plug-ins of a kind, 'usual' those that 'ssdcache-sim "
	     "advise' compares.\n\n"
	     "Each combination, a cell, becomes a line of DIRECTORY/cells.jsonl as soon as it is done, "
	     "and a row of DIRECTORY/cells.csv at the end. Up to 100 cells are printed as a table, too. The same command goes on after an "
	     "interruption; with more values, it runs what is new.", 0);
	options_help(defs);
	putchar('\n');
	wrap("Exit codes: 0 done, 1 a cell failed or the sweep was interrupted, 2 wrong command line or "
	     "bad trace.", 0);
}

/**
 * sweep_option_table() - the options of a sweep or an advice
 * @defs: filled in; has room for SIM_MAX_OPTIONS; sim_options_table_free() frees the texts
 * @own: options that a plain run does not have
 * @takes: is the option of a plain run taken, too?
 */
void sweep_option_table(struct option_def *defs, const struct option_def *own,
			bool (*takes)(const struct option_def *def))
{
	struct option_def all[SIM_MAX_OPTIONS];
	const struct option_def *from;

	for (from = own; from->name; from++)
		*defs++ = *from;
	sim_options_table(all);
	for (from = all; from->name; from++)
		if (takes(from))
			*defs++ = *from;
	*defs = (struct option_def)OPTION_END;
}

/**
 * sweep_read_command_line() - read the command line of a sweep or an advice; ends the program if it is wrong
 * @sweep: gets the traces
 * @verb: "sweep" or "advise"
 * @defs: options
 * @argc: as of main(), from the verb on
 * @argv: likewise
 * @take: takes an option
 * @help: prints the help
 */
void sweep_read_command_line(struct sweep *sweep, const char *verb, const struct option_def *defs, int argc,
			     char **argv, sweep_take_fn *take, void (*help)(const struct option_def *defs))
{
	struct option_reader reader;
	enum option_found found;

	options_begin(&reader, verb, defs, argc, argv);
	while ((found = options_next(&reader)) != OPTION_LAST) {
		switch (found) {
		case OPTION_GIVEN:
			take(sweep, reader.def, reader.value);
			break;
		case OPTION_WORD:
			sweep->traces[sweep->nr_traces++] = (char *)reader.value;
			break;
		case OPTION_HELP:
			if (sweep->library)
				ssdcache_sim_check_option(SSDCACHE_SIM_SWEEP, "help", SIM_USE_PRINT);
			help(defs);
			exit(end_of_output() ? TOOL_OK : TOOL_FAILED);
		default:
			exit(TOOL_BAD_USAGE);
		}
	}
	options_end(&reader);
	if (!sweep->nr_traces)
		die(TOOL_BAD_USAGE, "no trace given: 'ssdcache-sim %s --help' shows the usage", verb);
}

static void count_cells(struct sweep *sweep)
{
	size_t axis;

	if (!sweep->nr_axes)
		die(TOOL_BAD_USAGE, "no option that takes several values is given, such as --replacement lru,cflru");
	sweep->nr_cells = 1;
	for (axis = 0; axis < sweep->nr_axes; axis++) {
		sweep->nr_cells *= sweep->axes[axis].nr;
		if (sweep->nr_cells > MAX_CELLS)
			die(TOOL_BAD_USAGE, "more than %u cells", MAX_CELLS);
	}
	sweep->rows = xcalloc(sweep->nr_cells, sizeof(*sweep->rows));
}

static void free_sweep(struct sweep *sweep)
{
	size_t i;

	for (i = 0; i < sweep->nr_axes; i++)
		sweep_axis_free(&sweep->axes[i]);
	free(sweep->rows);
	free(sweep->axes);
	free(sweep->common);
	free(sweep->traces);
	free(sweep->code_id);
	free(sweep->page_tool);
	free(sweep->command);
	if (!sweep->library)
		sim_workload_free(&sweep->workload);
}

static void print_summary(const struct sweep *sweep, size_t before, u64 others, enum sweep_end end)
{
	/* Where both go to one file, the table comes first, whole. */
	flush_output();
	fprintf(stderr, "ssdcache-sim: %zu of %zu cell%s in %s/cells.csv", sweep_rows_done(sweep),
		sweep->nr_cells, plural(sweep->nr_cells), sweep->directory);
	if (before)
		fprintf(stderr, ", %zu of them from before", before);
	if (others)
		fprintf(stderr, "; cells.jsonl keeps %llu row%s of other cells", others, plural(others));
	if (end == SWEEP_INTERRUPTED)
		fputs("; the same command goes on", stderr);
	fputc('\n', stderr);
}

/**
 * sweep_command_line() - "ssdcache-sim sweep WORDS"
 * @argc: as of main(), from "sweep" on
 * @argv: likewise
 *
 * Return: text for a shell, to be freed.
 */
char *sweep_command_line(int argc, char **argv)
{
	char *words = sweep_words(argv, argc), *text;

	if (asprintf(&text, "ssdcache-sim %s", words) < 0)
		die(TOOL_FAILED, "no memory");
	free(words);
	return text;
}

/* Neither the page nor the results may replace what is read. */
static void check_outputs(const struct sweep *sweep)
{
	char *journal = sweep_path(sweep, "cells.jsonl"), *table = sweep_path(sweep, "cells.csv");
	const struct sim_output outputs[] = { { "output", journal }, { "output", table }, { "plot", sweep->plot } };

	if (!strcmp(sweep->directory, "-"))
		die(TOOL_BAD_USAGE, "--output: '-' is no directory, and standard output is for the table; './-' is a directory of that name");
	sim_outputs_check(outputs, ARRAY_SIZE(outputs), sweep->traces, sweep->nr_traces);
	free(journal);
	free(table);
	sweep_journal_check(sweep);
}

/* Read the command line, and check all that can be checked. */
static void prepare(struct sweep *sweep, struct option_def *defs, struct trace_plan *plan, int argc, char **argv)
{
	sweep->directory = "sweep";
	sweep->traces = xcalloc(argc, sizeof(char *));
	sweep->command = sweep_command_line(argc, argv);
	sweep_option_table(defs, own_options, sim_option_is_swept);
	sim_options_load_plugins("sweep", defs, argc, argv);
	sim_options_table_free(defs);
	sweep_option_table(defs, own_options, sim_option_is_swept);
	sweep_read_command_line(sweep, "sweep", defs, argc, argv, take_option, print_help);
	count_cells(sweep);
	sweep_check(sweep, plan);
	check_outputs(sweep);
}

static enum sweep_end run_sweep(struct sweep *sweep, int argc, char **argv)
{
	struct option_def defs[SIM_MAX_OPTIONS];
	struct sweep_journal *journal;
	struct trace_plan plan;
	enum sweep_end end;
	size_t before;
	u64 others;

	prepare(sweep, defs, &plan, argc, argv);
	if (sweep->plot)
		sweep_plot_check(sweep);
	if (!sweep->library) {
		sim_workload_read(&sweep->workload, sweep->traces, sweep->nr_traces, &plan);
		sim_workload_remark(&sweep->workload, &plan);
	}
	sweep_identify(sweep);
	journal = sweep_journal_open(sweep);
	before = sweep_rows_done(sweep);
	if (!sweep->jobs)
		sweep->jobs = sim_pool_cpus();
	end = sweep_work(sweep, journal);
	sweep_csv_write(sweep, journal);
	if (end != SWEEP_INTERRUPTED && !sweep->library && sweep_rows_done(sweep))
		sweep_print_table(sweep, journal);
	others = sweep_journal_others(journal);
	sweep_journal_close(journal);
	if (!sweep->library)
		print_summary(sweep, before, others, end);
	else if (end == SWEEP_INTERRUPTED)
		warn("the sweep was interrupted");
	if (sweep->plot && end != SWEEP_INTERRUPTED && !sweep_plot_make(sweep))
		end = SWEEP_SOME_FAILED;
	free_sweep(sweep);
	sim_options_table_free(defs);
	return end;
}

/**
 * sweep_main() - "ssdcache-sim sweep"
 * @argc: as of main(), from "sweep" on
 * @argv: likewise
 *
 * Return: exit code.
 */
int sweep_main(int argc, char **argv)
{
	struct sweep sweep = { .library = false };

	return run_sweep(&sweep, argc, argv) == SWEEP_DONE && end_of_output() ? TOOL_OK : TOOL_FAILED;
}

/**
 * sweep_borrowed() - a sweep of requests that the caller has
 * @argc: as of main()
 * @argv: likewise
 * @workload: requests
 * @loaded: options that the requests were loaded with; NULL: they come from no files
 *
 * What cells say goes to standard output, as lines of JSON.
 *
 * Return: exit code.
 */
int sweep_borrowed(int argc, char **argv, const struct sim_workload *workload, const char *loaded)
{
	struct sweep sweep = { .library = true, .workload = *workload, .loaded = loaded };

	switch (run_sweep(&sweep, argc, argv)) {
	case SWEEP_DONE:
		return TOOL_OK;
	case SWEEP_SOME_FAILED:
		return SSDCACHE_SIM_SOME_FAILED;
	default:
		return TOOL_FAILED;
	}
}

/**
 * sweep_print_cells() - print the cells of a command line, for programs that run them elsewhere
 * @argc: as of main()
 * @argv: likewise
 */
void sweep_print_cells(int argc, char **argv)
{
	struct option_def defs[SIM_MAX_OPTIONS];
	struct sweep sweep = { .library = false };
	struct trace_plan plan;

	prepare(&sweep, defs, &plan, argc, argv);
	sweep_identify(&sweep);
	sweep_list(&sweep);
	free_sweep(&sweep);
	sim_options_table_free(defs);
}
