// SPDX-License-Identifier: GPL-2.0
/*
 * The state of one cached page: filled, flushed, evicted.
 *
 *	victim -> flushed, if dirty -> clean and unpinned -> free frame
 *
 * Others ask for a flush or an eviction by setting a flag. ssdc_settle() acts on the flags as soon
 * as no copy, fill or flush uses the page, and queues the I/O that writeback.c hands out.
 *
 * In a batch with a width, @next of a victim's entry is the victim whose turn comes after it. The
 * latter has SSDC_E_BEHIND set until its predecessor is free, or could not be flushed. In a long
 * batch, all victims have SSDC_E_BEHIND set until they are accounted for: see evict.c.
 *
 * Padding writes a whole aligned block of pages, including pages that are not cached. As soon as a
 * victim is on the origin, its frame takes in the pages between the victim and the next victim of
 * the block: these pages are read into the frame and written from it, one after the other. The last
 * victim continues at the start of the block. So padding needs no frames other than those of the
 * victims.
 *
 *	page of the block	0   1   2   3   4   5   6   7
 *	cached			    A           B   C
 *	written from frame	C   A   A   A   B   C   C   C
 *
 * A victim's @weight holds the size of the block and the number of pages that its frame must
 * still take in. Pages that the host has cached in the meantime, and pages that cannot be read,
 * are skipped.
 */
#include <linux/errno.h>
#include <linux/math64.h>
#include "directory.h"
#include "page.h"
#include "wait.h"

static void enqueue(struct ssdc_engine *e, struct ssdc_queue *queue, ssdc_frame_t frame)
{
	ssdc_entry_at(e, frame)->cursor = 0;
	ssdc_queue_push(e, queue, frame);
}

/* Page at rest -> page being filled: the fill of its missing sectors is queued. */
void ssdc_start_fill(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	entry->flags &= ~SSDC_E_UNREAD;
	entry->flags |= SSDC_E_FILL;
	enqueue(e, &e->fill_queue, frame);
}

/* Unmapped frame -> page being read; the caller makes it enter the partition. */
void ssdc_start_read(struct ssdc_engine *e, ssdc_frame_t frame, ssdc_page_t page)
{
	ssdc_map(e, frame, page);
	ssdc_start_fill(e, frame);
}

/* Number of pages that a victim's frame must still take in. */
static u32 gap_left(const struct ssdc_entry *entry)
{
	return entry->weight & U16_MAX;
}

/* Size of the victim's block in pages. */
static u32 gap_block(const struct ssdc_entry *entry)
{
	return entry->weight >> 16;
}

static void set_gap(struct ssdc_entry *entry, u32 left, u32 block)
{
	entry->weight = block << 16 | left;
}

/* Is the victim part of a padded batch? */
static bool is_padding(const struct ssdc_entry *entry)
{
	return gap_block(entry);
}

static u32 offset_in_block(u64 page, u32 block)
{
	u32 offset;

	div_u64_rem(page, block, &offset);
	return offset;
}

/* The page after @page; after the last page of a block, its first. */
static u64 next_in_block(u64 page, u32 block)
{
	return offset_in_block(page + 1, block) ? page + 1 : page + 1 - block;
}

/*
 * Do not pad while flushes fail: a padding page that cannot be flushed would stay dirty and keep
 * its frame.
 */
static bool may_pad(const struct ssdc_engine *e, ssdc_page_t page)
{
	return !e->failed_pages && ssdc_owns(e, page) &&
		ssdc_lookup(e, page) == SSDC_NO_FRAME && !ssdc_discard_overlaps(e, page);
}

/* Clean victim -> next page of its gap, being read. Returns false if no page is left. */
static bool pad_next(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);
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

/*
 * Clean, unpinned victim -> next page of its gap or, if none is left, free frame. Returns the next
 * victim of the batch, whose turn has come, or SSDC_NO_FRAME.
 */
