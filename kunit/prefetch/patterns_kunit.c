// SPDX-License-Identifier: GPL-2.0
/*
 * Matrix, refinement and windows of pattern and pattern-plus; the equations and Algorithm 1 of
 * [Li22] with numbers.
 */
#include "../engine/driver.h"
#include "../../dm-ssdcache/prefetch/patterns.h"

/* ---- the matrix ---- */

static struct ssdc_matrix *new_matrix(struct kunit *test)
{
	struct ssdc_matrix *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, m);
	return m;
}

/* Fig. 5 with k = 10 and n = 20: pages 0, k and k + 1 of P_0 were read. */
static struct ssdc_matrix *figure_5(struct kunit *test)
{
	static const u64 p0[] = { 0, 1, 3, 10, 11, 20 }, p1[] = { 0, 2, 4, 9, 11 };
	static const u64 pm[] = { 1, 3, 5, 7, 9 };
	struct ssdc_matrix *m = new_matrix(test);

	KUNIT_ASSERT_TRUE(test, ssdc_matrix_add(m, p0, ARRAY_SIZE(p0)));
	KUNIT_ASSERT_TRUE(test, ssdc_matrix_add(m, p1, ARRAY_SIZE(p1)));
	KUNIT_ASSERT_TRUE(test, ssdc_matrix_add(m, pm, ARRAY_SIZE(pm)));
	KUNIT_EXPECT_EQ(test, ssdc_matrix_read(m, 0), 3u);
	KUNIT_EXPECT_EQ(test, ssdc_matrix_read(m, 10), 1u);
	KUNIT_EXPECT_EQ(test, ssdc_matrix_read(m, 11), 3u);
	return m;
}

/* "If the coming request targets at address of n, prefetching of 1 and 3 will be activated." */
static void patterns_figure_5(struct kunit *test)
{
	struct ssdc_matrix *m = figure_5(test);
	u64 rest[6];

	KUNIT_EXPECT_EQ(test, m->nr_columns, 11u);
	KUNIT_EXPECT_FALSE(test, ssdc_matrix_fires(m, 0, 50, true));
	KUNIT_EXPECT_EQ(test, ssdc_matrix_read(m, 20), 1u);
	KUNIT_EXPECT_TRUE(test, ssdc_matrix_fires(m, 0, 50, true));
	KUNIT_ASSERT_EQ(test, ssdc_matrix_rest(m, 0, rest), 2u);
	KUNIT_EXPECT_EQ(test, rest[0], 1ULL);
	KUNIT_EXPECT_EQ(test, rest[1], 3ULL);
	/* only once */
	KUNIT_EXPECT_FALSE(test, ssdc_matrix_fires(m, 0, 50, true));
	/* two of five of P_1 */
	KUNIT_EXPECT_FALSE(test, ssdc_matrix_fires(m, 1, 50, false));
	KUNIT_EXPECT_TRUE(test, ssdc_matrix_fires(m, 1, 40, false));
}

/* Without strict, half is enough; otherwise patterns of two could never fire. */
static void patterns_half_is_enough(struct kunit *test)
{
	struct ssdc_matrix *m = figure_5(test);

	KUNIT_EXPECT_TRUE(test, ssdc_matrix_fires(m, 0, 50, false));
}

static void patterns_row_begins_anew(struct kunit *test)
{
	static const u64 pages[] = { 7, 8 };
	struct ssdc_matrix *m = new_matrix(test);

	ssdc_matrix_add(m, pages, 2);
	ssdc_matrix_read(m, 7);
	KUNIT_EXPECT_TRUE(test, ssdc_matrix_fires(m, 0, 50, false));
	ssdc_matrix_renew(m, ssdc_matrix_read(m, 7));
	KUNIT_EXPECT_EQ(test, m->rows[0].nr_read, 1);
	ssdc_matrix_renew(m, ssdc_matrix_read(m, 8));
	KUNIT_EXPECT_EQ(test, m->rows[0].nr_read, 0);
	ssdc_matrix_read(m, 8);
	KUNIT_EXPECT_TRUE(test, ssdc_matrix_fires(m, 0, 50, false));
	KUNIT_EXPECT_EQ(test, ssdc_matrix_read(m, 9), 0u);
}

