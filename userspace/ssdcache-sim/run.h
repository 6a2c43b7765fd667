/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_RUN_H
#define SSDC_SIM_RUN_H

#include "options.h"
#include "trace.h"

/**
 * struct sim_run - a run that has ended
 * @e: the engine, at rest; NULL with --no-cache
 * @flash: the origin; NULL without --flash
 * @simulated_ns: time at the end
 */
struct sim_run {
	struct ssdc_engine *e;
	struct ssdf_device *flash;
	u64 simulated_ns;
};

/**
 * struct sim_device - a flash device that is made and aged once, for several runs
 * @params: its parameters
 * @flash: the device; NULL: none
 */
struct sim_device {
	struct ssdf_params params;
	struct ssdf_device *flash;
};

void sim_fold(struct sim_workload *workload, u64 sectors);
int sim_size_origin(struct sim_options *options, const struct sim_workload *workload, struct ssdc_error *error);
int sim_device_make(struct sim_device *device, const struct ssdf_params *params, bool (*give_up)(void),
		    struct ssdc_error *error);
void sim_device_free(struct sim_device *device);
void sim_run(struct sim_run *run, struct sim_options *options, struct sim_workload *workload);
void sim_run_free(struct sim_run *run);

#endif /* SSDC_SIM_RUN_H */
