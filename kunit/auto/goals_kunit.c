// SPDX-License-Identifier: GPL-2.0
/*
 * The goals of a choice other than the mean response: flash writes and the 99th percentile.
 */
#include <kunit/test.h>
#include "choice.h"

/*
 * fifo writes most; lru writes less. Pages that are written again and again stay dirty, and the
 * reads of others make fifo flush them.
 */
static void auto_goal_of_flash_writes(struct kunit *test)
{
	struct env env = begin(test, "auto:candidates=fifo+lru,period=100,goal=flash-writes");
	u32 i;

	for (i = 0; i < 10 * PERIOD; i++) {
		env.now_ns += 1000000;
		use(&env, i % 2 ? SSDC_READ : SSDC_WRITE, i % 2 ? 1000 + i : i / 2 % 4, 1);
	}
	KUNIT_EXPECT_EQ(test, env.a->live, 1);
	/*
	 * Pages flushed per million pages written. With fifo a page leaves 16 reads after it has
	 * entered, and the host has written it four times by then.
	 */
	KUNIT_EXPECT_GT(test, env.a->candidates[0].cost, 240000);
	KUNIT_EXPECT_LT(test, env.a->candidates[0].cost, 260000);
	ssdc_auto_destroy(env.a);
}

/* One write of @gap requests, in turn to one of 4 pages and to a new page. */
static void write_sometimes(struct env *env, u32 requests, u32 gap)
{
	u32 i, nr = 0;

	for (i = 0; i < requests; i++) {
		env->now_ns += 1000000;
		if (i % gap)
			use(env, SSDC_READ, 0, 1);
		else
			use(env, SSDC_WRITE, ++nr % 2 ? 1 + nr / 2 % 4 : 1000 + nr, 1);
	}
}

/* Writes of two pages, in turn to one of 2 pairs and to a new pair; @missed others between two. */
static void write_pairs(struct env *env, u32 writes, u32 missed)
{
	u32 i;

	for (i = 1; i <= writes; i++) {
		env->now_ns += 1000000;
		use(env, SSDC_WRITE, 2 * (i % 2 ? 1 + i / 2 % 2 : 1000 + i), 2);
		ssdc_auto_pass(env->a, missed, missed);
		run(env);
	}
}

/* fifo flushes five pages where lru flushes four, in the long run: is that enough for a change? */
static void expect_change(struct kunit *test, bool change,
			  void (*writes)(struct env *env, u32 nr, u32 others), u32 others)
{
	const char *words = "auto:candidates=fifo+lru,memory=1000,hysteresis=10,goal=flash-writes";
	struct env env = begin(test, words);

	writes(&env, 100 * PERIOD, others);
	KUNIT_EXPECT_EQ(test, env.a->live, change);
	KUNIT_EXPECT_GT(test, env.a->candidates[0].cost, env.a->candidates[1].cost * 10 / 9);
	ssdc_auto_destroy(env.a);
}

/*
 * A difference is enough if the memory is full of writes, and not if a tenth of the requests that
 * it holds are writes.
 */
static void auto_knows_flash_writes_by_writes(struct kunit *test)
{
	expect_change(test, true, write_sometimes, 1);
	expect_change(test, false, write_sometimes, 10);
	/* Two pages of one request are no surer than one. */
	expect_change(test, true, write_pairs, 2);
	expect_change(test, false, write_pairs, 5);
}

/* Writes of fab wait for blocks, those of lru for a page. */
static struct env write_blocks(struct kunit *test, const char *words)
{
	struct env env = begin(test, words);
	u32 i;

	for (i = 0; i < 30 * PERIOD; i++) {
		env.now_ns += 1000000;
		use(&env, SSDC_WRITE, 1000 * (i / 8) + i % 8, 1);
	}
	return env;
}

