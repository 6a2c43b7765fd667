// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcachectl get, set
 */
#include <stdio.h>
#include <string.h>
#include "act.h"
#include "snapshot.h"

#define MAX_KEYS 128

static const struct option_def get_options[] = {
	OPTION_SYSFS,
	OPTION_END
};

static const struct option_def set_options[] = {
	OPTION_END
};

static void print_param(unsigned int section, const struct snapshot_item *item)
{
	const char *kind = section == CATALOG_CORE ? "" : catalog_section_name(section);
	const struct ssdc_tunable *tunable = item->tunable;
	char key[SNAPSHOT_WORD_LEN + 32], range[128] = "", def[64] = "";

	snprintf(key, sizeof(key), "%s%s%s", kind, *kind ? "." : "", item->name);
	if (tunable) {
		catalog_range(tunable, range, sizeof(range));
		ssdc_tunable_print(tunable, tunable->def, def, sizeof(def));
	}
	printf("%-24s %-12s %-8s %-10s %-20s %s\n", key, item->text, tunable ? tunable->unit : "",
	       def, range, tunable ? tunable->doc : "");
}

static int print_all(const struct snapshot *snap)
{
	unsigned int n, section;
	size_t i;

	for (n = 0; n < snap->nr_words; n++)
		printf("%-24s %s\n", snap->words[n].name, snap->words[n].text);
	printf("\n%-24s %-12s %-8s %-10s %-20s %s\n", "KEY", "VALUE", "UNIT", "DEFAULT", "RANGE",
	       "MEANING");
	/* The core's first. */
	for (n = 0; n < CATALOG_SECTIONS; n++) {
		section = (n + CATALOG_CORE) % CATALOG_SECTIONS;
		for (i = 0; i < snap->params[section].nr; i++)
			print_param(section, &snap->params[section].items[i]);
	}
	return TOOL_OK;
}

/* Find a parameter by "name" or "kind.name"; NULL if there is none. */
static const struct snapshot_item *find_param(const struct snapshot *snap, const char *key)
{
	const struct snapshot_item *item;
	const char *dot = strchr(key, '.');
	unsigned int n, section;

	for (n = 0; n < CATALOG_SECTIONS; n++) {
		section = (n + CATALOG_CORE) % CATALOG_SECTIONS;
		if (dot && (section == CATALOG_CORE ||
			    strlen(catalog_section_name(section)) != (size_t)(dot - key) ||
			    strncmp(catalog_section_name(section), key, dot - key)))
			continue;
		item = snapshot_find(&snap->params[section], dot ? dot + 1 : key);
		if (item)
			return item;
	}
	return NULL;
}

static bool is_set(const struct command *cmd)
{
	return cmd->verb == &verb_set;
}

static int unknown_key(const struct command *cmd, const struct snapshot *snap)
{
	const char *keys[MAX_KEYS], *guess;
	char text[1024] = "";
	unsigned int section;
	size_t nr = 0, at = 0, i;
	enum ssdc_kind kind;

	for (i = 0; i < snap->nr_words; i++)
		if (!is_set(cmd) || catalog_kind(snap->words[i].name, &kind))
			keys[nr++] = snap->words[i].name;
	for (section = CATALOG_SECTIONS; section--;)
		for (i = 0; i < snap->params[section].nr && nr < MAX_KEYS; i++)
			keys[nr++] = snap->params[section].items[i].name;
	guess = nearest(cmd->args[1], keys, nr);
	if (guess)
		return usage("%s: %s has no key '%s': did you mean '%s'?", cmd->verb->name,
			     snap->dev.name, cmd->args[1], guess);
	for (i = 0; i < nr && at < sizeof(text); i++)
		at += snprintf(text + at, sizeof(text) - at, "%s%s", i ? ", " : "", keys[i]);
	return usage("%s: %s has no key '%s': there are %s", cmd->verb->name, snap->dev.name,
		     cmd->args[1], text);
}

/* Is there a file of this name in sysfs, as status and statistics have, which are only read? */
static bool is_read_only(const struct device *dev, const char *key)
{
	char attribute[64], text[8];

	if (strlen(key) > 32 || key[0] == '.' || strchr(key, '/'))
		return false;
	snprintf(attribute, sizeof(attribute), "stats/%s", key);
	return device_text(dev, key, text, sizeof(text)) || device_text(dev, attribute, text, sizeof(text));
}

