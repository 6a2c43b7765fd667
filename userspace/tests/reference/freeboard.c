// SPDX-License-Identifier: GPL-2.0
/* Freeboard, as described in dm-ssdcache/replacement/freeboard.c. */
#include "reference.h"

enum { ONCE, CLEAN, SYNCED, DIRTY, NR_LISTS };

#define MOST_LOOKS 48
#define CLEAN_VICTIMS 16

struct freeboard {
	struct ref ref;
	struct ref_list lists[NR_LISTS];
	struct ref_list hot;		/* written while cached, and not spared since */
	struct ref_list cleaned;	/* by a FLUSH, and still on the dirty list */
	struct ref_list early;		/* flushed early, and not written since */
	u64 target;
	u64 reserve;			/* the tunable, when the target was set to it */
	u64 overload;			/* victims the host waited for, less others */
	unsigned int looks;		/* in this early flush */
	bool flushing;
};

static struct freeboard *to_fb(struct ref *ref)
{
	return (struct freeboard *)ref;
}

static void destroy(struct ref *ref)
{
	struct freeboard *fb = to_fb(ref);
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		ref_list_free(&fb->lists[i]);
	ref_list_free(&fb->hot);
	ref_list_free(&fb->cleaned);
	ref_list_free(&fb->early);
}

static u64 wave(struct ref *ref)
{
	u64 pages = ref_tunable(ref, "wave");

	if (pages > ref->frames / 8)
		pages = ref->frames / 8;
	return pages ? pages : 1;
}

static void set_target(struct ref *ref, u64 target)
{
	if (target > ref->frames - wave(ref))
		target = ref->frames - wave(ref);
	if (target < wave(ref))
		target = wave(ref);
	to_fb(ref)->target = target;
}

/* Pages that are not dirty, and free frames. */
static u64 reserve(struct ref *ref)
{
	u64 others = to_fb(ref)->lists[DIRTY].nr - to_fb(ref)->cleaned.nr + ref_prefetched(ref);

	return others < ref->frames ? ref->frames - others : 0;
}

static bool overloaded(struct ref *ref)
{
	return to_fb(ref)->overload > ref->frames / 32;
}

static void start(struct ref *ref)
{
	to_fb(ref)->reserve = ref_tunable(ref, "reserve");
	set_target(ref, ref->frames * to_fb(ref)->reserve / 100);
}

static void tuned(struct ref *ref)
{
	if (!ref_tunable(ref, "adapt") || ref_tunable(ref, "reserve") != to_fb(ref)->reserve)
		start(ref);
	else
		set_target(ref, to_fb(ref)->target);
}

static void insert(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty)
{
	ref_list_add_head(&to_fb(ref)->lists[dirty ? DIRTY : ONCE], page);
}

static unsigned int list_of(const struct freeboard *fb, u64 page)
{
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		if (ref_list_has(&fb->lists[i], page))
			return i;
	ref_differs("freeboard: a page is on no list of the reference");
}

static void move(struct freeboard *fb, u64 page, unsigned int list)
{
	ref_list_remove(&fb->lists[list_of(fb, page)], page);
	ref_list_add_head(&fb->lists[list], page);
}

static void hit(struct ref *ref, u64 page, const struct ref_request *rq, bool write)
{
	struct freeboard *fb = to_fb(ref);
	unsigned int list = list_of(fb, page);

	if (ref_list_drop(&fb->cleaned, page) || list != DIRTY)
		list = CLEAN;
	if (!write) {
		move(fb, page, list);
		return;
	}
	if (ref_list_drop(&fb->early, page) && ref_tunable(ref, "adapt"))
		set_target(ref, fb->target - 1);
	if (!ref_list_has(&fb->hot, page))
		ref_list_add_tail(&fb->hot, page);
	move(fb, page, DIRTY);
}

static void join_synced(struct freeboard *fb, u64 page)
{
	ref_list_drop(&fb->cleaned, page);
	ref_list_drop(&fb->hot, page);
	move(fb, page, SYNCED);
}

