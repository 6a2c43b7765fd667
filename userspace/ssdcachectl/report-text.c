// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots as text for people: grouped, aligned, with ratios, and rates when
 * there is an earlier snapshot to compare with.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "report.h"

/* Groups of statistics of the core. Gauges are a group of their own. */
struct group {
	const char *title;		/* NULL ends a table */
	const char *names[16];	/* NULL after the last */
};

static const struct group cache_groups[] = {
	{ "Requests", { "reads", "writes", "flushes", "discards", "fua_writes", "read_bytes",
			"write_bytes", "failed_requests" } },
	{ "Pages", { "read_pages", "read_hits", "admitted_reads", "bypassed_reads", "write_pages",
		     "write_hits", "write_absorbed", "moved_writes", "dropped_pages" } },
	{ "Eviction and flush", { "evictions", "evicted_pages", "evicted_clean", "thrash_events",
				  "batch_flushed", "early_flushes", "early_flushed", "forced_flushed",
				  "periodic_flushed", "retry_flushed", "pad_flushed",
				  "padded_pages", "through_flushed", "fills",
				  "sync_passes" } },
	{ "Plug-ins", { "exact_views", "estimated_views", "plugin_steps", "plugin_step_ns" } },
	{ "Waits and errors", { "frame_waits", "page_waits", "read_errors", "write_errors",
				"flush_errors" } },
	{ .title = NULL }
};

/* First if there is a prefetcher. */
static const struct group prefetch_group = {
	"Prefetch", { "prefetched_pages", "prefetch_hits", "prefetch_late_hits", "prefetch_unused",
		      "prefetch_errors" }
};

static const struct group flash_groups[] = {
	{ "Host", { "host_bytes_read", "host_bytes_written", "host_reads", "host_programs",
		    "merge_reads", "read_retries", "buffered_reads", "trimmed_reads", "trimmed_pages" } },
	{ "Blocks apart", { "stream_programs", "hot_programs" } },
	{ "Map cache", { "map_hits", "map_misses", "map_reads", "map_writes" } },
	{ "Garbage collection", { "gc_runs", "gc_reads", "gc_programs", "erases", "wear_runs" } },
	{ "Waits", { "blocked_reads", "stalled_writes" } },
	{ "Planes together", { "multi_plane_reads", "multi_plane_programs" } },
	{ "Reads ahead of transfers", { "cached_reads" } },
	{ "Suspended", { "suspended_programs", "suspended_erases" } },
	{ .title = NULL }
};

/* One report being written. */
struct page {
	FILE *out;
	const struct snapshot *snap;
	const struct snapshot *before;	/* NULL: no rates */
	double span;			/* seconds from @before to @snap */
};

/* Statistics that are in no table. */
static const struct group gauges = { "Now", { NULL } };
static const struct group others = { "Others", { NULL } };

static const struct group *groups_of(enum device_target target)
{
	return target == DEVICE_FLASH ? flash_groups : cache_groups;
}

static bool in_group(const struct group *group, const char *name)
{
	size_t i;

	for (i = 0; group->names[i]; i++)
		if (!strcmp(group->names[i], name))
			return true;
	return false;
}

/* 1234567 as "1,234,567" */
static const char *thousands(uint64_t value, char *buf, size_t size)
{
	size_t at = size;
	int digits = 0;

	buf[--at] = '\0';
	do {
		if (digits && digits % 3 == 0)
			buf[--at] = ',';
		buf[--at] = '0' + value % 10;
		value /= 10;
		digits++;
	} while (value);
	return buf + at;
}

static void print_item(const struct page *page, unsigned int section,
		       const struct snapshot_item *item)
{
	const struct snapshot *before = page->before;
	const char *unit = item->stat ? item->stat->unit : "";
	char value[32];

	if (snapshot_is_thousandths(item)) {
		unit = "";
		fprintf(page->out, "  %-18s %19s", item->name, snapshot_item_text(item, value, sizeof(value)));
	} else {
		fprintf(page->out, "  %-18s %19s", item->name,
			item->is_number ? thousands(item->value, value, sizeof(value)) : item->text);
	}
	if (item->stat && !before)
		fprintf(page->out, " %-9s %s", unit, item->stat->doc);
	else if (snapshot_is_counter(item))
		fprintf(page->out, " %-9s %14.1f/s", unit,
			snapshot_since(&before->stats[section], item) / page->span);
	else if (*unit)
		fprintf(page->out, " %s", unit);
	fputc('\n', page->out);
}

