// SPDX-License-Identifier: GPL-2.0
/* FLUSHes of the origin that fail, and what was written before them. */
#include "driver.h"

/* A suspend whose FLUSH failed; the origin lost what it had cached. */
static struct td *failed_own(struct kunit *test, const char *replacement)
{
	struct td *td = td_simple(test, replacement);
	struct td_host *flush;

	td->lossy = true;
	td_fill(td, 0, 4);
	flush = td_own_flush(td);
	td_until_flush(td);
	TD_EXPECT_STAT(td, "dirty", 0);
	td_end_forward(td, -EIO);
	td_run_ready(td);
	KUNIT_EXPECT_TRUE(test, flush->done);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	td_put(td, flush);
	return td;
}

static void stable_error_of_an_own_flush_is_latched(struct kunit *test)
{
	struct td *td = failed_own(test, "lru");

	KUNIT_EXPECT_EQ(test, td->e->first_error, -EIO);
	TD_EXPECT_STAT(td, "flush_errors", 1);
	TD_EXPECT_STAT(td, "failed_requests", 0);
}

/* Once: the host has learned of the error then. */
static void stable_error_of_an_own_flush_is_reported_by_the_next_host_flush(struct kunit *test)
{
	struct td *td = failed_own(test, "lru");
	struct td_host *flush = td_flush(td);

	td_settle(td);
	KUNIT_EXPECT_TRUE(test, flush->done);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	flush = td_flush(td);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_STAT(td, "flush_errors", 1);
}

/* The driver checks that the data are on media after the second FLUSH. */
static void stable_pages_are_written_again_after_a_failed_flush(struct kunit *test)
{
	static const char *const policies[] = { "lru", "cflru", "req-block", "vs-batch-plus" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(policies); i++) {
		struct td *td = failed_own(test, policies[i]);
		struct td_host *flush;

		td_background(td);
		TD_EXPECT_STAT(td, "dirty", 4);
		flush = td_own_flush(td);
		td_settle(td);
		TD_EXPECT_DONE(td, flush);
		TD_EXPECT_STAT(td, "dirty", 0);
		TD_EXPECT_STAT(td, "forced_flushed", 8);
		td_exit(test);
	}
}

/* Pages that an earlier FLUSH covered, and pages that were only read, stay clean. */
static void stable_pages_stay_clean_after_a_failed_flush(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *flush;

	td->lossy = true;
	td_fill(td, 0, 3);
	td_clean_all(td);
	td_load(td, 10, 2);
	td_fill(td, 5, 1);
	flush = td_flush(td);
	td_until_flush(td);
	td_end_forward(td, -EIO);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	TD_EXPECT_STAT(td, "dirty", 1);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 5));
	td_clean_all(td);
	td_load(td, 0, 12);
}

/* The number of a FLUSH is kept in 5 bits. */
static void stable_pages_are_known_after_many_flushes(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *flush;
	unsigned int i;

	td->lossy = true;
	td_fill(td, 0, 1);
	for (i = 0; i < 300; i++) {
		td_fill(td, 1, 1);
		flush = td_flush(td);
		td_settle(td);
		td_put(td, flush);
	}
	td_fill(td, 1, 1);
	for (i = 0; i < 300; i++) {
		flush = td_flush(td);
		td_until_flush(td);
		td_end_forward(td, -EIO);
		td_run_ready(td);
		td_background(td);
		KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
		KUNIT_ASSERT_TRUE(test, td_dirty(td, 1));
		td_put(td, flush);
	}
	td_clean_all(td);
	td_load(td, 0, 2);
}

/* The second FLUSH of the origin may succeed because the first one lost the data. */
static void stable_flush_fails_if_another_one_failed_meanwhile(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *first, *second;

	td_fill(td, 0, 2);
	first = td_flush(td);
	td_until_flush(td);
	second = td_flush(td);
	td_background(td);
	td_run_ready(td);
	td_end_forward(td, -EIO);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, first->rq.error, -EIO);
	KUNIT_EXPECT_TRUE(test, second->done);
	KUNIT_EXPECT_EQ(test, second->rq.error, -EIO);
	TD_EXPECT_STAT(td, "flush_errors", 1);
}

