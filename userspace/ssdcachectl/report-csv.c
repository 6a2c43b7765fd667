// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots as CSV. The first one fixes the columns. A change of policy, or of auto, may bring values that have no column, which are not
 * shown, and leave columns without a value, which are empty.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report.h"

struct column {
	unsigned int section;
	char name[SNAPSHOT_WORD_LEN];
};

struct report_csv {
	unsigned int nr_words;
	const char *words[SNAPSHOT_MAX_WORDS];
	size_t nr;
	struct column columns[];
};

/* A word that may hold commas. */
static void print_quoted(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"')
			putchar('"');
		putchar(*text);
	}
	putchar('"');
}

/* A text, in quotes if it needs them. */
static void print_text(const char *text)
{
	if (text[strcspn(text, "\",")])
		print_quoted(text);
	else
		printf("%s", text);
}

static void print_name(const struct column *column)
{
	char name[SNAPSHOT_WORD_LEN + 32];

	snprintf(name, sizeof(name), "%s.%s", catalog_section_name(column->section), column->name);
	print_text(column->section == CATALOG_CORE ? column->name : name);
}

static void print_header(const struct report_csv *csv, const struct snapshot *snap)
{
	const struct snapshot_ratio *ratio;
	unsigned int i, j;
	size_t c;

	printf("time,name,state");
	for (i = 0; i < csv->nr_words; i++)
		printf(",%s", csv->words[i]);
	for (c = 0; c < csv->nr; c++) {
		const struct column *column = &csv->columns[c];

		putchar(',');
		print_name(column);
	}
	for (ratio = snapshot_ratios(snap->dev.target); ratio->name; ratio++)
		printf(",%s", ratio->name);
	for (i = 0; i < SSDC_NR_OPS; i++)
		for (j = 0; j < SNAPSHOT_LATENCIES; j++)
			printf(",%s_%s", ssdc_op_names[i], snapshot_latency_names[j]);
	putchar('\n');
}

/**
 * report_csv_begin() - choose the columns and print the header
 * @snap: the first snapshot
 *
 * Return: state for report_csv_row() and report_csv_end(); NULL without memory.
 */
struct report_csv *report_csv_begin(const struct snapshot *snap)
{
	struct report_csv *csv;
	size_t nr = 0, j;
	unsigned int i, n;

	for (i = 0; i < CATALOG_SECTIONS; i++)
		nr += snap->stats[i].nr;
	csv = malloc(sizeof(*csv) + nr * sizeof(csv->columns[0]));
	if (!csv)
		return NULL;
	csv->nr_words = snap->nr_words;
	for (i = 0; i < snap->nr_words; i++)
		csv->words[i] = snap->words[i].name;
	csv->nr = 0;
	/* The core's first. */
	for (n = 0; n < CATALOG_SECTIONS; n++) {
		i = (n + CATALOG_CORE) % CATALOG_SECTIONS;
		for (j = 0; j < snap->stats[i].nr; j++) {
			struct column *column = &csv->columns[csv->nr++];

			column->section = i;
			memcpy(column->name, snap->stats[i].items[j].name, sizeof(column->name));
		}
	}
	print_header(csv, snap);
	return csv;
}

/**
 * report_csv_row() - print a snapshot
 * @csv: from report_csv_begin()
 * @snap: snapshot
 */
void report_csv_row(const struct report_csv *csv, const struct snapshot *snap)
{
	const struct snapshot_ratio *ratio;
	char name[sizeof(snap->dev.name)], text[32];
	unsigned int i, j;
	double value;
	size_t c;

	printf("%.3f,", snap->time);
	memcpy(name, snap->dev.name, sizeof(name));
	print_quoted(make_printable(name));
	putchar(',');
	print_quoted(snap->state);
	for (i = 0; i < csv->nr_words; i++) {
		const char *word = snapshot_word(snap, csv->words[i]);

		putchar(',');
		if (word)
			print_quoted(word);
	}
	for (c = 0; c < csv->nr; c++) {
		const struct snapshot_item *item =
			snapshot_find(&snap->stats[csv->columns[c].section], csv->columns[c].name);

		putchar(',');
		print_text(item ? snapshot_item_text(item, text, sizeof(text)) : "");
	}
	for (ratio = snapshot_ratios(snap->dev.target); ratio->name; ratio++) {
		putchar(',');
		if (snapshot_ratio_value(ratio, snap, NULL, &value))
			printf("%.6f", value);
	}
	for (i = 0; i < SSDC_NR_OPS; i++)
		for (j = 0; j < SNAPSHOT_LATENCIES; j++)
			printf(",%" PRIu64, snap->latency[i].values[j]);
	putchar('\n');
}

/**
 * report_csv_end() - free what report_csv_begin() allocated
 * @csv: its result
 */
void report_csv_end(struct report_csv *csv)
{
	free(csv);
}