static void print_title(const struct page *page, const char *title, const char *detail,
			bool *first)
{
	if (*first)
		fprintf(page->out, "\n%s%s%s\n", title, *detail ? " " : "", detail);
	*first = false;
}

/* The group an item of the core belongs to. */
static const struct group *group_of(const struct page *page, const struct snapshot_item *item)
{
	const struct group *group;

	if (item->stat && item->stat->kind == SSDC_GAUGE)
		return &gauges;
	for (group = groups_of(page->snap->dev.target); group->title; group++)
		if (in_group(group, item->name))
			return group;
	return in_group(&prefetch_group, item->name) ? &prefetch_group : &others;
}

static void print_group(const struct page *page, const struct group *group)
{
	const struct snapshot_section *section = &page->snap->stats[CATALOG_CORE];
	bool first = true;
	size_t i;

	for (i = 0; i < section->nr; i++) {
		if (group_of(page, &section->items[i]) != group)
			continue;
		print_title(page, group->title, "", &first);
		print_item(page, CATALOG_CORE, &section->items[i]);
	}
}

/* Has the lock been measured? */
static bool has_holds(const struct snapshot *snap)
{
	const struct snapshot_item *count = snapshot_find(&snap->stats[CATALOG_HOLDS], "count");

	return count && count->value;
}

/* A line for each bucket of the histogram that is not empty. */
static void print_hold_histogram(const struct page *page, const struct snapshot_item *item)
{
	const char *text = item->text;
	uint64_t low = 0, count;
	int used;

	fprintf(page->out, "  %-18s\n", "from (ns)");
	while (sscanf(text, "%" SCNu64 "%n", &count, &used) == 1) {
		char value[32];

		if (count)
			fprintf(page->out, "  %18" PRIu64 " %19s holds\n", low, thousands(count, value, sizeof(value)));
		low = low ? 2 * low : 1;
		text += used;
	}
}

/* A plug-in, channels, or the lock. */
static void print_section(const struct page *page, unsigned int section)
{
	static const char *const titles[CATALOG_SECTIONS] = {
		[SSDC_REPLACEMENT] = "Replacement",
		[SSDC_ADMISSION] = "Admission",
		[SSDC_PREFETCH] = "Prefetch",
		[CATALOG_CHANNELS] = "Channels",
		[CATALOG_HOLDS] = "Holds of the lock (parameter holds of the module)",
		[CATALOG_AUTO] = "Auto",
		[CATALOG_SHADOW] = "Shadows",
	};
	const struct snapshot *snap = page->snap;
	bool first = true;
	size_t i;

	if (section == CATALOG_CORE || (section == CATALOG_HOLDS && !has_holds(snap)))
		return;
	for (i = 0; i < snap->stats[section].nr; i++) {
		print_title(page, titles[section],
			    section < SSDC_NR_KINDS && section < snap->nr_words ?
			    snap->words[section].text : "", &first);
		if (section == CATALOG_HOLDS && !strcmp(snap->stats[section].items[i].name, "histogram"))
			print_hold_histogram(page, &snap->stats[section].items[i]);
		else
			print_item(page, section, &snap->stats[section].items[i]);
	}
}

static bool has_prefetcher(const struct snapshot *snap)
{
	return SSDC_PREFETCH < snap->nr_words && strcmp(snap->words[SSDC_PREFETCH].text, "none");
}

static void print_prefetch(const struct page *page)
{
	print_group(page, &prefetch_group);
	print_section(page, SSDC_PREFETCH);
}

static void print_ratio(const struct page *page, const struct snapshot_ratio *ratio,
			const struct snapshot *before)
{
	double value;

	if (!snapshot_ratio_value(ratio, page->snap, before, &value))
		fprintf(page->out, " %10s", "-");
	else if (ratio->percent)
		fprintf(page->out, " %9.2f%%", 100 * value);
	else
		fprintf(page->out, " %10.2f", value);
}

