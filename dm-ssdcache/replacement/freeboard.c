// SPDX-License-Identifier: GPL-2.0
/*
 * Freeboard: a reserve of clean pages, so that a write finds room at once. Dirty pages are
 * flushed in waves before they must leave, and stay cached.
 *
 * Source	this project; combines rules of [Sun21], [Shin23] and [Sha23], see
 *		Documentation/policies/freeboard.md
 * Cost		O(1) per access, O(wave) per wave and per batch of victims; no memory beyond
 *		struct ssdc_entry
 *
 *	read miss         -> [ once   ] -> 1st choice, while longer than its share of the tier
 *	                         v read again
 *	                     [ clean  ] -> 2nd choice
 *	                         ^ wave: the least recent pages
 *	insert, write hit -> [ dirty  ] -> 3rd choice; pages being read are the last
 *	                     ^   v    ' spared by a wave: rewritten
 *	                     ^...v....'
 *	                         v flushed by a FLUSH, and the tail
 *	                     [ synced ] -> 2nd choice, too: the less recent of both tails
 *
 * The reserve consists of clean pages, pages whose flush is on its way, and free frames. If the
 * reserve is below its target, a wave of pages is flushed once the host has been quiet for a while,
 * as a read is then less likely to come soon and wait for the wave. If the reserve is below half of
 * the target, the wave starts at once. A victim comes in a batch, so that the next writes find free
 * frames. But a victim comes alone if its flush is on its way, or if it is being read. The target
 * adapts to mistakes:
 *
 *	a batch has no victim at rest, and so the host waits	target += a quarter of the tier
 *	a clean page leaves before a less recent dirty one	target += wave
 *	a FLUSH finds a page dirty, and more than a wave	target += 4
 *	a page flushed early is written again: flushed in vain	target -= 1
 *
 * On a device that collects garbage, each flush brings the next collection nearer, and a batch has
 * no victim at rest mostly because flushes take long. On such a device, the first mistake adds only
 * a full wave, and the second adds nothing.
 *
 * A victim is at rest if it is neither dirty nor being read.
 *
 * The policy is notified of the pages of a FLUSH in the order of frames, which says nothing about
 * their use. So a page that a FLUSH cleans joins the clean list only if that keeps the order of
 * use, as after a FUA write. Other pages are marked and stay in their places on the dirty list;
 * when such a page reaches the tail, it moves to the synced list.
 *
 * The device counts as overloaded if the batches that the host waited for have, in sum, more pages
 * than the other batches, by a 32nd of the tier. The clean pages are then pages that a read has
 * just brought in and not copied yet, and would have to read again. So, until the host is idle, the
 * least recent of the lists' tails leaves, alone, nearly as with LRU, and no wave begins. Pages
 * that a FLUSH cleans meanwhile go to the synced list at once, and leave first, as no request waits
 * for them.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include "../policy-api/replacement.h"

enum { ONCE, CLEAN, SYNCED, DIRTY, NR_LISTS };

/*
 * Most pages that a call names or looks at. With this limit, a hold of the lock is below 2000 basic
 * blocks.
 */
#define MOST_PAGES	48u

/*
 * Clean victims in a batch, so that the next pages find room without a call. Each of them could
 * still be hit, so a batch has fewer clean victims than dirty ones, which must be flushed side by
 * side.
 */
#define CLEAN_VICTIMS	16u

/*
 * A FLUSH waits for the pages that it finds dirty, but no request waits for a page that is flushed
 * in vain. So one page that is flushed too late counts as much as this many that are flushed in
 * vain.
 */
#define LATE_FOR_FLUSH	4u

/* Bits of a page's weight. */
#define REWRITTEN	1u	/* written again while cached, and not spared since */
#define FLUSHED_EARLY	2u	/* flushed early, and not written since */
#define CLEANED		4u	/* cleaned by a FLUSH, and still on the dirty list */

struct freeboard {
	struct ssdc_replacement r;
	struct ssdc_list lists[NR_LISTS];
	u32 target;			/* pages that should not be dirty */
	u32 started_at;			/* value of the tunable that target started from */
	u32 cleaned;			/* pages of the dirty list that are CLEANED */
	u32 short_pages;		/* victims the host waited for, minus others; >= 0 */
	/* tunables */
	u32 wave;
	u32 reserve;
	u32 quiet_us;
	u32 adapt;
	u32 once;
	/* statistics */
	u64 waves;
	u64 written_back;
	u64 rewritten;
	u64 second_chances;
	u64 short_batches;
	u64 clean_victims;
	u64 waited_victims;
	u64 dirty_victims;
	u64 overload_victims;
};

