// SPDX-License-Identifier: GPL-2.0
/*
 * The flash model against theory, and under random requests with all invariants checked.
 *
 *	flash-model [-s SEED] [-r ROUNDS]	TAP lines
 *
 * Write amplification of uniform random writes: the mean-field limit of greedy
 * garbage collection (Van Houdt, SIGMETRICS 2013, for d to infinity; the same as
 * Bux and Iliadis, Performance Evaluation 2010). Blocks of b pages fill at a rate F
 * and lose valid pages one by one; blocks with j or j - 1 valid pages are collected:
 *
 *	m_i = F / (i r) for i > j,   sum of m_i = 1,   sum of i m_i = u b
 *
 * u is the share of valid pages in the blocks in use; free and half-filled blocks are not
 * in use.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <arena.h>
#include "flash-spec.h"
#include "harness.h"

/* One free block, half of the time a second one for GC, and two half-filled open blocks. */
#define BLOCKS_NOT_IN_USE 2.5

static struct ssdf_device *create(const char *spec)
{
	struct ssdf_device *f = flash_from_spec(spec);

	while (ssdf_age(f))
		;
	return f;
}

/* Advance until the device is quiescent. Returns how many requests completed. */
static unsigned int rest(struct ssdf_device *f, u64 *now_ns)
{
	unsigned int done = 0;
	u64 next_ns;

	while ((next_ns = ssdf_next_ns(f)) != SSDF_NEVER) {
		*now_ns = max(*now_ns, next_ns);
		ssdf_advance(f, *now_ns);
	}
	while (ssdf_next_done(f))
		done++;
	return done;
}

static double harmonic(u32 from, u32 to)
{
	double sum = 0;

	for (; to > from; to--)
		sum += 1.0 / to;
	return sum;
}

static double greedy_theory(u32 b, double u)
{
	u32 j;

	for (j = 1; j < b; j++) {
		double h = harmonic(j, b);
		double c = (u * b - j) / ((b - j) - j * h);
		double m = 1 - c * h;

		if (c > 0 && m >= 0 && m <= c / j)
			return b / (b - (j - m * j / c));
	}
	return NAN;
}

/* Write all pages once, then at random until write amplification is steady. */
static double steady_amplification(struct ssdf_device *f)
{
	struct ssdf_request rq = { .op = SSDC_WRITE, .nr_sectors = f->page_sectors };
	u64 now_ns = 0, writes = f->nr_lpns, i;

	for (i = 0; i < 5 * writes; i++) {
		rq.sector = (u64)f->page_sectors * (i < writes ? i : below(f->nr_lpns));
		if (i == 3 * writes)
			ssdf_reset_stats(f, now_ns);
		ssdf_submit(f, &rq, now_ns);
		rest(f, &now_ns);
	}
	return (double)(f->stats.host_programs + f->stats.gc_programs) / f->stats.host_programs;
}

static double theory_for(const struct ssdf_device *f)
{
	double in_use = f->params.blocks - BLOCKS_NOT_IN_USE;

	return greedy_theory(f->params.pages,
			     f->nr_lpns / (in_use * f->nr_planes * f->params.pages));
}

static void write_amplification(u32 over_provisioning)
{
	char spec[256];
	struct ssdf_device *f;
	double theory, measured;

	snprintf(spec, sizeof(spec),
		 "custom:channels=1,chips=1,dies=1,planes=1,blocks=2048,pages=64,page_bytes=4096,"
		 "gc_threshold=0,gc_urgent=0,over_provisioning=%u", over_provisioning);
	f = create(spec);
	measured = steady_amplification(f);
	theory = theory_for(f);
	result(fabs(measured / theory - 1) < 0.05 && !ssdf_check(f),
	       "write amplification at %u %% over-provisioning: %.3f, greedy theory %.3f (%+.1f %%)",
	       over_provisioning, measured, theory, 100 * (measured / theory - 1));
	ssdf_destroy(f);
}

/*
 * A gc_threshold that is as large as the spare area, as in most papers, costs little: GC that is
 * not urgent leaves blocks alone that free too little.
 */
