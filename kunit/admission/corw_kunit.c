// SPDX-License-Identifier: GPL-2.0
/*
 * corw-1 … corw-8: Table II, the bins of Table III, and Algorithm 1 of [Zhou23] line by line,
 * each condition at its bound.
 */
#include "../../dm-ssdcache/admission/corw-rules.h"
#include "../engine/driver.h"

#define PERIOD_NS 200000000ULL
#define PAGE 8		/* sectors */

/* End the current interval. */
static void tick(struct td *td)
{
	u64 tick_ns = td->e->admission->tick_at_ns;

	KUNIT_ASSERT_NE(td->test, tick_ns, 0ULL);
	td->now_ns = max(td->now_ns, tick_ns);
	td_background(td);
	td_settle(td);
}

/* One request for each page, starting at @first. */
static void requests(struct td *td, enum ssdc_op op, u64 first, u32 nr)
{
	while (nr--) {
		struct td_host *host = td_submit(td, op, first++ * PAGE, PAGE);

		td_settle(td);
		TD_EXPECT_DONE(td, host);
		td_put(td, host);
	}
}

/* ---- Table II ---- */

struct group {
	const char *name;
	u32 tt;
	u32 rt;
	u32 ct;
};

static const struct group groups[] = {
	{ "corw-1", 100, 100, 66 }, { "corw-2", 100, 100, 33 },
	{ "corw-3", 100, 10, 66 },  { "corw-4", 100, 10, 33 },
	{ "corw-5", 10, 100, 66 },  { "corw-6", 10, 100, 33 },
	{ "corw-7", 10, 10, 66 },   { "corw-8", 10, 10, 33 },
};

static void group_desc(const struct group *g, char *desc)
{
	strscpy(desc, g->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(group, groups, group_desc);

static void corw_table_2(struct kunit *test)
{
	const struct group *g = test->param_value;
	struct td *td = td_admission(test, g->name);

	TD_EXPECT_ADMISSION_STAT(td, "tt", g->tt);
	TD_EXPECT_ADMISSION_STAT(td, "rt", g->rt);
	TD_EXPECT_ADMISSION_STAT(td, "ct", g->ct);
	requests(td, SSDC_WRITE, 0, 3);
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "tt", g->tt);
	TD_EXPECT_ADMISSION_STAT(td, "rt", g->rt);
	TD_EXPECT_ADMISSION_STAT(td, "ct", g->ct);
}

/* ---- Table III ---- */

static void corw_ratio_bins(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ssdc_corw_ratio_bin(0, 1), SSDC_CORW_LOW);
	KUNIT_EXPECT_EQ(test, ssdc_corw_ratio_bin(99, 10), SSDC_CORW_LOW);
	KUNIT_EXPECT_EQ(test, ssdc_corw_ratio_bin(100, 10), SSDC_CORW_MID);
	KUNIT_EXPECT_EQ(test, ssdc_corw_ratio_bin(999, 10), SSDC_CORW_MID);
	KUNIT_EXPECT_EQ(test, ssdc_corw_ratio_bin(1000, 10), SSDC_CORW_HIGH);
	/* Our choice: numerator 0 gives 0, denominator 0 gives infinity. */
	KUNIT_EXPECT_EQ(test, ssdc_corw_ratio_bin(0, 0), SSDC_CORW_LOW);
	KUNIT_EXPECT_EQ(test, ssdc_corw_ratio_bin(1, 0), SSDC_CORW_HIGH);
}

static void corw_clean_bins(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ssdc_corw_clean_bin(0, 100), SSDC_CORW_LOW);
	KUNIT_EXPECT_EQ(test, ssdc_corw_clean_bin(32, 100), SSDC_CORW_LOW);
	KUNIT_EXPECT_EQ(test, ssdc_corw_clean_bin(33, 100), SSDC_CORW_MID);
	KUNIT_EXPECT_EQ(test, ssdc_corw_clean_bin(65, 100), SSDC_CORW_MID);
	KUNIT_EXPECT_EQ(test, ssdc_corw_clean_bin(66, 100), SSDC_CORW_HIGH);
	KUNIT_EXPECT_EQ(test, ssdc_corw_clean_bin(100, 100), SSDC_CORW_HIGH);
	/* Our choice: an empty cache. */
	KUNIT_EXPECT_EQ(test, ssdc_corw_clean_bin(0, 0), SSDC_CORW_LOW);
}

