// SPDX-License-Identifier: GPL-2.0
/*
 * The advice as text.
 */
#include <stdlib.h>
#include <string.h>
#include "advise.h"

#define DEVICE "/dev/ORIGIN"

/* Of choices that are as good, so many are named. */
#define MOST_EQUALS	5

/* Where fewer requests than this share come at the same moment as others, these hardly matter. */
#define MANY_TIED	0.05

/* No flash takes so long for a request that does not wait for others. */
#define OVERLOAD_NS	20e6

static FILE *open_text(char **text)
{
	static size_t size;
	FILE *out = open_memstream(text, &size);

	if (!out)
		die(TOOL_FAILED, "no memory");
	return out;
}

static const struct sweep_axis *axis_at(const struct advise *a, size_t axis)
{
	return &a->sweep.axes[axis];
}

static const char *value_at(const struct advise *a, size_t candidate, size_t axis)
{
	return sweep_value(&a->sweep, candidate * a->nr_sizes, axis);
}

static bool is_named(const struct sweep_axis *axis, const char *name)
{
	return !strcmp(axis->def->name, name);
}

static bool is_kind(const struct sweep_axis *axis)
{
	return sim_option_kind(axis->def) < SSDC_NR_KINDS;
}

static bool is_none(const struct sweep_axis *axis, const char *value)
{
	return is_named(axis, "prefetch") && !strcmp(value, "none");
}

/* A candidate as a reader knows it: its policies, and what else differs between candidates; to be freed. */
static char *name_of(const struct advise *a, size_t candidate)
{
	char *text;
	FILE *out = open_text(&text);
	bool first = true;
	size_t i;

	for (i = 0; i + 1 < a->sweep.nr_axes; i++) {
		const struct sweep_axis *axis = axis_at(a, i);
		const char *value = value_at(a, candidate, i);

		if (is_none(axis, value) || (!is_kind(axis) && axis->nr == 1))
			continue;
		fprintf(out, "%s%s%s%s", first ? "" : ", ", is_kind(axis) ? "" : axis->def->name,
			is_kind(axis) ? "" : " ", value);
		first = false;
	}
	fclose(out);
	return text;
}

/* Is an option a word of a table line? */
static bool is_word(const struct option_def *def)
{
	return strcmp(def->name, "flash") && strcmp(def->name, "depth") && sim_option_axis(def) != SIM_AXIS_NONE;
}

/**
 * advise_create_words() - the command of ssdcachectl that makes such a cache
 * @a: advice
 * @candidate: policies
 * @size: index of the size
 *
 * Return: text to be freed.
 */
char *advise_create_words(const struct advise *a, size_t candidate, size_t size)
{
	size_t i, cell = candidate * a->nr_sizes + size;
	char *text;
	FILE *out = open_text(&text);

	fprintf(out, "ssdcachectl create NAME --origin %s --dram %s", DEVICE,
		sweep_value(&a->sweep, cell, a->sweep.nr_axes - 1));
	for (i = 0; i + 1 < a->sweep.nr_axes; i++) {
		const struct sweep_axis *axis = axis_at(a, i);
		const char *value = sweep_value(&a->sweep, cell, i);

		if (!is_word(axis->def) || is_none(axis, value))
			continue;
		if (is_kind(axis) || is_named(axis, "page"))
			fprintf(out, " --%s %s", axis->def->name, value);
		else
			fprintf(out, " --set %s=%s", axis->def->name, value);
	}
	fclose(out);
	return text;
}

/**
 * advise_table_words() - the table line of such a cache, for dmsetup
 * @a: advice
 * @candidate: policies
 * @size: index of the size
 *
 * Return: text to be freed.
 */
