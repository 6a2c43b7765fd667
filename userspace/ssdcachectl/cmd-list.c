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

static const struct row header = {
	{ "NAME", "ORIGIN", "DRAM", "USED", "DIRTY", "STATE", "REPLACEMENT", "ADMISSION",
	  "PREFETCH" },
};

/* Pages as a percentage of all frames. */
static void print_share(char *cell, uint64_t pages, uint64_t frames)
{
	snprintf(cell, SSDC_SPEC_LEN, "%.1f%%", frames ? 100.0 * pages / frames : 0.0);
}

static void fill_row(const struct device *dev, struct row *row)
{
	struct snapshot snap;
	uint64_t used, dirty;
	unsigned int i;

	snapshot_read(dev, SNAPSHOT_PARAMS, &snap);
	device_u64(dev, "stats/used", &used);
	device_u64(dev, "stats/dirty", &dirty);
	snprintf(row->cell[0], SSDC_SPEC_LEN, "%s", dev->name);
	snprintf(row->cell[1], SSDC_SPEC_LEN, "%s", snap.origin);
	ssdc_print_size(snap.dram_bytes, row->cell[2], SSDC_SPEC_LEN);
	print_share(row->cell[3], used, snap.frames);
	print_share(row->cell[4], dirty, snap.frames);
	snprintf(row->cell[5], SSDC_SPEC_LEN, "%s", snap.state);
	for (i = 0; i < SSDC_NR_KINDS; i++)
		snprintf(row->cell[6 + i], SSDC_SPEC_LEN, "%s", snap.spec[i]);
	snapshot_free(&snap);
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

static int list_text(const struct device *list, size_t nr)
{
	struct row *rows = calloc(nr ? nr : 1, sizeof(*rows));
	int widths[COLUMNS] = { 0 };
	size_t i;

	if (!rows)
		return fail("list: no memory");
	widen(widths, &header);
	for (i = 0; i < nr; i++) {
		fill_row(&list[i], &rows[i]);
		widen(widths, &rows[i]);
	}
	if (nr)
		print_row(widths, &header);
	for (i = 0; i < nr; i++)
		print_row(widths, &rows[i]);
	free(rows);
	return CTL_OK;
}

static int list_json(const struct device *list, size_t nr)
{
	json_t *root = json_object(), *devices = json_array();
	struct snapshot snap;
	uint64_t used, dirty;
	size_t i;

	for (i = 0; i < nr; i++) {
		json_t *facts;

		snapshot_read(&list[i], SNAPSHOT_PARAMS, &snap);
		facts = report_facts(&snap);
		snapshot_free(&snap);
		device_u64(&list[i], "stats/used", &used);
		device_u64(&list[i], "stats/dirty", &dirty);
		json_object_set_new(facts, "used", report_number(used));
		json_object_set_new(facts, "dirty", report_number(dirty));
		json_array_append_new(devices, facts);
	}
	json_object_set_new(root, "schema", json_integer(CTL_SCHEMA));
	json_object_set_new(root, "devices", devices);
	return report_print(root, false);
}

static int run(const struct command *cmd)
{
	struct device *list;
	size_t nr = device_list(cmd, &list), i;
	int code = CTL_OK;

	for (i = 0; !code && i < nr; i++)
		code = device_schema(&list[i]);
	if (!code)
		code = command_has(cmd, "json") ? list_json(list, nr) : list_text(list, nr);
	free(list);
	return code;
}

const struct verb verb_list = {
	.name = "list",
	.args = "",
	.doc = "Show all ssdcache devices.",
	.options = options,
	.run = run,
};
