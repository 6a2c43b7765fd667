// SPDX-License-Identifier: GPL-2.0
/* Parse, print and reset values by descriptor table. */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/stdarg.h>
#include <linux/string.h>
#include "describe.h"

const char *const ssdc_off_on[] = { "off", "on", NULL };
EXPORT_SYMBOL_GPL(ssdc_off_on);

/**
 * ssdc_finding() - say what a check found
 * @finding: receives the text
 * @format: as printf()
 *
 * Return: -EUCLEAN.
 */
int ssdc_finding(struct ssdc_error *finding, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vscnprintf(finding->text, sizeof(finding->text), format, args);
	va_end(args);
	return -EUCLEAN;
}
EXPORT_SYMBOL_GPL(ssdc_finding);

/**
 * ssdc_tunables_default() - set every tunable of a structure to its default
 * @table: descriptors
 * @nr: number of descriptors
 * @base: the structure
 */
void ssdc_tunables_default(const struct ssdc_tunable *table, unsigned int nr, void *base)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		*ssdc_tunable_at(&table[i], base) = table[i].def;
}

/**
 * ssdc_stat_print() - print a statistic, or all numbers of a row
 * @stat: descriptor
 * @base: the structure
 * @buf: destination
 * @size: size of @buf
 *
 * Context: the lock that guards @base.
 * Return: characters written.
 */
int ssdc_stat_print(const struct ssdc_stat *stat, const void *base, char *buf, size_t size)
{
	unsigned int i;
	int at = 0;

	for (i = 0; i < ssdc_stat_count(stat); i++)
		at += scnprintf(buf + at, size - at, "%s%llu", i ? " " : "",
				(unsigned long long)ssdc_stat_read_at(stat, base, i));
	return at;
}

/* Is a statistic of a cache the sum over its shards? */
static bool adds_up(const struct ssdc_stat *stat)
{
	static const char *const amounts[] = {
		"pages", "bytes", "sectors", "blocks", "requests", "states", "patterns", "us",
	};
	unsigned int i;

	if (stat->kind == SSDC_COUNTER)
		return true;
	for (i = 0; i < ARRAY_SIZE(amounts); i++)
		if (!strcmp(stat->unit, amounts[i]))
			return true;
	return false;
}

/**
 * ssdc_stat_merge() - add the numbers of a shard to those of the cache
 * @stat: descriptor
 * @base: structure of the shard that the table describes
 * @numbers: numbers of the cache, a whole row; 0 before the first shard
 *
 * Counters add up, and so do gauges of amounts, such as pages. Other gauges are thresholds, shares
 * and means: for these, the largest value of a shard stands for the cache.
 *
 * Context: the lock that guards @base.
 */
void ssdc_stat_merge(const struct ssdc_stat *stat, const void *base, u64 *numbers)
{
	bool sum = adds_up(stat);
	unsigned int i;

	for (i = 0; i < ssdc_stat_count(stat); i++) {
		u64 number = ssdc_stat_read_at(stat, base, i);

		numbers[i] = sum ? numbers[i] + number : max(numbers[i], number);
	}
}

/**
 * ssdc_stats_reset() - zero the counters of a structure, leave its gauges
 * @table: descriptors
 * @nr: number of descriptors
 * @base: the structure
 *
 * Context: the lock that guards @base.
 */
void ssdc_stats_reset(const struct ssdc_stat *table, unsigned int nr, void *base)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (table[i].kind == SSDC_COUNTER)
			memset((char *)base + table[i].offset, 0,
			       table[i].width * ssdc_stat_count(&table[i]));
}

/**
 * ssdc_tunable_find() - look up a tunable by name
 * @table: descriptors
 * @nr: number of descriptors
 * @key: name, not necessarily terminated
 * @key_len: length of @key
 *
 * Return: the descriptor or NULL.
 */
const struct ssdc_tunable *ssdc_tunable_find(const struct ssdc_tunable *table, unsigned int nr,
					     const char *key, size_t key_len)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (strlen(table[i].name) == key_len && !strncmp(table[i].name, key, key_len))
			return &table[i];
	return NULL;
}

static int print_words(const struct ssdc_tunable *tunable, char *buf, size_t size)
{
	unsigned int i;
	int at = 0;

	for (i = 0; tunable->words[i]; i++)
		at += scnprintf(buf + at, size - at, "%s%s", i ? ", " : "", tunable->words[i]);
	return at;
}

/**
 * ssdc_tunable_parse() - parse a tunable's value
 * @tunable: descriptor
 * @value: text, not necessarily terminated
 * @len: length of @value
 * @result: the value, written on success only
 * @error: on failure, names the word and the valid range
 *
 * Return: 0 or -EINVAL.
 */