char *advise_table_words(const struct advise *a, size_t candidate, size_t size)
{
	size_t i, cell = candidate * a->nr_sizes + size;
	unsigned int nr = 0;
	char *words, *text;
	FILE *out = open_text(&words);

	for (i = a->sweep.nr_axes; i--;) {
		const struct sweep_axis *axis = axis_at(a, i);
		const char *value = sweep_value(&a->sweep, cell, i);

		if (!is_word(axis->def) || is_none(axis, value))
			continue;
		fprintf(out, " %s %s", axis->def->name, value);
		nr += 2;
	}
	fclose(out);
	if (asprintf(&text, "0 $(blockdev --getsz " DEVICE ") ssdcache " DEVICE " %u%s", nr, words) < 0)
		die(TOOL_FAILED, "no memory");
	free(words);
	return text;
}

/* What the figures of the goal are, and in which unit they are printed. */
static const struct {
	const char *doc;
	const char *unit;
	double scale;
} goals[ADVISE_NR_GOALS] = {
	[ADVISE_LATENCY] = { "mean response of all requests", "us", 1e3 },
	[ADVISE_READS] = { "mean response of reads", "us", 1e3 },
	[ADVISE_WRITES] = { "mean response of writes", "us", 1e3 },
	[ADVISE_P99] = { "response that 1 % of the requests exceed", "us", 1e3 },
	[ADVISE_FLASH_WRITES] = { "bytes programmed", "MiB", 1 << 20 },
	[ADVISE_HITS] = { "page accesses that find the page in DRAM", "%", 0.01 },
};

static const char *size_name(const struct advise *a, size_t size)
{
	return axis_at(a, a->sweep.nr_axes - 1)->values[size];
}

static double shown(const struct advise *a, double value)
{
	return advise_shown(a, value) / goals[a->goal].scale;
}

static bool is_run(const struct advise *a, size_t candidate, size_t size, enum advise_state state)
{
	return candidate < a->nr_candidates && advise_cell(a, candidate, size)->state == state;
}

static void print_bytes(double bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
	unsigned int unit = 0;

	for (; bytes >= 1024 && unit + 1 < ARRAY_SIZE(units); unit++)
		bytes /= 1024;
	printf("%.*f %s", unit ? 1 : 0, bytes, units[unit]);
}

/* A figure of the goal, as a reader says it. */
static const char *figure_text(const struct advise *a, double value)
{
	static char texts[4][32];
	static unsigned int next;
	char *text = texts[next++ % ARRAY_SIZE(texts)];
	double figure = shown(a, value);

	if (goals[a->goal].scale == 1e3 && figure >= 1e6)
		snprintf(text, sizeof(texts[0]), "%.2f s", figure / 1e6);
	else if (goals[a->goal].scale == 1e3 && figure >= 1e4)
		snprintf(text, sizeof(texts[0]), "%.1f ms", figure / 1e3);
	else
		snprintf(text, sizeof(texts[0]), "%.1f %s", figure, goals[a->goal].unit);
	return text;
}

static void print_heading(const struct advise *a)
{
	const char *flash = advise_word(a, 0, "flash");
	int i;

	printf("workload: ");
	for (i = 0; i < a->sweep.nr_traces; i++)
		printf("%s%s", a->sweep.traces[i], i + 1 < a->sweep.nr_traces ? ", " : ": ");
	printf("%zu request%s, %.0f %% reads, which touch ", a->sweep.workload.nr, plural(a->sweep.workload.nr),
	       100.0 * a->reads / (a->reads + a->writes));
	print_bytes(a->footprint);
	if (flash)
		printf("\ndevice: --flash %s%s, ", flash, a->assumed_flash ? " (assumed)" : "");
	else
		printf("\ndevice: %.0f us for a read, %.0f us for a write, ", a->base.read_ns / 1e3,
		       a->base.write_ns / 1e3);
	print_bytes((double)a->base.params.origin_sectors * 512);
	if (a->folded)
		printf(", onto which addresses are folded");
	printf("; pages of %llu KiB\ngoal: %s\n", a->page_bytes >> 10, goals[a->goal].doc);
}

/* How a printed figure was found, if there are others: a character before it. */
static const char *mark_of(const struct advise *a, size_t candidate, size_t size)
{
	const struct advise_cell *cell = advise_cell(a, candidate, size);

	if (cell->state == ADVISE_SAMPLED)
		return "~";
	if (cell->state == ADVISE_STOPPED)
		return ">";
	return a->state_runs && !cell->has_states ? "*" : "";
}

