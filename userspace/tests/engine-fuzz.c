// SPDX-License-Identifier: GPL-2.0
/*
 * Drives the engine directly with random requests, completions in random order, errors, power cuts,
 * reloads and live changes of everything. Models of the driver and of the origin use all freedom that
 * they have; a model of the host knows what it was promised. See engine-fuzz.h for the parts.
 *
 * Half of the instances of replacement policies are compared with their references, see
 * reference/reference.h.
 *
 *	engine-fuzz [-s SEED] [-r ROUNDS] [-n STEPS] [-p PLUGIN] [-v] [--rules NAME,...]
 *	engine-fuzz --self-test
 *
 * A round is one origin with its own seed: SEED, SEED + 1, ... A step is one event: a request
 * arrives, I/O ends, the worker runs, the power fails, ... A failure prints the last events and the
 * options that repeat it. Successive rounds start with successive combinations of plug-ins; the
 * default number of rounds covers all of them. With PLUGIN, each round starts with that replacement
 * policy, admission scheme or prefetcher, and most changes return to it; "each" does so for one
 * plug-in after the other. With SSDC_LONG=1 the default is 10^8 steps.
 *
 * At times the origin is a device that reports its state, truthfully or not. The admission scheme
 * "whim" and the prefetcher "wish" belong to this test, see fuzz-plugins.c.
 *
 * --self-test breaks one rule after the other on purpose and expects that the model finds it; --break
 * NAME does so for one.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../common/say.h"
#include "engine-fuzz.h"
#include "reference/reference.h"

#define TOTAL_STEPS	2000000ULL
#define LONG_STEPS	100000000ULL
#define ROUND_STEPS	6000ULL
#define CHECK_EVERY	64

struct fuzz f;

void ref_differs(const char *text)
{
	fail("%s", text);
}

/* ---- the next event ---- */

/* Rare events. */
static void step_rarely(void)
{
	u32 dice = pick(1024);

	if (dice < 230)
		switch_random();
	else if (dice < 320)
		tune_random();
	else if (dice < 400)
		change_mode();
	else if (dice < 500)
		origin_destage();
	else if (dice < 550)
		ssdc_drop_clean(f.e, &f.drop_cursor);
	else if (dice < 580)
		f.drop_cursor = 0;
	else if (dice < 610)
		ssdc_reset_stats(f.e);
	else if (dice < 620)
		f.talks = toss();
	else if (dice < 650)
		fail_elsewhere();
	else if (dice < 800)
		origin_faults(chance(600));
	else if (dice < 870)
		drain();
	else if (dice < 910)
		suspend();
	else if (dice < 940)
		reload();
	else if (dice < 1010)
		power_cut();
	else
		check_nothing_lost();
}

static void step(void)
{
	u32 dice = pick(1024);

	f.step++;
	f.now_ns += pick(20000);
	fire_timer();
	if (chance(100))
		f.talk++;
	if (dice < 8)
		step_rarely();
	else if (dice < 22)
		f.now_ns += pick(20000000);
	else if (dice < 30 && f.e->draining)
		switch_random();
	else if (dice < 150 && f.kicked)
		worker_piece();
	else if (dice < 300 && f.kicked)
		worker();
	else if (dice < 720 && f.nr_pending)
		end_random();
	else if (f.active < MAX_ACTIVE)
		submit_random();
	else if (f.nr_pending)
		end_random();
	else
		worker();
	if (f.step % CHECK_EVERY == 0)
		check_engine();
}

/* ---- rounds ---- */

