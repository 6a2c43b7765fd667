// SPDX-License-Identifier: GPL-2.0
/*
 * Checks the data of reads. Recorded times enclose the real ones (the start is at or before the real
 * start, the end at or after the real end), so right data are never called wrong, however requests
 * overlap.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "replay.h"

#define UNKNOWN		UINT64_MAX
#define MAX_TOLD	5

/* An element per sector of the device; the kernel allocates only the pages touched. */
static void *sector_array(size_t nr, size_t size)
{
	void *array = mmap(NULL, nr * size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (array == MAP_FAILED)
		die(TOOL_FAILED, "no memory to verify %zu sectors", nr);
	return array;
}

void verifier_open(struct verifier *verifier, const struct trace *trace, uint64_t device_sectors)
{
	size_t i;

	verifier->device_sectors = device_sectors;
	verifier->newest = sector_array(device_sectors, sizeof(*verifier->newest));
	verifier->written = sector_array(device_sectors, sizeof(*verifier->written));
	verifier->writes = sector_array(device_sectors, sizeof(*verifier->writes));
	verifier->discarded = sector_array(device_sectors, sizeof(*verifier->discarded));
	verifier->discards = sector_array(device_sectors, sizeof(*verifier->discards));
	verifier->start_ns = xcalloc(trace->nr, sizeof(uint64_t));
	verifier->end_ns = xcalloc(trace->nr, sizeof(uint64_t));
	for (i = 0; i < trace->nr; i++)
		verifier->end_ns[i] = UNKNOWN;
}

void verifier_close(struct verifier *verifier)
{
	munmap(verifier->newest, verifier->device_sectors * sizeof(*verifier->newest));
	munmap(verifier->written, verifier->device_sectors * sizeof(*verifier->written));
	munmap(verifier->writes, verifier->device_sectors * sizeof(*verifier->writes));
	munmap(verifier->discarded, verifier->device_sectors * sizeof(*verifier->discarded));
	munmap(verifier->discards, verifier->device_sectors * sizeof(*verifier->discards));
	free(verifier->start_ns);
	free(verifier->end_ns);
}

/**
 * verifier_starts() - a request is about to be handed to the kernel
 * @replay: replay
 * @slot: the request's slot
 * @start_ns: it will not start before this
 */
void verifier_starts(struct replay *replay, struct slot *slot, uint64_t start_ns)
{
	const struct trace_request *request = &replay->trace.requests[slot->request];
	struct verifier *verifier = &replay->verifier;
	uint32_t i;

	verifier->start_ns[slot->request] = start_ns;
	for (i = 0; request->op == TRACE_WRITE && i < request->nr_sectors; i++)
		verifier->writes[request->sector + i]++;
	for (i = 0; request->op == TRACE_DISCARD && i < request->nr_sectors; i++) {
		verifier->discards[request->sector + i]++;
		verifier->discarded[request->sector + i] = UNKNOWN;
	}
	if (request->op != TRACE_READ)
		return;
	slot->known = xrealloc(slot->known, request->nr_sectors, sizeof(uint64_t));
	for (i = 0; i < request->nr_sectors; i++)
		slot->known[i] = verifier->newest[request->sector + i];
}

static bool covers(const struct trace_request *request, uint64_t sector)
{
	return sector >= request->sector && sector - request->sector < request->nr_sectors;
}

/* May a sector hold what request number @sequence wrote, if writes that began at @known ended? */
static bool may_hold(const struct replay *replay, uint64_t sequence, uint64_t sector,
		     uint64_t known)
{
	const struct trace_request *request;

	if (sequence > replay->trace.nr || !replay->verifier.start_ns[sequence - 1])
		return false;
	request = &replay->trace.requests[sequence - 1];
	return request->op == TRACE_WRITE && covers(request, sector) &&
	       replay->verifier.end_ns[sequence - 1] >= known;
}

/* Since the reader started, was a write in flight? Then a sector may be half old and half new. */
static bool being_written(const struct verifier *verifier, uint64_t sector, size_t reader)
{
	return verifier->writes[sector] || verifier->written[sector] >= verifier->start_ns[reader];
}

static void check_sector(struct replay *replay, const struct slot *slot, uint32_t at)
{
	struct verifier *verifier = &replay->verifier;
	uint64_t sector = replay->trace.requests[slot->request].sector + at;
	uint64_t known = slot->known[at];
	uint64_t sequence = pattern_check((char *)slot->buffer + at * TRACE_SECTOR_BYTES, sector,
					  replay->seed);

	verifier->sectors++;
	/* No write is known to have ended, or a discard followed it. */
	if (!known || verifier->discarded[sector] >= known)
		return;
	if (sequence ? may_hold(replay, sequence, sector, known) :
		       being_written(verifier, sector, slot->request))
		return;
	if (verifier->bad++ >= MAX_TOLD)
		return;
	if (sequence)
		warn("request %zu: sector %" PRIu64 " holds what request %" PRIu64 " wrote, but newer data were written",
		     slot->request + 1, sector, sequence);
	else
		warn("request %zu: sector %" PRIu64 " holds nothing that was written there",
		     slot->request + 1, sector);
}

static void write_ended(struct verifier *verifier, uint64_t sector, uint64_t start_ns, uint64_t end_ns)
{
	verifier->writes[sector]--;
	verifier->written[sector] = end_ns;
	if (start_ns > verifier->newest[sector])
		verifier->newest[sector] = start_ns;
}

/* While another discard is in flight, the end of a sector's last discard is unknown. */
static void discard_ended(struct verifier *verifier, uint64_t sector, uint64_t end_ns, bool failed)
{
	if (!--verifier->discards[sector] && !failed)
		verifier->discarded[sector] = end_ns;
}

/**
 * verifier_ends() - a request has ended
 * @replay: replay
 * @slot: the request's slot
 * @end_ns: it ended before this
 * @failed: its effect is unknown
 */
void verifier_ends(struct replay *replay, struct slot *slot, uint64_t end_ns, bool failed)
{
	const struct trace_request *request = &replay->trace.requests[slot->request];
	struct verifier *verifier = &replay->verifier;
	uint64_t start_ns = verifier->start_ns[slot->request];
	uint32_t i;

	if (!failed)
		verifier->end_ns[slot->request] = end_ns;
	for (i = 0; i < request->nr_sectors; i++) {
		if (request->op == TRACE_DISCARD)
			discard_ended(verifier, request->sector + i, end_ns, failed);
		else if (request->op == TRACE_WRITE && !failed)
			write_ended(verifier, request->sector + i, start_ns, end_ns);
		else if (request->op == TRACE_READ && !failed)
			check_sector(replay, slot, i);
	}
}
