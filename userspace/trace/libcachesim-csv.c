// SPDX-License-Identifier: GPL-2.0
/*
 * CSV of libCacheSim. A header names the columns:
 *
 *	version,time,op,size,lbn
 *
 * time is in seconds; the object (obj_id, id, lbn, lba or key) is a sector; size (obj_size, size, len)
 * is in bytes; op, if there is one, is a word that starts with r (read), w (write), g (get) or s (set), or
 * the hexadecimal SCSI command. Without a header the columns are time, object, size, and all
 * requests are reads. Source: doc/quickstart_cachesim.md and data/cloudPhysicsIO.csv of libCacheSim.
 */
#include "reader.h"
#include "scan.h"

enum { TIME, OBJECT, SIZE, OP, NR_COLUMNS };

static const char *const names[NR_COLUMNS][7] = {
	[TIME] = { "time", "timestamp", "clock_time", "real_time" },
	[OBJECT] = { "obj_id", "id", "lbn", "lba", "key", "obj" },
	[SIZE] = { "obj_size", "size", "len", "length" },
	[OP] = { "op", "opcode", "cmd" },
};

static size_t field_len(const char *at)
{
	return strcspn(at, ",");
}

static int find_name(const char *at, size_t len)
{
	unsigned int i, k;

	for (i = 0; i < NR_COLUMNS; i++)
		for (k = 0; names[i][k]; k++)
			if (strlen(names[i][k]) == len && !strncasecmp(at, names[i][k], len))
				return i;
	return -1;
}

/* Returns false if the line does not name the columns needed. @columns: column + 1 of each, 0: none. */
static bool read_header(const char *line, int *columns)
{
	const char *at = line;
	int nr = 0, column;

	memset(columns, 0, NR_COLUMNS * sizeof(*columns));
	if (*at == '#')
		at++;
	for (;; at++) {
		size_t len;

		scan_space(&at);
		len = field_len(at);
		nr++;
		column = find_name(at, len);
		if (column >= 0 && !columns[column])
			columns[column] = nr;
		at += len;
		if (!*at)
			return columns[TIME] && columns[OBJECT] && columns[SIZE];
	}
}

static bool csv_starts(const char *line)
{
	int columns[NR_COLUMNS];

	return read_header(line, columns);
}

static bool take_op(const char *at, size_t len, struct trace_request *request)
{
	char c = len ? *at | 0x20 : 0;

	if (c == 'r' || c == 'g' || (len == 2 && (!memcmp(at, "28", 2) || !memcmp(at, "88", 2))))
		request->op = TRACE_READ;
	else if (c == 'w' || c == 's' ||
		 (len == 2 && (!strncasecmp(at, "2a", 2) || !strncasecmp(at, "8a", 2))))
		request->op = TRACE_WRITE;
	else
		return false;
	return true;
}

static enum trace_found csv_line(struct trace_reader *r, const char *line,
				 struct trace_request *request)
{
	static const int plain[NR_COLUMNS] = { 1, 2, 3, 0 };
	const char *at = line;
	uint64_t bytes = 0;
	unsigned int found = 0;
	int column;

	if (!r->lines) {
		if (read_header(line, r->columns))
			return TRACE_NOTHING;
		memcpy(r->columns, plain, sizeof(plain));
		r->version = 1;
	}
	for (column = 1; ; column++) {
		size_t len = field_len(at);
		const char *end = at + len, *field = at;

		if (column == r->columns[TIME]) {
			if (!scan_seconds(&at, &request->time_ns) || at != end)
				return trace_bad(r, field, "expected a time in seconds, found \"%.40s\"", field);
			found++;
		} else if (column == r->columns[OBJECT]) {
			if (!scan_number(&at, TRACE_MAX_SECTORS, &request->sector) || at != end)
				return trace_bad(r, field, "expected a sector up to %llu, found \"%.40s\"",
						 TRACE_MAX_SECTORS, field);
			found++;
		} else if (column == r->columns[SIZE]) {
			if (!scan_number(&at, UINT32_MAX, &bytes) || !bytes || at != end)
				return trace_bad(r, field, "expected a size from 1 to %u bytes, found \"%.40s\"",
						 UINT32_MAX, field);
			found++;
		} else if (column == r->columns[OP] && !take_op(at, len, request)) {
			return trace_bad(r, field, "expected an operation, found \"%.40s\"", field);
		}
		at = end;
		if (!*at)
			break;
		at++;
	}
	if (found < 3 || (r->version && column > 3))
		return trace_bad(r, at, "expected %s columns, found %d",
				 r->version ? "three" : "more", column);
	request->nr_sectors = trace_sectors_of(bytes);
	return TRACE_REQUEST;
}

const struct trace_format trace_format_libcachesim_csv = {
	.name = "libcachesim-csv",
	.title = "CSV of libCacheSim",
	.wants = "time_s,sector,bytes, or a header",
	.starts = csv_starts,
	.line = csv_line,
};
