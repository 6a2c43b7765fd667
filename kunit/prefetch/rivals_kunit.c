// SPDX-License-Identifier: GPL-2.0
/* c-miner and rop: rules and chains with small numbers. */
#include "../engine/driver.h"

static struct td *with_prefetch(struct kunit *test, const char *spec)
{
	struct ssdc_params params = td_params();

	params.dram_bytes = 100 * 4096;
	params.origin_sectors = 100000;
	params.admission = "write-buffer";
	params.prefetch = spec;
	return td_new(test, &params);
}

static void read_pages(struct td *td, const u64 *pages, u32 nr)
{
	while (nr--) {
		struct td_host *read = td_read_page(td, *pages++);

		td_settle(td);
		TD_EXPECT_DONE(td, read);
		td_put(td, read);
	}
}

#define READS(td, ...) do { \
	static const u64 _pages[] = { __VA_ARGS__ }; \
	read_pages(td, _pages, ARRAY_SIZE(_pages)); \
} while (0)

/* Complete the window with writes. */
static void end_window(struct td *td, u32 requests)
{
	while (requests--)
		td_fill(td, 5000, 1);
	td_settle(td);
}

/* ---- c-miner ---- */

/* Two segments of 8 reads: 20 follows 10 in both, 30 in one. */
static void rivals_rule(struct kunit *test)
{
	struct td *td = with_prefetch(test, "c-miner:window=64,segment=8,gap=3");

	KUNIT_EXPECT_EQ(test, td->e->prefetch->pages_max, 8u);
	READS(td, 10, 1, 20, 2, 3, 4, 5, 6);
	READS(td, 10, 20, 30, 11, 12, 13, 14, 15);
	end_window(td, 48);
	KUNIT_EXPECT_EQ(test, td_prefetch_stat(td, "mined_windows"), 1ULL);
	KUNIT_EXPECT_EQ(test, td_prefetch_stat(td, "mined_rules"), 1ULL);
	TD_EXPECT_PREFETCH_STAT(td, "windows", 1);
	TD_EXPECT_PREFETCH_STAT(td, "abandoned", 0);
	TD_EXPECT_PREFETCH_STAT(td, "left_out", 0);
	TD_EXPECT_PREFETCH_STAT(td, "matched", 0);
	READS(td, 10);
	TD_EXPECT_STAT(td, "prefetched_pages", 1);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 20));
	READS(td, 20);
	TD_EXPECT_STAT(td, "prefetch_hits", 1);
	TD_EXPECT_STAT(td, "prefetched_pages", 1);
	TD_EXPECT_PREFETCH_STAT(td, "matched", 1);
}

/* 16 reads; 10 and 20 are compared with the next 3 reads, twice; and 16384 places for pairs. */
static void rivals_mining_work(struct kunit *test)
{
	struct td *td = with_prefetch(test, "c-miner:window=64,segment=8,gap=3");

	READS(td, 10, 1, 20, 2, 3, 4, 5, 6);
	READS(td, 10, 20, 30, 11, 12, 13, 14, 15);
	end_window(td, 48);
	TD_EXPECT_PREFETCH_STAT(td, "mining_work", 16 + 2 * 2 * 3 + 16384);
	KUNIT_EXPECT_GT(test, td_prefetch_stat(td, "mining_bytes"), 16384ULL);
}

/* Each of 400 pages has 25 successors, except the last 25; 8192 pairs have room. */
static void rivals_too_many_pairs(struct kunit *test)
{
	struct td *td = with_prefetch(test, "c-miner:window=512,segment=1000,gap=25,min_support=1");
	u64 page;

	for (page = 0; page < 400; page++)
		read_pages(td, &page, 1);
	end_window(td, 112);
	TD_EXPECT_PREFETCH_STAT(td, "mined_windows", 1);
	TD_EXPECT_PREFETCH_STAT(td, "left_out", 375 * 25 + 25 * 24 / 2 - 8192);
}

