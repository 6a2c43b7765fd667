// SPDX-License-Identifier: GPL-2.0
/*
 * A snapshot on a terminal of 80 columns and 24 rows: what changes, what it is worth, how long requests take.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "report.h"

#define COLUMNS	79
#define ROWS	8
#define BAR	40

/* A counter, and how it is called here; bytes are shown in MB. */
struct row {
	const char *name;
	const char *label;
};

static const struct row cache_rows[ROWS] = {
	{ "reads", "reads" }, { "writes", "writes" }, { "read_bytes", "MB read" }, { "write_bytes", "MB written" },
	{ "flushes", "FLUSHes" }, { "evicted_pages", "pages evicted" }, { "early_flushed", "flushed early" }, { "frame_waits", "frame waits" },
};

static const struct row flash_rows[ROWS] = {
	{ "host_reads", "pages read" }, { "host_programs", "pages written" }, { "host_bytes_read", "MB read" },
	{ "host_bytes_written", "MB written" }, { "gc_programs", "moved by GC" }, { "gc_runs", "GC blocks" }, { "erases", "erases" },
	{ "stalled_writes", "stalled writes" },
};

/* Shorter than the labels of the full report. */
static const struct row cache_ratio_names[] = {
	{ "read_hit", "read hits" }, { "overwrite_hit", "write hits" }, { "absorbed", "writes absorbed" },
	{ "pages_per_eviction", "pages per eviction" }, { "flushed_per_written", "flushed/written" }, { "hits_per_prefetch", "hits per prefetch" },
	{ "prefetched_share", "prefetched share" }, { "patterns_per_window", "patterns/window" }, { NULL, NULL }
};

static const struct row flash_ratio_names[] = {
	{ "programs_per_write", "amplification" }, { "moved_per_collected", "moved per GC" }, { "blocked_read", "blocked reads" },
	{ "stalled_write", "stalled writes" }, { NULL, NULL }
};

/* A number in at most 9 characters; what is not whole has two decimals below 100. */
static const char *short_number(double value, char *buf, size_t size)
{
	static const char units[] = "kMGTPE";
	int unit = -1;

	if (value < 99999.5) {
		bool whole = value == (uint64_t)value || value >= 9999.95;
		int decimals = whole ? 0 : value < 99.995 ? 2 : 1;

		snprintf(buf, size, "%.*f", decimals, value);
		return buf;
	}
	while (value >= 999.95 && units[unit + 1]) {
		value /= 1000;
		unit++;
	}
	snprintf(buf, size, "%.1f%c", value, units[unit]);
	return buf;
}

static void print_counter(FILE *out, const struct snapshot *snap, const struct snapshot *before, double span, const struct row *row)
{
	const struct snapshot_item *item = snapshot_find(&snap->stats[CATALOG_CORE], row->name);
	double scale = strncmp(row->label, "MB ", 3) ? 1 : 1e-6;
	char rate[32] = "-", all[32] = "-";

	if (item && before)
		short_number(snapshot_since(&before->stats[CATALOG_CORE], item) * scale / span, rate, sizeof(rate));
	if (item)
		short_number(item->value * scale, all, sizeof(all));
	fprintf(out, "%-14s %9s %12s", row->label, rate, all);
}

static const struct snapshot_ratio *find_ratio(const struct snapshot *snap, const char *name)
{
	const struct snapshot_ratio *ratio;

	for (ratio = snapshot_ratios(snap->dev.target); ratio->name; ratio++)
		if (!strcmp(ratio->name, name))
			return ratio;
	return NULL;
}

static void print_value(FILE *out, const struct snapshot_ratio *ratio, const struct snapshot *snap, const struct snapshot *before)
{
	char text[32];
	double value;

	if (!ratio || !snapshot_ratio_value(ratio, snap, before, &value))
		fprintf(out, " %9s", "-");
	else if (ratio->percent)
		fprintf(out, " %8.2f%%", 100 * value);
	else
		fprintf(out, " %9s", short_number(value, text, sizeof(text)));
}

static void print_rows(FILE *out, const struct snapshot *snap, const struct snapshot *before, double span)
{
	bool flash = snap->dev.target == DEVICE_FLASH;
	const struct row *ratios = flash ? flash_ratio_names : cache_ratio_names;
	const struct row *rows = flash ? flash_rows : cache_rows;
	unsigned int i;

	fprintf(out, "%-14s %9s %12s   %-18s %9s %9s\n", "", "per s", "in all", "ratios", "now", "in all");
	for (i = 0; i < ROWS; i++) {
		print_counter(out, snap, before, span, &rows[i]);
		if (ratios->name) {
			const struct snapshot_ratio *ratio = find_ratio(snap, ratios->name);

			fprintf(out, "   %-18s", ratios->label);
			if (before)
				print_value(out, ratio, snap, before);
			else
				fprintf(out, " %9s", "-");
			print_value(out, ratio, snap, NULL);
			ratios++;
		}
		fputc('\n', out);
	}
}

