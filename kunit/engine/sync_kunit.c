// SPDX-License-Identifier: GPL-2.0
#include "driver.h"

#define NS_PER_S 1000000000ULL

static struct td *with_mode(struct kunit *test, u32 dram_mode)
{
	struct ssdc_params params = td_params();

	params.tunables.dram_mode = dram_mode;
	return td_new(test, &params);
}

static void sync_flush_of_nothing_is_passed_down(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *flush = td_flush(td);

	KUNIT_EXPECT_EQ(test, flush->action, SSDC_WAIT);
	KUNIT_EXPECT_TRUE(test, ssdc_has_work(td->e));
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_run_ready(td), 1u);
	KUNIT_EXPECT_EQ(test, flush->action, SSDC_FORWARD);
	KUNIT_EXPECT_FALSE(test, flush->done);
	td_end_forward(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, flush);
	KUNIT_EXPECT_TRUE(test, ssdc_quiescent(td->e));
}

static void sync_flush_writes_all_dirty_pages(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *flush;
	unsigned int i;

	td_fill(td, 10, 3);
	td_load(td, 20, 2);
	flush = td_flush(td);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 3u);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_TRUE(test, td->ios[i].io.write);
		KUNIT_EXPECT_EQ(test, td->ios[i].io.reason, SSDC_FLUSH_FORCED);
	}
	td_end_io(td, 2, 0);
	td_end_io(td, 0, 0);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_run_ready(td), 0u);
	td_end_io(td, 0, 0);
	td_background(td);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, flush->action, SSDC_FORWARD);
	td_end_forward(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_STAT(td, "dirty", 0);
	TD_EXPECT_STAT(td, "used", 5);
	TD_EXPECT_STAT(td, "forced_flushed", 3);
	TD_EXPECT_STAT(td, "sync_passes", 1);
}

static void sync_flush_of_protected_dram_is_over_at_once(struct kunit *test)
{
	struct td *td = with_mode(test, SSDC_PROTECTED);
	struct td_host *flush;

	td_fill(td, 10, 3);
	flush = td_flush(td);
	TD_EXPECT_DONE(td, flush);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	TD_EXPECT_STAT(td, "flushes", 1);
}

static void sync_flush_of_protected_dram_covers_discards(struct kunit *test)
{
	struct td *td = with_mode(test, SSDC_PROTECTED);
	struct td_host *flush;

	td_submit(td, SSDC_DISCARD, 8, 8);
	td_end_forward(td, 0);
	td_run_ready(td);
	flush = td_flush(td);
	KUNIT_EXPECT_EQ(test, flush->action, SSDC_FORWARD);
	/* This discard ends only after the FLUSH began, so the next FLUSH must cover it. */
	td_submit(td, SSDC_DISCARD, 16, 8);
	td_end_forward(td, 0);
	td_end_forward(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, flush);
	KUNIT_EXPECT_EQ(test, td_flush(td)->action, SSDC_FORWARD);
	td_end_forward(td, -EIO);
	td_run_ready(td);
	/* The worker looks for pages that must be written again. */
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_flush(td)->action, SSDC_FORWARD);
	td_end_forward(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, td_flush(td));
}

/* The origin may have cached pages that were written while DRAM was volatile. */
static void sync_flush_covers_what_was_written_before_protection(struct kunit *test)
{
	struct td *td = with_mode(test, SSDC_VOLATILE);
	struct td_host *flush;

	td_fill(td, 0, TD_FRAMES + 2);
	td_fill(td, 40, 1);
	td_start_ios(td);
	td_end_ios(td, 0);
	td_set_mode(td, SSDC_PROTECTED);
	flush = td_flush(td);
	KUNIT_EXPECT_EQ(test, flush->action, SSDC_FORWARD);
	td_end_forward(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, flush);
	/* A page still being written would be clean, but only in the origin's cache. */
	td_set_mode(td, SSDC_VOLATILE);
	td_write_page(td, 60);
	td_start_ios(td);
	td_set_mode(td, SSDC_PROTECTED);
	flush = td_flush(td);
	KUNIT_EXPECT_EQ(test, flush->action, SSDC_WAIT);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	/* Victims are now written with FUA. */
	td_fill(td, 50, 3);
	TD_EXPECT_DONE(td, td_flush(td));
}

