// SPDX-License-Identifier: GPL-2.0
/*
 * A trace with planted patterns: pattern and pattern-plus must find every one, and reads must
 * become as much faster as equation 3 of [Li22] says, T_1 = alpha * gamma * h.
 *
 *	prefetch-planted
 *
 * Reads come in groups of the size of a transaction. Each group contains one of the patterns,
 * its pages always in the same order, and pages that are never read again. Each window has its
 * own patterns. Nothing can hit while a window is mined. From then on, the first half (rounded
 * up) of a pattern of n pages is read from the origin, and the rest hits: that is h. Every read
 * of the origin takes the same time, a hit takes none, and requests are closed-loop, so alpha is
 * that time.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "../../dm-ssdcache/prefetch/patterns.h"
#include "../ssdcache-sim/driver.h"
#include "harness.h"

#define PAGE_SECTORS	8u
#define FRAMES		2048u
#define WINDOWS		6u
#define WINDOW		1024u
#define MINED		256u
#define GROUP		16u
#define PATTERNS	5u
#define READ_NS		75000u
#define OTHERS		1000000u	/* first of the pages that are read once */

static const u32 lengths[PATTERNS] = { 2, 3, 6, 9, 10 };

static const struct ssdc_prefetch_type *real;
static struct ssdc_prefetch_type spy;
static u64 missing, superfluous, loads;

/* Scattered over the address space, so that only being read together connects the pages. */
static u64 page_of(u32 window, u32 pattern, u32 i)
{
	return (window * 1009 + pattern * 101 + i * 7919) % OTHERS;
}

static struct sim_workload planted(void)
{
	struct sim_workload workload = { .nr = WINDOWS * WINDOW };
	u64 other = OTHERS;
	u32 n, i = 0;

	workload.sectors = (OTHERS + workload.nr) * PAGE_SECTORS;
	workload.records = xcalloc(workload.nr, sizeof(*workload.records));
	for (n = 0; n < workload.nr; n++) {
		u32 group = n / GROUP, pattern = group % PATTERNS;
		u64 page;

		i = n % GROUP;
		page = i < lengths[pattern] ? page_of(n / WINDOW, pattern, i) : other++;
		workload.records[n] = (struct sim_record) {
			.time_ns = n, .op = SSDC_READ,
			.sector = page * PAGE_SECTORS, .nr_sectors = PAGE_SECTORS,
		};
	}
	return workload;
}

/* In each group after mining, the second half of the pattern hits. */
static u64 predicted_hits(void)
{
	u64 hits = 0;
	u32 group;

	for (group = 0; group < WINDOWS * WINDOW / GROUP; group++)
		if (group * GROUP % WINDOW >= MINED)
			hits += lengths[group % PATTERNS] / 2;
	return hits;
}

static bool row_is(const struct ssdc_matrix *m, u32 row, u32 window, u32 pattern)
{
	u32 i, column, found = 0;

	for (i = 0; i < lengths[pattern]; i++)
		for (column = 0; column < m->nr_columns; column++)
			found += test_bit(column, m->rows[row].members) &&
				 m->pages[column] == page_of(window, pattern, i);
	return found == lengths[pattern] && m->rows[row].nr_members == found;
}

/* Check that the matrix, just loaded, contains the window's patterns and nothing else. */
static void look_for_patterns(const struct ssdc_matrix *m, u32 window)
{
	u32 pattern, row;

	loads++;
	for (pattern = 0; pattern < PATTERNS; pattern++) {
		for (row = 0; row < m->nr_rows && !row_is(m, row, window, pattern); row++)
			;
		missing += row == m->nr_rows;
	}
	superfluous += m->nr_rows > PATTERNS ? m->nr_rows - PATTERNS : 0;
}

static bool seen_step(struct ssdc_plugin *plugin)
{
	struct ssdc_patterns *x = container_of(plugin, struct ssdc_patterns, p.plugin);
	u64 before = x->mined_windows;
	bool more = real->plugin.step(plugin);

	if (x->mined_windows > before)
		look_for_patterns(&x->matrix, x->windows);
	return more;
}

/* Returns the engine after all requests. */
static struct ssdc_engine *run(const char *prefetch, const struct sim_workload *workload)
{
	struct sim_options options = { .closed = true, .read_ns = READ_NS, .write_ns = READ_NS };
	struct ssdc_params params = {
		.dram_bytes = FRAMES * PAGE_SECTORS * 512ULL, .page_bytes = PAGE_SECTORS * 512,
		.origin_sectors = workload->sectors,
		.replacement = "lru", .admission = "write-buffer", .prefetch = prefetch,
	};
	struct ssdc_error error = {};
	struct ssdc_engine *e;

	ssdc_tunables_default(ssdc_core_tunable_table, ssdc_nr_core_tunables, &params.tunables);
	e = ssdc_engine_create(&params, &error);
	if (!e)
		die(TOOL_FAILED, "%s: %s", prefetch, error.text);
	real = ssdc_prefetch_ops(e->prefetch);
	spy = *real;
	if (real->plugin.step) {
		spy.plugin.step = seen_step;
		e->prefetch->plugin.type = &spy.plugin;
	}
	sim_drive(e, NULL, &options, workload);
	e->prefetch->plugin.type = &real->plugin;
	return e;
}

static u64 read_time_ns(const struct ssdc_engine *e)
{
	return e->latency[SSDC_READ].sum_ns;
}

static void try_prefetcher(const char *name, const struct sim_workload *workload, u64 without_ns)
{
	u64 hits = predicted_hits(), nr = workload->nr;
	struct ssdc_engine *e;
	u64 with_ns;

	missing = 0;
	superfluous = 0;
	loads = 0;
	e = run(name, workload);
	with_ns = read_time_ns(e);
	result(!missing && !superfluous && loads == WINDOWS,
	       "%s: %u planted patterns, %llu not found, %llu spurious", name,
	       WINDOWS * PATTERNS, missing, superfluous);
	result(e->stats.prefetch_hits == hits && !e->stats.prefetch_unused,
	       "%s: %llu hits, predicted %llu; %llu pages prefetched, %llu of them unused", name,
	       e->stats.prefetch_hits, hits, e->stats.prefetched_pages,
	       e->stats.prefetch_unused);
	result(without_ns - with_ns == hits * READ_NS,
	       "%s: mean read %llu ns, without %llu ns; predicted %llu ns", name, with_ns / nr,
	       without_ns / nr, (without_ns - hits * READ_NS) / nr);
	ssdc_engine_destroy(e);
}

int main(int argc, char **argv)
{
	struct harness options = {};
	struct sim_workload workload = planted();
	struct ssdc_engine *e = run("none", &workload);
	u64 without_ns = read_time_ns(e);

	harness_options(&options, "", argc, argv);
	ssdc_engine_destroy(e);
	result(without_ns == workload.nr * READ_NS, "none: each read takes %u ns", READ_NS);
	try_prefetcher("pattern", &workload, without_ns);
	try_prefetcher("pattern-plus", &workload, without_ns);
	sim_workload_free(&workload);
	return finish();
}
