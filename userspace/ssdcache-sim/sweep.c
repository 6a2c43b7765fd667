// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of a sweep is that of a run, but some options take several values.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../common/number.h"
#include "plugin.h"
#include "run.h"
#include "sweep.h"

#define MAX_JOBS	4096
#define MAX_CELLS	10000000
#define TABLE_CELLS	100

enum { OUTPUT = SIM_FIRST_FREE_OPTION, JOBS };

static const struct option_def own_options[] = {
	{ "output", .letter = 'o', .id = OUTPUT, .arg = "DIRECTORY", .heading = "Sweep:",
	  .doc = "for the results, cells.csv and cells.jsonl; default sweep. Cells that are done there are not run again" },
	{ "jobs", .letter = 'j', .id = JOBS, .arg = "N",
	  .doc = "cells at a time; default: the number of CPUs" },
	OPTION_END
};

/* The value of an option in a cell. */
const char *sweep_value(const struct sweep *sweep, size_t cell, size_t axis)
{
	size_t i;

	for (i = sweep->nr_axes - 1; i > axis; i--)
		cell /= sweep->axes[i].nr;
	return sweep->axes[axis].values[cell % sweep->axes[axis].nr];
}

/* The command line of a cell: words to be freed with free_words(). */
static char **cell_words(const struct sweep *sweep, size_t cell, int *nr)
{
	char **words = xcalloc(sweep->nr_common + sweep->nr_axes + sweep->nr_traces + 2, sizeof(*words));
	size_t axis;
	int i;

	*nr = 0;
	words[(*nr)++] = strdup("ssdcache-sim");
	for (i = 0; i < sweep->nr_common; i++)
		words[(*nr)++] = strdup(sweep->common[i]);
	for (axis = 0; axis < sweep->nr_axes; axis++)
		if (asprintf(&words[(*nr)++], "--%s=%s", sweep->axes[axis].def->name,
			     sweep_value(sweep, cell, axis)) < 0)
			die(TOOL_FAILED, "no memory");
	for (i = 0; i < sweep->nr_traces; i++)
		words[(*nr)++] = strdup(sweep->traces[i]);
	for (i = 0; i < *nr; i++)
		if (!words[i])
			die(TOOL_FAILED, "no memory");
	return words;
}

static void free_words(char **words, int nr)
{
	while (nr)
		free(words[--nr]);
	free(words);
}

/* Command lines that options refer to. */
static struct {
	char **words;
	char **order;	/* the same, as the parser has changed their order */
	int nr;
} *kept;
static size_t nr_kept;

/* Returns the words for the parser. */
static char **keep_words(char **words, int nr)
{
	char **order = xcalloc(nr + 1, sizeof(*order));

	memcpy(order, words, nr * sizeof(*order));
	kept = xrealloc(kept, nr_kept + 1, sizeof(*kept));
	kept[nr_kept].words = words;
	kept[nr_kept].order = order;
	kept[nr_kept++].nr = nr;
	return order;
}

static void free_kept_words(void)
{
	while (nr_kept--) {
		free_words(kept[nr_kept].words, kept[nr_kept].nr);
		free(kept[nr_kept].order);
	}
	free(kept);
}

/* Words as a shell takes them. */
static char *join(char **words, int from, int to)
{
	char *text = NULL, *at;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die(TOOL_FAILED, "no memory");
	for (; from < to; from++) {
		if (words[from][0] && !words[from][strcspn(words[from], " \t\n'\"\\$`&|;<>()*?[]#~!{}")]) {
			fputs(words[from], out);
		} else {
			fputc('\'', out);
			for (at = words[from]; *at; at++) {
				if (*at == '\'')
					fputs("'\\'", out);
				fputc(*at, out);
			}
			fputc('\'', out);
		}
		if (from + 1 < to)
			fputc(' ', out);
	}
	fclose(out);
	return text;
}

/**
 * sweep_cell_key() - what makes the result of a cell, besides release and workload
 * @sweep: sweep
 * @cell: its number
 *
 * Return: its options, to be freed.
 */
char *sweep_cell_key(const struct sweep *sweep, size_t cell)
{
	int nr;
	char **words = cell_words(sweep, cell, &nr), *key = join(words, 1, nr - sweep->nr_traces);

	free_words(words, nr);
	return key;
}

/**
 * sweep_command() - the command line that runs a cell alone
 * @sweep: sweep
 * @cell: its number
 *
 * Return: text for a shell, to be freed.
 */
char *sweep_command(const struct sweep *sweep, size_t cell)
{
	int nr;
	char **words = cell_words(sweep, cell, &nr), *command = join(words, 0, nr);

	free_words(words, nr);
	return command;
}

/**
 * sweep_cell_options() - read the command line of a cell; ends the program if it is wrong
 * @sweep: sweep
 * @cell: its number
 * @options: result; it refers to words that stay until free_kept_words()
 */
