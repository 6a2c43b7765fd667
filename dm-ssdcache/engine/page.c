// SPDX-License-Identifier: GPL-2.0
/*
 * The state of one cached page: being filled, flushed, a victim, free again.
 *
 *	victim -> flushed, if dirty -> clean and unused -> free
 *
 * ssdc_settle() does with a page at rest what was asked for while it was pinned or in
 * flight. The queues of fills and flushes filled here are emptied by writeback.c.
 *
 * In a serial batch each victim names its successor (@next of its entry), which is
 * SSDC_E_BEHIND until the first is done.
 *
 * Padding writes a whole block of pages, those that are not cached included. A victim's
 * frame, once its own page is on the origin, takes in the pages between that page and the
 * next victim, one after the other: reads each, writes each. The last victim goes on at the
 * start of the block. So padding needs no frames beyond those of the victims.
 *
 *	page of the block	0   1   2   3   4   5   6   7
 *	cached			    A           B   C
 *	written from frame	C   A   A   A   B   C   C   C
 *
 * A victim's weight has the number of pages that its frame still has to take in, and the
 * size of their block. A page of the gap that the host has written since is left out, as is
 * one that cannot be read.
 *
 * Floor of page.c and pass.c: calls wait.c and the directory.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include "directory.h"
#include "page.h"
#include "wait.h"

static void enqueue(struct ssdc_engine *e, struct ssdc_queue *queue, ssdc_frame_t frame)
{
	ssdc_entry(e, frame)->cursor = 0;
	ssdc_queue_push(e, queue, frame);
}

/* Page at rest -> the sectors that it lacks are being read from the origin. */
void ssdc_start_fill(struct ssdc_engine *e, ssdc_frame_t frame)
{
	ssdc_entry(e, frame)->flags |= SSDC_E_FILL;
	enqueue(e, &e->fill_queue, frame);
}

/* Free frame -> page being read from the origin; it enters the policy when it is there. */
void ssdc_start_read(struct ssdc_engine *e, ssdc_frame_t frame, ssdc_page_t page)
{
	ssdc_map(e, frame, page);
	ssdc_start_fill(e, frame);
}

static u32 gap_left(const struct ssdc_entry *entry)
{
	return entry->weight & U16_MAX;
}

static u32 gap_block(const struct ssdc_entry *entry)
{
	return entry->weight >> 16;
}

static void set_gap(struct ssdc_entry *entry, u32 left, u32 block)
{
	entry->weight = block << 16 | left;
}

static u32 offset_in_block(u64 page, u32 block)
{
	u32 offset;

	div_u64_rem(page, block, &offset);
	return offset;
}

/* The page behind @page, at the end of the block its first one. */
static u64 next_in_block(u64 page, u32 block)
{
	return offset_in_block(page + 1, block) ? page + 1 : page + 1 - block;
}

/* Do not pad while any page fails to flush: it would stay dirty and free no frame. */
static bool may_pad(const struct ssdc_engine *e, ssdc_page_t page)
{
	return !e->failed_pages && ssdc_page_sector(e, page) < e->origin_sectors &&
		ssdc_lookup(e, page) == SSDC_NO_FRAME && !ssdc_discard_overlaps(e, page);
}

/* Clean victim -> the next page of its gap, being read. False if there is none. */
static bool pad_next(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry(e, frame);
	u64 page = ssdc_page_nr(entry->page);
	u32 left = gap_left(entry), block = gap_block(entry);

	for (; left; left--) {
		page = next_in_block(page, block);
		if (!may_pad(e, ssdc_page(page)))
			continue;
		ssdc_unmap(e, frame);
		ssdc_map(e, frame, ssdc_page(page));
		entry->flags |= SSDC_E_VICTIM;
		set_gap(entry, left - 1, block);
		e->stats.padded_pages++;
		ssdc_start_fill(e, frame);
		return true;
	}
	return false;
}

/* Victim behind another -> being flushed: its predecessor is done. It is dirty. */
static void start_next(struct ssdc_engine *e, ssdc_frame_t frame)
{
	if (frame == SSDC_NO_FRAME)
		return;
	ssdc_entry(e, frame)->flags &= ~SSDC_E_BEHIND;
	ssdc_settle(e, frame);
}

/* Victim, clean and unused -> free frame, after the pages that it takes in. */
static void free_victim(struct ssdc_engine *e, ssdc_frame_t frame)
{
	ssdc_frame_t behind = ssdc_entry(e, frame)->next;

	if (pad_next(e, frame))
		return;
	e->nr_victims--;
	ssdc_unmap(e, frame);
	ssdc_frame_push(e, frame);
	ssdc_grant_frames(e);
	start_next(e, behind);
}

/*
 * Dirty page at rest -> being flushed. A partly valid page is completed first,
 * as flash programs whole pages; unless a discard of it is in flight, when
 * what the origin holds must not come back.
 */