/* ---- Algorithm 1, lines 4 to 7: reads ---- */

/* tt is 10. One page is read repeatedly and no page is written twice: Ra_r / Ra_w is infinite. */
static void corw_reads_by_traffic(struct kunit *test)
{
	struct td *td = td_admission(test, "corw-8");
	unsigned int i;

	requests(td, SSDC_WRITE, 0, 1);
	for (i = 0; i < 10; i++)
		requests(td, SSDC_READ, 50, 1);
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "read_traffic", 10 * PAGE);
	TD_EXPECT_ADMISSION_STAT(td, "write_traffic", PAGE);
	TD_EXPECT_ADMISSION_STAT(td, "read_rar", 900000);
	TD_EXPECT_ADMISSION_STAT(td, "write_rar", 0);
	TD_EXPECT_ADMISSION_STAT(td, "caching_reads", 0);
	requests(td, SSDC_WRITE, 1, 1);
	for (i = 0; i < 11; i++)
		requests(td, SSDC_READ, 50, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 50));
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "caching_reads", 1);
	requests(td, SSDC_READ, 50, 1);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 50));
	TD_EXPECT_STAT(td, "admitted_reads", 1);
}

/* rt is 10. 1 of 20 writes is a rewrite; 5 of 10, then 6 of 11 reads are re-reads. */
static void corw_reads_by_locality(struct kunit *test)
{
	struct td *td = td_admission(test, "corw-8");

	requests(td, SSDC_WRITE, 0, 19);
	requests(td, SSDC_WRITE, 18, 1);
	requests(td, SSDC_READ, 50, 5);
	tick(td);
	requests(td, SSDC_READ, 50, 5);
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "write_traffic", 0);
	TD_EXPECT_ADMISSION_STAT(td, "read_rar", 500000);
	TD_EXPECT_ADMISSION_STAT(td, "write_rar", 50000);
	TD_EXPECT_ADMISSION_STAT(td, "caching_reads", 0);
	requests(td, SSDC_READ, 50, 1);
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "read_rar", 545454);
	TD_EXPECT_ADMISSION_STAT(td, "caching_reads", 1);
	TD_EXPECT_ADMISSION_STAT(td, "caching_ticks", 1);
	/* An idle interval has no traffic. */
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "caching_reads", 0);
}

/* 32 768 reads and 32 769 writes, each of the same 4096 pages: Ra_r / Ra_w is 1, below rt. */
static void corw_reads_by_locality_of_many_pages(struct kunit *test)
{
	const struct ssdc_corw_thresholds most = { .tt = 1, .rt = 1024 };
	struct ssdc_corw *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	const u64 pages = 1 << 27;

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->read_sectors = pages * PAGE;
	c->reads = (struct ssdc_reaccess_count){ pages, pages - 4096 };
	c->writes = (struct ssdc_reaccess_count){ pages + 4096, pages };
	ssdc_corw_decide(c, most);
	KUNIT_EXPECT_EQ(test, c->cache_reads, 0u);
	KUNIT_EXPECT_EQ(test, ssdc_corw_locality_bin(c), SSDC_CORW_LOW);
}

/* ---- Algorithm 1, lines 11 to 14: writes ---- */

/* A busy and a quiet interval of writes, no rewrites: the next writes may be written through. */
static struct td *quiet(struct kunit *test, const char *admission)
{
	struct td *td = td_admission(test, admission);

	requests(td, SSDC_WRITE, 0, 30);
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "quiet_writes", 0);
	requests(td, SSDC_WRITE, 30, 2);
	TD_EXPECT_STAT(td, "through_flushed", 0);
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "quiet_writes", 1);
	TD_EXPECT_ADMISSION_STAT(td, "mean_write_traffic", 16 * PAGE);
	return td;
}

static void corw_quiet_write_goes_through(struct kunit *test)
{
	struct td *td = quiet(test, "corw-1");

	TD_EXPECT_DONE(td, td_write_page(td, 31));
	KUNIT_EXPECT_TRUE(test, td_dirty(td, 31));
	td_settle(td);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 31));
	KUNIT_EXPECT_FALSE(test, td_dirty(td, 31));
	TD_EXPECT_ADMISSION_STAT(td, "through_writes", 1);
	TD_EXPECT_STAT(td, "through_flushed", 1);
}

