// SPDX-License-Identifier: GPL-2.0
/*
 * Eviction: the victims that the policy names make room for the page that enters.
 *
 *	page of the policy -> victim -> flushed, if dirty -> clean and unpinned -> free frame
 *
 * As in the papers' loops, the pages of a request are decided one by one, and no decision waits for
 * I/O: while the tier is full, a batch of victims leaves the policy; then the page enters. The data
 * follow later. Victims keep their frames until they have been flushed, in parallel. Meanwhile the
 * pages that have entered use frames of a reserve, which the policy does not see.
 *
 *	capacity + reserve frames = pages of the policy and of the partition + victims + free frames
 *
 * A request has a debt for each of its victims, and ends only when as many victims have been
 * flushed. Other requests that use the room left by the batch end at once. In the papers'
 * simulator, too, the flushes of a batch are parts of the request that evicts it. With
 * evict_wait=frame, each request that borrows a frame of the reserve has one debt instead, and so
 * takes as long as if it had waited for the frame. If the reserve is used up, a request waits
 * before its next decision.
 *
 * A victim that cannot be flushed returns to the policy, which then holds more pages than the
 * tier's capacity. The reserve shrinks by as many frames, but pages that can be flushed do not use
 * the reserve for long: later decisions evict more pages than enter, and when a page is flushed
 * after all, more pages are evicted. While nothing can be flushed, the whole reserve fills with
 * dirty pages, and then writes fail.
 *
 * The pages of one batch become victims together, in one hold of the lock. They are then accounted
 * for, up to queueing their flushes, in order: a bounded number in each hold of the lock. Victims
 * whose turn has not come are SSDC_E_BEHIND. The page that needs the room enters when all victims
 * are accounted for. Requests that come in between, and need room, too, help to account for them.
 *
 * A policy that works in blocks of a flash chip may limit how many pages of a batch are flushed at
 * a time, or ask for a padded batch; page.c flushes such batches.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include "directory.h"
#include "evict.h"
#include "page.h"
#include "prefetch.h"
#include "stable.h"
#include "switch.h"
#include "thrash.h"
#include "wait.h"

/*
 * Batches that one page may evict, and the limit while the pages of a batch will probably return.
 */
#define MAX_BATCHES 2
#define MAX_STUCK_BATCHES 64

/*
 * Once a call has evicted this many pages, another batch waits for the next call. If the policy's
 * search for victims is long, one page is enough. A long batch is always split among calls.
 */
#define HOLD_PAGES 8

/*
 * Added to the number of the next request, for a stamp that matches no request that finds the
 * victim.
 */
#define NO_REQUEST 0x80000000u

/* Is a flush of the page decided already, for another reason? */
static bool has_flush(const struct ssdc_entry *entry)
{
	return entry->flags & (SSDC_E_FLUSH | SSDC_E_WANT_FLUSH);
}

/* Victims of a batch that are accounted for in one call. */
static unsigned int victims_per_call(const struct ssdc_engine *e)
{
	return max(e->hold_work / 6, 1u);
}

/*
 * Most victims of a batch that leaves in the call that evicts it, if its policy asks for nothing
 * special.
 */
static unsigned int short_batch(const struct ssdc_engine *e)
{
	return max(e->hold_work / 5, 1u);
}

/* I/O of the page is decided, or in flight. */
#define IN_MOTION (SSDC_E_FILL | SSDC_E_FLUSH | SSDC_E_WANT_FLUSH)

/* The stamp of a victim says which request it makes room for: @rq or, if that is NULL, none. */
static u32 victim_stamp(const struct ssdc_engine *e, const struct ssdc_request *rq)
{
	return rq ? rq->host.id : e->next_id + NO_REQUEST;
}

/*
 * Pages of the batch -> victims, of @rq or, if that is NULL, of no request. In a long batch, the
 * victims at rest wait until they are accounted for, as other requests may come before that.
 * Returns the number of victims that cannot leave as soon as they are accounted for.
 */
