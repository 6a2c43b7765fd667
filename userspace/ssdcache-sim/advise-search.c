// SPDX-License-Identifier: GPL-2.0
/*
 * What is run: all candidates with a sample of the requests; then the best of them whole, one of each size at a
 * time. What a candidate has done with the next smaller and larger DRAM counts, too, in samples and in whole runs:
 * a sample has random errors, and neighbours average them out.
 *
 * There is one sample only. A larger one of the better candidates costs as much as whole runs of the best, which
 * tell more: measured, more of the best were missed with it.
 *
 * Prefetchers are sampled for the best candidates without one only.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "advise.h"

/* A full search of fewer requests takes seconds; it and fewer candidates are not worth a search: all are run whole. */
#define SEARCH_REQUESTS		1000000
#define SEARCH_CANDIDATES	12

/* Share of the requests in the sample. */
#define SAMPLE_SHARE	0.05

/* Of the candidates, so many get prefetchers, and are run whole; at least LEAST. */
#define PREFETCH_PART	4
#define WHOLE_PART	4
#define LEAST		4
#define LEAST_WHOLE	16

/* Samples with the next smaller and larger DRAM have this weight; the sample of the size itself, and whole runs, 1. */
#define BESIDE		0.5

/* More than this, a logarithm, the sample of a neighbour makes no candidate worse. */
#define BESIDE_MOST	1.0

/* A logarithm that no figure has: what was sampled less comes later. */
#define FAR		10.0

/*
 * Candidates that have done exactly the same in a sample may do so in the whole: without reads, for example,
 * schemes that differ in the admission of reads. After the first one, each of the others counts as this much
 * worse, so that different ones are run before.
 */
#define TWIN		1.0

/*
 * Candidates whose samples differ by less than 3 % in everything are alike. For each such one that was run with the
 * size, a candidate counts as 10 % worse, so that different ones are run before.
 */
#define ALIKE		0.03
#define ALIKE_WORSE	0.1

/*
 * The third whole run of a size is that of the candidate with the fewest flash writes in its sample. Writes keep the
 * flash busy: where it is nearly overloaded, they decide how long queues get, which a sample overlooks.
 */
#define FLASH_WRITES_ROUND	2

/* No more is run of a size when the next candidate seems to be so much worse than the best. */
#define HOPELESS	2.0

/**
 * struct search - a search going on
 * @a: advice
 * @behind: of each cell, how far it seems to be behind the best of its size: a logarithm
 * @sampled: of each cell, what its sample has found, if there was one
 * @order: candidates, sorted for one size
 * @jobs: for the next runs
 * @nr_jobs: how many
 * @kept: runs that are kept for later
 */
struct search {
	struct advise *a;
	double *behind;
	struct advise_figures *sampled;
	size_t *order;
	struct advise_job *jobs;
	size_t nr_jobs;
	double kept;
};

/**
 * advise_cost() - share of a full search that was run, in requests
 * @a: advice
 */
double advise_cost(const struct advise *a)
{
	return a->simulated / ((double)a->sweep.nr_cells * a->sweep.workload.nr);
}

static double *behind(const struct search *s, size_t candidate, size_t size)
{
	return &s->behind[candidate * s->a->nr_sizes + size];
}

static bool is_sampled(const struct search *s, size_t candidate, size_t size)
{
	return advise_cell(s->a, candidate, size)->state == ADVISE_SAMPLED;
}

static void add_job(struct search *s, size_t candidate, size_t size)
{
	s->jobs[s->nr_jobs++] = (struct advise_job) { candidate, size, s->a->nr_candidates, 0 };
}

static bool run_jobs(struct search *s, double share, const char *what)
{
	struct advise_sample sample;
	bool done;

	advise_sample_make(&sample, &s->a->sweep.workload, share);
	done = advise_run(s->a, &sample, s->jobs, s->nr_jobs, what);
	advise_sample_free(&sample);
	s->nr_jobs = 0;
	return done;
}

/* The smallest size whose sample has the same DRAM, because that is the least that a sample has. */
static size_t same_sample(const struct advise *a, size_t size, double share)
{
	u64 dram = advise_sample_dram(a, size, share);

	while (size && advise_sample_dram(a, size - 1, share) == dram)
		size--;
	return size;
}

