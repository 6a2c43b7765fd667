/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SHIM_LINUX_BUILD_BUG_H
#define SSDC_SHIM_LINUX_BUILD_BUG_H

#define static_assert(condition, ...)	_Static_assert(condition, "" __VA_ARGS__)
#define BUILD_BUG_ON(condition) \
	_Static_assert(!(condition), "BUILD_BUG_ON: " #condition)

#endif /* SSDC_SHIM_LINUX_BUILD_BUG_H */
