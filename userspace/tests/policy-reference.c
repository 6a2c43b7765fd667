// SPDX-License-Identifier: GPL-2.0
/*
 * Compares the replacement policies with their references (see reference/reference.h), decision
 * by decision, on random requests and on traces. Requests go through the engine and the
 * simulator's driver: of many pages and of parts of a page, with FLUSH and DISCARD, overlapping
 * or closed-loop. In the latter case, the engine must decide as the papers' page loop does.
 *
 *	policy-reference [-p POLICY] [-s SEED] [-r ROUNDS] [-n REQUESTS] [-l LIMIT] [TRACE]...
 *
 * ROUNDS random workloads of REQUESTS each per policy, with random tunables; then the first
 * LIMIT requests of each trace, for each policy with its defaults.
 */
#include <string.h>
#include <stdlib.h>
#include <unistd.h>
#include "../ssdcache-sim/driver.h"
#include "../../dm-ssdcache/engine/internal.h"
#include "reference/reference.h"
#include "harness.h"

#define DEFAULT_ROUNDS	40
#define DEFAULT_NR	3000
#define DEFAULT_LIMIT	5000
#define PAGE_SECTORS	8u
#define PAGE_BYTES	4096u

static char context[512];	/* the current run, for a failure */

void ref_differs(const char *text)
{
	diag("%s", context);
	diag("%s", text);
	give_up("decisions");
}

/* ---- random workloads ---- */

/* The mix of requests in a round. */
struct mix {
	u64 pages;			/* of the origin */
	u64 hot;			/* frequently used pages */
	unsigned int write_percent;
	unsigned int other_percent;	/* FLUSH and DISCARD */
	unsigned int large_percent;	/* requests of many pages */
	unsigned int partial_percent;	/* requests of parts of a page */
	u64 longest;			/* longest large request, pages */
	u64 gap_ns;
	u64 run;			/* position of the sequential stream */
};

static struct mix random_mix(u32 frames)
{
	struct mix mix = {
		.pages = PICK(((u64 []){ frames / 2, 2 * frames, 6 * frames, 40 * frames })),
		.write_percent = PICK(((unsigned int []){ 30, 70, 100 })),
		.other_percent = PICK(((unsigned int []){ 0, 0, 1, 5 })),
		.large_percent = PICK(((unsigned int []){ 0, 10, 30, 60 })),
		.partial_percent = PICK(((unsigned int []){ 0, 20 })),
		.longest = PICK(((u64 []){ 3, 8, 24, 300 })),
		.gap_ns = PICK(((u64 []){ 2000, 50000, 400000 })),
	};

	mix.hot = between(1, mix.pages);
	return mix;
}

static u64 random_page(struct mix *mix)
{
	switch (below(4)) {
	case 0:
		return mix->run++ % mix->pages;
	case 1:
		return below(mix->pages);
	default:
		return below(between(1, mix->hot));
	}
}

static struct sim_record random_record(struct mix *mix, u64 time_ns)
{
	struct sim_record record = { .time_ns = time_ns };
	u64 page = random_page(mix), nr = 1;

	record.op = percent(mix->write_percent) ? SSDC_WRITE : SSDC_READ;
	if (percent(mix->other_percent))
		record.op = percent(70) ? SSDC_FLUSH : SSDC_DISCARD;
	if (record.op == SSDC_FLUSH)
		return record;
	if (percent(mix->large_percent))
		nr = between(2, mix->longest);
	nr = min(nr, mix->pages - page);
	record.sector = page * PAGE_SECTORS;
	record.nr_sectors = nr * PAGE_SECTORS;
	if (percent(mix->partial_percent)) {
		record.sector += below(PAGE_SECTORS);
		record.nr_sectors -= record.sector - page * PAGE_SECTORS;
	}
	if (nr > 1 && percent(50))
		mix->run = page + nr;
	return record;
}

static struct sim_workload random_workload(struct mix *mix, size_t nr)
{
	struct sim_workload workload = { .nr = nr, .sectors = mix->pages * PAGE_SECTORS };
	u64 now_ns = 0;
	size_t i;

	workload.records = xcalloc(nr, sizeof(*workload.records));
	for (i = 0; i < nr; i++) {
		now_ns += percent(5) ? 20 * mix->gap_ns : below(2 * mix->gap_ns);
		workload.records[i] = random_record(mix, now_ns);
	}
	return workload;
}

