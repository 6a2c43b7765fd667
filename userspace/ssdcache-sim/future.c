// SPDX-License-Identifier: GPL-2.0
/*
 * The future uses of each page, for the policy opt.
 *
 *	pages	[ first, at, end ]  [ first, at, end ] ...	a page each
 *		     \	  \			 `-> next page's events
 *	events	     [ 3   17   17   40D   52 ]			numbers of records
 *
 * A page's `at` only moves forward, like time, so all queries together cost one pass over the events.
 * A page discarded before its next use has no next use: its data would be gone.
 */
#include <stdlib.h>
#include <string.h>
#include "future.h"
#include "number-set.h"

#define SIM_DISCARDED	0x80000000u
#define MAX_RECORDS	(SIM_DISCARDED - 1)

struct sim_page_future {
	u64 page;
	u64 at;
	u64 end;
	bool mark;	/* for the policy */
};

static u64 first_page(const struct sim_record *record, unsigned int shift)
{
	return record->sector >> shift;
}

static u64 last_page(const struct sim_record *record, unsigned int shift)
{
	return (record->sector + record->nr_sectors - 1) >> shift;
}

static bool is_access(const struct sim_record *record)
{
	return record->op == SSDC_READ || record->op == SSDC_WRITE;
}

/* All pages read or written, in ascending order; no others are ever cached. */
static size_t find_pages(struct sim_future *future, const struct sim_workload *workload,
			 unsigned int shift)
{
	size_t nr = 0, room = 0, i;
	u64 page;

	for (i = 0; i < workload->nr; i++) {
		const struct sim_record record = sim_request(workload, i);

		if (!is_access(&record))
			continue;
		for (page = first_page(&record, shift); page <= last_page(&record, shift); page++) {
			u64 *place = sector_map_at(&future->places, page);

			if (*place)
				continue;
			*place = 1;
			if (nr == room) {
				room = room ? 2 * room : 4096;
				future->pages = xrealloc(future->pages, room,
							 sizeof(*future->pages));
			}
			future->pages[nr++] = (struct sim_page_future){ .page = page };
		}
	}
	return nr;
}

static int compare_pages(const void *a, const void *b)
{
	u64 x = ((const struct sim_page_future *)a)->page;
	u64 y = ((const struct sim_page_future *)b)->page;

	return x < y ? -1 : x > y;
}

static void place_pages(struct sim_future *future, size_t nr)
{
	size_t i;

	/* A trace without reads and writes has no pages, and no memory for them. */
	if (nr)
		qsort(future->pages, nr, sizeof(*future->pages), compare_pages);
	for (i = 0; i < nr; i++)
		*sector_map_at(&future->places, future->pages[i].page) = i + 1;
}

static struct sim_page_future *page_future(struct sim_future *future, u64 page)
{
	return &future->pages[sector_map_get(&future->places, page) - 1];
}

/* First pass: count events. Second pass: store them. */
static void add_event(struct sim_future *future, struct sim_page_future *page, u32 event)
{
	if (future->events)
		future->events[page->end] = event;
	page->end++;
}

/* The first page from @from on that the workload uses. */
static size_t find_place(const struct sim_future *future, size_t nr, u64 from)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (future->pages[middle].page < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The pages from the result up to @end. Of other pages a discard leaves some data. */
static u64 discarded_pages(const struct sim_future *future, const struct sim_record *record,
			   unsigned int shift, u64 *end)
{
	u64 sector = record->sector, nr_sectors = record->nr_sectors;

	*end = 0;
	if (!ssdc_narrow_discard(&sector, &nr_sectors, future->discard_sectors, 0))
		return 0;
	*end = (sector + nr_sectors) >> shift;
	return (sector + (1u << shift) - 1) >> shift;
}

static void each_discarded(struct sim_future *future, size_t nr, const struct sim_record *record,
			   unsigned int shift, u32 event)
{
	u64 end, from = discarded_pages(future, record, shift, &end);
	size_t i;

	for (i = find_place(future, nr, from); i < nr && future->pages[i].page < end; i++)
		add_event(future, &future->pages[i], event | SIM_DISCARDED);
}

static void each_event(struct sim_future *future, size_t nr, const struct sim_workload *workload,
		       unsigned int shift, bool reads)
{
	u64 page;
	size_t i;

	for (i = 0; i < workload->nr; i++) {
		const struct sim_record record = sim_request(workload, i);

		if (record.op == SSDC_DISCARD)
			each_discarded(future, nr, &record, shift, i);
		else if (record.op == SSDC_WRITE || (record.op == SSDC_READ && reads))
			for (page = first_page(&record, shift); page <= last_page(&record, shift);
			     page++)
				add_event(future, page_future(future, page), i);
	}
}

/* Turn the counts of events into start indexes. Returns the total. */
static u64 place_events(struct sim_future *future, size_t nr)
{
	u64 at = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		u64 count = future->pages[i].end;

		future->pages[i].at = at;
		future->pages[i].end = at;
		at += count;
	}
	return at;
}

/**
 * sim_future_create() - read a workload ahead
 * @future: result, all zero
 * @workload: records; time starts before the first one
 * @page_shift: log2 of the sectors of a page
 * @reads: does a read count as a use? Otherwise only writes do
 * @discard_sectors: discards are narrowed to multiples of it
 */
