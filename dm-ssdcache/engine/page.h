/* SPDX-License-Identifier: GPL-2.0 */
/* page.c: the state of one cached page. */
#ifndef SSDC_PAGE_H
#define SSDC_PAGE_H

#include "directory.h"
#include "wait.h"

/* entry->cursor once all runs are in flight. */
#define SSDC_ALL_ISSUED 255

/* entry->cursor while older data of the page are in flight from another frame: see twin.c. */
#define SSDC_HAS_TWIN 254

void ssdc_start_fill(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_start_read(struct ssdc_engine *e, ssdc_frame_t frame, ssdc_page_t page);
void ssdc_settle(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_want_flush(struct ssdc_engine *e, ssdc_frame_t frame, enum ssdc_flush_reason reason);
void ssdc_flush_again(struct ssdc_engine *e, ssdc_frame_t frame);
bool ssdc_flush_by_runs(struct ssdc_engine *e, ssdc_frame_t frame, const u8 *dirty, int error);
bool ssdc_flush_again_by_runs(struct ssdc_engine *e, ssdc_frame_t frame, int error);
bool ssdc_can_return(const struct ssdc_entry *entry);
void ssdc_spare_victim(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_set_all_dirty(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_pad_victim(struct ssdc_engine *e, ssdc_frame_t frame, ssdc_frame_t next, u32 block);
void ssdc_victim_read(struct ssdc_engine *e, ssdc_frame_t frame, int error);

/* Clean page of no policy, at rest, that no request waits for -> free frame. */
static inline void ssdc_free_page(struct ssdc_engine *e, ssdc_frame_t frame)
{
	ssdc_unmap(e, frame);
	ssdc_frame_push(e, frame);
	ssdc_pay_debt(e);
	ssdc_grant_frames(e);
}

/* Page of no policy -> victim. Call ssdc_settle() next. Inline: batches may be long. */
static inline void ssdc_make_victim(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	entry->flags |= SSDC_E_VICTIM;
	entry->next = SSDC_NO_FRAME;
	entry->weight = 0;
	e->nr_victims++;
	e->failed_victims += !!(entry->flags & SSDC_E_FAILED);
}

/*
 * As ssdc_settle(), for a page whose flush ended. Nearly always, the page is a victim that nothing
 * uses and no request waits for.
 */
static inline void ssdc_settle_flushed(struct ssdc_engine *e, ssdc_frame_t frame)
{
	const struct ssdc_entry *entry = ssdc_entry_at(e, frame);
	u16 flags = entry->flags & (SSDC_E_VICTIM | SSDC_E_DIRTY | SSDC_E_FILL | SSDC_E_FLUSH |
				    SSDC_E_BEHIND | SSDC_E_WAITED);

	if (flags != SSDC_E_VICTIM || entry->pins || entry->next != SSDC_NO_FRAME ||
	    entry->weight) {
		ssdc_settle(e, frame);
		return;
	}
	e->nr_victims--;
	ssdc_free_page(e, frame);
}

#endif /* SSDC_PAGE_H */
