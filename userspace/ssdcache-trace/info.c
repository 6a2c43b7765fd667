// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcache-trace info
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "pages.h"
#include "trace.h"

static const char more[] =
	"Shows what is in a trace (several files are merged by time): requests, mix, sizes, pages of "
	"4 KiB touched, and how often pages are touched again.";

static const struct option_def options[] = {
	{ "json", .id = 'j', .doc = "print JSON" },
	{ "limit", .id = 'l', .arg = "N", .doc = "look at the first N requests only" },
	OPTION_END
};

static struct {
	bool json;
	uint64_t limit;
} given = { .limit = UINT64_MAX };

/**
 * struct op_facts - the requests of one operation
 * @requests: how many
 * @bytes: sum of their sizes
 * @sizes: in sectors, sorted
 * @sequential: requests that start where the previous one of the same operation ended
 * @end: end of the previous one
 */
struct op_facts {
	uint64_t requests;
	uint64_t bytes;
	uint32_t *sizes;
	uint64_t sequential;
	uint64_t end;
};

struct facts {
	const struct trace *trace;
	struct op_facts ops[TRACE_NR_OPS];
	struct page_counts pages;
	uint64_t fua;
	uint64_t duration_ns;
};

static int smaller(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void take_facts(struct facts *facts, const struct trace *trace)
{
	unsigned int op;
	size_t i;

	facts->trace = trace;
	for (op = 0; op < TRACE_NR_OPS; op++) {
		facts->ops[op].sizes = xcalloc(trace->nr, sizeof(uint32_t));
		facts->ops[op].end = UINT64_MAX;
	}
	for (i = 0; i < trace->nr; i++) {
		const struct trace_request *request = &trace->requests[i];
		struct op_facts *of = &facts->ops[request->op];

		of->sizes[of->requests++] = request->nr_sectors;
		of->bytes += (uint64_t)request->nr_sectors * TRACE_SECTOR_BYTES;
		of->sequential += request->sector == of->end;
		of->end = request->sector + request->nr_sectors;
		facts->fua += request->fua;
	}
	for (op = 0; op < TRACE_NR_OPS; op++)
		qsort(facts->ops[op].sizes, facts->ops[op].requests, sizeof(uint32_t), smaller);
	if (trace->nr)
		facts->duration_ns = trace->requests[trace->nr - 1].time_ns;
	page_counts_take(&facts->pages, trace);
}

static void free_facts(struct facts *facts)
{
	unsigned int op;

	for (op = 0; op < TRACE_NR_OPS; op++)
		free(facts->ops[op].sizes);
}

/* The size that @percent of the requests do not exceed. */
static uint64_t size_bytes(const struct op_facts *of, unsigned int percent)
{
	uint64_t rank = (of->requests * percent + 99) / 100;

	return of->requests ? (uint64_t)of->sizes[rank ? rank - 1 : 0] * TRACE_SECTOR_BYTES : 0;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static uint64_t page_bytes(uint64_t pages)
{
	return pages * TRACE_PAGE_SECTORS * TRACE_SECTOR_BYTES;
}

static void print_json(const struct facts *facts)
{
	const struct page_counts *pages = &facts->pages;
	unsigned int op;

	printf("{\n  \"requests\": %zu,\n  \"duration_ns\": %" PRIu64 ",\n", facts->trace->nr,
	       facts->duration_ns);
	printf("  \"span_bytes\": %" PRIu64 ",\n  \"fua_writes\": %" PRIu64 ",\n",
	       facts->trace->sectors * TRACE_SECTOR_BYTES, facts->fua);
	printf("  \"footprint_bytes\": {\"read\": %" PRIu64 ", \"write\": %" PRIu64
	       ", \"all\": %" PRIu64 "},\n",
	       page_bytes(pages->footprint[TRACE_READ]), page_bytes(pages->footprint[TRACE_WRITE]),
	       page_bytes(pages->both));
	printf("  \"page_accesses\": {\"read\": %" PRIu64 ", \"write\": %" PRIu64 "},\n",
	       pages->accesses[TRACE_READ], pages->accesses[TRACE_WRITE]);
	printf("  \"reused_pages\": {\"read\": %" PRIu64 ", \"write\": %" PRIu64
	       ", \"overwritten\": %" PRIu64 "},\n",
	       pages->reused[TRACE_READ], pages->reused[TRACE_WRITE], pages->overwritten);
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

static void print_text(const struct facts *facts)
{
	const struct page_counts *pages = &facts->pages;
	const double mib = 1 << 20, seconds = facts->duration_ns / 1e9;
	uint64_t accesses = pages->accesses[TRACE_READ] + pages->accesses[TRACE_WRITE];
	unsigned int op;

	printf("requests   %zu in %.3f s", facts->trace->nr, seconds);
	if (facts->duration_ns)
		printf(", %.1f per s", facts->trace->nr / seconds);
	printf("\n\n%-9s %9s %7s %9s %11s %8s %8s %8s\n", "", "requests", "share", "MiB",
	       "sequential", "p50 KiB", "p90 KiB", "max KiB");
	for (op = 0; op < TRACE_NR_OPS; op++) {
		const struct op_facts *of = &facts->ops[op];

		printf("%-9s %9" PRIu64 " %6.1f%% %9.1f %10.1f%% %8.1f %8.1f %8.1f\n",
		       trace_op_names[op], of->requests, share(of->requests, facts->trace->nr),
		       of->bytes / mib, share(of->sequential, of->requests),
		       size_bytes(of, 50) / 1024.0, size_bytes(of, 90) / 1024.0,
		       size_bytes(of, 100) / 1024.0);
	}
	printf("\nFUA writes %" PRIu64 "\n", facts->fua);
	printf("addresses  up to %.1f MiB\n", facts->trace->sectors * TRACE_SECTOR_BYTES / mib);
	printf("footprint  %.1f MiB in pages of 4 KiB: %.1f MiB read, %.1f MiB written\n",
	       page_bytes(pages->both) / mib, page_bytes(pages->footprint[TRACE_READ]) / mib,
	       page_bytes(pages->footprint[TRACE_WRITE]) / mib);
	printf("reuse      %.1f%% of %" PRIu64 " page accesses are to pages touched before\n",
	       share(pages->reused[TRACE_READ] + pages->reused[TRACE_WRITE], accesses), accesses);
	printf("           %.1f%% of page reads; %.1f%% of page writes overwrite a page\n",
	       share(pages->reused[TRACE_READ], pages->accesses[TRACE_READ]),
	       share(pages->overwritten, pages->accesses[TRACE_WRITE]));
}

static void take(const struct option_def *option, const char *value)
{
	if (option->id == 'j')
		given.json = true;
	else
		given.limit = take_number(option->name, value, 1, UINT64_MAX);
}

static int run(char **names, int nr_names)
{
	struct facts facts = {};
	struct trace trace;

	if (!nr_names)
		die(TOOL_BAD_USAGE, "info: FILE is missing: 'ssdcache-trace info --help'");
	trace_load(&trace, names, nr_names, TRACE_ANY, given.limit);
	take_facts(&facts, &trace);
	if (given.json)
		print_json(&facts);
	else
		print_text(&facts);
	free_facts(&facts);
	trace_free(&trace);
	return TOOL_OK;
}

const struct trace_verb trace_verb_info = {
	.name = "info",
	.args = "[--json] [--limit N] FILE...",
	.doc = "show what is in a trace",
	.more = more,
	.options = options,
	.take = take,
	.run = run,
};
