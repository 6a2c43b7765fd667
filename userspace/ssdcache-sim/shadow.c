// SPDX-License-Identifier: GPL-2.0
/*
 * --shadow: other policies and sizes beside the run, on a sample of its requests.
 */
#include <stdlib.h>
#include <string.h>
#include "../common/number.h"
#include "opt.h"
#include "report.h"
#include "shadow.h"
#include "sweep.h"

static void add_candidates(struct ssdc_shadow_params *params, struct ssdc_shadow_candidate *candidates,
			   const struct sim_shadow_options *o, const char *admission)
{
	size_t i;

	for (i = 0; i < o->replacement->nr; i++) {
		if (sim_opt_is_spec(o->replacement->values[i]))
			die(TOOL_BAD_USAGE, "--shadow: " SIM_OPT_NO_SHADOW);
		if (params->nr_candidates < SSDC_SHADOW_MAX_CANDIDATES)
			candidates[params->nr_candidates] = (struct ssdc_shadow_candidate) {
				o->replacement->values[i], admission,
			};
		params->nr_candidates++;
	}
}

static void set_sizes(struct ssdc_shadow_params *params, const struct sim_shadow_options *o, u32 *percent)
{
	size_t i;

	for (i = 0; o->sizes && i < o->sizes->nr && i < SSDC_SHADOW_MAX_SIZES; i++)
		percent[i] = take_number("shadow-sizes", o->sizes->values[i], 1, 10000);
	params->nr_sizes = o->sizes ? o->sizes->nr : 5;
	params->sizes_percent = percent;
}

/**
 * sim_shadow_params() - what shadows of a run are made from, but for the candidates and sizes
 * @params: result
 * @live: result, which @params refers to: the parameters of the engine, with the geometry of the flash device
 * @options: command line
 */
void sim_shadow_params(struct ssdc_shadow_params *params, struct ssdc_params *live, const struct sim_options *options)
{
	const struct sim_shadow_options *o = &options->shadow;

	*live = options->params;
	*params = (struct ssdc_shadow_params) {
		.live = live,
		.rate_ppm = o->rate_ppm,
		.region_bytes = o->region_bytes,
		.ring_records = SSDC_SHADOW_RING,
		.least_pages = o->least_pages,
		.window_pages = SSDC_SHADOW_WINDOW,
		.read_ns = options->read_ns,
		.write_ns = options->write_ns,
		.flush_ns = options->flush_ns,
		.chips = 1,
		.closed = options->closed,
	};
	if (options->has_flash)
		ssdc_shadow_of_flash(params, live, &options->flash);
}

/**
 * sim_shadow_create() - the shadows of a command line; ends the program if they cannot be created
 * @options: command line
 * @e: the engine of the run
 *
 * Return: the shadows, to be freed with ssdc_shadows_destroy(); NULL without --shadow.
 */
struct ssdc_shadows *sim_shadow_create(const struct sim_options *options, const struct ssdc_engine *e)
{
	static const u32 default_percent[SSDC_SHADOW_MAX_SIZES] = { 25, 50, 100, 200, 400 };
	const struct sim_shadow_options *o = &options->shadow;
	struct ssdc_shadow_candidate candidates[SSDC_SHADOW_MAX_CANDIDATES];
	struct ssdc_shadow_params params;
	struct ssdc_params live;
	u32 percent[SSDC_SHADOW_MAX_SIZES];
	struct ssdc_error error = {};
	struct ssdc_shadows *s;
	bool offered;
	size_t i;

	if (!o->replacement)
		return NULL;
	if (sim_opt_is_spec(options->params.replacement))
		die(TOOL_BAD_USAGE, "--shadow: the estimates need a shadow of --replacement, and " SIM_OPT_NO_SHADOW);
	memcpy(percent, default_percent, sizeof(percent));
	sim_shadow_params(&params, &live, options);
	params.candidates = candidates;
	set_sizes(&params, o, percent);
	if (!o->admission)
		add_candidates(&params, candidates, o, options->params.admission);
	for (i = 0; o->admission && i < o->admission->nr; i++)
		add_candidates(&params, candidates, o, o->admission->values[i]);
	offered = sim_opt_offer(false);
	s = ssdc_shadows_create(&params, &error);
	sim_opt_offer(offered);
	if (!s)
		die(sim_creation_code(), "--shadow: %s", error.text);
	ssdc_shadows_attach(s, e);
	return s;
}