void sweep_cell_options(const struct sweep *sweep, size_t cell, struct sim_options *options)
{
	int nr;
	char **words = cell_words(sweep, cell, &nr);

	sim_options_parse(options, nr, keep_words(words, nr));
}

/*
 * Each value once, with the first value of all other options: what is wrong with a value is said before
 * hours of work, not after.
 */
static void check_values(struct sweep *sweep)
{
	size_t axis, i, step = sweep->nr_cells;
	struct sim_options options;

	for (axis = 0; axis < sweep->nr_axes; axis++) {
		step /= sweep->axes[axis].nr;
		for (i = axis ? 1 : 0; i < sweep->axes[axis].nr; i++) {
			sweep_cell_options(sweep, i * step, &options);
			sim_run_check(&options, &sweep->workload);
		}
	}
}

/* FNV-1a, by words */
static void identify_workload(struct sweep *sweep)
{
	u64 hash = 0xcbf29ce484222325;
	size_t i;

	for (i = 0; i < sweep->workload.nr; i++) {
		const struct sim_record *r = &sweep->workload.records[i];
		u64 rest = (u64)r->nr_sectors << 32 | (u32)r->disk << 16 | r->op << 8 | r->fua;

		hash = (hash ^ r->time_ns) * 0x100000001b3;
		hash = (hash ^ r->sector) * 0x100000001b3;
		hash = (hash ^ rest) * 0x100000001b3;
		hash ^= hash >> 32;
	}
	snprintf(sweep->workload_id, sizeof(sweep->workload_id), "%016llx", hash);
}

static struct sweep_axis *axis_of(struct sweep *sweep, const struct option_def *def)
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

static void take_option(struct sweep *sweep, const struct option_def *def, const char *value)
{
	char *word;

	switch (def->id) {
	case OUTPUT:
		sweep->directory = value;
		return;
	case JOBS:
		sweep->jobs = take_number(def->name, value, 1, MAX_JOBS);
		return;
	}
	if (sim_option_axis(def) != SIM_AXIS_NONE) {
		sweep_axis_add(axis_of(sweep, def), value);
		return;
	}
	if (asprintf(&word, value ? "--%s=%s" : "--%s", def->name, value) < 0)
		die(TOOL_FAILED, "no memory");
	sweep->common = xrealloc(sweep->common, sweep->nr_common + 1, sizeof(*sweep->common));
	sweep->common[sweep->nr_common++] = word;
}

static void print_help(const struct option_def *defs)
{
	printf("Usage: ssdcache-sim sweep [OPTION]... TRACE...\n\n");
	wrap("Runs the same workload with each combination of the values given, on all CPUs. Options "
	     "that take SPEC, SIZE or VALUE take several, separated by commas or in several options. "
	     "A range of sizes, 1m..128m, has each power of two times its start; 4m..12m+4m goes in "
	     "steps. 'all' means all plug-ins of a kind.\n\n"
	     "Each combination, a cell, becomes a line of DIRECTORY/cells.jsonl as soon as it is done, "
	     "and a row of DIRECTORY/cells.csv at the end. The same command goes on after an "
	     "interruption; with more values, it runs what is new.", 0);
	options_help(defs);
	putchar('\n');
	wrap("Exit codes: 0 done, 1 a cell failed or the sweep was interrupted, 2 wrong command line or "
	     "bad trace.", 0);
}

static void build_table(struct option_def *defs)
{
	struct option_def all[SIM_MAX_OPTIONS];
	const struct option_def *from;

	for (from = own_options; from->name; from++)
		*defs++ = *from;
	sim_options_table(all);
	for (from = all; from->name; from++)
		if (sim_option_is_swept(from))
			*defs++ = *from;
	*defs = (struct option_def)OPTION_END;
}

static void parse(struct sweep *sweep, struct option_def *defs, int argc, char **argv)
{
	struct option_reader reader;
	enum option_found found;

	options_begin(&reader, "sweep", defs, argc, argv);
	while ((found = options_next(&reader)) != OPTION_LAST) {
		switch (found) {
		case OPTION_GIVEN:
			take_option(sweep, reader.def, reader.value);
			break;
		case OPTION_WORD:
			sweep->traces[sweep->nr_traces++] = (char *)reader.value;
			break;
		case OPTION_HELP:
			print_help(defs);
			exit(end_of_output() ? TOOL_OK : TOOL_FAILED);
		default:
			exit(TOOL_BAD_USAGE);
		}
	}
	options_end(&reader);
	if (!sweep->nr_traces)
		die(TOOL_BAD_USAGE, "no trace given: 'ssdcache-sim sweep --help' shows the usage");
}

