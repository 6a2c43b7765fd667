// SPDX-License-Identifier: GPL-2.0
/*
 * Plug-ins and the modules they live in.
 */
#include <linux/export.h>
#include <linux/kmod.h>
#include <linux/module.h>
#include <linux/sched/mm.h>

#include "../../../include/dm-ssdcache-policy.h"
#include "cache.h"

/* Guards the list of registered types. An instance holds its type's module. */
static DEFINE_MUTEX(types_lock);

/**
 * dmsc_lock_types() - keep the list of types as it is
 *
 * Who holds the lock may be waited for by the resume of a device, whose requests
 * are held up: memory is not to be had by waiting for them.
 *
 * Context: may sleep.
 * Return: for dmsc_unlock_types().
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
 * dmsc_load_type() - look for the type a spec names in a module "ssdcache-NAME"
 * @kind: which kind
 * @spec: "NAME" or "NAME:key=value,…"
 *
 * Does nothing if the type is there. The module may have to be read from a device
 * that waits for the caller: not from a message, for whose end a suspend waits.
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
 * dmsc_pin_type() - make sure that the type a spec names stays
 * @kind: which kind
 * @spec: "NAME" or "NAME:key=value,…"
 * @error: filled in on failure
 *
 * Context: may sleep.
 * Return: 0 or -EINVAL. To be undone by dmsc_unpin_type() or dmsc_unpin_spec().
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
 * dmsc_pin_types() - pin the three types of a configuration, or none
 * @params: specs
 * @error: filled in on failure
 *
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
 * ssdc_plugin_register_owned() - offer a plug-in from another module
 * @type: the first member of a struct ssdc_replacement_type, _admission_type or
 *	_prefetch_type; stays the caller's
 * @owner: the module it is in
 *
 * To be called as ssdc_plugin_register().
 *
 * Context: may sleep.
 * Return: 0; -EEXIST or -EINVAL, with the reason in the kernel log.
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
 * ssdc_plugin_unregister() - take a plug-in away, in its module's exit
 * @type: as registered
 *
 * Context: may sleep.
 */
void ssdc_plugin_unregister(struct ssdc_plugin_type *type)
{
	unsigned int noio = dmsc_lock_types();

	ssdc_type_unregister(type);
	dmsc_unlock_types(noio);
}
EXPORT_SYMBOL_GPL(ssdc_plugin_unregister);