static void clean(struct ref *ref, u64 page, enum ssdc_flush_reason reason)
{
	struct freeboard *fb = to_fb(ref);

	if (list_of(fb, page) != DIRTY || ref_list_has(&fb->cleaned, page))
		return;
	if (reason == SSDC_FLUSH_FORCED && ref_tunable(ref, "adapt") && !overloaded(ref) &&
	    fb->lists[DIRTY].nr - fb->cleaned.nr > wave(ref))
		set_target(ref, fb->target + 4);
	if (overloaded(ref)) {
		move(fb, page, SYNCED);
	} else if (!fb->lists[CLEAN].nr || ref_hotter(ref, fb->lists[CLEAN].pages[0], page) == page) {
		move(fb, page, CLEAN);
	} else {
		ref_list_add_tail(&fb->cleaned, page);
	}
}

static void forget(struct freeboard *fb, u64 page)
{
	ref_list_remove(&fb->lists[list_of(fb, page)], page);
	ref_list_drop(&fb->hot, page);
	ref_list_drop(&fb->cleaned, page);
	ref_list_drop(&fb->early, page);
}

static void remove_page(struct ref *ref, u64 page)
{
	forget(to_fb(ref), page);
}

static u64 tail(const struct ref_list *list)
{
	return list->nr ? list->pages[list->nr - 1] : REF_NO_PAGE;
}

static bool rests(struct ref *ref, u64 page)
{
	return page != REF_NO_PAGE && !ref_dirty(ref, page) && !ref_filling(ref, page);
}

static u64 less_recent(struct ref *ref, u64 a, u64 b)
{
	if (a == REF_NO_PAGE || b == REF_NO_PAGE)
		return a == REF_NO_PAGE ? b : a;
	return ref_hotter(ref, a, b) == a ? b : a;
}

/* Of the less recent tail of clean pages, and of those read once, one at rest, or else one whose flush is in flight. */
static u64 next_clean(struct ref *ref)
{
	const struct ref_list *lists = to_fb(ref)->lists;
	u64 tails[2] = { less_recent(ref, tail(&lists[CLEAN]), tail(&lists[SYNCED])), tail(&lists[ONCE]) };
	bool once = tails[0] == REF_NO_PAGE ||
		    lists[ONCE].nr > ref->frames * ref_tunable(ref, "once") / 100;
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (rests(ref, tails[i ^ once]))
			return tails[i ^ once];
	for (i = 0; i < 2; i++)
		if (tails[i ^ once] != REF_NO_PAGE && ref_dirty(ref, tails[i ^ once]) &&
		    !ref_filling(ref, tails[i ^ once]))
			return tails[i ^ once];
	return REF_NO_PAGE;
}

/* Pages at the tail of the dirty list that a FLUSH has cleaned. */
static void settle(struct freeboard *fb)
{
	unsigned int looks;

	for (looks = 0; looks < CLEAN_VICTIMS && fb->lists[DIRTY].nr; looks++) {
		u64 page = tail(&fb->lists[DIRTY]);

		if (!ref_list_has(&fb->cleaned, page))
			return;
		join_synced(fb, page);
	}
}

/* The next dirty page to be flushed; pages written while cached are spared once. */
static u64 next_dirty(struct freeboard *fb, unsigned int *looks)
{
	while (fb->lists[DIRTY].nr && (*looks)++ < MOST_LOOKS) {
		u64 page = tail(&fb->lists[DIRTY]);

		if (ref_list_has(&fb->cleaned, page)) {
			join_synced(fb, page);
			continue;
		}
		if (!ref_list_drop(&fb->hot, page))
			return page;
		move(fb, page, DIRTY);
	}
	return REF_NO_PAGE;
}

static void take(struct ref *ref, u64 page, struct ref_list *batch)
{
	forget(to_fb(ref), page);
	ref_list_add_tail(batch, page);
}

/* The tail that was used before the other ones. */
static u64 oldest(struct ref *ref)
{
	u64 found = REF_NO_PAGE;
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		found = less_recent(ref, found, tail(&to_fb(ref)->lists[i]));
	return found;
}

