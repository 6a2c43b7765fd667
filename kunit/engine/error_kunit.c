// SPDX-License-Identifier: GPL-2.0
#include "driver.h"

#define NS_PER_MS 1000000ULL
#define EVICT_TRIES 16		/* as in writeback.c */

/* Page 0 is dirty; a FLUSH is in progress, and its page write failed. */
static struct td *failed(struct kunit *test, struct td_host **flush)
{
	struct td *td = td_simple(test, "lru");

	td_fill(td, 0, 1);
	*flush = td_flush(td);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	td_end_io(td, 0, -ENOSPC);
	td_background(td);
	td_run_ready(td);
	return td;
}

static void error_failed_page_stays_dirty(struct kunit *test)
{
	struct td_host *flush, *read;
	struct td *td = failed(test, &flush);

	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
	TD_EXPECT_STAT(td, "failed", 1);
	TD_EXPECT_STAT(td, "write_errors", 1);
	TD_EXPECT_STAT(td, "forced_flushed", 0);
	read = td_read_page(td, 0);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_STAT(td, "read_hits", 1);
}

static void error_flush_that_was_not_honoured_fails(struct kunit *test)
{
	struct td_host *flush;
	struct td *td = failed(test, &flush);

	KUNIT_EXPECT_TRUE(test, flush->done);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -ENOSPC);
	TD_EXPECT_STAT(td, "failed_requests", 1);

	/* The next FLUSH succeeds. */
	flush = td_flush(td);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_STAT(td, "failed", 0);
	TD_EXPECT_STAT(td, "dirty", 0);
}

static void error_flush_fails_with_the_first_of_several(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *flush;

	td_fill(td, 0, 3);
	flush = td_flush(td);
	td_background(td);
	td_start_ios(td);
	td_end_io(td, 1, -ENOSPC);
	td_end_io(td, 1, -EIO);
	td_end_io(td, 0, 0);
	td_background(td);
	td_run_ready(td);
	KUNIT_EXPECT_TRUE(test, flush->done);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -ENOSPC);
	TD_EXPECT_STAT(td, "failed", 2);
	TD_EXPECT_STAT(td, "dirty", 2);
}

static void error_first_is_latched(struct kunit *test)
{
	struct td_host *flush;
	struct td *td = failed(test, &flush);

	KUNIT_EXPECT_EQ(test, td->e->first_error, -ENOSPC);
	td_flush(td);
	td_background(td);
	td_start_ios(td);
	td_end_io(td, 0, -EIO);
	KUNIT_EXPECT_EQ(test, td->e->first_error, -ENOSPC);
	td_clean_all(td);
	KUNIT_EXPECT_EQ(test, td->e->first_error, -ENOSPC);
}

static void error_page_is_tried_again(struct kunit *test)
{
	struct td_host *flush;
	struct td *td = failed(test, &flush);

	/* retry_ms is 100 */
	KUNIT_EXPECT_EQ(test, td_background(td), td->now_ns + 100 * NS_PER_MS);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	td->now_ns += 100 * NS_PER_MS;
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.reason, SSDC_FLUSH_RETRY);
	td_end_io(td, 0, 0);
	td_settle(td);
	TD_EXPECT_STAT(td, "failed", 0);
	TD_EXPECT_STAT(td, "dirty", 0);
	TD_EXPECT_STAT(td, "retry_flushed", 1);
	KUNIT_EXPECT_EQ(test, td_background(td), SSDC_NEVER);
}

static void error_retry_leaves_other_dirty_pages(struct kunit *test)
{
	struct td_host *flush;
	struct td *td = failed(test, &flush);

	td_fill(td, 5, 3);
	td->now_ns += 100 * NS_PER_MS;
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.sector, 0ULL);
}

