/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_DECISIONS_H
#define SSDC_SIM_DECISIONS_H

#include "sim.h"

void sim_decisions_open(struct ssdc_engine *e, const char *name);
void sim_decisions_close(void);

#endif /* SSDC_SIM_DECISIONS_H */