static void threshold_of_all_spare(const char *spec)
{
	struct ssdf_device *f = create(spec);
	double measured = steady_amplification(f), theory = theory_for(f);

	result(measured < 1.25 * theory && !ssdf_check(f),
	       "write amplification, %s: %.2f, greedy theory %.2f (%+.1f %%)", spec, measured,
	       theory, 100 * (measured / theory - 1));
	ssdf_destroy(f);
}

/*
 * The same in blocks of few pages: a victim must free whole pages, so the limit is compared, (1 + OP)
 * / (2 OP), and not the optimum.
 */
static void threshold_of_few_pages(u32 pages, u32 over_provisioning)
{
	double limit = (100.0 + over_provisioning) / (2 * over_provisioning), measured;
	struct ssdf_device *f;
	char spec[256];

	snprintf(spec, sizeof(spec),
		 "custom:channels=1,chips=1,dies=1,planes=1,blocks=1024,page_bytes=4096,gc_threshold=25,"
		 "pages=%u,over_provisioning=%u", pages, over_provisioning);
	f = create(spec);
	measured = steady_amplification(f);
	result(measured < 1.1 * limit && !ssdf_check(f),
	       "write amplification, blocks of %u pages, %u %% over-provisioning: %.2f, limit %.2f",
	       pages, over_provisioning, measured, limit);
	ssdf_destroy(f);
}

static const char *const geometries[] = {
	"channels=4,chips=1,dies=1,planes=1,allocation=static",
	"channels=4,chips=2,dies=1,planes=1",
	"channels=2,chips=1,dies=2,planes=2",
	"channels=2,chips=1,dies=2,planes=4,allocation=static",
	"channels=1,chips=1,dies=1,planes=1,cache_program=on",
	"channels=2,chips=2,dies=2,planes=2,cache_program=on,transfer_ps=90000",
	"channels=2,chips=1,dies=1,planes=2,copyback=on",
	"channels=3,chips=1,dies=1,planes=3,multi_plane=off",
	"channels=2,chips=1,dies=2,planes=2,suspend=both,suspend_ns=20000,resume_ns=5000",
	"channels=2,chips=1,dies=2,planes=2,cache_read=on,cache_program=on,transfer_ps=20000",
	"channels=1,chips=1,dies=1,planes=1,cache_read=on,suspend=both,program_ns=500000",
	"channels=1,chips=1,dies=1,planes=1,suspend=erase,cache_program=on,suspend_max=1",
	"channels=2,chips=1,dies=1,planes=2,program2_ns=900000,program3_ns=2000000",
	"channels=2,chips=1,dies=1,planes=2,over_provisioning=20,gc_victim=fifo,wear_threshold=1",
	"channels=1,chips=2,dies=1,planes=2,over_provisioning=25,gc_victim=d-choices,aged=steady",
	"channels=2,chips=1,dies=1,planes=2,over_provisioning=15,gc_victim=cost-benefit,copyback=on,"
		"allocation=static,aged=steady,aged_hot=10,wear_threshold=2",
	"channels=2,chips=1,dies=1,planes=2,over_provisioning=20,streams=3,hot_cold=on,gc_threshold=3",
	"channels=2,chips=1,dies=1,planes=2,over_provisioning=20,bad_blocks=50,read_retry=500,"
		"pe_cycles=10,aged_erases=5",
	"channels=2,chips=1,dies=1,planes=2,over_provisioning=30,page_bytes=512,map_cache=1280",
	"channels=2,chips=1,dies=2,planes=2,over_provisioning=30,page_bytes=512,map_cache=1280,"
		"allocation=static,copyback=on,aged=steady",
	"channels=2,chips=2,dies=1,planes=2,aged_valid=60,aged_invalid=20,gc_threshold=12,gc_urgent=6",
};