static struct freeboard *to_fb(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct freeboard, r);
}

/* Pages in a wave, and in a batch of victims: at most an eighth of the tier. */
static u32 wave_pages(const struct freeboard *fb)
{
	return clamp(fb->r.capacity / 8, 1u, fb->wave);
}

/*
 * Number of pages to flush early now: a wave. On a device that collects garbage, it is one page for
 * each idle die, and at least one page: more pages would queue behind collections, which may take
 * seconds, and would start further collections. An eager policy is asked again at once, and so
 * takes further pages, one by one.
 */
static u32 pages_now(const struct freeboard *fb, const struct ssdc_view *view)
{
	u32 pages = wave_pages(fb);

	return view->collects ? clamp(view->idle_units, 1u, pages) : pages;
}

/* The target is at least a wave, and at most all pages but a wave. */
static u32 within_bounds(const struct freeboard *fb, u32 target)
{
	u32 lowest = wave_pages(fb);

	return clamp(target, lowest, max(lowest, fb->r.capacity - lowest));
}

static bool is_overloaded(const struct freeboard *fb)
{
	return fb->short_pages > fb->r.capacity / 32;
}

static u32 dirty_pages(const struct freeboard *fb)
{
	return fb->lists[DIRTY].count - fb->cleaned;
}

static u32 reserve_pages(const struct freeboard *fb)
{
	u32 taken = dirty_pages(fb) + ssdc_prefetched_pages(fb->r.plugin.tier);

	return fb->r.capacity - min(fb->r.capacity, taken);
}

/*
 * Without dirty pages, there is nothing to flush, and the number of prefetched pages is not read:
 * in create(), no lock protects it.
 */
static bool is_reserve_below(const struct freeboard *fb, u32 target)
{
	return dirty_pages(fb) && reserve_pages(fb) < target;
}

static bool wants_early(const struct freeboard *fb)
{
	/* The call of early() while the host is idle also ends the overload. */
	return is_overloaded(fb) || is_reserve_below(fb, fb->target);
}

static bool wants_early_at_once(const struct freeboard *fb)
{
	return is_reserve_below(fb, fb->target / 2) && !is_overloaded(fb);
}

/*
 * Tell the engine whether to call early(). Call this function after each change of a list, of the
 * target or of @short_pages.
 */
static void update(struct freeboard *fb)
{
	fb->r.early_above = wants_early(fb) ? 0 : U32_MAX;
	fb->r.eager = wants_early_at_once(fb);
	/*
	 * No quiet time is required during overload: otherwise, the overload would never end with a
	 * host that is never quiet.
	 */
	fb->r.quiet_us = is_overloaded(fb) ? 0 : fb->quiet_us;
}

/* A new or fixed `reserve`, and `quiet_us`, apply at once. */
static void fb_tuned(struct ssdc_replacement *r)
{
	struct freeboard *fb = to_fb(r);

	if (!fb->adapt || fb->started_at != fb->reserve)
		fb->target = div_u64((u64)r->capacity * fb->reserve, 100);
	fb->started_at = fb->reserve;
	fb->target = within_bounds(fb, fb->target);
	update(fb);
}

static int fb_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	struct freeboard *fb = to_fb(r);
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		ssdc_list_init(&fb->lists[i]);
	fb->target = div_u64((u64)r->capacity * fb->reserve, 100);
	fb_tuned(r);
	return 0;
}

static void unlink_page(struct freeboard *fb, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(&fb->r, frame);

	ssdc_list_del(fb->r.entries, &fb->lists[entry->list], frame);
	if (entry->weight & CLEANED) {
		entry->weight &= ~CLEANED;
		fb->cleaned--;
	}
}

static void link_head(struct freeboard *fb, ssdc_frame_t frame, u8 list)
{
	ssdc_replacement_entry(&fb->r, frame)->list = list;
	ssdc_list_add_head(fb->r.entries, &fb->lists[list], frame);
}

