// SPDX-License-Identifier: GPL-2.0
/*
 * Merges all traces into one:
 *
 * - Times count from the earliest first request of all files of a format: files of one server share a
 *   clock. Requests are merged by time; on a tie, the file named first comes first. A request
 *   earlier than its predecessor in the file (real traces have some) gets the predecessor's time.
 * - Disks, identified by their names, are placed one after the other in order of first appearance,
 *   each rounded up to 1 MiB.
 *
 * Then come --after and --before, --skip and --limit, --repeat, --time-scale, --compact and folding, in this order.
 *
 * The first pass finds disks and times. What it reads is kept if it is not much; otherwise a file is
 * read again, and a pipe is copied to a temporary file.
 *
 * Sums cannot overflow: a line that would exceed TRACE_MAX_SECTORS or TRACE_MAX_NS is bad.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "../common/files.h"
#include "../common/memory.h"
#include "../common/say.h"
#include "compact.h"
#include "reader.h"

#define MIB_SECTORS 2048u

/* Requests that are kept by default, of all files. The fuzzers have fewer. */
#ifndef KEPT_REQUESTS
#define KEPT_REQUESTS	(2u << 20)
#endif

/*
 * Clocks of CPUs, requests listed as they complete and times in whole seconds make times go back by up to 1 s. More is a file with several
 * traces in a row.
 */
#define FAR_BACK_NS	1000000000u

struct disk {
	char *name;
	size_t len;
	uint64_t sectors;
	uint64_t start;
	uint32_t next;		/* of the same hash, + 1 */
};

/**
 * struct part - a file
 * @name: of the file
 * @reader: reads it
 * @is_open: does it?
 * @format: its format
 * @start_ns: what is subtracted from its times
 * @nr: requests read since the file was opened
 * @nr_found: in the first pass
 * @first_ns: time of the first one
 * @last_ns: time of the last one
 * @tie: of two requests of the same time, the one of the file with the smaller tie comes first
 * @next: the next one
 * @has_next: is there one?
 * @records: all of them, if they are kept
 * @nr_records: how many
 * @room: of @records
 * @at: of @records
 * @spool: all of them, if they came from a pipe
 * @read_again: they must be read again
 * @file: the file that must be read again, as it was after the first pass
 */
struct part {
	const char *name;
	struct trace_reader reader;
	bool is_open;
	const struct trace_format *format;
	uint64_t start_ns;
	uint64_t nr;
	uint64_t nr_found;
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t tie;
	struct trace_request next;
	bool has_next;
	struct trace_request *records;
	size_t nr_records;
	size_t room;
	size_t at;
	FILE *spool;
	bool read_again;
	struct stat file;
};

struct trace_source {
	struct trace_plan plan;
	char **names;			/* those found for blktrace's prefixes */
	size_t nr_names;
	struct part *parts;
	size_t nr_parts;
	struct disk *disks;
	unsigned int nr_disks;
	unsigned int last_disk;
	uint32_t *hash;			/* of names, disk + 1; a power of two */
	unsigned int hash_size;
	uint64_t sectors;		/* of all disks, rounded */
	uint64_t nr;			/* requests of all files */
	uint64_t skipped;		/* bad lines */
	char *first_bad;		/* what is wrong with the first one */
	uint64_t early;			/* requests earlier than their predecessors */
	uint64_t early_ns;		/* by so much at most */
	bool looking;			/* first pass */
	uint64_t kept;			/* requests in memory */
	struct trace_compact *compact;	/* NULL until all requests have been seen, or for good */
	const struct part *device_of;	/* the file that says which device blktrace traced */

	uint64_t at;			/* requests that --after and --before left, in this round */
	uint64_t round;
	uint64_t round_ns;		/* what is added to the times of this round */
	uint64_t first_ns;		/* time of the first request of this round */
	uint64_t last_ns;		/* and of the last one */
	uint64_t nr_given;		/* requests in this round */
	uint64_t nr_round;		/* and in each; 0 until the first one is over */
};

static uint32_t hash_of(const char *name, size_t len)
{
	uint32_t hash = 2166136261u;

	while (len--)
		hash = (hash ^ (uint8_t)*name++) * 16777619u;
	return hash;
}

