// SPDX-License-Identifier: GPL-2.0
#include "driver.h"

static struct td_host *discard_page(struct td *td, u64 page)
{
	return td_submit(td, SSDC_DISCARD, page << td->e->tier.page_shift,
			 td->e->tier.page_sectors);
}

static void discard_of_what_is_not_cached_is_passed_down(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *discard = discard_page(td, 3);

	KUNIT_EXPECT_EQ(test, discard->action, SSDC_FORWARD);
	KUNIT_EXPECT_FALSE(test, ssdc_quiescent(td->e));
	td_end_forward(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, discard);
	TD_EXPECT_STAT(td, "discards", 1);
	TD_EXPECT_STAT(td, "dropped_pages", 0);
}

static void discard_drops_a_dirty_page(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *discard;

	td_fill(td, 3, 1);
	discard = discard_page(td, 3);
	KUNIT_EXPECT_EQ(test, discard->action, SSDC_FORWARD);
	td_settle(td);
	TD_EXPECT_DONE(td, discard);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 3));
	td_load(td, 3, 1);
	TD_EXPECT_STAT(td, "dropped_pages", 1);
	TD_EXPECT_STAT(td, "dirty", 0);
}

static void discard_drops_a_clean_page(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_load(td, 3, 1);
	discard_page(td, 3);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 3));
	td_settle(td);
	td_load(td, 3, 1);
}

static void discard_leaves_other_pages(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_fill(td, 2, 3);
	discard_page(td, 3);
	td_settle(td);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 2));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 3));
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 4));
}

/* Dirty xxxxxxxx, sectors 2 to 4 are discarded: xx...xxx stays. */
static void discard_of_a_part_keeps_the_rest(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *read;

	td_fill(td, 0, 1);
	td_submit(td, SSDC_DISCARD, 2, 3);
	td_settle(td);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
	KUNIT_EXPECT_EQ(test, *ssdc_valid_mask(td->e, ssdc_frame(0)), 0xe3);
	KUNIT_EXPECT_EQ(test, *ssdc_dirty_mask(td->e, ssdc_frame(0)), 0xe3);
	read = td_submit(td, SSDC_READ, 0, 8);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	td_clean_all(td);
}

/* Dirty ..x....., valid too; its only dirty sector is discarded. */
static void discard_of_all_dirty_sectors_drops_the_page(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_load(td, 0, 1);
	td_submit(td, SSDC_WRITE, 2, 1);
	td_submit(td, SSDC_DISCARD, 1, 3);
	td_settle(td);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	TD_EXPECT_STAT(td, "dirty", 0);
}

static void discard_of_a_part_of_a_clean_page_drops_it(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_load(td, 0, 1);
	td_submit(td, SSDC_DISCARD, 7, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	td_settle(td);
}

/* ....xxxx xxxxxxxx xx......: part, whole, part */
static void discard_across_pages(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_fill(td, 0, 3);
	td_submit(td, SSDC_DISCARD, 4, 14);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, *ssdc_dirty_mask(td->e, ssdc_frame(0)), 0x0f);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 1));
	KUNIT_EXPECT_EQ(test, *ssdc_dirty_mask(td->e, ssdc_frame(2)), 0xfc);
	td_load(td, 0, 3);
}

