// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the project's capture format:
 *
 *	# ssdcache-trace 1
 *	time_ns,op,sector,nr_sectors,flags
 *
 * op is R (read), W (write), D (discard) or F (FLUSH; sector and length are 0);
 * flags is F (a write with FUA) or empty. Lines that begin with # are comments.
 */
#include <string.h>
#include "trace.h"

#define HEADER "# ssdcache-trace 1"

static bool capture_starts(const char *line)
{
	return !strncmp(line, "# ssdcache-trace", strlen("# ssdcache-trace"));
}

static u8 take_op(const struct sim_input *in, const char **at)
{
	static const char letters[SSDC_NR_OPS + 1] = {
		[SSDC_READ] = 'R', [SSDC_WRITE] = 'W', [SSDC_FLUSH] = 'F', [SSDC_DISCARD] = 'D',
	};
	const char *letter = **at ? strchr(letters, **at) : NULL;

	if (!letter || (*at)[1] != ',')
		sim_bad_line(in, "expected R, W, D or F and a comma, found \"%.40s\"", *at);
	*at += 2;
	return letter - letters;
}

static void capture_read(struct sim_loader *loader, const struct sim_input *in, const char *line)
{
	struct sim_record record = { .disk = sim_loader_disk(loader, in, "", 0) };
	const char *at = line;
	u64 nr;

	if (line[0] == '#') {
		if (capture_starts(line) && strcmp(line, HEADER))
			sim_bad_line(in, "expected the header \"" HEADER "\", found \"%.40s\"",
				     line);
		return;
	}
	if (!sim_take_number(&at, U64_MAX, &record.time_ns) || !sim_take_char(&at, ','))
		sim_bad_line(in, "expected a time in ns and a comma, found \"%.40s\"", at);
	record.op = take_op(in, &at);
	if (!sim_take_number(&at, SIM_MAX_SECTORS, &record.sector) || !sim_take_char(&at, ','))
		sim_bad_line(in, "expected a sector up to %llu and a comma, found \"%.40s\"",
			     SIM_MAX_SECTORS, at);
	if (!sim_take_number(&at, U32_MAX, &nr) || !nr != (record.op == SSDC_FLUSH) ||
	    (*at && !sim_take_char(&at, ',')))
		sim_bad_line(in, "expected a number of sectors from 1 to %u (0 for F), found \"%.40s\"",
			     U32_MAX, at);
	if (*at && (record.op != SSDC_WRITE || strcmp(at, "F")))
		sim_bad_line(in, "expected no flags, or F for a write, found \"%.40s\"", at);
	record.nr_sectors = nr;
	record.fua = *at;
	sim_loader_add(loader, &record);
}

const struct sim_format sim_format_capture = {
	.name = "a capture",
	.wants = HEADER,
	.starts = capture_starts,
	.read = capture_read,
};
