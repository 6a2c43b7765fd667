// SPDX-License-Identifier: GPL-2.0
/*
 * The choice: the terms of a candidate's cost one by one, and decisions on traces whose right
 * answer is known.
 */
#include <kunit/test.h>
#include <linux/string.h>
#include "choice.h"

/* Reads and writes up to now, all of which have ended, took so long together. */
static void expect_response(struct env *env, u64 ns)
{
	const struct ssdc_engine *e = env->a->shadows->shadows[0].e;

	env->now_ns += 1000000;
	use(env, SSDC_FLUSH, 0, 0);
	env->now_ns += 1000000;
	use(env, SSDC_FLUSH, 0, 0);
	/* The second FLUSH goes on as the next request arrives. */
	KUNIT_EXPECT_EQ(env->test, e->host_inflight, 1);
	KUNIT_EXPECT_EQ(env->test,
			e->latency[SSDC_READ].sum_ns + e->latency[SSDC_WRITE].sum_ns, ns);
}

/* ---- terms of the cost ---- */

static void auto_cost_of_hits(struct kunit *test)
{
	struct env env = begin(test, "auto:candidates=lru");

	use(&env, SSDC_WRITE, 0, TIER_PAGES);
	use(&env, SSDC_WRITE, 3, 2);
	use(&env, SSDC_READ, 3, 2);
	expect_response(&env, 0);
	ssdc_auto_destroy(env.a);
}

static void auto_cost_of_misses(struct kunit *test)
{
	struct env env = begin(test, "auto:candidates=lru");

	/* On units of their own: page numbers differ modulo UNITS. */
	use(&env, SSDC_READ, 100, 1);
	use(&env, SSDC_READ, 201, 1);
	expect_response(&env, 2 * READ_NS);
	ssdc_auto_destroy(env.a);
}

static void auto_cost_of_waits(struct kunit *test)
{
	struct env env = begin(test, "auto:candidates=lru");

	/* The second and third read wait for the first ones, on the same unit. */
	use(&env, SSDC_READ, 100, 1);
	use(&env, SSDC_READ, 100 + UNITS, 1);
	use(&env, SSDC_READ, 100 + 2 * UNITS, 1);
	expect_response(&env, (1 + 2 + 3) * READ_NS);
	ssdc_auto_destroy(env.a);
}

/* A write that evicts waits for the pages of the batch, which spread over the units. */
static void auto_cost_of_evictions(struct kunit *test)
{
	struct env env = begin(test, "auto:candidates=lru");
	struct env block = begin(test, "auto:candidates=fab");

	use(&env, SSDC_WRITE, 0, TIER_PAGES);
	use(&env, SSDC_WRITE, 1000, 1);
	KUNIT_EXPECT_EQ(test, env.a->shadows->shadows[0].e->stats.evicted_pages, 1);
	expect_response(&env, WRITE_NS);
	ssdc_auto_destroy(env.a);

	/* The policy evicts the block as a whole: four pages per unit. */
	use(&block, SSDC_WRITE, 0, TIER_PAGES);
	use(&block, SSDC_WRITE, 1000, 1);
	KUNIT_EXPECT_EQ(test, block.a->shadows->shadows[0].e->stats.evicted_pages, TIER_PAGES);
	expect_response(&block, TIER_PAGES / UNITS * WRITE_NS);
	ssdc_auto_destroy(block.a);
}

/* A read misses while pages are written: it waits for the write on its unit. */
static void auto_cost_of_reads_behind_writes(struct kunit *test)
{
	struct env env = begin(test, "auto:candidates=lru");

	use(&env, SSDC_WRITE, 0, TIER_PAGES);
	use(&env, SSDC_WRITE, 1000, 1);		/* its victim is written to unit 0 */
	env.now_ns++;
	use(&env, SSDC_READ, 2000, 1);
	expect_response(&env, WRITE_NS + WRITE_NS - 1 + READ_NS);
	ssdc_auto_destroy(env.a);
}

/* A request that finds no slot waits from its arrival on. */
static void auto_cost_of_waits_for_slots(struct kunit *test)
{
	struct env env = begin(test, "auto:candidates=lru");
	u64 sum = 0;
	u32 i;

	for (i = 0; i < 2 * SSDC_SHADOW_MIN_REQUESTS; i++) {
		use(&env, SSDC_READ, 100 + i * UNITS, 1);
		sum += (i + 1) * READ_NS;
	}
	expect_response(&env, sum);
	ssdc_auto_destroy(env.a);
}

