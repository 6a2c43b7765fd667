/* SPDX-License-Identifier: GPL-2.0 */
/* read-ahead.c: start the reads that the prefetcher asked for. */
#ifndef SSDC_READ_AHEAD_H
#define SSDC_READ_AHEAD_H

#include "state.h"

bool ssdc_prefetch_ready(const struct ssdc_engine *e);
void ssdc_prefetch_step(struct ssdc_engine *e);

#endif /* SSDC_READ_AHEAD_H */
