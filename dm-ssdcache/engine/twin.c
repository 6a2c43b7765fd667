// SPDX-License-Identifier: GPL-2.0
/*
 * Writes to pages whose flush is in flight. The origin must see stable data, so such a write goes
 * to another buffer:
 *
 *	page being flushed + free frame -> dirty page at rest + twin with the data in flight
 *
 * Frames have numbers, by which plug-ins and lists know them. The data of a frame are in a buffer.
 * The page exchanges buffers with a free frame, its twin, and stays in its own frame, so its place
 * in the lists of the policy does not change. For the policy, the flush has ended: its page became
 * clean, and was written again.
 *
 * The twin keeps what the end of the flush needs: the mask of the sectors that were dirty, and
 * whether the sync pass waits for this flush. The page's @queue_next is its twin. Until the flush
 * has ended, the page is neither filled nor flushed nor discarded, so that the writes of a page
 * reach the origin in order. Then the twin is a free frame again.
 *
 * If the write does not cover the page, the driver copies the rest of the page from the twin's
 * buffer. Until the copy of the write ends, the whole page counts as being written, and the twin is
 * pinned. That holds for a write of the whole page, too: if the flush fails meanwhile, the twin has
 * the only data that protected DRAM can keep.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include "directory.h"
#include "pass.h"
#include "switch.h"
#include "twin.h"
#include "wait.h"

/*
 * Page of the policy whose flush is in flight, by ssdc_can_have_twin() -> clean page with a twin.
 * The caller makes the page dirty next.
 */
void ssdc_twin_begin(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);
	ssdc_frame_t twin = ssdc_frame_pop(e);
	bool in_pass = entry->flags & SSDC_E_SYNC;

	swap(e->buffers[ssdc_frame_nr(frame)], e->buffers[ssdc_frame_nr(twin)]);
	memcpy(ssdc_dirty_mask(e, twin), ssdc_dirty_mask(e, frame), e->mask_bytes);
	ssdc_entry_at(e, twin)->flags = entry->flags & SSDC_E_SYNC;
	e->nr_twins++;

	entry->flags &= ~(SSDC_E_FLUSH | SSDC_E_SYNC);
	entry->cursor = SSDC_HAS_TWIN;
	entry->queue_next = twin;
	e->flushing_pages--;
	ssdc_set_clean(e, frame);
	/* A sync pass does not notify the policy of a page that is written before its turn. */
	if (!in_pass || entry->reason == SSDC_FLUSH_EARLY)
		ssdc_policy_clean(e, frame, entry->reason == SSDC_FLUSH_FORCED ?
				  SSDC_FLUSH_THROUGH : entry->reason);
}

/*
 * The copy of @rq to a page with a twin, which has begun, also brings the rest of the page, if any,
 * from the twin.
 */
void ssdc_copy_rest(struct ssdc_engine *e, struct ssdc_request *rq, ssdc_frame_t frame,
		    struct ssdc_segment *seg)
{
	u32 length = ssdc_page_length(e, ssdc_entry_at(e, frame)->page);
	ssdc_frame_t twin = ssdc_twin_of(e, frame);

	/* All sectors are being written: others must wait for them. */
	ssdc_mask_zero(ssdc_valid_mask(e, frame), e->mask_bytes);
	ssdc_mask_set(ssdc_dirty_mask(e, frame), 0, length);
	ssdc_entry_at(e, twin)->pins++;
	rq->completes = true;
	if (seg->nr_sectors < length)
		seg->rest = e->buffers[ssdc_frame_nr(twin)];
}

/* Twin -> free frame. */
static void free_twin(struct ssdc_engine *e, ssdc_frame_t frame)
{
	ssdc_frame_t twin = ssdc_twin_of(e, frame);

	ssdc_entry_at(e, frame)->cursor = SSDC_ALL_ISSUED;
	ssdc_entry_at(e, twin)->flags = 0;
	e->nr_twins--;
	ssdc_frame_push(e, twin);
	ssdc_grant_frames(e);
}

/*
 * The copy of ssdc_copy_rest() ended; @from is the first sector that @rq has written. If the flush
 * has ended, too, the sectors of the twin's mask become dirty as well: the flush failed to write
 * them, or the origin may have lost them.
 */
void ssdc_page_completed(struct ssdc_engine *e, struct ssdc_request *rq, ssdc_frame_t frame,
			 u32 from)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);
	ssdc_frame_t twin = ssdc_twin_of(e, frame);

	ssdc_mask_set(ssdc_valid_mask(e, frame), 0, ssdc_page_length(e, entry->page));
	ssdc_mask_zero(ssdc_dirty_mask(e, frame), e->mask_bytes);
	ssdc_mask_set(ssdc_dirty_mask(e, frame), from, rq->copy_sectors);
	ssdc_entry_at(e, twin)->pins--;
	rq->completes = false;
	if (entry->ios)
		return;
	ssdc_mask_add(ssdc_dirty_mask(e, frame), ssdc_dirty_mask(e, twin), e->mask_bytes);
	free_twin(e, frame);
}

/*
 * The flush of a page with a twin ended. If it failed, or if the origin may have lost its data
 * because a FLUSH failed meanwhile (@lost), the sectors of the twin's mask must be written once
 * more, and become dirty. Returns whether the next flush may succeed by runs, after an error that
 * has not counted yet: see ssdc_flush_by_runs().
 */
bool ssdc_twin_written(struct ssdc_engine *e, ssdc_frame_t frame, bool lost, int error)
{
	ssdc_frame_t twin = ssdc_twin_of(e, frame);
	u8 *dirty = ssdc_dirty_mask(e, twin);

	if (!error && !lost)
		ssdc_mask_zero(dirty, e->mask_bytes);
	/* Until the copy ends, the page's own mask has all sectors. */
	if (!ssdc_entry_at(e, twin)->pins) {
		ssdc_mask_add(ssdc_dirty_mask(e, frame), dirty, e->mask_bytes);
		dirty = ssdc_dirty_mask(e, frame);
	}
	return ssdc_flush_by_runs(e, frame, dirty, error);
}

/*
 * The pass waits for the flush of a page with a twin. @again: it waits for the newer data of the
 * page instead.
 */
static void pass_twin_done(struct ssdc_engine *e, ssdc_frame_t frame, bool again, int error)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);
	ssdc_frame_t twin = ssdc_twin_of(e, frame);

	if (!(ssdc_entry_at(e, twin)->flags & SSDC_E_SYNC))
		return;
	if (!again || (entry->flags & SSDC_E_SYNC)) {
		ssdc_pass_page_done(e, twin, again ? 0 : error);
		return;
	}
	ssdc_entry_at(e, twin)->flags &= ~SSDC_E_SYNC;
	entry->flags |= SSDC_E_SYNC;
	ssdc_want_flush(e, frame, e->pass.reason);
}

/*
 * After ssdc_twin_written(): page with a twin -> dirty page, unless its copy goes on. @again: what
 * the flush was to write has yet to be written with the newer data.
 */
void ssdc_twin_end(struct ssdc_engine *e, ssdc_frame_t frame, bool again, int error)
{
	pass_twin_done(e, frame, again, error);
	if (!ssdc_entry_at(e, ssdc_twin_of(e, frame))->pins)
		free_twin(e, frame);
	ssdc_wake_page(e, frame, SSDC_UNPINNED, 0);
	ssdc_settle(e, frame);
}
