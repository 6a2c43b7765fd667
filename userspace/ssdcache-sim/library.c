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
#include <sys/prctl.h>
#include <unistd.h>
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

static void load(int argc, char **argv)
{
	struct sim_workload workload;
	struct sim_options options;
	uint64_t head[2];

	sim_options_parse(&options, argc, argv);
	sim_workload_read(&workload, options.traces, options.nr_traces, &options.plan);
	head[0] = workload.nr;
	head[1] = workload.sectors;
	fwrite(head, sizeof(head), 1, stdout);
	fwrite(workload.records, sizeof(*workload.records), workload.nr, stdout);
}

static void run(int argc, char **argv, struct sim_workload *workload)
{
	struct sim_options options;
	struct sim_run result;
	json_t *report;

	sim_options_parse(&options, argc, argv);
	sim_run(&result, &options, workload);
	report = sim_report_json(result.e, result.flash, &options, workload, result.simulated_ns, true);
	if (json_dumpf(report, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER))
		output_failed(errno);
}

static void __attribute__((__noreturn__)) work(int job, int argc, char **argv,
					       struct sim_workload *workload)
{
	int status = TOOL_OK;

	program_invocation_short_name = "ssdcache-sim";
	if (ssdc_type_register(&sim_opt.plugin))
		die(TOOL_FAILED, "internal error: %s cannot be registered",
		    sim_opt.plugin.info.name);
	switch (job) {
	case SSDCACHE_SIM_LOAD:
		load(argc, argv);
		break;
	case SSDCACHE_SIM_RUN:
		run(argc, argv, workload);
		break;
	case SSDCACHE_SIM_SWEEP:
		status = sweep_main(argc, argv, workload);
		break;
	case SSDCACHE_SIM_DESCRIBE:
		sim_describe_json(stdout);
		break;
	}
	exit(end_of_output() ? status : TOOL_FAILED);
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
 * @out: file descriptor for the output
 * @err: file descriptor for messages
 *
 * Return: the process, to be waited for, which ends with the exit code of ssdcache-sim; or -errno.
 */
__attribute__((__visibility__("default")))
int ssdcache_sim_start(int job, int argc, char **argv, const void *records, size_t nr, uint64_t sectors,
		       int out, int err)
{
	struct sim_workload workload = { .records = (struct sim_record *)records, .nr = nr,
					 .sectors = sectors };
	pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid < 0 ? -errno : pid;
	/* It ends with its parent, however that ends. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(TOOL_FAILED);
	__fpurge(stdout);
	on_exit(leave, NULL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	if (dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
		_exit(TOOL_FAILED);
	work(job, argc, argv, &workload);
}
