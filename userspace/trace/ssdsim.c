// SPDX-License-Identifier: GPL-2.0
/*
 * The traces of the simulators SSDsim and MQSim:
 *
 *	time device sector size type
 *
 * time is in ns, sector and size are in sectors, type is 0 (write) or 1 (read). Both have the same
 * columns, so a file of the one is detected as the other. Traces with times in us, which exist, need
 * --time-scale 1000. Sources: the comment of get_requests() in SSDsim; "Trace file columns
 * definition" in MQSim's README.
 */
#include "reader.h"
#include "scan.h"

static enum trace_found ssdsim_line(struct trace_reader *r, const char *line,
				    struct trace_request *request)
{
	const char *at = line, *word;
	uint64_t device, nr, type;

	scan_space(&at);
	word = at;
	if (!scan_number(&at, UINT64_MAX, &request->time_ns) || !scan_space(&at))
		return trace_bad(r, word, "expected a time in ns and a space, found \"%.40s\"", word);
	word = at;
	if (!scan_number(&at, UINT64_MAX, &device))
		return trace_bad(r, at, "expected a number of a device, found \"%.40s\"", at);
	trace_set_disk(r, word, at - word);
	if (!scan_space(&at))
		return trace_bad(r, at, "expected a space after the device, found \"%.40s\"", at);
	word = at;
	if (!scan_number(&at, TRACE_MAX_SECTORS, &request->sector) || !scan_space(&at))
		return trace_bad(r, word, "expected a sector up to %llu and a space, found \"%.40s\"",
				 TRACE_MAX_SECTORS, word);
	word = at;
	if (!scan_number(&at, UINT32_MAX, &nr) || !nr || !scan_space(&at))
		return trace_bad(r, word, "expected a number of sectors from 1 to %u and a space, found \"%.40s\"",
				 UINT32_MAX, word);
	word = at;
	if (!scan_number(&at, UINT64_MAX, &type) || type > 1 || (scan_space(&at), *at))
		return trace_bad(r, word, "expected 0 (write) or 1 (read), found \"%.40s\"", word);
	request->op = type ? TRACE_READ : TRACE_WRITE;
	request->nr_sectors = nr;
	return TRACE_REQUEST;
}

const struct trace_format trace_format_ssdsim = {
	.name = "ssdsim",
	.title = "an SSDsim trace",
	.wants = "time_ns device sector size_sectors 0|1",
	.in_sectors = true,
	.line = ssdsim_line,
};

const struct trace_format trace_format_mqsim = {
	.name = "mqsim",
	.title = "an MQSim trace",
	.wants = "time_ns device sector size_sectors 0|1",
	.same = &trace_format_ssdsim,
	.in_sectors = true,
	.line = ssdsim_line,
};
