/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Error numbers are the same in kernel and user space; the C library's <errno.h> includes this file, too.
 */
#ifndef SSDC_SHIM_LINUX_ERRNO_H
#define SSDC_SHIM_LINUX_ERRNO_H

#include_next <linux/errno.h>

#endif /* SSDC_SHIM_LINUX_ERRNO_H */