/* What the sample of a cell has found holds for all sizes whose samples have the same DRAM. */
static void copy_sample(struct advise *a, const struct advise_job *job, double share)
{
	const struct advise_cell *cell = advise_cell(a, job->candidate, job->size);
	size_t size = job->size + 1;

	for (; size < a->nr_sizes && same_sample(a, size, share) == job->size; size++)
		*advise_cell(a, job->candidate, size) = *cell;
}

/* Samples of the jobs. Those with the same DRAM are run once. */
static bool run_samples(struct search *s, const char *what)
{
	struct advise *a = s->a;
	bool *taken = xcalloc(a->sweep.nr_cells, sizeof(*taken)), done;
	struct advise_sample sample;
	size_t nr = 0, i, cell;

	advise_sample_make(&sample, &a->sweep.workload, SAMPLE_SHARE);
	for (i = 0; i < s->nr_jobs; i++) {
		struct advise_job job = s->jobs[i];

		job.size = same_sample(a, job.size, sample.share);
		cell = job.candidate * a->nr_sizes + job.size;
		if (!taken[cell])
			s->jobs[nr++] = job;
		taken[cell] = true;
	}
	done = advise_run(a, &sample, s->jobs, nr, what);
	for (i = 0; i < nr; i++)
		copy_sample(a, &s->jobs[i], sample.share);
	advise_sample_free(&sample);
	free(taken);
	s->nr_jobs = 0;
	return done;
}

static bool run_all(struct search *s)
{
	struct advise *a = s->a;
	size_t i;

	for (i = 0; i < a->sweep.nr_cells; i++)
		add_job(s, i / a->nr_sizes, i % a->nr_sizes);
	return run_jobs(s, 1, "runs");
}

/* qsort_r(): the one that seems better first, then the simpler one. */
struct sorting {
	const struct search *s;
	size_t size;
};

