// SPDX-License-Identifier: GPL-2.0
/*
 * Types of plug-ins and the modules that provide them.
 */
#include <linux/export.h>
#include <linux/kmod.h>
#include <linux/module.h>
#include <linux/sched/mm.h>

#include "../../../include/dm-ssdcache-policy.h"
#include "cache.h"

/* Guards the list of registered types. A pinned type keeps its module loaded. */
static DEFINE_MUTEX(types_lock);

/**
 * dmsc_lock_types() - lock the list of plug-in types
 *
 * A resume can wait for this lock while requests of its device are held up. Reclaim must
 * not wait for those requests, so allocations under the lock are GFP_NOIO.
 *
 * Context: may sleep.
 * Return: value for dmsc_unlock_types().
 */
unsigned int dmsc_lock_types(void)
{
	unsigned int noio = memalloc_noio_save();

	mutex_lock(&types_lock);
	return noio;
}

void dmsc_unlock_types(unsigned int noio)
{
	mutex_unlock(&types_lock);
	memalloc_noio_restore(noio);
}

static const struct ssdc_plugin_type *pin(enum ssdc_kind kind, const char *spec,
					  struct ssdc_error *error)
{
	unsigned int noio = dmsc_lock_types();
	const struct ssdc_plugin_type *type;

	type = ssdc_spec_type(kind, spec, error);
	if (type && !try_module_get(type->owner)) {
		scnprintf(error->text, sizeof(error->text), "%s: \"%s\" is being unloaded",
			  ssdc_kind_name(kind), type->info.name);
		type = NULL;
	}
	dmsc_unlock_types(noio);
	return type;
}

/**
 * dmsc_load_type() - load module ssdcache-NAME for a type that is not registered
 * @kind: kind of the plug-in
 * @spec: "NAME" or "NAME:key=value,…"
 *
 * The module's file may be on the very device that is changed. Do not call this from a message:
 * suspend waits for messages to end, and would hold up the read of the module.
 *
 * Context: may sleep.
 */
void dmsc_load_type(enum ssdc_kind kind, const char *spec)
{
	unsigned int noio = dmsc_lock_types();
	int len = strcspn(spec, ":");
	bool found = ssdc_type_find(kind, spec, len);

	dmsc_unlock_types(noio);
	if (!found)
		request_module("ssdcache-%.*s", len, spec);
}

/**
 * dmsc_pin_type() - keep the type that a spec names registered
 * @kind: kind of the plug-in
 * @spec: "NAME" or "NAME:key=value,…"
 * @error: reason of a failure
 *
 * Undo this with dmsc_unpin_type() or dmsc_unpin_spec().
 *
 * Context: may sleep.
 * Return: 0 or -EINVAL.
 */
int dmsc_pin_type(enum ssdc_kind kind, const char *spec, struct ssdc_error *error)
{
	return pin(kind, spec, error) ? 0 : -EINVAL;
}

void dmsc_unpin_type(const struct ssdc_plugin_type *type)
{
	module_put(type->owner);
}

void dmsc_unpin_spec(enum ssdc_kind kind, const char *spec)
{
	unsigned int noio = dmsc_lock_types();

	dmsc_unpin_type(ssdc_type_find(kind, spec, strcspn(spec, ":")));
	dmsc_unlock_types(noio);
}

/**
 * dmsc_pin_types() - load and pin the types of all three plug-ins, or none
 * @params: the specs
 * @error: reason of a failure
 *
 * Context: may sleep; not from a message, see dmsc_load_type().
 * Return: 0 or -EINVAL.
 */
int dmsc_pin_types(const struct ssdc_params *params, struct ssdc_error *error)
{
	unsigned int kind;
	int r;

	for (kind = 0; kind < SSDC_NR_KINDS; kind++) {
		dmsc_load_type(kind, ssdc_params_spec(params, kind));
		r = dmsc_pin_type(kind, ssdc_params_spec(params, kind), error);
		if (!r)
			continue;
		while (kind--)
			dmsc_unpin_spec(kind, ssdc_params_spec(params, kind));
		return r;
	}
	return 0;
}

/**
 * ssdc_plugin_register_owned() - register a plug-in of another module
 * @type: first member of a struct ssdc_replacement_type, ssdc_admission_type or
 *	ssdc_prefetch_type; owned by the caller
 * @owner: module of @type
 *
 * Plug-in modules call the macro ssdc_plugin_register().
 *
 * Context: may sleep.
 * Return: 0; -EEXIST if the name is taken, -EINVAL if @type is malformed, with the
 *	reason in the kernel log.
 */
int ssdc_plugin_register_owned(struct ssdc_plugin_type *type, struct module *owner)
{
	unsigned int noio = dmsc_lock_types();
	struct ssdc_error error;
	int r;

	type->owner = owner;
	r = ssdc_type_check(type, &error);
	if (r)
		DMERR("%s", error.text);
	else
		r = ssdc_type_register(type);
	dmsc_unlock_types(noio);
	return r;
}
EXPORT_SYMBOL_GPL(ssdc_plugin_register_owned);

/**
 * ssdc_plugin_unregister() - unregister a plug-in, in its module's exit function
 * @type: the registered type
 *
 * Context: may sleep. No instance of @type exists: each pins the module.
 */
void ssdc_plugin_unregister(struct ssdc_plugin_type *type)
{
	unsigned int noio = dmsc_lock_types();

	ssdc_type_unregister(type);
	dmsc_unlock_types(noio);
}
EXPORT_SYMBOL_GPL(ssdc_plugin_unregister);
