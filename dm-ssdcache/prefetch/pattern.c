// SPDX-License-Identifier: GPL-2.0
/*
 * pattern: pages that are often read together are brought in together.
 *
 * Source	Xu, Cai, Liao, Ishikawa, "Frequent access pattern-based prefetching inside
 *		of solid-state drives", DATE 2020, as S001 tells it
 * Status	mining and matching as S001 has them; the rule that divides DRAM is a
 *		stand-in, as that paper was not to be had: of its rule S001 says that it is
 *		empirical and goes by the shares of reads and writes. Here
 *
 *		prefetched pages = cap * reads / (reads + writes)	of the last window
 *
 * Cost		O(pages) per request; per window mining of up to max_work steps in the worker
 * Memory	see mining_bytes and matrix_bytes among the statistics
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include "patterns.h"

/* The first window's: half of the cap, as if there were as many reads as writes. */
static int pattern_create(struct ssdc_prefetch *p, struct ssdc_error *error)
{
	struct ssdc_patterns *x = container_of(p, struct ssdc_patterns, p);

	p->pages_max = ssdc_patterns_share(x, x->cap) / 2;
	return ssdc_patterns_create(x, error);
}

static void pattern_observe(struct ssdc_prefetch *p, const struct ssdc_request *rq)
{
	struct ssdc_patterns *x = container_of(p, struct ssdc_patterns, p);

	if (ssdc_patterns_observe(x, rq))
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
			.source = "Xu et al., Frequent access pattern-… (DATE 2020), in S001",
			.status = "rule that divides DRAM a stand-in, parts of mining ours",
			.doc = "brings in what is often read together; share by reads",
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
	.loaded = ssdc_patterns_loaded,
	.hit = ssdc_patterns_hit,
	.check = ssdc_patterns_check,
};
