// SPDX-License-Identifier: GPL-2.0
/*
 * Live changes and actions, for messages and for writes to sysfs. A refused change or action has no
 * effect; the reason goes to the kernel log and to last_error in sysfs.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "cache.h"
#include "holds.h"
#include "latency.h"
#include "trace.h"

/* The caller holds @c->control. */
static int refuse(struct dmsc_cache *c, const struct ssdc_error *error)
{
	c->last_error = *error;
	DMERR("%s: %s", dm_device_name(dm_table_get_md(c->ti->table)), error->text);
	return -EINVAL;
}

/**
 * dmsc_refuse() - log why something is refused, and keep the reason for last_error
 * @c: cache
 * @error: the reason
 *
 * Context: may sleep.
 * Return: -EINVAL.
 */
int dmsc_refuse(struct dmsc_cache *c, const struct ssdc_error *error)
{
	int r;

	mutex_lock(&c->control);
	r = refuse(c, error);
	mutex_unlock(&c->control);
	return r;
}

/* Returns the replaced policy. */
static struct ssdc_plugin *switch_replacement(struct dmsc_shard *s, struct ssdc_plugin *plugin)
{
	struct ssdc_replacement *old = NULL;
	int r;

	dmsc_lock(s);
	r = ssdc_switch_begin(s->engine, (struct ssdc_replacement *)plugin);
	dmsc_unlock(s, SSDC_HELD_BY_MESSAGE);
	/* All changes hold @control until they are complete. */
	if (WARN_ON_ONCE(r))
		return plugin;
	while (!old) {
		cond_resched();
		dmsc_lock(s);
		old = ssdc_switch_step(s->engine);
		dmsc_unlock(s, SSDC_HELD_BY_MESSAGE);
	}
	dmsc_worker_kick(s);
	return &old->plugin;
}

static struct ssdc_plugin *switch_other(struct dmsc_shard *s, struct ssdc_plugin *plugin)
{
	struct ssdc_plugin *old;

	dmsc_lock(s);
	old = ssdc_switch_other(s->engine, plugin);
	dmsc_unlock(s, SSDC_HELD_BY_MESSAGE);
	/* Have the worker ask the new scheme when it wants to be called. */
	dmsc_worker_kick(s);
	return old;
}

static struct ssdc_plugin *switch_shard(struct dmsc_shard *s, enum ssdc_kind kind,
					struct ssdc_plugin *plugin)
{
	return kind == SSDC_REPLACEMENT ? switch_replacement(s, plugin) : switch_other(s, plugin);
}

static int pin_type(enum ssdc_kind kind, const char *spec, struct ssdc_error *error)
{
	if (strlen(spec) < SSDC_SPEC_LEN)
		return dmsc_pin_type(kind, spec, error);
	scnprintf(error->text, sizeof(error->text), "%s: longer than %u characters",
		  ssdc_kind_name(kind), SSDC_SPEC_LEN - 1);
	return -EINVAL;
}

static void destroy_plugins(struct ssdc_plugin **plugins, unsigned int nr)
{
	while (nr--)
		ssdc_plugin_destroy(plugins[nr]);
	kfree(plugins);
}

/* What make_plugin() needs. */
struct plugin_of {
	struct dmsc_shard *s;
	enum ssdc_kind kind;
	const char *spec;
	struct ssdc_error *error;
	struct ssdc_plugin *plugin;
};

static void make_plugin(void *data)
{
	struct plugin_of *of = data;
	unsigned int noio = dmsc_lock_types();

	of->plugin = ssdc_plugin_create(of->kind, of->spec, &of->s->engine->tier, of->error);
	dmsc_unlock_types(noio);
}

