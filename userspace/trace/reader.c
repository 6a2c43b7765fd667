// SPDX-License-Identifier: GPL-2.0
/*
 * A trace file: which format it has, and its requests.
 *
 * Detection looks at the first 64 KiB. A header of a format decides. Otherwise each text format is tried
 * on up to 256 lines, and the one wins that finds the most requests, unless another finds nearly as
 * many. If no line is good for any, the one wins that understands most of the first line, so that the
 * message says what is wrong with that line.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "../common/memory.h"
#include "../common/say.h"
#include "reader.h"
#include "scan.h"

#define START_BYTES	(64u << 10)
#define START_LINES	256u
#define FEW_FIELDS	3u	/* understood, for a format to be worth a message */
#define SECTOR_BYTES	512u
#define MANY		16u

/* Lines of the start of a file. */
struct start {
	char *text;
	const char *lines[START_LINES];
	unsigned int nr;
};

/**
 * struct guess - how well a format fits
 * @format: format
 * @requests: lines that are requests
 * @fields: of the first line, if it is bad: fields that are good
 * @odd: requests whose address or size is no multiple of 512 sectors
 */
struct guess {
	const struct trace_format *format;
	unsigned int requests;
	unsigned int fields;
	unsigned int odd;
};

/**
 * trace_bad() - say what is wrong with the current line or record
 * @reader: file
 * @at: where in the line; NULL: anywhere
 * @format: as for printf()
 *
 * Return: TRACE_BAD.
 */
enum trace_found trace_bad(struct trace_reader *reader, const char *at, const char *format, ...)
{
	va_list args;

	reader->bad_at = at;
	if (reader->guessing)
		return TRACE_BAD;
	free(reader->bad_text);
	va_start(args, format);
	if (vasprintf(&reader->bad_text, format, args) < 0)
		die(TOOL_FAILED, "no memory");
	va_end(args);
	return TRACE_BAD;
}

/**
 * trace_reader_message() - what trace_bad() was told, and where
 * @reader: file
 *
 * Return: "FILE:LINE: what", or of binary files "FILE: what before byte N", which the caller frees.
 */
char *trace_reader_message(const struct trace_reader *reader)
{
	const struct trace_format *format = reader->format;
	char *text;
	int r;

	if (format->next)
		r = asprintf(&text, "%s: %s before byte %" PRIu64, reader->in.name, reader->bad_text,
			     reader->in.bytes);
	else if (reader->archive)
		r = asprintf(&text, "%s:%" PRIu64 ": %s (%s: unpack it first; --skip-bad leaves out each header, and the line behind it)",
			     reader->in.name, reader->in.line, reader->bad_text, reader->archive);
	else if (reader->doubtful)
		r = asprintf(&text, "%s:%" PRIu64 ": %s (taken for %s; --format names another)",
			     reader->in.name, reader->in.line, reader->bad_text, format->title);
	else
		r = asprintf(&text, "%s:%" PRIu64 ": %s", reader->in.name, reader->in.line,
			     reader->bad_text);
	if (r < 0)
		die(TOOL_FAILED, "no memory");
	return text;
}

/**
 * trace_reader_fail() - end the program because of what trace_bad() was told
 * @reader: file
 */
void trace_reader_fail(const struct trace_reader *reader)
{
	die(TOOL_BAD_USAGE, "%s", trace_reader_message(reader));
}

/* The last line counts only if it ends, or if the file does. */
static void split(struct start *start, const char *bytes, size_t size, bool all)
{
	char *at, *end;

	if (size > START_BYTES) {
		size = START_BYTES;
		all = false;
	}
	start->nr = 0;
	start->text = xcalloc(1, size + SCAN_SLACK);
	memcpy(start->text, bytes, size);
	for (at = start->text; start->nr < START_LINES && at < start->text + size; at = end + 1) {
		end = memchr(at, '\n', start->text + size - at);
		if (!end && !all)
			return;
		if (!end)
			end = start->text + size;
		if (end > at && end[-1] == '\r')
			end[-1] = '\0';
		*end = '\0';
		if (*at && end - at <= (ptrdiff_t)TRACE_LINE_BYTES)
			start->lines[start->nr++] = at;
	}
}

static bool is_header(const struct trace_format *format, const char *line)
{
	return (format->header && !strcasecmp(line, format->header)) ||
	       (format->starts && format->starts(line));
}

static unsigned int count_fields(const char *line, const char *end)
{
	unsigned int nr = 0;

	for (; line < end; line++)
		nr += *line == ',' || (*line == ' ' && line[1] != ' ');
	return nr;
}

