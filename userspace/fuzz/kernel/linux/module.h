/* SPDX-License-Identifier: GPL-2.0 */
/* Plug-ins are built in, or in a module of the target. */
#ifndef SSDC_FUZZ_LINUX_MODULE_H
#define SSDC_FUZZ_LINUX_MODULE_H

#include_next <linux/module.h>
#include <linux/compiler.h>
#include <linux/types.h>

/**
 * struct module - a module
 * @pins: references
 * @going: is being unloaded, and gets no more references
 */
struct module {
	unsigned int pins;
	bool going;
};

void fuzz_wrong(const char *format, ...) __printf(1, 2) __attribute__((__noreturn__));

/* Stands for the module of the built-in plug-ins, THIS_MODULE. */
extern struct module fuzz_builtin;

static inline struct module *fuzz_module(struct module *module)
{
	return module ? module : &fuzz_builtin;
}

static inline bool try_module_get(struct module *module)
{
	if (fuzz_module(module)->going)
		return false;
	fuzz_module(module)->pins++;
	return true;
}

static inline void module_put(struct module *module)
{
	if (!fuzz_module(module)->pins--)
		fuzz_wrong("a module is put more often than it was got");
}

#endif /* SSDC_FUZZ_LINUX_MODULE_H */