static void grow_hash(struct trace_source *source)
{
	unsigned int i;

	source->hash_size = source->hash_size ? 2 * source->hash_size : 64;
	free(source->hash);
	source->hash = xcalloc(source->hash_size, sizeof(*source->hash));
	for (i = 0; i < source->nr_disks; i++) {
		struct disk *disk = &source->disks[i];
		uint32_t *slot = &source->hash[hash_of(disk->name, disk->len) & (source->hash_size - 1)];

		disk->next = *slot;
		*slot = i + 1;
	}
}

static bool is_disk(const struct disk *disk, const char *name, size_t len)
{
	return disk->len == len && (!len || !memcmp(disk->name, name, len));
}

static enum trace_found add_disk(struct trace_source *source, struct trace_reader *reader,
				 const char *name, size_t len)
{
	struct disk *disk;

	if (source->nr_disks > UINT16_MAX)
		return trace_bad(reader, NULL, "more than %u disks", UINT16_MAX + 1);
	if (!(source->nr_disks & (source->nr_disks - 1)))
		source->disks = xrealloc(source->disks, source->nr_disks ? 2 * source->nr_disks : 1,
					 sizeof(*disk));
	disk = &source->disks[source->nr_disks++];
	memset(disk, 0, sizeof(*disk));
	disk->name = xmalloc(len + 1);
	memcpy(disk->name, name, len);
	disk->len = len;
	if (source->nr_disks > source->hash_size / 2) {
		grow_hash(source);
	} else {
		uint32_t *slot = &source->hash[hash_of(name, len) & (source->hash_size - 1)];

		disk->next = *slot;
		*slot = source->nr_disks;
	}
	source->last_disk = source->nr_disks - 1;
	return TRACE_REQUEST;
}

/* Find the disk of the request just read, or add it. */
static enum trace_found find_disk(struct trace_source *source, struct trace_reader *reader)
{
	const char *name = reader->disk ? reader->disk : "";
	size_t len = reader->disk_len;
	uint32_t at;

	if (source->nr_disks && is_disk(&source->disks[source->last_disk], name, len))
		return TRACE_REQUEST;
	at = source->hash_size ? source->hash[hash_of(name, len) & (source->hash_size - 1)] : 0;
	while (at && !is_disk(&source->disks[at - 1], name, len))
		at = source->disks[at - 1].next;
	if (!at)
		return add_disk(source, reader, name, len);
	source->last_disk = at - 1;
	return TRACE_REQUEST;
}

static uint64_t round_to_mib(uint64_t sectors)
{
	return (sectors + MIB_SECTORS - 1) / MIB_SECTORS * MIB_SECTORS;
}

/* A disk has a request that ends at @end. */
static enum trace_found widen_disk(struct trace_source *source, struct trace_reader *reader,
				   struct disk *disk, uint64_t end)
{
	uint64_t others;

	if (end <= disk->sectors)
		return TRACE_REQUEST;
	others = source->sectors - round_to_mib(disk->sectors);
	if (round_to_mib(end) > TRACE_MAX_SECTORS - others)
		return trace_bad(reader, NULL, "the request makes the disks %" PRIu64 " sectors in all: expected at most %llu",
				 others + round_to_mib(end), TRACE_MAX_SECTORS);
	disk->sectors = end;
	source->sectors = others + round_to_mib(end);
	return TRACE_REQUEST;
}

/* The time that counts: not before the previous request. */
static enum trace_found take_time(struct trace_source *source, struct part *part, uint64_t *time_ns)
{
	if (part->nr && *time_ns < part->last_ns) {
		if (source->looking) {
			uint64_t early_ns = part->last_ns - *time_ns;

			source->early++;
			if (early_ns > source->early_ns)
				source->early_ns = early_ns;
		}
		*time_ns = part->last_ns;
	}
	if (part->nr && *time_ns - part->first_ns > TRACE_MAX_NS)
		return trace_bad(&part->reader, NULL, "%" PRIu64 " ns after the first request: expected at most %llu",
				 *time_ns - part->first_ns, TRACE_MAX_NS);
	return TRACE_REQUEST;
}

