/* SPDX-License-Identifier: GPL-2.0 */
/* replay.c: one shadow. */
#ifndef SSDC_SHADOW_REPLAY_H
#define SSDC_SHADOW_REPLAY_H

#include "shadow.h"

int ssdc_shadow_init(struct ssdc_shadow *shadow, const struct ssdc_shadow_params *params,
		     struct ssdc_error *error);
void ssdc_shadow_set_times(struct ssdc_shadow *shadow, u64 read_ns, u64 write_ns);
void ssdc_shadow_free(struct ssdc_shadow *shadow);
bool ssdc_shadow_begin(struct ssdc_shadow *shadow, const struct ssdc_shadow_record *record);
bool ssdc_shadow_work(struct ssdc_shadow *shadow, u64 until_ns);

/* The time up to which a shadow has to work before the next request arrives at @time_ns. */
static inline u64 ssdc_shadow_until(const struct ssdc_shadow *shadow, u64 time_ns)
{
	if (!shadow->closed)
		return time_ns;
	if (ssdc_quiescent(shadow->e) && shadow->idle_ns == SSDC_NEVER)
		return shadow->now_ns;
	return SSDC_NEVER - 1;
}

/*
 * Requests of one moment arrive before any work that follows from them is done, as a kernel's
 * worker runs after the submitter. A request that has begun goes on.
 */
static inline bool ssdc_shadow_goes_on(const struct ssdc_shadow *shadow, u64 time_ns)
{
	return shadow->running || shadow->closed || shadow->begun_ns != time_ns;
}

#endif /* SSDC_SHADOW_REPLAY_H */
