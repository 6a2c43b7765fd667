// SPDX-License-Identifier: GPL-2.0
/*
 * libCacheSim's oracleGeneral: records of 24 bytes in little-endian order,
 *
 *	uint32 time, uint64 object, uint32 size, int64 next access
 *
 * time is in seconds; of a block trace, the object is a sector and the size is in bytes. There are no
 * operations, so all requests are reads. Source: oracleGeneralBin.h of libCacheSim.
 *
 * To libCacheSim an object is a name: a request hits if that name is cached, whatever its size, and takes the
 * size in bytes if not; objects that overlap as ranges of sectors share nothing. Here requests are ranges of
 * sectors. A trace made with "traceConv --remove-size-change", as libCacheSim's sample is, has for all
 * requests of an object the size of the first one.
 */
#include <inttypes.h>
#include "reader.h"
#include "record.h"
#include "scan.h"

#define RECORD_BYTES	24u
#define MAX_SIZE	(1u << 30)	/* of a plausible request */

/* Times do not go back, sizes are plausible, and the next access is later or never. */
static unsigned int oracle_detect(const uint8_t *bytes, size_t size, bool all)
{
	unsigned int nr = size / RECORD_BYTES, i;
	uint32_t before = 0;

	if (!nr || (all && size % RECORD_BYTES))
		return 0;
	for (i = 0; i < nr; i++, bytes += RECORD_BYTES) {
		int64_t next = record_le64(bytes + 16);

		if (record_le32(bytes) < before || !record_le32(bytes + 12) || record_le32(bytes + 12) > MAX_SIZE ||
		    record_le64(bytes + 4) > TRACE_MAX_SECTORS || next < -2 || (next >= 0 && next <= i))
			return 0;
		before = record_le32(bytes);
	}
	return nr;
}

static enum trace_found oracle_next(struct trace_reader *r, struct trace_request *request)
{
	size_t got;
	const uint8_t *at = trace_input_record(&r->in, RECORD_BYTES, &got);
	uint32_t bytes;

	if (!got)
		return TRACE_END;
	if (got < RECORD_BYTES)
		return trace_bad(r, NULL, "a record that is cut off: %zu bytes of %u", got, RECORD_BYTES);
	bytes = record_le32(at + 12);
	request->time_ns = (uint64_t)record_le32(at) * SCAN_NS_PER_S;
	request->sector = record_le64(at + 4);
	request->op = TRACE_READ;
	request->nr_sectors = trace_sectors_of(bytes);
	if (request->sector > TRACE_MAX_SECTORS)
		return trace_bad(r, NULL, "expected a sector up to %llu, found %" PRIu64,
				 TRACE_MAX_SECTORS, request->sector);
	if (!bytes)
		return trace_bad(r, NULL, "expected a size from 1 to %u bytes, found 0", UINT32_MAX);
	return TRACE_REQUEST;
}

const struct trace_format trace_format_oracle_general = {
	.name = "oracleGeneral",
	.title = "oracleGeneral of libCacheSim",
	.wants = "records of 24 bytes",
	.detect = oracle_detect,
	.next = oracle_next,
};
