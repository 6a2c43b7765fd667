/* SPDX-License-Identifier: GPL-2.0 */
/* Garbage collection. */
#ifndef SSDF_GC_H
#define SSDF_GC_H

#include "state.h"

void ssdf_gc_check(struct ssdf_device *f, u32 plane);
void ssdf_gc_unplug(struct ssdf_device *f);
void ssdf_gc_step(struct ssdf_device *f, struct ssdf_command *cmd);

#endif /* SSDF_GC_H */