static void corw_wt_sync_waits(struct kunit *test)
{
	struct td *td = quiet(test, "corw-1:wt_sync=on");
	struct td_host *write = td_write_page(td, 31);

	KUNIT_EXPECT_FALSE(test, write->done);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_STAT(td, "through_flushed", 1);
}

/* ct is .66 or .33 of 16 pages: 11 or 6 clean pages end writing through. */
static void corw_writes_by_clean_ratio(struct kunit *test)
{
	const struct group *g = test->param_value;
	u32 enough = g->ct == 66 ? 11 : 6;
	struct td *td = quiet(test, g->name);
	u32 i;

	KUNIT_ASSERT_EQ(test, td->e->tier.used_pages, TD_FRAMES);
	for (i = 0; i < enough + 3; i++) {
		bool through = td->e->tier.used_pages - td->e->tier.dirty_pages < enough;

		/* Rewrites of cached pages: a flush changes only the clean ratio. */
		requests(td, SSDC_WRITE, 31 - i, 1);
		KUNIT_EXPECT_EQ_MSG(test, td_dirty(td, 31 - i), !through, "page %u", i);
	}
	TD_EXPECT_ADMISSION_STAT(td, "through_writes", enough);
	KUNIT_EXPECT_EQ(test, td->e->tier.dirty_pages, TD_FRAMES - enough);
}

/* T_w must be less than the mean, which includes it. */
static void corw_writes_by_traffic(struct kunit *test)
{
	struct td *td = td_admission(test, "corw-1");

	requests(td, SSDC_WRITE, 0, 4);
	tick(td);
	requests(td, SSDC_WRITE, 10, 4);
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "write_traffic", 4 * PAGE);
	TD_EXPECT_ADMISSION_STAT(td, "mean_write_traffic", 4 * PAGE);
	TD_EXPECT_ADMISSION_STAT(td, "quiet_writes", 0);
	requests(td, SSDC_WRITE, 20, 3);
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "quiet_writes", 1);
	requests(td, SSDC_WRITE, 30, 5);
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "quiet_writes", 0);
	TD_EXPECT_ADMISSION_STAT(td, "ticks", 4);
}

/* 1 % of the page writes in the window must not be rewrites. */
static void corw_writes_by_locality(struct kunit *test)
{
	struct td *td = td_admission(test, "corw-1");

	requests(td, SSDC_WRITE, 0, 97);
	tick(td);
	requests(td, SSDC_WRITE, 96, 1);
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "write_rar", 10204);
	TD_EXPECT_ADMISSION_STAT(td, "quiet_writes", 0);
	requests(td, SSDC_WRITE, 97, 2);
	tick(td);
	/* 1 of 100 */
	TD_EXPECT_ADMISSION_STAT(td, "write_rar", 10000);
	TD_EXPECT_ADMISSION_STAT(td, "quiet_writes", 0);
	requests(td, SSDC_WRITE, 100, 1);
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "write_rar", 9900);
	TD_EXPECT_ADMISSION_STAT(td, "quiet_writes", 1);
}

/* With rar_window=0 the accesses of earlier intervals do not count, however near. */
static void corw_locality_of_the_interval(struct kunit *test)
{
	struct td *td = td_admission(test, "corw-8:rar_window=0");

	requests(td, SSDC_WRITE, 0, 1);
	requests(td, SSDC_READ, 50, 1);
	tick(td);
	requests(td, SSDC_WRITE, 0, 1);
	requests(td, SSDC_READ, 50, 1);
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "write_rar", 0);
	TD_EXPECT_ADMISSION_STAT(td, "read_rar", 0);
	requests(td, SSDC_WRITE, 0, 1);
	requests(td, SSDC_WRITE, 0, 1);
	requests(td, SSDC_READ, 50, 1);
	requests(td, SSDC_READ, 50, 1);
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "write_rar", 500000);
	TD_EXPECT_ADMISSION_STAT(td, "read_rar", 500000);
	/* An idle interval has no accesses. */
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "write_rar", 0);
}

/* ---- intervals ---- */

