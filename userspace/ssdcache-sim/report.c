// SPDX-License-Identifier: GPL-2.0
/*
 * Results, all from the descriptor tables, with the names of the kernel's sysfs files.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "../../dm-ssdcache/version.h"
#include "auto.h"
#include "report.h"
#include "shadow.h"

struct ratio {
	const char *name;
	const char *doc;
	u64 part;
	u64 whole;
};

#define NR_RATIOS 8

static u64 all_flushed(const struct ssdc_core_stats *stats)
{
	unsigned int i;
	u64 sum = 0;

	for (i = 0; i < SSDC_NR_FLUSH_REASONS; i++)
		sum += stats->flushed_pages[i];
	return sum;
}

static void get_ratios(const struct ssdc_engine *e, struct ratio ratios[NR_RATIOS])
{
	const struct ssdc_core_stats *s = &e->stats;
	const struct ratio all[NR_RATIOS] = {
		{ "read_hit", "page reads served from DRAM at once", s->read_hits,
		  s->read_pages },
		{ "overwrite_hit", "page writes that found the page in DRAM", s->write_hits,
		  s->write_pages },
		{ "absorbed", "page writes for which no eviction was started",
		  s->write_absorbed, s->write_pages },
		{ "hit", "page accesses that found the page in DRAM",
		  s->read_hits + s->write_hits, s->read_pages + s->write_pages },
		{ "pages_per_eviction", "victims each time a policy was asked for some",
		  s->evicted_pages, s->evictions },
		{ "flushed_per_written", "pages written to the origin per page write",
		  all_flushed(s), s->write_pages },
		{ "hits_per_prefetch", "reads of prefetched pages, late hits included, per prefetched page",
		  s->prefetch_hits + s->prefetch_late_hits, s->prefetched_pages },
		{ "prefetched_share", "part of DRAM that prefetched pages hold at the end",
		  e->prefetched.count, (u64)e->tier.capacity * e->nr_shards },
	};
	unsigned int i;

	for (i = 0; i < NR_RATIOS; i++)
		ratios[i] = all[i];
}

static const struct ssdc_plugin *plugin_of(const struct ssdc_engine *e, enum ssdc_kind kind)
{
	switch (kind) {
	case SSDC_REPLACEMENT:
		return &e->replacement->plugin;
	case SSDC_ADMISSION:
		return &e->admission->plugin;
	default:
		return &e->prefetch->plugin;
	}
}

/* The descriptor tables need a pointer that is not const; the engine is not changed. */
static void *base_of(const void *base)
{
	return (void *)base;
}

/* A quotient, which the kernel can only have as an integer. */
static bool is_thousandths(const struct ssdc_stat *stat)
{
	return !stat->nr && !strcmp(stat->unit, "thousandths");
}

static void text_stats(const struct ssdc_stat *table, unsigned int nr, const void *base)
{
	char text[512];
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (is_thousandths(&table[i])) {
			printf("  %-22s %14.3f\n", table[i].name, ssdc_stat_read(&table[i], base) / 1e3);
			continue;
		}
		ssdc_stat_print(&table[i], base, text, sizeof(text));
		printf("  %-22s %14s %s\n", table[i].name, text, table[i].unit);
	}
}

static void text_ratios(const struct ssdc_engine *e)
{
	struct ratio ratios[NR_RATIOS];
	unsigned int i;

	printf("\nratios\n");
	get_ratios(e, ratios);
	for (i = 0; i < NR_RATIOS; i++) {
		if (ratios[i].whole)
			printf("  %-22s %14.4f ", ratios[i].name,
			       (double)ratios[i].part / ratios[i].whole);
		else
			printf("  %-22s %14s ", ratios[i].name, "-");
		printf("%s\n", ratios[i].doc);
	}
}

static const struct ssdc_histogram *host_latency(const void *e, enum ssdc_op op)
{
	return &((const struct ssdc_engine *)e)->latency[op];
}

static const struct ssdc_histogram *flash_latency(const void *flash, enum ssdc_op op)
{
	return ssdf_latency(flash, op);
}

static void text_latency(const struct ssdc_histogram *(*histogram)(const void *, enum ssdc_op),
			 const void *base)
{
	struct ssdc_latency l;
	unsigned int op;

	printf("\nlatency (us)      count       mean        p50        p90        p99      p99.9        max   worst 1%%\n");
	for (op = 0; op < SSDC_NR_OPS; op++) {
		ssdc_histogram_read(histogram(base, op), &l);
		if (l.count)
			printf("  %-10s %10llu %10.3f %10.3f %10.3f %10.3f %10.3f %10.3f %10.3f\n",
			       ssdc_op_names[op], l.count, l.mean_ns / 1e3, l.p50_ns / 1e3,
			       l.p90_ns / 1e3, l.p99_ns / 1e3, l.p999_ns / 1e3, l.max_ns / 1e3,
			       l.worst1_mean_ns / 1e3);
	}
}

