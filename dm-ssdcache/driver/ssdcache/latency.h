/* SPDX-License-Identifier: GPL-2.0 */
/*
 * latency.c: latencies of host requests, per CPU.
 *
 * A sample changes two of the 300 cache lines of a histogram. If the histograms were under the lock
 * of a shard, CPUs that share the shard would take these lines from each other while they hold the
 * lock and others wait for it. So each CPU has histograms of its own, without a lock. The counters
 * that the engine updates with its decisions stay under its lock: they take fewer cache lines, next
 * to numbers that the decisions need.
 */
#ifndef DMSC_LATENCY_H
#define DMSC_LATENCY_H

#include <linux/cpumask.h>
#include <linux/percpu.h>

#include "cache.h"

int dmsc_latency_create(struct dmsc_cache *c);
void dmsc_latency_destroy(struct dmsc_cache *c);
void dmsc_latency_exchange(struct dmsc_cache *c, struct dmsc_cache *old);
void dmsc_latency_longest(struct ssdc_histogram __percpu *hist, u64 ns);
void dmsc_latency_read(struct dmsc_cache *c, enum ssdc_op op, struct ssdc_histogram *sum);
void dmsc_latency_reset(struct dmsc_cache *c);

/* What dmsc_latency_create() allocates. */
static inline u64 dmsc_latency_bytes(void)
{
	return (u64)num_possible_cpus() * SSDC_NR_OPS * sizeof(struct ssdc_histogram);
}

/* A request ends. Context: any, including interrupts; before its bio ends. */
static inline void dmsc_latency_add(struct dmsc_shard *s, enum ssdc_op op, u64 ns)
{
	struct ssdc_histogram __percpu *hist = s->latency[op];

	this_cpu_inc(hist->buckets[ssdc_histogram_bucket(ns)]);
	this_cpu_add(hist->sum_ns, ns);
	if (unlikely(ns > this_cpu_read(hist->max_ns)))
		dmsc_latency_longest(hist, ns);
}

#endif /* DMSC_LATENCY_H */