/* The figure of a candidate that was run whole, with a remark if it is no mean although others are. */
static void print_figure(const struct advise *a, size_t candidate, size_t size)
{
	printf("%s%s", figure_text(a, advise_mean(a, candidate, size)),
	       *mark_of(a, candidate, size) ? " with the given state of the drive" : "");
}

static void print_curve(const struct advise *a, const struct advise_verdict *verdict)
{
	char heading[32];
	size_t size;

	snprintf(heading, sizeof(heading), "%s, %s", advise_goal_names[a->goal], goals[a->goal].unit);
	if (a->state_runs)
		printf("\nfigures of the goal are means of %u states of the drive, equally aged; those with *, ~ or > are of the given state only, "
		       "and not comparable with means\n", ADVISE_NR_STATES);
	printf("\n%10s %18s %10s %12s  best policies\n", "dram", heading, "hit ratio", "lru's/best");
	for (size = 0; size < a->nr_sizes; size++) {
		size_t best = verdict->best[size];
		char *name, text[32];

		if (best == a->nr_candidates) {
			printf("%10s %18s\n", size_name(a, size), "-");
			continue;
		}
		name = name_of(a, best);
		snprintf(text, sizeof(text), "%s%.1f", mark_of(a, best, size), shown(a, advise_mean(a, best, size)));
		printf("%10s %18s %10.4f ", size_name(a, size), text, advise_cell(a, best, size)->figures.hit_ratio);
		if (is_run(a, a->baseline, size, ADVISE_WHOLE))
			printf("%12.2f  %s\n", advise_times_of(a, best, a->baseline, size), name);
		else
			printf("%12s  %s\n", "-", name);
		free(name);
	}
}

static double figure_of(const struct advise *a, size_t candidate, size_t size)
{
	const struct advise_cell *cell = advise_cell(a, candidate, size);

	return cell->has_states ? advise_mean(a, candidate, size) : cell->estimate;
}

/* Which of two stands for a policy: one that was run with all states of the drive, else the better one, or what was run whole. */
static bool goes_before(const struct advise *a, size_t one, size_t other, size_t size)
{
	bool states = advise_cell(a, one, size)->has_states;
	double x = figure_of(a, one, size), y = figure_of(a, other, size);

	if (states != advise_cell(a, other, size)->has_states)
		return states;
	if (x != y)
		return x < y;
	return is_run(a, one, size, ADVISE_WHOLE) && !is_run(a, other, size, ADVISE_WHOLE);
}

/* The best with a replacement policy; nr_candidates: none was run. */
static size_t best_with(const struct advise *a, const char *replacement, size_t size)
{
	size_t best = a->nr_candidates, i;

	for (i = 0; i < a->nr_candidates; i++) {
		enum advise_state state = advise_cell(a, i, size)->state;

		if (state == ADVISE_NOT_RUN || state == ADVISE_FAILED || strcmp(advise_word(a, i, "replacement"), replacement))
			continue;
		if (best == a->nr_candidates || goes_before(a, i, best, size))
			best = i;
	}
	return best;
}

static void print_policies(const struct advise *a)
{
	const struct sweep_axis *axis = axis_at(a, 0);
	size_t i, size;
	int width;

	while (!is_named(axis, "replacement"))
		axis++;
	if (axis->nr < 2)
		return;
	width = sweep_axis_width(axis, 16);
	printf("\neach policy with its best companions, %s (~: by samples; >: stopped as it fell behind, probably more)\n%-*s",
	       goals[a->goal].unit, width, "");
	for (size = 0; size < a->nr_sizes; size++)
		printf(" %9s", size_name(a, size));
	putchar('\n');
	for (i = 0; i < axis->nr; i++) {
		printf("%-*s", width, axis->values[i]);
		for (size = 0; size < a->nr_sizes; size++) {
			size_t best = best_with(a, axis->values[i], size);
			char text[32] = "-";
			double figure;

			if (best < a->nr_candidates) {
				figure = shown(a, figure_of(a, best, size));
				snprintf(text, sizeof(text), "%s%.*f", mark_of(a, best, size), figure < 1e5, figure);
			}
			printf(" %9s", text);
		}
		putchar('\n');
	}
}

