// SPDX-License-Identifier: GPL-2.0
/*
 * Runs, each in a process of its own (pool.c), and the figures that they find.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "advise.h"
#include "pool.h"

/*
 * DRAM of a shorter workload has at least so many pages. With fewer, policies that keep lists or groups of
 * pages are not themselves; with more, small sizes are sampled with far too much.
 */
#define LEAST_PAGES	16

/*
 * A run stops that would have to be better than the best by this part of what is left to end level with it, and
 * this part of the whole.
 */
#define MAKES_GOOD	0.3
#define NOT_WANTED	0.03

/**
 * struct work - jobs being run
 * @a: advice
 * @sample: requests
 * @jobs: what is run
 * @nr: how many
 * @next: the one to start next
 * @progress: what is shown
 */
struct work {
	struct advise *a;
	const struct advise_sample *sample;
	const struct advise_job *jobs;
	size_t nr;
	size_t next;
	struct sweep_progress progress;
};

/**
 * struct totals - what a run has done so far
 * @latency: of requests that have ended
 * @flash_bytes: written to flash, see flash_bytes()
 * @pages: accesses of the host to pages
 * @hits: those that found the page in DRAM
 */
struct totals {
	struct ssdc_histogram latency[SSDC_NR_OPS];
	double flash_bytes;
	u64 pages;
	u64 hits;
};

/**
 * struct look - what is seen of a run while it goes on
 * @probe: calls look()
 * @a: advice
 * @options: of the run
 * @rival: figures of the run to beat, or NULL
 * @requests: of the run
 * @half: of the first half of the requests
 * @figures: result
 */
struct look {
	struct sim_probe probe;
	const struct advise *a;
	const struct sim_options *options;
	const struct advise_figures *rival;
	size_t requests;
	struct totals half;
	struct advise_figures figures;
};

static u64 flash_stat(struct ssdf_device *flash, const char *name)
{
	unsigned int i;

	for (i = 0; i < ssdf_nr_stats; i++)
		if (!strcmp(ssdf_stat_table[i].name, name))
			return ssdc_stat_read(&ssdf_stat_table[i], flash);
	die(TOOL_FAILED, "internal error: no statistic %s", name);
}

/*
 * Dirty pages count as if they were flushed at the present write amplification: more DRAM is not to look
 * better because more is left to be written.
 */
static double flash_bytes(struct ssdc_engine *e, struct ssdf_device *flash, const struct sim_options *options)
{
	double dirty = (double)e->tier.dirty_pages * options->params.page_bytes, host, all, flushed = 0;
	unsigned int i;

	if (!flash) {
		for (i = 0; i < SSDC_NR_FLUSH_REASONS; i++)
			flushed += e->stats.flushed_pages[i];
		return flushed * options->params.page_bytes + dirty;
	}
	host = flash_stat(flash, "host_programs");
	all = host + flash_stat(flash, "gc_programs") + flash_stat(flash, "map_writes");
	return all * options->flash.page_bytes + dirty * (host ? all / host : 1);
}

/* What came after @first. The longest latency may be that of @first. */
static void take_away(struct ssdc_histogram *all, const struct ssdc_histogram *first)
{
	unsigned int i;

	all->count -= first->count;
	all->sum_wraps -= first->sum_wraps + (all->sum_ns < first->sum_ns);
	all->sum_ns -= first->sum_ns;
	for (i = 0; i < SSDC_HIST_BUCKETS; i++)
		all->buckets[i] -= first->buckets[i];
}

static double mean_ns(const struct ssdc_histogram *hist)
{
	return hist->count ? (hist->sum_wraps * 0x1p64 + hist->sum_ns) / hist->count : 0;
}

static struct totals totals_of(struct ssdc_engine *e, struct ssdf_device *flash, const struct sim_options *options)
{
	struct totals totals = {
		.flash_bytes = flash_bytes(e, flash, options),
		.pages = e->stats.read_pages + e->stats.write_pages,
		.hits = e->stats.read_hits + e->stats.write_hits,
	};

	memcpy(totals.latency, e->latency, sizeof(totals.latency));
	return totals;
}

static void get_values(const struct totals *totals, double value[ADVISE_NR_GOALS])
{
	struct ssdc_histogram all = {};
	struct ssdc_latency summary;
	unsigned int op;

	for (op = 0; op < SSDC_NR_OPS; op++)
		ssdc_histogram_merge(&all, &totals->latency[op]);
	ssdc_histogram_read(&all, &summary);
	value[ADVISE_LATENCY] = mean_ns(&all);
	value[ADVISE_READS] = mean_ns(&totals->latency[SSDC_READ]);
	value[ADVISE_WRITES] = mean_ns(&totals->latency[SSDC_WRITE]);
	value[ADVISE_P99] = summary.p99_ns;
	value[ADVISE_FLASH_WRITES] = totals->flash_bytes;
	value[ADVISE_HITS] = totals->pages ? 1 - (double)totals->hits / totals->pages : 1;
}

