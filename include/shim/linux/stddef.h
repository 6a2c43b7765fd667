/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SHIM_LINUX_STDDEF_H
#define SSDC_SHIM_LINUX_STDDEF_H

#include <stdbool.h>
#include <stddef.h>

#endif /* SSDC_SHIM_LINUX_STDDEF_H */
