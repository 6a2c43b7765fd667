/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_OPTIONS_H
#define SSDC_SIM_OPTIONS_H

#include "../../dm-ssdcache/flash/flash.h"
#include "../common/options.h"
#include "../trace/source.h"
#include "sim.h"

#define SIM_MAX_OPTIONS		96
#define SIM_FIRST_FREE_OPTION	1000

/**
 * struct sim_probe - what looks at a run while it goes on
 * @at: when so many requests have arrived
 * @see: called then
 */
struct sim_probe {
	size_t at;
	void (*see)(struct sim_probe *probe, struct ssdc_engine *e, struct ssdf_device *flash);
};

struct sim_device;
struct ssdc_auto;
struct ssdc_shadows;
struct sweep_axis;

/**
 * struct sim_shadow_options - --shadow and what goes with it
 * @replacement: specs, or NULL: no shadows
 * @admission: specs, or NULL: the one of the run
 * @sizes: in percent, or NULL: the default
 * @rate_ppm: sampled addresses, per million
 * @region_bytes: size of a sampled region
 * @least_pages: of the tier of a shadow
 */
struct sim_shadow_options {
	struct sweep_axis *replacement;
	struct sweep_axis *admission;
	struct sweep_axis *sizes;
	u32 rate_ppm;
	u32 region_bytes;
	u32 least_pages;
};

/**
 * struct sim_options - the command line
 * @params: for the engine; origin_sectors 0: as large as the traces need
 * @nr_shards: engines that share DRAM and origin
 * @has_reserve: the size of the reserve was given
 * @no_cache: requests go straight to the flash device
 * @cache_option: the last option given that applies to caches only, or NULL
 * @shadow_option: the last option given that applies to --shadow only, or NULL
 * @sample_option: the last option given that applies to --shadow and "auto" only, or NULL
 * @origin_option: the last option given that applies to origins without a flash device only, or NULL
 * @interval_option: the last option given that applies to --series only, or NULL
 * @times_option: the last option given that changes arrival times only, or NULL
 * @closed: a request starts when all work for those before it is complete
 * @depth: so many requests are in flight at all times; 0: they start at their times of arrival
 * @fold: addresses beyond the origin are folded onto the origin
 * @json: report as JSON
 * @verify: track data and check each read
 * @flush_at_end: flush all dirty pages at the end
 * @speed: print the CPU time of the run on stderr
 * @time_steps: measure the CPU time of background steps
 * @flash: parameters of the flash device
 * @has_flash: the origin is a flash device; otherwise it has the latencies that follow
 * @read_ns: time of a read of the origin
 * @write_ns: time of a write or discard
 * @flush_ns: time of a FLUSH
 * @dram_ns: time of a copy from or to a page in DRAM
 * @plan: what to take from the traces
 * @series: file for values over time, or NULL
 * @series_ns: interval between two rows of it
 * @decisions: file for the log of the replacement policy's decisions, or NULL
 * @shadow: other policies and sizes beside the run
 * @shadows: made from @shadow by sim_run(), or NULL
 * @choice: chooses the policies if the replacement policy of the command line is "auto", or NULL; set by sim_run()
 * @probe: looks at the run half-way, or NULL
 * @device: used for @flash if it has the same parameters, or NULL
 * @doubtless: the user was told what is strange about @flash
 * @command: the command line that repeats the run, for the report; NULL: the report has neither this nor the version
 * @traces: file names
 * @nr_traces: how many
 */
struct sim_options {
	struct ssdc_params params;
	u64 nr_shards;
	bool has_reserve;
	bool no_cache;
	const char *cache_option;
	const char *shadow_option;
	const char *sample_option;
	const char *origin_option;
	const char *interval_option;
	const char *times_option;
	bool closed;
	u64 depth;
	bool fold;
	bool json;
	bool verify;
	bool flush_at_end;
	bool speed;
	bool time_steps;
	struct ssdf_params flash;
	bool has_flash;
	u64 read_ns;
	u64 write_ns;
	u64 flush_ns;
	u64 dram_ns;
	struct trace_plan plan;
	const char *series;
	u64 series_ns;
	const char *decisions;
	struct sim_shadow_options shadow;
	struct ssdc_shadows *shadows;
	struct ssdc_auto *choice;
	struct sim_probe *probe;
	const struct sim_device *device;
	bool doubtless;
	char *command;
	char **traces;
	int nr_traces;
};

/* Forms of the values of an option that a sweep varies. */
enum sim_axis { SIM_AXIS_NONE, SIM_AXIS_SIZES, SIM_AXIS_SPECS, SIM_AXIS_VALUES };

/* What an option is for: to load traces, to run them, or to print something. */
enum sim_use { SIM_USE_LOAD, SIM_USE_RUN, SIM_USE_PRINT };

void sim_options_read(struct sim_options *options, int argc, char **argv);
void sim_options_parse(struct sim_options *options, int argc, char **argv);
void sim_options_check(const struct sim_options *options);
void sim_options_check_outputs(const struct sim_options *options);
void sim_options_load_plugins(const char *verb, const struct option_def *defs, int argc,
			      char **argv);

void sim_options_table(struct option_def *defs);
void sim_options_table_free(const struct option_def *defs);
u64 sim_option_size(const char *option, const char *text, size_t len, const char *also);
enum sim_axis sim_option_axis(const struct option_def *def);
void sim_option_check_keys(const struct option_def *def, const char *spec, size_t len, bool list);
enum ssdc_kind sim_option_kind(const struct option_def *def);
bool sim_option_is_swept(const struct option_def *def);
bool sim_option_is_plugin(const struct option_def *def);
enum sim_use sim_option_use(const struct option_def *def);

#endif /* SSDC_SIM_OPTIONS_H */