static void stable_fua_fails_if_a_flush_failed_after_its_page_was_written(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *flush, *fua;

	td->lossy = true;
	td_fill(td, 0, 1);
	flush = td_flush(td);
	td_until_flush(td);
	fua = td_fua_page(td, 1);
	td_start_ios(td);
	td_end_ios(td, 0);
	/* The page of the FUA write is on the origin; its FLUSH has not begun. */
	td_end_forward(td, -EIO);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	KUNIT_EXPECT_TRUE(test, fua->done);
	KUNIT_EXPECT_EQ(test, fua->rq.error, -EIO);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 1));
}

/* Other data may be lost than those of the FUA write. */
static void stable_error_of_a_fua_write_is_reported_by_the_next_host_flush(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *fua, *flush;

	fua = td_fua_page(td, 1);
	td_until_flush(td);
	td_end_forward(td, -EIO);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, fua->rq.error, -EIO);
	flush = td_flush(td);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	flush = td_flush(td);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
}

static void stable_error_is_reported_with_protected_dram(struct kunit *test)
{
	struct td *td = failed_own(test, "lru");
	struct td_host *flush;

	td_set_mode(td, SSDC_PROTECTED);
	flush = td_flush(td);
	td_settle(td);
	KUNIT_EXPECT_TRUE(test, flush->done);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	flush = td_flush(td);
	TD_EXPECT_DONE(td, flush);
}

/* A FLUSH that waits for the sync pass is in progress, too. */
static void stable_flush_in_a_pass_fails_if_another_one_failed(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *own, *flush;

	td->lossy = true;
	td_fill(td, 0, 1);
	own = td_own_flush(td);
	td_until_flush(td);
	td_fill(td, 1, 1);
	flush = td_flush(td);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	td_end_forward(td, -EIO);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, own->rq.error, -EIO);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
	td_clean_all(td);
}

/* Suspend must see the marks before it counts the dirty pages. */
static void stable_marking_goes_in_steps_and_counts_as_pending(struct kunit *test)
{
	struct ssdc_params params = td_params();
	struct td_host *flush;
	struct td *td;

	params.dram_bytes = 3000 * params.page_bytes;
	params.origin_sectors = 3000 * TD_PAGE_SECTORS;
	td = td_new(test, &params);
	td_fill(td, 0, 2);
	td_fill(td, 2500, 2);
	flush = td_own_flush(td);
	td_until_flush(td);
	td_end_forward(td, -EIO);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	td_put(td, flush);
	flush = td_own_flush(td);
	KUNIT_EXPECT_TRUE(test, ssdc_io_pending(td->e));
	KUNIT_EXPECT_TRUE(test, ssdc_has_work(td->e));
	KUNIT_EXPECT_EQ(test, ssdc_background(td->e, td->now_ns), 0ULL);
	KUNIT_EXPECT_FALSE(test, td->e->pass.active);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_STAT(td, "forced_flushed", 8);
	KUNIT_EXPECT_FALSE(test, ssdc_io_pending(td->e));
}

/* Between ssdc_next_ready() and ssdc_step(), nothing but the request itself is in progress. */
static void stable_own_flush_is_pending_until_it_ends(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *flush = td_own_flush(td);
	struct ssdc_request *rq;

	td_background(td);
	ssdc_freeze(td->e, true);
	rq = ssdc_next_ready(td->e);
	KUNIT_ASSERT_PTR_EQ(test, rq, &flush->rq);
	KUNIT_EXPECT_TRUE(test, ssdc_io_pending(td->e));
	KUNIT_EXPECT_EQ(test, td_run(td, flush), SSDC_FLUSH_ORIGIN);
	td_end_forward(td, 0);
	rq = ssdc_next_ready(td->e);
	KUNIT_ASSERT_PTR_EQ(test, rq, &flush->rq);
	KUNIT_EXPECT_TRUE(test, ssdc_io_pending(td->e));
	td_run(td, flush);
	TD_EXPECT_DONE(td, flush);
	KUNIT_EXPECT_FALSE(test, ssdc_io_pending(td->e));
}