/* Those besides the choice that are as good as the best. */
static void print_ties(const struct advise *a, const struct advise_verdict *verdict)
{
	size_t size = verdict->chosen, best = verdict->best[size], tied = a->nr_candidates, nr = 0, i;
	char *name;

	for (i = 0; i < a->nr_candidates; i++) {
		if (i == best || !advise_is_good(a, verdict, i, size))
			continue;
		if (!nr++ || advise_rank(a, i) < advise_rank(a, tied))
			tied = i;
	}
	if (!nr)
		return;
	name = name_of(a, tied);
	printf("As good, within 1 %%: %s%s. The simplest is chosen.\n", name, nr > 1 ? ", and others" : "");
	free(name);
}

/* Names and figures of all that may be as good as the choice, as far as the states of the drive tell; the rest is counted. */
static void print_equals(const struct advise *a, size_t best, size_t size)
{
	size_t nr = 0, i;
	char *name;

	for (i = 0; i < a->nr_candidates; i++) {
		if (!advise_is_equal(a, best, i, size) || nr++ >= MOST_EQUALS)
			continue;
		name = name_of(a, i);
		printf("%s%s, ", nr > 1 ? "; " : "Not told apart by these: ", name);
		print_figure(a, i, size);
		free(name);
	}
	if (nr > MOST_EQUALS)
		printf("; and %zu more", nr - MOST_EQUALS);
	if (nr)
		puts(".");
}

/* What another state of the same drive changes. */
static void print_states(const struct advise *a, const struct advise_verdict *verdict)
{
	size_t size = verdict->chosen, best = verdict->best[size];
	const double *in_state = advise_cell(a, best, size)->in_state;

	printf("Chance: %s with the given state of the drive, and ", figure_text(a, in_state[0]));
	printf("%s and %s with others, equally aged: the mean of these decides.\n", figure_text(a, in_state[1]),
	       figure_text(a, in_state[2]));
	print_equals(a, best, size);
}

static void print_trust(const struct advise *a, const struct advise_verdict *verdict)
{
	size_t size = verdict->chosen, rival = verdict->rival[size];
	double half[2], margin = advise_margin(a, verdict, size, half);
	char *name;

	if (rival == a->nr_candidates) {
		puts("There is nothing to compare with.");
		return;
	}
	name = name_of(a, rival);
	if (advise_trust(a, verdict, size) == ADVISE_SURE)
		printf("Sure: %s, the next best, is %.1f %% behind; %.1f %% and %.1f %% in the halves of the workload%s.\n",
		       name, 100 * margin, 100 * half[0], 100 * half[1],
		       advise_cell(a, rival, size)->has_states ? ", and more than chance explains" : "");
	else if (margin > 0.01 && advise_cell(a, rival, size)->has_states &&
		 advise_is_equal(a, verdict->best[size], rival, size))
		printf("Close: %s is %.1f %% behind on average, which may be chance.\n", name,
		       100 * margin);
	else if (advise_nr_unsure(a, verdict->best[size], size))
		printf("Close: %s is %.1f %% behind, and by samples, or the first part of a run, %zu more may be about as good as the choice; a larger --effort tells.\n",
		       name, 100 * margin, advise_nr_unsure(a, verdict->best[size], size));
	else if (margin > 0.01 && advise_has_states(a) && !advise_cell(a, rival, size)->has_states)
		printf("Close: %s is %.1f %% behind with the given state of the drive; a larger --effort tries others.\n",
		       name, 100 * margin);
	else if ((half[0] < 0) != (half[1] < 0))
		printf("Close: %s is %.1f %% behind, and the halves of the workload disagree: %+.1f %% and %+.1f %%.\n",
		       name, 100 * margin, 100 * half[0], 100 * half[1]);
	else if (advise_is_good(a, verdict, rival, size))
		printf("Close: %s differs by %.1f %%; the simpler one is named.\n", name, 100 * margin);
	else
		printf("Close: %s is %.1f %% behind.\n", name, 100 * margin);
	free(name);
}

