/* SPDX-License-Identifier: GPL-2.0 */
/*
 * "ssdcache-sim sweep": one workload, the product of several values of options.
 *
 *	sweep.c		command line; the whole sweep
 *	sweep-axis.c	options with several values
 *	sweep-cell.c	options and command of a cell
 *	sweep-id.c	hashes of code and workload
 *	sweep-journal.c	rows that are done: cells.jsonl
 *	sweep-csv.c	the same as a table: cells.csv
 *	sweep-work.c	processes, one for each cell
 *	sweep-device.c	flash devices that cells share
 *	sweep-show.c	progress and messages
 *	sweep-plot.c	the page of --plot
 *	sweep-list.c	the cells as JSON, for other programs that run them
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
 * struct sweep_option - an option that all cells share
 * @def: the option
 * @value: its value, or NULL
 */
struct sweep_option {
	const struct option_def *def;
	const char *value;
};

/**
 * struct sweep - a sweep
 * @axes: options with values; a cell has one value of each. The last one changes fastest
 * @nr_axes: how many
 * @nr_cells: product of all @nr
 * @common: options that all cells share
 * @nr_common: how many
 * @traces: names of the traces
 * @nr_traces: how many
 * @workload: requests, shared by all cells
 * @library: the caller of the library owns @workload, and wants messages as JSON on standard output
 * @loaded: with @library: the options that @workload was loaded with; NULL: it comes from no files
 * @workload_id: a hash of @workload, in hexadecimal digits
 * @code_id: identifies the code of simulator and plug-ins
 * @directory: for the results
 * @jobs: processes at a time; 0: as many as there are CPUs
 * @plot: name of a page to make, or NULL
 * @page_tool: program that makes the page
 * @command: the command line of the sweep, for the page
 * @rows: of each cell, 1 + the offset of its row in the journal; 0: not yet done
 */
struct sweep {
	struct sweep_axis *axes;
	size_t nr_axes;
	size_t nr_cells;
	struct sweep_option *common;
	size_t nr_common;
	char **traces;
	int nr_traces;
	struct sim_workload workload;
	bool library;
	const char *loaded;
	char workload_id[17];
	char *code_id;
	const char *directory;
	unsigned int jobs;
	const char *plot;
	char *page_tool;
	char *command;
	u64 *rows;
};

int sweep_main(int argc, char **argv);
int sweep_borrowed(int argc, char **argv, const struct sim_workload *workload, const char *loaded);
void sweep_print_cells(int argc, char **argv);

const char *sweep_value(const struct sweep *sweep, size_t cell, size_t axis);
char **sweep_cell_options(const struct sweep *sweep, size_t cell, struct sim_options *options, int *nr);
void sweep_free_words(char **words, int nr);
char *sweep_cell_key(const struct sweep *sweep, size_t cell);
char *sweep_command(const struct sweep *sweep, size_t cell);
char *sweep_command_of_run(int argc, char **argv, bool library, const char *loaded);
char *sweep_command_line(int argc, char **argv);
char *sweep_words(char **words, int nr);
void sweep_option_table(struct option_def *defs, const struct option_def *own,
			bool (*takes)(const struct option_def *def));
typedef void sweep_take_fn(struct sweep *sweep, const struct option_def *def, const char *value);
void sweep_read_command_line(struct sweep *sweep, const char *verb, const struct option_def *defs, int argc,
			     char **argv, sweep_take_fn *take, void (*help)(const struct option_def *defs));
void sweep_check(const struct sweep *sweep, struct trace_plan *plan);

struct sweep_axis *sweep_axis_of(struct sweep *sweep, const struct option_def *def);
void sweep_take_common(struct sweep *sweep, const struct option_def *def, const char *value);
bool sweep_axis_is_list(const struct option_def *def, const char *value);
void sweep_axis_add(struct sweep_axis *axis, const char *list);
int sweep_axis_width(const struct sweep_axis *axis, size_t least);
void sweep_axis_free(struct sweep_axis *axis);

#define SWEEP_HASH	0xcbf29ce484222325ULL
u64 sweep_hash(u64 hash, const void *data, size_t len);
u64 sweep_workload_hash(const struct sim_workload *workload);
void sweep_identify(struct sweep *sweep);

struct sweep_journal;
void sweep_journal_check(const struct sweep *sweep);
struct sweep_journal *sweep_journal_open(struct sweep *sweep);
void sweep_journal_add(struct sweep_journal *journal, size_t cell, const char *row, size_t len);
u64 sweep_journal_others(const struct sweep_journal *journal);
json_t *sweep_journal_row(struct sweep_journal *journal, size_t cell);
void sweep_journal_close(struct sweep_journal *journal);
char *sweep_path(const struct sweep *sweep, const char *name);

void sweep_csv_write(const struct sweep *sweep, struct sweep_journal *journal);

enum sweep_end { SWEEP_DONE, SWEEP_SOME_FAILED, SWEEP_INTERRUPTED };
enum sweep_end sweep_work(struct sweep *sweep, struct sweep_journal *journal);
size_t sweep_rows_done(const struct sweep *sweep);

/**
 * struct sweep_progress - what is shown while cells run, or other jobs
 * @what: what they are
 * @all: cells
 * @before: cells that had a row at the start
 * @ended: cells that have a row, or failed
 * @failed: cells that failed
 * @start_s: time of the start
 * @terminal: show a bar
 * @shown: without a terminal: tenths of the work at the last line
 * @shown_s: without a terminal: time of the last line
 */
struct sweep_progress {
	const char *what;
	size_t all;
	size_t before;
	size_t ended;
	size_t failed;
	double start_s;
	bool terminal;
	unsigned int shown;
	double shown_s;
};

void sweep_progress_start(struct sweep_progress *progress, const char *what, size_t all, size_t before);
void sweep_progress_show(struct sweep_progress *progress);
void sweep_progress_clear(const struct sweep_progress *progress);
void sweep_say_failed(const struct sweep *sweep, size_t cell, const char *reason);
void sweep_say_warning(const struct sweep *sweep, const char *text);
void sweep_print_table(const struct sweep *sweep, struct sweep_journal *journal);

void sweep_plot_check(struct sweep *sweep);
bool sweep_page(const struct sweep *sweep, const char *file);
bool sweep_plot_make(const struct sweep *sweep);
void sweep_list(const struct sweep *sweep);

#endif /* SSDC_SIM_SWEEP_H */
