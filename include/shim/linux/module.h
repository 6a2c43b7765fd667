/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A module, in user space, is a shared object that ssdcache-sim loads with --plugin. The
 * simulator calls ssdc_module_init(); a shared object stays loaded until the program ends.
 */
#ifndef SSDC_SHIM_LINUX_MODULE_H
#define SSDC_SHIM_LINUX_MODULE_H

#include <linux/compiler.h>
#include <linux/export.h>
#include <linux/stddef.h>

struct module;

#define THIS_MODULE ((struct module *)NULL)
#define __init
#define __exit

/* These macros end in a declaration because a semicolon follows them. */
#define module_init(function) \
	__attribute__((__visibility__("default"))) int ssdc_module_init(void); \
	int ssdc_module_init(void) \
	{ \
		return function(); \
	} \
	extern int ssdc_shim_no_module_info

#define module_exit(function) \
	static void (*const ssdc_module_exit)(void) __maybe_unused = function

#define MODULE_LICENSE(text)		extern int ssdc_shim_no_module_info
#define MODULE_DESCRIPTION(text)	extern int ssdc_shim_no_module_info
#define MODULE_AUTHOR(text)		extern int ssdc_shim_no_module_info
#define MODULE_ALIAS(text)		extern int ssdc_shim_no_module_info
#define MODULE_VERSION(text)		extern int ssdc_shim_no_module_info

#endif /* SSDC_SHIM_LINUX_MODULE_H */
