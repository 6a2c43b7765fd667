// SPDX-License-Identifier: GPL-2.0
/*
 * How the engine calls an admission scheme and what it does with the answers: write through,
 * waiting writes, ticks.
 */
#include "driver.h"

/* A scheme whose answers the test sets, and that records its calls. */
static struct {
	enum ssdc_write_mode mode;
	unsigned int asked;
	u64 refused;			/* a page that no read brings in */
	unsigned int observed;
	unsigned int ended;
	unsigned int ticks;
	u64 latency_ns;
	u64 ticked_ns;
	u64 next_tick_ns;
} script;

static void script_observe(struct ssdc_admission *a, const struct ssdc_host_request *rq)
{
	script.observed++;
}

static bool script_admit_read(struct ssdc_admission *a, const struct ssdc_host_request *rq,
			      ssdc_page_t page)
{
	return ssdc_page_nr(page) != script.refused;
}

static enum ssdc_write_mode script_admit_write(struct ssdc_admission *a,
					       const struct ssdc_host_request *rq)
{
	script.asked++;
	return script.mode;
}

static void script_ended(struct ssdc_admission *a, const struct ssdc_host_request *rq, u64 now_ns,
			 u64 latency_ns)
{
	script.ended++;
	script.latency_ns = latency_ns;
}

static void script_tick(struct ssdc_admission *a, u64 now_ns)
{
	script.ticks++;
	script.ticked_ns = now_ns;
	a->tick_at_ns = script.next_tick_ns;
}

static const struct ssdc_admission_type scripted = {
	.plugin = {
		.kind = SSDC_ADMISSION,
		.info.name = "scripted",
		.info.instance_bytes = sizeof(struct ssdc_admission),
	},
	.observe = script_observe,
	.admit_read = script_admit_read,
	.admit_write = script_admit_write,
	.ended = script_ended,
	.tick = script_tick,
};

static struct td *with_mode(struct kunit *test, enum ssdc_write_mode mode)
{
	struct td *td = td_admission(test, "write-buffer");

	memset(&script, 0, sizeof(script));
	script.mode = mode;
	script.refused = SSDC_NO_PAGE;
	td->e->admission->plugin.type = &scripted.plugin;
	ssdc_plugins_changed(td->e);
	return td;
}

/* ---- reads ---- */

/* A read within a page that is not cached, by a scheme that admits no reads. */
static void admission_of_no_reads(struct kunit *test)
{
	struct td *td = td_admission(test, "write-buffer");
	struct td_host *read = td_submit(td, SSDC_READ, 2, 3);

	KUNIT_ASSERT_EQ(test, read->action, SSDC_BYPASS);
	TD_EXPECT_STAT(td, "reads", 1);
	TD_EXPECT_STAT(td, "read_pages", 1);
	TD_EXPECT_STAT(td, "read_hits", 0);
	TD_EXPECT_STAT(td, "bypassed_reads", 1);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
}

/*
 * A read is admitted for page 0, a victim that another read copies, and waits for that. Meanwhile
 * a write caches page 0, so the read hits it. The scheme is asked anew about the next page.
 */
static void admission_is_for_one_page(struct kunit *test)
{
	struct td *td = with_mode(test, SSDC_WRITE_BACK);
	struct td_host *copying, *write, *read;

	td_write_page(td, 0);
	td_fill(td, 100, TD_FRAMES - 1);
	copying = td_begin(td, SSDC_READ, 0, TD_PAGE_SECTORS);
	KUNIT_ASSERT_EQ(test, td_step(td, copying), SSDC_COPY);
	td_fill(td, 100, TD_FRAMES - 1);
	td_write_page(td, 50);
	while (td_start_ios(td))
		td_end_ios(td, 0);
	script.refused = 1;
	write = td_write_page(td, 0);
	read = td_submit(td, SSDC_READ, 0, 2 * TD_PAGE_SECTORS);
	KUNIT_EXPECT_FALSE(test, write->done);
	KUNIT_EXPECT_FALSE(test, read->done);
	td_run(td, copying);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_DONE(td, read);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 0));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 1));
}

