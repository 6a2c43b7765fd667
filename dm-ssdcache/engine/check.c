// SPDX-License-Identifier: GPL-2.0
/* Verify the engine's invariants, for tests. */
#include <linux/bitmap.h>
#include <linux/kernel.h>
#include "engine.h"
#include "directory.h"
#include "prefetch.h"
#include "stable.h"
#include "switch.h"
#include "twin.h"
#include "view.h"

/* Of these flags, an SSDC_E_BEHIND victim has SSDC_E_VICTIM only: none of its I/O is decided. */
#define BEHIND_MASK (SSDC_E_VICTIM | SSDC_E_FILL | SSDC_E_FLUSH | SSDC_E_WANT_FLUSH)

/* Dirty sectors are valid, unless a write is in progress. */
static bool dirty_is_valid(const struct ssdc_engine *e, ssdc_frame_t frame)
{
	u32 i;

	for (i = 0; i < e->mask_bytes; i++)
		if (ssdc_dirty_mask(e, frame)[i] & ~ssdc_valid_mask(e, frame)[i])
			return false;
	return true;
}

/* Returns what is wrong with a page that is in the directory, or NULL. */
static const char *mapped_flaw(const struct ssdc_engine *e, ssdc_frame_t frame)
{
	const struct ssdc_entry *entry = ssdc_entry_at(e, frame);
	bool is_dirty = entry->flags & SSDC_E_DIRTY;
	bool is_unnotified = entry->flags & SSDC_E_UNNOTIFIED;

	if (ssdc_lookup(e, entry->page) != frame)
		return "the directory does not find it";
	if (is_dirty != ssdc_mask_any(ssdc_dirty_mask(e, frame), 0,
				      ssdc_page_length(e, entry->page)))
		return is_dirty ? "SSDC_E_DIRTY is set, and no sector is dirty" :
				  "SSDC_E_DIRTY is clear, and a sector is dirty";
	if ((is_dirty || is_unnotified) != test_bit(ssdc_frame_nr(frame), e->dirty_frames))
		return "its bit in dirty_frames disagrees with SSDC_E_DIRTY and SSDC_E_UNNOTIFIED";
	if (is_unnotified && is_dirty)
		return "SSDC_E_UNNOTIFIED and SSDC_E_DIRTY are both set";
	if (is_unnotified && !e->pass.active)
		return "SSDC_E_UNNOTIFIED is set, and no sync pass is running";
	if ((entry->flags & SSDC_E_FLUSH) && !is_dirty)
		return "SSDC_E_FLUSH is set without SSDC_E_DIRTY";
	if (ssdc_has_twin(e, frame) && !is_dirty)
		return "it has a twin, and is not dirty";
	if (ssdc_has_twin(e, frame) && (entry->flags & (SSDC_E_FLUSH | SSDC_E_FILL)))
		return "it has a twin, and SSDC_E_FLUSH or SSDC_E_FILL is set";
	if (!entry->writers && !dirty_is_valid(e, frame))
		return "a dirty sector is not valid";
	if (entry->read_held && entry->pins == entry->writers)
		return "a read holds up writes, and none is copying";
	if ((entry->flags & SSDC_E_POLICY) && (entry->flags & SSDC_E_VICTIM))
		return "SSDC_E_POLICY and SSDC_E_VICTIM are both set";
	if ((entry->flags & SSDC_E_BEHIND) && (entry->flags & BEHIND_MASK) != SSDC_E_VICTIM)
		return "SSDC_E_BEHIND is set, and it is no victim at rest";
	if (!(entry->flags & (SSDC_E_POLICY | SSDC_E_VICTIM)) && !entry->prefetched)
		return "it belongs to no policy and is neither victim nor prefetched";
	if ((entry->flags & (SSDC_E_POLICY | SSDC_E_DIRTY | SSDC_E_FILL | SSDC_E_UNREAD)) ==
	    SSDC_E_POLICY &&
	    !ssdc_mask_any(ssdc_valid_mask(e, frame), 0, ssdc_page_length(e, entry->page)))
		return "it is clean and not being filled, and no sector is valid";
	if ((entry->flags & SSDC_E_UNREAD) &&
	    ((entry->flags & (SSDC_E_DIRTY | SSDC_E_FILL)) ||
	     !((entry->flags & SSDC_E_VICTIM) ? entry->flags & SSDC_E_BEHIND : e->host_reads)))
		return "SSDC_E_UNREAD is set, and no read will fill it";
	if (!(entry->flags & (SSDC_E_VICTIM | SSDC_E_DIRTY)) && ssdc_may_be_lost(e, entry))
		return "it is clean, and a failed FLUSH may have lost what was written";
	/* A wanted flush has begun, unless something is in the way. */
	if ((entry->flags & SSDC_E_WANT_FLUSH) && !entry->writers && !ssdc_has_twin(e, frame) &&
	    !(entry->flags & SSDC_E_FILL) && list_empty(&e->discards))
		return "SSDC_E_WANT_FLUSH is set, and nothing is in the way of the flush";
	return NULL;
}