static u32 make_victims(struct ssdc_engine *e, const struct ssdc_request *rq)
{
	const struct ssdc_batch *batch = &e->batch;
	struct ssdc_leaving *l = &e->leaving;
	u16 behind = batch->nr > victims_per_call(e) ? SSDC_E_BEHIND : 0;
	u16 all = 0;
	u32 staying = 0;
	unsigned int i;

	l->stamp = victim_stamp(e, rq);
	if (unlikely(e->stability.rewriting))
		for (i = 0; i < batch->nr; i++)
			ssdc_rewrite_page(e, batch->frames[i]);
	for (i = 0; i < batch->nr; i++) {
		struct ssdc_entry *entry = ssdc_entry_at(e, batch->frames[i]);
		bool rests = !(entry->flags & IN_MOTION);

		/* No branches: only this loop handles the whole batch in one hold of the lock. */
		ssdc_make_victim(e, batch->frames[i]);
		staying += !!((entry->flags & (SSDC_E_DIRTY | SSDC_E_FILL)) | entry->pins);
		all |= entry->flags;
		entry->stamp = l->stamp;
		entry->flags |= behind * rests;
	}
	l->nr = batch->nr;
	e->evicts = true;
	l->next = 0;
	l->linked = false;
	/* A batch without dirty pages is not padded, but dropped. */
	l->padded = batch->pad_pages && (all & SSDC_E_DIRTY);
	l->width = min(batch->width, SSDC_MAX_WIDTH);
	l->joined = l->padded || l->width;
	l->turn = 0;
	for (i = 0; i < l->width; i++)
		l->before[i] = SSDC_NO_FRAME;
	if (l->width)
		memset(l->behind, 0, sizeof(l->behind));
	return l->padded ? batch->nr : staying;
}

/* Has the victim not left yet? I/O that was in flight may have ended between two calls. */
static bool is_leaving(const struct ssdc_engine *e, ssdc_frame_t frame)
{
	const struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	return (entry->flags & SSDC_E_VICTIM) && entry->stamp == e->leaving.stamp;
}

/* In a batch with a width, a dirty victim waits for the victim before it. */
static void link_victim(struct ssdc_engine *e, unsigned int i)
{
	struct ssdc_leaving *l = &e->leaving;
	ssdc_frame_t frame = e->batch.frames[i], before = l->before[l->turn];
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	if (before != SSDC_NO_FRAME && is_leaving(e, before) && !has_flush(entry)) {
		ssdc_entry_at(e, before)->next = frame;
		entry->flags |= SSDC_E_BEHIND;
		__set_bit(i, l->behind);
	}
	l->before[l->turn] = frame;
	l->turn = (l->turn + 1) % l->width;
}

/* Count victim @i of the batch, and link and pad it as the policy asked. */
static void account_victim(struct ssdc_engine *e, unsigned int i)
{
	const struct ssdc_batch *batch = &e->batch;
	ssdc_frame_t frame = batch->frames[i];
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	e->stats.evicted_pages++;
	if (!is_leaving(e, frame))
		return;
	ssdc_thrash_evicted(e, entry->page);
	if (!has_flush(entry))
		entry->reason = SSDC_FLUSH_EVICT;
	if (e->leaving.padded) {
		ssdc_pad_victim(e, frame, batch->frames[(i + 1) % batch->nr], batch->pad_pages);
		if (entry->flags & SSDC_E_FILL)
			entry->flags &= ~SSDC_E_BEHIND;
	}
	if (!(entry->flags & SSDC_E_DIRTY))
		e->stats.evicted_clean++;
	else if (e->leaving.width)
		link_victim(e, i);
}

/* Victim @i is accounted for: its flush may start, or its frame is free. */
static void release_victim(struct ssdc_engine *e, unsigned int i)
{
	ssdc_frame_t frame = e->batch.frames[i];

	if (!is_leaving(e, frame) || (e->leaving.width && test_bit(i, e->leaving.behind)))
		return;
	ssdc_entry_at(e, frame)->flags &= ~SSDC_E_BEHIND;
	ssdc_settle(e, frame);
}

