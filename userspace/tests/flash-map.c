// SPDX-License-Identifier: GPL-2.0
/*
 * A cached mapping table (map_cache): what lookups and evictions take, how many hits there are, and
 * what translation pages add to write amplification.
 *
 *	flash-map [-s SEED] [-r ROUNDS]		TAP lines
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include "flash-load.h"

#define READ_NS		50000
#define PROGRAM_NS	300000
#define TRANSFER_NS	4096	/* of a page */
#define ENTRIES		1280	/* the fewest possible */
#define PER_PAGE	1024	/* mappings in a translation page */

/* One plane; with more blocks, eight translation pages and more. */
#define SPEC "custom:channels=1,chips=1,dies=1,planes=1,pages=64,page_bytes=4096,read_ns=50000," \
	"program_ns=300000,transfer_ps=1000,over_provisioning=20"

static u64 time_of(struct load *load, enum ssdc_op op, u32 lpn)
{
	u64 start_ns = load->now_ns;

	load_page(load, op, lpn);
	return load->now_ns - start_ns;
}

static void expect_ns(u64 found, u64 expected, const char *what)
{
	result(found == expected, "%s: %llu ns, expected %llu", what, found, expected);
}

/* Each step of a lookup, in virtual time. */
static void times(void)
{
	const u64 read_ns = READ_NS + TRANSFER_NS, program_ns = TRANSFER_NS + PROGRAM_NS;
	struct load load = load_begin(SPEC ",blocks=256,map_cache=1280");
	const struct ssdf_stats *stats = &load.f->stats;
	u32 lpn;

	expect_ns(time_of(&load, SSDC_READ, 0), 2 * read_ns, "miss of a read");
	expect_ns(time_of(&load, SSDC_READ, 0), read_ns, "hit of a read");
	expect_ns(time_of(&load, SSDC_READ, 1), 2 * read_ns, "miss in the same translation page");
	expect_ns(time_of(&load, SSDC_WRITE, 2), read_ns + program_ns, "miss of a write");
	expect_ns(time_of(&load, SSDC_WRITE, 2), program_ns, "hit of a write");
	/* 2 was used twice: so were 0 and 1, once protected. The next victim is 3, and clean. */
	load_page(&load, SSDC_READ, 1);
	for (lpn = 3; lpn < ENTRIES; lpn++)
		load_page(&load, SSDC_READ, lpn);
	result(!stats->map_writes, "no translation page was written while entries were free");
	expect_ns(time_of(&load, SSDC_READ, ENTRIES), 2 * read_ns, "miss, clean victim");
	expect_ns(time_of(&load, SSDC_READ, 3), 2 * read_ns, "the victim was evicted");
	expect_ns(time_of(&load, SSDC_READ, 2), read_ns, "a mapping that was used twice stays");
	result(!stats->map_writes, "clean victims are not written");
	result(stats->map_hits + stats->map_misses == stats->host_reads + stats->host_programs,
	       "each page was looked up once");
	result(load_end(&load), "invariants");
}

/* Write-back of a victim, with all the dirty mappings of its translation page. */
static void eviction(void)
{
	const u64 read_ns = READ_NS + TRANSFER_NS, program_ns = TRANSFER_NS + PROGRAM_NS;
	struct load load = load_begin(SPEC ",blocks=256,map_cache=1280");
	const struct ssdf_stats *stats = &load.f->stats;
	u32 lpn;

	for (lpn = 0; lpn < ENTRIES; lpn++)
		load_page(&load, SSDC_WRITE, lpn);
	expect_ns(time_of(&load, SSDC_READ, 5000), 3 * read_ns + program_ns,
		  "miss, dirty victim: its translation page is read and programmed");
	for (lpn = 5001; lpn < 5000 + PER_PAGE; lpn++)
		load_page(&load, SSDC_READ, lpn);
	result(stats->map_writes == 1, "dirty mappings of a translation page: %llu written for %u",
	       stats->map_writes, PER_PAGE);
	expect_ns(time_of(&load, SSDC_READ, 5000 + PER_PAGE), 3 * read_ns + program_ns,
		  "miss, dirty victim of another translation page");
	result(stats->map_reads == ENTRIES + PER_PAGE + 1 + 2, "%llu translation pages read",
	       stats->map_reads);
	result(load_end(&load), "invariants");
}

