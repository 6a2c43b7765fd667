/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_PLUGIN_H
#define SSDC_SIM_PLUGIN_H

#include <stddef.h>
#include "../../dm-ssdcache/policy-api/replacement.h"

void sim_plugin_load(const char *file);
void sim_plugins_check(void);
bool sim_plugin_is_loaded(const struct ssdc_replacement *r);
const char *sim_plugin_file(size_t i);

#endif /* SSDC_SIM_PLUGIN_H */
