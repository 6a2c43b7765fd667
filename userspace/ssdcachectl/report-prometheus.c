// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots in the text format of Prometheus, version 0.0.4, as node_exporter's textfile collector reads it.
 *
 * All samples of a metric must follow each other, whatever device they are of. So the samples are collected first, and printed
 * metric by metric. Names and help come from the descriptor tables: ssdcache_NAME for the target's own statistics,
 * ssdcache_KIND_NAME for those of a plug-in; counters end in _total. Times are in seconds, as Prometheus wants them.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../common/memory.h"
#include "report.h"

#define NAME_LEN	(2 * SNAPSHOT_WORD_LEN)

/* Bounds of latencies: powers of two, from about 1 us to about 17 s. The buckets of the histograms do not cross them. */
#define FIRST_BOUND	10
#define LAST_BOUND	34
/* The same for holds of the lock, from 64 ns. Their histogram has powers of two, and its last bucket no end. */
#define FIRST_HOLD	6
#define NR_HOLDS	32
#define NS_PER_SECOND	1e9

/* A value of a label, in quotes. Readers drop a whole file for a byte that is not UTF-8. */
static void print_label(FILE *out, const char *text)
{
	json_t *string = report_string(text);
	const char *at = json_string_value(string);

	putc('"', out);
	for (; at && *at; at++) {
		if (*at == '"' || *at == '\\')
			putc('\\', out);
		putc(iscntrl((unsigned char)*at) ? '?' : *at, out);
	}
	putc('"', out);
	json_decref(string);
}

/* @samples: what @out has been given, once that is flushed */
struct metric {
	struct metric *next;
	char name[NAME_LEN];
	const char *type;
	const char *help, *unit;
	char *samples;
	size_t size;
	FILE *out;
};

struct report_prometheus {
	struct metric *first;
	struct metric **last;
};

/**
 * report_prometheus_begin() - start a report about any number of devices
 *
 * Return: for report_prometheus_add() and report_prometheus_end(), which frees it.
 */
struct report_prometheus *report_prometheus_begin(void)
{
	struct report_prometheus *report = xcalloc(1, sizeof(*report));

	report->last = &report->first;
	return report;
}

/* Metrics have names of letters, digits and underscores; plug-ins of other modules may use others. */
static void clean_metric(char clean[NAME_LEN], const char *name)
{
	snprintf(clean, NAME_LEN, "%s", name);
	for (; *clean; clean++)
		if (!isalnum((unsigned char)*clean))
			*clean = '_';
}

/* Where the samples of a metric go. @help and @unit stay valid until the end of the report; @unit may be "". */
static FILE *metric(struct report_prometheus *report, const char *name, const char *type, const char *help, const char *unit)
{
	struct metric *at;
	char clean[NAME_LEN];

	clean_metric(clean, name);
	for (at = report->first; at; at = at->next)
		if (!strcmp(at->name, clean))
			return at->out;
	at = xcalloc(1, sizeof(*at));
	memcpy(at->name, clean, sizeof(clean));
	at->type = type;
	at->help = help;
	at->unit = unit;
	at->out = open_memstream(&at->samples, &at->size);
	if (!at->out)
		die(TOOL_FAILED, "stats: no memory");
	*report->last = at;
	report->last = &at->next;
	return at->out;
}

/* Begin a sample: its name with the label "device". Its other labels, "} " and its value follow. */
static FILE *sample(struct report_prometheus *report, const struct snapshot *snap, const char *name, const char *suffix,
		    const char *type, const char *help, const char *unit)
{
	FILE *out = metric(report, name, type, help, unit);
	char clean[NAME_LEN];

	clean_metric(clean, name);
	fprintf(out, "%s%s{device=", clean, suffix);
	print_label(out, snap->dev.name);
	return out;
}

/* One more label of a sample, with the first @len bytes of @text */
static void add_label(FILE *out, const char *name, const char *text, size_t len)
{
	char value[SNAPSHOT_TEXT_LEN];

	snprintf(value, sizeof(value), "%.*s", (int)len, text);
	fprintf(out, ",%s=", name);
	print_label(out, value);
}

/* A number of a row that has one for each candidate. One whose name cannot be read has its number as a name, so that no two are the same. */
static void add_candidate(FILE *out, const struct snapshot *snap, const struct snapshot_item *item, unsigned int i)
{
	const struct snapshot_item *names = snapshot_find(&snap->stats[CATALOG_AUTO], "candidates");
	const char *at = names ? names->text : "";
	unsigned int skip;

	if (!item->stat || !item->stat->nr)
		return;
	for (skip = i; skip && *at; skip--)
		at += strcspn(at, " ") + (at[strcspn(at, " ")] == ' ');
	if (*at)
		add_label(out, "candidate", at, strcspn(at, " "));
	else
		fprintf(out, ",candidate=\"%u\"", i);
}

/*
 * The name of a time, NAME_ns or NAME_us, becomes NAME_seconds.
 *
 * Return: how many of its units a second has; 0 of what is no time.
 */
