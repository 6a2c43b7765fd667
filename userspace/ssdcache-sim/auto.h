/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_AUTO_H
#define SSDC_SIM_AUTO_H

#include <jansson.h>
#include "../../dm-ssdcache/auto/auto.h"
#include "options.h"

/* Does a run choose its policy, its admission scheme, or both? */
static inline bool sim_auto_is_asked(const struct ssdc_params *params)
{
	return ssdc_auto_is_spec(params->replacement) || ssdc_auto_is_spec(params->admission);
}

int sim_params_check(const struct ssdc_params *params, struct ssdc_error *error);
struct ssdc_auto *sim_auto_create(struct sim_options *options);
void sim_switch_to(struct ssdc_engine *e, enum ssdc_kind kind, const char *spec);
void sim_auto_feed(struct ssdc_auto *a, struct ssdc_engine *e, enum ssdc_op op, u64 sector, u64 nr_sectors, bool fua,
		   u64 now_ns);
void sim_auto_text(const struct ssdc_auto *a);
json_t *sim_auto_json(struct ssdc_auto *a);

#endif /* SSDC_SIM_AUTO_H */
