/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages to a device, for the verbs that change something.
 */
#ifndef SSDCACHECTL_ACT_H
#define SSDCACHECTL_ACT_H

#include "sysfs.h"

#define ACT_WHY_LEN	512

int act_begin(const struct command *cmd, struct device *dev);
int act_message(const struct command *cmd, const struct device *dev, const char *message);
int act_flush(const struct device *dev, char *why);

#endif /* SSDCACHECTL_ACT_H */
