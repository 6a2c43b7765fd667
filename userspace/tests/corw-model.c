// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "corw-model.h"

void model_init(struct model *m, const struct model_params *params)
{
	memset(m, 0, sizeof(*m));
	m->params = *params;
	m->asleep = true;
	m->generator = params->seed;
}

void model_free(struct model *m)
{
	sector_map_free(&m->now.seen);
	sector_map_free(&m->before.seen);
	free(m->latencies);
}

/* ---- intervals ---- */

static u64 end_of_interval(const struct model *m)
{
	return m->start_ns + (m->interval + 1) * m->params.period_ns;
}

/* An event: skip the empty intervals before it, one by one. Returns what is wrong, or NULL. */
static const char *happens(struct model *m, u64 ns)
{
	if (!m->started) {
		m->started = true;
		m->start_ns = ns;
	}
	while (m->asleep && ns >= end_of_interval(m))
		m->interval++;
	m->asleep = false;
	m->busy = true;
	return ns > end_of_interval(m) ? "a tick is late" : NULL;
}

/* ---- re-accesses ---- */

static void next_half(struct model *m)
{
	sector_map_free(&m->before.seen);
	m->before = m->now;
	memset(&m->now, 0, sizeof(m->now));
}

static void access_page(struct model *m, u64 page, bool write)
{
	u64 how = write ? 2 : 1, *seen;

	if (!sector_map_get(&m->now.seen, page)) {
		if (m->now.pages == MODEL_HALF_PAGES)
			next_half(m);
		m->now.pages++;
	}
	seen = sector_map_at(&m->now.seen, page);
	if ((*seen | sector_map_get(&m->before.seen, page)) & how)
		m->now.again[write]++;
	m->now.accesses[write]++;
	*seen |= how;
}

const char *model_request(struct model *m, u64 ns, bool write, u64 first_page, u64 last_page,
			  double sectors)
{
	const char *wrong = happens(m, ns);

	m->traffic[write] += sectors;
	if (m->params.rar_window && m->now.requests == m->params.rar_window)
		next_half(m);
	m->now.requests++;
	for (; first_page <= last_page; first_page++)
		access_page(m, first_page, write);
	return wrong;
}

/* ---- rules ---- */

/* Sign of Ra_r / Ra_w - @bound. Uses fractions, because doubles would be inexact. */
static int compare_locality(const struct model *m, double bound)
{
	__extension__ typedef unsigned __int128 wide;
	wide above = (wide)m->again[0] * (wide)m->accesses[1];
	wide below = (wide)m->again[1] * (wide)m->accesses[0] * (wide)bound;

	if (!m->again[0])
		return -1;		/* numerator 0: the ratio is 0 */
	if (!m->again[1])
		return 1;		/* denominator 0: infinite */
	return (above > below) - (above < below);
}

static int compare_traffic(const struct model *m, double bound)
{
	double ratio = m->last_traffic[0] / m->last_traffic[1];

	if (!m->last_traffic[0])
		return -1;
	if (!m->last_traffic[1])
		return 1;
	return (ratio > bound) - (ratio < bound);
}

bool model_caches_reads(const struct model *m)
{
	const double *group = m->params.groups[m->action];

	return compare_traffic(m, group[0]) > 0 && compare_locality(m, group[1]) > 0;
}

bool model_writes_through(const struct model *m, double clean, double pages)
{
	double mean = m->interval ? m->all_writes / m->interval : 0;
	double rar = m->accesses[1] ? m->again[1] / m->accesses[1] : 0;
	double share = pages ? clean / pages : 0;

	return m->last_traffic[1] < mean && share < m->params.groups[m->action][2] &&
		rar < m->params.cold;
}

/* ---- learning ---- */

const char *model_ended(struct model *m, u64 ns, u64 latency_ns, double sectors)
{
	const char *wrong = happens(m, ns);

	if (m->nr_latencies == m->room) {
		m->room = m->room ? 2 * m->room : 256;
		m->latencies = xrealloc(m->latencies, m->room, sizeof(u64));
	}
	m->latencies[m->nr_latencies++] = latency_ns;
	m->sum_ns += latency_ns;
	m->sectors += sectors;
	return wrong;
}