/* ---- decisions ---- */

/*
 * A hot set of 12 pages, each used twice, then 12 pages that are used only once. lfu keeps the hot
 * set; lru has none of it when the scan has passed.
 */
static void hot_phase(struct env *env, u32 requests)
{
	static u64 scan = 10000;
	u32 i = 0;

	for (; requests--; i = (i + 1) % 36)
		read(env, i < 24 ? i / 2 : scan++);
}

/* Each page is used twice, the second time after 8 others; lfu keeps the old hot set instead. */
static void sliding_phase(struct env *env, u32 requests)
{
	static u64 front = 20000000;
	u32 i;

	for (i = 0; i < requests; i++) {
		front += !(i % 2);
		read(env, i % 2 ? front - 4 : front);
	}
}

static void auto_follows_phases(struct kunit *test)
{
	struct env env = begin(test, "auto:candidates=lru+lfu,period=100,memory=100");

	hot_phase(&env, 10 * PERIOD);
	KUNIT_EXPECT_EQ(test, env.a->live, 1);
	KUNIT_EXPECT_EQ(test, env.a->stats.switches, 1);
	/* With this memory half of what was known is forgotten in each period. */
	sliding_phase(&env, 3 * PERIOD);
	KUNIT_EXPECT_EQ(test, env.a->live, 0);
	sliding_phase(&env, 20 * PERIOD);
	KUNIT_EXPECT_EQ(test, env.a->live, 0);
	KUNIT_EXPECT_EQ(test, env.a->stats.switches, 2);
	KUNIT_EXPECT_EQ(test, env.a->stats.periods, 33);
	KUNIT_EXPECT_EQ(test, env.a->candidates[0].live_requests +
			env.a->candidates[1].live_requests, 33 * PERIOD);
	ssdc_auto_destroy(env.a);
}

/*
 * The number that Documentation/auto.md states: a phase that gains as much as the one before lost,
 * however long that was, is noticed within as many requests as the memory has.
 */
static void auto_notices_a_phase_within_its_memory(struct kunit *test)
{
	struct env env = begin(test, "auto:candidates=lru+lfu,period=100,memory=2000");

	hot_phase(&env, 200 * PERIOD);
	KUNIT_EXPECT_EQ(test, env.a->live, 1);
	sliding_phase(&env, 5 * PERIOD);
	KUNIT_EXPECT_EQ(test, env.a->live, 1);
	sliding_phase(&env, 15 * PERIOD);
	KUNIT_EXPECT_EQ(test, env.a->live, 0);
	KUNIT_EXPECT_EQ(test, env.a->stats.switches, 2);
	ssdc_auto_destroy(env.a);
}

/* A period keeps memory / (memory + period) of what was known: here two thirds. */
static void auto_forgets_as_its_memory_says(struct kunit *test)
{
	struct env env = begin(test, "auto:candidates=lru+lfu,period=100,memory=200");
	u32 i;

	for (i = 0; i < PERIOD; i++)
		read(&env, 1000 + i);
	KUNIT_EXPECT_EQ(test, env.a->candidates[0].cost, READ_NS);
	for (i = 0; i < PERIOD; i++)
		read(&env, 1000 + PERIOD - 1);
	KUNIT_EXPECT_EQ(test, env.a->candidates[0].cost, READ_NS * 2 / 5);
	ssdc_auto_destroy(env.a);
}

/* The longest memory with the shortest period: k = 100000 / 100001 is kept, 10000 times. */
static void auto_remembers_as_long_as_it_may(struct kunit *test)
{
	struct env env = begin(test, "auto:candidates=lru,period=10,memory=1000000");
	u32 i;

	for (i = 0; i < 100000; i++)
		read(&env, 1000 + i);
	for (i = 0; i < 100000; i++)
		read(&env, 1000 + 99999);
	/* k^10000 / (1 + k^10000) = 0.475 */
	KUNIT_EXPECT_EQ(test, env.a->candidates[0].cost, READ_NS * 475 / 1000);
	ssdc_auto_destroy(env.a);
}

/*
 * lfu saves up to half of the cost of lru, more than the hysteresis. That is worth a change at once
 * if it is all that the memory holds, and not before more is known if it is a tenth of that.
 */
