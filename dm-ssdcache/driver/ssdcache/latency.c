// SPDX-License-Identifier: GPL-2.0
/*
 * Latencies of host requests, counted per CPU and added up when they are read; see latency.h.
 */
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "latency.h"

/**
 * dmsc_latency_create() - allocate the histograms
 * @c: cache
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int dmsc_latency_create(struct dmsc_cache *c)
{
	struct dmsc_shard *s;
	unsigned int op;

	for (op = 0; op < SSDC_NR_OPS; op++) {
		c->latency[op] = alloc_percpu_gfp(struct ssdc_histogram, GFP_KERNEL | __GFP_NOWARN);
		if (!c->latency[op])
			return -ENOMEM;
		dmsc_for_each_shard(s, c)
			s->latency[op] = c->latency[op];
	}
	return 0;
}

/**
 * dmsc_latency_destroy() - free the histograms
 * @c: cache; may have some or none of them
 *
 * Context: may sleep.
 */
void dmsc_latency_destroy(struct dmsc_cache *c)
{
	unsigned int op;

	for (op = 0; op < SSDC_NR_OPS; op++)
		free_percpu(c->latency[op]);
}

/**
 * dmsc_latency_exchange() - exchange the histograms of two tables, one of which takes over the
 * shards of the other
 * @c: cache without requests
 * @old: cache without requests
 */
void dmsc_latency_exchange(struct dmsc_cache *c, struct dmsc_cache *old)
{
	unsigned int op;

	for (op = 0; op < SSDC_NR_OPS; op++)
		swap(c->latency[op], old->latency[op]);
}

/* The rest of dmsc_latency_add(). Interrupts of this CPU may do the same. */
void dmsc_latency_longest(struct ssdc_histogram __percpu *hist, u64 ns)
{
	u64 longest_ns = this_cpu_read(hist->max_ns);

	while (ns > longest_ns) {
		u64 before_ns = this_cpu_cmpxchg(hist->max_ns, longest_ns, ns);

		if (before_ns == longest_ns)
			return;
		longest_ns = before_ns;
	}
}

/*
 * Have a CPU call a function, with interrupts off. If the CPU is offline, call it here: an offline
 * CPU adds no latencies.
 */
static void call_on(unsigned int cpu, void (*function)(void *data), void *data)
{
	if (smp_call_function_single(cpu, function, data, true))
		function(data);
}

/* What add_up() needs. */
struct sum_of {
	const struct ssdc_histogram *one;
	struct ssdc_histogram *sum;
};

static void add_up(void *data)
{
	const struct ssdc_histogram *one = ((struct sum_of *)data)->one;
	struct ssdc_histogram *sum = ((struct sum_of *)data)->sum;
	unsigned int i;

	for (i = 0; i < SSDC_HIST_BUCKETS; i++) {
		u64 nr = READ_ONCE(one->buckets[i]);

		sum->buckets[i] += nr;
		sum->count += nr;
	}
	sum->sum_ns += READ_ONCE(one->sum_ns);
	sum->max_ns = max(sum->max_ns, READ_ONCE(one->max_ns));
}

/**
 * dmsc_latency_read() - add up the histograms of all CPUs
 * @c: cache
 * @op: operation
 * @sum: result
 *
 * A request that ends meanwhile may be counted in the number of requests and not in the sum of
 * latencies, or the reverse. The number is the sum of the buckets, so percentiles agree with it.
 *
 * A 32-bit CPU adds to a 64-bit number in two steps, with interrupts off. Each CPU adds up its own
 * histograms, so that no other CPU reads a number between these steps.
 *
 * Context: may sleep; interrupts are on.
 */
void dmsc_latency_read(struct dmsc_cache *c, enum ssdc_op op, struct ssdc_histogram *sum)
{
	unsigned int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		struct sum_of of = { per_cpu_ptr(c->latency[op], cpu), sum };

		if (IS_ENABLED(CONFIG_64BIT))
			add_up(&of);
		else
			call_on(cpu, add_up, &of);
		cond_resched();
	}
}

/* What reset_cpu() needs. */
struct reset_of {
	struct dmsc_cache *c;
	unsigned int cpu;
};

static void reset_cpu(void *data)
{
	const struct reset_of *of = data;
	unsigned int op;

	for (op = 0; op < SSDC_NR_OPS; op++)
		ssdc_histogram_reset(per_cpu_ptr(of->c->latency[op], of->cpu));
}

/**
 * dmsc_latency_reset() - forget all latencies
 * @c: cache
 *
 * Each CPU resets its own histograms, because a reset by another CPU could be undone by an addition
 * in progress. CPUs may come and go meanwhile. The lock against that is not taken: CPU changes hold
 * it during allocations that may wait for this device, while a resume waits for @control.
 *
 * Context: @control is held; may sleep; interrupts are on.
 */
void dmsc_latency_reset(struct dmsc_cache *c)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct reset_of of = { c, cpu };

		call_on(cpu, reset_cpu, &of);
		cond_resched();
	}
}
