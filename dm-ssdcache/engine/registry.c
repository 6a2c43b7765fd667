// SPDX-License-Identifier: GPL-2.0
/*
 * Which plug-ins there are, and making one from its spec.
 *
 * The list of registered types is guarded by the driver (the kernel's by a
 * mutex in driver/ssdcache/policies.c; user space registers before it starts).
 *
 * Ground floor. The only file of the engine that knows the built-in plug-ins, by the table
 * below.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "state.h"

static LIST_HEAD(registered);

/* What the simulator alone registers, so that a refusal can say why it is not here. */
static const char simulator_only[] = "opt";

const char *ssdc_kind_name(enum ssdc_kind kind)
{
	static const char *const names[SSDC_NR_KINDS] = {
		[SSDC_REPLACEMENT] = "replacement",
		[SSDC_ADMISSION] = "admission",
		[SSDC_PREFETCH] = "prefetch",
	};

	return names[kind];
}

/**
 * ssdc_type_next() - iterate over the types of a kind
 * @kind: which
 * @prev: the one before, NULL to start
 *
 * Return: the next type, NULL after the last.
 */
const struct ssdc_plugin_type *ssdc_type_next(enum ssdc_kind kind,
					      const struct ssdc_plugin_type *prev)
{
	struct ssdc_plugin_type *const *builtin;
	const struct ssdc_plugin_type *type;
	bool found = !prev;

	for (builtin = ssdc_builtin_types; *builtin; builtin++) {
		if (found && (*builtin)->kind == kind)
			return *builtin;
		if (*builtin == prev)
			found = true;
	}
	list_for_each_entry(type, &registered, node) {
		if (found && type->kind == kind)
			return type;
		if (type == prev)
			found = true;
	}
	return NULL;
}

/**
 * ssdc_type_find() - look a type up by name
 * @kind: which kind
 * @name: not necessarily terminated
 * @len: its length
 *
 * Return: the type or NULL.
 */
const struct ssdc_plugin_type *ssdc_type_find(enum ssdc_kind kind, const char *name, size_t len)
{
	const struct ssdc_plugin_type *type = NULL;

	while ((type = ssdc_type_next(kind, type)))
		if (strlen(type->info.name) == len && !strncmp(type->info.name, name, len))
			return type;
	return NULL;
}

/* Has the type the functions that are called without asking, and is its instance large enough? */
static bool has_ops(const struct ssdc_plugin_type *type)
{
	const struct ssdc_replacement_type *r = (const struct ssdc_replacement_type *)type;
	size_t bytes = type->info.instance_bytes;

	switch (type->kind) {
	case SSDC_REPLACEMENT:
		return bytes >= sizeof(struct ssdc_replacement) && r->insert && r->remove &&
			r->victims && r->adopt && r->pop_hottest && r->check;
	case SSDC_ADMISSION:
		return bytes >= sizeof(struct ssdc_admission) &&
			((const struct ssdc_admission_type *)type)->admit_read;
	case SSDC_PREFETCH:
		return bytes >= sizeof(struct ssdc_prefetch);
	default:
		return false;
	}
}

/* Names are those of files: no two rows of a table may share one. */
static bool has_twins(const struct ssdc_plugin_info *info)
{
	unsigned int i, j;

	for (i = 0; i < info->nr_tunables; i++)
		for (j = 0; j < i; j++)
			if (!strcmp(info->tunables[i].name, info->tunables[j].name))
				return true;
	for (i = 0; i < info->nr_stats; i++)
		for (j = 0; j < i; j++)
			if (!strcmp(info->stats[i].name, info->stats[j].name))
				return true;
	return false;
}

/**
 * ssdc_type_register() - add a type from outside
 * @type: stays the caller's until ssdc_type_unregister()
 *
 * Return: 0, -EEXIST when the name is taken, -EINVAL when the record is not complete
 * or two rows of a table have the same name.
 */
int ssdc_type_register(struct ssdc_plugin_type *type)
{
	const struct ssdc_plugin_info *info = &type->info;

	if (type->kind >= SSDC_NR_KINDS || !info->name || !info->source || !info->status ||
	    !info->doc || strlen(info->name) >= SSDC_NAME_LEN ||
	    !has_ops(type) || has_twins(info))
		return -EINVAL;
	if (ssdc_type_find(type->kind, info->name, strlen(info->name)))
		return -EEXIST;
	list_add_tail(&type->node, &registered);
	return 0;
}