/* By reads and writes. */
static u64 bytes_moved(const struct sim_workload *workload)
{
	u64 sectors = 0;
	size_t i;

	for (i = 0; i < workload->nr; i++) {
		const struct sim_record record = sim_request(workload, i);

		if (record.op == SSDC_READ || record.op == SSDC_WRITE)
			sectors += record.nr_sectors;
	}
	return sectors << 9;
}

static void text_run(const struct sim_options *options, const struct sim_workload *workload,
		     u64 simulated_ns)
{
	double seconds = simulated_ns / 1e9;

	printf("%zu request%s in %.6f s of simulated time, ", workload->nr, plural(workload->nr), seconds);
	if (options->depth)
		printf("%llu in flight\n", options->depth);
	else
		puts(options->closed ? "closed loop" : "at their times of arrival");
	if (simulated_ns)
		printf("%.1f IOPS, %.3f MB/s\n", workload->nr / seconds,
		       bytes_moved(workload) / seconds / 1e6);
}

static void text_cache(const struct ssdc_engine *e, const struct sim_options *options)
{
	char spec[SSDC_SPEC_LEN], dram[32], page[32];
	unsigned int kind;

	ssdc_print_size(options->params.dram_bytes, dram, sizeof(dram));
	ssdc_print_size(options->params.page_bytes, page, sizeof(page));
	printf("dram %s page %s", dram, page);
	if (e->nr_shards > 1)
		printf(" shards %u", e->nr_shards);
	printf(": %u frames, %u bytes of metadata each\n", e->tier.capacity * e->nr_shards,
	       ssdc_page_overhead_bytes(e));
	for (kind = 0; kind < SSDC_NR_KINDS; kind++) {
		ssdc_spec_print(plugin_of(e, kind), spec, sizeof(spec));
		printf("%s%s %s", kind ? " " : "", ssdc_kind_name(kind), spec);
	}
	putchar('\n');
}

static void text_cache_results(const struct ssdc_engine *e)
{
	unsigned int kind;

	text_ratios(e);
	text_latency(host_latency, e);
	if (e->nr_shards > 1)
		puts("  of parts of requests, one for each shard that a request touches, not of whole requests");
	printf("\nstatistics\n");
	text_stats(ssdc_core_stat_table, ssdc_nr_core_stats, e);
	for (kind = 0; kind < SSDC_NR_KINDS; kind++) {
		const struct ssdc_plugin *plugin = plugin_of(e, kind);

		if (!plugin->type->info.nr_stats)
			continue;
		printf("\n%s %s\n", ssdc_kind_name(kind), plugin->type->info.name);
		text_stats(plugin->type->info.stats, plugin->type->info.nr_stats, plugin);
	}
}

static void report_text(const struct ssdc_engine *e, struct ssdf_device *flash,
			const struct sim_options *options, const struct sim_workload *workload,
			u64 simulated_ns)
{
	if (e)
		text_cache(e, options);
	else
		puts("no cache: requests go to the flash device");
	text_run(options, workload, simulated_ns);
	if (e)
		text_cache_results(e);
	if (options->choice)
		sim_auto_text(options->choice);
	if (options->shadows)
		sim_shadow_text(options->shadows);
	if (flash) {
		ssdf_update_stats(flash, simulated_ns);
		printf("\nflash\n");
		text_stats(ssdf_stat_table, ssdf_nr_stats, flash);
		text_latency(flash_latency, flash);
	}
}

static json_t *json_stat(const struct ssdc_stat *stat, const void *base)
{
	json_t *row;
	unsigned int i;

	if (!stat->nr)
		return json_integer(ssdc_stat_read(stat, base));
	row = json_array();
	for (i = 0; i < stat->nr; i++)
		json_array_append_new(row, json_integer(ssdc_stat_read_at(stat, base, i)));
	return row;
}

/**
 * sim_json_stats() - statistics by name
 * @table: descriptors
 * @nr: rows of @table
 * @base: the structure that they describe
 *
 * Return: an object.
 */
json_t *sim_json_stats(const struct ssdc_stat *table, unsigned int nr, const void *base)
{
	json_t *stats = json_object();
	unsigned int i;

	for (i = 0; i < nr; i++)
		json_object_set_new(stats, table[i].name, json_stat(&table[i], base));
	return stats;
}

