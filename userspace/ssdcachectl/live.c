// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcachectl advise --live: what the shadows of a running cache know, in the words of "ssdcache-sim advise".
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../common/complete.h"
#include "../common/options.h"
#include "ctl.h"
#include "live.h"
#include "snapshot.h"

#define MAX_DECISIONS	5	/* changes that are shown */
#define NAME_LEN	(2 * SSDC_SPEC_LEN)	/* "POLICY/SCHEME" */

/* What the figures of the goal are, and in which unit they are printed. */
static const struct {
	const char *name;
	const char *doc;
	const char *unit;
	double scale;
} goals[] = {
	[SSDC_AUTO_LATENCY] = { "latency", "mean response of reads and writes", "us", 1e3 },
	[SSDC_AUTO_P99] = { "p99", "response that 1 % of the reads and writes exceed", "us", 1e3 },
	[SSDC_AUTO_FLASH_WRITES] = { "flash-writes", "pages flushed per page that the host writes", "pages", 1e6 },
};

#define OPTION_LIVE(needed) { .name = "live", .arg = "NAME", .required = needed, \
		      .doc = "say it of a cache with 'replacement auto' or 'admission auto', as far as its shadows know" }

const struct option_def live_options[] = {
	OPTION_LIVE(false),
	OPTION_END
};

static const struct option_def all_options[] = {
	OPTION_LIVE(true),
	OPTION_SYSFS,
	OPTION_END
};

/**
 * struct live - what is known of a cache
 * @snap: snapshot of it
 * @spec: its choice
 * @nr: candidates
 * @candidates: their names, "POLICY/SCHEME"
 * @live: the one in use
 * @cost: of all periods, recent ones with more weight
 * @now: of the last period
 * @hit_ppm: of the sample
 * @rate_ppm: of the sample
 * @best: the cheapest candidate
 */
struct live {
	struct snapshot snap;
	struct ssdc_auto_spec spec;
	unsigned int nr;
	char candidates[SSDC_AUTO_MAX_CANDIDATES][NAME_LEN];
	unsigned int live;
	uint64_t cost[SSDC_AUTO_MAX_CANDIDATES];
	uint64_t now[SSDC_AUTO_MAX_CANDIDATES];
	uint64_t hit_ppm[SSDC_AUTO_MAX_CANDIDATES];
	uint64_t rate_ppm[SSDC_AUTO_MAX_CANDIDATES];
	unsigned int best;
};

static const char *text_of(const struct live *live, unsigned int section, const char *name)
{
	const struct snapshot_item *item = snapshot_find(&live->snap.stats[section], name);

	return item ? item->text : "";
}

static uint64_t number_of(const struct live *live, const char *name)
{
	return strtoull(text_of(live, CATALOG_AUTO, name), NULL, 10);
}

/* A number for each candidate. Returns false if there are fewer. */
static bool read_row(const struct live *live, unsigned int section, const char *name, uint64_t *row)
{
	const char *at = text_of(live, section, name);
	unsigned int i;
	int used;

	for (i = 0; i < live->nr; i++, at += used)
		if (sscanf(at, "%" SCNu64 "%n", &row[i], &used) != 1)
			return false;
	return true;
}

