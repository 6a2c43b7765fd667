// SPDX-License-Identifier: GPL-2.0
/*
 * Victims: from the policy's answer to free frames.
 *
 *	policy's batch -> VICTIM -> flushed, if dirty -> clean and unused -> free
 *
 * Policies that know of the blocks of a flash chip may ask for two more things.
 *
 * In a serial batch each victim has the next one behind it (@next of its entry), which
 * is SSDC_E_BEHIND until the first is done.
 *
 * Padding writes a whole block of pages, those that are not cached included. A victim's
 * frame, once its own page is on the origin, takes in the pages between it and the next
 * victim, one after the other: reads them, writes them. The last victim goes on at the
 * start of the block. So padding needs no frames but the victims' own.
 *
 *	page of the block	0   1   2   3   4   5   6   7
 *	cached			    A           B   C
 *	written from frame	C   A   A   A   B   C   C   C
 *
 * A victim's weight has the pages that its frame still has to take in, and their block's
 * size. A page of the gap that the host has written meanwhile is left out, as is one
 * that cannot be read.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include "internal.h"

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

/*
 * Not while there are pages that the origin does not take: one that fails stays dirty in
 * its frame, so that evictions would bring no frames.
 */
static bool may_pad(const struct ssdc_engine *e, ssdc_page_t page)
{
	return !e->failed_pages && ssdc_page_sector(e, page) < e->origin_sectors &&
		ssdc_lookup(e, page) == SSDC_NO_FRAME && !ssdc_zap_overlaps(e, page);
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

/* The turn of the victim that was behind another has come. It is dirty, so its flush starts. */
static void let_go(struct ssdc_engine *e, ssdc_frame_t frame)
{
	if (frame == SSDC_NO_FRAME)
		return;
	ssdc_entry(e, frame)->flags &= ~SSDC_E_BEHIND;
	ssdc_settle(e, frame);
}

/* Victim, clean and unused -> free frame, after the pages that it takes in. */
void ssdc_free_victim(struct ssdc_engine *e, ssdc_frame_t frame)
{
	ssdc_frame_t behind = ssdc_entry(e, frame)->next;

	if (pad_next(e, frame))
		return;
	e->coming--;
	ssdc_unmap(e, frame);
	ssdc_frame_push(e, frame);
	ssdc_grant_frames(e);
	let_go(e, behind);
}

/* Page of no policy -> victim, of which nothing more is wanted than its frame. */
void ssdc_make_victim(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry(e, frame);

	entry->flags |= SSDC_E_VICTIM;
	entry->next = SSDC_NO_FRAME;
	entry->weight = 0;
	e->coming++;
}

/* Victim that cannot be flushed -> page of no policy. */
void ssdc_spare_victim(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry(e, frame);

	entry->flags &= ~SSDC_E_VICTIM;
	e->coming--;
	let_go(e, entry->next);
}

/* Is there something to be written? Without it a block is only dropped. */
static bool any_dirty(const struct ssdc_engine *e)
{
	unsigned int i;

	for (i = 0; i < e->batch.nr; i++)
		if (ssdc_entry(e, e->batch.frames[i])->flags & SSDC_E_DIRTY)
			return true;
	return false;
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

/* The @i-th victim takes in what lies between it and the next one, and is written itself. */
static void pad(struct ssdc_engine *e, unsigned int i)
{
	const struct ssdc_batch *batch = &e->batch;
	struct ssdc_entry *entry = ssdc_entry(e, batch->frames[i]);
	const struct ssdc_entry *next = ssdc_entry(e, batch->frames[(i + 1) % batch->nr]);
	u32 block = batch->pad_pages;
	u32 from = offset_in_block(ssdc_page_nr(entry->page), block);
	u32 to = offset_in_block(ssdc_page_nr(next->page), block);

	set_gap(entry, (to > from ? to : to + block) - from - 1, block);
	if (!(entry->flags & SSDC_E_DIRTY))
		set_dirty_again(e, batch->frames[i]);
}

/* Is it being flushed for another reason? */
static bool is_under_way(const struct ssdc_entry *entry)
{
	return entry->flags & (SSDC_E_FLUSH | SSDC_E_WANT_FLUSH);
}

/* The policy's batch -> victims, linked and padded as it asked. */
static void mark_batch(struct ssdc_engine *e)
{
	struct ssdc_batch *batch = &e->batch;
	bool padded = batch->pad_pages && any_dirty(e);
	struct ssdc_entry *before = NULL;
	unsigned int i;

	for (i = 0; i < batch->nr; i++) {
		struct ssdc_entry *entry = ssdc_entry(e, batch->frames[i]);

		ssdc_make_victim(e, batch->frames[i]);
		if (!is_under_way(entry))
			entry->reason = SSDC_FLUSH_EVICT;
		if (padded)
			pad(e, i);
		if (!(entry->flags & SSDC_E_DIRTY)) {
			e->stats.evicted_clean++;
			continue;
		}
		if (batch->serial && before && !is_under_way(entry)) {
			before->next = batch->frames[i];
			entry->flags |= SSDC_E_BEHIND;
		}
		before = entry;
	}
}

/* The policy's next victims leave. Returns false if it holds no page. */
bool ssdc_evict_batch(struct ssdc_engine *e)
{
	unsigned int i;

	e->batch.nr = 0;
	e->batch.serial = false;
	e->batch.pad_pages = 0;
	ssdc_policy_victims(e, &e->batch);
	if (!e->batch.nr)
		return false;
	e->stats.evictions++;
	e->stats.evicted_pages += e->batch.nr;
	for (i = 0; i < e->batch.nr; i++)
		ssdc_thrash_evicted(e, e->batch.frames[i]);
	mark_batch(e);
	for (i = 0; i < e->batch.nr; i++)
		ssdc_settle(e, e->batch.frames[i]);
	return true;
}

/*
 * Find victims until the frames that requests wait for are on their way: prefetched pages
 * beyond their share, then those of the policy, at last any.
 */
void ssdc_evict(struct ssdc_engine *e)
{
	while (e->wanted > e->coming + e->nr_free - e->granted)
		if (!ssdc_prefetch_gives_way(e) && !ssdc_evict_batch(e) && !ssdc_prefetch_has_to(e))
			return;		/* all pages are in flight: their end calls again */
}

/* Is the page a victim that is not on the origin yet? */
static bool is_being_evicted(const struct ssdc_entry *entry)
{
	return (entry->flags & SSDC_E_VICTIM) && (entry->flags & SSDC_E_DIRTY);
}

/*
 * A page entered, or was flushed and stays: does the policy hold more than it wants to? At
 * most one batch leaves. The request that wrote the page, @rq or NULL, at its end waits for
 * the first of the last batch. While a change of policy is under way victims come from the
 * old one, which has no say.
 */
bool ssdc_evict_surplus(struct ssdc_engine *e, struct ssdc_request *rq)
{
	unsigned int i;

	if (!e->replacement->surplus || e->draining || !ssdc_evict_batch(e))
		return false;
	for (i = 0; rq && i < e->batch.nr; i++) {
		const struct ssdc_entry *entry = ssdc_entry(e, e->batch.frames[i]);

		if (is_being_evicted(entry)) {
			rq->drove_out = ssdc_page_nr(entry->page);
			break;
		}
	}
	return true;
}

/* The frame whose flush @rq waits for, as if it had needed that frame; or SSDC_NO_FRAME. */
ssdc_frame_t ssdc_driven_out(const struct ssdc_engine *e, struct ssdc_request *rq)
{
	ssdc_frame_t frame = ssdc_lookup(e, ssdc_page(rq->drove_out));

	if (frame != SSDC_NO_FRAME && is_being_evicted(ssdc_entry(e, frame)))
		return frame;
	rq->drove_out = SSDC_NO_PAGE;
	return SSDC_NO_FRAME;
}
