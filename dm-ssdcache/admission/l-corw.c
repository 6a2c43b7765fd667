// SPDX-License-Identifier: GPL-2.0
/*
 * L-CoRW: Q-learning picks the thresholds of CoRW every 0.2 s.
 *
 * Source	Zhou, Wang, Shi, Feng, "Learning to Coordinate Read-Write Cache
 *		Policies in SSD" [Zhou23]
 * Status	rules, bins, thresholds and learning as published; choices where the paper is
 *		silent are listed here and in corw-rules.h
 * Cost		O(1) per request and page; a few hundred operations per interval in the
 *		worker, most of them for the 99th percentile
 * Memory	512 KiB for re-access ratios (reaccess.h), 21 KiB for the table, the latencies of
 *		an interval and statistics
 *
 *	monitor ------- T, Ra, C_r ------> state s' (27)	Table III
 *	   |  latencies of the interval	      |
 *	   v				      v
 *	reward r ---> Q(s, a) += lambda * (r + gamma * max Q(s', .) - Q(s, a))
 *					      |
 *	rules <--- thresholds of a' <--- a' = argmax Q(s', .)	(8)
 *
 * A state is written as three digits, the bins of T_r / T_w, Ra_r / Ra_w and C_r:
 * 0 low, 1 mid, 2 high. Actions 1 to 8 are the combinations of the two levels of
 * tt, rt and ct in the order of Table II: 1 all high, 8 all low.
 *
 * The reward is never positive, so the code stores negated values: a penalty for the
 * reward and a cost for Q. The least cost is best:
 *
 *	penalty = (w * mean + (1 - w) * mean / max * p99) / T
 *
 * in picoseconds per MiB. T is the traffic of the reads and writes that ended in the
 * interval; mean, p99 (by histogram bucket) and max are their latencies. An interval in
 * which no request ended teaches nothing.
 *
 * All costs start at 0, which is less than the cost of any action tried. So each action is
 * tried once in each state before the best one is kept. The paper describes no other
 * exploration; epsilon adds some.
 */
#include <linux/errno.h>
#include <linux/math64.h>
#include <linux/string.h>
#include "corw-rules.h"
#include "../base/histogram.h"

#define STATES	(SSDC_CORW_BINS * SSDC_CORW_BINS * SSDC_CORW_BINS)
#define ACTIONS	8

#define SECTORS_PER_MIB	2048
#define PS_PER_NS	1000

/* Longest latency that the histogram accepts: more than an hour. */
#define MAX_LATENCY_NS	BIT_ULL(42)
/* With gamma up to 0.9, costs stay below ten times this, and intermediate results below 2^64. */
#define MAX_PENALTY	BIT_ULL(53)

struct l_corw {
	struct ssdc_corw corw;		/* monitor and rules; must be first */

	/* Tunables. */
	u32 tt_low;
	u32 tt_high;
	u32 rt_low;
	u32 rt_high;
	u32 ct_low;
	u32 ct_high;
	u32 lambda;
	u32 gamma;
	u32 weight;
	u32 epsilon;
	u32 seed;

	u64 cost[STATES][ACTIONS];	/* -Q(s, a) in ps per MiB */
	u32 state;			/* s and a of the current interval */
	u32 action;
	u64 random;			/* state of the generator */
	u32 seeded;			/* seed it started from */
	u64 ended_sectors;		/* of requests that ended in this interval */
	struct ssdc_histogram latency;	/* of the same requests */
	u64 orders[SSDC_HIST_ORDERS];	/* sums of its buckets */

	/* Statistics; @mean_ns and @tail_ns are of the interval of @penalty. */
	u32 shown_state;
	u32 shown_action;
	u64 penalty;
	u64 mean_ns;
	u64 tail_ns;
	u64 updates;
	u64 drawn;
	u64 visits[STATES];
	u64 chosen[ACTIONS];
};

static struct l_corw *to_l_corw(const struct ssdc_admission *a)
{
	return container_of((struct ssdc_admission *)a, struct l_corw, corw.a);
}

