// SPDX-License-Identifier: GPL-2.0
/* The partition of prefetched pages: how they enter, are used by the host, and leave. */
#include "driver.h"

/* A prefetcher that asks for the pages that the test sets, and records its calls. */
static struct {
	unsigned int loaded;
	unsigned int hits;
	unsigned int first_hits;
	unsigned int late_hits;
	unsigned int left[SSDC_DROPPED + 1];
	unsigned int used;
} script;

static void script_loaded(struct ssdc_prefetch *p, ssdc_page_t page)
{
	script.loaded++;
}

static void script_hit(struct ssdc_prefetch *p, ssdc_page_t page, bool first, bool late)
{
	script.hits++;
	script.first_hits += first;
	script.late_hits += late;
}

static void script_left(struct ssdc_prefetch *p, ssdc_page_t page, bool used,
			enum ssdc_prefetch_end end)
{
	script.left[end]++;
	script.used += used;
}

static const struct ssdc_prefetch_type scripted = {
	.plugin = {
		.kind = SSDC_PREFETCH,
		.info.name = "scripted",
		.info.instance_bytes = sizeof(struct ssdc_prefetch),
	},
	.loaded = script_loaded,
	.hit = script_hit,
	.left = script_left,
};

/* 16 frames, write-buffer, a partition of up to @pages_max. */
static struct td *with_share(struct kunit *test, u32 pages_max)
{
	struct td *td = td_admission(test, "write-buffer");

	memset(&script, 0, sizeof(script));
	td->e->prefetch->plugin.type = &scripted.plugin;
	ssdc_plugins_changed(td->e);
	td->e->prefetch->pages_max = pages_max;
	return td;
}

static void want(struct td *td, u64 first, u32 nr)
{
	while (nr--)
		ssdc_prefetch_want(td->e->prefetch, first++);
}

/* Prefetch pages and wait until they are cached. */
static void bring_in(struct td *td, u64 first, u32 nr)
{
	want(td, first, nr);
	td_settle(td);
}

static bool is_prefetched(struct td *td, u64 page)
{
	return td_cached(td, page) && td_entry(td, page)->prefetched;
}

/* ---- entering ---- */

static void prefetch_brings_pages_in(struct kunit *test)
{
	struct td *td = with_share(test, 4);
	struct td_host *read;

	want(td, 5, 2);
	KUNIT_EXPECT_TRUE(test, ssdc_has_work(td->e));
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 2u);
	KUNIT_EXPECT_FALSE(test, td->ios[0].io.write);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.sector, 40ULL);
	KUNIT_EXPECT_EQ(test, script.loaded, 2u);
	td_end_ios(td, 0);
	td_settle(td);
	KUNIT_EXPECT_TRUE(test, is_prefetched(td, 5));
	KUNIT_EXPECT_TRUE(test, ssdc_quiescent(td->e));
	TD_EXPECT_STAT(td, "prefetched_pages", 2);
	TD_EXPECT_STAT(td, "prefetched", 2);

	read = td_read_page(td, 5);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_STAT(td, "read_hits", 1);
	TD_EXPECT_STAT(td, "prefetch_hits", 1);
	KUNIT_EXPECT_EQ(test, script.first_hits, 1u);
	TD_EXPECT_DONE(td, td_submit(td, SSDC_READ, 41, 2));
	KUNIT_EXPECT_EQ(test, script.hits, 2u);
	KUNIT_EXPECT_EQ(test, script.first_hits, 1u);
	KUNIT_EXPECT_TRUE(test, is_prefetched(td, 5));
	/* they belong to no policy */
	KUNIT_EXPECT_EQ(test, td->e->replacement->pages, 0u);
}

static void prefetch_leaves_out_what_is_cached_or_beyond_the_end(struct kunit *test)
{
	struct td *td = with_share(test, 4);

	td_fill(td, 3, 1);
	want(td, 3, 1);
	want(td, TD_SECTORS / TD_PAGE_SECTORS, 1);
	want(td, U64_MAX >> 3, 1);
	td_settle(td);
	TD_EXPECT_STAT(td, "prefetched_pages", 0);
	KUNIT_EXPECT_EQ(test, td->e->prefetch->unserved, 3ULL);
	KUNIT_EXPECT_EQ(test, td->e->prefetch->wanted, 3ULL);
}

/* No prefetch starts while a host read is in progress. */
static void prefetch_yields_to_reads(struct kunit *test)
{
	struct td *td = with_share(test, 8);
	struct td_host *read = td_read_page(td, 30);

	want(td, 5, 3);
	KUNIT_EXPECT_FALSE(test, ssdc_has_work(td->e));
	td_background(td);
	KUNIT_EXPECT_EQ(test, script.loaded, 0u);
	td_end_sub(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, read);
	KUNIT_EXPECT_TRUE(test, ssdc_has_work(td->e));
	td_background(td);
	KUNIT_EXPECT_EQ(test, script.loaded, 3u);
	td_settle(td);
}