static int by_size(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/* The end of the bucket: the largest number with the same seven highest bits as @ns. */
static u64 end_of_bucket(u64 ns)
{
	u64 below = 1;

	while (ns / below >= 128)
		below *= 2;
	return (ns / below + 1) * below - 1;
}

/* Equation 2, negated, in ps per MiB. */
static void take_penalty(struct model *m)
{
	size_t rank = ceil(m->nr_latencies * 99 / 100.0);
	double mean, max, tail, per_mib = 2048 / m->sectors, base;

	qsort(m->latencies, m->nr_latencies, sizeof(u64), by_size);
	mean = m->sum_ns / m->nr_latencies;
	max = m->latencies[m->nr_latencies - 1];
	tail = fmin(end_of_bucket(m->latencies[rank - 1]), max);
	base = fmin(1000 * mean * per_mib, 0x1p53);
	m->penalty = m->params.weight * base;
	if (max)
		m->penalty += (1 - m->params.weight) * base / max * tail;
	/*
	 * Fixed point loses less than 1 ps of the mean before it is multiplied, 1 ps at each
	 * of three divisions, and 2^-16 of the tail's share.
	 */
	m->penalty_error = per_mib + 3 + base / 65536 + base * 1e-14;
}

/* Equation 1. */
static void learn(struct model *m, const int next[3])
{
	int *s = m->state, i;
	double *cost = &m->cost[s[0]][s[1]][s[2]][m->action];
	double *error = &m->error[s[0]][s[1]][s[2]][m->action];
	const double *then = m->cost[next[0]][next[1]][next[2]];
	const double *then_error = m->error[next[0]][next[1]][next[2]];
	double lambda = m->params.lambda, gamma = m->params.gamma;
	double best = then[0], best_error = then_error[0];

	for (i = 1; i < MODEL_ACTIONS; i++) {
		best = fmin(best, then[i]);
		best_error = fmax(best_error, then_error[i]);
	}
	take_penalty(m);
	*cost += lambda * (m->penalty + gamma * best - *cost);
	*error = (1 - lambda) * *error +
		 lambda * (m->penalty_error + gamma * best_error + 1) + 1 + *cost * 1e-14;
	m->nr_latencies = 0;
	m->sum_ns = 0;
	m->sectors = 0;
}

/* splitmix64 (Steele, Lea, Flood 2014), scaled to 0 … n - 1 by its upper half. */
static unsigned int draw(struct model *m, unsigned int n)
{
	u64 z = m->generator += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	z ^= z >> 31;
	return (z >> 32) * n / 4294967296ULL;
}

static int best_action(struct model *m)
{
	const double *cost = *model_costs(m);
	int i, best = 0;

	for (i = 1; i < MODEL_ACTIONS; i++)
		if (cost[i] < cost[best])
			best = i;
	return best;
}

/**
 * model_may_choose() - is the action the best of the state, within the error of fixed point?
 * @m: model; it continues with @action
 * @action: from 0
 *
 * Among exactly equal actions the first is the best.
 */
bool model_may_choose(struct model *m, int action)
{
	const double *error = m->error[m->state[0]][m->state[1]][m->state[2]];
	const double *cost = *model_costs(m);
	int best = best_action(m);

	m->action = action;
	if (m->params.epsilon_permille && draw(m, 1000) < m->params.epsilon_permille)
		return action == (int)draw(m, MODEL_ACTIONS);
	if (action == best)
		return true;
	m->close++;
	return error[action] + error[best] > 0 &&
	       cost[action] - error[action] <= cost[best] + error[best];
}

static int traffic_bin(const struct model *m)
{
	return (compare_traffic(m, 10) >= 0) + (compare_traffic(m, 100) >= 0);
}

static int locality_bin(const struct model *m)
{
	return (compare_locality(m, 10) >= 0) + (compare_locality(m, 100) >= 0);
}

/**
 * model_tick() - end an interval
 * @m: model
 * @ns: current time
 * @clean: number of clean cached pages
 * @pages: number of cached pages
 *
 * With learning, call model_may_choose() next.
 *
 * Return: what is wrong, or NULL.
 */
const char *model_tick(struct model *m, u64 ns, double clean, double pages)
{
	double share = pages ? clean / pages : 0;
	int next[3], i;

	if (m->asleep || ns != end_of_interval(m))
		return "a tick at the wrong time";
	m->interval++;
	m->all_writes += m->traffic[1];
	for (i = 0; i < 2; i++) {
		m->last_traffic[i] = m->traffic[i];
		m->traffic[i] = 0;
		m->again[i] = m->now.again[i] + m->before.again[i];
		m->accesses[i] = m->now.accesses[i] + m->before.accesses[i];
	}
	if (!m->params.rar_window) {
		next_half(m);
		next_half(m);
	}
	m->asleep = !m->busy;
	m->busy = false;

	next[0] = traffic_bin(m);
	next[1] = locality_bin(m);
	next[2] = (share >= 0.33) + (share >= 0.66);
	if (m->params.learns && m->nr_latencies)
		learn(m, next);
	memcpy(m->state, next, sizeof(next));
	return NULL;
}