static void auto_wants_more_while_it_knows_little(struct kunit *test)
{
	struct env little = begin(test,
				  "auto:candidates=lru+lfu,period=100,memory=2000,hysteresis=20");
	struct env all = begin(test, "auto:candidates=lru+lfu,period=100,memory=100,hysteresis=20");

	hot_phase(&little, 2 * PERIOD);
	hot_phase(&all, 2 * PERIOD);
	KUNIT_EXPECT_GT(test, little.a->candidates[0].cost, little.a->candidates[1].cost * 5 / 4);
	KUNIT_EXPECT_EQ(test, little.a->live, 0);
	KUNIT_EXPECT_EQ(test, all.a->live, 1);
	hot_phase(&little, 18 * PERIOD);
	KUNIT_EXPECT_EQ(test, little.a->live, 1);
	KUNIT_EXPECT_EQ(test, little.a->stats.switches, 1);
	ssdc_auto_destroy(little.a);
	ssdc_auto_destroy(all.a);
}

/* lfu costs half as much: enough if all requests are known, not if half of them are. */
static void auto_wants_more_of_a_sample(struct kunit *test)
{
	const char *words = "auto:candidates=lru+lfu,period=100,memory=2000,hysteresis=40";
	struct env sample = begin(test, words), all = begin(test, words);
	u32 i;

	hot_phase(&all, 100 * PERIOD);
	for (i = 0; i < 200; i++) {
		hot_phase(&sample, PERIOD / 2);
		ssdc_auto_pass(sample.a, PERIOD / 2, PERIOD / 2);
	}
	run(&sample);
	KUNIT_EXPECT_EQ(test, all.a->live, 1);
	KUNIT_EXPECT_EQ(test, sample.a->live, 0);
	ssdc_auto_destroy(sample.a);
	ssdc_auto_destroy(all.a);
}

/*
 * 14 hot pages, each used twice, then 3 that are used only once: more pages than the tier has. Each
 * time lru misses all of them, and lfu misses three.
 */
static void clear_phase(struct env *env, u32 requests)
{
	static u64 scan = 30000000;
	u32 i;

	for (i = 0; i < requests; i++)
		read(env, i % 31 < 28 ? i % 31 / 2 : scan++);
}

/* lfu costs less than a third of lru. With 200 of 20000 requests known, even that may be chance. */
static void auto_is_not_sure_at_once(struct kunit *test)
{
	struct env env = begin(test, "auto:candidates=lru+lfu,memory=20000,hysteresis=17");

	clear_phase(&env, 2 * PERIOD);
	KUNIT_EXPECT_GT(test, env.a->candidates[0].cost, env.a->candidates[1].cost * 3);
	KUNIT_EXPECT_EQ(test, env.a->live, 0);
	clear_phase(&env, 3 * PERIOD);
	KUNIT_EXPECT_EQ(test, env.a->live, 1);
	ssdc_auto_destroy(env.a);
}

/* More than the memory makes nothing surer: lfu costs half of lru, not 60 per cent less. */
static void auto_is_never_content_with_less(struct kunit *test)
{
	struct env env = begin(test, "auto:candidates=lru+lfu,memory=10,hysteresis=60");

	hot_phase(&env, 20 * PERIOD);
	KUNIT_EXPECT_GT(test, env.a->candidates[0].cost, env.a->candidates[1].cost * 5 / 4);
	KUNIT_EXPECT_EQ(test, env.a->live, 0);
	ssdc_auto_destroy(env.a);
}

/* Phases of each length alternate; changes that come too late are made ever more rarely. */
static void auto_does_not_flap(struct kunit *test)
{
	u32 phase, i, cycles = 64;

	for (phase = 1; phase <= 4; phase++) {
		struct env env = begin(test, "auto:candidates=lru+lfu,period=100,memory=100");

		for (i = 0; i < cycles; i++) {
			hot_phase(&env, phase * PERIOD);
			sliding_phase(&env, phase * PERIOD);
		}
		KUNIT_EXPECT_LE_MSG(test, env.a->stats.switches, cycles / 4,
				    "phases of %u periods", phase);
		ssdc_auto_destroy(env.a);
	}
}

