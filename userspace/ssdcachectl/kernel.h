/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Around the ioctls: permission, the module, and the kernel log.
 */
#ifndef SSDCACHECTL_KERNEL_H
#define SSDCACHECTL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include "ctl.h"

int need_root(const struct command *cmd);
int need_module(const struct command *cmd);
bool load_module(const char *name, const char *parameter);

int kernel_log_mark(void);
void kernel_log_reason(int mark, const char *target, char *buf, size_t size);
int kernel_refused(const struct command *cmd, const char *name, const char *target, const char *origin, int error, int mark);

#endif /* SSDCACHECTL_KERNEL_H */
