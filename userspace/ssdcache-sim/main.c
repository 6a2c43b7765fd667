// SPDX-License-Identifier: GPL-2.0
#include "decisions.h"
#include "direct.h"
#include "driver.h"
#include "opt.h"
#include "options.h"
#include "report.h"
#include "trace.h"

static void size_origin(struct sim_options *options, const struct sim_workload *workload)
{
	size_t i;

	if (!options->params.origin_sectors) {
		options->params.origin_sectors = workload->sectors;
		return;
	}
	for (i = 0; i < workload->nr; i++)
		if (workload->records[i].sector + workload->records[i].nr_sectors >
		    options->params.origin_sectors)
			die(TOOL_BAD_USAGE,
			    "--origin-sectors: %llu is too small, a request ends at sector %llu",
			    options->params.origin_sectors,
			    workload->records[i].sector + workload->records[i].nr_sectors);
}

static struct ssdf_device *create_flash(struct sim_options *options)
{
	struct ssdc_error error = {};
	struct ssdf_device *flash;

	if (!options->has_flash)
		return NULL;
	if (ssdf_params_check(&options->flash, options->params.origin_sectors, &error))
		die(TOOL_BAD_USAGE, "--flash: %s", error.text);
	flash = ssdf_create(&options->flash, &error);
	if (!flash)
		die(TOOL_FAILED, "--flash: %s", error.text);
	while (ssdf_age(flash))
		;
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

int main(int argc, char **argv)
{
	struct sim_workload workload;
	struct sim_options options;
	struct ssdf_device *flash;
	struct ssdc_engine *e = NULL;
	struct ssdc_error finding;
	double start, loaded, end;
	u64 simulated_ns;

	if (ssdc_type_register(&sim_opt.plugin))
		die(TOOL_FAILED, "internal error: %s cannot be registered",
		    sim_opt.plugin.info.name);
	sim_options_parse(&options, argc, argv);
	start = sim_cpu_seconds();
	sim_workload_load(&workload, options.traces, options.nr_traces, options.limit,
			  options.time_scale);
	loaded = sim_cpu_seconds();
	size_origin(&options, &workload);
	if (!options.no_cache)
		e = create_engine(&options);
	flash = create_flash(&options);
	simulated_ns = e ? sim_drive(e, flash, &options, &workload) :
			   sim_drive_direct(flash, &options, &workload);
	end = sim_cpu_seconds();
	if (e && options.verify && ssdc_engine_check(e, &finding))
		die(TOOL_FAILED, "--verify: %s", finding.text);
	if (options.decisions)
		sim_decisions_close(options.decisions);

	sim_report(e, flash, &options, &workload, simulated_ns);
	if (options.speed)
		fprintf(stderr, "ssdcache-sim: %zu requests loaded in %.6f s, run in %.6f s of CPU time\n",
			workload.nr, loaded - start, end - loaded);
	if (e)
		ssdc_engine_destroy(e);
	ssdf_destroy(flash);
	sim_workload_free(&workload);
	return TOOL_OK;
}