/* Partly valid pages cause many fills, which must not delay the flushes of other pages. */
static void sync_fills_and_flushes_take_turns(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	unsigned int i, nr, first_write = TD_MAX_IOS;

	for (i = 0; i < 80; i += 2)
		td_submit(td, SSDC_WRITE, i, 1);
	td_fill(td, 10, 4);
	td_flush(td);
	td_background(td);
	nr = td_start_ios(td);
	KUNIT_ASSERT_EQ(test, nr, 44u);
	for (i = 0; i < nr; i++)
		if (td->ios[i].io.write)
			first_write = min(first_write, i);
	KUNIT_EXPECT_LT(test, first_write, 33u);
	KUNIT_EXPECT_FALSE(test, td->ios[0].io.write);
	td_end_ios(td, 0);
	td_settle(td);
	TD_EXPECT_STAT(td, "dirty", 0);
}

/* The FLUSH of suspend and of the message flush; not counted as a host request. */
static void sync_forced_flush_of_protected_dram(struct kunit *test)
{
	struct td *td = with_mode(test, SSDC_PROTECTED);
	struct td_host *flush;

	td_fill(td, 10, 3);
	flush = td_begin(td, SSDC_FLUSH, 0, 0);
	flush->rq.force = true;
	KUNIT_EXPECT_EQ(test, td_run(td, flush), SSDC_WAIT);
	TD_EXPECT_STAT(td, "host_inflight", 0);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 3u);
	td_end_ios(td, 0);
	td_background(td);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, flush->action, SSDC_FLUSH_ORIGIN);
	KUNIT_EXPECT_FALSE(test, ssdc_quiescent(td->e));
	td_end_forward(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_STAT(td, "dirty", 0);
	TD_EXPECT_STAT(td, "flushes", 0);
	KUNIT_EXPECT_EQ(test, td->e->latency[SSDC_FLUSH].count, 0ULL);
}

static void sync_flushes_share_a_pass(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *first, *second;

	td_fill(td, 10, 3);
	first = td_flush(td);
	second = td_flush(td);
	td_settle(td);
	TD_EXPECT_DONE(td, first);
	TD_EXPECT_DONE(td, second);
	TD_EXPECT_STAT(td, "sync_passes", 1);
}

/* The running pass may have passed pages that the late FLUSH covers. */
static void sync_late_flush_waits_for_the_next_pass(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *first, *late;

	td_fill(td, 10, 1);
	first = td_flush(td);
	td_background(td);
	td_start_ios(td);
	td_fill(td, 0, 1);
	late = td_flush(td);
	td_end_ios(td, 0);
	td_background(td);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, first->action, SSDC_FORWARD);
	KUNIT_EXPECT_EQ(test, late->action, SSDC_WAIT);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 1u);
	td_settle(td);
	TD_EXPECT_DONE(td, first);
	TD_EXPECT_DONE(td, late);
	TD_EXPECT_STAT(td, "sync_passes", 2);
}

static void sync_flush_does_not_stop_writes(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *flush, *write;

	td_fill(td, 10, 2);
	flush = td_flush(td);
	td_background(td);
	td_start_ios(td);
	write = td_write_page(td, 50);
	TD_EXPECT_DONE(td, write);
	td_end_ios(td, 0);
	td_background(td);
	td_run_ready(td);
	/* The new page is not part of the pass. */
	KUNIT_EXPECT_EQ(test, flush->action, SSDC_FORWARD);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 50));
	td_settle(td);
}

static void sync_flush_waits_for_an_eviction_under_way(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *flush;

	td_fill(td, 0, TD_FRAMES);
	td_write_page(td, 20);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	flush = td_flush(td);
	td_background(td);
	/* fifteen pages that stay, and the one that has entered */
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 16u);
	while (td->nr_ios > 1)
		td_end_io(td, 1, 0);
	td_background(td);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, flush->action, SSDC_WAIT);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
}