/* Account for the next victims of the batch, a bounded number. */
void ssdc_evict_rest(struct ssdc_engine *e)
{
	struct ssdc_leaving *l = &e->leaving;
	unsigned int end = min(l->next + victims_per_call(e), l->nr);

	for (; l->next < end; l->next++) {
		if (!l->linked)
			account_victim(e, l->next);
		if (!l->joined || l->linked)
			release_victim(e, l->next);
	}
	if (l->next < l->nr)
		return;
	l->next = 0;
	if (l->joined && !l->linked) {
		l->linked = true;
		return;
	}
	l->nr = 0;
	e->evicts = e->excess;
}

/* Page of the batch -> victim, accounted for and settled. Returns whether it leaves only later. */
static __always_inline bool evict_page(struct ssdc_engine *e, const struct ssdc_request *rq,
				       ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);
	u16 flags = entry->flags;
	bool stays;

	e->stats.evicted_pages++;
	ssdc_thrash_evicted(e, entry->page);
	if (!(flags & SSDC_E_DIRTY))
		e->stats.evicted_clean++;
	if (!(flags & (SSDC_E_DIRTY | SSDC_E_WAITED | IN_MOTION)) && !entry->pins) {
		ssdc_free_page(e, frame);
		return false;
	}
	stays = (flags & (SSDC_E_DIRTY | SSDC_E_FILL)) || entry->pins;
	ssdc_make_victim(e, frame);
	entry->stamp = victim_stamp(e, rq);
	if (!has_flush(entry))
		entry->reason = SSDC_FLUSH_EVICT;
	ssdc_settle(e, frame);
	return stays;
}

/*
 * Do the pages of the batch leave one after the other in this call? The pages of nearly all batches
 * do: evict_page() does for one page what make_victims() and ssdc_evict_rest() do for all pages.
 */
static bool is_short(const struct ssdc_engine *e, unsigned int most)
{
	const struct ssdc_batch *batch = &e->batch;

	return batch->nr <= most && !(batch->width | batch->pad_pages) &&
		likely(!e->stability.rewriting);
}

/* Evict all pages of a batch. Returns how many of them leave only after this call. */
static noinline u32 evict_pages(struct ssdc_engine *e, const struct ssdc_request *rq)
{
	u32 staying = 0;
	unsigned int i;

	if (!is_short(e, short_batch(e)))
		return make_victims(e, rq);
	for (i = 0; i < e->batch.nr; i++)
		staying += evict_page(e, rq, e->batch.frames[i]);
	return staying;
}

/* Account for all remaining victims of the batch. */
static void finish_batch(struct ssdc_engine *e)
{
	while (ssdc_is_evicting(e))
		ssdc_evict_rest(e);
}

/* See ssdc_evict_batch(). Inline, because nearly every page that enters needs it. */
static __always_inline bool evict_batch(struct ssdc_engine *e, struct ssdc_request *rq)
{
	u32 staying;

	e->batch.nr = 0;
	e->batch.width = 0;
	e->batch.pad_pages = 0;
	ssdc_policy_victims(e, &e->batch);
	if (!e->batch.nr)
		return false;
	e->stats.evictions++;
	/* Most policies name one page. */
	staying = is_short(e, 1) ? evict_page(e, rq, e->batch.frames[0]) : evict_pages(e, rq);
	if (rq) {
		if (!ssdc_was_asked(rq))
			rq->left_victims = 0;
		rq->left_victims += staying;
		rq->evicted_at = ssdc_progress(rq);
	}
	if (ssdc_is_evicting(e) && e->batch.nr <= victims_per_call(e))
		finish_batch(e);
	return true;
}

/*
 * Evict one batch of the policy. @rq is the request that needs room for a page, and notes the
 * eviction; or NULL. ssdc_evict_rest() does the remaining work of a long batch. Returns false if
 * the policy holds no page. The caller makes sure that no other batch is being accounted for.
 */
bool ssdc_evict_batch(struct ssdc_engine *e, struct ssdc_request *rq)
{
	return evict_batch(e, rq);
}

/*
 * Evict a prefetched page beyond the partition's share, or a batch of the policy. The policy has
 * pages if the tier is full, because the partition's share is at most half of the tier.
 */
static bool evict_one(struct ssdc_engine *e, struct ssdc_request *rq)
{
	return ssdc_prefetch_evict_excess(e) || ssdc_evict_batch(e, rq);
}

