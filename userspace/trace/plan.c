// SPDX-License-Identifier: GPL-2.0
/*
 * The options that say what to take of traces.
 */
#include <stdlib.h>
#include <string.h>
#include "../common/memory.h"
#include "../common/number.h"
#include "../common/say.h"
#include "scan.h"
#include "source.h"

#define MAX_SCALE	1e6

const struct trace_plan trace_plan_default = TRACE_PLAN_DEFAULT;

static const struct trace_format *take_format(const char *option, const char *value)
{
	const struct trace_format *format = trace_format_find(value);

	if (!format && strcmp(value, "any"))
		die(TOOL_BAD_USAGE, "--%s: '%s' is not one of any%s", option, value,
		    TRACE_FORMATS(TRACE_FORMAT_NAME));
	return format;
}

static uint64_t take_seconds(const char *option, const char *value)
{
	size_t len = strlen(value);
	char *copy = xcalloc(1, len + SCAN_SLACK);
	const char *at = memcpy(copy, value, len);
	uint64_t ns;
	bool good = scan_seconds(&at, &ns) && !*at && ns <= TRACE_MAX_NS;

	free(copy);
	if (!good)
		die(TOOL_BAD_USAGE, "--%s: '%s' is not a number of seconds from 0 to %llu", option,
		    value, TRACE_MAX_NS / SCAN_NS_PER_S);
	return ns;
}

/**
 * trace_plan_take() - take an option of TRACE_READ_OPTIONS, TRACE_CUT_OPTIONS, ...
 * @plan: changed
 * @option: any option of the program
 * @value: its value
 *
 * Return: false if it is none of these.
 */
bool trace_plan_take(struct trace_plan *plan, const struct option_def *option, const char *value)
{
	const char *name = option->name;

	switch (option->id) {
	case TRACE_OPTION_FORMAT:
		plan->format = take_format(name, value);
		return true;
	case TRACE_OPTION_SKIP_BAD:
		plan->skip_bad = true;
		return true;
	case TRACE_OPTION_ALIGN:
		plan->align = true;
		return true;
	case TRACE_OPTION_COMPACT:
		plan->compact = true;
		return true;
	case TRACE_OPTION_AFTER:
		plan->after_ns = take_seconds(name, value);
		return true;
	case TRACE_OPTION_BEFORE:
		plan->before_ns = take_seconds(name, value);
		return true;
	case TRACE_OPTION_SKIP:
		plan->skip = take_number(name, value, 0, UINT64_MAX);
		return true;
	case TRACE_OPTION_LIMIT:
		plan->limit = take_number(name, value, 1, UINT64_MAX);
		return true;
	case TRACE_OPTION_REPEAT:
		plan->repeat = take_number(name, value, 1, UINT32_MAX);
		return true;
	case TRACE_OPTION_TIME_SCALE:
		if (!parse_real(value, 0, MAX_SCALE, &plan->time_scale))
			die(TOOL_BAD_USAGE, "--%s: '%s' is not a number from 0 to %.0f", name, value,
			    MAX_SCALE);
		return true;
	}
	return false;
}

/**
 * trace_plan_check() - end the program if options contradict each other
 * @plan: all options
 */
void trace_plan_check(const struct trace_plan *plan)
{
	if (plan->before_ns <= plan->after_ns)
		die(TOOL_BAD_USAGE, "--before must be later than --after");
}

/**
 * trace_plan_ignore_times() - the times of requests do not count, unless they select requests or merge traces
 * @plan: what to take
 * @nr_names: of traces
 */
void trace_plan_ignore_times(struct trace_plan *plan, int nr_names)
{
	plan->order_only = true;
	plan->no_times = nr_names == 1 && !plan->after_ns && plan->before_ns == UINT64_MAX;
}

/**
 * trace_plan_nothing() - end the program because there are no requests, and name the options that leave none
 * @plan: what to take
 * @names: of the traces
 * @nr_names: how many
 * @skipped: bad lines that were skipped
 */
void trace_plan_nothing(const struct trace_plan *plan, char *const *names, int nr_names, uint64_t skipped)
{
	const struct {
		const char *name;
		bool given;
	} cuts[] = {
		{ "--skip-bad", skipped }, { "--after", plan->after_ns }, { "--before", plan->before_ns != UINT64_MAX },
		{ "--skip", plan->skip },
	};
	char text[64] = "";
	size_t i;

	for (i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
		if (!cuts[i].given)
			continue;
		strcat(text, text[0] ? ", " : ": none is left by ");
		strcat(text, cuts[i].name);
	}
	die(TOOL_BAD_USAGE, "%s%s: no requests%s", names[0], nr_names > 1 ? ", …" : "", text);
}

/**
 * trace_fold() - fold a request onto a device
 * @request: changed
 * @sectors: of the device
 *
 * Addresses are taken modulo the size. A request that would cross the end moves in front of the end.
 */
void trace_fold(struct trace_request *request, uint64_t sectors)
{
	if (request->nr_sectors > sectors)
		request->nr_sectors = sectors;
	request->sector %= sectors;
	if (request->sector > sectors - request->nr_sectors)
		request->sector = sectors - request->nr_sectors;
}