/* Try @format on all lines. @event: the kind of event that counts. */
static struct guess try(const struct trace_format *format, const struct start *start, char event)
{
	struct trace_reader reader = { .format = format, .guessing = true, .event = event };
	struct guess guess = { .format = format };
	unsigned int i;

	for (i = 0; i < start->nr; i++) {
		struct trace_request request = {};
		enum trace_found found;

		if (!i && format->header && !strcasecmp(start->lines[i], format->header))
			continue;
		if (reader.has_queued)
			reader.has_queued = false;
		found = format->line(&reader, start->lines[i], &request);
		reader.lines++;
		if (found == TRACE_REQUEST) {
			guess.requests++;
			guess.odd += request.nr_sectors % SECTOR_BYTES || request.sector % SECTOR_BYTES;
		} else if (found == TRACE_BAD && !i) {
			guess.fields = count_fields(start->lines[i], reader.bad_at);
		}
	}
	return guess;
}

/* The first kind of event that the start of the file has. */
static struct guess try_events(const struct trace_format *format, const struct start *start, char *event)
{
	const char *events = format->events;
	struct guess guess;

	if (!events)
		return try(format, start, 0);
	for (; *events; events++) {
		guess = try(format, start, *events);
		*event = *events;
		if (guess.requests)
			return guess;
	}
	*event = *format->events;
	return guess;
}

/* Traces are often published in archives. NULL: it is none. */
static const char *archive_of(const char *bytes, size_t size)
{
	static const struct {
		size_t at;
		const char *magic;
		const char *title;
	} archives[] = { { 257, "ustar", "a tar archive" }, { 0, "PK\003\004", "a zip archive" },
			 { 0, "7z\274\257\047\034", "a 7z archive" } };
	size_t i;

	for (i = 0; i < sizeof(archives) / sizeof(archives[0]); i++) {
		size_t len = strlen(archives[i].magic);

		if (size >= archives[i].at + len && !memcmp(bytes + archives[i].at, archives[i].magic, len))
			return archives[i].title;
	}
	return NULL;
}

static void refuse_utf16(const char *name, const char *bytes, size_t size)
{
	if (size >= 2 && (!memcmp(bytes, "\377\376", 2) || !memcmp(bytes, "\376\377", 2)))
		die(TOOL_BAD_USAGE, "%s: text in UTF-16: 'iconv -f UTF-16 -t UTF-8' makes it readable", name);
}

static void __attribute__((__noreturn__)) unknown(const struct trace_reader *reader, const char *line,
						  const char *bytes, size_t size)
{
	const char *name = reader->in.name;
	char names[512] = "";
	unsigned int i;

	for (i = 0; trace_formats[i]; i++) {
		strcat(names, i ? ", " : "");
		strcat(names, trace_formats[i]->name);
	}
	if (!size)
		die(TOOL_BAD_USAGE, "%s: no requests", name);
	if (reader->archive)
		die(TOOL_BAD_USAGE, "%s: %s: unpack it first", name, reader->archive);
	if (memchr(bytes, '\0', size))
		die(TOOL_BAD_USAGE, "%s: binary data of no known trace: --format insists on one of %s", name,
		    names);
	die(TOOL_BAD_USAGE, "%s:1: no known trace, found \"%.40s\": --format insists on one of %s", name,
	    line, names);
}

static const struct trace_format *find_binary(const char *bytes, size_t size, bool all)
{
	unsigned int i;

	for (i = 0; trace_formats[i]; i++)
		if (trace_formats[i]->detect &&
		    trace_formats[i]->detect((const uint8_t *)bytes, size, all))
			return trace_formats[i];
	return NULL;
}

static const struct trace_format *find_header(const struct start *start)
{
	unsigned int i;

	for (i = 0; start->nr && trace_formats[i]; i++)
		if (is_header(trace_formats[i], start->lines[0]))
			return trace_formats[i];
	return NULL;
}

/* Two formats fit: name both. One fits, but its sizes are no sectors: say so. */
static void check_doubt(const char *name, const struct guess *best, const struct guess *second)
{
	if (second->requests && second->requests * 5 >= best->requests * 4)
		die(TOOL_BAD_USAGE, "%s: may be %s or %s: --format %s or --format %s insists on one",
		    name, best->format->title, second->format->title, best->format->name,
		    second->format->name);
	if (best->format->in_sectors && best->requests >= MANY && !best->odd)
		die(TOOL_BAD_USAGE,
		    "%s: may be %s, but all addresses and sizes are multiples of 512, as if they were bytes: --format %s insists",
		    name, best->format->title, best->format->name);
}