static unsigned int nr_forwarded(struct td *td)
{
	struct td_host *host;
	unsigned int nr = 0;

	list_for_each_entry(host, &td->forwarded, node)
		nr++;
	return nr;
}

/*
 * Two FLUSHes at the origin at once would have no order: the driver may learn of the success of
 * the second one first, which says nothing about what the first one has lost.
 */
static void stable_flushes_reach_the_origin_one_by_one(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *flush, *fua;

	td->lossy = true;
	flush = td_flush(td);
	td_until_flush(td);
	fua = td_fua_page(td, 1);
	td_start_ios(td);
	td_end_ios(td, 0);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, nr_forwarded(td), 1u);
	KUNIT_EXPECT_FALSE(test, fua->done);
	td_end_forward(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, flush);
	KUNIT_EXPECT_EQ(test, nr_forwarded(td), 1u);
	td_end_forward(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, fua);
}

/* The FLUSH of one serves all that waited as it began. */
static void stable_waiting_requests_share_a_flush(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *first, *shared[3], *late;
	unsigned int i;

	first = td_flush(td);
	td_until_flush(td);
	shared[0] = td_flush(td);
	shared[1] = td_own_flush(td);
	shared[2] = td_fua_page(td, 1);
	td_background(td);
	td_start_ios(td);
	td_end_ios(td, 0);
	td_background(td);
	td_run_ready(td);
	td_end_forward(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, first);
	KUNIT_EXPECT_EQ(test, nr_forwarded(td), 1u);
	late = td_flush(td);
	td_background(td);
	td_run_ready(td);
	td_end_forward(td, 0);
	td_run_ready(td);
	for (i = 0; i < ARRAY_SIZE(shared); i++)
		TD_EXPECT_DONE(td, shared[i]);
	KUNIT_EXPECT_FALSE(test, late->done);
	KUNIT_EXPECT_EQ(test, nr_forwarded(td), 1u);
	td_end_forward(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, late);
	KUNIT_EXPECT_EQ(test, td->e->stability.begun, 3ULL);
}

/* The host has learned of it from the FLUSH that failed for another reason. */
static void stable_error_is_reported_once_with_protected_dram(struct kunit *test)
{
	struct td *td = failed_own(test, "lru");
	struct td_host *flush;

	td_set_mode(td, SSDC_PROTECTED);
	td_background(td);
	flush = td_flush(td);
	td_background(td);
	td_start_ios(td);
	td_end_ios(td, -EIO);
	td_background(td);
	td_run_ready(td);
	KUNIT_EXPECT_TRUE(test, flush->done);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	flush = td_flush(td);
	KUNIT_EXPECT_EQ(test, flush->action, SSDC_FORWARD);
	td_end_forward(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, flush);
}

/* The origin may have cached the discard, and then lose both the data and the discard. */
static void stable_fua_covers_a_discard_made_before_protection(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *fua, *discard;

	fua = td_begin(td, SSDC_WRITE, 0, 2 * TD_PAGE_SECTORS);
	fua->rq.host.fua = true;
	KUNIT_ASSERT_EQ(test, td_step(td, fua), SSDC_COPY);
	KUNIT_ASSERT_EQ(test, td_step(td, fua), SSDC_COPY);
	discard = td_submit(td, SSDC_DISCARD, 0, TD_PAGE_SECTORS);
	KUNIT_ASSERT_EQ(test, discard->action, SSDC_FORWARD);
	td_end_forward(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, discard);
	td_set_mode(td, SSDC_PROTECTED);
	td_run(td, fua);
	td_until_flush(td);
	KUNIT_EXPECT_FALSE(test, fua->done);
	td_end_forward(td, 0);
	td_settle(td);
	TD_EXPECT_DONE(td, fua);
}

