/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_DEVICE_H
#define SSDC_SIM_DEVICE_H

#include "options.h"
#include "trace.h"

/**
 * struct sim_device - a flash device that is made and aged once, for several runs
 * @params: its parameters
 * @flash: the device; NULL: none
 * @memory: all of its memory; NULL: it is not in one piece
 * @bytes: size of @memory
 */
struct sim_device {
	struct ssdf_params params;
	struct ssdf_device *flash;
	char *memory;
	size_t bytes;
};

int sim_device_make(struct sim_device *device, const struct ssdf_params *params, bool (*give_up)(void),
		    struct ssdc_error *error);
void sim_device_free(struct sim_device *device);
struct ssdf_device *sim_device_take(const struct sim_device *device, const struct sim_workload *workload);

/* Request @i comes soon: have the device prepare for it. No effect without a device. */
static inline void sim_flash_expect(const struct ssdf_device *flash, const struct sim_workload *workload, size_t i)
{
	struct sim_record record;

	if (!flash || i >= workload->nr)
		return;
	record = sim_request(workload, i);
	if (record.nr_sectors)
		ssdf_expect(flash, record.sector, record.nr_sectors);
}

#endif /* SSDC_SIM_DEVICE_H */