static ssdc_frame_t free_victim(struct ssdc_engine *e, ssdc_frame_t frame)
{
	ssdc_frame_t behind = ssdc_entry_at(e, frame)->next;

	/*
	 * If a discard made the victim clean while it was behind another victim, requests may wait
	 * for it.
	 */
	ssdc_wake_page(e, frame, SSDC_UNPINNED, 0);
	if (pad_next(e, frame))
		return SSDC_NO_FRAME;
	e->nr_victims--;
	ssdc_free_page(e, frame);
	return behind;
}

/*
 * Dirty page at rest -> page being flushed. Flash programs whole pages, so a partly valid page
 * is filled first. While a discard overlaps the page, the page stays at rest: see discard.c.
 */
static void start_flush(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	if (ssdc_discard_holds(e, entry->page)) {
		entry->flags |= SSDC_E_WANT_FLUSH;
		return;
	}
	if (!(entry->flags & SSDC_E_RUNS) &&
	    !ssdc_mask_all_full(ssdc_valid_mask(e, frame), e->mask_bytes) &&
	    !ssdc_mask_full(ssdc_valid_mask(e, frame), 0, ssdc_page_length(e, entry->page))) {
		entry->flags |= SSDC_E_WANT_FLUSH;
		e->stats.fills++;
		ssdc_start_fill(e, frame);
		return;
	}
	entry->flags &= ~SSDC_E_WANT_FLUSH;
	entry->flags |= SSDC_E_FLUSH;
	e->flushing_pages++;
	enqueue(e, &e->flush_queue, frame);
}

/* See ssdc_settle(). Returns a victim whose turn has come, or SSDC_NO_FRAME. */
static ssdc_frame_t settle(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	if (entry->writers || entry->cursor == SSDC_HAS_TWIN ||
	    (entry->flags & (SSDC_E_FILL | SSDC_E_FLUSH | SSDC_E_BEHIND)))
		return SSDC_NO_FRAME;
	if (entry->flags & SSDC_E_DIRTY) {
		if (entry->flags & (SSDC_E_VICTIM | SSDC_E_WANT_FLUSH))
			start_flush(e, frame);
	} else if ((entry->flags & SSDC_E_VICTIM) && !entry->pins) {
		return free_victim(e, frame);
	}
	return SSDC_NO_FRAME;
}

/*
 * SSDC_E_BEHIND victim -> victim being flushed. A loop, because a discard may have made this victim
 * and its successors clean.
 */
static void start_next(struct ssdc_engine *e, ssdc_frame_t frame)
{
	while (frame != SSDC_NO_FRAME) {
		ssdc_entry_at(e, frame)->flags &= ~SSDC_E_BEHIND;
		frame = settle(e, frame);
	}
}

/*
 * Act on the flags of a page: flush a dirty page that is a victim or whose flush is wanted; free a
 * clean victim. No effect while a copy or I/O uses the page. The frame may be free afterwards.
 */
void ssdc_settle(struct ssdc_engine *e, ssdc_frame_t frame)
{
	start_next(e, settle(e, frame));
}

/* Flush a dirty page as soon as possible. No effect if its flush is decided already. */
void ssdc_want_flush(struct ssdc_engine *e, ssdc_frame_t frame, enum ssdc_flush_reason reason)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	if (entry->flags & (SSDC_E_FLUSH | SSDC_E_WANT_FLUSH | SSDC_E_VICTIM))
		return;
	entry->reason = reason;
	entry->flags |= SSDC_E_WANT_FLUSH;
	ssdc_settle(e, frame);
}

/* Page being flushed whose last write has ended -> page being flushed, from its start. */
void ssdc_flush_again(struct ssdc_engine *e, ssdc_frame_t frame)
{
	enqueue(e, &e->flush_queue, frame);
}

/*
 * After a failed flush of a whole page: the next flush writes only its dirty sectors, by the mask
 * @dirty, as the bad sector may be one that the host never wrote. Returns false if this has been
 * tried already, or if all sectors are dirty, or if the error is not that of a bad sector.
 */
