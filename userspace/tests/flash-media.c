// SPDX-License-Identifier: GPL-2.0
/*
 * The flash model on a medium that keeps the data (flash/media.h). In whatever order the
 * medium works, each read finds the last write, blocks are written from their first page
 * to their last, and no valid page is erased.
 *
 *	flash-media [-s SEED] [-r ROUNDS]	TAP lines
 *
 * The medium stores a number per page: each host write has a new one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>
#include "flash-spec.h"
#include "harness.h"

#define REQUESTS 64
#define PAGE_SECTORS 8

struct request {
	struct ssdf_request rq;
	u64 number;			/* of a write: stored in its pages */
	bool in_flight;
};

enum job { NONE, READ, WRITE, ERASE };

struct medium {
	struct ssdf_device *f;
	struct request *requests;
	u64 *pages;			/* by physical page; 0: erased */
	u64 *held;			/* by slot: data that GC has read */
	ssdf_ppn_t *where;		/* by slot: block to erase */
	enum job *jobs;			/* by slot */
	u32 *written;			/* by block */
	u64 *issued;			/* by logical page */
	u64 *acknowledged;
	struct ssdf_request *flushes[REQUESTS];
	unsigned int nr_flushes;
	bool failing;			/* drops jobs of GC and fails jobs of the host */
	const char *wrong;
};

static void wrong(struct medium *m, const char *what)
{
	if (!m->wrong)
		m->wrong = what;
}

static void begin(struct medium *m, u32 slot, enum job job)
{
	if (m->jobs[slot] != NONE)
		wrong(m, "a slot has two jobs");
	m->jobs[slot] = job;
}

static u64 at(const struct medium *m, ssdf_ppn_t ppn)
{
	return ssdf_is_mapped(ppn) ? m->pages[ssdf_ppn_nr(ppn)] : 0;
}

static void medium_read(void *media, u32 slot, struct ssdf_request *rq, ssdf_lpn_t lpn,
			ssdf_ppn_t ppn)
{
	struct medium *m = media;

	begin(m, slot, READ);
	if (!rq)
		m->held[slot] = at(m, ppn);
	else if (at(m, ppn) < m->acknowledged[ssdf_lpn_nr(lpn)])
		wrong(m, "a read finds older data than acknowledged");
	else if (at(m, ppn) > m->issued[ssdf_lpn_nr(lpn)])
		wrong(m, "a read finds data that were never written there");
}

static void medium_write(void *media, u32 slot, struct ssdf_request *rq, ssdf_lpn_t lpn,
			 ssdf_ppn_t ppn, ssdf_ppn_t old)
{
	struct medium *m = media;
	u32 block = ssdf_block_of(m->f, ppn);

	(void)lpn;
	begin(m, slot, WRITE);
	if (ssdf_page_in_block(m->f, ppn) != m->written[block]++)
		wrong(m, "a block is not written in order");
	if (m->f->held && rq)
		wrong(m, "the host writes to a medium that holds writes back");
	if (!rq && old != SSDF_UNMAPPED)
		m->held[slot] = at(m, old);
	m->pages[ssdf_ppn_nr(ppn)] = rq ? container_of(rq, struct request, rq)->number :
					  m->held[slot];
}

static void medium_erase(void *media, u32 slot, ssdf_ppn_t ppn)
{
	struct medium *m = media;

	begin(m, slot, ERASE);
	m->where[slot] = ppn;
}

static void medium_trimmed(void *media, ssdf_lpn_t lpn)
{
	(void)media;
	(void)lpn;
}

static void medium_flush(void *media, struct ssdf_request *rq)
{
	struct medium *m = media;

	m->flushes[m->nr_flushes++] = rq;
}

static void medium_stuck(void *media, u32 plane)
{
	(void)plane;
	wrong(media, "garbage collection is stuck");
}

static const struct ssdf_media_ops ops = {
	.read = medium_read,
	.write = medium_write,
	.erase = medium_erase,
	.trimmed = medium_trimmed,
	.flush = medium_flush,
	.stuck = medium_stuck,
};

