// SPDX-License-Identifier: GPL-2.0
/*
 * Merges all traces into one workload:
 *
 * - Times count from the earliest first request of all files of a format: MSR files of one server
 *   share a clock. Requests are merged by time; on a tie, the file named first comes first. A request
 *   earlier than its predecessor in the file (real traces have some) gets the predecessor's time.
 * - Disks, identified by host and number, are placed one after the other on the origin in order of
 *   first appearance, each rounded up to 1 MiB.
 *
 * Sums cannot overflow: a line that would exceed SIM_MAX_SECTORS or SIM_MAX_NS is refused.
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

/*
 * A file. If its requests are not kept in memory, it is read once to find its disks and times, and
 * again for each pass over the workload.
 */
struct part {
	const char *name;
	struct sim_input in;
	bool is_open;
	const struct sim_format *format;	/* NULL: not yet detected */
	u64 nr;					/* requests read since the file was opened */
	u64 first_ns;				/* time of the first one */
	u64 last_ns;				/* time of the last one */
	struct sim_record next;
	bool has_next;
	struct sim_record *records;		/* all of them, if they are kept */
	size_t nr_records;
	size_t room;
	size_t at;				/* of @records */
};

struct sim_loader {
	struct part *parts;
	int nr_parts;
	struct part *part;	/* being read */
	struct disk *disks;
	unsigned int nr_disks;
	u16 last_disk;
	const struct sim_format *only;	/* the format accepted; NULL: any */
	bool keep;
	u64 limit;
	double time_scale;
	u64 start_ns[NR_FORMATS];
	u64 sectors;		/* of all disks, rounded */
	u64 nr;
	u64 at;			/* number of the next request */
};

/**
 * sim_loader_disk() - find the disk with a name, or add it
 * @loader: loader
 * @in: file being read, for messages
 * @name: name
 * @len: its length
 */
u16 sim_loader_disk(struct sim_loader *loader, const struct sim_input *in, const char *name,
		    size_t len)
{
	struct disk *disk;
	unsigned int i;

	if (loader->nr_disks) {
		disk = &loader->disks[loader->last_disk];
		if (disk->len == len && !memcmp(disk->name, name, len))
			return loader->last_disk;
	}
	for (i = 0; i < loader->nr_disks; i++) {
		disk = &loader->disks[i];
		if (disk->len == len && !memcmp(disk->name, name, len))
			break;
	}
	if (i == loader->nr_disks) {
		if (i > U16_MAX)
			sim_bad_line(in, "more than %u disks", U16_MAX + 1);
		loader->disks = xrealloc(loader->disks, i + 1, sizeof(*disk));
		disk = &loader->disks[i];
		memset(disk, 0, sizeof(*disk));
		disk->name = xmalloc(len + 1);
		memcpy(disk->name, name, len);
		disk->len = len;
		loader->nr_disks++;
	}
	loader->last_disk = i;
	return i;
}

static u64 round_to_mib(u64 sectors)
{
	return round_up(sectors, (u64)MIB_SECTORS);
}

/* A disk has a request that ends at @end. */
static void widen_disk(struct sim_loader *loader, struct disk *disk, u64 end)
{
	u64 others = loader->sectors - round_to_mib(disk->sectors);

	if (end <= disk->sectors)
		return;
	if (round_to_mib(end) > SIM_MAX_SECTORS - others)
		sim_bad_line(&loader->part->in,
			     "the request makes the disks %llu sectors in all: expected at most %llu",
			     others + round_to_mib(end), SIM_MAX_SECTORS);
	disk->sectors = end;
	loader->sectors = others + round_to_mib(end);
}

/* The time that counts: not before the previous request. */
static u64 take_time(struct part *part, u64 time_ns)
{
	if (!part->nr)
		part->first_ns = time_ns;
	else if (time_ns < part->last_ns)
		time_ns = part->last_ns;
	if (time_ns - part->first_ns > SIM_MAX_NS)
		sim_bad_line(&part->in, "%llu ns after the first request: expected at most %llu",
			     time_ns - part->first_ns, SIM_MAX_NS);
	part->last_ns = time_ns;
	return time_ns;
}

/**
 * sim_loader_add() - hand over the request read from a line
 * @loader: loader
 * @record: request
 */