/* Table III. */
static u32 observe_state(const struct l_corw *l)
{
	const struct ssdc_tier *tier = l->corw.a.plugin.tier;
	/* From create() without the lock: the two numbers may be of different moments. */
	u32 used = READ_ONCE(tier->used_pages), dirty = min(READ_ONCE(tier->dirty_pages), used);
	enum ssdc_corw_bin clean = ssdc_corw_clean_bin(used - dirty, used);

	return (ssdc_corw_traffic_bin(&l->corw) * SSDC_CORW_BINS +
		ssdc_corw_locality_bin(&l->corw)) * SSDC_CORW_BINS + clean;
}

/* In the order of Table II. */
static struct ssdc_corw_thresholds thresholds_of(const struct l_corw *l, u32 action)
{
	return (struct ssdc_corw_thresholds) {
		.tt = action & 4 ? l->tt_low : l->tt_high,
		.rt = action & 2 ? l->rt_low : l->rt_high,
		.ct = action & 1 ? l->ct_low : l->ct_high,
	};
}

static u32 best_action(const struct l_corw *l, u32 state)
{
	u32 action, best = 0;

	for (action = 1; action < ACTIONS; action++)
		if (l->cost[state][action] < l->cost[state][best])
			best = action;
	return best;
}

/* splitmix64, 0 to @n - 1: kernel and simulator draw the same numbers. */
static u32 draw(struct l_corw *l, u32 n)
{
	u64 x;

	l->random += 0x9e3779b97f4a7c15ULL;
	x = l->random;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return ((x ^ x >> 31) >> 32) * n >> 32;
}

/* Enter @state and choose the action of the new interval. */
static void act(struct l_corw *l, u32 state)
{
	l->state = state;
	l->action = best_action(l, state);
	if (l->epsilon && draw(l, 1000) < l->epsilon) {
		l->action = draw(l, ACTIONS);
		l->drawn++;
	}
	ssdc_corw_decide(&l->corw, thresholds_of(l, l->action));
	l->visits[state]++;
	l->chosen[l->action]++;
	l->shown_state = state / 9 * 100 + state / 3 % 3 * 10 + state % 3;
	l->shown_action = l->action + 1;
}

/* A backlog of an hour, which ends in one interval, may add up to more than 2^64 ns. */
static u64 mean_ns(const struct ssdc_histogram *hist)
{
	return ssdc_histogram_mean(hist->sum_wraps, hist->sum_ns, hist->count);
}

/* Mean latency in ps. What the mean in ns leaves is less than the count, so 64 bits show it. */
static u64 mean_ps(const struct ssdc_histogram *hist)
{
	u64 ns = mean_ns(hist);
	u64 rest = hist->sum_ns - ns * hist->count;

	return ns * PS_PER_NS + div64_u64(rest * PS_PER_NS, hist->count);
}

/* Equation 2, negated. At least one request must have ended in the interval. */
static u64 penalty(struct l_corw *l)
{
	u64 mean, tail = 0;

	l->mean_ns = mean_ns(&l->latency);
	l->tail_ns = ssdc_histogram_percentile(&l->latency, l->orders, 990);
	mean = div64_u64(mean_ps(&l->latency) * SECTORS_PER_MIB, l->ended_sectors);
	mean = min(mean, MAX_PENALTY);
	if (l->latency.max_ns)
		tail = mul_u64_u32_shr(mean, div64_u64(l->tail_ns << 16, l->latency.max_ns), 16);
	return div_u64(l->weight * mean + (100 - l->weight) * tail, 100);
}

/* Equation 1: the interval in @l->state with @l->action led to @next. */
static void learn(struct l_corw *l, u32 next)
{
	u64 *cost = &l->cost[l->state][l->action];
	u64 best = l->cost[next][best_action(l, next)];
	u64 target;

	l->penalty = penalty(l);
	target = l->penalty + div_u64(l->gamma * best, 100);
	*cost = div_u64((100 - l->lambda) * *cost + l->lambda * target, 100);
	l->updates++;
}