static void fb_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
		      const struct ssdc_host_request *rq, bool dirty)
{
	link_head(to_fb(r), frame, dirty ? DIRTY : ONCE);
	update(to_fb(r));
}

/* The page was flushed early, and is written again. */
static void flushed_in_vain(struct freeboard *fb)
{
	fb->rewritten++;
	if (fb->adapt)
		fb->target = within_bounds(fb, fb->target - 1);
}

static void fb_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		   const struct ssdc_host_request *rq, bool write)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(r, frame);
	struct freeboard *fb = to_fb(r);
	u8 list = entry->list == DIRTY && !(entry->weight & CLEANED) ? DIRTY : CLEAN;

	unlink_page(fb, frame);
	if (write) {
		if (entry->weight & FLUSHED_EARLY)
			flushed_in_vain(fb);
		entry->weight = REWRITTEN;
		list = DIRTY;
	}
	link_head(fb, frame, list);
	update(fb);
}

static void move_page(struct freeboard *fb, ssdc_frame_t frame, u8 list)
{
	unlink_page(fb, frame);
	link_head(fb, frame, list);
}

static void grow_target(struct freeboard *fb, u32 pages)
{
	if (fb->adapt)
		fb->target = within_bounds(fb, fb->target + pages);
}

static void fb_clean(struct ssdc_replacement *r, ssdc_frame_t frame,
		     enum ssdc_flush_reason reason)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(r, frame);
	struct freeboard *fb = to_fb(r);

	if (entry->list != DIRTY || (entry->weight & CLEANED))
		return;
	if (is_overloaded(fb)) {
		move_page(fb, frame, SYNCED);
		update(fb);
		return;
	}
	/* A wave never takes the last dirty pages, so these are not flushed too late. */
	if (reason == SSDC_FLUSH_FORCED && dirty_pages(fb) > wave_pages(fb))
		grow_target(fb, LATE_FOR_FLUSH);
	if (ssdc_replacement_hotter(r, fb->lists[CLEAN].head, frame) == frame) {
		move_page(fb, frame, CLEAN);
	} else {
		entry->weight |= CLEANED;
		fb->cleaned++;
	}
	update(fb);
}

static void fb_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	unlink_page(to_fb(r), frame);
	update(to_fb(r));
}

static bool at_rest(const struct freeboard *fb, ssdc_frame_t frame)
{
	return frame != SSDC_NO_FRAME && !(ssdc_replacement_entry(&fb->r, frame)->flags &
					   (SSDC_E_DIRTY | SSDC_E_FILL));
}

/* Is the flush of a page on a list of clean pages on its way, and is the whole page in DRAM? */
static bool is_flushed(const struct freeboard *fb, ssdc_frame_t frame)
{
	return frame != SSDC_NO_FRAME && (ssdc_replacement_entry(&fb->r, frame)->flags &
					  (SSDC_E_DIRTY | SSDC_E_FILL)) == SSDC_E_DIRTY;
}

/* Move pages that a FLUSH has cleaned from the tail of the dirty list, as many as may leave. */
static void settle(struct freeboard *fb)
{
	u32 nr;

	for (nr = 0; nr < CLEAN_VICTIMS; nr++) {
		ssdc_frame_t frame = fb->lists[DIRTY].tail;

		if (frame == SSDC_NO_FRAME ||
		    !(ssdc_replacement_entry(&fb->r, frame)->weight & CLEANED))
			break;
		move_page(fb, frame, SYNCED);
	}
}

/* The less recent of two frames; either may be SSDC_NO_FRAME. */
static ssdc_frame_t less_recent(const struct freeboard *fb, ssdc_frame_t a, ssdc_frame_t b)
{
	if (a == SSDC_NO_FRAME)
		return b;
	if (b == SSDC_NO_FRAME)
		return a;
	return ssdc_replacement_hotter(&fb->r, a, b) == a ? b : a;
}

/*
 * The next victim that need not be flushed. It is a clean or synced page, or a page read once:
 * preferably a page at rest, otherwise a page whose flush is on its way. A page that is being read,
 * wholly or in part, is no such victim: its reader would have to read it again.
 */