static void prefetch_has_few_under_way(struct kunit *test)
{
	struct ssdc_params params = td_params();
	struct td *td;

	params.dram_bytes = 64 * 4096;
	td = td_new(test, &params);
	memset(&script, 0, sizeof(script));
	td->e->prefetch->pages_max = 32;
	want(td, 0, 20);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 8u);
	KUNIT_EXPECT_FALSE(test, ssdc_has_work(td->e));
	td_end_io(td, 0, 0);
	KUNIT_EXPECT_TRUE(test, ssdc_has_work(td->e));
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 1u);
	td_end_ios(td, 0);
	td_settle(td);
	TD_EXPECT_STAT(td, "prefetched_pages", 20);
}

static void prefetch_forgets_the_oldest_of_too_many(struct kunit *test)
{
	struct td *td = with_share(test, 1);

	want(td, 0, SSDC_MAX_WANTS + 3);
	KUNIT_EXPECT_EQ(test, td->e->prefetch->unserved, 3ULL);
	KUNIT_EXPECT_EQ(test, td->e->prefetch->wants[td->e->prefetch->first_want], 3ULL);
	td_settle(td);
	TD_EXPECT_STAT(td, "prefetched_pages", SSDC_MAX_WANTS);
	KUNIT_EXPECT_TRUE(test, is_prefetched(td, SSDC_MAX_WANTS + 2));
}

static void prefetch_stops_while_suspended(struct kunit *test)
{
	struct td *td = with_share(test, 4);

	ssdc_freeze(td->e, true);
	want(td, 5, 1);
	KUNIT_EXPECT_FALSE(test, ssdc_has_work(td->e));
	td_settle(td);
	KUNIT_EXPECT_EQ(test, script.loaded, 0u);
	KUNIT_EXPECT_TRUE(test, ssdc_quiescent(td->e));
	ssdc_freeze(td->e, false);
	KUNIT_EXPECT_TRUE(test, ssdc_has_work(td->e));
	td_settle(td);
	KUNIT_EXPECT_EQ(test, script.loaded, 1u);
}

/* ---- frames ---- */

/* A partition within its share takes a frame of the replacement policy. */
static void prefetch_takes_a_frame_of_the_policy(struct kunit *test)
{
	struct td *td = with_share(test, 2);

	td_fill(td, 0, TD_FRAMES);
	want(td, 40, 2);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	KUNIT_EXPECT_TRUE(test, td->ios[0].io.write);
	KUNIT_EXPECT_EQ(test, script.loaded, 0u);
	KUNIT_EXPECT_FALSE(test, ssdc_has_work(td->e));
	td_end_io(td, 0, 0);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, script.loaded, 2u);
	KUNIT_EXPECT_EQ(test, td->e->tier.dirty_pages, TD_FRAMES - 2);
	TD_EXPECT_STAT(td, "evicted_pages", 2);
}

/* A full partition replaces its own least recently used page. */
static void prefetch_replaces_its_own(struct kunit *test)
{
	struct td *td = with_share(test, 3);

	bring_in(td, 20, 3);
	td_load(td, 20, 1);
	bring_in(td, 30, 1);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 20));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 21));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 30));
	KUNIT_EXPECT_EQ(test, script.left[SSDC_REPLACED], 1u);
	TD_EXPECT_STAT(td, "prefetched", 3);
	TD_EXPECT_STAT(td, "prefetch_unused", 1);
	TD_EXPECT_STAT(td, "evictions", 0);
}

/* Within its share, the partition keeps its frames while the policy has victims. */
static void prefetch_keeps_its_share(struct kunit *test)
{
	struct td *td = with_share(test, 4);

	bring_in(td, 40, 4);
	td_fill(td, 0, 20);
	TD_EXPECT_STAT(td, "prefetched", 4);
	KUNIT_EXPECT_EQ(test, td->e->tier.dirty_pages, TD_FRAMES - 4);
	TD_EXPECT_STAT(td, "evicted_pages", 20 - (TD_FRAMES - 4));
}