static void erase(struct medium *m, u32 slot)
{
	u32 first = ssdf_ppn_nr(m->where[slot]), i;

	for (i = first; i < first + m->f->params.pages; i++) {
		if (m->f->reverse[i] != SSDF_NO_LPN)
			wrong(m, "a valid page is erased");
		m->pages[i] = 0;
	}
	m->written[first / m->f->params.pages] = 0;
}

static void do_job(struct medium *m, u32 slot, u64 now_ns)
{
	enum job job = m->jobs[slot];

	if (job == NONE || (m->failing && slot >= m->f->nr_commands))
		return;
	if (job == ERASE)
		erase(m, slot);
	m->jobs[slot] = NONE;
	ssdf_media_done(m->f, slot, !m->failing || job == READ, now_ns);
}

/* Do a random share of the medium's jobs, in random order. */
static void work(struct medium *m, u64 now_ns, u32 share)
{
	u32 i, nr = ssdf_nr_slots(m->f), start = below(nr);

	for (i = 0; i < nr; i++)
		if (below(100) < share)
			do_job(m, (start + i) % nr, now_ns);
	while (m->nr_flushes && below(100) < share)
		ssdf_media_flushed(m->f, m->flushes[--m->nr_flushes], !m->failing, now_ns);
	if (!below(20) || share == 100)
		ssdf_media_hold(m->f, share < 100 && below(2), now_ns);
}

static u32 first_page(const struct ssdf_request *rq)
{
	return rq->sector / PAGE_SECTORS;
}

static u32 end_page(const struct ssdf_request *rq)
{
	return first_page(rq) + rq->nr_sectors / PAGE_SECTORS;
}

static bool overlaps(const struct medium *m, const struct ssdf_request *rq)
{
	u32 i;

	for (i = 0; i < REQUESTS; i++)
		if (m->requests[i].in_flight && first_page(&m->requests[i].rq) < end_page(rq) &&
		    first_page(rq) < end_page(&m->requests[i].rq))
			return true;
	return false;
}

static void take_done(struct medium *m, u64 *ended)
{
	struct ssdf_request *rq;
	u32 lpn;

	while ((rq = ssdf_next_done(m->f))) {
		struct request *request = container_of(rq, struct request, rq);

		request->in_flight = false;
		++*ended;
		if (rq->failed != (m->f->failed && rq->op != SSDC_READ) && !m->failing)
			wrong(m, "a request fails unexpectedly, or succeeds unexpectedly");
		for (lpn = first_page(rq); rq->op == SSDC_WRITE && lpn < end_page(rq); lpn++)
			if (!rq->failed)
				m->acknowledged[lpn] = request->number;
	}
}

static void submit(struct medium *m, struct request *request, u64 now_ns)
{
	static u64 number;
	struct ssdf_request *rq = &request->rq;
	u32 lpn;

	rq->op = below(10) < 6 ? SSDC_WRITE : below(10) < 7 ? SSDC_READ : below(4) ? SSDC_DISCARD : SSDC_FLUSH;
	rq->nr_sectors = rq->op == SSDC_FLUSH ? 0 :
			 PAGE_SECTORS * (1 + below(min(m->f->nr_lpns - 1, below(8) ? 8u : 200u)));
	rq->sector = PAGE_SECTORS * (u64)below(m->f->nr_lpns + 1 - rq->nr_sectors / PAGE_SECTORS);
	rq->durable = rq->op == SSDC_FLUSH || !below(10);
	if (overlaps(m, rq))
		return;
	request->number = ++number;
	for (lpn = first_page(rq); lpn < end_page(rq); lpn++) {
		if (rq->op == SSDC_WRITE)
			m->issued[lpn] = number;
		else if (rq->op == SSDC_DISCARD)
			m->acknowledged[lpn] = 0;
	}
	request->in_flight = true;
	ssdf_submit(m->f, rq, now_ns);
}

