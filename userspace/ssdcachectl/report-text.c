// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots as text for people: grouped, aligned, with ratios, and rates when
 * there is an earlier snapshot to compare with.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "report.h"

/* Which statistics of the core stand together. Gauges have a group of their own. */
static const struct {
	const char *title;
	const char *names[15];
} groups[] = {
	{ "Requests", { "reads", "writes", "flushes", "discards", "fua_writes", "read_bytes",
			"write_bytes", "failed_requests" } },
	{ "Pages", { "read_pages", "read_hits", "admitted_reads", "bypassed_reads", "write_pages",
		     "write_hits", "write_absorbed", "dropped_pages" } },
	{ "Eviction and flush", { "evictions", "evicted_pages", "evicted_clean", "batch_flushed",
				  "early_flushes", "early_flushed", "forced_flushed",
				  "periodic_flushed", "retry_flushed", "pad_flushed",
				  "padded_pages", "fills", "sync_passes" } },
	{ "Waits and errors", { "frame_waits", "page_waits", "read_errors", "write_errors" } },
};

/* One report being written. */
struct page {
	FILE *out;
	const struct snapshot *snap;
	const struct snapshot *before;	/* NULL: no rates */
	double span;			/* seconds from @before to @snap */
};

#define NR_GROUPS (sizeof(groups) / sizeof(groups[0]))

static bool in_group(size_t group, const char *name)
{
	size_t i;

	for (i = 0; groups[group].names[i]; i++)
		if (!strcmp(groups[group].names[i], name))
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
	char value[32];

	fprintf(page->out, "  %-18s %19s", item->name,
		item->is_number ? thousands(item->value, value, sizeof(value)) : item->text);
	if (item->stat && !before)
		fprintf(page->out, " %-9s %s", item->stat->unit, item->stat->doc);
	else if (snapshot_is_counter(item))
		fprintf(page->out, " %-9s %14.1f/s", item->stat->unit,
			snapshot_since(&before->stats[section], item) / page->span);
	else if (item->stat)
		fprintf(page->out, " %s", item->stat->unit);
	fputc('\n', page->out);
}

static void print_title(const struct page *page, const char *title, const char *detail,
			bool *first)
{
	if (*first)
		fprintf(page->out, "\n%s%s%s\n", title, *detail ? " " : "", detail);
	*first = false;
}

/* The group an item of the core belongs to: one of groups[], then gauges, then others. */
static size_t group_of(const struct snapshot_item *item)
{
	size_t group;

	if (item->stat && item->stat->kind == SSDC_GAUGE)
		return NR_GROUPS;
	for (group = 0; group < NR_GROUPS; group++)
		if (in_group(group, item->name))
			return group;
	return NR_GROUPS + 1;
}

static void print_group(const struct page *page, size_t group, const char *title)
{
	const struct snapshot_section *section = &page->snap->stats[CATALOG_CORE];
	bool first = true;
	size_t i;

	for (i = 0; i < section->nr; i++) {
		if (group_of(&section->items[i]) != group)
			continue;
		print_title(page, title, "", &first);
		print_item(page, CATALOG_CORE, &section->items[i]);
	}
}

static void print_plugins(const struct page *page)
{
	static const char *const titles[SSDC_NR_KINDS] = {
		[SSDC_REPLACEMENT] = "Replacement",
		[SSDC_ADMISSION] = "Admission",
		[SSDC_PREFETCH] = "Prefetch",
	};
	unsigned int i;
	size_t j;

	for (i = 0; i < SSDC_NR_KINDS; i++) {
		bool first = true;

		for (j = 0; j < page->snap->stats[i].nr; j++) {
			print_title(page, titles[i], page->snap->spec[i], &first);
			print_item(page, i, &page->snap->stats[i].items[j]);
		}
	}
}

static void print_ratio(const struct page *page, const struct snapshot_ratio *ratio,
			const struct snapshot *before)
{
	double value;

	if (!snapshot_ratio(ratio, page->snap, before, &value))
		fprintf(page->out, " %10s", "-");
	else if (ratio->percent)
		fprintf(page->out, " %9.2f%%", 100 * value);
	else
		fprintf(page->out, " %10.2f", value);
}

static void print_ratios(const struct page *page)
{
	unsigned int i;

	fprintf(page->out, "\nRatios%*s\n", page->before ? 61 : 0,
		page->before ? "now     in all" : "");
	for (i = 0; i < SNAPSHOT_RATIOS; i++) {
		fprintf(page->out, "  %-43s", snapshot_ratios[i].label);
		if (page->before)
			print_ratio(page, &snapshot_ratios[i], page->before);
		print_ratio(page, &snapshot_ratios[i], NULL);
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

static void print_head(const struct page *page)
{
	const struct snapshot *snap = page->snap;
	char dram[32], unit[32];
	unsigned int i;

	ssdc_print_size(snap->dram_bytes, dram, sizeof(dram));
	ssdc_print_size(snap->page_bytes, unit, sizeof(unit));
	fprintf(page->out, "%s (%s): %s of DRAM over %s, %" PRIu64 " pages of %s, state %s\n",
		snap->dev.name, snap->dev.kernel, dram, snap->origin, snap->frames, unit,
		snap->state);
	for (i = 0; i < SSDC_NR_KINDS; i++)
		fprintf(page->out, "  %-12s %s\n", ssdc_kind_name((enum ssdc_kind)i),
			snap->spec[i]);
	if (snap->last_error[0] && strcmp(snap->last_error, "none"))
		fprintf(page->out, "  %-12s %s\n", "last error", snap->last_error);
}

/**
 * report_text() - print a snapshot for people, what matters most first
 * @out: where to
 * @snap: snapshot of depth SNAPSHOT_STATS or more
 * @before: an earlier one to show rates since, or NULL
 */
void report_text(FILE *out, const struct snapshot *snap, const struct snapshot *before)
{
	struct page page = { out, snap, before, before ? snap->clock - before->clock : 0 };
	size_t group;

	if (page.span <= 0)
		page.before = NULL;
	print_head(&page);
	print_ratios(&page);
	print_latency(&page);
	print_group(&page, NR_GROUPS, "Now");
	for (group = 0; group < NR_GROUPS; group++)
		print_group(&page, group, groups[group].title);
	print_group(&page, NR_GROUPS + 1, "Others");
	print_plugins(&page);
}
