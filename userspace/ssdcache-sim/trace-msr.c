// SPDX-License-Identifier: GPL-2.0
/*
 * Reads MSR Cambridge CSV, as SNIA publishes it:
 *
 *	Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime
 *
 * Timestamp and ResponseTime are in units of 100 ns, Offset and Size in bytes.
 * ResponseTime is not used and may be missing.
 */
#include <string.h>
#include <strings.h>
#include "trace.h"

#define TICK_NS		100u
#define SECTOR_BYTES	512u

/* Largest offset or size whose sums cannot overflow. */
#define MAX_BYTES	(1ULL << 62)

static bool msr_starts(const char *line)
{
	return line[0] >= '0' && line[0] <= '9' && strchr(line, ',');
}

static bool take_word(const char **at, const char *word)
{
	size_t len = strlen(word);

	if (strncasecmp(*at, word, len))
		return false;
	*at += len;
	return true;
}

static void msr_read(struct sim_loader *loader, const struct sim_input *in, const char *line)
{
	struct sim_record record = {};
	u64 ticks, offset, bytes, disk_nr;
	const char *at = line, *disk;
	u64 end;

	if (!sim_take_number(&at, U64_MAX, &ticks) || !sim_take_char(&at, ','))
		sim_bad_line(in, "expected a time in units of 100 ns and a comma, found \"%.40s\"",
			     at);
	if (ticks > U64_MAX / TICK_NS)
		sim_bad_line(in, "the time %llu is not below 2^64 ns", ticks);
	disk = at;
	at = strchr(at, ',');
	if (!at)
		sim_bad_line(in, "expected a host name and a comma, found \"%.40s\"", disk);
	at++;
	if (!sim_take_number(&at, U64_MAX, &disk_nr) || !sim_take_char(&at, ','))
		sim_bad_line(in, "expected a disk number and a comma, found \"%.40s\"", at);
	record.disk = sim_loader_disk(loader, in, disk, at - 1 - disk);
	if (take_word(&at, "Read,"))
		record.op = SSDC_READ;
	else if (take_word(&at, "Write,"))
		record.op = SSDC_WRITE;
	else
		sim_bad_line(in, "expected Read or Write and a comma, found \"%.40s\"", at);
	if (!sim_take_number(&at, MAX_BYTES, &offset) || !sim_take_char(&at, ','))
		sim_bad_line(in, "expected an offset of at most %llu bytes and a comma, found \"%.40s\"",
			     MAX_BYTES, at);
	if (!sim_take_number(&at, U32_MAX, &bytes) || !bytes ||
	    (*at && !sim_take_char(&at, ',')))
		sim_bad_line(in, "expected a size from 1 to %u bytes, found \"%.40s\"", U32_MAX,
			     at);

	/* A few requests are not aligned to sectors: round outwards. */
	end = (offset + bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
	record.time_ns = ticks * TICK_NS;
	record.sector = offset / SECTOR_BYTES;
	record.nr_sectors = end - record.sector;
	sim_loader_add(loader, &record);
}

const struct sim_format sim_format_msr = {
	.name = "MSR Cambridge CSV",
	.wants = "Timestamp,Hostname,DiskNumber,Read|Write,Offset,Size,ResponseTime",
	.starts = msr_starts,
	.read = msr_read,
};
