/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_RUN_H
#define SSDC_SIM_RUN_H

#include "../../dm-ssdcache/engine/shards.h"
#include "device.h"
#include "options.h"
#include "trace.h"

/**
 * struct sim_run - a run that has ended
 * @e: the engine, at rest; NULL with --no-cache. With --shards the first one; its statistics are then those of all
 * @engines: one per shard, @e the first
 * @flash: the origin; NULL without --flash
 * @device: the same with its memory, if it was made for this run
 * @shadows: of --shadow, also in the options; or NULL
 * @choice: of --replacement auto, also in the options; or NULL
 * @simulated_ns: time at the end
 */
struct sim_run {
	struct ssdc_engine *e;
	struct ssdc_engine *engines[SSDC_MAX_SHARDS];
	struct ssdf_device *flash;
	struct sim_device device;
	struct ssdc_shadows *shadows;
	struct ssdc_auto *choice;
	u64 simulated_ns;
};

void sim_fold(struct sim_workload *workload, u64 sectors);
int sim_size_origin(struct sim_options *options, const struct sim_workload *workload, struct ssdc_error *error);
void sim_run(struct sim_run *run, struct sim_options *options, struct sim_workload *workload);
void sim_run_check_changes(const struct sim_run *run, const struct sim_options *options);
void sim_run_free(struct sim_run *run);

#endif /* SSDC_SIM_RUN_H */