static void free_values(struct sweep_axis **axis)
{
	if (*axis)
		sweep_axis_free(*axis);
	free(*axis);
	*axis = NULL;
}

/**
 * sim_shadow_options_free() - free the lists of values
 * @o: options; without --shadow afterwards
 */
void sim_shadow_options_free(struct sim_shadow_options *o)
{
	free_values(&o->replacement);
	free_values(&o->admission);
	free_values(&o->sizes);
}

/* ---- results ---- */

static bool any_uncertain(const struct ssdc_shadows *s)
{
	u32 i;

	for (i = 0; i < s->nr - s->nr_references; i++)
		if (ssdc_shadow_is_uncertain(s, &s->shadows[i]))
			return true;
	return false;
}

void sim_shadow_text(struct ssdc_shadows *s)
{
	int policies = 32, schemes = 16;
	u32 i;

	ssdc_shadows_update(s);
	for (i = 0; i < s->nr_candidates; i++) {
		policies = max_t(int, policies, strlen(s->candidates[i].replacement));
		schemes = max_t(int, schemes, strlen(s->candidates[i].admission));
	}
	printf("\nshadows: %llu records, %llu dropped, %llu bytes of memory\n", s->stats.records, s->stats.dropped,
	       s->stats.memory_bytes);
	if (s->live)
		puts("  Hits are corrected for what the sample misses, responses are not: compare these between policies of one size only.");
	else
		puts("  Hits and responses are those of the sample, as auto has changed the live policies: compare them between policies of one size only.");
	if (any_uncertain(s) && !s->live)
		puts("  Hits with ? are uncertain, as they are not corrected. Use --shadow-rate 100.");
	else if (any_uncertain(s))
		printf("  Hits with ? are uncertain: the sample has fewer than %u regions, or cannot be corrected. "
		       "Use --shadow-rate 100, or a longer trace.\n", SSDC_SHADOW_FEW_REGIONS);
	printf("  %-*s %-*s %6s %8s %8s %10s %8s %14s\n", policies, "replacement", schemes, "admission", "size %", "rate %", "pages",
	       "accesses", "hits %", "response, us");
	for (i = 0; i < s->nr - s->nr_references; i++) {
		const struct ssdc_shadow_candidate *candidate = &s->candidates[s->shadows[i].candidate];
		const struct ssdc_shadow_stats *stats = &s->shadows[i].stats;
		const char *mark = ssdc_shadow_is_uncertain(s, &s->shadows[i]) ? "?" : "";

		printf("  %-*s %-*s %6u %8.2f %8u %10llu %8.2f%1s %13.3f\n", policies, candidate->replacement, schemes,
		       candidate->admission, stats->size_percent, stats->rate_ppm / 1e4, stats->pages, stats->accesses,
		       stats->hit_ppm / 1e4, mark, stats->response_ns / 1e3);
	}
}

static json_t *sizes_json(const struct ssdc_shadows *s, u32 candidate)
{
	json_t *sizes = json_array();
	u32 i;

	for (i = 0; i < s->nr; i++) {
		const struct ssdc_shadow *shadow = &s->shadows[i];
		json_t *size;

		if (shadow->candidate != candidate)
			continue;
		size = sim_json_stats(ssdc_shadow_stat_table, ssdc_nr_shadow_stats, &shadow->stats);
		json_object_set_new(size, "corrected", json_boolean(shadow->is_corrected));
		json_object_set_new(size, "uncertain", json_boolean(ssdc_shadow_is_uncertain(s, shadow)));
		json_array_append_new(sizes, size);
	}
	return sizes;
}

json_t *sim_shadow_json(struct ssdc_shadows *s)
{
	json_t *candidates = json_array();
	u32 i;

	ssdc_shadows_update(s);
	for (i = 0; i < s->nr_candidates; i++)
		json_array_append_new(candidates, json_pack("{s:s, s:s, s:o}",
							    "replacement", s->candidates[i].replacement,
							    "admission", s->candidates[i].admission,
							    "sizes", sizes_json(s, i)));
	return json_pack("{s:I, s:o, s:o}", "region_bytes", (json_int_t)1 << (s->region_shift + SSDC_SECTOR_SHIFT), "stats",
			 sim_json_stats(ssdc_shadows_stat_table, ssdc_nr_shadows_stats, &s->stats),
			 "candidates", candidates);
}
