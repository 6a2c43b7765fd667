// SPDX-License-Identifier: GPL-2.0
/*
 * The rules of engine-fuzz that can be switched, ways to break the rules on purpose, and the trace
 * of events that a failure prints.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../common/say.h"
#include "engine-fuzz.h"

/*
 * "--rules NAME,..." or "--rules all" switches on rules that are off. flush-mode is: a FLUSH that ended
 * at the origin while DRAM was protected need not care what DRAM is when the host learns of its end.
 */
struct rule_def rules[NR_RULES] = {
	[RULE_FLUSH_ERROR] = { "flush-error",
		"the error of a FLUSH that no host FLUSH asked for fails the host's next FLUSH and those in progress",
		true },
	[RULE_FLUSH_LOSS] = { "flush-loss",
		"a failed FLUSH loses writes of the origin's cache; pages still cached are written again; needs flush-error",
		true },
	[RULE_FLUSH_RACE] = { "flush-race",
		"a failed FLUSH loses page writes, too, whose end is reported only after it; needs flush-loss",
		true },
	[RULE_FLUSH_MODE] = { "flush-mode",
		"a FLUSH that ends when DRAM is volatile makes data stable on media, whatever DRAM was before",
		false },
	[RULE_FUA_MODE] = { "fua-mode",
		"a FUA write that ends when DRAM is volatile is on media, whatever DRAM was before",
		true },
	[RULE_FUA_PROTECTED] = { "fua-protected",
		"a FUA write whose data are in protected DRAM does not fail",
		true },
	[RULE_DISCARD_OVERLAP] = { "discard-overlap",
		"no page is written while a discard that overlaps it is at the origin",
		true },
	[RULE_DISCARD_DATA] = { "discard-data",
		"during a discard, and after it ended in any way, a read returns the newest acknowledged data or those of the discard",
		true },
	[RULE_TORN_BLOCK] = { "torn-block",
		"no read of a logical block returns parts of two writes",
		true },
	[RULE_RELOAD_ERROR] = { "reload-error",
		"an error that the host's next FLUSH must report survives a reload; needs flush-error",
		true },
};

#define READ_WRONG	"returned", "is stable"

