/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The numbers are the same on both sides of the system call, and the C library's
 * own <errno.h> comes by here for them.
 */
#ifndef SSDC_SHIM_LINUX_ERRNO_H
#define SSDC_SHIM_LINUX_ERRNO_H

#include_next <linux/errno.h>

#endif /* SSDC_SHIM_LINUX_ERRNO_H */
