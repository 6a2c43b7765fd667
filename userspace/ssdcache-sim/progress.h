/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A line of progress on standard error while one workload is read and run, if that is a terminal that can
 * erase a line.
 */
#ifndef SSDC_SIM_PROGRESS_H
#define SSDC_SIM_PROGRESS_H

#include <signal.h>
#include <stddef.h>

extern volatile sig_atomic_t sim_progress_due;

double sim_now_s(void);
void sim_time_text(char *text, size_t size, double seconds);

void sim_progress_start(void);
void sim_progress_prepare(void);
void sim_progress_run(size_t requests);
void sim_progress_show(size_t done);
void sim_progress_end(void);

/* Called for each request: a timer sets the flag. @done: requests before this one. */
static inline void sim_progress(size_t done)
{
	if (__builtin_expect(sim_progress_due, 0))
		sim_progress_show(done);
}

#endif /* SSDC_SIM_PROGRESS_H */