/* 100, 200, 400, ... 6400, 6400 ms */
static void error_retry_pause_doubles(struct kunit *test)
{
	struct td_host *flush;
	struct td *td = failed(test, &flush);
	u32 i, pause_ms = 100;

	for (i = 0; i < 9; i++) {
		u64 next_ns = td_background(td);

		KUNIT_EXPECT_EQ(test, next_ns, td->now_ns + pause_ms * NS_PER_MS);
		td->now_ns = next_ns;
		td_background(td);
		KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
		td_end_io(td, 0, -EIO);
		pause_ms = min(pause_ms * 2, 6400u);
	}
	TD_EXPECT_STAT(td, "write_errors", 10);
	TD_EXPECT_STAT(td, "failed", 1);

	/* A success resets the pause. */
	td_clean_all(td);
	td_fill(td, 1, 1);
	td->now_ns += 100000 * NS_PER_MS;
	td_flush(td);
	td_background(td);
	td_start_ios(td);
	td_end_io(td, 0, -EIO);
	KUNIT_EXPECT_EQ(test, td_background(td), td->now_ns + 100 * NS_PER_MS);
}

static void set_retry_ms(struct td *td, u32 retry_ms)
{
	td->e->tunables.retry_ms = retry_ms;
	ssdc_tunables_changed(td->e, td->now_ns);
}

/* A smaller retry_ms shortens the pause that has begun, if that is longer than any pause now. */
static void error_retry_pause_is_changed(struct kunit *test)
{
	struct td_host *flush;
	struct td *td = failed(test, &flush);
	u64 first_ns = td_background(td);

	/* Neither another tunable nor a longer pause postpones the retry. */
	td->now_ns += 10 * NS_PER_MS;
	set_retry_ms(td, 100);
	KUNIT_EXPECT_EQ(test, td_background(td), first_ns);
	set_retry_ms(td, 60000);
	KUNIT_EXPECT_EQ(test, td_background(td), first_ns);

	while (td_background(td) < td->now_ns + 60000 * NS_PER_MS) {
		td->now_ns = td_background(td);
		td_background(td);
		KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
		td_end_io(td, 0, -EIO);
	}
	set_retry_ms(td, 100);
	KUNIT_EXPECT_EQ(test, td_background(td), td->now_ns + 6400 * NS_PER_MS);
	set_retry_ms(td, 1);
	KUNIT_EXPECT_EQ(test, td_background(td), td->now_ns + 64 * NS_PER_MS);
}

static void error_several_pages_share_a_retry(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_fill(td, 0, 3);
	td_flush(td);
	td_background(td);
	td_start_ios(td);
	td_end_ios(td, -EIO);
	td_background(td);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, td_background(td), td->now_ns + 100 * NS_PER_MS);
	td->now_ns += 100 * NS_PER_MS;
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 3u);
	td_end_ios(td, -EIO);
	KUNIT_EXPECT_EQ(test, td_background(td), td->now_ns + 200 * NS_PER_MS);
}

static void error_failed_page_can_be_written_again(struct kunit *test)
{
	struct td_host *flush, *write;
	struct td *td = failed(test, &flush);

	write = td_write_page(td, 0);
	TD_EXPECT_DONE(td, write);
	td_clean_all(td);
	TD_EXPECT_STAT(td, "failed", 0);
}

static void error_failed_page_can_be_discarded(struct kunit *test)
{
	struct td_host *flush, *discard;
	struct td *td = failed(test, &flush);

	discard = td_submit(td, SSDC_DISCARD, 0, 8);
	td_end_forward(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, discard);
	TD_EXPECT_STAT(td, "failed", 0);
	td->now_ns += 100 * NS_PER_MS;
	KUNIT_EXPECT_EQ(test, td_background(td), SSDC_NEVER);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	TD_EXPECT_STAT(td, "sync_passes", 1);
}

static void error_fua_write_fails(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *fua = td_fua_page(td, 0);

	td_start_ios(td);
	td_end_io(td, 0, -EIO);
	td_run_ready(td);
	KUNIT_EXPECT_TRUE(test, fua->done);
	KUNIT_EXPECT_EQ(test, fua->rq.error, -EIO);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
}

