// SPDX-License-Identifier: GPL-2.0
/*
 * The trace format of the Storage Performance Council, as UMass publishes Financial and WebSearch:
 *
 *	ASU,LBA,Size,Opcode,Timestamp[,...]
 *
 * ASU (application-specific unit) is a disk, LBA is in sectors, Size in bytes, Opcode is r or w,
 * Timestamp is in seconds. Further fields are not used. Source: "SPC trace file format
 * specification", revision 1.0.1, sections 3 to 6.
 */
#include "reader.h"
#include "scan.h"

static enum trace_found spc_line(struct trace_reader *r, const char *line,
				 struct trace_request *request)
{
	uint64_t asu, bytes;
	const char *at = line, *word;

	word = at;
	if (!scan_number(&at, UINT64_MAX, &asu) || *at != ',')
		return trace_bad(r, word, "expected a number of a unit and a comma, found \"%.40s\"", word);
	trace_set_disk(r, line, at - line);
	at++;
	word = at;
	if (!scan_number(&at, TRACE_MAX_SECTORS, &request->sector) || !scan_char(&at, ','))
		return trace_bad(r, word, "expected a sector up to %llu and a comma, found \"%.40s\"",
				 TRACE_MAX_SECTORS, word);
	word = at;
	if (!scan_number(&at, UINT32_MAX, &bytes) || !bytes || !scan_char(&at, ','))
		return trace_bad(r, word, "expected a size from 1 to %u bytes and a comma, found \"%.40s\"",
				 UINT32_MAX, word);
	if (scan_word(&at, "R,"))
		request->op = TRACE_READ;
	else if (scan_word(&at, "W,"))
		request->op = TRACE_WRITE;
	else
		return trace_bad(r, at, "expected r or w and a comma, found \"%.40s\"", at);
	word = at;
	if (!scan_seconds(&at, &request->time_ns) || !scan_field_end(&at))
		return trace_bad(r, word, "expected a time in seconds, found \"%.40s\"", word);
	request->nr_sectors = trace_sectors_of(bytes);
	return TRACE_REQUEST;
}

const struct trace_format trace_format_spc = {
	.name = "spc",
	.title = "an SPC trace",
	.wants = "ASU,LBA,Size,r|w,Timestamp_s",
	.line = spc_line,
};
