/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_SWEEP_DEVICE_H
#define SSDC_SIM_SWEEP_DEVICE_H

#include "run.h"
#include "sweep.h"

/**
 * struct sweep_devices - the flash devices of a sweep's cells, one at a time
 * @sweep: sweep
 * @current: number of the device whose cells are being started
 * @next: cell to look at next
 * @made: number of the device that was made
 * @device: that device; without one, each cell makes its own
 */
struct sweep_devices {
	const struct sweep *sweep;
	size_t current;
	size_t next;
	size_t made;
	struct sim_device device;
};

void sweep_devices_start(struct sweep_devices *devices, const struct sweep *sweep);
void sweep_devices_free(struct sweep_devices *devices);
bool sweep_devices_next(struct sweep_devices *devices, size_t *cell);
void sweep_devices_make(struct sweep_devices *devices, size_t cell);

#endif /* SSDC_SIM_SWEEP_DEVICE_H */
