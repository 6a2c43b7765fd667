// SPDX-License-Identifier: GPL-2.0
/*
 * From figures to advice. Only whole runs count.
 */
#include <math.h>
#include <stdlib.h>
#include "advise.h"

/* Candidates so close to the best are as good: the simplest of them is chosen. */
#define TIE	1.01

/* More DRAM must gain more than this to be worth it. */
#define WORTH	1.05

/* Differences below these are none: a hit may take no time at all. */
#define LEAST_NS	1000.0
#define LEAST_BYTES	65536.0
#define LEAST_HITS	0.01

/**
 * advise_least() - the difference below which figures are as good as equal
 * @goal: of which figure
 */
double advise_least(enum advise_goal goal)
{
	switch (goal) {
	case ADVISE_FLASH_WRITES:
		return LEAST_BYTES;
	case ADVISE_HITS:
		return LEAST_HITS;
	default:
		return LEAST_NS;
	}
}

/**
 * advise_apart() - how many times as bad as the other one figure is
 * @a: advice, for the goal
 * @smaller: figure
 * @larger: another one
 *
 * Hits are compared, not misses: half as many hits are twice as bad.
 */
double advise_apart(const struct advise *a, double smaller, double larger)
{
	double least = advise_least(a->goal);

	if (a->goal == ADVISE_HITS)
		return (1 - smaller + least) / (1 - larger + least);
	return (larger + least) / (smaller + least);
}

/**
 * advise_times() - the figure that is so many times as bad, by advise_apart()
 * @a: advice, for the goal
 * @figure: figure
 * @times: how many times; less than 1: better
 */
double advise_times(const struct advise *a, double figure, double times)
{
	double least = advise_least(a->goal);

	if (a->goal == ADVISE_HITS)
		return clamp_t(double, 1 + least - (1 - figure + least) / times, 0, 1);
	return max((figure + least) * times - least, 0.0);
}

/**
 * advise_shown() - a figure as users know it
 * @a: advice, for the goal
 * @figure: figure
 *
 * Return: the hit ratio for ADVISE_HITS; otherwise the figure, in ns or bytes.
 */
double advise_shown(const struct advise *a, double figure)
{
	return a->goal == ADVISE_HITS ? 1 - figure : figure;
}

static bool is_whole(const struct advise *a, size_t candidate, size_t size)
{
	return advise_cell(a, candidate, size)->state == ADVISE_WHOLE;
}

/**
 * advise_mean() - the goal of a cell, over all states of the drive with which it was run
 * @a: advice
 * @candidate: candidate that was run whole
 * @size: index of the size
 */
double advise_mean(const struct advise *a, size_t candidate, size_t size)
{
	const struct advise_cell *cell = advise_cell(a, candidate, size);
	double sum = 0;
	unsigned int i;

	if (!cell->has_states)
		return cell->figures.value[a->goal];
	for (i = 0; i < ADVISE_NR_STATES; i++)
		sum += cell->in_state[i];
	return sum / ADVISE_NR_STATES;
}

/* The least and the largest goal of a cell that was run with all states of the drive. @size: index of the size. */
static void range_of(const struct advise *a, size_t candidate, size_t size, double range[2])
{
	const struct advise_cell *cell = advise_cell(a, candidate, size);
	unsigned int i;

	range[0] = range[1] = cell->in_state[0];
	for (i = 1; i < ADVISE_NR_STATES; i++) {
		range[0] = min(range[0], cell->in_state[i]);
		range[1] = max(range[1], cell->in_state[i]);
	}
}

static bool have_states(const struct advise *a, size_t one, size_t other, size_t size)
{
	return advise_cell(a, one, size)->has_states && advise_cell(a, other, size)->has_states;
}

/* Student's t for 5 % on one side, with a degree of freedom less than there are states, which are 3. */
#define STUDENT_T	2.92

