// SPDX-License-Identifier: GPL-2.0
/*
 * A run: makes engine and flash device, drives them, checks the result.
 */
#include "decisions.h"
#include "direct.h"
#include "driver.h"
#include "progress.h"
#include "run.h"

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
static void size_origin(struct sim_options *options, const struct sim_workload *workload)
{
	u64 flash = options->has_flash && options->flash.blocks ?
		    ssdf_capacity_sectors(&options->flash) : 0;
	u64 *sectors = &options->params.origin_sectors, end;

	if (options->fold) {
		if (!*sectors)
			*sectors = flash;
		return;
	}
	end = end_of_all(workload);
	if (*sectors && end > *sectors)
		die(TOOL_BAD_USAGE,
		    "--origin-sectors: %llu is too small, a request ends at sector %llu; --fold folds addresses onto the origin",
		    *sectors, end);
	if (*sectors)
		return;
	*sectors = workload->sectors;
	if (flash && *sectors > flash && end <= flash)
		*sectors = flash;
	if (flash && end > flash)
		die(TOOL_BAD_USAGE,
		    "--flash: the flash has %llu sectors for the host, a request ends at sector %llu; --fold folds addresses onto the flash",
		    flash, end);
}

static struct ssdf_device *create_flash(struct sim_options *options, bool doubts)
{
	struct ssdc_error error = {}, doubt;
	struct ssdf_device *flash;

	if (!options->has_flash)
		return NULL;
	if (ssdf_params_check(&options->flash, options->params.origin_sectors, &error))
		die(TOOL_BAD_USAGE, "--flash: %s", error.text);
	if (doubts && ssdf_params_doubt(&options->flash, &doubt))
		warn("--flash: %s", doubt.text);
	sim_progress_prepare();
	flash = ssdf_create(&options->flash, &error);
	if (!flash)
		die(TOOL_FAILED, "--flash: %s", error.text);
	while (ssdf_age(flash))
		;
	return flash;
}

/**
 * sim_make_flash() - make and age a flash device, for several runs that start in processes of their own
 * @options: command line; the size of the origin and the blocks of the device are added
 * @workload: requests
 * @doubts: say so if the parameters contradict each other
 *
 * Return: the device; NULL without --flash.
 */
struct ssdf_device *sim_make_flash(struct sim_options *options, const struct sim_workload *workload,
				   bool doubts)
{
	size_origin(options, workload);
	return create_flash(options, doubts);
}

static struct ssdc_engine *create_engine(const struct sim_options *options)
{
	struct ssdc_error error = {};
	struct ssdc_engine *e = ssdc_engine_create(&options->params, &error);

	if (!e)
		die(TOOL_BAD_USAGE, "%s", error.text);
	if (options->decisions)
		sim_decisions_open(e, options->decisions);
	return e;
}

/**
 * sim_run() - run a workload; ends the program if that is not possible
 * @run: result, to be freed with sim_run_free()
 * @options: command line; the size of the origin is added
 * @workload: requests; with --fold, the size to fold them onto is added
 */
void sim_run(struct sim_run *run, struct sim_options *options, struct sim_workload *workload)
{
	struct ssdc_error finding;

	size_origin(options, workload);
	if (options->fold)
		sim_fold(workload, options->params.origin_sectors);
	run->e = options->no_cache ? NULL : create_engine(options);
	run->flash = options->made_flash ? options->made_flash : create_flash(options, true);
	sim_progress_run(workload->nr);
	run->simulated_ns = run->e ? sim_drive(run->e, run->flash, options, workload) :
				     sim_drive_direct(run->flash, options, workload);
	if (run->e && options->verify && ssdc_engine_check(run->e, &finding))
		die(TOOL_FAILED, "--verify: %s", finding.text);
	if (options->decisions)
		sim_decisions_close(options->decisions);
}

void sim_run_free(struct sim_run *run)
{
	if (run->e)
		ssdc_engine_destroy(run->e);
	ssdf_destroy(run->flash);
}