/* Random values for some tunables of the policy, most of them near the minimum. */
static void random_spec(const char *policy, char *spec, size_t size)
{
	const struct ssdc_plugin_type *type = ssdc_type_find(SSDC_REPLACEMENT, policy,
							     strlen(policy));
	char separator = ':';
	unsigned int i;
	size_t at;

	at = snprintf(spec, size, "%s", policy);
	for (i = 0; i < type->info.nr_tunables; i++) {
		const struct ssdc_tunable *tunable = &type->info.tunables[i];
		u32 value = 0, last = tunable->max;
		char text[32];

		if (percent(40))
			continue;
		if (tunable->words)
			for (last = 0; tunable->words[last + 1]; last++)
				;
		else if (percent(80))
			last = min(last, tunable->min + PICK(((u32 []){ 4, 20, 100 })));
		value = between(tunable->words ? 0 : tunable->min, last);
		ssdc_tunable_print(tunable, value, text, sizeof(text));
		at += snprintf(spec + at, at < size ? size - at : 0, "%c%s=%s", separator,
			       tunable->name, text);
		separator = ',';
	}
}

/* ---- runs ---- */

struct run {
	const char *spec;
	const char *admission;
	u32 frames;
	bool closed;
	bool made_up;		/* a device reports */
};

/* ---- a device that makes up its reports: the policy and its reference are given the same ---- */

static bool made_up_view(void *device, struct ssdc_view *view)
{
	(void)device;
	view->source = SSDC_VIEW_EXACT;
	view->channels = between(1, 8);
	view->dies = between(1, 4);
	view->units = view->channels * view->dies;
	view->idle_channels = below(view->channels + 1);
	view->idle_units = below(view->units + 1);
	view->queued = below(4 * view->units);
	view->utilisation = (view->units - view->idle_units) * 1000 / view->units;
	view->stripe_sectors = 0;
	view->collects = percent(50);
	return true;
}

/* Of single chips, the engine's estimates are compared. */
static bool made_up_units(void *device, struct ssdc_unit_query *queries, unsigned int nr)
{
	(void)device;
	(void)queries;
	(void)nr;
	return false;
}

static const struct ssdc_device_ops made_up_ops = {
	.view = made_up_view,
	.ask_units = made_up_units,
};

static struct ssdc_engine *create_engine(const struct run *run, u64 sectors)
{
	struct ssdc_params params = {
		.dram_bytes = (u64)run->frames * PAGE_BYTES,
		.page_bytes = PAGE_BYTES,
		.origin_sectors = sectors,
		.replacement = run->spec,
		.admission = run->admission,
		.prefetch = "none",
	};
	struct ssdc_error error = {};
	struct ssdc_engine *e;

	ssdc_tunables_default(ssdc_core_tunable_table, ssdc_nr_core_tunables, &params.tunables);
	e = ssdc_engine_create(&params, &error);
	if (!e)
		die(TOOL_FAILED, "%s: %s", run->spec, error.text);
	/* How often a long request drops the lock must not matter. */
	e->hold_work = percent(50) ? 1 : e->hold_work;
	return e;
}

/* Let the policy's pages move to another one: the order in which they leave is compared, too. */
static void change_policy(struct ssdc_engine *e)
{
	struct ssdc_error error = {};
	struct ssdc_plugin *next = ssdc_plugin_create(SSDC_REPLACEMENT, "fifo", &e->tier, &error);
	struct ssdc_replacement *old;

	if (!next || ssdc_switch_begin(e, (struct ssdc_replacement *)next))
		die(TOOL_FAILED, "change to fifo: %s", error.text);
	do {
		old = ssdc_switch_step(e);
	} while (!old);
	ssdc_plugin_destroy(&old->plugin);
}

static void compare(const struct run *run, const struct sim_workload *workload)
{
	struct sim_options options = {
		.closed = run->closed, .read_ns = 75000, .write_ns = 200000,
	};
	struct ssdc_engine *e = create_engine(run, workload->sectors);
	struct ssdc_error finding;

	if (run->made_up)
		ssdc_set_device(e, &made_up_ops, NULL);
	if (!ref_watch(e->replacement))
		die(TOOL_FAILED, "%s has no reference", run->spec);
	ssdc_plugins_changed(e);
	if (run->closed)
		ref_watch_loop(e->replacement, !strcmp(run->admission, "read-write"));
	sim_drive(e, NULL, &options, workload);
	if (ssdc_engine_check(e, &finding))
		ref_differs(finding.text);
	change_policy(e);
	ssdc_engine_destroy(e);
}

