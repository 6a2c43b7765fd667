// SPDX-License-Identifier: GPL-2.0
/*
 * What is chance. The seed of an aged drive decides which blocks are full of outdated pages, and so when each plane
 * collects garbage; figures of the same policies differ by it, at times by more than those of different ones. The
 * best of the sizes are run with other states of the drive, too: the mean decides between them, and the range tells
 * which differences mean something.
 */
#include "advise.h"

/* Of a size, so many of the best are run with other states: at least 2, or there is nothing to compare. */
#define MOST_FINALISTS	4
#define LEAST_FINALISTS	2

/*
 * The share of the runs still affordable after the samples that is kept for other states, those of the answer's
 * size. To keep more, for other sizes, costs whole runs of other candidates, which find more. What is left at
 * the end goes to other sizes, too.
 */
#define KEPT		0.12

/* Candidates that are so many times as bad as the best are not run again; chance alone may be worth more than 2. */
#define TOO_FAR		4.0

/**
 * advise_has_states() - does the figure depend on a state of the drive that is chance?
 * @a: advice
 */
bool advise_has_states(const struct advise *a)
{
	const struct ssdf_params *flash = &a->base.flash;

	return a->base.has_flash && (flash->aged == SSDF_STEADY || flash->aged_valid || flash->aged_invalid);
}

/**
 * advise_states_kept() - the runs that the search keeps for advise_try_states()
 * @a: advice
 * @affordable: runs that the effort allows
 */
double advise_states_kept(const struct advise *a, double affordable)
{
	double wanted = (ADVISE_NR_STATES - 1.0) * MOST_FINALISTS;

	return advise_has_states(a) ? min(KEPT * affordable, wanted) : 0;
}

static bool is_finalist(const struct advise *a, size_t candidate, size_t size)
{
	return advise_cell(a, candidate, size)->state == ADVISE_WHOLE;
}

/* As in the verdict, the simpler of two that are equal comes first. */
static bool goes_before(const struct advise *a, size_t one, size_t other, size_t size)
{
	double x = advise_value(a, one, size), y = advise_value(a, other, size);

	return x < y || (x == y && advise_rank(a, one) < advise_rank(a, other));
}

/* The best that are not in @chosen yet; nr_candidates: none is near enough. */
static size_t next_best(const struct advise *a, size_t size, const size_t *chosen, size_t nr)
{
	size_t best = a->nr_candidates, i, k;

	for (i = 0; i < a->nr_candidates; i++) {
		for (k = 0; k < nr && chosen[k] != i; k++)
			;
		if (k < nr || !is_finalist(a, i, size))
			continue;
		if (best == a->nr_candidates || goes_before(a, i, best, size))
			best = i;
	}
	if (nr && best < a->nr_candidates &&
	    advise_apart(a, advise_value(a, chosen[0], size), advise_value(a, best, size)) > TOO_FAR)
		return a->nr_candidates;
	return best;
}

/* Add the finalists of a size to the jobs, as many as @most runs allow. Returns how many finalists these are. */
static size_t add_size(struct advise *a, size_t size, size_t most, struct advise_job *jobs)
{
	size_t chosen[MOST_FINALISTS], nr = 0, i;

	while (nr < MOST_FINALISTS && (nr + 1) * (ADVISE_NR_STATES - 1) <= most) {
		chosen[nr] = next_best(a, size, chosen, nr);
		if (chosen[nr] == a->nr_candidates)
			break;
		nr++;
	}
	if (nr < LEAST_FINALISTS)
		return 0;
	for (i = 0; i < nr; i++)
		jobs[i] = (struct advise_job) { chosen[i], size, a->nr_candidates, 0 };
	return nr;
}

/* The runs of all sizes, @first first, as far as the effort allows. Where all cells were run whole: of @first. */
static size_t add_all(struct advise *a, size_t first, struct advise_job *jobs)
{
	double left = max((a->effort - advise_cost(a)) * a->sweep.nr_cells, 0.0);
	size_t most = a->sampled_runs ? (size_t)left : SIZE_MAX;
	size_t nr = add_size(a, first, most, jobs), size, more;

	left -= nr * (ADVISE_NR_STATES - 1);
	for (size = 0; size < a->nr_sizes; size++) {
		if (size == first || left < 1)
			continue;
		more = add_size(a, size, left, jobs + nr);
		left -= more * (ADVISE_NR_STATES - 1);
		nr += more;
	}
	return nr;
}

static bool make_state(struct advise *a, unsigned int state)
{
	struct ssdf_params params = a->base.flash;
	struct ssdc_error error;

	/* 0 is no seed. */
	params.seed = params.seed > U32_MAX - ADVISE_NR_STATES ? state : params.seed + state;
	sim_device_free(&a->device);
	return !sim_device_make(&a->device, &params, NULL, &error);
}

/**
 * advise_try_states() - run the best of the sizes with other states of the drive
 * @a: after the search
 * @first: index of the size that matters most
 *
 * Return: false if a run was interrupted.
 */
bool advise_try_states(struct advise *a, size_t first)
{
	struct advise_job *jobs = xcalloc(MOST_FINALISTS * a->nr_sizes, sizeof(*jobs));
	size_t nr = advise_has_states(a) ? add_all(a, first, jobs) : 0, failed = a->failed, i;
	struct advise_sample whole;
	unsigned int state;
	bool done = true;

	advise_sample_make(&whole, &a->sweep.workload, 1);
	for (state = 1; nr && done && state < ADVISE_NR_STATES; state++) {
		if (!make_state(a, state))
			break;
		for (i = 0; i < nr; i++)
			jobs[i].state = state;
		done = advise_run(a, &whole, jobs, nr, "runs with other states of the drive");
	}
	for (i = 0; i < nr && state == ADVISE_NR_STATES && a->failed == failed; i++) {
		struct advise_cell *cell = advise_cell(a, jobs[i].candidate, jobs[i].size);

		cell->in_state[0] = cell->figures.value[a->goal];
		cell->has_states = true;
	}
	free(jobs);
	return done;
}