static void auto_goal_of_the_99th_percentile(struct kunit *test)
{
	struct env p99 = write_blocks(test, "auto:candidates=fab+lru,memory=3000,goal=p99");

	KUNIT_EXPECT_EQ(test, p99.a->live, 1);
	KUNIT_EXPECT_GT(test, p99.a->log[0].costs[0], p99.a->log[0].costs[1]);
	/* No response is longer, so the cost is not the end of a bucket. */
	KUNIT_EXPECT_EQ(test, p99.a->candidates[1].cost, WRITE_NS);
	ssdc_auto_destroy(p99.a);
	/* The memory has room for so many more requests that the difference may be chance. */
	p99 = write_blocks(test, "auto:candidates=fab+lru,memory=1000000,goal=p99");
	KUNIT_EXPECT_EQ(test, p99.a->live, 0);
	KUNIT_EXPECT_GT(test, p99.a->candidates[0].cost, p99.a->candidates[1].cost);
	ssdc_auto_destroy(p99.a);
}

/*
 * Percentiles are computed whenever fifty more reads and writes have ended, and a decision needs a
 * hundred of them.
 */
static void auto_p99_needs_requests(struct kunit *test)
{
	struct env p99 = begin(test, "auto:candidates=fab+lru,period=10,goal=p99");
	u32 i;

	for (i = 0; i < 30 * PERIOD; i++) {
		p99.now_ns += 1000000;
		use(&p99, i % 2 ? SSDC_READ : SSDC_WRITE, i, 1);
	}
	KUNIT_EXPECT_EQ(test, p99.a->stats.periods, 300);
	KUNIT_EXPECT_EQ(test, p99.a->stats.few, 300 - p99.a->nr_decisions);
	KUNIT_EXPECT_GE(test, p99.a->nr_decisions, 55);
	KUNIT_EXPECT_LE(test, p99.a->nr_decisions, 60);
	KUNIT_EXPECT_GE(test, p99.a->log[0].request, 100);
	KUNIT_EXPECT_LE(test, p99.a->log[0].request, 160);
	ssdc_auto_destroy(p99.a);
}

/* For how many hits the cost of reads that missed before them lasts. */
static u32 p99_lasts(struct kunit *test, const char *words)
{
	struct env p99 = begin(test, words);
	const struct ssdc_auto_candidate *lru = &p99.a->candidates[0];
	u32 i, lasted = 0, alone = 0;

	for (i = 0; i < 20 * PERIOD; i++)
		read(&p99, 1000 + i);
	KUNIT_EXPECT_EQ(test, lru->cost, READ_NS);
	KUNIT_EXPECT_EQ(test, lru->period_cost, READ_NS);
	for (i = 0; i < 20 * PERIOD; i++) {
		read(&p99, 1000 + 20 * PERIOD - 1);
		lasted += lru->cost != 0;
		alone += lru->period_cost != 0;
	}
	KUNIT_EXPECT_EQ(test, lru->cost, 0);
	KUNIT_EXPECT_EQ(test, lru->period_cost, 0);
	/* From the second decision on, all reads that have ended since the one before are hits. */
	KUNIT_EXPECT_LE(test, alone, 2 * PERIOD);
	ssdc_auto_destroy(p99.a);
	return lasted;
}

/*
 * A period of 100 keeps two thirds. So the reads that missed are more than a hundredth of what is
 * known for eleven periods, and less after twelve. Periods of ten are added five at a time, which
 * keep (20/21)^5: the reads are more than a hundredth after 18 times, and less after 19.
 */
static void auto_p99_forgets_as_its_memory_says(struct kunit *test)
{
	u32 lasted = p99_lasts(test, "auto:candidates=lru+lfu,period=100,memory=200,goal=p99");

	KUNIT_EXPECT_GE(test, lasted, 11 * PERIOD);
	KUNIT_EXPECT_LE(test, lasted, 12 * PERIOD);
	lasted = p99_lasts(test, "auto:candidates=lru+lfu,period=10,memory=200,goal=p99");
	KUNIT_EXPECT_GE(test, lasted, 18 * 50);
	KUNIT_EXPECT_LE(test, lasted, 20 * 50);
}

/*
 * Two requests of a hundred are slow, and each of the 400 buckets of their times gets one of 20000
 * requests. The 99th percentile is the time that half of them exceed. What is kept of such a bucket
 * must not be rounded away, though a period of this length keeps all but a hundred-thousandth.
 */