/* The disk, the address and the time of the request just read. */
static enum trace_found accept(struct trace_source *source, struct part *part, struct trace_request *next)
{
	struct trace_reader *reader = &part->reader;

	if (take_time(source, part, &next->time_ns) == TRACE_BAD || find_disk(source, reader) == TRACE_BAD ||
	    widen_disk(source, reader, &source->disks[source->last_disk],
		       next->sector + next->nr_sectors) == TRACE_BAD)
		return TRACE_BAD;
	next->disk = source->last_disk;
	if (!part->nr++) {
		part->first_ns = next->time_ns;
		part->tie = reader->tie;
	}
	part->last_ns = next->time_ns;
	return TRACE_REQUEST;
}

/* Requests of a file that may count. */
static uint64_t most(const struct trace_plan *plan)
{
	if (plan->after_ns || plan->limit > UINT64_MAX - plan->skip)
		return UINT64_MAX;
	return plan->skip + plan->limit;
}

/* Read the next request of a file. Returns false if there is none. */
static bool read_next(struct trace_source *source, struct part *part, struct trace_request *next)
{
	while (part->nr < most(&source->plan)) {
		enum trace_found found = trace_reader_next(&part->reader, next);

		if (found == TRACE_END)
			return false;
		if (found == TRACE_REQUEST)
			found = accept(source, part, next);
		if (found == TRACE_REQUEST)
			return true;
		if (!source->plan.skip_bad)
			trace_reader_fail(&part->reader);
		if (source->looking && !source->skipped++)
			source->first_bad = trace_reader_message(&part->reader);
	}
	return false;
}

static void open_part(struct trace_source *source, struct part *part)
{
	trace_reader_open(&part->reader, part->name, part->format, source->nr_parts);
	part->is_open = true;
	part->format = part->reader.format;
	part->nr = 0;
	part->last_ns = 0;
	if (source->device_of && source->device_of != part) {
		part->reader.has_device = true;
		part->reader.device = source->device_of->reader.device;
	}
}

static void close_part(struct part *part)
{
	if (part->is_open)
		trace_reader_close(&part->reader);
	part->is_open = false;
}

static void write_spool(struct part *part, const struct trace_request *records, size_t nr)
{
	if (fwrite(records, sizeof(*records), nr, part->spool) != nr)
		die(TOOL_FAILED, "%s: cannot be copied to a temporary file: %s", part->name,
		    strerror(errno));
}

/* The file that @part has opened. */
static struct stat file_of(const struct part *part)
{
	struct stat file;

	if (fstat(part->reader.in.fd, &file))
		die(TOOL_FAILED, "%s: %s", part->name, strerror(errno));
	return file;
}

