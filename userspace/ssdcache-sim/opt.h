/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_OPT_H
#define SSDC_SIM_OPT_H

#include "future.h"

extern struct ssdc_replacement_type sim_opt;

struct sim_future *sim_opt_foresee(struct ssdc_engine *e, const struct sim_workload *workload,
				   u32 discard_sectors);

#endif /* SSDC_SIM_OPT_H */