/* Is the worst state of @one better than the best of @other? Of 3 and 3 states, that is chance one time in 20. */
static bool is_apart(const struct advise *a, size_t one, size_t other, size_t size)
{
	double range[2], other_range[2];

	range_of(a, one, size, range);
	range_of(a, other, size, other_range);
	return range[1] < other_range[0];
}

/*
 * Is @one better than @other by more than a tie, and by more than the states of the drive let expect by chance? The states
 * are compared in pairs, by logarithms. A few that differ much among themselves may still all be worse: ranks tell.
 */
static bool is_ahead(const struct advise *a, size_t one, size_t other, size_t size)
{
	const double *x = advise_cell(a, one, size)->in_state, *y = advise_cell(a, other, size)->in_state;
	double sum = 0, squares = 0, mean, apart;
	unsigned int i;

	for (i = 0; i < ADVISE_NR_STATES; i++) {
		apart = log(advise_apart(a, x[i], y[i]));
		sum += apart;
		squares += apart * apart;
	}
	mean = sum / ADVISE_NR_STATES;
	if (mean <= log(TIE))
		return false;
	return is_apart(a, one, other, size) ||
	       mean * mean * ADVISE_NR_STATES * (ADVISE_NR_STATES - 1) >
	       STUDENT_T * STUDENT_T * max(squares - sum * mean, 0.0);
}

static_assert(ADVISE_NR_STATES == 3);

/* Are two candidates that were run whole equally good? */
static bool is_tie(const struct advise *a, size_t one, size_t other, size_t size)
{
	bool states = have_states(a, one, other, size);
	double x = states ? advise_mean(a, one, size) : advise_value(a, one, size);
	double y = states ? advise_mean(a, other, size) : advise_value(a, other, size);

	return advise_apart(a, min(x, y), max(x, y)) <= TIE;
}

/**
 * advise_is_equal() - is another candidate as good as the choice, as far as the states of the drive tell?
 * @a: advice
 * @chosen: the choice, which was run with all states
 * @other: another candidate
 * @size: index of the size
 *
 * It is if the difference may be chance, by a t-test of the pairs and by ranks, or, having been run with the given state only, is no farther behind than the
 * states of the choice are apart.
 */
bool advise_is_equal(const struct advise *a, size_t chosen, size_t other, size_t size)
{
	double range[2], value;

	if (other == chosen || !is_whole(a, other, size))
		return false;
	if (have_states(a, chosen, other, size))
		return !is_ahead(a, chosen, other, size) || is_tie(a, chosen, other, size);
	range_of(a, chosen, size, range);
	value = max(advise_value(a, other, size), advise_value(a, chosen, size));
	return advise_apart(a, advise_value(a, chosen, size), value) <= advise_apart(a, range[0], range[1]);
}

/* Of these the choice is made: those with all states of the drive, if there are such. */
static bool is_eligible(const struct advise *a, size_t candidate, size_t size)
{
	size_t i;

	if (!is_whole(a, candidate, size))
		return false;
	for (i = 0; i < a->nr_candidates && !advise_cell(a, i, size)->has_states; i++)
		;
	return i == a->nr_candidates || advise_cell(a, candidate, size)->has_states;
}

/**
 * advise_times_of() - how many times as bad as a candidate another one is, in the same states of the drive
 * @a: advice
 * @candidate: candidate that was run whole
 * @other: another one
 * @size: index of the size
 */
double advise_times_of(const struct advise *a, size_t candidate, size_t other, size_t size)
{
	if (have_states(a, candidate, other, size))
		return advise_apart(a, advise_mean(a, candidate, size), advise_mean(a, other, size));
	return advise_apart(a, advise_value(a, candidate, size), advise_value(a, other, size));
}

static size_t smallest(const struct advise *a, size_t size)
{
	size_t best = a->nr_candidates, i;

	for (i = 0; i < a->nr_candidates; i++)
		if (is_eligible(a, i, size) &&
		    (best == a->nr_candidates || advise_mean(a, i, size) < advise_mean(a, best, size)))
			best = i;
	return best;
}

