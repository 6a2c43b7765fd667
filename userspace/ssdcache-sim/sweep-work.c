// SPDX-License-Identifier: GPL-2.0
/*
 * Each cell runs in a process of its own, forked when the workload is in memory: all share its pages,
 * and a cell that fails harms no other. The process writes its row to a file in memory, and its
 * messages to another one.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "../../dm-ssdcache/version.h"
#include "report.h"
#include "run.h"
#include "sweep.h"

#define BAR_WIDTH	24
/* Least time between two lines of progress. */
#define LINE_S		5

/**
 * struct worker - a process
 * @pid: 0: none
 * @cell: what it runs
 * @row_fd: file in memory for the result
 * @text_fd: file in memory for messages
 */
struct worker {
	pid_t pid;
	size_t cell;
	int row_fd;
	int text_fd;
};

/**
 * struct work - a sweep being run
 * @sweep: sweep
 * @journal: for the results
 * @workers: processes, as many as jobs
 * @signals: those that end the wait for a process
 * @next: cell to start next
 * @done: cells that have a row
 * @before: cells that had one at the start
 * @failed: cells that failed
 * @start_s: time of the start
 * @terminal: show a bar
 * @shown: without a terminal: tenths of the work at the last line
 * @shown_s: without a terminal: time of the last line
 */
struct work {
	struct sweep *sweep;
	struct sweep_journal *journal;
	struct worker *workers;
	sigset_t signals;
	size_t next;
	size_t done;
	size_t before;
	size_t failed;
	double start_s;
	bool terminal;
	unsigned int shown;
	double shown_s;
};

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* "95 s", "12 min", "7.5 h" */
static void print_time(char *text, size_t size, double seconds)
{
	if (seconds < 120)
		snprintf(text, size, "%.0f s", seconds);
	else if (seconds < 7200)
		snprintf(text, size, "%.0f min", seconds / 60);
	else
		snprintf(text, size, "%.1f h", seconds / 3600);
}

static void show_progress(struct work *work)
{
	size_t all = work->sweep->nr_cells, ended = work->done + work->failed, new = ended - work->before;
	double now = now_s(), spent_s = now - work->start_s;
	unsigned int tenths = ended * 10 / all, i;
	char spent[32], left[32] = "?";

	if (!work->terminal && (tenths == work->shown || now < work->shown_s + LINE_S))
		return;
	work->shown = tenths;
	work->shown_s = now;
	print_time(spent, sizeof(spent), spent_s);
	if (new)
		print_time(left, sizeof(left), spent_s / new * (all - ended));
	if (!work->terminal) {
		fprintf(stderr, "ssdcache-sim: %zu of %zu cells, %s, %s left\n", ended, all, spent, left);
		return;
	}
	fputs("\r[", stderr);
	for (i = 0; i < BAR_WIDTH; i++)
		fputc(i < ended * BAR_WIDTH / all ? '#' : '.', stderr);
	fprintf(stderr, "] %zu of %zu cells, %s, %s left\033[K", ended, all, spent, left);
	if (work->failed)
		fprintf(stderr, ", %zu failed", work->failed);
}

static void clear_progress(const struct work *work)
{
	if (work->terminal)
		fputs("\r\033[K", stderr);
}

/* In the process of a cell. */
static void __attribute__((__noreturn__)) run_cell(struct sweep *sweep, const struct worker *worker)
{
	struct sim_options options;
	char *command, *key;
	struct sim_run run;
	json_t *row;

	sweep_cell_options(sweep, worker->cell, &options);
	sim_run(&run, &options, &sweep->workload);
	command = sweep_command(sweep, worker->cell);
	key = sweep_cell_key(sweep, worker->cell);
	row = json_pack("{s:s, s:s, s:s, s:s, s:o}", "version", SSDC_VERSION, "workload",
			sweep->workload_id, "options", key, "command", command, "result",
			sim_report_json(run.e, run.flash, &options, &sweep->workload,
					run.simulated_ns, false));
	if (!row || json_dumpfd(row, worker->row_fd, JSON_COMPACT | JSON_PRESERVE_ORDER))
		die(TOOL_FAILED, "no memory");
	_exit(TOOL_OK);
}

static int memory_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0)
		die(TOOL_FAILED, "cannot make a file in memory: %s", strerror(errno));
	return fd;
}

