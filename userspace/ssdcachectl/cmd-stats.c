// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcachectl stats
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include "../common/number.h"
#include "../common/say.h"
#include "report.h"

#define MIN_SECONDS	0.1
#define MAX_SECONDS	86400.0

static const struct option_def options[] = {
	OPTION_JSON,
	{ .name = "csv", .doc = "print CSV: a header and a row" },
	{ .name = "prometheus",
	  .doc = "print the text format of Prometheus, of all devices if there is no NAME" },
	{ .name = "watch", .arg = "SECONDS", .arg_optional = true,
	  .doc = "repeat, with rates (every second); with --json or --csv one line each time" },
	{ .name = "count", .arg = "N", .doc = "stop --watch after N times (never)" },
	OPTION_SYSFS,
	OPTION_END
};

enum format {
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_CSV,
};

/* How to show, and what the next report needs of this one. */
struct view {
	enum format format;
	bool watch;
	bool redraw;
	double seconds;
	uint64_t count;			/* 0: until interrupted */
	struct report_csv *csv;
	struct snapshot before;
	bool have_before;
};

static int read_watch(const struct command *cmd, struct view *view)
{
	const char *seconds = command_option(cmd, "watch"), *count = command_option(cmd, "count");

	view->watch = seconds;
	view->count = 1;
	if (count && !seconds)
		return usage("stats: --count is only for --watch");
	if (!seconds)
		return TOOL_OK;
	view->count = 0;
	view->seconds = 1;
	if (*seconds) {
		if (!parse_real(seconds, MIN_SECONDS, MAX_SECONDS, &view->seconds))
			return usage("stats: --watch: '%s' is not a number of seconds from %g to %g",
				     seconds, MIN_SECONDS, MAX_SECONDS);
	}
	if (count && !parse_number(count, 1, UINT64_MAX, &view->count))
		return usage("stats: --count: '%s' is not a number from 1 to %" PRIu64, count,
			     UINT64_MAX);
	return TOOL_OK;
}

static int read_view(const struct command *cmd, struct view *view)
{
	memset(view, 0, sizeof(*view));
	if (command_has(cmd, "json") + command_has(cmd, "csv") + command_has(cmd, "prometheus") > 1)
		return usage("stats: only one of --json, --csv and --prometheus can be given");
	if (command_has(cmd, "prometheus") && command_has(cmd, "watch"))
		return usage("stats: --prometheus cannot go with --watch");
	if (command_has(cmd, "json"))
		view->format = FORMAT_JSON;
	else if (command_has(cmd, "csv"))
		view->format = FORMAT_CSV;
	view->redraw = view->format == FORMAT_TEXT && can_redraw(STDOUT_FILENO);
	return read_watch(cmd, view);
}

/* Print as much of a report as fits on the terminal, at once, without flicker. */
static int redraw(const struct view *view, const struct snapshot *snap)
{
	struct winsize window = { .ws_row = 24 };
	char *text = NULL, *at;
	size_t size, len;
	FILE *out = open_memstream(&text, &size);
	int line;

	if (!out)
		return fail("stats: no memory");
	report_screen(out, snap, view->have_before ? &view->before : NULL);
	if (fclose(out)) {
		free(text);
		return fail("stats: no memory");
	}
	ioctl(STDOUT_FILENO, TIOCGWINSZ, &window);
	fputs("\033[H\033[J", stdout);
	/* Wrapped lines would scroll the first ones away. */
	for (at = text, line = 1; *at && (!window.ws_row || line < window.ws_row); at += len + (at[len] == '\n'), line++) {
		len = strcspn(at, "\n");
		printf("%.*s\n", window.ws_col && window.ws_col < len ? window.ws_col : (int)len, at);
	}
	free(text);
	return TOOL_OK;
}

static int show(struct view *view, const struct snapshot *snap)
{
	switch (view->format) {
	case FORMAT_TEXT:
		if (view->watch && view->redraw)
			return redraw(view, snap);
		if (view->have_before)
			putchar('\n');
		report_text(stdout, snap, view->have_before ? &view->before : NULL);
		break;
	case FORMAT_JSON:
		return report_print(report_json(snap), view->watch);
	case FORMAT_CSV:
		if (!view->csv)
			view->csv = report_csv_begin(snap);
		if (!view->csv)
			return fail("stats: no memory");
		report_csv_row(view->csv, snap);
		break;
	}
	return TOOL_OK;
}