static void patterns_matrix_is_full(struct kunit *test)
{
	struct ssdc_matrix *m = new_matrix(test);
	u64 pages[10];
	u32 row, i;

	for (row = 0; row < 12; row++) {
		for (i = 0; i < 10; i++)
			pages[i] = (u64)(row * 10 + i) << 40;
		KUNIT_EXPECT_TRUE(test, ssdc_matrix_add(m, pages, 10));
	}
	for (i = 0; i < 9; i++)
		pages[i] = (u64)(500 + i) << 40;
	KUNIT_EXPECT_FALSE(test, ssdc_matrix_add(m, pages, 9));
	KUNIT_EXPECT_EQ(test, m->nr_columns, 120u);
	KUNIT_EXPECT_TRUE(test, ssdc_matrix_add(m, pages, 8));
	KUNIT_EXPECT_EQ(test, m->nr_columns, SSDC_MATRIX_COLUMNS);
	while (m->nr_rows < SSDC_MATRIX_ROWS)
		KUNIT_EXPECT_TRUE(test, ssdc_matrix_add(m, pages, 2));
	KUNIT_EXPECT_FALSE(test, ssdc_matrix_add(m, pages, 2));
	KUNIT_EXPECT_LE(test, sizeof(*m), (size_t)SSDC_MATRIX_BYTES);
}

/* ---- refinement ---- */

static struct ssdc_pool *new_pool(struct kunit *test)
{
	struct ssdc_pool *pool = kunit_kzalloc(test, sizeof(*pool), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, pool);
	return pool;
}

/* Pages are letters. */
static void add(struct ssdc_pool *pool, const char *letters, u32 support)
{
	struct ssdc_fp_set set = { .support = support };

	while (*letters)
		set.addresses[set.nr++] = *letters++;
	ssdc_pool_add(pool, &set);
}

/* The patterns of the pool, in its order: "abc ad" */
static void expect_patterns(struct kunit *test, const struct ssdc_pool *pool, const char *want)
{
	char text[128] = "";
	u32 at, i, length = 0;

	for (at = 0; at < pool->nr; at++) {
		const struct ssdc_pattern *pattern = ssdc_pool_at(pool, at);

		if (pattern->nr && length)
			text[length++] = ' ';
		for (i = 0; i < pattern->nr; i++)
			text[length++] = pattern->pages[i];
	}
	KUNIT_EXPECT_STREQ(test, text, want);
}

static void patterns_sorted_by_accesses(struct kunit *test)
{
	struct ssdc_pool *pool = new_pool(test);

	add(pool, "ab", 3);		/* 6 */
	add(pool, "xyz", 4);		/* 12 */
	add(pool, "dc", 6);		/* 12 */
	add(pool, "pq", 5);		/* 10 */
	expect_patterns(test, pool, "xyz cd pq ab");
}

static void patterns_fewest_accesses_are_left_out(struct kunit *test)
{
	struct ssdc_pool *pool = new_pool(test);
	u32 i;

	add(pool, "ab", 2);
	add(pool, "ac", 2);
	for (i = 0; i < SSDC_POOL_PATTERNS - 2; i++)
		add(pool, "xy", 3);
	add(pool, "ad", 2);
	KUNIT_EXPECT_EQ(test, ssdc_pool_at(pool, pool->nr - 1)->pages[1], (u64)'c');
	add(pool, "mn", 9);
	KUNIT_EXPECT_EQ(test, pool->nr, SSDC_POOL_PATTERNS);
	KUNIT_EXPECT_EQ(test, ssdc_pool_at(pool, 0)->pages[0], (u64)'m');
	KUNIT_EXPECT_EQ(test, ssdc_pool_at(pool, pool->nr - 1)->pages[1], (u64)'b');
}

