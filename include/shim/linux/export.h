/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The simulator exports to the plug-ins that it loads what the kernel module exports to policy
 * modules: all else is compiled with -fvisibility=hidden.
 */
#ifndef SSDC_SHIM_LINUX_EXPORT_H
#define SSDC_SHIM_LINUX_EXPORT_H

#ifdef __clang__
/* Clang ignores a visibility after the definition: userspace/Makefile gives such files no other. */
#define EXPORT_SYMBOL_GPL(symbol) \
	extern __typeof__(symbol) symbol
#else
#define EXPORT_SYMBOL_GPL(symbol) \
	extern __typeof__(symbol) symbol __attribute__((__visibility__("default")))
#endif

#endif /* SSDC_SHIM_LINUX_EXPORT_H */