static void start_cell(struct work *work, struct worker *worker)
{
	pid_t parent = getpid();

	worker->cell = work->next++;
	worker->row_fd = memory_file("row");
	worker->text_fd = memory_file("messages");
	worker->pid = fork();
	if (worker->pid < 0)
		die(TOOL_FAILED, "cannot start a process: %s", strerror(errno));
	if (worker->pid)
		return;
	/* It ends with its parent, however that ends. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigprocmask(SIG_UNBLOCK, &work->signals, NULL);
	if (getppid() != parent || dup2(worker->text_fd, STDERR_FILENO) < 0)
		_exit(TOOL_FAILED);
	run_cell(work->sweep, worker);
}

/* All that is in a file in memory, to be freed. */
static char *contents(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END), at = 0;
	char *text = xmalloc(size + 1);
	ssize_t nr;

	while (at < size && (nr = pread(fd, text + at, size - at, at)) > 0)
		at += nr;
	text[at] = '\0';
	return text;
}

/* The cell keeps no row, so the next run of the sweep tries again. */
static void cell_failed(struct work *work, const struct worker *worker, int status)
{
	char *command = sweep_command(work->sweep, worker->cell), *text = contents(worker->text_fd);

	clear_progress(work);
	if (WIFSIGNALED(status))
		warn("a cell was ended by signal %d (%s): %s", WTERMSIG(status),
		     strsignal(WTERMSIG(status)), command);
	else
		warn("a cell failed: %s", command);
	fputs(text, stderr);
	work->failed++;
	free(command);
	free(text);
}

static void cell_ended(struct work *work, struct worker *worker, int status,
		       const struct rusage *usage)
{
	json_t *row = NULL;
	char *text;

	if (!status) {
		text = contents(worker->row_fd);
		row = json_loads(text, 0, NULL);
		free(text);
	}
	if (row) {
		json_object_set_new(row, "cpu_s", json_real(
			usage->ru_utime.tv_sec + usage->ru_stime.tv_sec +
			(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6));
		json_object_set_new(row, "max_rss_kib", json_integer(usage->ru_maxrss));
		sweep_journal_add(work->journal, worker->cell, row);
		work->done++;
	} else {
		cell_failed(work, worker, status);
	}
	close(worker->row_fd);
	close(worker->text_fd);
	worker->pid = 0;
}

/* Take the results of all processes that have ended. Returns whether there was one. */
static bool reap(struct work *work)
{
	struct rusage usage;
	bool any = false;
	unsigned int i;
	int status;
	pid_t pid;

	while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0) {
		for (i = 0; i < work->sweep->jobs; i++)
			if (work->workers[i].pid == pid)
				cell_ended(work, &work->workers[i], status, &usage);
		any = true;
	}
	return any;
}

/* Start cells while there are free workers. Returns how many processes run. */
static unsigned int start_cells(struct work *work)
{
	const struct sweep *sweep = work->sweep;
	unsigned int i, busy = 0;

	for (i = 0; i < sweep->jobs; i++) {
		while (work->next < sweep->nr_cells && sweep->rows[work->next])
			work->next++;
		if (!work->workers[i].pid && work->next < sweep->nr_cells)
			start_cell(work, &work->workers[i]);
		busy += work->workers[i].pid != 0;
	}
	return busy;
}

static void stop_cells(struct work *work)
{
	unsigned int i;

	for (i = 0; i < work->sweep->jobs; i++) {
		if (!work->workers[i].pid)
			continue;
		kill(work->workers[i].pid, SIGKILL);
		waitpid(work->workers[i].pid, NULL, 0);
	}
}

/* Returns false when a signal asks for the end. */
static bool wait_for_cells(struct work *work)
{
	const struct timespec second = { .tv_sec = 1 };
	int signal;

	while (!reap(work)) {
		signal = sigtimedwait(&work->signals, NULL, &second);
		if (signal > 0 && signal != SIGCHLD)
			return false;
		show_progress(work);
	}
	return true;
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
	struct work work = { .sweep = sweep, .journal = journal, .start_s = now_s(),
			     .terminal = isatty(STDERR_FILENO) };
	bool go_on = true;
	size_t i;

	for (i = 0; i < sweep->nr_cells; i++)
		work.before += sweep->rows[i] != NULL;
	work.done = work.before;
	work.shown = work.done * 10 / sweep->nr_cells;
	work.shown_s = work.start_s;
	work.workers = xcalloc(sweep->jobs, sizeof(*work.workers));
	sigemptyset(&work.signals);
	sigaddset(&work.signals, SIGCHLD);
	sigaddset(&work.signals, SIGINT);
	sigaddset(&work.signals, SIGTERM);
	sigaddset(&work.signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &work.signals, NULL);
	while (go_on && start_cells(&work)) {
		go_on = wait_for_cells(&work);
		show_progress(&work);
	}
	clear_progress(&work);
	stop_cells(&work);
	sigprocmask(SIG_UNBLOCK, &work.signals, NULL);
	free(work.workers);
	if (!go_on)
		return SWEEP_INTERRUPTED;
	return work.failed ? SWEEP_SOME_FAILED : SWEEP_DONE;
}