/* More than half in common, the largest overlap first, and at most the largest size. */
static void patterns_united(struct kunit *test)
{
	struct ssdc_pool *pool = new_pool(test);

	add(pool, "abcd", 9);
	add(pool, "abef", 8);		/* two of four are not more than half */
	add(pool, "bcd", 9);		/* contained completely */
	add(pool, "acdg", 6);		/* three of four */
	KUNIT_EXPECT_TRUE(test, ssdc_pool_unite(pool, 0, 5));
	KUNIT_EXPECT_TRUE(test, ssdc_pool_unite(pool, 0, 5));
	KUNIT_EXPECT_FALSE(test, ssdc_pool_unite(pool, 0, 5));
	expect_patterns(test, pool, "abcdg abef");
	KUNIT_EXPECT_FALSE(test, ssdc_pool_unite(pool, 1, 5));
}

static void patterns_not_beyond_the_limit(struct kunit *test)
{
	struct ssdc_pool *pool = new_pool(test);

	add(pool, "abcdefgh", 9);
	add(pool, "efghijk", 8);
	KUNIT_EXPECT_FALSE(test, ssdc_pool_unite(pool, 0, 10));
	KUNIT_EXPECT_FALSE(test, ssdc_pool_unite(pool, 0, 10));
}

/* ---- windows, with 100 frames: a cap of 16 pages ---- */

static struct td *with_pattern(struct kunit *test, const char *spec)
{
	struct ssdc_params params = td_params();

	params.dram_bytes = 100 * 4096;
	params.origin_sectors = 8192;
	params.admission = "write-buffer";
	params.prefetch = spec;
	return td_new(test, &params);
}

static void read_page(struct td *td, u64 page)
{
	struct td_host *read = td_read_page(td, page);

	td_settle(td);
	TD_EXPECT_DONE(td, read);
	td_put(td, read);
}

/* Reads and writes of one page each. */
static void reads(struct td *td, u64 first, u32 nr)
{
	while (nr--)
		read_page(td, first++);
}

static void patterns_share_by_reads(struct kunit *test)
{
	struct td *td = with_pattern(test, "pattern:window=64");

	KUNIT_EXPECT_EQ(test, td->e->prefetch->pages_max, 8u);
	reads(td, 0, 48);
	td_fill(td, 600, 16);
	/* 16 * 48 / 64 */
	KUNIT_EXPECT_EQ(test, td->e->prefetch->pages_max, 12u);
	TD_EXPECT_PREFETCH_STAT(td, "windows", 1);
}

/* Read pages 10, 30, 50 and 70 three times, each time with other pages that do not recur. */
static void read_together(struct td *td)
{
	u32 round, i;

	for (round = 0; round < 3; round++) {
		for (i = 0; i < 4; i++)
			read_page(td, 10 + 20 * i);
		reads(td, 100 + 4 * round, 4);
	}
}

/* Pages that were often read together: once half was read, the rest is prefetched. */
static void patterns_found_and_prefetched(struct kunit *test)
{
	struct td *td = with_pattern(test, "pattern:window=64,mined=24,transaction=8");

	read_together(td);
	TD_EXPECT_PREFETCH_STAT(td, "mined_windows", 1);
	TD_EXPECT_PREFETCH_STAT(td, "rows", 1);
	TD_EXPECT_PREFETCH_STAT(td, "columns", 4);
	TD_EXPECT_PREFETCH_STAT(td, "mined_patterns", 1);
	TD_EXPECT_PREFETCH_STAT(td, "pattern_pages", 4);
	TD_EXPECT_PREFETCH_STAT(td, "many_patterns", 0);
	TD_EXPECT_PREFETCH_STAT(td, "many_pages", 0);
	TD_EXPECT_PREFETCH_STAT(td, "cut_short", 0);
	/* Each page is looked at, more than once. */
	KUNIT_EXPECT_GT(test, td_prefetch_stat(td, "mining_work"), 24ULL);
	read_page(td, 50);
	TD_EXPECT_STAT(td, "prefetched_pages", 0);
	read_page(td, 10);
	TD_EXPECT_STAT(td, "prefetched_pages", 2);
	TD_EXPECT_PREFETCH_STAT(td, "fired", 1);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 30));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 70));
	read_page(td, 70);
	read_page(td, 30);
	TD_EXPECT_STAT(td, "prefetch_hits", 2);
}