static void setup(u64 seed, u64 steps)
{
	u32 page_cells;

	memset(&f, 0, sizeof(f));
	f.seed = seed;
	f.steps = steps;
	ssdc_random_seed(&harness_random, seed);
	trace_clear();
	f.now_ns = 1000000000;
	f.talks = toss();
	choose_plugins(seed);
	choose_sizes();
	/* Mostly few blocks per page: less work, more events per block. */
	f.cell_shift = pick(4);
	if (f.params.page_bytes >> (SSDC_SECTOR_SHIFT + f.cell_shift) > 16 && !chance(60))
		f.cell_shift = 3;
	page_cells = f.params.page_bytes >> (SSDC_SECTOR_SHIFT + f.cell_shift);
	f.nr_cells = page_cells * (8 + pick(120)) + pick(page_cells);
	f.granule_cells = 1u << PICK(((u32 []){ 0, 0, 0, 1, 2, 4 }));
	f.granule_offset = pick(f.granule_cells);
	f.params.origin_sectors = (u64)f.nr_cells << f.cell_shift;
	requests_setup();
	promises_setup(f.nr_cells);
	origin_setup(f.nr_cells);
	engine_create();
}

static void teardown(void)
{
	engine_destroy();
	origin_teardown();
	promises_teardown();
	requests_teardown();
	pending_teardown();
}

/* Totals over all rounds. */
static struct fuzz totals;

#define ADD_UP(member) do {						\
	u64 *to = (u64 *)&totals.member;				\
	const u64 *from = (const u64 *)&f.member;			\
	unsigned int at;						\
	for (at = 0; at < sizeof(f.member) / sizeof(u64); at++)		\
		to[at] += from[at];					\
} while (0)

static void run_rounds(u64 seed, u64 rounds, u64 steps)
{
	u64 before = ref_decisions(), requests = totals.counts.requests, i;

	for (i = 0; i < rounds; i++) {
		setup(seed + i, steps);
		while (f.step < steps)
			step();
		check_nothing_lost();
		ADD_UP(counts);
		ADD_UP(decisions);
		ADD_UP(loaded);
		ADD_UP(hits);
		ADD_UP(ends);
		teardown();
	}
	result(true, "engine fuzz%s%s: %llu steps, %llu requests, %llu decisions compared, %llu rounds from seed %llu",
	       favourite ? " of " : "", favourite ? favourite : "", rounds * steps,
	       totals.counts.requests - requests, ref_decisions() - before, rounds, seed);
}

/* ---- coverage ---- */

static u64 nr_combinations(void)
{
	u64 nr = 1;
	unsigned int kind;

	for (kind = 0; kind < SSDC_NR_KINDS; kind++)
		nr *= nr_types(kind);
	return nr;
}

/* A fuzz in which something never happens would test little. */
static void check_coverage(void)
{
	const struct driver_counts *n = &totals.counts;
	const u64 *decisions = totals.decisions, *hits = totals.hits, *ends = totals.ends;

	result(decisions[SSDC_WRITE_BACK] && decisions[SSDC_WRITE_THROUGH] &&
	       decisions[SSDC_WRITE_SYNC],
	       "all %llu combinations of plug-ins; \"whim\" decided %llu write backs, %llu write throughs, %llu synchronous writes",
	       nr_combinations(), decisions[SSDC_WRITE_BACK], decisions[SSDC_WRITE_THROUGH],
	       decisions[SSDC_WRITE_SYNC]);
	result(totals.loaded && hits[0] && hits[1] && ends[SSDC_GAVE_WAY] && ends[SSDC_REPLACED] &&
	       ends[SSDC_WRITTEN] && ends[SSDC_DROPPED],
	       "prefetching: %llu pages, %llu hits, %llu of these during the fill; %llu evicted, %llu replaced, %llu written, %llu dropped",
	       totals.loaded, hits[0] + hits[1], hits[1], ends[SSDC_GAVE_WAY], ends[SSDC_REPLACED],
	       ends[SSDC_WRITTEN], ends[SSDC_DROPPED]);
	result(n->overlaps && n->power_cuts && n->reloads && n->failed_flushes && n->failed_elsewhere &&
	       n->failed_discards && n->replaced,
	       "%llu overlapping requests, %llu copies repeated, %llu power cuts, %llu reloads, %llu given up, %llu of these with another origin; %llu FLUSHes and %llu of other shards failed and lost %llu blocks; %llu discards failed",
	       n->overlaps, n->copies_again, n->power_cuts, n->reloads, n->refused_reloads, n->replaced,
	       n->failed_flushes, n->failed_elsewhere, n->lost_cells, n->failed_discards);
}