static void corw_grid_starts_with_the_first_request(struct kunit *test)
{
	struct td *td = td_admission(test, "corw-1");
	u64 start_ns;

	KUNIT_EXPECT_EQ(test, td_background(td), SSDC_NEVER);
	td->now_ns += 123456789;
	start_ns = td->now_ns;
	td_write_page(td, 0);
	KUNIT_EXPECT_EQ(test, td_background(td), start_ns + PERIOD_NS);
	td->now_ns += PERIOD_NS - 1;
	KUNIT_EXPECT_EQ(test, td_background(td), start_ns + PERIOD_NS);
	TD_EXPECT_ADMISSION_STAT(td, "ticks", 0);
	td->now_ns++;
	/* The interval after a busy one ends with a tick, too; then the scheme sleeps. */
	KUNIT_EXPECT_EQ(test, td_background(td), start_ns + 2 * PERIOD_NS);
	TD_EXPECT_ADMISSION_STAT(td, "write_traffic", PAGE);
	td->now_ns += PERIOD_NS;
	KUNIT_EXPECT_EQ(test, td_background(td), SSDC_NEVER);
	TD_EXPECT_ADMISSION_STAT(td, "ticks", 2);
	TD_EXPECT_ADMISSION_STAT(td, "write_traffic", 0);
	KUNIT_EXPECT_TRUE(test, ssdc_quiescent(td->e));
}

/* 64 sectors in interval 0, none in 1 to 4, 64 in interval 5, none in 6. */
static void corw_idle_intervals_count_for_the_mean(struct kunit *test)
{
	struct td *td = td_admission(test, "corw-1");
	u64 start_ns = td->now_ns;

	td_submit(td, SSDC_WRITE, 0, 64);
	tick(td);
	tick(td);
	td->now_ns = start_ns + 5 * PERIOD_NS + 1;
	td_submit(td, SSDC_WRITE, 0, 64);
	KUNIT_EXPECT_EQ(test, td_background(td), start_ns + 6 * PERIOD_NS);
	td->now_ns = start_ns + 6 * PERIOD_NS;
	td_background(td);
	TD_EXPECT_ADMISSION_STAT(td, "mean_write_traffic", 128 / 6);
	TD_EXPECT_ADMISSION_STAT(td, "ticks", 3);
	td->now_ns = start_ns + 7 * PERIOD_NS;
	td_background(td);
	TD_EXPECT_ADMISSION_STAT(td, "mean_write_traffic", 128 / 7);
}

/* A late tick: the missed intervals count as one long interval, and the grid stays. */
static void corw_late_tick(struct kunit *test)
{
	struct td *td = td_admission(test, "corw-1");
	u64 start_ns = td->now_ns;

	requests(td, SSDC_WRITE, 0, 3);
	td->now_ns = start_ns + 3 * PERIOD_NS + 5;
	KUNIT_EXPECT_EQ(test, td_background(td), start_ns + 4 * PERIOD_NS);
	TD_EXPECT_ADMISSION_STAT(td, "ticks", 1);
	TD_EXPECT_ADMISSION_STAT(td, "write_traffic", 3 * PAGE);
	TD_EXPECT_ADMISSION_STAT(td, "mean_write_traffic", PAGE);
}

static void corw_period(struct kunit *test)
{
	struct td *td = td_admission(test, "corw-1:period_ms=5");
	u64 start_ns = td->now_ns;

	td_write_page(td, 0);
	KUNIT_EXPECT_EQ(test, td_background(td), start_ns + 5000000);
}

static struct kunit_case corw_cases[] = {
	KUNIT_CASE_PARAM(corw_table_2, group_gen_params),
	KUNIT_CASE(corw_ratio_bins),
	KUNIT_CASE(corw_clean_bins),
	KUNIT_CASE(corw_reads_by_traffic),
	KUNIT_CASE(corw_reads_by_locality),
	KUNIT_CASE(corw_reads_by_locality_of_many_pages),
	KUNIT_CASE(corw_quiet_write_goes_through),
	KUNIT_CASE(corw_wt_sync_waits),
	KUNIT_CASE_PARAM(corw_writes_by_clean_ratio, group_gen_params),
	KUNIT_CASE(corw_writes_by_traffic),
	KUNIT_CASE(corw_writes_by_locality),
	KUNIT_CASE(corw_locality_of_the_interval),
	KUNIT_CASE(corw_grid_starts_with_the_first_request),
	KUNIT_CASE(corw_idle_intervals_count_for_the_mean),
	KUNIT_CASE(corw_late_tick),
	KUNIT_CASE(corw_period),
	{}
};

static struct kunit_suite corw_suite = {
	.name = "ssdcache_corw",
	.exit = td_exit,
	.test_cases = corw_cases,
};

kunit_test_suite(corw_suite);