/* ---- write through ---- */

static void admission_write_back_stays_dirty(struct kunit *test)
{
	struct td *td = with_mode(test, SSDC_WRITE_BACK);

	td_fill(td, 0, 1);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, script.asked, 1u);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
	TD_EXPECT_STAT(td, "through_flushed", 0);
}

static void admission_write_through_ends_in_dram(struct kunit *test)
{
	struct td *td = with_mode(test, SSDC_WRITE_THROUGH);
	struct td_host *write = td_write_page(td, 3);

	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 3));
	KUNIT_EXPECT_TRUE(test, ssdc_has_work(td->e));
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.reason, SSDC_FLUSH_THROUGH);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.sector, 3 * 8ULL);
	td_end_ios(td, 0);
	td_settle(td);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 3));
	KUNIT_EXPECT_FALSE(test, td_dirty(td, 3));
	KUNIT_EXPECT_EQ(test, td->origin[3 * 8], write->version);
	TD_EXPECT_STAT(td, "through_flushed", 1);
	TD_EXPECT_STAT(td, "forced_flushed", 0);
	KUNIT_EXPECT_TRUE(test, ssdc_quiescent(td->e));
}

/* Only after the copy ends: the origin must see stable data. */
static void admission_flush_begins_after_the_copy(struct kunit *test)
{
	struct td *td = with_mode(test, SSDC_WRITE_THROUGH);
	struct td_host *write = td_begin(td, SSDC_WRITE, 0, 16);

	KUNIT_ASSERT_EQ(test, td_step(td, write), SSDC_COPY);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	KUNIT_ASSERT_EQ(test, td_step(td, write), SSDC_COPY);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 1u);
	td_run(td, write);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 1u);
	KUNIT_EXPECT_EQ(test, script.asked, 1u);
}

/* Flash programs whole pages, so the rest of the page is filled. */
static void admission_part_of_a_page_is_completed(struct kunit *test)
{
	struct td *td = with_mode(test, SSDC_WRITE_THROUGH);

	TD_EXPECT_DONE(td, td_submit(td, SSDC_WRITE, 2, 3));
	td_settle(td);
	TD_EXPECT_STAT(td, "fills", 1);
	TD_EXPECT_STAT(td, "through_flushed", 1);
	TD_EXPECT_STAT(td, "dirty", 0);
}

static void admission_dirty_page_is_flushed_by_a_rewrite(struct kunit *test)
{
	struct td *td = with_mode(test, SSDC_WRITE_BACK);

	td_fill(td, 0, 2);
	script.mode = SSDC_WRITE_THROUGH;
	td_fill(td, 1, 1);
	td_settle(td);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
	KUNIT_EXPECT_FALSE(test, td_dirty(td, 1));
}

/* A write to a page that is being flushed waits, as for any flush. */
static void admission_rewrite_is_written_through_too(struct kunit *test)
{
	struct td *td = with_mode(test, SSDC_WRITE_THROUGH);
	struct td_host *again;

	td_write_page(td, 0);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	again = td_write_page(td, 0);
	TD_EXPECT_DONE(td, again);
	td_settle(td);
	TD_EXPECT_STAT(td, "through_flushed", 2);
}

static void admission_failed_flush_is_tried_again(struct kunit *test)
{
	struct td *td = with_mode(test, SSDC_WRITE_THROUGH);
	struct td_host *write = td_write_page(td, 0);

	TD_EXPECT_DONE(td, write);
	td_start_ios(td);
	td_end_ios(td, -EIO);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
	/* While flushes fail, writes are not written through. */
	td_fill(td, 1, 1);
	KUNIT_EXPECT_EQ(test, script.asked, 1u);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	td->now_ns += 100000000;
	td_settle(td);
	KUNIT_EXPECT_FALSE(test, td_dirty(td, 0));
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 1));
	td_fill(td, 2, 1);
	KUNIT_EXPECT_EQ(test, script.asked, 2u);
}

