/* SPDX-License-Identifier: GPL-2.0 */
/* view.c: the load of the origin; see also policy-api/view.h. */
#ifndef SSDC_ENGINE_VIEW_H
#define SSDC_ENGINE_VIEW_H

#include "state.h"

void ssdc_update_view(struct ssdc_engine *e);
void ssdc_units_begin(struct ssdc_engine *e, u64 sector, u32 nr_sectors);
void ssdc_units_end(struct ssdc_engine *e, u64 sector, u32 nr_sectors);
int ssdc_units_check(const struct ssdc_engine *e, struct ssdc_error *finding);

#endif /* SSDC_ENGINE_VIEW_H */
