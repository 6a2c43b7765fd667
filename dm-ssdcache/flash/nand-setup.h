/* SPDX-License-Identifier: GPL-2.0 */
/* Create, destroy and check dies and channels. */
#ifndef SSDF_NAND_SETUP_H
#define SSDF_NAND_SETUP_H

#include "state.h"

int ssdf_nand_create(struct ssdf_device *f);
void ssdf_nand_destroy(struct ssdf_device *f);
int ssdf_nand_check(const struct ssdf_device *f);

#endif /* SSDF_NAND_SETUP_H */
