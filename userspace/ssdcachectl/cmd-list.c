// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcachectl list
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report.h"

#define COLUMNS 9

static const struct option_def options[] = {
	OPTION_JSON,
	OPTION_SYSFS,
	OPTION_END
};

struct row {
	char cell[COLUMNS][SSDC_SPEC_LEN];
};

static const struct row cache_header = {
	{ "NAME", "ORIGIN", "DRAM", "USED", "DIRTY", "STATE", "REPLACEMENT", "ADMISSION",
	  "PREFETCH" },
};

static const struct row flash_header = {
	{ "NAME", "ORIGIN", "PROFILE", "CHANNELS", "DIES", "PAGE", "AMPLIFICATION", "BUSY",
	  "STATE" },
};

static const char *const cache_levels[] = { "used", "dirty", NULL };
static const char *const flash_levels[] = { "inflight", "write_amplification", "utilisation",
					    NULL };

/* Pages as a percentage of all frames. */
static void print_share(char *cell, uint64_t pages, uint64_t frames)
{
	snprintf(cell, SSDC_SPEC_LEN, "%.1f%%", frames ? 100.0 * pages / frames : 0.0);
}

/* Does the cache choose its plug-ins of a kind? */
static bool chooses(const struct snapshot *snap, unsigned int kind)
{
	return (kind == SSDC_REPLACEMENT && snapshot_word(snap, SSDC_AUTO_NAME)) ||
	       (kind == SSDC_ADMISSION && snapshot_word(snap, SNAPSHOT_AUTO_ADMISSION));
}

static void fill_cache(const struct snapshot *snap, struct row *row)
{
	uint64_t used, dirty;
	unsigned int i;

	device_u64(&snap->dev, "stats/used", &used);
	device_u64(&snap->dev, "stats/dirty", &dirty);
	ssdc_print_size(snap->dram_bytes, row->cell[2], SSDC_SPEC_LEN);
	print_share(row->cell[3], snapshot_in_tier(snap, used), snap->frames);
	print_share(row->cell[4], snapshot_in_tier(snap, dirty), snap->frames);
	snprintf(row->cell[5], SSDC_SPEC_LEN, "%s", snap->state);
	for (i = 0; i < SSDC_NR_KINDS; i++)
		snprintf(row->cell[6 + i], SSDC_SPEC_LEN, "%s%.240s", chooses(snap, i) ? "auto: " : "", snap->words[i].text);
}

static void fill_flash(const struct snapshot *snap, struct row *row)
{
	uint64_t amplification, utilisation;

	device_u64(&snap->dev, "stats/write_amplification", &amplification);
	device_u64(&snap->dev, "stats/utilisation", &utilisation);
	snprintf(row->cell[2], SSDC_SPEC_LEN, "%s", snap->words[0].text);
	snprintf(row->cell[3], SSDC_SPEC_LEN, "%" PRIu64, snapshot_param(snap, "channels"));
	snprintf(row->cell[4], SSDC_SPEC_LEN, "%" PRIu64, snapshot_dies(snap));
	ssdc_print_size(snapshot_param(snap, "page_bytes"), row->cell[5], SSDC_SPEC_LEN);
	/* As "stats" has it: nothing was written. */
	if (amplification)
		snprintf(row->cell[6], SSDC_SPEC_LEN, "%.2f", amplification / 1000.0);
	else
		strcpy(row->cell[6], "-");
	print_share(row->cell[7], utilisation, 1000);
	snprintf(row->cell[8], SSDC_SPEC_LEN, "%s", snap->state);
}

/* Returns false if the device has gone. */
static bool fill_row(const struct device *dev, struct row *row)
{
	struct snapshot snap;
	bool there = snapshot_read(dev, SNAPSHOT_PARAMS, &snap);

	snprintf(row->cell[0], SSDC_SPEC_LEN, "%s", dev->name);
	make_printable(row->cell[0]);
	snprintf(row->cell[1], SSDC_SPEC_LEN, "%s", snap.origin);
	if (dev->target == DEVICE_FLASH)
		fill_flash(&snap, row);
	else
		fill_cache(&snap, row);
	snapshot_free(&snap);
	return there;
}

static void widen(int *widths, const struct row *row)
{
	unsigned int i;

	for (i = 0; i < COLUMNS; i++)
		if ((int)strlen(row->cell[i]) > widths[i])
			widths[i] = strlen(row->cell[i]);
}

static void print_row(const int *widths, const struct row *row)
{
	unsigned int i;

	for (i = 0; i < COLUMNS - 1; i++)
		printf("%-*s  ", widths[i], row->cell[i]);
	printf("%s\n", row->cell[COLUMNS - 1]);
}

/* Print a table of one target's devices, if there are any. Returns their number. */
static size_t print_table(const struct device *list, size_t nr, enum device_target target,
			  struct row *rows)
{
	int widths[COLUMNS] = { 0 };
	size_t used = 0, i;

	rows[used++] = target == DEVICE_FLASH ? flash_header : cache_header;
	for (i = 0; i < nr; i++)
		if (list[i].target == target && fill_row(&list[i], &rows[used]))
			used++;
	for (i = 0; i < used; i++)
		widen(widths, &rows[i]);
	for (i = 0; used > 1 && i < used; i++)
		print_row(widths, &rows[i]);
	return used - 1;
}

static int list_text(const struct device *list, size_t nr)
{
	struct row *rows = calloc(nr + 1, sizeof(*rows));
	size_t caches;

	if (!rows)
		return fail("list: no memory");
	caches = print_table(list, nr, DEVICE_CACHE, rows);
	if (caches && caches < nr)
		putchar('\n');
	print_table(list, nr, DEVICE_FLASH, rows);
	free(rows);
	return TOOL_OK;
}

/* Returns NULL if the device has gone. */
static json_t *device_json(const struct device *dev)
{
	const char *const *level = dev->target == DEVICE_FLASH ? flash_levels : cache_levels;
	struct snapshot snap;
	char attribute[64];
	json_t *facts = NULL;
	uint64_t value;

	if (snapshot_read(dev, SNAPSHOT_PARAMS, &snap))
		facts = report_facts(&snap);
	snapshot_free(&snap);
	for (; facts && *level; level++) {
		snprintf(attribute, sizeof(attribute), "stats/%s", *level);
		device_u64(dev, attribute, &value);
		json_object_set_new(facts, *level, report_number(value));
	}
	return facts;
}

static int list_json(const struct device *list, size_t nr)
{
	json_t *root = json_object(), *devices = json_array();
	size_t i;

	for (i = 0; i < nr; i++) {
		json_t *facts = device_json(&list[i]);

		if (facts)
			json_array_append_new(devices, facts);
	}
	json_object_set_new(root, "schema", json_integer(CTL_SCHEMA));
	json_object_set_new(root, "devices", devices);
	return report_print(root, false);
}

static int run(const struct command *cmd)
{
	struct device *list;
	size_t nr, kept = 0, i;
	int code = sysfs_devices_check(cmd);
	uint64_t schema;

	if (code)
		return code;
	nr = device_list(cmd, &list);
	for (i = 0; !code && i < nr; i++) {
		/* Removed since it was found. */
		if (!device_u64(&list[i], "schema", &schema) && !device_there(&list[i]))
			continue;
		code = device_schema(&list[i]);
		list[kept++] = list[i];
	}
	if (!code)
		code = command_has(cmd, "json") ? list_json(list, kept) : list_text(list, kept);
	free(list);
	return code;
}

const struct verb verb_list = {
	.name = "list",
	.args = "",
	.doc = "Show all ssdcache and ssdflash devices.",
	.options = options,
	.run = run,
};
