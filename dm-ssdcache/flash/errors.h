/* SPDX-License-Identifier: GPL-2.0 */
/* Errors of the flash: bad blocks, reads that are repeated. */
#ifndef SSDF_ERRORS_H
#define SSDF_ERRORS_H

#include "state.h"

void ssdf_mark_bad(struct ssdf_device *f);
bool ssdf_read_again(struct ssdf_device *f, const struct ssdf_command *cmd);

#endif /* SSDF_ERRORS_H */
