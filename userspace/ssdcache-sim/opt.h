/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_OPT_H
#define SSDC_SIM_OPT_H

#include "future.h"

extern struct ssdc_replacement_type sim_opt;

/* Each shadow has a sample of the requests only. */
#define SIM_OPT_NO_SHADOW "opt has no shadow: it knows the whole run, not a sample"

bool sim_opt_offer(bool offered);
bool sim_opt_is_spec(const char *spec);

struct sim_future *sim_opt_foresee(struct ssdc_engine *e, const struct sim_workload *workload,
				   u32 discard_sectors);

#endif /* SSDC_SIM_OPT_H */
