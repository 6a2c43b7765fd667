// SPDX-License-Identifier: GPL-2.0
/*
 * fio's I/O logs, versions 2 and 3:
 *
 *	fio version 2 iolog		fio version 3 iolog
 *	filename add|open|close		timestamp filename add|open|close
 *	filename action offset length	timestamp filename action offset length
 *
 * Actions are read, write, trim, sync, datasync and, in version 2, wait; offset and length are in
 * bytes, wait and timestamp in us. Version 2 has no other times. A sync is a FLUSH. A run of fio
 * appends to a log that exists, and its times count from 0: such a file is refused. So is the log of several jobs
 * of a run (numjobs), which tear each other's lines: the first that is torn has the header of another job. Source:
 * fio(1), "Trace file format"; that timestamps are in us is what fio 3.33 writes.
 */
#include "reader.h"
#include "scan.h"

#define HEADER		"fio version "

static bool fio_starts(const char *line)
{
	return !strncmp(line, HEADER, strlen(HEADER));
}

static enum trace_found fio_header(struct trace_reader *r, const char *line)
{
	if (!strcmp(line, "fio version 2 iolog"))
		r->version = 2;
	else if (!strcmp(line, "fio version 3 iolog"))
		r->version = 3;
	else
		return trace_bad(r, line, "expected \"fio version 2 iolog\" or \"fio version 3 iolog\", found \"%.40s\"",
				 line);
	return TRACE_NOTHING;
}

static enum trace_found fio_io(struct trace_reader *r, const char *at, bool data,
			       struct trace_request *request)
{
	const char *word = at + strspn(at, " \t");
	uint64_t offset, bytes;

	if (!scan_space(&at) || !scan_number(&at, TRACE_MAX_BYTES, &offset) ||
	    !scan_space(&at))
		return trace_bad(r, word, "expected an offset of at most %llu bytes and a space, found \"%.40s\"",
				 TRACE_MAX_BYTES, word);
	word = at;
	if (!scan_number(&at, UINT32_MAX, &bytes) || (data && !bytes) || (scan_space(&at), *at))
		return trace_bad(r, word, "expected a size from 1 to %u bytes, found \"%.40s\"",
				 UINT32_MAX, word);
	if (data)
		trace_set_bytes(request, offset, bytes);
	return TRACE_REQUEST;
}

static enum trace_found fio_wait(struct trace_reader *r, const char *at)
{
	const char *word = at + strspn(at, " \t");
	uint64_t us;

	if (r->version != 2)
		return trace_bad(r, at, "version 3 has no wait");
	if (!scan_space(&at) || !scan_number(&at, TRACE_MAX_NS / SCAN_NS_PER_US, &us) ||
	    us * SCAN_NS_PER_US > TRACE_MAX_NS - r->clock_ns)
		return trace_bad(r, word, "expected a time in us, at most 2^62 ns in all, found \"%.40s\"",
				 word);
	r->clock_ns += us * SCAN_NS_PER_US;
	return TRACE_NOTHING;
}

static enum trace_found fio_line(struct trace_reader *r, const char *line,
				 struct trace_request *request)
{
	const char *at = line, *file, *action;
	uint64_t us = 0;
	size_t len;

	if (!r->version)
		return fio_header(r, line);
	if (strstr(line, HEADER))
		return trace_bad(r, line, "another log begins, as fio appends to a file that exists, and jobs that share one (numjobs) tear its lines: give each log as a file of its own");
	if (r->version == 3 && (!scan_number(&at, UINT64_MAX / SCAN_NS_PER_US, &us) || !scan_space(&at)))
		return trace_bad(r, line, "expected a time in us and a space, found \"%.40s\"", line);
	file = at;
	len = scan_token(&at);
	if (!len || !scan_space(&at))
		return trace_bad(r, file, "expected the name of a file and an action, found \"%.40s\"", file);
	trace_set_disk(r, file, len);
	action = at;
	len = scan_token(&at);
	request->time_ns = r->version == 3 ? us * SCAN_NS_PER_US : r->clock_ns;
#define IS(word) (len == strlen(word) && !memcmp(action, word, len))
	if (IS("read")) {
		request->op = TRACE_READ;
		return fio_io(r, at, true, request);
	}
	if (IS("write")) {
		request->op = TRACE_WRITE;
		return fio_io(r, at, true, request);
	}
	if (IS("trim")) {
		request->op = TRACE_DISCARD;
		return fio_io(r, at, true, request);
	}
	if (IS("sync") || IS("datasync")) {
		request->op = TRACE_FLUSH;
		return *at ? fio_io(r, at, false, request) : TRACE_REQUEST;
	}
	if (IS("wait"))
		return fio_wait(r, at);
	if ((IS("add") || IS("open") || IS("close")) && (scan_space(&at), !*at))
		return TRACE_NOTHING;
#undef IS
	return trace_bad(r, action, "expected read, write, trim, sync, datasync, wait, add, open or close, found \"%.40s\"",
			 action);
}

const struct trace_format trace_format_fio = {
	.name = "fio",
	.title = "an I/O log of fio",
	.wants = "fio version 2 iolog, or fio version 3 iolog",
	.starts = fio_starts,
	.line = fio_line,
};
