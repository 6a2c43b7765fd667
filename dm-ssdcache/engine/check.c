// SPDX-License-Identifier: GPL-2.0
/* Verify the engine's invariants, for tests. */
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include "engine.h"
#include "directory.h"
#include "prefetch.h"
#include "switch.h"
#include "view.h"

/* An SSDC_E_BEHIND victim is dirty, and no I/O of it is decided. */
#define BEHIND_FLAGS (SSDC_E_VICTIM | SSDC_E_DIRTY)
#define BEHIND_MASK (BEHIND_FLAGS | SSDC_E_FILL | SSDC_E_FLUSH | SSDC_E_WANT_FLUSH)

/* Unless a write is in progress, dirty sectors are valid. */
static bool dirty_is_valid(const struct ssdc_engine *e, ssdc_frame_t frame)
{
	u32 i;

	for (i = 0; i < e->mask_bytes; i++)
		if (ssdc_dirty_mask(e, frame)[i] & ~ssdc_valid_mask(e, frame)[i])
			return false;
	return true;
}

/* The entry's flags and masks and the directory agree. */
static bool entry_ok(const struct ssdc_engine *e, ssdc_frame_t frame)
{
	const struct ssdc_entry *entry = ssdc_entry(e, frame);
	bool is_dirty = entry->flags & SSDC_E_DIRTY;
	u32 length;

	if (!(entry->flags & SSDC_E_MAPPED))
		return !entry->flags && !entry->pins && !entry->prefetched;
	length = ssdc_page_length(e, entry->page);
	if (ssdc_lookup(e, entry->page) != frame ||
	    is_dirty != ssdc_mask_any(ssdc_dirty_mask(e, frame), 0, length) ||
	    (is_dirty || (entry->flags & SSDC_E_UNNOTIFIED)) !=
	     test_bit(ssdc_frame_nr(frame), e->dirty_frames))
		return false;
	if ((entry->flags & SSDC_E_UNNOTIFIED) && (is_dirty || !e->pass.active))
		return false;
	if ((entry->flags & SSDC_E_FLUSH) && !is_dirty)
		return false;
	if (!entry->writers && !dirty_is_valid(e, frame))
		return false;
	if ((entry->flags & SSDC_E_POLICY) && (entry->flags & SSDC_E_VICTIM))
		return false;
	if ((entry->flags & SSDC_E_BEHIND) && (entry->flags & BEHIND_MASK) != BEHIND_FLAGS)
		return false;
	if (!(entry->flags & (SSDC_E_POLICY | SSDC_E_VICTIM | SSDC_E_FILL)) && !entry->prefetched)
		return false;
	/* A flush starts as soon as it is wanted, unless a write or a fill is in progress. */
	return !(entry->flags & SSDC_E_WANT_FLUSH) || entry->writers ||
		(entry->flags & SSDC_E_FILL);
}

/* The engine's counts, recomputed from the entries. */
struct census {
	u32 used;
	u32 dirty;
	u32 flushing;
	u32 failed;
	u32 victims;
	u32 sync;
	u32 unnotified;
	u32 policy;
	u32 old_policy;
	u32 behind;
	u32 ahead;		/* victims with a successor in a serial batch */
	u32 prefetched;
};

static void count_entry(const struct ssdc_engine *e, const struct ssdc_entry *entry,
			struct census *n)
{
	n->used += !!(entry->flags & SSDC_E_MAPPED);
	n->dirty += !!(entry->flags & SSDC_E_DIRTY);
	n->flushing += !!(entry->flags & SSDC_E_FLUSH);
	n->failed += !!(entry->flags & SSDC_E_FAILED);
	n->victims += !!(entry->flags & SSDC_E_VICTIM);
	n->sync += !!(entry->flags & SSDC_E_SYNC);
	n->unnotified += !!(entry->flags & SSDC_E_UNNOTIFIED);
	n->behind += !!(entry->flags & SSDC_E_BEHIND);
	n->ahead += (entry->flags & SSDC_E_VICTIM) && entry->next != SSDC_NO_FRAME;
	n->prefetched += entry->prefetched;
	if (!(entry->flags & SSDC_E_POLICY))
		return;
	if (ssdc_entry_is_old(e, entry))
		n->old_policy++;
	else
		n->policy++;
}

static bool census_ok(const struct ssdc_engine *e, const struct census *n)
{
	return n->used == e->tier.used_pages && n->used + e->nr_free == e->tier.nr_frames &&
		n->dirty == e->tier.dirty_pages && n->flushing == e->flushing_pages &&
		n->failed == e->failed_pages && n->victims == e->nr_victims &&
		n->sync == e->pass.pending && n->unnotified == e->pass.unnotified &&
		n->policy == e->replacement->pages &&
		n->old_policy == (e->draining ? e->draining->pages : 0) &&
		n->behind == n->ahead && n->prefetched == e->prefetched.count &&
		e->granted <= e->nr_free;
}

/**
 * ssdc_engine_check() - verify all invariants, those of the plug-ins included
 * @e: engine
 *
 * For tests only: takes time in proportion to the number of frames.
 *
 * Return: 0 or -EUCLEAN.
 */
int ssdc_engine_check(const struct ssdc_engine *e)
{
	struct census n = {};
	u32 i;
	int r;

	for (i = 0; i < e->tier.nr_frames; i++) {
		if (!entry_ok(e, ssdc_frame(i)))
			return -EUCLEAN;
		count_entry(e, &e->entries[i], &n);
	}
	if (!census_ok(e, &n) || !ssdc_units_ok(e) || !ssdc_prefetch_ok(e))
		return -EUCLEAN;
	r = ssdc_replacement_type(e->replacement)->check(e->replacement);
	if (!r && e->draining)
		r = ssdc_replacement_type(e->draining)->check(e->draining);
	if (!r && ssdc_admission_type(e->admission)->check)
		r = ssdc_admission_type(e->admission)->check(e->admission);
	if (!r && ssdc_prefetch_type(e->prefetch)->check)
		r = ssdc_prefetch_type(e->prefetch)->check(e->prefetch);
	return r;
}
