/* SPDX-License-Identifier: GPL-2.0 */
/* Handing commands to a medium that keeps the data, if there is one. */
#ifndef SSDF_MEDIA_COMMANDS_H
#define SSDF_MEDIA_COMMANDS_H

#include "state.h"

void ssdf_media_read(struct ssdf_device *f, struct ssdf_command *cmd, ssdf_lpn_t lpn,
		     ssdf_ppn_t ppn);
void ssdf_media_write(struct ssdf_device *f, struct ssdf_command *cmd, ssdf_lpn_t lpn,
		      ssdf_ppn_t old);
void ssdf_media_erase(struct ssdf_device *f, struct ssdf_command *cmd);

#endif /* SSDF_MEDIA_COMMANDS_H */