/* With mine=prev, patterns are matched from the start of the next window on. */
static void patterns_of_the_previous_window(struct kunit *test)
{
	struct td *td = with_pattern(test, "pattern:window=64,mined=24,transaction=8,mine=prev");

	read_together(td);
	TD_EXPECT_PREFETCH_STAT(td, "frequent_sets", 1);
	TD_EXPECT_PREFETCH_STAT(td, "mined_windows", 0);
	reads(td, 200, 40);
	TD_EXPECT_PREFETCH_STAT(td, "rows", 0);
	read_page(td, 300);
	TD_EXPECT_PREFETCH_STAT(td, "mined_windows", 1);
	TD_EXPECT_PREFETCH_STAT(td, "rows", 1);
	read_page(td, 50);
	read_page(td, 10);
	TD_EXPECT_STAT(td, "prefetched_pages", 2);
	/* Nothing was found in the second window, so the third has no patterns. */
	reads(td, 400, 64);
	TD_EXPECT_PREFETCH_STAT(td, "rows", 0);
	TD_EXPECT_PREFETCH_STAT(td, "abandoned", 0);
	td_check(td);
}

/* Mining runs in steps between requests. */
static void patterns_mined_in_steps(struct kunit *test)
{
	struct td *td = with_pattern(test,
				     "pattern:window=512,mined=512,transaction=32,max_work=20");
	u32 i, steps = 0;

	for (i = 0; i < 511; i++)
		read_page(td, i % 40);
	TD_EXPECT_PREFETCH_STAT(td, "mined_windows", 0);
	KUNIT_EXPECT_FALSE(test, td->e->prefetch->plugin.wants_step);
	td_read_page(td, 1);
	while (td->e->prefetch->plugin.wants_step && steps < TD_MANY) {
		ssdc_background(td->e, td->now_ns);
		td_check(td);
		steps++;
	}
	TD_EXPECT_PREFETCH_STAT(td, "mined_windows", 1);
	KUNIT_EXPECT_GT(test, steps, 5u);
	td_settle(td);
}

/* Read a page that is not cached. What the policy has to do afterwards waits. */
static void read_unsettled(struct td *td, u64 page)
{
	struct td_host *read = td_read_page(td, page);

	td_end_sub(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, read);
}

/* A window that begins before the last one was mined takes over the miner. */
static void patterns_mining_given_up(struct kunit *test)
{
	struct td *td = with_pattern(test, "pattern:window=64,mined=64");
	u32 i;

	for (i = 0; i < 65; i++)
		read_unsettled(td, i % 20);
	TD_EXPECT_PREFETCH_STAT(td, "abandoned", 1);
	td_settle(td);
	TD_EXPECT_PREFETCH_STAT(td, "mined_windows", 0);
}

/* With mine=prev, patterns that are still being loaded when the next window is mined are lost. */
static void patterns_loading_given_up(struct kunit *test)
{
	struct td *td = with_pattern(test, "pattern:window=64,mined=24,transaction=8,mine=prev");
	u32 i;

	read_together(td);
	reads(td, 200, 40);
	for (i = 0; i < 24; i++) {
		TD_EXPECT_PREFETCH_STAT(td, "abandoned", 0);
		read_unsettled(td, 300 + i);
	}
	TD_EXPECT_PREFETCH_STAT(td, "abandoned", 1);
	td_settle(td);
	TD_EXPECT_PREFETCH_STAT(td, "mined_windows", 0);
}