/* Granules of @granule sectors from @offset on: @sector, @nr narrows to @left, @nr_left. */
static const struct narrowing {
	const char *drawn;
	u32 granule, offset;
	u64 sector, nr, left, nr_left;
} narrowings[] = {
	{ "any sector, granule unknown", 0, 0, 3, 5, 3, 5 },
	{ "any sector", 1, 0, 3, 5, 3, 5 },
	{ "|xxxxxxxx|", 8, 0, 16, 8, 16, 8 },
	{ "|xxxxxxxx|xxxxxxxx|", 8, 0, 0, 16, 0, 16 },
	{ "|xxxx....|", 8, 0, 0, 4, 0, 0 },
	{ "|....xxxx|", 8, 0, 4, 4, 4, 0 },
	{ "|.......x|x.......|", 8, 0, 7, 2, 7, 0 },
	{ "|......xx|xxxxxxxx|xxx.....|", 8, 0, 6, 13, 8, 8 },
	{ "|......xx|xxxxxxxx|", 8, 0, 6, 10, 8, 8 },
	{ "|xxxxxxxx|x.......|", 8, 0, 8, 9, 8, 8 },
	{ "x|xxx|xxx|x of three", 3, 0, 5, 8, 6, 6 },
	{ "xx|xxxxxxxx|xx....", 8, 2, 0, 12, 2, 8 },
	{ "..|......xx|xx....", 8, 2, 8, 4, 8, 0 },
	{ "offset of a granule and two", 8, 10, 0, 12, 2, 8 },
	{ "beyond 32 bits", 8, 0, 0x10000000001, 0x200000000, 0x10000000008, 0x1fffffff8 },
	{}
};

static void discard_keeps_parts_of_granules(struct kunit *test)
{
	const struct narrowing *n;

	for (n = narrowings; n->drawn; n++) {
		u64 sector = n->sector, nr = n->nr;
		bool left = ssdc_narrow_discard(&sector, &nr, n->granule, n->offset);

		KUNIT_EXPECT_EQ_MSG(test, left, !!n->nr_left, "%s", n->drawn);
		KUNIT_EXPECT_EQ_MSG(test, sector, n->left, "%s", n->drawn);
		KUNIT_EXPECT_EQ_MSG(test, nr, n->nr_left ?: n->nr, "%s", n->drawn);
	}
}

static void discard_waits_for_a_flush_in_flight(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *discard;

	td_fill(td, 3, 1);
	td_flush(td);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	discard = discard_page(td, 3);
	KUNIT_EXPECT_EQ(test, discard->action, SSDC_WAIT);
	/* The discard waits: the flush might reach the origin after it. */
	td_end_io(td, 0, 0);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, discard->action, SSDC_FORWARD);
	td_settle(td);
	TD_EXPECT_DONE(td, discard);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 3));
}

static void discard_waits_for_a_failed_flush(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *discard;

	td_fill(td, 3, 1);
	td_flush(td);
	td_background(td);
	td_start_ios(td);
	discard = discard_page(td, 3);
	td_end_io(td, 0, -EIO);
	td_settle(td);
	TD_EXPECT_DONE(td, discard);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 3));
	TD_EXPECT_STAT(td, "failed", 0);
}

static void discard_waits_for_a_fill_in_flight(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *read = td_read_page(td, 3), *discard;

	td_start_ios(td);
	discard = discard_page(td, 3);
	KUNIT_EXPECT_EQ(test, discard->action, SSDC_WAIT);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_DONE(td, discard);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 3));
}

static void discard_waits_for_a_victim(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *write, *discard;

	td_fill(td, 0, TD_FRAMES);
	write = td_write_page(td, 20);
	td_start_ios(td);
	discard = discard_page(td, 0);
	KUNIT_EXPECT_EQ(test, discard->action, SSDC_WAIT);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_DONE(td, discard);
}

static void discard_waits_for_a_write(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *write = td_begin(td, SSDC_WRITE, 24, 4), *discard;

	KUNIT_ASSERT_EQ(test, td_step(td, write), SSDC_COPY);
	discard = td_submit(td, SSDC_DISCARD, 28, 4);
	KUNIT_EXPECT_EQ(test, discard->action, SSDC_WAIT);
	td_run(td, write);
	TD_EXPECT_DONE(td, write);
	td_settle(td);
	TD_EXPECT_DONE(td, discard);
}

/*
 * Reads of a page that stays dirty, for sectors that it has got since. They may see what the
 * discard does, and if that fails, the page has older data.
 */