static void error_fua_fails_when_the_origin_cannot_flush(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *fua = td_fua_page(td, 0);

	td_start_ios(td);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	KUNIT_ASSERT_EQ(test, fua->action, SSDC_FLUSH_ORIGIN);
	td_end_forward(td, -EIO);
	td_run_ready(td);
	KUNIT_EXPECT_TRUE(test, fua->done);
	KUNIT_EXPECT_EQ(test, fua->rq.error, -EIO);
}

static void error_flush_fails_when_the_origin_cannot_flush(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *flush = td_flush(td);

	td_background(td);
	td_run_ready(td);
	td_end_forward(td, -EIO);
	td_run_ready(td);
	KUNIT_EXPECT_TRUE(test, flush->done);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
}

static void error_read_past_dram_fails_its_request(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *read;

	td_submit(td, SSDC_WRITE, 3, 1);
	read = td_submit(td, SSDC_READ, 0, 8);
	td_end_sub(td, -EIO);
	KUNIT_EXPECT_FALSE(test, read->done);
	td_end_sub(td, 0);
	KUNIT_EXPECT_TRUE(test, read->done);
	KUNIT_EXPECT_EQ(test, read->rq.error, -EIO);
	TD_EXPECT_STAT(td, "read_errors", 1);
	TD_EXPECT_STAT(td, "failed_requests", 1);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
}

/* Each read that waited for the page then reads its own sectors, bypassing DRAM. */
static void error_page_that_cannot_be_read_does_not_enter(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *bad = td_submit(td, SSDC_READ, 40, 2);
	struct td_host *good = td_submit(td, SSDC_READ, 44, 4);

	td_start_ios(td);
	td_end_io(td, 0, -EIO);
	td_run_ready(td);
	td_end_sub(td, -EIO);
	td_end_sub(td, 0);
	td_run_ready(td);
	KUNIT_EXPECT_TRUE(test, bad->done);
	KUNIT_EXPECT_EQ(test, bad->rq.error, -EIO);
	TD_EXPECT_DONE(td, good);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 5));
	TD_EXPECT_STAT(td, "used", 0);
	TD_EXPECT_STAT(td, "read_errors", 2);
	KUNIT_EXPECT_EQ(test, td->e->first_error, 0);
	KUNIT_EXPECT_TRUE(test, ssdc_quiescent(td->e));
}

static void error_write_goes_on_when_a_fill_fails(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *read = td_read_page(td, 5), *write = td_write_page(td, 5);

	KUNIT_ASSERT_EQ(test, write->action, SSDC_WAIT);
	td_start_ios(td);
	td_end_io(td, 0, -EIO);
	td_run_ready(td);
	TD_EXPECT_DONE(td, write);
	td_end_sub(td, -EIO);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, read->rq.error, -EIO);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 5));
}

static void error_one_bad_page_fails_the_whole_read(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *read = td_submit(td, SSDC_READ, 0, 24);

	KUNIT_ASSERT_EQ(test, td_start_ios(td), 3u);
	td_end_io(td, 0, -EIO);
	td_end_io(td, 0, 0);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	td_end_sub(td, -EIO);
	td_run_ready(td);
	KUNIT_EXPECT_TRUE(test, read->done);
	KUNIT_EXPECT_EQ(test, read->rq.error, -EIO);
	TD_EXPECT_STAT(td, "used", 2);
}

/* The bad sector may be one that the host never wrote. */
static void error_page_that_cannot_be_written_whole_is_written_in_runs(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *flush;

	td_load(td, 0, 1);
	td_submit(td, SSDC_WRITE, 5, 1);
	flush = td_flush(td);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.nr_sectors, 8u);
	td_end_io(td, 0, -EIO);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.sector, 5ULL);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.nr_sectors, 1u);
	td_end_io(td, 0, 0);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	KUNIT_EXPECT_FALSE(test, td_dirty(td, 0));
	TD_EXPECT_STAT(td, "write_errors", 0);
	/* The next flush writes the whole page again. */
	td_submit(td, SSDC_WRITE, 5, 1);
	td_flush(td);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.nr_sectors, 8u);
	/* No second try with a device that does not answer. */
	td_end_io(td, 0, -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, td->e->failed_pages, 1u);
	td_clean_all(td);
}