/* All sets of 40 pages that recur in each of 12 transactions: far more than 1000 steps. */
static void patterns_mining_is_cut_short(struct kunit *test)
{
	struct td *td = with_pattern(test,
				     "pattern:window=512,mined=480,transaction=40,max_work=1");
	u32 i;

	for (i = 0; i < 480; i++)
		read_page(td, i % 40);
	TD_EXPECT_PREFETCH_STAT(td, "cut_short", 1);
	TD_EXPECT_PREFETCH_STAT(td, "mined_windows", 1);
	KUNIT_EXPECT_GE(test, td_prefetch_stat(td, "mining_work"), 1000ULL);
}

/* Of 65 pairs of pages, 64 can form sets, and 32 are matched. */
static void patterns_too_many(struct kunit *test)
{
	struct td *td = with_pattern(test, "pattern:window=512,mined=390,transaction=2");
	u32 round;

	for (round = 0; round < 3; round++)
		reads(td, 100, 130);
	TD_EXPECT_PREFETCH_STAT(td, "many_pages", 1);
	TD_EXPECT_PREFETCH_STAT(td, "many_patterns", 1);
	TD_EXPECT_PREFETCH_STAT(td, "mined_patterns", SSDC_MATRIX_ROWS);
	TD_EXPECT_PREFETCH_STAT(td, "rows", SSDC_MATRIX_ROWS);
	TD_EXPECT_PREFETCH_STAT(td, "pattern_pages", 2 * SSDC_MATRIX_ROWS);
}

/* Transactions of two lengths are not mined together: a window that is tuned midway is left out. */
static void patterns_tuned_midway(struct kunit *test)
{
	static const char *const specs[] = { "pattern:window=64,mined=24,transaction=8",
					     "pattern-plus:window=64,mined=24,transaction=8" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(specs); i++) {
		struct td *td = with_pattern(test, specs[i]);

		reads(td, 100, 12);
		td_set(td, "transaction", "4");
		reads(td, 200, 52);
		TD_EXPECT_PREFETCH_STAT(td, "windows", 1);
		TD_EXPECT_PREFETCH_STAT(td, "mined_windows", 0);
		reads(td, 300, 24);
		TD_EXPECT_PREFETCH_STAT(td, "mined_windows", 1);
		td_exit(test);
	}
}

/* A smaller cap takes effect at once. */
static void patterns_cap_of_pattern(struct kunit *test)
{
	struct td *td = with_pattern(test, "pattern:window=64,cap=50");

	KUNIT_EXPECT_EQ(test, td->e->prefetch->pages_max, 25u);
	td_set(td, "cap", "10");
	KUNIT_EXPECT_EQ(test, td->e->prefetch->pages_max, 10u);
	td_set(td, "cap", "20");
	KUNIT_EXPECT_EQ(test, td->e->prefetch->pages_max, 10u);
	td_check(td);
}

/* ---- pattern-plus ---- */

/* Without reads, or with as many writes as reads, the next window does not prefetch. */
static void patterns_gate(struct kunit *test)
{
	struct td *td = with_pattern(test, "pattern-plus:window=64");

	KUNIT_EXPECT_EQ(test, td->e->prefetch->pages_max, 8u);
	td_fill(td, 0, 32);
	reads(td, 100, 32);
	/* 32 / 32 * 1 / 1 is not less than 1 */
	TD_EXPECT_PREFETCH_STAT(td, "tau", 1000);
	TD_EXPECT_PREFETCH_STAT(td, "closed_windows", 1);
	KUNIT_EXPECT_EQ(test, td->e->prefetch->pages_max, 0u);
	td_fill(td, 0, 31);
	reads(td, 100, 33);
	TD_EXPECT_PREFETCH_STAT(td, "tau", 1000 * 31 / 33);
	TD_EXPECT_PREFETCH_STAT(td, "closed_windows", 1);
	KUNIT_EXPECT_GT(test, td->e->prefetch->pages_max, 0u);
	td_fill(td, 0, 64);
	TD_EXPECT_PREFETCH_STAT(td, "closed_windows", 2);
}

