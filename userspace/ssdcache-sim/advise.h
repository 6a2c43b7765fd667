/* SPDX-License-Identifier: GPL-2.0 */
/*
 * "ssdcache-sim advise": which policies, and how much DRAM, for a workload.
 *
 *	advise.c		command line; all of it
 *	advise-grid.c		what is compared: sizes, device, combinations
 *	advise-sample.c		shorter workloads that behave like the whole
 *	advise-search.c		what is run, and in which order
 *	advise-run.c		runs, each in a process of its own, and their figures
 *	advise-states.c		the best again, with other states of the drive: what is chance
 *	advise-verdict.c	from figures to advice
 *	advise-text.c		the advice as text
 *	advise-json.c		the same as JSON
 *
 * The grid is that of a sweep (sweep.h) whose last axis is the size of the DRAM; a candidate is a value of
 * each other axis. So cell = candidate * number of sizes + size.
 */
#ifndef SSDC_SIM_ADVISE_H
#define SSDC_SIM_ADVISE_H

#include "run.h"
#include "sweep.h"

/* What is to be small. */
enum advise_goal {
	ADVISE_LATENCY,		/* mean response of all requests, ns */
	ADVISE_READS,		/* mean response of reads, ns */
	ADVISE_WRITES,		/* mean response of writes, ns */
	ADVISE_P99,		/* response of all requests, ns */
	ADVISE_FLASH_WRITES,	/* bytes programmed, with GC, or written to an origin without a model */
	ADVISE_HITS,		/* share of page accesses that do not find the page in DRAM */
	ADVISE_NR_GOALS,
};

/*
 * An aged drive is in one of many states, by its seed, and figures depend on that: which planes collect garbage when
 * requests come is chance. The best are run with so many states, the given one among them.
 */
#define ADVISE_NR_STATES	3

/* A run is looked at so many times, at even distances; the last time at its end. */
#define ADVISE_NR_LOOKS	16

/**
 * struct advise_figures - what a run has found
 * @value: by enum advise_goal
 * @so_far: the goal at each look
 * @half: the goal, for the first and the second half of the requests
 * @hit_ratio: page accesses that found the page in DRAM
 * @looks: how many looks the run has got to
 */
struct advise_figures {
	double value[ADVISE_NR_GOALS];
	double so_far[ADVISE_NR_LOOKS];
	double half[2];
	double hit_ratio;
	unsigned int looks;
};

/* ADVISE_STOPPED: a whole run that fell behind the best of its size. */
enum advise_state { ADVISE_NOT_RUN, ADVISE_SAMPLED, ADVISE_STOPPED, ADVISE_WHOLE, ADVISE_FAILED };

/**
 * struct advise_cell - a candidate with a size of DRAM
 * @state: what is known
 * @share: of the requests that the last run took
 * @figures: of the last run, if there was one
 * @estimate: the goal, as far as samples tell; of whole runs and samples, in the unit of the goal
 * @in_state: the goal with each state of the drive, if it was run with all
 * @has_states: was it?
 */
struct advise_cell {
	enum advise_state state;
	double share;
	struct advise_figures figures;
	double estimate;
	double in_state[ADVISE_NR_STATES];
	bool has_states;
};

/**
 * struct advise_sample - a workload for runs, and its device
 * @workload: requests
 * @share: their share of all sectors; DRAM is as much smaller
 * @cost: their share of all requests
 * @owned: @workload is not that of the grid
 */
struct advise_sample {
	struct sim_workload workload;
	double share;
	double cost;
	bool owned;
};

/**
 * struct advise - an advice in the making
 * @defs: all options
 * @sweep: the grid, its traces and requests
 * @goal: what is to be small
 * @latency_ns: find the least DRAM for this mean response; 0: not asked
 * @effort: share of a full search that may be run; 1: run all cells whole
 * @json: print JSON
 * @check_only: only check the options
 * @quiet: leave out remarks
 * @plan: what to take of the traces
 * @assumed_flash: the device was not given
 * @folded: addresses were folded because the traces span too much
 * @device: made once for all runs
 * @base: options of all runs, with the size of origin and device
 * @words: what @base points to
 * @nr_words: how many
 * @page_bytes: size of a page, the smallest if there are several
 * @footprint: bytes that the requests touch, in whole pages
 * @reads: number of them
 * @writes: likewise
 * @tied: requests that arrive at the same moment as the one before
 * @sizes: bytes of DRAM, ascending
 * @nr_sizes: how many
 * @nr_candidates: product of all other axes
 * @baseline: the candidate lru with the defaults otherwise; nr_candidates: it is not in the grid
 * @cells: what is known of each cell
 * @failure: the first reason why a cell failed, or NULL
 * @failed: cells that failed
 * @simulated: requests simulated so far
 * @sampled_runs: how many
 * @whole_runs: how many
 * @state_runs: how many with other states of the drive
 * @stopped_runs: how many that were to be whole
 * @said: warnings that were shown
 */
