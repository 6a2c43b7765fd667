// SPDX-License-Identifier: GPL-2.0
/*
 * The plug-ins, parameters and statistics that this tool knows (the engine's descriptor tables)
 * and those that the running kernel offers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "catalog.h"

/**
 * catalog_section_name() - name of a section
 * @section: which
 *
 * Return: the name of its sysfs folder, or "core".
 */
const char *catalog_section_name(unsigned int section)
{
	switch (section) {
	case CATALOG_CORE:
		return "core";
	case CATALOG_CHANNELS:
		return "channel_busy_ns";
	case CATALOG_HOLDS:
		return "holds";
	case CATALOG_AUTO:
		return "auto";
	case CATALOG_SHADOW:
		return "shadow";
	default:
		return ssdc_kind_name((enum ssdc_kind)section);
	}
}

/**
 * catalog_has() - does a target have a section?
 * @target: the target
 * @section: the section
 */
bool catalog_has(enum device_target target, unsigned int section)
{
	if (target == DEVICE_FLASH)
		return section == CATALOG_CORE || section == CATALOG_CHANNELS;
	return section != CATALOG_CHANNELS;
}

/**
 * catalog_is_optional() - is a section left out where a device has nothing of it?
 * @section: the section
 */
bool catalog_is_optional(unsigned int section)
{
	return section > SSDC_NR_KINDS;
}

/**
 * catalog_kind() - the kind that a word names
 * @word: "replacement", …
 * @kind: result
 *
 * Return: false if it names none.
 */
bool catalog_kind(const char *word, enum ssdc_kind *kind)
{
	unsigned int i;

	for (i = 0; i < SSDC_NR_KINDS; i++) {
		if (!strcmp(word, ssdc_kind_name((enum ssdc_kind)i))) {
			*kind = (enum ssdc_kind)i;
			return true;
		}
	}
	return false;
}

static const struct ssdc_stat channel_stat = {
	.name = "channel_busy_ns", .unit = "ns", .doc = "time in which it transferred",
	.kind = SSDC_COUNTER, .width = 8,
};

static struct catalog_tables flash_tables(unsigned int section)
{
	if (section == CATALOG_CHANNELS)
		return (struct catalog_tables){ .stats = &channel_stat, .nr_stats = 1,
						.numbered = true };
	return (struct catalog_tables){ ssdf_param_table, ssdf_nr_params, ssdf_stat_table,
					ssdf_nr_stats, false };
}

/* Statistics of a choice, and of each of its candidates. */
static struct catalog_tables auto_tables(void)
{
	static struct ssdc_stat stats[32];
	unsigned int nr = ssdc_nr_auto_stats, i;

	for (i = 0; i < nr; i++)
		stats[i] = ssdc_auto_stat_table[i];
	for (i = 0; i < ssdc_nr_auto_candidate_stats; i++, nr++) {
		stats[nr] = ssdc_auto_candidate_stat_table[i];
		/* A number for each candidate. */
		stats[nr].nr = SSDC_AUTO_MAX_CANDIDATES;
	}
	return (struct catalog_tables){ .stats = stats, .nr_stats = nr };
}

/* Statistics of shadows: a number for each of them. */
static struct catalog_tables shadow_tables(void)
{
	static struct ssdc_stat stats[32];
	unsigned int i;

	for (i = 0; i < ssdc_nr_shadow_stats; i++) {
		stats[i] = ssdc_shadow_stat_table[i];
		stats[i].nr = SSDC_AUTO_MAX_CANDIDATES;
	}
	return (struct catalog_tables){ .stats = stats, .nr_stats = ssdc_nr_shadow_stats };
}

/**
 * catalog_find_tables() - descriptors of a section
 * @target: the target
 * @section: which
 * @spec: if the section is a kind of plug-in: the plug-in in use
 */
