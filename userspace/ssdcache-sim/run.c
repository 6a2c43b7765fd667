// SPDX-License-Identifier: GPL-2.0
/*
 * A run: makes engines and flash device, drives them, checks the result.
 */
#include <errno.h>
#include <string.h>
#include "auto.h"
#include "decisions.h"
#include "direct.h"
#include "driver.h"
#include "plugin.h"
#include "progress.h"
#include "run.h"
#include "shadow.h"

static u64 end_of_all(const struct sim_workload *workload)
{
	u64 end = 0;
	size_t i;

	for (i = 0; i < workload->nr; i++) {
		const struct sim_record record = sim_request(workload, i);

		end = max(end, record.sector + record.nr_sectors);
	}
	return end;
}

/**
 * sim_fold() - fold all addresses onto an origin
 * @workload: requests, whose records stay as they are
 * @sectors: size of the origin
 *
 * A request that would cross the end of the origin moves in front of the end.
 */
void sim_fold(struct sim_workload *workload, u64 sectors)
{
	workload->fold_sectors = sectors;
}

/* The size of the origin is that given, that of the flash device, or what the traces need. */
static int size_origin(struct sim_options *options, const struct sim_workload *workload, struct ssdc_error *error)
{
	u64 flash = options->has_flash && options->flash.blocks ?
		    ssdf_capacity_sectors(&options->flash) : 0;
	u64 *sectors = &options->params.origin_sectors, end;

	if (options->fold) {
		if (!*sectors)
			*sectors = flash;
		return 0;
	}
	end = end_of_all(workload);
	if (*sectors && end > *sectors)
		return ssdc_finding(error,
				    "--origin-sectors: %llu is too small, a request ends at sector %llu; --fold folds addresses onto the origin",
				    *sectors, end);
	if (*sectors)
		return 0;
	*sectors = workload->sectors;
	if (flash && *sectors > flash && end <= flash)
		*sectors = flash;
	if (flash && end > flash)
		return ssdc_finding(error,
				    "--flash: the flash has %llu sectors for the host, a request ends at sector %llu; --fold folds addresses onto the flash",
				    flash, end);
	return 0;
}

/**
 * sim_size_origin() - find the size of origin and flash device
 * @options: command line; the size of the origin and the blocks of the device are added
 * @workload: requests
 * @error: on failure, says what does not fit
 *
 * Return: 0 or an error.
 */
int sim_size_origin(struct sim_options *options, const struct sim_workload *workload, struct ssdc_error *error)
{
	struct ssdc_error reason;

	if (size_origin(options, workload, error))
		return -EINVAL;
	if (options->has_flash && ssdf_params_check(&options->flash, options->params.origin_sectors, &reason))
		return ssdc_finding(error, "--flash: %s", reason.text);
	return 0;
}

/* Say so if the parameters contradict each other. */
static void doubt_flash(const struct sim_options *options)
{
	struct ssdc_error doubt;

	if (options->has_flash && ssdf_params_doubt(&options->flash, &doubt))
		warn("--flash: %s", doubt.text);
}

static bool has(const struct sim_workload *workload, enum ssdc_op op)
{
	size_t i;

	for (i = 0; i < workload->nr; i++)
		if (workload->records[i].op == op)
			return true;
	return false;
}

/* Traces of libCacheSim have no writes: say why nothing is ever cached. */
static void doubt_admission(const struct sim_options *options, const struct sim_workload *workload)
{
	if (!options->choice && !strcmp(options->params.admission, "write-buffer") && !has(workload, SSDC_WRITE) &&
	    has(workload, SSDC_READ))
		warn("--admission write-buffer lets only writes enter the DRAM, and the trace has none: --admission read-write lets reads enter, too");
}

static struct ssdf_device *get_flash(struct sim_run *run, const struct sim_options *options,
				     const struct sim_workload *workload)
{
	const struct sim_device *made = options->device;
	struct ssdc_error error;

	if (!options->has_flash)
		return NULL;
	if (made && made->flash && !memcmp(&made->params, &options->flash, sizeof(made->params)))
		return sim_device_take(made, workload);
	sim_progress_prepare();
	if (sim_device_make(&run->device, &options->flash, NULL, &error))
		die(TOOL_FAILED, "--flash: %s", error.text);
	return run->device.flash;
}

static void create_engines(struct sim_run *run, const struct sim_options *options)
{
	struct ssdc_params params = options->params;
	struct ssdc_error error = {};
	u32 i;

	if (ssdc_params_check(&params, &error) || ssdc_shards_check(&params, options->nr_shards, &error)) {
		if (!options->choice)
			ssdc_auto_offer(&error, params.replacement, params.admission);
		die(TOOL_BAD_USAGE, "%s", error.text);
	}
	ssdc_shards_divide(&params, options->nr_shards);
	for (i = 0; i < options->nr_shards; i++) {
		params.shard = i;
		run->engines[i] = ssdc_engine_create(&params, &error);
		if (!run->engines[i])
			die(sim_creation_code(), "%s", error.text);
	}
	run->e = run->engines[0];
	if (options->decisions)
		sim_decisions_open(run->e, options->decisions);
}

