/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User-space stand-in for the kernel header of everyday helpers.
 */
#ifndef SSDC_SHIM_LINUX_KERNEL_H
#define SSDC_SHIM_LINUX_KERNEL_H

#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/stdarg.h>
#include <linux/types.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define round_up(n, power)	((((n) - 1) | ((__typeof__(n))(power) - 1)) + 1)
#define round_down(n, power)	((n) & ~((__typeof__(n))(power) - 1))
#define roundup(n, to)		(((n) + (to) - 1) / (to) * (to))

/* As snprintf(), but returns the number of characters written, without the terminator. */
int scnprintf(char *buf, size_t size, const char *format, ...) __printf(3, 4);
int vscnprintf(char *buf, size_t size, const char *format, va_list args) __printf(3, 0);

#endif /* SSDC_SHIM_LINUX_KERNEL_H */
