/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libssdcache-sim: the simulator for programs in other languages, such as the Python package in
 * ../python.
 */
#ifndef SSDC_SIM_LIBRARY_H
#define SSDC_SIM_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

/**
 * enum ssdcache_sim_job - what a process does
 * @SSDCACHE_SIM_LOAD: writes the number of requests, the sectors of the smallest origin, a hash of the
 *	requests (three uint64_t) and the requests (struct sim_record)
 * @SSDCACHE_SIM_RUN: runs requests, and writes the report as JSON
 * @SSDCACHE_SIM_SWEEP: runs them with several values of options; writes a line of JSON for each cell that
 *	failed, {"failed": OPTIONS, "reason": TEXT}, and for each warning, {"warning": TEXT}
 * @SSDCACHE_SIM_DESCRIBE: writes the descriptor tables as JSON
 * @SSDCACHE_SIM_CELLS: writes the cells of the command line of a sweep as lines of JSON (sweep-list.c)
 * @SSDCACHE_SIM_PROGRAM: the program ssdcache-sim
 */
enum ssdcache_sim_job {
	SSDCACHE_SIM_LOAD,
	SSDCACHE_SIM_RUN,
	SSDCACHE_SIM_SWEEP,
	SSDCACHE_SIM_DESCRIBE,
	SSDCACHE_SIM_CELLS,
	SSDCACHE_SIM_PROGRAM,
};

/* Exit code of a sweep of which some cells failed. */
#define SSDCACHE_SIM_SOME_FAILED	3

int ssdcache_sim_start(int job, int argc, char **argv, const void *records, size_t nr, uint64_t sectors,
		       const char *loaded, int out, int err, int *pid);

/* For sweep.c. @use: enum sim_use. */
void ssdcache_sim_check_option(int job, const char *name, int use);

#endif /* SSDC_SIM_LIBRARY_H */