static void one_random(const struct ref_type *type, u64 seed, size_t nr)
{
	static const u32 few[] = { 16, 23, SSDC_STEP_FRAMES };
	struct sim_workload workload = {};
	struct run run = {};
	struct mix mix;
	char spec[SSDC_SPEC_LEN];

	ssdc_random_seed(&harness_random, seed);
	random_spec(type->name, spec, sizeof(spec));
	run.spec = spec;
	run.frames = type->calm ? PICK(few) : PICK(((u32 []){ 16, 23, 64, 300 }));
	run.admission = percent(50) ? "write-buffer" : "read-write";
	run.closed = type->calm || percent(50);
	run.made_up = percent(50);
	mix = random_mix(run.frames);
	snprintf(context, sizeof(context), "%s %s, %u frames, %s%s; repeat with: -p %s -r 1 -s %llu -n %zu",
		 spec, run.admission, run.frames, run.closed ? "closed" : "open",
		 run.made_up ? ", made-up views" : "", type->name, seed,
		 nr);
	workload = random_workload(&mix, nr);
	compare(&run, &workload);
	sim_workload_free(&workload);
}

static void random_rounds(const struct ref_type *type, u64 seed, u64 rounds, size_t nr)
{
	u64 before = ref_decisions(), round;

	/* In a quarter of the rounds, all pages fit. */
	for (round = 0; round < rounds || (before == ref_decisions() && round < 10 * rounds); round++)
		one_random(type, seed + round, nr);
	if (!rounds)
		return;
	if (ref_decisions() == before)
		ref_differs("no decisions were compared");
	result(true, "%s: %llu random workloads, %llu decisions", type->name,
	       round, ref_decisions() - before);
	fflush(stdout);
}

static u64 one_trace(const struct ref_type *type, char *name, u64 limit)
{
	const struct run runs[] = {
		{ type->name, "read-write", SSDC_STEP_FRAMES, true, false },
		{ type->name, "write-buffer", type->calm ? SSDC_STEP_FRAMES : 1024, type->calm, false },
	};
	struct sim_workload workload = {};
	unsigned int i;
	u64 nr;

	sim_workload_load(&workload, &name, 1, limit, 1);
	for (i = 0; i < ARRAY_SIZE(runs); i++) {
		snprintf(context, sizeof(context), "%s, %s, %u frames, %s", name, runs[i].admission,
			 runs[i].frames, runs[i].closed ? "closed" : "open");
		compare(&runs[i], &workload);
	}
	nr = workload.nr;
	sim_workload_free(&workload);
	return nr;
}

static void all_traces(const struct ref_type *type, char **names, int nr_names, u64 limit)
{
	u64 before = ref_decisions(), requests = 0;
	int i;

	for (i = 0; i < nr_names; i++)
		requests += one_trace(type, names[i], limit);
	if (!nr_names)
		return;
	result(true, "%s: %d traces, %llu requests, %llu decisions",
	       type->name, nr_names, requests, ref_decisions() - before);
	fflush(stdout);
}

/* Every policy must have a reference. */
static const struct ref_type *reference_of(const struct ssdc_plugin_type *type)
{
	const struct ref_type *ref = ref_type_find(type->info.name);

	if (!ref)
		die(TOOL_FAILED, "%s has no reference", type->info.name);
	return ref;
}

int main(int argc, char **argv)
{
	struct harness options = {
		.seed = 1, .rounds = DEFAULT_ROUNDS, .steps = DEFAULT_NR, .limit = DEFAULT_LIMIT,
	};
	const struct ssdc_plugin_type *type = NULL;

	harness_options(&options, "psrnl", argc, argv);
	while ((type = ssdc_type_next(SSDC_REPLACEMENT, type))) {
		if (options.only && strcmp(options.only, type->info.name))
			continue;
		random_rounds(reference_of(type), options.seed, options.rounds, options.steps);
		all_traces(reference_of(type), options.files, options.nr_files, options.limit);
	}
	return finish();
}
