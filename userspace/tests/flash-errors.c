// SPDX-License-Identifier: GPL-2.0
/*
 * Errors of the flash: bad blocks, and reads that are repeated.
 *
 *	flash-errors [-s SEED]		TAP lines
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <linux/kernel.h>
#include "flash-load.h"

#define SPEC "custom:channels=1,chips=1,dies=1,planes=2,blocks=200,pages=32,page_bytes=4096," \
	"gc_threshold=1,over_provisioning=10,read_ns=50000,transfer_ps=10000"
#define READ_NS 50000.0
#define MOVE_NS 40960.0

static u32 bad_in_plane(const struct ssdf_device *f, u32 plane)
{
	u32 nr = 0, i;

	for (i = 0; i < f->params.blocks; i++)
		nr += f->blocks[plane * f->params.blocks + i].bad;
	return nr;
}

/* The bad blocks of seed 1, of seed 1 again, and of seed 2. */
static void bad_by_seed(void)
{
	static const char *const seeds[] = { ",seed=1", ",seed=1", ",seed=2" };
	bool bad[3][400], counts = true;
	unsigned int i, block;

	for (i = 0; i < 3; i++) {
		struct load load;
		char spec[256];

		snprintf(spec, sizeof(spec), SPEC ",bad_blocks=30%s", seeds[i]);
		load = load_begin(spec);
		for (block = 0; block < load.f->nr_blocks; block++)
			bad[i][block] = load.f->blocks[block].bad;
		counts &= bad_in_plane(load.f, 0) == 6 && bad_in_plane(load.f, 1) == 6;
		load_end(&load);
	}
	result(counts, "bad_blocks: 30 of 1000 blocks of each plane");
	result(!memcmp(bad[0], bad[1], sizeof(bad[0])) && memcmp(bad[0], bad[2], sizeof(bad[0])),
	       "bad_blocks: the seed chooses them");
}

/* Bad blocks hold nothing, whatever is written; all of the capacity can be. */
static void bad_unused(const char *more)
{
	struct load load;
	char spec[256];
	double good, wa;
	bool unused = true;
	u32 i;

	snprintf(spec, sizeof(spec), SPEC "%s", more);
	load = load_begin(spec);
	load_fill(&load);
	load_churn(&load, 2ULL * load.f->nr_lpns);
	good = load_churn(&load, load.f->nr_lpns);
	load_end(&load);
	snprintf(spec, sizeof(spec), SPEC "%s,bad_blocks=40", more);
	load = load_begin(spec);
	load_fill(&load);
	load_churn(&load, 2ULL * load.f->nr_lpns);
	wa = load_churn(&load, load.f->nr_lpns);
	for (i = 0; i < load.f->nr_blocks; i++)
		unused &= !load.f->blocks[i].bad ||
			  (!load.f->blocks[i].written && !load.f->blocks[i].erases);
	unused &= load.f->valid_pages == load.f->nr_lpns;
	result(unused && load_end(&load) && wa > 1.2 * good,
	       "bad_blocks%s: unused; 4 of 10 %% spare are lost, write amplification %.2f instead of %.2f",
	       more, wa, good);
}

/* One read at a time: @fail of 1000 reads are repeated, and take as long as the first time. */
static u64 retries(u32 erases, u32 fail)
{
	double share = fail / 1000.0, ns, theory_ns = (READ_NS + MOVE_NS) / (1 - share);
	struct load load;
	char spec[256];
	u64 start_ns, nr;
	u32 i;

	snprintf(spec, sizeof(spec), SPEC ",pe_cycles=3000,read_retry=400,aged=steady,aged_erases=%u",
		 erases);
	load = load_begin(spec);
	start_ns = load.now_ns;
	for (i = 0; i < 40000; i++)
		load_page(&load, SSDC_READ, below(load.f->nr_lpns));
	ns = (load.now_ns - start_ns) / 40000.0;
	nr = load.f->stats.read_retries;
	result(fabs(nr / 40000.0 - share / (1 - share)) <= 0.03 * share / (1 - share) &&
	       fabs(ns / theory_ns - 1) < 0.02 && load_end(&load),
	       "read_retry: %u erases, %llu of 40000 reads were repeated, mean %.1f us, expected %.1f",
	       erases, nr, ns / 1000, theory_ns / 1000);
	return nr;
}

/* GC reads are repeated, too, and the same seed gives the same times. */
static void repeatable(void)
{
	u64 end_ns[3], nr[3];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct load load;
		char spec[256];

		ssdc_random_seed(&harness_random, 1);
		snprintf(spec, sizeof(spec),
			 SPEC ",pe_cycles=100,read_retry=300,aged=steady,aged_erases=80,seed=%u", i / 2);
		load = load_begin(spec);
		load_churn(&load, 20000);
		end_ns[i] = load.now_ns;
		nr[i] = load.f->stats.read_retries;
		load_end(&load);
	}
	result(nr[0] && nr[0] == nr[1] && end_ns[0] == end_ns[1] && end_ns[0] != end_ns[2],
	       "read_retry: %llu reads of GC were repeated, as often with the same seed", nr[0]);
}

int main(int argc, char **argv)
{
	struct harness options = { .seed = 1 };

	harness_options(&options, "s", argc, argv);
	ssdc_random_seed(&harness_random, options.seed);
	bad_by_seed();
	bad_unused("");
	bad_unused(",aged=steady");
	bad_unused(",gc_victim=fifo");
	bad_unused(",gc_victim=d-choices,wear_threshold=3");
	result(!retries(0, 0), "read_retry: no erases, no retries");
	retries(1500, 200);
	retries(3000, 400);
	retries(30000, 900);
	repeatable();
	return finish();
}
