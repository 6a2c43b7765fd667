// SPDX-License-Identifier: GPL-2.0
/*
 * Which options go together.
 */
#include "auto.h"
#include "opt.h"
#include "options.h"
#include "outputs.h"

/* --no-cache needs --flash, and excludes all options of the cache. */
static void check_no_cache(const struct sim_options *o)
{
	if (!o->no_cache)
		return;
	if (!o->has_flash)
		die(TOOL_BAD_USAGE, "--no-cache needs a flash device: --flash SPEC");
	if (o->cache_option)
		die(TOOL_BAD_USAGE, "--%s has no meaning with --no-cache", o->cache_option);
}

/* What looks at one engine has no meaning for several. */
static void check_shards(const struct sim_options *o)
{
	const char *policy = o->params.replacement, *scheme = o->params.admission;
	const struct {
		const char *name;
		bool given;
	} singles[] = {
		{ "series", o->series }, { "log-decisions", o->decisions }, { "shadow", o->shadow.replacement },
		{ "replacement auto", ssdc_auto_is_spec(policy) },
		{ "admission auto", ssdc_auto_is_spec(scheme) },
		{ "replacement opt", sim_opt_is_spec(policy) },
	};
	size_t i;

	for (i = 0; o->nr_shards > 1 && i < ARRAY_SIZE(singles); i++)
		if (singles[i].given)
			die(TOOL_BAD_USAGE, "--%s has no meaning with several --shards", singles[i].name);
}

/* What only shadows use has a meaning with --shadow, or with a choice by shadows. */
static void check_shadow(const struct sim_options *o)
{
	if (o->shadow.replacement)
		return;
	if (o->shadow_option)
		die(TOOL_BAD_USAGE, "--%s has no meaning without --shadow", o->shadow_option);
	if (o->sample_option && !sim_auto_is_asked(&o->params))
		die(TOOL_BAD_USAGE, "--%s has no meaning without --shadow, --replacement auto or --admission auto",
		    o->sample_option);
}

/* The engine would make a small reserve larger, and takes 0 for the default. What is wrong with other sizes, the engine says. */
static void check_reserve(const struct sim_options *o)
{
	const struct ssdc_params *p = &o->params;
	u64 least = min(p->dram_bytes, o->nr_shards * (u64)SSDC_MIN_RESERVE), most = SSDC_MAX_FRAMES * p->page_bytes;
	char given[32], from[32], to[32];

	if (!o->has_reserve || p->page_bytes > SSDC_MAX_PAGE_BYTES || p->dram_bytes >= most)
		return;
	most -= p->dram_bytes;
	if (p->reserve_bytes >= least && p->reserve_bytes <= most)
		return;
	ssdc_print_size(p->reserve_bytes, given, sizeof(given));
	ssdc_print_size(least, from, sizeof(from));
	ssdc_print_size(most, to, sizeof(to));
	die(TOOL_BAD_USAGE, "--reserve: %s is not from %s to %s, for this --dram and --shards", given, from, to);
}

/* The times of a flash device are its own. */
static void check_origin(const struct sim_options *o)
{
	if (o->has_flash && o->origin_option)
		die(TOOL_BAD_USAGE, "--%s has no meaning with --flash, whose parameters have times", o->origin_option);
}

static void check_series(const struct sim_options *o)
{
	if (o->interval_option && !o->series)
		die(TOOL_BAD_USAGE, "--%s has no meaning without --series", o->interval_option);
}

static void check_arrivals(const struct sim_options *o)
{
	if ((o->closed || o->depth) && o->times_option)
		die(TOOL_BAD_USAGE, "--%s has no meaning with --%s, which ignores arrival times", o->times_option,
		    o->closed ? "closed" : "depth");
	if (o->closed && o->depth)
		die(TOOL_BAD_USAGE, "--depth has no meaning with --closed, which keeps one request in flight");
}

/**
 * sim_options_check() - do options go together? Ends the program if not
 * @o: all options of a command line
 */
void sim_options_check(const struct sim_options *o)
{
	check_no_cache(o);
	check_shards(o);
	check_reserve(o);
	check_shadow(o);
	check_origin(o);
	check_series(o);
	check_arrivals(o);
}

/**
 * sim_options_check_outputs() - refuse to overwrite what the run reads; ends the program if it would
 * @o: all options of a command line
 */
void sim_options_check_outputs(const struct sim_options *o)
{
	const struct sim_output outputs[] = {
		{ "series", o->series }, { "log-decisions", o->decisions },
	};

	sim_outputs_check(outputs, ARRAY_SIZE(outputs), o->traces, o->nr_traces);
}
