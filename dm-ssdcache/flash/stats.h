/* SPDX-License-Identifier: GPL-2.0 */
/* Notifying the observer of events. */
#ifndef SSDF_STATS_H
#define SSDF_STATS_H

#include "state.h"

void ssdf_notify_gc(const struct ssdf_device *f, u32 plane, ssdf_block_t victim);
void ssdf_notify_erased(const struct ssdf_device *f, u32 plane, ssdf_block_t block);
void ssdf_notify_stalled(const struct ssdf_device *f, ssdf_lpn_t lpn);

#endif /* SSDF_STATS_H */
