/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_PLUGIN_H
#define SSDC_SIM_PLUGIN_H

void sim_plugin_load(const char *file);

#endif /* SSDC_SIM_PLUGIN_H */
