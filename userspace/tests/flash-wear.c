// SPDX-License-Identifier: GPL-2.0
/*
 * Wear of flash blocks: statistics, the estimate of the lifetime, and wear levelling.
 *
 *	flash-wear [-s SEED]		TAP lines
 */
#include <math.h>
#include <stdio.h>
#include <linux/kernel.h>
#include "flash-load.h"

#define SPEC "custom:channels=1,chips=1,dies=1,planes=2,blocks=128,pages=32,page_bytes=4096," \
	"allocation=static,gc_threshold=1,over_provisioning=10"

static u64 recount(const struct ssdf_device *f, u32 *least, u32 *most)
{
	u64 total = 0;
	u32 i;

	*least = U32_MAX;
	*most = 0;
	for (i = 0; i < f->nr_blocks; i++) {
		total += f->blocks[i].erases;
		*least = min(*least, f->blocks[i].erases);
		*most = max(*most, f->blocks[i].erases);
	}
	return total;
}

static bool histogram_ok(const struct ssdf_device *f)
{
	u32 bucket, nr, i;

	for (bucket = 0; bucket < SSDF_ERASE_BUCKETS; bucket++) {
		u32 from = bucket ? 1u << (bucket - 1) : 0;
		u32 to = bucket + 1 < SSDF_ERASE_BUCKETS ? 1u << bucket : U32_MAX;

		nr = 0;
		for (i = 0; i < f->nr_blocks; i++)
			nr += f->blocks[i].erases >= from && f->blocks[i].erases < to;
		if (nr != f->erase_histogram[bucket])
			return false;
	}
	return true;
}

/* The statistics are what a count of all blocks gives, at every moment. */
static void counts(const char *more)
{
	u32 least, most, turn;
	struct load load;
	char spec[256];
	bool ok = true;
	u64 total;

	snprintf(spec, sizeof(spec), "%s%s", SPEC, more);
	load = load_begin(spec);
	load.hot_percent = 20;
	load_fill(&load);
	for (turn = 0; turn < 200; turn++) {
		load_churn(&load, load.f->nr_lpns / 20);
		ssdf_update_stats(load.f, load.now_ns);
		total = recount(load.f, &least, &most);
		ok &= least == load.f->min_erases && most == load.f->max_erases &&
		      total * 1000 / load.f->nr_blocks == load.f->mean_erases &&
		      histogram_ok(load.f);
	}
	result(ok && most > least, "erases%s: %u to %u, mean %.3f; counted by hand", more, least,
	       most, load.f->mean_erases / 1000.0);
	load_end(&load);
}

/* The estimate of the lifetime, taken early, is what can still be written before the blocks are worn. */
static void lifetime(u32 hot_percent)
{
	struct load load = load_begin(SPEC ",pe_cycles=60,aged=steady");
	u64 written, estimate;

	load.hot_percent = hot_percent;
	load_churn(&load, 4ULL * load.f->nr_lpns);
	load_churn(&load, load.f->nr_lpns);
	ssdf_update_stats(load.f, load.now_ns);
	estimate = load.f->lifetime_bytes;
	written = 0;
	while (load.f->mean_erases < 60000) {
		load_churn(&load, load.f->nr_lpns / 20);
		written += load.f->stats.host_bytes_written;
		ssdf_update_stats(load.f, load.now_ns);
	}
	result(fabs((double)estimate / written - 1) < 0.05,
	       "lifetime, %u %% hot: %.1f MB estimated, %.1f MB written until the blocks were worn",
	       hot_percent, estimate / 1e6, written / 1e6);
	load_end(&load);
}

/*
 * Without writes, nothing is known of write amplification: the estimate is what whole pages can be
 * written without GC. It is 0 only if the blocks are worn.
 */
static void lifetime_without_writes(void)
{
	struct load load = load_begin(SPEC ",pe_cycles=60,aged_erases=20");
	u64 all = 40ULL * load.f->nr_pages * load.f->params.page_bytes;
	u64 fresh, written, reset;

	ssdf_update_stats(load.f, 0);
	fresh = load.f->lifetime_bytes;
	load_page(&load, SSDC_WRITE, 0);
	ssdf_update_stats(load.f, load.now_ns);
	written = load.f->lifetime_bytes;
	ssdf_reset_stats(load.f, load.now_ns);
	load_page(&load, SSDC_READ, 0);
	ssdf_update_stats(load.f, load.now_ns);
	reset = load.f->lifetime_bytes;
	result(fresh == all && written == all && reset == all,
	       "lifetime before, after and without a write: %llu, %llu, %llu MB of %llu", fresh >> 20,
	       written >> 20, reset >> 20, all >> 20);
	load_end(&load);
	load = load_begin(SPEC ",pe_cycles=60,aged_erases=60");
	ssdf_update_stats(load.f, 0);
	result(!load.f->lifetime_bytes, "lifetime of worn blocks: %llu bytes",
	       load.f->lifetime_bytes);
	load_end(&load);
}

/* Greatest difference of erases within a plane. */
static u32 spread(const struct ssdf_device *f)
{
	u32 plane, i, worst = 0;

	for (plane = 0; plane < f->nr_planes; plane++) {
		const struct ssdf_block_info *blocks = &f->blocks[plane * f->params.blocks];
		u32 least = U32_MAX, most = 0;

		for (i = 0; i < f->params.blocks; i++) {
			least = min(least, blocks[i].erases);
			most = max(most, blocks[i].erases);
		}
		worst = max(worst, most - least);
	}
	return worst;
}

/* A tenth of the pages is overwritten again and again, the rest never. */
static u32 spread_of_cold_data(const char *more, double *wa)
{
	struct load load;
	char spec[256];
	u32 worst = 0, turn, i, hot;

	snprintf(spec, sizeof(spec), "%s%s", SPEC, more);
	load = load_begin(spec);
	load_fill(&load);
	hot = load.f->nr_lpns / 10;
	ssdf_reset_stats(load.f, load.now_ns);
	for (turn = 0; turn < 40; turn++) {
		for (i = 0; i < load.f->nr_lpns / 2; i++)
			load_page(&load, SSDC_WRITE, below(hot));
		worst = max(worst, spread(load.f));
	}
	ssdf_update_stats(load.f, load.now_ns);
	*wa = load.f->write_amplification / 1000.0;
	if (!load_end(&load))
		worst = U32_MAX;
	return worst;
}

static void levelling(void)
{
	double wa, plain_wa;
	u32 plain = spread_of_cold_data("", &plain_wa), levelled;
	static const u32 thresholds[] = { 5, 10, 20 };
	unsigned int i;
	char more[64];

	result(plain > 60, "cold data, no wear levelling: erases differ by up to %u, write amplification %.3f",
	       plain, plain_wa);
	for (i = 0; i < ARRAY_SIZE(thresholds); i++) {
		snprintf(more, sizeof(more), ",wear_threshold=%u", thresholds[i]);
		levelled = spread_of_cold_data(more, &wa);
		result(levelled <= thresholds[i] + 3 && wa < plain_wa * 1.5,
		       "cold data%s: erases differ by up to %u, write amplification %.3f", more,
		       levelled, wa);
	}
}

int main(int argc, char **argv)
{
	struct harness options = { .seed = 1 };

	harness_options(&options, "s", argc, argv);
	ssdc_random_seed(&harness_random, options.seed);
	counts("");
	counts(",aged_erases=1000,aged=steady");
	counts(",wear_threshold=4");
	lifetime(0);
	lifetime(20);
	lifetime_without_writes();
	levelling();
	return finish();
}