/* ---- write through, waiting ---- */

static void admission_sync_write_waits(struct kunit *test)
{
	struct td *td = with_mode(test, SSDC_WRITE_SYNC);
	struct td_host *write = td_submit(td, SSDC_WRITE, 0, 16);

	KUNIT_EXPECT_EQ(test, write->action, SSDC_WAIT);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 2u);
	td_end_io(td, 1, 0);
	td_run_ready(td);
	KUNIT_EXPECT_FALSE(test, write->done);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_EQ(test, td->origin[0], write->version);
	KUNIT_EXPECT_EQ(test, td->origin[15], write->version);
	TD_EXPECT_STAT(td, "through_flushed", 2);
	TD_EXPECT_STAT(td, "dirty", 0);
}

/* Unlike FUA: the data may stay in the origin's cache. */
static void admission_sync_write_flushes_no_origin(struct kunit *test)
{
	struct td *td = with_mode(test, SSDC_WRITE_SYNC);
	struct td_host *write = td_write_page(td, 0);

	td_start_ios(td);
	td_end_ios(td, 0);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, write->action, SSDC_COMPLETE);
	KUNIT_EXPECT_LT(test, td->media[0], write->version);
}

/* The data are safe in DRAM, so a failed flush does not fail the write. */
static void admission_sync_write_outlives_an_error(struct kunit *test)
{
	struct td *td = with_mode(test, SSDC_WRITE_SYNC);
	struct td_host *write = td_write_page(td, 0);

	td_start_ios(td);
	td_end_ios(td, -EIO);
	td_run_ready(td);
	TD_EXPECT_DONE(td, write);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 0));
	KUNIT_EXPECT_EQ(test, td->e->first_error, -EIO);
}

static void admission_is_not_asked_for_fua(struct kunit *test)
{
	struct td *td = with_mode(test, SSDC_WRITE_SYNC);
	struct td_host *write = td_fua_page(td, 0);

	KUNIT_EXPECT_EQ(test, script.asked, 0u);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_STAT(td, "forced_flushed", 1);
	TD_EXPECT_STAT(td, "through_flushed", 0);
	/* With protected DRAM a FUA write is a plain write. */
	td_set_mode(td, SSDC_PROTECTED);
	write = td_fua_page(td, 1);
	KUNIT_EXPECT_EQ(test, script.asked, 1u);
	KUNIT_EXPECT_EQ(test, write->action, SSDC_WAIT);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_STAT(td, "through_flushed", 1);
}

/* ---- notifications ---- */

static void admission_is_told_of_reads_and_writes(struct kunit *test)
{
	struct td *td = with_mode(test, SSDC_WRITE_BACK);
	struct td_host *read;

	td_fill(td, 0, 3);
	read = td_begin(td, SSDC_READ, 100, 8);
	td->now_ns += 5000;
	td_run(td, read);
	KUNIT_EXPECT_EQ(test, script.observed, 4u);
	KUNIT_EXPECT_EQ(test, script.ended, 3u);
	td->now_ns += 70000;
	td_settle(td);
	KUNIT_EXPECT_EQ(test, script.ended, 4u);
	KUNIT_EXPECT_EQ(test, script.latency_ns, 75000ULL);
	/* FLUSHes, discards and failed requests are not reported. */
	td_flush(td);
	td_settle(td);
	td_submit(td, SSDC_DISCARD, 0, 8);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, script.observed, 4u);
	read = td_read_page(td, 40);
	td_start_ios(td);
	td_end_ios(td, -EIO);
	td_run_ready(td);
	td_end_sub(td, -EIO);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, read->rq.error, -EIO);
	KUNIT_EXPECT_EQ(test, script.observed, 5u);
	KUNIT_EXPECT_EQ(test, script.ended, 4u);
}