/* Uniform accesses: any set of so many mappings has the same share of the hits. */
static void hit_ratio(u32 entries, enum ssdc_op op)
{
	struct load load;
	const struct ssdf_stats *stats;
	double share, found;
	char spec[256];
	u32 i;

	snprintf(spec, sizeof(spec), SPEC ",blocks=128,map_cache=%u", entries);
	load = load_begin(spec);
	stats = &load.f->stats;
	for (i = 0; i < 4 * load.f->nr_lpns; i++)
		load_page(&load, op, below(load.f->nr_lpns));
	ssdf_reset_stats(load.f, load.now_ns);
	for (i = 0; i < 40000; i++)
		load_page(&load, op, below(load.f->nr_lpns));
	share = (double)entries / load.f->nr_lpns;
	found = (double)stats->map_hits / (stats->map_hits + stats->map_misses);
	/* Five standard deviations. */
	result(load_end(&load) && fabs(found - share) < 5 * sqrt(share * (1 - share) / 40000),
	       "%u mappings, uniform %s: %.4f of the lookups hit, cached share %.4f", entries,
	       op == SSDC_READ ? "reads" : "writes", found, share);
}

/* Programs of translation pages count, and the device stays consistent under GC. */
static void amplification(const char *more)
{
	struct load load;
	const struct ssdf_stats *stats;
	u64 programs, blocks = 0;
	char spec[256];
	double plain, wa;
	bool full;

	snprintf(spec, sizeof(spec), SPEC ",blocks=128%s", more);
	load = load_begin(spec);
	load_fill(&load);
	load_churn(&load, 4ULL * load.f->nr_lpns);
	plain = load_churn(&load, 2ULL * load.f->nr_lpns);
	load_end(&load);
	snprintf(spec, sizeof(spec), SPEC ",blocks=128,map_cache=1280%s", more);
	load = load_begin(spec);
	load_fill(&load);
	load_churn(&load, 4ULL * load.f->nr_lpns);
	load_churn(&load, 2ULL * load.f->nr_lpns);
	stats = &load.f->stats;
	programs = stats->host_programs + stats->gc_programs + stats->map_writes;
	ssdf_update_stats(load.f, load.now_ns);
	wa = load.f->write_amplification / 1000.0;
	blocks = load.f->params.pages * stats->erases;
	result(fabs(wa - (double)programs / stats->host_programs) < 0.001,
	       "write amplification counts translation pages%s", more);
	/* In a steady state, as many pages are erased as are programmed. */
	result(fabs((double)blocks / programs - 1) < 0.02,
	       "%llu pages erased, %llu programmed%s", blocks, programs, more);
	full = load.f->valid_pages == load.f->nr_lpns + load.f->nr_map_pages;
	result(full, "%u valid pages: data and %u translation pages%s", load.f->valid_pages,
	       load.f->nr_map_pages, more);
	result(wa > plain + (double)stats->map_writes / stats->host_programs * 0.9,
	       "uniform writes%s: write amplification %.3f with a map cache, %.3f without; %.3f translation pages per write",
	       more, wa, plain, (double)stats->map_writes / stats->host_programs);
	result(load_end(&load), "invariants%s", more);
}

/* One GC of a block: its commands run one after the other, apart from the host's last program. */
struct collection {
	struct ssdf_device *f;
	struct ssdf_stats before;
	u64 start_ns;
	u64 block;
	u32 valid;
	u32 updates;			/* translation pages with mappings that are not cached */
	u64 nr;
	u64 most_updates;
	u64 wrong;
};

static bool is_cached(const struct ssdf_device *f, u32 lpn)
{
	const struct ssdf_map_cache *c = &f->map_cache;
	u32 list, i;

	for (list = c->nr; list < c->nr + 2; list++)
		for (i = c->entries[list].next; i != list; i = c->entries[i].next)
			if (c->entries[i].lpn == lpn)
				return true;
	return false;
}

static void gc_started(void *owner, u32 plane, u32 block, u32 valid)
{
	struct collection *gc = owner;
	const struct ssdf_device *f = gc->f;
	bool seen[64] = {};
	u32 page, lpn;

	gc->block = plane * f->params.blocks + block;
	gc->before = f->stats;
	gc->start_ns = f->clock_ns;
	gc->valid = valid;
	gc->updates = 0;
	for (page = 0; page < f->params.pages; page++) {
		lpn = ssdf_lpn_nr(f->reverse[gc->block * f->params.pages + page]);
		if (lpn >= f->nr_lpns || is_cached(f, lpn))
			continue;
		gc->updates += !seen[lpn / PER_PAGE];
		seen[lpn / PER_PAGE] = true;
	}
}

