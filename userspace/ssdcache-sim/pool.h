/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Jobs in processes of their own, forked from this one: they share its memory, and one that fails harms
 * no other. What a job writes to standard output is its result.
 */
#ifndef SSDC_SIM_POOL_H
#define SSDC_SIM_POOL_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct sim_pool_ops - what the jobs are, and what becomes of their results
 * @next: the next job to start; false: none is left
 * @prepare: before the process of a job starts; NULL: nothing to do
 * @run: in the process of the job: write the result to standard output, and return; or end the process
 *	with a message, if the job fails
 * @done: a job has ended well; @said: its messages, empty if none, which may be changed
 * @failed: a job has failed; @reason: one or more lines
 * @show: at least once a second: show progress
 */
struct sim_pool_ops {
	bool (*next)(void *owner, size_t *job);
	void (*prepare)(void *owner, size_t job);
	void (*run)(void *owner, size_t job);
	void (*done)(void *owner, size_t job, const char *result, size_t len, char *said);
	void (*failed)(void *owner, size_t job, const char *reason);
	void (*show)(void *owner);
};

unsigned int sim_pool_cpus(void);
bool sim_pool_run(const struct sim_pool_ops *ops, void *owner, unsigned int jobs);
bool sim_pool_is_ending(void);
void sim_pool_write(const void *result, size_t len);

#endif /* SSDC_SIM_POOL_H */