static json_t *json_params(const struct ssdc_tunable *table, unsigned int nr, const void *base)
{
	json_t *params = json_object();
	unsigned int i;

	for (i = 0; i < nr; i++) {
		u32 value = *ssdc_tunable_at(&table[i], base_of(base));

		json_object_set_new(params, table[i].name, table[i].words ?
				    json_string(table[i].words[value]) : json_integer(value));
	}
	return params;
}

static json_t *json_latency(const struct ssdc_histogram *(*histogram)(const void *, enum ssdc_op),
			    const void *base, bool buckets_too)
{
	json_t *all = json_object();
	struct ssdc_latency l;
	unsigned int op, i;
	char name[32];

	for (op = 0; op < SSDC_NR_OPS; op++) {
		const struct ssdc_histogram *hist = histogram(base, op);
		json_t *buckets;

		ssdc_histogram_read(hist, &l);
		json_object_set_new(all, ssdc_op_names[op], json_pack(
			"{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "count", l.count, "mean_ns",
			l.mean_ns, "p50_ns", l.p50_ns, "p90_ns", l.p90_ns, "p99_ns", l.p99_ns,
			"p999_ns", l.p999_ns, "max_ns", l.max_ns, "worst1_mean_ns",
			l.worst1_mean_ns));
		if (!buckets_too)
			continue;
		buckets = json_array();
		for (i = 0; i < SSDC_HIST_BUCKETS; i++)
			if (hist->buckets[i])
				json_array_append_new(buckets, json_pack(
					"[I, I, I]", ssdc_histogram_low_ns(i),
					min(ssdc_histogram_high_ns(i), hist->max_ns),
					(json_int_t)hist->buckets[i]));
		snprintf(name, sizeof(name), "%s_histogram", ssdc_op_names[op]);
		json_object_set_new(all, name, buckets);
	}
	return all;
}

static json_t *json_plugin(const struct ssdc_plugin *plugin)
{
	const struct ssdc_plugin_info *info = &plugin->type->info;

	return json_pack("{s:s, s:o, s:o}", "name", info->name,
			 "stats", sim_json_stats(info->stats, info->nr_stats, plugin),
			 "params", json_params(info->tunables, info->nr_tunables, plugin));
}

static json_t *json_ratios(const struct ssdc_engine *e)
{
	struct ratio ratios[NR_RATIOS];
	json_t *all = json_object();
	unsigned int i;

	get_ratios(e, ratios);
	for (i = 0; i < NR_RATIOS; i++)
		json_object_set_new(all, ratios[i].name, ratios[i].whole ?
				    json_real((double)ratios[i].part / ratios[i].whole) :
				    json_null());
	return all;
}

static json_t *json_config(const struct ssdc_engine *e, const struct sim_options *options)
{
	json_t *config = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}",
				   "dram_bytes", options->params.dram_bytes,
				   "page_bytes", options->params.page_bytes,
				   "frames", (json_int_t)e->tier.capacity * e->nr_shards,
				   "page_overhead_bytes", (json_int_t)ssdc_page_overhead_bytes(e),
				   "metadata_bytes", (json_int_t)(ssdc_metadata_bytes(e) * e->nr_shards),
				   "origin_sectors", e->origin_sectors);
	char spec[SSDC_SPEC_LEN];
	unsigned int kind;

	if (e->nr_shards > 1)
		json_object_set_new(config, "shards", json_integer(e->nr_shards));
	for (kind = 0; kind < SSDC_NR_KINDS; kind++) {
		ssdc_spec_print(plugin_of(e, kind), spec, sizeof(spec));
		json_object_set_new(config, ssdc_kind_name(kind), json_string(spec));
	}
	return config;
}

static json_t *json_flash(const struct ssdf_device *flash, const struct ssdf_params *params,
			  u64 simulated_ns, bool histograms)
{
	json_t *busy = json_array(), *ratios = json_object();
	u32 i;

	for (i = 0; i < ssdf_nr_stats; i++)
		if (is_thousandths(&ssdf_stat_table[i]))
			json_object_set_new(ratios, ssdf_stat_table[i].name,
					    json_real(ssdc_stat_read(&ssdf_stat_table[i], flash) / 1e3));

	for (i = 0; i < params->channels; i++)
		json_array_append_new(busy, json_integer(ssdf_channel_busy_ns(flash, i, simulated_ns)));
	return json_pack("{s:o, s:o, s:o, s:o, s:o}",
			 "params", json_params(ssdf_param_table, ssdf_nr_params, params),
			 "stats", sim_json_stats(ssdf_stat_table, ssdf_nr_stats, flash),
			 "ratios", ratios,
			 "channel_busy_ns", busy,
			 "latency", json_latency(flash_latency, flash, histograms));
}