bool ssdc_flush_by_runs(struct ssdc_engine *e, ssdc_frame_t frame, const u8 *dirty, int error)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	if ((error != -EIO && error != -ENODATA) || (entry->flags & SSDC_E_RUNS) ||
	    ssdc_mask_full(dirty, 0, ssdc_page_length(e, entry->page)))
		return false;
	entry->flags |= SSDC_E_RUNS;
	return true;
}

/* As ssdc_flush_by_runs(); the flush begins at once. */
bool ssdc_flush_again_by_runs(struct ssdc_engine *e, ssdc_frame_t frame, int error)
{
	if (!ssdc_flush_by_runs(e, frame, ssdc_dirty_mask(e, frame), error))
		return false;
	ssdc_flush_again(e, frame);
	return true;
}

/*
 * Victim that cannot be flushed, or that a read wants back -> page of no policy. The next victim of
 * its batch may start.
 */
void ssdc_spare_victim(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	entry->flags &= ~SSDC_E_VICTIM;
	e->nr_victims--;
	e->failed_victims -= !!(entry->flags & SSDC_E_FAILED);
	ssdc_pay_debt(e);
	start_next(e, entry->next);
}

/* Can the victim return to the policy? Not if other victims of its batch depend on it. */
bool ssdc_can_return(const struct ssdc_entry *entry)
{
	return !(entry->flags & SSDC_E_BEHIND) && entry->next == SSDC_NO_FRAME &&
		!is_padding(entry);
}

/*
 * Page -> dirty page: its valid sectors become dirty. Its flush fills the other sectors first. If
 * the page is being copied from its twin, its sectors become dirty when the copy ends: see twin.c.
 */
void ssdc_set_all_dirty(struct ssdc_engine *e, ssdc_frame_t frame)
{
	const struct ssdc_entry *entry = ssdc_entry_at(e, frame);
	u32 length = ssdc_page_length(e, entry->page), from, run;
	const u8 *valid = ssdc_valid_mask(e, frame);

	if (entry->cursor == SSDC_HAS_TWIN)
		ssdc_mask_set(ssdc_dirty_mask(e, entry->queue_next), 0, length);

	for (from = 0; from < length; from += run) {
		run = ssdc_mask_run(valid, from, length);
		if (ssdc_mask_bit(valid, from))
			ssdc_set_dirty(e, frame, from, run);
	}
}

/*
 * Victim -> dirty victim whose frame takes in the pages between it and victim @next. If the batch
 * has a single victim, @next is that victim itself. @block is the size of the block in pages.
 */
void ssdc_pad_victim(struct ssdc_engine *e, ssdc_frame_t frame, ssdc_frame_t next, u32 block)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);
	u32 from = offset_in_block(ssdc_page_nr(entry->page), block);
	u32 to = offset_in_block(ssdc_page_nr(ssdc_entry_at(e, next)->page), block);

	set_gap(entry, (to > from ? to : to + block) - from - 1, block);
	if (entry->flags & SSDC_E_DIRTY)
		return;
	ssdc_set_all_dirty(e, frame);
	entry->reason = SSDC_FLUSH_PAD;
	/*
	 * A page that entered in the current step has no data yet. Do not fill it if a discard has
	 * come since.
	 */
	if ((entry->flags & SSDC_E_UNREAD) && !ssdc_discard_overlaps(e, entry->page))
		ssdc_start_fill(e, frame);
}

/*
 * The read of a clean victim ended. A page of a gap is flushed or, after an error, skipped. A page
 * that became a victim during its read is freed, unless its batch is padded.
 */
void ssdc_victim_read(struct ssdc_engine *e, ssdc_frame_t frame, int error)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	if (!error && is_padding(entry)) {
		ssdc_set_dirty(e, frame, 0, ssdc_page_length(e, entry->page));
		entry->reason = SSDC_FLUSH_PAD;
	}
	ssdc_wake_page(e, frame, SSDC_FILLED, 0);
	ssdc_settle(e, frame);
}