const struct sabotage_def sabotages[NR_BREAKS] = {
	[BREAK_NOTHING] = { "nothing", "nothing is broken", NR_RULES, "", "" },
	[BREAK_LOSE_WRITE] = { "lose-write", "the origin forgets a page write", NR_RULES,
		READ_WRONG },
	/* A page that is filled with old data is flushed with them. */
	[BREAK_STALE_READ] = { "stale-read", "the origin reads from its media", NR_RULES,
		READ_WRONG },
	[BREAK_MISPLACED_COPY] = { "misplaced-copy", "the driver copies to the neighbour of a block",
		NR_RULES, "never written to it", "is stable" },
	[BREAK_SHORT_COPY] = { "short-copy", "the driver copies the first half of a block only",
		RULE_TORN_BLOCK, "parts of changes", "never written to it" },
	[BREAK_REST_COPY] = { "rest-copy", "the driver spoils the rest of a page in flight that is written",
		NR_RULES, "never written to it", "is stable" },
	[BREAK_CHANGED_FRAME] = { "changed-frame", "the driver changes a frame that is being written",
		NR_RULES, "changed while it was being written", "never written to it" },
	[BREAK_SETTLED] = { "settled", "the origin reads old and new data in turns", NR_RULES,
		"returned", "would have returned" },
	[BREAK_FLUSH_NOTHING] = { "flush-nothing", "a FLUSH of the origin does nothing", NR_RULES,
		"is stable", "is stable" },
	[BREAK_FLUSH_HIDDEN] = { "flush-hidden",
		"a host FLUSH hides that its FLUSH of the origin failed", NR_RULES,
		"ended well although its FLUSH of the origin failed", "is stable" },
	[BREAK_FLUSH_FORGOTTEN] = { "flush-forgotten", "host FLUSHes hide errors of earlier FLUSHes",
		RULE_FLUSH_ERROR, "hides the error", "hides the error" },
	[BREAK_FLUSH_INVENTED] = { "flush-invented", "a host FLUSH fails without reason", NR_RULES,
		"although all I/O succeeded", "although all I/O succeeded" },
	[BREAK_FLUSH_LOSS] = { "flush-loss",
		"the origin does not take again what a failed FLUSH has lost", RULE_FLUSH_LOSS,
		READ_WRONG },
	[BREAK_FLUSH_ELSEWHERE] = { "flush-elsewhere",
		"the driver does not tell of failed FLUSHes of other shards", RULE_FLUSH_LOSS, "returned",
		"hides the error" },
	[BREAK_REPLACED] = { "replaced", "the driver does not tell that the origin is another device",
		RULE_FLUSH_LOSS, "returned", "hides the error" },
	[BREAK_FUA_NOTHING] = { "fua-nothing", "the origin ignores FUA of page writes", NR_RULES,
		READ_WRONG },
	[BREAK_FUA_FLUSH] = { "fua-flush", "the driver leaves out the FLUSHes of FUA writes", NR_RULES,
		"FUA write: a power cut leaves", "is stable" },
	[BREAK_FUA_PROTECTED] = { "fua-protected", "a FUA write to protected DRAM fails",
		RULE_FUA_PROTECTED, "although its data are in DRAM", "although its data are in DRAM" },
	[BREAK_WRITE_FAILED] = { "write-failed", "a write that is in DRAM fails", NR_RULES,
		"although its data are in DRAM", "although its data are in DRAM" },
	[BREAK_PROTECTED_LOST] = { "protected-lost", "protected DRAM forgets dirty blocks", NR_RULES,
		"is stable", "is stable" },
	[BREAK_MEDIA_LOST] = { "media-lost", "a power cut spoils a block of the media", NR_RULES,
		"power cut: a power cut leaves", "never written to it" },
	[BREAK_SYNC_WRITE] = { "sync-write", "writes through count as synchronous writes", NR_RULES,
		"synchronous write of block", "synchronous write of block" },
	[BREAK_DISCARD_NOTHING] = { "discard-nothing", "the origin ignores discards", NR_RULES,
		READ_WRONG },
	[BREAK_DISCARD_GRANULES] = { "discard-granules",
		"the driver forwards discards of parts of granules, which the origin ignores", NR_RULES,
		READ_WRONG },
	[BREAK_DISCARD_REFUSED] = { "discard-refused", "a refused discard shows data of the media",
		RULE_DISCARD_DATA, READ_WRONG },
	[BREAK_EARLY_END] = { "early-end", "the end of a page write is reported before it", NR_RULES,
		"is in flight", "while a discard that overlaps it is at the origin" },
	[BREAK_EARLY_DISCARD] = { "early-discard", "the end of a discard is reported before it",
		RULE_DISCARD_OVERLAP, "while a discard that overlaps it is at the origin",
		"while a discard that overlaps it is at the origin" },
	[BREAK_NO_KICK] = { "no-kick", "the driver forgets to queue its worker", NR_RULES,
		"nothing queues the worker", "nothing queues the worker" },
	[BREAK_RELOAD_DIRTY] = { "reload-dirty", "a reload forgets dirty pages", NR_RULES,
		"after a reload", "after a reload" },
};

enum sabotage sabotage;

static void take_rule(const char *name, size_t length)
{
	bool all = length == 3 && !strncmp(name, "all", 3), known = all;
	unsigned int i;

	for (i = 0; i < NR_RULES; i++) {
		if (!all && (strlen(rules[i].name) != length || strncmp(rules[i].name, name, length)))
			continue;
		rules[i].on = true;
		known = true;
	}
	if (known)
		return;
	for (i = 0; i < NR_RULES; i++)
		fprintf(stderr, "%-16s %s%s\n", rules[i].name, rules[i].on ? "(on) " : "", rules[i].doc);
	die(TOOL_BAD_USAGE, "--rules: \"%.*s\" is not \"all\" or one of these", (int)length, name);
}

