// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcache-trace info
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "counts.h"
#include "pages.h"
#include "trace.h"

static const char more[] =
	"Shows what is in a trace (several files are merged by time): requests, mix, sizes, pages of "
	"4 KiB touched, how often pages are touched again, and the figures that papers print of "
	"traces. A trace of any length needs memory only for the pages that it touches.";

static const struct option_def options[] = {
	{ "json", .id = 'j', .doc = "print JSON" },
	TRACE_FORMAT_OPTION,
	TRACE_SKIP_BAD_OPTION,
	TRACE_CUT_OPTIONS,
	TRACE_LIMIT_OPTION("look at the first N requests only"),
	TRACE_SCALE_OPTION,
	OPTION_END
};

#define LONG_GAP_NS	3600000000000u

static struct {
	bool json;
	struct trace_plan plan;
} given = { .plan = TRACE_PLAN_DEFAULT };

/**
 * struct op_facts - the requests of one operation
 * @requests: how many
 * @bytes: sum of their sizes
 * @sizes: in sectors
 * @sequential: requests that start where the previous one of the same operation ended; none of FLUSH, which has no address
 * @end: end of the previous one
 */
struct op_facts {
	uint64_t requests;
	uint64_t bytes;
	struct counts sizes;
	uint64_t sequential;
	uint64_t end;
};

/**
 * struct facts - all that is counted
 * @ops: by operation
 * @pages: touched
 * @intervals: in ns, between a request and the one before
 * @nr: requests
 * @sectors: end of the last sector used
 * @fua: writes with FUA
 * @last_ns: time of the last request
 * @gap_ns: the longest interval
 * @gap_end: number of the request that ends it, from 1 on; 0: all came at one time
 * @early: requests earlier than their predecessors
 * @early_ns: by so much at most
 * @skipped: bad lines
 * @format: of the first file
 */
struct facts {
	struct op_facts ops[TRACE_NR_OPS];
	struct page_set pages;
	struct counts intervals;
	uint64_t nr;
	uint64_t sectors;
	uint64_t fua;
	uint64_t last_ns;
	uint64_t gap_ns;
	uint64_t gap_end;
	uint64_t early;
	uint64_t early_ns;
	uint64_t skipped;
	const char *format;
};

static void add_interval(struct facts *facts, uint64_t ns)
{
	counts_add(&facts->intervals, ns);
	if (ns <= facts->gap_ns)
		return;
	facts->gap_ns = ns;
	facts->gap_end = facts->nr;
}

static void add_request(struct facts *facts, const struct trace_request *request)
{
	struct op_facts *of = &facts->ops[request->op];

	of->requests++;
	counts_add(&of->sizes, request->nr_sectors);
	of->bytes += (uint64_t)request->nr_sectors * TRACE_SECTOR_BYTES;
	of->sequential += request->op != TRACE_FLUSH && request->sector == of->end;
	of->end = request->sector + request->nr_sectors;
	if (of->end > facts->sectors)
		facts->sectors = of->end;
	facts->fua += request->fua;
	if (facts->nr++)
		add_interval(facts, request->time_ns - facts->last_ns);
	facts->last_ns = request->time_ns;
	page_set_add(&facts->pages, request);
}

static void take_facts(struct facts *facts, struct trace_source *source)
{
	struct trace_request request;
	unsigned int op;

	facts->format = trace_format_name(trace_source_format(source));
	facts->skipped = trace_source_skipped(source);
	facts->early = trace_source_early(source, &facts->early_ns);
	for (op = 0; op < TRACE_NR_OPS; op++)
		facts->ops[op].end = UINT64_MAX;
	while (trace_source_next(source, &request))
		add_request(facts, &request);
}

