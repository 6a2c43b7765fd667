// SPDX-License-Identifier: GPL-2.0
/*
 * blktrace's binary output: one file for each CPU, NAME.blktrace.CPU, records of
 * struct blk_io_trace, each followed by pdu_len bytes.
 *
 * Only queue events (Q) count: they are the requests as submitted, before splits, merges and
 * remaps. A write with PREFLUSH becomes a FLUSH and a write, as in the block layer. blktrace
 * records WRITE_ZEROES as a write.
 */
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <linux/blktrace_api.h>
#include "trace.h"

#define MAGIC_MASK	0xffffff00u
#define ACTION_MASK	0xffffu
#define KERNEL_MINOR_BITS 20
#define KERNEL_MINORS	(1u << KERNEL_MINOR_BITS)

/* A queue event, with the keys that order it. */
struct event {
	uint64_t time_ns;
	uint64_t sector;
	uint32_t bytes;
	uint32_t category;
	uint32_t cpu;
	uint32_t sequence;
};

struct events {
	struct event *events;
	size_t nr;
	size_t room;
	uint32_t device;
};

static bool is(const struct event *event, enum blktrace_cat category)
{
	return event->category & category;
}

static uint64_t sectors_of(uint32_t bytes)
{
	return ((uint64_t)bytes + TRACE_SECTOR_BYTES - 1) / TRACE_SECTOR_BYTES;
}

/* @at: byte after the record */
static void check_range(const char *name, uint64_t at, const struct blk_io_trace *record)
{
	if (record->sector > TRACE_MAX_SECTORS - sectors_of(record->bytes))
		die(TOOL_BAD_USAGE,
		    "%s: before byte %" PRIu64 ": %" PRIu64 " sectors from sector %llu on: expected an end of at most %llu",
		    name, at, sectors_of(record->bytes), (unsigned long long)record->sector,
		    TRACE_MAX_SECTORS);
}

static void add(struct events *events, const char *name, const struct blk_io_trace *record)
{
	struct event *event;

	if (events->nr && events->device != record->device)
		die(TOOL_BAD_USAGE,
		    "%s: device %u:%u after device %u:%u: convert one device at a time", name,
		    record->device >> KERNEL_MINOR_BITS, record->device % KERNEL_MINORS,
		    events->device >> KERNEL_MINOR_BITS, events->device % KERNEL_MINORS);
	events->device = record->device;
	if (events->nr == events->room) {
		events->room = events->room ? 2 * events->room : 4096;
		events->events = xrealloc(events->events, events->room, sizeof(*event));
	}
	event = &events->events[events->nr++];
	event->time_ns = record->time;
	event->sector = record->sector;
	event->bytes = record->bytes;
	event->category = record->action >> BLK_TC_SHIFT;
	event->cpu = record->cpu;
	event->sequence = record->sequence;
}

static void __attribute__((__noreturn__)) bad_record(const char *name, uint64_t at,
						     const char *what)
{
	die(TOOL_BAD_USAGE, "%s: %s before byte %" PRIu64, name, what, at);
}

static void check_magic(const char *name, uint64_t at, uint32_t magic)
{
	if ((magic & MAGIC_MASK) == BLK_IO_TRACE_MAGIC) {
		if ((magic & ~MAGIC_MASK) == BLK_IO_TRACE_VERSION)
			return;
		die(TOOL_BAD_USAGE, "%s: version %u of blktrace's format, expected %u", name,
		    magic & ~MAGIC_MASK, BLK_IO_TRACE_VERSION);
	}
	if ((__builtin_bswap32(magic) & MAGIC_MASK) == BLK_IO_TRACE_MAGIC)
		die(TOOL_BAD_USAGE, "%s: written on a machine of the other byte order",
		    name);
	bad_record(name, at, "no record of blktrace");
}

/* Read a record and skip its data. Returns false at the end of the file. */
static bool read_record(FILE *file, const char *name, uint64_t *at, struct blk_io_trace *record)
{
	char pdu[UINT16_MAX];
	size_t nr = fread(record, 1, sizeof(*record), file), more;

	*at += nr;
	if (ferror(file))
		die(TOOL_BAD_USAGE, "%s: %s", name, strerror(errno));
	if (!nr)
		return false;
	if (nr < sizeof(record->magic))
		bad_record(name, *at, "a record that is cut off");
	check_magic(name, *at, record->magic);
	if (nr < sizeof(*record))
		bad_record(name, *at, "a record that is cut off");
	more = fread(pdu, 1, record->pdu_len, file);
	*at += more;
	if (more != record->pdu_len)
		bad_record(name, *at, "a record that is cut off");
	return true;
}

