/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For a replacement policy, admission scheme or prefetcher in a module of its
 * own: fill in a struct ssdc_replacement_type (or the like), register its
 * @plugin in the module's init and unregister it in its exit. See
 * Documentation/policy-authors-guide.md.
 */
#ifndef DM_SSDCACHE_POLICY_H
#define DM_SSDCACHE_POLICY_H

#include <linux/module.h>
#include "../dm-ssdcache/engine/engine.h"

/* The calling module is the owner: it cannot go while an instance of the type exists. */
#define ssdc_plugin_register(type) ssdc_plugin_register_owned(type, THIS_MODULE)

int ssdc_plugin_register_owned(struct ssdc_plugin_type *type, struct module *owner);
void ssdc_plugin_unregister(struct ssdc_plugin_type *type);

#endif /* DM_SSDCACHE_POLICY_H */
