// SPDX-License-Identifier: GPL-2.0
/*
 * VMware's vscsi traces, as libCacheSim reads them: records in little-endian order,
 *
 *	version 1: uint32 serial, length, segments, uint16 command, version, uint64 sector, time
 *	version 2: uint16 command, version, uint32 serial, length, segments, uint64 sector, time, response
 *
 * The high byte of the field "version" is the version. length is in bytes, time in us; command is the
 * SCSI command: reads, writes, UNMAP and WRITE SAME (a discard) and SYNCHRONIZE CACHE (a FLUSH) count.
 * Source: vscsi.h of libCacheSim.
 */
#include <inttypes.h>
#include "reader.h"
#include "record.h"
#include "scan.h"

/* Places of the fields. */
struct layout {
	unsigned int bytes, command, version, length, sector, time;
};

static const struct layout layouts[] = {
	[1] = { .bytes = 32, .length = 4, .command = 12, .version = 14, .sector = 16, .time = 24 },
	[2] = { .bytes = 40, .command = 0, .version = 2, .length = 8, .sector = 16, .time = 24 },
};

/* A version by what the first records have where it would be; 0: neither. */
static unsigned int version_of(const uint8_t *bytes, size_t size, bool all)
{
	unsigned int version;

	for (version = 1; version <= 2; version++) {
		const struct layout *layout = &layouts[version];
		size_t at = 0;

		while (at + layout->bytes <= size && record_le16(bytes + at + layout->version) >> 8 == version)
			at += layout->bytes;
		/* Of two records, the second may be cut off. */
		if (at && at + layout->bytes > size && (!all || at == size || at > layout->bytes))
			return version;
	}
	return 0;
}

static unsigned int vscsi_detect(const uint8_t *bytes, size_t size, bool all)
{
	unsigned int version = version_of(bytes, size, all);

	return version ? size / layouts[version].bytes : 0;
}

/* Returns false for a command that is no request. */
static bool take_command(unsigned int command, struct trace_request *request)
{
	switch (command) {
	case 0x08:	/* READ (6), (10), (12), (16) */
	case 0x28:
	case 0xa8:
	case 0x88:
		request->op = TRACE_READ;
		return true;
	case 0x0a:	/* WRITE */
	case 0x2a:
	case 0xaa:
	case 0x8a:
		request->op = TRACE_WRITE;
		return true;
	case 0x41:	/* WRITE SAME (10), (16), UNMAP */
	case 0x93:
	case 0x42:
		request->op = TRACE_DISCARD;
		return true;
	case 0x35:	/* SYNCHRONIZE CACHE (10), (16) */
	case 0x91:
		request->op = TRACE_FLUSH;
		return true;
	}
	return false;
}

static enum trace_found vscsi_next(struct trace_reader *r, struct trace_request *request)
{
	const struct layout *layout;
	const uint8_t *at;
	uint32_t bytes;
	uint64_t us;
	size_t got;

	if (!r->version) {
		at = trace_input_record(&r->in, layouts[2].bytes, &got);
		r->version = got == layouts[2].bytes && record_le16(at + layouts[2].version) >> 8 == 2 ? 2 : 1;
		trace_input_back(&r->in, got);
	}
	layout = &layouts[r->version];
	at = trace_input_record(&r->in, layout->bytes, &got);
	if (!got)
		return TRACE_END;
	if (got < layout->bytes)
		return trace_bad(r, NULL, "a record that is cut off: %zu bytes of %u", got, layout->bytes);
	if (record_le16(at + layout->version) >> 8 != r->version)
		return trace_bad(r, NULL, "expected version %u, found %u", r->version,
				 record_le16(at + layout->version) >> 8);
	if (!take_command(record_le16(at + layout->command), request))
		return TRACE_NOTHING;
	us = record_le64(at + layout->time);
	if (us > UINT64_MAX / SCAN_NS_PER_US)
		return trace_bad(r, NULL, "expected a time in us below 2^64 ns, found %" PRIu64, us);
	request->time_ns = us * SCAN_NS_PER_US;
	if (request->op == TRACE_FLUSH)
		return TRACE_REQUEST;
	bytes = record_le32(at + layout->length);
	if (!bytes)
		return TRACE_NOTHING;
	request->sector = record_le64(at + layout->sector);
	if (request->sector > TRACE_MAX_SECTORS)
		return trace_bad(r, NULL, "expected a sector up to %llu, found %" PRIu64,
				 TRACE_MAX_SECTORS, request->sector);
	request->nr_sectors = trace_sectors_of(bytes);
	return TRACE_REQUEST;
}

const struct trace_format trace_format_vscsi = {
	.name = "vscsi",
	.title = "a vscsi trace",
	.wants = "records of 32 or 40 bytes",
	.detect = vscsi_detect,
	.next = vscsi_next,
};