static void discard_waits_for_reads_at_the_origin(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *first, *read, *other, *discard;

	/* Reads during a discard bypass DRAM. */
	first = td_submit(td, SSDC_DISCARD, 24, 16);
	read = td_read_page(td, 3);
	other = td_read_page(td, 4);
	KUNIT_EXPECT_FALSE(test, list_empty(&td->subs));
	td_end_forward(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, first);
	td_fill(td, 3, 1);

	discard = td_submit(td, SSDC_DISCARD, 24, 16);
	KUNIT_EXPECT_EQ(test, discard->action, SSDC_WAIT);
	td_end_sub(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, read);
	KUNIT_EXPECT_EQ(test, discard->action, SSDC_FORWARD);
	KUNIT_EXPECT_FALSE(test, list_empty(&td->subs));
	td_settle(td);
	TD_EXPECT_DONE(td, other);
	TD_EXPECT_DONE(td, discard);
}

/* Most such reads have no work for the worker as they end; this one has. */
static void discard_is_woken_by_the_end_of_a_read(struct kunit *test)
{
	struct ssdc_params params = td_params();
	struct td_host *read, *discard;
	struct td *td;

	params.admission = "write-buffer";
	td = td_new(test, &params);
	read = td_read_page(td, 3);
	KUNIT_EXPECT_EQ(test, read->action, SSDC_BYPASS);
	KUNIT_EXPECT_TRUE(test, read->rq.lone);
	td_fill(td, 3, 1);
	discard = td_submit(td, SSDC_DISCARD, 24, 16);
	KUNIT_EXPECT_EQ(test, discard->action, SSDC_WAIT);
	KUNIT_EXPECT_FALSE(test, ssdc_bypass_has_work(td->e, &read->rq));
	td_end_sub(td, 0);
	TD_EXPECT_DONE(td, read);
	KUNIT_EXPECT_TRUE(test, ssdc_bypass_has_work(td->e, &read->rq));
	td_settle(td);
	TD_EXPECT_DONE(td, discard);
}

/* Other sectors of the page are dirty: the discard leaves nothing of its range in DRAM. */
static void discard_beside_dirty_sectors_waits_for_no_read(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *first, *read, *write, *discard;

	first = discard_page(td, 3);
	read = td_submit(td, SSDC_READ, 28, 4);
	KUNIT_EXPECT_FALSE(test, list_empty(&td->subs));
	td_end_forward(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, first);
	write = td_submit(td, SSDC_WRITE, 24, 4);
	TD_EXPECT_DONE(td, write);
	discard = td_submit(td, SSDC_DISCARD, 28, 4);
	KUNIT_EXPECT_EQ(test, discard->action, SSDC_FORWARD);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_DONE(td, discard);
}

/* Otherwise a page that is always being read would never be discarded. */
static void discard_does_not_wait_for_a_read(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *read, *discard;

	td_fill(td, 3, 1);
	td_clean_all(td);
	read = td_begin(td, SSDC_READ, 24, 8);
	KUNIT_ASSERT_EQ(test, td_step(td, read), SSDC_COPY);
	discard = discard_page(td, 3);
	KUNIT_EXPECT_EQ(test, discard->action, SSDC_FORWARD);
	/* Only the reader still uses the frame; others miss. */
	KUNIT_EXPECT_EQ(test, td_read_page(td, 3)->action, SSDC_BYPASS);
	TD_EXPECT_STAT(td, "used", 1);
	td_run(td, read);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_STAT(td, "used", 0);
	td_settle(td);
	TD_EXPECT_DONE(td, discard);
}

/* A dirty page that is being read is dropped at the end of the discard. */
static void discard_of_a_dirty_page_does_not_wait_for_a_read(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *read, *discard;

	td_fill(td, 3, 1);
	discard = discard_page(td, 3);
	KUNIT_ASSERT_EQ(test, discard->action, SSDC_FORWARD);
	/* The newest data, until the discard has succeeded. */
	read = td_begin(td, SSDC_READ, 24, 8);
	KUNIT_ASSERT_EQ(test, td_step(td, read), SSDC_COPY);
	td_end_forward(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, discard);
	TD_EXPECT_STAT(td, "dirty", 0);
	TD_EXPECT_STAT(td, "used", 1);
	td_run(td, read);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_STAT(td, "used", 0);
}

