// SPDX-License-Identifier: GPL-2.0
/*
 * The advice as JSON. All times are in ns, sizes in bytes.
 */
#include <stdlib.h>
#include <string.h>
#include "advise.h"

static json_t *json_names(const struct advise *a, size_t candidate)
{
	json_t *names = json_object();
	size_t i;

	for (i = 0; i + 1 < a->sweep.nr_axes; i++)
		if (strcmp(a->sweep.axes[i].def->name, "flash"))
			json_object_set_new(names, a->sweep.axes[i].def->name,
					    json_string(sweep_value(&a->sweep, candidate * a->nr_sizes, i)));
	return names;
}

static json_t *json_states(const struct advise *a, const struct advise_cell *cell)
{
	json_t *states = json_array();
	unsigned int i;

	for (i = 0; i < ADVISE_NR_STATES; i++)
		json_array_append_new(states, json_real(advise_shown(a, cell->in_state[i])));
	return states;
}

static json_t *json_cell(const struct advise *a, size_t candidate, size_t size)
{
	const struct advise_cell *cell = advise_cell(a, candidate, size);
	const double *value = cell->figures.value;
	json_t *row = json_names(a, candidate);

	json_object_update_new(row, json_pack(
		"{s:I, s:b, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "dram_bytes", (json_int_t)a->sizes[size],
		"whole", cell->state == ADVISE_WHOLE, "share", cell->share, "estimate", advise_shown(a, cell->estimate),
		"hit_ratio", cell->figures.hit_ratio, "mean_ns", value[ADVISE_LATENCY], "read_mean_ns",
		value[ADVISE_READS], "write_mean_ns", value[ADVISE_WRITES], "p99_ns", value[ADVISE_P99],
		"flash_bytes_written", value[ADVISE_FLASH_WRITES], "first_half",
		advise_shown(a, cell->figures.half[0]), "second_half", advise_shown(a, cell->figures.half[1])));
	json_object_set_new(row, "stopped", json_boolean(cell->state == ADVISE_STOPPED));
	if (cell->has_states) {
		json_object_set_new(row, "in_states", json_states(a, cell));
		json_object_set_new(row, "mean", json_real(advise_shown(a, advise_mean(a, candidate, size))));
	}
	return row;
}

static json_t *json_cells(const struct advise *a)
{
	json_t *cells = json_array();
	size_t candidate, size;

	for (size = 0; size < a->nr_sizes; size++)
		for (candidate = 0; candidate < a->nr_candidates; candidate++)
			if (advise_cell(a, candidate, size)->state != ADVISE_NOT_RUN &&
			    advise_cell(a, candidate, size)->state != ADVISE_FAILED)
				json_array_append_new(cells, json_cell(a, candidate, size));
	return cells;
}

static json_t *json_string_of(char *text)
{
	json_t *string = json_string(text);

	free(text);
	return string;
}

/* As good as the choice are those whose difference may be chance where states of the drive were tried; else those within 1 % of the best. */
static json_t *json_equals(const struct advise *a, const struct advise_verdict *verdict, size_t size)
{
	size_t best = verdict->best[size];
	bool states = advise_cell(a, best, size)->has_states;
	json_t *equals = json_array();
	size_t i;

	for (i = 0; i < a->nr_candidates; i++)
		if (states ? advise_is_equal(a, best, i, size) : i != best && advise_is_good(a, verdict, i, size))
			json_array_append_new(equals, json_names(a, i));
	return equals;
}

static json_t *json_choice(const struct advise *a, const struct advise_verdict *verdict, size_t size)
{
	static const char *const trust[] = { "sure", "close", "alone" };
	size_t best = verdict->best[size], rival = verdict->rival[size];
	json_t *choice;
	double half[2], margin;

	if (best == a->nr_candidates)
		return json_null();
	margin = advise_margin(a, verdict, size, half);
	choice = json_cell(a, best, size);
	json_object_set_new(choice, "value", json_real(advise_shown(a, advise_value(a, best, size))));
	json_object_set_new(choice, "trust", json_string(trust[advise_trust(a, verdict, size)]));
	json_object_set_new(choice, "equal", json_equals(a, verdict, size));
	if (rival < a->nr_candidates) {
		json_object_set_new(choice, "rival", json_cell(a, rival, size));
		json_object_set_new(choice, "margin", json_real(margin));
		json_object_set_new(choice, "margin_of_halves", json_pack("[f, f]", half[0], half[1]));
	}
	if (a->baseline < a->nr_candidates && advise_cell(a, a->baseline, size)->state == ADVISE_WHOLE)
		json_object_set_new(choice, "lru", json_real(advise_shown(a, advise_value(a, a->baseline, size))));
	return choice;
}

