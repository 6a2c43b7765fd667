// SPDX-License-Identifier: GPL-2.0
/*
 * Tencent's cloud block storage traces:
 *
 *	Timestamp,Offset,Size,IOType,VolumeID
 *
 * Timestamp is in seconds, Offset and Size are in sectors, IOType is 0 (read) or 1 (write). Source:
 * README of the traces at SNIA IOTTA, set 27917.
 */
#include "reader.h"
#include "scan.h"

static enum trace_found tencent_line(struct trace_reader *r, const char *line,
				     struct trace_request *request)
{
	uint64_t nr, type, volume;
	const char *at = line, *disk, *word;

	word = at;
	if (!scan_seconds(&at, &request->time_ns) || !scan_char(&at, ','))
		return trace_bad(r, word, "expected a time in seconds and a comma, found \"%.40s\"", word);
	word = at;
	if (!scan_number(&at, TRACE_MAX_SECTORS, &request->sector) || !scan_char(&at, ','))
		return trace_bad(r, word, "expected a sector up to %llu and a comma, found \"%.40s\"",
				 TRACE_MAX_SECTORS, word);
	word = at;
	if (!scan_number(&at, UINT32_MAX, &nr) || !nr || !scan_char(&at, ','))
		return trace_bad(r, word, "expected a number of sectors from 1 to %u and a comma, found \"%.40s\"",
				 UINT32_MAX, word);
	word = at;
	if (!scan_number(&at, UINT64_MAX, &type) || type > 1 || !scan_char(&at, ','))
		return trace_bad(r, word, "expected 0 (read) or 1 (write) and a comma, found \"%.40s\"",
				 word);
	disk = at;
	if (!scan_number(&at, UINT64_MAX, &volume) || *at)
		return trace_bad(r, disk, "expected a number of a volume, found \"%.40s\"", disk);
	trace_set_disk(r, disk, at - disk);
	request->op = type ? TRACE_WRITE : TRACE_READ;
	request->nr_sectors = nr;
	return TRACE_REQUEST;
}

const struct trace_format trace_format_tencent = {
	.name = "tencent",
	.title = "a Tencent block trace",
	.wants = "Timestamp_s,Offset_sectors,Size_sectors,0|1,VolumeID",
	.header = "Timestamp,Offset,Size,IOType,VolumeID",
	.in_sectors = true,
	.line = tencent_line,
};
