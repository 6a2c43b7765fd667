// SPDX-License-Identifier: GPL-2.0
/*
 * Alibaba Cloud's block traces:
 *
 *	device_id,opcode,offset,length,timestamp
 *
 * opcode is R or W, offset and length are in bytes, timestamp is in us. Source: README.md of
 * github.com/alibaba/block-traces.
 */
#include "reader.h"
#include "scan.h"

static enum trace_found alibaba_line(struct trace_reader *r, const char *line,
				     struct trace_request *request)
{
	uint64_t device, offset, bytes, us;
	const char *at = line, *word;

	word = at;
	if (!scan_number(&at, UINT32_MAX, &device) || *at != ',')
		return trace_bad(r, word, "expected a number of a device and a comma, found \"%.40s\"", word);
	trace_set_disk(r, line, at - line);
	at++;
	if (scan_word(&at, "R,"))
		request->op = TRACE_READ;
	else if (scan_word(&at, "W,"))
		request->op = TRACE_WRITE;
	else
		return trace_bad(r, at, "expected R or W and a comma, found \"%.40s\"", at);
	word = at;
	if (!scan_number(&at, TRACE_MAX_BYTES, &offset) || !scan_char(&at, ','))
		return trace_bad(r, word, "expected an offset of at most %llu bytes and a comma, found \"%.40s\"",
				 TRACE_MAX_BYTES, word);
	word = at;
	if (!scan_number(&at, UINT32_MAX, &bytes) || !bytes || !scan_char(&at, ','))
		return trace_bad(r, word, "expected a size from 1 to %u bytes and a comma, found \"%.40s\"",
				 UINT32_MAX, word);
	word = at;
	if (!scan_number(&at, UINT64_MAX / SCAN_NS_PER_US, &us) || *at)
		return trace_bad(r, word, "expected a time in us below 2^64 ns, found \"%.40s\"", word);
	request->time_ns = us * SCAN_NS_PER_US;
	trace_set_bytes(request, offset, bytes);
	return TRACE_REQUEST;
}

const struct trace_format trace_format_alibaba = {
	.name = "alibaba",
	.title = "an Alibaba block trace",
	.wants = "device_id,R|W,offset,length,timestamp_us",
	.header = "device_id,opcode,offset,length,timestamp",
	.line = alibaba_line,
};
