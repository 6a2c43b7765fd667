/* SPDX-License-Identifier: GPL-2.0 */
/*
 * "ssdcache-sim sweep": one workload, the product of several values of options.
 *
 *	sweep.c		command line; from cells to results
 *	sweep-axis.c	options with several values
 *	sweep-journal.c	rows that are done: cells.jsonl and cells.csv
 *	sweep-work.c	processes, one for each cell; progress
 */
#ifndef SSDC_SIM_SWEEP_H
#define SSDC_SIM_SWEEP_H

#include <jansson.h>
#include "../common/options.h"
#include "options.h"
#include "trace.h"

/**
 * struct sweep_axis - an option with several values
 * @def: the option
 * @values: its values, each different
 * @nr: how many
 */
struct sweep_axis {
	const struct option_def *def;
	char **values;
	size_t nr;
};

/**
 * struct sweep - a sweep
 * @axes: options with values; a cell has one value of each. The last one changes fastest
 * @nr_axes: how many
 * @nr_cells: product of all @nr
 * @common: options that all cells share, as words of a command line
 * @nr_common: how many
 * @traces: names of the traces
 * @nr_traces: how many
 * @workload: requests, shared by all cells
 * @borrowed: the caller owns @workload
 * @workload_id: a hash of @workload, in hexadecimal digits
 * @directory: for the results
 * @jobs: processes at a time
 * @rows: results by cell; NULL: not yet done
 */
struct sweep {
	struct sweep_axis *axes;
	size_t nr_axes;
	size_t nr_cells;
	char **common;
	int nr_common;
	char **traces;
	int nr_traces;
	struct sim_workload workload;
	bool borrowed;
	char workload_id[17];
	const char *directory;
	unsigned int jobs;
	json_t **rows;
};

int sweep_main(int argc, char **argv, const struct sim_workload *workload);
const char *sweep_value(const struct sweep *sweep, size_t cell, size_t axis);
void sweep_cell_options(const struct sweep *sweep, size_t cell, struct sim_options *options);
char *sweep_cell_key(const struct sweep *sweep, size_t cell);
char *sweep_command(const struct sweep *sweep, size_t cell);

void sweep_axis_add(struct sweep_axis *axis, const char *list);
void sweep_axis_free(struct sweep_axis *axis);

struct sweep_journal;
struct sweep_journal *sweep_journal_open(struct sweep *sweep);
void sweep_journal_add(struct sweep_journal *journal, size_t cell, json_t *row);
void sweep_journal_close(struct sweep_journal *journal);

enum sweep_end { SWEEP_DONE, SWEEP_SOME_FAILED, SWEEP_INTERRUPTED };
enum sweep_end sweep_work(struct sweep *sweep, struct sweep_journal *journal);

#endif /* SSDC_SIM_SWEEP_H */
