/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ssdcache-sim: the engine of the "ssdcache" target driven by a trace and an
 * event queue instead of bios and a clock.
 *
 *	main.c		from options to exit code
 *	options.c	command line
 *	plugin.c	--plugin: policies in shared objects
 *	describe.c	--describe: the descriptor tables as JSON or reStructuredText
 *	input.c		files, plain or compressed, line by line
 *	trace.c		requests of all traces, merged by time
 *	trace-msr.c	MSR Cambridge CSV
 *	trace-capture.c	the project's own capture format
 *	events.c	event queue
 *	opt.c		the policy that knows the future (future.c, number-set.c)
 *	driver.c	the driver's side of the engine's contract, in simulated time
 *	direct.c	--no-cache: the flash device alone
 *	model.c		--verify: what each sector may hold
 *	image.c		--verify: what DRAM and the origin do hold
 *	decisions.c	--log-decisions
 *	series.c	--series
 *	report.c	results as text or JSON
 *
 * Exit codes: 0 success, 1 the run failed, 2 bad usage or bad trace.
 */
#ifndef SSDC_SIM_H
#define SSDC_SIM_H

#include <stdio.h>
#include <linux/kernel.h>
#include "../../dm-ssdcache/engine/engine.h"

#define SIM_VERSION "1.0"

enum { SIM_OK, SIM_FAILED, SIM_BAD_USAGE };

/* Say "ssdcache-sim: …" on stderr and exit with @status. */
void sim_die(int status, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3), __noreturn__));

/* malloc(), calloc() and realloc() that end the program when there is no memory. */
void *sim_alloc(size_t size);
void *sim_zalloc(size_t nr, size_t size);
void *sim_realloc(void *memory, size_t nr, size_t size);

/* CPU time that this program has had. */
double sim_cpu_seconds(void);

#endif /* SSDC_SIM_H */