static ssdc_frame_t next_clean(const struct freeboard *fb)
{
	ssdc_frame_t first = less_recent(fb, fb->lists[CLEAN].tail, fb->lists[SYNCED].tail);
	ssdc_frame_t second = fb->lists[ONCE].tail;

	if (first == SSDC_NO_FRAME ||
	    fb->lists[ONCE].count > div_u64((u64)fb->r.capacity * fb->once, 100))
		swap(first, second);
	if (at_rest(fb, first))
		return first;
	if (at_rest(fb, second))
		return second;
	return is_flushed(fb, first) ? first : is_flushed(fb, second) ? second : SSDC_NO_FRAME;
}

static void take(struct freeboard *fb, struct ssdc_batch *batch, ssdc_frame_t frame,
		 u64 *nr_victims)
{
	unlink_page(fb, frame);
	ssdc_batch_add(batch, frame);
	++*nr_victims;
}

/*
 * Append up to @most of the least recent dirty pages; look at MOST_PAGES at most. If the pages
 * @stay, they become clean pages at once: a write makes a page dirty again.
 */
static u32 take_dirty(struct freeboard *fb, struct ssdc_batch *batch, u32 most, bool stay)
{
	u32 looks, taken = 0;

	for (looks = 0; looks < MOST_PAGES && taken < most; looks++) {
		ssdc_frame_t frame = fb->lists[DIRTY].tail;
		struct ssdc_entry *entry;

		if (frame == SSDC_NO_FRAME)
			break;
		entry = ssdc_replacement_entry(&fb->r, frame);
		if (entry->weight & CLEANED) {
			move_page(fb, frame, SYNCED);
			continue;
		}
		unlink_page(fb, frame);
		if (entry->weight & REWRITTEN) {
			entry->weight &= ~REWRITTEN;
			link_head(fb, frame, DIRTY);
			fb->second_chances++;
			continue;
		}
		if (stay) {
			entry->weight |= FLUSHED_EARLY;
			link_head(fb, frame, CLEAN);
		}
		ssdc_batch_add(batch, frame);
		taken++;
	}
	return taken;
}

/* The reserve was too small: victims must be flushed, or read, before they leave. */
static void batch_waits(struct freeboard *fb, const struct ssdc_view *view, u32 pages)
{
	u32 wave = wave_pages(fb);

	fb->short_batches++;
	fb->short_pages += pages;
	grow_target(fb, view->collects ? wave : max(wave, fb->r.capacity / 4));
}

/* Is @frame more recent than the next page of a wave? If so, dirty pages stay for too long. */
static bool outlived_by_dirty(const struct freeboard *fb, ssdc_frame_t frame)
{
	ssdc_frame_t tail = fb->lists[DIRTY].tail;

	return tail != SSDC_NO_FRAME && ssdc_replacement_hotter(&fb->r, tail, frame) == frame;
}

/* Append up to @most dirty victims. */
static void evict_dirty(struct freeboard *fb, struct ssdc_batch *batch, u32 most)
{
	fb->dirty_victims += take_dirty(fb, batch, most, false);
	/*
	 * take_dirty() has spared each page that it looked at, and may spare no more: the tail
	 * leaves.
	 */
	if (!batch->nr && !ssdc_list_empty(&fb->lists[DIRTY]))
		take(fb, batch, fb->lists[DIRTY].tail, &fb->dirty_victims);
}

/* Append the least recent of the lists' tails; @nr_victims counts it. */
static void evict_oldest(struct freeboard *fb, struct ssdc_batch *batch, u64 *nr_victims)
{
	ssdc_frame_t oldest = SSDC_NO_FRAME;
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		oldest = less_recent(fb, oldest, fb->lists[i].tail);
	if (oldest != SSDC_NO_FRAME)
		take(fb, batch, oldest, nr_victims);
}

/* Append up to @most clean pages at rest, of which @clean is the first. */
static void evict_clean(struct freeboard *fb, const struct ssdc_view *view,
			struct ssdc_batch *batch, ssdc_frame_t clean, u32 most)
{
	if (!view->collects && outlived_by_dirty(fb, clean))
		grow_target(fb, wave_pages(fb));
	do {
		take(fb, batch, clean, &fb->clean_victims);
		clean = next_clean(fb);
	} while (batch->nr < most && at_rest(fb, clean));
	fb->short_pages -= min(fb->short_pages, batch->nr);
}