static void gc_erased(void *owner, u32 plane, u32 block, u32 erases)
{
	const u64 read_ns = READ_NS + TRANSFER_NS, program_ns = TRANSFER_NS + PROGRAM_NS;
	struct collection *gc = owner;
	const struct ssdf_stats *now = &gc->f->stats;
	u64 reads = now->map_reads - gc->before.map_reads;
	u64 writes = now->map_writes - gc->before.map_writes;
	u64 expected_ns = (gc->valid + writes) * program_ns + (gc->valid + reads) * read_ns +
			  gc->f->params.erase_ns;
	u64 found_ns = gc->f->clock_ns - gc->start_ns;

	gc->nr++;
	gc->most_updates = max_t(u64, gc->most_updates, gc->updates);
	gc->wrong += plane * gc->f->params.blocks + block != gc->block || !erases;
	gc->wrong += reads != gc->updates || writes != gc->updates ||
		     (found_ns != expected_ns && found_ns != expected_ns + program_ns);
}

static void stalled(void *owner __maybe_unused, u64 sector __maybe_unused)
{
}

static const struct ssdf_observer_ops watch_gc = { gc_started, gc_erased, stalled };

/* Moved pages whose mappings are not cached: each of their translation pages is written once. */
static void gc_batch(void)
{
	struct load load = load_begin(SPEC ",blocks=128,map_cache=1280,gc_threshold=10");
	struct collection gc = { .f = load.f };

	load_fill(&load);
	ssdf_observe(load.f, &watch_gc, &gc);
	load_churn(&load, 2ULL * load.f->nr_lpns);
	result(load_end(&load) && gc.nr > 300 && gc.most_updates == 7 && !gc.wrong,
	       "GC of %llu blocks: moves, then a read and a program for each of up to %llu translation pages, to the nanosecond; %llu deviate",
	       gc.nr, gc.most_updates, gc.wrong);
}

/* Write amplification of the same writes, however often this is called. */
static double same_churn(const char *spec, struct ssdf_stats *stats)
{
	struct load load = load_begin(spec);
	double wa;

	ssdc_random_seed(&harness_random, 1);
	load_fill(&load);
	load_churn(&load, 4ULL * load.f->nr_lpns);
	wa = load_churn(&load, 2ULL * load.f->nr_lpns);
	*stats = load.f->stats;
	load_end(&load);
	return wa;
}

/*
 * With every mapping cached, nothing is read or written for the map after the first lookups. The
 * open block for translation pages still takes room. So does the block of an unused stream, to
 * which the write amplification is compared.
 */
static void whole_map(void)
{
	struct ssdf_stats stats, plain_stats;
	double wa = same_churn(SPEC ",blocks=64,map_cache=8192", &stats);
	double plain = same_churn(SPEC ",blocks=64,streams=2", &plain_stats);

	result(stats.map_hits && !stats.map_misses && !stats.map_reads && !stats.map_writes,
	       "every mapping cached: no translation page is read or written");
	result(wa == plain && stats.erases == plain_stats.erases,
	       "every mapping cached: write amplification %.4f, with an unused stream instead %.4f",
	       wa, plain);
}

/* Each allocation fails in turn: no device, a message, and no leak (the address sanitizer reports). */
static void allocations(void)
{
	struct ssdc_error error = {};
	struct ssdf_params params;
	struct ssdf_device *f;
	unsigned long nr;
	bool good = true, failed;

	if (ssdf_params_parse(&params, SPEC ",blocks=128,map_cache=1280", &error) ||
	    ssdf_params_check(&params, 0, &error))
		diag("%s", error.text);
	for (nr = 1, failed = true; failed; nr++) {
		error.text[0] = 0;
		ssdc_shim_fail_alloc = nr;
		f = ssdf_create(&params, &error);
		failed = !ssdc_shim_fail_alloc;
		ssdc_shim_fail_alloc = 0;
		good = good && !f == failed && !!strstr(error.text, "no memory") == failed;
		ssdf_destroy(f);
	}
	result(good && nr - 2 == 19, "each of %lu allocations fails", nr - 2);
}

static const char *const choices[] = {
	"", "hot_cold=on", "streams=3", "bad_blocks=20", "read_retry=300,pe_cycles=10,aged_erases=3",
	"suspend=both,suspend_ns=20000,resume_ns=5000", "copyback=on", "wear_threshold=1",
	"wear_threshold=4", "allocation=static", "multi_plane=off", "cache_read=on,cache_program=on",
	"gc_victim=fifo", "gc_victim=d-choices,gc_choices=1", "gc_victim=cost-benefit",
	"gc_threshold=20,gc_urgent=20", "aged=steady", "aged=steady,aged_hot=10", "aged_valid=40",
	"program2_ns=900000", "command_wait=on,channel_first=writes", "partial_transfer=on",
};

