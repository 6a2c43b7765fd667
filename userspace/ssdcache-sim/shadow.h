/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_SHADOW_H
#define SSDC_SIM_SHADOW_H

#include <jansson.h>
#include "../../dm-ssdcache/shadow/shadow.h"
#include "options.h"

void sim_shadow_params(struct ssdc_shadow_params *params, struct ssdc_params *live, const struct sim_options *options);
struct ssdc_shadows *sim_shadow_create(const struct sim_options *options, const struct ssdc_engine *e);
void sim_shadow_options_free(struct sim_shadow_options *o);
void sim_shadow_text(struct ssdc_shadows *s);
json_t *sim_shadow_json(struct ssdc_shadows *s);

#endif /* SSDC_SIM_SHADOW_H */