static void start_flush(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry(e, frame);

	if (!(entry->flags & SSDC_E_RUNS) &&
	    !ssdc_mask_full(ssdc_valid_mask(e, frame), 0, ssdc_page_length(e, entry->page))) {
		if (!ssdc_discard_overlaps(e, entry->page)) {
			entry->flags |= SSDC_E_WANT_FLUSH;
			e->stats.fills++;
			ssdc_start_fill(e, frame);
			return;
		}
		entry->flags |= SSDC_E_RUNS;
	}
	entry->flags &= ~SSDC_E_WANT_FLUSH;
	entry->flags |= SSDC_E_FLUSH;
	e->flushing_pages++;
	enqueue(e, &e->flush_queue, frame);
}

/* Do with the page what was wanted while it was pinned or in flight. May free it. */
void ssdc_settle(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry(e, frame);

	if (entry->writers || (entry->flags & (SSDC_E_FILL | SSDC_E_FLUSH | SSDC_E_BEHIND)))
		return;
	if (entry->flags & SSDC_E_DIRTY) {
		if (entry->flags & (SSDC_E_VICTIM | SSDC_E_WANT_FLUSH))
			start_flush(e, frame);
	} else if ((entry->flags & SSDC_E_VICTIM) && !entry->pins) {
		free_victim(e, frame);
	}
}

/* Have a dirty page flushed as soon as it can be; no change if it is on its way. */
void ssdc_want_flush(struct ssdc_engine *e, ssdc_frame_t frame, enum ssdc_flush_reason reason)
{
	struct ssdc_entry *entry = ssdc_entry(e, frame);

	if (entry->flags & (SSDC_E_FLUSH | SSDC_E_WANT_FLUSH | SSDC_E_VICTIM))
		return;
	entry->reason = reason;
	entry->flags |= SSDC_E_WANT_FLUSH;
	ssdc_settle(e, frame);
}

/*
 * Page that could not be written as a whole -> page whose dirty sectors alone are being
 * flushed: the bad sector may be one that the host never wrote. False if that has been tried,
 * or would be no different.
 */
bool ssdc_flush_again_by_runs(struct ssdc_engine *e, ssdc_frame_t frame, int error)
{
	struct ssdc_entry *entry = ssdc_entry(e, frame);

	if ((error != -EIO && error != -ENODATA) || (entry->flags & SSDC_E_RUNS) ||
	    ssdc_mask_full(ssdc_dirty_mask(e, frame), 0, ssdc_page_length(e, entry->page)))
		return false;
	entry->flags |= SSDC_E_RUNS;
	enqueue(e, &e->flush_queue, frame);
	return true;
}

/* Page of no policy -> victim, of which nothing more is wanted than its frame. */
void ssdc_make_victim(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry(e, frame);

	entry->flags |= SSDC_E_VICTIM;
	entry->next = SSDC_NO_FRAME;
	entry->weight = 0;
	e->nr_victims++;
}

/* Victim that cannot be flushed -> page of no policy. */
void ssdc_spare_victim(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry(e, frame);

	entry->flags &= ~SSDC_E_VICTIM;
	e->nr_victims--;
	start_next(e, entry->next);
}

/* Clean victim -> one that is written all the same: as far as it is there, else it is filled. */
static void set_dirty_again(struct ssdc_engine *e, ssdc_frame_t frame)
{
	u32 length = ssdc_page_length(e, ssdc_entry(e, frame)->page), from, run;
	const u8 *valid = ssdc_valid_mask(e, frame);

	for (from = 0; from < length; from += run) {
		run = ssdc_mask_run(valid, from, length);
		if (ssdc_mask_bit(valid, from))
			ssdc_set_dirty(e, frame, from, run);
	}
	ssdc_entry(e, frame)->reason = SSDC_FLUSH_PAD;
}

/*
 * Victim -> padded victim: its frame takes in the pages of the block between it and the victim
 * in @next. A clean one is written, too.
 */
void ssdc_pad_victim(struct ssdc_engine *e, ssdc_frame_t frame, ssdc_frame_t next, u32 block)
{
	struct ssdc_entry *entry = ssdc_entry(e, frame);
	u32 from = offset_in_block(ssdc_page_nr(entry->page), block);
	u32 to = offset_in_block(ssdc_page_nr(ssdc_entry(e, next)->page), block);

	set_gap(entry, (to > from ? to : to + block) - from - 1, block);
	if (!(entry->flags & SSDC_E_DIRTY))
		set_dirty_again(e, frame);
}

/* A page of a gap was read, or not: it is written back, or left out. */
void ssdc_pad_read(struct ssdc_engine *e, ssdc_frame_t frame, int error)
{
	struct ssdc_entry *entry = ssdc_entry(e, frame);

	if (!error) {
		ssdc_set_dirty(e, frame, 0, ssdc_page_length(e, entry->page));
		entry->reason = SSDC_FLUSH_PAD;
	}
	ssdc_wake_page(e, frame, SSDC_FILLED, 0);
	ssdc_settle(e, frame);
}