/**
 * advise_behind() - how much more than its rival a run has cost so far
 * @goal: what is compared
 * @figures: of the run, as far as it got
 * @rival: of a run that was not stopped
 * @left: result: what the rest has cost the rival
 *
 * Return: the difference, as part of the whole figure.
 */
double advise_behind(enum advise_goal goal, const struct advise_figures *figures, const struct advise_figures *rival,
		     double *left)
{
	/* Means are of all requests so far, bytes are sums. */
	double part = goal == ADVISE_FLASH_WRITES ? 1 : (double)figures->looks / ADVISE_NR_LOOKS;
	double so_far = rival->so_far[figures->looks - 1];

	*left = max(rival->value[goal] - so_far * part, 0.0);
	return (figures->so_far[figures->looks - 1] - so_far) * part;
}

static size_t request_of_look(const struct look *look, unsigned int nr)
{
	return look->requests * (nr + 1) / ADVISE_NR_LOOKS;
}

/*
 * Has a run no chance against its rival? It has none if it would have to be better by MAKES_GOOD from now on to
 * end level with it.
 */
static bool has_lost(const struct look *look)
{
	double behind, left;

	if (!look->rival)
		return false;
	behind = advise_behind(look->a->goal, &look->figures, look->rival, &left);
	return behind > MAKES_GOOD * left + NOT_WANTED * look->rival->value[look->a->goal];
}

static void look(struct sim_probe *probe, struct ssdc_engine *e, struct ssdf_device *flash)
{
	struct look *look = container_of(probe, struct look, probe);
	struct advise_figures *figures = &look->figures;
	struct totals totals = totals_of(e, flash, look->options);

	get_values(&totals, figures->value);
	figures->so_far[figures->looks++] = figures->value[look->a->goal];
	probe->at = request_of_look(look, figures->looks);
	if (figures->looks == ADVISE_NR_LOOKS / 2)
		look->half = totals;
	if (has_lost(look)) {
		sim_pool_write(figures, sizeof(*figures));
		_exit(TOOL_OK);
	}
}

static void get_figures(struct look *look, const struct sim_run *run)
{
	struct totals totals = totals_of(run->e, run->flash, look->options);
	struct advise_figures *figures = &look->figures;
	double value[ADVISE_NR_GOALS];
	unsigned int op;

	get_values(&totals, figures->value);
	figures->so_far[ADVISE_NR_LOOKS - 1] = figures->value[look->a->goal];
	figures->looks = ADVISE_NR_LOOKS;
	figures->hit_ratio = totals.pages ? (double)totals.hits / totals.pages : 0;
	get_values(&look->half, value);
	figures->half[0] = value[look->a->goal];
	for (op = 0; op < SSDC_NR_OPS; op++)
		take_away(&totals.latency[op], &look->half.latency[op]);
	totals.flash_bytes -= look->half.flash_bytes;
	totals.pages -= look->half.pages;
	totals.hits -= look->half.hits;
	get_values(&totals, value);
	figures->half[1] = value[look->a->goal];
}

/**
 * advise_sample_dram() - DRAM of a size for a share of the requests
 * @a: advice
 * @size: index of the size
 * @share: of the sectors; 1: all
 *
 * Return: bytes.
 */
u64 advise_sample_dram(const struct advise *a, size_t size, double share)
{
	u64 whole = a->sizes[size], least = min(whole, LEAST_PAGES * a->page_bytes);

	return share < 1 ? max_t(u64, whole * share, least) : whole;
}

static size_t cell_of(const struct advise *a, const struct advise_job *job)
{
	return job->candidate * a->nr_sizes + job->size;
}

