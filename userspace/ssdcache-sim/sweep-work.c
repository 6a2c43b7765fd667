// SPDX-License-Identifier: GPL-2.0
/*
 * Each cell runs in a process of its own, forked when the workload is in memory: all share its pages,
 * and a cell that fails harms no other. The process writes its row to a file in memory, its standard
 * output, and its messages to another one.
 */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "../../dm-ssdcache/version.h"
#include "report.h"
#include "run.h"
#include "sweep.h"

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
 * @ends: those of them that end the sweep
 * @next: cell to start next
 * @said: warnings that were shown
 * @progress: what is shown
 */
struct work {
	struct sweep *sweep;
	struct sweep_journal *journal;
	struct worker *workers;
	sigset_t signals;
	sigset_t ends;
	size_t next;
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

static void write_all(const char *text)
{
	size_t left = strlen(text);
	ssize_t len;

	for (; left; left -= len, text += len) {
		len = write(STDOUT_FILENO, text, left);
		if (len < 0)
			die(TOOL_FAILED, "cannot write the result: %s", strerror(errno));
	}
}

/* In the process of a cell. What the run takes from memory that the parent had freed is not counted. */
static void __attribute__((__noreturn__)) run_cell(struct sweep *sweep, size_t cell)
{
	char *command = sweep_command(sweep, cell), *key = sweep_cell_key(sweep, cell), *text;
	long before_kib = memory_kib(), after_kib;
	struct sim_options options;
	struct sim_run run;
	json_error_t error;
	json_t *row;

	sweep_cell_options(sweep, cell, &options);
	sim_run(&run, &options, &sweep->workload);
	after_kib = memory_kib();
	row = json_pack_ex(&error, 0, "{s:s, s:s, s:s, s:s, s:s, s:o, s:f, s:I}", "version",
			   SSDC_VERSION, "code", sweep->code_id, "workload", sweep->workload_id,
			   "options", key, "command", command, "result",
			   sim_report_json(run.e, run.flash, &options, &sweep->workload,
					   run.simulated_ns, false),
			   "cpu_s", sim_cpu_seconds(),
			   "memory_kib", (json_int_t)max(after_kib - before_kib, 0L));
	if (!row)
		die(TOOL_FAILED, "internal error: the row cannot be made: %s", error.text);
	text = json_dumps(row, JSON_COMPACT | JSON_PRESERVE_ORDER);
	if (!text)
		die(TOOL_FAILED, "internal error: the row cannot be written as JSON");
	write_all(text);
	_exit(TOOL_OK);
}

static int memory_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0)
		die(TOOL_FAILED, "cannot make a file in memory: %s", strerror(errno));
	return fd;
}

/*
 * A cell keeps no descriptors of its parent: the lock of the journal is to end with the sweep. The
 * signals that end the sweep stay blocked: the parent ends its cells.
 */
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
	if (getppid() != parent || dup2(worker->row_fd, STDOUT_FILENO) < 0 ||
	    dup2(worker->text_fd, STDERR_FILENO) < 0)
		_exit(TOOL_FAILED);
	close_range(STDERR_FILENO + 1, ~0U, 0);
	run_cell(work->sweep, worker->cell);
}

/* All that is in a file in memory, to be freed. */
static char *contents(int fd, size_t *len)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *text = xmalloc(size + 1);
	ssize_t nr;

	*len = 0;
	while (*len < (size_t)size && (nr = pread(fd, text + *len, size - *len, *len)) > 0)
		*len += nr;
	text[*len] = '\0';
	return text;
}

/* The cell keeps no row, so the next run of the sweep tries again. */
static void cell_failed(struct work *work, const struct worker *worker, int status, char *text)
{
	char *reason = NULL;

	if (WIFSIGNALED(status) &&
	    asprintf(&reason, "ssdcache-sim: ended by signal %d (%s)\n%s", WTERMSIG(status),
		     strsignal(WTERMSIG(status)), text) < 0)
		die(TOOL_FAILED, "no memory");
	sweep_progress_clear(&work->progress);
	sweep_say_failed(work->sweep, worker->cell, reason ? reason : text);
	work->progress.failed++;
	free(reason);
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

static void cell_ended(struct work *work, struct worker *worker, int status)
{
	size_t row_len, text_len;
	char *row = contents(worker->row_fd, &row_len), *text = contents(worker->text_fd, &text_len);

	if (!status) {
		sweep_journal_add(work->journal, worker->cell, row, row_len);
		show_warnings(work, text);
	} else {
		cell_failed(work, worker, status, text);
	}
	work->progress.ended++;
	close(worker->row_fd);
	close(worker->text_fd);
	worker->pid = 0;
	free(row);
	free(text);
}

/* Take the results of all processes that have ended; at least one runs. Returns whether one has ended. */
static bool reap(struct work *work)
{
	bool any = false;
	unsigned int i;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (i = 0; i < work->sweep->jobs; i++)
			if (work->workers[i].pid == pid)
				cell_ended(work, &work->workers[i], status);
		any = true;
	}
	if (pid < 0 && !any)
		die(TOOL_FAILED, "cannot wait for the processes of the cells: %s", strerror(errno));
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

/* Called while cells run. What has ended keeps its row. */
static void stop_cells(struct work *work)
{
	unsigned int i;

	reap(work);
	for (i = 0; i < work->sweep->jobs; i++) {
		if (!work->workers[i].pid)
			continue;
		kill(work->workers[i].pid, SIGKILL);
		waitpid(work->workers[i].pid, NULL, 0);
	}
}

static bool wait_signal(const sigset_t *set, time_t seconds, const struct work *work)
{
	int signal = sigtimedwait(set, NULL, &(struct timespec) { .tv_sec = seconds });

	return signal > 0 && sigismember(&work->ends, signal);
}

/* Returns false when a signal asks for the end. */
static bool wait_for_cells(struct work *work)
{
	if (wait_signal(&work->ends, 0, work))
		return false;
	while (!reap(work)) {
		if (wait_signal(&work->signals, 1, work))
			return false;
		sweep_progress_show(&work->progress);
	}
	return true;
}

/*
 * Block the signals that are waited for, up to the end of the process, so that a second one does not
 * stop the writing of the results. Those that the user has chosen to ignore (nohup) stay ignored.
 */
static void take_signals(struct work *work)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action;
	size_t i;

	/* With SIGCHLD ignored, there would be nothing to wait for. */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&work->ends);
	for (i = 0; i < ARRAY_SIZE(ends); i++)
		if (!sigaction(ends[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(&work->ends, ends[i]);
	work->signals = work->ends;
	sigaddset(&work->signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &work->signals, NULL);
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
	struct work work = { .sweep = sweep, .journal = journal, .said = json_object() };
	bool go_on = true;

	sweep_progress_start(&work.progress, sweep->nr_cells, sweep_rows_done(sweep));
	work.workers = xcalloc(sweep->jobs, sizeof(*work.workers));
	take_signals(&work);
	/* A cell is not to take memory that the parent has freed. */
	malloc_trim(0);
	while (go_on && start_cells(&work)) {
		go_on = wait_for_cells(&work);
		sweep_progress_show(&work.progress);
	}
	if (!go_on)
		stop_cells(&work);
	sweep_progress_clear(&work.progress);
	json_decref(work.said);
	free(work.workers);
	if (!go_on)
		return SWEEP_INTERRUPTED;
	return work.progress.failed ? SWEEP_SOME_FAILED : SWEEP_DONE;
}
