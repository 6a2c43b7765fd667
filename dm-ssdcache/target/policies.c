// SPDX-License-Identifier: GPL-2.0
/*
 * Plug-ins and the modules they live in.
 */
#include <linux/export.h>
#include <linux/kmod.h>
#include <linux/module.h>

#include "../../include/dm-ssdcache-policy.h"
#include "cache.h"

/* Guards the list of registered types. An instance holds its type's module. */
DEFINE_MUTEX(ssdc_types_lock);

static const struct ssdc_plugin_type *pin(enum ssdc_kind kind, const char *spec,
					  struct ssdc_error *error)
{
	const struct ssdc_plugin_type *type;

	mutex_lock(&ssdc_types_lock);
	type = ssdc_spec_type(kind, spec, error);
	if (type && !try_module_get(type->owner)) {
		scnprintf(error->text, sizeof(error->text), "%s: \"%s\" is being unloaded",
			  ssdc_kind_name(kind), type->info.name);
		type = NULL;
	}
	mutex_unlock(&ssdc_types_lock);
	return type;
}

/**
 * ssdc_pin_type() - make sure that the type a spec names stays
 * @kind: which kind
 * @spec: "NAME" or "NAME:key=value,…"
 * @error: filled in on failure
 *
 * A name that is not there is looked for once in a module "ssdcache-NAME".
 *
 * Context: may sleep.
 * Return: 0 or -EINVAL. To be undone by ssdc_unpin_type() or ssdc_unpin_spec().
 */
int ssdc_pin_type(enum ssdc_kind kind, const char *spec, struct ssdc_error *error)
{
	if (pin(kind, spec, error))
		return 0;
	request_module("ssdcache-%.*s", (int)strcspn(spec, ":"), spec);
	return pin(kind, spec, error) ? 0 : -EINVAL;
}

void ssdc_unpin_type(const struct ssdc_plugin_type *type)
{
	module_put(type->owner);
}

void ssdc_unpin_spec(enum ssdc_kind kind, const char *spec)
{
	mutex_lock(&ssdc_types_lock);
	ssdc_unpin_type(ssdc_type_find(kind, spec, strcspn(spec, ":")));
	mutex_unlock(&ssdc_types_lock);
}

/**
 * ssdc_pin_types() - pin the three types of a configuration, or none
 * @params: specs
 * @error: filled in on failure
 *
 * Return: 0 or -EINVAL.
 */
int ssdc_pin_types(const struct ssdc_params *params, struct ssdc_error *error)
{
	unsigned int kind;
	int r;

	for (kind = 0; kind < SSDC_NR_KINDS; kind++) {
		r = ssdc_pin_type(kind, ssdc_params_spec(params, kind), error);
		if (!r)
			continue;
		while (kind--)
			ssdc_unpin_spec(kind, ssdc_params_spec(params, kind));
		return r;
	}
	return 0;
}

/**
 * ssdc_plugin_register_owned() - offer a plug-in from another module
 * @type: the first member of a struct ssdc_replacement_type, _admission_type or
 *	_prefetch_type; stays the caller's
 * @owner: the module it is in
 *
 * To be called as ssdc_plugin_register().
 *
 * Context: may sleep.
 * Return: 0, -EEXIST or -EINVAL.
 */
int ssdc_plugin_register_owned(struct ssdc_plugin_type *type, struct module *owner)
{
	int r;

	type->owner = owner;
	mutex_lock(&ssdc_types_lock);
	r = ssdc_type_register(type);
	mutex_unlock(&ssdc_types_lock);
	return r;
}
EXPORT_SYMBOL_GPL(ssdc_plugin_register_owned);

/**
 * ssdc_plugin_unregister() - take a plug-in away, in its module's exit
 * @type: as registered
 *
 * Context: may sleep.
 */
void ssdc_plugin_unregister(struct ssdc_plugin_type *type)
{
	mutex_lock(&ssdc_types_lock);
	ssdc_type_unregister(type);
	mutex_unlock(&ssdc_types_lock);
}
EXPORT_SYMBOL_GPL(ssdc_plugin_unregister);