/* The type is pinned. */
static struct ssdc_plugin **create_plugins(struct dmsc_cache *c, enum ssdc_kind kind,
					   const char *spec, struct ssdc_error *error)
{
	unsigned int i;
	struct ssdc_plugin **plugins = kcalloc(c->nr_shards, sizeof(*plugins), GFP_KERNEL);

	if (!plugins) {
		scnprintf(error->text, sizeof(error->text), "%s: no memory", ssdc_kind_name(kind));
		return NULL;
	}
	for (i = 0; i < c->nr_shards; i++) {
		struct plugin_of of = {
			.s = &c->shards[i],
			.kind = kind,
			.spec = spec,
			.error = error,
		};

		dmsc_on_node(of.s, make_plugin, &of);
		plugins[i] = of.plugin;
		if (!plugins[i])
			break;
	}
	if (i == c->nr_shards)
		return plugins;
	destroy_plugins(plugins, i);
	return NULL;
}

/**
 * dmsc_make_plugins() - create a plug-in for each shard of a cache, and pin the type
 * @c: cache
 * @kind: kind of the plug-ins
 * @spec: their spec
 * @error: reason of a failure
 *
 * Context: @control is held; may sleep.
 * Return: the plug-ins, for dmsc_switch_plugins() or dmsc_drop_plugins(); NULL on failure.
 */
struct ssdc_plugin **dmsc_make_plugins(struct dmsc_cache *c, enum ssdc_kind kind, const char *spec,
				       struct ssdc_error *error)
{
	struct ssdc_plugin **plugins;

	if (pin_type(kind, spec, error))
		return NULL;
	plugins = create_plugins(c, kind, spec, error);
	if (!plugins)
		dmsc_unpin_spec(kind, spec);
	return plugins;
}

/**
 * dmsc_drop_plugins() - destroy plug-ins that no engine has any more, and unpin their type
 * @plugins: plug-ins or NULL
 * @nr: their number
 *
 * Context: may sleep.
 */
void dmsc_drop_plugins(struct ssdc_plugin **plugins, unsigned int nr)
{
	const struct ssdc_plugin_type *type;

	if (!plugins)
		return;
	type = plugins[0]->type;
	destroy_plugins(plugins, nr);
	dmsc_unpin_type(type);
}

/**
 * dmsc_switch_plugins() - make plug-ins the live ones; cached pages stay, in order of use
 * @c: cache
 * @plugins: from dmsc_make_plugins(); the engines own them
 * @spec: their spec
 * @replaced: result: the replaced plug-ins, which the caller disposes of
 *
 * Context: @control is held; may sleep.
 */
void dmsc_switch_plugins(struct dmsc_cache *c, struct ssdc_plugin **plugins, const char *spec,
			 struct dmsc_replaced *replaced)
{
	enum ssdc_kind kind = plugins[0]->type->kind;
	unsigned int i;

	trace_ssdcache_switch(c, kind, spec);
	for (i = 0; i < c->nr_shards; i++)
		plugins[i] = switch_shard(&c->shards[i], kind, plugins[i]);
	replaced->plugins[kind] = plugins;
	replaced->nr = c->nr_shards;
}

/**
 * dmsc_dispose() - after a change: show what has changed in sysfs, and free what was replaced
 * @c: cache
 * @replaced: the replaced plug-ins and choice; empty: nothing has changed
 *
 * Context: may sleep; without @control, which files of the old directories may take: this function
 * waits for them. The directories need the replaced types until then.
 */
void dmsc_dispose(struct dmsc_cache *c, struct dmsc_replaced *replaced)
{
	unsigned int kind;
	bool any = replaced->choice;

	for (kind = 0; kind < SSDC_NR_KINDS; kind++)
		any |= !!replaced->plugins[kind];
	if (!any)
		return;
	dms_node_update(&c->sysfs);
	for (kind = 0; kind < SSDC_NR_KINDS; kind++)
		dmsc_drop_plugins(replaced->plugins[kind], replaced->nr);
	dmsc_choice_free(replaced->choice);
}

static int change_plugin(struct dmsc_cache *c, enum ssdc_kind kind, const char *spec,
			 struct dmsc_replaced *replaced, struct ssdc_error *error)
{
	struct ssdc_plugin **plugins;