static const char *const contradictions[] = {
	"sha23:channels=1,chips=1,blocks=128,pages=64,aged_invalid=0",
	"li22:channels=1,chips=1,blocks=512,aged_invalid=0",
	"shin23:channels=1,dies=1,blocks=300,pages=64",
	"lin22:channels=1,chips=1,blocks=512",
	"custom:channels=1,chips=1,dies=1,planes=1,blocks=512,pages=64,over_provisioning=28,"
		"gc_threshold=50,gc_urgent=50",
};

/* Rules of channels and transfers, together with any of the geometries. */
static const char *const rules[] = {
	"", ",command_wait=on", ",channel_first=writes", ",partial_transfer=on",
	",command_wait=on,channel_first=writes,partial_transfer=on",
};

#define REQUESTS 64

/* Random requests of all kinds and sizes: all complete, and the invariants hold. */
static u64 one_storm(void)
{
	struct ssdf_request requests[REQUESTS];
	char spec[512];
	struct ssdf_device *f;
	u64 now_ns = 0, sectors, total = 0;
	unsigned int i, burst, done;

	snprintf(spec, sizeof(spec),
		 "custom:blocks=%llu,pages=%llu,page_bytes=%u,over_provisioning=%llu,seed=%llu,%s%s",
		 40 + below(40), 2 + below(30), 512 << below(5), 8 + below(20), below(1000),
		 geometries[below(ARRAY_SIZE(geometries))], rules[below(ARRAY_SIZE(rules))]);
	f = create(spec);
	sectors = ssdf_capacity_sectors(&f->params);
	for (burst = 0; burst < 60; burst++) {
		done = 0;
		for (i = 0; i < REQUESTS; i++) {
			struct ssdf_request *rq = &requests[i];

			rq->stream = below(4);
			rq->op = below(10) < 6 ? SSDC_WRITE : below(10) < 7 ? SSDC_READ :
				 below(4) ? SSDC_DISCARD : SSDC_FLUSH;
			rq->nr_sectors = rq->op == SSDC_FLUSH ? 0 :
					 1 + below(min(sectors - 1, below(8) ? 64ULL : 2000ULL));
			rq->sector = rq->nr_sectors ? below(sectors - rq->nr_sectors + 1) : 0;
			ssdf_submit(f, rq, now_ns);
			if (below(2))
				now_ns += below(3000000);
			while (ssdf_advance(f, now_ns))
				;
			while (ssdf_next_done(f))
				done++;
		}
		total += REQUESTS;
		done += rest(f, &now_ns);
		if (done != REQUESTS || f->inflight || ssdf_check(f)) {
			diag("%s: %u of %u requests ended, check %d", spec, done, REQUESTS,
			       ssdf_check(f));
			ssdf_destroy(f);
			return 0;
		}
	}
	ssdf_destroy(f);
	return total;
}

static void storms(u64 seed, u64 rounds)
{
	u64 total = 0, nr, i;

	for (i = 0; i < rounds; i++) {
		ssdc_random_seed(&harness_random, seed + i);
		nr = one_storm();
		if (!nr) {
			repeat_with("-r 1 -s %llu", seed + i);
			break;
		}
		total += nr;
	}
	result(i == rounds, "flash fuzz: %llu requests in %llu rounds from seed %llu", total, i,
	       seed);
}

/* Words of which a specification may have any. */
static const char *const spare_users[] = {
	",wear_threshold=5", ",streams=3", ",hot_cold=on", ",map_cache=1280", ",aged=steady",
	",page_bytes=512", ",dies=1,planes=1",
};

#define MOST_BLOCKS 5000

/* Is any number of blocks enough for these parameters and this size? */
static bool is_possible(const struct ssdf_params *params, u64 sectors)
{
	struct ssdc_error error;
	struct ssdf_params p;
	u32 blocks;

	for (blocks = 4; blocks <= MOST_BLOCKS; blocks += 1 + blocks / 50) {
		p = *params;
		p.blocks = blocks;
		if (!ssdf_params_check(&p, sectors, &error))
			return true;
	}
	return false;
}

/*
 * A device whose number of blocks is not given gets enough of them, unless no number is enough: for
 * the host, for GC, and for the pages that are in use before the first use.
 */