/* The fill of ..xx.x.. fails: only its dirty sectors are written. */
static void error_page_that_cannot_be_completed_is_flushed_in_runs(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *flush;

	td_submit(td, SSDC_WRITE, 2, 2);
	td_submit(td, SSDC_WRITE, 5, 1);
	flush = td_flush(td);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 3u);
	td_end_io(td, 0, 0);
	td_end_io(td, 0, -EIO);
	td_end_io(td, 0, 0);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 2u);
	KUNIT_EXPECT_TRUE(test, td->ios[0].io.write);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.sector, 2ULL);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.nr_sectors, 2u);
	KUNIT_EXPECT_TRUE(test, td->ios[1].io.write);
	KUNIT_EXPECT_EQ(test, td->ios[1].io.sector, 5ULL);
	KUNIT_EXPECT_EQ(test, td->ios[1].io.nr_sectors, 1u);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	KUNIT_EXPECT_FALSE(test, td_dirty(td, 0));
	TD_EXPECT_STAT(td, "read_errors", 1);
}

static void error_one_bad_run_fails_the_page(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_submit(td, SSDC_WRITE, 2, 1);
	td_submit(td, SSDC_WRITE, 5, 1);
	td_flush(td);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 3u);
	td_end_ios(td, -EIO);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 2u);
	td_end_io(td, 0, -EIO);
	KUNIT_EXPECT_EQ(test, td->e->failed_pages, 0u);
	td_end_io(td, 0, 0);
	KUNIT_EXPECT_EQ(test, td->e->failed_pages, 1u);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
	TD_EXPECT_STAT(td, "write_errors", 1);
	td_clean_all(td);
}

/* The write does not wait for another victim: its data are safe in DRAM. */
static void error_failed_victim_comes_back_as_most_recent(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *write;

	td_fill(td, 0, TD_FRAMES);
	write = td_write_page(td, 20);
	td_start_ios(td);
	td_end_io(td, 0, -EIO);
	KUNIT_EXPECT_STREQ(test, td_list(td, 0), "A U P O N M L K J I H G F E D C B");
	td_run_ready(td);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	TD_EXPECT_STAT(td, "failed", 1);
	/* one page too many: the next write evicts one, and the one after the retry two */
	td_write_page(td, 21);
	TD_EXPECT_STAT(td, "evicted_pages", 2);
	td_clean_all(td);
	td_write_page(td, 22);
	TD_EXPECT_STAT(td, "evicted_pages", 4);
	td_settle(td);
	TD_EXPECT_STAT(td, "used", TD_FRAMES);
}

/* End all page writes; those of pages below @bad fail. */
static void end_writes(struct td *td, u64 bad)
{
	do {
		while (td_start_ios(td), td->nr_ios)
			td_end_io(td, 0, td->ios[0].io.sector < bad * TD_PAGE_SECTORS ? -EIO : 0);
	} while (td_run_ready(td));
}

/* Pages of a tier with @bad of them on bad media, and others that come and go, written or read. */
static void few_bad_pages(struct kunit *test, const char *replacement, u64 bad, enum ssdc_op op)
{
	struct td *td = td_simple(test, replacement);
	u32 most = 0, i;

	td_fill(td, 0, bad);
	for (i = 0; i < 40 * TD_FRAMES; i++) {
		u64 page = bad + i % (TD_SECTORS / TD_PAGE_SECTORS - bad);
		struct td_host *host = td_submit(td, op, page * TD_PAGE_SECTORS, TD_PAGE_SECTORS);

		end_writes(td, bad);
		TD_EXPECT_DONE(td, host);
		td_put(td, host);
		most = max(most, td->e->tier.used_pages);
	}
	KUNIT_EXPECT_LE_MSG(test, most, TD_FRAMES + (u32)bad, "%s, %llu bad pages", replacement,
			    bad);
	if (op == SSDC_WRITE)
		KUNIT_EXPECT_EQ(test, td->e->failed_pages, (u32)bad);
	/* Repaired: the tier has its size again, without another request. */
	td_clean_all(td);
	KUNIT_EXPECT_LE(test, td->e->tier.used_pages, TD_FRAMES);
	td_exit(test);
}

