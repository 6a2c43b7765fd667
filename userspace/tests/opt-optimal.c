// SPDX-License-Identifier: GPL-2.0
/*
 * Checks that the simulator's policy "opt" is optimal:
 *
 *	tiny traces	it has exactly as many hits as the best of all choices of victims, found
 *			by trying all of them
 *	small traces	no other policy of the simulator has more hits
 *
 * The claim is for one page per request and closed-loop requests. Reads enter (and count) with
 * admission read-write, and do neither with write-buffer.
 *
 *	opt-optimal [-s SEED] [-r ROUNDS]
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../ssdcache-sim/driver.h"
#include "../ssdcache-sim/opt.h"
#include "harness.h"

#define PAGE_SECTORS	8u
#define PAGE_BYTES	4096u

#define TINY_PAGES	20u	/* SSDC_MIN_FRAMES of them fit */
#define TINY_RECORDS	400u
#define SMALL_RECORDS	3000u

static struct sim_record random_record(u64 pages, u64 hot)
{
	u64 page = below(2) ? below(hot) : below(pages), kind = below(100);
	struct sim_record record = { .sector = page * PAGE_SECTORS, .nr_sectors = PAGE_SECTORS };

	if (kind < 2)
		record.op = SSDC_DISCARD;
	else if (kind < 3)
		record = (struct sim_record){ .op = SSDC_FLUSH };
	else
		record.op = kind < 40 ? SSDC_READ : SSDC_WRITE;
	return record;
}

static struct sim_workload random_workload(u64 pages, size_t nr)
{
	struct sim_workload workload = { .nr = nr, .sectors = pages * PAGE_SECTORS };
	u64 hot = 1 + below(pages);
	size_t i;

	workload.records = xcalloc(nr, sizeof(*workload.records));
	for (i = 0; i < nr; i++)
		workload.records[i] = random_record(pages, hot);
	return workload;
}

/* Number of hits, of writes and (with @reads) of reads. */
static u64 hits_of(const char *policy, bool reads, u32 frames, const struct sim_workload *workload)
{
	struct sim_options options = { .closed = true, .read_ns = 75000, .write_ns = 200000 };
	struct ssdc_params params = {
		.dram_bytes = (u64)frames * PAGE_BYTES,
		.page_bytes = PAGE_BYTES,
		.origin_sectors = workload->sectors,
		.replacement = policy,
		.admission = reads ? "read-write" : "write-buffer",
		.prefetch = "none",
	};
	struct ssdc_error error = {};
	struct ssdc_engine *e;
	u64 hits;

	ssdc_tunables_default(ssdc_core_tunable_table, ssdc_nr_core_tunables, &params.tunables);
	e = ssdc_engine_create(&params, &error);
	if (!e)
		die(TOOL_FAILED, "%s: %s", policy, error.text);
	sim_drive(e, NULL, &options, workload);
	if (ssdc_engine_check(e, &error))
		die(TOOL_FAILED, "%s: ssdc_engine_check() at the end: %s", policy, error.text);
	hits = e->stats.write_hits + (reads ? e->stats.read_hits : 0);
	ssdc_engine_destroy(e);
	return hits;
}

#define NR_SETS		(1u << TINY_PAGES)
#define UNREACHABLE	(-1)

/* The reachable sets of cached pages, each with the most hits on the way to it. */
struct sets {
	int *hits;	/* of each set; UNREACHABLE for sets not in @list */
	u32 *list;
	u32 nr;
};

static void create_sets(struct sets *sets)
{
	u32 set;

	sets->hits = xmalloc(NR_SETS * sizeof(*sets->hits));
	sets->list = xmalloc(NR_SETS * sizeof(*sets->list));
	sets->nr = 0;
	for (set = 0; set < NR_SETS; set++)
		sets->hits[set] = UNREACHABLE;
}

static void free_sets(struct sets *sets)
{
	free(sets->hits);
	free(sets->list);
}

static void reach(struct sets *sets, u32 set, int hits)
{
	if (sets->hits[set] == UNREACHABLE)
		sets->list[sets->nr++] = set;
	sets->hits[set] = max(sets->hits[set], hits);
}