/* Beyond its share, the partition loses pages first, and without a flush. */
static void prefetch_gives_way_beyond_its_share(struct kunit *test)
{
	struct td *td = with_share(test, 4);

	bring_in(td, 40, 4);
	td_fill(td, 0, TD_FRAMES - 4);
	td->e->prefetch->pages_max = 1;
	TD_EXPECT_DONE(td, td_write_page(td, 20));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 40));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 41));
	td_fill(td, 21, 3);
	TD_EXPECT_STAT(td, "prefetched", 1);
	TD_EXPECT_STAT(td, "evicted_pages", 1);
	KUNIT_EXPECT_EQ(test, script.left[SSDC_GAVE_WAY], 3u);
	KUNIT_EXPECT_TRUE(test, is_prefetched(td, 43));
}

/* The frame of a page in flight becomes free only when its read ends. */
static void prefetch_on_its_way_gives_way_later(struct kunit *test)
{
	struct td *td = with_share(test, 8);
	struct td_host *write;

	td_fill(td, 0, 8);
	want(td, 40, 8);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 8u);
	td->e->prefetch->pages_max = 0;
	write = td_write_page(td, 30);
	KUNIT_EXPECT_EQ(test, write->action, SSDC_WAIT);
	td_end_io(td, 0, 0);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
}

/* ---- host requests ---- */

static void prefetch_late_for_the_read(struct kunit *test)
{
	struct td *td = with_share(test, 4);
	struct td_host *read;

	want(td, 5, 1);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	read = td_read_page(td, 5);
	KUNIT_EXPECT_EQ(test, read->action, SSDC_WAIT);
	td_end_ios(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_STAT(td, "read_hits", 0);
	TD_EXPECT_STAT(td, "prefetch_late_hits", 1);
	TD_EXPECT_STAT(td, "bypassed_reads", 0);
	KUNIT_EXPECT_EQ(test, script.late_hits, 1u);
}

static void prefetch_written_page_joins_the_policy(struct kunit *test)
{
	struct td *td = with_share(test, 4);

	bring_in(td, 5, 2);
	TD_EXPECT_DONE(td, td_submit(td, SSDC_WRITE, 41, 2));
	KUNIT_EXPECT_FALSE(test, is_prefetched(td, 5));
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 5));
	KUNIT_EXPECT_STREQ(test, td_list(td, 0), "F");
	TD_EXPECT_STAT(td, "write_hits", 1);
	TD_EXPECT_STAT(td, "write_absorbed", 1);
	KUNIT_EXPECT_EQ(test, script.left[SSDC_WRITTEN], 1u);
	/* The whole page is valid: the written and the prefetched sectors. */
	TD_EXPECT_DONE(td, td_read_page(td, 5));
	TD_EXPECT_STAT(td, "read_hits", 1);
	TD_EXPECT_STAT(td, "prefetch_hits", 0);
}

/* A host write to a page in flight wins over the prefetched data. */
static void prefetch_written_on_its_way(struct kunit *test)
{
	struct td *td = with_share(test, 4);
	struct td_host *write, *read;

	want(td, 5, 1);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	write = td_submit(td, SSDC_WRITE, 42, 1);
	KUNIT_EXPECT_EQ(test, write->action, SSDC_WAIT);
	td_end_ios(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_FALSE(test, is_prefetched(td, 5));
	read = td_read_page(td, 5);
	TD_EXPECT_DONE(td, read);
	KUNIT_EXPECT_EQ(test, read->data[2], write->version);
	td_flush(td);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, td->origin[42], write->version);
}

static void prefetch_discarded(struct kunit *test)
{
	struct td *td = with_share(test, 4);
	struct td_host *discard;

	bring_in(td, 5, 2);
	want(td, 7, 1);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	discard = td_submit(td, SSDC_DISCARD, 40, 24);
	/* Page 7 is in flight. */
	KUNIT_EXPECT_EQ(test, discard->action, SSDC_WAIT);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 5));
	/* No page of the range is prefetched during the discard. */
	want(td, 5, 2);
	td_background(td);
	td_end_ios(td, 0);
	td_settle(td);
	TD_EXPECT_DONE(td, discard);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 6));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 7));
	KUNIT_EXPECT_EQ(test, script.left[SSDC_DROPPED], 3u);
	TD_EXPECT_STAT(td, "dropped_pages", 3);
	TD_EXPECT_STAT(td, "prefetched_pages", 3);
}

static void prefetch_dropped_by_message(struct kunit *test)
{
	struct td *td = with_share(test, 4);
	u32 cursor = 0;

	bring_in(td, 5, 2);
	while (cursor < TD_FRAMES)
		ssdc_drop_clean(td->e, &cursor);
	td_check(td);
	TD_EXPECT_STAT(td, "prefetched", 0);
	TD_EXPECT_STAT(td, "used", 0);
}

/* ---- errors ---- */