static void read_file(struct events *events, const char *name)
{
	FILE *file = strcmp(name, "-") ? fopen(name, "rb") : stdin;
	struct blk_io_trace record;
	uint64_t at = 0;

	if (!file)
		die(TOOL_BAD_USAGE, "%s: %s", name, strerror(errno));
	while (read_record(file, name, &at, &record)) {
		if (record.action & BLK_TC_ACT(BLK_TC_NOTIFY))
			continue;
		if ((record.action & ACTION_MASK & ~__BLK_TA_CGROUP) != __BLK_TA_QUEUE)
			continue;
		check_range(name, at, &record);
		add(events, name, &record);
	}
	if (file != stdin)
		fclose(file);
}

/* The files NAME.blktrace.*, whatever characters NAME has. Returns false if there are none. */
static bool find_files(const char *name, glob_t *found)
{
	char *pattern = xmalloc(2 * strlen(name) + sizeof(".blktrace.*")), *at = pattern;
	bool any;

	for (; *name; name++) {
		if (strchr("*?[\\", *name))
			*at++ = '\\';
		*at++ = *name;
	}
	strcpy(at, ".blktrace.*");
	any = !glob(pattern, 0, NULL, found);
	free(pattern);
	return any;
}

/* NAME is a file, or stands for the files NAME.blktrace.*. */
static void read_name(struct events *events, const char *name)
{
	glob_t found = {};
	size_t i;

	if (!find_files(name, &found))
		read_file(events, name);
	for (i = 0; i < found.gl_pathc; i++)
		read_file(events, found.gl_pathv[i]);
	globfree(&found);
}

static int earlier(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

static void sort(struct events *events, const char *name)
{
	uint64_t ns;

	qsort(events->events, events->nr, sizeof(*events->events), earlier);
	ns = events->events[events->nr - 1].time_ns - events->events[0].time_ns;
	if (ns > TRACE_MAX_NS)
		die(TOOL_BAD_USAGE,
		    "%s: %" PRIu64 " ns between the first and the last request: expected at most %llu",
		    name, ns, TRACE_MAX_NS);
}

static void put(struct trace *trace, const struct event *event, enum trace_op op, uint64_t start_ns)
{
	struct trace_request *request = &trace->requests[trace->nr++];

	request->time_ns = event->time_ns - start_ns;
	request->op = op;
	if (op == TRACE_FLUSH)
		return;
	request->sector = event->sector;
	request->nr_sectors = sectors_of(event->bytes);
	request->fua = op == TRACE_WRITE && is(event, BLK_TC_FUA);
	if (request->sector + request->nr_sectors > trace->sectors)
		trace->sectors = request->sector + request->nr_sectors;
}

static void put_event(struct trace *trace, const struct event *event, uint64_t start_ns)
{
	if (is(event, BLK_TC_FLUSH))
		put(trace, event, TRACE_FLUSH, start_ns);
	if (!event->bytes)
		return;
	if (is(event, BLK_TC_DISCARD))
		put(trace, event, TRACE_DISCARD, start_ns);
	else if (is(event, BLK_TC_WRITE))
		put(trace, event, TRACE_WRITE, start_ns);
	else
		put(trace, event, TRACE_READ, start_ns);
}

/**
 * trace_is_blktrace() - is a file output of blktrace, or does its name stand for such files?
 * @name: of the file
 *
 * A pipe is taken for text: --from blktrace says otherwise.
 */
bool trace_is_blktrace(const char *name)
{
	uint32_t magic = 0;
	struct stat stat_of;
	bool found_it;
	FILE *file;

	if (stat(name, &stat_of)) {
		glob_t found = {};

		found_it = find_files(name, &found);
		globfree(&found);
		return found_it;
	}
	/* What is read from a pipe is gone for the reader that follows. */
	file = S_ISREG(stat_of.st_mode) ? fopen(name, "rb") : NULL;
	/* On errors: the readers of the other formats will report them. */
	if (!file)
		return false;
	found_it = fread(&magic, sizeof(magic), 1, file) == 1 &&
		   ((magic & MAGIC_MASK) == BLK_IO_TRACE_MAGIC ||
		    (__builtin_bswap32(magic) & MAGIC_MASK) == BLK_IO_TRACE_MAGIC);
	fclose(file);
	return found_it;
}

/**
 * trace_load_blktrace() - read blktrace's files of one device, all CPUs merged by time
 * @trace: result
 * @names: of the files, or what they start with
 * @nr_names: how many
 * @limit: how many requests to take
 */
void trace_load_blktrace(struct trace *trace, char **names, int nr_names, uint64_t limit)
{
	struct events events = {};
	size_t i;

	for (i = 0; i < (size_t)nr_names; i++)
		read_name(&events, names[i]);
	if (events.nr)
		sort(&events, names[0]);
	trace->nr = 0;
	trace->sectors = 0;
	trace->requests = xcalloc(2 * events.nr, sizeof(*trace->requests));
	for (i = 0; i < events.nr && trace->nr < limit; i++)
		put_event(trace, &events.events[i], events.events[0].time_ns);
	if (trace->nr > limit)
		trace->nr = limit;
	free(events.events);
}
