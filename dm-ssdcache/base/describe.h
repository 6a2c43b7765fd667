/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Descriptor tables: one row per tunable and per statistic. These rows are the only source of sysfs
 * files, messages, status, the table line, JSON, CSV, --help and the reference documentation.
 */
#ifndef SSDC_DESCRIBE_H
#define SSDC_DESCRIBE_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/stddef.h>

/**
 * struct ssdc_tunable - a tunable
 * @name: name in table lines, messages and file names
 * @unit: "pages", "us", "percent", …; "" for a count or a choice
 * @doc: one line; says what a larger value does
 * @offset: offset of its u32 in the structure that the table describes
 * @def: default
 * @min: lowest valid value
 * @max: highest valid value
 * @words: NULL, or NULL-terminated names of the values 0, 1, … (@min and @max are then unused)
 */
struct ssdc_tunable {
	const char *name;
	const char *unit;
	const char *doc;
	size_t offset;
	u32 def;
	u32 min;
	u32 max;
	const char *const *words;
};

enum ssdc_stat_kind {
	SSDC_COUNTER,		/* only grows; reset_stats zeroes it */
	SSDC_GAUGE,		/* a level; reset_stats does not change it */
};

/**
 * struct ssdc_stat - a statistic
 * @name: name in sysfs and JSON
 * @unit: "pages", "requests", …; says whether gauges of shards add up: ssdc_stat_merge()
 * @doc: one line
 * @kind: counter or gauge
 * @width: 4 or 8 bytes
 * @nr: 0 for a single number; else the length of a row of numbers, which are printed with spaces
 *	between them, and are an array in JSON
 * @offset: offset in the structure that the table describes
 */
struct ssdc_stat {
	const char *name;
	const char *unit;
	const char *doc;
	enum ssdc_stat_kind kind;
	u8 width;
	u8 nr;
	size_t offset;
};

#define SSDC_STAT(type, member, n, u, k, d) \
	{ .name = (n), .unit = (u), .doc = (d), .kind = (k), \
	  .width = sizeof(((type *)0)->member), .offset = offsetof(type, member) }

/* A statistic that is an array: a row of numbers. */
#define SSDC_STAT_ROW(type, member, n, u, k, d) \
	{ .name = (n), .unit = (u), .doc = (d), .kind = (k), \
	  .width = sizeof(((type *)0)->member[0]), .nr = ARRAY_SIZE(((type *)0)->member), \
	  .offset = offsetof(type, member) }

/* Length of a row; 1 for a single number. */
static inline unsigned int ssdc_stat_count(const struct ssdc_stat *stat)
{
	return stat->nr ? stat->nr : 1;
}

/* Number @i of a row. */
static inline u64 ssdc_stat_read_at(const struct ssdc_stat *stat, const void *base, unsigned int i)
{
	const char *at = (const char *)base + stat->offset + i * stat->width;

	return stat->width == 8 ? *(const u64 *)at : *(const u32 *)at;
}

/* Set number @i of a row. */
static inline void ssdc_stat_write_at(const struct ssdc_stat *stat, void *base, unsigned int i,
				      u64 number)
{
	char *at = (char *)base + stat->offset + i * stat->width;

	if (stat->width == 8)
		*(u64 *)at = number;
	else
		*(u32 *)at = number;
}

static inline u64 ssdc_stat_read(const struct ssdc_stat *stat, const void *base)
{
	return ssdc_stat_read_at(stat, base, 0);
}

static inline u32 *ssdc_tunable_at(const struct ssdc_tunable *tunable, void *base)
{
	return (u32 *)((char *)base + tunable->offset);
}

/* @words of a tunable that is off or on. */
extern const char *const ssdc_off_on[];

#define SSDC_ERROR_LEN 320

/**
 * struct ssdc_error - a one-line error message for the user
 * @text: names the rejected word and the valid ones
 * @unknown: BIT() of the enum ssdc_kind that has no plug-in with the rejected name; @text ends with
 *	the names of that kind. Only ssdc_spec_type() sets this field, so a reader must have zeroed
 *	it before
 */
struct ssdc_error {
	char text[SSDC_ERROR_LEN];
	unsigned int unknown;
};

__printf(2, 3) int ssdc_finding(struct ssdc_error *finding, const char *format, ...);

void ssdc_tunables_default(const struct ssdc_tunable *table, unsigned int nr, void *base);
int ssdc_stat_print(const struct ssdc_stat *stat, const void *base, char *buf, size_t size);
void ssdc_stat_merge(const struct ssdc_stat *stat, const void *base, u64 *numbers);
void ssdc_stats_reset(const struct ssdc_stat *table, unsigned int nr, void *base);
const struct ssdc_tunable *ssdc_tunable_find(const struct ssdc_tunable *table, unsigned int nr,
					     const char *key, size_t key_len);
int ssdc_tunable_parse(const struct ssdc_tunable *tunable, const char *value, size_t len,
		       u32 *result, struct ssdc_error *error);
int ssdc_tunable_print(const struct ssdc_tunable *tunable, u32 value, char *buf, size_t size);
int ssdc_parse_u64(const char *text, size_t len, u64 *value);
int ssdc_parse_size(const char *text, size_t len, u64 *bytes);
int ssdc_print_size(u64 bytes, char *buf, size_t size);

#endif /* SSDC_DESCRIBE_H */
