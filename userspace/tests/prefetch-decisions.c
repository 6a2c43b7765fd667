// SPDX-License-Identifier: GPL-2.0
/*
 * Compares the prefetchers with literal, slow models (prefetch-model.c), request by request:
 * which pages each wants, and how many pages its partition may hold. Workloads are random with
 * repeated patterns, plus traces.
 *
 *	prefetch-decisions [-p NAME] [-s SEED] [-r ROUNDS] [-l LIMIT] [TRACE]...
 *
 * The prefetcher runs in the simulator behind a wrapper type that passes the same events to the
 * model. Requests are closed-loop, so the background steps that a request causes are finished
 * before the next one.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../ssdcache-sim/driver.h"
#include "prefetch-model.h"
#include "harness.h"

#define DEFAULT_ROUNDS	30
#define DEFAULT_LIMIT	20000
#define RANDOM_REQUESTS	2500
#define PAGE_SECTORS	8u

static struct ssdc_prefetch_type spy;
static const struct ssdc_prefetch_type *real;
static struct ssdc_engine *engine;
static struct model model;
static char context[512];
static u64 request, seed;
static u64 compared, wanted, loaded, shares;

static void __attribute__((__format__(__printf__, 1, 2), __noreturn__))
differ(const char *format, ...)
{
	va_list args;

	printf("# %s\n# request %llu: ", context, request);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	give_up("prefetchers");
}

/* ---- the type between the engine and the prefetcher ---- */

/* A tunable of the prefetcher or of the engine. */
static u32 tunable(const char *name)
{
	const struct ssdc_prefetch *p = engine->prefetch;
	const struct ssdc_plugin_info *info = &p->plugin.type->info;
	const struct ssdc_tunable *found = ssdc_tunable_find(info->tunables, info->nr_tunables,
							     name, strlen(name));

	if (found)
		return *ssdc_tunable_at(found, (void *)p);
	found = ssdc_tunable_find(ssdc_core_tunable_table, ssdc_nr_core_tunables, name,
				  strlen(name));
	if (!found)
		die(TOOL_FAILED, "no tunable %s", name);
	return *ssdc_tunable_at(found, &engine->tunables);
}

