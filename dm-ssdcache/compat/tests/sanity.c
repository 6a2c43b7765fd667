// SPDX-License-Identifier: GPL-2.0
/* Compiles on every supported kernel, unless headers, compiler or flags are broken. */
#include <linux/module.h>
#include <linux/device-mapper.h>
