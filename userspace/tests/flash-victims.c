// SPDX-License-Identifier: GPL-2.0
/*
 * Victim rules of garbage collection against theory: write amplification of uniform random writes
 * in steady state.
 *
 *	flash-victims [-s SEED]		TAP lines
 *
 * FIFO (Desnoyers, SYSTOR 2012, LRW): a page stays valid for one turn of all blocks with the
 * probability v = exp(-T (1 - v) / U), where T is the number of pages in use and U that of valid
 * pages. Write amplification is 1 / (1 - v).
 *
 * d-choices (Van Houdt, SIGMETRICS 2013): the mean-field limit. m[i] is the share of blocks with i
 * valid pages; per victim, a block with b valid pages arrives, each valid page becomes outdated at
 * the same rate, and the victim has i valid pages with the probability
 * M[i]^d - M[i + 1]^d, M[i] = m[i] + ... + m[b].
 *
 * Greedy is in flash-model; cost-benefit has no closed form, but a purpose.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <linux/kernel.h>
#include "flash-load.h"

/* One free block, half of the time a second one for GC, and two half-filled open blocks. */
#define BLOCKS_NOT_IN_USE 2.5
#define MAX_PAGES 64

#define SPEC "custom:channels=1,chips=1,dies=1,planes=1,blocks=1024,pages=32,page_bytes=4096," \
	"gc_threshold=0,gc_urgent=0,over_provisioning=%u,gc_victim=%s"

static double fifo_theory(double u)
{
	double v = 0.5;
	int i;

	for (i = 0; i < 10000; i++)
		v = exp(-(1 - v) / u);
	return 1 / (1 - v);
}

static double d_choices_theory(u32 b, double u, u32 d)
{
	double m[MAX_PAGES + 2] = {}, p[MAX_PAGES + 1], step = 0.2 / b, moved = 0;
	int turn, i;

	for (i = 1; i <= (int)b; i++)
		m[i] = 1.0 / b;
	for (turn = 0; turn < 100000; turn++) {
		double above = 0, sum = 0, rate;

		moved = 0;
		for (i = b; i >= 0; i--) {
			p[i] = pow(above + m[i], d) - pow(above, d);
			above += m[i];
			moved += i * p[i];
		}
		rate = (b - moved) / (u * b);
		for (i = 0; i <= (int)b; i++) {
			m[i] += step * (rate * (i < (int)b ? (i + 1) * m[i + 1] : 0) -
					rate * i * m[i] - p[i] + (i == (int)b));
			sum += m[i];
		}
		/* The sums are kept by the equations; keep rounding errors out. */
		for (i = 0; i <= (int)b; i++)
			m[i] /= sum;
	}
	return b / (b - moved);
}

static double steady(const char *rule, u32 over_provisioning, double *u, bool *ok)
{
	char spec[256];
	struct load load;
	double wa;

	snprintf(spec, sizeof(spec), SPEC, over_provisioning, rule);
	load = load_begin(spec);
	*u = load.f->nr_lpns / ((load.f->params.blocks - BLOCKS_NOT_IN_USE) * load.f->params.pages);
	load_fill(&load);
	load_churn(&load, 3ULL * load.f->nr_lpns);
	wa = load_churn(&load, 2ULL * load.f->nr_lpns);
	*ok = load_end(&load);
	return wa;
}

static void compare(const char *rule, u32 over_provisioning, u32 choices)
{
	double u, theory, wa;
	bool ok;

	wa = steady(rule, over_provisioning, &u, &ok);
	theory = choices ? d_choices_theory(32, u, choices) : fifo_theory(u);
	result(ok && fabs(wa / theory - 1) < 0.03,
	       "write amplification, %s, %u %% over-provisioning: %.3f, theory %.3f (%+.1f %%)",
	       rule, over_provisioning, wa, theory, 100 * (wa / theory - 1));
}

static double skewed(const char *rule)
{
	char spec[256];
	struct load load;
	double wa;

	snprintf(spec, sizeof(spec), SPEC, 10, rule);
	load = load_begin(spec);
	load.hot_percent = 10;
	load_fill(&load);
	load_churn(&load, 4ULL * load.f->nr_lpns);
	wa = load_churn(&load, 2ULL * load.f->nr_lpns);
	load_end(&load);
	return wa;
}

int main(int argc, char **argv)
{
	struct harness options = { .seed = 1 };
	static const u32 shares[] = { 7, 15, 28 };
	double greedy, cost_benefit;
	unsigned int i;

	harness_options(&options, "s", argc, argv);
	ssdc_random_seed(&harness_random, options.seed);
	for (i = 0; i < ARRAY_SIZE(shares); i++) {
		compare("fifo", shares[i], 0);
		compare("d-choices,gc_choices=1", shares[i], 1);
		compare("d-choices,gc_choices=2", shares[i], 2);
		compare("d-choices,gc_choices=10", shares[i], 10);
	}
	greedy = skewed("greedy");
	cost_benefit = skewed("cost-benefit");
	result(cost_benefit < 0.9 * greedy,
	       "90 %% of the writes to 10 %% of the pages: write amplification %.3f cost-benefit, %.3f greedy",
	       cost_benefit, greedy);
	return finish();
}
