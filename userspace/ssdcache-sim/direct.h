/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_DIRECT_H
#define SSDC_SIM_DIRECT_H

#include "../../dm-ssdcache/flash/flash.h"
#include "options.h"
#include "trace.h"

u64 sim_drive_direct(struct ssdf_device *flash, const struct sim_options *options,
		     const struct sim_workload *workload);

#endif /* SSDC_SIM_DIRECT_H */