static void l_corw_tick(struct ssdc_admission *a, u64 now_ns)
{
	struct l_corw *l = to_l_corw(a);
	u32 next;

	ssdc_corw_end_interval(&l->corw, now_ns);
	next = observe_state(l);
	if (l->latency.count) {
		learn(l, next);
		ssdc_histogram_reset(&l->latency);
		memset(l->orders, 0, sizeof(l->orders));
		l->ended_sectors = 0;
	}
	act(l, next);
}

static void l_corw_ended(struct ssdc_admission *a, const struct ssdc_host_request *rq, u64 now_ns,
			 u64 latency_ns)
{
	struct l_corw *l = to_l_corw(a);

	latency_ns = min(latency_ns, MAX_LATENCY_NS);
	ssdc_corw_wake(&l->corw, now_ns);
	ssdc_histogram_add(&l->latency, latency_ns);
	l->orders[ssdc_histogram_bucket(latency_ns) >> SSDC_HIST_SUB_BITS]++;
	l->ended_sectors += rq->nr_sectors;
}

static void l_corw_tuned(struct ssdc_admission *a)
{
	struct l_corw *l = to_l_corw(a);

	if (l->seeded == l->seed)
		return;
	l->seeded = l->seed;
	l->random = l->seed;
}

static int l_corw_create(struct ssdc_admission *a, struct ssdc_error *error)
{
	struct l_corw *l = to_l_corw(a);

	l->seeded = l->seed;
	l->random = l->seed;
	act(l, observe_state(l));
	return ssdc_corw_create(&l->corw, error);
}

static int l_corw_check(const struct ssdc_admission *a, struct ssdc_error *finding)
{
	const struct l_corw *l = to_l_corw(a);
	u32 state, action;

	if (l->state >= STATES || l->action >= ACTIONS)
		return ssdc_finding(finding, "state %u of %u, action %u of %u", l->state, STATES,
				    l->action, ACTIONS);
	if (!l->latency.count != !l->ended_sectors)
		return ssdc_finding(finding, "%llu latencies of %llu sectors were collected",
				    l->latency.count, l->ended_sectors);
	/* Latencies that were collected must be learned from at a tick. */
	if (l->latency.count && !a->tick_at_ns)
		return ssdc_finding(finding, "%llu latencies were collected, and there is no tick",
				    l->latency.count);
	for (state = 0; state < STATES; state++)
		for (action = 0; action < ACTIONS; action++)
			if (l->cost[state][action] > 10 * MAX_PENALTY)
				return ssdc_finding(finding,
						    "the cost of action %u in state %u is %llu, above %llu",
						    action, state, l->cost[state][action],
						    10 * MAX_PENALTY);
	return ssdc_corw_check(a, finding);
}

#define TUNABLE(member) offsetof(struct l_corw, member)

static const struct ssdc_tunable l_corw_tunables[] = {
	SSDC_CORW_TUNABLES,
	{ "tt_low", "", "lower level of the threshold of T_r / T_w",
	  TUNABLE(tt_low), 8, 1, 1024, NULL },
	{ "tt_high", "", "higher level of the threshold of T_r / T_w: fewer reads are cached",
	  TUNABLE(tt_high), 128, 1, 1024, NULL },
	{ "rt_low", "", "lower level of the threshold of Ra_r / Ra_w",
	  TUNABLE(rt_low), 16, 1, 1024, NULL },
	{ "rt_high", "", "higher level of the threshold of Ra_r / Ra_w: fewer reads are cached",
	  TUNABLE(rt_high), 64, 1, 1024, NULL },
	{ "ct_low", "percent", "lower level of the threshold of C_r",
	  TUNABLE(ct_low), 30, 0, 100, NULL },
	{ "ct_high", "percent", "higher level of the threshold of C_r: more writes go through",
	  TUNABLE(ct_high), 70, 0, 100, NULL },
	{ "lambda", "percent", "learning rate: weight of the last interval against the past",
	  TUNABLE(lambda), 90, 1, 100, NULL },
	{ "gamma", "percent", "discount factor: weight of the expected next reward",
	  TUNABLE(gamma), 10, 0, 90, NULL },
	{ "weight", "percent", "weight of the mean latency in the reward; the tail has the rest",
	  TUNABLE(weight), 50, 0, 100, NULL },
	{ "epsilon", "permille", "share of actions drawn at random; 0: explore untried ones only",
	  TUNABLE(epsilon), 0, 0, 1000, NULL },
	{ "seed", "", "seed of the random actions; a new value restarts the sequence",
	  TUNABLE(seed), 1, 0, U32_MAX, NULL },
};