static uint64_t name_in_seconds(char name[NAME_LEN])
{
	static const struct {
		const char *suffix;
		uint64_t per_second;
	} units[] = { { "_ns", 1000000000 }, { "_us", 1000000 }, { "_ms", 1000 } };
	size_t len = strlen(name), i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (len < 3 || strcmp(name + len - 3, units[i].suffix))
			continue;
		snprintf(name + len - 3, NAME_LEN - (len - 3), "_seconds");
		return units[i].per_second;
	}
	return 0;
}

/* The end of a sample. @per_second: units of @value in a second, a power of ten; 0: it is no time */
static void print_value(FILE *out, uint64_t value, uint64_t per_second)
{
	if (per_second)
		fprintf(out, "} %" PRIu64 ".%09" PRIu64 "\n", value / per_second, value % per_second * (1000000000 / per_second));
	else
		fprintf(out, "} %" PRIu64 "\n", value);
}

static const char *prefix(const struct snapshot *snap)
{
	return device_target_name(snap->dev.target);
}

static const char *item_help(unsigned int section, const struct snapshot_item *item)
{
	if (item->stat)
		return item->stat->doc;
	if (section == CATALOG_HOLDS && !strcmp(item->name, "longest"))
		return "the longest hold of the lock; unit: ns";
	return "a statistic of another version of the module";
}

/* A statistic is a sample, or one for each number of a row or for each channel. */
static void add_item(struct report_prometheus *report, const struct snapshot *snap, unsigned int section,
		     const struct snapshot_item *item)
{
	const char *kind = catalog_section_name(section), *text = item->text;
	bool counter = item->stat && item->stat->kind == SSDC_COUNTER, quotient = snapshot_is_thousandths(item);
	char name[NAME_LEN], quotient_text[32];
	unsigned int i = 0;
	uint64_t value, per_second;
	int used;

	if (section == CATALOG_CORE)
		snprintf(name, sizeof(name), "%s_%s", prefix(snap), item->name);
	else if (section == CATALOG_CHANNELS)
		snprintf(name, sizeof(name), "%s_%s", prefix(snap), kind);
	else
		snprintf(name, sizeof(name), "%s_%s_%s", prefix(snap), kind, item->name);
	per_second = name_in_seconds(name);
	if (counter)
		strncat(name, "_total", sizeof(name) - strlen(name) - 1);
	for (; sscanf(text, "%" SCNu64 "%n", &value, &used) == 1; text += used, i++) {
		FILE *out = sample(report, snap, name, "", counter ? "counter" : "gauge",
				   item_help(section, item),
				   item->stat && !quotient && !per_second ? item->stat->unit : "");

		if (section == CATALOG_CHANNELS)
			add_label(out, "channel", item->name, strlen(item->name));
		else if (section == CATALOG_AUTO || section == CATALOG_SHADOW)
			add_candidate(out, snap, item, i);
		else if (section < SSDC_NR_KINDS && section < snap->nr_words)
			add_label(out, "policy", snap->words[section].text, strcspn(snap->words[section].text, ":"));
		if (item->stat && item->stat->nr && section < CATALOG_AUTO)
			fprintf(out, ",index=\"%u\"", i);
		if (quotient)
			fprintf(out, "} %s\n", snapshot_item_text(item, quotient_text, sizeof(quotient_text)));
		else
			print_value(out, value, per_second);
	}
}

/* What stats/holds has as numbers of its own, and add_holds() as a histogram */
static bool is_of_holds(unsigned int section, const struct snapshot_item *item)
{
	return section == CATALOG_HOLDS &&
	       (!strcmp(item->name, "histogram") || !strcmp(item->name, "sum_ns") || !strcmp(item->name, "count"));
}

static void add_holds(struct report_prometheus *report, const struct snapshot *snap)
{
	static const char name[] = "ssdcache_hold_seconds";
	static const char help[] = "how long the lock was held, while the parameter holds of the module was on";
	const struct snapshot_item *histogram = snapshot_find(&snap->stats[CATALOG_HOLDS], "histogram");
	const struct snapshot_item *sum = snapshot_find(&snap->stats[CATALOG_HOLDS], "sum_ns");
	const char *text = histogram ? histogram->text : "";
	uint64_t count = 0, of_bucket;
	unsigned int bucket;
	FILE *out;
	int used;

	if (!histogram || !sum)
		return;
	/* Bucket N has holds below 2^N ns. */
	for (bucket = 0; bucket < NR_HOLDS; bucket++) {
		if (sscanf(text, "%" SCNu64 "%n", &of_bucket, &used) == 1) {
			count += of_bucket;
			text += used;
		}
		if (bucket < FIRST_HOLD || bucket == NR_HOLDS - 1)
			continue;
		out = sample(report, snap, name, "_bucket", "histogram", help, "");
		fprintf(out, ",le=\"%.9g\"} %" PRIu64 "\n", (1ULL << bucket) / NS_PER_SECOND, count);
	}
	out = sample(report, snap, name, "_bucket", "histogram", help, "");
	fprintf(out, ",le=\"+Inf\"} %" PRIu64 "\n", count);
	out = sample(report, snap, name, "_sum", "histogram", help, "");
	print_value(out, sum->value, NS_PER_SECOND);
	out = sample(report, snap, name, "_count", "histogram", help, "");
	print_value(out, count, 0);
}

