/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_OUTPUTS_H
#define SSDC_SIM_OUTPUTS_H

#include <stddef.h>

/**
 * struct sim_output - a file to be written
 * @option: that asks for it
 * @name: of the file; NULL: it is not asked for
 */
struct sim_output {
	const char *option;
	const char *name;
};

void sim_outputs_check(const struct sim_output *outputs, size_t nr, char *const *traces, int nr_traces);

#endif /* SSDC_SIM_OUTPUTS_H */