/* Switch rules on: "NAME,NAME,..." or "all". */
void rules_take(const char *names)
{
	while (*names) {
		size_t length = strcspn(names, ",");

		take_rule(names, length);
		names += length + !!names[length];
	}
}

/* Choose a way to break the rules. */
void sabotage_take(const char *name)
{
	unsigned int i;

	for (i = 1; i < NR_BREAKS; i++)
		if (!strcmp(sabotages[i].name, name))
			sabotage = i;
	if (sabotage) {
		if (sabotages[sabotage].rule != NR_RULES)
			rules[sabotages[sabotage].rule].on = true;
		return;
	}
	for (i = 1; i < NR_BREAKS; i++)
		fprintf(stderr, "%-18s %s\n", sabotages[i].name, sabotages[i].doc);
	die(TOOL_BAD_USAGE, "--break: \"%s\" is not one of these", name);
}

/* ---- the trace ---- */

#define RING		65536	/* events kept */
#define LAST_EVENTS	150	/* of these printed after a failure */
#define LAST_OF_CELL	60	/* and of those before, this many of the cell that failed */

struct event {
	const char *format;
	u64 step;
	u64 args[3];
	u32 cell;
	u32 nr;
};

static struct event ring[RING];
static u64 nr_events;
bool trace_verbose;

static void print_event(FILE *file, const struct event *event)
{
	fprintf(file, "# %8llu  ", event->step);
	if (event->cell != NO_CELL)
		fprintf(file, "[%u+%u] ", event->cell, event->nr);
	fprintf(file, event->format, event->args[0], event->args[1], event->args[2]);
	fputc('\n', file);
}

void note_event(u32 cell, u32 nr, const char *format, u64 a, u64 b, u64 c)
{
	struct event *event = &ring[nr_events++ % RING];

	*event = (struct event){ format, f.step, { a, b, c }, cell, nr };
	if (__builtin_expect(trace_verbose, 0))
		print_event(stderr, event);
}

void trace_clear(void)
{
	nr_events = 0;
}

/* The last events, and earlier ones of @cell. */
static void trace_print(u32 cell)
{
	u64 first = nr_events > RING ? nr_events - RING : 0;
	u64 last = nr_events - first > LAST_EVENTS ? nr_events - LAST_EVENTS : first;
	unsigned int of_cell = 0;
	u64 i, from = last;

	while (cell != NO_CELL && from > first && of_cell < LAST_OF_CELL) {
		const struct event *event = &ring[--from % RING];

		of_cell += event->cell <= cell && cell - event->cell < event->nr;
	}
	if (of_cell)
		printf("# earlier events of block %u:\n", cell);
	for (i = from; i < last; i++) {
		const struct event *event = &ring[i % RING];

		if (event->cell <= cell && cell - event->cell < event->nr)
			print_event(stdout, event);
	}
	printf("# the last events, by step; [FIRST+NUMBER] are logical blocks of %u sectors, %u per page:\n",
	       1u << f.cell_shift, f.page_cells);
	for (i = last; i < nr_events; i++)
		print_event(stdout, &ring[i % RING]);
}

void fail_at(u32 cell, const char *format, ...)
{
	char chosen[256] = "";
	va_list args;
	unsigned int i;
	int at = 0;

	if (!trace_verbose)
		trace_print(cell);
	printf("# seed %llu, step %llu: ", f.seed, f.step);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	for (i = 0; i < NR_RULES; i++)
		if (rules[i].on)
			at += scnprintf(chosen + at, sizeof(chosen) - at, "%s%s",
					at ? "," : " --rules ", rules[i].name);
	if (sabotage)
		scnprintf(chosen + at, sizeof(chosen) - at, " --break %s", sabotages[sabotage].name);
	repeat_with("-r 1 -s %llu -n %llu%s%s%s", f.seed, f.steps, favourite ? " -p " : "",
		    favourite ? favourite : "", chosen);
	give_up("engine fuzz");
}
