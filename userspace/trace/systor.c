// SPDX-License-Identifier: GPL-2.0
/*
 * The VDI traces of SYSTOR '17:
 *
 *	Timestamp,Response,IOType,LUN,Offset,Size
 *
 * Timestamp and Response are in seconds (Response may be empty), IOType is R or W, Offset and Size
 * are in bytes. Source: README of the traces at SNIA IOTTA, set 4964.
 */
#include "reader.h"
#include "scan.h"

static enum trace_found systor_line(struct trace_reader *r, const char *line,
				    struct trace_request *request)
{
	uint64_t response_ns, lun, offset, bytes;
	const char *at = line, *disk, *word;

	word = at;
	if (!scan_seconds(&at, &request->time_ns) || !scan_char(&at, ','))
		return trace_bad(r, word, "expected a time in seconds and a comma, found \"%.40s\"", word);
	if (*at != ',' && !scan_seconds(&at, &response_ns))
		return trace_bad(r, at, "expected a response time in seconds, found \"%.40s\"", at);
	if (!scan_char(&at, ','))
		return trace_bad(r, at, "expected a comma after the response time, found \"%.40s\"", at);
	if (scan_word(&at, "R,"))
		request->op = TRACE_READ;
	else if (scan_word(&at, "W,"))
		request->op = TRACE_WRITE;
	else
		return trace_bad(r, at, "expected R or W and a comma, found \"%.40s\"", at);
	disk = at;
	if (!scan_number(&at, UINT64_MAX, &lun) || *at != ',')
		return trace_bad(r, disk, "expected a number of a LUN and a comma, found \"%.40s\"", disk);
	trace_set_disk(r, disk, at - disk);
	at++;
	word = at;
	if (!scan_number(&at, TRACE_MAX_BYTES, &offset) || !scan_char(&at, ','))
		return trace_bad(r, word, "expected an offset of at most %llu bytes and a comma, found \"%.40s\"",
				 TRACE_MAX_BYTES, word);
	word = at;
	if (!scan_number(&at, UINT32_MAX, &bytes) || !bytes || *at)
		return trace_bad(r, word, "expected a size from 1 to %u bytes, found \"%.40s\"",
				 UINT32_MAX, word);
	trace_set_bytes(request, offset, bytes);
	return TRACE_REQUEST;
}

const struct trace_format trace_format_systor = {
	.name = "systor",
	.title = "a VDI trace of SYSTOR '17",
	.wants = "Timestamp_s,Response_s,R|W,LUN,Offset,Size",
	.header = "Timestamp,Response,IOType,LUN,Offset,Size",
	.line = systor_line,
};