void sim_future_create(struct sim_future *future, const struct sim_workload *workload,
		       unsigned int page_shift, bool reads, u32 discard_sectors)
{
	size_t nr;
	u64 events;

	if (workload->nr > MAX_RECORDS)
		die(TOOL_BAD_USAGE, "opt: more than %u requests", MAX_RECORDS);
	future->discard_sectors = discard_sectors;
	nr = find_pages(future, workload, page_shift);
	future->nr_pages = nr;
	place_pages(future, nr);
	each_event(future, nr, workload, page_shift, reads);
	events = place_events(future, nr);
	future->events = xmalloc((events + 1) * sizeof(*future->events));
	each_event(future, nr, workload, page_shift, reads);
	future->bytes = nr * sizeof(*future->pages) + events * sizeof(*future->events) +
			((u64)sizeof(*future->places.slots) << future->places.bits);
}

/**
 * sim_future_next() - when is a page used next, after now?
 * @future: future
 * @page: a page that the workload reads or writes
 *
 * Return: the number of the record, SIM_NEVER_USED if there is none.
 */
u32 sim_future_next(struct sim_future *future, u64 page)
{
	struct sim_page_future *known = page_future(future, page);
	u32 event;

	for (; known->at < known->end; known->at++) {
		event = future->events[known->at];
		if ((event & ~SIM_DISCARDED) > future->now)
			return event & SIM_DISCARDED ? SIM_NEVER_USED : event;
	}
	return SIM_NEVER_USED;
}

/**
 * sim_future_mark() - a flag of a page, for the policy; false at first
 * @future: future
 * @page: any page
 *
 * Return: where it is; NULL for a page that the workload neither reads nor writes.
 */
bool *sim_future_mark(struct sim_future *future, u64 page)
{
	u64 place = sector_map_get(&future->places, page);

	return place ? &future->pages[place - 1].mark : NULL;
}

static u64 count_accesses(const struct sim_workload *workload, unsigned int shift)
{
	u64 nr = 0;
	size_t i;

	for (i = 0; i < workload->nr; i++) {
		const struct sim_record record = sim_request(workload, i);

		if (is_access(&record))
			nr += last_page(&record, shift) - first_page(&record, shift) + 1;
	}
	return nr;
}

/* Of each page access, in order, the number of the next one to the same page, from 1; 0: none, or the page is discarded before. */
static u32 *next_accesses(struct sim_future *future, const struct sim_workload *workload, unsigned int shift, u32 nr)
{
	u32 *next = xcalloc((size_t)nr + 1, sizeof(*next)), *last = xcalloc(future->nr_pages + 1, sizeof(*last));
	size_t i = workload->nr, place;
	u64 page;

	while (i--) {
		const struct sim_record record = sim_request(workload, i);

		if (record.op == SSDC_DISCARD) {
			u64 end, from = discarded_pages(future, &record, shift, &end);

			place = find_place(future, future->nr_pages, from);
			for (; place < future->nr_pages && future->pages[place].page < end; place++)
				last[place] = 0;
		}
		if (!is_access(&record))
			continue;
		for (page = last_page(&record, shift) + 1; page-- > first_page(&record, shift);) {
			place = sector_map_get(&future->places, page) - 1;
			next[--nr] = last[place];
			last[place] = nr + 1;
		}
	}
	free(last);
	return next;
}

/**
 * sim_future_bound() - how many page accesses can hit at most, whoever chooses which pages are in DRAM
 * @future: future
 * @workload: the same requests
 * @page_shift: log2 of the sectors of a page
 * @frames: pages that DRAM holds
 *
 * [Belady66] page by page, where a page may also pass by DRAM: of all pages and the new one, those stay whose next access is first.
 * A policy that evicts for a request of several pages at once, or lets every page enter, has at most as many hits.
 *
 * Return: hits; 0 if there are too many accesses to tell.
 */
u64 sim_future_bound(struct sim_future *future, const struct sim_workload *workload, unsigned int page_shift,
		     u32 frames)
{
	u64 nr = count_accesses(workload, page_shift), hits = 0;
	struct number_set cached = {};	/* the next accesses of the pages in DRAM */
	u32 *next, i, used = 0, furthest;

	if (!nr || nr >= U32_MAX - 1)
		return 0;
	next = next_accesses(future, workload, page_shift, nr);
	number_set_create(&cached, nr + 1);
	for (i = 0; i < nr; i++) {
		if (number_set_has(&cached, i + 1)) {
			number_set_remove(&cached, i + 1);
			used--;
			hits++;
		}
		if (!next[i])
			continue;
		if (used == frames) {
			furthest = number_set_highest(&cached, nr);
			if (furthest < next[i])
				continue;
			number_set_remove(&cached, furthest);
			used--;
		}
		number_set_add(&cached, next[i]);
		used++;
	}
	number_set_free(&cached);
	free(next);
	return hits;
}

void sim_future_free(struct sim_future *future)
{
	sector_map_free(&future->places);
	free(future->pages);
	free(future->events);
}
