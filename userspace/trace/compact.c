// SPDX-License-Identifier: GPL-2.0
/*
 * Leaves out what a trace does not touch: addresses are divided into extents of 1 MiB, and those that no read or write touches are
 * dropped. Pages and blocks of the papers' sizes stay whole and side by side.
 */
#include <stdlib.h>
#include "../common/memory.h"
#include "compact.h"

#define EXTENT_SECTORS	2048u

/**
 * struct trace_compact - the extents that are left
 * @extents: their numbers
 * @nr: how many; until trace_compact_end() in any order, and some of them twice
 * @room: of @extents
 */
struct trace_compact {
	uint64_t *extents;
	size_t nr;
	size_t room;
};

struct trace_compact *trace_compact_begin(void)
{
	return xcalloc(1, sizeof(struct trace_compact));
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void sort(struct trace_compact *compact)
{
	size_t i, kept = 0;

	qsort(compact->extents, compact->nr, sizeof(*compact->extents), compare);
	for (i = 0; i < compact->nr; i++)
		if (!kept || compact->extents[i] != compact->extents[kept - 1])
			compact->extents[kept++] = compact->extents[i];
	compact->nr = kept;
}

static void make_room(struct trace_compact *compact)
{
	if (compact->nr < compact->room)
		return;
	if (compact->nr)
		sort(compact);
	if (compact->nr < compact->room / 2)
		return;
	compact->room = compact->room ? 2 * compact->room : 1024;
	compact->extents = xrealloc(compact->extents, compact->room, sizeof(*compact->extents));
}

/**
 * trace_compact_add() - keep the extents of a request
 * @compact: changed
 * @request: a discard keeps none
 */
void trace_compact_add(struct trace_compact *compact, const struct trace_request *request)
{
	uint64_t extent, last;

	if (request->op != TRACE_READ && request->op != TRACE_WRITE)
		return;
	last = (request->sector + request->nr_sectors - 1) / EXTENT_SECTORS;
	for (extent = request->sector / EXTENT_SECTORS; extent <= last; extent++) {
		if (compact->nr && compact->extents[compact->nr - 1] == extent)
			continue;
		make_room(compact);
		compact->extents[compact->nr++] = extent;
	}
}

/**
 * trace_compact_end() - all requests have been added
 * @compact: changed
 */
void trace_compact_end(struct trace_compact *compact)
{
	if (compact->nr)
		sort(compact);
}

/* Where a sector is, or, if its extent is dropped, where the next one is that is left. */
static uint64_t place(const struct trace_compact *compact, uint64_t sector)
{
	uint64_t extent = sector / EXTENT_SECTORS;
	size_t low = 0, high = compact->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compact->extents[middle] < extent)
			low = middle + 1;
		else
			high = middle;
	}
	return low * EXTENT_SECTORS + (low < compact->nr && compact->extents[low] == extent ? sector % EXTENT_SECTORS : 0);
}

/**
 * trace_compact() - move a request
 * @compact: extents
 * @request: changed
 *
 * Return: false for a discard of which nothing is left.
 */
bool trace_compact(const struct trace_compact *compact, struct trace_request *request)
{
	uint64_t start, end;

	if (!request->nr_sectors)
		return true;
	start = place(compact, request->sector);
	end = place(compact, request->sector + request->nr_sectors);
	request->sector = start;
	request->nr_sectors = end - start;
	return end > start;
}

/* Size of the smallest device that holds all, and is not empty. */
uint64_t trace_compact_sectors(const struct trace_compact *compact)
{
	return (compact->nr ? compact->nr : 1) * EXTENT_SECTORS;
}

void trace_compact_free(struct trace_compact *compact)
{
	if (compact)
		free(compact->extents);
	free(compact);
}