static void print_ratios(const struct page *page)
{
	const struct snapshot_ratio *ratio;

	fprintf(page->out, "\nRatios%*s\n", page->before ? 61 : 0,
		page->before ? "now     in all" : "");
	for (ratio = snapshot_ratios(page->snap->dev.target); ratio->name; ratio++) {
		fprintf(page->out, "  %-43s", ratio->label);
		if (page->before)
			print_ratio(page, ratio, page->before);
		print_ratio(page, ratio, NULL);
		fputc('\n', page->out);
	}
}

static void print_latency(const struct page *page)
{
	unsigned int i, j;

	fprintf(page->out, "\nLatency (us)%10s %10s %10s %10s %10s %10s %10s %10s\n", "requests",
		"mean", "p50", "p90", "p99", "p99.9", "max", "worst 1%");
	for (i = 0; i < SSDC_NR_OPS; i++) {
		const uint64_t *values = page->snap->latency[i].values;

		fprintf(page->out, "  %-8s %11" PRIu64, ssdc_op_names[i], values[0]);
		for (j = 1; j < SNAPSHOT_LATENCIES; j++) {
			if (values[0])
				fprintf(page->out, " %10.1f", values[j] / 1000.0);
			else
				fprintf(page->out, " %10s", "-");
		}
		fputc('\n', page->out);
	}
}

static void print_cache(const struct page *page)
{
	const struct snapshot *snap = page->snap;
	char dram[32], unit[32];

	ssdc_print_size(snap->dram_bytes, dram, sizeof(dram));
	ssdc_print_size(snap->page_bytes, unit, sizeof(unit));
	fprintf(page->out, "%s of DRAM over %s, %" PRIu64 " pages of %s", dram, snap->origin,
		snap->frames, unit);
}

static void print_flash(const struct page *page)
{
	const struct snapshot *snap = page->snap;
	char unit[32];

	ssdc_print_size(snapshot_param(snap, "page_bytes"), unit, sizeof(unit));
	fprintf(page->out, "flash of %" PRIu64 " channel%s, %" PRIu64 " die%s over %s, pages of %s",
		snapshot_param(snap, "channels"), plural(snapshot_param(snap, "channels")), snapshot_dies(snap), plural(snapshot_dies(snap)),
		snap->origin, unit);
}

static void print_head(const struct page *page)
{
	const struct snapshot *snap = page->snap;
	char name[sizeof(snap->dev.name)];
	unsigned int i;

	memcpy(name, snap->dev.name, sizeof(name));
	fprintf(page->out, "%s (%s): ", make_printable(name), snap->dev.kernel);
	if (snap->dev.target == DEVICE_FLASH)
		print_flash(page);
	else
		print_cache(page);
	fprintf(page->out, ", state %s\n", snap->state);
	for (i = 0; i < snap->nr_words; i++)
		fprintf(page->out, "  %-12s %s\n", snap->words[i].name, snap->words[i].text);
	if (snap->last_error[0] && strcmp(snap->last_error, "none"))
		fprintf(page->out, "  %-12s %s\n", "last error", snap->last_error);
}

/**
 * report_text() - print a snapshot for people, the most important first
 * @out: destination
 * @snap: snapshot of depth SNAPSHOT_STATS or more
 * @before: an earlier one to show rates since, or NULL
 */
void report_text(FILE *out, const struct snapshot *snap, const struct snapshot *before)
{
	struct page page = { out, snap, before, before ? snap->clock - before->clock : 0 };
	bool prefetch_first = has_prefetcher(snap);
	const struct group *group;
	unsigned int i;

	if (page.span <= 0)
		page.before = NULL;
	print_head(&page);
	print_ratios(&page);
	print_latency(&page);
	if (prefetch_first)
		print_prefetch(&page);
	print_group(&page, &gauges);
	for (group = groups_of(snap->dev.target); group->title; group++)
		print_group(&page, group);
	print_group(&page, &others);
	if (!prefetch_first)
		print_prefetch(&page);
	for (i = 0; i < CATALOG_SECTIONS; i++)
		if (i != SSDC_PREFETCH)
			print_section(&page, i);
}
