/* SPDX-License-Identifier: GPL-2.0 */
/* discard.c: drop the pages of a discard. */
#ifndef SSDC_DISCARD_H
#define SSDC_DISCARD_H

#include "state.h"

enum ssdc_action ssdc_discard_step(struct ssdc_engine *e, struct ssdc_request *rq);
void ssdc_discard_forwarded(const struct ssdc_engine *e, struct ssdc_request *rq, int error);
void ssdc_discard_flushed(struct ssdc_request *rq, int error);

#endif /* SSDC_DISCARD_H */