/* Flash programs whole pages: missing sectors are filled first. */
static void sync_flush_completes_partly_valid_pages(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *flush;

	td_submit(td, SSDC_WRITE, 10, 3);
	flush = td_flush(td);
	td_background(td);

	/* page 1 is ..xxx...: two reads, then one write */
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 2u);
	KUNIT_EXPECT_FALSE(test, td->ios[0].io.write);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.sector, 8ULL);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.nr_sectors, 2u);
	KUNIT_EXPECT_EQ(test, td->ios[1].io.sector, 13ULL);
	KUNIT_EXPECT_EQ(test, td->ios[1].io.nr_sectors, 3u);
	td_end_io(td, 0, 0);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	td_end_io(td, 0, 0);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	KUNIT_EXPECT_TRUE(test, td->ios[0].io.write);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.sector, 8ULL);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.nr_sectors, 8u);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_STAT(td, "fills", 1);
}

static void sync_page_can_be_read_while_it_is_completed(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *valid, *other;

	td_submit(td, SSDC_WRITE, 10, 3);
	td_flush(td);
	td_background(td);
	td_start_ios(td);
	valid = td_submit(td, SSDC_READ, 11, 2);
	TD_EXPECT_DONE(td, valid);
	other = td_submit(td, SSDC_READ, 8, 1);
	KUNIT_EXPECT_EQ(test, other->action, SSDC_WAIT);
	td_settle(td);
	TD_EXPECT_DONE(td, other);
}

/* All holds of the lock that belong to one step. */
static u64 background_step(struct td *td)
{
	u64 next_ns;

	do {
		next_ns = ssdc_background(td->e, td->now_ns);
	} while (next_ns == SSDC_GO_ON);
	return next_ns;
}

static struct td *tier_of(struct kunit *test, u32 nr_pages, u32 flush_interval_s)
{
	struct ssdc_params params = td_params();

	params.dram_bytes = (u64)nr_pages * params.page_bytes;
	params.origin_sectors = (u64)nr_pages * TD_PAGE_SECTORS;
	params.tunables.flush_interval_s = flush_interval_s;
	return td_new(test, &params);
}

/* More pages than a step of a pass flushes. */
static struct td *tier_of_256(struct kunit *test)
{
	return tier_of(test, 256, 0);
}

/* 200 dirty pages of 256, at most 64 per step, so that other work has its turn. */
static void sync_pass_goes_in_steps(struct kunit *test)
{
	struct td *td = tier_of_256(test);
	struct td_host *flush;

	td_fill(td, 0, 200);
	flush = td_flush(td);
	KUNIT_EXPECT_EQ(test, background_step(td), 0ULL);
	KUNIT_EXPECT_EQ(test, td->e->flushing_pages, 64u);
	KUNIT_EXPECT_EQ(test, background_step(td), 0ULL);
	KUNIT_EXPECT_EQ(test, td->e->flushing_pages, 128u);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_STAT(td, "forced_flushed", 200);
}

/* Pages 4 to 6 are in the same 16 KiB, and in frames 2, 0 and 3. */
static void sync_flush_goes_by_neighbours(struct kunit *test)
{
	static const u64 pages[] = { 5, 20, 4, 6 }, flushed[] = { 4, 5, 6, 20 };
	struct td *td = td_simple(test, "lru");
	struct td_host *flush;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pages); i++)
		td_write_page(td, pages[i]);
	flush = td_flush(td);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 4u);
	for (i = 0; i < ARRAY_SIZE(flushed); i++)
		KUNIT_EXPECT_EQ(test, td->ios[i].io.sector, flushed[i] * TD_PAGE_SECTORS);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_STAT(td, "forced_flushed", 4);
	TD_EXPECT_STAT(td, "dirty", 0);
}