static int compare(const void *x, const void *y, void *data)
{
	const struct sorting *by = data;
	size_t a = *(const size_t *)x, b = *(const size_t *)y;
	double first = *behind(by->s, a, by->size), second = *behind(by->s, b, by->size);
	size_t rank = advise_rank(by->s->a, a), other = advise_rank(by->s->a, b);

	if (first != second)
		return first < second ? -1 : 1;
	if (rank != other)
		return rank < other ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void sort(struct search *s, size_t size)
{
	struct sorting by = { s, size };
	size_t i;

	for (i = 0; i < s->a->nr_candidates; i++)
		s->order[i] = i;
	qsort_r(s->order, s->a->nr_candidates, sizeof(*s->order), compare, &by);
}

static bool are_twins(const struct advise *a, size_t candidate, size_t other, size_t size)
{
	const struct advise_figures *x = &advise_cell(a, candidate, size)->figures;
	const struct advise_figures *y = &advise_cell(a, other, size)->figures;

	return !memcmp(x->value, y->value, sizeof(x->value)) && x->hit_ratio == y->hit_ratio;
}

/* Rank what the sample has found: its candidates are compared with each other, and come before all others. */
static void rank_size(struct search *s, size_t size)
{
	struct advise *a = s->a;
	double least = INFINITY, twins = 0;
	size_t i;

	for (i = 0; i < a->nr_candidates; i++)
		if (is_sampled(s, i, size))
			least = min(least, advise_value(a, i, size));
	for (i = 0; i < a->nr_candidates; i++) {
		if (is_sampled(s, i, size))
			*behind(s, i, size) = log(advise_apart(a, least, advise_value(a, i, size)));
		else
			*behind(s, i, size) = FAR;
	}
	sort(s, size);
	for (i = 1; i < a->nr_candidates && is_sampled(s, s->order[i], size); i++) {
		twins = are_twins(a, s->order[i], s->order[i - 1], size) ? twins + TWIN : 0;
		*behind(s, s->order[i], size) += twins;
	}
	sort(s, size);
}

static void rank_all(struct search *s)
{
	size_t size;

	for (size = 0; size < s->a->nr_sizes; size++)
		rank_size(s, size);
}

/* The number of prefetchers, and the place of a candidate's among them. */
static size_t nr_prefetchers(const struct advise *a, size_t candidate, size_t *place)
{
	const struct sweep *sweep = &a->sweep;
	const char *value = advise_word(a, candidate, "prefetch");
	size_t axis = 0, i;

	while (strcmp(sweep->axes[axis].def->name, "prefetch"))
		axis++;
	for (i = 0; sweep->axes[axis].values[i] != value; i++)
		;
	*place = i;
	return sweep->axes[axis].nr;
}

/* How many candidates apart those are that differ in the prefetcher only. */
static size_t prefetch_stride(const struct advise *a)
{
	size_t stride = 1, place;

	while (stride < a->nr_candidates && (nr_prefetchers(a, stride, &place), !place))
		stride++;
	return stride;
}

/**
 * advise_plain() - the candidate that was sampled first, with the first prefetcher: "none" unless others are given
 * @a: advice
 * @candidate: the same with any prefetcher
 */
size_t advise_plain(const struct advise *a, size_t candidate)
{
	size_t place;

	nr_prefetchers(a, candidate, &place);
	return candidate - place * prefetch_stride(a);
}

static size_t nr_plain(const struct advise *a)
{
	size_t place, nr = nr_prefetchers(a, 0, &place);

	return a->nr_candidates / nr;
}

static bool sample_plain(struct search *s)
{
	struct advise *a = s->a;
	size_t i, size, place;

	for (i = 0; i < a->nr_candidates; i++) {
		nr_prefetchers(a, i, &place);
		for (size = 0; size < a->nr_sizes && !place; size++)
			add_job(s, i, size);
	}
	if (!run_samples(s, "samples"))
		return false;
	rank_all(s);
	return true;
}

static bool sample_prefetchers(struct search *s)
{
	struct advise *a = s->a;
	size_t place, nr = nr_prefetchers(a, 0, &place), stride = prefetch_stride(a), size, i, k;
	size_t most = min(nr_plain(a), max_t(size_t, LEAST, nr_plain(a) / PREFETCH_PART));

	if (nr == 1)
		return true;
	for (size = 0; size < a->nr_sizes; size++) {
		sort(s, size);
		for (i = 0; i < most && is_sampled(s, s->order[i], size); i++)
			for (k = 1; k < nr; k++)
				add_job(s, s->order[i] + k * stride, size);
	}
	if (!run_samples(s, "samples with prefetchers"))
		return false;
	rank_all(s);
	return true;
}

/* How many more whole runs the effort allows. */
static double affordable(const struct advise *a)
{
	return (a->effort - advise_cost(a)) * a->sweep.nr_cells;
}

/* The best candidate that was run whole; nr_candidates: none was. */
static size_t best_whole(const struct advise *a, size_t size)
{
	size_t best = a->nr_candidates, i;

	for (i = 0; i < a->nr_candidates; i++)
		if (advise_cell(a, i, size)->state == ADVISE_WHOLE &&
		    (best == a->nr_candidates || advise_value(a, i, size) < advise_value(a, best, size)))
			best = i;
	return best;
}

/*
 * How far behind the best of its size a run is, a logarithm. Of a run that was stopped, the rest would have cost
 * what it has cost the best.
 */
static double was_behind(const struct advise *a, size_t candidate, size_t size)
{
	const struct advise_figures *of = &advise_cell(a, candidate, size)->figures, *best_of;
	size_t best = best_whole(a, size);
	double left, value, reached;

	if (best == a->nr_candidates)
		return 0;
	best_of = &advise_cell(a, best, size)->figures;
	value = best_of->value[a->goal];
	reached = max(value + advise_behind(a->goal, of, best_of, &left), value);
	/* Looks are at even distances in requests, hits are of pages: the sum may exceed all pages. */
	if (a->goal == ADVISE_HITS)
		reached = min(reached, 1.0);
	return log(advise_apart(a, value, reached));
}

static bool is_tried(const struct advise *a, size_t candidate, size_t size)
{
	enum advise_state state = advise_cell(a, candidate, size)->state;

	return state == ADVISE_WHOLE || state == ADVISE_STOPPED;
}

static double log_apart(double x, double y, double least)
{
	return fabs(log((x + least) / (y + least)));
}

/* Have the samples of two candidates with a size of DRAM found about the same, for all goals? */
static bool are_alike(const struct search *s, size_t candidate, size_t other, size_t size)
{
	const double *x = s->sampled[candidate * s->a->nr_sizes + size].value;
	const double *y = s->sampled[other * s->a->nr_sizes + size].value;
	unsigned int goal;

	for (goal = 0; goal < ADVISE_NR_GOALS; goal++)
		if (log_apart(x[goal], y[goal], advise_least(goal)) >= ALIKE)
			return false;
	return true;
}

static unsigned int nr_alike(const struct search *s, size_t candidate, size_t size)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < s->a->nr_candidates; i++)
		nr += is_tried(s->a, i, size) && are_alike(s, candidate, i, size);
	return nr;
}

