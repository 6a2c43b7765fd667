// SPDX-License-Identifier: GPL-2.0
/*
 * L-CoRW: the states of Table III, the eight actions, and equations 1 and 2 of [Zhou23] worked
 * out by hand.
 */
#include "../engine/driver.h"

#define US 1000ULL
#define PAGE 8		/* sectors */

/* End the current interval at its time. */
static void tick(struct td *td)
{
	u64 tick_ns = td->e->admission->tick_at_ns;

	KUNIT_ASSERT_GE(td->test, tick_ns, td->now_ns);
	td->now_ns = tick_ns;
	td_background(td);
	td_settle(td);
}

/* Write one cached page; the copy takes the given time. */
static void slow_write(struct td *td, u64 latency_ns)
{
	struct td_host *host = td_begin(td, SSDC_WRITE, 0, PAGE);

	td->now_ns += latency_ns;
	KUNIT_ASSERT_EQ(td->test, td_run(td, host), SSDC_COMPLETE);
	td_put(td, host);
}

/* Read a page that is not cached; the origin takes the given time. */
static void slow_read(struct td *td, u64 page, u64 latency_ns)
{
	struct td_host *host = td_read_page(td, page);

	td->now_ns += latency_ns;
	td_settle(td);
	TD_EXPECT_DONE(td, host);
}

static void slow_writes(struct td *td, u32 nr, u64 latency_ns)
{
	while (nr--)
		slow_write(td, latency_ns);
}

/* 99 requests of 100 us and one of 1000 us. */
static void hundred_writes(struct td *td)
{
	slow_writes(td, 99, 100 * US);
	slow_write(td, 1000 * US);
}

/*
 * mean		109 us, of 800 sectors: 109 000 000 ps / (800 / 2048 MiB) = 279 040 000 ps/MiB
 * p99		100 us; its bucket ends at 100.351 us
 * max		1000 us
 * equation 2	1/2 * 279 040 000 + 1/2 * 279 040 000 * 100.351 / 1000 = 153 520 971;
 *		fixed point uses 6576 / 2^16 for the ratio
 */
#define PENALTY		153519687ULL
#define PENALTY_MEAN	279040000ULL
#define PENALTY_TAIL	27999375ULL

/* ---- states ---- */

static void l_corw_starts_in_the_lowest_state(struct kunit *test)
{
	struct td *td = td_admission(test, "l-corw");

	TD_EXPECT_ADMISSION_STAT(td, "state", 0);
	TD_EXPECT_ADMISSION_STAT(td, "action", 1);
	TD_EXPECT_ADMISSION_STAT(td, "tt", 128);
	TD_EXPECT_ADMISSION_STAT(td, "rt", 64);
	TD_EXPECT_ADMISSION_STAT(td, "ct", 70);
	KUNIT_EXPECT_EQ(test, td_background(td), SSDC_NEVER);
}

struct traffic {
	u32 reads;		/* pages */
	u32 writes;
	u32 state;
};

static const struct traffic traffics[] = {
	{ 0, 1, 0 }, { 9, 1, 0 }, { 10, 1, 100 }, { 19, 2, 0 }, { 20, 2, 100 },
	{ 99, 1, 100 }, { 100, 1, 200 }, { 1, 0, 200 },
};

static void traffic_desc(const struct traffic *t, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u reads, %u writes", t->reads, t->writes);
}

KUNIT_ARRAY_PARAM(traffic, traffics, traffic_desc);

/* First digit: T_r / T_w. Each page is accessed once, so Ra is 0 and so is the second digit. */
static void l_corw_traffic_digit(struct kunit *test)
{
	const struct traffic *t = test->param_value;
	struct td *td = td_admission(test, "l-corw");

	if (t->writes)
		td_submit(td, SSDC_WRITE, 0, t->writes * PAGE);
	if (t->reads)
		td_submit(td, SSDC_READ, 16 * PAGE, t->reads * PAGE);
	td_settle(td);
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "state", t->state);
}

