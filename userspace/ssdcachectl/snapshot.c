// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters, state and statistics of a device at one moment.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "../common/number.h"
#include "snapshot.h"

#define MAX_TRIES	4

const char *const snapshot_latency_names[SNAPSHOT_LATENCIES] = {
	"count", "mean_ns", "p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns", "worst1_mean_ns",
};

static const struct snapshot_ratio cache_ratios[] = {
	{ "read_hit", "page reads that hit", { "read_hits" }, "read_pages", true },
	{ "overwrite_hit", "page writes that hit", { "write_hits" }, "write_pages", true },
	{ "absorbed", "page writes absorbed without an eviction", { "write_absorbed" },
	  "write_pages", true },
	{ "pages_per_eviction", "pages per eviction", { "evicted_pages" }, "evictions", false },
	{ "flushed_per_written", "pages flushed per page written",
	  { "batch_flushed", "early_flushed", "forced_flushed", "periodic_flushed",
	    "retry_flushed", "pad_flushed", "through_flushed" }, "write_pages", false },
	{ "hits_per_prefetch", "hits per prefetched page, late hits included",
	  { "prefetch_hits", "prefetch_late_hits" }, "prefetched_pages", false },
	{ "prefetched_share", "DRAM that prefetched pages hold", { "prefetched" }, "frames", true },
	{ "patterns_per_window", "patterns per mined window", { "mined_patterns" },
	  "mined_windows", false },
	{ .name = NULL }
};

static const struct snapshot_ratio flash_ratios[] = {
	{ "programs_per_write", "write amplification: programs per host page",
	  { "host_programs", "gc_programs" }, "host_programs", false },
	{ "moved_per_collected", "pages moved per block collected", { "gc_programs" }, "gc_runs",
	  false },
	{ "blocked_read", "page reads that met a program, erase or GC", { "blocked_reads" },
	  "host_reads", true },
	{ "stalled_write", "page writes that waited for a free block", { "stalled_writes" },
	  "host_programs", true },
	{ .name = NULL }
};

/**
 * snapshot_in_tier() - pages, for their share of DRAM
 * @snap: snapshot of a cache
 * @pages: its statistic "used" or "dirty", which includes pages in the reserve
 *
 * Return: at most the frames of the tier, as in the line of status.
 */
uint64_t snapshot_in_tier(const struct snapshot *snap, uint64_t pages)
{
	return pages < snap->frames ? pages : snap->frames;
}

/**
 * snapshot_ratios() - the quotients of a target's statistics
 * @target: the target
 *
 * Return: a table that ends with a NULL name.
 */
const struct snapshot_ratio *snapshot_ratios(enum device_target target)
{
	return target == DEVICE_FLASH ? flash_ratios : cache_ratios;
}

