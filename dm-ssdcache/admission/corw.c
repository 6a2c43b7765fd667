// SPDX-License-Identifier: GPL-2.0
/*
 * corw-1 … corw-8: reads cached and writes written through by fixed thresholds.
 *
 * Source	S003, Algorithm 1 with the threshold groups of Table II
 * Status	as published; what the paper leaves open, and is ours, is in corw-rules.h
 * Cost		O(1) per request and page
 * Memory	512 KiB, for re-access ratios (reaccess.h)
 *
 * l-corw chooses among eight such groups every 0.2 s; these stay with theirs. They are
 * the paper's models without learning.
 */
#include "corw-rules.h"

/* Table II; ct in percent. */
static const struct ssdc_corw_thresholds table_2[SSDC_NR_CORW] = {
	{ 100, 100, 66 },
	{ 100, 100, 33 },
	{ 100, 10, 66 },
	{ 100, 10, 33 },
	{ 10, 100, 66 },
	{ 10, 100, 33 },
	{ 10, 10, 66 },
	{ 10, 10, 33 },
};

static struct ssdc_corw *to_corw(struct ssdc_admission *a)
{
	return container_of(a, struct ssdc_corw, a);
}

static int corw_create(struct ssdc_admission *a, struct ssdc_error *error)
{
	to_corw(a)->thresholds = table_2[ssdc_admission_type(a) - ssdc_corw];
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

#define SCHEME(scheme_name, group) { \
	.plugin = { \
		.kind = SSDC_ADMISSION, \
		.info = { \
			.name = (scheme_name), \
			.source = "S003, Table II", \
			.status = "as published; window of re-accesses and mean traffic are ours", \
			.doc = "reads enter and writes go through by thresholds " group, \
			.tunables = corw_tunables, \
			.nr_tunables = ARRAY_SIZE(corw_tunables), \
			.stats = corw_stats, \
			.nr_stats = ARRAY_SIZE(corw_stats), \
			.instance_bytes = sizeof(struct ssdc_corw), \
		}, \
	}, \
	.create = corw_create, \
	.destroy = ssdc_corw_destroy, \
	.observe = ssdc_corw_observe, \
	.admit_read = ssdc_corw_admit_read, \
	.admit_write = ssdc_corw_admit_write, \
	.tick = corw_tick, \
	.check = ssdc_corw_check, \
}

struct ssdc_admission_type ssdc_corw[SSDC_NR_CORW] = {
	SCHEME("corw-1", "tt 100, rt 100, ct 66 %"),
	SCHEME("corw-2", "tt 100, rt 100, ct 33 %"),
	SCHEME("corw-3", "tt 100, rt 10, ct 66 %"),
	SCHEME("corw-4", "tt 100, rt 10, ct 33 %"),
	SCHEME("corw-5", "tt 10, rt 100, ct 66 %"),
	SCHEME("corw-6", "tt 10, rt 100, ct 33 %"),
	SCHEME("corw-7", "tt 10, rt 10, ct 66 %"),
	SCHEME("corw-8", "tt 10, rt 10, ct 33 %"),
};
