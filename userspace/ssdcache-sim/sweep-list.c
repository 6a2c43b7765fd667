// SPDX-License-Identifier: GPL-2.0
/*
 * The cells of a sweep as lines of JSON, for programs that run them elsewhere. The first line has what all
 * cells share: the id of the code, options that change how traces are read ("load"), names of traces, of the
 * options with several values ("axes"), of the directory and of the page, and the number of jobs, if given.
 */
#include <errno.h>
#include <stdlib.h>
#include "sweep.h"

static void put_line(json_t *line)
{
	if (!line)
		die(TOOL_FAILED, "no memory");
	if (json_dumpf(line, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER) || putchar('\n') < 0) {
		output_failed(errno);
		exit(TOOL_FAILED);
	}
	json_decref(line);
}

static json_t *axes_of(const struct sweep *sweep)
{
	json_t *names = json_array();
	size_t axis;

	for (axis = 0; axis < sweep->nr_axes; axis++)
		json_array_append_new(names, json_string(sweep->axes[axis].def->name));
	return names;
}

static json_t *traces_of(const struct sweep *sweep)
{
	json_t *names = json_array();
	int i;

	for (i = 0; i < sweep->nr_traces; i++)
		json_array_append_new(names, json_string(sweep->traces[i]));
	return names;
}

static json_t *load_words(const struct sweep *sweep)
{
	json_t *words = json_array();
	size_t i;

	for (i = 0; i < sweep->nr_common; i++) {
		const struct sweep_option *option = &sweep->common[i];

		if (sim_option_use(option->def) == SIM_USE_LOAD)
			json_array_append_new(words, option->value ?
					      json_sprintf("--%s=%s", option->def->name, option->value) :
					      json_sprintf("--%s", option->def->name));
	}
	return words;
}

static json_t *values_of(const struct sweep *sweep, size_t cell)
{
	json_t *values = json_array();
	size_t axis;

	for (axis = 0; axis < sweep->nr_axes; axis++)
		json_array_append_new(values, json_string(sweep_value(sweep, cell, axis)));
	return values;
}

/**
 * sweep_list() - print the cells of a sweep
 * @sweep: sweep, with the id of its code
 */
void sweep_list(const struct sweep *sweep)
{
	size_t cell;
	char *key;

	put_line(json_pack("{s:s, s:o, s:o, s:o, s:s, s:s?, s:o}", "code", sweep->code_id, "load", load_words(sweep),
			   "traces", traces_of(sweep), "axes", axes_of(sweep), "output", sweep->directory,
			   "plot", sweep->plot, "jobs", sweep->jobs ? json_integer(sweep->jobs) : json_null()));
	for (cell = 0; cell < sweep->nr_cells; cell++) {
		key = sweep_cell_key(sweep, cell);
		put_line(json_pack("{s:s, s:o}", "options", key, "values", values_of(sweep, cell)));
		free(key);
	}
}
