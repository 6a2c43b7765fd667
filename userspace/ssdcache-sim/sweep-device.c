// SPDX-License-Identifier: GPL-2.0
/*
 * Cells with the same flash device run one after the other. The device is made and aged once for all of them.
 */
#include <string.h>
#include "pool.h"
#include "sweep-device.h"

/* Does an option tell one flash device from another? */
static bool is_of_device(const struct sweep_axis *axis)
{
	return !strcmp(axis->def->name, "flash") || !strcmp(axis->def->name, "origin-sectors");
}

static size_t nr_devices(const struct sweep *sweep)
{
	size_t axis, nr = 1;

	for (axis = 0; axis < sweep->nr_axes; axis++)
		nr *= is_of_device(&sweep->axes[axis]) ? sweep->axes[axis].nr : 1;
	return nr;
}

/* A number for the flash device of a cell. */
static size_t device_of(const struct sweep *sweep, size_t cell)
{
	size_t axis = sweep->nr_axes, device = 0, nr = 1;

	while (axis--) {
		if (is_of_device(&sweep->axes[axis])) {
			device += cell % sweep->axes[axis].nr * nr;
			nr *= sweep->axes[axis].nr;
		}
		cell /= sweep->axes[axis].nr;
	}
	return device;
}

/**
 * sweep_devices_start() - begin with the first device
 * @devices: result, to be freed with sweep_devices_free()
 * @sweep: sweep
 */
void sweep_devices_start(struct sweep_devices *devices, const struct sweep *sweep)
{
	*devices = (struct sweep_devices) { .sweep = sweep, .made = nr_devices(sweep) };
}

void sweep_devices_free(struct sweep_devices *devices)
{
	sim_device_free(&devices->device);
}

/**
 * sweep_devices_next() - find the next cell to run
 * @devices: devices
 * @cell: result
 *
 * Return: false if each cell has a row or was found before.
 */
bool sweep_devices_next(struct sweep_devices *devices, size_t *cell)
{
	const struct sweep *sweep = devices->sweep;

	for (; devices->current < nr_devices(sweep); devices->current++) {
		while (devices->next < sweep->nr_cells) {
			*cell = devices->next++;
			if (!sweep->rows[*cell] && device_of(sweep, *cell) == devices->current)
				return true;
		}
		devices->next = 0;
	}
	return false;
}

/* Has another cell from @cell on the same device? */
static bool is_shared(const struct sweep *sweep, size_t cell)
{
	size_t device = device_of(sweep, cell);

	while (++cell < sweep->nr_cells)
		if (!sweep->rows[cell] && device_of(sweep, cell) == device)
			return true;
	return false;
}

static void read_option(struct sim_options *options, const struct option_def *def, const char *value,
			struct ssdc_error *error)
{
	if (!strcmp(def->name, "fold"))
		options->fold = true;
	else if (!strcmp(def->name, "origin-sectors"))
		ssdc_parse_u64(value, strlen(value), &options->params.origin_sectors);
	else if (!strcmp(def->name, "flash"))
		options->has_flash = !ssdf_params_parse(&options->flash, value, error);
}

/*
 * The parameters of a cell's device. A cell says itself what is wrong with its options; the cell makes its own
 * device then, or where it finds other parameters.
 */
static bool find_params(const struct sweep *sweep, size_t cell, struct ssdf_params *params)
{
	struct sim_options options = {};
	struct ssdc_error error;
	size_t i;

	for (i = 0; i < sweep->nr_common; i++)
		read_option(&options, sweep->common[i].def, sweep->common[i].value, &error);
	for (i = 0; i < sweep->nr_axes; i++)
		read_option(&options, sweep->axes[i].def, sweep_value(sweep, cell, i), &error);
	if (!options.has_flash || sim_size_origin(&options, &sweep->workload, &error))
		return false;
	*params = options.flash;
	return true;
}

/**
 * sweep_devices_make() - make the device of a cell, unless that is made or only this cell has it
 * @devices: devices
 * @cell: by sweep_devices_next()
 */
void sweep_devices_make(struct sweep_devices *devices, size_t cell)
{
	const struct sweep *sweep = devices->sweep;
	struct ssdf_params params;
	struct ssdc_error error;

	if (devices->made == devices->current)
		return;
	sim_device_free(&devices->device);
	devices->made = devices->current;
	if (is_shared(sweep, cell) && find_params(sweep, cell, &params))
		sim_device_make(&devices->device, &params, sim_pool_is_ending, &error);
}