/* The model of a window is given up if the next one ends before. */
static void patterns_model_given_up(struct kunit *test)
{
	struct td *td = with_pattern(test, "pattern-plus:window=64");
	u32 i;

	for (i = 0; i < 128; i++) {
		TD_EXPECT_PREFETCH_STAT(td, "skipped_models", 0);
		read_unsettled(td, i % 5);
	}
	TD_EXPECT_PREFETCH_STAT(td, "skipped_models", 1);
	td_settle(td);
	TD_EXPECT_PREFETCH_STAT(td, "target", 5);
}

/* Without dirty pages, every page that was read is worth a frame, up to the cap. */
static void patterns_model_without_writes(struct kunit *test)
{
	struct td *td = with_pattern(test, "pattern-plus:window=64");
	u32 i;

	for (i = 0; i < 64; i++)
		read_page(td, i % 5);
	TD_EXPECT_PREFETCH_STAT(td, "bound", 0);
	TD_EXPECT_PREFETCH_STAT(td, "target", 5);
	TD_EXPECT_PREFETCH_STAT(td, "theta", 1000);
	reads(td, 0, 64);
	TD_EXPECT_PREFETCH_STAT(td, "target", 16);
}

/*
 * The least written dirty page was written twice. With beta / alpha = 3, a page is worth its
 * frame after 6 reads: two of the five pages are.
 */
static void patterns_model(struct kunit *test)
{
	static const u32 times[] = { 1, 5, 6, 20, 4 };
	struct td *td = with_pattern(test, "pattern-plus:window=64");
	u32 page, i;

	td->e->tunables.alpha_us = 10;
	td->e->tunables.beta_us = 30;
	for (i = 0; i < 2; i++)
		td_fill(td, 200, 14);
	for (page = 0; page < 5; page++)
		for (i = 0; i < times[page]; i++)
			read_page(td, page);
	TD_EXPECT_PREFETCH_STAT(td, "tau", 1000 * 28 / 36);
	TD_EXPECT_PREFETCH_STAT(td, "bound", 6);
	TD_EXPECT_PREFETCH_STAT(td, "target", 2);
	TD_EXPECT_PREFETCH_STAT(td, "theta", 400);
	KUNIT_EXPECT_EQ(test, td->e->prefetch->pages_max, 2u);
}

/*
 * As above, but only page 200 is dirty, with a third write; the other pages are clean, or have left
 * DRAM. So a page is worth its frame after 9 reads.
 */
static void patterns_model_of_clean_pages(struct kunit *test)
{
	struct td *td = with_pattern(test, "pattern-plus:window=64");
	u32 i;

	td->e->tunables.alpha_us = 10;
	td->e->tunables.beta_us = 30;
	for (i = 0; i < 2; i++)
		td_fill(td, 200, 14);
	td_clean_all(td);
	td_submit(td, SSDC_DISCARD, 207 * TD_PAGE_SECTORS, 7 * TD_PAGE_SECTORS);
	td_fill(td, 200, 1);
	for (i = 0; i < 35; i++)
		read_page(td, i % 3);
	TD_EXPECT_PREFETCH_STAT(td, "windows", 1);
	TD_EXPECT_PREFETCH_STAT(td, "bound", 9);
	TD_EXPECT_PREFETCH_STAT(td, "target", 3);
}

/* A page of the longest window is read more than a thousand times, and must be. */
static void patterns_model_of_many_reads(struct kunit *test)
{
	struct td *td = with_pattern(test, "pattern-plus:window=8192,tau_max=100000");
	u32 i;

	td->e->tunables.alpha_us = 1;
	td->e->tunables.beta_us = 1500;
	td_fill(td, 200, 1);
	for (i = 0; i < 8191; i++)
		read_page(td, i < 1499 ? 20 : i < 2999 ? 21 : 22 + i % 4);
	TD_EXPECT_PREFETCH_STAT(td, "bound", 1500);
	TD_EXPECT_PREFETCH_STAT(td, "target", 1);
	TD_EXPECT_PREFETCH_STAT(td, "theta", 166);
}

