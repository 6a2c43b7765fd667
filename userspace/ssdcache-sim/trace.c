// SPDX-License-Identifier: GPL-2.0
/*
 * All traces together are one workload:
 *
 * - Times count from the earliest first request of all files of a format: MSR
 *   files of one server carry the same clock. Requests are merged by time; at
 *   the same time the file named first comes first. A request that is earlier
 *   than the one before it in its file (real traces have some) gets its time.
 * - Disks, told apart by host and number, lie one behind the other on the
 *   origin in order of first appearance, each rounded up to 1 MiB.
 */
#include <stdlib.h>
#include <string.h>
#include "trace.h"

#define MIB_SECTORS 2048u

static const struct sim_format *const formats[] = { &sim_format_capture, &sim_format_msr };

#define NR_FORMATS (sizeof(formats) / sizeof(formats[0]))

struct disk {
	char *name;
	size_t len;
	u64 sectors;
	u64 start;
};

/* The requests of one file. */
struct part {
	unsigned int format;
	struct sim_record *records;
	size_t nr;
	size_t room;
	size_t merged;
};

struct sim_loader {
	struct part *part;	/* being read */
	struct disk *disks;
	unsigned int nr_disks;
	u16 last_disk;
};

/**
 * sim_loader_disk() - the disk of a name, a new one if need be
 * @loader: loader
 * @in: file being read, for messages
 * @name: name
 * @len: its length
 */
u16 sim_loader_disk(struct sim_loader *loader, const struct sim_input *in, const char *name,
		    size_t len)
{
	struct disk *disk = &loader->disks[loader->last_disk];
	unsigned int i;

	if (loader->nr_disks && disk->len == len && !memcmp(disk->name, name, len))
		return loader->last_disk;
	for (i = 0; i < loader->nr_disks; i++) {
		disk = &loader->disks[i];
		if (disk->len == len && !memcmp(disk->name, name, len))
			break;
	}
	if (i == loader->nr_disks) {
		if (i > U16_MAX)
			sim_bad_line(in, "more than %u disks", U16_MAX + 1);
		loader->disks = sim_realloc(loader->disks, i + 1, sizeof(*disk));
		disk = &loader->disks[i];
		memset(disk, 0, sizeof(*disk));
		disk->name = sim_alloc(len + 1);
		memcpy(disk->name, name, len);
		disk->len = len;
		loader->nr_disks++;
	}
	loader->last_disk = i;
	return i;
}

/**
 * sim_loader_add() - add a request to the file being read
 * @loader: loader
 * @record: request
 */
void sim_loader_add(struct sim_loader *loader, const struct sim_record *record)
{
	struct part *part = loader->part;
	struct disk *disk = &loader->disks[record->disk];
	u64 end = record->sector + record->nr_sectors;

	if (part->nr == part->room) {
		part->room = part->room ? 2 * part->room : 4096;
		part->records = sim_realloc(part->records, part->room, sizeof(*record));
	}
	part->records[part->nr] = *record;
	if (part->nr && record->time_ns < part->records[part->nr - 1].time_ns)
		part->records[part->nr].time_ns = part->records[part->nr - 1].time_ns;
	part->nr++;
	if (end > disk->sectors)
		disk->sectors = end;
}

static unsigned int find_format(const struct sim_input *in, const char *line)
{
	unsigned int i;

	for (i = 0; i < NR_FORMATS; i++)
		if (formats[i]->starts(line))
			return i;
	sim_bad_line(in, "neither %s (%s) nor %s (%s)", formats[0]->name, formats[0]->wants,
		     formats[1]->name, formats[1]->wants);
}

static void load_part(struct sim_loader *loader, const char *name, u64 limit)
{
	const struct sim_format *format = NULL;
	struct part *part = loader->part;
	struct sim_input in;
	size_t len;
	char *line;

	sim_input_open(&in, name);
	while (part->nr < limit && (line = sim_input_line(&in, &len))) {
		if (!len)
			continue;
		if (!format) {
			part->format = find_format(&in, line);
			format = formats[part->format];
		}
		format->read(loader, &in, line);
	}
	sim_input_close(&in);
}