/* A few pages that cannot be flushed do not use up the reserve, however long the others work. */
static void error_few_bad_pages_leave_the_reserve(struct kunit *test)
{
	static const char *const policies[] = { "lru", "lfu", "fab", "bplru", "cflru" };
	unsigned int i, bad;

	for (i = 0; i < ARRAY_SIZE(policies); i++)
		for (bad = 1; bad <= 5; bad += 2) {
			few_bad_pages(test, policies[i], bad, SSDC_WRITE);
			few_bad_pages(test, policies[i], bad, SSDC_READ);
		}
}

/* Fail page writes one by one, while there are any, at most @limit. */
static u32 fail_victims(struct td *td, u32 limit)
{
	u32 nr = 0;

	while (nr < limit) {
		td_start_ios(td);
		if (!td->nr_ios)
			break;
		td_end_io(td, 0, -EIO);
		nr++;
	}
	return nr;
}

/* All pages are dirty, and no victim could be flushed: the reserve has been used up. */
static struct td *all_failed(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	u64 page;

	td_fill(td, 0, TD_FRAMES);
	for (page = 40; page < 40 + TD_RESERVE; page++) {
		struct td_host *write = td_write_page(td, page);

		/* one flush for each write, not a storm of them */
		KUNIT_ASSERT_EQ(test, fail_victims(td, 1000), 1u);
		td_run_ready(td);
		TD_EXPECT_DONE(td, write);
	}
	KUNIT_ASSERT_EQ(test, td->e->nr_free, 0u);
	KUNIT_ASSERT_EQ(test, td->e->nr_victims, 0u);
	return td;
}

static void error_write_fails_when_no_victim_can_be_written(struct kunit *test)
{
	struct td *td = all_failed(test);
	struct td_host *write;

	write = td_write_page(td, 20);
	KUNIT_EXPECT_EQ(test, fail_victims(td, 1000), EVICT_TRIES);
	td_run_ready(td);
	KUNIT_EXPECT_TRUE(test, write->done);
	KUNIT_EXPECT_EQ(test, write->rq.error, -EIO);
	TD_EXPECT_STAT(td, "dirty", TD_FRAMES + TD_RESERVE);
	TD_EXPECT_STAT(td, "waiting", 0);
	KUNIT_EXPECT_EQ(test, td->e->nr_debts, 0u);

	/* No acknowledged data are lost. */
	td_clean_all(td);
	td_load(td, 0, TD_FRAMES);
	td_load(td, 40, TD_RESERVE);
}

static void error_success_starts_the_count_of_failed_victims_anew(struct kunit *test)
{
	struct td *td = all_failed(test);
	struct td_host *write;

	write = td_write_page(td, 20);
	KUNIT_EXPECT_EQ(test, fail_victims(td, EVICT_TRIES - 1), EVICT_TRIES - 1);
	td_start_ios(td);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, td->e->evict_failures, 0u);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
}

/* The write needs several frames, so several victims are in flight at any time. */
static void error_large_write_fails_when_no_victim_can_be_written(struct kunit *test)
{
	struct td *td = all_failed(test);
	struct td_host *write;

	write = td_submit(td, SSDC_WRITE, 20 * 8, 4 * 8);
	KUNIT_EXPECT_LT(test, fail_victims(td, 1000), 1000u);
	td_run_ready(td);
	KUNIT_EXPECT_TRUE(test, write->done);
	KUNIT_EXPECT_EQ(test, write->rq.error, -EIO);
	TD_EXPECT_STAT(td, "dirty", TD_FRAMES + TD_RESERVE);
}

