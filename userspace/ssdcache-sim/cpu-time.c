// SPDX-License-Identifier: GPL-2.0
#include <time.h>
#include "sim.h"

/* CPU time of this process, not of the machine, which may be shared. */
double sim_cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}
