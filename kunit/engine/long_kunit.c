// SPDX-License-Identifier: GPL-2.0
#include "driver.h"

/* An origin of four steps, and DRAM for all of it. */
static struct td *long_td(struct kunit *test, const char *admission)
{
	struct ssdc_params params = td_params();

	params.origin_sectors = 4 * SSDC_STEP_SECTORS;
	params.dram_bytes = params.origin_sectors << SSDC_SECTOR_SHIFT;
	params.admission = admission;
	return td_new(test, &params);
}

/* The lock is dropped after SSDC_STEP_SECTORS; the request is one to everyone else. */
static void long_read_takes_several_steps(struct kunit *test)
{
	struct td *td = long_td(test, "write-buffer");
	struct td_host *read = td_begin(td, SSDC_READ, 0, 2 * SSDC_STEP_SECTORS + 8);

	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_AGAIN);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_AGAIN);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_READ_ORIGIN);
	TD_EXPECT_SEG(td, read, 0u, 0u, SSDC_STEP_SECTORS);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_READ_ORIGIN);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_READ_ORIGIN);
	TD_EXPECT_SEG(td, read, 0u, 2 * SSDC_STEP_SECTORS, 8u);
	KUNIT_EXPECT_EQ(test, td_step(td, read), SSDC_WAIT);
	while (!list_empty(&td->subs))
		td_end_sub(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_STAT(td, "reads", 1);
	TD_EXPECT_STAT(td, "read_pages", 513);
	KUNIT_EXPECT_EQ(test, td->e->latency[SSDC_READ].count, 1ULL);
}

static void long_fua_write_takes_several_steps(struct kunit *test)
{
	struct td *td = long_td(test, "read-write");
	struct td_host *write = td_begin(td, SSDC_WRITE, 0, 2 * SSDC_STEP_SECTORS + 8);
	unsigned int i;

	write->rq.host.fua = true;
	for (i = 0; i < 513; i++)
		KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_COPY);
	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_AGAIN);
	KUNIT_EXPECT_EQ(test, td->e->flushing_pages, 256u);
	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_AGAIN);
	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_WAIT);
	KUNIT_EXPECT_EQ(test, td->e->flushing_pages, 513u);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_STAT(td, "writes", 1);
	TD_EXPECT_STAT(td, "write_pages", 513);
	KUNIT_EXPECT_EQ(test, td->e->latency[SSDC_WRITE].count, 1ULL);
}

/* Call ssdc_step() until it is measuring a run of missing pages, or returns another action. */
static enum ssdc_action hold_until_run(struct td *td, struct td_host *host)
{
	enum ssdc_action action;

	do {
		action = td_hold(td, host);
	} while (action == SSDC_MORE && !(host->rq.phase == SSDC_RQ_PAGES && host->rq.run));
	return action;
}

/* The driver drops the lock after a few decisions. Fills begin when all are taken, side by side. */
static void long_read_is_decided_in_pieces(struct kunit *test)
{
	struct td *td = long_td(test, "read-write");
	struct td_host *read = td_begin(td, SSDC_READ, 0, SSDC_STEP_SECTORS);
	enum ssdc_action action;
	unsigned int holds = 0;
	u64 before;

	do {
		before = td->e->stats.read_pages;
		action = td_hold(td, read);
		KUNIT_EXPECT_LE(test, td->e->stats.read_pages - before, (u64)SSDC_HOLD_WORK / 4);
		if (td->e->stats.read_pages < 256)
			KUNIT_EXPECT_FALSE(test, ssdc_has_queued(td->e));
		holds++;
	} while (action == SSDC_MORE);
	KUNIT_EXPECT_EQ(test, action, SSDC_WAIT);
	KUNIT_EXPECT_GE(test, holds, 256 * 4 / SSDC_HOLD_WORK);
	KUNIT_EXPECT_TRUE(test, ssdc_has_queued(td->e));
	td_settle(td);
	TD_EXPECT_DONE(td, read);
}

static bool is_being_filled(struct td *td, u64 page)
{
	ssdc_frame_t frame = ssdc_lookup(td->e, ssdc_page(page));

	return frame != SSDC_NO_FRAME && (ssdc_entry_at(td->e, frame)->flags & SSDC_E_FILL);
}

