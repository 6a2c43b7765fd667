// SPDX-License-Identifier: GPL-2.0
/*
 * The traces of Florida International University:
 *
 *	ts pid process lba size R|W major minor digest
 *
 * ts is in ns, lba and size are in sectors. The digests are not used and may be missing. Source:
 * README of the traces at SNIA IOTTA, set 411.
 */
#include "reader.h"
#include "scan.h"

static enum trace_found fiu_line(struct trace_reader *r, const char *line,
				 struct trace_request *request)
{
	uint64_t pid, nr, device;
	const char *at = line, *word;

	word = at;
	if (!scan_number(&at, UINT64_MAX, &request->time_ns) || !scan_space(&at))
		return trace_bad(r, word, "expected a time in ns and a space, found \"%.40s\"", word);
	word = at;
	if (!scan_number(&at, UINT64_MAX, &pid) || !scan_space(&at))
		return trace_bad(r, word, "expected a number of a process and a space, found \"%.40s\"", word);
	/* The name of a process may have spaces: the sector is the first word that is a number. */
	do {
		word = at;
		if (!scan_token(&at) || !scan_space(&at))
			return trace_bad(r, word, "expected the name of a process and a sector, found \"%.40s\"",
					 word);
		word = at;
	} while (!scan_number(&at, TRACE_MAX_SECTORS, &request->sector) || *at != ' ');
	scan_space(&at);
	word = at;
	if (!scan_number(&at, UINT32_MAX, &nr) || !nr || !scan_space(&at))
		return trace_bad(r, word, "expected a number of sectors from 1 to %u and a space, found \"%.40s\"",
				 UINT32_MAX, word);
	if (scan_word(&at, "R "))
		request->op = TRACE_READ;
	else if (scan_word(&at, "W "))
		request->op = TRACE_WRITE;
	else
		return trace_bad(r, at, "expected R or W and a space, found \"%.40s\"", at);
	word = at;
	if (!scan_number(&at, UINT32_MAX, &device) || !scan_char(&at, ' ') ||
	    !scan_number(&at, UINT32_MAX, &device) || (*at && *at != ' '))
		return trace_bad(r, word, "expected the major and minor number of a device, found \"%.40s\"",
				 word);
	trace_set_disk(r, word, at - word);
	request->nr_sectors = nr;
	return TRACE_REQUEST;
}

const struct trace_format trace_format_fiu = {
	.name = "fiu",
	.title = "an FIU trace",
	.wants = "ts_ns pid process lba size_sectors R|W major minor digest",
	.line = fiu_line,
};
