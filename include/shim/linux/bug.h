/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A kernel warning aborts the program, so that tests notice it.
 */
#ifndef SSDC_SHIM_LINUX_BUG_H
#define SSDC_SHIM_LINUX_BUG_H

#include <linux/types.h>

bool ssdc_shim_warn(const char *condition, const char *file, int line);

#define WARN_ON(condition) \
	((condition) && ssdc_shim_warn(#condition, __FILE__, __LINE__))
#define WARN_ON_ONCE(condition)	WARN_ON(condition)

#endif /* SSDC_SHIM_LINUX_BUG_H */
