// SPDX-License-Identifier: GPL-2.0
/*
 * The page directory, a chained hash table from page to frame; clean and dirty pages; free
 * frames.
 */
#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include "engine.h"
#include "directory.h"

/* Free frame -> mapped page without valid sectors. */
void ssdc_map(struct ssdc_engine *e, ssdc_frame_t frame, ssdc_page_t page)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);
	ssdc_frame_t *bucket = ssdc_bucket_of(e, page);

	entry->page = page;
	entry->hash_next = *bucket;
	entry->flags = SSDC_E_MAPPED | e->generation;
	entry->weight = 0;
	entry->written = 0;
	*bucket = frame;
	e->maps++;
	ssdc_mask_zero(ssdc_valid_mask(e, frame), e->mask_bytes);
	ssdc_mask_zero(ssdc_dirty_mask(e, frame), e->mask_bytes);
	WRITE_ONCE(e->tier.used_pages, e->tier.used_pages + 1);
}

/*
 * Unnotified clean page -> clean page. The caller notifies the policy, or the page is about to
 * become dirty or free. No effect on any other page.
 */
void ssdc_clear_unnotified(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	if (!(entry->flags & SSDC_E_UNNOTIFIED))
		return;
	entry->flags &= ~SSDC_E_UNNOTIFIED;
	__clear_bit(ssdc_frame_nr(frame), e->dirty_frames);
	e->pass.unnotified--;
}

/* Clean page of no policy -> unmapped frame. The caller frees or reuses the frame. */
void ssdc_unmap(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);
	ssdc_frame_t *link = ssdc_bucket_of(e, entry->page);

	while (*link != frame)
		link = &ssdc_entry_at(e, *link)->hash_next;
	*link = entry->hash_next;
	ssdc_clear_unnotified(e, frame);
	entry->flags = 0;
	WRITE_ONCE(e->tier.used_pages, e->tier.used_pages - 1);
}

/* Clean page -> dirty page. */
void ssdc_becomes_dirty(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	ssdc_clear_unnotified(e, frame);
	entry->flags &= ~SSDC_E_UNREAD;
	entry->flags |= SSDC_E_DIRTY;
	__set_bit(ssdc_frame_nr(frame), e->dirty_frames);
	WRITE_ONCE(e->tier.dirty_pages, e->tier.dirty_pages + 1);
}

/* Dirty page -> clean page. Stops the retry timer if no failed page is left. */
void ssdc_set_clean(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	if (entry->flags & SSDC_E_FAILED) {
		e->failed_victims -= !!(entry->flags & SSDC_E_VICTIM);
		if (!--e->failed_pages)
			e->retry_at_ns = 0;
	}
	entry->flags &= ~(SSDC_E_DIRTY | SSDC_E_FAILED | SSDC_E_RUNS);
	ssdc_mask_zero(ssdc_dirty_mask(e, frame), e->mask_bytes);
	__clear_bit(ssdc_frame_nr(frame), e->dirty_frames);
	WRITE_ONCE(e->tier.dirty_pages, e->tier.dirty_pages - 1);
}

/*
 * Take a free frame; there must be one. Never used frames go first, then the one that has been
 * free longest. So the frame that a page gets depends on the order of requests and on the order
 * of completions, but not on how the two interleave, and the kernel and the simulator agree on
 * decisions that depend on frame numbers.
 */
ssdc_frame_t ssdc_frame_pop(struct ssdc_engine *e)
{
	e->nr_free--;
	if (e->nr_fresh < e->tier.nr_frames)
		return ssdc_frame(e->nr_fresh++);
	return ssdc_queue_pop(e, &e->free);
}

/* Unmapped frame -> free frame. */
void ssdc_frame_push(struct ssdc_engine *e, ssdc_frame_t frame)
{
	ssdc_queue_push(e, &e->free, frame);
	e->nr_free++;
}