static bool at_rest(const struct medium *m)
{
	u32 i;

	for (i = 0; i < ssdf_nr_slots(m->f); i++)
		if (m->jobs[i] != NONE && !(m->failing && i >= m->f->nr_commands))
			return false;
	return !m->nr_flushes && !m->f->held;
}

/* Finish all jobs and requests. */
static void rest(struct medium *m, u64 *now_ns, u64 *ended)
{
	u64 next_ns;

	do {
		while ((next_ns = ssdf_next_ns(m->f)) != SSDF_NEVER) {
			*now_ns = max(*now_ns, next_ns);
			ssdf_advance(m->f, *now_ns);
		}
		work(m, *now_ns, 100);
		take_done(m, ended);
	} while (!at_rest(m) || ssdf_next_ns(m->f) != SSDF_NEVER);
}

static u32 written_pages(void *media, ssdf_block_t block)
{
	return ((struct medium *)media)->written[ssdf_block_nr(block)];
}

static const char *const geometries[] = {
	"channels=4,chips=1,dies=1,planes=1,allocation=static",
	"channels=2,chips=1,dies=2,planes=2",
	"channels=1,chips=1,dies=1,planes=1,cache_program=on",
	"channels=1,chips=1,dies=2,planes=2,cache_read=on,suspend=both,suspend_ns=5000",
	"channels=2,chips=1,dies=1,planes=2,copyback=on",
	"channels=1,chips=2,dies=1,planes=2,command_wait=on,channel_first=writes,"
		"partial_transfer=on",
};

static const char *const victim_rules[] = { "greedy", "cost-benefit", "d-choices", "fifo" };

static int restore(struct ssdf_device *f)
{
	u64 at = 0;
	int r;

	do {
		r = ssdf_restore(f, written_pages, &at);
	} while (r > 0);
	return r;
}

/* Create a new device from the medium and the map of the old one. */
static void power_cycle(struct medium *m, const char *spec)
{
	struct ssdf_device *old = m->f;
	u32 lpn;

	m->f = flash_from_spec(spec);
	ssdf_media_set(m->f, &ops, m);
	for (lpn = 0; lpn < old->nr_lpns; lpn++)
		if (!ssdf_map_set(m->f, ssdf_lpn(lpn), ssdf_map_get(old, ssdf_lpn(lpn))))
			wrong(m, "a mapping cannot be set again");
	if (restore(m->f))
		wrong(m, "a restore is refused");
	ssdf_destroy(old);
	ssdf_start_gc(m->f, 0);
}

/* Create a device on an empty medium. */
static void begin_medium(struct medium *m, const char *spec)
{
	u32 nr;

	m->f = flash_from_spec(spec);
	nr = ssdf_nr_slots(m->f);
	m->pages = calloc(m->f->nr_pages, sizeof(*m->pages));
	m->written = calloc(m->f->nr_blocks, sizeof(*m->written));
	m->issued = calloc(m->f->nr_lpns, sizeof(*m->issued));
	m->acknowledged = calloc(m->f->nr_lpns, sizeof(*m->acknowledged));
	m->held = calloc(nr, sizeof(*m->held));
	m->where = calloc(nr, sizeof(*m->where));
	m->jobs = calloc(nr, sizeof(*m->jobs));
	ssdf_media_set(m->f, &ops, m);
}

static void end_medium(struct medium *m)
{
	ssdf_destroy(m->f);
	free(m->pages);
	free(m->written);
	free(m->issued);
	free(m->acknowledged);
	free(m->held);
	free(m->where);
	free(m->jobs);
}