struct catalog_tables catalog_find_tables(enum device_target target, unsigned int section,
				     const char *spec)
{
	struct catalog_tables tables = { .tunables = NULL };
	const struct ssdc_plugin_type *type;

	if (target == DEVICE_FLASH)
		return flash_tables(section);
	if (section == CATALOG_AUTO)
		return auto_tables();
	if (section == CATALOG_SHADOW)
		return shadow_tables();
	if (section == CATALOG_CORE) {
		tables.tunables = ssdc_core_tunable_table;
		tables.nr_tunables = ssdc_nr_core_tunables;
		tables.stats = ssdc_core_stat_table;
		tables.nr_stats = ssdc_nr_core_stats;
		return tables;
	}
	if (section == CATALOG_HOLDS) {
		tables.stats = ssdc_hold_stat_table;
		tables.nr_stats = ssdc_nr_hold_stats;
		return tables;
	}
	type = ssdc_type_find((enum ssdc_kind)section, spec, strcspn(spec, ":"));
	if (type) {
		tables.tunables = type->info.tunables;
		tables.nr_tunables = type->info.nr_tunables;
		tables.stats = type->info.stats;
		tables.nr_stats = type->info.nr_stats;
	}
	return tables;
}

/**
 * catalog_tunable() - a tunable by name
 * @tables: of its section
 * @name: of the tunable
 *
 * Return: the descriptor or NULL.
 */
const struct ssdc_tunable *catalog_tunable(const struct catalog_tables *tables, const char *name)
{
	return ssdc_tunable_find(tables->tunables, tables->nr_tunables, name, strlen(name));
}

/**
 * catalog_stat() - a statistic by name
 * @tables: of its section
 * @name: of the statistic
 *
 * Return: the descriptor or NULL.
 */
const struct ssdc_stat *catalog_stat(const struct catalog_tables *tables, const char *name)
{
	unsigned int i;

	if (tables->numbered)
		return &tables->stats[0];
	for (i = 0; i < tables->nr_stats; i++)
		if (!strcmp(tables->stats[i].name, name))
			return &tables->stats[i];
	return NULL;
}

/**
 * catalog_range() - the values a tunable accepts: "1..64" or "on|off"
 * @tunable: descriptor
 * @buf: result
 * @size: of @buf
 */
void catalog_range(const struct ssdc_tunable *tunable, char *buf, size_t size)
{
	unsigned int i;
	size_t at = 0;

	if (!tunable->words) {
		snprintf(buf, size, "%u..%u", tunable->min, tunable->max);
		return;
	}
	for (i = 0; tunable->words[i] && at < size; i++)
		at += snprintf(buf + at, size - at, "%s%s", i ? "|" : "", tunable->words[i]);
}

/**
 * catalog_offer_read() - ask the running kernel which plug-ins it has
 * @cmd: may have --sysfs
 * @offer: result
 *
 * Any ssdcache device has the answer; without a device it stays unknown.
 */
void catalog_offer_read(const struct command *cmd, struct catalog_offer *offer)
{
	char attribute[64];
	struct device *list;
	size_t nr = device_list(cmd, &list), i = 0;
	unsigned int kind;

	memset(offer, 0, sizeof(*offer));
	while (i < nr && list[i].target != DEVICE_CACHE)
		i++;
	for (kind = 0; i < nr && kind < SSDC_NR_KINDS; kind++) {
		snprintf(attribute, sizeof(attribute), "available_%s",
			 ssdc_kind_name((enum ssdc_kind)kind));
		if (device_text(&list[i], attribute, offer->lines[kind], CATALOG_OFFER_LEN))
			offer->known = true;
	}
	free(list);
}

/* Copy one TAB-separated word; returns where the next one starts. */
static const char *cut(const char *at, char *buf, size_t size)
{
	size_t len = strcspn(at, "\t\n");

	snprintf(buf, size, "%.*s", (int)len, at);
	make_printable(buf);
	return at[len] == '\t' ? at + len + 1 : at + len;
}

/**
 * catalog_offer_next() - split one line of an offer into words
 * @at: start of the line
 * @line: result
 *
 * Return: where the next line starts, NULL if @at was the end.
 */
const char *catalog_offer_next(const char *at, struct catalog_line *line)
{
	if (!at || !*at)
		return NULL;
	at = cut(at, line->name, sizeof(line->name));
	at = cut(at, line->source, sizeof(line->source));
	at = cut(at, line->status, sizeof(line->status));
	at = cut(at, line->doc, sizeof(line->doc));
	at += strcspn(at, "\n");
	return *at ? at + 1 : at;
}

/**
 * catalog_offered() - does the running kernel offer a plug-in?
 * @offer: from catalog_offer_read()
 * @kind: its kind
 * @name: its name, not necessarily terminated
 * @len: its length
 */