static void print_sizes(const struct advise *a, const struct advise_verdict *verdict)
{
	bool states = advise_sizes_have_states(a, verdict);
	size_t of = verdict->best[verdict->top];
	const char *best = figure_text(a, states ? advise_mean(a, of, verdict->top) : advise_value(a, of, verdict->top));
	const char *by = a->state_runs && !states ? " (with the given state of the drive)" : "";

	if (a->latency_ns && verdict->reached < a->nr_sizes)
		printf("%s is the least DRAM for %s%s.\n", size_name(a, verdict->reached),
		       figure_text(a, a->latency_ns), by);
	else if (a->latency_ns)
		printf("No size reaches %s: the best figure is %s, with %s%s.\n", figure_text(a, a->latency_ns), best,
		       size_name(a, verdict->top), by);
	if (a->nr_sizes == 1)
		return;
	if (verdict->least != verdict->top)
		printf("%s is the least DRAM within 5 %% of the best, %s with %s%s.\n",
		       size_name(a, verdict->least), best, size_name(a, verdict->top), by);
	if (verdict->knee < a->nr_sizes && verdict->knee != verdict->least)
		printf("The curve bends at %s: beyond, DRAM gains less%s.\n", size_name(a, verdict->knee), by);
}

/*
 * How many of the requests of one moment a kernel's worker has seen when it starts I/O depends on things that no trace has. The
 * simulator's has seen all, as on one CPU.
 */
static void print_tied(const struct advise *a)
{
	const struct sim_workload *workload = &a->sweep.workload;

	if (a->base.closed || a->base.depth || a->tied < MANY_TIED * workload->nr || a->tied + 1 == workload->nr)
		return;
	printf("%.0f %% of the requests come at the same moment as the one before. Their order in a kernel is chance, and differences of a few percent may be.\n",
	       100.0 * a->tied / workload->nr);
}

/* Queues that grow until the end: results then depend on small things, and on the length of the trace. */
static void print_overload(const struct advise *a, const struct advise_verdict *verdict)
{
	const struct advise_cell *cell = advise_cell(a, verdict->best[verdict->chosen], verdict->chosen);

	if (!a->base.closed && !a->base.depth && sim_workload_has_one_time(&a->sweep.workload))
		puts("All requests of the trace have one time, so each waits for those before it: --depth 16 keeps 16 in flight instead.");
	else if (cell->figures.value[ADVISE_LATENCY] > OVERLOAD_NS)
		puts("The device is overloaded: requests wait for others most of the time. Such figures say little; "
		     "--flash with a faster device, or --time-scale 10, which has requests come a tenth as often, gives better ones.");
}

/* Was only one of two candidates run with all states of the drive? */
static bool have_other_states(const struct advise *a, size_t one, size_t other, size_t size)
{
	return advise_cell(a, one, size)->has_states && !advise_cell(a, other, size)->has_states;
}

static void print_verdict(const struct advise *a, const struct advise_verdict *verdict)
{
	size_t size = verdict->chosen, best = verdict->best[size];
	char *name = name_of(a, best);

	printf("\nWith %s of DRAM: %s, ", size_name(a, size), name);
	print_figure(a, best, size);
	free(name);
	if (best != a->baseline && is_run(a, a->baseline, size, ADVISE_WHOLE)) {
		name = name_of(a, a->baseline);
		printf("; %s: ", name);
		print_figure(a, a->baseline, size);
		free(name);
		/* A figure of one state says nothing beside a mean of several. */
		if (have_other_states(a, best, a->baseline, size))
			printf(", in which the choice has %s", figure_text(a, advise_value(a, best, size)));
	}
	puts(".");
	print_overload(a, verdict);
	print_tied(a);
	if (advise_cell(a, best, size)->has_states)
		print_states(a, verdict);
	else
		print_ties(a, verdict);
	print_trust(a, verdict);
	print_sizes(a, verdict);
}

