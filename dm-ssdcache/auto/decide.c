// SPDX-License-Identifier: GPL-2.0
/*
 * Decide, after each period, which candidate is to be live.
 *
 * The cost of a candidate is measured, not computed: the candidate's shadow runs its share of the
 * requests on a model of the origin, and the engine of the shadow records the response time of each
 * request as a live engine does. If a page read takes t_r and a page write t_w, the response time
 * has these terms:
 *
 *	a read that hits, a write that need not evict	0
 *	a read that misses				t_r, and its waits
 *	a write that evicts a batch			until its last page is written: they
 *							spread over the dies, t_w each
 *	waits						for what the die does, and for reads
 *							before; for the channel; for a slot
 *
 * The response time lacks the waits for I/O outside the sample. All candidates lack such waits, but
 * not equally; Documentation/auto.md shows how accurate the ranking is.
 *
 * Garbage collection is not modelled.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "../base/alloc.h"
#include "auto.h"

#define LEAST_REQUESTS		16u	/* sampled; fewer say nothing */
#define LEAST_REQUESTS_P99	100u	/* one of them is beyond the percentile */
#define LEAST_NEW_P99		50u	/* since percentiles were last computed */
#define UNIT_BITS		8u	/* fractional bits of sums: see add() */
#define RESPONSE_BITS		20u	/* of known responses: see add_responses() */
#define KEEP_BITS		24u	/* fractional bits of @keep */
#define LOG_BITS		14u	/* fractional bits of a logarithm */

