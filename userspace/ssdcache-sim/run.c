// SPDX-License-Identifier: GPL-2.0
/*
 * A run: makes engine and flash device, drives them, checks the result.
 */
#include <errno.h>
#include <string.h>
#include "auto.h"
#include "decisions.h"
#include "direct.h"
#include "driver.h"
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

static struct ssdf_device *get_flash(const struct sim_options *options, const struct sim_workload *workload)
{
	const struct sim_device *made = options->device;
	struct ssdf_device *flash;
	struct ssdc_error error;

	if (!options->has_flash)
		return NULL;
	if (made && made->flash && !memcmp(&made->params, &options->flash, sizeof(made->params)))
		return sim_device_take(made, workload);
	sim_progress_prepare();
	flash = sim_flash_make(&options->flash, NULL, &error);
	if (!flash)
		die(TOOL_FAILED, "--flash: %s", error.text);
	return flash;
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
	run->choice = options->no_cache ? NULL : sim_auto_create(options);
	options->choice = run->choice;
	run->e = options->no_cache ? NULL : create_engine(options);
	run->shadows = options->no_cache ? NULL : sim_shadow_create(options, run->e);
	options->shadows = run->shadows;
	sim_shadow_options_free(&options->shadow);
	run->flash = get_flash(options, workload);
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
	ssdc_shadows_destroy(run->shadows);
	ssdc_auto_destroy(run->choice);
	ssdf_destroy(run->flash);
}