/**
 * advise_is_good() - is a candidate as good as the best of its size, so that the choice is between it and other such ones?
 * @a: after the search
 * @verdict: advice, which has the smallest figure of the size
 * @candidate: candidate
 * @size: index of the size
 *
 * The best is the measure for all: two of which each is as good as the choice may be farther apart than a tie.
 */
bool advise_is_good(const struct advise *a, const struct advise_verdict *verdict, size_t candidate, size_t size)
{
	return is_eligible(a, candidate, size) && is_tie(a, verdict->smallest[size], candidate, size);
}

/* The simplest of those that are as good as the best. */
static size_t choose(const struct advise *a, const struct advise_verdict *verdict, size_t size)
{
	size_t chosen = verdict->smallest[size], i;

	for (i = 0; i < a->nr_candidates; i++)
		if (advise_is_good(a, verdict, i, size) && advise_rank(a, i) < advise_rank(a, chosen))
			chosen = i;
	return chosen;
}

/* The best of those that are not as good as the best; if all are, the best of them but the choice. */
static size_t find_rival(const struct advise *a, const struct advise_verdict *verdict, size_t size)
{
	size_t rival = a->nr_candidates, tied = a->nr_candidates, *of, i;

	for (i = 0; i < a->nr_candidates; i++) {
		if (i == verdict->best[size] || !is_eligible(a, i, size))
			continue;
		of = advise_is_good(a, verdict, i, size) ? &tied : &rival;
		if (*of == a->nr_candidates || advise_mean(a, i, size) < advise_mean(a, *of, size))
			*of = i;
	}
	return rival < a->nr_candidates ? rival : tied;
}

/**
 * advise_sizes_have_states() - was the best of each size run with all states of the drive?
 * @a: after the search
 * @verdict: advice
 *
 * Otherwise sizes are compared by the given state: the best of it had luck there, the mean of others does not show that.
 */
bool advise_sizes_have_states(const struct advise *a, const struct advise_verdict *verdict)
{
	size_t size;

	for (size = 0; size < a->nr_sizes; size++)
		if (verdict->best[size] < a->nr_candidates && !advise_cell(a, verdict->best[size], size)->has_states)
			return false;
	return true;
}

static double best_value(const struct advise *a, const struct advise_verdict *verdict, size_t size)
{
	if (verdict->best[size] == a->nr_candidates)
		return INFINITY;
	return advise_sizes_have_states(a, verdict) ? advise_mean(a, verdict->best[size], size) :
						      advise_value(a, verdict->best[size], size);
}

/*
 * The size from which on more DRAM gains least: where the curve, by the logarithm of the size, is farthest
 * below the line between its ends.
 */
static size_t find_knee(const struct advise *a, const struct advise_verdict *verdict)
{
	double first = best_value(a, verdict, 0), last = best_value(a, verdict, a->nr_sizes - 1), below, most = 0;
	double width = log((double)a->sizes[a->nr_sizes - 1] / a->sizes[0]);
	size_t knee = a->nr_sizes, size;

	if (a->nr_sizes < 3 || !isfinite(first) || !isfinite(last) || advise_apart(a, last, first) < WORTH)
		return a->nr_sizes;
	for (size = 1; size + 1 < a->nr_sizes; size++) {
		below = first + (last - first) * log((double)a->sizes[size] / a->sizes[0]) / width -
			best_value(a, verdict, size);
		if (below > most) {
			most = below;
			knee = size;
		}
	}
	return knee;
}

static size_t choose_size(const struct advise *a, const struct advise_verdict *verdict)
{
	if (a->nr_sizes == 1)
		return 0;
	if (a->latency_ns && verdict->reached < a->nr_sizes)
		return verdict->reached;
	return a->latency_ns ? verdict->top : verdict->least;
}

/**
 * advise_judge() - make the advice
 * @a: after the search
 * @verdict: result, to be freed with advise_verdict_free()
 */