/* How far behind a candidate seems: by its sample, and by what it has done with the next smaller and larger DRAM. */
static double seems(const struct search *s, size_t candidate, size_t size)
{
	const struct advise *a = s->a;
	double own = *behind(s, candidate, size), sum = own, weight = 1;
	size_t beside;

	for (beside = size ? size - 1 : 0; beside <= size + 1 && beside < a->nr_sizes; beside++) {
		double sampled = *behind(s, candidate, beside);

		if (beside == size)
			continue;
		if (sampled < FAR) {
			sum += BESIDE * min(sampled, own + BESIDE_MOST);
			weight += BESIDE;
		}
		if (is_tried(a, candidate, beside)) {
			sum += was_behind(a, candidate, beside);
			weight++;
		}
	}
	return sum / weight + ALIKE_WORSE * nr_alike(s, candidate, size);
}

/**
 * struct next - the candidate of a size to run next
 * @job: it; candidate nr_candidates: none has a chance
 * @seems: how far behind it seems
 */
struct next {
	struct advise_job job;
	double seems;
};

/* What the next candidate is chosen by in a round; what was not sampled comes last. */
static double criterion(const struct search *s, size_t candidate, size_t size, size_t round)
{
	const struct advise_figures *sampled = &s->sampled[candidate * s->a->nr_sizes + size];

	if (round != FLASH_WRITES_ROUND || s->a->goal == ADVISE_HITS)
		return 0;
	return sampled->looks ? sampled->value[ADVISE_FLASH_WRITES] : INFINITY;
}

static struct next next_of(const struct search *s, size_t size, size_t round)
{
	const struct advise *a = s->a;
	struct next next = { { a->nr_candidates, size, best_whole(a, size), 0 }, INFINITY };
	double least = INFINITY;
	size_t i;

	for (i = 0; i < a->nr_candidates; i++) {
		double first, value;

		if (is_tried(a, i, size) || advise_cell(a, i, size)->state == ADVISE_FAILED)
			continue;
		first = criterion(s, i, size, round);
		if (first > least)
			continue;
		value = seems(s, i, size);
		if (first < least || value < next.seems ||
		    (value == next.seems && advise_rank(a, i) < advise_rank(a, next.job.candidate))) {
			least = first;
			next.seems = value;
			next.job.candidate = i;
		}
	}
	if (round >= LEAST && next.seems > log(HOPELESS))
		next.job.candidate = a->nr_candidates;
	return next;
}

static int compare_next(const void *x, const void *y)
{
	const struct next *a = x, *b = y;

	if (a->seems != b->seems)
		return a->seems < b->seems ? -1 : 1;
	return a->job.size < b->job.size ? -1 : 1;
}

/* One more candidate of each size; after the first, of as many sizes as the effort allows: those with the best chances. */
static void add_round(struct search *s, size_t round)
{
	struct advise *a = s->a;
	struct next *next = xcalloc(a->nr_sizes, sizeof(*next));
	/* One run is kept for advise_compare(), others for advise_try_states(). */
	size_t most = max(affordable(a) - 1 - s->kept, 0.0), size;

	for (size = 0; size < a->nr_sizes; size++)
		next[size] = next_of(s, size, round);
	qsort(next, a->nr_sizes, sizeof(*next), compare_next);
	for (size = 0; size < a->nr_sizes && (!round || s->nr_jobs < most); size++)
		if (next[size].job.candidate < a->nr_candidates)
			s->jobs[s->nr_jobs++] = next[size].job;
	free(next);
}

