// SPDX-License-Identifier: GPL-2.0
/*
 * Cache thrashing as defined in [Sha23], section 2.2: "a specific data page is kept in the SSD
 * cache, while its address … neighboring … cached item is evicted out and loaded into the cache
 * again". A thrash event is a page that was evicted and enters again, while a page at most
 * NEAR_PAGES away ([Sha23]'s gap between adjacent pages) was cached all that time.
 *
 *	pages	 90   91   92   93
 *		  *    *    *    *	cached
 *		  *	    *    *	91 is evicted
 *		  *   91!   *    *	and enters again: one event
 *
 * A set-associative table remembers the latest evictions, as many as the tier has pages (the
 * simulator can ask for a multiple). A page's hash selects a set of WAYS slots; a new eviction
 * goes to the front of its set and pushes out the oldest. A page that returns later than that is
 * not counted. Neither are the paper's "nearby frequently accessed" pages, which it does not
 * quantify. The table costs 4 bytes per page of the tier and 2 per frame, and
 * nothing on a hit.
 *
 * Set and fingerprint are the high bits of the page number's low 32 bits times the golden ratio.
 * The products of nearby numbers are far apart: two pages less than 2^24 apart are never
 * confused (2^19 with fewer than 4096 but at least 512 slots).
 *
 * Time is counted in evictions or, with more than MAX_TICKS slots, in groups of 2, 4, … of them.
 * Evictions of one group count as simultaneous (with groups of four: 7112 events instead of 7103
 * in 210983 evictions).
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "../base/alloc.h"
#include "directory.h"
#include "thrash.h"

#define NEAR_PAGES	4
#define WAYS		8u

/* Ages reach at most three times this before they are clamped, so 16 bits suffice. */
#define MAX_TICKS	16384u

/* Bytes that ssdc_thrash_alloc() allocates with a span of 1. */
u64 ssdc_thrash_bytes(u64 pages, u64 nr_frames)
{
	return nr_frames * sizeof(u16) + round_down(pages, WAYS) * sizeof(struct ssdc_evicted);
}

/*
 * Allocate the table, for @span * capacity evictions, fewer than 2^32. May sleep. Returns 0 or
 * -ENOMEM; call ssdc_thrash_free() in either case.
 */
int ssdc_thrash_alloc(struct ssdc_engine *e, u32 span)
{
	struct ssdc_thrash *t = &e->thrash;

	t->nr_slots = round_down(e->tier.capacity * span, WAYS);
	t->slots = ssdc_alloc_array(t->nr_slots, sizeof(*t->slots));
	t->entered = ssdc_alloc_array(e->tier.nr_frames, sizeof(*t->entered));
	if (!t->slots || !t->entered)
		return -ENOMEM;
	t->frames_per_slot = DIV_ROUND_UP(e->tier.nr_frames, 2 * t->nr_slots);
	while (t->nr_slots >> t->grain > MAX_TICKS)
		t->grain++;
	t->memory = t->nr_slots >> t->grain;
	/* Zeroed slots are too old to count. */
	t->now = t->memory + 1;
	t->evicted = (u64)t->now << t->grain;
	return 0;
}

void ssdc_thrash_free(struct ssdc_engine *e)
{
	kvfree(e->thrash.entered);
	kvfree(e->thrash.slots);
}

static u16 age_of(const struct ssdc_thrash *t, u16 time)
{
	return t->now - time;
}

/* Keep a time that is too old to count just too old, so that its age never overflows. */
static u16 clamped(const struct ssdc_thrash *t, u16 time)
{
	return age_of(t, time) > t->memory ? t->now - t->memory - 1 : time;
}

/*
 * Clamp the times of one slot, and of as many frames as it takes to see each of them while all
 * slots are seen twice: one in the kernel. Called per eviction, this reaches each time before its
 * age overflows.
 */
static void expire_some(struct ssdc_engine *e)
{
	struct ssdc_thrash *t = &e->thrash;
	struct ssdc_evicted *slot = &t->slots[t->slot_hand];
	u32 i;

	slot->time = clamped(t, slot->time);
	if (++t->slot_hand == t->nr_slots)
		t->slot_hand = 0;
	for (i = 0; i < t->frames_per_slot; i++) {
		u16 *entered = &t->entered[t->frame_hand];

		*entered = clamped(t, *entered);
		if (++t->frame_hand == e->tier.nr_frames)
			t->frame_hand = 0;
	}
}

/* The set of a page, and its fingerprint. */
static struct ssdc_evicted *set_of(const struct ssdc_thrash *t, u64 page, u16 *print)
{
	u64 hash = (u64)((u32)page * 0x9E3779B9u) * (t->nr_slots / WAYS);

	*print = (u32)hash >> 16;
	return &t->slots[(hash >> 32) * WAYS];
}

/* A victim, clean or dirty, leaves its policy: remember it, once, as the newest of its set. */
void ssdc_thrash_evicted(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_thrash *t = &e->thrash;
	struct ssdc_evicted slot = { .time = t->now };
	u64 page = ssdc_page_nr(ssdc_entry_at(e, frame)->page);
	struct ssdc_evicted *set = set_of(t, page, &slot.print);
	unsigned int i;

	/* Nearly always the page is not in its set, and the oldest slot goes. */
	for (i = 0; i < WAYS - 1; i++)
		if (set[i].print == slot.print)
			break;
	if (likely(i == WAYS - 1))
		memmove(&set[1], &set[0], (WAYS - 1) * sizeof(*set));
	else
		memmove(&set[1], &set[0], i * sizeof(*set));
	set[0] = slot;
	t->evicted++;
	t->now = t->evicted >> t->grain;
	expire_some(e);
}

/* Has the page @nr pages away been in a policy for at least @age? */
static bool stayed(const struct ssdc_engine *e, u64 page, int nr, u16 age)
{
	ssdc_frame_t frame;

	if (nr < 0 && page < (u64)-nr)
		return false;
	frame = ssdc_lookup(e, ssdc_page(page + nr));
	return frame != SSDC_NO_FRAME && (ssdc_entry_at(e, frame)->flags & SSDC_E_POLICY) &&
		age_of(&e->thrash, e->thrash.entered[ssdc_frame_nr(frame)]) >= age;
}

/* Is the return of a page that was evicted @age ago a thrash event? */
static bool thrashes(const struct ssdc_engine *e, u64 page, u16 age)
{
	int nr;

	if (age > e->thrash.memory)
		return false;
	for (nr = -NEAR_PAGES; nr <= NEAR_PAGES; nr++)
		if (nr && stayed(e, page, nr, age))
			return true;
	return false;
}

/* A page enters the policy because of a host request. */
void ssdc_thrash_entered(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_thrash *t = &e->thrash;
	u64 page = ssdc_page_nr(ssdc_entry_at(e, frame)->page);
	const struct ssdc_evicted *set;
	unsigned int i;
	u16 print;

	t->entered[ssdc_frame_nr(frame)] = t->now;
	set = set_of(t, page, &print);
	for (i = 0; i < WAYS; i++) {
		if (set[i].print != print)
			continue;
		e->stats.thrash_events += thrashes(e, page, age_of(t, set[i].time));
		break;
	}
}