void sim_loader_add(struct sim_loader *loader, const struct sim_record *record)
{
	struct part *part = loader->part;

	part->next = *record;
	part->has_next = true;
	part->next.time_ns = take_time(part, record->time_ns);
	part->nr++;
	widen_disk(loader, &loader->disks[record->disk], record->sector + record->nr_sectors);
}

static const struct sim_format *find_format(const struct sim_loader *loader,
					     const struct sim_input *in, const char *line)
{
	unsigned int i;

	if (loader->only && !loader->only->starts(line))
		sim_bad_line(in, "not %s (%s)", loader->only->name, loader->only->wants);
	for (i = 0; i < NR_FORMATS; i++)
		if (formats[i]->starts(line))
			return formats[i];
	sim_bad_line(in, "neither %s (%s) nor %s (%s)", formats[0]->name, formats[0]->wants,
		     formats[1]->name, formats[1]->wants);
}

static void open_part(struct part *part)
{
	sim_input_open(&part->in, part->name);
	part->is_open = true;
	part->nr = 0;
	part->last_ns = 0;
}

static void close_part(struct part *part)
{
	if (part->is_open)
		sim_input_close(&part->in);
	part->is_open = false;
}

/* Read the next request of a file, if it has one. */
static void read_next(struct sim_loader *loader, struct part *part)
{
	const char *line;
	size_t len;

	loader->part = part;
	part->has_next = false;
	while (!part->has_next && part->nr < loader->limit &&
	       (line = sim_input_line(&part->in, &len))) {
		if (!len)
			continue;
		if (!part->format)
			part->format = find_format(loader, &part->in, line);
		part->format->read(loader, &part->in, line);
	}
}

static void keep_next(struct part *part)
{
	if (part->nr_records == part->room) {
		part->room = part->room ? 2 * part->room : 4096;
		part->records = xrealloc(part->records, part->room, sizeof(*part->records));
	}
	part->records[part->nr_records++] = part->next;
}

static u64 *start_of(struct sim_loader *loader, const struct sim_format *format)
{
	unsigned int i = 0;

	while (formats[i] != format)
		i++;
	return &loader->start_ns[i];
}

/* First pass over a file: find its disks, its start time and its length. */
static void look_at(struct sim_loader *loader, struct part *part)
{
	u64 *start_ns;

	open_part(part);
	if (!loader->keep && !sim_input_is_plain(&part->in))
		die(TOOL_BAD_USAGE, "%s: not a plain file, which can be read again", part->name);
	read_next(loader, part);
	if (part->has_next) {
		start_ns = start_of(loader, part->format);
		if (part->next.time_ns < *start_ns)
			*start_ns = part->next.time_ns;
	}
	for (; part->has_next; read_next(loader, part))
		if (loader->keep)
			keep_next(part);
	close_part(part);
	loader->nr += part->nr;
}

static void place_disks(struct sim_loader *loader)
{
	unsigned int i;
	u64 start = 0;

	for (i = 0; i < loader->nr_disks; i++) {
		loader->disks[i].start = start;
		start += round_to_mib(loader->disks[i].sectors);
	}
	if (!loader->sectors)
		loader->sectors = MIB_SECTORS;
}

static u64 scale(u64 time_ns, double factor)
{
	double scaled = time_ns * factor;

	if (scaled > SIM_MAX_NS)
		die(TOOL_BAD_USAGE,
		    "--time-scale: %.0f: a request would start %g ns after the first one: expected at most %llu",
		    factor, scaled, SIM_MAX_NS);
	return scaled;
}

/* Read the next request of @part and convert it to the workload's time and address. */
static void advance(struct sim_loader *loader, struct part *part)
{
	struct sim_record *next = &part->next;

	if (loader->keep) {
		part->has_next = part->at < part->nr_records;
		if (part->has_next)
			*next = part->records[part->at++];
	} else {
		read_next(loader, part);
	}
	if (!part->has_next)
		return;
	next->time_ns -= *start_of(loader, part->format);
	if (next->time_ns > SIM_MAX_NS)
		die(TOOL_BAD_USAGE,
		    "%s: a request %llu ns after the first one of all files: expected at most %llu",
		    part->name, next->time_ns, SIM_MAX_NS);
	if (loader->time_scale != 1)
		next->time_ns = scale(next->time_ns, loader->time_scale);
	next->sector += loader->disks[next->disk].start;
}