/* All sets of cached pages that an access to @page can lead to. */
static void access_page(struct sets *next, u32 set, u32 page, int hits)
{
	u32 victim;

	if (set & page) {
		reach(next, set, hits + 1);
	} else if (__builtin_popcount(set) < (int)SSDC_MIN_FRAMES) {
		reach(next, set | page, hits);
	} else {
		for (victim = 1; victim < NR_SETS; victim <<= 1)
			if (set & victim)
				reach(next, (set ^ victim) | page, hits);
	}
}

static void step(struct sets *next, u32 set, int hits, const struct sim_record *record, bool reads)
{
	u32 page = 1u << (record->sector / PAGE_SECTORS);

	if (record->op == SSDC_DISCARD)
		reach(next, set & ~page, hits);
	else if (record->op == SSDC_WRITE || (record->op == SSDC_READ && reads))
		access_page(next, set, page, hits);
	else
		reach(next, set, hits);
}

/* Moves on from all sets of @from, which is empty afterwards. */
static void step_all(struct sets *from, struct sets *to, const struct sim_record *record,
		     bool reads)
{
	while (from->nr) {
		u32 set = from->list[--from->nr];

		step(to, set, from->hits[set], record, reads);
		from->hits[set] = UNREACHABLE;
	}
}

/* The most hits of any choice of victims. */
static u64 most_hits(bool reads, const struct sim_workload *workload)
{
	struct sets sets[2];
	int most = 0;
	size_t i;
	u32 at;

	create_sets(&sets[0]);
	create_sets(&sets[1]);
	reach(&sets[0], 0, 0);
	for (i = 0; i < workload->nr; i++)
		step_all(&sets[i % 2], &sets[(i + 1) % 2], &workload->records[i], reads);
	for (at = 0; at < sets[i % 2].nr; at++)
		most = max(most, sets[i % 2].hits[sets[i % 2].list[at]]);
	free_sets(&sets[0]);
	free_sets(&sets[1]);
	return most;
}

static bool tiny_round(bool reads)
{
	struct sim_workload workload = random_workload(TINY_PAGES, TINY_RECORDS);
	u64 hits = hits_of("opt", reads, SSDC_MIN_FRAMES, &workload);
	u64 most = most_hits(reads, &workload);

	sim_workload_free(&workload);
	if (hits != most)
		diag("%llu hits, %llu are possible", hits, most);
	return hits == most;
}

static bool small_round(bool reads)
{
	static const u32 frames_of[] = { 16, 23, 64, 200 };
	u32 frames = frames_of[below(4)];
	struct sim_workload workload = random_workload(frames + 1 + below(6 * frames),
						       SMALL_RECORDS);
	u64 opt = hits_of("opt", reads, frames, &workload);
	const struct ssdc_plugin_type *type = NULL;
	bool good = true;

	while ((type = ssdc_type_next(SSDC_REPLACEMENT, type))) {
		u64 hits = hits_of(type->info.name, reads, frames, &workload);

		if (hits > opt) {
			diag("%u frames: %s has %llu hits, opt %llu", frames,
			       type->info.name, hits, opt);
			good = false;
		}
	}
	sim_workload_free(&workload);
	return good;
}

static void rounds(const char *name, bool (*round)(bool reads), bool reads, u64 nr)
{
	bool good = true;

	while (nr-- && good)
		good = round(reads);
	result(good, "opt: %s", name);
}

int main(int argc, char **argv)
{
	struct harness options = { .seed = 1, .rounds = 10 };
	u64 nr;

	harness_options(&options, "sr", argc, argv);
	nr = options.rounds;
	ssdc_random_seed(&harness_random, options.seed);
	if (ssdc_type_register(&sim_opt.plugin))
		return TOOL_FAILED;
	rounds("best of all choices, writes", tiny_round, false, nr);
	rounds("best of all choices, reads and writes", tiny_round, true, nr);
	rounds("no policy has more write hits", small_round, false, nr);
	rounds("no policy has more hits, reads included", small_round, true, nr);
	return finish();
}