/* Page 0 has the last frame and is flushed with page 1; the scan ends before it gets there. */
static void sync_device_is_gone_after_a_neighbour(struct kunit *test)
{
	struct td *td = tier_of_256(test);
	struct td_host *flush;

	td_fill(td, 1, 255);
	td_fill(td, 0, 1);
	flush = td_flush(td);
	background_step(td);
	KUNIT_ASSERT_TRUE(test, td_start_io(td));
	KUNIT_ASSERT_TRUE(test, td_start_io(td));
	KUNIT_EXPECT_EQ(test, td->ios[0].io.sector, 0ULL);
	td_end_io(td, 0, 0);
	td_end_io(td, 0, -ETIMEDOUT);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -ETIMEDOUT);
	KUNIT_EXPECT_FALSE(test, td_dirty(td, 0));
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 1));
	td_clean_all(td);
}

static void sync_fua_write_goes_to_media(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *fua;

	td_fill(td, 0, 2);
	fua = td_fua_page(td, 7);
	KUNIT_EXPECT_EQ(test, fua->action, SSDC_WAIT);
	/* only its own page */
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.sector, 56ULL);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.reason, SSDC_FLUSH_FORCED);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, fua->action, SSDC_FLUSH_ORIGIN);
	td_end_forward(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, fua);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 7));
	TD_EXPECT_STAT(td, "dirty", 2);
	TD_EXPECT_STAT(td, "fua_writes", 1);
}

static void sync_fua_write_to_protected_dram(struct kunit *test)
{
	struct td *td = with_mode(test, SSDC_PROTECTED);
	struct td_host *fua = td_fua_page(td, 7);

	TD_EXPECT_DONE(td, fua);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 7));
}

static void sync_fua_pages_are_written_side_by_side(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *fua = td_begin(td, SSDC_WRITE, 80, 32);

	fua->rq.host.fua = true;
	KUNIT_EXPECT_EQ(test, td_run(td, fua), SSDC_WAIT);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 4u);
	td_end_io(td, 3, 0);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, fua->action, SSDC_WAIT);
	td_settle(td);
	TD_EXPECT_DONE(td, fua);
}

static void sync_fua_waits_for_an_older_flush_first(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *flush, *fua;

	td_fill(td, 0, 1);
	flush = td_flush(td);
	td_background(td);
	td_start_ios(td);
	fua = td_fua_page(td, 0);
	KUNIT_EXPECT_EQ(test, fua->action, SSDC_WAIT);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_DONE(td, fua);
	TD_EXPECT_STAT(td, "forced_flushed", 2);
}

static void sync_fua_of_part_of_a_page(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *fua = td_begin(td, SSDC_WRITE, 3, 2);

	fua->rq.host.fua = true;
	td_run(td, fua);
	td_settle(td);
	TD_EXPECT_DONE(td, fua);
	TD_EXPECT_STAT(td, "fills", 1);
}

static struct td *periodic(struct kunit *test)
{
	struct ssdc_params params = td_params();

	params.tunables.flush_interval_s = 30;
	return td_new(test, &params);
}

static void sync_periodic_flush(struct kunit *test)
{
	struct td *td = periodic(test);

	td_fill(td, 0, 3);
	KUNIT_EXPECT_EQ(test, td_background(td), TD_START_NS + 30 * NS_PER_S);
	td->now_ns += 30 * NS_PER_S - 1;
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	td->now_ns += 1;
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 3u);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.reason, SSDC_FLUSH_PERIODIC);
	td_settle(td);
	TD_EXPECT_STAT(td, "periodic_flushed", 3);
	TD_EXPECT_STAT(td, "dirty", 0);

	/* and again, 30 s after this one */
	KUNIT_EXPECT_EQ(test, td_background(td), TD_START_NS + 60 * NS_PER_S);
	td_fill(td, 0, 1);
	td->now_ns += 30 * NS_PER_S;
	td_settle(td);
	TD_EXPECT_STAT(td, "periodic_flushed", 4);
	TD_EXPECT_STAT(td, "sync_passes", 2);
}

static void sync_periodic_flush_of_nothing(struct kunit *test)
{
	struct td *td = periodic(test);

	td_load(td, 0, 3);
	td->now_ns += 30 * NS_PER_S;
	KUNIT_EXPECT_EQ(test, td_background(td), TD_START_NS + 60 * NS_PER_S);
	TD_EXPECT_STAT(td, "sync_passes", 0);
}

