// SPDX-License-Identifier: GPL-2.0
/*
 * Lists of values: "lru,cflru:window=30,gain=2,fifo" has three specs, for a word with '=' but
 * without ':' in front goes on with the parameters of the spec before. "1m..8m" is 1m,2m,4m,8m, and
 * "4m..12m+4m" is 4m,8m,12m. "all" stands for all plug-ins of a kind, "usual" for
 * all but those on request. Of these, opt has no shadow.
 */
#include <stdlib.h>
#include <string.h>
#include "opt.h"
#include "sweep.h"

/* More are surely a mistake, such as a step of one byte. */
#define MAX_VALUES 4096

static void add(struct sweep_axis *axis, const char *value, size_t len)
{
	size_t i;

	for (i = 0; i < axis->nr; i++)
		if (!strncmp(axis->values[i], value, len) && !axis->values[i][len])
			return;
	if (axis->nr == MAX_VALUES)
		die(TOOL_BAD_USAGE, "--%s: more than %u values", axis->def->name, MAX_VALUES);
	axis->values = xrealloc(axis->values, axis->nr + 1, sizeof(*axis->values));
	axis->values[axis->nr] = strndup(value, len);
	if (!axis->values[axis->nr++])
		die(TOOL_FAILED, "no memory");
}

static u64 size_of(const struct sweep_axis *axis, const char *text, size_t len)
{
	return sim_option_size(axis->def->name, text, len, " or a range of sizes such as 1m..128m or 4m..12m+4m");
}

/* An end or a step of a range. */
static u64 bound_of(const struct sweep_axis *axis, const char *text, size_t len)
{
	u64 size = size_of(axis, text, len);

	if (!size)
		die(TOOL_BAD_USAGE, "--%s: a range of sizes has no '%.*s'", axis->def->name, (int)len, text);
	return size;
}

/* The same size is the same text. */
static void add_size(struct sweep_axis *axis, u64 size)
{
	char text[32];

	ssdc_print_size(size, text, sizeof(text));
	add(axis, text, strlen(text));
}

static void add_sizes(struct sweep_axis *axis, const char *item, size_t len)
{
	const char *dots = memmem(item, len, "..", 2), *end = item + len, *plus;
	u64 first, last, step = 0, size;

	if (!dots) {
		add_size(axis, size_of(axis, item, len));
		return;
	}
	plus = memchr(dots, '+', end - dots);
	first = bound_of(axis, item, dots - item);
	last = bound_of(axis, dots + 2, (plus ? plus : end) - dots - 2);
	if (plus)
		step = bound_of(axis, plus + 1, end - plus - 1);
	if (first > last)
		die(TOOL_BAD_USAGE, "--%s: the range '%.*s' ends before its start%s", axis->def->name,
		    (int)len, item, last < SSDC_MIN_PAGE_BYTES ? ": a size without a suffix is in bytes" : "");
	for (size = first; size <= last && size >= first; size += plus ? step : size)
		add_size(axis, size);
}

/* @on_request: those, too, that are compared on request only. */
static void add_all(struct sweep_axis *axis, enum ssdc_kind kind, bool on_request)
{
	const struct ssdc_plugin_type *type = NULL;
	bool has_opt = strcmp(axis->def->name, "shadow");

	while ((type = ssdc_type_next(kind, type)))
		if ((on_request || !type->info.on_request) && (has_opt || type != &sim_opt.plugin))
			add(axis, type->info.name, strlen(type->info.name));
}

static bool is_word(const char *at, const char *end, const char *word)
{
	return (size_t)(end - at) == strlen(word) && !memcmp(at, word, strlen(word));
}

/* The end of the value at @at. */
static const char *end_of(const char *at, bool is_spec)
{
	const char *comma = strchrnul(at, ','), *next;

	while (is_spec && *comma) {
		next = comma + 1;
		if (next[strcspn(next, ":=,")] != '=')
			break;
		comma = strchrnul(next, ',');
	}
	return comma;
}

/**
 * sweep_axis_is_list() - has an option more values than a run takes? Ends the program if one is empty
 * @def: option
 * @value: its value
 */
bool sweep_axis_is_list(const struct option_def *def, const char *value)
{
	enum sim_axis form = sim_option_axis(def);
	enum ssdc_kind kind = sim_option_kind(def);
	const char *end = form == SIM_AXIS_NONE ? NULL : end_of(value, form == SIM_AXIS_SPECS);

	if (!end)
		return false;
	if (form == SIM_AXIS_SIZES && strstr(value, ".."))
		return true;
	if (*end && (!end[1] || end[1] == ','))
		die(TOOL_BAD_USAGE, "--%s: '%s' has an empty value", def->name, value);
	return *end || (kind < SSDC_NR_KINDS && (is_word(value, end, "all") || is_word(value, end, "usual")));
}

/**
 * sweep_axis_add() - add values; ends the program if the list is wrong
 * @axis: option with values
 * @list: values, separated by commas
 */
void sweep_axis_add(struct sweep_axis *axis, const char *list)
{
	enum sim_axis form = sim_option_axis(axis->def);
	enum ssdc_kind kind = sim_option_kind(axis->def);
	const char *at = list, *end;

	for (;; at = end + 1) {
		end = end_of(at, form == SIM_AXIS_SPECS);
		if (at == end)
			die(TOOL_BAD_USAGE, "--%s: '%s' has an empty value", axis->def->name, list);
		if (kind < SSDC_NR_KINDS)
			sim_option_check_keys(axis->def, at, end - at, true);
		if (form == SIM_AXIS_SIZES)
			add_sizes(axis, at, end - at);
		else if (kind < SSDC_NR_KINDS && (is_word(at, end, "all") || is_word(at, end, "usual")))
			add_all(axis, kind, *at == 'a');
		else
			add(axis, at, end - at);
		if (!*end)
			return;
	}
}

/**
 * sweep_axis_width() - the width of a column with the values of an option
 * @axis: option with values
 * @least: at least
 */
int sweep_axis_width(const struct sweep_axis *axis, size_t least)
{
	size_t i;

	for (i = 0; i < axis->nr; i++)
		least = max(least, strlen(axis->values[i]));
	return least;
}

void sweep_axis_free(struct sweep_axis *axis)
{
	size_t i;

	for (i = 0; i < axis->nr; i++)
		free(axis->values[i]);
	free(axis->values);
}
