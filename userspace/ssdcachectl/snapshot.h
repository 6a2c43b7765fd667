/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parameters, state and statistics of a device at one moment, in the order of the descriptor
 * tables; unknown ones follow, sorted by name.
 */
#ifndef SSDCACHECTL_SNAPSHOT_H
#define SSDCACHECTL_SNAPSHOT_H

#include "catalog.h"

#define SNAPSHOT_WORD_LEN	128
/* The longest text that is no list of lines: the names of all candidates. Not a page: kernels with large pages show more than 4 KiB. */
#define SNAPSHOT_TEXT_LEN	(2 * SSDC_SPEC_LEN * SSDC_AUTO_MAX_CANDIDATES)
#define SNAPSHOT_LATENCIES	8
#define SNAPSHOT_MAX_WORDS	(SSDC_NR_KINDS + 2)
#define SNAPSHOT_AUTO_ADMISSION	"auto_admission"

/**
 * struct snapshot_item - a parameter or a statistic
 * @name: as in sysfs
 * @text: as read: a word, or the numbers of a row
 * @is_number: @text is a plain number
 * @value: that number
 * @tunable: descriptor of a parameter, NULL if not known
 * @stat: descriptor of a statistic, NULL if not known
 */
struct snapshot_item {
	char name[SNAPSHOT_WORD_LEN];
	char text[SNAPSHOT_TEXT_LEN];
	bool is_number;
	uint64_t value;
	const struct ssdc_tunable *tunable;
	const struct ssdc_stat *stat;
};

struct snapshot_section {
	size_t nr;
	struct snapshot_item *items;
};

struct snapshot_bucket {
	uint64_t low_ns;
	uint64_t high_ns;
	uint64_t count;
};

/**
 * struct snapshot_latency - latencies of one operation
 * @values: by snapshot_latency_names
 * @has_sum: the module gives @sum_ns; older versions do not
 * @sum_ns: exact sum of all latencies; the mean is rounded
 * @nr_buckets: of the histogram
 * @buckets: those that are not empty; NULL unless requested
 */
struct snapshot_latency {
	uint64_t values[SNAPSHOT_LATENCIES];
	bool has_sum;
	uint64_t sum_ns;
	size_t nr_buckets;
	struct snapshot_bucket *buckets;
};

/* The configuration of a device: its plug-ins, or its profile. */
struct snapshot_word {
	const char *name;
	char text[SSDC_SPEC_LEN];
};

/* A field that a target does not have is 0 or "". */
struct snapshot {
	struct device dev;
	double time;		/* seconds since 1970 */
	double clock;		/* seconds, CLOCK_MONOTONIC */
	char origin[256];	/* path */
	char origin_number[64];	/* as in the table */
	char state[64];
	char first_error[64];
	char last_error[512];
	uint64_t dram_bytes;
	uint64_t page_bytes;
	uint64_t frames;
	uint64_t page_overhead_bytes;
	uint64_t memory_bytes;
	unsigned int nr_words;
	/* Of a cache: by kind; then "auto" and "auto_admission", if it chooses these. */
	struct snapshot_word words[SNAPSHOT_MAX_WORDS];
	struct snapshot_section params[CATALOG_SECTIONS];
	struct snapshot_section stats[CATALOG_SECTIONS];
	struct snapshot_latency latency[SSDC_NR_OPS];
};

/**
 * struct snapshot_ratio - a quotient of statistics
 * @name: in JSON and CSV; NULL ends a table
 * @label: in text
 * @over: the numerator: a sum of statistics, NULL-terminated
 * @under: the denominator: a statistic, or "frames"
 * @percent: shown as a percentage in text
 */
struct snapshot_ratio {
	const char *name;
	const char *label;
	const char *over[8];
	const char *under;
	bool percent;
};

extern const char *const snapshot_latency_names[SNAPSHOT_LATENCIES];

enum snapshot_depth {
	SNAPSHOT_PARAMS,	/* no statistics */
	SNAPSHOT_STATS,		/* both, without histograms */
	SNAPSHOT_ALL,
};

const char *snapshot_word(const struct snapshot *snap, const char *name);
bool snapshot_read(const struct device *dev, enum snapshot_depth depth, struct snapshot *snap);
void snapshot_free(struct snapshot *snap);
const struct snapshot_item *snapshot_find(const struct snapshot_section *section,
					  const char *name);
uint64_t snapshot_param(const struct snapshot *snap, const char *name);
uint64_t snapshot_dies(const struct snapshot *snap);
bool snapshot_is_thousandths(const struct snapshot_item *item);
const char *snapshot_item_text(const struct snapshot_item *item, char *buf, size_t size);
bool snapshot_is_counter(const struct snapshot_item *item);
uint64_t snapshot_since(const struct snapshot_section *before, const struct snapshot_item *item);
uint64_t snapshot_in_tier(const struct snapshot *snap, uint64_t pages);
const struct snapshot_ratio *snapshot_ratios(enum device_target target);
bool snapshot_ratio_value(const struct snapshot_ratio *ratio, const struct snapshot *snap,
		    const struct snapshot *before, double *value);

#endif /* SSDCACHECTL_SNAPSHOT_H */