static void sync_periodic_flush_can_be_changed(struct kunit *test)
{
	struct td *td = periodic(test);

	td_fill(td, 0, 3);
	td->now_ns += NS_PER_S;
	td->e->tunables.flush_interval_s = 5;
	ssdc_tunables_changed(td->e, td->now_ns);
	KUNIT_EXPECT_EQ(test, td_background(td), TD_START_NS + 6 * NS_PER_S);
	/* Setting another tunable does not postpone the periodic flush. */
	td->now_ns += NS_PER_S;
	ssdc_tunables_changed(td->e, td->now_ns);
	KUNIT_EXPECT_EQ(test, td_background(td), TD_START_NS + 6 * NS_PER_S);
	td->e->tunables.flush_interval_s = 0;
	ssdc_tunables_changed(td->e, td->now_ns);
	KUNIT_EXPECT_EQ(test, td_background(td), SSDC_NEVER);
	td->now_ns += 100 * NS_PER_S;
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
}

static void sync_flush_during_a_periodic_pass(struct kunit *test)
{
	struct td *td = periodic(test);
	struct td_host *flush;

	td_fill(td, 0, 3);
	td->now_ns += 30 * NS_PER_S;
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 3u);
	flush = td_flush(td);
	td_background(td);
	td_end_ios(td, 0);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_STAT(td, "sync_passes", 2);
	TD_EXPECT_STAT(td, "periodic_flushed", 3);
	TD_EXPECT_STAT(td, "forced_flushed", 0);
}

/* Writes to queued pages wait for the pass, so only a FLUSH that waits is worth many of them. */
static void sync_pass_queues_few_pages_unless_a_flush_waits(struct kunit *test)
{
	struct td *td = tier_of(test, 1024, 30);
	struct td_host *flush;

	td_fill(td, 0, 700);
	td->now_ns += 30 * NS_PER_S;
	td_background(td);
	KUNIT_EXPECT_EQ(test, td->e->flushing_pages, 64u);
	flush = td_flush(td);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td->e->flushing_pages, 512u);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_STAT(td, "periodic_flushed", 700);
	TD_EXPECT_STAT(td, "dirty", 0);
}

/* Pages that a FLUSH queues if the device has so large a stripe, in pages of 4 KiB. */
static void expect_width(struct kunit *test, u32 stripe_pages, u32 pages)
{
	struct td *td = tier_of(test, 1600, 0);
	struct td_device device = { .nr = 1, .stripe_sectors = stripe_pages * TD_PAGE_SECTORS };
	struct td_host *flush;

	td_set_device(td, &device);
	td_fill(td, 0, 1500);
	flush = td_flush(td);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td->e->flushing_pages, pages);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	td_exit(test);
}

static void sync_flush_queues_four_stripes(struct kunit *test)
{
	expect_width(test, 16, 128);
	expect_width(test, 64, 256);
	expect_width(test, 200, 800);
	expect_width(test, 4096, 1024);
}

/* A stripe is smaller than a page of the cache. */
static void sync_flush_queues_pages_for_a_small_stripe(struct kunit *test)
{
	struct td *td = tier_of(test, 1024, 0);
	struct td_device device = { .nr = 1, .stripe_sectors = 1 };

	td_set_device(td, &device);
	td_fill(td, 0, 700);
	td_flush(td);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td->e->flushing_pages, 128u);
}

/* All shards flush their pages at once, and share one device. */
static void expect_width_of_shard(struct kunit *test, u32 nr_shards, u32 stripe_pages, u32 pages)
{
	struct ssdc_params params = td_params();
	struct td_device device = { .nr = 1, .stripe_sectors = stripe_pages * TD_PAGE_SECTORS };
	struct td *td;

	params.dram_bytes = 1024 * params.page_bytes;
	params.origin_sectors = 1024 * TD_PAGE_SECTORS;
	params.nr_shards = nr_shards;
	td = td_new(test, &params);
	td_set_device(td, &device);
	td_fill(td, 0, 700);
	td_flush(td);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td->e->flushing_pages, pages);
	td_settle(td);
	td_exit(test);
}

