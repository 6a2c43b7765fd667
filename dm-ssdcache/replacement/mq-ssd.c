// SPDX-License-Identifier: GPL-2.0
/*
 * MQ-SSD: cold pages are written at once and leave, hot ones are written when they are
 * evicted; the write cache of the MQSim simulator, with which S003 compares.
 *
 * Source	MQSim (Tavakkol et al., FAST 2018), Data_Cache_Manager_Flash_Advanced of
 *		commit 7ec40e3; S003
 * Status	its rules; what is different here is said below
 * Cost		O(1) per access; 256 KiB per cache for the pages written lately
 *
 * A page is hot when it was written before in the same second; what was written in it is
 * kept in a set, of cached pages and of others, that is emptied when the second is over.
 *
 *	written, cold      -> [ pending ] -> its flush begins -> [ lru ] -> flushed: leaves
 *	written, hot; read -> [ lru ] -> tail: victim
 *
 * So DRAM holds no page that a flush cleaned, however idle the device: it is a buffer for
 * writes, not a cache of what was written. keep_clean=on keeps such pages, where they are
 * in the LRU list.
 *
 * Different here:
 *
 * - MQSim has writes wait while more than `budget` pages are on their way to flash. Here
 *   cold pages wait, in DRAM, for their flush to begin; a write waits for a frame only.
 * - One set for all streams. It also ends its second when SSDC_PAGE_SET_PAGES different
 *   pages were written in it.
 * - FLUSH, which MQSim's cache does not know, cleans pages; they leave like any other.
 * - A page that was read in, or comes from another policy, is evicted like a hot one.
 * - A page whose flush failed counts as hot: it is tried again by the engine's own rules.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include "../engine/engine.h"
#include "../base/page-set.h"

enum { LRU, PENDING, LEAVING, NR_LISTS };

/* The weight of a page whose flush early() has asked for. */
#define UNDER_WAY 1u

struct mq_ssd {
	struct ssdc_replacement r;
	struct ssdc_list lists[NR_LISTS];
	struct ssdc_page_set written;	/* in this period */
	u64 period_ends_ns;
	u32 under_way;			/* pages */
	/* tunables */
	u32 period_ms;
	u32 budget;
	u32 keep_clean;
	/* statistics */
	u64 cold_writes;
	u64 hot_writes;
	u64 periods;
	u64 full_periods;
	u64 left_clean;
	u64 evicted;
};

static struct mq_ssd *to_mq(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct mq_ssd, r);
}

/* What the engine is to ask for, after each change of a list or a count. */
static void update(struct mq_ssd *mq)
{
	bool flush = !ssdc_list_empty(&mq->lists[PENDING]) && mq->under_way < mq->budget;

	mq->r.early_above = flush ? 0 : U32_MAX;
	mq->r.surplus = mq->lists[LEAVING].count;
}

static int mq_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	struct mq_ssd *mq = to_mq(r);
	unsigned int i;

	if (ssdc_page_set_create(&mq->written)) {
		scnprintf(error->text, sizeof(error->text),
			  "mq-ssd: no memory: %zu bytes are needed for the set of written pages",
			  SSDC_PAGE_SET_BYTES);
		return -ENOMEM;
	}
	for (i = 0; i < NR_LISTS; i++)
		ssdc_list_init(&mq->lists[i]);
	r->eager = true;
	update(mq);
	return 0;
}

static void mq_destroy(struct ssdc_replacement *r)
{
	ssdc_page_set_destroy(&to_mq(r)->written);
}

static void mq_tuned(struct ssdc_replacement *r)
{
	update(to_mq(r));
}

static void unlink_page(struct mq_ssd *mq, ssdc_frame_t frame)
{
	ssdc_list_del(mq->r.entries, &mq->lists[ssdc_replacement_entry(&mq->r, frame)->list],
		      frame);
}

static void link_head(struct mq_ssd *mq, ssdc_frame_t frame, u8 list)
{
	ssdc_replacement_entry(&mq->r, frame)->list = list;
	ssdc_list_add_head(mq->r.entries, &mq->lists[list], frame);
}

static void set_under_way(struct mq_ssd *mq, ssdc_frame_t frame, bool under_way)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(&mq->r, frame);

	mq->under_way -= entry->weight;
	entry->weight = under_way ? UNDER_WAY : 0;
	mq->under_way += entry->weight;
}