static void merge_table(const struct ssdc_stat *table, unsigned int nr, void *const *bases, u32 nr_shards)
{
	unsigned int row, i;
	u64 *numbers;
	u32 shard;

	for (row = 0; row < nr; row++) {
		numbers = xcalloc(ssdc_stat_count(&table[row]), sizeof(*numbers));
		for (shard = 0; shard < nr_shards; shard++)
			ssdc_stat_merge(&table[row], bases[shard], numbers);
		for (i = 0; i < ssdc_stat_count(&table[row]); i++)
			ssdc_stat_write_at(&table[row], bases[0], i, numbers[i]);
		free(numbers);
	}
}

/* The first engine shows the statistics of all. The run is over: no engine looks at its own any more. */
static void merge_stats(const struct sim_run *run, u32 nr_shards)
{
	const struct ssdc_plugin_info *info;
	void *plugins[SSDC_MAX_SHARDS];
	unsigned int kind, op;
	u32 i;

	merge_table(ssdc_core_stat_table, ssdc_nr_core_stats, (void *const *)run->engines, nr_shards);
	for (op = 0; op < SSDC_NR_OPS; op++)
		for (i = 1; i < nr_shards; i++)
			ssdc_histogram_merge(&run->e->latency[op], &run->engines[i]->latency[op]);
	for (kind = 0; kind < SSDC_NR_KINDS; kind++) {
		for (i = 0; i < nr_shards; i++)
			plugins[i] = ssdc_current_plugin(run->engines[i], kind);
		info = &ssdc_current_plugin(run->e, kind)->type->info;
		merge_table(info->stats, info->nr_stats, plugins, nr_shards);
	}
}

static void check_engines(const struct sim_run *run, u32 first, u32 nr_shards)
{
	struct ssdc_error finding;
	u32 i;

	for (i = first; i < nr_shards; i++)
		if (ssdc_engine_check(run->engines[i], &finding))
			die(TOOL_FAILED, "--verify: %s", finding.text);
}

/**
 * sim_run() - run a workload; ends the program if that is not possible
 * @run: result, to be freed with sim_run_free()
 * @options: command line; the size of the origin, the shadows and the choice are added, and "auto" becomes the policy
 *	that is live at the beginning
 * @workload: requests; with --fold, the size to fold them onto is added
 */
void sim_run(struct sim_run *run, struct sim_options *options, struct sim_workload *workload)
{
	struct ssdc_error finding;

	if (sim_size_origin(options, workload, &finding))
		die(TOOL_BAD_USAGE, "%s", finding.text);
	if (!options->doubtless)
		doubt_flash(options);
	if (options->fold)
		sim_fold(workload, options->params.origin_sectors);
	/* Before there is any instance, in the engines or in shadows. */
	if (options->verify)
		sim_plugins_check();
	run->choice = options->no_cache ? NULL : sim_auto_create(options);
	options->choice = run->choice;
	run->e = NULL;
	memset(run->engines, 0, sizeof(run->engines));
	if (!options->no_cache)
		create_engines(run, options);
	run->shadows = options->no_cache ? NULL : sim_shadow_create(options, run->e);
	options->shadows = run->shadows;
	sim_shadow_options_free(&options->shadow);
	run->device = (struct sim_device) {};
	run->flash = get_flash(run, options, workload);
	sim_progress_run(workload->nr);
	if (!run->e)
		run->simulated_ns = sim_drive_direct(run->flash, options, workload);
	else if (options->nr_shards == 1)
		run->simulated_ns = sim_drive(run->e, run->flash, options, workload);
	else
		run->simulated_ns = sim_drive_shards(run->engines, options->nr_shards, run->flash, options, workload);
	if (run->e && options->verify)
		check_engines(run, 0, options->nr_shards);
	if (run->e && options->nr_shards > 1)
		merge_stats(run, options->nr_shards);
	if (options->decisions)
		sim_decisions_close();
	if (run->e && !options->doubtless)
		doubt_admission(options, workload);
}

/**
 * sim_run_check_changes() - with --verify, let a policy from a shared object give its pages to a new instance of itself, and
 *	that one to another
 * @run: a run that has ended, and whose results have been taken: the instance that is live changes
 * @options: of the run
 *
 * Most runs change no policy, so nothing else calls adopt() and pop_hottest(). A wrong answer ends the program.
 */
void sim_run_check_changes(const struct sim_run *run, const struct sim_options *options)
{
	/* The policy of the first of several engines has the statistics of all, and so fails its own check(). */
	u32 first = options->nr_shards > 1, i, change;
	char spec[SSDC_SPEC_LEN];

	if (!run->e || !options->verify || !sim_plugin_is_loaded(run->e->replacement))
		return;
	for (i = first; i < options->nr_shards; i++) {
		for (change = 0; change < 2; change++) {
			ssdc_spec_print(&run->engines[i]->replacement->plugin, spec, sizeof(spec));
			sim_switch_to(run->engines[i], SSDC_REPLACEMENT, spec);
		}
	}
	check_engines(run, first, options->nr_shards);
}

void sim_run_free(struct sim_run *run)
{
	u32 i;

	for (i = 0; i < SSDC_MAX_SHARDS; i++)
		ssdc_engine_destroy(run->engines[i]);
	ssdc_shadows_destroy(run->shadows);
	ssdc_auto_destroy(run->choice);
	if (run->device.flash)
		sim_device_free(&run->device);
	else
		ssdf_destroy(run->flash);
}