static const struct trace_format *find_text(struct trace_reader *reader, const struct start *start,
					    const char *bytes, size_t size)
{
	struct guess best = {}, second = {}, near = {};
	bool several = false;
	unsigned int i;

	for (i = 0; trace_formats[i]; i++) {
		const struct trace_format *format = trace_formats[i];
		struct guess guess;
		char event = 0;

		if (!format->line || format->same || format->must_start)
			continue;
		guess = try_events(format, start, &event);
		if (guess.requests > best.requests) {
			second = best;
			best = guess;
		} else if (guess.requests > second.requests) {
			second = guess;
		}
		if (guess.fields > near.fields) {
			near = guess;
			several = false;
		} else if (guess.fields == near.fields) {
			several = true;
		}
	}
	if (best.requests) {
		check_doubt(reader->in.name, &best, &second);
		return best.format;
	}
	if (near.fields < FEW_FIELDS || several)
		unknown(reader, start->nr ? start->lines[0] : "", bytes, size);
	reader->doubtful = true;
	return near.format;
}

static void detect(struct trace_reader *reader)
{
	struct start start = {};
	const char *bytes;
	size_t size;
	bool all;

	bytes = trace_input_start(&reader->in, &size, &all);
	reader->archive = archive_of(bytes, size);
	if (!reader->format && !reader->archive)
		reader->format = find_binary(bytes, size < START_BYTES ? size : START_BYTES,
					     all && size <= START_BYTES);
	if (reader->format && reader->format->next)
		return;
	refuse_utf16(reader->in.name, bytes, size);
	split(&start, bytes, size, all);
	if (!reader->format && !start.nr && memchr(bytes, '\0', size))
		unknown(reader, "", bytes, size);
	/* Nothing but blank lines, or lines that are too long: whatever reads them will say so. */
	if (!reader->format)
		reader->format = start.nr ? find_header(&start) : &trace_format_capture;
	if (!reader->format)
		reader->format = find_text(reader, &start, bytes, size);
	if (reader->format->events)
		try_events(reader->format, &start, &reader->event);
	free(start.text);
}

/**
 * trace_reader_open() - start to read a file; ends the program if that is not possible
 * @reader: result
 * @name: path, or - for standard input; kept
 * @format: what it is; NULL: look at it
 * @plan_parts: how many files will be read at the same time
 */
void trace_reader_open(struct trace_reader *reader, const char *name,
		       const struct trace_format *format, unsigned int plan_parts)
{
	memset(reader, 0, sizeof(*reader));
	reader->format = format;
	reader->plan_parts = plan_parts;
	trace_input_open(&reader->in, name);
	detect(reader);
}

static enum trace_found next_line(struct trace_reader *reader, struct trace_request *request)
{
	const struct trace_format *format = reader->format;
	enum trace_found found;
	char *line, *null;
	size_t len;

	switch (trace_input_line(&reader->in, &line, &len)) {
	case TRACE_LINE_END:
		return TRACE_END;
	case TRACE_LINE_LONG:
		return trace_bad(reader, NULL, "a line of more than %u characters", TRACE_LINE_BYTES);
	case TRACE_LINE:
		break;
	}
	if (!len)
		return TRACE_NOTHING;
	if (!reader->lines) {
		if (format->must_start && !format->starts(line)) {
			reader->lines++;
			return trace_bad(reader, line, "not %s (%s)", format->title, format->wants);
		}
		if (format->header && !strcasecmp(line, format->header)) {
			reader->lines++;
			return TRACE_NOTHING;
		}
	}
	/* A format would take it for the end of the line. */
	null = memchr(line, '\0', len);
	found = null ? trace_bad(reader, null, "expected text, found a null character at column %td", null - line + 1) :
		       format->line(reader, line, request);
	reader->lines++;
	return found;
}

/**
 * trace_reader_next() - the next request
 * @reader: file
 * @request: result: with the time and the address that the file has
 *
 * Return: TRACE_REQUEST, TRACE_BAD (the next call goes on behind it) or TRACE_END.
 */
enum trace_found trace_reader_next(struct trace_reader *reader, struct trace_request *request)
{
	enum trace_found found;

	if (reader->has_queued) {
		*request = reader->queued;
		reader->has_queued = false;
		return TRACE_REQUEST;
	}
	do {
		*request = (struct trace_request){};
		found = reader->format->line ? next_line(reader, request) :
					       reader->format->next(reader, request);
	} while (found == TRACE_NOTHING);
	return found;
}

void trace_reader_close(struct trace_reader *reader)
{
	if (reader->format->close)
		reader->format->close(reader);
	free(reader->bad_text);
	trace_input_close(&reader->in);
}