/**
 * ssdc_type_unregister() - take a type away; no instance of it may exist
 * @type: as registered
 */
void ssdc_type_unregister(struct ssdc_plugin_type *type)
{
	list_del(&type->node);
}

static size_t name_len(const char *spec)
{
	const char *colon = strchr(spec, ':');

	return colon ? (size_t)(colon - spec) : strlen(spec);
}

/**
 * ssdc_spec_type() - the type that a spec names
 * @kind: which kind
 * @spec: "NAME" or "NAME:key=value,…"
 * @error: lists the names that exist on failure
 *
 * Return: the type or NULL.
 */
const struct ssdc_plugin_type *ssdc_spec_type(enum ssdc_kind kind, const char *spec,
					      struct ssdc_error *error)
{
	const struct ssdc_plugin_type *type;
	size_t len = name_len(spec);
	int at;

	type = ssdc_type_find(kind, spec, len);
	if (type)
		return type;
	if (kind == SSDC_REPLACEMENT && len == strlen(simulator_only) &&
	    !strncmp(spec, simulator_only, len)) {
		scnprintf(error->text, sizeof(error->text),
			  "%s: \"%s\" is only in the simulator, where the future is known",
			  ssdc_kind_name(kind), simulator_only);
		return NULL;
	}

	at = scnprintf(error->text, sizeof(error->text), "%s: \"%.*s\" is not one of",
		       ssdc_kind_name(kind), (int)min_t(size_t, len, SSDC_NAME_LEN), spec);
	while ((type = ssdc_type_next(kind, type)))
		at += scnprintf(error->text + at, sizeof(error->text) - at, " %s",
				type->info.name);
	return NULL;
}

static void list_keys(const struct ssdc_plugin_info *info, struct ssdc_error *error,
		      const char *word, size_t len)
{
	unsigned int i;
	int at;

	at = scnprintf(error->text, sizeof(error->text),
		       "%s: \"%.*s\" is not key=value with a key of", info->name,
		       (int)min_t(size_t, len, 40), word);
	for (i = 0; i < info->nr_tunables; i++)
		at += scnprintf(error->text + at, sizeof(error->text) - at, " %s",
				info->tunables[i].name);
	if (!info->nr_tunables)
		scnprintf(error->text + at, sizeof(error->text) - at, " (it has none)");
}

static int parse_tunables(const struct ssdc_plugin_info *info, const char *at, void *base,
			  struct ssdc_error *error)
{
	const struct ssdc_tunable *tunable;

	for (;;) {
		const char *comma = strchr(at, ',');
		size_t len = comma ? (size_t)(comma - at) : strlen(at);
		const char *equals = memchr(at, '=', len);
		int r;

		tunable = equals ? ssdc_tunable_find(info->tunables, info->nr_tunables, at,
						     equals - at) : NULL;
		if (!tunable) {
			list_keys(info, error, at, len);
			return -EINVAL;
		}
		r = ssdc_tunable_parse(tunable, equals + 1, at + len - equals - 1,
				       ssdc_tunable_at(tunable, base), error);
		if (r)
			return r;
		if (!comma)
			return 0;
		at = comma + 1;
	}
}

static void bind_replacement(struct ssdc_plugin *plugin)
{
	struct ssdc_replacement *r = (struct ssdc_replacement *)plugin;

	if (plugin->engine) {
		r->entries = plugin->engine->entries;
		r->nr_frames = plugin->engine->nr_frames;
	}
	r->early_above = U32_MAX;
}

static int call_create(struct ssdc_plugin *plugin, struct ssdc_error *error)
{
	struct ssdc_replacement *r = (struct ssdc_replacement *)plugin;
	struct ssdc_admission *a = (struct ssdc_admission *)plugin;
	struct ssdc_prefetch *p = (struct ssdc_prefetch *)plugin;

	switch (plugin->type->kind) {
	case SSDC_REPLACEMENT:
		return ssdc_replacement_type(r)->create ?
		       ssdc_replacement_type(r)->create(r, error) : 0;
	case SSDC_ADMISSION:
		return ssdc_admission_type(a)->create ?
		       ssdc_admission_type(a)->create(a, error) : 0;
	default:
		return ssdc_prefetch_type(p)->create ?
		       ssdc_prefetch_type(p)->create(p, error) : 0;
	}
}

