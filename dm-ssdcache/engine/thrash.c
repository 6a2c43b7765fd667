// SPDX-License-Identifier: GPL-2.0
/*
 * Cache thrashing, as [Sha23] (section 2.2) counts it: "a specific data page is kept in the
 * SSD cache, while its address … neighboring … cached item is evicted out and loaded into
 * the cache again". So: a page enters that was evicted before, and a page at most
 * NEAR_PAGES away (the gap that [Sha23] takes for adjacent) has been cached all that time.
 *
 *	pages	 90   91   92   93
 *		  *    *    *    *	cached
 *		  *	    *    *	91 is evicted
 *		  *   91!   *    *	and enters again: one event
 *
 * A table of as many slots as there are frames (in the simulator, if it is asked to, several
 * times as many) remembers which pages were evicted, and when, for at most so many evictions.
 * It is cut into sets of WAYS slots, of which a page's hash names one; from a full set a new
 * eviction, which goes to its front, drives out the oldest. Pages that come back later are
 * not counted, nor are the "nearby frequently accessed" pages of [Sha23], for which it gives no
 * measure. Hits cost nothing; 6 bytes per frame.
 *
 * Set and fingerprint are the high bits of the page's number, of which the low 32 bits count,
 * times the golden ratio. Such products of near numbers are far from each other: from 4096
 * slots on, no two pages less than 2^24 apart look the same; from 512 on, 2^19.
 *
 * Time is counted in evictions; with more than MAX_TICKS slots in twos, fours, … of them,
 * and what happened during the same ones counts as having happened at the same time (with
 * four: 7112 events instead of 7103 of 210983 evictions).
 *
 * Floor of wait.c, switch.c and thrash.c: calls the directory.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include "directory.h"
#include "thrash.h"

#define NEAR_PAGES	4
#define WAYS		8u

/* An age reaches at most twice that before it is clamped, and so fits in 16 bits. */
#define MAX_TICKS	16384u

/* Memory that it takes. */
u64 ssdc_thrash_bytes(u64 nr_frames)
{
	return nr_frames * sizeof(u16) + round_down(nr_frames, WAYS) * sizeof(struct ssdc_evicted);
}

/*
 * To be freed by ssdc_thrash_free(), also after a failure. It remembers @span times as many
 * evictions as there are frames, fewer than 2^32. 0 or -ENOMEM.
 */
int ssdc_thrash_alloc(struct ssdc_engine *e, u32 span)
{
	struct ssdc_thrash *t = &e->thrash;

	t->nr_slots = round_down(e->tier.nr_frames * span, WAYS);
	t->slots = kvcalloc(t->nr_slots, sizeof(*t->slots), GFP_KERNEL | __GFP_NOWARN);
	t->entered = kvcalloc(e->tier.nr_frames, sizeof(*t->entered), GFP_KERNEL | __GFP_NOWARN);
	if (!t->slots || !t->entered)
		return -ENOMEM;
	while (t->nr_slots >> t->grain > MAX_TICKS)
		t->grain++;
	t->memory = t->nr_slots >> t->grain;
	/* Slots of all zero are older than what counts. */
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

/* What is too old to count stays that old: its age must not overflow. */
static u16 clamped(const struct ssdc_thrash *t, u16 time)
{
	return age_of(t, time) > t->memory ? t->now - t->memory - 1 : time;
}

/* Per eviction one frame and one slot: all of them within as many as are remembered. */
static void expire_some(struct ssdc_engine *e)
{
	struct ssdc_thrash *t = &e->thrash;
	struct ssdc_evicted *slot = &t->slots[t->slot_hand];
	u16 *entered = &t->entered[t->frame_hand];

	slot->time = clamped(t, slot->time);
	*entered = clamped(t, *entered);
	if (++t->slot_hand == t->nr_slots)
		t->slot_hand = 0;
	if (++t->frame_hand == e->tier.nr_frames)
		t->frame_hand = 0;
}

static struct ssdc_evicted *set_of(const struct ssdc_thrash *t, u64 page, u16 *print)
{
	u64 hash = (u64)((u32)page * 0x9E3779B9u) * (t->nr_slots / WAYS);

	*print = (u32)hash >> 16;
	return &t->slots[(hash >> 32) * WAYS];
}

/* A victim, clean or dirty, leaves its policy: the newest of its set, and there only once. */
void ssdc_thrash_evicted(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_thrash *t = &e->thrash;
	struct ssdc_evicted slot = { .time = t->now };
	struct ssdc_evicted *set = set_of(t, ssdc_page_nr(ssdc_entry(e, frame)->page), &slot.print);
	u16 print = slot.print;
	unsigned int i;

	for (i = 0; i < WAYS; i++) {
		swap(set[i], slot);
		if (slot.print == print)
			break;
	}
	t->evicted++;
	t->now = t->evicted >> t->grain;
	expire_some(e);
}

/* Was the page @nr places away there @age ago, and is it still? */
static bool stayed(const struct ssdc_engine *e, u64 page, int nr, u16 age)
{
	ssdc_frame_t frame;

	if (nr < 0 && page < (u64)-nr)
		return false;
	frame = ssdc_lookup(e, ssdc_page(page + nr));
	return frame != SSDC_NO_FRAME && (ssdc_entry(e, frame)->flags & SSDC_E_POLICY) &&
		age_of(&e->thrash, e->thrash.entered[ssdc_frame_nr(frame)]) >= age;
}

/* The page was evicted @age ago: does that count? */
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

/* A page enters for a host request. */
void ssdc_thrash_entered(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_thrash *t = &e->thrash;
	u64 page = ssdc_page_nr(ssdc_entry(e, frame)->page);
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