static void evict_overloaded(struct freeboard *fb, struct ssdc_batch *batch)
{
	ssdc_frame_t synced = fb->lists[SYNCED].tail;

	if (at_rest(fb, synced))
		take(fb, batch, synced, &fb->overload_victims);
	else
		evict_oldest(fb, batch, &fb->overload_victims);
}

/*
 * No clean page is at rest: append victims that must be waited for. @flushed: a page whose flush is
 * on its way, or SSDC_NO_FRAME.
 */
static void evict_waited(struct freeboard *fb, const struct ssdc_view *view,
			 struct ssdc_batch *batch, ssdc_frame_t flushed, u32 most)
{
	if (flushed != SSDC_NO_FRAME)
		take(fb, batch, flushed, &fb->waited_victims);
	else
		evict_dirty(fb, batch, most);
	if (!batch->nr)		/* all pages are being read */
		evict_oldest(fb, batch, &fb->waited_victims);
	if (batch->nr)
		batch_waits(fb, view, batch->nr);
}

static void fb_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
		       struct ssdc_batch *batch, unsigned int max)
{
	struct freeboard *fb = to_fb(r);
	ssdc_frame_t clean;

	settle(fb);
	clean = next_clean(fb);
	if (is_overloaded(fb))
		evict_overloaded(fb, batch);
	else if (at_rest(fb, clean))
		evict_clean(fb, view, batch, clean, min(min(wave_pages(fb), CLEAN_VICTIMS), max));
	else
		evict_waited(fb, view, batch, clean, min(wave_pages(fb), max));
	update(fb);
}

static bool fb_early(struct ssdc_replacement *r, const struct ssdc_view *view,
		     struct ssdc_batch *batch, unsigned int max)
{
	struct freeboard *fb = to_fb(r);
	bool overloaded = is_overloaded(fb);
	u32 taken;

	update(fb);		/* the number of prefetched pages may have changed */
	if (!r->eager) {	/* the host is idle: the device keeps up */
		fb->short_pages = 0;
		update(fb);
	}
	if (r->early_above)
		return false;
	/*
	 * An idle host has just ended the overload; a wave that is not urgent waits for a quiet
	 * host.
	 */
	if (overloaded && !r->eager && r->quiet_us)
		return true;
	taken = take_dirty(fb, batch, min(pages_now(fb, view), max), true);
	fb->waves += !!taken;
	fb->written_back += taken;
	update(fb);
	return !taken;
}

static void fb_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(r, frame);

	entry->list = entry->flags & SSDC_E_DIRTY ? DIRTY : CLEAN;
	ssdc_list_add_tail(r->entries, &to_fb(r)->lists[entry->list], frame);
	update(to_fb(r));
}

static ssdc_frame_t fb_pop_hottest(struct ssdc_replacement *r)
{
	struct freeboard *fb = to_fb(r);
	ssdc_frame_t frame = SSDC_NO_FRAME;
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		frame = ssdc_replacement_hotter(r, fb->lists[i].head, frame);
	if (frame != SSDC_NO_FRAME)
		fb_remove(r, frame);
	return frame;
}

static int fb_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	static const char *const names[NR_LISTS] = { "once", "clean", "synced", "dirty" };
	const struct freeboard *fb = to_fb(r);
	ssdc_frame_t frame = fb->lists[DIRTY].head;
	u32 cleaned = 0;

	for (; frame != SSDC_NO_FRAME; frame = ssdc_replacement_entry(r, frame)->next)
		cleaned += !!(ssdc_replacement_entry(r, frame)->weight & CLEANED);
	if (fb->cleaned != cleaned)
		return ssdc_finding(finding, "%u pages of the dirty list are clean, not %u",
				    cleaned, fb->cleaned);

	if (fb->target != within_bounds(fb, fb->target))
		return ssdc_finding(finding, "the target is %u pages; waves have %u, the tier %u",
				    fb->target, wave_pages(fb), r->capacity);
	/*
	 * When a prefetched page leaves, the policy is not called, so it may still ask for early()
	 * without need.
	 */
	if (!ssdc_prefetched_pages(r->plugin.tier) &&
	    ((wants_early(fb) && r->early_above) || (wants_early_at_once(fb) && !r->eager)))
		return ssdc_finding(finding, "early_above %u, eager %d; reserve %u, target %u",
				    r->early_above, r->eager, reserve_pages(fb), fb->target);
	return ssdc_lists_check(r, fb->lists, names, NR_LISTS, finding);
}