static void call_destroy(struct ssdc_plugin *plugin)
{
	struct ssdc_replacement *r = (struct ssdc_replacement *)plugin;
	struct ssdc_admission *a = (struct ssdc_admission *)plugin;
	struct ssdc_prefetch *p = (struct ssdc_prefetch *)plugin;

	if (plugin->type->kind == SSDC_REPLACEMENT && ssdc_replacement_type(r)->destroy)
		ssdc_replacement_type(r)->destroy(r);
	if (plugin->type->kind == SSDC_ADMISSION && ssdc_admission_type(a)->destroy)
		ssdc_admission_type(a)->destroy(a);
	if (plugin->type->kind == SSDC_PREFETCH && ssdc_prefetch_type(p)->destroy)
		ssdc_prefetch_type(p)->destroy(p);
}

/**
 * ssdc_plugin_tuned() - a tunable of an instance was changed
 * @plugin: instance in use
 *
 * Context: the engine's lock.
 */
void ssdc_plugin_tuned(struct ssdc_plugin *plugin)
{
	struct ssdc_replacement *r = (struct ssdc_replacement *)plugin;
	struct ssdc_admission *a = (struct ssdc_admission *)plugin;
	struct ssdc_prefetch *p = (struct ssdc_prefetch *)plugin;

	if (plugin->type->kind == SSDC_REPLACEMENT && ssdc_replacement_type(r)->tuned)
		ssdc_replacement_type(r)->tuned(r);
	if (plugin->type->kind == SSDC_ADMISSION && ssdc_admission_type(a)->tuned)
		ssdc_admission_type(a)->tuned(a);
	if (plugin->type->kind == SSDC_PREFETCH && ssdc_prefetch_type(p)->tuned)
		ssdc_prefetch_type(p)->tuned(p);
}

/**
 * ssdc_plugin_create() - make an instance from its spec
 * @kind: which kind
 * @spec: "NAME" or "NAME:key=value,…"
 * @engine: that it will serve; NULL only checks the spec and makes an instance
 *	that must not be used
 * @error: filled in on failure
 *
 * Context: may sleep.
 * Return: the instance, owned by the caller until an engine takes it; NULL on failure.
 */
struct ssdc_plugin *ssdc_plugin_create(enum ssdc_kind kind, const char *spec,
				       struct ssdc_engine *engine, struct ssdc_error *error)
{
	const struct ssdc_plugin_type *type;
	struct ssdc_plugin *plugin;
	size_t len = name_len(spec);

	type = ssdc_spec_type(kind, spec, error);
	if (!type)
		return NULL;
	plugin = kzalloc(type->info.instance_bytes, GFP_KERNEL);
	if (!plugin) {
		scnprintf(error->text, sizeof(error->text), "%s: no memory", type->info.name);
		return NULL;
	}
	plugin->type = type;
	plugin->engine = engine;
	ssdc_tunables_default(type->info.tunables, type->info.nr_tunables, plugin);
	if (spec[len] && parse_tunables(&type->info, spec + len + 1, plugin, error))
		goto out_free;

	if (kind == SSDC_REPLACEMENT)
		bind_replacement(plugin);
	if (engine && call_create(plugin, error))
		goto out_free;
	return plugin;

out_free:
	kfree(plugin);
	return NULL;
}

/**
 * ssdc_plugin_destroy() - free an instance that no engine uses any more
 * @plugin: instance or NULL
 *
 * Context: may sleep.
 */
void ssdc_plugin_destroy(struct ssdc_plugin *plugin)
{
	if (!plugin)
		return;
	if (plugin->engine)
		call_destroy(plugin);
	kfree(plugin);
}

/**
 * ssdc_spec_print() - write the spec that would make an instance again
 * @plugin: instance; the engine's lock is held if it is in use
 * @buf: destination
 * @size: of @buf
 *
 * Return: characters written.
 */
int ssdc_spec_print(const struct ssdc_plugin *plugin, char *buf, size_t size)
{
	const struct ssdc_plugin_info *info = &plugin->type->info;
	char separator = ':';
	unsigned int i;
	int at;

	at = scnprintf(buf, size, "%s", info->name);
	for (i = 0; i < info->nr_tunables; i++) {
		const struct ssdc_tunable *tunable = &info->tunables[i];
		u32 value = *ssdc_tunable_at(tunable, (void *)plugin);

		if (value == tunable->def)
			continue;
		at += scnprintf(buf + at, size - at, "%c%s=", separator, tunable->name);
		at += ssdc_tunable_print(tunable, value, buf + at, size - at);
		separator = ',';
	}
	return at;
}
