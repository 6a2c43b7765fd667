// SPDX-License-Identifier: GPL-2.0
/*
 * MQ-SSD: the write cache of the MQSim simulator. Cold pages are flushed at once and leave;
 * hot pages stay until they are evicted.
 *
 * Source	MQSim: Tavakkol et al., FAST 2018 [Tavakkol18], Data_Cache_Manager_Flash_Advanced
 *		of commit 7ec40e3; the baseline of [Zhou23]
 * Status	MQSim's rules, with the differences listed here
 * Cost		O(1) per access; 256 KiB per cache for the set of written pages
 *
 * A page is hot if it is written for the second time within a period of one second. The set
 * of pages written in the period, cached or not, is emptied when the period ends.
 *
 *	written, cold      -> [ pending ] -> its flush begins -> [ lru ] -> flushed: leaves
 *	written, hot; read -> [ lru ] -> tail: victim
 *
 * DRAM keeps no page that a flush has cleaned, however idle the device: this is a write buffer, not
 * a cache of written data. keep_clean=on keeps such pages at their place in the LRU list. With
 * budget=0 there is no early flush, and only the LRU list of MQSim's cache is left.
 *
 * Differences from MQSim:
 *
 * - In MQSim, writes wait while more than `budget` pages are in flight. Here cold pages wait
 *   in DRAM for their flush to begin, and a write waits only for a frame.
 * - There is one set for all streams, and a period also ends when SSDC_PAGE_SET_PAGES
 *   different pages have been written.
 * - A period begins with the first request after the last period. In MQSim it begins after the
 *   first such write, whose pages are still compared with the old set.
 * - A page cleaned by FLUSH, which MQSim's cache lacks, leaves like any other clean page.
 * - A page that was read into DRAM, or adopted from another policy, is evicted like a hot page.
 * - A page whose flush failed counts as hot; the engine's own rules retry it.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include "../policy-api/replacement.h"
#include "../base/page-set.h"

enum { LRU, PENDING, LEAVING, NR_LISTS };

/* Weight of a page whose early flush is in flight. */
#define IN_FLIGHT 1u

struct mq_ssd {
	struct ssdc_replacement r;
	struct ssdc_list lists[NR_LISTS];
	struct ssdc_page_set written;	/* pages written in this period */
	u64 period_began_ns;
	u64 period_ends_ns;		/* 0: no period has begun */
	u32 in_flight;			/* pages of early flushes */
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

/* Update the engine's view of this policy; call after each change of a list or a count. */
static void update(struct mq_ssd *mq)
{
	bool flush = !ssdc_list_empty(&mq->lists[PENDING]) && mq->in_flight < mq->budget;

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

static void set_period_end(struct mq_ssd *mq)
{
	mq->period_ends_ns = mq->period_began_ns + mq->period_ms * 1000000ULL;
}

static void mq_tuned(struct ssdc_replacement *r)
{
	struct mq_ssd *mq = to_mq(r);

	if (mq->period_ends_ns)
		set_period_end(mq);
	update(mq);
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

static void set_in_flight(struct mq_ssd *mq, ssdc_frame_t frame, bool in_flight)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(&mq->r, frame);

	mq->in_flight -= entry->weight;
	entry->weight = in_flight ? IN_FLIGHT : 0;
	mq->in_flight += entry->weight;
}

static void mq_request(struct ssdc_replacement *r, const struct ssdc_host_request *rq)
{
	struct mq_ssd *mq = to_mq(r);

	if (rq->start_ns < mq->period_ends_ns)
		return;
	mq->period_began_ns = rq->start_ns;
	set_period_end(mq);
	mq->periods++;
	ssdc_page_set_empty(&mq->written);
}

/* Is this the first write of the page in this period? */
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

/* The list of a page that was just written. */
static u8 list_for_write(struct mq_ssd *mq, ssdc_frame_t frame)
{
	return is_cold(mq, frame) && mq->budget ? PENDING : LRU;
}

static void mq_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
		      const struct ssdc_host_request *rq, bool dirty)
{
	struct mq_ssd *mq = to_mq(r);

	ssdc_replacement_entry(r, frame)->weight = 0;
	link_head(mq, frame, dirty && rq ? list_for_write(mq, frame) : LRU);
	update(mq);
}

/* A read does not move a page that waits for its flush, or that is about to leave. */
static void mq_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		   const struct ssdc_host_request *rq, bool write)
{
	struct mq_ssd *mq = to_mq(r);

	if (!write && ssdc_replacement_entry(r, frame)->list != LRU)
		return;
	unlink_page(mq, frame);
	link_head(mq, frame, write ? list_for_write(mq, frame) : LRU);
	update(mq);
}