static double seconds(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* Place of an item in its descriptor table; behind its end if it is not there. */
static size_t place(const struct snapshot_item *item, const struct catalog_tables *tables)
{
	if (item->tunable)
		return item->tunable - tables->tunables;
	if (item->stat)
		return item->stat - tables->stats;
	return SIZE_MAX;
}

/* Insertion sort: the items are few, and sorted by name already. */
static void sort_items(struct snapshot_section *section, const struct catalog_tables *tables)
{
	struct snapshot_item item;
	size_t i, j;

	for (i = 1; i < section->nr; i++) {
		item = section->items[i];
		for (j = i; j && place(&section->items[j - 1], tables) > place(&item, tables); j--)
			section->items[j] = section->items[j - 1];
		section->items[j] = item;
	}
}

static void read_section(const struct device *dev, const char *folder, bool stats,
			 const struct catalog_tables *tables, struct snapshot_section *section)
{
	char attribute[512], **names;
	size_t nr = device_files(dev, folder, &names), i;

	section->items = calloc(nr ? nr : 1, sizeof(*section->items));
	for (i = 0; section->items && i < nr; i++) {
		struct snapshot_item *item = &section->items[section->nr];

		snprintf(attribute, sizeof(attribute), "%s/%s", folder, names[i]);
		snprintf(item->name, sizeof(item->name), "%s", names[i]);
		/* A list of lines, not a statistic: see "advise --live". */
		if (!strcmp(names[i], "decisions"))
			continue;
		/* Files may vanish: a plug-in being replaced removes its own. */
		if (!device_text(dev, attribute, item->text, sizeof(item->text)))
			continue;
		make_printable(item->name);
		make_printable(item->text);
		item->is_number = parse_number(item->text, 0, UINT64_MAX, &item->value);
		if (stats)
			item->stat = catalog_stat(tables, names[i]);
		else
			item->tunable = catalog_tunable(tables, names[i]);
		section->nr++;
	}
	free_names(names, nr);
	sort_items(section, tables);
}

static void read_sections(struct snapshot *snap, const char *top, bool stats,
			  struct snapshot_section *sections)
{
	struct catalog_tables tables;
	char folder[128];
	unsigned int i;

	for (i = 0; i < CATALOG_SECTIONS; i++) {
		if (!catalog_has(snap->dev.target, i))
			continue;
		tables = catalog_find_tables(snap->dev.target, i,
					i < snap->nr_words ? snap->words[i].text : "");
		snprintf(folder, sizeof(folder), i == CATALOG_CORE ? "%s" : "%s/%s", top,
			 catalog_section_name(i));
		read_section(&snap->dev, folder, stats, &tables, &sections[i]);
	}
}

static void read_histogram(const struct device *dev, const char *op,
			   struct snapshot_latency *latency)
{
	char *text = malloc(SYSFS_TEXT_LEN), attribute[128], *at;
	unsigned long long low, high, count;
	size_t lines = 1;
	int used;

	snprintf(attribute, sizeof(attribute), "stats/latency/%s_histogram", op);
	if (text && device_text(dev, attribute, text, SYSFS_TEXT_LEN)) {
		for (at = text; *at; at++)
			lines += *at == '\n';
		latency->buckets = calloc(lines, sizeof(*latency->buckets));
		at = text;
		while (latency->buckets && latency->nr_buckets < lines &&
		       sscanf(at, "%llu %llu %llu%n", &low, &high, &count, &used) == 3) {
			latency->buckets[latency->nr_buckets++] =
				(struct snapshot_bucket){ low, high, count };
			at += used;
		}
	}
	free(text);
}

static void read_latency(const struct device *dev, const char *op,
			 struct snapshot_latency *latency)
{
	char attribute[128], text[1024], name[32];
	unsigned long long value;
	const char *at = text;
	unsigned int i;
	int used;

	snprintf(attribute, sizeof(attribute), "stats/latency/%s", op);
	device_text(dev, attribute, text, sizeof(text));
	while (sscanf(at, "%31s %llu%n", name, &value, &used) == 2) {
		for (i = 0; i < SNAPSHOT_LATENCIES; i++)
			if (!strcmp(name, snapshot_latency_names[i]))
				latency->values[i] = value;
		if (!strcmp(name, "sum_ns")) {
			latency->has_sum = true;
			latency->sum_ns = value;
		}
		at += used;
	}
}

/* An attribute that is shown as it is. */
static void read_line(const struct device *dev, const char *name, char *buf, size_t size)
{
	device_text(dev, name, buf, size);
	make_printable(buf);
}

static void read_word(struct snapshot *snap, const char *name)
{
	struct snapshot_word *word = &snap->words[snap->nr_words++];

	word->name = name;
	read_line(&snap->dev, name, word->text, sizeof(word->text));
}

/* What a cache chooses; off, or no such file in a module of an older version: nothing. */
static void read_choice(struct snapshot *snap, const char *name)
{
	read_word(snap, name);
	if (!ssdc_auto_is_spec(snap->words[snap->nr_words - 1].text))
		snap->nr_words--;
}

static void read_words(struct snapshot *snap)
{
	unsigned int i;

	if (snap->dev.target == DEVICE_FLASH)
		read_word(snap, "profile");
	else
		for (i = 0; i < SSDC_NR_KINDS; i++)
			read_word(snap, ssdc_kind_name((enum ssdc_kind)i));
	if (snap->dev.target == DEVICE_FLASH)
		return;
	read_choice(snap, SSDC_AUTO_NAME);
	read_choice(snap, SNAPSHOT_AUTO_ADMISSION);
}

/**
 * snapshot_word() - one of the words of a device
 * @snap: snapshot
 * @name: its name
 *
 * Return: its text; NULL if the device has no such word.
 */
const char *snapshot_word(const struct snapshot *snap, const char *name)
{
	unsigned int i;

	for (i = 0; i < snap->nr_words; i++)
		if (!strcmp(snap->words[i].name, name))
			return snap->words[i].text;
	return NULL;
}

static void free_sections(struct snapshot_section *sections)
{
	unsigned int i;

	for (i = 0; i < CATALOG_SECTIONS; i++)
		free(sections[i].items);
	memset(sections, 0, CATALOG_SECTIONS * sizeof(*sections));
}

/* Has a plug-in been replaced since its words were read? */
static bool is_replaced(const struct snapshot *snap)
{
	struct snapshot now = { .dev = snap->dev };
	unsigned int i;

	read_words(&now);
	for (i = 0; i < now.nr_words && i < snap->nr_words; i++)
		if (strcmp(now.words[i].text, snap->words[i].text))
			return true;
	return now.nr_words != snap->nr_words;
}

/*
 * The plug-ins, with parameters and statistics of the same ones: a switch in between would give those of one policy to another.
 * Somebody may switch all the time, so the last try counts in any case.
 */
static void read_plugins(struct snapshot *snap, bool stats)
{
	int tries = 0;

	do {
		free_sections(snap->params);
		free_sections(snap->stats);
		snap->nr_words = 0;
		read_words(snap);
		read_sections(snap, "params", false, snap->params);
		if (stats)
			read_sections(snap, "stats", true, snap->stats);
	} while (++tries < MAX_TRIES && is_replaced(snap));
}

/**
 * snapshot_read() - read a device
 * @dev: device
 * @depth: how much of it
 * @snap: result; to be freed with snapshot_free() in any case
 *
 * Return: false if the device has gone.
 */
bool snapshot_read(const struct device *dev, enum snapshot_depth depth, struct snapshot *snap)
{
	unsigned int i;

	memset(snap, 0, sizeof(*snap));
	snap->dev = *dev;
	snap->time = seconds(CLOCK_REALTIME);
	snap->clock = seconds(CLOCK_MONOTONIC);
	read_line(dev, "origin", snap->origin_number, sizeof(snap->origin_number));
	device_origin(dev, snap->origin, sizeof(snap->origin));
	make_printable(snap->origin);
	read_line(dev, "state", snap->state, sizeof(snap->state));
	read_line(dev, "first_error", snap->first_error, sizeof(snap->first_error));
	read_line(dev, "last_error", snap->last_error, sizeof(snap->last_error));
	device_u64(dev, "dram_bytes", &snap->dram_bytes);
	device_u64(dev, "page_bytes", &snap->page_bytes);
	device_u64(dev, "frames", &snap->frames);
	device_u64(dev, "page_overhead_bytes", &snap->page_overhead_bytes);
	device_u64(dev, "memory_bytes", &snap->memory_bytes);
	read_plugins(snap, depth >= SNAPSHOT_STATS);
	for (i = 0; depth >= SNAPSHOT_STATS && i < SSDC_NR_OPS; i++)
		read_latency(dev, ssdc_op_names[i], &snap->latency[i]);
	for (i = 0; depth == SNAPSHOT_ALL && i < SSDC_NR_OPS; i++)
		read_histogram(dev, ssdc_op_names[i], &snap->latency[i]);
	return device_there(dev);
}

/**
 * snapshot_free() - free what snapshot_read() allocated
 * @snap: snapshot
 */
void snapshot_free(struct snapshot *snap)
{
	unsigned int i;

	free_sections(snap->params);
	free_sections(snap->stats);
	for (i = 0; i < SSDC_NR_OPS; i++)
		free(snap->latency[i].buckets);
	memset(snap, 0, sizeof(*snap));
}

/**
 * snapshot_find() - an item by name
 * @section: where to look
 * @name: of the item
 *
 * Return: the item or NULL.
 */
const struct snapshot_item *snapshot_find(const struct snapshot_section *section, const char *name)
{
	size_t i;

	for (i = 0; i < section->nr; i++)
		if (!strcmp(section->items[i].name, name))
			return &section->items[i];
	return NULL;
}

/**
 * snapshot_param() - a parameter of the core that is a number
 * @snap: snapshot
 * @name: of the parameter
 *
 * Return: its value, 0 if there is none of that name.
 */
uint64_t snapshot_param(const struct snapshot *snap, const char *name)
{
	const struct snapshot_item *item = snapshot_find(&snap->params[CATALOG_CORE], name);

	return item ? item->value : 0;
}

/**
 * snapshot_dies() - dies of a flash device, in all
 * @snap: snapshot of it
 */
uint64_t snapshot_dies(const struct snapshot *snap)
{
	return snapshot_param(snap, "channels") * snapshot_param(snap, "chips") *
	       snapshot_param(snap, "dies");
}

/**
 * snapshot_is_counter() - is a statistic a counter, which has a rate?
 * @item: a statistic
 */
bool snapshot_is_counter(const struct snapshot_item *item)
{
	return item->is_number && item->stat && item->stat->kind == SSDC_COUNTER;
}

/**
 * snapshot_is_thousandths() - is a statistic a quotient, which the kernel can only have as an integer?
 * @item: a statistic
 */
bool snapshot_is_thousandths(const struct snapshot_item *item)
{
	return item->is_number && item->stat && !item->stat->nr && !strcmp(item->stat->unit, "thousandths");
}

/**
 * snapshot_item_text() - a statistic as users read it
 * @item: a statistic
 * @buf: for the text
 * @size: of @buf
 *
 * Return: the text as read; of a quotient, which the kernel has in thousandths, decimals in @buf.
 */
const char *snapshot_item_text(const struct snapshot_item *item, char *buf, size_t size)
{
	if (!snapshot_is_thousandths(item))
		return item->text;
	snprintf(buf, size, "%" PRIu64 ".%03u", item->value / 1000, (unsigned int)(item->value % 1000));
	return buf;
}

/**
 * snapshot_since() - how much a counter grew
 * @before: the same section earlier
 * @item: the counter now
 *
 * A counter smaller than before was reset: it grew from 0.
 */
uint64_t snapshot_since(const struct snapshot_section *before, const struct snapshot_item *item)
{
	const struct snapshot_item *old = snapshot_find(before, item->name);

	return old && old->value <= item->value ? item->value - old->value : item->value;
}

/* The growth of a counter of the core or the prefetcher, or the level of a gauge. */
static double amount(const struct snapshot *snap, const struct snapshot *before, const char *name)
{
	unsigned int section = CATALOG_CORE;
	const struct snapshot_item *item = snapshot_find(&snap->stats[section], name);

	if (!strcmp(name, "frames"))
		return snap->frames;
	if (!item) {
		section = SSDC_PREFETCH;
		item = snapshot_find(&snap->stats[section], name);
	}
	if (!item)
		return 0;
	return before && snapshot_is_counter(item) ?
		snapshot_since(&before->stats[section], item) : item->value;
}

/**
 * snapshot_ratio_value() - a quotient of statistics
 * @ratio: which
 * @snap: now
 * @before: an earlier snapshot, for the ratio of the interval; NULL: since the last reset
 * @value: result
 *
 * Return: false if the denominator is 0.
 */
bool snapshot_ratio_value(const struct snapshot_ratio *ratio, const struct snapshot *snap,
		    const struct snapshot *before, double *value)
{
	double under = amount(snap, before, ratio->under), over = 0;
	unsigned int i;

	*value = 0;
	if (under <= 0)
		return false;
	for (i = 0; ratio->over[i]; i++)
		over += amount(snap, before, ratio->over[i]);
	*value = over / under;
	return true;
}