/* Check that the entry's flags, its masks and the directory agree. */
static int entry_check(const struct ssdc_engine *e, ssdc_frame_t frame,
		       struct ssdc_error *finding)
{
	const struct ssdc_entry *entry = ssdc_entry_at(e, frame);
	const char *flaw;

	if (!(entry->flags & SSDC_E_MAPPED)) {
		/* census_check() makes sure that only twins have SSDC_E_SYNC or pins. */
		if (!(entry->flags & ~SSDC_E_SYNC) && entry->pins <= 1 && !entry->prefetched)
			return 0;
		return ssdc_finding(finding, "free frame %u has flags 0x%x, %u pins, prefetched %u",
				    ssdc_frame_nr(frame), entry->flags, entry->pins,
				    entry->prefetched);
	}
	flaw = mapped_flaw(e, frame);
	if (!flaw)
		return 0;
	return ssdc_finding(finding, "frame %u (page %llu, flags 0x%x): %s", ssdc_frame_nr(frame),
			    ssdc_page_nr(entry->page), entry->flags, flaw);
}

/* The engine's counts, recomputed from the entries. */
struct census {
	u32 used;
	u32 dirty;
	u32 flushing;
	u32 failed;
	u32 stuck;		/* pages whose flush failed and that are no victims */
	u32 victims;
	u32 sync;
	u32 unnotified;
	u32 due;
	u32 policy;
	u32 old_policy;
	u32 behind;
	u32 ahead;		/* victims with a successor */
	u32 prefetched;
	u32 twins;
	u32 used_twins;		/* unmapped frames with SSDC_E_SYNC or pins */
	u64 buffers;		/* sum of their numbers */
};

static bool is_twin_in_use(const struct ssdc_entry *entry)
{
	return !(entry->flags & SSDC_E_MAPPED) && (entry->flags || entry->pins);
}

/* Count the twin of a page with the page. */
static void count_twin(const struct ssdc_engine *e, ssdc_frame_t frame, struct census *n)
{
	if (!ssdc_has_twin(e, frame))
		return;
	n->twins++;
	n->used_twins -= is_twin_in_use(ssdc_entry_at(e, ssdc_twin_of(e, frame)));
}

static void count_entry(const struct ssdc_engine *e, const struct ssdc_entry *entry,
			struct census *n)
{
	ssdc_frame_t frame = ssdc_frame(entry - e->entries);

