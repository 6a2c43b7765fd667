// SPDX-License-Identifier: GPL-2.0
/*
 * Plug-in types by name, and plug-in instances from specs.
 *
 * The list of registered types is global, so no engine's lock guards it. The kernel's driver guards
 * it with a mutex (driver/ssdcache/policies.c). Programs register all types before they create an
 * engine.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "state.h"

static LIST_HEAD(registered);	/* types that are not built in */

/* Only the simulator registers this policy; elsewhere, the error message says so. */
static const char simulator_only[] = "opt";

/* The word for a kind of plug-in, as in table lines and messages. */
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
 * ssdc_type_next() - iterate over the types of a kind: built-in, then registered
 * @kind: which kind
 * @prev: the previous type, NULL to start
 *
 * Context: the lock of the list of types.
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
 * ssdc_type_find() - look up a type by name
 * @kind: which kind
 * @name: name, not necessarily terminated
 * @len: length of @name
 *
 * Context: the lock of the list of types.
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

/* The name of a mandatory op that the type lacks, or NULL. */
static const char *missing_op(const struct ssdc_plugin_type *type)
{
	const struct ssdc_replacement_type *r = (const struct ssdc_replacement_type *)type;

	if (type->kind != SSDC_REPLACEMENT)
		return NULL;
	if (!r->insert)
		return "insert";
	if (!r->remove)
		return "remove";
	if (!r->victims)
		return "victims";
	if (!r->adopt)
		return "adopt";
	if (!r->pop_hottest)
		return "pop_hottest";
	return r->check ? NULL : "check";
}

static size_t min_instance_bytes(enum ssdc_kind kind)
{
	switch (kind) {
	case SSDC_REPLACEMENT:
		return sizeof(struct ssdc_replacement);
	case SSDC_ADMISSION:
		return sizeof(struct ssdc_admission);
	default:
		return sizeof(struct ssdc_prefetch);
	}
}

/* A name that two rows of a table share, or NULL. Names must differ: they become sysfs files. */
static const char *twin(const struct ssdc_plugin_info *info)
{
	unsigned int i, j;

	for (i = 0; i < info->nr_tunables; i++)
		for (j = 0; j < i; j++)
			if (!strcmp(info->tunables[i].name, info->tunables[j].name))
				return info->tunables[i].name;
	for (i = 0; i < info->nr_stats; i++)
		for (j = 0; j < i; j++)
			if (!strcmp(info->stats[i].name, info->stats[j].name))
				return info->stats[i].name;
	return NULL;
}

/* Names are words of table lines and specs: lower-case letters, digits and dashes. */
static bool is_name(const char *name)
{
	const char *c;

	for (c = name; *c; c++)
		if (!(*c >= 'a' && *c <= 'z') && !(*c >= '0' && *c <= '9') && *c != '-')
			return false;
	return c > name;
}

/* Print into @buf why the type cannot be registered; returns false if it can. */
static bool is_incomplete(const struct ssdc_plugin_type *type, char *buf, size_t size)
{
	const struct ssdc_plugin_info *info = &type->info;

	if (!info->source || !info->status || !info->doc)
		scnprintf(buf, size, "source, status and doc must all be set");
	else if (strlen(info->name) >= SSDC_NAME_LEN)
		scnprintf(buf, size, "the name has more than %u characters", SSDC_NAME_LEN - 1);
	else if (!is_name(info->name))
		scnprintf(buf, size, "the name must be of lower-case letters, digits and dashes");
	else if (missing_op(type))
		scnprintf(buf, size, "the op %s() must be set", missing_op(type));
	else if (info->instance_bytes < min_instance_bytes(type->kind))
		scnprintf(buf, size, "instance_bytes is %zu, smaller than struct ssdc_%s",
			  info->instance_bytes, ssdc_kind_name(type->kind));
	else if (twin(info))
		scnprintf(buf, size, "two tunables or two statistics are called \"%s\"",
			  twin(info));
	else
		return false;
	return true;
}

/**
 * ssdc_type_check() - may a type be registered?
 * @type: a type that is not registered
 * @error: on failure, says why not
 *
 * Context: the lock of the list of types.
 * Return: 0, -EEXIST if the name is taken, -EINVAL if the type is incomplete.
 */
int ssdc_type_check(const struct ssdc_plugin_type *type, struct ssdc_error *error)
{
	const struct ssdc_plugin_info *info = &type->info;
	char what[128];

	if (type->kind >= SSDC_NR_KINDS || !info->name) {
		scnprintf(error->text, sizeof(error->text), "a plug-in without a %s",
			  info->name ? "valid kind" : "name");
		return -EINVAL;
	}
	if (is_incomplete(type, what, sizeof(what))) {
		scnprintf(error->text, sizeof(error->text), "%s \"%s\": %s",
			  ssdc_kind_name(type->kind), info->name, what);
		return -EINVAL;
	}
	if (ssdc_type_find(type->kind, info->name, strlen(info->name))) {
		scnprintf(error->text, sizeof(error->text), "%s \"%s\": the name is taken",
			  ssdc_kind_name(type->kind), info->name);
		return -EEXIST;
	}
	return 0;
}

/**
 * ssdc_type_register() - register a type
 * @type: owned by the caller; must stay valid until ssdc_type_unregister()
 *
 * Context: the lock of the list of types.
 * Return: 0 or the error of ssdc_type_check().
 */
int ssdc_type_register(struct ssdc_plugin_type *type)
{
	struct ssdc_error error;
	int r = ssdc_type_check(type, &error);

	if (!r)
		list_add_tail(&type->node, &registered);
	return r;
}

