/* SPDX-License-Identifier: GPL-2.0 */
/* Which block garbage collection takes. */
#ifndef SSDF_VICTIM_H
#define SSDF_VICTIM_H

#include "state.h"

void ssdf_victim_begin(struct ssdf_device *f);
ssdf_block_t ssdf_choose_victim(struct ssdf_device *f, u32 plane);

#endif /* SSDF_VICTIM_H */
