// SPDX-License-Identifier: GPL-2.0
/*
 * corw-1 … corw-8: fixed thresholds for caching reads and writing through.
 *
 * Source	Zhou et al. [Zhou23], Algorithm 1 with the threshold groups of Table II
 * Status	as published; choices where the paper is silent are listed in corw-rules.h
 * Cost		O(1) per request and page
 * Memory	512 KiB for re-access ratios (reaccess.h)
 *
 * These are the paper's models without learning: each keeps one threshold group. l-corw
 * chooses among eight groups every 0.2 s.
 */
#include "corw-rules.h"

static struct ssdc_corw *to_corw(struct ssdc_admission *a)
{
	return container_of(a, struct ssdc_corw, a);
}

static int create(struct ssdc_admission *a, struct ssdc_error *error,
		  struct ssdc_corw_thresholds thresholds)
{
	to_corw(a)->thresholds = thresholds;
	return ssdc_corw_create(to_corw(a), error);
}

static void corw_tick(struct ssdc_admission *a, u64 now_ns)
{
	ssdc_corw_end_interval(to_corw(a), now_ns);
	ssdc_corw_decide(to_corw(a), to_corw(a)->thresholds);
}

static const struct ssdc_tunable corw_tunables[] = {
	SSDC_CORW_TUNABLES,
};

static const struct ssdc_stat corw_stats[] = {
	SSDC_CORW_STATS,
};

/* A group of thresholds; ct in percent. */
#define SCHEME(group, tt, rt, ct) \
static int corw_##group##_create(struct ssdc_admission *a, struct ssdc_error *error) \
{ \
	return create(a, error, (struct ssdc_corw_thresholds){ tt, rt, ct }); \
} \
\
struct ssdc_admission_type ssdc_corw_##group = { \
	.plugin = { \
		.kind = SSDC_ADMISSION, \
		.info = { \
			.name = "corw-" #group, \
			.source = "Zhou et al. [Zhou23], Table II", \
			.status = "as published; re-access window, mean traffic are ours", \
			.doc = "fixed thresholds to cache reads, write through: tt " #tt ", rt " \
			       #rt ", ct " #ct " %", \
			.tunables = corw_tunables, \
			.nr_tunables = ARRAY_SIZE(corw_tunables), \
			.stats = corw_stats, \
			.nr_stats = ARRAY_SIZE(corw_stats), \
			.instance_bytes = sizeof(struct ssdc_corw), \
		}, \
	}, \
	.create = corw_##group##_create, \
	.destroy = ssdc_corw_destroy, \
	.observe = ssdc_corw_observe, \
	.observe_pages = ssdc_corw_observe_pages, \
	.admit_read = ssdc_corw_admit_read, \
	.admit_write = ssdc_corw_admit_write, \
	.tick = corw_tick, \
	.check = ssdc_corw_check, \
}

/* Table II. */
SCHEME(1, 100, 100, 66);
SCHEME(2, 100, 100, 33);
SCHEME(3, 100, 10, 66);
SCHEME(4, 100, 10, 33);
SCHEME(5, 10, 100, 66);
SCHEME(6, 10, 100, 33);
SCHEME(7, 10, 10, 66);
SCHEME(8, 10, 10, 33);