	if (dmsc_auto_concerns(c, kind, spec)) {
		if (!dmsc_auto_set(c, kind, spec, replaced, error))
			return 0;
		ssdc_auto_offer(error, spec, spec);
		return -EINVAL;
	}
	plugins = dmsc_make_plugins(c, kind, spec, error);
	if (!plugins) {
		ssdc_auto_offer(error, spec, spec);
		return -EINVAL;
	}
	dmsc_switch_plugins(c, plugins, spec, replaced);
	if (kind != SSDC_PREFETCH)
		dmsc_auto_end(c, replaced);
	return 0;
}

/**
 * dmsc_set_plugin() - replace a plug-in while the cache is in use
 * @c: cache
 * @kind: kind of the plug-in
 * @spec: spec of the new plug-in; of a replacement policy or an admission scheme also "auto:..."
 *
 * Cached pages stay, in order of use.
 *
 * Context: may sleep.
 * Return: 0 or -EINVAL.
 */
int dmsc_set_plugin(struct dmsc_cache *c, enum ssdc_kind kind, const char *spec)
{
	struct dmsc_replaced replaced = {};
	struct ssdc_error error = {};
	unsigned int noio;
	int r;

	/* A resume that takes over needs @control, so reclaim must not wait for the device. */
	noio = memalloc_noio_save();
	mutex_lock(&c->control);
	r = change_plugin(c, kind, spec, &replaced, &error);
	if (r)
		refuse(c, &error);
	mutex_unlock(&c->control);
	memalloc_noio_restore(noio);
	dmsc_dispose(c, &replaced);
	return r ? -EINVAL : 0;
}

/* Look up KEY in the tables of the engine and its plug-ins, or KIND.KEY in one plug-in's. */
static const struct ssdc_tunable *find_key(struct ssdc_engine *e, const char *key,
					   struct ssdc_plugin **owner, void **base)
{
	const struct ssdc_tunable *tunable;
	unsigned int kind;

	*owner = NULL;
	*base = &e->tunables;
	tunable = ssdc_tunable_find(ssdc_core_tunable_table, ssdc_nr_core_tunables, key,
				    strlen(key));
	for (kind = 0; !tunable && kind < SSDC_NR_KINDS; kind++) {
		struct ssdc_plugin *plugin = ssdc_current_plugin(e, kind);
		const struct ssdc_plugin_info *info = &plugin->type->info;
		size_t prefix = strlen(ssdc_kind_name(kind));
		const char *name = key;

		if (!strncmp(key, ssdc_kind_name(kind), prefix) && key[prefix] == '.')
			name += prefix + 1;
		tunable = ssdc_tunable_find(info->tunables, info->nr_tunables, name,
					    strlen(name));
		*owner = plugin;
		*base = plugin;
	}
	return tunable;
}

static int add_keys(char *text, size_t size, const struct ssdc_tunable *table, unsigned int nr)
{
	unsigned int i;
	int at = 0;

	for (i = 0; i < nr; i++)
		at += scnprintf(text + at, size - at, " %s", table[i].name);
	return at;
}

static int unknown_key(struct dmsc_cache *c, const char *key)
{
	struct ssdc_error error;
	unsigned int kind;
	int at;

	for (kind = 0; kind < SSDC_NR_KINDS; kind++) {
		if (strcmp(key, ssdc_kind_name(kind)))
			continue;
		scnprintf(error.text, sizeof(error.text),
			  "set: \"%s\" is a message of its own: %s NAME[:key=value,...]", key, key);
		return refuse(c, &error);
	}
	at = scnprintf(error.text, sizeof(error.text), "set: \"%.32s\" is not one of", key);
	at += add_keys(error.text + at, sizeof(error.text) - at, ssdc_core_tunable_table,
		       ssdc_nr_core_tunables);
	for (kind = 0; kind < SSDC_NR_KINDS; kind++) {
		const struct ssdc_plugin *plugin = ssdc_current_plugin(c->shards->engine, kind);
		const struct ssdc_plugin_type *type = plugin->type;

		at += add_keys(error.text + at, sizeof(error.text) - at, type->info.tunables,
			       type->info.nr_tunables);
	}
	return refuse(c, &error);
}

