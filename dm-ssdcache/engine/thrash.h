/* SPDX-License-Identifier: GPL-2.0 */
/*
 * thrash.c: count evicted pages that enter again. The code that runs for every page that enters or
 * leaves is inline.
 */
#ifndef SSDC_THRASH_H
#define SSDC_THRASH_H

#include <linux/kernel.h>
#include "state.h"

/* Evictions per call of ssdc_thrash_expire(). */
#define SSDC_THRASH_EXPIRE	(2 * SSDC_SLOTS)

u64 ssdc_thrash_bytes(u64 pages, u64 nr_frames);
int ssdc_thrash_alloc(struct ssdc_engine *e, u32 span);
void ssdc_thrash_free(struct ssdc_engine *e);
void ssdc_thrash_expire(struct ssdc_engine *e);
void ssdc_thrash_found(struct ssdc_engine *e, u64 page, u16 time);

/* The set of a page, and its fingerprint. */
static inline struct ssdc_evicted_set *ssdc_thrash_set(const struct ssdc_thrash *t, u64 page,
						       u16 *print)
{
	u64 hash = (u64)((u32)page * 0x9E3779B9u) * t->nr_sets;

	*print = (u32)hash >> 16;
	return &t->sets[hash >> 32];
}

/* A victim, clean or dirty, leaves its policy: remember its page once, as the newest of its set. */
static inline void ssdc_thrash_evicted(struct ssdc_engine *e, ssdc_page_t page)
{
	struct ssdc_thrash *t = &e->thrash;
	struct ssdc_evicted_set *set;
	unsigned int last;
	u16 print;

	set = ssdc_thrash_set(t, ssdc_page_nr(page), &print);
	last = ssdc_slots_find(&set->prints, print);
	/* Nearly always, the page is not in its set, and the set's oldest page is forgotten. */
	if (likely(last == SSDC_SLOTS)) {
		ssdc_slots_push(&set->prints, print, SSDC_SLOTS - 1);
		ssdc_slots_push(&set->times, t->now, SSDC_SLOTS - 1);
	} else {
		ssdc_slots_push(&set->prints, print, last);
		ssdc_slots_push(&set->times, t->now, last);
	}
	t->now = ++t->evicted >> t->grain;
	if (!(t->evicted % SSDC_THRASH_EXPIRE))
		ssdc_thrash_expire(e);
}

/* A page enters the policy because of a host request. */
static inline void ssdc_thrash_entered(struct ssdc_engine *e, ssdc_frame_t frame, ssdc_page_t page)
{
	struct ssdc_thrash *t = &e->thrash;
	const struct ssdc_evicted_set *set;
	unsigned int slot;
	u16 print;

	t->entered[ssdc_frame_nr(frame)] = t->now;
	set = ssdc_thrash_set(t, ssdc_page_nr(page), &print);
	slot = ssdc_slots_find(&set->prints, print);
	if (unlikely(slot < SSDC_SLOTS))
		ssdc_thrash_found(e, ssdc_page_nr(page), ssdc_slots_get(&set->times, slot));
}

#endif /* SSDC_THRASH_H */