static const char *one_round(u64 *requests, u64 *erases)
{
	struct request list[REQUESTS] = {};
	struct medium m = { .requests = list };
	char spec[512];
	u64 now_ns = 0, ended = 0;
	u32 burst, i;

	snprintf(spec, sizeof(spec), "custom:blocks=%llu,pages=%llu,page_bytes=4096,over_provisioning=%llu,%s,gc_victim=%s",
		 60 + below(40), 2 + below(30), 12 + below(20), geometries[below(ARRAY_SIZE(geometries))],
		 victim_rules[below(ARRAY_SIZE(victim_rules))]);
	begin_medium(&m, spec);
	if (restore(m.f))
		wrong(&m, "an empty medium is refused");
	for (burst = 0; burst < 80 && !m.wrong; burst++) {
		for (i = 0; i < REQUESTS; i++) {
			if (!list[i].in_flight)
				submit(&m, &list[i], now_ns);
			now_ns += below(2) ? below(3000000) : 0;
			while (ssdf_advance(m.f, now_ns))
				;
			work(&m, now_ns, below(50));
			take_done(&m, &ended);
		}
		if (burst == 70) {
			m.failing = true;
			ssdf_media_fail(m.f, now_ns);
		}
		if (burst >= 70 || below(2))
			continue;
		rest(&m, &now_ns, &ended);
		if (ssdf_check(m.f))
			wrong(&m, "the device is inconsistent");
		*erases += m.f->stats.erases;
		if (!below(4))
			power_cycle(&m, spec);
		now_ns = 0;
		if (m.f->inflight)
			wrong(&m, "requests do not end");
	}
	rest(&m, &now_ns, &ended);
	if (m.f->inflight)
		wrong(&m, "requests do not end after a failure");
	*requests += ended;
	if (m.wrong)
		diag("%s", spec);
	end_medium(&m);
	return m.wrong;
}

/* Pages of each block that the last commit names, before a restore; @written: of block 0 and 1. */
static void fill_plane(struct medium *m, u32 written)
{
	u32 pages = m->f->params.pages, block, page, lpn = 0;

	for (block = 0; block < m->f->nr_blocks; block++) {
		m->written[block] = block < 2 ? written : pages;
		/* Block 0 has none: a crash came before they were committed. */
		for (page = 1; block && page < m->written[block]; page++)
			ssdf_map_set(m->f, ssdf_lpn(lpn++), ssdf_ppn(block * pages + page));
	}
}

/*
 * After crashes a plane may have no free block, and two that are partly written. If one of these has
 * no valid page, GC must erase that one, as it cannot empty any other block.
 */
static void check_no_free_block(u32 written)
{
	struct request list[REQUESTS] = {};
	struct medium m = { .requests = list };
	u64 now_ns = 0, ended = 0;

	begin_medium(&m, "custom:channels=1,chips=1,dies=1,planes=1,blocks=60,pages=8,page_bytes=4096,over_provisioning=9");
	fill_plane(&m, written);
	if (restore(m.f))
		wrong(&m, "a restore is refused");
	if (m.f->planes[0].nr_free)
		wrong(&m, "a block is free");
	ssdf_start_gc(m.f, 0);
	rest(&m, &now_ns, &ended);
	if (!m.f->planes[0].room)
		wrong(&m, "the host gets no page");
	if (ssdf_check(m.f))
		wrong(&m, "the device is inconsistent");
	result(!m.wrong, "no free block, and %u pages of one without valid pages: %u erases%s%s", written,
	       (u32)m.f->stats.erases, m.wrong ? ": " : "", m.wrong ? m.wrong : "");
	end_medium(&m);
}

int main(int argc, char **argv)
{
	struct harness options = { .seed = 1, .rounds = 40 };
	u64 requests = 0, erases = 0, i;
	const char *what = NULL;

	harness_options(&options, "sr", argc, argv);
	for (i = 0; i < options.rounds && !what; i++) {
		ssdc_random_seed(&harness_random, options.seed + i);
		what = one_round(&requests, &erases);
		if (what) {
			diag("%s", what);
			repeat_with("-r 1 -s %llu", options.seed + i);
		}
	}
	result(!what, "flash on a medium: %llu requests in %llu rounds from seed %llu", requests, i,
	       options.seed);
	result(what || erases > requests / 100, "flash on a medium: %llu blocks erased", erases);
	check_no_free_block(1);
	check_no_free_block(7);
	return finish();
}
