// SPDX-License-Identifier: GPL-2.0
/* Co-Active, as described in dm-ssdcache/replacement/co-active.c. */
#include "reference.h"

enum { CLEAN, COLD, HOT, NR_LISTS };

struct co_active {
	struct ref ref;
	struct ref_list lists[NR_LISTS];
	struct ref_list once;		/* written once since they entered */
	struct ref_list again;		/* written more often */
	struct ref_list chips;		/* chips that got a page in this batch */
	u64 last_ns;
	u64 burst;
	u64 level;
};

static struct co_active *to_co(struct ref *ref)
{
	return (struct co_active *)ref;
}

static void destroy(struct ref *ref)
{
	struct co_active *co = to_co(ref);
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		ref_list_free(&co->lists[i]);
	ref_list_free(&co->once);
	ref_list_free(&co->again);
	ref_list_free(&co->chips);
}

static void request(struct ref *ref, const struct ref_request *rq)
{
	struct co_active *co = to_co(ref);

	if (rq->time_ns > co->last_ns + ref_tunable(ref, "pause_ms") * 1000000ULL && co->burst) {
		co->level -= (co->level + 15) / 16;
		if (co->burst > co->level)
			co->level = co->burst;
		co->burst = 0;
	}
	if (rq->time_ns > co->last_ns)
		co->last_ns = rq->time_ns;
	if (rq->write)
		co->burst += rq->nr;
	if (co->burst > ref->frames)
		co->burst = ref->frames;
}

static u64 threshold(struct ref *ref)
{
	u64 most = (u64)ref->frames * ref_tunable(ref, "clean_max") / 100;
	u64 need = to_co(ref)->level > to_co(ref)->burst ? to_co(ref)->level : to_co(ref)->burst;

	return need < most ? need : most;
}

static unsigned int list_of(const struct co_active *co, u64 page)
{
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		if (ref_list_has(&co->lists[i], page))
			return i;
	ref_differs("co-active: a page is on no list of the reference");
}

static void move(struct co_active *co, u64 page, unsigned int list)
{
	ref_list_remove(&co->lists[list_of(co, page)], page);
	ref_list_add_head(&co->lists[list], page);
}

static void forget(struct co_active *co, u64 page)
{
	ref_list_drop(&co->once, page);
	ref_list_drop(&co->again, page);
}

static void insert(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty)
{
	struct co_active *co = to_co(ref);

	forget(co, page);
	if (dirty)
		ref_list_add_tail(&co->once, page);
	ref_list_add_head(&co->lists[dirty ? COLD : CLEAN], page);
}

static void hit(struct ref *ref, u64 page, const struct ref_request *rq, bool write)
{
	struct co_active *co = to_co(ref);

	if (!write) {
		move(co, page, list_of(co, page));
	} else if (ref_list_has(&co->once, page) || ref_list_has(&co->again, page)) {
		if (ref_list_drop(&co->once, page))
			ref_list_add_tail(&co->again, page);
		move(co, page, HOT);
	} else {
		ref_list_add_tail(&co->once, page);
		move(co, page, COLD);
	}
}

static void clean(struct ref *ref, u64 page, enum ssdc_flush_reason reason)
{
	if (list_of(to_co(ref), page) != CLEAN)
		move(to_co(ref), page, CLEAN);
}

static void remove_page(struct ref *ref, u64 page)
{
	struct co_active *co = to_co(ref);

	ref_list_remove(&co->lists[list_of(co, page)], page);
	forget(co, page);
}

static u64 tail(const struct ref_list *list)
{
	return list->nr ? list->pages[list->nr - 1] : REF_NO_PAGE;
}

static void victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	struct co_active *co = to_co(ref);
	u64 page = tail(&co->lists[CLEAN]), cold = tail(&co->lists[COLD]);
	u64 hot = tail(&co->lists[HOT]);

	if (page == REF_NO_PAGE && cold != REF_NO_PAGE && hot != REF_NO_PAGE)
		page = ref_hotter(ref, cold, hot) == cold ? hot : cold;
	else if (page == REF_NO_PAGE)
		page = cold != REF_NO_PAGE ? cold : hot;
	if (page == REF_NO_PAGE)
		return;
	remove_page(ref, page);
	ref_list_add_tail(batch, page);
}

/* Is the page's chip idle, and has it no page in this batch? */
static bool chip_is_free(struct co_active *co, u64 page)
{
	struct ssdc_unit_query chip = ref_chip(&co->ref, page, true);

	if (chip.depth)
		return false;
	return chip.unit == SSDC_ANY_UNIT || !ref_list_has(&co->chips, chip.unit);
}

static u64 early(struct ref *ref, const struct ssdc_view *view, unsigned int nr)
{
	struct co_active *co = to_co(ref);
	struct ref_list *cold = &co->lists[COLD];
	size_t first, all = cold->nr + nr;	/* cold pages before this batch */
	size_t may = all * ref_tunable(ref, "cold_share") / 100;
	u64 page;

	if (!nr)
		co->chips.nr = 0;
	if (nr >= view->idle_units || co->lists[CLEAN].nr >= threshold(ref))
		return REF_NO_PAGE;
	if (may > ref_tunable(ref, "candidates"))
		may = ref_tunable(ref, "candidates");
	/* The @may least recent cold pages, without those already picked. */
	for (first = cold->nr; first && all - first < may; first--) {
		page = cold->pages[first - 1];
		if (!chip_is_free(co, page))
			continue;
		ref_list_add_tail(&co->chips, ref_chip(ref, page, true).unit);
		move(co, page, CLEAN);
		return page;
	}
	return REF_NO_PAGE;
}

static bool wants_early(struct ref *ref)
{
	const struct co_active *co = to_co(ref);

	return co->lists[CLEAN].nr < threshold(ref) &&
	       co->lists[COLD].nr * ref_tunable(ref, "cold_share") / 100;
}

static void adopt(struct ref *ref, u64 page)
{
	struct co_active *co = to_co(ref);
	bool dirty = ref_dirty(ref, page);

	forget(co, page);
	if (dirty)
		ref_list_add_tail(&co->once, page);
	ref_list_add_tail(&co->lists[dirty ? COLD : CLEAN], page);
}

static u64 pop_hottest(struct ref *ref)
{
	u64 page = ref_hottest(ref, to_co(ref)->lists, NR_LISTS);

	if (page != REF_NO_PAGE)
		remove_page(ref, page);
	return page;
}

const struct ref_type ref_co_active = {
	.name = "co-active",
	.bytes = sizeof(struct co_active),
	.destroy = destroy,
	.request = request,
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
