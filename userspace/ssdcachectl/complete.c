// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include "../../dm-ssdcache/engine/engine.h"
#include "../../dm-ssdcache/engine/shards.h"
#include "../specs/specs.h"
#include "complete.h"
#include "sysfs.h"

static const struct verb *const *all_verbs;
static size_t nr_verbs;
static const char *sysfs_root;

static void add_verbs(const struct completion *at)
{
	size_t i;

	for (i = 0; i < nr_verbs; i++)
		candidate(at, "%s", all_verbs[i]->name);
}

/* Of one target, or of both (DEVICE_OTHER). */
static void add_devices(const struct completion *at, enum device_target target)
{
	static const struct option_def sysfs = OPTION_SYSFS;
	const struct command cmd = {
		.nr_given = sysfs_root ? 1 : 0,
		.given = { { &sysfs, sysfs_root } },
	};
	struct device *list;
	size_t nr = device_list(&cmd, &list), i;

	for (i = 0; i < nr; i++)
		if (target == DEVICE_OTHER || list[i].target == target)
			candidate(at, "%s", list[i].name);
	free(list);
}

static void add_keys(const struct completion *at)
{
	unsigned int i;

	for (i = 0; i < SSDC_NR_KINDS; i++)
		candidate(at, "%s", ssdc_kind_name((enum ssdc_kind)i));
	for (i = 0; i < ssdc_nr_core_tunables; i++)
		candidate(at, "%s", ssdc_core_tunable_table[i].name);
}

/* A verb, a device, a key, or its value. */
static void add_words(const struct completion *at)
{
	const char *verb = at->verb;
	bool sets = !strcmp(verb, "set");

	if (!at->nr_words && !strcmp(verb, "help"))
		add_verbs(at);
	else if (!at->nr_words && !strcmp(verb, "serve"))
		add_devices(at, DEVICE_CACHE);
	else if (!at->nr_words && strcmp(verb, "create") && strcmp(verb, "attach") &&
		 strcmp(verb, "advise") && strcmp(verb, "report"))
		add_devices(at, DEVICE_OTHER);
	else if (at->nr_words == 1 && (sets || !strcmp(verb, "get")))
		add_keys(at);
	else if (at->nr_words == 2 && sets && !complete_kind(*at, at->words[1]))
		complete_value(*at, ssdc_core_tunable_table, ssdc_nr_core_tunables, at->words[1], strlen(at->words[1]));
}

static void complete(const struct completion *at)
{
	const char *name = at->option ? at->option->name : "";

	if (!at->option)
		add_words(at);
	else if (!strcmp(name, "live"))
		add_devices(at, DEVICE_CACHE);
	else if (!strcmp(name, "profile") || !strcmp(name, "flash"))
		complete_profile(*at);
	else if (!strcmp(name, ssdc_numa_tunable.name))
		complete_value(*at, &ssdc_numa_tunable, 1, name, strlen(name));
	else if (!strcmp(name, "set"))
		complete_setting(*at, ssdc_core_tunable_table, ssdc_nr_core_tunables);
	else if (!complete_kind(*at, name))
		complete_value(*at, ssdc_core_tunable_table, ssdc_nr_core_tunables, name, strlen(name));
}

/**
 * ctl_complete() - set up completion; complete the first word
 * @argc: as of main(), after complete_begin()
 * @argv: likewise
 * @verbs: all verbs
 * @nr: how many
 *
 * Return: true if the first word was completed.
 */
bool ctl_complete(int argc, char **argv, const struct verb *const *verbs, size_t nr)
{
	const struct completion at = { .typed = argv[argc - 1] };
	int i;

	for (i = 2; i + 1 < argc; i++)
		if (!strncmp(argv[i], "--sysfs=", 8))
			sysfs_root = argv[i] + 8;
	all_verbs = verbs;
	nr_verbs = nr;
	complete_more = complete;
	if (!completing || argc != 2)
		return false;
	add_verbs(&at);
	candidate(&at, "--help");
	candidate(&at, "--version");
	return true;
}