/* Times from the start of each format's files. */
static void rebase(struct part *parts, int nr_parts, double time_scale)
{
	u64 start[NR_FORMATS];
	size_t k;
	int i;

	for (i = 0; i < (int)NR_FORMATS; i++)
		start[i] = U64_MAX;
	for (i = 0; i < nr_parts; i++)
		if (parts[i].nr && parts[i].records[0].time_ns < start[parts[i].format])
			start[parts[i].format] = parts[i].records[0].time_ns;
	for (i = 0; i < nr_parts; i++) {
		for (k = 0; k < parts[i].nr; k++) {
			u64 *time_ns = &parts[i].records[k].time_ns;

			*time_ns -= start[parts[i].format];
			if (time_scale != 1)
				*time_ns = *time_ns * time_scale;
		}
	}
}

/* Take the earliest of the parts' next requests, again and again. */
static void merge(struct sim_workload *workload, struct part *parts, int nr_parts)
{
	size_t at;
	int i;

	if (nr_parts == 1) {
		workload->records = parts[0].records;
		parts[0].records = NULL;
		return;
	}
	workload->records = sim_alloc((workload->nr + 1) * sizeof(*workload->records));
	for (at = 0; at < workload->nr; at++) {
		const struct sim_record *first = NULL;
		struct part *from = NULL;

		for (i = 0; i < nr_parts; i++) {
			const struct sim_record *record = &parts[i].records[parts[i].merged];

			if (parts[i].merged < parts[i].nr &&
			    (!first || record->time_ns < first->time_ns)) {
				first = record;
				from = &parts[i];
			}
		}
		workload->records[at] = *first;
		from->merged++;
	}
}

static void place_disks(struct sim_workload *workload, struct sim_loader *loader)
{
	unsigned int i;
	size_t k;

	for (i = 0; i < loader->nr_disks; i++) {
		loader->disks[i].start = workload->sectors;
		workload->sectors += (loader->disks[i].sectors + MIB_SECTORS - 1) / MIB_SECTORS *
				     MIB_SECTORS;
	}
	if (!workload->sectors)
		workload->sectors = MIB_SECTORS;
	if (loader->nr_disks > 1)
		for (k = 0; k < workload->nr; k++)
			workload->records[k].sector +=
				loader->disks[workload->records[k].disk].start;
}

/**
 * sim_workload_load() - read traces; ends the program if one is bad
 * @workload: result
 * @names: of the files
 * @nr_names: how many
 * @limit: take only so many requests
 * @time_scale: factor for times
 */
void sim_workload_load(struct sim_workload *workload, char **names, int nr_names, u64 limit,
		       double time_scale)
{
	struct part *parts = sim_zalloc(nr_names, sizeof(*parts));
	struct sim_loader loader = {};
	unsigned int k;
	int i;

	memset(workload, 0, sizeof(*workload));
	for (i = 0; i < nr_names; i++) {
		loader.part = &parts[i];
		load_part(&loader, names[i], limit);
		workload->nr += parts[i].nr;
	}
	if (!workload->nr)
		sim_die(SIM_BAD_USAGE, "%s%s: no requests", names[0], nr_names > 1 ? ", …" : "");
	rebase(parts, nr_names, time_scale);
	merge(workload, parts, nr_names);
	if (workload->nr > limit)
		workload->nr = limit;
	place_disks(workload, &loader);

	for (i = 0; i < nr_names; i++)
		free(parts[i].records);
	free(parts);
	for (k = 0; k < loader.nr_disks; k++)
		free(loader.disks[k].name);
	free(loader.disks);
}

void sim_workload_free(struct sim_workload *workload)
{
	free(workload->records);
}