/* A page that has entered for the read is written before its fill: that is not needed any more. */
static void long_write_between_the_pieces_of_a_read(struct kunit *test)
{
	struct td *td = long_td(test, "read-write");
	struct td_host *read = td_begin(td, SSDC_READ, 0, 32 * TD_PAGE_SECTORS);
	struct td_host *write, *part, *other;

	KUNIT_ASSERT_EQ(test, td_hold(td, read), SSDC_MORE);
	write = td_write_page(td, 0);
	TD_EXPECT_DONE(td, write);
	part = td_submit(td, SSDC_WRITE, TD_PAGE_SECTORS, 1);
	TD_EXPECT_DONE(td, part);
	/* Another read of a page without data goes past DRAM. */
	other = td_submit(td, SSDC_READ, 2 * TD_PAGE_SECTORS, TD_PAGE_SECTORS);
	KUNIT_EXPECT_EQ(test, other->action, SSDC_BYPASS);
	td_run(td, read);
	KUNIT_EXPECT_FALSE(test, is_being_filled(td, 0));
	KUNIT_EXPECT_FALSE(test, is_being_filled(td, 1));
	KUNIT_EXPECT_TRUE(test, is_being_filled(td, 2));
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_DONE(td, other);
	TD_EXPECT_STAT(td, "write_hits", 2);
}

/* Likewise, a discard drops it. */
static void long_discard_between_the_pieces_of_a_read(struct kunit *test)
{
	struct td *td = long_td(test, "read-write");
	struct td_host *read = td_begin(td, SSDC_READ, 0, 32 * TD_PAGE_SECTORS);
	struct td_host *discard;

	KUNIT_ASSERT_EQ(test, td_hold(td, read), SSDC_MORE);
	discard = td_submit(td, SSDC_DISCARD, 0, TD_PAGE_SECTORS);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	td_run(td, read);
	td_end_forward(td, 0);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_DONE(td, discard);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
}

/*
 * Block 1 leaves for page 7, which a discard then keeps out. The read must not wait for victim 8
 * without a hand in its leaving: it may be the worker that runs the read.
 */
static void long_read_goes_past_the_page_that_a_batch_left_for(struct kunit *test)
{
	struct td *td = td_simple(test, "fab:block=8");
	struct td_host *read, *discard;
	u64 page;

	td_load(td, 8, 8);
	for (page = 32; page < 32 + 7 * 8; page += 8)
		td_load(td, page, 1);
	td->e->hold_work = 1;
	read = td_begin(td, SSDC_READ, 6 * TD_PAGE_SECTORS, 3 * TD_PAGE_SECTORS);
	do {
		KUNIT_ASSERT_EQ(test, td_hold(td, read), SSDC_MORE);
	} while (!td->e->leaving.nr);
	KUNIT_ASSERT_TRUE(test, read->rq.entered);
	discard = td_submit(td, SSDC_DISCARD, 7 * TD_PAGE_SECTORS, TD_PAGE_SECTORS);
	KUNIT_ASSERT_EQ(test, discard->action, SSDC_FORWARD);
	td_run(td, read);
	td_end_forward(td, 0);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_DONE(td, discard);
	TD_EXPECT_STAT(td, "evicted_pages", 8);
}

/* A dirty victim returns, and needs no fill: the next call must not find it as a hit. */
static void long_victim_taken_back_is_decided_about_once(struct kunit *test)
{
	struct td *td = td_admission(test, "read-write");
	struct td_host *read, *write;

	td->e->hold_work = 1;
	td_fill(td, 0, TD_FRAMES);
	write = td_write_page(td, 20);
	read = td_read_page(td, 0);
	TD_EXPECT_STAT(td, "admitted_reads", 1);
	TD_EXPECT_STAT(td, "read_pages", 1);
	TD_EXPECT_STAT(td, "read_hits", 0);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_DONE(td, read);
}

/* A page enters within a run of missing pages that has been looked up: the run begins again. */
static void long_write_into_the_run_of_a_read(struct kunit *test)
{
	struct td *td = long_td(test, "write-buffer");
	struct td_host *read = td_begin(td, SSDC_READ, 0, SSDC_STEP_SECTORS);
	struct td_host *write;

	KUNIT_ASSERT_EQ(test, hold_until_run(td, read), SSDC_MORE);
	write = td_write_page(td, 1);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_EQ(test, td_hold(td, read), SSDC_READ_ORIGIN);
	TD_EXPECT_SEG(td, read, 0u, 0u, TD_PAGE_SECTORS);
	td_run(td, read);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_STAT(td, "bypassed_reads", 2);
}

static struct kunit_case long_cases[] = {
	KUNIT_CASE(long_read_takes_several_steps),
	KUNIT_CASE(long_fua_write_takes_several_steps),
	KUNIT_CASE(long_read_is_decided_in_pieces),
	KUNIT_CASE(long_write_between_the_pieces_of_a_read),
	KUNIT_CASE(long_discard_between_the_pieces_of_a_read),
	KUNIT_CASE(long_write_into_the_run_of_a_read),
	KUNIT_CASE(long_read_goes_past_the_page_that_a_batch_left_for),
	KUNIT_CASE(long_victim_taken_back_is_decided_about_once),
	{}
};

static struct kunit_suite long_suite = {
	.name = "ssdcache_long",
	.exit = td_exit,
	.test_cases = long_cases,
};

kunit_test_suite(long_suite);
