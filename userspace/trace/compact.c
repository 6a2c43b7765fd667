// SPDX-License-Identifier: GPL-2.0
/*
 * Leaves out what a trace does not touch: addresses are divided into extents of 1 MiB, and those that no read or write touches are
 * dropped. Pages and blocks of the papers' sizes stay whole and side by side.
 */
#include <stdlib.h>
#include "../common/memory.h"
#include "compact.h"

#define EXTENT_SECTORS	2048u

/* The fuzzers start with fewer. */
#ifndef FIRST_RANGES
#define FIRST_RANGES	1024u
#endif

/**
 * struct range - extents side by side: a request may touch millions
 * @first: number of the first one
 * @end: number of the one after the last
 * @before: how many extents are left before @first; set by trace_compact_end()
 */
struct range {
	uint64_t first;
	uint64_t end;
	uint64_t before;
};

/**
 * struct trace_compact - the extents that are left
 * @ranges: of extents; until trace_compact_end() in any order, and some extents in several
 * @nr: how many ranges
 * @room: of @ranges
 */
struct trace_compact {
	struct range *ranges;
	size_t nr;
	size_t room;
};

struct trace_compact *trace_compact_begin(void)
{
	return xcalloc(1, sizeof(struct trace_compact));
}

static int compare(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* Add @more to @range if no extent is between them. */
static bool join(struct range *range, const struct range *more)
{
	if (more->first > range->end || more->end < range->first)
		return false;
	if (more->first < range->first)
		range->first = more->first;
	if (more->end > range->end)
		range->end = more->end;
	return true;
}

static void sort(struct trace_compact *compact)
{
	size_t i, kept = 0;

	qsort(compact->ranges, compact->nr, sizeof(*compact->ranges), compare);
	for (i = 0; i < compact->nr; i++)
		if (!kept || !join(&compact->ranges[kept - 1], &compact->ranges[i]))
			compact->ranges[kept++] = compact->ranges[i];
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
	compact->room = compact->room ? 2 * compact->room : FIRST_RANGES;
	compact->ranges = xrealloc(compact->ranges, compact->room, sizeof(*compact->ranges));
}

/**
 * trace_compact_add() - keep the extents of a request
 * @compact: changed
 * @request: a discard keeps none
 */
void trace_compact_add(struct trace_compact *compact, const struct trace_request *request)
{
	struct range range;

	if (request->op != TRACE_READ && request->op != TRACE_WRITE)
		return;
	range.first = request->sector / EXTENT_SECTORS;
	range.end = (request->sector + request->nr_sectors - 1) / EXTENT_SECTORS + 1;
	range.before = 0;
	if (compact->nr && join(&compact->ranges[compact->nr - 1], &range))
		return;
	make_room(compact);
	compact->ranges[compact->nr++] = range;
}

/**
 * trace_compact_end() - all requests have been added
 * @compact: changed
 */
void trace_compact_end(struct trace_compact *compact)
{
	uint64_t before = 0;
	size_t i;

	if (compact->nr)
		sort(compact);
	for (i = 0; i < compact->nr; i++) {
		compact->ranges[i].before = before;
		before += compact->ranges[i].end - compact->ranges[i].first;
	}
}

/* The number of extents that are left. */
static uint64_t count(const struct trace_compact *compact)
{
	const struct range *last;

	if (!compact->nr)
		return 0;
	last = &compact->ranges[compact->nr - 1];
	return last->before + last->end - last->first;
}

/* Where a sector is, or, if its extent is dropped, where the next one is that is left. */
static uint64_t place(const struct trace_compact *compact, uint64_t sector)
{
	uint64_t extent = sector / EXTENT_SECTORS;
	size_t low = 0, high = compact->nr;
	const struct range *range;

	/* The first range that does not end before the extent. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compact->ranges[middle].end <= extent)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == compact->nr)
		return count(compact) * EXTENT_SECTORS;
	range = &compact->ranges[low];
	if (extent < range->first)
		return range->before * EXTENT_SECTORS;
	return (range->before + extent - range->first) * EXTENT_SECTORS + sector % EXTENT_SECTORS;
}

/**
 * trace_compact() - move a request
 * @compact: the extents that are left
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
	return (compact->nr ? count(compact) : 1) * EXTENT_SECTORS;
}

void trace_compact_free(struct trace_compact *compact)
{
	if (compact)
		free(compact->ranges);
	free(compact);
}