/* The first 8 pages of each read count, up to 2048 in a window. */
static void rivals_too_many_pages(struct kunit *test)
{
	struct td *td = with_prefetch(test, "c-miner:window=300");
	u32 i;

	for (i = 0; i < 260; i++) {
		struct td_host *read = td_submit(td, SSDC_READ, 80 * i, 9 * TD_PAGE_SECTORS);

		td_settle(td);
		TD_EXPECT_DONE(td, read);
		td_put(td, read);
	}
	TD_EXPECT_PREFETCH_STAT(td, "left_out", 4 * 8);
}

/* Reads without background work, so that mining stands still. */
static void read_on(struct td *td, u32 requests)
{
	while (requests--) {
		struct td_host *read = td_read_page(td, requests);

		td_end_sub(td, 0);
		td_run_ready(td);
		TD_EXPECT_DONE(td, read);
	}
}

/* A window is given up if the next one ends before it was mined, or if a tunable changes. */
static void rivals_mining_given_up(struct kunit *test)
{
	struct td *td = with_prefetch(test, "c-miner:window=64");

	read_on(td, 64);
	TD_EXPECT_PREFETCH_STAT(td, "abandoned", 0);
	read_on(td, 64);
	TD_EXPECT_PREFETCH_STAT(td, "abandoned", 1);
	td_set(td, "segment", "50");
	TD_EXPECT_PREFETCH_STAT(td, "abandoned", 2);
	td_settle(td);
	TD_EXPECT_PREFETCH_STAT(td, "windows", 2);
	TD_EXPECT_PREFETCH_STAT(td, "mined_windows", 0);
	td_set(td, "share", "16");
	TD_EXPECT_PREFETCH_STAT(td, "abandoned", 2);
	KUNIT_EXPECT_EQ(test, td->e->prefetch->pages_max, 16u);
}

/* Pages too far apart, or in different segments, form no pair. */
static void rivals_gap_and_segment(struct kunit *test)
{
	struct td *td = with_prefetch(test, "c-miner:window=64,segment=8,gap=2");

	READS(td, 10, 1, 2, 20, 3, 4, 5, 40);
	READS(td, 50, 10, 1, 2, 20, 4, 7, 40);
	READS(td, 50, 60, 61, 62, 63, 64, 65, 66);
	end_window(td, 40);
	/* 20 is one read too far from 10. The rules are 10 -> 1 2, 1 -> 2 20, and 2 -> 20. */
	READS(td, 10);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 20));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 1));
	READS(td, 40);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 50));
}

/* In two of three segments with 10, 20 follows: 66 %. */
static void rivals_confidence(struct kunit *test)
{
	struct td *strict = with_prefetch(test, "c-miner:window=64,segment=4,confidence=67");

	READS(strict, 10, 20, 1, 2);
	READS(strict, 10, 20, 3, 4);
	READS(strict, 10, 5, 6, 7);
	end_window(strict, 52);
	KUNIT_EXPECT_EQ(test, td_prefetch_stat(strict, "mined_rules"), 0ULL);
	td_set(strict, "confidence", "66");
	READS(strict, 10, 20, 1, 2);
	READS(strict, 10, 20, 3, 4);
	READS(strict, 10, 5, 6, 7);
	end_window(strict, 52);
	KUNIT_EXPECT_EQ(test, td_prefetch_stat(strict, "mined_rules"), 1ULL);
}

/* Rules come from the last window only. */
static void rivals_rules_are_replaced(struct kunit *test)
{
	struct td *td = with_prefetch(test, "c-miner:window=64,segment=8");

	READS(td, 10, 20, 1, 2, 3, 4, 5, 6, 10, 20);
	end_window(td, 54);
	KUNIT_EXPECT_EQ(test, td_prefetch_stat(td, "mined_rules"), 1ULL);
	end_window(td, 64);
	READS(td, 10);
	TD_EXPECT_STAT(td, "prefetched_pages", 0);
}

/* ---- rop ---- */

