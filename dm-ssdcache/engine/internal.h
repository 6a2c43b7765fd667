/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the engine's files share with each other and with nobody else.
 *
 *	engine.c	create, destroy, check
 *	directory.c	page -> frame, free frames
 *	request.c	host requests: the steps of a read and a write
 *	wait.c		who waits for what, and waking
 *	writeback.c	page state machine: fill, flush, early flush
 *	evict.c		victims: from the policy's answer to free frames
 *	thrash.c	pages that were evicted and come back
 *	prefetch.c	the partition of prefetched pages
 *	sync.c		FLUSH, FUA, periodic flush, retry
 *	discard.c	dropping pages
 *	switch.c	live change of the replacement policy
 *	view.c		what is known of the device below
 */
#ifndef SSDC_INTERNAL_H
#define SSDC_INTERNAL_H

#include "engine.h"
#include "../base/mask.h"

/* directory.c */
ssdc_frame_t ssdc_lookup(const struct ssdc_engine *e, ssdc_page_t page);
void ssdc_map(struct ssdc_engine *e, ssdc_frame_t frame, ssdc_page_t page);
void ssdc_unmap(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_set_dirty(struct ssdc_engine *e, ssdc_frame_t frame, u32 from, u32 nr);
void ssdc_forget_untold(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_set_clean(struct ssdc_engine *e, ssdc_frame_t frame);
ssdc_frame_t ssdc_frame_pop(struct ssdc_engine *e);
void ssdc_frame_push(struct ssdc_engine *e, ssdc_frame_t frame);

/*
 * Pages that a walk has queued or in flight: enough for a device that takes many
 * side by side in one I/O, yet writes of a page wait from when it is queued.
 */
#define SSDC_SYNC_PENDING 1024

/* What waiters of a page are woken by. */
enum ssdc_event {
	SSDC_UNPINNED,
	SSDC_FILLED,
	SSDC_FLUSHED,
};

/* wait.c */
enum ssdc_action ssdc_wait_page(struct ssdc_engine *e, struct ssdc_request *rq, ssdc_frame_t frame);
void ssdc_wake_page(struct ssdc_engine *e, ssdc_frame_t frame, enum ssdc_event event, int error);
ssdc_frame_t ssdc_frame_take(struct ssdc_engine *e, struct ssdc_request *rq);
ssdc_frame_t ssdc_frame_wait(struct ssdc_engine *e, struct ssdc_request *rq, u32 need);
void ssdc_grant_frames(struct ssdc_engine *e);
void ssdc_return_grants(struct ssdc_engine *e, struct ssdc_request *rq);
void ssdc_fail_frame_waiters(struct ssdc_engine *e, int error);
void ssdc_park(struct ssdc_engine *e, struct ssdc_request *rq);
void ssdc_make_ready(struct ssdc_engine *e, struct ssdc_request *rq);

/* evict.c */
void ssdc_evict(struct ssdc_engine *e);
bool ssdc_evict_batch(struct ssdc_engine *e);
bool ssdc_evict_surplus(struct ssdc_engine *e, struct ssdc_request *rq);
ssdc_frame_t ssdc_driven_out(const struct ssdc_engine *e, struct ssdc_request *rq);
void ssdc_make_victim(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_spare_victim(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_free_victim(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_pad_read(struct ssdc_engine *e, ssdc_frame_t frame, int error);

/* thrash.c */
u64 ssdc_thrash_bytes(u64 nr_frames);
int ssdc_thrash_alloc(struct ssdc_engine *e, u32 span);
void ssdc_thrash_free(struct ssdc_engine *e);
void ssdc_thrash_evicted(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_thrash_entered(struct ssdc_engine *e, ssdc_frame_t frame);

/* writeback.c */
void ssdc_start_fill(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_settle(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_want_flush(struct ssdc_engine *e, ssdc_frame_t frame, enum ssdc_flush_reason reason);
void ssdc_start_read(struct ssdc_engine *e, ssdc_frame_t frame, ssdc_page_t page);
void ssdc_drop(struct ssdc_engine *e, ssdc_frame_t frame);
u64 ssdc_early(struct ssdc_engine *e, u64 now_ns);

/* prefetch.c */
bool ssdc_prefetch_ready(const struct ssdc_engine *e);
void ssdc_prefetch_step(struct ssdc_engine *e);
void ssdc_prefetch_arrived(struct ssdc_engine *e, ssdc_frame_t frame, int error);
void ssdc_prefetch_hit(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_prefetch_leave(struct ssdc_engine *e, ssdc_frame_t frame, bool written);
bool ssdc_prefetch_gives_way(struct ssdc_engine *e);
bool ssdc_prefetch_has_to(struct ssdc_engine *e);
bool ssdc_prefetch_ok(const struct ssdc_engine *e);

/* sync.c */
void ssdc_sync_join(struct ssdc_engine *e, struct ssdc_request *rq);
void ssdc_sync_page_clean(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_sync_page_done(struct ssdc_engine *e, ssdc_frame_t frame, int error);
u64 ssdc_sync_step(struct ssdc_engine *e, u64 now_ns);
void ssdc_retry_later(struct ssdc_engine *e, u64 now_ns);

/* discard.c */
enum ssdc_action ssdc_zap_step(struct ssdc_engine *e, struct ssdc_request *rq);
bool ssdc_zap_overlaps(const struct ssdc_engine *e, ssdc_page_t page);

/* switch.c: the replacement policy seen through a possible change of policy */
void ssdc_policy_insert(struct ssdc_engine *e, ssdc_frame_t frame, const struct ssdc_request *rq,
			bool dirty);
void ssdc_policy_adopt_old(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_policy_clean(struct ssdc_engine *e, ssdc_frame_t frame, enum ssdc_flush_reason reason);
void ssdc_policy_remove(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_policy_victims(struct ssdc_engine *e, struct ssdc_batch *batch);

/* view.c */
void ssdc_look_below(struct ssdc_engine *e);
void ssdc_units_begin(struct ssdc_engine *e, u64 sector, u32 nr_sectors);
void ssdc_units_end(struct ssdc_engine *e, u64 sector, u32 nr_sectors);
bool ssdc_units_ok(const struct ssdc_engine *e);

static inline u8 *ssdc_valid_mask(const struct ssdc_engine *e, ssdc_frame_t frame)
{
	return e->valid + (size_t)ssdc_frame_nr(frame) * e->mask_bytes;
}

static inline u8 *ssdc_dirty_mask(const struct ssdc_engine *e, ssdc_frame_t frame)
{
	return e->dirty + (size_t)ssdc_frame_nr(frame) * e->mask_bytes;
}

static inline ssdc_page_t ssdc_page_of(const struct ssdc_engine *e, u64 sector)
{
	return ssdc_page(sector >> e->page_shift);
}

static inline u64 ssdc_page_sector(const struct ssdc_engine *e, ssdc_page_t page)
{
	return ssdc_page_nr(page) << e->page_shift;
}

/* Sectors of @page that exist: fewer than page_sectors at the end of an odd-sized origin. */
static inline u32 ssdc_page_length(const struct ssdc_engine *e, ssdc_page_t page)
{
	u64 left = e->origin_sectors - ssdc_page_sector(e, page);

	return left < e->page_sectors ? left : e->page_sectors;
}

/* Does the entry still belong to the policy that is being replaced? */
static inline bool ssdc_entry_is_old(const struct ssdc_engine *e, const struct ssdc_entry *entry)
{
	return (entry->flags & SSDC_E_GENERATION) != e->generation;
}

static inline void ssdc_queue_init(struct ssdc_queue *queue)
{
	queue->head = SSDC_NO_FRAME;
	queue->tail = SSDC_NO_FRAME;
}

static inline void ssdc_queue_push(struct ssdc_engine *e, struct ssdc_queue *queue,
				   ssdc_frame_t frame)
{
	ssdc_entry(e, frame)->queue_next = SSDC_NO_FRAME;
	if (queue->head == SSDC_NO_FRAME)
		queue->head = frame;
	else
		ssdc_entry(e, queue->tail)->queue_next = frame;
	queue->tail = frame;
}

/* There must be a frame. */
static inline ssdc_frame_t ssdc_queue_pop(struct ssdc_engine *e, struct ssdc_queue *queue)
{
	ssdc_frame_t frame = queue->head;

	queue->head = ssdc_entry(e, frame)->queue_next;
	if (queue->head == SSDC_NO_FRAME)
		queue->tail = SSDC_NO_FRAME;
	return frame;
}

/* May a walk over the dirty pages queue more of them? */
static inline bool ssdc_sync_has_room(const struct ssdc_engine *e)
{
	return e->sweep.pending < SSDC_SYNC_PENDING;
}

/* Has a walk over the dirty pages something to do at once? */
static inline bool ssdc_sync_wants_step(const struct ssdc_engine *e)
{
	if (e->sweep.active)
		return e->sweep.scanned ? !e->sweep.pending : ssdc_sync_has_room(e);
	return !list_empty(&e->sync_waiters);
}

/* Has ssdc_sync_step() nothing to do, now or later? */
static inline bool ssdc_sync_rests(const struct ssdc_engine *e)
{
	return !e->sweep.active && list_empty(&e->sync_waiters) && !e->periodic_at_ns &&
		!e->retry_at_ns;
}

/* Would the policy flush early if the device were idle? Not while flushes fail. */
static inline bool ssdc_early_wanted(const struct ssdc_engine *e)
{
	const struct ssdc_replacement *r = e->replacement;

	return e->dirty_pages - e->flushing_pages > r->early_above &&
		(r->eager || (!e->host_inflight && !e->early_inflight)) && !e->early_declined &&
		!e->retry_at_ns && !e->frozen && !e->sweep.untold &&
		ssdc_replacement_type(r)->early;
}

/* Is there something that the driver is to go on with, or to start? */
static inline bool ssdc_has_queued(const struct ssdc_engine *e)
{
	return !list_empty(&e->ready) || e->fill_queue.head != SSDC_NO_FRAME ||
		e->flush_queue.head != SSDC_NO_FRAME;
}

/* The page is used again by @rq: tell the policy. */
static inline void ssdc_policy_hit(struct ssdc_engine *e, ssdc_frame_t frame,
				   const struct ssdc_request *rq, bool write)
{
	struct ssdc_entry *entry = ssdc_entry(e, frame);

	entry->stamp = ++e->stamp;
	if (ssdc_entry_is_old(e, entry))
		ssdc_policy_adopt_old(e, frame);
	if (ssdc_replacement_type(e->replacement)->hit)
		ssdc_replacement_type(e->replacement)->hit(e->replacement, frame, rq, write);
}

#endif /* SSDC_INTERNAL_H */
