/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A literal, slow CoRW and L-CoRW, written from [Zhou23] (Algorithm 1, Tables II and III,
 * equations 1 and 2) with floating point, exact sets of pages and sorted latencies. Where the
 * paper is silent, it makes the choices listed in dm-ssdcache/admission/corw-rules.h,
 * reaccess.h and l-corw.c. It shares no code with them.
 */
#ifndef SSDC_CORW_MODEL_H
#define SSDC_CORW_MODEL_H

#include "../ssdcache-sim/sector-map.h"

#define MODEL_HALF_PAGES 16384
#define MODEL_ACTIONS 8

/**
 * struct model_params - parameters of a run
 * @learns: l-corw; otherwise all actions have the same fixed threshold group
 * @groups: (tt, rt, ct) of each action
 */
struct model_params {
	bool learns;
	double groups[MODEL_ACTIONS][3];
	u64 period_ns;
	unsigned int rar_window;
	double cold;
	double lambda;
	double gamma;
	double weight;
	unsigned int epsilon_permille;
	u64 seed;
};

/* Half of the window of re-accesses. */
struct model_half {
	struct sector_map seen;		/* page -> 1 read, 2 written, 3 both */
	unsigned int pages;
	unsigned int requests;
	double accesses[2];		/* reads, writes */
	double again[2];
};

struct model {
	struct model_params params;

	/* Intervals: number @interval is [start_ns + interval * period_ns, ...). */
	bool started;
	bool asleep;
	bool busy;
	u64 start_ns;
	u64 interval;
	double all_writes;		/* sectors, in intervals 0 to @interval - 1 */
	double traffic[2];		/* of the current interval */
	double last_traffic[2];		/* of the last interval */

	struct model_half now, before;
	double again[2], accesses[2];	/* of the window at the end of the last interval */

	u64 *latencies;			/* of the current interval */
	size_t nr_latencies, room;
	double sum_ns;
	double sectors;

	int state[3];			/* bins */
	int action;
	double cost[3][3][3][MODEL_ACTIONS];	/* -Q */
	double error[3][3][3][MODEL_ACTIONS];	/* bound on the error of fixed point */
	double penalty;
	double penalty_error;
	u64 generator;
	u64 close;			/* actions chosen that are best only in fixed point */
};

void model_init(struct model *m, const struct model_params *params);
void model_free(struct model *m);
const char *model_request(struct model *m, u64 ns, bool write, u64 first_page, u64 last_page,
			  double sectors);
const char *model_ended(struct model *m, u64 ns, u64 latency_ns, double sectors);
const char *model_tick(struct model *m, u64 ns, double clean, double pages);
bool model_may_choose(struct model *m, int action);
bool model_caches_reads(const struct model *m);
bool model_writes_through(const struct model *m, double clean, double pages);

static inline double (*model_costs(struct model *m))[MODEL_ACTIONS]
{
	return &m->cost[m->state[0]][m->state[1]][m->state[2]];
}

#endif /* SSDC_CORW_MODEL_H */
