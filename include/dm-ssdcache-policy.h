/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For a replacement policy, admission scheme or prefetcher in a module of its
 * own: fill in a struct ssdc_replacement_type (or the like), register its
 * @plugin in the module's init and unregister it in its exit. See
 * Documentation/policy-authors-guide.md.
 */
#ifndef DM_SSDCACHE_POLICY_H
#define DM_SSDCACHE_POLICY_H

#include "../dm-ssdcache/engine/engine.h"

int ssdc_plugin_register(struct ssdc_plugin_type *type);
void ssdc_plugin_unregister(struct ssdc_plugin_type *type);

#endif /* DM_SSDCACHE_POLICY_H */