static bool read_candidates(struct live *live)
{
	char text[SNAPSHOT_TEXT_LEN], *name, *rest;

	/* A snapshot would not tell why the file cannot be read. */
	if (!device_text(&live->snap.dev, "stats/auto/candidates", text, sizeof(text)))
		return false;
	make_printable(text);
	for (name = strtok_r(text, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
		if (live->nr == SSDC_AUTO_MAX_CANDIDATES)
			return false;
		snprintf(live->candidates[live->nr], sizeof(live->candidates[0]), "%s", name);
		if (!strcmp(name, text_of(live, CATALOG_AUTO, "live")))
			live->live = live->nr;
		live->nr++;
	}
	return live->nr;
}

static bool read_costs(struct live *live)
{
	unsigned int i;

	if (!read_candidates(live) || !read_row(live, CATALOG_AUTO, "cost", live->cost) ||
	    !read_row(live, CATALOG_AUTO, "period_cost", live->now) ||
	    !read_row(live, CATALOG_SHADOW, "sampled_ppm", live->hit_ppm) ||
	    !read_row(live, CATALOG_SHADOW, "rate_ppm", live->rate_ppm))
		return false;
	live->best = live->live;
	for (i = 0; i < live->nr; i++)
		if (live->cost[i] < live->cost[live->best])
			live->best = i;
	return true;
}

/* "POLICY, SCHEME", as advise names them */
static const char *name_of(const struct live *live, unsigned int candidate)
{
	static char names[4][NAME_LEN + 2];
	static unsigned int next;
	char *name = names[next++ % 4];
	const char *slash = strchr(live->candidates[candidate], '/');

	snprintf(name, sizeof(names[0]), "%.*s, %s", (int)(slash - live->candidates[candidate]), live->candidates[candidate],
		 slash + 1);
	return name;
}

static double shown(const struct live *live, uint64_t cost)
{
	return cost / goals[live->spec.tunables.goal].scale;
}

/* How many times the first cost the second is. */
static double apart(uint64_t cost, uint64_t best)
{
	return best ? (double)cost / best : cost ? INFINITY : 1;
}

static void print_heading(const struct live *live)
{
	const struct snapshot *snap = &live->snap;
	char page[32];

	ssdc_print_size(snap->page_bytes, page, sizeof(page));
	printf("workload: %s (%s): %" PRIu64 " request%s, of which shadows have seen %" PRIu64 " part%s\n", snap->dev.name,
	       snap->dev.kernel, number_of(live, "requests"), plural(number_of(live, "requests")), number_of(live, "records"),
	       plural(number_of(live, "records")));
	printf("device: %s; pages of %s; shadows of %.2f %% of the addresses\n", snap->origin, page,
	       live->rate_ppm[live->live] / 1e4);
	printf("goal: %s\n", goals[live->spec.tunables.goal].doc);
}

static void print_curve(const struct live *live)
{
	char heading[32], dram[32], ratio[32] = "-";
	unsigned int goal = live->spec.tunables.goal;

	ssdc_print_size(live->snap.dram_bytes, dram, sizeof(dram));
	snprintf(heading, sizeof(heading), "%s, %s", goals[goal].name, goals[goal].unit);
	printf("\n%10s %18s %10s %12s  best policies\n", "dram", heading, "hit ratio", "live's/best");
	if (live->cost[live->best] || !live->cost[live->live])
		snprintf(ratio, sizeof(ratio), "%.2f", apart(live->cost[live->live], live->cost[live->best]));
	printf("%10s %18.1f %10.4f %12s  %s\n", dram, shown(live, live->cost[live->best]), live->hit_ppm[live->best] / 1e6, ratio,
	       name_of(live, live->best));
}

static void print_policies(const struct live *live)
{
	unsigned int i;

	printf("\neach candidate, %s (~: by samples)\n%-40s %9s %9s %10s\n", goals[live->spec.tunables.goal].unit, "", "now",
	       "smoothed", "hit ratio");
	for (i = 0; i < live->nr; i++) {
		char now[32], smoothed[32];

		snprintf(now, sizeof(now), "~%.1f", shown(live, live->now[i]));
		snprintf(smoothed, sizeof(smoothed), "~%.1f", shown(live, live->cost[i]));
		printf("%-40s %9s %9s %10.4f%s\n", name_of(live, i), now, smoothed, live->hit_ppm[i] / 1e6,
		       i == live->live ? "  live" : "");
	}
}

/* The last changes among the last decisions. */
static void print_decisions(const struct live *live)
{
	char *text = malloc(SYSFS_TEXT_LEN), *at, *rest;
	unsigned int from, to, nr = 0, changes[MAX_DECISIONS][2];
	unsigned long long request, when[MAX_DECISIONS];
	unsigned int i;

	if (!text || !device_text(&live->snap.dev, "stats/auto/decisions", text, SYSFS_TEXT_LEN)) {
		free(text);
		return;
	}
	for (at = strtok_r(text, "\n", &rest); at; at = strtok_r(NULL, "\n", &rest)) {
		if (sscanf(at, "%llu %*u %u %u", &request, &from, &to) != 3 || from == to || from >= live->nr ||
		    to >= live->nr)
			continue;
		when[nr % MAX_DECISIONS] = request;
		changes[nr % MAX_DECISIONS][0] = from;
		changes[nr++ % MAX_DECISIONS][1] = to;
	}
	free(text);
	printf("\nDecided: %" PRIu64 " time%s for the live policies, %" PRIu64 " time%s for others; %" PRIu64 " period%s had too few requests.\n",
	       number_of(live, "kept"), plural(number_of(live, "kept")), number_of(live, "switches"), plural(number_of(live, "switches")),
	       number_of(live, "few"), plural(number_of(live, "few")));
	for (i = nr > MAX_DECISIONS ? nr - MAX_DECISIONS : 0; i < nr; i++)
		printf("    at request %llu: from %s to %s\n", when[i % MAX_DECISIONS],
		       name_of(live, changes[i % MAX_DECISIONS][0]), name_of(live, changes[i % MAX_DECISIONS][1]));
}

/* The gain, in per cent, that a change needs while @known requests or pages are behind the costs: as in dm-ssdcache/auto/decide.c. */
static double least_gain(const struct live *live, uint64_t known)
{
	double hysteresis = live->spec.tunables.hysteresis, memory = live->spec.tunables.memory;

	return 100 * (1 - pow(1 - hysteresis / 100, sqrt(fmax(1, memory / fmax(1, known)))));
}

/* Why the best candidate is not live. */
static void print_doubt(const struct live *live, double gain)
{
	const char *unit = live->spec.tunables.goal == SSDC_AUTO_FLASH_WRITES ? "written page" : "request";
	uint64_t known = number_of(live, "known");
	double least = least_gain(live, known);

	if (gain < least)
		printf("The difference of %.1f %% may be chance: as the sample knows %" PRIu64 " %s%s, auto %s for %.1f %% or more.\n",
		       gain, known, unit, plural(known), live->spec.tunables.change ? "changes" : "would change, with change=on,",
		       least);
	else if (live->spec.tunables.change)
		puts("auto has not changed to it yet: more decisions must show the difference.");
}

static void print_verdict(const struct live *live)
{
	const char *unit = goals[live->spec.tunables.goal].unit;
	double margin = 1 - 1 / apart(live->cost[live->live], live->cost[live->best]);
	char dram[32];

	ssdc_print_size(live->snap.dram_bytes, dram, sizeof(dram));
	printf("\nWith %s of DRAM: %s, %.1f %s", dram, name_of(live, live->best), shown(live, live->cost[live->best]), unit);
	if (live->best == live->live)
		puts("; it is live.");
	else
		printf("; %s, which is live: %.1f %s.\n", name_of(live, live->live), shown(live, live->cost[live->live]), unit);
	if (live->best != live->live)
		print_doubt(live, 100 * margin);
	puts("Estimated from a sample of the addresses, on a model of the device: the order counts, not the figures.");
}

/* Have the candidates different schemes? */
static bool schemes_differ(const struct live *live)
{
	const char *first = strchr(live->candidates[0], '/');
	unsigned int i;

	for (i = 1; i < live->nr; i++)
		if (strcmp(strchr(live->candidates[i], '/'), first))
			return true;
	return false;
}

/* What is not chosen stays: the command would lose its learning, and the parameters that were set since the choice began. */
static void print_commands(const struct live *live)
{
	const char *slash = strchr(live->candidates[live->best], '/');
	const char *name = live->snap.dev.name;

	puts("\nTo apply that, and choose no more:");
	if (snapshot_word(&live->snap, SSDC_AUTO_NAME))
		printf("    ssdcachectl set %s replacement %.*s\n", name, (int)(slash - live->candidates[live->best]),
		       live->candidates[live->best]);
	if (snapshot_word(&live->snap, SNAPSHOT_AUTO_ADMISSION) || schemes_differ(live))
		printf("    ssdcachectl set %s admission %s\n", name, slash + 1);
}

/* Why there is no decision: no period has ended, the shadows have yet to run the sample, or the sample has too few requests. */
static int fail_undecided(const struct live *live)
{
	uint64_t requests = number_of(live, "requests");
	const char *name = live->snap.dev.name;

	if (number_of(live, "few"))
		return fail("advise: %s has decided nothing yet: of %" PRIu64 " requests, the sample has too few %s", name, requests,
			    live->spec.tunables.goal == SSDC_AUTO_FLASH_WRITES ? "writes" : "reads and writes");
	if (number_of(live, "periods"))
		return fail("advise: %s has decided nothing yet: a period has ended, and the shadows are still at work on its sample", name);
	return fail("advise: %s has decided nothing yet: %" PRIu64 " requests, and a period has %u", name, requests,
		    live->spec.tunables.period);
}

static int print_advice(struct live *live)
{
	const char *policies = snapshot_word(&live->snap, SSDC_AUTO_NAME);
	const char *schemes = snapshot_word(&live->snap, SNAPSHOT_AUTO_ADMISSION);
	const char *name = live->snap.dev.name;
	struct ssdc_error error = {};
	unsigned int i;

	if (!policies && !schemes)
		return fail("advise: %s has no shadows: 'ssdcachectl set %s replacement auto' lets it choose its policies, and 'auto:change=off' lets shadows run without changes",
			    name, name);
	/* Only the tunables: the candidates are read. */
	if (ssdc_auto_parse(policies ? policies : "", schemes ? schemes : "", &live->spec, &error))
		return fail("advise: %s: %s", name, error.text);
	errno = 0;
	if (!read_costs(live))
		return errno == EFBIG ? fail("advise: %s: the names of its candidates are too long for a file in sysfs", name) :
			fail("advise: %s does not say what its shadows know: the module is of another version, or its policies were changed just now",
			    name);
	for (i = 0; i < live->nr; i++)
		if (!strchr(live->candidates[i], '/'))
			return fail("advise: %s: '%s' is not POLICY/SCHEME", name, live->candidates[i]);
	if (!number_of(live, "kept") && !number_of(live, "switches") && !number_of(live, "failed"))
		return fail_undecided(live);
	print_heading(live);
	print_curve(live);
	print_policies(live);
	print_decisions(live);
	print_verdict(live);
	print_commands(live);
	return TOOL_OK;
}

static int run(const struct command *cmd)
{
	struct live *live = calloc(1, sizeof(*live));
	struct device dev;
	int code;

	if (!live)
		return fail("advise: no memory");
	code = device_find(cmd, &dev);
	if (!code && !snapshot_read(&dev, SNAPSHOT_STATS, &live->snap))
		code = fail("advise: %s is gone", dev.name);
	if (!code)
		code = print_advice(live);
	snapshot_free(&live->snap);
	free(live);
	return code;
}

/**
 * live_advise() - "advise --live NAME"
 * @argc: from the verb on
 * @argv: likewise
 *
 * Return: exit code.
 */
int live_advise(int argc, char **argv)
{
	static const struct verb verb = { .name = "advise", .args = "", .options = all_options };
	struct command cmd;

	if (completing)
		complete_options("advise", all_options, argc, argv);
	switch (command_parse(&verb, argc, argv, &cmd)) {
	case PARSE_HELP:
		verb_help(&verb_advise);
		return TOOL_OK;
	case PARSE_ERROR:
		return TOOL_BAD_USAGE;
	default:
		cmd.args[cmd.nr_args++] = command_option(&cmd, "live");
		return run(&cmd);
	}
}