/* ---- the tick ---- */

static void admission_tick_comes_at_its_time(struct kunit *test)
{
	struct td *td = with_mode(test, SSDC_WRITE_BACK);
	u64 start_ns = td->now_ns;

	KUNIT_EXPECT_EQ(test, td_background(td), SSDC_NEVER);
	td->e->admission->tick_at_ns = start_ns + 1000;
	script.next_tick_ns = start_ns + 5000;
	/* The engine has work until ssdc_background() has returned the new time. */
	KUNIT_EXPECT_TRUE(test, ssdc_has_work(td->e));
	KUNIT_EXPECT_FALSE(test, ssdc_quiescent(td->e));
	KUNIT_EXPECT_EQ(test, td_background(td), start_ns + 1000);
	KUNIT_EXPECT_FALSE(test, ssdc_has_work(td->e));
	KUNIT_EXPECT_TRUE(test, ssdc_quiescent(td->e));
	td->now_ns = start_ns + 999;
	KUNIT_EXPECT_EQ(test, td_background(td), start_ns + 1000);
	KUNIT_EXPECT_EQ(test, script.ticks, 0u);
	td->now_ns = start_ns + 1000;
	KUNIT_EXPECT_EQ(test, td_background(td), start_ns + 5000);
	KUNIT_EXPECT_EQ(test, script.ticks, 1u);
	/* A late tick. */
	script.next_tick_ns = 0;
	td->now_ns = start_ns + 7000;
	KUNIT_EXPECT_EQ(test, td_background(td), SSDC_NEVER);
	KUNIT_EXPECT_EQ(test, script.ticks, 2u);
	KUNIT_EXPECT_EQ(test, script.ticked_ns, start_ns + 7000);
	KUNIT_EXPECT_TRUE(test, ssdc_quiescent(td->e));
}

static void admission_tick_beside_other_times(struct kunit *test)
{
	struct td *td = with_mode(test, SSDC_WRITE_BACK);
	u64 start_ns = td->now_ns;

	td->e->tunables.flush_interval_s = 1;
	ssdc_tunables_changed(td->e, start_ns);
	td->e->admission->tick_at_ns = start_ns + 2000000000;
	KUNIT_EXPECT_EQ(test, td_background(td), start_ns + 1000000000);
	td->e->admission->tick_at_ns = start_ns + 1000;
	KUNIT_EXPECT_EQ(test, td_background(td), start_ns + 1000);
}

/* A tick goes with its scheme; the driver must learn of the change. */
static void admission_change_forgets_the_tick(struct kunit *test)
{
	struct td *td = with_mode(test, SSDC_WRITE_BACK);
	struct ssdc_admission *old = td->e->admission;
	struct ssdc_error error = {};
	struct ssdc_plugin *next;

	old->tick_at_ns = td->now_ns + 1000;
	td_background(td);
	next = ssdc_plugin_create(SSDC_ADMISSION, "read-write", &td->e->tier, &error);
	KUNIT_ASSERT_NOT_NULL(test, next);
	ssdc_plugin_destroy(ssdc_switch_other(td->e, next));
	KUNIT_EXPECT_TRUE(test, ssdc_has_work(td->e));
	KUNIT_EXPECT_EQ(test, td_background(td), SSDC_NEVER);
	KUNIT_EXPECT_TRUE(test, ssdc_quiescent(td->e));
	KUNIT_EXPECT_EQ(test, script.ticks, 0u);
}

static bool admit_and_tick(struct ssdc_admission *a, const struct ssdc_host_request *rq,
			   ssdc_page_t page)
{
	a->tick_at_ns = 1;
	return false;
}

static const struct ssdc_admission_type ticking = {
	.plugin.kind = SSDC_ADMISSION,
	.admit_read = admit_and_tick,
	.tick = script_tick,
};

