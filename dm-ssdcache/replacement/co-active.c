// SPDX-License-Identifier: GPL-2.0
/*
 * Co-Active: cold dirty pages are flushed while their flash chip is idle and stay as clean
 * pages; clean pages leave first.
 *
 * Source	Sun et al., IEEE TPDS 32(6) (2021) [Sun21]: the abstract, and the descriptions
 *		in [Sha23], [Zhou23] and [Lin22]. The full text was not available.
 * Cost		O(1) per access, O(candidates) while chips are idle; no memory beyond
 *		struct ssdc_entry
 *
 *	read miss           -> [ clean ] -> 1st choice
 *	                          ^ chip idle: pages of the older half of cold
 *	written once        -> [ cold  ] \
 *	                                   least recent of both: 2nd choice
 *	written again       -> [ hot   ] /
 *
 * From the abstract: hot and cold pages are separated; "when a flash chip is idle, cold and
 * dirty data in the cache is flushed into the idle flash chip"; clean data are evicted
 * first; "a maximum write-back threshold is configured according to the level of burst I/O"
 * to avoid redundant writes.
 *
 * STAND-IN:
 *
 * - A page is cold if it has been written only once since it entered. The least recent `cold_share`
 *   percent of the cold pages may be flushed early.
 * - Of these pages, the least recent `candidates` are considered; each idle chip gets one page.
 * - The threshold limits the number of clean pages to the burst level, and to `clean_max` percent
 *   of the DRAM tier. A burst is a series of writes without a pause of `pause_ms` between two
 *   requests. The burst level is the size of the largest burst; each smaller burst that follows
 *   lowers it by a sixteenth.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include "../policy-api/replacement.h"

enum { CLEAN, COLD, HOT, NR_LISTS };

#define FADE 16

struct co_active {
	struct ssdc_replacement r;
	struct ssdc_list lists[NR_LISTS];
	u64 last_ns;			/* arrival of the last request */
	u32 burst;			/* pages written since the last pause */
	u32 level;			/* burst level, pages */
	u32 threshold;			/* limit on clean pages */
	/* tunables */
	u32 cold_share;
	u32 candidates;
	u32 clean_max;
	u32 pause_ms;
	/* statistics */
	u64 written_back;
	u64 rewritten;
	u64 clean_victims;
	u64 dirty_victims;

	struct ssdc_unit_query queries[SSDC_STEP_FRAMES];
	u32 given[SSDC_STEP_FRAMES];	/* chips that already got a page in this batch */
};

static struct co_active *to_co(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct co_active, r);
}

/* Cold pages that may be flushed early. */
static u32 cold_pages(const struct co_active *co)
{
	return div_u64((u64)co->lists[COLD].count * co->cold_share, 100);
}

/*
 * Tell the engine whether to call early(). Call this function after each change of a list or of the
 * threshold.
 */
static void update(struct co_active *co)
{
	bool flush = co->lists[CLEAN].count < co->threshold && cold_pages(co);

	co->r.early_above = flush ? 0 : U32_MAX;
}

static void update_threshold(struct co_active *co)
{
	u32 most = div_u64((u64)co->r.capacity * co->clean_max, 100);

	co->threshold = min(max(co->level, co->burst), most);
	update(co);
}

static int co_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	struct co_active *co = to_co(r);
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		ssdc_list_init(&co->lists[i]);
	r->eager = true;
	update_threshold(co);
	return 0;
}

static void co_tuned(struct ssdc_replacement *r)
{
	update_threshold(to_co(r));
}

static void unlink_page(struct co_active *co, ssdc_frame_t frame)
{
	ssdc_list_del(co->r.entries, &co->lists[ssdc_replacement_entry(&co->r, frame)->list],
		      frame);
}

static void link_head(struct co_active *co, ssdc_frame_t frame, u8 list)
{
	ssdc_replacement_entry(&co->r, frame)->list = list;
	ssdc_list_add_head(co->r.entries, &co->lists[list], frame);
}

static void end_burst(struct co_active *co)
{
	co->level = max(co->burst, co->level - DIV_ROUND_UP(co->level, FADE));
	co->burst = 0;
	update_threshold(co);
}

