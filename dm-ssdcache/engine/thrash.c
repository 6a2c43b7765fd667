// SPDX-License-Identifier: GPL-2.0
/*
 * Cache thrashing, as S000 (section 2.2) counts it: "a specific data page is kept in the
 * SSD cache, while its address … neighboring … cached item is evicted out and loaded into
 * the cache again". So: a page enters that was evicted before, and a page at most
 * NEAR_PAGES away (the gap that S000 takes for adjacent) has been cached all that time.
 *
 *	pages	 90   91   92   93
 *		  *    *    *    *	cached
 *		  *	    *    *	91 is evicted
 *		  *   91!   *    *	and enters again: one event
 *
 * Which pages were evicted is remembered for as many evictions as there are frames (in
 * the simulator, if it is asked to, several times as many), in a ring that a hash finds
 * them in. Pages that come back later are not counted, nor are S000's "nearby frequently
 * accessed" pages, for which it gives no measure. Hits cost nothing; 16 bytes per frame.
 *
 * Page numbers are kept by their low 32 bits: 16 TiB apart two of 4 KiB look the same.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include "internal.h"

#define NEAR_PAGES 4
#define NONE U32_MAX

static u32 nr_buckets(u64 nr_frames)
{
	return rounddown_pow_of_two(nr_frames);
}

/* Memory that it takes. */
u64 ssdc_thrash_bytes(u64 nr_frames)
{
	return nr_frames * (sizeof(struct ssdc_evicted) + sizeof(u32)) +
		nr_buckets(nr_frames) * sizeof(u32);
}

/*
 * To be freed by ssdc_thrash_free(), also after a failure. It remembers @span times as many
 * evictions as there are frames, fewer than 2^32. 0 or -ENOMEM.
 */
int ssdc_thrash_alloc(struct ssdc_engine *e, u32 span)
{
	struct ssdc_thrash *t = &e->thrash;
	u32 buckets = nr_buckets(e->nr_frames), i;

	t->slots = e->nr_frames * span;
	t->ring = kvcalloc(t->slots, sizeof(*t->ring), GFP_KERNEL | __GFP_NOWARN);
	t->entered = kvcalloc(e->nr_frames, sizeof(*t->entered), GFP_KERNEL | __GFP_NOWARN);
	t->buckets = kvcalloc(buckets, sizeof(*t->buckets), GFP_KERNEL | __GFP_NOWARN);
	if (!t->ring || !t->entered || !t->buckets)
		return -ENOMEM;
	for (i = 0; i < buckets; i++)
		t->buckets[i] = NONE;
	t->shift = 32 - ilog2(buckets);
	return 0;
}

void ssdc_thrash_free(struct ssdc_engine *e)
{
	kvfree(e->thrash.buckets);
	kvfree(e->thrash.entered);
	kvfree(e->thrash.ring);
}

static u32 *bucket_of(const struct ssdc_thrash *t, u32 page)
{
	return &t->buckets[(page * 0x9E3779B9u) >> t->shift];
}

/* The oldest eviction is the last one of its chain, unless its page was evicted again. */
static void forget_oldest(struct ssdc_thrash *t)
{
	u32 *link = bucket_of(t, t->ring[t->at].page);

	while (*link != t->at && *link != NONE)
		link = &t->ring[*link].next;
	*link = NONE;
}

/*
 * Of a page only the last eviction counts. The one before leaves the chain, which would
 * grow as long as the ring if few pages are evicted again and again.
 */
static void forget_page(struct ssdc_thrash *t, u32 page)
{
	u32 *link = bucket_of(t, page);

	while (*link != NONE && t->ring[*link].page != page)
		link = &t->ring[*link].next;
	if (*link != NONE)
		*link = t->ring[*link].next;
}

/* A victim, clean or dirty, leaves its policy. */
void ssdc_thrash_evicted(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_thrash *t = &e->thrash;
	struct ssdc_evicted *slot = &t->ring[t->at];
	u32 page = ssdc_page_nr(ssdc_entry(e, frame)->page);
	u32 *bucket = bucket_of(t, page);

	if (t->evicted >= t->slots)
		forget_oldest(t);
	forget_page(t, page);
	slot->page = page;
	slot->next = *bucket;
	*bucket = t->at;
	t->evicted++;
	if (++t->at == t->slots)
		t->at = 0;
}

/* Was the page @nr places away there before eviction number @before, and is it still? */
static bool stayed(const struct ssdc_engine *e, u64 page, int nr, u32 before)
{
	ssdc_frame_t frame;

	if (nr < 0 && page < (u64)-nr)
		return false;
	frame = ssdc_lookup(e, ssdc_page(page + nr));
	return frame != SSDC_NO_FRAME && (ssdc_entry(e, frame)->flags & SSDC_E_POLICY) &&
		(s32)(before - e->thrash.entered[ssdc_frame_nr(frame)]) >= 0;
}

/* A page enters for a host request. */
void ssdc_thrash_entered(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_thrash *t = &e->thrash;
	u64 page = ssdc_page_nr(ssdc_entry(e, frame)->page);
	u32 slot = *bucket_of(t, page), before;
	int nr;

	t->entered[ssdc_frame_nr(frame)] = t->evicted;
	while (slot != NONE && t->ring[slot].page != (u32)page)
		slot = t->ring[slot].next;
	if (slot == NONE)
		return;
	before = t->evicted - (slot < t->at ? t->at - slot : t->at + t->slots - slot);
	for (nr = -NEAR_PAGES; nr <= NEAR_PAGES; nr++) {
		if (nr && stayed(e, page, nr, before)) {
			e->stats.thrash_events++;
			return;
		}
	}
}
