/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_FUZZ_LINUX_SYSFS_H
#define SSDC_FUZZ_LINUX_SYSFS_H

#include_next <linux/sysfs.h>
#include <linux/compiler.h>

#define PAGE_SIZE	4096

int sysfs_emit(char *page, const char *format, ...) __printf(2, 3);
int sysfs_emit_at(char *page, int at, const char *format, ...) __printf(3, 4);

#endif /* SSDC_FUZZ_LINUX_SYSFS_H */