static const struct ssdc_tunable fb_tunables[] = {
	{ "wave", "pages", "pages that are flushed together",
	  offsetof(struct freeboard, wave), MOST_PAGES, 1, MOST_PAGES, NULL },
	{ "reserve", "percent", "initial DRAM share that early flushes keep from being dirty",
	  offsetof(struct freeboard, reserve), 50, 0, 100, NULL },
	{ "quiet_us", "us", "time without host requests before a wave, unless it is urgent",
	  offsetof(struct freeboard, quiet_us), 1000, 0, 60000000, NULL },
	{ "adapt", "", "on: the reserve adapts; off: fixed",
	  offsetof(struct freeboard, adapt), 1, 0, 0, ssdc_off_on },
	{ "once", "percent", "DRAM share up to which pages read once stay longer than clean ones",
	  offsetof(struct freeboard, once), 10, 0, 100, NULL },
};

static const struct ssdc_stat fb_stats[] = {
	SSDC_STAT(struct freeboard, lists[ONCE].count, "once_list", "pages", SSDC_GAUGE,
		  "pages read once"),
	SSDC_STAT(struct freeboard, lists[CLEAN].count, "clean_list", "pages", SSDC_GAUGE,
		  "other clean pages, and pages being flushed early"),
	SSDC_STAT(struct freeboard, lists[SYNCED].count, "synced_list", "pages", SSDC_GAUGE,
		  "pages cleaned by a FLUSH"),
	SSDC_STAT(struct freeboard, lists[DIRTY].count, "dirty_list", "pages", SSDC_GAUGE,
		  "dirty pages, and those among them that a FLUSH has cleaned"),
	SSDC_STAT(struct freeboard, target, "target_now", "pages", SSDC_GAUGE,
		  "pages that early flushes keep from being dirty"),
	SSDC_STAT(struct freeboard, waves, "waves", "waves", SSDC_COUNTER, "early flushes"),
	SSDC_STAT(struct freeboard, written_back, "written_back", "pages", SSDC_COUNTER,
		  "flushed early"),
	SSDC_STAT(struct freeboard, rewritten, "rewritten_clean", "pages", SSDC_COUNTER,
		  "written again after an early flush"),
	SSDC_STAT(struct freeboard, second_chances, "second_chances", "pages", SSDC_COUNTER,
		  "rewritten pages that a wave spared"),
	SSDC_STAT(struct freeboard, short_batches, "short_batches", "batches", SSDC_COUNTER,
		  "batches of victims that the host had to wait for"),
	SSDC_STAT(struct freeboard, clean_victims, "clean_victims", "pages", SSDC_COUNTER,
		  "clean victims"),
	SSDC_STAT(struct freeboard, waited_victims, "waited_victims", "pages", SSDC_COUNTER,
		  "victims whose flush or read was on its way"),
	SSDC_STAT(struct freeboard, dirty_victims, "dirty_victims", "pages", SSDC_COUNTER,
		  "dirty victims"),
	SSDC_STAT(struct freeboard, overload_victims, "overload_victims", "pages", SSDC_COUNTER,
		  "victims while the device did not keep up"),
};

struct ssdc_replacement_type ssdc_freeboard = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "freeboard",
			.source = "this project, after [Sun21], [Shin23] and [Sha23]",
			.status = "new; nothing published",
			.doc = "flushes in waves, so that a write finds clean pages to replace",
			.tunables = fb_tunables,
			.nr_tunables = ARRAY_SIZE(fb_tunables),
			.stats = fb_stats,
			.nr_stats = ARRAY_SIZE(fb_stats),
			.instance_bytes = sizeof(struct freeboard),
		},
	},
	.clean_work = 4,
	.long_victims = true,
	.create = fb_create,
	.tuned = fb_tuned,
	.insert = fb_insert,
	.hit = fb_hit,
	.clean = fb_clean,
	.remove = fb_remove,
	.victims = fb_victims,
	.early = fb_early,
	.adopt = fb_adopt,
	.pop_hottest = fb_pop_hottest,
	.check = fb_check,
};