/* Waiting reads bypass DRAM. */
static void error_waiting_writes_fail_when_no_victim_can_be_written(struct kunit *test)
{
	struct td *td = all_failed(test);
	struct td_host *hosts[3];
	unsigned int i;

	hosts[0] = td_write_page(td, 20);
	hosts[1] = td_read_page(td, 21);
	hosts[2] = td_write_page(td, 22);
	KUNIT_EXPECT_LT(test, fail_victims(td, 1000), 1000u);
	td_run_ready(td);
	for (i = 0; i < 3; i += 2) {
		KUNIT_EXPECT_TRUE(test, hosts[i]->done);
		KUNIT_EXPECT_EQ(test, hosts[i]->rq.error, -EIO);
	}
	td_end_sub(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, hosts[1]);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 21));
	TD_EXPECT_STAT(td, "waiting", 0);
	KUNIT_EXPECT_EQ(test, td->e->nr_debts, 0u);
}

static void error_discard_below(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *discard = td_submit(td, SSDC_DISCARD, 0, 8);

	KUNIT_ASSERT_EQ(test, discard->action, SSDC_FORWARD);
	td_end_forward(td, -EOPNOTSUPP);
	td_run_ready(td);
	KUNIT_EXPECT_TRUE(test, discard->done);
	KUNIT_EXPECT_EQ(test, discard->rq.error, -EOPNOTSUPP);
	KUNIT_EXPECT_TRUE(test, list_empty(&td->e->discards));
}

static struct kunit_case error_cases[] = {
	KUNIT_CASE(error_failed_page_stays_dirty),
	KUNIT_CASE(error_flush_that_was_not_honoured_fails),
	KUNIT_CASE(error_flush_fails_with_the_first_of_several),
	KUNIT_CASE(error_first_is_latched),
	KUNIT_CASE(error_page_is_tried_again),
	KUNIT_CASE(error_retry_leaves_other_dirty_pages),
	KUNIT_CASE(error_retry_pause_doubles),
	KUNIT_CASE(error_retry_pause_is_changed),
	KUNIT_CASE(error_several_pages_share_a_retry),
	KUNIT_CASE(error_failed_page_can_be_written_again),
	KUNIT_CASE(error_failed_page_can_be_discarded),
	KUNIT_CASE(error_fua_write_fails),
	KUNIT_CASE(error_fua_fails_when_the_origin_cannot_flush),
	KUNIT_CASE(error_flush_fails_when_the_origin_cannot_flush),
	KUNIT_CASE(error_read_past_dram_fails_its_request),
	KUNIT_CASE(error_page_that_cannot_be_read_does_not_enter),
	KUNIT_CASE(error_write_goes_on_when_a_fill_fails),
	KUNIT_CASE(error_one_bad_page_fails_the_whole_read),
	KUNIT_CASE(error_page_that_cannot_be_completed_is_flushed_in_runs),
	KUNIT_CASE(error_page_that_cannot_be_written_whole_is_written_in_runs),
	KUNIT_CASE(error_one_bad_run_fails_the_page),
	KUNIT_CASE(error_failed_victim_comes_back_as_most_recent),
	KUNIT_CASE(error_few_bad_pages_leave_the_reserve),
	KUNIT_CASE(error_write_fails_when_no_victim_can_be_written),
	KUNIT_CASE(error_success_starts_the_count_of_failed_victims_anew),
	KUNIT_CASE(error_large_write_fails_when_no_victim_can_be_written),
	KUNIT_CASE(error_waiting_writes_fail_when_no_victim_can_be_written),
	KUNIT_CASE(error_discard_below),
	{}
};

static struct kunit_suite error_suite = {
	.name = "ssdcache_error",
	.exit = td_exit,
	.test_cases = error_cases,
};

kunit_test_suite(error_suite);