/* The size of steps does not matter. */
static void auto_decides_alike_in_small_steps(struct kunit *test)
{
	struct env whole = begin(test, "auto:candidates=lru+lfu+fifo,period=100,memory=100");
	struct env small = begin(test, "auto:candidates=lru+lfu+fifo,period=100,memory=100");
	u32 i;

	small.budget = 1;
	for (i = 0; i < 2000; i++) {
		u64 page = i * 2654435761u % (i % 600 < 300 ? 20 : 40);

		read(&whole, page);
		read(&small, page);
	}
	KUNIT_EXPECT_EQ(test, whole.a->nr_decisions, 20);
	KUNIT_EXPECT_EQ(test, small.a->nr_decisions, 20);
	for (i = 0; i < 20; i++)
		KUNIT_EXPECT_EQ(test, memcmp(&whole.a->log[i], &small.a->log[i],
					     sizeof(whole.a->log[i])), 0);
	ssdc_auto_destroy(whole.a);
	ssdc_auto_destroy(small.a);
}

/* Requests that arrive before a period was decided do not count for it. */
static void auto_decides_late_as_in_time(struct kunit *test)
{
	struct env in_time = begin(test, "auto:candidates=lru+lfu,period=100,memory=100");
	struct env late = begin(test, "auto:candidates=lru+lfu,period=100,memory=100");
	u32 i;

	for (i = 0; i < 199; i++) {
		read(&in_time, i % 20);
		late.now_ns += 1000000;
		ssdc_auto_feed(late.a, SSDC_READ, i % 20 * PAGE_SECTORS, PAGE_SECTORS, false,
			       late.now_ns);
	}
	run(&late);
	KUNIT_EXPECT_EQ(test, late.a->nr_decisions, 1);
	KUNIT_EXPECT_EQ(test, memcmp(&in_time.a->log[0], &late.a->log[0],
				     sizeof(late.a->log[0])), 0);
	/* Two more periods end before the next one is decided. */
	for (i = 0; i < 201; i++)
		ssdc_auto_feed(late.a, SSDC_READ, 0, PAGE_SECTORS, false, late.now_ns);
	KUNIT_EXPECT_EQ(test, late.a->stats.late, 2);
	ssdc_auto_destroy(in_time.a);
	ssdc_auto_destroy(late.a);
}

/* What a driver does: it counts requests that are not in the sample, and feeds all others. */
struct counter {
	struct env env;
	u32 requests;
	u64 accesses;
};

static void add_up(struct counter *counter)
{
	ssdc_auto_pass(counter->env.a, counter->requests, counter->accesses);
	counter->requests = 0;
	counter->accesses = 0;
	run(&counter->env);
}

static void count_or_feed(struct counter *counter, enum ssdc_op op, u64 sector, u64 nr_sectors)
{
	struct ssdc_shadows *s = counter->env.a->shadows;

	if (!s->fed || !ssdc_shadow_passes(op, sector, nr_sectors, s->region_shift, s->threshold)) {
		add_up(counter);
		ssdc_auto_feed(counter->env.a, op, sector, nr_sectors, false,
			       counter->env.now_ns);
		return;
	}
	counter->accesses += ssdc_shadow_accesses(sector, nr_sectors, s->page_shift);
	if (++counter->requests == ssdc_auto_left(counter->env.a))
		add_up(counter);
}

static void sample_half(struct ssdc_auto *a)
{
	u32 i;

	a->shadows->threshold = 1ULL << 31;
	for (i = 0; i < a->shadows->nr; i++)
		a->shadows->shadows[i].threshold = a->shadows->threshold;
}

