/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_PLUGIN_CHECK_H
#define SSDC_SIM_PLUGIN_CHECK_H

#include "../../dm-ssdcache/policy-api/replacement.h"

void sim_plugin_check(struct ssdc_replacement_type *type);

#endif /* SSDC_SIM_PLUGIN_CHECK_H */
