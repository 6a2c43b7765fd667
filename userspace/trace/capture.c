// SPDX-License-Identifier: GPL-2.0
/*
 * The project's capture format:
 *
 *	# ssdcache-trace 1
 *	time_ns,op,sector,nr_sectors,flags
 *
 * op is R (read), W (write), D (discard) or F (FLUSH; sector and length are 0);
 * flags is F (a write with FUA) or empty. Lines that begin with # are comments.
 */
#include "reader.h"
#include "scan.h"

#define HEADER "# ssdcache-trace 1"

static bool capture_starts(const char *line)
{
	return !strncmp(line, "# ssdcache-trace", strlen("# ssdcache-trace"));
}

/* A table, as the processor cannot foresee which letter comes next. */
static bool take_op(const char **at, uint8_t *op)
{
	static const uint8_t ops[UINT8_MAX + 1] = {
		['R'] = TRACE_READ + 1, ['W'] = TRACE_WRITE + 1,
		['F'] = TRACE_FLUSH + 1, ['D'] = TRACE_DISCARD + 1,
	};
	uint8_t found = ops[(uint8_t)**at];

	if (!found || (*at)[1] != ',')
		return false;
	*op = found - 1;
	*at += 2;
	return true;
}

static enum trace_found capture_line(struct trace_reader *r, const char *line,
				     struct trace_request *request)
{
	const char *at = line, *word;
	uint64_t nr;

	if (line[0] == '#') {
		if (capture_starts(line) && strcmp(line, HEADER))
			return trace_bad(r, line, "expected the header \"" HEADER "\", found \"%.40s\"",
					 line);
		return TRACE_NOTHING;
	}
	word = at;
	if (!scan_number(&at, UINT64_MAX, &request->time_ns) || !scan_char(&at, ','))
		return trace_bad(r, word, "expected a time in ns and a comma, found \"%.40s\"", word);
	if (!take_op(&at, &request->op))
		return trace_bad(r, at, "expected R, W, D or F and a comma, found \"%.40s\"", at);
	word = at;
	if (!scan_number(&at, TRACE_MAX_SECTORS, &request->sector) || !scan_char(&at, ','))
		return trace_bad(r, word, "expected a sector up to %llu and a comma, found \"%.40s\"",
				 TRACE_MAX_SECTORS, word);
	if (request->sector && request->op == TRACE_FLUSH)
		return trace_bad(r, word, "expected sector 0 for F, found \"%.40s\"", word);
	word = at;
	if (!scan_number(&at, UINT32_MAX, &nr) || !nr != (request->op == TRACE_FLUSH) ||
	    !scan_field_end(&at))
		return trace_bad(r, word, "expected a number of sectors from 1 to %u (0 for F), found \"%.40s\"",
				 UINT32_MAX, word);
	if (*at && (request->op != TRACE_WRITE || strcmp(at, "F")))
		return trace_bad(r, at, "expected no flags, or F for a write, found \"%.40s\"", at);
	request->nr_sectors = nr;
	request->fua = *at;
	return TRACE_REQUEST;
}

const struct trace_format trace_format_capture = {
	.name = "capture",
	.title = "a capture",
	.wants = HEADER,
	.starts = capture_starts,
	.must_start = true,
	.line = capture_line,
};