/* Counting requests of which nothing is in the sample is the same as feeding them. */
static void auto_passes_as_if_fed(struct kunit *test)
{
	struct env fed = begin(test, "auto:candidates=lru+lfu,period=100,memory=100,region=4");
	struct counter counter = {
		.env = begin(test, "auto:candidates=lru+lfu,period=100,memory=100,region=4"),
	};
	u32 i;

	sample_half(fed.a);
	sample_half(counter.env.a);
	for (i = 0; i < 950; i++) {
		enum ssdc_op op = i % 100 == 50 ? SSDC_FLUSH : i % 3 ? SSDC_READ : SSDC_WRITE;
		u64 sector = op == SSDC_FLUSH ? 0 : i * 37 % 53 * PAGE_SECTORS + i % 8;
		u64 nr_sectors = op == SSDC_FLUSH ? 0 : 1 + i % 11;

		fed.now_ns += 500;
		counter.env.now_ns = fed.now_ns;
		ssdc_auto_feed(fed.a, op, sector, nr_sectors, false, fed.now_ns);
		run(&fed);
		count_or_feed(&counter, op, sector, nr_sectors);
	}
	add_up(&counter);
	KUNIT_EXPECT_GT(test, fed.a->nr_decisions, 5);
	KUNIT_EXPECT_EQ(test, fed.a->nr_decisions, counter.env.a->nr_decisions);
	KUNIT_EXPECT_EQ(test, memcmp(fed.a->log, counter.env.a->log,
				     SSDC_AUTO_LOG * sizeof(*fed.a->log)), 0);
	KUNIT_EXPECT_EQ(test, counter.env.a->stats.requests, 950);
	KUNIT_EXPECT_EQ(test, counter.env.a->stats.periods, fed.a->stats.periods);
	KUNIT_EXPECT_EQ(test, counter.env.a->shadows->stats.records, fed.a->shadows->stats.records);
	KUNIT_EXPECT_LT(test, fed.a->shadows->stats.records, 950);
	KUNIT_EXPECT_EQ(test, counter.env.a->shadows->stats.accesses,
			fed.a->shadows->stats.accesses);
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, counter.env.a->candidates[i].live_requests,
				fed.a->candidates[i].live_requests);
	ssdc_auto_destroy(fed.a);
	ssdc_auto_destroy(counter.env.a);
}

/* Several CPUs may count beyond the end of a period: the rest is part of the next ones. */
static void auto_passes_beyond_a_period(struct kunit *test)
{
	struct env env = begin(test, "auto:candidates=lru+lfu,period=100,memory=100");

	read(&env, 0);
	KUNIT_EXPECT_EQ(test, ssdc_auto_left(env.a), 99);
	ssdc_auto_pass(env.a, 98, 98);
	KUNIT_EXPECT_FALSE(test, ssdc_auto_is_due(env.a));
	KUNIT_EXPECT_EQ(test, ssdc_auto_left(env.a), 1);
	ssdc_auto_pass(env.a, 31, 62);
	KUNIT_EXPECT_TRUE(test, ssdc_auto_is_due(env.a));
	KUNIT_EXPECT_EQ(test, ssdc_auto_left(env.a), 70);
	KUNIT_EXPECT_EQ(test, env.a->stats.periods, 1);
	KUNIT_EXPECT_EQ(test, env.a->end_request, 100);
	run(&env);
	KUNIT_EXPECT_FALSE(test, ssdc_auto_is_due(env.a));
	ssdc_auto_pass(env.a, 275, 0);
	KUNIT_EXPECT_EQ(test, env.a->stats.periods, 4);
	KUNIT_EXPECT_EQ(test, env.a->stats.late, 2);
	KUNIT_EXPECT_EQ(test, ssdc_auto_left(env.a), 95);
	KUNIT_EXPECT_EQ(test, env.a->stats.requests, 405);
	KUNIT_EXPECT_EQ(test, env.a->shadows->stats.accesses, 161);
	KUNIT_EXPECT_EQ(test, env.a->candidates[0].live_requests, 405);
	ssdc_auto_destroy(env.a);
}

static void auto_keeps_what_cannot_be_changed(struct kunit *test)
{
	struct env env = begin(test, "auto:candidates=lru+lfu,period=100,memory=100");

	while (!ssdc_auto_wanted(env.a) && env.a->stats.requests < 10 * PERIOD) {
		static u64 scan = 10000;
		u32 i = env.a->stats.requests % 36;

		env.now_ns += 1000000;
		ssdc_auto_feed(env.a, SSDC_READ, (i < 24 ? i / 2 : scan++) * PAGE_SECTORS,
			       PAGE_SECTORS, false, env.now_ns);
		while (ssdc_auto_step(env.a, 1))
			;
	}
	KUNIT_ASSERT_NOT_NULL(test, ssdc_auto_wanted(env.a));
	KUNIT_EXPECT_STREQ(test, ssdc_auto_wanted(env.a)->replacement, "lfu");
	ssdc_auto_switched(env.a, false);
	KUNIT_EXPECT_NULL(test, ssdc_auto_wanted(env.a));
	KUNIT_EXPECT_EQ(test, env.a->live, 0);
	KUNIT_EXPECT_EQ(test, env.a->stats.failed, 1);
	KUNIT_EXPECT_EQ(test, env.a->stats.switches, 0);
	ssdc_auto_destroy(env.a);
}