#define COUNTER(member, unit, doc) \
	SSDC_STAT(struct ssdc_auto_stats, member, #member, unit, SSDC_COUNTER, doc)
#define GAUGE(member, unit, doc) \
	SSDC_STAT(struct ssdc_auto_stats, member, #member, unit, SSDC_GAUGE, doc)

const struct ssdc_stat ssdc_auto_stat_table[] = {
	COUNTER(requests, "requests", "that arrived"),
	COUNTER(periods, "periods", "that ended"),
	COUNTER(few, "periods", "of these, with too few sampled requests for a decision"),
	COUNTER(late, "periods", "of these, not decided, as the one before was not decided yet"),
	COUNTER(kept, "decisions", "for the candidate that was live"),
	COUNTER(switches, "decisions", "for another candidate, which became live"),
	COUNTER(failed, "decisions", "for another candidate, which could not be made"),
	COUNTER(accesses, "pages", "page accesses by the requests"),
	COUNTER(records, "records", "parts of requests in the sample"),
	COUNTER(dropped, "records", "lost because the shadows were too slow"),
	GAUGE(queued, "records", "that the shadows have yet to run"),
	GAUGE(known, "",
	      "sampled requests, or written pages, behind the costs; old ones count for less"),
	GAUGE(memory_bytes, "bytes", "memory of the choice and of its shadows"),
	GAUGE(read_ns, "ns", "time of a page read, for the shadows: known, measured or given"),
	GAUGE(write_ns, "ns", "time of a page write, likewise"),
};

const unsigned int ssdc_nr_auto_stats = ARRAY_SIZE(ssdc_auto_stat_table);

#define OF_CANDIDATE(member, unit, kind, doc) \
	SSDC_STAT(struct ssdc_auto_candidate, member, #member, unit, kind, doc)

const struct ssdc_stat ssdc_auto_candidate_stat_table[] = {
	OF_CANDIDATE(live_requests, "requests", SSDC_COUNTER, "that arrived while it was live"),
	OF_CANDIDATE(cost, "", SSDC_GAUGE,
		     "ns, or pages per million; old periods weigh less"),
	OF_CANDIDATE(period_cost, "", SSDC_GAUGE,
		     "the same of the last period alone; p99: since the last decision"),
};

const unsigned int ssdc_nr_auto_candidate_stats = ARRAY_SIZE(ssdc_auto_candidate_stat_table);

/* ---- what candidates cost ---- */

static const struct ssdc_shadow *shadow_of(const struct ssdc_auto *a, u32 candidate)
{
	return &a->shadows->shadows[candidate];
}

/* Totals of a shadow since its creation. */
static struct ssdc_auto_sum sum_of(const struct ssdc_shadow *shadow)
{
	const struct ssdc_histogram *read = &shadow->e->latency[SSDC_READ];
	const struct ssdc_histogram *write = &shadow->e->latency[SSDC_WRITE];

	return (struct ssdc_auto_sum) {
		.requests = read->count + write->count,
		.response_ns = read->sum_ns + write->sum_ns,
		.flushed = ssdc_shadow_flushed(shadow),
		.written = shadow->e->stats.write_pages,
	};
}

static u64 p99_of(const struct ssdc_histogram *hist)
{
	struct ssdc_latency latency;

	ssdc_histogram_read(hist, &latency);
	return latency.p99_ns;
}

static u64 cost_of(const struct ssdc_auto *a, const struct ssdc_auto_sum *sum)
{
	if (a->tunables.goal == SSDC_AUTO_FLASH_WRITES)
		return div64_u64(sum->flushed * 1000000, max(sum->written, 1ULL));
	return div64_u64(sum->response_ns, max(sum->requests, 1ULL));
}

/*
 * Keep a share of the known sum, and add the whole period that has ended. Sums are in units of
 * 2^-UNIT_BITS, so that small numbers lose no whole request when they are multiplied.
 *
 * Responses have no limit while requests arrive faster than the modelled origin serves them. A sum
 * that exceeds 64 bits is cut there: if it wrapped, the slowest candidate would seem the fastest.
 */
static void add(const struct ssdc_auto *a, u64 *known, u64 period)
{
	u64 rest = *known & ((1u << KEEP_BITS) - 1);
	u64 kept = (*known >> KEEP_BITS) * a->keep + (rest * a->keep >> KEEP_BITS);
	u64 added = min(period, U64_MAX >> UNIT_BITS) << UNIT_BITS;

	*known = kept + min(added, U64_MAX - kept);
}

static void add_period(struct ssdc_auto *a, u32 candidate)
{
	struct ssdc_auto_sum now = sum_of(shadow_of(a, candidate));
	struct ssdc_auto_sum *sum = &a->sums[candidate], *before = &a->before[candidate];
	struct ssdc_auto_sum period = {
		.requests = now.requests - before->requests,
		.response_ns = now.response_ns - before->response_ns,
		.flushed = now.flushed - before->flushed,
		.written = now.written - before->written,
	};

	add(a, &sum->requests, period.requests);
	add(a, &sum->response_ns, period.response_ns);
	add(a, &sum->flushed, period.flushed);
	add(a, &sum->written, period.written);
	*before = now;
	a->candidates[candidate].period_cost = cost_of(a, &period);
	a->candidates[candidate].cost = cost_of(a, sum);
}

/* Has the live candidate's shadow ended enough requests? */
static bool has_enough(const struct ssdc_auto *a)
{
	if (a->tunables.goal == SSDC_AUTO_FLASH_WRITES &&
	    a->sums[a->live].written < LEAST_REQUESTS << UNIT_BITS)
		return false;
	return a->sums[a->live].requests >= LEAST_REQUESTS << UNIT_BITS;
}

/*
 * Keep a share of the known responses of a candidate, and add those of reads and writes since the
 * last call. Counts are in units of 2^-RESPONSE_BITS. Slow responses lie in hundreds of buckets,
 * with a few responses each, and fast ones in a few full buckets. With a coarser unit, rounding
 * down would take a larger share of the slow ones.
 */
static void add_responses(struct ssdc_auto *a, u32 candidate)
{
	const struct ssdc_engine *e = shadow_of(a, candidate)->e;
	const struct ssdc_histogram *read = &e->latency[SSDC_READ];
	const struct ssdc_histogram *write = &e->latency[SSDC_WRITE];
	struct ssdc_auto_responses *of = &a->responses[candidate];
	struct ssdc_histogram *new = a->new;
	u32 i;

	ssdc_histogram_reset(new);
	of->known.count = 0;
	for (i = 0; i < SSDC_HIST_BUCKETS; i++) {
		u64 all = read->buckets[i] + write->buckets[i];

		new->buckets[i] = all - of->before[i];
		new->count += new->buckets[i];
		of->before[i] = all;
		of->known.buckets[i] = mul_u64_u32_shr(of->known.buckets[i], a->kept, KEEP_BITS) +
				       (new->buckets[i] << RESPONSE_BITS);
		of->known.count += of->known.buckets[i];
	}
	new->max_ns = max(read->max_ns, write->max_ns);
	of->known.max_ns = new->max_ns;
	a->before[candidate].requests = read->count + write->count;
	a->candidates[candidate].period_cost = p99_of(new);
	a->candidates[candidate].cost = p99_of(&of->known);
}

/*
 * The same for all candidates, once the live one's shadow has ended enough requests to be worth the
 * time: all buckets are looked at. Is enough known then?
 */
static bool add_percentiles(struct ssdc_auto *a)
{
	u64 ended = sum_of(shadow_of(a, a->live)).requests;
	u32 i;

	a->kept = (u64)a->kept * a->keep >> KEEP_BITS;
	if (ended - a->before[a->live].requests < LEAST_NEW_P99)
		return false;
	for (i = 0; i < a->nr; i++)
		add_responses(a, i);
	a->kept = 1u << KEEP_BITS;
	return a->responses[a->live].known.count >> RESPONSE_BITS >= LEAST_REQUESTS_P99;
}

/* Add what the period has cost to the costs of all candidates. Is enough known then? */
static bool add_costs(struct ssdc_auto *a)
{
	u32 i;

	if (a->tunables.goal == SSDC_AUTO_P99)
		return add_percentiles(a);
	for (i = 0; i < a->nr; i++)
		add_period(a, i);
	return has_enough(a);
}

/* ---- decisions ---- */

/*
 * The number of requests, or of pages written by the host, on which the cost of the live candidate
 * rests.
 */
static u64 known_of(const struct ssdc_auto *a)
{
	const struct ssdc_auto_sum *sum = &a->sums[a->live];

	if (a->tunables.goal == SSDC_AUTO_P99)
		return a->responses[a->live].known.count >> RESPONSE_BITS;
	if (a->tunables.goal == SSDC_AUTO_FLASH_WRITES)
		return min(sum->requests, sum->written) >> UNIT_BITS;
	return sum->requests >> UNIT_BITS;
}

/* log2(@value), rounded down to LOG_BITS fractional bits; @value is not 0. */
static u32 log2_of(u64 value)
{
	u32 result = fls64(value) - 1, i;
	u64 x = result > 31 ? value >> (result - 31) : value << (31 - result);

	/* @x has 31 fractional bits. Its square is 2 or more if the next bit of the result is 1. */
	for (i = 0; i < LOG_BITS; i++) {
		x = x * x >> 31;
		result = result << 1 | x >> 32;
		x >>= x >> 32;
	}
	return result;
}

/*
 * Is a candidate so much cheaper than the live one that it should replace it? If the costs rest on
 * all requests that the memory holds, it must be cheaper by the hysteresis. If they rest on fewer,
 * a few busy regions of the sample determine the costs, so more is required: the logarithm of the
 * ratio of the costs must be larger by the square root of (all requests / known requests), as the
 * standard error of a mean grows.
 */
static bool is_worth_a_change(const struct ssdc_auto *a, u64 cost, u64 live_cost)
{
	u64 needed = log2_of(100) - log2_of(100 - a->tunables.hysteresis), gained;
	u64 all = a->tunables.memory, known;

	if (cost >= live_cost)
		return false;
	gained = log2_of(live_cost) - log2_of(max(cost, 1ULL));
	known = min(known_of(a), all);
	return gained * gained * known >= needed * needed * all;
}

/* The cheapest candidate, or the live one if it is hardly more expensive. */
static u32 find_leader(const struct ssdc_auto *a, const u64 *costs)
{
	u32 i, best = a->live;

	for (i = 0; i < a->nr; i++)
		if (costs[i] < costs[best])
			best = i;
	return is_worth_a_change(a, costs[best], costs[a->live]) ? best : a->live;
}

/*
 * If a change soon takes back the last change, that one has followed a phase that was too short:
 * wait twice as long before the next change. Otherwise, if each phase ended just when it was
 * noticed, each change would come too late, again and again.
 */
static void adapt_patience(struct ssdc_auto *a)
{
	u64 since = a->nr_decisions - a->changed;

	if (a->wanted == a->left && since <= 4 * a->patience)
		a->patience = min(2 * a->patience, SSDC_AUTO_MAX_PATIENCE);
	else if (since > 8 * a->patience)
		a->patience = 1;
	a->left = a->live;
	a->changed = a->nr_decisions;
	a->lead = 0;
}

/* The candidate to be live from now on. */
static u32 choose(struct ssdc_auto *a, const u64 *costs)
{
	u32 leader = find_leader(a, costs);

	a->lead = leader == a->live ? 0 : leader == a->leader ? a->lead + 1 : 1;
	a->leader = leader;
	return a->lead >= a->patience ? leader : a->live;
}

static void decide(struct ssdc_auto *a)
{
	struct ssdc_auto_decision *decision = &a->log[a->nr_decisions & (SSDC_AUTO_LOG - 1)];
	u32 i;

	if (!add_costs(a)) {
		a->stats.few++;
		return;
	}
	for (i = 0; i < a->nr; i++)
		decision->costs[i] = a->candidates[i].cost;
	decision->request = a->end_request;
	decision->patience = a->patience;
	decision->from = a->live;
	decision->to = choose(a, decision->costs);
	a->nr_decisions++;
	if (a->tunables.change)
		a->wanted = decision->to;
	if (a->wanted == a->live)
		a->stats.kept++;
}

/**
 * ssdc_auto_end_period() - a period has ended
 * @a: choice, not NULL
 *
 * Called by ssdc_auto_feed() and ssdc_auto_pass() only.
 */
void ssdc_auto_end_period(struct ssdc_auto *a)
{
	a->in_period -= a->tunables.period;
	a->stats.periods++;
	/* Pairs with ssdc_auto_step(): the decision has used @end and @end_request. */
	if (smp_load_acquire(&a->ended)) {
		a->stats.late++;
		return;
	}
	a->end = a->shadows->head;
	a->end_request = a->stats.requests - a->in_period;
	/* Pairs with ssdc_auto_step(), which then uses @end and @end_request. */
	smp_store_release(&a->ended, true);
}

/**
 * ssdc_auto_step() - run some of the sampled requests, and decide at the end of a period
 * @a: choice, not NULL
 * @budget: pieces of work, each about as long as a page access of the live engine
 *
 * While ssdc_auto_wanted() has policies that are not live, nothing runs.
 *
 * Context: outside the I/O path; callers exclude each other, and yield between two calls.
 * Return: true if there is more to do.
 */
bool ssdc_auto_step(struct ssdc_auto *a, u32 budget)
{
	struct ssdc_shadows *s = a->shadows;
	u32 head;

	/*
	 * Read @head before @ended: if no period has ended by then, none ends before these records.
	 */
	head = smp_load_acquire(&s->head);
	if (a->wanted != a->live)
		return false;
	/* Pairs with ssdc_auto_end_period(). */
	if (!smp_load_acquire(&a->ended))
		return ssdc_shadows_step_to(s, head, &budget);
	if (ssdc_shadows_step_to(s, a->end, &budget))
		return true;
	decide(a);
	/*
	 * Pairs with ssdc_auto_end_period(), which may then change the fields that decide() has
	 * used.
	 */
	smp_store_release(&a->ended, false);
	return a->wanted == a->live && ssdc_shadows_queued(s);
}

/**
 * ssdc_auto_switched() - the driver has tried to make the wanted candidate the live one
 * @a: choice for which ssdc_auto_wanted() has returned policies
 * @done: true: the engine has these policies; false: the driver has no memory for them, and the
 *	live policies stay
 */
void ssdc_auto_switched(struct ssdc_auto *a, bool done)
{
	a->stats.switches += done;
	a->stats.failed += !done;
	if (done) {
		adapt_patience(a);
		WRITE_ONCE(a->live, a->wanted);
	}
	a->wanted = a->live;
}

/**
 * ssdc_auto_update() - bring the statistics of the choice and of its shadows up to date
 * @a: choice, not NULL
 *
 * Context: outside the I/O path; no other call that takes @a, ssdc_auto_feed() included.
 */
void ssdc_auto_update(struct ssdc_auto *a)
{
	struct ssdc_shadows *s = a->shadows;

	ssdc_shadows_update(s);
	a->stats.accesses = s->stats.accesses - a->zero.accesses;
	a->stats.records = s->stats.records - a->zero.records;
	a->stats.dropped = s->stats.dropped - a->zero.dropped;
	a->stats.queued = s->stats.queued;
	a->stats.known = known_of(a);
	a->stats.memory_bytes = a->memory_bytes + s->stats.memory_bytes;
	a->stats.read_ns = s->shadows[0].origin.read_ns;
	a->stats.write_ns = s->shadows[0].origin.write_ns;
}

/**
 * ssdc_auto_reset_stats() - zero the counters
 * @a: choice, not NULL
 *
 * The costs of the candidates stay, and so do past decisions. Later decisions count requests from
 * here on.
 *
 * Context: as for ssdc_auto_update().
 */
void ssdc_auto_reset_stats(struct ssdc_auto *a)
{
	u32 i;

	memset(&a->stats, 0, sizeof(a->stats));
	a->zero = a->shadows->stats;
	for (i = 0; i < a->nr; i++)
		a->candidates[i].live_requests = 0;
}

/* ---- create and destroy ---- */

static void *alloc_array(struct ssdc_auto *a, size_t nr, size_t bytes)
{
	a->memory_bytes += nr * bytes;
	return ssdc_alloc_array(nr, bytes);
}

static int alloc(struct ssdc_auto *a)
{
	a->memory_bytes = sizeof(*a);
	a->sums = alloc_array(a, a->nr, sizeof(*a->sums));
	a->before = alloc_array(a, a->nr, sizeof(*a->before));
	a->candidates = alloc_array(a, a->nr, sizeof(*a->candidates));
	a->log = alloc_array(a, SSDC_AUTO_LOG, sizeof(*a->log));
	if (!a->sums || !a->before || !a->candidates || !a->log)
		return -ENOMEM;
	if (a->tunables.goal != SSDC_AUTO_P99)
		return 0;
	a->new = alloc_array(a, 1, sizeof(*a->new));
	a->responses = alloc_array(a, a->nr, sizeof(*a->responses));
	return a->new && a->responses ? 0 : -ENOMEM;
}

/* Apply the words of the spec that concern the shadows. */
static void take_words(struct ssdc_shadow_params *params, const struct ssdc_auto_tunables *words)
{
	if (words->rate != SSDC_SHADOW_RATE)
		params->rate_ppm = words->rate;
	if (words->region != SSDC_SHADOW_REGION >> 10)
		params->region_bytes = words->region << 10;
	if (words->pages != SSDC_SHADOW_PAGES)
		params->least_pages = words->pages;
	if (words->read_us)
		params->read_ns = words->read_us * 1000ULL;
	if (words->write_us)
		params->write_ns = words->write_us * 1000ULL;
}

/**
 * ssdc_auto_create() - begin to choose among candidates
 * @spec: by ssdc_auto_parse()
 * @shadow: parameters of the shadows. The candidates, sizes and references are set here, and a word
 *	of @spec that is not at its default takes precedence
 * @error: on failure, says why in one line
 *
 * The live engine has the policies of the first candidate.
 *
 * Context: may sleep; the lock of the list of types (engine/registry.c).
 * Return: the choice, owned by the caller; NULL on failure.
 */
struct ssdc_auto *ssdc_auto_create(const struct ssdc_auto_spec *spec,
				   const struct ssdc_shadow_params *shadow,
				   struct ssdc_error *error)
{
	static const u32 same_size = 100;
	struct ssdc_shadow_params own = *shadow;
	struct ssdc_auto *a = kvzalloc(sizeof(*a), GFP_KERNEL);

	if (!a)
		goto no_memory;
	a->tunables = spec->tunables;
	a->nr = spec->nr;
	a->keep = div_u64((u64)spec->tunables.memory << KEEP_BITS,
			  spec->tunables.memory + spec->tunables.period);
	a->kept = 1u << KEEP_BITS;
	a->patience = 1;
	a->left = a->nr;
	if (alloc(a))
		goto no_memory;
	own.candidates = spec->candidates;
	own.nr_candidates = spec->nr;
	own.sizes_percent = &same_size;
	own.nr_sizes = 1;
	own.plain = true;
	take_words(&own, &spec->tunables);
	a->shadows = ssdc_shadows_create(&own, error);
	if (a->shadows)
		return a;
	ssdc_auto_destroy(a);
	return NULL;

no_memory:
	ssdc_auto_destroy(a);
	ssdc_finding(error, "auto: no memory for %u candidates", spec->nr);
	return NULL;
}

/**
 * ssdc_auto_destroy() - end a choice
 * @a: choice or NULL
 *
 * Context: may sleep; the caller has the only reference.
 */
void ssdc_auto_destroy(struct ssdc_auto *a)
{
	if (!a)
		return;
	ssdc_shadows_destroy(a->shadows);
	kvfree(a->sums);
	kvfree(a->before);
	kvfree(a->candidates);
	kvfree(a->log);
	kvfree(a->new);
	kvfree(a->responses);
	kvfree(a);
}
