// SPDX-License-Identifier: GPL-2.0
/*
 * A cached mapping table (map_cache) with many requests in flight: what is written back, what
 * requests wait for, and how much one call does.
 *
 *	flash-map-load [-s SEED]	TAP lines
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include "flash-load.h"

#define SPEC "custom:chips=1,planes=1,pages=64,page_bytes=4096,read_ns=50000,program_ns=300000," \
	"transfer_ps=1000"

/* Requests of single pages, each of which is submitted again when it has ended. */
struct loop {
	struct load load;
	struct ssdf_request *requests;
	u32 nr;
};

static struct loop loop_begin(const char *spec, u32 nr)
{
	return (struct loop) { load_begin(spec), calloc(nr, sizeof(struct ssdf_request)), nr };
}

/* Returns whether the device's invariants hold. */
static bool loop_end(struct loop *loop)
{
	free(loop->requests);
	return load_end(&loop->load);
}

static void submit(struct load *load, struct ssdf_request *rq, enum ssdc_op op, u32 lpn)
{
	*rq = (struct ssdf_request) {
		.op = op,
		.sector = (u64)lpn * load->f->page_sectors,
		.nr_sectors = load->f->page_sectors,
	};
	ssdf_submit(load->f, rq, load->now_ns);
}

/* The time of the next event, at which the device advances. */
static bool step(struct load *load)
{
	u64 next_ns = ssdf_next_ns(load->f);

	if (next_ns == SSDF_NEVER)
		return false;
	load->now_ns = max(load->now_ns, next_ns);
	ssdf_advance(load->f, load->now_ns);
	return true;
}

#define READERS		64
#define WRITES		200
#define WRITE_EVERY_NS	5000000
#define MAX_WAIT	100000	/* reads, for one write */

/* A page of die @die, of two with static allocation; readers look at few. */
static u32 page_of_die(const struct ssdf_device *f, enum ssdc_op op, u32 die)
{
	return 2 * below(op == SSDC_READ ? 600 : f->nr_lpns / 2) + die;
}

/*
 * Readers keep one die busy, and a write to the other needs GC, which updates translation pages on
 * the busy die. GC gets its turn there.
 */
static void gc_beside_reads(void)
{
	struct loop loop = loop_begin(SPEC ",blocks=128,channels=2,dies=1,over_provisioning=20,"
				      "allocation=static,aged=steady,map_cache=1280", READERS + 1);
	struct load *load = &loop.load;
	u64 reads = 0, before = 0, most = 0, next_write_ns = 0;
	struct ssdf_request *write = &loop.requests[READERS], *rq;
	u32 writes = 0, i;
	bool writing = false;

	for (i = 0; i < READERS; i++)
		submit(load, &loop.requests[i], SSDC_READ, page_of_die(load->f, SSDC_READ, 1));
	while (writes < WRITES && reads - before < MAX_WAIT && step(load)) {
		while ((rq = ssdf_next_done(load->f))) {
			if (rq == write) {
				writing = false;
				writes++;
				most = max(most, reads - before);
				continue;
			}
			reads++;
			submit(load, rq, SSDC_READ, page_of_die(load->f, SSDC_READ, 1));
		}
		if (!writing && load->now_ns >= next_write_ns) {
			writing = true;
			before = reads;
			next_write_ns = load->now_ns + WRITE_EVERY_NS;
			submit(load, write, SSDC_WRITE, page_of_die(load->f, SSDC_WRITE, 0));
		}
	}
	most = max(most, reads - before);
	load_rest(load);
	result(writes == WRITES && most < 1000 && load->f->stats.erases,
	       "GC beside reads of another die: %u of %u writes ended, the slowest after %llu reads; %llu erases",
	       writes, WRITES, most, load->f->stats.erases);
	result(loop_end(&loop), "invariants");
}

#define CHANGE_DEPTH	48

/* What has changed since its translation page was written, as seen from outside. */
struct changes {
	const struct ssdf_device *f;
	ssdf_ppn_t *map;
	u32 *writes;
	bool *changed;
	u64 nr;
	u64 lost;
};

static struct changes changes_begin(const struct ssdf_device *f)
{
	return (struct changes) {
		.f = f,
		.map = calloc(f->nr_lpns, sizeof(ssdf_ppn_t)),
		.writes = calloc(f->nr_map_pages, sizeof(u32)),
		.changed = calloc(f->nr_lpns, sizeof(bool)),
	};
}

static void changes_end(struct changes *c)
{
	free(c->map);
	free(c->writes);
	free(c->changed);
}

static bool is_to_be_written(const struct ssdf_device *f, u32 lpn)
{
	const struct ssdf_map_cache *c = &f->map_cache;
	u32 page = lpn / ssdf_map_page_entries(&f->params), i;

	if (c->outdated[page])
		return true;
	for (i = c->hash[(lpn * 0x9e3779b1u) >> (32 - c->hash_bits)]; i != U32_MAX;
	     i = c->entries[i].hash_next)
		if (c->entries[i].lpn == lpn)
			return c->entries[i].dirty_at == c->writes[page];
	return false;
}