/**
 * ssdc_type_unregister() - remove a registered type
 * @type: a type without instances
 *
 * Context: the lock of the list of types.
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
 * ssdc_spec_type() - find the type that a spec names
 * @kind: which kind
 * @spec: "NAME" or "NAME:key=value,…"
 * @error: on failure, lists the available names
 *
 * Context: the lock of the list of types.
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

	error->unknown = BIT(kind);
	at = scnprintf(error->text, sizeof(error->text), "%s: \"%.*s\" is not one of",
		       ssdc_kind_name(kind), (int)min_t(size_t, len, SSDC_NAME_LEN), spec);
	while ((type = ssdc_type_next(kind, type)))
		at += scnprintf(error->text + at, sizeof(error->text) - at, " %s",
				type->info.name);
	return NULL;
}

/* Report a word of a spec that is not key=value with a known key. */
static void list_keys(const struct ssdc_plugin_info *info, struct ssdc_error *error,
		      const char *word, size_t len)
{
	unsigned int i;
	int at;

	if (!info->nr_tunables) {
		scnprintf(error->text, sizeof(error->text), "%s: \"%.*s\": %s has no keys",
			  info->name, (int)min_t(size_t, len, 40), word, info->name);
		return;
	}
	at = scnprintf(error->text, sizeof(error->text),
		       "%s: \"%.*s\" is not key=value with a key of", info->name,
		       (int)min_t(size_t, len, 40), word);
	for (i = 0; i < info->nr_tunables; i++)
		at += scnprintf(error->text + at, sizeof(error->text) - at, " %s",
				info->tunables[i].name);
}

/* Parse "key=value,…" from @at on into the tunables of @base. Returns 0 or -EINVAL. */
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

	if (plugin->tier) {
		r->entries = ssdc_tier_engine(plugin->tier)->entries;
		r->capacity = plugin->tier->capacity;
		r->nr_frames = plugin->tier->nr_frames;
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
		return ssdc_replacement_ops(r)->create ?
		       ssdc_replacement_ops(r)->create(r, error) : 0;
	case SSDC_ADMISSION:
		return ssdc_admission_ops(a)->create ?
		       ssdc_admission_ops(a)->create(a, error) : 0;
	default:
		return ssdc_prefetch_ops(p)->create ?
		       ssdc_prefetch_ops(p)->create(p, error) : 0;
	}
}

static void call_destroy(struct ssdc_plugin *plugin)
{
	struct ssdc_replacement *r = (struct ssdc_replacement *)plugin;
	struct ssdc_admission *a = (struct ssdc_admission *)plugin;
	struct ssdc_prefetch *p = (struct ssdc_prefetch *)plugin;

	if (plugin->type->kind == SSDC_REPLACEMENT && ssdc_replacement_ops(r)->destroy)
		ssdc_replacement_ops(r)->destroy(r);
	if (plugin->type->kind == SSDC_ADMISSION && ssdc_admission_ops(a)->destroy)
		ssdc_admission_ops(a)->destroy(a);
	if (plugin->type->kind == SSDC_PREFETCH && ssdc_prefetch_ops(p)->destroy)
		ssdc_prefetch_ops(p)->destroy(p);
}

/**
 * ssdc_plugin_tuned() - notify an instance that one of its tunables changed
 * @plugin: instance that an engine uses
 */
void ssdc_plugin_tuned(struct ssdc_plugin *plugin)
{
	struct ssdc_replacement *r = (struct ssdc_replacement *)plugin;
	struct ssdc_admission *a = (struct ssdc_admission *)plugin;
	struct ssdc_prefetch *p = (struct ssdc_prefetch *)plugin;

	if (plugin->type->kind == SSDC_REPLACEMENT && ssdc_replacement_ops(r)->tuned)
		ssdc_replacement_ops(r)->tuned(r);
	if (plugin->type->kind == SSDC_ADMISSION && ssdc_admission_ops(a)->tuned)
		ssdc_admission_ops(a)->tuned(a);
	if (plugin->type->kind == SSDC_PREFETCH && ssdc_prefetch_ops(p)->tuned)
		ssdc_prefetch_ops(p)->tuned(p);
}

/**
 * ssdc_plugin_create() - create an instance from its spec
 * @kind: which kind
 * @spec: "NAME" or "NAME:key=value,…"
 * @tier: the DRAM tier that the instance will serve; NULL to check the spec only: the result is
 *	good only for ssdc_spec_print() and ssdc_plugin_destroy()
 * @error: on failure, says why in one line
 *
 * Context: may sleep; the lock of the list of types, not the engine's lock.
 * Return: the instance, owned by the caller until an engine owns it; NULL on failure.
 */
struct ssdc_plugin *ssdc_plugin_create(enum ssdc_kind kind, const char *spec,
				       const struct ssdc_tier *tier, struct ssdc_error *error)
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
	plugin->tier = tier;
	ssdc_tunables_default(type->info.tunables, type->info.nr_tunables, plugin);
	if (spec[len] && parse_tunables(&type->info, spec + len + 1, plugin, error))
		goto out_free;

	if (kind == SSDC_REPLACEMENT)
		bind_replacement(plugin);
	if (tier && call_create(plugin, error))
		goto out_free;
	return plugin;

out_free:
	kfree(plugin);
	return NULL;
}

/**
 * ssdc_plugin_destroy() - free an instance
 * @plugin: instance that no engine uses any more, or NULL
 *
 * Context: may sleep; not the engine's lock.
 */
void ssdc_plugin_destroy(struct ssdc_plugin *plugin)
{
	if (!plugin)
		return;
	if (plugin->tier)
		call_destroy(plugin);
	kfree(plugin);
}

/**
 * ssdc_spec_print() - print the spec that recreates an instance, without default values
 * @plugin: instance
 * @buf: destination
 * @size: size of @buf
 *
 * Context: if an engine uses @plugin, the engine's lock or the driver's lock that excludes changes
 * of tunables.
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