/* In the process of a run. */
static void run_job(void *owner, size_t nr)
{
	struct work *work = owner;
	const struct advise *a = work->a;
	const struct advise_job *job = &work->jobs[nr];
	struct sim_workload workload = work->sample->workload;
	int nr_words;
	struct sim_options options;
	struct look watch = { .probe.see = look, .a = a, .options = &options, .requests = workload.nr };
	struct sim_run run;

	sweep_cell_options(&a->sweep, cell_of(a, job), &options, &nr_words);
	options.params.dram_bytes = advise_sample_dram(a, job->size, work->sample->share);
	options.params.origin_sectors = a->base.params.origin_sectors;
	options.flash = a->device.flash ? a->device.params : a->base.flash;
	options.device = &a->device;
	options.doubtless = true;
	/* The addresses were folded when the requests were read. */
	options.fold = false;
	watch.probe.at = request_of_look(&watch, 0);
	if (job->rival < a->nr_candidates)
		watch.rival = &advise_cell(a, job->rival, job->size)->figures;
	/* With fewer requests there is nothing to see. */
	if (workload.nr >= ADVISE_NR_LOOKS)
		options.probe = &watch.probe;
	sim_run(&run, &options, &workload);
	get_figures(&watch, &run);
	sim_pool_write(&watch.figures, sizeof(watch.figures));
}

static bool next_job(void *owner, size_t *nr)
{
	struct work *work = owner;

	*nr = work->next++;
	return *nr < work->nr;
}

static void show_warnings(struct work *work, char *text)
{
	char *line;

	while ((line = strsep(&text, "\n"))) {
		if (!*line || work->a->quiet || json_object_get(work->a->said, line))
			continue;
		json_object_set_new(work->a->said, line, json_true());
		sweep_progress_clear(&work->progress);
		fprintf(stderr, "%s\n", line);
	}
}

/* What a run with another state of the drive has found is kept beside the figures of the given one. */
static void keep_state(struct advise *a, const struct advise_job *job, const struct advise_figures *figures)
{
	advise_cell(a, job->candidate, job->size)->in_state[job->state] = figures->value[a->goal];
	a->simulated += a->sweep.workload.nr;
	a->state_runs++;
}

static void count(struct advise *a, struct advise_cell *cell, const struct advise_sample *sample)
{
	a->simulated += cell->share * a->sweep.workload.nr;
	if (sample->share < 1) {
		cell->state = ADVISE_SAMPLED;
		a->sampled_runs++;
	} else if (cell->figures.looks < ADVISE_NR_LOOKS) {
		cell->state = ADVISE_STOPPED;
		a->stopped_runs++;
	} else {
		cell->state = ADVISE_WHOLE;
		a->whole_runs++;
	}
}

static void job_done(void *owner, size_t nr, const char *result, size_t len, char *said)
{
	struct work *work = owner;
	struct advise *a = work->a;
	struct advise_cell *cell = &a->cells[cell_of(a, &work->jobs[nr])];

	struct advise_figures figures;

	if (len != sizeof(figures))
		die(TOOL_FAILED, "internal error: a run has found %zu bytes", len);
	memcpy(&figures, result, len);
	if (work->jobs[nr].state) {
		keep_state(a, &work->jobs[nr], &figures);
	} else {
		cell->figures = figures;
		cell->share = work->sample->cost * cell->figures.looks / ADVISE_NR_LOOKS;
		count(a, cell, work->sample);
	}
	show_warnings(work, said);
	work->progress.ended++;
}

/* A combination that cannot run is left out. The first one is named with its reason. */
static void job_failed(void *owner, size_t nr, const char *reason)
{
	struct work *work = owner;
	struct advise *a = work->a;
	size_t cell = cell_of(a, &work->jobs[nr]);
	char *options, *line;

	/* With the little DRAM of a sample, it may fail for nothing. */
	if (work->sample->share >= 1)
		a->cells[cell].state = ADVISE_FAILED;
	if (!a->failed++) {
		options = sweep_cell_key(&a->sweep, cell);
		line = strndup(reason, strcspn(reason, "\n"));
		if (!line || asprintf(&a->failure, "%s: %s", options, line) < 0)
			die(TOOL_FAILED, "no memory");
		free(line);
		free(options);
	}
	work->progress.failed++;
	work->progress.ended++;
}

static void show_progress(void *owner)
{
	sweep_progress_show(&((struct work *)owner)->progress);
}

/**
 * advise_run() - run cells
 * @a: advice; its cells get the figures
 * @sample: requests to run
 * @jobs: cells
 * @nr: how many
 * @what: what they are, for the progress: "samples"
 *
 * Return: false if SIGINT, SIGTERM or SIGHUP came.
 */
bool advise_run(struct advise *a, const struct advise_sample *sample, const struct advise_job *jobs, size_t nr,
		const char *what)
{
	static const struct sim_pool_ops ops = { next_job, NULL, run_job, job_done, job_failed, show_progress };
	struct work work = { .a = a, .sample = sample, .jobs = jobs, .nr = nr };
	bool all;

	if (!nr)
		return true;
	sweep_progress_start(&work.progress, what, nr, 0);
	all = sim_pool_run(&ops, &work, a->sweep.jobs);
	sweep_progress_clear(&work.progress);
	return all;
}