/* ---- self-test ---- */

#define SELF_TEST_ROUNDS	40
#define SELF_TEST_STEPS		20000

/* What the program prints if it breaks the rules in one way. */
static void run_broken(enum sabotage way, char *text, size_t size)
{
	size_t length = 0;
	ssize_t nr;
	int ends[2];
	pid_t child;

	fflush(stdout);
	if (pipe(ends) || (child = fork()) < 0)
		die(TOOL_FAILED, "cannot start a process");
	if (!child) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		sabotage_take(sabotages[way].name);
		run_rounds(1, SELF_TEST_ROUNDS, SELF_TEST_STEPS);
		fflush(stdout);
		_exit(TOOL_OK);
	}
	close(ends[1]);
	/* The end of the output is what counts. */
	while ((nr = read(ends[0], text + length, size - 1 - length)) > 0) {
		length += nr;
		if (length > size / 2) {
			memmove(text, text + length - size / 2, size / 2);
			length = size / 2;
		}
	}
	text[length] = '\0';
	close(ends[0]);
	waitpid(child, NULL, 0);
}

static void self_test(void)
{
	char text[8192];
	unsigned int way;

	for (way = BREAK_NOTHING + 1; way < NR_BREAKS; way++) {
		const struct sabotage_def *def = &sabotages[way];
		char *line, *end;
		bool found;

		run_broken(way, text, sizeof(text));
		line = strstr(text, "# seed ");
		end = line ? strchr(line, '\n') : NULL;
		if (end)
			*end = '\0';
		found = line && (strstr(line, def->finding) || strstr(line, def->or_finding));
		result(found, "self-test: found: %s", def->doc);
		diag("%s", line ? line + 2 : "nothing was found");
	}
}

/* ---- main ---- */

static void fuzz_each(const struct harness *options)
{
	const struct ssdc_plugin_type *type;
	unsigned int kind;

	for (kind = 0; kind < SSDC_NR_KINDS; kind++) {
		type = NULL;
		while ((type = ssdc_type_next(kind, type))) {
			choose_favourite(type->info.name);
			run_rounds(options->seed, options->rounds, options->steps);
		}
	}
}

static unsigned int nr_all_types(void)
{
	unsigned int kind, nr = 0;

	for (kind = 0; kind < SSDC_NR_KINDS; kind++)
		nr += nr_types(kind);
	return nr;
}

static void default_steps(struct harness *options, bool each)
{
	bool is_long = getenv("SSDC_LONG");
	u64 steps = is_long ? LONG_STEPS : TOTAL_STEPS;

	if (!options->rounds)
		options->rounds = nr_combinations();
	if (options->steps)
		return;
	steps /= options->rounds * (each ? nr_all_types() : 1);
	options->steps = max(is_long ? steps : min(steps, ROUND_STEPS), 100ULL);
}

int main(int argc, char **argv)
{
	struct harness options = { .seed = 1 };
	bool each;

	if (ssdc_type_register(&whim.plugin) || ssdc_type_register(&wish.plugin))
		return TOOL_FAILED;
	harness_options(&options, "srnpvRbt", argc, argv);
	trace_verbose = options.verbose;
	if (options.rules)
		rules_take(options.rules);
	if (options.self_test) {
		self_test();
		return finish();
	}
	if (options.sabotage)
		sabotage_take(options.sabotage);
	each = options.only && !strcmp(options.only, "each");
	if (options.only && !each && !choose_favourite(options.only))
		die(TOOL_BAD_USAGE, "--plugin: there is no plug-in \"%s\" (each: all, one after the other)", options.only);
	default_steps(&options, each);
	diag("seeds %llu to %llu, %llu steps each", options.seed,
	     options.seed + options.rounds - 1, options.steps);
	if (each) {
		fuzz_each(&options);
		return finish();
	}
	run_rounds(options.seed, options.rounds, options.steps);
	if (!favourite && options.rounds >= nr_combinations())
		check_coverage();
	return finish();
}