bool catalog_offered(const struct catalog_offer *offer, enum ssdc_kind kind, const char *name,
		     size_t len)
{
	const char *at = offer->lines[kind];
	struct catalog_line line;

	while ((at = catalog_offer_next(at, &line)))
		if (strlen(line.name) == len && !strncmp(line.name, name, len))
			return true;
	return false;
}

static int check_spec(const struct command *cmd, enum ssdc_kind kind, const char *spec, bool candidate);

/* The words of "auto:...", and the specs of all candidates. */
static int check_auto(const struct command *cmd, enum ssdc_kind kind, const char *spec)
{
	struct ssdc_error error = {};
	struct ssdc_auto_spec parsed;
	int code = TOOL_OK;
	u32 i;

	/* The spec of the other kind is checked by itself. */
	if (ssdc_auto_parse(kind == SSDC_REPLACEMENT ? spec : "lru", kind == SSDC_ADMISSION ? spec : "write-buffer", &parsed,
			    &error))
		return usage("%s: %s", cmd->verb->name, error.text);
	for (i = 0; !code && i < parsed.nr; i++) {
		code = check_spec(cmd, SSDC_REPLACEMENT, parsed.candidates[i].replacement, true);
		if (!code)
			code = check_spec(cmd, SSDC_ADMISSION, parsed.candidates[i].admission, true);
	}
	return code;
}

/* @candidate: of "auto:...", which is none itself */
static int check_spec(const struct command *cmd, enum ssdc_kind kind, const char *spec, bool candidate)
{
	size_t len = strcspn(spec, ":");
	struct ssdc_error error = {};
	struct catalog_offer *offer;
	struct ssdc_plugin *plugin;
	bool offered = false;
	char guess[64];

	if (kind != SSDC_PREFETCH && !candidate && ssdc_auto_is_spec(spec))
		return check_auto(cmd, kind, spec);
	if (strlen(spec) >= SSDC_SPEC_LEN)
		return usage("%s: %s: a spec has at most %d characters", cmd->verb->name,
			     ssdc_kind_name(kind), SSDC_SPEC_LEN - 1);
	if (spec[strcspn(spec, " \t\n\\")])
		return usage("%s: %s: '%s': a spec is one word, NAME or NAME:key=value,key=value",
			     cmd->verb->name, ssdc_kind_name(kind), spec);
	if (ssdc_spec_type(kind, spec, &error)) {
		plugin = ssdc_plugin_create(kind, spec, NULL, &error);
		if (!plugin)
			return usage("%s: %s", cmd->verb->name, error.text);
		ssdc_plugin_destroy(plugin);
		return TOOL_OK;
	}

	offer = malloc(sizeof(*offer));
	if (offer) {
		catalog_offer_read(cmd, offer);
		offered = catalog_offered(offer, kind, spec, len);
		free(offer);
	}
	if (offered)
		return TOOL_OK;
	if (!candidate)
		ssdc_auto_offer(&error, spec, spec);
	/* "create" lets the kernel load the module of a plug-in that nothing here knows. */
	if (error.unknown && len && cmd->verb == &verb_create && !guess_word(error.text, guess, sizeof(guess)))
		return usage("%s: %s (--unchecked leaves a plug-in of another module to the kernel)",
			     cmd->verb->name, error.text);
	return usage("%s: %s", cmd->verb->name, error.text);
}

/**
 * catalog_check_spec() - find mistakes in a spec before the kernel does
 * @cmd: the command line
 * @kind: kind of the plug-in
 * @spec: "NAME" or "NAME:key=value,…"; of a replacement policy or an admission scheme also "auto:…"
 *
 * A plug-in of another module is left to the kernel if the kernel offers it.
 *
 * Return: TOOL_OK or TOOL_BAD_USAGE (reported).
 */
int catalog_check_spec(const struct command *cmd, enum ssdc_kind kind, const char *spec)
{
	return check_spec(cmd, kind, spec, false);
}

/**
 * catalog_check_tunable() - find a mistake in a tunable's value before the kernel does
 * @cmd: the command line
 * @tunable: descriptor
 * @value: as given
 *
 * Return: TOOL_OK or TOOL_BAD_USAGE (reported).
 */
int catalog_check_tunable(const struct command *cmd, const struct ssdc_tunable *tunable,
			  const char *value)
{
	struct ssdc_error error = {};
	u32 result;

	if (!ssdc_tunable_parse(tunable, value, strlen(value), &result, &error))
		return TOOL_OK;
	return usage("%s: %s", cmd->verb->name, error.text);
}
