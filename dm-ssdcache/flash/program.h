/* SPDX-License-Identifier: GPL-2.0 */
/* Programs, including those that wait for a free page. */
#ifndef SSDF_PROGRAM_H
#define SSDF_PROGRAM_H

#include "state.h"

void ssdf_program(struct ssdf_device *f, struct ssdf_command *cmd);
bool ssdf_has_retries(const struct ssdf_device *f);
void ssdf_try_stalled(struct ssdf_device *f);

/* Upcall from gc.c. */
void ssdf_retry_stalled(struct ssdf_device *f, u32 plane);

/* For media-events.c. */
void ssdf_retry_all(struct ssdf_device *f);

#endif /* SSDF_PROGRAM_H */