	n->used_twins += is_twin_in_use(entry);
	n->buffers += e->buffers[ssdc_frame_nr(frame)];
	if (entry->flags & SSDC_E_MAPPED)
		count_twin(e, frame, n);
	n->used += !!(entry->flags & SSDC_E_MAPPED);
	n->dirty += !!(entry->flags & SSDC_E_DIRTY);
	n->flushing += !!(entry->flags & SSDC_E_FLUSH);
	n->failed += !!(entry->flags & SSDC_E_FAILED);
	n->stuck += (entry->flags & (SSDC_E_FAILED | SSDC_E_VICTIM)) == SSDC_E_FAILED;
	n->victims += !!(entry->flags & SSDC_E_VICTIM);
	n->sync += !!(entry->flags & SSDC_E_SYNC);
	n->unnotified += !!(entry->flags & SSDC_E_UNNOTIFIED);
	n->due += (entry->flags & SSDC_E_UNNOTIFIED) && entry - e->entries < e->pass.cursor;
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

/* Victims of a long batch that wait to be accounted for, and not for another victim. */
static u32 waiting_victims(const struct ssdc_engine *e)
{
	const struct ssdc_leaving *l = &e->leaving;
	unsigned int i = l->joined && !l->linked ? 0 : l->next;
	u32 nr = 0;

	for (; i < l->nr; i++) {
		const struct ssdc_entry *entry = ssdc_entry_at(e, e->batch.frames[i]);

		nr += (entry->flags & SSDC_E_VICTIM) && (entry->flags & SSDC_E_BEHIND) &&
			entry->stamp == l->stamp && !(l->width && test_bit(i, l->behind));
	}
	return nr;
}

static int debts_check(const struct ssdc_engine *e, struct ssdc_error *finding)
{
	const struct ssdc_request *rq;
	u32 debts = 0;

	list_for_each_entry(rq, &e->debtors, debt_node) {
		if (!rq->debts)
			return ssdc_finding(finding, "a debtor has no debts");
		if (rq->phase != SSDC_RQ_FETCH && rq->phase != SSDC_RQ_PAGES)
			return ssdc_finding(finding, "a debtor is in phase %u", rq->phase);
		debts += rq->debts;
	}
	if (debts == e->nr_debts)
		return 0;
	return ssdc_finding(finding, "the debtors have %u debts, the count is %u", debts,
			    e->nr_debts);
}

static int census_check(const struct ssdc_engine *e, const struct census *n,
			struct ssdc_error *finding)
{
	const struct {
		const char *what;
		u32 counted;
		u32 count;
	} rows[] = {
		{ "used pages", n->used, e->tier.used_pages },
		{ "used pages, their twins and free frames", n->used + n->twins + e->nr_free,
		  e->tier.nr_frames },
		{ "twins", n->twins, e->nr_twins },
		{ "frames in use that are no page's and no twin's", n->used_twins, 0 },
		{ "dirty pages", n->dirty, e->tier.dirty_pages },
		{ "pages being flushed", n->flushing, e->flushing_pages },
		{ "pages whose flush failed", n->failed, e->failed_pages },
		{ "victims", n->victims, e->nr_victims },
		{ "victims whose flush failed", n->failed - n->stuck, e->failed_victims },
		{ "pages of the sync pass", n->sync, e->pass.pending },
		{ "unnotified pages", n->unnotified, e->pass.unnotified },
		{ "unnotified pages that the scan has passed", n->due, e->pass.due },
		{ "pages of the policy", n->policy, e->replacement->pages },
		{ "pages of the previous policy", n->old_policy,
		  e->draining ? e->draining->pages : 0 },
		{ "victims behind another one of their batch", n->behind,
		  n->ahead + waiting_victims(e) },
		{ "prefetched pages", n->prefetched, e->prefetched.count },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].counted != rows[i].count)
			return ssdc_finding(finding, "%s: entries show %u, the count is %u",
					    rows[i].what, rows[i].counted, rows[i].count);
	if (n->buffers != (u64)e->tier.nr_frames * (e->tier.nr_frames - 1) / 2)
		return ssdc_finding(finding, "two frames have the same buffer");
	/* The reserve is for victims on their way, and for pages that cannot be flushed. */
	if (n->used - n->victims - n->stuck > e->tier.capacity && !e->excess)
		return ssdc_finding(finding,
				    "%u pages stay, %u of them could not be flushed; room is for %u",
				    n->used - n->victims, n->stuck, e->tier.capacity);
	if (e->nr_debts > e->nr_victims)
		return ssdc_finding(finding, "requests have %u debts, %u victims are to pay them",
				    e->nr_debts, e->nr_victims);
	if (e->granted > e->nr_free)
		return ssdc_finding(finding, "%u frames are set aside for requests, %u are free",
				    e->granted, e->nr_free);
	return 0;
}

/* Put the plug-in's kind and name in front of the finding of its check(). */
static int named(const struct ssdc_plugin *plugin, int r, struct ssdc_error *finding)
{
	struct ssdc_error said;

	if (!r)
		return 0;
	said = *finding;
	ssdc_finding(finding, "%s \"%s\": %s", ssdc_kind_name(plugin->type->kind),
		     plugin->type->info.name, said.text);
	return r;
}

static int policy_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	return named(&r->plugin, ssdc_replacement_ops(r)->check(r, finding), finding);
}

static int admission_check(const struct ssdc_admission *a, struct ssdc_error *finding)
{
	if (!ssdc_admission_ops(a)->check)
		return 0;
	return named(&a->plugin, ssdc_admission_ops(a)->check(a, finding), finding);
}

static int prefetcher_check(const struct ssdc_prefetch *p, struct ssdc_error *finding)
{
	if (!ssdc_prefetch_ops(p)->check)
		return 0;
	return named(&p->plugin, ssdc_prefetch_ops(p)->check(p, finding), finding);
}

/**
 * ssdc_engine_check() - verify all invariants, including those of plug-ins
 * @e: engine
 * @finding: filled in on failure: what is wrong, in words
 *
 * For tests only: takes time in proportion to the number of frames.
 *
 * Return: 0 or -EUCLEAN.
 */
int ssdc_engine_check(const struct ssdc_engine *e, struct ssdc_error *finding)
{
	struct census n = {};
	int r = 0;
	u32 i;

	/* The check() of a plug-in may return an error and give no reason. */
	ssdc_finding(finding, "no reason given");
	for (i = 0; i < e->tier.nr_frames && !r; i++) {
		r = entry_check(e, ssdc_frame(i), finding);
		count_entry(e, &e->entries[i], &n);
	}
	if (!r)
		r = census_check(e, &n, finding);
	if (!r)
		r = debts_check(e, finding);
	if (!r)
		r = ssdc_units_check(e, finding);
	if (!r)
		r = ssdc_prefetch_check(e, finding);
	if (!r)
		r = policy_check(e->replacement, finding);
	if (!r && e->draining)
		r = policy_check(e->draining, finding);
	if (!r)
		r = admission_check(e->admission, finding);
	if (!r)
		r = prefetcher_check(e->prefetch, finding);
	return r;
}