/* A read that bypasses DRAM has work for the worker if admit_read() has asked for a tick. */
static void admission_tick_of_a_read_that_may_not_enter(struct kunit *test)
{
	struct td *td = td_admission(test, "write-buffer");
	struct td_host *read;

	td->e->admission->plugin.type = &ticking.plugin;
	ssdc_plugins_changed(td->e);
	read = td_begin(td, SSDC_READ, 0, TD_PAGE_SECTORS);
	KUNIT_EXPECT_FALSE(test, ssdc_bypass_has_work(td->e, &read->rq));
	KUNIT_ASSERT_EQ(test, td_step(td, read), SSDC_BYPASS);
	KUNIT_EXPECT_TRUE(test, ssdc_bypass_has_work(td->e, &read->rq));
	td->e->admission->tick_at_ns = 0;
	td->e->admission->plugin.type = &ssdc_write_buffer.plugin;
	td_end_sub(td, 0);
	TD_EXPECT_DONE(td, read);
}

/* The data are safe in protected DRAM, whatever the scheme chose. */
static void admission_failed_flush_fails_no_fua_to_protected_dram(struct kunit *test)
{
	struct td *td = with_mode(test, SSDC_WRITE_SYNC);
	struct td_host *fua;

	td_set_mode(td, SSDC_PROTECTED);
	fua = td_fua_page(td, 3);
	KUNIT_ASSERT_EQ(test, fua->action, SSDC_WAIT);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	td_end_ios(td, -EIO);
	td_run_ready(td);
	TD_EXPECT_DONE(td, fua);
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 3));
}

/* Not on stable media without a FLUSH of the origin, although the page was written through. */
static void admission_fua_flushes_the_origin_if_dram_becomes_volatile(struct kunit *test)
{
	struct td *td = with_mode(test, SSDC_WRITE_SYNC);
	struct td_host *fua = td_begin(td, SSDC_WRITE, 24, 8);

	td_set_mode(td, SSDC_PROTECTED);
	fua->rq.host.fua = true;
	KUNIT_ASSERT_EQ(test, td_step(td, fua), SSDC_COPY);
	td_set_mode(td, SSDC_VOLATILE);
	td_run(td, fua);
	/* The driver checks that the data are on media. */
	td_settle(td);
	TD_EXPECT_DONE(td, fua);
}

static struct kunit_case admission_cases[] = {
	KUNIT_CASE(admission_of_no_reads),
	KUNIT_CASE(admission_is_for_one_page),
	KUNIT_CASE(admission_tick_of_a_read_that_may_not_enter),
	KUNIT_CASE(admission_write_back_stays_dirty),
	KUNIT_CASE(admission_write_through_ends_in_dram),
	KUNIT_CASE(admission_flush_begins_after_the_copy),
	KUNIT_CASE(admission_part_of_a_page_is_completed),
	KUNIT_CASE(admission_dirty_page_is_flushed_by_a_rewrite),
	KUNIT_CASE(admission_rewrite_is_written_through_too),
	KUNIT_CASE(admission_failed_flush_is_tried_again),
	KUNIT_CASE(admission_sync_write_waits),
	KUNIT_CASE(admission_sync_write_flushes_no_origin),
	KUNIT_CASE(admission_sync_write_outlives_an_error),
	KUNIT_CASE(admission_is_not_asked_for_fua),
	KUNIT_CASE(admission_is_told_of_reads_and_writes),
	KUNIT_CASE(admission_tick_comes_at_its_time),
	KUNIT_CASE(admission_tick_beside_other_times),
	KUNIT_CASE(admission_change_forgets_the_tick),
	KUNIT_CASE(admission_failed_flush_fails_no_fua_to_protected_dram),
	KUNIT_CASE(admission_fua_flushes_the_origin_if_dram_becomes_volatile),
	{}
};

static struct kunit_suite admission_suite = {
	.name = "ssdcache_admission",
	.exit = td_exit,
	.test_cases = admission_cases,
};

kunit_test_suite(admission_suite);