static void co_request(struct ssdc_replacement *r, const struct ssdc_host_request *rq)
{
	struct co_active *co = to_co(r);

	/* Requests from several CPUs may be seen out of order. */
	if (rq->start_ns > co->last_ns + co->pause_ms * 1000000ULL && co->burst)
		end_burst(co);
	co->last_ns = max(co->last_ns, rq->start_ns);
	if (rq->op != SSDC_WRITE)
		return;
	co->burst = min(co->burst + ssdc_request_pages(r->plugin.tier, rq), r->capacity);
	update_threshold(co);
}

/* The weight counts writes since the page entered, up to 2. */
static void co_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
		      const struct ssdc_host_request *rq, bool dirty)
{
	ssdc_replacement_entry(r, frame)->weight = dirty;
	link_head(to_co(r), frame, dirty ? COLD : CLEAN);
	update(to_co(r));
}

static void co_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		   const struct ssdc_host_request *rq, bool write)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(r, frame);
	struct co_active *co = to_co(r);
	u8 list = entry->list;

	if (write) {
		co->rewritten += list == CLEAN && entry->weight;
		entry->weight = min(entry->weight + 1, 2u);
		list = entry->weight == 1 ? COLD : HOT;
	}
	unlink_page(co, frame);
	link_head(co, frame, list);
	update(co);
}

static void co_clean(struct ssdc_replacement *r, ssdc_frame_t frame,
		     enum ssdc_flush_reason reason)
{
	struct co_active *co = to_co(r);

	if (ssdc_replacement_entry(r, frame)->list == CLEAN)
		return;
	unlink_page(co, frame);
	link_head(co, frame, CLEAN);
	update(co);
}

static void co_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	unlink_page(to_co(r), frame);
	update(to_co(r));
}

/* The least recent dirty page. */
static ssdc_frame_t coldest_dirty(const struct co_active *co)
{
	ssdc_frame_t cold = co->lists[COLD].tail, hot = co->lists[HOT].tail;

	if (cold == SSDC_NO_FRAME || hot == SSDC_NO_FRAME)
		return cold == SSDC_NO_FRAME ? hot : cold;
	return ssdc_replacement_hotter(&co->r, cold, hot) == cold ? hot : cold;
}

static void co_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
		       struct ssdc_batch *batch, unsigned int max)
{
	struct co_active *co = to_co(r);
	ssdc_frame_t frame = co->lists[CLEAN].tail;

	if (frame == SSDC_NO_FRAME)
		frame = coldest_dirty(co);
	if (frame == SSDC_NO_FRAME)
		return;
	if (ssdc_replacement_entry(r, frame)->flags & SSDC_E_DIRTY)
		co->dirty_victims++;
	else
		co->clean_victims++;
	co_remove(r, frame);
	ssdc_batch_add(batch, frame);
}

/* Look up the chips of the @nr least recent cold pages. */
static void ask_chips(struct co_active *co, u32 nr)
{
	ssdc_frame_t frame = co->lists[COLD].tail;
	u32 i;

	for (i = 0; i < nr; i++) {
		const struct ssdc_entry *entry = ssdc_replacement_entry(&co->r, frame);

		co->queries[i].sector = ssdc_page_nr(entry->page) <<
					co->r.plugin.tier->page_shift;
		co->queries[i].write = true;
		frame = entry->prev;
	}
	ssdc_ask_units(co->r.plugin.tier, co->queries, nr);
}

/* Claim the chip if it is idle and none of the @nr pages in this batch goes to it. */
static bool take_chip(struct co_active *co, const struct ssdc_unit_query *query, u32 nr)
{
	u32 i;

	if (query->depth)
		return false;
	for (i = 0; i < nr && query->unit != SSDC_ANY_UNIT; i++)
		if (co->given[i] == query->unit)
			return false;
	co->given[nr] = query->unit;
	return true;
}

/* Move the pages to the clean list at once: a write moves a page back. */
static bool co_early(struct ssdc_replacement *r, const struct ssdc_view *view,
		     struct ssdc_batch *batch, unsigned int max)
{
	struct co_active *co = to_co(r);
	u32 nr = min(cold_pages(co), co->candidates), given = 0, want, i;
	ssdc_frame_t frame = co->lists[COLD].tail, newer;

	want = co->threshold - min(co->threshold, co->lists[CLEAN].count);
	want = min(min(want, view->idle_units), max);
	if (!want)
		return false;
	ask_chips(co, nr);
	for (i = 0; i < nr && given < want; i++, frame = newer) {
		newer = ssdc_replacement_entry(r, frame)->prev;
		if (!take_chip(co, &co->queries[i], given))
			continue;
		given++;
		unlink_page(co, frame);
		link_head(co, frame, CLEAN);
		ssdc_batch_add(batch, frame);
	}
	co->written_back += given;
	update(co);
	return false;
}

