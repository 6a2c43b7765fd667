/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The one header of a replacement policy, admission scheme or prefetcher outside the tree.
 * The same source file builds as a kernel module and as a shared object for
 * "ssdcache-sim --plugin". See Documentation/policy-authors-guide.md and samples/policy.
 */
#ifndef DM_SSDCACHE_POLICY_H
#define DM_SSDCACHE_POLICY_H

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "../dm-ssdcache/policy-api/admission.h"
#include "../dm-ssdcache/policy-api/prefetch.h"
#include "../dm-ssdcache/policy-api/replacement.h"

/**
 * ssdc_module_plugin() - make a module of one plug-in
 * @type: variable, a struct ssdc_replacement_type, ssdc_admission_type or ssdc_prefetch_type
 * @description: one line for modinfo
 *
 * Replaces module_init(), module_exit(), MODULE_DESCRIPTION() and MODULE_LICENSE(). Name the
 * module "ssdcache-NAME" to have the kernel load it when a table or sysfs names NAME. A module
 * with several plug-ins calls ssdc_plugin_register() for each in an init function of its own.
 */
#define ssdc_module_plugin(type, description) \
static int __init type##_init(void) \
{ \
	return ssdc_plugin_register(&(type).plugin); \
} \
\
static void __exit type##_exit(void) \
{ \
	ssdc_plugin_unregister(&(type).plugin); \
} \
\
module_init(type##_init); \
module_exit(type##_exit); \
MODULE_DESCRIPTION(description); \
MODULE_LICENSE("GPL")

/**
 * ssdc_plugin_register() - offer a plug-in to all caches
 * @type: first member of the plug-in's type; static memory of the calling module
 *
 * A cache that uses the type holds a reference to the calling module, which therefore cannot
 * be unloaded meanwhile.
 *
 * Context: may sleep.
 * Return: 0; -EEXIST if the name is taken; -EINVAL if the type is incomplete. The kernel log
 * says what is wrong.
 */
#define ssdc_plugin_register(type) ssdc_plugin_register_owned(type, THIS_MODULE)

int ssdc_plugin_register_owned(struct ssdc_plugin_type *type, struct module *owner);
void ssdc_plugin_unregister(struct ssdc_plugin_type *type);

#endif /* DM_SSDCACHE_POLICY_H */