/* Second digit: Ra_r / Ra_w. One of 40 page writes is a rewrite, so Ra_w is .025. */
static void l_corw_locality_digit(struct kunit *test)
{
	struct td *td = td_admission(test, "l-corw");

	td_submit(td, SSDC_WRITE, 0, 7 * PAGE);
	td_submit(td, SSDC_WRITE, 0, PAGE);
	td_submit(td, SSDC_WRITE, 32 * PAGE, 32 * PAGE);
	td_settle(td);
	/* 3 of 12 is .25, ten times that. */
	td_submit(td, SSDC_READ, 100 * PAGE, 9 * PAGE);
	td_submit(td, SSDC_READ, 100 * PAGE, 2 * PAGE);
	td_settle(td);
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "write_rar", 25000);
	KUNIT_EXPECT_EQ(test, td_admission_stat(td, "state") / 10 % 10, 0ULL);
	td_submit(td, SSDC_READ, 100 * PAGE, PAGE);
	td_settle(td);
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "read_rar", 250000);
	KUNIT_EXPECT_EQ(test, td_admission_stat(td, "state") / 10 % 10, 1ULL);
}

/* Third digit: C_r of 16 pages: 5 are less than .33, 6 are not; 10 are less than .66, 11 not. */
static void l_corw_clean_digit(struct kunit *test)
{
	static const u32 clean[] = { 0, 5, 6, 10, 11, 16 };
	static const u32 digit[] = { 0, 0, 1, 1, 2, 2 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(clean); i++) {
		struct td *td = td_admission(test, "l-corw");

		td_submit(td, SSDC_WRITE, 0, 16 * PAGE);
		td_clean_all(td);
		if (clean[i] < 16)
			td_submit(td, SSDC_WRITE, 0, (16 - clean[i]) * PAGE);
		tick(td);
		KUNIT_EXPECT_EQ_MSG(test, td_admission_stat(td, "state") % 10, (u64)digit[i],
				    "%u clean", clean[i]);
		TD_EXPECT_ADMISSION_STAT(td, "clean_ratio", clean[i] * 1000 / 16);
		td_exit(test);
	}
}

/* ---- actions ---- */

/* Untried actions cost nothing: with equal latencies each is tried once, as in Table II. */
static void l_corw_actions_in_order(struct kunit *test)
{
	static const u32 groups[8][3] = {
		{ 128, 64, 70 }, { 128, 64, 30 }, { 128, 16, 70 }, { 128, 16, 30 },
		{ 8, 64, 70 }, { 8, 64, 30 }, { 8, 16, 70 }, { 8, 16, 30 },
	};
	struct td *td = td_admission(test, "l-corw");
	unsigned int i;

	for (i = 0; i < 8; i++) {
		TD_EXPECT_ADMISSION_STAT(td, "state", 0);
		TD_EXPECT_ADMISSION_STAT(td, "action", i + 1);
		TD_EXPECT_ADMISSION_STAT(td, "tt", groups[i][0]);
		TD_EXPECT_ADMISSION_STAT(td, "rt", groups[i][1]);
		TD_EXPECT_ADMISSION_STAT(td, "ct", groups[i][2]);
		hundred_writes(td);
		tick(td);
		KUNIT_EXPECT_EQ(test, td_admission_row(td, "chosen", i), 1ULL);
	}
	TD_EXPECT_ADMISSION_STAT(td, "updates", 8);
	/* The ninth interval uses the first action again. */
	KUNIT_EXPECT_EQ(test, td_admission_row(td, "chosen", 0), 2ULL);
	KUNIT_EXPECT_EQ(test, td_admission_row(td, "visits", 0), 9ULL);
}

static void l_corw_levels_are_tunables(struct kunit *test)
{
	struct td *td = td_admission(test, "l-corw:tt_high=100,rt_high=99,ct_high=98,ct_low=1");

	TD_EXPECT_ADMISSION_STAT(td, "tt", 100);
	TD_EXPECT_ADMISSION_STAT(td, "rt", 99);
	TD_EXPECT_ADMISSION_STAT(td, "ct", 98);
	hundred_writes(td);
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "ct", 1);
}