static struct sim_loader *open_loader(char **names, int nr_names, u64 limit, double time_scale,
				      bool keep, const struct sim_format *only)
{
	struct sim_loader *loader = xcalloc(1, sizeof(*loader));
	int i;

	loader->parts = xcalloc(nr_names, sizeof(*loader->parts));
	loader->nr_parts = nr_names;
	loader->only = only;
	loader->keep = keep;
	loader->limit = limit;
	loader->time_scale = time_scale;
	for (i = 0; i < (int)NR_FORMATS; i++)
		loader->start_ns[i] = U64_MAX;
	for (i = 0; i < nr_names; i++) {
		loader->parts[i].name = names[i];
		look_at(loader, &loader->parts[i]);
	}
	if (!loader->nr)
		die(TOOL_BAD_USAGE, "%s%s: no requests", names[0], nr_names > 1 ? ", …" : "");
	if (loader->nr > limit)
		loader->nr = limit;
	place_disks(loader);
	sim_loader_rewind(loader);
	return loader;
}

/**
 * sim_loader_open() - read traces and start to merge them; ends the program if one is bad
 * @names: of the files
 * @nr_names: how many
 * @limit: how many requests to take
 *
 * The files are read again for each pass over the requests.
 */
struct sim_loader *sim_loader_open(char **names, int nr_names, u64 limit)
{
	return open_loader(names, nr_names, limit, 1, false, NULL);
}

/**
 * sim_loader_rewind() - start again with the first request
 * @loader: loader
 */
void sim_loader_rewind(struct sim_loader *loader)
{
	int i;

	loader->at = 0;
	for (i = 0; i < loader->nr_parts; i++) {
		struct part *part = &loader->parts[i];

		part->at = 0;
		if (!loader->keep) {
			close_part(part);
			open_part(part);
		}
		advance(loader, part);
	}
}

/**
 * sim_loader_next() - the next request of all files
 * @loader: loader
 * @record: result
 *
 * Return: false if there is none.
 */
bool sim_loader_next(struct sim_loader *loader, struct sim_record *record)
{
	struct part *first = NULL;
	int i;

	for (i = 0; i < loader->nr_parts; i++) {
		struct part *part = &loader->parts[i];

		if (part->has_next && (!first || part->next.time_ns < first->next.time_ns))
			first = part;
	}
	if (!first || loader->at == loader->nr)
		return false;
	loader->at++;
	*record = first->next;
	advance(loader, first);
	return true;
}

void sim_loader_close(struct sim_loader *loader)
{
	unsigned int k;
	int i;

	for (i = 0; i < loader->nr_parts; i++) {
		close_part(&loader->parts[i]);
		free(loader->parts[i].records);
	}
	free(loader->parts);
	for (k = 0; k < loader->nr_disks; k++)
		free(loader->disks[k].name);
	free(loader->disks);
	free(loader);
}

static void load(struct sim_workload *workload, char **names, int nr_names, u64 limit,
		 double time_scale, const struct sim_format *format)
{
	struct sim_loader *loader = open_loader(names, nr_names, limit, time_scale, true, format);
	struct part *only = nr_names == 1 ? &loader->parts[0] : NULL;
	size_t at = 0;

	workload->nr = loader->nr;
	workload->sectors = loader->sectors;
	/* A single file is merged in place. */
	workload->records = only ? only->records : xmalloc((workload->nr + 1) *
							   sizeof(*workload->records));
	while (sim_loader_next(loader, &workload->records[at]))
		at++;
	if (only)
		only->records = NULL;
	sim_loader_close(loader);
}

/**
 * sim_workload_load() - read traces; ends the program if one is bad
 * @workload: result
 * @names: of the files
 * @nr_names: how many
 * @limit: how many requests to take
 * @time_scale: factor for times
 */
void sim_workload_load(struct sim_workload *workload, char **names, int nr_names, u64 limit,
		       double time_scale)
{
	load(workload, names, nr_names, limit, time_scale, NULL);
}

/**
 * sim_workload_load_as() - read traces of one format; ends the program if one is bad
 * @workload: result
 * @names: of the files
 * @nr_names: how many
 * @limit: how many requests to take
 * @format: of all files
 */
void sim_workload_load_as(struct sim_workload *workload, char **names, int nr_names, u64 limit,
			  const struct sim_format *format)
{
	load(workload, names, nr_names, limit, 1, format);
}

void sim_workload_free(struct sim_workload *workload)
{
	free(workload->records);
}