/* The size that @percent of the requests do not exceed. */
static uint64_t size_bytes(const struct op_facts *of, unsigned int percent)
{
	return counts_percentile(&of->sizes, percent) * TRACE_SECTOR_BYTES;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static uint64_t page_bytes(uint64_t pages)
{
	return pages * TRACE_PAGE_SECTORS * TRACE_SECTOR_BYTES;
}

static double ratio(double part, double whole)
{
	return whole ? part / whole : 0;
}

/* ---- the figures of papers ---- */

static double write_ratio(const struct facts *facts)
{
	uint64_t reads = facts->ops[TRACE_READ].requests, writes = facts->ops[TRACE_WRITE].requests;

	return share(writes, reads + writes);
}

static double mean_bytes(const struct facts *facts, enum trace_op op)
{
	return ratio(facts->ops[op].bytes, facts->ops[op].requests);
}

static double write_size(const struct facts *facts)
{
	return mean_bytes(facts, TRACE_WRITE);
}

static double read_size(const struct facts *facts)
{
	return mean_bytes(facts, TRACE_READ);
}

static double freq_r(const struct facts *facts)
{
	return share(facts->pages.counts.frequent, facts->pages.counts.both);
}

static double freq_r_write(const struct facts *facts)
{
	return share(facts->pages.counts.frequent_written, facts->pages.counts.frequent);
}

static double temp(const struct facts *facts)
{
	return share(facts->pages.counts.again, facts->pages.counts.windows);
}

static double spat(const struct facts *facts)
{
	return share(facts->pages.counts.beside, facts->pages.counts.windows);
}

#define INTERVAL(percent)							\
static double interval_##percent(const struct facts *facts)			\
{										\
	return counts_percentile(&facts->intervals, percent);			\
}

INTERVAL(20)
INTERVAL(40)
INTERVAL(60)
INTERVAL(80)
INTERVAL(100)

enum unit { PERCENT, BYTES, NS };

/**
 * struct figure - a column of the tables that papers print of traces
 * @name: in JSON
 * @label: in text
 * @unit: of the value
 * @doc: what it is
 * @value: of a trace
 */
struct figure {
	const char *name;
	const char *label;
	enum unit unit;
	const char *doc;
	double (*value)(const struct facts *facts);
};

static const struct figure figures[] = {
	{ "write_ratio_percent", "Wr Ratio", PERCENT, "writes, of reads and writes", write_ratio },
	{ "write_size_bytes", "Wr Size", BYTES, "mean size of a write", write_size },
	{ "read_size_bytes", "Rd Size", BYTES, "mean size of a read", read_size },
	{ "freq_r_percent", "Freq R", PERCENT, "pages touched three times or more, of all touched", freq_r },
	{ "freq_r_write_percent", "(Wr)", PERCENT, "pages written, of those touched three times or more",
	  freq_r_write },
	{ "temp_percent", "Temp", PERCENT, "that a page touched in a second is touched in the next one", temp },
	{ "spat_percent", "Spat", PERCENT, "that another request touches a page beside it in the same second", spat },
	{ "interval_p20_ns", "20%", NS, "of the intervals between requests are at most so long", interval_20 },
	{ "interval_p40_ns", "40%", NS, "likewise", interval_40 },
	{ "interval_p60_ns", "60%", NS, "likewise", interval_60 },
	{ "interval_p80_ns", "80%", NS, "likewise", interval_80 },
	{ "interval_p100_ns", "100%", NS, "likewise", interval_100 },
};

#define NR_FIGURES	(sizeof(figures) / sizeof(figures[0]))

static void figures_json(const struct facts *facts)
{
	unsigned int i;

	printf("  \"figures\": {\n");
	for (i = 0; i < NR_FIGURES; i++)
		printf("    \"%s\": %.*f%s\n", figures[i].name, figures[i].unit == NS ? 0 : 3,
		       figures[i].value(facts), i + 1 < NR_FIGURES ? "," : "");
	printf("  },\n");
}

static void figures_text(const struct facts *facts)
{
	unsigned int i;

	printf("\nFigures of papers, in pages of 4 KiB and windows of 1 s:\n");
	for (i = 0; i < NR_FIGURES; i++) {
		const struct figure *figure = &figures[i];
		double value = figure->value(facts);

		if (figure->unit == PERCENT)
			printf("%-9s %10.1f %%   %s\n", figure->label, value, figure->doc);
		else if (figure->unit == BYTES)
			printf("%-9s %10.1f KiB %s\n", figure->label, value / 1024, figure->doc);
		else
			printf("%-9s %10.1f us  %s\n", figure->label, value / 1000, figure->doc);
	}
}

/* ---- output ---- */

static void print_json(const struct facts *facts)
{
	const struct page_counts *pages = &facts->pages.counts;
	unsigned int op;

	printf("{\n  \"format\": \"%s\",\n  \"skipped_lines\": %" PRIu64 ",\n", facts->format,
	       facts->skipped);
	printf("  \"requests\": %" PRIu64 ",\n  \"duration_ns\": %" PRIu64 ",\n", facts->nr,
	       facts->last_ns);
	printf("  \"longest_gap\": {\"ns\": %" PRIu64 ", \"request\": %" PRIu64 "},\n", facts->gap_ns,
	       facts->gap_end);
	printf("  \"early\": {\"requests\": %" PRIu64 ", \"most_ns\": %" PRIu64 "},\n", facts->early,
	       facts->early_ns);
	printf("  \"span_bytes\": %" PRIu64 ",\n  \"fua_writes\": %" PRIu64 ",\n",
	       facts->sectors * TRACE_SECTOR_BYTES, facts->fua);
	printf("  \"footprint_bytes\": {\"read\": %" PRIu64 ", \"write\": %" PRIu64
	       ", \"all\": %" PRIu64 "},\n",
	       page_bytes(pages->footprint[TRACE_READ]), page_bytes(pages->footprint[TRACE_WRITE]),
	       page_bytes(pages->both));
	printf("  \"page_accesses\": {\"read\": %" PRIu64 ", \"write\": %" PRIu64 "},\n",
	       pages->accesses[TRACE_READ], pages->accesses[TRACE_WRITE]);
	printf("  \"reused_pages\": {\"read\": %" PRIu64 ", \"write\": %" PRIu64
	       ", \"overwritten\": %" PRIu64 "},\n",
	       pages->reused[TRACE_READ], pages->reused[TRACE_WRITE], pages->overwritten);
	figures_json(facts);
	printf("  \"ops\": {\n");
	for (op = 0; op < TRACE_NR_OPS; op++) {
		const struct op_facts *of = &facts->ops[op];

		printf("    \"%s\": {\"requests\": %" PRIu64 ", \"bytes\": %" PRIu64
		       ", \"sequential\": %" PRIu64 ", \"p50_bytes\": %" PRIu64
		       ", \"p90_bytes\": %" PRIu64 ", \"max_bytes\": %" PRIu64 "}%s\n",
		       trace_op_names[op], of->requests, of->bytes, of->sequential,
		       size_bytes(of, 50), size_bytes(of, 90), size_bytes(of, 100),
		       op + 1 < TRACE_NR_OPS ? "," : "");
	}
	printf("  }\n}\n");
}

/* A time in words; less than a millisecond would be 0.000 s. */
static const char *time_text(char text[32], uint64_t ns)
{
	if (ns && ns < 1000000)
		snprintf(text, 32, "%g us", ns / 1e3);
	else
		snprintf(text, 32, "%.3f s", ns / 1e9);
	return text;
}

/* Nights between days of work, or traces in one file: policies are to be judged by one part at a time. */
static void print_gap(const struct facts *facts)
{
	char text[32];

	if (facts->gap_end)
		printf("gap        %s before request %" PRIu64 " is the longest%s\n",
		       time_text(text, facts->gap_ns), facts->gap_end, facts->gap_ns > LONG_GAP_NS ?
		       ", more than an hour: --after and --before take a part" : "");
	if (facts->early)
		printf("time       goes back before %" PRIu64 " request%s, by up to %s: %s the time of the request before\n",
		       facts->early, plural(facts->early), time_text(text, facts->early_ns), facts->early == 1 ? "it gets" : "they get");
}

static void print_text(const struct facts *facts)
{
	const struct page_counts *pages = &facts->pages.counts;
	const double mib = 1 << 20;
	uint64_t accesses = pages->accesses[TRACE_READ] + pages->accesses[TRACE_WRITE];
	char text[32];
	unsigned int op;

	printf("format     %s\n", facts->format);
	printf("requests   %" PRIu64 " in %s", facts->nr, time_text(text, facts->last_ns));
	if (facts->last_ns)
		printf(", %.1f per s", facts->nr / (facts->last_ns / 1e9));
	putchar('\n');
	print_gap(facts);
	printf("\n%-9s %9s %7s %9s %11s %8s %8s %8s\n", "", "requests", "share", "MiB",
	       "sequential", "p50 KiB", "p90 KiB", "max KiB");
	for (op = 0; op < TRACE_NR_OPS; op++) {
		const struct op_facts *of = &facts->ops[op];
		char sequential[16] = "-";

		if (op != TRACE_FLUSH)
			snprintf(sequential, sizeof(sequential), "%.1f%%", share(of->sequential, of->requests));
		printf("%-9s %9" PRIu64 " %6.1f%% %9.1f %11s %8.1f %8.1f %8.1f\n",
		       trace_op_names[op], of->requests, share(of->requests, facts->nr), of->bytes / mib, sequential,
		       size_bytes(of, 50) / 1024.0, size_bytes(of, 90) / 1024.0,
		       size_bytes(of, 100) / 1024.0);
	}
	printf("\nFUA writes %" PRIu64 "\n", facts->fua);
	printf("addresses  up to %.1f MiB\n", facts->sectors * TRACE_SECTOR_BYTES / mib);
	printf("footprint  %.1f MiB in pages of 4 KiB: %.1f MiB read, %.1f MiB written\n",
	       page_bytes(pages->both) / mib, page_bytes(pages->footprint[TRACE_READ]) / mib,
	       page_bytes(pages->footprint[TRACE_WRITE]) / mib);
	printf("reuse      %.1f%% of %" PRIu64 " page accesses are to pages touched before\n",
	       share(pages->reused[TRACE_READ] + pages->reused[TRACE_WRITE], accesses), accesses);
	printf("           %.1f%% of page reads; %.1f%% of page writes overwrite a page\n",
	       share(pages->reused[TRACE_READ], pages->accesses[TRACE_READ]),
	       share(pages->overwritten, pages->accesses[TRACE_WRITE]));
	figures_text(facts);
}

static void take(const struct option_def *option, const char *value)
{
	if (!trace_plan_take(&given.plan, option, value))
		given.json = true;
}

static int run(char **names, int nr_names)
{
	struct trace_source *source;
	struct facts *facts;

	if (!nr_names)
		die(TOOL_BAD_USAGE, "info: FILE is missing: 'ssdcache-trace info --help'");
	facts = xcalloc(1, sizeof(*facts));
	source = trace_source_open(names, nr_names, &given.plan);
	take_facts(facts, source);
	trace_some_left(source, facts->nr, names, nr_names, &given.plan);
	if (given.json)
		print_json(facts);
	else
		print_text(facts);
	page_set_free(&facts->pages);
	free(facts);
	trace_source_close(source);
	return TOOL_OK;
}

const struct trace_verb trace_verb_info = {
	.name = "info",
	.args = "[OPTION]... FILE...",
	.doc = "show what is in a trace",
	.more = more,
	.options = options,
	.take = take,
	.run = run,
};