/* A change that was not made is no change that a later one can take back. */
static void auto_patience_counts_changes_made(struct kunit *test)
{
	struct env env = begin(test, "auto:candidates=lru+lfu,period=100,memory=100");
	u32 i;

	hot_phase(&env, 10 * PERIOD);
	KUNIT_ASSERT_EQ(test, env.a->live, 1);
	KUNIT_ASSERT_EQ(test, env.a->patience, 1);
	env.refuse = true;
	for (i = 0; i < 3; i++) {
		sliding_phase(&env, 3 * PERIOD);
		hot_phase(&env, 10 * PERIOD);
	}
	KUNIT_EXPECT_GE(test, env.a->stats.failed, 3);
	KUNIT_EXPECT_EQ(test, env.a->stats.switches, 1);
	KUNIT_EXPECT_EQ(test, env.a->patience, 1);
	ssdc_auto_destroy(env.a);
}

/* With change=off the costs are known, and decisions are made, but nothing changes. */
static void auto_changes_nothing_if_told_so(struct kunit *test)
{
	struct env env = begin(test, "auto:candidates=lru+lfu,period=100,memory=100,change=off");

	hot_phase(&env, 10 * PERIOD);
	KUNIT_EXPECT_EQ(test, env.a->live, 0);
	KUNIT_EXPECT_EQ(test, env.a->stats.switches, 0);
	KUNIT_EXPECT_EQ(test, env.a->nr_decisions, 10);
	KUNIT_EXPECT_EQ(test, env.a->log[9].from, 0);
	KUNIT_EXPECT_EQ(test, env.a->log[9].to, 1);
	KUNIT_EXPECT_GT(test, env.a->candidates[0].cost, env.a->candidates[1].cost);
	ssdc_auto_destroy(env.a);
}

/* The time of the first request is the shadows' time 0. */
static void auto_needs_no_clock_of_its_own(struct kunit *test)
{
	struct env early = begin(test, "auto:candidates=lru+lfu+ecr,period=100,memory=100");
	struct env later = begin(test, "auto:candidates=lru+lfu+ecr,period=100,memory=100");
	u32 i;

	later.now_ns = 123456789012345;
	for (i = 0; i < 1000; i++) {
		early.now_ns += 300;
		later.now_ns += 300;
		use(&early, i % 3 ? SSDC_READ : SSDC_WRITE, i * 2654435761u % 40, 1);
		use(&later, i % 3 ? SSDC_READ : SSDC_WRITE, i * 2654435761u % 40, 1);
	}
	KUNIT_EXPECT_EQ(test, early.a->nr_decisions, 10);
	KUNIT_EXPECT_EQ(test, memcmp(early.a->log, later.a->log, 10 * sizeof(early.a->log[0])), 0);
	ssdc_auto_destroy(early.a);
	ssdc_auto_destroy(later.a);
}

