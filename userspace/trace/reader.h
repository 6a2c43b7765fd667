/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trace file: what formats have to provide, and what they may use.
 */
#ifndef TRACE_READER_H
#define TRACE_READER_H

#include "input.h"
#include "source.h"

/* Largest offset or size in bytes whose sums cannot overflow. */
#define TRACE_MAX_BYTES	(1ULL << 62)

/**
 * enum trace_found - what a line or record is
 * @TRACE_REQUEST: a request
 * @TRACE_NOTHING: good, but no request: a comment, a header, another event
 * @TRACE_BAD: bad; trace_bad() was called
 * @TRACE_END: there is none
 */
enum trace_found { TRACE_REQUEST, TRACE_NOTHING, TRACE_BAD, TRACE_END };

#define TRACE_COLUMNS	8

struct trace_events;

/**
 * struct trace_reader - a file being read
 * @in: its bytes
 * @format: its format
 * @plan_parts: how many files are read at the same time
 * @guessing: lines of its start are tried: no messages
 * @doubtful: no line of the start of the file was good
 * @archive: the kind of archive that the file is, for messages; NULL: none
 * @disk: name of the disk of the last request; part of the line
 * @disk_len: its length
 * @queued: a request that comes before the next line
 * @has_queued: is there one?
 * @tie: of two requests of the same time, that of the smaller tie comes first
 * @bad_at: where the last line is bad
 * @bad_text: what is wrong
 *
 * For the formats:
 * @lines: that the format has seen
 * @event: the kind of event that counts, 0: not yet known
 * @clock_ns: time that advances with the lines
 * @over: lines that are no requests may follow
 * @version: of the format
 * @columns: what is where
 * @device: that was seen first
 * @has_device: was one seen?
 * @events: requests to be sorted
 */
struct trace_reader {
	struct trace_input in;
	const struct trace_format *format;
	unsigned int plan_parts;
	bool guessing;
	bool doubtful;
	const char *archive;
	const char *disk;
	size_t disk_len;
	struct trace_request queued;
	bool has_queued;
	uint64_t tie;
	const char *bad_at;
	char *bad_text;

	uint64_t lines;
	char event;
	uint64_t clock_ns;
	bool over;
	unsigned int version;
	int columns[TRACE_COLUMNS];
	uint32_t device;
	bool has_device;
	struct trace_events *events;
};

/**
 * struct trace_format - a kind of trace file
 * @name: on the command line
 * @title: for messages
 * @wants: form of its lines or records, for messages
 * @header: a first line that is no request, without regard to case; NULL: none
 * @must_start: must the first line be what @starts accepts?
 * @events: kinds of event, of which the first that the start of a file has counts; NULL: no such
 * @in_sectors: addresses and sizes are in sectors
 * @same: reads the same files; the other is the one that detection finds
 * @line: text: parse a line, which ends with a null character
 * @starts: text: is a line the first one of this format, and surely of no other?
 * @detect: binary: how many of the records in @bytes, which are the start of a file, and all
 *	of it if @all, are good? 0: it is no file of this format
 * @next: binary: the next record
 * @close: free what the format has allocated
 */
struct trace_format {
	const char *name;
	const char *title;
	const char *wants;
	const char *header;
	bool must_start;
	const char *events;
	bool in_sectors;
	const struct trace_format *same;
	enum trace_found (*line)(struct trace_reader *reader, const char *line,
				 struct trace_request *request);
	bool (*starts)(const char *line);
	unsigned int (*detect)(const uint8_t *bytes, size_t size, bool all);
	enum trace_found (*next)(struct trace_reader *reader, struct trace_request *request);
	void (*close)(struct trace_reader *reader);
};

#define TRACE_FORMAT_DECLARE(ident, name)	extern const struct trace_format trace_format_##ident;
TRACE_FORMATS(TRACE_FORMAT_DECLARE)
#undef TRACE_FORMAT_DECLARE

extern const struct trace_format *const trace_formats[];	/* ends with NULL */

void trace_reader_open(struct trace_reader *reader, const char *name,
		       const struct trace_format *format, unsigned int plan_parts);
enum trace_found trace_reader_next(struct trace_reader *reader, struct trace_request *request);
void trace_reader_fail(const struct trace_reader *reader) __attribute__((__noreturn__));
char *trace_reader_message(const struct trace_reader *reader);
void trace_reader_close(struct trace_reader *reader);

bool trace_blktrace_names(const char *name, char ***names, size_t *nr);

enum trace_found trace_bad(struct trace_reader *reader, const char *at, const char *format, ...)
	__attribute__((__format__(__printf__, 3, 4)));

static inline void trace_set_disk(struct trace_reader *reader, const char *name, size_t len)
{
	reader->disk = name;
	reader->disk_len = len;
}

/* The number of sectors that hold @bytes bytes. */
static inline uint64_t trace_sectors_of(uint64_t bytes)
{
	return (bytes + TRACE_SECTOR_BYTES - 1) / TRACE_SECTOR_BYTES;
}

/* A few requests are not aligned to sectors: round outwards. */
static inline void trace_set_bytes(struct trace_request *request, uint64_t offset, uint64_t bytes)
{
	request->sector = offset / TRACE_SECTOR_BYTES;
	request->nr_sectors = trace_sectors_of(offset + bytes) - request->sector;
}

#endif /* TRACE_READER_H */