/* Call after each event: which of the changes is in none of the page's writes to come? */
static void changes_look(struct changes *c)
{
	const struct ssdf_device *f = c->f;
	u32 entries = ssdf_map_page_entries(&f->params), lpn;
	bool written = false;

	for (lpn = 0; lpn < f->nr_lpns; lpn++) {
		if (lpn % entries == 0) {
			written = c->writes[lpn / entries] != f->map_cache.writes[lpn / entries];
			c->writes[lpn / entries] = f->map_cache.writes[lpn / entries];
		}
		if (written)
			c->changed[lpn] = false;
		else if (ssdf_ppn_nr(c->map[lpn]) != ssdf_ppn_nr(f->map[lpn]))
			c->changed[lpn] = true;
		c->map[lpn] = f->map[lpn];
		if (!c->changed[lpn])
			continue;
		c->nr++;
		c->lost += !is_to_be_written(f, lpn);
	}
}

/* A read, a write, or a write of a part: that reads the old page between lookup and change. */
static void submit_change(struct load *load, struct ssdf_request *rq)
{
	*rq = (struct ssdf_request) {
		.op = below(4) ? SSDC_WRITE : SSDC_READ,
		.sector = (u64)below(load->f->nr_lpns) * load->f->page_sectors,
		.nr_sectors = below(2) ? 1 : load->f->page_sectors,
	};
	ssdf_submit(load->f, rq, load->now_ns);
}

/* Every change is in a dirty entry, or its translation page is outdated, at every moment. */
static void changes_are_dirty(const char *more)
{
	char spec[256];
	struct changes changes;
	struct loop loop;
	struct load *load = &loop.load;
	struct ssdf_request *rq;
	u32 i, left = 5000;

	snprintf(spec, sizeof(spec), SPEC ",blocks=40,dies=1,channels=4,over_provisioning=40,"
		 "map_cache=1280%s", more);
	loop = loop_begin(spec, CHANGE_DEPTH);
	changes = changes_begin(load->f);
	changes_look(&changes);
	memset(changes.changed, 0, load->f->nr_lpns * sizeof(bool));
	changes.nr = 0;
	changes.lost = 0;
	for (i = 0; i < CHANGE_DEPTH; i++)
		submit(load, &loop.requests[i], SSDC_WRITE, below(load->f->nr_lpns));
	while (step(load)) {
		changes_look(&changes);
		while ((rq = ssdf_next_done(load->f))) {
			if (!left || !--left)
				continue;
			submit_change(load, rq);
		}
	}
	result(changes.nr && !changes.lost,
	       "changed mappings%s: seen %llu times, %llu times neither dirty nor outdated",
	       more, changes.nr, changes.lost);
	changes_end(&changes);
	result(loop_end(&loop), "invariants%s", more);
}

/*
 * Writers keep the device in need of free blocks. The dirty mapping that a read evicts needs a page,
 * too, and gets the next one: none goes to a write before.
 */
static void reads_beside_stalled_writes(void)
{
	struct loop loop = loop_begin(SPEC ",blocks=128,channels=4,dies=2,over_provisioning=15,"
				      "aged=steady,map_cache=1280", 512 + 1);
	struct load *load = &loop.load;
	struct ssdf_request *read = &loop.requests[512], *rq;
	const struct list_head *stalled = &load->f->lanes[SSDF_READ_LANE].stalled;
	u32 i, reads = 0, writes = 0, waits = 0;
	u64 programs, overtaken = 0;
	bool waited, goes_on = true;

	for (i = 0; i < 512; i++)
		submit(load, &loop.requests[i], SSDC_WRITE, below(load->f->nr_lpns));
	submit(load, read, SSDC_READ, below(load->f->nr_lpns));
	while (writes < 8000 && goes_on) {
		waited = !list_empty(stalled);
		programs = load->f->stats.host_programs;
		goes_on = step(load);
		if (waited && !list_empty(stalled))
			overtaken += load->f->stats.host_programs - programs;
		waits += waited && list_empty(stalled);
		while ((rq = ssdf_next_done(load->f))) {
			if (rq != read) {
				writes++;
				submit(load, rq, SSDC_WRITE, below(load->f->nr_lpns));
				continue;
			}
			reads++;
			submit(load, rq, SSDC_READ, below(load->f->nr_lpns));
		}
	}
	load_rest(load);
	result(waits && !overtaken,
	       "reads beside %u writes: the write-backs of %u of %u reads waited for a page, while %llu writes got one",
	       writes, waits, reads, overtaken);
	result(loop_end(&loop), "invariants");
}

#define BURST 1000