/* Costs of the last period, and of all; counters begin anew after a reset, and the costs stay. */
static void auto_reports(struct kunit *test)
{
	struct env env = begin(test, "auto:candidates=lru+lfu,period=100,memory=100");
	u32 i;

	for (i = 0; i < PERIOD; i++)
		read(&env, 1000 + i);
	KUNIT_EXPECT_EQ(test, env.a->candidates[0].period_cost, READ_NS);
	KUNIT_EXPECT_EQ(test, env.a->candidates[0].cost, READ_NS);
	for (i = 0; i < PERIOD; i++)
		read(&env, 1000 + PERIOD - 1);
	KUNIT_EXPECT_EQ(test, env.a->candidates[0].period_cost, 0);
	KUNIT_EXPECT_GT(test, env.a->candidates[0].cost, 0);
	KUNIT_EXPECT_LT(test, env.a->candidates[0].cost, READ_NS);
	ssdc_auto_update(env.a);
	KUNIT_EXPECT_EQ(test, env.a->stats.records, 2 * PERIOD);
	KUNIT_EXPECT_EQ(test, env.a->stats.accesses, 2 * PERIOD);
	KUNIT_EXPECT_EQ(test, env.a->stats.queued, 0);
	ssdc_auto_feed(env.a, SSDC_READ, 0, 1, false, env.now_ns);
	ssdc_auto_update(env.a);
	KUNIT_EXPECT_EQ(test, env.a->stats.queued, 1);
	for (i = 0; i < RING; i++)
		ssdc_auto_feed(env.a, SSDC_READ, 0, 1, false, env.now_ns);
	ssdc_auto_update(env.a);
	KUNIT_EXPECT_EQ(test, env.a->stats.queued, RING);
	KUNIT_EXPECT_EQ(test, env.a->stats.dropped, 1);
	KUNIT_EXPECT_EQ(test, env.a->stats.read_ns, READ_NS);
	KUNIT_EXPECT_EQ(test, env.a->stats.write_ns, WRITE_NS);
	run(&env);
	KUNIT_EXPECT_GT(test, env.a->stats.memory_bytes, 0);
	ssdc_auto_reset_stats(env.a);
	read(&env, 1);
	ssdc_auto_update(env.a);
	KUNIT_EXPECT_EQ(test, env.a->stats.requests, 1);
	KUNIT_EXPECT_EQ(test, env.a->stats.records, 1);
	KUNIT_EXPECT_EQ(test, env.a->stats.dropped, 0);
	KUNIT_EXPECT_EQ(test, env.a->stats.periods, 0);
	KUNIT_EXPECT_EQ(test, env.a->candidates[0].live_requests, 1);
	KUNIT_EXPECT_GT(test, env.a->candidates[0].cost, 0);
	ssdc_auto_destroy(env.a);
}

static u64 memory_beside_shadows(struct kunit *test, const char *words)
{
	struct env env = begin(test, words);
	u64 bytes;

	ssdc_auto_update(env.a);
	bytes = env.a->stats.memory_bytes - env.a->shadows->stats.memory_bytes;
	ssdc_auto_destroy(env.a);
	return bytes;
}

/* A percentile takes two sets of buckets for each candidate, and one more. */
static void auto_memory(struct kunit *test)
{
	u64 mean = memory_beside_shadows(test, "auto:candidates=lru+lfu+fifo");
	u64 p99 = memory_beside_shadows(test, "auto:candidates=lru+lfu+fifo,goal=p99");

	KUNIT_EXPECT_EQ(test, mean, sizeof(struct ssdc_auto) +
			3 * (2 * sizeof(struct ssdc_auto_sum) +
			     sizeof(struct ssdc_auto_candidate)) +
			SSDC_AUTO_LOG * sizeof(struct ssdc_auto_decision));
	KUNIT_EXPECT_EQ(test, p99 - mean, sizeof(struct ssdc_histogram) +
			3 * sizeof(struct ssdc_auto_responses));
}

/* The rate of the shadow of 1600 pages, and of its regions. */
static void expect_shadow(struct kunit *test, const char *words, u32 rate_ppm, u32 region_kib)
{
	static const struct driver driver = { 1600, 250000, 320, 256 * 1024 };
	struct ssdc_auto *a;

	KUNIT_ASSERT_EQ(test, try_create(test, words, &driver, &a), 0);
	KUNIT_EXPECT_EQ_MSG(test, a->shadows->shadows[0].stats.rate_ppm, rate_ppm, "%s", words);
	KUNIT_EXPECT_EQ_MSG(test, 1u << a->shadows->region_shift, 2 * region_kib, "%s", words);
	ssdc_auto_destroy(a);
}

/* Words say how shadows are made; those at their defaults leave that to the driver. */
static void auto_words_of_shadows(struct kunit *test)
{
	struct env env = begin(test, "auto:candidates=lru,read_us=1,pages=12");
	const struct ssdc_shadow *shadow = &env.a->shadows->shadows[0];

	KUNIT_EXPECT_EQ(test, shadow->origin.read_ns, 1000);
	KUNIT_EXPECT_EQ(test, shadow->origin.write_ns, WRITE_NS);
	KUNIT_EXPECT_EQ(test, shadow->stats.rate_ppm, SSDC_SHADOW_WHOLE);
	ssdc_auto_destroy(env.a);

	env = begin(test, "auto:candidates=lru,write_us=2");
	shadow = &env.a->shadows->shadows[0];
	KUNIT_EXPECT_EQ(test, shadow->origin.read_ns, READ_NS);
	KUNIT_EXPECT_EQ(test, shadow->origin.write_ns, 2000);
	ssdc_auto_destroy(env.a);

	expect_shadow(test, "auto:candidates=lru", 250000, 256);
	expect_shadow(test, "auto:candidates=lru,rate=500000", 500000, 256);
	expect_shadow(test, "auto:candidates=lru,rate=100000", 200000, 256);
	expect_shadow(test, "auto:candidates=lru,pages=800", 500000, 256);
	expect_shadow(test, "auto:candidates=lru,rate=100000,pages=80", 100000, 256);
	expect_shadow(test, "auto:candidates=lru,region=64", 250000, 64);
}

