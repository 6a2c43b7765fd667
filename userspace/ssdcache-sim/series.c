// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics over simulated time: one row of CSV per interval, with the ratios of the interval (empty
 * without accesses) and the gauges of the engine and the plug-ins, except rows of numbers. The last interval ends with the run.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "rows.h"
#include "series.h"

#define NS_PER_MS 1000000u
#define MAX_ROWS 10000000u

typedef void visit_fn(struct sim_series *series, const char *prefix, const struct ssdc_stat *stat,
		      const void *base);

static void each_gauge_of(struct sim_series *series, const char *prefix,
			  const struct ssdc_stat *table, unsigned int nr, const void *base,
			  visit_fn *visit)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (table[i].kind == SSDC_GAUGE && !table[i].nr)
			visit(series, prefix, &table[i], base);
}

static void each_gauge(struct sim_series *series, visit_fn *visit)
{
	const struct ssdc_engine *e = series->engine;
	const struct ssdc_plugin *plugins[SSDC_NR_KINDS] = {
		&e->replacement->plugin, &e->admission->plugin, &e->prefetch->plugin,
	};
	unsigned int kind;

	each_gauge_of(series, "", ssdc_core_stat_table, ssdc_nr_core_stats, e, visit);
	for (kind = 0; kind < SSDC_NR_KINDS; kind++) {
		const struct ssdc_plugin_info *info = &plugins[kind]->type->info;

		each_gauge_of(series, info->name, info->stats, info->nr_stats, plugins[kind],
			      visit);
	}
}

static void write_name(struct sim_series *series, const char *prefix, const struct ssdc_stat *stat,
		       const void *base)
{
	(void)base;
	fprintf(series->out, ",%s%s%s", prefix, prefix[0] ? "." : "", stat->name);
}

static void write_value(struct sim_series *series, const char *prefix,
			const struct ssdc_stat *stat, const void *base)
{
	(void)prefix;
	fprintf(series->out, ",%llu", ssdc_stat_read(stat, base));
}

static void write_ratio(struct sim_series *series, u64 part, u64 whole)
{
	if (whole)
		fprintf(series->out, ",%.4f", (double)part / whole);
	else
		fputc(',', series->out);
}

static void __attribute__((__noreturn__)) refuse_interval(u64 interval_ns)
{
	die(TOOL_BAD_USAGE, "--series-interval-ms: %llu is too short: the file would have more than %u rows",
	    interval_ns / NS_PER_MS, MAX_ROWS);
}

/**
 * sim_series_create() - start a file of values over time
 * @e: engine
 * @name: of the file
 * @interval_ns: between two rows
 * @least_ns: the run takes so long, or longer
 */
struct sim_series *sim_series_create(struct ssdc_engine *e, const char *name, u64 interval_ns, u64 least_ns)
{
	struct sim_series *series = xcalloc(1, sizeof(*series));

	/* A gap in the arrival times must not fill the disk. */
	if (least_ns / interval_ns >= MAX_ROWS)
		refuse_interval(interval_ns);
	series->engine = e;
	series->interval_ns = interval_ns;
	series->next_ns = interval_ns;
	series->file = rows_open(name);
	series->out = series->file->out;
	fputs("time_ms,dirty_ratio,read_hit_ratio,overwrite_hit_ratio,absorbed_ratio",
	      series->out);
	each_gauge(series, write_name);
	fputc('\n', series->out);
	return series;
}

/* Write the row of an interval that ends at @end_ns: next_ns, or the end of the run. */
static void write_row(struct sim_series *series, u64 end_ns)
{
	struct ssdc_engine *e = series->engine;
	const struct ssdc_core_stats *now = &e->stats, *before = &series->before;
	u64 write_pages = now->write_pages - before->write_pages;

	ssdc_update_stats(e);
	fprintf(series->out, "%llu", end_ns / NS_PER_MS);
	if (end_ns % NS_PER_MS)
		fprintf(series->out, ".%06llu", end_ns % NS_PER_MS);
	write_ratio(series, e->tier.dirty_pages, e->tier.capacity);
	write_ratio(series, now->read_hits - before->read_hits,
		    now->read_pages - before->read_pages);
	write_ratio(series, now->write_hits - before->write_hits, write_pages);
	write_ratio(series, now->write_absorbed - before->write_absorbed, write_pages);
	each_gauge(series, write_value);
	fputc('\n', series->out);
	rows_end(series->file);
	series->before = *now;
	series->next_ns += series->interval_ns;
	series->rows++;
}

/* The run takes longer than its arrivals let expect: part of the rows would pass for all. */
static void __attribute__((__noreturn__)) give_up(struct sim_series *series)
{
	const char *name = series->file->name;
	struct stat status;

	fclose(series->out);
	/* A file that a link leads to stays, without rows. */
	if (!lstat(name, &status) && S_ISREG(status.st_mode))
		unlink(name);
	else if (!stat(name, &status) && S_ISREG(status.st_mode) && truncate(name, 0))
		warn("%s: has only some of the rows: %s", name, strerror(errno));
	refuse_interval(series->interval_ns);
}

void sim_series_catch_up(struct sim_series *series, u64 now_ns)
{
	if ((now_ns - series->next_ns) / series->interval_ns >= MAX_ROWS - series->rows)
		give_up(series);
	while (series->next_ns < now_ns)
		write_row(series, series->next_ns);
}

/* Write a row for the last, incomplete interval. */
void sim_series_destroy(struct sim_series *series, u64 now_ns)
{
	if (!series)
		return;
	sim_series_until(series, now_ns);
	write_row(series, now_ns);
	rows_close(series->file);
	free(series);
}
