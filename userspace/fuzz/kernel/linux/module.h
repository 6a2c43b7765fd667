/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_FUZZ_LINUX_MODULE_H
#define SSDC_FUZZ_LINUX_MODULE_H

#include_next <linux/module.h>

/* Plug-ins are built in. */
static inline bool try_module_get(struct module *module)
{
	return !module;
}

static inline void module_put(struct module *module)
{
	(void)module;
}

#endif /* SSDC_FUZZ_LINUX_MODULE_H */