/* Nothing is due but at the end of a period, or as the ring fills. */
static void auto_is_due(struct kunit *test)
{
	struct env env = begin(test, "auto:candidates=lru,period=1000");
	u32 i;

	for (i = 0; i < 1000; i++) {
		KUNIT_EXPECT_EQ(test, ssdc_auto_is_due(env.a), i > 127);
		ssdc_auto_feed(env.a, SSDC_READ, 0, 1, false, i);
	}
	run(&env);
	KUNIT_EXPECT_FALSE(test, ssdc_auto_is_due(env.a));
	for (i = 0; i < 100; i++)
		ssdc_auto_feed(env.a, SSDC_READ, 0, 1, false, 1000 + i);
	KUNIT_EXPECT_FALSE(test, ssdc_auto_is_due(env.a));
	KUNIT_EXPECT_TRUE(test, ssdc_auto_has_work(env.a));
	run(&env);
	for (i = 100; i < 1000; i++) {
		ssdc_auto_feed(env.a, SSDC_READ, 0, 1, false, 1000 + i);
		while (i < 999 && ssdc_auto_has_work(env.a))
			ssdc_auto_step(env.a, 100);
	}
	KUNIT_EXPECT_TRUE(test, ssdc_auto_is_due(env.a));
	ssdc_auto_destroy(env.a);
}

static void auto_refuses_unknown_candidates(struct kunit *test)
{
	struct ssdc_auto *a;

	KUNIT_EXPECT_NE(test, try_create(test, "auto:candidates=lru+nosuch", &usual, &a), 0);
	KUNIT_EXPECT_NE(test, try_create(test, "auto:candidates=lru/nosuch", &usual, &a), 0);
}

static struct kunit_case auto_cases[] = {
	KUNIT_CASE(auto_cost_of_hits),
	KUNIT_CASE(auto_cost_of_misses),
	KUNIT_CASE(auto_cost_of_waits),
	KUNIT_CASE(auto_cost_of_evictions),
	KUNIT_CASE(auto_cost_of_reads_behind_writes),
	KUNIT_CASE(auto_cost_of_waits_for_slots),
	KUNIT_CASE(auto_follows_phases),
	KUNIT_CASE(auto_notices_a_phase_within_its_memory),
	KUNIT_CASE(auto_forgets_as_its_memory_says),
	KUNIT_CASE(auto_remembers_as_long_as_it_may),
	KUNIT_CASE(auto_wants_more_while_it_knows_little),
	KUNIT_CASE(auto_wants_more_of_a_sample),
	KUNIT_CASE(auto_is_not_sure_at_once),
	KUNIT_CASE(auto_is_never_content_with_less),
	KUNIT_CASE(auto_does_not_flap),
	KUNIT_CASE(auto_decides_alike_in_small_steps),
	KUNIT_CASE(auto_decides_late_as_in_time),
	KUNIT_CASE(auto_passes_as_if_fed),
	KUNIT_CASE(auto_passes_beyond_a_period),
	KUNIT_CASE(auto_keeps_what_cannot_be_changed),
	KUNIT_CASE(auto_patience_counts_changes_made),
	KUNIT_CASE(auto_changes_nothing_if_told_so),
	KUNIT_CASE(auto_needs_no_clock_of_its_own),
	KUNIT_CASE(auto_reports),
	KUNIT_CASE(auto_memory),
	KUNIT_CASE(auto_words_of_shadows),
	KUNIT_CASE(auto_is_due),
	KUNIT_CASE(auto_refuses_unknown_candidates),
	{}
};

static struct kunit_suite auto_suite = {
	.name = "ssdcache_auto",
	.test_cases = auto_cases,
};

kunit_test_suite(auto_suite);
