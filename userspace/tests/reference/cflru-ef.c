// SPDX-License-Identifier: GPL-2.0
/*
 * CFLRU-EF and CFLRU-EF-SC ([Shin23], Fig. 1 to 3), and the threshold of both, which adapts
 * by the stand-in of dm-ssdcache/replacement/early-threshold.h.
 */
#include "reference.h"

enum { CLEAN, DIRTY, SECOND, NR_LISTS };

struct early {
	struct ref ref;
	struct ref_list lists[NR_LISTS];
	struct ref_list flushed_early;		/* and not written since */
	struct ref_list written;		/* a page as often as its write count */
	u32 started_at;
	u32 percent;
	u64 writes;
	u64 dirty_victims;
	u64 rewrites;
};

static struct early *to_early(struct ref *ref)
{
	return (struct early *)ref;
}

static void create(struct ref *ref)
{
	struct early *e = to_early(ref);

	e->started_at = ref_tunable(ref, "threshold");
	e->percent = e->started_at;
}

static void destroy(struct ref *ref)
{
	struct early *e = to_early(ref);
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		ref_list_free(&e->lists[i]);
	ref_list_free(&e->flushed_early);
	ref_list_free(&e->written);
}

static void tuned(struct ref *ref)
{
	struct early *e = to_early(ref);

	if (!ref_tunable(ref, "adapt") || ref_tunable(ref, "threshold") != e->started_at)
		e->percent = ref_tunable(ref, "threshold");
	e->started_at = ref_tunable(ref, "threshold");
}

/* ---- threshold ---- */

static void adapt(struct early *e)
{
	int step = ref_tunable(&e->ref, "step"), percent = e->percent;

	if (e->dirty_victims > e->rewrites && percent > 10)
		e->percent = percent - step > 10 ? percent - step : 10;
	if (e->rewrites > e->dirty_victims && percent < 95)
		e->percent = percent + step < 95 ? percent + step : 95;
}

static void request(struct ref *ref, const struct ref_request *rq)
{
	struct early *e = to_early(ref);

	if (!rq->write || ++e->writes < ref_tunable(ref, "period"))
		return;
	if (ref_tunable(ref, "adapt"))
		adapt(e);
	e->writes = 0;
	e->dirty_victims = 0;
	e->rewrites = 0;
}

static bool wants_early(const struct early *e, const struct ssdc_view *view, unsigned int nr)
{
	u32 batch = ref_tunable(&e->ref, "ef_batch");
	u32 dies = ref_tunable(&e->ref, "ef_dies") ? view->channels * view->dies : view->dies;
	u32 allowed = (u64)e->ref.frames * e->percent / 100;

	return nr < (batch ? batch : dies) && view->dirty > allowed + nr;
}

/* ---- lists ---- */

static unsigned int list_of(const struct early *e, u64 page)
{
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		if (ref_list_has(&e->lists[i], page))
			return i;
	ref_differs("early flush: a page is on no list of the reference");
}

static u32 write_count(const struct early *e, u64 page)
{
	u32 count = 0;
	size_t i;

	for (i = 0; i < e->written.nr; i++)
		count += e->written.pages[i] == page;
	return count;
}

static void set_count(struct early *e, u64 page, u32 count)
{
	while (ref_list_drop(&e->written, page))
		;
	while (count--)
		ref_list_add_tail(&e->written, page);
}

static void leave(struct early *e, u64 page)
{
	ref_list_remove(&e->lists[list_of(e, page)], page);
}

static void forget(struct early *e, u64 page)
{
	set_count(e, page, 0);
	ref_list_drop(&e->flushed_early, page);
}

static void insert(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty)
{
	struct early *e = to_early(ref);

	forget(e, page);
	set_count(e, page, dirty);
	ref_list_add_head(&e->lists[dirty ? DIRTY : CLEAN], page);
}

static void hit(struct ref *ref, u64 page, const struct ref_request *rq, bool write)
{
	struct early *e = to_early(ref);
	unsigned int list = list_of(e, page);

	if (write && ref_list_drop(&e->flushed_early, page))
		e->rewrites++;
	/* The rules distinguish counts of 0, 1 and more, so counting to 2 is enough. */
	if (write && write_count(e, page) < 2)
		ref_list_add_tail(&e->written, page);
	leave(e, page);
	ref_list_add_head(&e->lists[write && list == CLEAN ? DIRTY : list], page);
}

