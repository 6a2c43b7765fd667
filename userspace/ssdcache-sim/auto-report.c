// SPDX-License-Identifier: GPL-2.0
/*
 * --replacement auto, --admission auto: from the options to the report.
 */
#include <errno.h>
#include "auto.h"
#include "opt.h"
#include "report.h"
#include "shadow.h"

/* Parse the specs of a choice; opt cannot be a candidate. */
static int parse(const struct ssdc_params *params, struct ssdc_auto_spec *spec, struct ssdc_error *error)
{
	u32 i;

	if (ssdc_auto_parse(params->replacement, params->admission, spec, error))
		return -EINVAL;
	for (i = 0; i < spec->nr; i++)
		if (sim_opt_is_spec(spec->candidates[i].replacement))
			return ssdc_finding(error, "auto: candidates: " SIM_OPT_NO_SHADOW);
	return 0;
}

/**
 * sim_auto_create() - the choice of a command line; ends the program if it cannot be created
 * @options: command line; the policies of the first candidate replace those given
 *
 * Return: the choice, to be freed with ssdc_auto_destroy(); NULL if a policy is given.
 */
struct ssdc_auto *sim_auto_create(struct sim_options *options)
{
	const struct ssdc_params given = options->params;
	struct ssdc_shadow_params params;
	struct ssdc_error error = {};
	struct ssdc_auto_spec spec;
	struct ssdc_params live;
	struct ssdc_auto *a;
	bool offered;

	if (!sim_auto_is_asked(&options->params))
		return NULL;
	if (options->decisions)
		die(TOOL_BAD_USAGE, "--log-decisions: auto changes the policy, a log is of one policy");
	if (parse(&options->params, &spec, &error))
		die(TOOL_BAD_USAGE, "%s", error.text);
	options->params.replacement = spec.candidates[0].replacement;
	options->params.admission = spec.candidates[0].admission;
	sim_shadow_params(&params, &live, options);
	offered = sim_opt_offer(false);
	a = ssdc_auto_create(&spec, &params, &error);
	sim_opt_offer(offered);
	if (!a) {
		ssdc_auto_offer(&error, given.replacement, given.admission);
		die(sim_creation_code(), "%s", error.text);
	}
	options->params.replacement = a->shadows->candidates[0].replacement;
	options->params.admission = a->shadows->candidates[0].admission;
	return a;
}

/**
 * sim_params_check() - are the parameters of an engine valid, or of the engine of each candidate?
 * @params: parameters; the replacement policy and the admission scheme may be "auto"
 * @error: on failure, names the bad value and the valid ones
 *
 * Return: 0 or -EINVAL.
 */
int sim_params_check(const struct ssdc_params *params, struct ssdc_error *error)
{
	struct ssdc_params own = *params;
	struct ssdc_auto_spec spec;
	bool offered;
	int r = 0;
	u32 i;

	if (!sim_auto_is_asked(params)) {
		r = ssdc_params_check(params, error);
		if (r)
			ssdc_auto_offer(error, params->replacement, params->admission);
		return r;
	}
	if (parse(params, &spec, error))
		return -EINVAL;
	offered = sim_opt_offer(false);
	for (i = 0; !r && i < spec.nr; i++) {
		own.replacement = spec.candidates[i].replacement;
		own.admission = spec.candidates[i].admission;
		r = ssdc_params_check(&own, error);
	}
	sim_opt_offer(offered);
	if (r)
		ssdc_auto_offer(error, params->replacement, params->admission);
	return r;
}

/* ---- results ---- */

/* Returns the length. */
static int name_of(const struct ssdc_auto *a, u32 candidate, char *name, size_t size)
{
	return scnprintf(name, size, "%s/%s", a->shadows->candidates[candidate].replacement,
			 a->shadows->candidates[candidate].admission);
}

static u64 first_kept(const struct ssdc_auto *a)
{
	return a->nr_decisions > SSDC_AUTO_LOG ? a->nr_decisions - SSDC_AUTO_LOG : 0;
}

static const struct ssdc_auto_decision *decision_at(const struct ssdc_auto *a, u64 i)
{
	return &a->log[i & (SSDC_AUTO_LOG - 1)];
}

void sim_auto_text(const struct ssdc_auto *a)
{
	char name[SSDC_SPEC_LEN];
	int width = 40;
	u32 i;

	for (i = 0; i < a->nr; i++)
		width = max(width, name_of(a, i, name, sizeof(name)));
	printf("\nauto: %llu decision%s, %llu switch%s, goal %s\n", a->nr_decisions, plural(a->nr_decisions), a->stats.switches,
	       a->stats.switches == 1 ? "" : "es", ssdc_auto_goals[a->tunables.goal]);
	printf("  %-*s %14s\n", width, "candidate", "requests");
	for (i = 0; i < a->nr; i++) {
		name_of(a, i, name, sizeof(name));
		printf("  %-*s %14llu\n", width, name, a->candidates[i].live_requests);
	}
}

static json_t *candidates_json(const struct ssdc_auto *a)
{
	json_t *all = json_array();
	u32 i;

	for (i = 0; i < a->nr; i++)
		json_array_append_new(all, json_pack("{s:s, s:s, s:I, s:I, s:I}",
						     "replacement", a->shadows->candidates[i].replacement,
						     "admission", a->shadows->candidates[i].admission,
						     "requests", (json_int_t)a->candidates[i].live_requests,
						     "cost", (json_int_t)a->candidates[i].cost,
						     "period_cost", (json_int_t)a->candidates[i].period_cost));
	return all;
}

static json_t *decisions_json(const struct ssdc_auto *a)
{
	json_t *all = json_array();
	u64 i;

	for (i = first_kept(a); i < a->nr_decisions; i++) {
		const struct ssdc_auto_decision *decision = decision_at(a, i);
		json_t *costs = json_array();
		u32 j;

		for (j = 0; j < a->nr; j++)
			json_array_append_new(costs, json_integer(decision->costs[j]));
		json_array_append_new(all, json_pack("{s:I, s:i, s:i, s:i, s:o}", "request", (json_int_t)decision->request,
						     "patience", decision->patience, "from", decision->from, "to", decision->to, "costs", costs));
	}
	return all;
}

json_t *sim_auto_json(struct ssdc_auto *a)
{
	ssdc_auto_update(a);
	return json_pack("{s:i, s:i, s:i, s:s, s:I, s:o, s:o, s:o}",
			 "period", a->tunables.period, "memory", a->tunables.memory, "hysteresis", a->tunables.hysteresis,
			 "goal", ssdc_auto_goals[a->tunables.goal],
			 "memory_bytes", (json_int_t)a->stats.memory_bytes,
			 "stats", sim_json_stats(ssdc_auto_stat_table, ssdc_nr_auto_stats, &a->stats),
			 "candidates", candidates_json(a), "decisions", decisions_json(a));
}
