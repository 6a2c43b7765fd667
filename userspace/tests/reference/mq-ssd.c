// SPDX-License-Identifier: GPL-2.0
/*
 * MQSim's write cache, from Data_Cache_Manager_Flash_Advanced, with the differences listed in
 * dm-ssdcache/replacement/mq-ssd.c.
 */
#include "reference.h"

#define MOST_PAGES 16384

enum { LRU, PENDING, LEAVING, NR_LISTS };

struct mq_ssd {
	struct ref ref;
	struct ref_list lists[NR_LISTS];
	struct ref_list written;	/* pages written in this period */
	struct ref_list under_way;
	bool has_period;
	u64 period_began_ns;
};

static struct mq_ssd *to_mq(struct ref *ref)
{
	return (struct mq_ssd *)ref;
}

static void destroy(struct ref *ref)
{
	struct mq_ssd *mq = to_mq(ref);
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		ref_list_free(&mq->lists[i]);
	ref_list_free(&mq->written);
	ref_list_free(&mq->under_way);
}

static void request(struct ref *ref, const struct ref_request *rq)
{
	struct mq_ssd *mq = to_mq(ref);

	if (mq->has_period &&
	    rq->time_ns < mq->period_began_ns + ref_tunable(ref, "period_ms") * 1000000ULL)
		return;
	mq->has_period = true;
	mq->period_began_ns = rq->time_ns;
	mq->written.nr = 0;
}

static unsigned int list_of(const struct mq_ssd *mq, u64 page)
{
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		if (ref_list_has(&mq->lists[i], page))
			return i;
	ref_differs("mq-ssd: a page is on no list of the reference");
}

/* A hot page is written back when it is evicted, a cold page at once. */
static unsigned int list_for_write(struct mq_ssd *mq, u64 page)
{
	if (ref_list_has(&mq->written, page))
		return LRU;
	if (mq->written.nr == MOST_PAGES)
		mq->written.nr = 0;
	ref_list_add_tail(&mq->written, page);
	return ref_tunable(&mq->ref, "budget") ? PENDING : LRU;
}

static void leave(struct mq_ssd *mq, u64 page)
{
	ref_list_remove(&mq->lists[list_of(mq, page)], page);
	ref_list_drop(&mq->under_way, page);
}

static void insert(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty)
{
	unsigned int list = dirty && rq ? list_for_write(to_mq(ref), page) : LRU;

	ref_list_add_head(&to_mq(ref)->lists[list], page);
}

static void hit(struct ref *ref, u64 page, const struct ref_request *rq, bool write)
{
	struct mq_ssd *mq = to_mq(ref);
	unsigned int list = list_of(mq, page);

	if (!write && list != LRU)
		return;
	ref_list_remove(&mq->lists[list], page);
	ref_list_add_head(&mq->lists[write ? list_for_write(mq, page) : LRU], page);
}

static void clean(struct ref *ref, u64 page, enum ssdc_flush_reason reason)
{
	struct mq_ssd *mq = to_mq(ref);
	unsigned int list = list_of(mq, page);

	ref_list_drop(&mq->under_way, page);
	if (ref_tunable(ref, "keep_clean") && list != PENDING)
		return;
	ref_list_remove(&mq->lists[list], page);
	ref_list_add_head(&mq->lists[ref_tunable(ref, "keep_clean") ? LRU : LEAVING], page);
}

static void remove_page(struct ref *ref, u64 page)
{
	leave(to_mq(ref), page);
}

/* Pages that leave in one call, so that no hold of the engine's lock is long. */
#define MOST_LEAVING 24

static void victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	struct mq_ssd *mq = to_mq(ref);
	u64 page;

	while (mq->lists[LEAVING].nr && batch->nr < MOST_LEAVING)
		ref_list_add_tail(batch, ref_list_pop_tail(&mq->lists[LEAVING]));
	if (batch->nr)
		return;
	page = REF_NO_PAGE;
	if (!ref_tunable(ref, "budget"))
		page = ref_list_pop_tail(&mq->lists[PENDING]);
	if (page == REF_NO_PAGE)
		page = ref_list_pop_tail(&mq->lists[LRU]);
	if (page == REF_NO_PAGE)
		page = ref_list_pop_tail(&mq->lists[PENDING]);
	if (page == REF_NO_PAGE)
		return;
	ref_list_drop(&mq->under_way, page);
	ref_list_add_tail(batch, page);
}

static u32 surplus(struct ref *ref)
{
	return to_mq(ref)->lists[LEAVING].nr;
}

static u64 early(struct ref *ref, const struct ssdc_view *view, unsigned int nr)
{
	struct mq_ssd *mq = to_mq(ref);
	u64 page;

	if (mq->under_way.nr >= ref_tunable(ref, "budget"))
		return REF_NO_PAGE;
	page = ref_list_pop_tail(&mq->lists[PENDING]);
	if (page == REF_NO_PAGE)
		return page;
	/* A page written while it is being completed may already be in flight. */
	ref_list_drop(&mq->under_way, page);
	ref_list_add_tail(&mq->under_way, page);
	ref_list_add_head(&mq->lists[LRU], page);
	return page;
}

static bool wants_early(struct ref *ref)
{
	return to_mq(ref)->lists[PENDING].nr && to_mq(ref)->under_way.nr < ref_tunable(ref, "budget");
}

static void adopt(struct ref *ref, u64 page)
{
	ref_list_add_tail(&to_mq(ref)->lists[LRU], page);
}

static u64 pop_hottest(struct ref *ref)
{
	u64 page = ref_hottest(ref, to_mq(ref)->lists, NR_LISTS);

	if (page != REF_NO_PAGE)
		leave(to_mq(ref), page);
	return page;
}

const struct ref_type ref_mq_ssd = {
	.name = "mq-ssd",
	.bytes = sizeof(struct mq_ssd),
	.destroy = destroy,
	.request = request,
	.insert = insert,
	.hit = hit,
	.clean = clean,
	.remove = remove_page,
	.victims = victims,
	.surplus = surplus,
	.early = early,
	.wants_early = wants_early,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};