/* Is the part of the tier full that the page would enter? */
static inline bool is_part_full(struct ssdc_engine *e, const struct ssdc_host_request *rq)
{
	const struct ssdc_replacement_type *ops = ssdc_replacement_ops(e->replacement);

	return unlikely(ops->full) && !e->draining && ops->full(e->replacement, rq);
}

/*
 * Are there more than @most sound pages: pages that need room and whose last flush has not failed?
 * Pages whose last flush failed will probably return if they are evicted.
 */
static bool has_more_sound(const struct ssdc_engine *e, u32 most)
{
	return ssdc_residents(e) - (e->failed_pages - e->failed_victims) > most;
}

static void set_excess(struct ssdc_engine *e, bool excess)
{
	e->excess = excess;
	e->evicts = excess || ssdc_is_evicting(e);
}

/*
 * Evict until at most @others pages need room besides those of @rq, which are written by @host or,
 * if that is NULL, read. @evicted: e->stats.evicted_pages at the beginning of this call.
 *
 * One batch is enough, unless victims have come back. In that case, @most keeps a write from
 * starting a storm of flushes. It does not apply while there are more than @others sound pages: the
 * reserve is for pages that cannot be flushed. After MAX_STUCK_BATCHES, the worker goes on.
 *
 * Returns false if more batches, or the rest of one, must follow in another call.
 */
static noinline bool evict_batches(struct ssdc_engine *e, struct ssdc_request *rq,
				   const struct ssdc_host_request *host, u32 others,
				   unsigned int batches, u64 evicted)
{
	unsigned int most = e->evict_failures ? 1 : MAX_BATCHES;
	unsigned int per_hold = ssdc_replacement_ops(e->replacement)->long_victims ? 1 : HOLD_PAGES;

	for (; batches < MAX_STUCK_BATCHES; batches++) {
		/*
		 * Ask first: the policy then names victims of that part, even if the whole tier is
		 * full.
		 */
		bool part_full = is_part_full(e, host);

		if (batches >= most && !has_more_sound(e, others))
			return true;
		if (ssdc_residents(e) <= others && !part_full)
			return true;
		if (e->stats.evicted_pages - evicted >= per_hold) {
			rq->batches = batches;
			return false;
		}
		if (ssdc_residents(e) > others && ssdc_prefetch_evict_excess(e))
			continue;
		if (!ssdc_evict_batch(e, rq))
			return true;
		if (ssdc_is_evicting(e)) {
			rq->batches = batches + 1;
			return false;
		}
	}
	/* The batches were of pages that will return, behind the sound ones. */
	set_excess(e, true);
	return true;
}

/*
 * Make room for @nr pages of @rq, as evict_batches(); the other pages may fill the rest of the
 * tier.
 */
static __always_inline bool evict_for(struct ssdc_engine *e, struct ssdc_request *rq,
				      const struct ssdc_host_request *host, u32 nr)
{
	u32 others = e->tier.capacity - nr;
	unsigned int batches = rq->batches;
	u64 evicted = e->stats.evicted_pages;

	if (ssdc_is_evicting(e)) {
		ssdc_evict_rest(e);
		if (ssdc_is_evicting(e))
			return false;
		/* The rest of the batch counts as work of this call. */
		rq->batches = 0;
		return evict_batches(e, rq, host, others, batches, evicted);
	}
	rq->batches = 0;
	/* Nearly always there is room, or one batch makes it. */
	if (likely(!batches && !ssdc_replacement_ops(e->replacement)->full &&
		   !ssdc_prefetch_has_excess(e))) {
		if (ssdc_residents(e) <= others || !evict_batch(e, rq))
			return true;
		if (ssdc_is_evicting(e)) {
			rq->batches = 1;
			return false;
		}
		if (likely(ssdc_residents(e) <= others))
			return true;
		batches = 1;
	}
	return evict_batches(e, rq, host, others, batches, evicted);
}

/*
 * Shrink the tier to its size again, in as many calls as necessary. The tier is too large because
 * pages could not be flushed: one of them is clean now, or too many of them were chosen before
 * sound pages.
 */