struct advise {
	const struct option_def *defs;
	struct sweep sweep;
	enum advise_goal goal;
	u64 latency_ns;
	double effort;
	bool json;
	bool check_only;
	bool quiet;
	struct trace_plan plan;
	bool assumed_flash;
	bool folded;
	struct sim_device device;
	struct sim_options base;
	char **words;
	int nr_words;
	u64 page_bytes;
	u64 footprint;
	u64 reads;
	u64 writes;
	u64 tied;
	u64 *sizes;
	size_t nr_sizes;
	size_t nr_candidates;
	size_t baseline;
	struct advise_cell *cells;
	char *failure;
	size_t failed;
	double simulated;
	size_t sampled_runs;
	size_t whole_runs;
	size_t state_runs;
	size_t stopped_runs;
	json_t *said;
};

static inline struct advise_cell *advise_cell(const struct advise *a, size_t candidate, size_t size)
{
	return &a->cells[candidate * a->nr_sizes + size];
}

/* The goal of a cell that was run. */
static inline double advise_value(const struct advise *a, size_t candidate, size_t size)
{
	return advise_cell(a, candidate, size)->figures.value[a->goal];
}

extern const char *const advise_goal_names[ADVISE_NR_GOALS];
int advise_main(int argc, char **argv);

/* advise-grid.c */
void advise_take_values(struct advise *a, const struct option_def *def, const char *list);
void advise_check(struct advise *a);
void advise_load(struct advise *a);
const char *advise_word(const struct advise *a, size_t candidate, const char *option);
size_t advise_rank(const struct advise *a, size_t candidate);

/* advise-sample.c */
void advise_sample_make(struct advise_sample *sample, const struct sim_workload *whole, double share);
void advise_sample_free(struct advise_sample *sample);

/**
 * struct advise_job - a run
 * @candidate: what is run
 * @size: index of the size of DRAM
 * @rival: a candidate of this size that was run whole: the run may stop when it falls behind that;
 *	nr_candidates: none
 * @state: of the drive; 0: as given
 */
struct advise_job {
	size_t candidate;
	size_t size;
	size_t rival;
	unsigned int state;
};

/* advise-run.c */
bool advise_run(struct advise *a, const struct advise_sample *sample, const struct advise_job *jobs, size_t nr,
		const char *what);
u64 advise_sample_dram(const struct advise *a, size_t size, double share);
double advise_behind(enum advise_goal goal, const struct advise_figures *figures, const struct advise_figures *rival,
		     double *left);

/* advise-search.c */
bool advise_search(struct advise *a);
size_t advise_plain(const struct advise *a, size_t candidate);
bool advise_compare(struct advise *a, size_t size);
double advise_cost(const struct advise *a);

/* advise-states.c */
bool advise_has_states(const struct advise *a);
double advise_states_kept(const struct advise *a, double affordable);
bool advise_try_states(struct advise *a, size_t first);

/**
 * struct advise_verdict - the advice
 * @smallest: of each size, the candidate with the smallest figure; nr_candidates: none could run
 * @best: of each size, the candidate to choose, the simplest within a tie of the smallest; nr_candidates: none could run
 * @rival: of each size, the best one beyond a tie of the smallest, or, if there is none, the best one but the choice;
 *	nr_candidates: none
 * @top: the size with the best figure
 * @least: the smallest size within 5 % of that
 * @knee: the size after which more DRAM gains least; nr_sizes: none
 * @reached: the smallest size for the latency asked for; nr_sizes: none
 * @chosen: the size that the advice is about
 */
struct advise_verdict {
	size_t *smallest;
	size_t *best;
	size_t *rival;
	size_t top;
	size_t least;
	size_t knee;
	size_t reached;
	size_t chosen;
};

/* How sure a choice is: by its margin over the rival, in the whole and in each half. */
enum advise_trust { ADVISE_SURE, ADVISE_CLOSE, ADVISE_ALONE };

/* advise-verdict.c */
void advise_judge(const struct advise *a, struct advise_verdict *verdict);
void advise_verdict_free(struct advise_verdict *verdict);
double advise_margin(const struct advise *a, const struct advise_verdict *verdict, size_t size, double half[2]);
bool advise_sizes_have_states(const struct advise *a, const struct advise_verdict *verdict);
enum advise_trust advise_trust(const struct advise *a, const struct advise_verdict *verdict, size_t size);
size_t advise_nr_unsure(const struct advise *a, size_t chosen, size_t size);
double advise_mean(const struct advise *a, size_t candidate, size_t size);
double advise_times_of(const struct advise *a, size_t candidate, size_t other, size_t size);
bool advise_is_equal(const struct advise *a, size_t chosen, size_t other, size_t size);
bool advise_is_good(const struct advise *a, const struct advise_verdict *verdict, size_t candidate, size_t size);
double advise_least(enum advise_goal goal);
double advise_apart(const struct advise *a, double smaller, double larger);
double advise_times(const struct advise *a, double figure, double times);
double advise_shown(const struct advise *a, double figure);

/* advise-text.c */
void advise_print(const struct advise *a, const struct advise_verdict *verdict);
char *advise_create_words(const struct advise *a, size_t candidate, size_t size);
char *advise_table_words(const struct advise *a, size_t candidate, size_t size);

/* advise-json.c */
json_t *advise_json(const struct advise *a, const struct advise_verdict *verdict);

#endif /* SSDC_SIM_ADVISE_H */