static void sync_flush_of_a_shard_queues_its_share(struct kunit *test)
{
	expect_width_of_shard(test, 4, 0, 128);
	expect_width_of_shard(test, 4, 200, 200);
	expect_width_of_shard(test, 2, 16, 64);
	expect_width_of_shard(test, 64, 200, 32);
}

static void expect_unawaited_of_shard(struct kunit *test, u32 nr_shards, u32 pages)
{
	struct ssdc_params params = td_params();
	struct td *td;

	params.dram_bytes = 1024 * params.page_bytes;
	params.origin_sectors = 1024 * TD_PAGE_SECTORS;
	params.nr_shards = nr_shards;
	params.tunables.flush_interval_s = 30;
	td = td_new(test, &params);
	td_fill(td, 0, 700);
	td->now_ns += 30 * NS_PER_S;
	td_background(td);
	KUNIT_EXPECT_EQ(test, td->e->flushing_pages, pages);
	td_settle(td);
	td_exit(test);
}

/* The shards flush periodically at about the same time. */
static void sync_periodic_flush_of_a_shard_queues_its_share(struct kunit *test)
{
	expect_unawaited_of_shard(test, 1, 64);
	expect_unawaited_of_shard(test, 4, 16);
	expect_unawaited_of_shard(test, 64, 4);
}

/* Eight reads bypass DRAM: a FLUSH gets as much of the device as they have. */
static void sync_flush_queues_as_many_pages_as_others_have(struct kunit *test)
{
	struct td_device device = { .nr = 1, .stripe_sectors = 1 };
	struct td *td = td_admission(test, "write-buffer");
	unsigned int i;

	td->e->pass_limits.fewest = 2;
	td_set_device(td, &device);
	td_fill(td, 0, 12);
	for (i = 0; i < 8; i++)
		td_read_page(td, 20 + i);
	td_flush(td);
	for (i = 0; i < 5; i++) {
		td_background(td);
		td_start_ios(td);
	}
	KUNIT_EXPECT_EQ(test, td->e->flushing_pages, 8u);
}

/* enum of cflru-ef.c */
enum { CLEAN, DIRTY };

static void sync_policy_hears_in_frame_order(struct kunit *test)
{
	struct td *td = td_simple(test, "cflru-ef");

	td_fill(td, 0, 4);
	td_flush(td);
	td_background(td);
	td_start_ios(td);
	/* C waits for A and B. */
	td_end_io(td, 2, 0);
	TD_EXPECT_STAT(td, "dirty", 3);
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "D C B A");
	td_end_io(td, 0, 0);
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "D C B");
	td_end_io(td, 0, 0);
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "C B A");
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "D");
	td_end_ios(td, 0);
	td_background(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "D C B A");
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "");
	td_settle(td);
}

/* The policy is not asked to flush early while it has unnotified pages; afterwards it is. */
static void sync_early_flush_goes_on_after_a_walk(struct kunit *test)
{
	struct ssdc_params params = td_params();
	struct td *td;

	params.replacement = "cflru-ef:threshold=25,adapt=off,ef_batch=1";
	params.tunables.flush_interval_s = 1;
	td = td_new(test, &params);
	td_fill(td, 0, 4);
	td->now_ns += NS_PER_S;
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 4u);
	td_fill(td, 4, 5);
	/* A is slow: B, C and D are clean, but the policy is not notified. */
	while (td->nr_ios > 1)
		td_end_io(td, 1, 0);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	td_end_ios(td, 0);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 1u);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.reason, SSDC_FLUSH_EARLY);
	td_settle(td);
}

