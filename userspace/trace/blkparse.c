// SPDX-License-Identifier: GPL-2.0
/*
 * The text of blkparse:
 *
 *	8,16   3        4     0.000011950  3645  Q   R 4938888 + 256 [java]
 *
 * device, CPU, sequence, seconds, process, event, operation, sector + sectors. One kind of event counts,
 * the first of Q (queued), D (issued to the driver), I (inserted) and C (completed) that the start of
 * the file has, so that a request counts once. An operation has F for a FLUSH before, one of R, W, D,
 * and F for FUA. A line that starts with "CPU" or "Total" begins a summary, which the next event ends: files may be
 * several outputs joined. Source: blkparse(1), "TRACE ACTIONS" and "DEFAULT OUTPUT FORMAT".
 */
#include "reader.h"
#include "scan.h"

static bool take_device(const char **at)
{
	uint64_t number;

	return scan_number(at, UINT32_MAX, &number) && scan_char(at, ',') &&
	       scan_number(at, UINT32_MAX, &number);
}

/* @at: RWBS. Returns false if it is no operation that counts. */
static bool take_operation(const char *at, size_t len, bool *flush, struct trace_request *request)
{
	const char *end = at + len;

	*flush = len && *at == 'F';
	at += *flush;
	if (at == end || *at == 'N')
		request->op = TRACE_FLUSH;
	else if (*at == 'R')
		request->op = TRACE_READ;
	else if (*at == 'W')
		request->op = TRACE_WRITE;
	else if (*at == 'D')
		request->op = TRACE_DISCARD;
	else
		return false;
	request->fua = request->op == TRACE_WRITE && memchr(at, 'F', end - at);
	return request->op != TRACE_FLUSH || *flush;
}

static bool is_letter(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* The time between device and event. */
static bool take_middle(const char **at, uint64_t *ns)
{
	uint64_t number;

	return scan_space(at) && scan_number(at, UINT64_MAX, &number) && scan_space(at) &&
	       scan_number(at, UINT64_MAX, &number) && scan_space(at) && scan_seconds(at, ns) &&
	       scan_space(at) && scan_number(at, UINT64_MAX, &number) && scan_space(at);
}

/* Only a FLUSH is a request without sectors. */
static enum trace_found no_sectors(bool flush, struct trace_request *request)
{
	request->op = TRACE_FLUSH;
	request->fua = false;
	return flush ? TRACE_REQUEST : TRACE_NOTHING;
}

/* "SECTOR + NR", or nothing, after the operation. @flush: the operation has a FLUSH. */
static enum trace_found take_sectors(struct trace_reader *r, const char *at, bool flush, struct trace_request *request)
{
	const char *word;
	uint64_t sector, nr;

	scan_space(&at);
	if (!*at || *at == '[' || *at == '(')
		return no_sectors(flush, request);
	if (!scan_number(&at, TRACE_MAX_SECTORS, &sector))
		return trace_bad(r, at, "expected a sector up to %llu, found \"%.40s\"", TRACE_MAX_SECTORS,
				 at);
	scan_space(&at);
	word = at;
	if (!scan_char(&at, '+') || !scan_space(&at) || !scan_number(&at, UINT32_MAX, &nr))
		return trace_bad(r, word, "expected + and a number of sectors up to %u, found \"%.40s\"",
				 UINT32_MAX, word);
	request->nr_sectors = nr;
	request->sector = nr ? sector : 0;
	if (!nr)
		return no_sectors(flush, request);
	if (request->op == TRACE_FLUSH)
		return TRACE_NOTHING;
	if (flush) {
		/* A FLUSH, then the write. */
		r->queued = *request;
		r->has_queued = true;
		*request = (struct trace_request){ .time_ns = r->queued.time_ns, .op = TRACE_FLUSH };
	}
	return TRACE_REQUEST;
}

static enum trace_found blkparse_line(struct trace_reader *r, const char *line,
				      struct trace_request *request)
{
	const char *at = line, *disk, *event, *operation;
	bool flush;
	size_t len;

	scan_space(&at);
	if (!*at)
		return TRACE_NOTHING;
	if (!strncmp(at, "CPU", 3) || !strncmp(at, "Total", 5)) {
		r->over = true;
		return TRACE_NOTHING;
	}
	/* "Input file NAME added" */
	if (!strncmp(at, "Input file ", 11))
		return TRACE_NOTHING;
	disk = at;
	if (!take_device(&at)) {
		if (r->over)
			return TRACE_NOTHING;
		return trace_bad(r, disk, "expected the numbers of a device, found \"%.40s\"", disk);
	}
	r->over = false;
	trace_set_disk(r, disk, at - disk);
	if (!take_middle(&at, &request->time_ns))
		return trace_bad(r, at, "expected CPU, sequence, seconds and process, found \"%.40s\"", at);
	event = at;
	len = scan_token(&at);
	if (!len || len > 2 || !is_letter(*event))
		return trace_bad(r, event, "expected an event of one or two letters, found \"%.40s\"", event);
	if (len > 1 || *event != r->event)
		return TRACE_NOTHING;
	scan_space(&at);
	operation = at;
	len = scan_token(&at);
	if (!take_operation(operation, len, &flush, request))
		return TRACE_NOTHING;
	return take_sectors(r, at, flush, request);
}

const struct trace_format trace_format_blkparse = {
	.name = "blkparse",
	.title = "text of blkparse",
	.wants = "device cpu sequence seconds pid event operation sector + sectors",
	.events = "QDIC",
	.line = blkparse_line,
};
