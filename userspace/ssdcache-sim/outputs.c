// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include "../common/files.h"
#include "../common/say.h"
#include "outputs.h"
#include "plugin.h"

static void check_against(const struct sim_output *output, const char *other, const char *what)
{
	if (overwrites(output->name, other))
		die(TOOL_BAD_USAGE, "--%s: '%s' is %s, which would be overwritten", output->option, output->name, what);
}

static void check_inputs(const struct sim_output *output, char *const *traces, int nr_traces)
{
	const char *plugin;
	size_t nr;
	int i;

	for (i = 0; i < nr_traces; i++)
		check_against(output, strcmp(traces[i], "-") ? traces[i] : "/dev/stdin", "a trace");
	for (nr = 0; (plugin = sim_plugin_file(nr)); nr++)
		check_against(output, plugin, "a file of --plugin");
}

/**
 * sim_outputs_check() - refuse files to be written that are used otherwise; ends the program if there is one
 * @outputs: files to be written, none of which is open yet
 * @nr: how many
 * @traces: names of the traces
 * @nr_traces: how many
 */
void sim_outputs_check(const struct sim_output *outputs, size_t nr, char *const *traces, int nr_traces)
{
	size_t i, before;

	for (i = 0; i < nr; i++) {
		const struct sim_output *output = &outputs[i];

		if (!output->name)
			continue;
		if (!strcmp(output->name, "-"))
			die(TOOL_BAD_USAGE, "--%s: '-' is no file, and standard output is for the report; './-' is a file of that name",
			    output->option);
		check_inputs(output, traces, nr_traces);
		if (overwrites(output->name, "/dev/stdout"))
			die(TOOL_BAD_USAGE, "--%s: '%s' is standard output, which is for the report", output->option, output->name);
		for (before = 0; before < i; before++)
			if (outputs[before].name && overwrites(output->name, outputs[before].name))
				die(TOOL_BAD_USAGE, "--%s: '%s' is the file of --%s, too", output->option, output->name,
				    outputs[before].option);
	}
}