static void clean(struct ref *ref, u64 page, enum ssdc_flush_reason reason)
{
	struct early *e = to_early(ref);

	ref_list_drop(&e->flushed_early, page);
	if (reason == SSDC_FLUSH_EARLY)
		ref_list_add_tail(&e->flushed_early, page);
	if (list_of(e, page) == CLEAN)
		return;
	leave(e, page);
	ref_list_add_head(&e->lists[CLEAN], page);
}

static void remove_page(struct ref *ref, u64 page)
{
	leave(to_early(ref), page);
	forget(to_early(ref), page);
}

static void victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	struct early *e = to_early(ref);
	unsigned int i;
	u64 page;

	for (i = 0; i < NR_LISTS; i++) {
		page = ref_list_pop_tail(&e->lists[i]);
		if (page == REF_NO_PAGE)
			continue;
		forget(e, page);
		e->dirty_victims += ref_dirty(ref, page);
		ref_list_add_tail(batch, page);
		return;
	}
}

/* Fig. 3: keep the dirty list at least as long as the second-chance list. */
static void adjust_list_size(struct early *e)
{
	while (e->lists[DIRTY].nr < e->lists[SECOND].nr)
		ref_list_add_head(&e->lists[DIRTY], ref_list_pop_tail(&e->lists[SECOND]));
}

static u64 early_sc(struct ref *ref, const struct ssdc_view *view, unsigned int nr)
{
	struct early *e = to_early(ref);
	u64 page;

	/* Before the first page, too: the deviation that cflru-ef-sc.c describes. */
	if (!e->lists[DIRTY].nr)
		adjust_list_size(e);
	while (wants_early(e, view, nr)) {
		page = ref_list_pop_tail(&e->lists[DIRTY]);
		if (page == REF_NO_PAGE)
			break;
		if (write_count(e, page) <= 1) {
			ref_list_add_head(&e->lists[CLEAN], page);
			adjust_list_size(e);
			return page;
		}
		set_count(e, page, 1);
		ref_list_add_head(&e->lists[SECOND], page);
		adjust_list_size(e);
	}
	return REF_NO_PAGE;
}

static u64 early_ef(struct ref *ref, const struct ssdc_view *view, unsigned int nr)
{
	struct early *e = to_early(ref);
	u64 page = REF_NO_PAGE;

	if (wants_early(e, view, nr))
		page = ref_list_pop_tail(&e->lists[DIRTY]);
	if (page != REF_NO_PAGE)
		ref_list_add_head(&e->lists[CLEAN], page);
	return page;
}

static void adopt(struct ref *ref, u64 page)
{
	bool dirty = ref_dirty(ref, page);

	set_count(to_early(ref), page, dirty);
	ref_list_add_tail(&to_early(ref)->lists[dirty ? DIRTY : CLEAN], page);
}

static u64 pop_hottest(struct ref *ref)
{
	u64 page = ref_hottest(ref, to_early(ref)->lists, NR_LISTS);

	if (page != REF_NO_PAGE)
		remove_page(ref, page);
	return page;
}

/* [Shin23], section 4: a buffer's metadata are charged to the capacity. */
static bool full_sc(struct ref *ref, const struct ref_request *rq)
{
	u64 bytes = (u64)ref->frames * ref_tunable(ref, "charge"), page_bytes = 512 * ref->page_sectors;
	u64 lost = bytes / page_bytes + !!(bytes % page_bytes), pages = 0;
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		pages += to_early(ref)->lists[i].nr;
	return pages && pages + lost >= ref->frames;
}

const struct ref_type ref_cflru_ef = {
	.name = "cflru-ef",
	.bytes = sizeof(struct early),
	.create = create,
	.destroy = destroy,
	.tuned = tuned,
	.request = request,
	.insert = insert,
	.hit = hit,
	.clean = clean,
	.remove = remove_page,
	.victims = victims,
	.early = early_ef,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};

const struct ref_type ref_cflru_ef_sc = {
	.name = "cflru-ef-sc",
	.bytes = sizeof(struct early),
	.create = create,
	.destroy = destroy,
	.tuned = tuned,
	.request = request,
	.insert = insert,
	.hit = hit,
	.clean = clean,
	.remove = remove_page,
	.full = full_sc,
	.victims = victims,
	.early = early_sc,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};