static void co_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(r, frame);
	bool dirty = entry->flags & SSDC_E_DIRTY;

	entry->weight = dirty;
	entry->list = dirty ? COLD : CLEAN;
	ssdc_list_add_tail(r->entries, &to_co(r)->lists[entry->list], frame);
	update(to_co(r));
}

static ssdc_frame_t co_pop_hottest(struct ssdc_replacement *r)
{
	struct co_active *co = to_co(r);
	ssdc_frame_t frame = SSDC_NO_FRAME;
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		frame = ssdc_replacement_hotter(r, co->lists[i].head, frame);
	if (frame != SSDC_NO_FRAME)
		co_remove(r, frame);
	return frame;
}

static int co_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	static const char *const names[NR_LISTS] = { "clean", "cold", "hot" };
	const struct co_active *co = to_co(r);

	if (co->burst > r->capacity || co->level > r->capacity)
		return ssdc_finding(finding, "the burst is %u and the level %u of %u frames",
				    co->burst, co->level, r->capacity);
	return ssdc_lists_check(r, co->lists, names, NR_LISTS, finding);
}

static const struct ssdc_tunable co_tunables[] = {
	{ "cold_share", "percent", "least recent share of the cold pages that may be flushed early",
	  offsetof(struct co_active, cold_share), 50, 0, 100, NULL },
	{ "candidates", "pages", "cold pages considered for idle chips at a time",
	  offsetof(struct co_active, candidates), SSDC_STEP_FRAMES, 1, SSDC_STEP_FRAMES, NULL },
	{ "clean_max", "percent", "DRAM share up to which early flushes may make pages clean",
	  offsetof(struct co_active, clean_max), 25, 0, 100, NULL },
	{ "pause_ms", "ms", "time without a request that ends a burst",
	  offsetof(struct co_active, pause_ms), 10, 1, 60000, NULL },
};

static const struct ssdc_stat co_stats[] = {
	SSDC_STAT(struct co_active, lists[CLEAN].count, "clean_list", "pages", SSDC_GAUGE,
		  "clean pages, and pages being flushed early"),
	SSDC_STAT(struct co_active, lists[COLD].count, "cold_list", "pages", SSDC_GAUGE,
		  "dirty pages written once"),
	SSDC_STAT(struct co_active, lists[HOT].count, "hot_list", "pages", SSDC_GAUGE,
		  "dirty pages written more than once"),
	SSDC_STAT(struct co_active, level, "burst_level", "pages", SSDC_GAUGE,
		  "burst level: size of the largest recent burst of writes"),
	SSDC_STAT(struct co_active, threshold, "threshold_now", "pages", SSDC_GAUGE,
		  "limit on clean pages"),
	SSDC_STAT(struct co_active, written_back, "written_back", "pages", SSDC_COUNTER,
		  "flushed early because their chip was idle"),
	SSDC_STAT(struct co_active, rewritten, "rewritten_clean", "pages", SSDC_COUNTER,
		  "rewritten after a flush had cleaned them"),
	SSDC_STAT(struct co_active, clean_victims, "clean_victims", "pages", SSDC_COUNTER,
		  "clean victims"),
	SSDC_STAT(struct co_active, dirty_victims, "dirty_victims", "pages", SSDC_COUNTER,
		  "dirty victims"),
};

struct ssdc_replacement_type ssdc_co_active = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "co-active",
			.source = "Sun et al., IEEE TPDS 32(6) (2021) [Sun21]",
			.status = "stand-in from abstract, [Sha23], [Zhou23]: cold, threshold",
			.doc = "clean pages first; cold dirty pages are flushed to idle chips",
			.tunables = co_tunables,
			.nr_tunables = ARRAY_SIZE(co_tunables),
			.stats = co_stats,
			.nr_stats = ARRAY_SIZE(co_stats),
			.instance_bytes = sizeof(struct co_active),
		},
	},
	.create = co_create,
	.tuned = co_tuned,
	.request = co_request,
	.insert = co_insert,
	.hit = co_hit,
	.clean = co_clean,
	.remove = co_remove,
	.no_view = true,
	.victims = co_victims,
	.early = co_early,
	.adopt = co_adopt,
	.pop_hottest = co_pop_hottest,
	.check = co_check,
};
