/* SPDX-License-Identifier: GPL-2.0 */
/* pass.c: the bookkeeping of the running sync pass. */
#ifndef SSDC_PASS_H
#define SSDC_PASS_H

#include "state.h"

/* Bounds of one step of a sync pass: pages found, bits searched. */
#define SSDC_PASS_STEP_PAGES	64
#define SSDC_PASS_STEP_BITS	16384

/* Work of one hold of the lock, in looks at a page, or at 64 sectors of one. */
#define SSDC_PASS_WORK		64

#define SSDC_NS_PER_MS		1000000ULL
#define SSDC_NS_PER_S		1000000000ULL

void ssdc_pass_page_clean(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_pass_page_done(struct ssdc_engine *e, ssdc_frame_t frame, int error);
bool ssdc_pass_notify(struct ssdc_engine *e);
void ssdc_retry_later(struct ssdc_engine *e, u64 now_ns);

#endif /* SSDC_PASS_H */