/* ---- reward ---- */

static void l_corw_reward(struct kunit *test)
{
	static const char *const specs[] = { "l-corw", "l-corw:weight=100", "l-corw:weight=0" };
	static const u64 penalties[] = { PENALTY, PENALTY_MEAN, PENALTY_TAIL };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(specs); i++) {
		struct td *td = td_admission(test, specs[i]);

		hundred_writes(td);
		tick(td);
		TD_EXPECT_ADMISSION_STAT(td, "mean_latency", 109 * US);
		TD_EXPECT_ADMISSION_STAT(td, "tail_latency", 100351);
		TD_EXPECT_ADMISSION_STAT(td, "penalty", penalties[i]);
		td_exit(test);
	}
}

/* T is the traffic of the requests that ended: doubling it halves the penalty. */
static void l_corw_reward_by_traffic(struct kunit *test)
{
	struct td *td = td_admission(test, "l-corw:weight=100");
	struct td_host *host = td_begin(td, SSDC_WRITE, 0, 2 * PAGE);

	td->now_ns += 50 * US;
	td_run(td, host);
	tick(td);
	/* 50 us / (16 / 2048 MiB) */
	TD_EXPECT_ADMISSION_STAT(td, "penalty", 6400000000ULL);
	slow_write(td, 50 * US);
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "penalty", 12800000000ULL);
}

static void l_corw_no_latency_no_penalty(struct kunit *test)
{
	struct td *td = td_admission(test, "l-corw");

	slow_write(td, 0);
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "penalty", 0);
	TD_EXPECT_ADMISSION_STAT(td, "updates", 1);
}

/*
 * As if a device had stopped for 73 minutes while 2^22 requests came: their latencies add up to
 * more than 2^64 ns.
 */
static void l_corw_latencies_beyond_64_bits(struct kunit *test)
{
	const struct ssdc_host_request rq = { .op = SSDC_WRITE, .nr_sectors = PAGE };
	struct td *td = td_admission(test, "l-corw:weight=100");
	const u64 latency_ns = 1ULL << 42;
	const u32 nr = (1u << 22) + 1;
	u32 i;

	for (i = 0; i < nr; i++)
		ssdc_admission_ended(td->e->admission, &rq, td->now_ns, latency_ns);
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "mean_latency", latency_ns);
	TD_EXPECT_ADMISSION_STAT(td, "penalty", div64_u64(latency_ns * 1000 * 2048, PAGE * nr));
}

/* Penalties of very slow requests saturate. */
static void l_corw_penalty_is_bounded(struct kunit *test)
{
	struct td *td = td_admission(test, "l-corw:gamma=90,lambda=100");
	unsigned int i;

	for (i = 0; i < 100; i++) {
		struct td_host *host = td_begin(td, SSDC_WRITE, 0, 1);

		td->now_ns += 1ULL << 50;
		td_run(td, host);
		td_put(td, host);
		td_background(td);
		TD_EXPECT_ADMISSION_STAT(td, "penalty", 1ULL << 53);
	}
	/* Costs approach ten times that. */
	KUNIT_EXPECT_GT(test, td_admission_row(td, "q_000", 0), 5ULL << 53);
	KUNIT_EXPECT_LT(test, td_admission_row(td, "q_000", 0), 10ULL << 53);
}

/* ---- learning ---- */

/* Q(s, a) += 0.9 * (r + 0.1 * max Q(s', .) - Q(s, a)), with s' = s */
static void l_corw_worked_update(struct kunit *test)
{
	struct td *td = td_admission(test, "l-corw");
	unsigned int i;

	/* Untried actions are best in s', so only r counts: 0.9 * 153 519 687 = 138 167 718.3 */
	for (i = 0; i < 8; i++) {
		KUNIT_EXPECT_EQ(test, td_admission_row(td, "q_000", i), 0ULL);
		hundred_writes(td);
		tick(td);
		KUNIT_EXPECT_EQ(test, td_admission_row(td, "q_000", i), 138167718ULL);
	}
	/* Now all cost the same: 0.1 * 138 167 718 + 0.9 * (153 519 687 + 0.1 * 138 167 718) */
	hundred_writes(td);
	tick(td);
	KUNIT_EXPECT_EQ(test, td_admission_row(td, "q_000", 0), 164419584ULL);
	TD_EXPECT_ADMISSION_STAT(td, "action", 2);
}

