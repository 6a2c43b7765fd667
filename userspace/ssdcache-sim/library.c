// SPDX-License-Identifier: GPL-2.0
/*
 * The simulator ends its process when something is wrong, and the engine's plug-ins have global state.
 * So each job runs in a process forked from the caller's, which shares the requests and leaves the
 * caller as it was.
 */
#include <errno.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "../common/files.h"
#include "describe.h"
#include "library.h"
#include "opt.h"
#include "report.h"
#include "run.h"
#include "sweep.h"

/* Handlers that the caller has set with atexit() would find a process without its threads. */
static void leave(int status, void *unused)
{
	(void)unused;
	fflush(stdout);
	fflush(stderr);
	_exit(status);
}

/**
 * ssdcache_sim_check_option() - refuse an option that would do nothing; ends the process
 * @job: enum ssdcache_sim_job
 * @name: of the option
 * @use: what the option is for, enum sim_use
 */
void ssdcache_sim_check_option(int job, const char *name, int use)
{
	if (use == SIM_USE_PRINT)
		die(TOOL_BAD_USAGE, "--%s is for the command line only", name);
	if (job == SSDCACHE_SIM_LOAD && use != SIM_USE_LOAD)
		die(TOOL_BAD_USAGE, "--%s is for runs and sweeps, not for reading a trace", name);
	if (job != SSDCACHE_SIM_LOAD && use == SIM_USE_LOAD)
		die(TOOL_BAD_USAGE, "--%s is for reading a trace, not for runs and sweeps", name);
}

static void check_options(int job, int argc, char **argv)
{
	struct option_def defs[SIM_MAX_OPTIONS];
	struct option_reader reader;
	enum option_found found;

	sim_options_table(defs);
	options_begin(&reader, NULL, defs, argc, argv);
	while ((found = options_next(&reader)) != OPTION_LAST) {
		if (found == OPTION_BAD)
			exit(TOOL_BAD_USAGE);
		if (found == OPTION_HELP)
			ssdcache_sim_check_option(job, "help", SIM_USE_PRINT);
		if (found == OPTION_GIVEN)
			ssdcache_sim_check_option(job, reader.def->name, sim_option_use(reader.def));
	}
	options_end(&reader);
	sim_options_table_free(defs);
}

static void load(int argc, char **argv)
{
	struct sim_workload workload;
	struct sim_options options;
	uint64_t head[3];

	check_options(SSDCACHE_SIM_LOAD, argc, argv);
	sim_options_parse(&options, argc, argv);
	sim_workload_read(&workload, options.traces, options.nr_traces, &options.plan);
	head[0] = workload.nr;
	head[1] = workload.sectors;
	head[2] = sweep_workload_hash(&workload);
	fwrite(head, sizeof(head), 1, stdout);
	fwrite(workload.records, sizeof(*workload.records), workload.nr, stdout);
}

static void run(int argc, char **argv, struct sim_workload *workload, const char *loaded)
{
	char **words = xcalloc(argc, sizeof(*words));
	struct sim_options options;
	struct sim_run result;
	json_t *report;

	memcpy(words, argv, argc * sizeof(*words));
	check_options(SSDCACHE_SIM_RUN, argc, argv);
	sim_options_parse(&options, argc, argv);
	options.command = sweep_command_of_run(argc, words, true, loaded);
	free(words);
	sim_run(&result, &options, workload);
	report = sim_report_json(result.e, result.flash, &options, workload, result.simulated_ns, true);
	sim_run_check_changes(&result, &options);
	if (json_dumpf(report, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER))
		output_failed(errno);
}

static void __attribute__((__noreturn__)) work(int job, int argc, char **argv,
					       struct sim_workload *workload, const char *loaded)
{
	int status = TOOL_OK;

	program_invocation_short_name = "ssdcache-sim";
	if (job == SSDCACHE_SIM_PROGRAM)
		exit(sim_main(argc, argv));
	sim_opt_offer(true);
	switch (job) {
	case SSDCACHE_SIM_LOAD:
		load(argc, argv);
		break;
	case SSDCACHE_SIM_RUN:
		run(argc, argv, workload, loaded);
		break;
	case SSDCACHE_SIM_SWEEP:
		status = sweep_borrowed(argc, argv, workload, loaded);
		break;
	case SSDCACHE_SIM_DESCRIBE:
		sim_describe_json(stdout);
		break;
	case SSDCACHE_SIM_CELLS:
		sweep_print_cells(argc, argv);
		break;
	}
	exit(end_of_output() ? status : TOOL_FAILED);
}

/* Handlers of the caller make no sense here, but what the user has chosen to ignore (nohup) stays ignored. */
static void undo_handlers(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(signals); i++)
		if (!sigaction(signals[i], NULL, &action) && action.sa_handler != SIG_IGN)
			signal(signals[i], SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
}

/*
 * Make the caller's process that of a job. Descriptors of the caller would keep its files, pipes and locks
 * open; only names of traces may stand for some (/dev/fd/N).
 */
static void enter(int job, pid_t parent, int out, int err)
{
	/* It ends with its parent, however that ends. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(TOOL_FAILED);
	__fpurge(stdout);
	on_exit(leave, NULL);
	undo_handlers();
	if (job == SSDCACHE_SIM_PROGRAM)
		hold_standard_files();
	/* A caller whose own input and output are closed has these files in their place. */
	if (err == STDOUT_FILENO)
		err = dup(err);
	if (dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
		_exit(TOOL_FAILED);
	if (job != SSDCACHE_SIM_LOAD && job != SSDCACHE_SIM_PROGRAM)
		close_range(STDERR_FILENO + 1, ~0U, 0);
}

/**
 * ssdcache_sim_start() - start a job in a process of its own
 * @job: enum ssdcache_sim_job
 * @argc: number of words
 * @argv: words of a command line of ssdcache-sim, the first one a name
 * @records: for RUN and SWEEP: requests (struct sim_record), in order of time; the names of traces in
 *	@argv are only copied to the report
 * @nr: how many
 * @sectors: size of the smallest origin that holds them
 * @loaded: for RUN and SWEEP: the options of the LOAD that read the requests, as words for a shell; NULL: they come
 *	from no files
 * @out: file descriptor for the output
 * @err: file descriptor for messages
 * @pid: result: the process, to be waited for, which ends with the exit code of ssdcache-sim. Set before
 *	any signal is handled, so that a handler that leaves the call loses no process
 *
 * Return: 0 or -errno.
 */
__attribute__((__visibility__("default")))
int ssdcache_sim_start(int job, int argc, char **argv, const void *records, size_t nr, uint64_t sectors,
		       const char *loaded, int out, int err, int *pid)
{
	struct sim_workload workload = { .records = (struct sim_record *)records, .nr = nr,
					 .sectors = sectors };
	pid_t parent = getpid(), child;
	sigset_t all, before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	child = fork();
	error = child < 0 ? -errno : 0;
	if (child) {
		*pid = max(child, 0);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		return error;
	}
	enter(job, parent, out, err);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	work(job, argc, argv, &workload, loaded);
}