static void print_latency(FILE *out, const struct snapshot *snap)
{
	static const unsigned int shown[] = { 1, 2, 4, 5, 6 };
	char text[32];
	unsigned int op, i;

	fprintf(out, "\nlatency (us)    requests       mean        p50        p99      p99.9        max\n");
	for (op = 0; op < SSDC_NR_OPS; op++) {
		const uint64_t *values = snap->latency[op].values;

		fprintf(out, "  %-8s %13s", ssdc_op_names[op], short_number(values[0], text, sizeof(text)));
		for (i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
			fprintf(out, " %10s", values[0] ? short_number(values[shown[i]] / 1000.0, text, sizeof(text)) : "-");
		fputc('\n', out);
	}
}

static uint64_t level(const struct snapshot *snap, const char *name)
{
	const struct snapshot_item *item = snapshot_find(&snap->stats[CATALOG_CORE], name);

	return item ? item->value : 0;
}

/* DRAM as a bar: dirty pages, clean ones, free frames. */
static void print_dram(FILE *out, const struct snapshot *snap)
{
	uint64_t frames = snap->frames ? snap->frames : 1;
	uint64_t used = snapshot_in_tier(snap, level(snap, "used"));
	uint64_t dirty = snapshot_in_tier(snap, level(snap, "dirty"));
	unsigned int i, full = (double)used / frames * BAR + 0.5, dark = (double)dirty / frames * BAR + 0.5;
	char bar[BAR + 1];

	for (i = 0; i < BAR; i++)
		bar[i] = i < dark ? '#' : i < full ? '=' : '.';
	bar[BAR] = '\0';
	fprintf(out, "\nDRAM [%s] #dirty %.1f%% =used %.1f%%\n", bar, 100.0 * dirty / frames, 100.0 * used / frames);
}

static void print_flash(FILE *out, const struct snapshot *snap)
{
	char valid[32], blocks[32], flight[32];

	fprintf(out, "\nvalid pages %s, free blocks %s, channels busy %.1f%%, in flight %s\n",
		short_number(level(snap, "valid_pages"), valid, sizeof(valid)),
		short_number(level(snap, "free_blocks"), blocks, sizeof(blocks)), level(snap, "utilisation") / 10.0,
		short_number(level(snap, "inflight"), flight, sizeof(flight)));
}

/* What a plug-in has now, as far as the line is long. */
static void print_levels(FILE *out, const struct snapshot *snap, unsigned int section)
{
	const struct snapshot_section *stats = &snap->stats[section];
	char line[COLUMNS + 1] = "", part[SNAPSHOT_WORD_LEN + 32], text[32];
	size_t i, len = 0;

	for (i = 0; i < stats->nr; i++) {
		const struct snapshot_item *item = &stats->items[i];

		if (!item->is_number || snapshot_is_counter(item))
			continue;
		snprintf(part, sizeof(part), "%s%s %s", len ? ", " : "", item->name, short_number(item->value, text, sizeof(text)));
		if (len + strlen(part) > COLUMNS)
			break;
		strcpy(line + len, part);
		len += strlen(part);
	}
	if (len)
		fprintf(out, "%s\n", line);
}

static void print_head(FILE *out, const struct snapshot *snap)
{
	char dram[32] = "", name[sizeof(snap->dev.name)], line[1024];
	unsigned int i;
	size_t len;

	memcpy(name, snap->dev.name, sizeof(name));
	if (snap->dev.target == DEVICE_CACHE)
		ssdc_print_size(snap->dram_bytes, dram, sizeof(dram));
	snprintf(line, sizeof(line), "%s (%s): state %s, %s%s over %s", make_printable(name),
		 snap->dev.kernel, snap->state, *dram ? dram : "flash", *dram ? " of DRAM" : "", snap->origin);
	fprintf(out, "%.*s\n", COLUMNS, line);
	for (i = 0, len = 0; i < snap->nr_words && len < sizeof(line); i++)
		len += snprintf(line + len, sizeof(line) - len, "%s%s", i ? ", " : "", snap->words[i].text);
	fprintf(out, "%.*s\n\n", COLUMNS, line);
}

/**
 * report_screen() - print a snapshot in at most 23 lines of at most 79 columns
 * @out: destination
 * @snap: snapshot of depth SNAPSHOT_STATS or more
 * @before: an earlier one, for what happens now; NULL: none
 */
void report_screen(FILE *out, const struct snapshot *snap, const struct snapshot *before)
{
	double span = before ? snap->clock - before->clock : 0;

	if (span <= 0)
		before = NULL;
	print_head(out, snap);
	print_rows(out, snap, before, span);
	print_latency(out, snap);
	if (snap->dev.target == DEVICE_FLASH) {
		print_flash(out, snap);
	} else {
		print_dram(out, snap);
		print_levels(out, snap, SSDC_REPLACEMENT);
	}
	if (snap->last_error[0] && strcmp(snap->last_error, "none"))
		fprintf(out, "%.*s\n", COLUMNS, snap->last_error);
}
