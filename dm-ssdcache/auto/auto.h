/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A cache that chooses its policies by itself.
 *
 * A shadow of each candidate runs on a sample of the requests. After each period, the candidate
 * whose shadow costs least becomes the live one.
 *
 *	driver					auto
 *	ssdc_auto_feed() -------------------->	count the request, keep its sampled parts
 *	ssdc_auto_pass() -------------------->	count requests that have none
 *	ssdc_auto_step() -------------------->	run some of them; at the end of a period, decide
 *	    create and switch to a plug-in  <--	    ssdc_auto_wanted()
 *	ssdc_auto_switched() ---------------->	note it
 *
 * A decision depends only on the requests fed and on the settings. It does not depend on when the
 * steps run, unless the ring overflows, or a period ends before the decision about the previous
 * one. So the kernel in virtual time and the simulator decide alike.
 *
 * Nothing is allocated after creation.
 *
 * Context: callers of ssdc_auto_feed() and ssdc_auto_pass() exclude each other. Callers of all
 * other functions that take a struct ssdc_auto exclude each other, too. A call of the first kind
 * ("feed") and one of the second may run at the same time; the comments of members say which kind
 * changes them. Creation and destruction may sleep and need no lock.
 */
#ifndef SSDC_AUTO_H
#define SSDC_AUTO_H

#include "../shadow/shadow.h"

#define SSDC_AUTO_NAME			"auto"
#define SSDC_AUTO_MAX_CANDIDATES	16u
#define SSDC_AUTO_MAX_REGION_KIB	1048576u
#define SSDC_AUTO_MAX_PATIENCE		32u
#define SSDC_AUTO_LOG			64u	/* decisions kept, a power of two */
#define SSDC_AUTO_SCHEMES		"write-buffer+read-write"

/* The cost of a candidate: see decide.c. */
enum ssdc_auto_goal {
	SSDC_AUTO_LATENCY,
	SSDC_AUTO_P99,
	SSDC_AUTO_FLASH_WRITES,
};

/* Words of the spec; see ssdc_auto_tunable_table. */
struct ssdc_auto_tunables {
	u32 period;
	u32 memory;
	u32 hysteresis;
	u32 goal;
	u32 change;
	u32 rate;
	u32 region;
	u32 pages;
	u32 read_us;
	u32 write_us;
};

/**
 * struct ssdc_auto_spec - "auto:candidates=A+B,period=N,hysteresis=N,goal=WORD", parsed
 * @text: copy of the names of policies
 * @schemes: copy of the names of admission schemes
 * @candidates: the candidates; the first one is live at the beginning. They point into @text and
 *	@schemes, or to the only policy or scheme that was given
 * @nr: number of candidates
 * @tunables: the rest of the spec
 */
struct ssdc_auto_spec {
	char text[SSDC_SPEC_LEN];
	char schemes[SSDC_SPEC_LEN];
	struct ssdc_shadow_candidate candidates[SSDC_AUTO_MAX_CANDIDATES];
	u32 nr;
	struct ssdc_auto_tunables tunables;
};

/**
 * struct ssdc_auto_decision - the decision at the end of a period
 * @request: requests fed by its end
 * @patience: number of decisions in succession that must find the same candidate cheapest before a
 *	change
 * @from: candidate that was live
 * @to: candidate that is wanted, perhaps the live one
 * @costs: of all candidates: ns, or pages per million pages that the host writes; lower is better
 */
struct ssdc_auto_decision {
	u64 request;
	u32 patience;
	u32 from;
	u32 to;
	u64 costs[SSDC_AUTO_MAX_CANDIDATES];
};

/* See ssdc_auto_stat_table. */
struct ssdc_auto_stats {
	u64 requests;			/* by feed */
	u64 periods;			/* by feed */
	u64 few;
	u64 late;			/* by feed */
	u64 kept;
	u64 switches;
	u64 failed;
	u64 accesses;			/* from here on by ssdc_auto_update() */
	u64 records;
	u64 dropped;
	u64 queued;
	u64 known;
	u64 memory_bytes;
	u64 read_ns;
	u64 write_ns;
};

/* Statistics of a candidate; see ssdc_auto_candidate_stat_table. */
struct ssdc_auto_candidate {
	u64 live_requests;		/* by feed */
	u64 cost;
	u64 period_cost;
};

/* Totals of a shadow, in which recent periods have more weight; see add() for the unit. */
struct ssdc_auto_sum {
	u64 requests;
	u64 response_ns;
	u64 flushed;
	u64 written;
};

/**
 * struct ssdc_auto_responses - responses of a shadow, for a percentile
 * @known: those of reads and writes, in which recent ones have more weight; see add_responses() for
 *	the unit of counts
 * @before: all since the creation of the shadow, when @known was last brought up to date
 */
struct ssdc_auto_responses {
	struct ssdc_histogram known;
	u64 before[SSDC_HIST_BUCKETS];
};