static void mq_clean(struct ssdc_replacement *r, ssdc_frame_t frame,
		     enum ssdc_flush_reason reason)
{
	struct mq_ssd *mq = to_mq(r);
	u8 list = ssdc_replacement_entry(r, frame)->list;

	set_in_flight(mq, frame, false);
	if (!mq->keep_clean || list == PENDING) {
		unlink_page(mq, frame);
		link_head(mq, frame, mq->keep_clean ? LRU : LEAVING);
	}
	update(mq);
}

static void mq_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct mq_ssd *mq = to_mq(r);

	set_in_flight(mq, frame, false);
	unlink_page(mq, frame);
	update(mq);
}

static void take(struct mq_ssd *mq, ssdc_frame_t frame, struct ssdc_batch *batch)
{
	mq_remove(&mq->r, frame);
	ssdc_batch_add(batch, frame);
}

/* Most pages chosen in one call of early(), and most leaving pages in one call of victims(). */
#define STEP_PAGES 24u

/*
 * Name clean pages that are to leave or, if there are none, one other page. After a FLUSH, many
 * pages leave; the surplus says that more are left. Pages that wait for an early flush are the last
 * to leave, unless the budget was set to 0 meanwhile.
 */
static void mq_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
		       struct ssdc_batch *batch, unsigned int max)
{
	struct mq_ssd *mq = to_mq(r);
	struct ssdc_list *leaving = &mq->lists[LEAVING];
	bool pending = !ssdc_list_empty(&mq->lists[PENDING]) &&
		       (!mq->budget || ssdc_list_empty(&mq->lists[LRU]));
	u8 list = pending ? PENDING : LRU;

	if (ssdc_list_empty(leaving)) {
		if (ssdc_list_empty(&mq->lists[list]))
			return;
		mq->evicted++;
		take(mq, mq->lists[list].tail, batch);
		return;
	}
	for (max = min(max, STEP_PAGES); max && !ssdc_list_empty(leaving); max--) {
		mq->left_clean++;
		take(mq, leaving->tail, batch);
	}
}

/* Flush in the order of the writes. */
static bool mq_early(struct ssdc_replacement *r, const struct ssdc_view *view,
		     struct ssdc_batch *batch, unsigned int max)
{
	struct mq_ssd *mq = to_mq(r);

	max = min(max, STEP_PAGES);
	for (; max && !ssdc_list_empty(&mq->lists[PENDING]) && mq->in_flight < mq->budget; max--) {
		ssdc_frame_t frame = mq->lists[PENDING].tail;

		unlink_page(mq, frame);
		link_head(mq, frame, LRU);
		set_in_flight(mq, frame, true);
		ssdc_batch_add(batch, frame);
	}
	update(mq);
	batch->goes_on = !max && r->early_above != U32_MAX;
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

static int mq_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	static const char *const names[NR_LISTS] = { "lru", "pending", "leaving" };
	const struct mq_ssd *mq = to_mq(r);
	int result = ssdc_lists_check(r, mq->lists, names, NR_LISTS, finding);
	u32 i, in_flight = 0;
	ssdc_frame_t frame;

