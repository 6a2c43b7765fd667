/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ssdcache-sim: the engine of the target "ssdcache", driven by traces and an event queue instead of
 * bios and a clock.
 *
 *	program.c	main() of the program; the library is built without this file
 *	main.c		from options to report
 *	run.c		the run
 *	options.c	command line
 *	options-check.c	which options go together
 *	outputs.c	files to be written are not those that are read
 *	plugin.c	--plugin: policies in shared objects
 *	plugin-check.c	--verify: the answers of these policies
 *	describe.c	--describe: the descriptor tables as JSON or reStructuredText
 *	trace.c		requests of all traces, read by ../trace
 *	events.c	event queue
 *	opt.c		the policy that knows the future (future.c, number-set.c)
 *	driver.c	the counterpart of the kernel driver, in simulated time (driver-parts.h)
 *	direct.c	--no-cache: the flash device alone
 *	model.c		--verify: which data each sector may hold
 *	image.c		--verify: the data in DRAM and on the origin
 *	decisions.c	--log-decisions
 *	series.c	--series
 *	rows.c		files of rows, for these two
 *	shadow.c	--shadow: other policies and sizes beside the run
 *	auto.c		--replacement auto: the run chooses its policies (auto-report.c)
 *	report.c	results as text or JSON
 *	sweep.c		the product of several values of options (sweep.h)
 *	advise.c	which policies suit a workload (advise.h)
 *	pool.c		runs in processes of their own, for both
 *	library.c	libssdcache-sim, for other languages
 *	progress.c	the line that a run shows on a terminal
 *	cpu-time.c	for --speed and --time-steps
 */
#ifndef SSDC_SIM_H
#define SSDC_SIM_H

#include <stdio.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include "../../dm-ssdcache/engine/engine.h"
#include "../common/memory.h"
#include "../common/say.h"

/* Sectors of all disks, and the end of time: sums, and times plus latencies, are far from 2^64. */
#define SIM_MAX_SECTORS	(1ULL << 54)
#define SIM_MAX_NS	(1ULL << 62)

/* Returns @ns; ends the program after the end of time. */
static inline u64 sim_checked_ns(u64 ns)
{
	if (ns > SIM_MAX_NS)
		die(TOOL_FAILED, "the simulated time exceeds %llu ns", SIM_MAX_NS);
	return ns;
}

/* The exit code if something cannot be created: is memory short, or are the parameters wrong? */
static inline int sim_creation_code(void)
{
	return ssdc_shim_failed_allocs ? TOOL_FAILED : TOOL_BAD_USAGE;
}

int sim_main(int argc, char **argv);

/* CPU time this process has used, in seconds. */
double sim_cpu_seconds(void);

#endif /* SSDC_SIM_H */