static void discard_makes_room_for_those_who_wait(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *write;

	td_fill(td, 0, TD_FRAMES);
	write = td_write_page(td, 20);
	KUNIT_ASSERT_EQ(test, write->action, SSDC_WAIT);
	discard_page(td, 5);
	td_end_forward(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, write);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, td->e->nr_debts, 0u);
}

static void discard_read_meanwhile_is_not_cached(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *discard = discard_page(td, 3), *read;

	KUNIT_ASSERT_EQ(test, discard->action, SSDC_FORWARD);
	read = td_read_page(td, 3);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 3));
	td_end_sub(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, read);
	td_settle(td);
	td_load(td, 3, 1);
}

/* The order of the two at the origin would not be known. */
static void discard_holds_back_flushes_of_its_pages(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *discard, *flush;

	td_fill(td, 0, 3);
	/* xx...xxx: also the flush of a page of which a part stays */
	discard = td_submit(td, SSDC_DISCARD, 2, 3);
	KUNIT_ASSERT_EQ(test, discard->action, SSDC_FORWARD);
	flush = td_flush(td);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 2u);
	td_end_ios(td, 0);
	td_background(td);
	td_run_ready(td);
	KUNIT_EXPECT_FALSE(test, flush->done);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);

	td_end_forward(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, discard);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_STAT(td, "dirty", 0);
	td_load(td, 0, 3);
}

/* The flush would write data older than the discard; nothing is left to flush at its end. */
static void discard_cancels_flushes_of_its_pages(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *discard, *flush, *writes[TD_FRAMES];
	u32 i;

	td_fill(td, 0, TD_FRAMES);
	discard = td_submit(td, SSDC_DISCARD, 0, TD_FRAMES * TD_PAGE_SECTORS);
	flush = td_flush(td);
	td_background(td);
	for (i = 0; i < TD_FRAMES; i++)
		writes[i] = td_write_page(td, 100 + i);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	TD_EXPECT_STAT(td, "waiting", TD_FRAMES + 1);

	td_end_forward(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, discard);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	for (i = 0; i < TD_FRAMES; i++)
		TD_EXPECT_DONE(td, writes[i]);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_STAT(td, "forced_flushed", 0);
	td_load(td, 0, TD_FRAMES);
}

static void discard_makes_writes_wait(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *discard, *same, *fua, *other;

	td_fill(td, 0, 2);
	discard = td_submit(td, SSDC_DISCARD, 2, 3);
	other = td_submit(td, SSDC_WRITE, 5, 3);
	same = td_submit(td, SSDC_WRITE, 4, 8);
	fua = td_fua_page(td, 0);
	KUNIT_EXPECT_EQ(test, same->action, SSDC_WAIT);
	KUNIT_EXPECT_EQ(test, fua->action, SSDC_WAIT);
	TD_EXPECT_DONE(td, other);
	TD_EXPECT_STAT(td, "page_waits", 2);
	td_end_forward(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, discard);
	TD_EXPECT_DONE(td, same);
	td_settle(td);
	TD_EXPECT_DONE(td, fua);
	td_load(td, 0, 2);
}

/* Otherwise the origin's data, which are older, would come back. */
static void discard_that_is_refused_changes_nothing(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *discard, *flush, *write;

	td_fill(td, 0, 3);
	discard = td_submit(td, SSDC_DISCARD, 4, 14);
	flush = td_flush(td);
	write = td_write_page(td, 2);
	td_end_forward(td, -EOPNOTSUPP);
	td_run_ready(td);
	KUNIT_EXPECT_TRUE(test, discard->done);
	KUNIT_EXPECT_EQ(test, discard->rq.error, -EOPNOTSUPP);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_STAT(td, "dropped_pages", 0);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	TD_EXPECT_STAT(td, "dirty", 0);
	/* The driver checks that these read the newest data. */
	td_load(td, 0, 3);
}

