/* SPDX-License-Identifier: GPL-2.0 */
/* Erases of each block, and static wear levelling. */
#ifndef SSDF_WEAR_H
#define SSDF_WEAR_H

#include "state.h"

int ssdf_wear_create(struct ssdf_device *f);
void ssdf_wear_destroy(struct ssdf_device *f);
void ssdf_count_erase(struct ssdf_device *f, u32 plane, ssdf_block_t block);
ssdf_block_t ssdf_least_worn(struct ssdf_device *f, u32 plane);

#endif /* SSDF_WEAR_H */