/* A dirty page not written in the window counts as 0 or half a write. */
static void patterns_unwritten(struct kunit *test)
{
	struct td *td = with_pattern(test, "pattern-plus:window=64,tau_max=1000");
	u32 i;

	td_fill(td, 200, 1);
	for (i = 0; i < 63 + 64; i++)
		read_page(td, i % 3);
	TD_EXPECT_PREFETCH_STAT(td, "bound", 0);
	td_set(td, "unwritten", "half");
	for (i = 0; i < 64; i++)
		read_page(td, i % 3);
	/* 1999 / 74 / 2 = 13.5 */
	TD_EXPECT_PREFETCH_STAT(td, "bound", 14);
	TD_EXPECT_PREFETCH_STAT(td, "target", 3);
}

/* Algorithm 1 as printed: a target not less than the last one gives the cap, a lower one 0. */
static void patterns_literal(struct kunit *test)
{
	struct td *td = with_pattern(test, "pattern-plus:window=64,literal=on");
	u32 i;

	KUNIT_EXPECT_EQ(test, td->e->prefetch->pages_max, 16u);
	for (i = 0; i < 64; i++)
		read_page(td, i % 5);
	TD_EXPECT_PREFETCH_STAT(td, "target", 5);
	KUNIT_EXPECT_EQ(test, td->e->prefetch->pages_max, 0u);
	for (i = 0; i < 64; i++)
		read_page(td, i % 5);
	KUNIT_EXPECT_EQ(test, td->e->prefetch->pages_max, 16u);
	td_set(td, "literal", "off");
	KUNIT_EXPECT_EQ(test, td->e->prefetch->pages_max, 5u);
}

static void patterns_cap(struct kunit *test)
{
	struct td *td = with_pattern(test, "pattern-plus:window=64,cap=50");

	KUNIT_EXPECT_EQ(test, td->e->prefetch->pages_max, 25u);
	reads(td, 0, 64);
	KUNIT_EXPECT_EQ(test, td->e->prefetch->pages_max, 50u);
	td_set(td, "cap", "10");
	KUNIT_EXPECT_EQ(test, td->e->prefetch->pages_max, 10u);
	td_check(td);
}

static struct kunit_case patterns_cases[] = {
	KUNIT_CASE(patterns_figure_5),
	KUNIT_CASE(patterns_half_is_enough),
	KUNIT_CASE(patterns_row_begins_anew),
	KUNIT_CASE(patterns_matrix_is_full),
	KUNIT_CASE(patterns_sorted_by_accesses),
	KUNIT_CASE(patterns_fewest_accesses_are_left_out),
	KUNIT_CASE(patterns_united),
	KUNIT_CASE(patterns_not_beyond_the_limit),
	KUNIT_CASE(patterns_share_by_reads),
	KUNIT_CASE(patterns_found_and_prefetched),
	KUNIT_CASE(patterns_of_the_previous_window),
	KUNIT_CASE(patterns_mined_in_steps),
	KUNIT_CASE(patterns_mining_given_up),
	KUNIT_CASE(patterns_loading_given_up),
	KUNIT_CASE(patterns_mining_is_cut_short),
	KUNIT_CASE(patterns_too_many),
	KUNIT_CASE(patterns_tuned_midway),
	KUNIT_CASE(patterns_cap_of_pattern),
	KUNIT_CASE(patterns_gate),
	KUNIT_CASE(patterns_model_given_up),
	KUNIT_CASE(patterns_model_without_writes),
	KUNIT_CASE(patterns_model),
	KUNIT_CASE(patterns_model_of_clean_pages),
	KUNIT_CASE(patterns_model_of_many_reads),
	KUNIT_CASE(patterns_unwritten),
	KUNIT_CASE(patterns_literal),
	KUNIT_CASE(patterns_cap),
	{}
};

static struct kunit_suite patterns_suite = {
	.name = "ssdcache_patterns",
	.exit = td_exit,
	.test_cases = patterns_cases,
};

kunit_test_suite(patterns_suite);