static void victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	struct freeboard *fb = to_fb(ref);
	u64 page, most = wave(ref), late = most;
	unsigned int looks = 0;

	if (!view->collects && ref->frames / 4 > most)
		late = ref->frames / 4;
	settle(fb);
	page = next_clean(ref);
	if (overloaded(ref)) {
		page = rests(ref, tail(&fb->lists[SYNCED])) ? tail(&fb->lists[SYNCED]) : oldest(ref);
		if (page != REF_NO_PAGE)
			take(ref, page, batch);
		return;
	}
	if (rests(ref, page)) {
		u64 last = tail(&fb->lists[DIRTY]);

		if (ref_tunable(ref, "adapt") && !view->collects && last != REF_NO_PAGE &&
		    ref_hotter(ref, last, page) == page)
			set_target(ref, fb->target + most);
		do
			take(ref, page, batch);
		while (batch->nr < most && batch->nr < CLEAN_VICTIMS && rests(ref, page = next_clean(ref)));
		fb->overload -= batch->nr < fb->overload ? batch->nr : fb->overload;
		return;
	}
	if (page != REF_NO_PAGE)
		take(ref, page, batch);
	else
		while (batch->nr < most && (page = next_dirty(fb, &looks)) != REF_NO_PAGE)
			take(ref, page, batch);
	if (!batch->nr && fb->lists[DIRTY].nr)
		take(ref, tail(&fb->lists[DIRTY]), batch);
	/* Only pages that are being read are left. */
	if (!batch->nr && oldest(ref) != REF_NO_PAGE)
		take(ref, oldest(ref), batch);
	if (!batch->nr)
		return;
	fb->overload += batch->nr;
	if (ref_tunable(ref, "adapt"))
		set_target(ref, fb->target + late);
}

static u64 early(struct ref *ref, const struct ssdc_view *view, unsigned int nr)
{
	struct freeboard *fb = to_fb(ref);
	u32 most;
	u64 page;

	if (!nr) {
		fb->looks = 0;
		/* The early flush is not urgent, so the host is idle. How long it must be is not checked. */
		if (overloaded(ref) || reserve(ref) >= fb->target / 2)
			fb->overload = 0;
		fb->flushing = reserve(ref) < fb->target;
	}
	most = wave(ref);
	if (view->collects && most > view->idle_units)
		most = view->idle_units ? view->idle_units : 1;
	if (!fb->flushing || nr >= most)
		return REF_NO_PAGE;
	page = next_dirty(fb, &fb->looks);
	/* A search that finds nothing goes on, in another call of the policy. */
	while (page == REF_NO_PAGE && !nr && fb->lists[DIRTY].nr) {
		fb->looks = 0;
		page = next_dirty(fb, &fb->looks);
	}
	if (page == REF_NO_PAGE)
		return page;
	move(fb, page, CLEAN);
	if (!ref_list_has(&fb->early, page))
		ref_list_add_tail(&fb->early, page);
	return page;
}

static bool wants_early(struct ref *ref)
{
	const struct freeboard *fb = to_fb(ref);

	return overloaded(ref) || (reserve(ref) < fb->target && fb->lists[DIRTY].nr > fb->cleaned.nr);
}

static void adopt(struct ref *ref, u64 page)
{
	ref_list_add_tail(&to_fb(ref)->lists[ref_dirty(ref, page) ? DIRTY : CLEAN], page);
}

static u64 pop_hottest(struct ref *ref)
{
	u64 page = ref_hottest(ref, to_fb(ref)->lists, NR_LISTS);

	if (page != REF_NO_PAGE)
		remove_page(ref, page);
	return page;
}

const struct ref_type ref_freeboard = {
	.name = "freeboard",
	.bytes = sizeof(struct freeboard),
	.create = start,
	.destroy = destroy,
	.tuned = tuned,
	.insert = insert,
	.hit = hit,
	.clean = clean,
	.remove = remove_page,
	.victims = victims,
	.early = early,
	.wants_early = wants_early,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};
