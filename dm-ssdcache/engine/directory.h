/* SPDX-License-Identifier: GPL-2.0 */
/*
 * directory.c: the page directory and the free frames. Also the sector masks of a frame and
 * queues of frames.
 */
#ifndef SSDC_DIRECTORY_H
#define SSDC_DIRECTORY_H

#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/prefetch.h>
#include "shards.h"
#include "state.h"
#include "../base/mask.h"

void ssdc_becomes_dirty(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_set_clean(struct ssdc_engine *e, ssdc_frame_t frame);

/*
 * The head of the chain of @page. Long requests look up neighbouring pages, so the buckets of each
 * group of SSDC_NEAR_BUCKETS pages are adjacent, in one cache line or two. The order within a group
 * differs from group to group, so that the first pages of all groups do not share the same buckets.
 * The high bits of the product are well mixed (Fibonacci hashing).
 */
static inline ssdc_frame_t *ssdc_bucket_of(const struct ssdc_engine *e, ssdc_page_t page)
{
	u64 nr = ssdc_page_nr(page);
	u64 group = nr / SSDC_NEAR_BUCKETS * 0x9E3779B97F4A7C15ULL;

	return &e->buckets[group >> e->hash_shift ^ nr % SSDC_NEAR_BUCKETS];
}

/*
 * The frame of @page, or SSDC_NO_FRAME if the page is not cached. Inline, because every request
 * calls it.
 */
static inline ssdc_frame_t ssdc_lookup(const struct ssdc_engine *e, ssdc_page_t page)
{
	ssdc_frame_t frame = *ssdc_bucket_of(e, page);

	while (frame != SSDC_NO_FRAME && ssdc_entry_at(e, frame)->page != page)
		frame = ssdc_entry_at(e, frame)->hash_next;
	return frame;
}

static inline u8 *ssdc_valid_mask(const struct ssdc_engine *e, ssdc_frame_t frame)
{
	return e->valid + (size_t)ssdc_frame_nr(frame) * e->mask_bytes;
}

static inline u8 *ssdc_dirty_mask(const struct ssdc_engine *e, ssdc_frame_t frame)
{
	return e->dirty + (size_t)ssdc_frame_nr(frame) * e->mask_bytes;
}

/* Free frame -> mapped page without valid sectors. */
static inline void ssdc_map(struct ssdc_engine *e, ssdc_frame_t frame, ssdc_page_t page)
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
 * Unnotified clean page -> clean page; no effect on any other page. The caller notifies the policy,
 * or else the page is about to become dirty or free.
 */
static inline void ssdc_clear_unnotified(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	if (likely(!(entry->flags & SSDC_E_UNNOTIFIED)))
		return;
	entry->flags &= ~SSDC_E_UNNOTIFIED;
	__clear_bit(ssdc_frame_nr(frame), e->dirty_frames);
	e->pass.unnotified--;
	e->pass.due -= ssdc_frame_nr(frame) < e->pass.cursor;
}

/* Clean page of no policy -> unmapped frame. The caller frees or reuses the frame. */
static inline void ssdc_unmap(struct ssdc_engine *e, ssdc_frame_t frame)
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

/* Sectors [from, from + nr) become valid; often these are all sectors of the page. */
static inline void ssdc_set_valid(struct ssdc_engine *e, ssdc_frame_t frame, u32 from, u32 nr)
{
	if (nr == e->tier.page_sectors)
		ssdc_mask_fill(ssdc_valid_mask(e, frame), e->mask_bytes);
	else
		ssdc_mask_set(ssdc_valid_mask(e, frame), from, nr);
}

/* Clean or dirty page -> dirty page: sectors [from, from + nr) become dirty. */
static inline void ssdc_set_dirty(struct ssdc_engine *e, ssdc_frame_t frame, u32 from, u32 nr)
{
	ssdc_mask_set(ssdc_dirty_mask(e, frame), from, nr);
	if (!(ssdc_entry_at(e, frame)->flags & SSDC_E_DIRTY))
		ssdc_becomes_dirty(e, frame);
}

static inline ssdc_page_t ssdc_page_of(const struct ssdc_engine *e, u64 sector)
{
	return ssdc_page(sector >> e->tier.page_shift);
}

static inline u64 ssdc_page_sector(const struct ssdc_engine *e, ssdc_page_t page)
{
	return ssdc_page_nr(page) << e->tier.page_shift;
}

/*
 * May the engine read the page of its own accord, and write back the data that it has read? Not if
 * the page lies beyond the end of the origin, and not if the page belongs to another shard, which
 * may have newer data.
 */
static inline bool ssdc_owns(const struct ssdc_engine *e, ssdc_page_t page)
{
	u64 sector = ssdc_page_sector(e, page);

	return sector < e->origin_sectors &&
		ssdc_shard_of(sector, e->region_shift, e->nr_shards) == e->shard;
}

/* The count of changes to the data of a frame while reads may be copying them. */
static inline u32 *ssdc_overwrites(struct ssdc_engine *e, ssdc_frame_t frame)
{
	return &e->overwrites[ssdc_frame_nr(frame) % SSDC_WAIT_BUCKETS];
}

/* The data of the frame are about to change: reads that are copying from it must copy again. */
static inline void ssdc_overtake_reads(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	if (entry->pins > entry->writers)
		++*ssdc_overwrites(e, frame);
	entry->hold_failed = entry->read_held;
}

/* Length of @page in sectors: fewer than page_sectors at the end of an odd-sized origin. */
static inline u32 ssdc_page_length(const struct ssdc_engine *e, ssdc_page_t page)
{
	u64 left = e->origin_sectors - ssdc_page_sector(e, page);

	return left < e->tier.page_sectors ? left : e->tier.page_sectors;
}

static inline void ssdc_queue_init(struct ssdc_queue *queue)
{
	queue->head = SSDC_NO_FRAME;
	queue->tail = SSDC_NO_FRAME;
}

static inline void ssdc_queue_push(struct ssdc_engine *e, struct ssdc_queue *queue,
				   ssdc_frame_t frame)
{
	ssdc_entry_at(e, frame)->queue_next = SSDC_NO_FRAME;
	if (queue->head == SSDC_NO_FRAME)
		queue->head = frame;
	else
		ssdc_entry_at(e, queue->tail)->queue_next = frame;
	queue->tail = frame;
}

/* Remove the head of @queue, which must not be empty. */
static inline ssdc_frame_t ssdc_queue_pop(struct ssdc_engine *e, struct ssdc_queue *queue)
{
	ssdc_frame_t frame = queue->head;

	queue->head = ssdc_entry_at(e, frame)->queue_next;
	if (queue->head == SSDC_NO_FRAME)
		queue->tail = SSDC_NO_FRAME;
	return frame;
}

/*
 * Take a free frame; there must be one. Frames that were never used go first, then the frame that
 * has been free longest. So, apart from twins (twin.c), the frame that a page gets depends on the
 * order of requests and on the order of completions, but not on how the two interleave. The kernel
 * and the simulator agree on decisions that depend on frame numbers.
 */
static inline ssdc_frame_t ssdc_frame_pop(struct ssdc_engine *e)
{
	ssdc_frame_t frame;

	e->nr_free--;
	if (e->nr_fresh < e->tier.nr_frames)
		return ssdc_frame(e->nr_fresh++);
	frame = ssdc_queue_pop(e, &e->free);
	/* The next page that enters will take the new head. */
	if (e->free.head != SSDC_NO_FRAME)
		prefetchw(ssdc_entry_at(e, e->free.head));
	return frame;
}

/* Unmapped frame -> free frame. */
static inline void ssdc_frame_push(struct ssdc_engine *e, ssdc_frame_t frame)
{
	ssdc_queue_push(e, &e->free, frame);
	e->nr_free++;
}

#endif /* SSDC_DIRECTORY_H */
