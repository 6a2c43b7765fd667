// SPDX-License-Identifier: GPL-2.0
/*
 * Compares FP-Growth with a miner that tries all sets, on random windows: both must find the
 * same frequent sets with the same supports. FP-Growth works in steps of random length, and is
 * sometimes abandoned half-way.
 *
 *	fp-growth [-s SEED] [-r ROUNDS]
 *
 * In brief mode each set reported must be frequent, and each frequent set must be contained in
 * a reported set of the same support.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../../dm-ssdcache/prefetch/fp-growth.h"
#include "../ssdcache-sim/sim.h"
#include "harness.h"

#define DEFAULT_ROUNDS	4000
#define MAX_SETS	200000

struct window {
	u32 nr_transactions;
	u32 nr_accesses;
	u32 nr[SSDC_FP_TRANSACTIONS];
	u64 addresses[SSDC_FP_TRANSACTIONS][64];	/* with repetitions */
};

struct sets {
	u32 nr;
	struct ssdc_fp_set all[MAX_SETS];
};

static struct ssdc_fp_growth fp;
static struct window window;
static struct sets found, wanted;
static u64 seed, compared;
static struct ssdc_fp_params params;
static const char *mode;

static void fail(const char *what)
{
	diag("seed %llu, %s, support %u, up to %u elements: %s", seed, mode, params.min_support,
	     params.max_elements, what);
	repeat_with("-r 1 -s %llu", seed);
	give_up("frequent sets");
}

/* ---- windows ---- */

static void add_access(u32 transaction, u64 address)
{
	u32 *nr = &window.nr[transaction];

	if (*nr == ARRAY_SIZE(window.addresses[0]) || window.nr_accesses == SSDC_FP_ACCESSES)
		return;
	window.addresses[transaction][(*nr)++] = address;
	window.nr_accesses++;
}

/* Arbitrary addresses, some of which often occur together. */
static void random_window(u32 universe, u32 transactions, u32 longest)
{
	u64 base = below(2) ? ssdc_random_next(&harness_random) : 0, stride = below(2) ? 1 : ssdc_random_next(&harness_random);
	u32 group = between(2, 12), t, i;

	memset(window.nr, 0, sizeof(window.nr));
	window.nr_transactions = transactions;
	window.nr_accesses = 0;
	for (t = 0; t < transactions; t++) {
		u32 length = between(0, longest), first = below(universe);

		for (i = 0; i < length; i++)
			add_access(t, base + below(below(3) ? universe : universe / 3 + 1) * stride);
		for (i = 0; !below(3) && i < group; i++)
			add_access(t, base + (first / group * group + i) % universe * stride);
	}
}

/* ---- the slow miner ---- */

static bool has(u32 transaction, u64 address)
{
	u32 i;

	for (i = 0; i < window.nr[transaction]; i++)
		if (window.addresses[transaction][i] == address)
			return true;
	return false;
}

static u32 support_of(const u64 *addresses, u32 nr)
{
	u32 support = 0, t, i;

	for (t = 0; t < window.nr_transactions; t++) {
		for (i = 0; i < nr && has(t, addresses[i]); i++)
			;
		support += i == nr;
	}
	return support;
}

struct candidate {
	u64 address;
	u32 support;
	u32 order;
};

static int by_support(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->support != y->support)
		return x->support < y->support ? 1 : -1;
	return x->order < y->order ? -1 : 1;
}

static struct candidate candidates[SSDC_FP_ACCESSES];

/* The frequent addresses, most frequent first; among equals, the first to occur. */
static u32 list_candidates(void)
{
	u32 nr = 0, t, i, j;

	for (t = 0; t < window.nr_transactions; t++) {
		for (i = 0; i < window.nr[t]; i++) {
			u64 address = window.addresses[t][i];

			for (j = 0; j < nr && candidates[j].address != address; j++)
				;
			if (j == nr)
				candidates[nr++] = (struct candidate) {
					address, support_of(&address, 1), nr
				};
		}
	}
	qsort(candidates, nr, sizeof(*candidates), by_support);
	while (nr && candidates[nr - 1].support < params.min_support)
		nr--;
	return min(nr, SSDC_FP_ITEMS);
}

static void add_set(struct sets *sets, const struct ssdc_fp_set *set)
{
	if (sets->nr == MAX_SETS)
		fail("too many sets for this test");
	sets->all[sets->nr++] = *set;
}

/* All frequent sets that begin with @set; an infrequent set has no frequent superset. */
static void try_all(struct ssdc_fp_set *set, u32 from, u32 nr)
{
	for (; from < nr; from++) {
		set->addresses[set->nr++] = candidates[from].address;
		set->support = support_of(set->addresses, set->nr);
		if (set->support >= params.min_support) {
			if (set->nr > 1)
				add_set(&wanted, set);
			if (set->nr < params.max_elements)
				try_all(set, from + 1, nr);
		}
		set->nr--;
	}
}