struct ssdc_auto {
	struct ssdc_auto_tunables tunables;
	struct ssdc_shadows *shadows;
	u32 nr;				/* candidates */
	u32 live;
	u32 wanted;
	u32 keep;			/* share of the totals that a period keeps: see add() */
	u32 in_period;			/* requests fed in the current period; by feed */
	/* A period waits for its last requests to run: feed sets this, and a decision clears it. */
	bool ended;
	u32 end;			/* by feed: head of the ring of @shadows at its end */
	u64 end_request;		/* by feed: @stats.requests at its end */
	struct ssdc_auto_sum *sums;	/* by candidate */
	struct ssdc_auto_sum *before;	/* by candidate: totals of the shadow a period ago */
	/* For the goal p99: */
	u32 kept;			/* share of @responses to be kept: @keep for each period */
	struct ssdc_histogram *new;	/* scratch */
	struct ssdc_auto_responses *responses;	/* by candidate */
	struct ssdc_auto_decision *log;	/* by number of the decision, modulo SSDC_AUTO_LOG */
	struct ssdc_auto_candidate *candidates;
	u64 nr_decisions;
	u32 leader;			/* as of the last decision: see find_leader() */
	u32 lead;			/* decisions in succession that found @leader */
	u32 patience;			/* decisions in succession needed for a change */
	u32 left;			/* candidate that was live before the last change */
	u64 changed;			/* @nr_decisions at the last change */
	u64 memory_bytes;		/* without @shadows */
	struct ssdc_auto_stats stats;
	struct ssdc_shadows_stats zero;	/* statistics of @shadows at the last reset of @stats */
};

extern const char *const ssdc_auto_goals[];
extern const char *const ssdc_auto_candidates[];
extern const struct ssdc_tunable ssdc_auto_tunable_table[];
extern const unsigned int ssdc_nr_auto_tunables;
extern const struct ssdc_stat ssdc_auto_stat_table[];
extern const unsigned int ssdc_nr_auto_stats;
extern const struct ssdc_stat ssdc_auto_candidate_stat_table[];
extern const unsigned int ssdc_nr_auto_candidate_stats;

/* spec.c */
bool ssdc_auto_is_spec(const char *spec);
void ssdc_auto_offer(struct ssdc_error *error, const char *replacement, const char *admission);
int ssdc_auto_parse(const char *replacement, const char *admission, struct ssdc_auto_spec *parsed,
		    struct ssdc_error *error);

/* decide.c */
struct ssdc_auto *ssdc_auto_create(const struct ssdc_auto_spec *spec,
				   const struct ssdc_shadow_params *shadow,
				   struct ssdc_error *error);
void ssdc_auto_destroy(struct ssdc_auto *a);
void ssdc_auto_end_period(struct ssdc_auto *a);
bool ssdc_auto_step(struct ssdc_auto *a, u32 budget);
void ssdc_auto_update(struct ssdc_auto *a);
void ssdc_auto_reset_stats(struct ssdc_auto *a);
void ssdc_auto_switched(struct ssdc_auto *a, bool done);

/* Requests arrived. Requests beyond the end of a period belong to the next period. */
static inline void ssdc_auto_count(struct ssdc_auto *a, u32 requests)
{
	a->stats.requests += requests;
	a->candidates[READ_ONCE(a->live)].live_requests += requests;
	a->in_period += requests;
	while (a->in_period >= a->tunables.period)
		ssdc_auto_end_period(a);
}

/**
 * ssdc_auto_feed() - a request of the live engine arrived
 * @a: choice, not NULL
 * @op: operation
 * @sector: start
 * @nr_sectors: length; a discard that the live engine would narrow has been narrowed
 * @fua: a write with FUA
 * @now_ns: current time
 *
 * O(regions that the request touches). Inline: in the simulator, every request comes here.
 *
 * Context: the I/O path; callers exclude each other.
 */
static inline void ssdc_auto_feed(struct ssdc_auto *a, enum ssdc_op op, u64 sector, u64 nr_sectors,
				  bool fua, u64 now_ns)
{
	ssdc_shadows_feed(a->shadows, op, sector, nr_sectors, fua, now_ns);
	ssdc_auto_count(a, 1);
}

/**
 * ssdc_auto_pass() - requests of the live engine arrived, and no part of them is in the sample
 * @a: choice, not NULL
 * @requests: their number; requests beyond ssdc_auto_left() belong to the next period
 * @accesses: pages that they touch
 *
 * For drivers that count such requests without a lock: see ssdc_shadow_passes(). If there are at
 * most ssdc_auto_left(), the effect is that of ssdc_auto_feed() for each of them. The very first
 * request must be fed.
 *
 * Context: as for ssdc_auto_feed().
 */
static inline void ssdc_auto_pass(struct ssdc_auto *a, u32 requests, u64 accesses)
{
	ssdc_shadows_pass(a->shadows, requests, accesses);
	ssdc_auto_count(a, requests);
}

/* Number of requests up to the end of the period, at least 1. */
static inline u32 ssdc_auto_left(const struct ssdc_auto *a)
{
	return a->tunables.period - a->in_period;
}

/* The policies that are to become live; NULL if they are live already. */
static inline const struct ssdc_shadow_candidate *ssdc_auto_wanted(const struct ssdc_auto *a)
{
	return a->wanted == a->live ? NULL : &a->shadows->candidates[a->wanted];
}

/* Has ssdc_auto_step() something to do? After most requests it has not, as they are not sampled. */
static inline bool ssdc_auto_has_work(const struct ssdc_auto *a)
{
	return READ_ONCE(a->ended) || ssdc_shadows_queued(a->shadows);
}

/*
 * Should a driver that lets requests wait run them now? At the end of a period, and before the ring
 * is full: waking up a worker costs more than a sampled request.
 */
static inline bool ssdc_auto_is_due(const struct ssdc_auto *a)
{
	return READ_ONCE(a->ended) || ssdc_shadows_queued(a->shadows) > a->shadows->ring_mask / 8;
}

#endif /* SSDC_AUTO_H */