static void set_shard(struct dmsc_shard *s, const char *key, u32 number)
{
	const struct ssdc_tunable *tunable;
	struct ssdc_plugin *owner;
	void *base;

	tunable = find_key(s->engine, key, &owner, &base);
	dmsc_lock(s);
	*ssdc_tunable_at(tunable, base) = number;
	if (owner)
		ssdc_plugin_tuned(owner);
	else
		ssdc_tunables_changed(s->engine, ktime_get_ns());
	dmsc_unlock(s, SSDC_HELD_BY_MESSAGE);
	dmsc_worker_kick(s);
}

static int set(struct dmsc_cache *c, const char *key, const char *value)
{
	const struct ssdc_tunable *tunable;
	struct ssdc_plugin *owner;
	struct ssdc_error error;
	struct dmsc_shard *s;
	void *base;
	u32 number;

	tunable = find_key(c->shards->engine, key, &owner, &base);
	if (!tunable)
		return unknown_key(c, key);
	if (ssdc_tunable_parse(tunable, value, strlen(value), &number, &error))
		return refuse(c, &error);
	dmsc_for_each_shard(s, c)
		set_shard(s, key, number);
	return 0;
}

/**
 * dmsc_set() - set a tunable of the engine or of a current plug-in
 * @c: cache
 * @key: KEY or KIND.KEY
 * @value: new value as text
 *
 * Context: may sleep.
 * Return: 0 or -EINVAL.
 */
int dmsc_set(struct dmsc_cache *c, const char *key, const char *value)
{
	int r;

	mutex_lock(&c->control);
	r = set(c, key, value);
	mutex_unlock(&c->control);
	return r;
}

/*
 * Count the dirty pages that a flush has left. After a failed FLUSH, wait first until the workers
 * have made all pages dirty that it may have lost, or until a fatal signal. The caller holds
 * @c->control; the wait releases it.
 */
static u32 count_left(struct dmsc_cache *c)
{
	while (dmsc_is_rewriting(c) && !fatal_signal_pending(current)) {
		mutex_unlock(&c->control);
		usleep_range(100, 1000);
		mutex_lock(&c->control);
	}
	return dmsc_dirty_pages(c);
}

static int do_flush(struct dmsc_cache *c)
{
	struct dmsc_flush *flush = dmsc_flush_begin(c);
	struct ssdc_error error;
	int r;

	/* A flush may take long: let other messages run. */
	mutex_unlock(&c->control);
	r = dmsc_flush_end(flush, false);
	mutex_lock(&c->control);
	if (r == -EBUSY) {
		scnprintf(error.text, sizeof(error.text), "flush: the device is suspended");
		refuse(c, &error);
	} else if (r) {
		scnprintf(error.text, sizeof(error.text), "flush: %u dirty pages are left (%pe)",
			  count_left(c), ERR_PTR(r));
		refuse(c, &error);
	}
	return r;
}

static void drop_clean(struct dmsc_shard *s)
{
	u32 cursor = 0;

	while (cursor < s->engine->tier.nr_frames) {
		dmsc_lock(s);
		ssdc_drop_clean(s->engine, &cursor);
		dmsc_unlock(s, SSDC_HELD_BY_MESSAGE);
		cond_resched();
	}
	dmsc_worker_kick(s);
}

static int do_drop_clean(struct dmsc_cache *c)
{
	struct dmsc_shard *s;

	dmsc_for_each_shard(s, c)
		drop_clean(s);
	return 0;
}

static int do_reset_stats(struct dmsc_cache *c)
{
	struct dmsc_shard *s;

	dmsc_for_each_shard(s, c) {
		dmsc_lock(s);
		ssdc_reset_stats(s->engine);
		dmsc_unlock(s, SSDC_HELD_BY_MESSAGE);
	}
	dmsc_latency_reset(c);
	dmsc_holds_reset(c);
	dmsc_auto_reset_stats(c);
	return 0;
}