/* Each holds back pages that the other one visits. */
static void discards_of_a_common_range_are_independent(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *first, *second, *flush;

	td_fill(td, 0, 4);
	first = td_submit(td, SSDC_DISCARD, 0, 20);
	flush = td_flush(td);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	td_end_ios(td, 0);
	second = td_submit(td, SSDC_DISCARD, 12, 10);
	KUNIT_EXPECT_EQ(test, first->action, SSDC_FORWARD);
	KUNIT_EXPECT_EQ(test, second->action, SSDC_FORWARD);
	td_end_forward(td, -EIO);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, first->rq.error, -EIO);
	/* The second one still holds back pages 1 and 2. */
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 1u);
	td_end_forward(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, second);
	td_settle(td);
	TD_EXPECT_DONE(td, flush);
	td_load(td, 0, 4);
}

/*
 * A read that waited for a frame has been granted one and is ready, when a discard of its page is
 * forwarded. The read must not cache what the origin held before the discard.
 */
static void discard_overtakes_a_read_that_got_its_frame(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *read, *discard;

	td_fill(td, 0, TD_FRAMES);
	/* the whole reserve is borrowed */
	td_submit(td, SSDC_WRITE, 30 * 8, TD_RESERVE * 8);
	read = td_read_page(td, 20);
	KUNIT_ASSERT_EQ(test, read->action, SSDC_WAIT);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), TD_RESERVE);
	td_end_io(td, 0, 0);
	discard = discard_page(td, 20);
	KUNIT_ASSERT_EQ(test, discard->action, SSDC_FORWARD);
	td_run_ready(td);
	td_start_ios(td);
	td_end_ios(td, 0);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_DONE(td, discard);
	/* the driver checks that this reads what the discard left */
	td_load(td, 20, 1);
}

static void discard_then_write_then_read(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_fill(td, 3, 1);
	discard_page(td, 3);
	td_settle(td);
	td_submit(td, SSDC_WRITE, 25, 2);
	td_load(td, 3, 1);
	td_clean_all(td);
	td_load(td, 3, 1);
}

/* The range has more pages than there are frames, so the engine searches the frames. */
static void discard_of_everything(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *discard;

	td_fill(td, 0, 5);
	td_load(td, 100, 5);
	discard = td_submit(td, SSDC_DISCARD, 0, TD_SECTORS);
	TD_EXPECT_STAT(td, "used", 5);
	td_settle(td);
	TD_EXPECT_DONE(td, discard);
	TD_EXPECT_STAT(td, "used", 0);
	TD_EXPECT_STAT(td, "dropped_pages", 10);
	td_load(td, 0, 5);
}

static void discard_of_most_keeps_what_is_outside(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_fill(td, 0, 5);
	td_submit(td, SSDC_DISCARD, 12, TD_SECTORS - 12);
	td_settle(td);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
	KUNIT_EXPECT_EQ(test, *ssdc_dirty_mask(td->e, ssdc_frame(1)), 0x0f);
	TD_EXPECT_STAT(td, "used", 2);
}

/* At most 256 pages per step, so that the lock is not held for long. */
static void discard_goes_in_steps(struct kunit *test)
{
	struct ssdc_params params = td_params();
	struct td_host *discard;
	struct td *td;

	params.dram_bytes = 1024 * params.page_bytes;
	params.origin_sectors = 1024 * TD_PAGE_SECTORS;
	td = td_new(test, &params);
	td_load(td, 0, 10);
	td_load(td, 700, 10);
	discard = td_begin(td, SSDC_DISCARD, 0, 1000 * TD_PAGE_SECTORS);
	KUNIT_EXPECT_EQ(test, td_step(td, discard), SSDC_AGAIN);
	TD_EXPECT_STAT(td, "used", 10);
	KUNIT_EXPECT_EQ(test, td_step(td, discard), SSDC_AGAIN);
	KUNIT_EXPECT_EQ(test, td_step(td, discard), SSDC_AGAIN);
	TD_EXPECT_STAT(td, "used", 0);
	KUNIT_EXPECT_EQ(test, td_run(td, discard), SSDC_FORWARD);
	td_settle(td);
	TD_EXPECT_DONE(td, discard);
}