static void auto_p99_remembers_rare_times(struct kunit *test)
{
	struct env p99 = begin(test, "auto:candidates=lru,period=10,memory=1000000,goal=p99");
	u32 i, slow, nr = 400;

	for (i = 0; i < 100 * nr; i++) {
		slow = i / 50 % nr;
		ssdc_shadows_set_times(p99.a->shadows, (64 + slow % 64) << (4 + slow / 64),
				       WRITE_NS);
		read(&p99, i % 50 ? 0 : 1000 + i);
	}
	KUNIT_EXPECT_GE(test, p99.a->candidates[0].cost, 70 << 7);
	KUNIT_EXPECT_LE(test, p99.a->candidates[0].cost, 74 << 7);
	ssdc_auto_destroy(p99.a);
}

static void expect_no_decision(struct kunit *test, enum ssdc_op op, const char *words)
{
	struct env env = begin(test, words);
	u32 i;

	for (i = 0; i < 10 * PERIOD; i++) {
		env.now_ns += 1000000;
		use(&env, op, i, op != SSDC_FLUSH);
	}
	KUNIT_EXPECT_EQ_MSG(test, env.a->stats.periods, 10, "%s", words);
	KUNIT_EXPECT_EQ_MSG(test, env.a->stats.few, 10, "%s", words);
	KUNIT_EXPECT_EQ_MSG(test, env.a->nr_decisions, 0, "%s", words);
	ssdc_auto_destroy(env.a);
}

/* A FLUSH and a discard have no cost, and a read writes nothing. */
static void auto_decides_nothing_without_requests(struct kunit *test)
{
	char words[64];
	u32 i;

	for (i = 0; ssdc_auto_goals[i]; i++) {
		scnprintf(words, sizeof(words), "auto:candidates=lru+lfu,goal=%s",
			  ssdc_auto_goals[i]);
		expect_no_decision(test, SSDC_FLUSH, words);
		expect_no_decision(test, SSDC_DISCARD, words);
	}
	expect_no_decision(test, SSDC_READ, "auto:candidates=lru+lfu,goal=flash-writes");
}

/* What the statistic says after many periods of which one request in @gap writes. */
static u64 known_after(struct kunit *test, const char *words, u32 gap)
{
	struct env env = begin(test, words);
	u64 known;

	ssdc_auto_update(env.a);
	KUNIT_EXPECT_EQ(test, env.a->stats.known, 0);
	write_sometimes(&env, 50 * PERIOD, gap);
	ssdc_auto_update(env.a);
	known = env.a->stats.known;
	/* The costs stay, so what is behind them does, too. */
	ssdc_auto_reset_stats(env.a);
	ssdc_auto_update(env.a);
	KUNIT_EXPECT_EQ(test, env.a->stats.known, known);
	ssdc_auto_destroy(env.a);
	return known;
}

/* In the long run the last period as a whole, and as many older requests as the memory holds. */
static void auto_says_how_much_it_knows(struct kunit *test)
{
	u64 requests = known_after(test, "auto:candidates=lru+fifo,memory=1000", 10);
	u64 pages = known_after(test, "auto:candidates=lru+fifo,memory=1000,goal=flash-writes", 10);
	u64 sorted = known_after(test, "auto:candidates=lru+fifo,memory=1000,goal=p99", 10);

	KUNIT_EXPECT_GE(test, requests, 1085);
	KUNIT_EXPECT_LE(test, requests, 1100);
	KUNIT_EXPECT_GE(test, pages, 107);
	KUNIT_EXPECT_LE(test, pages, 110);
	KUNIT_EXPECT_GE(test, sorted, 1085);
	KUNIT_EXPECT_LE(test, sorted, 1100);
}

static struct kunit_case auto_goals_cases[] = {
	KUNIT_CASE(auto_goal_of_flash_writes),
	KUNIT_CASE(auto_knows_flash_writes_by_writes),
	KUNIT_CASE(auto_goal_of_the_99th_percentile),
	KUNIT_CASE(auto_p99_needs_requests),
	KUNIT_CASE(auto_p99_forgets_as_its_memory_says),
	KUNIT_CASE(auto_p99_remembers_rare_times),
	KUNIT_CASE(auto_decides_nothing_without_requests),
	KUNIT_CASE(auto_says_how_much_it_knows),
	{}
};

static struct kunit_suite auto_goals_suite = {
	.name = "ssdcache_auto_goals",
	.test_cases = auto_goals_cases,
};

kunit_test_suite(auto_goals_suite);
