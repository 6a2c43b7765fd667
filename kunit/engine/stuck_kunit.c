// SPDX-License-Identifier: GPL-2.0
/* Stuck pages: their flush has failed, and fails again. The tier keeps its size for the others. */
#include "driver.h"

/* Writes new pages until @nr pages could not be flushed; the others become the most recent ones. */
static void get_stuck_pages(struct td *td, u32 nr)
{
	u64 page;

	for (page = 0; td->e->failed_pages < nr; page++) {
		KUNIT_ASSERT_LT(td->test, page, td->sectors / TD_PAGE_SECTORS);
		td_write_page(td, page);
		td_start_ios(td);
		td_end_ios(td, -EIO);
		td_run_ready(td);
	}
	while (page--)
		if (td_cached(td, page) && !(td_entry(td, page)->flags & SSDC_E_FAILED))
			td_write_page(td, page);
}

/*
 * A page gives up making room once it has evicted 64 batches of pages that will probably return,
 * and takes a frame of the reserve. The worker goes on until the reserve is for such pages only.
 */
static void stuck_pages_before_sound_ones(struct kunit *test)
{
	struct ssdc_params params = td_params();
	struct td_host *write;
	struct td *td;

	params.reserve_bytes = 96 * 4096;
	td = td_new(test, &params);
	get_stuck_pages(td, 65);
	td->now_ns += 1;
	write = td_write_page(td, 127);
	KUNIT_ASSERT_TRUE(test, td_cached(td, 127));
	td_settle(td);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_LE(test, td->e->tier.used_pages - td->e->failed_pages, TD_FRAMES);
	td_clean_all(td);
	KUNIT_EXPECT_LE(test, td->e->tier.used_pages, TD_FRAMES);
}

/* I/O ends at once; writes of pages 0 to 3 fail. */
static void end_fast_ios(struct td *td)
{
	td_start_ios(td);
	while (td->nr_ios) {
		const struct ssdc_io *io = &td->ios[0].io;

		td_end_io(td, 0, io->write && io->sector < 4 * TD_PAGE_SECTORS ? -EIO : 0);
	}
	td_run_ready(td);
}

/*
 * The policy names the stuck pages first, again and again if their flush fails between two calls of
 * the worker. The worker must come to an end.
 */
static void stuck_pages_are_named_first(struct kunit *test)
{
	struct td *td = td_simple(test, "fab:block=4");
	struct td_host *write;
	unsigned int rounds;
	u64 page;

	td_fill(td, 0, 4);
	for (page = 8; page < 8 + (TD_FRAMES + 2) * 4; page += 4) {
		write = td_begin(td, SSDC_WRITE, page * TD_PAGE_SECTORS, TD_PAGE_SECTORS);
		while (td_hold(td, write) != SSDC_WAIT && !write->done)
			end_fast_ios(td);
		end_fast_ios(td);
	}
	for (rounds = 0; td->e->excess || ssdc_is_evicting(td->e); rounds++) {
		KUNIT_ASSERT_LT(test, rounds, 100u);
		while (ssdc_background(td->e, td->now_ns) == SSDC_GO_ON)
			td_check(td);
		end_fast_ios(td);
	}
	KUNIT_EXPECT_LE(test, td->e->tier.used_pages - td->e->failed_pages, TD_FRAMES);
}

static struct kunit_case stuck_cases[] = {
	KUNIT_CASE(stuck_pages_before_sound_ones),
	KUNIT_CASE(stuck_pages_are_named_first),
	{}
};

static struct kunit_suite stuck_suite = {
	.name = "ssdcache_stuck",
	.exit = td_exit,
	.test_cases = stuck_cases,
};

kunit_test_suite(stuck_suite);