/*
 * Sleep until the next time that is a whole number of intervals after @start, so that intervals do not drift. Times that passed while
 * the program was stopped, or waited for a reader of its output, are skipped.
 *
 * Return: the number of that time, after number @before.
 */
static double sleep_until_next(double start, double seconds, double before)
{
	struct timespec at;
	double next, until;

	clock_gettime(CLOCK_MONOTONIC, &at);
	next = fmax(before + 1, floor((at.tv_sec + at.tv_nsec / 1e9 - start) / seconds));
	until = start + next * seconds;
	at.tv_sec = (time_t)until;
	at.tv_nsec = (long)((until - at.tv_sec) * 1e9);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL))
		;
	return next;
}

static int show_all(const struct device *dev, struct view *view)
{
	struct snapshot snap;
	uint64_t i;
	double start = 0, at = 0;
	int code = TOOL_OK;

	for (i = 0; !code && (!view->count || i < view->count); i++) {
		if (i)
			at = sleep_until_next(start, view->seconds, at);
		if (!snapshot_read(dev, view->format == FORMAT_JSON ? SNAPSHOT_ALL : SNAPSHOT_STATS,
				   &snap)) {
			snapshot_free(&snap);
			return fail("stats: %s is gone", dev->name);
		}
		if (!i)
			start = snap.clock;
		code = show(view, &snap);
		if (!code && !end_of_output())
			code = TOOL_FAILED;
		if (view->have_before)
			snapshot_free(&view->before);
		view->before = snap;
		view->have_before = true;
	}
	return code;
}

static bool add_device(struct report_prometheus *report, const struct device *dev)
{
	struct snapshot snap;
	bool there = snapshot_read(dev, SNAPSHOT_ALL, &snap);

	if (there)
		report_prometheus_add(report, &snap);
	snapshot_free(&snap);
	return there;
}

/* Devices that vanish meanwhile are left out, unless one was named. Those that cannot be read fail the command. */
static int export(const struct command *cmd)
{
	struct report_prometheus *report;
	struct device *list, dev;
	size_t nr, i;
	int code;

	if (cmd->nr_args) {
		code = device_find(cmd, &dev);
		if (code)
			return code;
		report = report_prometheus_begin();
		if (!add_device(report, &dev))
			code = fail("stats: %s is gone", dev.name);
	} else {
		code = sysfs_devices_check(cmd);
		if (code)
			return code;
		report = report_prometheus_begin();
		nr = device_list(cmd, &list);
		for (i = 0; i < nr; i++) {
			int one = device_schema(&list[i]);

			if (one)
				code = one;
			else
				add_device(report, &list[i]);
		}
		free(list);
	}
	report_prometheus_end(report);
	return code;
}

static int run(const struct command *cmd)
{
	struct device dev;
	struct view view;
	int code = read_view(cmd, &view);

	if (!code && command_has(cmd, "prometheus"))
		return export(cmd);
	if (!code && !cmd->nr_args)
		code = usage("stats: NAME is missing: ssdcachectl stats NAME");
	if (!code)
		code = device_find(cmd, &dev);
	if (code)
		return code;
	code = show_all(&dev, &view);
	if (view.have_before)
		snapshot_free(&view.before);
	report_csv_end(view.csv);
	return code;
}

const struct verb verb_stats = {
	.name = "stats",
	.args = "[NAME]",
	.max_args = 1,
	.flash = true,
	.doc = "Show counters, ratios and latencies since the device was created or reset.",
	.more = "--watch redraws a terminal, of 80 columns and 24 rows or more, and shows rates per "
		"second; Ctrl-C ends it. Latencies are "
		"of whole requests, from the kernel's histograms; 'worst 1%' is the mean of the "
		"slowest hundredth. NAME may be an ssdflash, too; only --prometheus works without NAME.",
	.options = options,
	.run = run,
};
