/* SPDX-License-Identifier: GPL-2.0 */
/* From a logical page to its mapping. */
#ifndef SSDF_LOOKUP_H
#define SSDF_LOOKUP_H

#include "state.h"

void ssdf_read_place(struct ssdf_device *f, struct ssdf_command *cmd);
bool ssdf_write_owed(struct ssdf_device *f, struct ssdf_command *cmd);
bool ssdf_look_up(struct ssdf_device *f, struct ssdf_command *cmd);
bool ssdf_lookup_start(struct ssdf_device *f, struct ssdf_command *cmd);
void ssdf_lookup_end(struct ssdf_device *f, struct ssdf_command *cmd);

#endif /* SSDF_LOOKUP_H */