static void discard_at_the_end_of_an_odd_origin(struct kunit *test)
{
	struct ssdc_params params = td_params();
	struct td *td;

	params.origin_sectors = 1021;
	td = td_new(test, &params);
	td_submit(td, SSDC_WRITE, 1016, 5);
	td_submit(td, SSDC_DISCARD, 1018, 3);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, *ssdc_dirty_mask(td->e, ssdc_frame(0)), 0x03);
	td_submit(td, SSDC_DISCARD, 1010, 11);
	td_settle(td);
	TD_EXPECT_STAT(td, "used", 0);
}

/* The origin may have lost the other sectors with the failed FLUSH. */
static void discard_keeps_a_page_that_must_be_written_again(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *flush, *discard;

	td->lossy = true;
	td_fill(td, 3, 1);
	flush = td_flush(td);
	td_background(td);
	td_start_ios(td);
	td_end_ios(td, 0);
	td_background(td);
	td_run_ready(td);
	KUNIT_ASSERT_EQ(test, flush->action, SSDC_FORWARD);
	KUNIT_ASSERT_FALSE(test, td_dirty(td, 3));
	td_submit(td, SSDC_WRITE, 3 * TD_PAGE_SECTORS, 1);
	discard = td_submit(td, SSDC_DISCARD, 3 * TD_PAGE_SECTORS, 1);
	KUNIT_ASSERT_EQ(test, discard->action, SSDC_FORWARD);
	/* Both ends are known before the worker looks for pages to write again. */
	td_end_forward(td, -EIO);
	td_end_forward(td, 0);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	TD_EXPECT_DONE(td, discard);
	KUNIT_ASSERT_TRUE(test, td_cached(td, 3));
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 3));
	td_clean_all(td);
	td_load(td, 3, 1);
}

/* Likewise of a dirty victim, before the worker looks for pages to write again. */
static void discard_keeps_a_victim_that_must_be_written_again(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *flush, *copy, *discard;
	u64 page;

	td->lossy = true;
	td_fill(td, 3, 1);
	flush = td_flush(td);
	td_background(td);
	td_start_ios(td);
	td_end_ios(td, 0);
	td_background(td);
	td_run_ready(td);
	KUNIT_ASSERT_EQ(test, flush->action, SSDC_FORWARD);
	td_submit(td, SSDC_WRITE, 3 * TD_PAGE_SECTORS + 4, 4);
	td_write_page(td, 2);
	copy = td_begin(td, SSDC_WRITE, 2 * TD_PAGE_SECTORS, TD_PAGE_SECTORS);
	KUNIT_ASSERT_EQ(test, td_step(td, copy), SSDC_COPY);
	/* It waits for the copy, and holds back the flush of page 3. */
	discard = td_submit(td, SSDC_DISCARD, 2 * TD_PAGE_SECTORS, TD_PAGE_SECTORS + 4);
	KUNIT_ASSERT_EQ(test, discard->action, SSDC_WAIT);
	for (page = 20; page < 20 + TD_FRAMES - 1; page++)
		td_write_page(td, page);
	KUNIT_ASSERT_EQ(test, td->e->nr_victims, 1u);
	KUNIT_ASSERT_TRUE(test, td_dirty(td, 3));
	td_end_forward(td, -EIO);
	td_run(td, copy);
	td_run_ready(td);
	KUNIT_ASSERT_EQ(test, discard->action, SSDC_FORWARD);
	td_end_forward(td, -EOPNOTSUPP);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
	KUNIT_EXPECT_EQ(test, discard->rq.error, -EOPNOTSUPP);
	td_load(td, 3, 1);
	td_clean_all(td);
}