void ssdc_evict_excess(struct ssdc_engine *e)
{
	unsigned int most = ssdc_replacement_ops(e->replacement)->long_victims ? 1 :
			    victims_per_call(e);
	u64 evicted = e->stats.evicted_pages;
	unsigned int batches;

	for (batches = 0; batches < most && !ssdc_is_evicting(e); batches++) {
		if (e->stats.evicted_pages - evicted >= most)
			break;
		if (!has_more_sound(e, e->tier.capacity) || !evict_one(e, NULL)) {
			set_excess(e, false);
			return;
		}
	}
	set_excess(e, has_more_sound(e, e->tier.capacity));
}

/*
 * As ssdc_make_room(), if there may be no room. Returns SSDC_COMPLETE when there is room, SSDC_MORE
 * if more pages must leave, and SSDC_AGAIN if the evictions have caused steps of the policy, such
 * as a new graph, which come before the page enters. After these steps @rq calls again, and evicts
 * again only if other requests have used the room meanwhile and the tier has too many sound pages.
 */
enum ssdc_action ssdc_find_room(struct ssdc_engine *e, struct ssdc_request *rq,
				const struct ssdc_host_request *host, u32 nr)
{
	bool asked = ssdc_was_asked(rq), again = asked && !rq->batches;

	if (!asked)
		rq->batches = 0;
	if ((!again || has_more_sound(e, e->tier.capacity - nr)) && !evict_for(e, rq, host, nr))
		return SSDC_MORE;
	if (e->replacement->plugin.wants_step && !again && ssdc_was_asked(rq) && rq->calm)
		return SSDC_AGAIN;
	return SSDC_COMPLETE;
}

/* The victims of @rq that have yet to leave become its debts. */
void ssdc_owe_victims(struct ssdc_engine *e, struct ssdc_request *rq)
{
	u32 nr = rq->left_victims;

	if (e->tunables.evict_wait == SSDC_WAIT_FRAME)
		nr = min(nr, 1u);
	/* Some victims may have left since, while the request waited for a step of the policy. */
	ssdc_add_debts(e, rq, min(nr, e->nr_victims - e->nr_debts));
}

/*
 * Evict a batch: @rq or other requests wait for frames, and no frame will become free, because
 * victims have returned and the policy holds all frames.
 */
void ssdc_evict(struct ssdc_engine *e, struct ssdc_request *rq)
{
	while (!e->nr_free && !e->nr_victims && !e->nr_twins && evict_one(e, rq))
		;
}

/* The policy reports a surplus: see ssdc_evict_surplus(). */
bool ssdc_evict_surplus_now(struct ssdc_engine *e, struct ssdc_request *rq)
{
	if (e->draining || ssdc_is_evicting(e) || !ssdc_evict_batch(e, rq))
		return false;
	finish_batch(e);
	if (!rq)
		return true;
	ssdc_owe_victims(e, rq);
	ssdc_forget_victims(rq);
	return true;
}

/*
 * No frame is free for a page of @rq: evict if that can help. Returns whether @rq may take a frame
 * after that. See ssdc_has_frame().
 */
bool ssdc_find_frame(struct ssdc_engine *e, struct ssdc_request *rq)
{
	if (ssdc_is_evicting(e))
		ssdc_evict_rest(e);
	ssdc_evict(e, rq);
	return ssdc_may_take_frame(e, rq);
}

/* Park @rq until it is granted a frame. */
enum ssdc_action ssdc_wait_frame(struct ssdc_engine *e, struct ssdc_request *rq)
{
	if (rq->served)
		list_add(&rq->node, &e->frame_waiters);
	else
		list_add_tail(&rq->node, &e->frame_waiters);
	ssdc_park(e, rq);
	e->stats.frame_waits++;
	return SSDC_WAIT;
}

/*
 * Cached page without I/O or writers -> free frame, once its readers have unpinned it. The page's
 * dirty sectors are lost.
 */
void ssdc_drop(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	if (entry->prefetched)
		ssdc_prefetch_leave(e, frame, false);
	else
		ssdc_policy_remove(e, frame);
	if (entry->flags & SSDC_E_DIRTY)
		ssdc_set_clean(e, frame);
	ssdc_make_victim(e, frame);
	e->stats.dropped_pages++;
	ssdc_settle(e, frame);
}