/* The time of a read whose mapping is not cached, behind so many writes of cached pages. */
static u64 read_behind_ns(u32 writes, enum ssdc_op before)
{
	struct loop loop = loop_begin(SPEC ",blocks=128,channels=4,dies=2,over_provisioning=20,"
				      "map_cache=1280", BURST + 1);
	struct load *load = &loop.load;
	u64 ns, map_writes;
	u32 i;

	for (i = 0; i < load->f->map_cache.nr; i++)
		load_page(load, before, i);
	map_writes = load->f->stats.map_writes;
	for (i = 0; i < writes; i++)
		submit(load, &loop.requests[i], SSDC_WRITE, load->f->map_cache.nr - 1 - i);
	submit(load, &loop.requests[BURST], SSDC_READ, 6000);
	load_rest(load);
	ns = loop.requests[BURST].done_ns - loop.requests[BURST].start_ns;
	result(load->f->stats.map_writes == map_writes + (before == SSDC_WRITE),
	       "a read that evicts a %s mapping writes %llu translation pages",
	       before == SSDC_WRITE ? "dirty" : "clean", load->f->stats.map_writes - map_writes);
	result(loop_end(&loop), "invariants");
	return ns;
}

/*
 * A read that evicts a dirty mapping takes no longer than one that evicts a clean mapping: the
 * mapping is written when the read has its page. Behind any number of writes it waits at each of
 * its two pages for the program of a die, and not for the writes that are queued.
 */
static void reads_behind_writes(void)
{
	const u64 two_programs_ns = 2 * (4096 + 300000);
	u64 alone = read_behind_ns(0, SSDC_READ), alone_dirty = read_behind_ns(0, SSDC_WRITE);
	u64 clean = read_behind_ns(BURST, SSDC_READ), dirty = read_behind_ns(BURST, SSDC_WRITE);

	result(alone_dirty == alone, "read that evicts a dirty mapping: %llu ns, a clean one: %llu",
	       alone_dirty, alone);
	result(clean <= alone + two_programs_ns && dirty <= alone + two_programs_ns,
	       "behind %u writes: %llu ns, %llu with a clean mapping", BURST, dirty, clean);
}

/* Many requests wait for one translation page: each call goes on with a bounded number. */
static void bounded_calls(void)
{
	struct load load = load_begin("custom:channels=16,chips=16,dies=1,planes=1,pages=2,"
				      "page_bytes=65536,over_provisioning=20,blocks=128,map_cache=20480");
	const struct ssdf_stats *stats = &load.f->stats;
	struct ssdf_request rq = { .op = SSDC_WRITE, .nr_sectors = 8192 * 128 };
	u64 before = 0, most = 0;

	ssdf_submit(load.f, &rq, load.now_ns);
	while (step(&load)) {
		most = max(most, stats->host_programs - before);
		before = stats->host_programs;
	}
	result(stats->host_programs == 8192 && stats->map_reads == 1 && most <= 128,
	       "%llu pages, %llu translation pages read: at most %llu pages go on in a call",
	       stats->host_programs, stats->map_reads, most);
	result(ssdf_next_done(load.f) == &rq, "the request ends");
	result(load_end(&load), "invariants");
}

/* A discard of discarded pages changes no mapping, so there is nothing to write back. */
static void discards_of_nothing(void)
{
	struct load load = load_begin(SPEC ",blocks=128,channels=1,dies=1,over_provisioning=20,"
				      "map_cache=1280");
	struct ssdf_request rq = { .op = SSDC_DISCARD };
	u32 round, lpn;
	u64 writes = 0;

	rq.nr_sectors = 1280 * load.f->page_sectors;
	for (round = 0; round < 2; round++) {
		ssdf_submit(load.f, &rq, load.now_ns);
		load_rest(&load);
		/* Cached; the first round writes back what the first discard has changed. */
		for (lpn = 0; lpn < 1280; lpn++)
			load_page(&load, SSDC_READ, lpn);
		writes = load.f->stats.map_writes;
		ssdf_submit(load.f, &rq, load.now_ns);
		load_rest(&load);
		for (lpn = 3000; lpn < 3000 + 2 * 1280; lpn++)
			load_page(&load, SSDC_READ, lpn);
	}
	result(load.f->stats.map_writes == writes,
	       "discards of discarded pages: %llu translation pages written",
	       load.f->stats.map_writes - writes);
	result(load_end(&load), "invariants");
}

int main(int argc, char **argv)
{
	struct harness options = { .seed = 1 };

	harness_options(&options, "s", argc, argv);
	ssdc_random_seed(&harness_random, options.seed);
	gc_beside_reads();
	changes_are_dirty("");
	changes_are_dirty(",copyback=on");
	changes_are_dirty(",allocation=static");
	reads_beside_stalled_writes();
	reads_behind_writes();
	bounded_calls();
	discards_of_nothing();
	return finish();
}