int ssdc_tunable_parse(const struct ssdc_tunable *tunable, const char *value, size_t len,
		       u32 *result, struct ssdc_error *error)
{
	char range[96];
	unsigned int i;
	u64 number;

	if (tunable->words) {
		for (i = 0; tunable->words[i]; i++) {
			if (strlen(tunable->words[i]) == len &&
			    !strncmp(tunable->words[i], value, len)) {
				*result = i;
				return 0;
			}
		}
		print_words(tunable, range, sizeof(range));
		scnprintf(error->text, sizeof(error->text), "%s: \"%.*s\" is not one of %s",
			  tunable->name, (int)min_t(size_t, len, 40), value, range);
		return -EINVAL;
	}

	if (ssdc_parse_u64(value, len, &number) || number < tunable->min || number > tunable->max) {
		scnprintf(error->text, sizeof(error->text),
			  "%s: \"%.*s\" is not a number from %u to %u%s%s", tunable->name,
			  (int)min_t(size_t, len, 40), value, tunable->min, tunable->max,
			  tunable->unit[0] ? " " : "", tunable->unit);
		return -EINVAL;
	}
	*result = number;
	return 0;
}

/**
 * ssdc_tunable_print() - print a tunable's value as ssdc_tunable_parse() accepts it
 * @tunable: descriptor
 * @value: its value
 * @buf: destination
 * @size: size of @buf
 *
 * Return: characters written.
 */
int ssdc_tunable_print(const struct ssdc_tunable *tunable, u32 value, char *buf, size_t size)
{
	if (tunable->words)
		return scnprintf(buf, size, "%s", tunable->words[value]);
	return scnprintf(buf, size, "%u", value);
}

/**
 * ssdc_parse_u64() - parse a plain decimal number, without sign or spaces
 * @text: digits, not necessarily terminated
 * @len: length of @text
 * @value: the number, written on success only
 *
 * Return: 0, -EINVAL (not a number) or -ERANGE (too large).
 */
int ssdc_parse_u64(const char *text, size_t len, u64 *value)
{
	u64 number = 0;
	size_t i;

	if (!len)
		return -EINVAL;
	for (i = 0; i < len; i++) {
		unsigned int digit = (unsigned char)text[i] - '0';

		if (digit > 9)
			return -EINVAL;
		if (number > (U64_MAX - digit) / 10)
			return -ERANGE;
		number = number * 10 + digit;
	}
	*value = number;
	return 0;
}

/* The power of two that the suffix @c of a size stands for; 0 if @c is no suffix. */
static unsigned int suffix_shift(char c)
{
	switch (c) {
	case 'k': case 'K':
		return 10;
	case 'm': case 'M':
		return 20;
	case 'g': case 'G':
		return 30;
	case 't': case 'T':
		return 40;
	}
	return 0;
}

/* Length of @text without the "b" or "ib" that may follow a suffix: 64mb and 64MiB mean 64m. */
static size_t without_unit(const char *text, size_t len)
{
	size_t end = len;

	if (end < 2 || (text[end - 1] != 'b' && text[end - 1] != 'B'))
		return len;
	end--;
	if (text[end - 1] == 'i')
		end--;
	return end && suffix_shift(text[end - 1]) ? end : len;
}

/**
 * ssdc_parse_size() - parse a size in bytes with an optional suffix k, m, g or t (powers of 1024)
 * @text: not necessarily terminated; the suffix may be in upper case, and followed by b or ib
 * @len: length of @text
 * @bytes: the size, written on success only
 *
 * Return: 0, -EINVAL or -ERANGE.
 */
int ssdc_parse_size(const char *text, size_t len, u64 *bytes)
{
	unsigned int shift;
	u64 number;
	int r;

	len = without_unit(text, len);
	shift = len ? suffix_shift(text[len - 1]) : 0;
	r = ssdc_parse_u64(text, shift ? len - 1 : len, &number);
	if (r)
		return r;
	if (shift && number >> (64 - shift))
		return -ERANGE;
	*bytes = number << shift;
	return 0;
}

/**
 * ssdc_print_size() - print a size with the largest suffix that keeps it exact
 * @bytes: the size
 * @buf: destination
 * @size: size of @buf
 *
 * Return: characters written.
 */
int ssdc_print_size(u64 bytes, char *buf, size_t size)
{
	static const char suffix[] = "tgmk";
	unsigned int i;

	for (i = 0; i < 4; i++) {
		unsigned int shift = 40 - 10 * i;

		if (bytes && !(bytes & ((1ULL << shift) - 1)))
			return scnprintf(buf, size, "%llu%c",
					 (unsigned long long)(bytes >> shift), suffix[i]);
	}
	return scnprintf(buf, size, "%llu", (unsigned long long)bytes);
}