/* 100 101 200 201 300 301 gives distances 1 99 1 99 1; each follows the other twice. */
static void rivals_chain(struct kunit *test)
{
	struct td *td = with_prefetch(test, "rop:depth=3");

	READS(td, 100, 101, 200, 201, 300);
	TD_EXPECT_STAT(td, "prefetched_pages", 0);
	KUNIT_EXPECT_EQ(test, td_prefetch_stat(td, "states"), 2ULL);
	/* 1 -> 99 was seen once, and twice after the next read: 400, 401 and 500 become likely. */
	READS(td, 301);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 400));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 401));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 500));
	TD_EXPECT_STAT(td, "prefetched_pages", 3);
	TD_EXPECT_PREFETCH_STAT(td, "predicted", 3);
	TD_EXPECT_PREFETCH_STAT(td, "learned", 4);
}

/* Two equally likely distances: one half is not more than 50 %. */
static void rivals_threshold(struct kunit *test)
{
	struct td *td = with_prefetch(test, "rop");

	/* 10 -> 20 and 10 -> 30, each once */
	READS(td, 0, 10, 30, 40, 70, 80);
	KUNIT_EXPECT_EQ(test, td_prefetch_stat(td, "predicted"), 0ULL);
	/* With 10 -> 920 the probability falls to a third; among equals the first is chosen. */
	td_set(td, "threshold", "32");
	READS(td, 1000, 1010);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 1030));
	TD_EXPECT_STAT(td, "prefetched_pages", 1);
}

/* Each region has its own chain; no prediction leaves the region. */
static void rivals_regions(struct kunit *test)
{
	struct td *td = with_prefetch(test, "rop:depth=4");

	READS(td, 4090, 4091, 4092, 4093, 4094);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 4095));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 4096));
	READS(td, 8000, 12000, 8001, 12001, 8002, 12002, 8003);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 8004));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 12003));
}

/* The engine shows 4096 pages of a read of 5000. Its end, which is not shown, is learned from. */
static void rivals_very_long_read(struct kunit *test)
{
	struct td *td = with_prefetch(test, "rop:depth=2");
	struct td_host *read = td_submit(td, SSDC_READ, 0, 5000 * TD_PAGE_SECTORS);

	td_settle(td);
	TD_EXPECT_DONE(td, read);
	KUNIT_EXPECT_EQ(test, td_prefetch_stat(td, "states"), 1ULL);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 5000));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 5001));
	TD_EXPECT_STAT(td, "prefetched_pages", 2);
}

/* The number of states is bounded. */
static void rivals_states_are_forgotten(struct kunit *test)
{
	struct td *td = with_prefetch(test, "rop");
	u64 page = 0, x = 12345;
	u32 i;

	for (i = 0; i < 3000; i++) {
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		page = (x >> 33) % 12000;
		read_pages(td, &page, 1);
	}
	KUNIT_EXPECT_GT(test, td_prefetch_stat(td, "forgotten"), 0ULL);
	KUNIT_EXPECT_LE(test, td_prefetch_stat(td, "states"), 1024ULL);
}

static struct kunit_case rivals_cases[] = {
	KUNIT_CASE(rivals_rule),
	KUNIT_CASE(rivals_mining_work),
	KUNIT_CASE(rivals_too_many_pairs),
	KUNIT_CASE(rivals_too_many_pages),
	KUNIT_CASE(rivals_mining_given_up),
	KUNIT_CASE(rivals_gap_and_segment),
	KUNIT_CASE(rivals_confidence),
	KUNIT_CASE(rivals_rules_are_replaced),
	KUNIT_CASE(rivals_chain),
	KUNIT_CASE(rivals_threshold),
	KUNIT_CASE(rivals_regions),
	KUNIT_CASE(rivals_very_long_read),
	KUNIT_CASE(rivals_states_are_forgotten),
	{}
};

static struct kunit_suite rivals_suite = {
	.name = "ssdcache_rivals",
	.exit = td_exit,
	.test_cases = rivals_cases,
};

kunit_test_suite(rivals_suite);
