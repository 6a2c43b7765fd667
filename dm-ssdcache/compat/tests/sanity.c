// SPDX-License-Identifier: GPL-2.0
/* Fails only if nothing can be compiled: no headers, no compiler, wrong flags. */
#include <linux/module.h>
#include <linux/device-mapper.h>
