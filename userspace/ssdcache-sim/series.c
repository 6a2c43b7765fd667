// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics over simulated time: one row of CSV per interval, with the ratios of the interval (empty
 * without accesses) and the gauges of the engine and the plug-ins, except rows of numbers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
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

struct sim_series *sim_series_create(struct ssdc_engine *e, const char *name, u64 interval_ns)
{
	struct sim_series *series = xcalloc(1, sizeof(*series));

	series->engine = e;
	series->name = name;
	series->interval_ns = interval_ns;
	series->next_ns = interval_ns;
	series->out = fopen(name, "w");
	if (!series->out)
		die(TOOL_FAILED, "%s: %s", name, strerror(errno));
	fputs("time_ms,dirty_ratio,read_hit_ratio,overwrite_hit_ratio,absorbed_ratio",
	      series->out);
	each_gauge(series, write_name);
	fputc('\n', series->out);
	return series;
}

/* Write the row of the interval that ends at next_ns. */
static void write_row(struct sim_series *series)
{
	struct ssdc_engine *e = series->engine;
	const struct ssdc_core_stats *now = &e->stats, *before = &series->before;
	u64 write_pages = now->write_pages - before->write_pages;

	ssdc_update_stats(e);
	fprintf(series->out, "%llu", series->next_ns / NS_PER_MS);
	write_ratio(series, e->tier.dirty_pages, e->tier.capacity);
	write_ratio(series, now->read_hits - before->read_hits,
		    now->read_pages - before->read_pages);
	write_ratio(series, now->write_hits - before->write_hits, write_pages);
	write_ratio(series, now->write_absorbed - before->write_absorbed, write_pages);
	each_gauge(series, write_value);
	fputc('\n', series->out);
	series->before = *now;
	series->next_ns += series->interval_ns;
	series->rows++;
}

/* A gap in the arrival times must not fill the disk. */
void sim_series_catch_up(struct sim_series *series, u64 now_ns)
{
	if ((now_ns - series->next_ns) / series->interval_ns >= MAX_ROWS - series->rows)
		die(TOOL_BAD_USAGE,
		    "--series-interval-ms: %llu is too short: the file would have more than %u rows",
		    series->interval_ns / NS_PER_MS, MAX_ROWS);
	while (series->next_ns < now_ns)
		write_row(series);
}

/* Write a row for the last, incomplete interval. */
void sim_series_destroy(struct sim_series *series, u64 now_ns)
{
	if (!series)
		return;
	sim_series_until(series, now_ns);
	write_row(series);
	close_file(series->out, series->name);
	free(series);
}
