/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SHIM_LINUX_STRING_H
#define SSDC_SHIM_LINUX_STRING_H

#include <string.h>
#include <linux/types.h>

/* Copy as much as fits, always terminated. Returns the length, or -E2BIG if it was cut. */
long strscpy(char *to, const char *from, size_t size);

#endif /* SSDC_SHIM_LINUX_STRING_H */
