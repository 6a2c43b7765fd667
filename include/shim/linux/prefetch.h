/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SHIM_LINUX_PREFETCH_H
#define SSDC_SHIM_LINUX_PREFETCH_H

#define prefetchw(x)		__builtin_prefetch(x, 1)

#endif /* SSDC_SHIM_LINUX_PREFETCH_H */
