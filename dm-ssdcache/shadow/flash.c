// SPDX-License-Identifier: GPL-2.0
/* Parameters of shadows for an origin that is a modelled flash device. */
#include <linux/kernel.h>
#include <linux/math64.h>
#include "../flash/flash.h"
#include "shadow.h"

/* The mean over the page types; 0: a type that there is not. A single time applies to all types. */
static u64 mean_ns(u32 first_ns, u32 second_ns, u32 third_ns, u32 fourth_ns)
{
	u32 types = 1 + !!second_ns + !!third_ns + !!fourth_ns;

	return div_u64((u64)first_ns + second_ns + third_ns + fourth_ns, types);
}

/**
 * ssdc_shadow_of_flash() - let shadows model a flash device: times of an average page, units
 * @params: parameters of the shadows to be created; this function sets the times and the geometry
 * @live: parameters of the live engine, to which @params refers; this function sets the geometry
 * @flash: the device
 */
void ssdc_shadow_of_flash(struct ssdc_shadow_params *params, struct ssdc_params *live,
			  const struct ssdf_params *flash)
{
	u64 transfer_ns = flash->command_ns +
		div_u64((u64)flash->transfer_ps * flash->page_bytes, 1000);

	params->read_ns = transfer_ns + mean_ns(flash->read_ns, flash->read2_ns, flash->read3_ns,
						flash->read4_ns);
	params->write_ns = transfer_ns + mean_ns(flash->program_ns, flash->program2_ns,
						 flash->program3_ns, flash->program4_ns);
	params->transfer_ns = transfer_ns;
	params->flush_ns = 0;
	params->queues = true;
	params->chips = flash->chips;
	params->planes = flash->planes;
	params->multi_plane = flash->multi_plane;
	params->static_places = flash->allocation == SSDF_STATIC;
	params->flash_page_bytes = flash->page_bytes;
	params->commands = ssdf_nr_commands(flash);
	live->tunables.channels = flash->channels;
	live->tunables.dies = flash->dies;
}
