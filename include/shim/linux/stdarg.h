/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SHIM_LINUX_STDARG_H
#define SSDC_SHIM_LINUX_STDARG_H

#include <stdarg.h>

#endif /* SSDC_SHIM_LINUX_STDARG_H */
