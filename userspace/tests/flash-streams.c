// SPDX-License-Identifier: GPL-2.0
/*
 * Host writes in several open blocks: pages that are overwritten soon (hot_cold), and the host's
 * hints (streams). GC moves less then, and hardly more where that does not help.
 *
 *	flash-streams [-s SEED]		TAP lines
 */
#include <stdio.h>
#include <linux/kernel.h>
#include "flash-load.h"

#define SPEC "custom:channels=1,chips=1,dies=1,planes=1,blocks=512,pages=64,page_bytes=4096," \
	"gc_threshold=1,over_provisioning=10"

static double skewed(const char *more, u32 hot_percent, u64 *hot_programs)
{
	struct load load;
	char spec[256];
	double wa;

	snprintf(spec, sizeof(spec), SPEC "%s", more);
	load = load_begin(spec);
	load.hot_percent = hot_percent;
	load_fill(&load);
	load_churn(&load, 4ULL * load.f->nr_lpns);
	wa = load_churn(&load, 2ULL * load.f->nr_lpns);
	*hot_programs = load.f->stats.hot_programs * 100 / load.f->stats.host_programs;
	if (!load_end(&load))
		wa = 0;
	return wa;
}

static void hot_and_cold(const char *rule, u32 hot_percent, double at_most)
{
	u64 none, hot;
	char more[64];
	double mixed, apart;

	mixed = skewed(rule, hot_percent, &none);
	snprintf(more, sizeof(more), "%s,hot_cold=on", rule);
	apart = skewed(more, hot_percent, &hot);
	result(mixed && apart && !none && apart < at_most * mixed,
	       "hot_cold%s, %u %% hot: write amplification %.3f, without %.3f; %llu %% of the writes were hot",
	       rule, hot_percent, apart, mixed, hot);
}

/*
 * Half of the writes go round a small log, the others anywhere. With hints, the log has blocks of its
 * own, which GC finds empty.
 */
static double log_and_data(u64 seed, const char *more, u8 stream, struct ssdf_stats *stats)
{
	struct load load;
	char spec[256];
	u32 log, at = 0;
	double wa = 0;
	u64 i;

	ssdc_random_seed(&harness_random, seed);
	snprintf(spec, sizeof(spec), SPEC "%s", more);
	load = load_begin(spec);
	load_fill(&load);
	log = load.f->nr_lpns / 10;
	for (i = 0; i < 6ULL * load.f->nr_lpns; i++) {
		struct ssdf_request rq = {
			.op = SSDC_WRITE,
			.nr_sectors = load.f->page_sectors,
			.sector = i % 2 ? at : log + below(load.f->nr_lpns - log),
			.stream = i % 2 ? stream : 0,
		};

		if (i == 4ULL * load.f->nr_lpns)
			ssdf_reset_stats(load.f, load.now_ns);
		at = i % 2 ? (at + 1) % log : at;
		rq.sector *= load.f->page_sectors;
		ssdf_submit(load.f, &rq, load.now_ns);
		load_rest(&load);
	}
	ssdf_update_stats(load.f, load.now_ns);
	*stats = load.f->stats;
	wa = load.f->write_amplification / 1000.0;
	return load_end(&load) ? wa : 0;
}

static void hints(u64 seed)
{
	struct ssdf_stats mixed_stats, stats;
	double mixed = log_and_data(seed, "", 1, &mixed_stats), apart, high;

	apart = log_and_data(seed, ",streams=2", 1, &stats);
	result(mixed && apart && apart < 0.93 * mixed,
	       "hints for a log: write amplification %.3f, without streams %.3f", apart, mixed);
	result(mixed_stats.stream_programs[0] == mixed_stats.host_programs,
	       "one stream holds all pages");
	result(stats.stream_programs[1] > stats.host_programs * 49 / 100 &&
	       stats.stream_programs[1] < stats.host_programs * 51 / 100,
	       "hinted pages: %llu of %llu are in blocks of their own", stats.stream_programs[1],
	       stats.host_programs);
	high = log_and_data(seed, ",streams=2", 200, &stats);
	result(high == apart, "a hint beyond the last stream means the last: %.3f", high);
}

int main(int argc, char **argv)
{
	struct harness options = { .seed = 1 };

	harness_options(&options, "s", argc, argv);
	ssdc_random_seed(&harness_random, options.seed);
	hot_and_cold("", 5, 0.85);
	hot_and_cold("", 10, 0.92);
	hot_and_cold("", 0, 1.05);
	hot_and_cold(",gc_victim=cost-benefit", 10, 0.92);
	hot_and_cold(",gc_victim=cost-benefit", 20, 0.98);
	hints(options.seed);
	return finish();
}
