// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots as JSON.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report.h"

/**
 * report_number() - a number; null if it is too large for readers of JSON
 * @value: the number
 */
json_t *report_number(uint64_t value)
{
	return value > INT64_MAX ? json_null() : json_integer((json_int_t)value);
}

/**
 * report_string() - a string; '?' stands for what is not UTF-8
 * @text: the string
 */
json_t *report_string(const char *text)
{
	json_t *string = json_string(text);
	char *copy, *at;

	if (string)
		return string;
	copy = strdup(text);
	for (at = copy; at && *at; at++)
		if (*at & 0x80)
			*at = '?';
	string = json_string(copy ? copy : "");
	free(copy);
	return string;
}

/* Numbers separated by spaces -> an array. */
static json_t *row_value(const char *text)
{
	json_t *row = json_array();
	unsigned long long value;
	int used;

	while (sscanf(text, "%llu%n", &value, &used) == 1) {
		json_array_append_new(row, report_number(value));
		text += used;
	}
	return row;
}

static json_t *item_value(const struct snapshot_item *item)
{
	if (item->stat && item->stat->nr)
		return row_value(item->text);
	return item->is_number ? report_number(item->value) : report_string(item->text);
}

static void cache_facts(json_t *facts, const struct snapshot *snap)
{
	json_object_set_new(facts, "dram_bytes", report_number(snap->dram_bytes));
	json_object_set_new(facts, "page_bytes", report_number(snap->page_bytes));
	json_object_set_new(facts, "frames", report_number(snap->frames));
	json_object_set_new(facts, "page_overhead_bytes",
			    report_number(snap->page_overhead_bytes));
	json_object_set_new(facts, "first_error", report_string(snap->first_error));
}

/**
 * report_facts() - the common part of "list" and "stats": the device and its configuration
 * @snap: snapshot
 */
json_t *report_facts(const struct snapshot *snap)
{
	json_t *facts = json_object();
	unsigned int i;

	json_object_set_new(facts, "name", report_string(snap->dev.name));
	json_object_set_new(facts, "device", report_string(snap->dev.kernel));
	json_object_set_new(facts, "target",
			    json_string(device_target_name(snap->dev.target)));
	json_object_set_new(facts, "origin", report_string(snap->origin));
	json_object_set_new(facts, "origin_number", report_string(snap->origin_number));
	json_object_set_new(facts, "state", report_string(snap->state));
	if (snap->dev.target == DEVICE_FLASH)
		json_object_set_new(facts, "memory_bytes", report_number(snap->memory_bytes));
	else
		cache_facts(facts, snap);
	json_object_set_new(facts, "last_error", report_string(snap->last_error));
	for (i = 0; i < snap->nr_words; i++)
		json_object_set_new(facts, snap->words[i].name, report_string(snap->words[i].text));
	return facts;
}

/*
 * {"core item": …, "replacement": {…}, "admission": {…}, "prefetch": {…}, "holds": {…}}, or
 * {"item": …, "channel_busy_ns": {"0": …}}; channels and the lock have no parameters.
 */
static json_t *sections(enum device_target target, const struct snapshot_section *sections)
{
	json_t *object = json_object(), *inner;
	unsigned int i;
	size_t j;

	for (i = 0; i < CATALOG_SECTIONS; i++) {
		if (!catalog_has(target, i) || (catalog_is_optional(i) && !sections[i].nr))
			continue;
		inner = i == CATALOG_CORE ? json_incref(object) : json_object();
		for (j = 0; j < sections[i].nr; j++)
			json_object_set_new(inner, sections[i].items[j].name,
					    item_value(&sections[i].items[j]));
		if (i == CATALOG_CORE)
			json_decref(inner);
		else
			json_object_set_new(object, catalog_section_name(i), inner);
	}
	return object;
}

static json_t *ratios(const struct snapshot *snap)
{
	const struct snapshot_section *core = &snap->stats[CATALOG_CORE];
	const struct snapshot_ratio *ratio;
	json_t *object = json_object();
	double value;
	size_t i;

	for (ratio = snapshot_ratios(snap->dev.target); ratio->name; ratio++) {
		bool any = snapshot_ratio_value(ratio, snap, NULL, &value);

		json_object_set_new(object, ratio->name, any ? json_real(value) : json_null());
	}
	for (i = 0; i < core->nr; i++)
		if (snapshot_is_thousandths(&core->items[i]))
			json_object_set_new(object, core->items[i].name, json_real(core->items[i].value / 1e3));
	return object;
}

static json_t *latency(const struct snapshot_latency *of)
{
	json_t *object = json_object(), *histogram = json_array();
	size_t i;

	for (i = 0; i < SNAPSHOT_LATENCIES; i++)
		json_object_set_new(object, snapshot_latency_names[i],
				    report_number(of->values[i]));
	for (i = 0; i < of->nr_buckets; i++) {
		json_t *bucket = json_array();

		json_array_append_new(bucket, report_number(of->buckets[i].low_ns));
		json_array_append_new(bucket, report_number(of->buckets[i].high_ns));
		json_array_append_new(bucket, report_number(of->buckets[i].count));
		json_array_append_new(histogram, bucket);
	}
	json_object_set_new(object, "histogram", histogram);
	return object;
}

/**
 * report_json() - a whole snapshot
 * @snap: snapshot of depth SNAPSHOT_ALL
 */
json_t *report_json(const struct snapshot *snap)
{
	json_t *root = json_object(), *facts = report_facts(snap), *all = json_object();
	unsigned int i;

	json_object_set_new(root, "schema", json_integer(CTL_SCHEMA));
	json_object_set_new(root, "time", json_real(snap->time));
	json_object_update(root, facts);
	json_decref(facts);
	json_object_set_new(root, "params", sections(snap->dev.target, snap->params));
	json_object_set_new(root, "stats", sections(snap->dev.target, snap->stats));
	json_object_set_new(root, "ratios", ratios(snap));
	for (i = 0; i < SSDC_NR_OPS; i++)
		json_object_set_new(all, ssdc_op_names[i], latency(&snap->latency[i]));
	json_object_set_new(root, "latency", all);
	return root;
}

/**
 * report_print() - print and free a JSON value
 * @root: the value
 * @one_line: on one line, for programs
 *
 * Return: TOOL_OK or TOOL_FAILED (reported).
 */
int report_print(json_t *root, bool one_line)
{
	size_t flags = JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15) |
		       (one_line ? JSON_COMPACT : JSON_INDENT(2));
	int error = 0;
	bool failed;

	errno = 0;
	if (json_dumpf(root, stdout, flags))
		error = errno ? errno : ENOMEM;
	failed = ferror(stdout);
	json_decref(root);
	putchar('\n');
	if (failed)
		output_failed(error);
	else if (error)
		return fail("cannot make JSON: %s", strerror(error));
	return failed ? TOOL_FAILED : TOOL_OK;
}
