// SPDX-License-Identifier: GPL-2.0
/*
 * MSR Cambridge CSV, as SNIA publishes it:
 *
 *	Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime
 *
 * Timestamp and ResponseTime are in units of 100 ns, Offset and Size in bytes.
 * ResponseTime is not used and may be missing. Source: README.txt of the traces at SNIA IOTTA, set 387.
 */
#include <inttypes.h>
#include "reader.h"
#include "scan.h"

#define TICK_NS		100u

static enum trace_found msr_line(struct trace_reader *r, const char *line,
				 struct trace_request *request)
{
	uint64_t ticks, offset, bytes, disk_nr;
	const char *at = line, *disk, *word;

	word = at;
	if (!scan_number(&at, UINT64_MAX, &ticks) || !scan_char(&at, ','))
		return trace_bad(r, word, "expected a time in units of 100 ns and a comma, found \"%.40s\"", word);
	if (ticks > UINT64_MAX / TICK_NS)
		return trace_bad(r, line, "the time %" PRIu64 " is not below 2^64 ns", ticks);
	disk = at;
	at = strchr(at, ',');
	if (!at)
		return trace_bad(r, disk, "expected a host name and a comma, found \"%.40s\"", disk);
	at++;
	word = at;
	if (!scan_number(&at, UINT64_MAX, &disk_nr) || !scan_char(&at, ','))
		return trace_bad(r, word, "expected a disk number and a comma, found \"%.40s\"", word);
	trace_set_disk(r, disk, at - 1 - disk);
	if (scan_word(&at, "Read,"))
		request->op = TRACE_READ;
	else if (scan_word(&at, "Write,"))
		request->op = TRACE_WRITE;
	else
		return trace_bad(r, at, "expected Read or Write and a comma, found \"%.40s\"", at);
	word = at;
	if (!scan_number(&at, TRACE_MAX_BYTES, &offset) || !scan_char(&at, ','))
		return trace_bad(r, word, "expected an offset of at most %llu bytes and a comma, found \"%.40s\"",
				 TRACE_MAX_BYTES, word);
	word = at;
	if (!scan_number(&at, UINT32_MAX, &bytes) || !bytes || !scan_field_end(&at))
		return trace_bad(r, word, "expected a size from 1 to %u bytes, found \"%.40s\"",
				 UINT32_MAX, word);
	request->time_ns = ticks * TICK_NS;
	trace_set_bytes(request, offset, bytes);
	return TRACE_REQUEST;
}

const struct trace_format trace_format_msr = {
	.name = "msr",
	.title = "MSR Cambridge CSV",
	.wants = "Timestamp,Hostname,DiskNumber,Read|Write,Offset,Size,ResponseTime",
	.header = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime",
	.line = msr_line,
};