/* Its first page may have been written to the origin, lost there, and evicted. */
static void stable_fua_fails_if_a_flush_failed_before_protection(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *flush, *fua;

	td_fill(td, 0, 1);
	td_flush(td);
	td_until_flush(td);
	fua = td_begin(td, SSDC_WRITE, TD_PAGE_SECTORS, 2 * TD_PAGE_SECTORS);
	fua->rq.host.fua = true;
	KUNIT_ASSERT_EQ(test, td_step(td, fua), SSDC_COPY);
	KUNIT_ASSERT_EQ(test, td_step(td, fua), SSDC_COPY);
	td_end_forward(td, -EIO);
	td_run_ready(td);
	td_background(td);
	td_set_mode(td, SSDC_PROTECTED);
	flush = td_flush(td);
	KUNIT_ASSERT_EQ(test, flush->action, SSDC_FORWARD);
	td_end_forward(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, flush);
	td_run(td, fua);
	td_settle(td);
	KUNIT_EXPECT_TRUE(test, fua->done);
	KUNIT_EXPECT_EQ(test, fua->rq.error, -EIO);
}

/* The driver checks that each page is on media, or dirty in protected DRAM. */
static void stable_protected_flush_waits_for_the_marking(struct kunit *test)
{
	struct ssdc_params params = td_params();
	struct td_host *flush;
	struct td *td;

	params.dram_bytes = 3000 * params.page_bytes;
	params.origin_sectors = 3000 * TD_PAGE_SECTORS;
	td = td_new(test, &params);
	td->lossy = true;
	td_fill(td, 0, 2900);
	flush = td_flush(td);
	td_until_flush(td);
	td_set_mode(td, SSDC_PROTECTED);
	td_end_forward(td, -EIO);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	flush = td_flush(td);
	KUNIT_EXPECT_EQ(test, nr_forwarded(td), 0u);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
}

/*
 * A clean victim stays while it is copied. A FLUSH that fails makes no victim dirty, so the page
 * must not return to the policy: it would not be written again.
 */
static void stable_victim_in_use_does_not_return(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *first, *write, *again, *flush;

	td_fill(td, 0, TD_FRAMES);
	first = td_begin(td, SSDC_READ, 0, 8);
	KUNIT_ASSERT_EQ(test, td_step(td, first), SSDC_COPY);
	td_fill(td, 1, TD_FRAMES - 1);
	write = td_write_page(td, 20);
	td_settle(td);
	KUNIT_ASSERT_EQ(test, td->e->nr_victims, 1u);
	KUNIT_ASSERT_FALSE(test, td_dirty(td, 0));
	flush = td_flush(td);
	td_until_flush(td);
	td_end_forward(td, -EIO);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);

	again = td_read_page(td, 0);
	KUNIT_EXPECT_EQ(test, again->action, SSDC_WAIT);
	td_settle(td);
	KUNIT_EXPECT_FALSE(test, again->done);
	td_run(td, first);
	td_settle(td);
	TD_EXPECT_DONE(td, first);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_DONE(td, again);
	TD_EXPECT_STAT(td, "admitted_reads", 1);
	TD_EXPECT_STAT(td, "fills", 0);
	td_clean_all(td);
}

/* Write part of page 3; as a sector of the page is unreadable, the fill fails. */
static void write_part(struct td *td, u32 from, u32 nr)
{
	struct td_host *write = td_submit(td, SSDC_WRITE, 3 * TD_PAGE_SECTORS + from, nr);

	TD_EXPECT_DONE(td, write);
	td_put(td, write);
}

static void fail_fill(struct td *td)
{
	KUNIT_ASSERT_EQ(td->test, td_start_ios(td), 1u);
	KUNIT_ASSERT_FALSE(td->test, td->ios[0].io.write);
	td_end_io(td, 0, -EIO);
}

/*
 * A flush of dirty sectors alone leaves out what a failed FLUSH may have lost. Such a victim leaves
 * before the worker looks for pages to write again: its flush must write all that is valid. Runs:
 * with the flush queued before or after the FLUSH fails.
 */
