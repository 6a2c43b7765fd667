/* SPDX-License-Identifier: GPL-2.0 */
/* Dies and channels: when each command runs. */
#ifndef SSDF_NAND_H
#define SSDF_NAND_H

#include "state.h"

void ssdf_queue(struct ssdf_device *f, struct ssdf_command *cmd);
void ssdf_plug(struct ssdf_device *f);
void ssdf_unplug(struct ssdf_device *f);
void ssdf_set_urgent(struct ssdf_device *f, u32 plane, bool urgent);
void ssdf_nand_events(struct ssdf_device *f, u64 until_ns);

#endif /* SSDF_NAND_H */
