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
 * @SSDCACHE_SIM_LOAD: writes the number of requests, the sectors of the smallest origin (two uint64_t)
 *	and the requests (struct sim_record)
 * @SSDCACHE_SIM_RUN: runs requests, and writes the report as JSON
 * @SSDCACHE_SIM_SWEEP: runs them with several values of options
 * @SSDCACHE_SIM_DESCRIBE: writes the descriptor tables as JSON
 */
enum ssdcache_sim_job {
	SSDCACHE_SIM_LOAD,
	SSDCACHE_SIM_RUN,
	SSDCACHE_SIM_SWEEP,
	SSDCACHE_SIM_DESCRIBE,
};

int ssdcache_sim_start(int job, int argc, char **argv, const void *records, size_t nr, uint64_t sectors,
		       int out, int err);

#endif /* SSDC_SIM_LIBRARY_H */