static const struct action {
	const char *name;
	const char *doc;
	int (*run)(struct dmsc_cache *c);
} actions[] = {
	{ "flush", "write all dirty pages to the origin", do_flush },
	{ "drop_clean", "drop all clean pages", do_drop_clean },
	{ "reset_stats", "zero all counters and histograms", do_reset_stats },
};

static const struct action *find_action(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(actions); i++)
		if (!strcasecmp(name, actions[i].name))
			return &actions[i];
	return NULL;
}

static int run_action(struct dmsc_cache *c, const char *name)
{
	const struct action *found = find_action(name);
	struct ssdc_error error;
	unsigned int i;
	int at;

	if (found)
		return found->run(c);
	at = scnprintf(error.text, sizeof(error.text),
		       "\"%.32s\" is not one of help replacement admission prefetch set", name);
	for (i = 0; i < ARRAY_SIZE(actions); i++)
		at += scnprintf(error.text + at, sizeof(error.text) - at, " %s", actions[i].name);
	return refuse(c, &error);
}

/**
 * dmsc_run_action() - run an action: flush, drop_clean or reset_stats
 * @c: cache
 * @name: name of the action
 *
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int dmsc_run_action(struct dmsc_cache *c, const char *name)
{
	int r;

	mutex_lock(&c->control);
	r = run_action(c, name);
	mutex_unlock(&c->control);
	return r;
}

static int help(char *result, unsigned int maxlen)
{
	unsigned int i, kind;
	size_t at = 0;

	for (kind = 0; kind < SSDC_NR_KINDS; kind++)
		at += scnprintf(result + at, maxlen - at, "%s NAME[:key=value,...]\n",
				ssdc_kind_name(kind));
	at += scnprintf(result + at, maxlen - at,
			"replacement auto[:candidates=NAME+NAME/ADMISSION,key=value,...]\n"
			"admission auto[:candidates=NAME+NAME,key=value,...]\n");
	at += scnprintf(result + at, maxlen - at, "set KEY VALUE");
	for (i = 0; i < ARRAY_SIZE(actions); i++)
		at += scnprintf(result + at, maxlen - at, "\n%s  (%s)", actions[i].name,
				actions[i].doc);
	return 1;
}

/* @usage: the words that @word accepts */
static int wrong_count(struct dmsc_cache *c, const char *word, const char *usage)
{
	struct ssdc_error error;

	scnprintf(error.text, sizeof(error.text), "%s: usage: %s%s", word, word, usage);
	return dmsc_refuse(c, &error);
}

/**
 * dmsc_message() - process a device-mapper message
 * @c: cache
 * @argc: length of @argv
 * @argv: words of the message
 * @result: buffer for text to print
 * @maxlen: size of @result
 *
 * Context: may sleep.
 * Return: 0; 1 with text in @result; or -errno.
 */
int dmsc_message(struct dmsc_cache *c, unsigned int argc, char **argv, char *result,
		 unsigned int maxlen)
{
	unsigned int kind;

	if (!strcasecmp(argv[0], "help"))
		return help(result, maxlen);
	for (kind = 0; kind < SSDC_NR_KINDS; kind++) {
		if (strcasecmp(argv[0], ssdc_kind_name(kind)))
			continue;
		if (argc != 2)
			return wrong_count(c, ssdc_kind_name(kind), " NAME[:key=value,...]");
		return dmsc_set_plugin(c, kind, argv[1]);
	}
	if (!strcasecmp(argv[0], "set")) {
		if (argc != 3)
			return wrong_count(c, "set", " KEY VALUE");
		return dmsc_set(c, argv[1], argv[2]);
	}
	if (argc != 1 && find_action(argv[0]))
		return wrong_count(c, argv[0], ", without further words");
	return dmsc_run_action(c, argv[0]);
}
