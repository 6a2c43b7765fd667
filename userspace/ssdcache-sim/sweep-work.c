// SPDX-License-Identifier: GPL-2.0
/*
 * Each cell runs in a process of its own (pool.c). Its result is a row.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "../../dm-ssdcache/version.h"
#include "pool.h"
#include "report.h"
#include "run.h"
#include "sweep.h"
#include "sweep-device.h"

/**
 * struct work - a sweep being run
 * @sweep: sweep
 * @journal: for the results
 * @devices: of the cells
 * @said: warnings that were shown
 * @progress: what is shown
 */
struct work {
	struct sweep *sweep;
	struct sweep_journal *journal;
	struct sweep_devices devices;
	json_t *said;
	struct sweep_progress progress;
};

/* The memory of this process alone and of what it shares with its parent, without files. */
static long memory_kib(void)
{
	unsigned long resident = 0, shared = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (!file || fscanf(file, "%*u %lu %lu", &resident, &shared) != 2)
		die(TOOL_FAILED, "/proc/self/statm: %s", strerror(errno));
	fclose(file);
	return (long)(resident - shared) * (sysconf(_SC_PAGESIZE) / 1024);
}

/*
 * In the process of a cell. What the run takes from memory that the parent had freed is not counted. A device that
 * the parent has made counts whole.
 */
static void run_cell(void *owner, size_t cell)
{
	struct work *work = owner;
	const struct sim_device *device = &work->devices.device;
	struct sweep *sweep = work->sweep;
	char *command = sweep_command(sweep, cell), *key = sweep_cell_key(sweep, cell), *text;
	long before_kib = memory_kib(), after_kib;
	struct sim_options options;
	struct sim_run run;
	json_error_t error;
	json_t *row;
	int nr;

	sweep_cell_options(sweep, cell, &options, &nr);
	options.device = device;
	sim_run(&run, &options, &sweep->workload);
	after_kib = memory_kib();
	if (run.flash && run.flash == device->flash)
		after_kib += ssdf_memory_bytes(&device->params) / 1024;
	row = json_pack_ex(&error, 0, "{s:s, s:s, s:s, s:s, s:s, s:o, s:f, s:I}", "version",
			   SSDC_VERSION, "code", sweep->code_id, "workload", sweep->workload_id,
			   "options", key, "command", command, "result",
			   sim_report_json(run.e, run.flash, &options, &sweep->workload,
					   run.simulated_ns, false),
			   "cpu_s", sim_cpu_seconds(),
			   "memory_kib", (json_int_t)max(after_kib - before_kib, 0L));
	sim_run_check_changes(&run, &options);
	if (!row)
		die(TOOL_FAILED, "internal error: the row cannot be made: %s", error.text);
	text = json_dumps(row, JSON_COMPACT | JSON_PRESERVE_ORDER);
	if (!text)
		die(TOOL_FAILED, "internal error: the row cannot be written as JSON");
	sim_pool_write(text, strlen(text));
}

static bool next_cell(void *owner, size_t *cell)
{
	return sweep_devices_next(&((struct work *)owner)->devices, cell);
}

static void prepare_cell(void *owner, size_t cell)
{
	sweep_devices_make(&((struct work *)owner)->devices, cell);
}

/* The cell keeps no row, so the next run of the sweep tries again. */
static void cell_failed(void *owner, size_t cell, const char *reason)
{
	struct work *work = owner;

	sweep_progress_clear(&work->progress);
	sweep_say_failed(work->sweep, cell, reason);
	work->progress.failed++;
	work->progress.ended++;
}

/* Many cells say the same: each line is shown once. */
static void show_warnings(struct work *work, char *text)
{
	char *line;

	while ((line = strsep(&text, "\n"))) {
		if (!*line || json_object_get(work->said, line))
			continue;
		json_object_set_new(work->said, line, json_true());
		sweep_progress_clear(&work->progress);
		sweep_say_warning(work->sweep, line);
	}
}

static void cell_done(void *owner, size_t cell, const char *row, size_t len, char *said)
{
	struct work *work = owner;

	sweep_journal_add(work->journal, cell, row, len);
	show_warnings(work, said);
	work->progress.ended++;
}

static void show_progress(void *owner)
{
	sweep_progress_show(&((struct work *)owner)->progress);
}

size_t sweep_rows_done(const struct sweep *sweep)
{
	size_t cell, done = 0;

	for (cell = 0; cell < sweep->nr_cells; cell++)
		done += sweep->rows[cell] != 0;
	return done;
}

/**
 * sweep_work() - run all cells that have no row
 * @sweep: sweep
 * @journal: for the results
 *
 * Return: whether all cells are done, some failed, or SIGINT, SIGTERM or SIGHUP came.
 */
enum sweep_end sweep_work(struct sweep *sweep, struct sweep_journal *journal)
{
	static const struct sim_pool_ops ops = {
		next_cell, prepare_cell, run_cell, cell_done, cell_failed, show_progress
	};
	struct work work = { .sweep = sweep, .journal = journal, .said = json_object() };
	bool all;

	sweep_devices_start(&work.devices, sweep);
	sweep_progress_start(&work.progress, "cells", sweep->nr_cells, sweep_rows_done(sweep));
	all = sim_pool_run(&ops, &work, sweep->jobs);
	sweep_progress_clear(&work.progress);
	json_decref(work.said);
	sweep_devices_free(&work.devices);
	if (!all)
		return SWEEP_INTERRUPTED;
	return work.progress.failed ? SWEEP_SOME_FAILED : SWEEP_DONE;
}
