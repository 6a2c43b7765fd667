/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_DRIVER_H
#define SSDC_SIM_DRIVER_H

#include "../../dm-ssdcache/flash/flash.h"
#include "options.h"
#include "trace.h"

u64 sim_drive(struct ssdc_engine *e, struct ssdf_device *flash, const struct sim_options *options,
	      const struct sim_workload *workload);
u64 sim_drive_shards(struct ssdc_engine *const *engines, unsigned int nr_shards, struct ssdf_device *flash,
		     const struct sim_options *options, const struct sim_workload *workload);

#endif /* SSDC_SIM_DRIVER_H */