static void mq_request(struct ssdc_replacement *r, const struct ssdc_request *rq)
{
	struct mq_ssd *mq = to_mq(r);

	if (rq->start_ns < mq->period_ends_ns)
		return;
	mq->period_ends_ns = rq->start_ns + mq->period_ms * 1000000ULL;
	mq->periods++;
	ssdc_page_set_empty(&mq->written);
}

/* Is this the first write of the page in the period? */
static bool is_cold(struct mq_ssd *mq, ssdc_frame_t frame)
{
	u64 page = ssdc_page_nr(ssdc_replacement_entry(&mq->r, frame)->page);
	bool cold;

	if (!ssdc_page_set_has_room(&mq->written, page)) {
		ssdc_page_set_empty(&mq->written);
		mq->full_periods++;
	}
	cold = !ssdc_page_set_add(&mq->written, page, 0);
	if (cold)
		mq->cold_writes++;
	else
		mq->hot_writes++;
	return cold;
}

static void mq_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
		      const struct ssdc_request *rq, bool dirty)
{
	struct mq_ssd *mq = to_mq(r);

	ssdc_replacement_entry(r, frame)->weight = 0;
	link_head(mq, frame, dirty && rq && is_cold(mq, frame) ? PENDING : LRU);
	update(mq);
}

/* A read leaves a page that waits for its flush where it is. */
static void mq_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		   const struct ssdc_request *rq, bool write)
{
	struct mq_ssd *mq = to_mq(r);

	if (!write && ssdc_replacement_entry(r, frame)->list != LRU)
		return;
	unlink_page(mq, frame);
	link_head(mq, frame, write && is_cold(mq, frame) ? PENDING : LRU);
	update(mq);
}

static void mq_clean(struct ssdc_replacement *r, ssdc_frame_t frame,
		     enum ssdc_flush_reason reason)
{
	struct mq_ssd *mq = to_mq(r);
	u8 list = ssdc_replacement_entry(r, frame)->list;

	set_under_way(mq, frame, false);
	if (!mq->keep_clean || list == PENDING) {
		unlink_page(mq, frame);
		link_head(mq, frame, mq->keep_clean ? LRU : LEAVING);
	}
	update(mq);
}

static void mq_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct mq_ssd *mq = to_mq(r);

	set_under_way(mq, frame, false);
	unlink_page(mq, frame);
	update(mq);
}

static void take(struct mq_ssd *mq, ssdc_frame_t frame, struct ssdc_batch *batch)
{
	mq_remove(&mq->r, frame);
	ssdc_batch_add(batch, frame);
}

/* All that are clean and leave; or else one page. */
static void mq_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
		       struct ssdc_batch *batch, unsigned int max)
{
	struct mq_ssd *mq = to_mq(r);
	struct ssdc_list *leaving = &mq->lists[LEAVING];
	u8 list = ssdc_list_empty(&mq->lists[LRU]) ? PENDING : LRU;

	if (ssdc_list_empty(leaving)) {
		if (ssdc_list_empty(&mq->lists[list]))
			return;
		mq->evicted++;
		take(mq, mq->lists[list].tail, batch);
		return;
	}
	for (; max && !ssdc_list_empty(leaving); max--) {
		mq->left_clean++;
		take(mq, leaving->tail, batch);
	}
}

/* In the order in which they were written. */
static bool mq_early(struct ssdc_replacement *r, const struct ssdc_view *view,
		     struct ssdc_batch *batch, unsigned int max)
{
	struct mq_ssd *mq = to_mq(r);

	for (; max && !ssdc_list_empty(&mq->lists[PENDING]) && mq->under_way < mq->budget; max--) {
		ssdc_frame_t frame = mq->lists[PENDING].tail;

		unlink_page(mq, frame);
		link_head(mq, frame, LRU);
		set_under_way(mq, frame, true);
		ssdc_batch_add(batch, frame);
	}
	update(mq);
	return false;
}

static void mq_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(r, frame);

	entry->weight = 0;
	entry->list = LRU;
	ssdc_list_add_tail(r->entries, &to_mq(r)->lists[LRU], frame);
}

static ssdc_frame_t mq_pop_hottest(struct ssdc_replacement *r)
{
	struct mq_ssd *mq = to_mq(r);
	ssdc_frame_t frame = SSDC_NO_FRAME;
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		frame = ssdc_replacement_hotter(r, mq->lists[i].head, frame);
	if (frame != SSDC_NO_FRAME)
		mq_remove(r, frame);
	return frame;
}