/**
 * sim_json_text() - a text of any bytes
 * @text: text
 *
 * Return: the text as JSON; bytes that are not ASCII become '?' if they are not UTF-8.
 */
json_t *sim_json_text(const char *text)
{
	json_t *string = json_string(text);
	char *ascii, *at;

	if (string)
		return string;
	ascii = strdup(text);
	for (at = ascii; at && *at; at++)
		if (*at & 0x80)
			*at = '?';
	string = json_string(ascii);
	free(ascii);
	return string;
}

static json_t *json_run(const struct sim_options *options, const struct sim_workload *workload,
			u64 simulated_ns)
{
	json_t *traces = json_array(), *run;
	int i;

	for (i = 0; i < options->nr_traces; i++)
		json_array_append_new(traces, sim_json_text(options->traces[i]));
	run = json_pack("{s:o, s:I, s:I, s:I, s:b, s:I, s:b, s:I, s:I, s:I, s:I}",
			"traces", traces,
			"requests", (json_int_t)workload->nr,
			"bytes", (json_int_t)bytes_moved(workload),
			"simulated_ns", simulated_ns,
			"closed", options->closed,
			"depth", (json_int_t)options->depth,
			"fold", options->fold,
			"read_ns", options->read_ns,
			"write_ns", options->write_ns,
			"flush_ns", options->flush_ns,
			"dram_ns", options->dram_ns);
	if (options->plan.skip_bad)
		json_object_set_new(run, "skipped_lines", json_integer(workload->skipped));
	return run;
}

static void json_cache(json_t *all, const struct ssdc_engine *e, bool histograms)
{
	unsigned int kind;

	json_object_set_new(all, "ratios", json_ratios(e));
	json_object_set_new(all, "stats", sim_json_stats(ssdc_core_stat_table, ssdc_nr_core_stats, e));
	for (kind = 0; kind < SSDC_NR_KINDS; kind++)
		json_object_set_new(all, ssdc_kind_name(kind), json_plugin(plugin_of(e, kind)));
	json_object_set_new(all, "latency", json_latency(host_latency, e, histograms));
}

/**
 * sim_report_json() - the results, as an object
 * @e: engine after the run; NULL with --no-cache
 * @flash: the origin, or NULL; its statistics are brought up to date
 * @options: command line
 * @workload: what was run
 * @simulated_ns: time at the end
 * @histograms: with the histograms of latencies
 */
json_t *sim_report_json(const struct ssdc_engine *e, struct ssdf_device *flash,
			const struct sim_options *options, const struct sim_workload *workload,
			u64 simulated_ns, bool histograms)
{
	json_t *all = json_pack("{s:i}", "schema", 1);

	if (options->command) {
		json_object_set_new(all, "version", json_string(SSDC_VERSION));
		json_object_set_new(all, "command", sim_json_text(options->command));
	}
	if (flash)
		ssdf_update_stats(flash, simulated_ns);
	if (e) {
		json_object_set_new(all, "config", json_config(e, options));
		json_object_set_new(all, "params", json_params(ssdc_core_tunable_table,
							       ssdc_nr_core_tunables,
							       &e->tunables));
	}
	json_object_set_new(all, "run", json_run(options, workload, simulated_ns));
	if (e)
		json_cache(all, e, histograms);
	if (options->choice)
		json_object_set_new(all, "auto", sim_auto_json(options->choice));
	if (options->shadows)
		json_object_set_new(all, "shadow", sim_shadow_json(options->shadows));
	if (flash)
		json_object_set_new(all, "flash", json_flash(flash, &options->flash, simulated_ns, histograms));
	return all;
}

static void report_json(const struct ssdc_engine *e, struct ssdf_device *flash,
			const struct sim_options *options, const struct sim_workload *workload,
			u64 simulated_ns)
{
	json_t *all = sim_report_json(e, flash, options, workload, simulated_ns, true);

	if (json_dumpf(all, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER))
		output_failed(errno);
	putchar('\n');
	json_decref(all);
}

/**
 * sim_report() - print the results
 * @e: engine after the run; NULL with --no-cache
 * @flash: the origin, or NULL
 * @options: command line
 * @workload: what was run
 * @simulated_ns: time at the end
 */
void sim_report(const struct ssdc_engine *e, struct ssdf_device *flash,
		const struct sim_options *options, const struct sim_workload *workload,
		u64 simulated_ns)
{
	if (options->json)
		report_json(e, flash, options, workload, simulated_ns);
	else
		report_text(e, flash, options, workload, simulated_ns);
	if (!end_of_output())
		exit(TOOL_FAILED);
}
