// SPDX-License-Identifier: GPL-2.0
/*
 * pattern: prefetches pages that are often read together.
 *
 * Source	Xu, Cai, Liao, Ishikawa, "Frequent access pattern-based prefetching inside
 *		of solid-state drives", DATE 2020 [Xu20], as described in [Li22]
 * Status	mining and matching as in [Li22]. Stand-in: the rule that divides DRAM. The
 *		paper was not available; [Li22] says that its rule is empirical and uses the
 *		shares of reads and writes. Here, from the counts of the last window:
 *
 *		prefetched pages = cap * reads / (reads + writes)
 *
 * Cost		O(pages) per request; per window, up to max_work of mining in the worker
 * Memory	see the statistics mining_bytes and matrix_bytes
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include "patterns.h"

/* The first window gets half of the cap, as if reads and writes were equally many. */
static int pattern_create(struct ssdc_prefetch *p, struct ssdc_error *error)
{
	struct ssdc_patterns *x = container_of(p, struct ssdc_patterns, p);

	p->pages_max = ssdc_patterns_share(x, x->cap) / 2;
	return ssdc_patterns_create(x, error);
}

static void pattern_observe(struct ssdc_prefetch *p, const struct ssdc_host_request *rq)
{
	ssdc_patterns_observe(container_of(p, struct ssdc_patterns, p), rq);
}

static void pattern_observe_pages(struct ssdc_prefetch *p, const struct ssdc_host_request *rq,
				  u32 first, u32 nr, bool last)
{
	struct ssdc_patterns *x = container_of(p, struct ssdc_patterns, p);

	if (ssdc_patterns_observe_pages(x, rq, first, nr, last))
		p->pages_max = div_u64((u64)ssdc_patterns_share(x, x->cap) * x->last.reads,
				       x->last.requests);
}

static void pattern_tuned(struct ssdc_prefetch *p)
{
	ssdc_patterns_tuned(container_of(p, struct ssdc_patterns, p));
}

static bool pattern_step(struct ssdc_plugin *plugin)
{
	return ssdc_patterns_step(container_of(plugin, struct ssdc_patterns, p.plugin));
}

static const struct ssdc_tunable pattern_tunables[] = {
	SSDC_PATTERNS_TUNABLES,
};

static const struct ssdc_stat pattern_stats[] = {
	SSDC_PATTERNS_STATS,
};

struct ssdc_prefetch_type ssdc_pattern = {
	.plugin = {
		.kind = SSDC_PREFETCH,
		.info = {
			.name = "pattern",
			.source = "Xu et al., DATE 2020 [Xu20], as described in [Li22]",
			.status = "stand-in: rule that divides DRAM; parts of mining are ours",
			.doc = "prefetches pages often read together; share of DRAM by reads",
			.tunables = pattern_tunables,
			.nr_tunables = ARRAY_SIZE(pattern_tunables),
			.stats = pattern_stats,
			.nr_stats = ARRAY_SIZE(pattern_stats),
			.instance_bytes = sizeof(struct ssdc_patterns),
		},
		.step = pattern_step,
	},
	.create = pattern_create,
	.destroy = ssdc_patterns_destroy,
	.tuned = pattern_tuned,
	.observe = pattern_observe,
	.observe_pages = pattern_observe_pages,
	.loaded = ssdc_patterns_loaded,
	.hit = ssdc_patterns_hit,
	.check = ssdc_patterns_check,
};