static void count_cells(struct sweep *sweep)
{
	size_t axis;

	if (!sweep->nr_axes)
		die(TOOL_BAD_USAGE, "no option with several values given, such as --replacement lru,cflru");
	sweep->nr_cells = 1;
	for (axis = 0; axis < sweep->nr_axes; axis++) {
		sweep->nr_cells *= sweep->axes[axis].nr;
		if (sweep->nr_cells > MAX_CELLS)
			die(TOOL_BAD_USAGE, "more than %u cells", MAX_CELLS);
	}
	sweep->rows = xcalloc(sweep->nr_cells, sizeof(*sweep->rows));
}

static double number_at(const json_t *row, const char *first, const char *second, const char *third)
{
	const json_t *at = json_object_get(json_object_get(row, "result"), first);

	at = json_object_get(at, second);
	return json_number_value(third ? json_object_get(at, third) : at);
}

/* A table of the most wanted figures, if it fits. */
static void print_table(const struct sweep *sweep)
{
	size_t axis, cell;

	if (sweep->nr_cells > TABLE_CELLS)
		return;
	for (axis = 0; axis < sweep->nr_axes; axis++)
		if (sweep->axes[axis].nr > 1)
			printf("%-24s ", sweep->axes[axis].def->name);
	printf("%9s %14s %14s %16s\n", "hit ratio", "read mean us", "write mean us", "flushed/written");
	for (cell = 0; cell < sweep->nr_cells; cell++) {
		const json_t *row = sweep->rows[cell];

		if (!row)
			continue;
		for (axis = 0; axis < sweep->nr_axes; axis++)
			if (sweep->axes[axis].nr > 1)
				printf("%-24s ", sweep_value(sweep, cell, axis));
		printf("%9.4f %14.3f %14.3f %16.4f\n", number_at(row, "ratios", "hit", NULL),
		       number_at(row, "latency", "read", "mean_ns") / 1e3,
		       number_at(row, "latency", "write", "mean_ns") / 1e3,
		       number_at(row, "ratios", "flushed_per_written", NULL));
	}
}

static size_t rows_done(const struct sweep *sweep)
{
	size_t cell, done = 0;

	for (cell = 0; cell < sweep->nr_cells; cell++)
		done += sweep->rows[cell] != NULL;
	return done;
}

static void free_sweep(struct sweep *sweep)
{
	size_t i;

	for (i = 0; i < sweep->nr_cells; i++)
		json_decref(sweep->rows[i]);
	for (i = 0; i < sweep->nr_axes; i++)
		sweep_axis_free(&sweep->axes[i]);
	free(sweep->rows);
	free(sweep->axes);
	free_words(sweep->common, sweep->nr_common);
	free_kept_words();
	free(sweep->traces);
	if (!sweep->borrowed)
		sim_workload_free(&sweep->workload);
}

/**
 * sweep_main() - "ssdcache-sim sweep"
 * @argc: as of main(), from "sweep" on
 * @argv: likewise
 * @workload: requests; NULL: those of the traces
 *
 * Return: exit code.
 */
int sweep_main(int argc, char **argv, const struct sim_workload *workload)
{
	struct sweep sweep = { .directory = "sweep", .jobs = max(sysconf(_SC_NPROCESSORS_ONLN), 1L),
			       .traces = xcalloc(argc, sizeof(char *)) };
	struct option_def defs[SIM_MAX_OPTIONS];
	struct sweep_journal *journal;
	struct sim_options first;
	enum sweep_end end;
	size_t before;

	build_table(defs);
	sim_options_load_plugins("sweep", defs, argc, argv);
	sim_options_table_free(defs);
	build_table(defs);
	parse(&sweep, defs, argc, argv);
	count_cells(&sweep);
	sweep_cell_options(&sweep, 0, &first);
	if (workload)
		sweep.workload = *workload;
	else
		sim_workload_read(&sweep.workload, sweep.traces, sweep.nr_traces, &first.plan);
	sweep.borrowed = workload;
	check_values(&sweep);
	identify_workload(&sweep);
	journal = sweep_journal_open(&sweep);
	before = rows_done(&sweep);
	end = sweep_work(&sweep, journal);
	sweep_journal_close(journal);
	if (end == SWEEP_DONE)
		print_table(&sweep);
	fprintf(stderr, "ssdcache-sim: %zu of %zu cells in %s/cells.csv", rows_done(&sweep), sweep.nr_cells,
		sweep.directory);
	if (before)
		fprintf(stderr, ", %zu of them from before", before);
	if (end == SWEEP_INTERRUPTED)
		fputs("; the same command goes on", stderr);
	fputc('\n', stderr);
	free_sweep(&sweep);
	sim_options_table_free(defs);
	return end == SWEEP_DONE && end_of_output() ? TOOL_OK : TOOL_FAILED;
}
