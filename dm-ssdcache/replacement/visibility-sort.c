// SPDX-License-Identifier: GPL-2.0
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/string.h>
#include "visibility-sort.h"

/* Per step: records or digits, or levels of the heap by which records may sink. */
#define STEP_RECORDS	1024u
#define STEP_LEVELS	512u

/* Bits of a page number by which two passes sort. */
#define BITS_PER_ROUND	(2 * VG_DIGIT_BITS)

/**
 * vg_sort_begin() - begin to sort
 * @s: all records have been added; the caller then calls vg_sort_step() until it returns false
 * @room: room for as many records in another place, or NULL
 */
void vg_sort_begin(struct vg_sort *s, const struct vg_records *room)
{
	u32 bits = fls64(s->differ);

	s->cursor = 0;
	s->stage = bits ? VG_HEAP : VG_SORTED;
	s->from = vg_records_before(s->end, s->nr);
	if (!bits || !room)
		return;
	/* An even number of passes, so that the records come back. */
	s->passes = 2 * DIV_ROUND_UP(bits, BITS_PER_ROUND);
	s->bits = DIV_ROUND_UP(bits, s->passes);
	s->shift = 0;
	s->to = *room;
	s->stage = VG_COUNT;
	memset(s->places, 0, sizeof(s->places));
}

/* ---- with room ---- */

/* The end of the step that began at the cursor, at most @all. */
static u32 step_end(const struct vg_sort *s, u32 all)
{
	return s->cursor + min(all - s->cursor, STEP_RECORDS);
}

static u32 mask_of(const struct vg_sort *s)
{
	return (1u << s->bits) - 1;
}

static void count(struct vg_sort *s)
{
	const u64 *pages = s->from.pages;
	u32 shift = s->shift, mask = mask_of(s), end = step_end(s, s->nr), at;

	for (at = s->cursor; at < end; at++)
		s->places[pages[at] >> shift & mask]++;
	s->cursor = end;
	if (end < s->nr)
		return;
	s->stage = VG_PLACE;
	s->cursor = 0;
	s->place = 0;
}

static void place(struct vg_sort *s)
{
	u32 digits = mask_of(s) + 1, end = step_end(s, digits), next = s->place, at;

	for (at = s->cursor; at < end; at++) {
		u32 nr = s->places[at];

		s->places[at] = next;
		next += nr;
	}
	s->place = next;
	s->cursor = end;
	if (end < digits)
		return;
	s->stage = VG_DISTRIBUTE;
	s->cursor = 0;
}

static void distribute(struct vg_sort *s)
{
	const struct vg_records from = s->from, to = s->to;
	u32 shift = s->shift, mask = mask_of(s), end = step_end(s, s->nr), at;

	for (at = s->cursor; at < end; at++) {
		u64 page = from.pages[at];
		u32 place = s->places[page >> shift & mask]++;

		to.pages[place] = page;
		to.frames[place] = from.frames[at];
	}
	s->cursor = end;
	if (end < s->nr)
		return;
	swap(s->from, s->to);
	s->shift += s->bits;
	s->stage = --s->passes ? VG_COUNT : VG_SORTED;
	s->cursor = 0;
	memset(s->places, 0, sizeof(s->places));
}

/* ---- without ---- */

static void move_record(const struct vg_records *records, u32 to, u32 from)
{
	records->pages[to] = records->pages[from];
	records->frames[to] = records->frames[from];
}

/*
 * Heap sort: sift the record at @at down in the heap of the first @nr records. On the way down to a
 * leaf, the larger children move up; then the record climbs from that leaf. The record came from a
 * leaf, so it climbs only a step or two. Comparing the record on the way down would cost an
 * unpredictable branch per level, and take twice the time.
 */
static void sink(const struct vg_records *records, u32 at, u32 nr)
{
	u64 *pages = records->pages, page = pages[at];
	ssdc_frame_t frame = records->frames[at];
	u32 hole = at, child;

	for (child = 2 * hole + 2; child < nr; child = 2 * hole + 2) {
		child -= pages[child - 1] > pages[child];
		move_record(records, hole, child);
		hole = child;
	}
	if (child == nr) {
		move_record(records, hole, child - 1);
		hole = child - 1;
	}
	while (hole > at && pages[(hole - 1) / 2] < page) {
		move_record(records, hole, (hole - 1) / 2);
		hole = (hole - 1) / 2;
	}
	pages[hole] = page;
	records->frames[hole] = frame;
}

/*
 * The first @nr / 2 steps of the cursor build the heap. Each of the next @nr takes off the largest
 * page.
 */
static void heap(struct vg_sort *s)
{
	const struct vg_records *records = &s->from;
	u32 nr = s->nr, half = nr / 2, sinks = STEP_LEVELS / (ilog2(nr) + 1) + 1;

	for (; sinks && s->cursor < half + nr; sinks--, s->cursor++) {
		u32 last = nr - 1 - (s->cursor - half);

		if (s->cursor < half) {
			sink(records, half - 1 - s->cursor, nr);
			continue;
		}
		swap(records->pages[0], records->pages[last]);
		swap(records->frames[0], records->frames[last]);
		sink(records, 0, last);
	}
	if (s->cursor == half + nr)
		s->stage = VG_SORTED;
}

/**
 * vg_sort_step() - do a bounded step
 * @s: the sort
 *
 * Return: true if more steps are due.
 */
bool vg_sort_step(struct vg_sort *s)
{
	switch (s->stage) {
	case VG_HEAP:
		heap(s);
		break;
	case VG_COUNT:
		count(s);
		break;
	case VG_PLACE:
		place(s);
		break;
	case VG_DISTRIBUTE:
		distribute(s);
		break;
	default:
		break;
	}
	return s->stage != VG_SORTED;
}