static void prefetch_failed_is_forgotten(struct kunit *test)
{
	struct td *td = with_share(test, 4);
	struct td_host *read;

	want(td, 5, 1);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	read = td_read_page(td, 5);
	td_end_ios(td, -EIO);
	td_settle(td);
	/* The request that waited reads from the origin. */
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_STAT(td, "bypassed_reads", 1);
	TD_EXPECT_STAT(td, "prefetch_errors", 1);
	TD_EXPECT_STAT(td, "failed_requests", 0);
	TD_EXPECT_STAT(td, "used", 0);
	KUNIT_EXPECT_EQ(test, td->e->first_error, 0);
	KUNIT_EXPECT_EQ(test, script.left[SSDC_DROPPED], 1u);
}

/* While flushes fail, no page is evicted for a prefetch. */
static void prefetch_waits_for_no_failing_flush(struct kunit *test)
{
	struct td *td = with_share(test, 4);
	struct td_host *write;

	td_fill(td, 0, TD_FRAMES);
	write = td_write_page(td, 20);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	td_end_io(td, 0, -EIO);
	KUNIT_ASSERT_NE(test, td->e->retry_at_ns, 0ULL);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
	KUNIT_ASSERT_NE(test, td->e->retry_at_ns, 0ULL);
	want(td, 40, 3);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	KUNIT_EXPECT_EQ(test, td->e->prefetch->unserved, 3ULL);
}

/* ---- change of prefetcher ---- */

/* Prefetched pages stay after their prefetcher, until frames are needed. */
static void prefetch_pages_outlive_their_prefetcher(struct kunit *test)
{
	struct td *td = with_share(test, 4);
	struct ssdc_plugin *none;
	struct ssdc_error error;

	bring_in(td, 40, 4);
	none = ssdc_plugin_create(SSDC_PREFETCH, "none", &td->e->tier, &error);
	KUNIT_ASSERT_NOT_NULL(test, none);
	ssdc_plugin_destroy(ssdc_switch_other(td->e, none));
	td_check(td);
	td_load(td, 40, 1);
	TD_EXPECT_STAT(td, "prefetch_hits", 1);
	td_fill(td, 0, TD_FRAMES);
	TD_EXPECT_STAT(td, "prefetched", 0);
	TD_EXPECT_STAT(td, "evicted_pages", 0);
	TD_EXPECT_STAT(td, "prefetch_unused", 3);
}

/* saved_us counts all hits, whatever brought the page in. */
static void prefetch_saved_time(struct kunit *test)
{
	struct td *td = with_share(test, 4);

	td->e->tunables.alpha_us = 7;
	td->e->tunables.beta_us = 100;
	td_fill(td, 0, 2);
	td_fill(td, 0, 1);
	bring_in(td, 40, 1);
	td_load(td, 40, 1);
	td_load(td, 1, 1);
	ssdc_update_stats(td->e);
	TD_EXPECT_STAT(td, "saved_us", 100 + 2 * 7);
	ssdc_reset_stats(td->e);
	ssdc_update_stats(td->e);
	TD_EXPECT_STAT(td, "saved_us", 0);
}

static struct kunit_case prefetch_cases[] = {
	KUNIT_CASE(prefetch_brings_pages_in),
	KUNIT_CASE(prefetch_leaves_out_what_is_cached_or_beyond_the_end),
	KUNIT_CASE(prefetch_yields_to_reads),
	KUNIT_CASE(prefetch_has_few_under_way),
	KUNIT_CASE(prefetch_forgets_the_oldest_of_too_many),
	KUNIT_CASE(prefetch_stops_while_suspended),
	KUNIT_CASE(prefetch_takes_a_frame_of_the_policy),
	KUNIT_CASE(prefetch_replaces_its_own),
	KUNIT_CASE(prefetch_keeps_its_share),
	KUNIT_CASE(prefetch_gives_way_beyond_its_share),
	KUNIT_CASE(prefetch_on_its_way_gives_way_later),
	KUNIT_CASE(prefetch_late_for_the_read),
	KUNIT_CASE(prefetch_written_page_joins_the_policy),
	KUNIT_CASE(prefetch_written_on_its_way),
	KUNIT_CASE(prefetch_discarded),
	KUNIT_CASE(prefetch_dropped_by_message),
	KUNIT_CASE(prefetch_failed_is_forgotten),
	KUNIT_CASE(prefetch_waits_for_no_failing_flush),
	KUNIT_CASE(prefetch_pages_outlive_their_prefetcher),
	KUNIT_CASE(prefetch_saved_time),
	{}
};

static struct kunit_suite prefetch_suite = {
	.name = "ssdcache_prefetch",
	.exit = td_exit,
	.test_cases = prefetch_cases,
};

kunit_test_suite(prefetch_suite);
