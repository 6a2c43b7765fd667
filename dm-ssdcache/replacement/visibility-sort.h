/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sorts the new pages of a visibility graph by page number, in bounded steps.
 *
 * The records are the last ones of two arrays that have room for all frames. If another place has
 * room for the same number of records, they are distributed by digits of the page number, from the
 * lowest digit to the highest, to that place and back. Such a place is in front of the records if
 * at most half of all pages are new, or in the arrays of the current graph if it is empty.
 * Otherwise, a heap sort is used, which needs no room but seven times as many instructions.
 *
 * The caller holds the engine's lock.
 */
#ifndef SSDC_VISIBILITY_SORT_H
#define SSDC_VISIBILITY_SORT_H

#include <linux/types.h>
#include "../base/types.h"

/* Longest digit: two passes sort pages within 16 GiB of 4 KiB pages. */
#define VG_DIGIT_BITS 11

enum vg_sort_stage {
	VG_HEAP,	/* build the heap, then take the largest page off it, again and again */
	VG_COUNT,	/* count the records of each digit */
	VG_PLACE,	/* counts -> place of the first record of each digit */
	VG_DISTRIBUTE,	/* move the records to their places */
	VG_SORTED,
};

/* Page numbers, and the frames of the pages: an entry's page changes once the page has left. */
struct vg_records {
	u64 *pages;
	ssdc_frame_t *frames;
};

/**
 * struct vg_sort - the sort of one build
 * @end: end of the records
 * @nr: number of records
 * @differ: bits in which page numbers differ
 * @stage: what the next step does
 * @cursor: progress in the stage
 * @from: the records in this pass
 * @to: destination of the records
 * @passes: passes to do after this one
 * @shift: lowest bit of the digit of this pass
 * @bits: length of a digit
 * @place: VG_PLACE: place of the records of the next digit
 * @places: by digit: number of records; later the place of the next record
 */
struct vg_sort {
	struct vg_records end;
	u32 nr;
	u64 differ;
	enum vg_sort_stage stage;
	u32 cursor;
	struct vg_records from;
	struct vg_records to;
	u32 passes;
	u32 shift;
	u32 bits;
	u32 place;
	u32 places[1 << VG_DIGIT_BITS];
};

void vg_sort_begin(struct vg_sort *s, const struct vg_records *room);
bool vg_sort_step(struct vg_sort *s);

/* The @nr records that end where the records of @end begin. */
static inline struct vg_records vg_records_before(struct vg_records end, u32 nr)
{
	return (struct vg_records){ .pages = end.pages - nr, .frames = end.frames - nr };
}

/* Add a record before vg_sort_begin(). */
static inline void vg_sort_add(struct vg_sort *s, u64 page, ssdc_frame_t frame)
{
	struct vg_records at = vg_records_before(s->end, ++s->nr);

	*at.pages = page;
	*at.frames = frame;
	s->differ |= page ^ s->end.pages[-1];
}

#endif /* SSDC_VISIBILITY_SORT_H */