void advise_judge(const struct advise *a, struct advise_verdict *verdict)
{
	size_t size;

	*verdict = (struct advise_verdict) {
		.smallest = xcalloc(a->nr_sizes, sizeof(size_t)), .best = xcalloc(a->nr_sizes, sizeof(size_t)),
		.rival = xcalloc(a->nr_sizes, sizeof(size_t)), .reached = a->nr_sizes,
	};
	for (size = 0; size < a->nr_sizes; size++) {
		verdict->smallest[size] = smallest(a, size);
		verdict->best[size] = choose(a, verdict, size);
		verdict->rival[size] = find_rival(a, verdict, size);
	}
	for (size = 0; size < a->nr_sizes; size++)
		if (best_value(a, verdict, size) < best_value(a, verdict, verdict->top))
			verdict->top = size;
	for (size = a->nr_sizes; size--;) {
		if (advise_apart(a, best_value(a, verdict, verdict->top), best_value(a, verdict, size)) <= WORTH)
			verdict->least = size;
		if (a->latency_ns && best_value(a, verdict, size) <= a->latency_ns)
			verdict->reached = size;
	}
	verdict->knee = find_knee(a, verdict);
	verdict->chosen = choose_size(a, verdict);
}

void advise_verdict_free(struct advise_verdict *verdict)
{
	free(verdict->smallest);
	free(verdict->best);
	free(verdict->rival);
}

/**
 * advise_margin() - how much better the choice is than its rival
 * @a: after the search
 * @verdict: advice
 * @size: which choice
 * @half: result: the same for the halves of the requests; NULL: not wanted
 *
 * Return: 0.1: the rival's figure is 10 % larger. 0 without a rival.
 */
double advise_margin(const struct advise *a, const struct advise_verdict *verdict, size_t size, double half[2])
{
	size_t best = verdict->best[size], rival = verdict->rival[size], i;

	if (half)
		half[0] = half[1] = 0;
	if (rival == a->nr_candidates)
		return 0;
	for (i = 0; half && i < 2; i++)
		half[i] = advise_apart(a, advise_cell(a, best, size)->figures.half[i],
				       advise_cell(a, rival, size)->figures.half[i]) - 1;
	return advise_apart(a, advise_mean(a, best, size), advise_mean(a, rival, size)) - 1;
}

/**
 * advise_nr_unsure() - how many candidates seem about as good as the choice, but were not run whole
 * @a: after the search
 * @chosen: the choice
 * @size: index of the size
 */
size_t advise_nr_unsure(const struct advise *a, size_t chosen, size_t size)
{
	double value = advise_value(a, chosen, size);
	size_t nr = 0, i;

	for (i = 0; i < a->nr_candidates; i++) {
		const struct advise_cell *cell = advise_cell(a, i, size);

		nr += (cell->state == ADVISE_SAMPLED || cell->state == ADVISE_STOPPED) &&
		      advise_apart(a, value, max(cell->estimate, value)) <= WORTH;
	}
	return nr;
}

/**
 * advise_trust() - how sure a choice is
 * @a: after the search
 * @verdict: advice
 * @size: which choice
 *
 * Sure: better than the rival by more than a tie, in neither half worse, with several states of the drive by more than chance
 * explains, and better than what those that were not run whole seem to be.
 */
enum advise_trust advise_trust(const struct advise *a, const struct advise_verdict *verdict, size_t size)
{
	double half[2], margin = advise_margin(a, verdict, size, half);

	if (verdict->rival[size] == a->nr_candidates)
		return ADVISE_ALONE;
	if (advise_has_states(a) && (!have_states(a, verdict->best[size], verdict->rival[size], size) ||
				     !is_ahead(a, verdict->best[size], verdict->rival[size], size)))
		return ADVISE_CLOSE;
	if (advise_nr_unsure(a, verdict->best[size], size))
		return ADVISE_CLOSE;
	return margin > TIE - 1 && half[0] >= 0 && half[1] >= 0 ? ADVISE_SURE : ADVISE_CLOSE;
}