static void enough_blocks(u64 rounds)
{
	u64 refused = 0, wrong = 0, i;
	struct ssdc_error error;
	struct ssdf_params p, q;
	unsigned int word;
	char spec[512];
	u64 sectors;

	for (i = 0; i < rounds; i++) {
		int at = snprintf(spec, sizeof(spec),
				  "custom:blocks=0,pages=%llu,over_provisioning=%llu,aged_valid=%llu,aged_invalid=%llu,bad_blocks=%llu",
				  2 + below(100), 1 + below(60), below(60), below(60),
				  below(2) ? 0 : below(100));

		for (word = 0; word < ARRAY_SIZE(spare_users); word++)
			if (percent(25))
				at += snprintf(spec + at, sizeof(spec) - at, "%s",
					       spare_users[word]);
		sectors = 1 + below(1ULL << (1 + below(22)));
		if (ssdf_params_parse(&p, spec, &error))
			give_up(spec);
		q = p;
		if (!ssdf_params_check(&q, sectors, &error))
			continue;
		refused++;
		if (!is_possible(&p, sectors))
			continue;
		if (!wrong++)
			diag("%s, %llu sectors: %s", spec, sectors, error.text);
	}
	result(!wrong, "blocks not given: %llu of %llu devices are refused, %llu of them although some number of blocks is enough",
	       refused, rounds, wrong);
}

/* The arena rounds each array up to a cache line. */
#define MOST_ARRAYS	30
#define ARENA_LINE	64

/*
 * A device takes the memory that ssdf_memory_bytes() names. If an allocation fails, there is no
 * device, a message says why, and nothing is left behind (the address sanitizer reports leaks).
 */
static void memory(const char *spec)
{
	size_t bytes = 64 << 20, used;
	struct ssdf_device *f;
	struct ssdc_error error;
	struct ssdf_params p;
	unsigned long nr = 0;
	bool good = true;
	u64 named;

	if (ssdf_params_parse(&p, spec, &error) || ssdf_params_check(&p, 0, &error))
		give_up(spec);
	named = ssdf_memory_bytes(&p);
	ssdc_shim_arena = (struct ssdc_shim_arena) {
		.start = malloc(bytes), .bytes = bytes, .open = true,
	};
	memset(ssdc_shim_arena.start, 0, bytes);
	f = ssdf_create(&p, &error);
	used = ssdc_shim_arena.used;
	ssdf_destroy(f);
	free(ssdc_shim_arena.start);
	ssdc_shim_arena = (struct ssdc_shim_arena) {};
	result(f && used >= named && used < named + MOST_ARRAYS * ARENA_LINE,
	       "%s: %llu bytes are named, %zu are used", spec, named, used);
	do {
		ssdc_shim_fail_alloc = ++nr;
		error.text[0] = '\0';
		f = ssdf_create(&p, &error);
		good &= f || strstr(error.text, "no memory");
		ssdf_destroy(f);
	} while (!f && nr < MOST_ARRAYS);
	ssdc_shim_fail_alloc = 0;
	result(f && good, "%s: %lu allocations, each of which may fail", spec, nr - 1);
}

int main(int argc, char **argv)
{
	struct harness options = { .seed = 1, .rounds = 25 };
	static const u32 shares[] = { 7, 15, 28 };
	unsigned int i;

	harness_options(&options, "sr", argc, argv);
	ssdc_random_seed(&harness_random, options.seed);
	for (i = 0; i < ARRAY_SIZE(shares); i++)
		write_amplification(shares[i]);
	for (i = 0; i < ARRAY_SIZE(contradictions); i++)
		threshold_of_all_spare(contradictions[i]);
	threshold_of_few_pages(8, 13);
	threshold_of_few_pages(11, 14);
	threshold_of_few_pages(14, 7);
	enough_blocks(5000);
	memory("custom:channels=64,chips=16,dies=1,planes=1,blocks=60,pages=2");
	memory("custom:channels=2,chips=1,planes=16,blocks=60,over_provisioning=30,hot_cold=on,map_cache=1280");
	storms(options.seed, options.rounds);
	return finish();
}