static int print_one(const struct command *cmd, const struct snapshot *snap)
{
	const struct snapshot_item *item;
	unsigned int i;

	for (i = 0; i < snap->nr_words; i++) {
		if (!strcmp(cmd->args[1], snap->words[i].name)) {
			printf("%s\n", snap->words[i].text);
			return TOOL_OK;
		}
	}
	item = find_param(snap, cmd->args[1]);
	if (!item && (!strcmp(cmd->args[1], "dram") || is_read_only(&snap->dev, cmd->args[1])))
		return usage("get: %s is no setting: 'ssdcachectl list' shows sizes, 'ssdcachectl stats %s --json' everything",
			     cmd->args[1], snap->dev.name);
	if (!item)
		return unknown_key(cmd, snap);
	printf("%s\n", item->text);
	return TOOL_OK;
}

static int run_get(const struct command *cmd)
{
	struct snapshot snap;
	struct device dev;
	int code = device_find(cmd, &dev);

	if (code)
		return code;
	if (!snapshot_read(&dev, SNAPSHOT_PARAMS, &snap))
		code = fail("get: %s is gone", dev.name);
	else
		code = cmd->nr_args > 1 ? print_one(cmd, &snap) : print_all(&snap);
	snapshot_free(&snap);
	return code;
}

/* Say how what is no key of "set" can be changed. */
static int cannot_set(const struct command *cmd, const struct snapshot *snap)
{
	static const char *const of_create[] = { "origin", "page", "page_bytes", "shards", "numa", "readonly", "unchecked" };
	const char *key = cmd->args[1], *name = snap->dev.name;
	size_t i;

	if (!strcmp(key, SSDC_AUTO_NAME))
		return usage("set: %s: the cache chooses its policies after 'ssdcachectl set %s replacement auto' or 'auto:WORD=VALUE,...', until replacement is set to another policy",
			     key, name);
	if (!strcmp(key, SNAPSHOT_AUTO_ADMISSION))
		return usage("set: %s: the cache chooses its admission scheme after 'ssdcachectl set %s admission auto' or 'auto:WORD=VALUE,...', until admission is set to a scheme",
			     key, name);
	if (!strcmp(key, "dram") || !strcmp(key, "dram_bytes") || !strcmp(key, "frames"))
		return usage("set: %s: 'ssdcachectl resize %s --dram SIZE' changes the size of the DRAM", key, name);
	for (i = 0; i < sizeof(of_create) / sizeof(of_create[0]); i++)
		if (!strcmp(key, of_create[i]))
			return usage("set: %s of %s is chosen when the cache is created: 'ssdcachectl create --help'", key, name);
	if (is_read_only(&snap->dev, key))
		return usage("set: %s of %s can only be read", key, name);
	return unknown_key(cmd, snap);
}

/* Compose the message that sets the key. Returns an exit code; errors are reported. */
static int make_message(const struct command *cmd, const struct snapshot *snap, char *message,
			size_t size)
{
	const char *key = cmd->args[1], *value = cmd->args[2];
	const struct snapshot_item *item;
	enum ssdc_kind kind;
	int code = TOOL_OK;

	if (!*value || value[strcspn(value, " \t\n\\")])
		return usage("set: %s: '%s' is not one word", key, value);
	if (catalog_kind(key, &kind)) {
		snprintf(message, size, "%s %s", key, value);
		return catalog_check_spec(cmd, kind, value);
	}
	item = find_param(snap, key);
	if (!item)
		return cannot_set(cmd, snap);
	if (item->tunable)
		code = catalog_check_tunable(cmd, item->tunable, value);
	if (!code && (size_t)snprintf(message, size, "set %s %s", key, value) >= size)
		code = usage("set: %s: the value is too long", key);
	return code;
}

static int run_set(const struct command *cmd)
{
	char message[SSDC_SPEC_LEN + 64];
	struct snapshot snap;
	struct device dev;
	int code = act_begin(cmd, &dev);

	if (code)
		return code;
	if (!snapshot_read(&dev, SNAPSHOT_PARAMS, &snap))
		code = fail("set: %s is gone", dev.name);
	else
		code = make_message(cmd, &snap, message, sizeof(message));
	snapshot_free(&snap);
	return code ? code : act_message(cmd, &dev, message);
}

const struct verb verb_get = {
	.name = "get",
	.args = "NAME [KEY]",
	.min_args = 1,
	.max_args = 2,
	.flash = true,
	.doc = "Show one setting, or all of them with unit, default and range.",
	.more = "KEY is replacement, admission, prefetch, a setting of the cache, or one of its "
		"policies' keys: KEY or KIND.KEY. Of an ssdflash it is profile or a parameter, "
		"which was set when the device was created.",
	.options = get_options,
	.run = run_get,
};

const struct verb verb_set = {
	.name = "set",
	.args = "NAME KEY VALUE",
	.min_args = 3,
	.max_args = 3,
	.doc = "Change a setting, or switch a policy, while the device runs.",
	.more = "KEY is replacement, admission or prefetch with a SPEC as VALUE, or a key that "
		"'ssdcachectl get NAME' shows. Pages stay cached; no request fails.",
	.options = set_options,
	.run = run_set,
};