static void sync_policy_hears_only_of_what_is_still_clean(struct kunit *test)
{
	struct td *td = td_simple(test, "cflru-ef");

	td_fill(td, 0, TD_FRAMES);
	td_flush(td);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), TD_FRAMES);
	while (td->nr_ios > 1)
		td_end_io(td, 0, 0);
	/* B is written again, D discarded, A evicted: each was clean only for a while. */
	td_write_page(td, 1);
	td_submit(td, SSDC_DISCARD, 24, 8);
	td_end_forward(td, 0);
	td_run_ready(td);
	td_fill(td, 24, 1);
	td_fill(td, 25, 1);
	td_end_ios(td, 0);
	td_settle(td);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 1));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 3));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "Z Y B");
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "P O N M L K J I H G F E C");
	td_check(td);
}

/* A policy may say that clean() takes longer than a hold of the lock should. */
static void sync_policy_hears_however_long_that_takes(struct kunit *test)
{
	struct td *td = td_simple(test, "cflru-ef");
	const struct ssdc_plugin_type *type = td->e->replacement->plugin.type;
	struct ssdc_replacement_type slow = *ssdc_replacement_ops(td->e->replacement);

	slow.clean_work = 1000;
	td->e->replacement->plugin.type = &slow.plugin;
	td_fill(td, 0, 4);
	td_flush(td);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 4u);
	td_end_io(td, 3, 0);
	td_end_ios(td, 0);
	td_settle(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "D C B A");
	td->e->replacement->plugin.type = type;
}

static struct kunit_case sync_cases[] = {
	KUNIT_CASE(sync_flush_of_nothing_is_passed_down),
	KUNIT_CASE(sync_flush_writes_all_dirty_pages),
	KUNIT_CASE(sync_flush_of_protected_dram_is_over_at_once),
	KUNIT_CASE(sync_flush_of_protected_dram_covers_discards),
	KUNIT_CASE(sync_flush_covers_what_was_written_before_protection),
	KUNIT_CASE(sync_fills_and_flushes_take_turns),
	KUNIT_CASE(sync_forced_flush_of_protected_dram),
	KUNIT_CASE(sync_flushes_share_a_pass),
	KUNIT_CASE(sync_late_flush_waits_for_the_next_pass),
	KUNIT_CASE(sync_flush_does_not_stop_writes),
	KUNIT_CASE(sync_flush_waits_for_an_eviction_under_way),
	KUNIT_CASE(sync_flush_completes_partly_valid_pages),
	KUNIT_CASE(sync_page_can_be_read_while_it_is_completed),
	KUNIT_CASE(sync_pass_goes_in_steps),
	KUNIT_CASE(sync_flush_goes_by_neighbours),
	KUNIT_CASE(sync_device_is_gone_after_a_neighbour),
	KUNIT_CASE(sync_fua_write_goes_to_media),
	KUNIT_CASE(sync_fua_write_to_protected_dram),
	KUNIT_CASE(sync_fua_pages_are_written_side_by_side),
	KUNIT_CASE(sync_fua_waits_for_an_older_flush_first),
	KUNIT_CASE(sync_fua_of_part_of_a_page),
	KUNIT_CASE(sync_periodic_flush),
	KUNIT_CASE(sync_periodic_flush_of_nothing),
	KUNIT_CASE(sync_periodic_flush_can_be_changed),
	KUNIT_CASE(sync_flush_during_a_periodic_pass),
	KUNIT_CASE(sync_pass_queues_few_pages_unless_a_flush_waits),
	KUNIT_CASE(sync_flush_queues_four_stripes),
	KUNIT_CASE(sync_flush_queues_pages_for_a_small_stripe),
	KUNIT_CASE(sync_flush_of_a_shard_queues_its_share),
	KUNIT_CASE(sync_periodic_flush_of_a_shard_queues_its_share),
	KUNIT_CASE(sync_flush_queues_as_many_pages_as_others_have),
	KUNIT_CASE(sync_policy_hears_in_frame_order),
	KUNIT_CASE(sync_early_flush_goes_on_after_a_walk),
	KUNIT_CASE(sync_policy_hears_only_of_what_is_still_clean),
	KUNIT_CASE(sync_policy_hears_however_long_that_takes),
	{}
};

static struct kunit_suite sync_suite = {
	.name = "ssdcache_sync",
	.exit = td_exit,
	.test_cases = sync_cases,
};

kunit_test_suite(sync_suite);