static void l_corw_rates_are_tunables(struct kunit *test)
{
	struct td *td = td_admission(test, "l-corw:lambda=50,gamma=0");

	hundred_writes(td);
	tick(td);
	KUNIT_EXPECT_EQ(test, td_admission_row(td, "q_000", 0), PENALTY / 2);
}

/* Action 3 is twice as fast: once all actions were tried it is kept. */
static void l_corw_keeps_to_the_best(struct kunit *test)
{
	struct td *td = td_admission(test, "l-corw");
	unsigned int i;

	for (i = 0; i < 20; i++) {
		bool third = td_admission_stat(td, "action") == 3;

		slow_writes(td, 10, (third ? 50 : 100) * US);
		tick(td);
	}
	TD_EXPECT_ADMISSION_STAT(td, "action", 3);
	for (i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ(test, td_admission_row(td, "chosen", i), i == 2 ? 14ULL : 1ULL);
}

/* An interval is learned for the state it was spent in, and looks ahead to the next state. */
static void l_corw_update_across_states(struct kunit *test)
{
	struct td *td = td_admission(test, "l-corw:gamma=50,lambda=100,weight=100");
	u64 page = 10;

	/* In state 000, leading to 200: 75 us / (8 / 2048 MiB) */
	slow_read(td, page++, 75 * US);
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "state", 200);
	KUNIT_EXPECT_EQ(test, td_admission_row(td, "q_000", 0), 19200000000ULL);
	/* In state 200, all eight actions; each leads to 200 again. */
	while (td_admission_stat(td, "updates") < 9) {
		slow_read(td, page++, 100 * US);
		tick(td);
		TD_EXPECT_ADMISSION_STAT(td, "state", 200);
	}
	KUNIT_EXPECT_EQ(test, td_admission_row(td, "q_200", 0), 25600000000ULL);
	KUNIT_EXPECT_EQ(test, td_admission_row(td, "q_200", 7), 25600000000ULL);
	/* From 200 to 000, where action 2 is untried, so nothing is added to 25600000000. */
	slow_write(td, 100 * US);
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "state", 0);
	KUNIT_EXPECT_EQ(test, td_admission_row(td, "q_200", 0), 25600000000ULL);
	/* From 000 by action 2 back to 200, whose best cost is 25600000000. */
	TD_EXPECT_ADMISSION_STAT(td, "action", 2);
	slow_read(td, page, 100 * US);
	tick(td);
	KUNIT_EXPECT_EQ(test, td_admission_row(td, "q_000", 1),
			25600000000ULL + 12800000000ULL);
}

/* No request ended: nothing is learned, even though there was traffic. */
static void l_corw_waits_for_an_end(struct kunit *test)
{
	struct td *td = td_admission(test, "l-corw");
	struct td_host *read = td_read_page(td, 0);

	td->now_ns = td->e->admission->tick_at_ns;
	td_background(td);
	TD_EXPECT_ADMISSION_STAT(td, "ticks", 1);
	TD_EXPECT_ADMISSION_STAT(td, "updates", 0);
	TD_EXPECT_ADMISSION_STAT(td, "state", 200);
	/* The scheme sleeps until the end of the request wakes it. */
	td->now_ns += 200000 * US;
	KUNIT_EXPECT_EQ(test, td_background(td), SSDC_NEVER);
	td->now_ns += 900000 * US;
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "updates", 1);
	TD_EXPECT_ADMISSION_STAT(td, "mean_latency", 1300000 * US);
}