static const char *const shapes[] = {
	"channels=1,chips=1,dies=1,planes=1", "channels=1,chips=1,dies=1,planes=4",
	"channels=2,chips=2,dies=1,planes=1", "channels=2,chips=1,dies=2,planes=2",
};

/* The smallest over-provisioning with which the device is accepted, at most 90. */
static struct ssdf_device *fullest(char *spec, size_t size)
{
	size_t len = strlen(spec);
	struct ssdc_error error;
	struct ssdf_params params;
	struct ssdf_device *f;
	u32 percent;

	for (percent = 1; percent <= 90; percent++) {
		snprintf(spec + len, size - len, ",over_provisioning=%u", percent);
		if (ssdf_params_parse(&params, spec, &error) || ssdf_params_check(&params, 0, &error))
			continue;
		f = ssdf_create(&params, &error);
		while (ssdf_age(f))
			;
		return f;
	}
	diag("%s: %s", spec, error.text);
	return NULL;
}

#define BURST 64

/* No device has work for so many events after a burst, unless GC never ends. */
#define MAX_EVENTS 20000000

static unsigned int rest(struct ssdf_device *f, u64 *now_ns)
{
	unsigned int done = 0;
	u64 next_ns, i;

	for (i = 0; i < MAX_EVENTS && (next_ns = ssdf_next_ns(f)) != SSDF_NEVER; i++) {
		*now_ns = max(*now_ns, next_ns);
		ssdf_advance(f, *now_ns);
	}
	while (ssdf_next_done(f))
		done++;
	return i < MAX_EVENTS ? done : 0;
}

/* Should an idle plane collect? With other rules, only if blocks are short: chance or turn decides. */
static bool gc_is_due(const struct ssdf_device *f)
{
	bool looks = f->params.gc_victim == SSDF_GREEDY ||
		     f->params.gc_victim == SSDF_COST_BENEFIT;
	u32 plane, i;

	for (plane = 0; plane < f->nr_planes; plane++) {
		const struct ssdf_plane *p = &f->planes[plane];
		bool must = p->nr_free < f->gc_must_below;
		u32 worth = must ? 1 : f->gc_worth;

		if (p->victim != SSDF_NO_BLOCK || p->nr_free >= f->gc_below || !(must || looks))
			continue;
		for (i = plane * f->params.blocks; i < (plane + 1) * f->params.blocks; i++)
			if (f->blocks[i].closed && f->blocks[i].valid + worth <= f->params.pages)
				return true;
	}
	return false;
}

/*
 * A device whose pages all hold data: writes, reads and discards at random, and on the whole
 * device. Returns the number of requests, or 0 if some did not end or an invariant is broken.
 */
static u64 one_torture(struct ssdf_stats *sum)
{
	struct ssdf_request requests[BURST];
	u64 now_ns = 0, sectors, total = 0;
	u32 burst, i, discards = below(3) ? below(8) : 0;
	struct ssdf_device *f;
	unsigned int done;
	bool due = false;
	char spec[512];

	snprintf(spec, sizeof(spec),
		 "custom:%s,blocks=%llu,pages=%llu,page_bytes=%u,map_cache=1280,seed=%llu,gc_threshold=%llu",
		 PICK(shapes), 250 + below(200), 2 + below(30), 512 << below(3), below(1000),
		 below(4));
	for (i = below(4); i; i--)
		snprintf(spec + strlen(spec), sizeof(spec) - strlen(spec), ",%s",
			 choices[1 + below(ARRAY_SIZE(choices) - 1)]);
	f = fullest(spec, sizeof(spec));
	if (!f)
		return 0;
	sectors = ssdf_capacity_sectors(&f->params);
	requests[0] = (struct ssdf_request) { .op = SSDC_WRITE, .nr_sectors = sectors };
	ssdf_submit(f, &requests[0], now_ns);
	done = rest(f, &now_ns) + BURST - 1;
	for (burst = 0; burst < 100 && done == BURST; burst++) {
		done = 0;
		for (i = 0; i < BURST; i++) {
			struct ssdf_request *rq = &requests[i];

			rq->stream = below(4);
			rq->op = below(10) < 7 ? SSDC_WRITE : below(10) < discards ? SSDC_DISCARD :
				 SSDC_READ;
			rq->nr_sectors = 1 + below(below(8) ? 4 : 200);
			rq->sector = below(sectors - rq->nr_sectors + 1);
			ssdf_submit(f, rq, now_ns);
			now_ns += below(2) * below(1000000);
			while (ssdf_advance(f, now_ns))
				;
			while (ssdf_next_done(f))
				done++;
			if (i % 16 == 0 && ssdf_check(f))
				break;
		}
		done += rest(f, &now_ns);
		due = gc_is_due(f);
		if (f->inflight || ssdf_check(f) || due)
			done = 0;
		total += BURST;
	}
	if (done != BURST)
		diag("%s: %u of %u requests ended, check %d, a plane should collect: %d", spec,
		     done, BURST, ssdf_check(f), due);
	sum->map_hits += f->stats.map_hits;
	sum->map_misses += f->stats.map_misses;
	sum->map_writes += f->stats.map_writes;
	sum->stalled_writes += f->stats.stalled_writes;
	ssdf_destroy(f);
	return done == BURST ? total : 0;
}