/* The file is read again: remember which one it is. */
static void plan_reading_again(struct part *part)
{
	part->read_again = true;
	part->file = file_of(part);
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_written_since(const struct stat *before, const struct stat *now)
{
	return now->st_mtim.tv_sec != before->st_mtim.tv_sec || now->st_mtim.tv_nsec != before->st_mtim.tv_nsec;
}

/*
 * Open the file again, at its start. Another file of that name, or other contents, would not fit what is known of the
 * first. A file that has grown still has the requests of the first pass.
 */
static void open_again(struct trace_source *source, struct part *part)
{
	struct stat file;

	close_part(part);
	open_part(source, part);
	file = file_of(part);
	if (!is_same(&part->file, &file))
		die(TOOL_FAILED, "%s: was replaced while it was read", part->name);
	if (file.st_size == part->file.st_size && is_written_since(&part->file, &file))
		die(TOOL_FAILED, "%s: has changed while it was read", part->name);
}

/* There are too many requests to keep. */
static void stop_keeping(struct trace_source *source, struct part *part)
{
	if (trace_input_is_plain(&part->reader.in)) {
		plan_reading_again(part);
	} else {
		part->spool = tmpfile();
		if (!part->spool)
			die(TOOL_FAILED, "%s: cannot be copied to a temporary file: %s", part->name,
			    strerror(errno));
		write_spool(part, part->records, part->nr_records);
	}
	source->kept -= part->nr_records;
	free(part->records);
	part->records = NULL;
	part->nr_records = 0;
	part->room = 0;
}

/*
 * Where to read the next request of a file: behind those that are kept, if there may be one more. A copy
 * would have to wait until its parts have been written.
 */
static struct trace_request *place_of_next(struct trace_source *source, struct part *part)
{
	uint64_t most_kept = source->plan.keep ? source->plan.keep : KEPT_REQUESTS;

	if (part->read_again || part->spool || source->kept >= most_kept)
		return &part->next;
	if (part->nr_records == part->room) {
		part->room = part->room ? 2 * part->room : 4096;
		part->records = xrealloc(part->records, part->room, sizeof(*part->records));
	}
	return &part->records[part->nr_records];
}

static void keep_next(struct trace_source *source, struct part *part, const struct trace_request *next)
{
	if (next != &part->next) {
		part->nr_records++;
		source->kept++;
		return;
	}
	if (!part->read_again && !part->spool)
		stop_keeping(source, part);
	if (part->spool)
		write_spool(part, next, 1);
}

/* First pass over a file: find its disks, its times and its length. */
static void look_at(struct trace_source *source, struct part *part)
{
	struct trace_request *next;

	open_part(source, part);
	for (next = place_of_next(source, part); read_next(source, part, next); next = place_of_next(source, part))
		keep_next(source, part, next);
	if (part->reader.has_device && !source->device_of)
		source->device_of = part;
	close_part(part);
	part->nr_found = part->nr;
	source->nr += part->nr;
}

/* Ends the program if a request comes too late after the first one of all files. */
static void check_time(const struct part *part, uint64_t time_ns)
{
	if (time_ns > TRACE_MAX_NS)
		die(TOOL_BAD_USAGE,
		    "%s: a request %" PRIu64 " ns after the first one of all files: expected at most %llu",
		    part->name, time_ns, TRACE_MAX_NS);
}

/* Files of a format share a clock, unless --align says otherwise. */
static void set_starts(struct trace_source *source)
{
	size_t i, k;

	for (i = 0; i < source->nr_parts; i++) {
		struct part *part = &source->parts[i];

		part->start_ns = part->first_ns;
		for (k = 0; !source->plan.align && k < source->nr_parts; k++) {
			const struct part *other = &source->parts[k];

			if (other->nr && other->format == part->format &&
			    other->first_ns < part->start_ns)
				part->start_ns = other->first_ns;
		}
		if (part->nr)
			check_time(part, part->last_ns - part->start_ns);
	}
}

static void place_disks(struct trace_source *source)
{
	unsigned int i;
	uint64_t start = 0;

	for (i = 0; i < source->nr_disks; i++) {
		source->disks[i].start = start;
		start += round_to_mib(source->disks[i].sectors);
	}
	if (!source->sectors)
		source->sectors = MIB_SECTORS;
}

/* A name may stand for the files NAME.blktrace.*. */
static void find_names(struct trace_source *source, char **names, int nr_names)
{
	bool of_blktrace = !source->plan.format || source->plan.format == &trace_format_blktrace;
	struct stat stat_of;
	int i;

	for (i = 0; i < nr_names; i++) {
		bool is_file = !strcmp(names[i], "-") || !stat(names[i], &stat_of);
		char *copy;

		if (of_blktrace && (!is_file || source->plan.format) &&
		    trace_blktrace_names(names[i], &source->names, &source->nr_names))
			continue;
		copy = xmalloc(strlen(names[i]) + 1);
		source->names = xrealloc(source->names, source->nr_names + 1, sizeof(*source->names));
		source->names[source->nr_names++] = strcpy(copy, names[i]);
	}
}

/* Is @output one of the files, by whatever name? */
static bool reads(const struct trace_source *source, const char *output)
{
	size_t i;

	for (i = 0; i < source->nr_names; i++)
		if (overwrites(output, strcmp(source->names[i], "-") ? source->names[i] : "/dev/stdin"))
			return true;
	return false;
}

static bool has_blktrace(const struct trace_source *source)
{
	size_t i;

	for (i = 0; i < source->nr_parts; i++)
		if (source->parts[i].format == &trace_format_blktrace)
			return true;
	return false;
}

static void compact(struct trace_source *source)
{
	struct trace_compact *extents = trace_compact_begin();
	bool any = false, only_discards = true;
	struct trace_request request;

	while (trace_source_next(source, &request)) {
		any = true;
		only_discards &= request.op == TRACE_DISCARD;
		trace_compact_add(extents, &request);
	}
	if (any && only_discards)
		die(TOOL_BAD_USAGE, "%s%s: only discards, of which --compact leaves none", source->parts[0].name,
		    source->nr_parts > 1 ? ", …" : "");
	trace_compact_end(extents);
	trace_source_rewind(source);
	source->compact = extents;
}

/**
 * trace_source_open() - read traces and start to merge them; ends the program if one is bad
 * @names: of the files; for blktrace also the start of their names
 * @nr_names: how many
 * @plan: what to take
 */
struct trace_source *trace_source_open(char **names, int nr_names, const struct trace_plan *plan)
{
	struct trace_source *source = xcalloc(1, sizeof(*source));
	size_t i;

	trace_plan_check(plan);
	source->plan = *plan;
	source->looking = true;
	find_names(source, names, nr_names);
	if (plan->output && reads(source, plan->output))
		source->plan.keep = UINT64_MAX;
	source->nr_parts = source->nr_names;
	source->parts = xcalloc(source->nr_parts, sizeof(*source->parts));
	for (i = 0; i < source->nr_parts; i++) {
		source->parts[i].name = source->names[i];
		source->parts[i].format = plan->format;
		look_at(source, &source->parts[i]);
	}
	source->looking = false;
	/* blktrace's files of a device at rest are empty. */
	if (!source->nr && !has_blktrace(source))
		trace_plan_nothing(plan, names, nr_names, source->skipped);
	set_starts(source);
	place_disks(source);
	trace_source_rewind(source);
	if (plan->compact)
		compact(source);
	return source;
}

/**
 * trace_source_remark() - say how many bad lines were skipped, and show the first; not if an error follows
 * @source: traces
 */
void trace_source_remark(const struct trace_source *source)
{
	if (source->skipped)
		warn("%" PRIu64 " bad line%s skipped, the first: %s", source->skipped,
		     source->skipped > 1 ? "s" : "", source->first_bad);
}

/**
 * trace_source_remark_times() - say so if times go back so far that a file seems to be several traces, one after the other
 * @source: traces
 */
void trace_source_remark_times(const struct trace_source *source)
{
	if (source->early_ns > FAR_BACK_NS && !source->plan.no_times)
		warn("time goes back before %" PRIu64 " request%s, by up to %.3f s: %s the time of the request before; "
		     "if a file is several traces joined, give each as a file of its own",
		     source->early, plural(source->early), source->early_ns / 1e9, source->early == 1 ? "it gets" : "they get");
}

/* A file that is longer now has the requests that were there in the first pass. */
static bool read_again(struct trace_source *source, struct part *part, struct trace_request *next)
{
	if (part->nr == part->nr_found)
		return false;
	if (!read_next(source, part, next))
		die(TOOL_FAILED, "%s: has changed while it was read: %" PRIu64 " requests, %" PRIu64 " before",
		    part->name, part->nr, part->nr_found);
	return true;
}

/* The next request of @part, with the time and address that the merged trace has. */
static void advance(struct trace_source *source, struct part *part)
{
	struct trace_request *next = &part->next;

	if (part->read_again) {
		part->has_next = read_again(source, part, next);
	} else if (part->spool) {
		part->has_next = fread(next, sizeof(*next), 1, part->spool) == 1;
	} else {
		part->has_next = part->at < part->nr_records;
		if (part->has_next)
			*next = part->records[part->at++];
	}
	if (!part->has_next)
		return;
	next->time_ns -= part->start_ns;
	/* The file may have changed since the first pass. */
	check_time(part, next->time_ns);
	if (next->op != TRACE_FLUSH)
		next->sector += source->disks[next->disk].start;
}

/* Start again with the first request of each file. */
static void start_round(struct trace_source *source)
{
	size_t i;

	for (i = 0; i < source->nr_parts; i++) {
		struct part *part = &source->parts[i];

		part->at = 0;
		if (part->spool)
			rewind(part->spool);
		if (part->read_again)
			open_again(source, part);
		advance(source, part);
	}
	source->at = 0;
	source->nr_given = 0;
	source->first_ns = 0;
	source->last_ns = 0;
}

/**
 * trace_source_rewind() - start again with the first request
 * @source: requests
 */
void trace_source_rewind(struct trace_source *source)
{
	source->round = 0;
	source->round_ns = 0;
	start_round(source);
}

/* The next request of all files. Returns false if there is none. */
static bool merge(struct trace_source *source, struct trace_request *request)
{
	struct part *first = NULL;
	size_t i;

	for (i = 0; i < source->nr_parts; i++) {
		struct part *part = &source->parts[i];

		if (part->has_next &&
		    (!first || part->next.time_ns < first->next.time_ns ||
		     (part->next.time_ns == first->next.time_ns && part->tie < first->tie)))
			first = part;
	}
	if (!first)
		return false;
	*request = first->next;
	advance(source, first);
	return true;
}

/* The next request that --after, --before, --skip and --limit leave. */
static bool next_of_round(struct trace_source *source, struct trace_request *request)
{
	const struct trace_plan *plan = &source->plan;

	while (source->nr_given < plan->limit && merge(source, request)) {
		if (request->time_ns < plan->after_ns)
			continue;
		if (request->time_ns >= plan->before_ns)
			return false;
		if (source->at++ < plan->skip)
			continue;
		request->time_ns -= plan->after_ns;
		if (!source->nr_given++)
			source->first_ns = request->time_ns;
		source->last_ns = request->time_ns;
		return true;
	}
	return false;
}

static uint64_t scale(uint64_t time_ns, double factor)
{
	double scaled = time_ns * factor;

	if (scaled > TRACE_MAX_NS)
		die(TOOL_BAD_USAGE,
		    "--time-scale: %.10g: a request would start %g ns after the first one: expected at most %llu",
		    factor, scaled, TRACE_MAX_NS);
	return scaled;
}

/* The first of several rounds is over, so the times of the others are known: @step_ns lies between two. Refuse them before they are read. */
static void check_rounds(const struct trace_source *source, uint64_t step_ns)
{
	const struct trace_plan *plan = &source->plan;
	uint64_t fit = step_ns ? (TRACE_MAX_NS - source->last_ns) / step_ns + 1 : UINT64_MAX;

	if (plan->repeat > fit)
		die(TOOL_BAD_USAGE, "--repeat: round %" PRIu64 " would end more than %llu ns after the first request: expected at most %"
		    PRIu64, fit + 1, TRACE_MAX_NS, fit);
	if (plan->time_scale > 1)
		scale(source->last_ns + step_ns * (plan->repeat - 1), plan->time_scale);
}

/* Returns false if there is no other round. */
static bool next_round(struct trace_source *source)
{
	uint64_t nr = source->nr_given, ns = source->last_ns - source->first_ns, step_ns = ns + (nr > 1 ? ns / (nr - 1) : 0);

	if (++source->round >= source->plan.repeat || !nr)
		return false;
	if (source->round == 1)
		check_rounds(source, step_ns);
	source->nr_round = nr;
	source->round_ns += step_ns;
	start_round(source);
	return true;
}

/**
 * trace_source_next() - the next request
 * @source: requests
 * @request: result
 *
 * Return: false if there is none.
 */
bool trace_source_next(struct trace_source *source, struct trace_request *request)
{
	const struct trace_plan *plan = &source->plan;

	if (source->round >= plan->repeat)
		return false;
	do {
		while (!next_of_round(source, request))
			if (!next_round(source))
				return false;
	} while (source->compact && !trace_compact(source->compact, request));
	request->time_ns += source->round_ns;
	if (plan->time_scale != 1)
		request->time_ns = scale(request->time_ns, plan->time_scale);
	if (plan->fold_sectors && request->nr_sectors && !(plan->compact && !source->compact))
		trace_fold(request, plan->fold_sectors);
	return true;
}

/**
 * trace_source_most() - the number of requests that there may be
 * @source: requests
 *
 * With --after, --before or --skip there may be fewer.
 */
uint64_t trace_source_most(const struct trace_source *source)
{
	uint64_t nr = source->nr < source->plan.limit ? source->nr : source->plan.limit;

	return nr > UINT64_MAX / source->plan.repeat ? UINT64_MAX : nr * source->plan.repeat;
}

/**
 * trace_source_repeated() - the number of requests of all rounds of --repeat
 * @source: requests
 *
 * Return: 0 until the first round is over, and if there is only one.
 */
uint64_t trace_source_repeated(const struct trace_source *source)
{
	uint64_t nr = source->nr_round;

	return nr > UINT64_MAX / source->plan.repeat ? UINT64_MAX : nr * source->plan.repeat;
}

/* Size of the smallest device that holds all disks. */
uint64_t trace_source_sectors(const struct trace_source *source)
{
	if (source->plan.fold_sectors)
		return source->plan.fold_sectors;
	return source->compact ? trace_compact_sectors(source->compact) : source->sectors;
}

/* Bad lines and records that were skipped. */
uint64_t trace_source_skipped(const struct trace_source *source)
{
	return source->skipped;
}

/**
 * trace_source_early() - requests that are earlier than their predecessors in a file, whose times they get
 * @source: after trace_source_open()
 * @most_ns: result: by how much at most
 *
 * Return: how many; of the files, before @plan leaves any out but by its limit.
 */
uint64_t trace_source_early(const struct trace_source *source, uint64_t *most_ns)
{
	*most_ns = source->early_ns;
	return source->early;
}

/* The format of the first file. */
const struct trace_format *trace_source_format(const struct trace_source *source)
{
	return source->parts[0].format;
}

/* Does the plan take all requests as they are? */
static bool takes_all(const struct trace_plan *plan)
{
	return !plan->after_ns && plan->before_ns == UINT64_MAX && !plan->skip && plan->repeat == 1 &&
	       plan->time_scale == 1 && !plan->fold_sectors && !plan->compact;
}

/* The requests of the only file as merge() gives them; there are no more than the plan's limit. */
static size_t take_kept(const struct trace_source *source, struct part *only)
{
	size_t i;

	for (i = 0; i < only->nr_records; i++) {
		struct trace_request *request = &only->records[i];

		request->time_ns -= only->start_ns;
		if (request->op != TRACE_FLUSH)
			request->sector += source->disks[request->disk].start;
	}
	return only->nr_records;
}

/**
 * trace_source_take() - all requests as an array
 * @source: requests, none of which has been taken
 * @nr: result: how many
 *
 * Return: the array, which the caller frees. A single file that is kept is merged in place.
 */
struct trace_request *trace_source_take(struct trace_source *source, size_t *nr)
{
	struct part *only = source->nr_parts == 1 && source->plan.repeat == 1 ? &source->parts[0] : NULL;
	uint64_t room = trace_source_most(source);
	struct trace_request *all;
	size_t at = 0;

	if (only && only->records) {
		all = only->records;
	} else {
		if (room > SIZE_MAX / sizeof(*all) / 2)
			die(TOOL_FAILED, "no memory for %" PRIu64 " request%s", room, plural(room));
		all = xmalloc((room + 1) * sizeof(*all));
		only = NULL;
	}
	if (only && takes_all(&source->plan))
		at = take_kept(source, only);
	else
		while (trace_source_next(source, &all[at]))
			at++;
	if (only)
		only->records = NULL;
	*nr = at;
	return all;
}

void trace_source_close(struct trace_source *source)
{
	unsigned int k;
	size_t i;

	for (i = 0; i < source->nr_parts; i++) {
		struct part *part = &source->parts[i];

		close_part(part);
		free(part->records);
		if (part->spool)
			fclose(part->spool);
	}
	for (i = 0; i < source->nr_names; i++)
		free(source->names[i]);
	for (k = 0; k < source->nr_disks; k++)
		free(source->disks[k].name);
	free(source->first_bad);
	free(source->names);
	free(source->parts);
	free(source->disks);
	free(source->hash);
	trace_compact_free(source->compact);
	free(source);
}