static json_t *json_choices(const struct advise *a, const struct advise_verdict *verdict)
{
	json_t *choices = json_array();
	size_t size;

	for (size = 0; size < a->nr_sizes; size++)
		json_array_append_new(choices, json_choice(a, verdict, size));
	return choices;
}

static json_t *json_workload(const struct advise *a)
{
	json_t *traces = json_array(), *workload;
	int i;

	for (i = 0; i < a->sweep.nr_traces; i++)
		json_array_append_new(traces, json_string(a->sweep.traces[i]));
	workload = json_pack("{s:o, s:I, s:I, s:I, s:I}", "traces", traces, "requests",
			     (json_int_t)a->sweep.workload.nr, "reads", (json_int_t)a->reads, "writes",
			     (json_int_t)a->writes, "footprint_bytes", (json_int_t)a->footprint);
	if (a->plan.skip_bad)
		json_object_set_new(workload, "skipped_lines", json_integer(a->sweep.workload.skipped));
	return workload;
}

static json_t *json_device(const struct advise *a)
{
	return json_pack("{s:s?, s:b, s:b, s:I, s:b}", "flash", advise_word(a, 0, "flash"), "assumed",
			 a->assumed_flash, "state_is_chance", advise_has_states(a), "origin_sectors", (json_int_t)a->base.params.origin_sectors, "folded",
			 a->folded);
}

static json_t *json_search(const struct advise *a)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:s?}", "combinations",
			 (json_int_t)a->nr_candidates, "cells", (json_int_t)a->sweep.nr_cells, "sampled_runs",
			 (json_int_t)a->sampled_runs, "whole_runs", (json_int_t)a->whole_runs, "stopped_runs",
			 (json_int_t)a->stopped_runs, "state_runs", (json_int_t)a->state_runs, "failed_runs",
			 (json_int_t)a->failed, "requests_simulated", (json_int_t)a->simulated, "cost",
			 advise_cost(a), "first_failure", a->failure);
}

static json_t *size_or_null(const struct advise *a, size_t size)
{
	return size < a->nr_sizes ? json_integer(a->sizes[size]) : json_null();
}

static json_t *json_advice(const struct advise *a, const struct advise_verdict *verdict)
{
	const char *unit = a->goal == ADVISE_HITS ? "ratio" : a->goal == ADVISE_FLASH_WRITES ? "bytes" : "ns";
	size_t size = verdict->chosen, best = verdict->best[size];
	json_t *advice = json_pack("{s:o, s:o, s:o, s:o, s:o, s:s}",
				   "choice", json_choice(a, verdict, size),
				   "create", json_string_of(advise_create_words(a, best, size)),
				   "table", json_string_of(advise_table_words(a, best, size)),
				   "simulate", json_string_of(sweep_command(&a->sweep, best * a->nr_sizes + size)),
				   "best_dram_bytes", size_or_null(a, verdict->top),
				   "unit", unit);

	json_object_set_new(advice, "least_dram_bytes", size_or_null(a, verdict->least));
	json_object_set_new(advice, "knee_dram_bytes", size_or_null(a, verdict->knee));
	if (a->latency_ns) {
		json_object_set_new(advice, "latency_ns", json_integer(a->latency_ns));
		json_object_set_new(advice, "latency_dram_bytes", size_or_null(a, verdict->reached));
	}
	return advice;
}

/**
 * advise_json() - the advice as an object
 * @a: after the search
 * @verdict: advice
 */
json_t *advise_json(const struct advise *a, const struct advise_verdict *verdict)
{
	return json_pack("{s:i, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", 1, "goal",
			 advise_goal_names[a->goal], "workload", json_workload(a), "device", json_device(a),
			 "search", json_search(a), "advice", json_advice(a, verdict), "choices",
			 json_choices(a, verdict), "cells", json_cells(a));
}
