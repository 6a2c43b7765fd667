/* SPDX-License-Identifier: GPL-2.0 */
/* thrash.c: count evicted pages that enter again. */
#ifndef SSDC_THRASH_H
#define SSDC_THRASH_H

#include "state.h"

u64 ssdc_thrash_bytes(u64 pages, u64 nr_frames);
int ssdc_thrash_alloc(struct ssdc_engine *e, u32 span);
void ssdc_thrash_free(struct ssdc_engine *e);
void ssdc_thrash_evicted(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_thrash_entered(struct ssdc_engine *e, ssdc_frame_t frame);

#endif /* SSDC_THRASH_H */