#define COUNTER(member, name, unit, doc) \
	SSDC_STAT(struct l_corw, member, name, unit, SSDC_COUNTER, doc)
#define GAUGE(member, name, unit, doc) \
	SSDC_STAT(struct l_corw, member, name, unit, SSDC_GAUGE, doc)
#define COSTS(t, r, c) \
	SSDC_STAT_ROW(struct l_corw, cost[9 * (t) + 3 * (r) + (c)], "q_" #t #r #c, "ps/MiB", \
		      SSDC_GAUGE, "-Q of actions 1 to 8 in state " #t #r #c)

static const struct ssdc_stat l_corw_stats[] = {
	GAUGE(shown_state, "state", "",
	      "bins of T_r / T_w, Ra_r / Ra_w and C_r, a digit each: 0 low, 1 mid, 2 high"),
	GAUGE(shown_action, "action", "",
	      "threshold levels in force, as in Table II: 1 all high, 8 all low"),
	SSDC_CORW_STATS,
	GAUGE(mean_ns, "mean_latency", "ns", "of the last interval in which a request ended"),
	GAUGE(tail_ns, "tail_latency", "ns", "99th percentile of that interval"),
	GAUGE(penalty, "penalty", "ps/MiB", "negated reward of that interval"),
	COUNTER(updates, "updates", "intervals", "intervals learned from"),
	COUNTER(drawn, "drawn", "intervals", "intervals whose action was random (epsilon)"),
	SSDC_STAT_ROW(struct l_corw, visits, "visits", "intervals", SSDC_COUNTER,
		      "intervals begun in each state: 000, 001, 002, 010, to 222"),
	SSDC_STAT_ROW(struct l_corw, chosen, "chosen", "intervals", SSDC_COUNTER,
		      "intervals begun with each action, 1 to 8"),
	COSTS(0, 0, 0), COSTS(0, 0, 1), COSTS(0, 0, 2),
	COSTS(0, 1, 0), COSTS(0, 1, 1), COSTS(0, 1, 2),
	COSTS(0, 2, 0), COSTS(0, 2, 1), COSTS(0, 2, 2),
	COSTS(1, 0, 0), COSTS(1, 0, 1), COSTS(1, 0, 2),
	COSTS(1, 1, 0), COSTS(1, 1, 1), COSTS(1, 1, 2),
	COSTS(1, 2, 0), COSTS(1, 2, 1), COSTS(1, 2, 2),
	COSTS(2, 0, 0), COSTS(2, 0, 1), COSTS(2, 0, 2),
	COSTS(2, 1, 0), COSTS(2, 1, 1), COSTS(2, 1, 2),
	COSTS(2, 2, 0), COSTS(2, 2, 1), COSTS(2, 2, 2),
};

struct ssdc_admission_type ssdc_l_corw = {
	.plugin = {
		.kind = SSDC_ADMISSION,
		.info = {
			.name = "l-corw",
			.source = "Zhou et al. [Zhou23]",
			.status = "as published; re-access window, mean traffic are ours",
			.doc = "learned thresholds to cache reads and to write through",
			.tunables = l_corw_tunables,
			.nr_tunables = ARRAY_SIZE(l_corw_tunables),
			.stats = l_corw_stats,
			.nr_stats = ARRAY_SIZE(l_corw_stats),
			.instance_bytes = sizeof(struct l_corw),
		},
	},
	.create = l_corw_create,
	.destroy = ssdc_corw_destroy,
	.tuned = l_corw_tuned,
	.observe = ssdc_corw_observe,
	.observe_pages = ssdc_corw_observe_pages,
	.admit_read = ssdc_corw_admit_read,
	.admit_write = ssdc_corw_admit_write,
	.ended = l_corw_ended,
	.tick = l_corw_tick,
	.check = l_corw_check,
};