/* A clean victim in use has no data after a discard: a read must not take it back. */
static void discard_of_a_victim_in_use(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *first, *write, *again;

	td_fill(td, 0, TD_FRAMES);
	first = td_begin(td, SSDC_READ, 0, 8);
	KUNIT_ASSERT_EQ(test, td_step(td, first), SSDC_COPY);
	td_fill(td, 1, TD_FRAMES - 1);
	write = td_write_page(td, 20);
	td_settle(td);
	KUNIT_ASSERT_EQ(test, td->e->nr_victims, 1u);
	discard_page(td, 0);
	td_settle(td);

	again = td_read_page(td, 0);
	KUNIT_EXPECT_EQ(test, again->action, SSDC_WAIT);
	td_run(td, first);
	td_settle(td);
	TD_EXPECT_DONE(td, first);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_DONE(td, again);
	td_load(td, 0, 1);
	TD_EXPECT_STAT(td, "bypassed_reads", 0);
	TD_EXPECT_STAT(td, "read_hits", 2);
}

static struct kunit_case discard_cases[] = {
	KUNIT_CASE(discard_of_what_is_not_cached_is_passed_down),
	KUNIT_CASE(discard_drops_a_dirty_page),
	KUNIT_CASE(discard_drops_a_clean_page),
	KUNIT_CASE(discard_leaves_other_pages),
	KUNIT_CASE(discard_of_a_part_keeps_the_rest),
	KUNIT_CASE(discard_of_all_dirty_sectors_drops_the_page),
	KUNIT_CASE(discard_of_a_part_of_a_clean_page_drops_it),
	KUNIT_CASE(discard_across_pages),
	KUNIT_CASE(discard_keeps_parts_of_granules),
	KUNIT_CASE(discard_waits_for_a_flush_in_flight),
	KUNIT_CASE(discard_waits_for_a_failed_flush),
	KUNIT_CASE(discard_waits_for_a_fill_in_flight),
	KUNIT_CASE(discard_waits_for_a_victim),
	KUNIT_CASE(discard_waits_for_a_write),
	KUNIT_CASE(discard_waits_for_reads_at_the_origin),
	KUNIT_CASE(discard_is_woken_by_the_end_of_a_read),
	KUNIT_CASE(discard_beside_dirty_sectors_waits_for_no_read),
	KUNIT_CASE(discard_does_not_wait_for_a_read),
	KUNIT_CASE(discard_of_a_dirty_page_does_not_wait_for_a_read),
	KUNIT_CASE(discard_makes_room_for_those_who_wait),
	KUNIT_CASE(discard_read_meanwhile_is_not_cached),
	KUNIT_CASE(discard_holds_back_flushes_of_its_pages),
	KUNIT_CASE(discard_cancels_flushes_of_its_pages),
	KUNIT_CASE(discard_makes_writes_wait),
	KUNIT_CASE(discard_that_is_refused_changes_nothing),
	KUNIT_CASE(discards_of_a_common_range_are_independent),
	KUNIT_CASE(discard_overtakes_a_read_that_got_its_frame),
	KUNIT_CASE(discard_then_write_then_read),
	KUNIT_CASE(discard_of_everything),
	KUNIT_CASE(discard_of_most_keeps_what_is_outside),
	KUNIT_CASE(discard_goes_in_steps),
	KUNIT_CASE(discard_at_the_end_of_an_odd_origin),
	KUNIT_CASE(discard_keeps_a_page_that_must_be_written_again),
	KUNIT_CASE(discard_keeps_a_victim_that_must_be_written_again),
	KUNIT_CASE(discard_of_a_victim_in_use),
	{}
};

static struct kunit_suite discard_suite = {
	.name = "ssdcache_discard",
	.exit = td_exit,
	.test_cases = discard_cases,
};

kunit_test_suite(discard_suite);