static int by_number(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/* Wants are compared in any order. Those dropped for lack of room can no longer be compared. */
static void compare_wants(const struct ssdc_prefetch *p, u64 before)
{
	u64 nr = p->wanted - before, seen[SSDC_MAX_WANTS];
	u32 kept = min_t(u64, nr, SSDC_MAX_WANTS), i;

	if (nr != model.nr_wants)
		differ("%llu pages are wanted, in the model %u", nr, model.nr_wants);
	wanted += nr;
	if (nr > kept)
		return;
	for (i = 0; i < kept; i++)
		seen[i] = p->wants[(p->first_want + p->nr_wants - kept + i) % SSDC_MAX_WANTS];
	qsort(seen, kept, sizeof(u64), by_number);
	qsort(model.wants, kept, sizeof(u64), by_number);
	for (i = 0; i < kept; i++)
		if (seen[i] != model.wants[i])
			differ("page %llu is wanted, in the model %llu", seen[i], model.wants[i]);
}

static void compare_share(const struct ssdc_prefetch *p)
{
	if (p->pages_max != model.pages_max)
		differ("%u pages may be held, in the model %u", p->pages_max, model.pages_max);
}

static u64 stat(const char *name)
{
	const struct ssdc_plugin_info *info = &engine->prefetch->plugin.type->info;
	unsigned int i;

	for (i = 0; i < info->nr_stats; i++)
		if (!strcmp(info->stats[i].name, name))
			return ssdc_stat_read(&info->stats[i], engine->prefetch);
	return 0;
}

/* Models have unlimited memory, so nothing is compared once the prefetcher reached a limit. */
static bool is_bounded(void)
{
	return stat("forgotten") || (!strcmp(model.type->name, "c-miner") && stat("left_out"));
}

/* The entry of a page, by a full scan of all, as a model would find it. */
static const struct ssdc_entry *entry_of(u64 page)
{
	u32 i;

	for (i = 0; i < engine->tier.nr_frames; i++)
		if ((engine->entries[i].flags & SSDC_E_MAPPED) &&
		    ssdc_page_nr(engine->entries[i].page) == page)
			return &engine->entries[i];
	return NULL;
}

/* In closed runs no victim is left when a request arrives. */
static bool all_cached(u64 first, u64 last)
{
	for (; first <= last; first++)
		if (!entry_of(first))
			return false;
	return true;
}

/* What was so before the request. */
static struct {
	u64 wanted;
	u32 share;
	bool served;
} before;

/* The prefetcher has observed all pages of the request. */
static void compare_request(struct ssdc_prefetch *p, const struct ssdc_host_request *rq)
{
	u32 shift = engine->tier.page_shift;

	if (is_bounded())
		return;
	model.nr_wants = 0;
	model.served = before.served;
	model.type->request(&model, rq->op == SSDC_WRITE, rq->sector >> shift,
			    (rq->sector + rq->nr_sectors - 1) >> shift);
	compare_wants(p, before.wanted);
	compare_share(p);
	shares += p->pages_max != before.share;
	compared++;
}

static void seen_request(struct ssdc_prefetch *p, const struct ssdc_host_request *rq)
{
	u32 shift = engine->tier.page_shift;

	before.wanted = p->wanted;
	before.share = p->pages_max;
	before.served = all_cached(rq->sector >> shift, (rq->sector + rq->nr_sectors - 1) >> shift);
	request++;
	if (real->observe)
		real->observe(p, rq);
	if (!real->observe_pages)
		compare_request(p, rq);
}

static void seen_pages(struct ssdc_prefetch *p, const struct ssdc_host_request *rq, u32 first, u32 nr,
		       bool last)
{
	real->observe_pages(p, rq, first, nr, last);
	if (last)
		compare_request(p, rq);
}

static bool is_dirty(u64 page)
{
	const struct ssdc_entry *entry = entry_of(page);

	return entry && (entry->flags & SSDC_E_DIRTY);
}

static u32 count_dirty(void)
{
	u32 i, nr = 0;

	for (i = 0; i < engine->tier.nr_frames; i++)
		nr += !!(engine->entries[i].flags & SSDC_E_DIRTY);
	return nr;
}

static bool seen_step(struct ssdc_plugin *plugin)
{
	struct ssdc_prefetch *p = (struct ssdc_prefetch *)plugin;
	u32 share = p->pages_max;
	bool more = real->plugin.step(plugin);

	if (more)
		return true;
	model.type->steps_done(&model, is_dirty, count_dirty());
	compare_share(p);
	shares += p->pages_max != share;
	return false;
}

static void seen_loaded(struct ssdc_prefetch *p, ssdc_page_t page)
{
	if (real->loaded)
		real->loaded(p, page);
	if (model.type->loaded)
		model.type->loaded(&model);
	loaded++;
	compare_share(p);
}

static void seen_hit(struct ssdc_prefetch *p, ssdc_page_t page, bool first, bool late)
{
	if (real->hit)
		real->hit(p, page, first, late);
	if (first && model.type->used)
		model.type->used(&model);
}

static void seen_left(struct ssdc_prefetch *p, ssdc_page_t page, bool used,
		      enum ssdc_prefetch_end end)
{
	if (real->left)
		real->left(p, page, used, end);
	if (end == SSDC_GAVE_WAY && model.type->gave_way)
		model.type->gave_way(&model);
	compare_share(p);
}

static void stand_between(const struct model_type *type)
{
	struct ssdc_prefetch *p = engine->prefetch;

	real = ssdc_prefetch_ops(p);
	spy = *real;
	spy.observe = seen_request;
	if (real->observe_pages)
		spy.observe_pages = seen_pages;
	if (real->plugin.step)
		spy.plugin.step = seen_step;
	spy.loaded = seen_loaded;
	spy.hit = seen_hit;
	spy.left = seen_left;
	p->plugin.type = &spy.plugin;
	memset(&model, 0, sizeof(model));
	model.type = type;
	model.tunable = tunable;
	model.frames = engine->tier.capacity;
	type->init(&model);
	request = 0;
	compare_share(p);
}

/* @beta_us: 0: the default */
static void run(const struct model_type *type, const char *spec, const char *admission, u32 frames,
		u32 beta_us, const struct sim_workload *workload)
{
	struct sim_options options = { .closed = true, .read_ns = 75000, .write_ns = 200000 };
	struct ssdc_params params = {
		.dram_bytes = (u64)frames * PAGE_SECTORS * 512, .page_bytes = PAGE_SECTORS * 512,
		.origin_sectors = workload->sectors,
		.replacement = "lru", .admission = admission, .prefetch = spec,
	};
	struct ssdc_error error = {};

	ssdc_tunables_default(ssdc_core_tunable_table, ssdc_nr_core_tunables, &params.tunables);
	if (beta_us)
		params.tunables.beta_us = beta_us;
	engine = ssdc_engine_create(&params, &error);
	if (!engine)
		die(TOOL_FAILED, "%s: %s", spec, error.text);
	stand_between(type);
	sim_drive(engine, NULL, &options, workload);
	type->destroy(&model);
	engine->prefetch->plugin.type = &real->plugin;
	if (ssdc_engine_check(engine, &error))
		differ("ssdc_engine_check(): %s", error.text);
	ssdc_engine_destroy(engine);
}

/* ---- workloads ---- */

/* Loops over a few lists of pages, mixed with reads and writes of other pages. */
static struct sim_workload random_workload(void)
{
	struct sim_workload workload = { .nr = RANDOM_REQUESTS };
	u64 pages = PICK(((u64 []){ 60, 500, 5000 })), lists = 1 + below(12);
	u64 length = 2 + below(14), base = below(pages), list = 0, at = 0;
	unsigned int writes = PICK(((unsigned int []){ 0, 5, 30, 80 }));
	unsigned int others = PICK(((unsigned int []){ 0, 10, 60 })), longest = 1 + below(12);
	size_t i;

	workload.sectors = (pages + 300) * PAGE_SECTORS;
	workload.records = xcalloc(workload.nr, sizeof(*workload.records));
	for (i = 0; i < workload.nr; i++) {
		struct sim_record *record = &workload.records[i];
		u64 page;

		if (at == length) {
			at = 0;
			list = below(lists);
			if (!below(100))
				base = below(pages);
		}
		record->time_ns = i * 1000000;
		record->op = below(100) < writes ? SSDC_WRITE : SSDC_READ;
		if (record->op == SSDC_WRITE || below(100) < others)
			page = below(below(2) ? pages : pages / 20 + 1);
		else
			page = (base + list * 37 + at++ * 11) % pages;
		record->sector = page * PAGE_SECTORS + (below(8) ? 0 : below(PAGE_SECTORS));
		record->nr_sectors = below(3) ? PAGE_SECTORS : 1 + below(longest * PAGE_SECTORS);
		if (!below(200))
			record->nr_sectors = 40 * PAGE_SECTORS;
		if (!below(300))
			record->op = SSDC_DISCARD;
	}
	return workload;
}

/* Numeric tunables get values near their defaults. */
static void random_spec(const char *name, char *spec, size_t size)
{
	static const u32 windows[] = { 64, 200, 1024 }, works[] = { 1, 20, 100 };
	size_t at = snprintf(spec, size, "%s", name);

	if (!strcmp(name, "rop")) {
		snprintf(spec + at, size - at, ":threshold=%llu,depth=%llu,share=%llu",
			 20 + below(60), 1 + below(8), 1 + below(30));
	} else if (!strcmp(name, "c-miner")) {
		snprintf(spec + at, size - at,
			 ":window=%u,segment=%llu,gap=%llu,min_support=%llu,confidence=%llu",
			 PICK(windows) / 4 + 48, 5 + below(60), 1 + below(5), 1 + below(3),
			 30 + below(60));
	} else {
		at += snprintf(spec + at, size - at,
			       ":max_work=%u,window=%u,mined=%llu,mine=%s,transaction=%llu,min_support=%llu,max_elements=%llu,threshold=%llu,strict=%s,hits=%s,cap=%llu",
			       PICK(works), PICK(windows), 30 + below(1000),
			       below(3) ? "this" : "prev", 4 + below(16), 2 + below(3),
			       2 + below(9), 20 + below(80), below(2) ? "on" : "off",
			       below(2) ? "mark" : "fire", 4 + below(40));
		if (!strcmp(name, "pattern-plus"))
			snprintf(spec + at, size - at,
				 ",tau_max=%llu,unwritten=%s,literal=%s", 10 + below(200),
				 below(2) ? "0" : "half", below(2) ? "on" : "off");
	}
}

static void random_rounds(const struct model_type *type, u64 first, u64 rounds)
{
	char spec[SSDC_SPEC_LEN];
	u64 round;

	for (round = 0; round < rounds; round++) {
		const char *admission;
		struct sim_workload workload = {};
		u32 frames, beta_us;

		seed = first + round;
		ssdc_random_seed(&harness_random, seed);
		random_spec(type->name, spec, sizeof(spec));
		admission = below(3) ? "write-buffer" : "read-write";
		frames = PICK(((u32 []){ 16, 64, 300, 2000 }));
		beta_us = PICK(((u32 []){ 20, 200, 1999 }));
		workload = random_workload();
		snprintf(context, sizeof(context),
			 "%s %s, %u frames, beta_us %u; repeat with: prefetch-decisions -p %s -r 1 -s %llu",
			 spec, admission, frames, beta_us, type->name, seed);
		run(type, spec, admission, frames, beta_us, &workload);
		sim_workload_free(&workload);
	}
}

static void all_traces(const struct model_type *type, char **names, int nr, u64 limit)
{
	char spec[SSDC_SPEC_LEN];
	int i;

	/* The slow models of the other two cannot handle so many pages. */
	if (strncmp(type->name, "pattern", 7))
		return;
	snprintf(spec, sizeof(spec), "%s:window=512", type->name);
	for (i = 0; i < nr; i++) {
		struct sim_workload workload = {};

		sim_workload_load(&workload, &names[i], 1, limit, 1);
		snprintf(context, sizeof(context), "%s, %s", names[i], spec);
		run(type, spec, "write-buffer", 1024, 0, &workload);
		sim_workload_free(&workload);
	}
}

static void one_type(const struct model_type *type, u64 first, u64 rounds, char **names, int nr,
		     u64 limit)
{
	bool good;

	compared = 0;
	wanted = 0;
	loaded = 0;
	shares = 0;
	random_rounds(type, first, rounds);
	all_traces(type, names, nr, limit);
	/* The comparison is worthless if nothing was wanted. */
	good = wanted && loaded;
	result(good, "%s: %llu requests, %llu pages wanted, %llu loaded, %llu changes of the partition",
	       type->name, compared, wanted, loaded, shares);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct harness options = { .seed = 1, .rounds = DEFAULT_ROUNDS, .limit = DEFAULT_LIMIT };
	unsigned int i;

	harness_options(&options, "psrl", argc, argv);
	for (i = 0; i < model_nr_types; i++)
		if (!options.only || !strcmp(options.only, model_types[i].name))
			one_type(&model_types[i], options.seed, options.rounds, options.files,
				 options.nr_files, options.limit);
	return finish();
}