	if (result)
		return result;
	for (i = 0; i < NR_LISTS; i++)
		for (frame = mq->lists[i].head; frame != SSDC_NO_FRAME;
		     frame = ssdc_replacement_entry(r, frame)->next)
			in_flight += ssdc_replacement_entry(r, frame)->weight;
	if (in_flight != mq->in_flight)
		return ssdc_finding(finding, "%u pages are marked as in flight, in_flight is %u",
				    in_flight, mq->in_flight);
	if (mq->written.used > SSDC_PAGE_SET_PAGES)
		return ssdc_finding(finding, "the set of written pages has %u of %u pages",
				    mq->written.used, SSDC_PAGE_SET_PAGES);
	if (r->surplus != mq->lists[LEAVING].count)
		return ssdc_finding(finding, "the surplus is %u, list \"leaving\" has %u pages",
				    r->surplus, mq->lists[LEAVING].count);
	return 0;
}

static const struct ssdc_tunable mq_tunables[] = {
	{ "period_ms", "ms", "a page written twice within this time is hot",
	  offsetof(struct mq_ssd, period_ms), 1000, 1, 3600000, NULL },
	{ "budget", "pages", "limit on cold pages in flight to the origin; 0: no early flush",
	  offsetof(struct mq_ssd, budget), 128, 0, 65536, NULL },
	{ "keep_clean", "", "on: keep pages that a flush has cleaned",
	  offsetof(struct mq_ssd, keep_clean), 0, 0, 0, ssdc_off_on },
};

static const struct ssdc_stat mq_stats[] = {
	SSDC_STAT(struct mq_ssd, lists[LRU].count, "lru_list", "pages", SSDC_GAUGE,
		  "hot pages, pages read into DRAM, pages being flushed"),
	SSDC_STAT(struct mq_ssd, lists[PENDING].count, "pending_list", "pages", SSDC_GAUGE,
		  "cold pages whose flush has not begun"),
	SSDC_STAT(struct mq_ssd, lists[LEAVING].count, "leaving_list", "pages", SSDC_GAUGE,
		  "pages cleaned by a flush, about to leave"),
	SSDC_STAT(struct mq_ssd, in_flight, "under_way", "pages", SSDC_GAUGE,
		  "cold pages being flushed"),
	SSDC_STAT(struct mq_ssd, written.used, "written_pages", "pages", SSDC_GAUGE,
		  "different pages written in this period"),
	SSDC_STAT(struct mq_ssd, cold_writes, "cold_writes", "pages", SSDC_COUNTER,
		  "first writes of a page in a period"),
	SSDC_STAT(struct mq_ssd, hot_writes, "hot_writes", "pages", SSDC_COUNTER,
		  "further writes of a page in a period"),
	SSDC_STAT(struct mq_ssd, periods, "periods", "times", SSDC_COUNTER,
		  "periods that ended because their time was over"),
	SSDC_STAT(struct mq_ssd, full_periods, "full_periods", "times", SSDC_COUNTER,
		  "periods that ended because the set of written pages was full"),
	SSDC_STAT(struct mq_ssd, left_clean, "left_clean", "pages", SSDC_COUNTER,
		  "pages that left because a flush had cleaned them"),
	SSDC_STAT(struct mq_ssd, evicted, "lru_victims", "pages", SSDC_COUNTER,
		  "pages that left because a frame was needed"),
};

struct ssdc_replacement_type ssdc_mq_ssd = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "mq-ssd",
			.source = "MQSim: Tavakkol et al., FAST 2018 [Tavakkol18]",
			.status = "as in MQSim; the budget delays cold pages instead of writes",
			.doc = "cold pages are flushed at once and leave; hot pages are LRU",
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
	.clean_work = 8,
	.no_view = true,
	.victims = mq_victims,
	.early = mq_early,
	.adopt = mq_adopt,
	.pop_hottest = mq_pop_hottest,
	.check = mq_check,
};