/* ---- comparison ---- */

static int by_number(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

static int by_content(const void *a, const void *b)
{
	const struct ssdc_fp_set *x = a, *y = b;
	u32 i;

	for (i = 0; i < x->nr && i < y->nr; i++)
		if (x->addresses[i] != y->addresses[i])
			return x->addresses[i] < y->addresses[i] ? -1 : 1;
	return (int)x->nr - (int)y->nr;
}

static void sort(struct sets *sets)
{
	u32 i;

	for (i = 0; i < sets->nr; i++)
		qsort(sets->all[i].addresses, sets->all[i].nr, sizeof(u64), by_number);
	qsort(sets->all, sets->nr, sizeof(*sets->all), by_content);
}

static void compare(void)
{
	u32 i;

	sort(&found);
	sort(&wanted);
	for (i = 0; i < found.nr && i < wanted.nr; i++) {
		if (by_content(&found.all[i], &wanted.all[i]))
			fail("a set differs");
		if (found.all[i].support != wanted.all[i].support)
			fail("the support of a set differs");
	}
	if (found.nr != wanted.nr)
		fail(found.nr > wanted.nr ? "too many sets" : "sets are missing");
	compared += found.nr;
}

static bool contains(const struct ssdc_fp_set *set, const struct ssdc_fp_set *part)
{
	u32 i, j;

	for (i = 0; i < part->nr; i++) {
		for (j = 0; j < set->nr && set->addresses[j] != part->addresses[i]; j++)
			;
		if (j == set->nr)
			return false;
	}
	return true;
}

/* @whole: there are so few addresses that every set is reported in one part. */
static void compare_brief(bool whole)
{
	u32 i, j;

	for (i = 0; i < found.nr; i++)
		if (found.all[i].nr > params.max_elements ||
		    support_of(found.all[i].addresses, found.all[i].nr) != found.all[i].support)
			fail("a set has a wrong support or size");
	for (i = 0; whole && i < wanted.nr; i++) {
		for (j = 0; j < found.nr; j++)
			if (found.all[j].support == wanted.all[i].support &&
			    contains(&found.all[j], &wanted.all[i]))
				break;
		if (j == found.nr)
			fail("a frequent set is in no reported set");
	}
	compared += found.nr;
}

/* ---- runs ---- */

static void note(void *context, const struct ssdc_fp_set *set)
{
	add_set(context, set);
}

static void feed(void)
{
	u32 t, i;

	ssdc_fp_clear(&fp);
	for (t = 0; t < window.nr_transactions; t++)
		for (i = 0; i < window.nr[t]; i++)
			if (!ssdc_fp_add(&fp, t, window.addresses[t][i]))
				fail("no room");
}

static void mine(void)
{
	u32 steps = below(20) * !below(4), most = between(1, 2000);

	feed();
	found.nr = 0;
	ssdc_fp_start(&fp, &params);
	while (steps--)
		ssdc_fp_step(&fp, below(50));
	/* Abandon the first run and start anew. */
	feed();
	found.nr = 0;
	ssdc_fp_start(&fp, &params);
	while (ssdc_fp_step(&fp, between(1, most)))
		;
	if (fp.sets != found.nr)
		fail("sets are counted wrongly");
}

static void one(u32 universe, u32 transactions, u32 longest, u32 min_support, u32 max_elements)
{
	struct ssdc_fp_set set = {};

	random_window(universe, transactions, longest);
	params = (struct ssdc_fp_params) {
		.min_support = min_support, .max_elements = max_elements,
		.found = note, .context = &found,
	};
	wanted.nr = 0;
	try_all(&set, 0, list_candidates());
	mode = "all";
	mine();
	compare();
	mode = "brief";
	params.brief = true;
	mine();
	compare_brief(universe <= max_elements);
}

int main(int argc, char **argv)
{
	struct harness options = { .seed = 1, .rounds = DEFAULT_ROUNDS };
	u64 round;

	harness_options(&options, "sr", argc, argv);
	if (ssdc_fp_create(&fp))
		return TOOL_FAILED;
	for (round = 0; round < options.rounds; round++) {
		seed = options.seed + round;
		ssdc_random_seed(&harness_random, seed);
		switch (below(16)) {
		case 0:		/* more frequent addresses than are used */
			one(between(130, 400), between(60, 200), 24, between(2, 4), 2);
			break;
		case 1:		/* as the prefetchers use it */
			one(between(20, 300), 16, 16, 3, between(2, 4));
			break;
		case 2:
		case 3:
			one(between(11, 14), between(1, 30), 12, between(2, 6), between(3, 10));
			break;
		default:
			one(between(2, 10), between(0, 40), 10, between(1, 5), 10);
		}
	}
	result(true, "FP-Growth finds the same frequent sets as trying all: %llu windows, %llu sets",
	       options.rounds, compared);
	ssdc_fp_destroy(&fp);
	return finish();
}