static void victim_flushed_by_runs(struct kunit *test, bool queued)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *flush;
	u64 page;

	td->lossy = true;
	write_part(td, 0, 4);
	flush = td_flush(td);
	td_background(td);
	fail_fill(td);
	td_until_flush(td);
	write_part(td, 4, 2);
	for (page = 20; page < 20 + TD_FRAMES; page++)
		td_write_page(td, page);
	KUNIT_ASSERT_EQ(test, td->e->nr_victims, 1u);
	if (queued)
		fail_fill(td);
	td_end_forward(td, -EIO);
	if (!queued)
		fail_fill(td);
	td_start_ios(td);
	td_end_ios(td, 0);
	KUNIT_ASSERT_FALSE(test, td_cached(td, 3));
	td_settle(td);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	flush = td_submit(td, SSDC_READ, 3 * TD_PAGE_SECTORS, 6);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	td_clean_all(td);
	td_exit(test);
}

/* The first of two runs has ended when the FLUSH fails: it may be lost, too. */
static void stable_victim_flushed_by_runs_in_part_is_written_again(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *flush, *read;
	u64 page;

	td->lossy = true;
	td_fill(td, 50, 1);
	flush = td_flush(td);
	td_until_flush(td);
	write_part(td, 0, 2);
	write_part(td, 4, 2);
	for (page = 20; page < 20 + TD_FRAMES; page++)
		td_write_page(td, page);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 2u);
	td_end_ios(td, -EIO);
	KUNIT_ASSERT_TRUE(test, td_start_io(td));
	td_end_ios(td, 0);
	td_end_forward(td, -EIO);
	td_start_ios(td);
	td_end_ios(td, 0);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	read = td_submit(td, SSDC_READ, 3 * TD_PAGE_SECTORS, 8);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
}

static void stable_victim_flushed_by_runs_is_written_whole(struct kunit *test)
{
	victim_flushed_by_runs(test, false);
	victim_flushed_by_runs(test, true);
}

static struct kunit_case stable_cases[] = {
	KUNIT_CASE(stable_error_of_an_own_flush_is_latched),
	KUNIT_CASE(stable_error_of_an_own_flush_is_reported_by_the_next_host_flush),
	KUNIT_CASE(stable_pages_are_written_again_after_a_failed_flush),
	KUNIT_CASE(stable_pages_stay_clean_after_a_failed_flush),
	KUNIT_CASE(stable_pages_are_known_after_many_flushes),
	KUNIT_CASE(stable_flush_fails_if_another_one_failed_meanwhile),
	KUNIT_CASE(stable_fua_fails_if_a_flush_failed_after_its_page_was_written),
	KUNIT_CASE(stable_error_of_a_fua_write_is_reported_by_the_next_host_flush),
	KUNIT_CASE(stable_error_is_reported_with_protected_dram),
	KUNIT_CASE(stable_flush_in_a_pass_fails_if_another_one_failed),
	KUNIT_CASE(stable_marking_goes_in_steps_and_counts_as_pending),
	KUNIT_CASE(stable_own_flush_is_pending_until_it_ends),
	KUNIT_CASE(stable_flushes_reach_the_origin_one_by_one),
	KUNIT_CASE(stable_waiting_requests_share_a_flush),
	KUNIT_CASE(stable_error_is_reported_once_with_protected_dram),
	KUNIT_CASE(stable_protected_flush_waits_for_the_marking),
	KUNIT_CASE(stable_fua_fails_if_a_flush_failed_before_protection),
	KUNIT_CASE(stable_fua_covers_a_discard_made_before_protection),
	KUNIT_CASE(stable_victim_in_use_does_not_return),
	KUNIT_CASE(stable_victim_flushed_by_runs_is_written_whole),
	KUNIT_CASE(stable_victim_flushed_by_runs_in_part_is_written_again),
	{}
};

static struct kunit_suite stable_suite = {
	.name = "ssdcache_stable",
	.exit = td_exit,
	.test_cases = stable_cases,
};

kunit_test_suite(stable_suite);
