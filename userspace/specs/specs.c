// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>
#include "../../dm-ssdcache/auto/auto.h"
#include "../../dm-ssdcache/engine/engine.h"
#include "../../dm-ssdcache/flash/flash.h"
#include "specs.h"

/**
 * complete_value() - the words that a tunable accepts
 * @at: the command line; the value is typed
 * @table: tunables
 * @nr: how many
 * @key: name of the tunable; the table need not have it
 * @key_len: its length
 */
void complete_value(struct completion at, const struct ssdc_tunable *table, unsigned int nr, const char *key, size_t key_len)
{
	const struct ssdc_tunable *tunable = ssdc_tunable_find(table, nr, key, key_len);
	unsigned int i;

	for (i = 0; tunable && tunable->words && tunable->words[i]; i++)
		candidate(&at, "%s", tunable->words[i]);
}

/**
 * complete_setting() - "key=value"
 * @at: the command line; key=value is typed
 * @table: tunables
 * @nr: how many
 */
void complete_setting(struct completion at, const struct ssdc_tunable *table, unsigned int nr)
{
	const char *key = at.typed, *value = strchr(key, '=');
	unsigned int i;

	if (value) {
		complete_after(&at, value + 1 - key);
		complete_value(at, table, nr, key, value - key);
		return;
	}
	for (i = 0; i < nr; i++)
		candidate(&at, "%s=", table[i].name);
}

/* "key=value,key=value": only the last is completed. */
static void complete_settings(struct completion at, const struct ssdc_tunable *table, unsigned int nr)
{
	const char *comma = strrchr(at.typed, ',');

	if (comma)
		complete_after(&at, comma + 1 - at.typed);
	complete_setting(at, table, nr);
}

/* After "auto:": a word, or the last of the candidates: "A+B/SCHEME" of replacement, "A+B" of admission. */
static void complete_auto(struct completion at, enum ssdc_kind kind)
{
	static const char list[] = "candidates=";
	const struct ssdc_plugin_type *type = NULL;
	const char *comma = strrchr(at.typed, ',');
	const char *name, *slash;

	if (comma)
		complete_after(&at, comma + 1 - at.typed);
	if (strncmp(at.typed, list, strlen(list))) {
		if (!strchr(at.typed, '='))
			candidate(&at, "%s", list);
		complete_setting(at, ssdc_auto_tunable_table, ssdc_nr_auto_tunables);
		return;
	}
	name = strrchr(at.typed, '+');
	name = name ? name + 1 : at.typed + strlen(list);
	slash = strchr(name, '/');
	if (slash && kind == SSDC_REPLACEMENT) {
		kind = SSDC_ADMISSION;
		name = slash + 1;
	}
	complete_after(&at, name - at.typed);
	while ((type = ssdc_type_next(kind, type)))
		candidate(&at, "%s", type->info.name);
}

/* A list of specs, as a sweep takes: "lru,cflru:window=30". What follows a comma is a setting if a colon came before it. */
static void complete_spec(struct completion at, enum ssdc_kind kind, unsigned int also)
{
	const struct ssdc_plugin_type *type = NULL;
	const char *colon = strrchr(at.typed, ':'), *name;

	if (kind == SSDC_PREFETCH)
		also &= ~COMPLETE_AUTO;
	if ((also & COMPLETE_AUTO) && ssdc_auto_is_spec(at.typed) && strchr(at.typed, ':')) {
		complete_after(&at, strlen(SSDC_AUTO_NAME) + 1);
		complete_auto(at, kind);
		return;
	}
	if (colon) {
		for (name = colon; name > at.typed && name[-1] != ','; name--)
			;
		type = ssdc_type_find(kind, name, colon - name);
		complete_after(&at, colon + 1 - at.typed);
		if (type)
			complete_settings(at, type->info.tunables, type->info.nr_tunables);
		return;
	}
	name = strrchr(at.typed, ',');
	if (name)
		complete_after(&at, name + 1 - at.typed);
	while ((type = ssdc_type_next(kind, type)))
		candidate(&at, "%s", type->info.name);
	if (also & COMPLETE_AUTO)
		candidate(&at, "%s", SSDC_AUTO_NAME);
	if (also & COMPLETE_GROUPS) {
		candidate(&at, "all");
		candidate(&at, "usual");
	}
}

/**
 * complete_specs() - the plug-ins of a kind, and their settings
 * @at: the command line; a SPEC, or a list of them, is typed
 * @kind: "replacement", …
 * @also: COMPLETE_AUTO, COMPLETE_GROUPS
 *
 * Return: false if it names no kind.
 */
bool complete_specs(struct completion at, const char *kind, unsigned int also)
{
	unsigned int i;

	for (i = 0; i < SSDC_NR_KINDS; i++) {
		if (!strcmp(kind, ssdc_kind_name((enum ssdc_kind)i))) {
			complete_spec(at, (enum ssdc_kind)i, also);
			return true;
		}
	}
	return false;
}

/* As complete_specs(), for a table line. */
bool complete_kind(struct completion at, const char *kind)
{
	return complete_specs(at, kind, COMPLETE_AUTO);
}

/**
 * complete_profile() - the profiles of flash devices, and their parameters
 * @at: the command line; PROFILE or PROFILE:key=value,… is typed
 */
void complete_profile(struct completion at)
{
	const char *colon = strchr(at.typed, ':');
	unsigned int i;

	if (colon) {
		complete_after(&at, colon + 1 - at.typed);
		complete_settings(at, ssdf_param_table, ssdf_nr_params);
		return;
	}
	candidate(&at, "custom");
	for (i = 0; i < ssdf_nr_profiles; i++) {
		candidate(&at, "%s", ssdf_profiles[i].name);
		if (ssdf_profiles[i].alias)
			candidate(&at, "%s", ssdf_profiles[i].alias);
	}
}
