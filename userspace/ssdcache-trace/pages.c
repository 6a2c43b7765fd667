// SPDX-License-Identifier: GPL-2.0
/*
 * The set of pages touched: a hash table with open addressing, one slot per page.
 */
#include <stdlib.h>
#include "pages.h"

/* The fuzzers start with less. */
#ifndef FIRST_ROOM
#define FIRST_ROOM	(1u << 16)
#endif
#define HASH_FACTOR	0x9e3779b97f4a7c15ULL

/**
 * struct page_slot - a page
 * @page: its number
 * @window: of its last access, from 1
 * @seen: a bit for reads and one for writes; 0: the slot is empty
 * @times: accesses, up to PAGES_FREQUENT
 * @beside: a page beside it was touched in @window by another request
 * @counted: as a frequent page that was written
 * @several: two requests or more touched it in @window
 * @request: number of the last request, as far as it fits
 */
struct page_slot {
	uint64_t page;
	uint64_t window : 33;
	uint64_t seen : 2;
	uint64_t times : 2;
	uint64_t beside : 1;
	uint64_t counted : 1;
	uint64_t several : 1;
	uint64_t request : 24;
};

_Static_assert(TRACE_READ < 2 && TRACE_WRITE < 2, "reads and writes have bits in page_slot.seen");

static struct page_slot *find(const struct page_set *set, uint64_t page)
{
	size_t at = (page * HASH_FACTOR >> 20) & (set->room - 1);

	while (set->slots[at].seen && set->slots[at].page != page)
		at = (at + 1) & (set->room - 1);
	return &set->slots[at];
}

static void grow(struct page_set *set)
{
	struct page_set old = *set;
	size_t i;

	set->room = old.room ? 2 * old.room : FIRST_ROOM;
	set->slots = xcalloc(set->room, sizeof(*set->slots));
	for (i = 0; i < old.room; i++)
		if (old.slots[i].seen)
			*find(set, old.slots[i].page) = old.slots[i];
	free(old.slots);
}

static void mark_beside(struct page_counts *counts, struct page_slot *slot)
{
	if (slot->beside)
		return;
	slot->beside = true;
	counts->beside++;
}

/* Did two requests touch @page and that of @slot in its window, one each? Then each is beside the other. */
static void look_beside(struct page_set *set, struct page_slot *slot, uint64_t page)
{
	struct page_slot *other = find(set, page);

	if (!other->seen || other->window != slot->window)
		return;
	if (other->request == slot->request && !other->several && !slot->several)
		return;
	mark_beside(&set->counts, other);
	mark_beside(&set->counts, slot);
}

/* The first access to a page in a window. */
static void enter_window(struct page_set *set, struct page_slot *slot, uint64_t window)
{
	set->counts.windows++;
	set->counts.again += slot->times && slot->window + 1 == window;
	slot->window = window;
	slot->beside = false;
	slot->several = false;
}

static void count_frequent(struct page_counts *counts, struct page_slot *slot)
{
	if (slot->times < PAGES_FREQUENT) {
		slot->times++;
		counts->frequent += slot->times == PAGES_FREQUENT;
	}
	if (slot->times == PAGES_FREQUENT && (slot->seen & (1u << TRACE_WRITE)) && !slot->counted) {
		slot->counted = true;
		counts->frequent_written++;
	}
}

static void touch(struct page_set *set, uint64_t page, enum trace_op op, uint64_t window)
{
	struct page_counts *counts = &set->counts;
	struct page_slot *slot;
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
	if (slot->window != window)
		enter_window(set, slot, window);
	else
		slot->several = true;
	slot->request = set->requests;
	if (page)
		look_beside(set, slot, page - 1);
	look_beside(set, slot, page + 1);
	count_frequent(counts, slot);
}

/**
 * page_set_add() - count the page accesses of a request
 * @set: pages, all zero at first
 * @request: request; requests come in order of time
 */
void page_set_add(struct page_set *set, const struct trace_request *request)
{
	uint64_t page = request->sector / TRACE_PAGE_SECTORS;
	uint64_t end = request->sector + request->nr_sectors;
	uint64_t window = request->time_ns / PAGES_WINDOW_NS + 1;

	if (request->op != TRACE_READ && request->op != TRACE_WRITE)
		return;
	set->requests++;
	for (; page * TRACE_PAGE_SECTORS < end; page++)
		touch(set, page, request->op, window);
}

void page_set_free(struct page_set *set)
{
	free(set->slots);
}
