// SPDX-License-Identifier: GPL-2.0
/*
 * What a sweep shows: progress on standard error, the cells that failed, and a table.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "progress.h"
#include "report.h"
#include "sweep.h"

#define BAR_WIDTH	24
/* Least time between two lines of progress. */
#define LINE_S		5
/* The least width of a column with the values of an option. */
#define AXIS_WIDTH	24
#define TABLE_CELLS	100

void sweep_progress_start(struct sweep_progress *progress, const char *what, size_t all, size_t before)
{
	double now = sim_now_s();

	*progress = (struct sweep_progress) {
		.what = what, .all = all, .before = before, .ended = before, .start_s = now, .shown_s = now,
		.terminal = can_redraw(STDERR_FILENO), .shown = before * 10 / all,
	};
}

void sweep_progress_show(struct sweep_progress *progress)
{
	size_t all = progress->all, ended = progress->ended, new = ended - progress->before;
	double now = sim_now_s(), spent_s = now - progress->start_s;
	unsigned int tenths = ended * 10 / all, i;
	char spent[32], left[32] = "?";

	if (!progress->terminal && (tenths == progress->shown || now < progress->shown_s + LINE_S))
		return;
	progress->shown = tenths;
	progress->shown_s = now;
	sim_time_text(spent, sizeof(spent), spent_s);
	if (new)
		sim_time_text(left, sizeof(left), spent_s / new * (all - ended));
	if (!progress->terminal) {
		fprintf(stderr, "ssdcache-sim: %zu of %zu %s, %s, %s left\n", ended, all, progress->what,
			spent, left);
		return;
	}
	fputs("\r[", stderr);
	for (i = 0; i < BAR_WIDTH; i++)
		fputc(i < ended * BAR_WIDTH / all ? '#' : '.', stderr);
	fprintf(stderr, "] %zu of %zu %s, %s, %s left\033[K", ended, all, progress->what, spent, left);
	if (progress->failed)
		fprintf(stderr, ", %zu failed", progress->failed);
}

void sweep_progress_clear(const struct sweep_progress *progress)
{
	if (progress->terminal)
		fputs("\r\033[K", stderr);
}

/* For the library's caller: a line of JSON. Cells inherit no output that is not written. */
static void say_json(json_t *message)
{
	if (!message || json_dumpf(message, stdout, JSON_COMPACT) || putchar('\n') < 0 || fflush(stdout))
		die(TOOL_FAILED, "cannot report what a cell said");
	json_decref(message);
}

/**
 * sweep_say_failed() - say which cell has failed
 * @sweep: sweep
 * @cell: its number
 * @reason: one or more lines
 */
void sweep_say_failed(const struct sweep *sweep, size_t cell, const char *reason)
{
	char *options = sweep_cell_key(sweep, cell);

	if (sweep->library)
		say_json(json_pack("{s:s, s:o}", "failed", options, "reason", sim_json_text(reason)));
	else
		fprintf(stderr, "ssdcache-sim: a cell failed: %s\n%s%s", options, reason,
			*reason && reason[strlen(reason) - 1] != '\n' ? "\n" : "");
	free(options);
}

/**
 * sweep_say_warning() - pass on what a cell has said that has not failed
 * @sweep: sweep
 * @text: a line, without its end
 */
void sweep_say_warning(const struct sweep *sweep, const char *text)
{
	if (sweep->library)
		say_json(json_pack("{s:o}", "warning", sim_json_text(text)));
	else
		fprintf(stderr, "%s\n", text);
}

/* A number of a result, by its path; NULL: there is none. */
static const json_t *number_at(const json_t *row, const char *path)
{
	const json_t *at = json_object_get(row, "result");
	char name[32];
	size_t len;

	for (; at && *path; path += len + (path[len] == '.')) {
		len = strcspn(path, ".");
		snprintf(name, sizeof(name), "%.*s", (int)len, path);
		at = json_object_get(at, name);
	}
	return json_is_number(at) ? at : NULL;
}

static void print_number(const json_t *number, int width, int digits, double scale)
{
	if (number)
		printf(" %*.*f", width, digits, json_number_value(number) / scale);
	else
		printf(" %*s", width, "-");
}

/* The mean latency, in us. A row has 0 if there was no such request, which is no latency. */
static void print_mean(const json_t *row, bool cache, const char *op)
{
	const char *where = cache ? "" : "flash.";
	const json_t *mean = NULL;
	char path[64];

	snprintf(path, sizeof(path), "%slatency.%s.count", where, op);
	if (json_number_value(number_at(row, path))) {
		snprintf(path, sizeof(path), "%slatency.%s.mean_ns", where, op);
		mean = number_at(row, path);
	}
	print_number(mean, 14, 3, 1e3);
}

static void print_axes(const struct sweep *sweep, size_t cell, bool heading)
{
	size_t axis;

	for (axis = 0; axis < sweep->nr_axes; axis++)
		if (sweep->axes[axis].nr > 1)
			printf("%-*s ", sweep_axis_width(&sweep->axes[axis], AXIS_WIDTH),
			       heading ? sweep->axes[axis].def->name : sweep_value(sweep, cell, axis));
}

/* Rows of a cache have ratios. A cell that failed has no row. */
static bool has_cache(const struct sweep *sweep, struct sweep_journal *journal)
{
	bool cache = false;
	size_t cell;
	json_t *row;

	for (cell = 0; cell < sweep->nr_cells && !sweep->rows[cell]; cell++)
		;
	if (cell < sweep->nr_cells) {
		row = sweep_journal_row(journal, cell);
		cache = json_object_get(json_object_get(row, "result"), "ratios");
		json_decref(row);
	}
	return cache;
}

/**
 * sweep_print_table() - print the most wanted figures of each cell, or say that there are too many cells
 * @sweep: sweep, of which a cell is done
 * @journal: its results
 *
 * A cell that failed has "-" for each figure; so has the mean of no requests.
 */
void sweep_print_table(const struct sweep *sweep, struct sweep_journal *journal)
{
	bool cache = has_cache(sweep, journal);
	size_t cell;
	json_t *row;

	if (sweep->nr_cells > TABLE_CELLS) {
		fprintf(stderr, "ssdcache-sim: table left out: %zu cells; see %s/cells.csv\n", sweep->nr_cells, sweep->directory);
		return;
	}
	print_axes(sweep, 0, true);
	printf(cache ? " %9s %14s %14s %16s\n" : "%.0s %14s %14s%.0s\n", "hit ratio", "read mean us", "write mean us", "flushed/written");
	for (cell = 0; cell < sweep->nr_cells; cell++) {
		row = sweep_journal_row(journal, cell);
		print_axes(sweep, cell, false);
		if (cache)
			print_number(number_at(row, "ratios.hit"), 9, 4, 1);
		print_mean(row, cache, "read");
		print_mean(row, cache, "write");
		if (cache)
			print_number(number_at(row, "ratios.flushed_per_written"), 16, 4, 1);
		putchar('\n');
		json_decref(row);
	}
}