static bool run_best(struct search *s)
{
	struct advise *a = s->a;
	size_t most = max_t(size_t, LEAST_WHOLE, nr_plain(a) / WHOLE_PART), round;

	for (round = 0; round < most; round++) {
		add_round(s, round);
		if (!s->nr_jobs)
			break;
		if (!run_jobs(s, 1, "whole runs"))
			return false;
	}
	return true;
}

static double estimate_of(const struct advise *a, size_t candidate, size_t size, double off)
{
	switch (advise_cell(a, candidate, size)->state) {
	case ADVISE_STOPPED:
		return advise_times(a, advise_value(a, best_whole(a, size), size),
				    exp(was_behind(a, candidate, size)));
	case ADVISE_SAMPLED:
		return advise_times(a, advise_value(a, candidate, size), off);
	default:
		return advise_value(a, candidate, size);
	}
}

/*
 * The goal of each cell as far as known: samples are shifted by what they are off, on average, in the cells
 * of the size that were run whole, too.
 */
static void estimate(struct search *s)
{
	struct advise *a = s->a;
	double off, sum;
	size_t size, i, nr;

	for (size = 0; size < a->nr_sizes; size++) {
		nr = 0;
		sum = 0;
		for (i = 0; i < a->nr_candidates; i++)
			if (advise_cell(a, i, size)->state == ADVISE_WHOLE && s->sampled[i * a->nr_sizes + size].looks) {
				sum += log(advise_apart(a, s->sampled[i * a->nr_sizes + size].value[a->goal],
							advise_value(a, i, size)));
				nr++;
			}
		off = nr ? exp(sum / nr) : 1;
		for (i = 0; i < a->nr_candidates; i++)
			advise_cell(a, i, size)->estimate = estimate_of(a, i, size, off);
	}
}

static bool search(struct search *s)
{
	struct advise *a = s->a;
	size_t i;

	if (!sample_plain(s) || !sample_prefetchers(s))
		return false;
	for (i = 0; i < a->sweep.nr_cells; i++)
		s->sampled[i] = a->cells[i].figures;
	s->kept = advise_states_kept(a, affordable(a));
	if (!run_best(s))
		return false;
	estimate(s);
	return true;
}

/**
 * advise_search() - run what the advice is made from
 * @a: advice; its cells get figures
 *
 * Return: false if the search was interrupted.
 */
bool advise_search(struct advise *a)
{
	struct search s = { .a = a };
	size_t i;
	bool done;

	s.behind = xcalloc(a->sweep.nr_cells, sizeof(*s.behind));
	s.sampled = xcalloc(a->sweep.nr_cells, sizeof(*s.sampled));
	s.order = xcalloc(a->nr_candidates, sizeof(*s.order));
	s.jobs = xcalloc(a->sweep.nr_cells, sizeof(*s.jobs));
	if (a->effort >= 1 || (u64)a->sweep.nr_cells * a->sweep.workload.nr < SEARCH_REQUESTS ||
	    a->nr_candidates < SEARCH_CANDIDATES) {
		done = run_all(&s);
		for (i = 0; i < a->sweep.nr_cells; i++)
			a->cells[i].estimate = a->cells[i].figures.value[a->goal];
	} else {
		done = search(&s);
	}
	free(s.behind);
	free(s.sampled);
	free(s.order);
	free(s.jobs);
	return done;
}

/**
 * advise_compare() - run the baseline with a size of DRAM whole, for comparison
 * @a: advice
 * @size: index of the size
 *
 * Return: false if the run was interrupted.
 */
bool advise_compare(struct advise *a, size_t size)
{
	struct advise_job job = { a->baseline, size, a->nr_candidates, 0 };
	struct advise_sample whole;

	if (a->baseline == a->nr_candidates || advise_cell(a, a->baseline, size)->state == ADVISE_WHOLE ||
	    advise_cell(a, a->baseline, size)->state == ADVISE_FAILED)
		return true;
	advise_sample_make(&whole, &a->sweep.workload, 1);
	if (!advise_run(a, &whole, &job, 1, "whole runs"))
		return false;
	advise_cell(a, a->baseline, size)->estimate = advise_value(a, a->baseline, size);
	return true;
}
