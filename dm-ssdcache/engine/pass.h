/* SPDX-License-Identifier: GPL-2.0 */
/* pass.c: the bookkeeping of the running sync pass. */
#ifndef SSDC_PASS_H
#define SSDC_PASS_H

#include "state.h"

#define SSDC_NS_PER_MS		1000000ULL
#define SSDC_NS_PER_S		1000000000ULL

extern const struct ssdc_pass_limits ssdc_default_pass_limits;

void ssdc_pass_init(struct ssdc_engine *e);
u32 ssdc_pass_width(struct ssdc_engine *e);
void ssdc_pass_page_clean(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_pass_page_done(struct ssdc_engine *e, ssdc_frame_t frame, int error);
bool ssdc_pass_notify(struct ssdc_engine *e);
void ssdc_retry_later(struct ssdc_engine *e, u64 now_ns);
void ssdc_retry_sooner(struct ssdc_engine *e, u64 now_ns);

#endif /* SSDC_PASS_H */