/* GC ends when the host does, although moved pages cost writes of translation pages. */
static void gc_ends(const char *more)
{
	struct ssdf_request rq = { .op = SSDC_WRITE };
	struct ssdf_device *f;
	char spec[512];
	u64 now_ns = 0;
	u32 i, ended;

	snprintf(spec, sizeof(spec),
		 "custom:channels=2,chips=1,dies=2,planes=2,blocks=376,pages=19,page_bytes=512,"
		 "map_cache=1280,gc_threshold=2,over_provisioning=3,%s", more);
	f = flash_from_spec(spec);
	rq.nr_sectors = f->nr_lpns;
	ssdf_submit(f, &rq, now_ns);
	ended = rest(f, &now_ns);
	rq.nr_sectors = 1;
	for (i = 0; i < 2000 && ended == i + 1; i++) {
		rq.sector = below(f->nr_lpns);
		ssdf_submit(f, &rq, now_ns);
		ended += rest(f, &now_ns);
	}
	result(ended == i + 1 && !ssdf_check(f), "GC ends, %s: after each of %u writes", more, i);
	ssdf_destroy(f);
}

/* After each burst, no plane has a victim left that it should have collected. */
static void idle_planes(const char *more, u32 bursts)
{
	struct ssdf_request requests[BURST];
	u32 burst, i, late = 0;
	struct ssdf_device *f;
	char spec[512];
	u64 now_ns = 0;

	snprintf(spec, sizeof(spec),
		 "custom:channels=2,chips=1,dies=2,planes=2,blocks=376,pages=19,page_bytes=512,"
		 "map_cache=1280,gc_threshold=2,over_provisioning=8%s", more);
	f = flash_from_spec(spec);
	requests[0] = (struct ssdf_request) { .op = SSDC_WRITE, .nr_sectors = f->nr_lpns };
	ssdf_submit(f, &requests[0], now_ns);
	rest(f, &now_ns);
	for (burst = 0; burst < bursts; burst++) {
		for (i = 0; i < BURST; i++) {
			requests[i] = (struct ssdf_request) {
				.op = below(3) ? SSDC_WRITE : SSDC_READ,
				.sector = below(f->nr_lpns),
				.nr_sectors = 1,
			};
			ssdf_submit(f, &requests[i], now_ns);
		}
		rest(f, &now_ns);
		late += gc_is_due(f);
	}
	result(!late && f->stats.erases, "idle planes have collected%s: %u of %u times one has not",
	       more, late, burst);
	ssdf_destroy(f);
}

static void torture(u64 seed, u64 rounds)
{
	struct ssdf_stats sum = {};
	u64 total = 0, nr, i;

	for (i = 0; i < rounds; i++) {
		ssdc_random_seed(&harness_random, seed + i);
		nr = one_torture(&sum);
		if (!nr) {
			repeat_with("-r 1 -s %llu", seed + i);
			break;
		}
		total += nr;
	}
	result(i == rounds && sum.map_hits && sum.map_misses && sum.map_writes && sum.stalled_writes,
	       "full devices: %llu requests in %llu rounds from seed %llu; %llu hits, %llu misses, %llu translation pages written, %llu writes stalled",
	       total, i, seed, sum.map_hits, sum.map_misses, sum.map_writes, sum.stalled_writes);
}

int main(int argc, char **argv)
{
	struct harness options = { .seed = 1, .rounds = 20 };

	harness_options(&options, "sr", argc, argv);
	ssdc_random_seed(&harness_random, options.seed);
	times();
	eviction();
	hit_ratio(1280, SSDC_READ);
	hit_ratio(3277, SSDC_READ);
	hit_ratio(1280, SSDC_WRITE);
	gc_batch();
	amplification("");
	amplification(",copyback=on");
	whole_map();
	gc_ends("wear_threshold=1");
	gc_ends("gc_victim=fifo");
	gc_ends("gc_victim=d-choices,gc_choices=1");
	idle_planes("", 300);
	idle_planes(",copyback=on", 2000);
	allocations();
	torture(options.seed, options.rounds);
	return finish();
}