static void print_commands(const struct advise *a, const struct advise_verdict *verdict)
{
	size_t size = verdict->chosen, best = verdict->best[size];
	char *create = advise_create_words(a, best, size), *table = advise_table_words(a, best, size);
	char *simulate = sweep_command(&a->sweep, best * a->nr_sizes + size);

	printf("\nTo apply that:\n    %s\n    dmsetup create NAME --table \"%s\"\nTo simulate that:\n    %s\n", create,
	       table, simulate);
	free(create);
	free(table);
	free(simulate);
}

/* Combinations with prefetchers are sampled only if their policies are among the best without one. */
static void print_not_tried(const struct advise *a, size_t size)
{
	size_t behind = 0, failed = 0, i, plain;

	for (i = 0; i < a->nr_candidates; i++) {
		plain = advise_plain(a, i);
		if (plain == i || advise_cell(a, i, size)->state != ADVISE_NOT_RUN)
			continue;
		/* A sample that failed leaves the state as it was. */
		if (advise_cell(a, plain, size)->state == ADVISE_NOT_RUN || advise_cell(a, plain, size)->state == ADVISE_FAILED)
			failed++;
		else
			behind++;
	}
	if (behind)
		printf("Not tried with %s: %zu combination%s with prefetchers, whose policies were behind without one.\n",
		       size_name(a, size), behind, plural(behind));
	if (failed)
		printf("Not tried with %s: %zu combination%s with prefetchers, whose runs without one failed.\n", size_name(a, size),
		       failed, plural(failed));
}

/* Of the combinations that were only sampled, or stopped, with the chosen size: how near is the best? */
static void print_left_out(const struct advise *a, const struct advise_verdict *verdict)
{
	size_t size = verdict->chosen, nearest = a->nr_candidates, i;
	double apart;
	char *name;

	for (i = 0; i < a->nr_candidates; i++) {
		const struct advise_cell *cell = advise_cell(a, i, size);

		if ((cell->state == ADVISE_SAMPLED || cell->state == ADVISE_STOPPED) &&
		    (nearest == a->nr_candidates || cell->estimate < advise_cell(a, nearest, size)->estimate))
			nearest = i;
	}
	if (nearest < a->nr_candidates) {
		name = name_of(a, nearest);
		apart = advise_apart(a, advise_value(a, verdict->best[size], size),
				     advise_cell(a, nearest, size)->estimate) - 1;
		printf("Left out with %s, as samples or the first part of a run were worse: the best of these is %s, about %+.0f %%%s.\n",
		       size_name(a, size), name, 100 * apart,
		       apart < 0 ? "; a larger --effort runs such ones whole" : "");
		free(name);
	}
	print_not_tried(a, size);
}

static void print_search(const struct advise *a, const struct advise_verdict *verdict)
{
	printf("\nSearched: %zu of %zu combination%s whole, %zu until they fell behind, %zu sample%s, %zu run%s with other states of the drive; cost %.1f %% of the requests of a full search.\n",
	       a->whole_runs, a->sweep.nr_cells, plural(a->sweep.nr_cells), a->stopped_runs, a->sampled_runs,
	       plural(a->sampled_runs), a->state_runs, plural(a->state_runs), 100 * advise_cost(a));
	print_left_out(a, verdict);
	if (a->failed)
		printf("Left out: %zu run%s that failed; the first one: %s\n", a->failed, plural(a->failed), a->failure);
}

/**
 * advise_print() - print the advice
 * @a: after the search
 * @verdict: advice
 */
void advise_print(const struct advise *a, const struct advise_verdict *verdict)
{
	print_heading(a);
	print_curve(a, verdict);
	print_policies(a);
	print_search(a, verdict);
	/* Last, where a reader at a terminal looks first: the answer, and what to type. */
	print_verdict(a, verdict);
	print_commands(a, verdict);
}
