// SPDX-License-Identifier: GPL-2.0
/*
 * The set of pages touched: a hash table with open addressing, one slot per page.
 */
#include <stdlib.h>
#include <string.h>
#include "pages.h"

/* The fuzzers start with less. */
#ifndef FIRST_ROOM
#define FIRST_ROOM	(1u << 16)
#endif
#define HASH_FACTOR	0x9e3779b97f4a7c15ULL

/* @seen: a bit per operation; 0: the slot is empty. */
struct slot {
	uint64_t page;
	uint8_t seen;
};

struct set {
	struct slot *slots;
	size_t nr;
	size_t room;	/* a power of two */
};

static struct slot *find(const struct set *set, uint64_t page)
{
	size_t at = (page * HASH_FACTOR >> 20) & (set->room - 1);

	while (set->slots[at].seen && set->slots[at].page != page)
		at = (at + 1) & (set->room - 1);
	return &set->slots[at];
}

static void grow(struct set *set)
{
	struct set old = *set;
	size_t i;

	set->room = old.room ? 2 * old.room : FIRST_ROOM;
	set->slots = xcalloc(set->room, sizeof(*set->slots));
	for (i = 0; i < old.room; i++)
		if (old.slots[i].seen)
			*find(set, old.slots[i].page) = old.slots[i];
	free(old.slots);
}

static void touch(struct page_counts *counts, struct set *set, uint64_t page, enum trace_op op)
{
	struct slot *slot;
	uint8_t bit = 1u << op;

	if (2 * set->nr >= set->room)
		grow(set);
	slot = find(set, page);
	counts->accesses[op]++;
	if (slot->seen) {
		counts->reused[op]++;
	} else {
		slot->page = page;
		set->nr++;
		counts->both++;
	}
	if (!(slot->seen & bit))
		counts->footprint[op]++;
	else if (op == TRACE_WRITE)
		counts->overwritten++;
	slot->seen |= bit;
}

/**
 * page_counts_take() - count the page accesses of a trace's reads and writes
 * @counts: result
 * @trace: trace
 */
void page_counts_take(struct page_counts *counts, const struct trace *trace)
{
	struct set set = {};
	size_t i;

	memset(counts, 0, sizeof(*counts));
	for (i = 0; i < trace->nr; i++) {
		const struct trace_request *request = &trace->requests[i];
		uint64_t page = request->sector / TRACE_PAGE_SECTORS;
		uint64_t end = request->sector + request->nr_sectors;

		if (request->op != TRACE_READ && request->op != TRACE_WRITE)
			continue;
		for (; page * TRACE_PAGE_SECTORS < end; page++)
			touch(counts, &set, page, request->op);
	}
	free(set.slots);
}