static void add_latency(struct report_prometheus *report, const struct snapshot *snap, unsigned int op)
{
	static const char help[] = "latencies of requests";
	const struct snapshot_latency *of = &snap->latency[op];
	uint64_t count = 0, mean_ns = of->values[1], below = 0;
	unsigned int bound;
	char name[NAME_LEN];
	size_t i = 0;
	FILE *out;

	snprintf(name, sizeof(name), "%s_request_duration_seconds", prefix(snap));
	/* The count beside the mean was read a moment earlier, and may be smaller. */
	for (i = 0; i < of->nr_buckets; i++)
		count += of->buckets[i].count;
	i = 0;
	for (bound = FIRST_BOUND; bound <= LAST_BOUND; bound++) {
		for (; i < of->nr_buckets && of->buckets[i].high_ns < 1ULL << bound; i++)
			below += of->buckets[i].count;
		out = sample(report, snap, name, "_bucket", "histogram", help, "");
		fprintf(out, ",op=\"%s\",le=\"%.9g\"} %" PRIu64 "\n", ssdc_op_names[op], (1ULL << bound) / NS_PER_SECOND, below);
	}
	out = sample(report, snap, name, "_bucket", "histogram", help, "");
	fprintf(out, ",op=\"%s\",le=\"+Inf\"} %" PRIu64 "\n", ssdc_op_names[op], count);
	out = sample(report, snap, name, "_sum", "histogram", help, "");
	add_label(out, "op", ssdc_op_names[op], strlen(ssdc_op_names[op]));
	/* Where only the rounded mean is known, the sum may shrink, which readers take for a reset. */
	print_value(out, of->has_sum ? of->sum_ns : mean_ns * count, NS_PER_SECOND);
	out = sample(report, snap, name, "_count", "histogram", help, "");
	fprintf(out, ",op=\"%s\"} %" PRIu64 "\n", ssdc_op_names[op], count);
}

/* The configuration, as labels of a sample whose value is 1. */
static void add_info(struct report_prometheus *report, const struct snapshot *snap)
{
	char name[NAME_LEN];
	unsigned int i;
	FILE *out;

	snprintf(name, sizeof(name), "%s_info", prefix(snap));
	out = sample(report, snap, name, "", "gauge", "the device and its configuration", "");
	fputs(",origin=", out);
	print_label(out, snap->origin);
	fputs(",state=", out);
	print_label(out, snap->state);
	for (i = 0; i < snap->nr_words; i++) {
		fprintf(out, ",%s=", snap->words[i].name);
		print_label(out, snap->words[i].text);
	}
	fputs("} 1\n", out);
	if (snap->dev.target != DEVICE_CACHE)
		return;
	/* Apart from ssdcache_failed, which is a statistic. */
	out = sample(report, snap, "ssdcache_origin_failed", "", "gauge", "1: writing to the origin has failed", "");
	fprintf(out, "} %d\n", strcmp(snap->first_error, "0") && snap->first_error[0]);
	out = sample(report, snap, "ssdcache_frames", "", "gauge", "pages of the DRAM tier", "");
	fprintf(out, "} %" PRIu64 "\n", snap->frames);
	out = sample(report, snap, "ssdcache_page_bytes", "", "gauge", "size of a page", "");
	fprintf(out, "} %" PRIu64 "\n", snap->page_bytes);
}

/**
 * report_prometheus_add() - add a device to a report
 * @report: from report_prometheus_begin()
 * @snap: snapshot of depth SNAPSHOT_ALL; copied
 */
void report_prometheus_add(struct report_prometheus *report, const struct snapshot *snap)
{
	unsigned int i;
	size_t j;

	add_info(report, snap);
	for (i = 0; i < CATALOG_SECTIONS; i++)
		for (j = 0; j < snap->stats[i].nr; j++)
			if (!is_of_holds(i, &snap->stats[i].items[j]))
				add_item(report, snap, i, &snap->stats[i].items[j]);
	add_holds(report, snap);
	for (i = 0; i < SSDC_NR_OPS; i++)
		add_latency(report, snap, i);
}

/**
 * report_prometheus_end() - print a report, and free it
 * @report: from report_prometheus_begin()
 */
void report_prometheus_end(struct report_prometheus *report)
{
	struct metric *at, *next;

	for (at = report->first; at; at = next) {
		next = at->next;
		if (fclose(at->out))
			die(TOOL_FAILED, "stats: no memory");
		printf("# HELP %s %s%s%s\n# TYPE %s %s\n%s", at->name, at->help, at->unit[0] ? "; unit: " : "", at->unit,
		       at->name, at->type, at->samples);
		free(at->samples);
		free(at);
	}
	free(report);
}
