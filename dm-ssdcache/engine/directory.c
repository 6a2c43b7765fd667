// SPDX-License-Identifier: GPL-2.0
/*
 * The page directory, a chained hash table from page to frame; clean and dirty pages; free
 * frames.
 */
#include <linux/bitmap.h>
#include <linux/string.h>
#include "engine.h"
#include "directory.h"

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
