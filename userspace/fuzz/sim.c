// SPDX-License-Identifier: GPL-2.0
/*
 * A run of the simulator, options to report, with the engine's invariants checked on the way.
 *
 *	line 1	the options
 *	rest	requests of 6 bytes
 *
 * The run is kept small: few frames, few requests, little time, a flash device that fits a cache.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "../ssdcache-sim/opt.h"
#include "../ssdcache-sim/plugin.h"
#include "../ssdcache-sim/report.h"
#include "../ssdcache-sim/run.h"

#define MAX_WORDS	40
#define MAX_FRAMES	64u
#define MAX_REQUESTS	120u
#define MAX_SECTORS	4096u	/* of all requests; --verify costs time per sector */
#define MAX_FLASH_BYTES	(4u << 20)
#define MAX_LATENCY_NS	10000000u
#define MAX_STEP_NS	1000000000u
#define MAX_TIME_NS	5000000000u
#define CHECK_EVERY	8

static unsigned int calls;

/* No shared objects. */
void sim_plugin_load(const char *file)
{
	die(TOOL_BAD_USAGE, "--plugin %s: not here", file);
}

void sim_plugins_check(void)
{
}

bool sim_plugin_is_loaded(const struct ssdc_replacement *r)
{
	(void)r;
	return false;
}

const char *sim_plugin_file(size_t i)
{
	(void)i;
	return NULL;
}

u64 __real_ssdc_background(struct ssdc_engine *e, u64 now_ns);
u64 __wrap_ssdc_background(struct ssdc_engine *e, u64 now_ns);

u64 __wrap_ssdc_background(struct ssdc_engine *e, u64 now_ns)
{
	struct ssdc_error finding;
	u64 next_ns = __real_ssdc_background(e, now_ns);

	if (++calls % CHECK_EVERY == 0 && ssdc_engine_check(e, &finding))
		fuzz_wrong("%s", finding.text);
	return next_ns;
}

/* @options point into @words and @line. */
static void parse(struct sim_options *options, char *line, char **words)
{
	int nr = 1 + fuzz_words(line, words + 1, MAX_WORDS);

	words[0] = "ssdcache-sim";
	words[nr++] = "trace";
	sim_options_parse(options, nr, words);
}

/* Bytes: kind and flags, time, two of page and scale, length, sector in the page. */
static void take_record(struct sim_record *record, struct fuzz_bytes *bytes, bool far, u64 *now_ns)
{
	u32 kind = fuzz_number(bytes, 1), step = fuzz_number(bytes, 1);
	u32 place = fuzz_number(bytes, 2), len = fuzz_number(bytes, 1), more = fuzz_number(bytes, 1);

	*now_ns += min((u64)(step & 15) << (step >> 4) * 2, (u64)MAX_STEP_NS);
	*now_ns = min(*now_ns, (u64)MAX_TIME_NS);
	memset(record, 0, sizeof(*record));
	record->time_ns = *now_ns;
	record->op = kind % SSDC_NR_OPS;
	if (record->op == SSDC_FLUSH)
		return;
	record->fua = record->op == SSDC_WRITE && kind & 4;
	record->sector = (place & 1023) * 8 + (more & 7);
	record->nr_sectors = 1 + len % 64 * (more & 8 ? 16 : 1);
	if (far && kind & 8)
		record->sector += min(1ULL << (place >> 10), SIM_MAX_SECTORS - 65536);
}

static void take_records(struct sim_workload *workload, struct fuzz_bytes *bytes, bool far)
{
	struct sim_record *record;
	u64 now_ns = 0, nr_sectors = 0;

	workload->nr = 0;
	workload->sectors = 2048;
	workload->records = xcalloc(MAX_REQUESTS, sizeof(*record));
	while (bytes->left && workload->nr < MAX_REQUESTS && nr_sectors < MAX_SECTORS) {
		record = &workload->records[workload->nr++];
		take_record(record, bytes, far, &now_ns);
		workload->sectors = max(workload->sectors, record->sector + record->nr_sectors);
		nr_sectors += record->nr_sectors;
	}
}

static void limit_latency(u64 *ns)
{
	*ns = min(*ns, (u64)MAX_LATENCY_NS);
}

static void make_small(struct sim_options *options)
{
	u64 page = options->params.page_bytes;

	if (page && page <= SSDC_MAX_PAGE_BYTES)
		options->params.dram_bytes = min(options->params.dram_bytes, MAX_FRAMES * page);
	options->series = NULL;
	options->decisions = NULL;
	limit_latency(&options->read_ns);
	limit_latency(&options->write_ns);
	limit_latency(&options->flush_ns);
	limit_latency(&options->dram_ns);
}

static bool flash_is_large(const struct sim_options *options, const struct sim_workload *workload)
{
	struct ssdf_params params = options->flash;
	struct ssdc_error error;
	u64 sectors = options->params.origin_sectors;

	return options->has_flash &&
		!ssdf_params_check(&params, sectors ? sectors : workload->sectors, &error) &&
		ssdf_memory_bytes(&params) > MAX_FLASH_BYTES;
}

static void check_report(void)
{
	json_t *report = json_loads(fuzz_output(), JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);

	if (!report)
		fuzz_wrong("not JSON: %s", fuzz_output());
	json_decref(report);
}

void fuzz_one(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data, size };
	char *line = fuzz_line(&bytes), *words[MAX_WORDS + 2];
	struct sim_workload workload = {};
	struct sim_options options;
	struct sim_run run;

	if (!line)
		return;
	calls = 0;
	sim_opt_offer(true);
	parse(&options, line, words);
	make_small(&options);
	take_records(&workload, &bytes, !options.has_flash);
	if (workload.nr && !flash_is_large(&options, &workload)) {
		sim_run(&run, &options, &workload);
		sim_report(run.e, run.flash, &options, &workload, run.simulated_ns);
		if (options.json)
			check_report();
		sim_run_free(&run);
	}
	sim_workload_free(&workload);
	free(line);
}

void fuzz_after(void)
{
	sim_opt_offer(false);
}
