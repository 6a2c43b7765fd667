/* SPDX-License-Identifier: GPL-2.0 */
/* Requests of a flash device: the functions of device.c that other files of the model need. */
#ifndef SSDF_DEVICE_H
#define SSDF_DEVICE_H

#include "state.h"

/* Upcall of the event loop from nand.c. */
void ssdf_command_done(struct ssdf_device *f, struct ssdf_command *cmd);

/* For media-events.c. */
void ssdf_fail_stalled(struct ssdf_device *f);
void ssdf_feed(struct ssdf_device *f);
void ssdf_end_request(struct ssdf_device *f, struct ssdf_request *rq);

int ssdf_backlog_check(const struct ssdf_device *f);

#endif /* SSDF_DEVICE_H */