static int mq_check(const struct ssdc_replacement *r)
{
	const struct mq_ssd *mq = to_mq(r);
	u32 i, pages = 0, under_way = 0;
	ssdc_frame_t frame;

	for (i = 0; i < NR_LISTS; i++) {
		if (!ssdc_list_ok(r->entries, &mq->lists[i], i))
			return -EUCLEAN;
		pages += mq->lists[i].count;
		for (frame = mq->lists[i].head; frame != SSDC_NO_FRAME;
		     frame = ssdc_replacement_entry(r, frame)->next)
			under_way += ssdc_replacement_entry(r, frame)->weight;
	}
	return pages == r->pages && under_way == mq->under_way &&
		mq->written.used <= SSDC_PAGE_SET_PAGES && r->surplus == mq->lists[LEAVING].count ?
		0 : -EUCLEAN;
}

static const struct ssdc_tunable mq_tunables[] = {
	{ "period_ms", "ms", "a page that is written twice in this time is hot",
	  offsetof(struct mq_ssd, period_ms), 1000, 1, 3600000, NULL },
	{ "budget", "pages", "cold pages on their way to the origin, at most; 0: none goes early",
	  offsetof(struct mq_ssd, budget), 128, 0, 65536, NULL },
	{ "keep_clean", "", "on: pages stay in DRAM when a flush has cleaned them",
	  offsetof(struct mq_ssd, keep_clean), 0, 0, 0, ssdc_off_on },
};

static const struct ssdc_stat mq_stats[] = {
	SSDC_STAT(struct mq_ssd, lists[LRU].count, "lru_list", "pages", SSDC_GAUGE,
		  "hot pages, those read in, and those being flushed"),
	SSDC_STAT(struct mq_ssd, lists[PENDING].count, "pending_list", "pages", SSDC_GAUGE,
		  "cold pages whose flush has not begun"),
	SSDC_STAT(struct mq_ssd, lists[LEAVING].count, "leaving_list", "pages", SSDC_GAUGE,
		  "pages that a flush has cleaned, about to leave"),
	SSDC_STAT(struct mq_ssd, under_way, "under_way", "pages", SSDC_GAUGE,
		  "cold pages being flushed"),
	SSDC_STAT(struct mq_ssd, written.used, "written_pages", "pages", SSDC_GAUGE,
		  "different pages written in this period"),
	SSDC_STAT(struct mq_ssd, cold_writes, "cold_writes", "pages", SSDC_COUNTER,
		  "first writes of a page in a period"),
	SSDC_STAT(struct mq_ssd, hot_writes, "hot_writes", "pages", SSDC_COUNTER,
		  "further writes of a page in a period"),
	SSDC_STAT(struct mq_ssd, periods, "periods", "times", SSDC_COUNTER,
		  "the set of written pages was emptied because a period was over"),
	SSDC_STAT(struct mq_ssd, full_periods, "full_periods", "times", SSDC_COUNTER,
		  "it was emptied because it was full"),
	SSDC_STAT(struct mq_ssd, left_clean, "left_clean", "pages", SSDC_COUNTER,
		  "left because a flush had cleaned them"),
	SSDC_STAT(struct mq_ssd, evicted, "lru_victims", "pages", SSDC_COUNTER,
		  "left because a frame was needed"),
};

struct ssdc_replacement_type ssdc_mq_ssd = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "mq-ssd",
			.source = "MQSim: Tavakkol et al., FAST 2018; S003",
			.status = "as in MQSim; cold pages wait for the budget, not writes",
			.doc = "cold pages are flushed at once and leave, hot ones are LRU",
			.tunables = mq_tunables,
			.nr_tunables = ARRAY_SIZE(mq_tunables),
			.stats = mq_stats,
			.nr_stats = ARRAY_SIZE(mq_stats),
			.instance_bytes = sizeof(struct mq_ssd),
		},
	},
	.create = mq_create,
	.destroy = mq_destroy,
	.tuned = mq_tuned,
	.request = mq_request,
	.insert = mq_insert,
	.hit = mq_hit,
	.clean = mq_clean,
	.remove = mq_remove,
	.victims = mq_victims,
	.early = mq_early,
	.adopt = mq_adopt,
	.pop_hottest = mq_pop_hottest,
	.check = mq_check,
};