static void l_corw_reset_keeps_what_was_learned(struct kunit *test)
{
	struct td *td = td_admission(test, "l-corw");

	hundred_writes(td);
	tick(td);
	ssdc_reset_stats(td->e);
	KUNIT_EXPECT_EQ(test, td_admission_row(td, "q_000", 0), 138167718ULL);
	KUNIT_EXPECT_EQ(test, td_admission_row(td, "visits", 0), 0ULL);
	KUNIT_EXPECT_EQ(test, td_admission_row(td, "chosen", 1), 0ULL);
	TD_EXPECT_ADMISSION_STAT(td, "updates", 0);
	TD_EXPECT_ADMISSION_STAT(td, "action", 2);
}

/* ---- exploration ---- */

static u64 drawn_actions(struct kunit *test, const char *spec)
{
	struct td *td = td_admission(test, spec);
	u64 actions = 0;
	unsigned int i;

	for (i = 0; i < 10; i++) {
		actions = actions * 10 + td_admission_stat(td, "action");
		slow_write(td, 100 * US);
		tick(td);
	}
	TD_EXPECT_ADMISSION_STAT(td, "drawn", 11);
	td_exit(test);
	return actions;
}

/* splitmix64, two draws per interval: whether to draw an action, and which. */
static void l_corw_draws_by_seed(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, drawn_actions(test, "l-corw:epsilon=1000"), 6475755278ULL);
	KUNIT_EXPECT_EQ(test, drawn_actions(test, "l-corw:epsilon=1000,seed=2"), 6736643232ULL);
}

static void l_corw_seed_starts_anew(struct kunit *test)
{
	struct td *td = td_admission(test, "l-corw:epsilon=1000");
	const struct ssdc_plugin_info *info = &td->e->admission->plugin.type->info;
	const struct ssdc_tunable *seed = ssdc_tunable_find(info->tunables, info->nr_tunables,
							    "seed", 4);

	KUNIT_ASSERT_NOT_NULL(test, seed);
	slow_write(td, 100 * US);
	tick(td);
	*ssdc_tunable_at(seed, td->e->admission) = 2;
	ssdc_plugin_tuned(&td->e->admission->plugin);
	slow_write(td, 100 * US);
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "action", 6);
	/* Other tunables do not affect the draws. */
	ssdc_plugin_tuned(&td->e->admission->plugin);
	slow_write(td, 100 * US);
	tick(td);
	TD_EXPECT_ADMISSION_STAT(td, "action", 7);
}

static struct kunit_case l_corw_cases[] = {
	KUNIT_CASE(l_corw_starts_in_the_lowest_state),
	KUNIT_CASE_PARAM(l_corw_traffic_digit, traffic_gen_params),
	KUNIT_CASE(l_corw_locality_digit),
	KUNIT_CASE(l_corw_clean_digit),
	KUNIT_CASE(l_corw_actions_in_order),
	KUNIT_CASE(l_corw_levels_are_tunables),
	KUNIT_CASE(l_corw_reward),
	KUNIT_CASE(l_corw_reward_by_traffic),
	KUNIT_CASE(l_corw_no_latency_no_penalty),
	KUNIT_CASE(l_corw_latencies_beyond_64_bits),
	KUNIT_CASE(l_corw_penalty_is_bounded),
	KUNIT_CASE(l_corw_worked_update),
	KUNIT_CASE(l_corw_rates_are_tunables),
	KUNIT_CASE(l_corw_keeps_to_the_best),
	KUNIT_CASE(l_corw_update_across_states),
	KUNIT_CASE(l_corw_waits_for_an_end),
	KUNIT_CASE(l_corw_reset_keeps_what_was_learned),
	KUNIT_CASE(l_corw_draws_by_seed),
	KUNIT_CASE(l_corw_seed_starts_anew),
	{}
};

static struct kunit_suite l_corw_suite = {
	.name = "ssdcache_l_corw",
	.exit = td_exit,
	.test_cases = l_corw_cases,
};

kunit_test_suite(l_corw_suite);
