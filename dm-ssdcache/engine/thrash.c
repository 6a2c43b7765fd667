// SPDX-License-Identifier: GPL-2.0
/*
 * Cache thrashing as defined in [Sha23], section 2.2: "a specific data page is kept in the SSD
 * cache, while its address … neighboring … cached item is evicted out and loaded into the cache
 * again". A thrash event is the return of an evicted page while a page at most NEAR_PAGES away
 * ([Sha23]'s gap between adjacent pages) stayed cached all that time.
 *
 *	pages	 90   91   92   93
 *		  *    *    *    *	cached
 *		  *	    *    *	91 is evicted
 *		  *   91!   *    *	and enters again: one event
 *
 * A set-associative table remembers the latest evictions, as many as the tier has pages (the
 * simulator can ask for a multiple). A page's hash selects a set of SSDC_SLOTS slots; a new
 * eviction goes to the front of its set and pushes out the oldest. A page that returns after it has
 * been pushed out is not counted. Nor are the paper's "nearby frequently accessed" pages, for which
 * the paper gives no number. The table costs 4 bytes per page of the tier and 2 per frame, and
 * nothing on a hit.
 *
 * The low 32 bits of the page number are multiplied by the golden ratio; the high bits of the
 * product are the set and the fingerprint. The products of nearby numbers are far apart: two pages
 * less than 2^24 apart are never confused (2^19 with fewer than 4096 but at least 512 slots).
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

/*
 * Each set is aged once per 2 * MAX_TICKS units of time, each frame as rarely as ages of 16 bits
 * allow.
 */
#define MAX_TICKS	16384u
#define MAX_FRAMES	256u	/* frames that one call of ssdc_thrash_expire() ages */

/* Bytes that ssdc_thrash_alloc() allocates with a span of 1. */
u64 ssdc_thrash_bytes(u64 pages, u64 nr_frames)
{
	return nr_frames * sizeof(u16) + pages / SSDC_SLOTS * sizeof(struct ssdc_evicted_set);
}

/* Frames to age per call, so that each frame is aged again before its clamped age overflows. */
static u32 frames_per_call(const struct ssdc_thrash *t, u32 nr_frames)
{
	u64 evictions = (u64)(U16_MAX - t->memory - 2) << t->grain;
	u64 calls = evictions / SSDC_THRASH_EXPIRE - 1;

	return calls < nr_frames ? DIV_ROUND_UP(nr_frames, (u32)calls) : 1;
}

/*
 * Allocate the table, for @span * capacity evictions, fewer than 2^32. May sleep. Returns 0 or
 * -ENOMEM; call ssdc_thrash_free() in either case.
 */
int ssdc_thrash_alloc(struct ssdc_engine *e, u32 span)
{
	struct ssdc_thrash *t = &e->thrash;
	u32 nr_slots = round_down(e->tier.capacity * span, SSDC_SLOTS);

	t->nr_sets = nr_slots / SSDC_SLOTS;
	t->sets = ssdc_alloc_array(t->nr_sets, sizeof(*t->sets));
	t->entered = ssdc_alloc_array(e->tier.nr_frames, sizeof(*t->entered));
	if (!t->sets || !t->entered)
		return -ENOMEM;
	while (nr_slots >> t->grain > MAX_TICKS)
		t->grain++;
	t->memory = nr_slots >> t->grain;
	/* If the reserve is far larger than the tier, as in some simulations, time is coarser. */
	while (frames_per_call(t, e->tier.nr_frames) > MAX_FRAMES && t->memory > 1) {
		t->grain++;
		t->memory = nr_slots >> t->grain;
	}
	t->frames_per_call = min(frames_per_call(t, e->tier.nr_frames), MAX_FRAMES);
	/* Zeroed slots are too old to count. */
	t->now = t->memory + 1;
	t->evicted = (u64)t->now << t->grain;
	return 0;
}

void ssdc_thrash_free(struct ssdc_engine *e)
{
	kvfree(e->thrash.entered);
	kvfree(e->thrash.sets);
}

static u16 age_of(const struct ssdc_thrash *t, u16 time)
{
	return t->now - time;
}

/*
 * Clamp a time that is too old to count: it becomes just too old, so that its age never overflows.
 */
static u16 clamped(const struct ssdc_thrash *t, u16 time)
{
	return age_of(t, time) > t->memory ? t->now - t->memory - 1 : time;
}

static u64 clamped_word(const struct ssdc_thrash *t, u64 times)
{
	u64 word = 0;
	unsigned int bit;

	for (bit = 0; bit < 64; bit += SSDC_SLOT_BITS)
		word |= (u64)clamped(t, times >> bit) << bit;
	return word;
}

/*
 * Clamp the times of one set, and of a few frames. The function is called once per
 * SSDC_THRASH_EXPIRE evictions, which is twice the number of slots of a set. So it reaches each
 * time before its age overflows.
 */
void ssdc_thrash_expire(struct ssdc_engine *e)
{
	struct ssdc_thrash *t = &e->thrash;
	struct ssdc_slots *times = &t->sets[t->set_hand].times;
	u32 i, end = min(t->frame_hand + t->frames_per_call, e->tier.nr_frames);

	for (i = 0; i < ARRAY_SIZE(times->words); i++)
		times->words[i] = clamped_word(t, times->words[i]);
	if (++t->set_hand == t->nr_sets)
		t->set_hand = 0;
	for (i = t->frame_hand; i < end; i++)
		t->entered[i] = clamped(t, t->entered[i]);
	t->frame_hand = end < e->tier.nr_frames ? end : 0;
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

/* A page enters that was evicted at @time. */
void ssdc_thrash_found(struct ssdc_engine *e, u64 page, u16 time)
{
	e->stats.thrash_events += thrashes(e, page, age_of(&e->thrash, time));
}
