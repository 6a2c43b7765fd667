// SPDX-License-Identifier: GPL-2.0
/*
 * The descriptor tables of the engine, of all plug-ins and of the flash model, for
 * programs (JSON) and for the reference documentation (reStructuredText).
 */
#include <jansson.h>
#include <string.h>
#include "../../dm-ssdcache/flash/flash.h"
#include "../../dm-ssdcache/auto/auto.h"
#include "../../dm-ssdcache/shadow/shadow.h"
#include "describe.h"
#include "opt.h"
#include "sim.h"

static const char *stat_kind(const struct ssdc_stat *stat)
{
	return stat->kind == SSDC_COUNTER ? "counter" : "gauge";
}

static json_t *json_value(const struct ssdc_tunable *tunable, u32 value)
{
	return tunable->words ? json_string(tunable->words[value]) : json_integer(value);
}

static json_t *json_tunables(const struct ssdc_tunable *table, unsigned int nr)
{
	json_t *list = json_array();
	unsigned int i, word;

	for (i = 0; i < nr; i++) {
		json_t *row = json_pack("{s:s, s:s, s:s, s:o}", "name", table[i].name,
					"unit", table[i].unit, "doc", table[i].doc,
					"default", json_value(&table[i], table[i].def));

		if (table[i].words) {
			json_t *words = json_array();

			for (word = 0; table[i].words[word]; word++)
				json_array_append_new(words, json_string(table[i].words[word]));
			json_object_set_new(row, "words", words);
		} else {
			json_object_set_new(row, "min", json_integer(table[i].min));
			json_object_set_new(row, "max", json_integer(table[i].max));
		}
		json_array_append_new(list, row);
	}
	return list;
}

static json_t *json_stats(const struct ssdc_stat *table, unsigned int nr)
{
	json_t *list = json_array();
	unsigned int i;

	for (i = 0; i < nr; i++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:i, s:s}",
						      "name", table[i].name,
						      "unit", table[i].unit,
						      "kind", stat_kind(&table[i]),
						      "numbers", (int)ssdc_stat_count(&table[i]),
						      "doc", table[i].doc));
	return list;
}

static json_t *json_flash(void)
{
	json_t *profiles = json_array();
	unsigned int i, k;

	for (i = 0; i < ssdf_nr_profiles; i++) {
		json_t *values = json_object();
		struct ssdf_params params;

		ssdf_params_base(&ssdf_profiles[i], &params);
		for (k = 0; k < ssdf_nr_params; k++)
			json_object_set_new(values, ssdf_param_table[k].name,
					    json_value(&ssdf_param_table[k],
						       *ssdc_tunable_at(&ssdf_param_table[k],
									&params)));
		json_array_append_new(profiles, json_pack(
			"{s:s, s:s?, s:s, s:s, s:s, s:o}", "name", ssdf_profiles[i].name,
			"alias", ssdf_profiles[i].alias,
			"source", ssdf_profiles[i].source, "doc", ssdf_profiles[i].doc,
			"chosen", ssdf_profiles[i].chosen, "params", values));
	}
	return json_pack("{s:o, s:o, s:o}",
			 "tunables", json_tunables(ssdf_param_table, ssdf_nr_params),
			 "stats", json_stats(ssdf_stat_table, ssdf_nr_stats),
			 "profiles", profiles);
}

/* The default candidates of a choice, by goal. */
static json_t *json_candidates(void)
{
	json_t *by_goal = json_object();
	unsigned int i;

	for (i = 0; ssdc_auto_goals[i]; i++)
		json_object_set_new(by_goal, ssdc_auto_goals[i], json_string(ssdc_auto_candidates[i]));
	return by_goal;
}

/**
 * sim_describe_json() - all tables as one JSON object
 * @out: destination
 */
void sim_describe_json(FILE *out)
{
	json_t *all = json_pack("{s:i, s:o, s:o}", "schema", 1,
				"tunables", json_tunables(ssdc_core_tunable_table,
							  ssdc_nr_core_tunables),
				"stats", json_stats(ssdc_core_stat_table, ssdc_nr_core_stats));
	unsigned int kind;

	for (kind = 0; kind < SSDC_NR_KINDS; kind++) {
		const struct ssdc_plugin_type *type = NULL;
		json_t *list = json_array();

		while ((type = ssdc_type_next(kind, type))) {
			const struct ssdc_plugin_info *info = &type->info;

			json_array_append_new(list, json_pack(
				"{s:s, s:s, s:s, s:s, s:I, s:I, s:b, s:o, s:o}", "name", info->name,
				"source", info->source, "status", info->status, "doc", info->doc,
				"instance_bytes", (json_int_t)info->instance_bytes,
				"page_bytes", (json_int_t)info->page_bytes,
				"on_request", (int)info->on_request,
				"tunables", json_tunables(info->tunables, info->nr_tunables),
				"stats", json_stats(info->stats, info->nr_stats)));
		}
		json_object_set_new(all, ssdc_kind_name(kind), list);
	}
	json_object_set_new(all, "shadow", json_pack("{s:o, s:o}",
		"stats", json_stats(ssdc_shadows_stat_table, ssdc_nr_shadows_stats),
		"shadow_stats", json_stats(ssdc_shadow_stat_table, ssdc_nr_shadow_stats)));
	json_object_set_new(all, "auto", json_pack("{s:s, s:o, s:o, s:o, s:o}",
		"candidates", ssdc_auto_candidates[SSDC_AUTO_LATENCY],
		"candidates_by_goal", json_candidates(),
		"tunables", json_tunables(ssdc_auto_tunable_table, ssdc_nr_auto_tunables),
		"stats", json_stats(ssdc_auto_stat_table, ssdc_nr_auto_stats),
		"candidate_stats", json_stats(ssdc_auto_candidate_stat_table, ssdc_nr_auto_candidate_stats)));
	json_object_set_new(all, "flash", json_flash());
	json_dumpf(all, out, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	fputc('\n', out);
	json_decref(all);
}

static void rst_title(FILE *out, const char *title, char underline)
{
	size_t i;

	fprintf(out, "\n%s\n", title);
	for (i = strlen(title); i; i--)
		fputc(underline, out);
	fputs("\n\n", out);
}

/* A table whose cells hold arbitrary text. */
static void rst_table(FILE *out, const char *head)
{
	fputs(".. list-table::\n   :header-rows: 1\n\n", out);
	fputs(head, out);
}

static void rst_tunables(FILE *out, const struct ssdc_tunable *table, unsigned int nr)
{
	unsigned int i, word;
	char def[32];

	if (!nr)
		return;
	rst_table(out, "   * - Tunable\n     - Default\n     - Accepted\n     - Meaning\n");
	for (i = 0; i < nr; i++) {
		ssdc_tunable_print(&table[i], table[i].def, def, sizeof(def));
		fprintf(out, "   * - ``%s``\n     - %s\n     - ", table[i].name, def);
		if (table[i].words)
			for (word = 0; table[i].words[word]; word++)
				fprintf(out, "%s``%s``", word ? ", " : "", table[i].words[word]);
		else
			fprintf(out, "%u to %u%s%s", table[i].min, table[i].max,
				table[i].unit[0] ? " " : "", table[i].unit);
		fprintf(out, "\n     - %s\n", table[i].doc);
	}
	fputc('\n', out);
}

static void rst_candidates(FILE *out)
{
	unsigned int i;

	rst_table(out, "   * - Goal\n     - Default candidates\n");
	for (i = 0; ssdc_auto_goals[i]; i++)
		fprintf(out, "   * - ``%s``\n     - ``%s``\n", ssdc_auto_goals[i], ssdc_auto_candidates[i]);
	fputc('\n', out);
}

static void rst_stats(FILE *out, const struct ssdc_stat *table, unsigned int nr)
{
	unsigned int i;

	if (!nr)
		return;
	rst_table(out, "   * - Statistic\n     - Kind\n     - Unit\n     - Meaning\n");
	for (i = 0; i < nr; i++) {
		fprintf(out, "   * - ``%s``\n     - %s", table[i].name, stat_kind(&table[i]));
		if (table[i].nr)
			fprintf(out, ", %u in a row", table[i].nr);
		fprintf(out, "\n     - %s\n     - %s\n", table[i].unit, table[i].doc);
	}
	fputc('\n', out);
}

/* A row per parameter, a column per profile. */
static void rst_profiles(FILE *out)
{
	struct ssdf_params params;
	char value[32];
	unsigned int i, k;

	for (i = 0; i < ssdf_nr_profiles; i++) {
		const struct ssdf_profile *profile = &ssdf_profiles[i];

		fprintf(out, ":%s: ", profile->name);
		if (profile->alias)
			fprintf(out, "(alias %s) ", profile->alias);
		fprintf(out, "%s. %s. Chosen here: %s.\n", profile->source, profile->doc,
			profile->chosen);
	}
	fputc('\n', out);
	rst_table(out, "   * - Profile\n");
	for (i = 0; i < ssdf_nr_profiles; i++)
		fprintf(out, "     - %s\n", ssdf_profiles[i].name);
	for (k = 0; k < ssdf_nr_params; k++) {
		fprintf(out, "   * - ``%s``\n", ssdf_param_table[k].name);
		for (i = 0; i < ssdf_nr_profiles; i++) {
			params = ssdf_profiles[i].params;
			ssdc_tunable_print(&ssdf_param_table[k],
					   *ssdc_tunable_at(&ssdf_param_table[k], &params), value,
					   sizeof(value));
			fprintf(out, "     - %s\n", value);
		}
	}
	fputc('\n', out);
}

/* The tables of a plug-in, or the name of the plug-in whose tables it shares. */
static void rst_plugin(FILE *out, const struct ssdc_plugin_type *type)
{
	const struct ssdc_plugin_info *info = &type->info;
	const struct ssdc_plugin_type *first = NULL;

	rst_title(out, info->name, '~');
	fprintf(out, "%s\n\n:Source: %s\n:Status: %s\n\n", info->doc, info->source, info->status);
	do
		first = ssdc_type_next(type->kind, first);
	while (first != type && (!info->nr_stats || first->info.stats != info->stats ||
				 first->info.tunables != info->tunables));
	if (first != type) {
		fprintf(out, "Tunables and statistics are those of %s.\n", first->info.name);
		return;
	}
	rst_tunables(out, info->tunables, info->nr_tunables);
	rst_stats(out, info->stats, info->nr_stats);
}

/**
 * sim_describe_names() - list the plug-ins for scripts: lines of kind and name, and "simulator" if
 *	the kernel does not have it
 * @out: destination
 */
static void sim_describe_names(FILE *out)
{
	unsigned int kind;

	for (kind = 0; kind < SSDC_NR_KINDS; kind++) {
		const struct ssdc_plugin_type *type = NULL;

		while ((type = ssdc_type_next(kind, type)))
			fprintf(out, "%s %s%s\n", ssdc_kind_name(kind), type->info.name,
				type == &sim_opt.plugin ? " simulator" : "");
	}
}

/**
 * sim_describe_rst() - all tables as reStructuredText
 * @out: destination
 */
static void sim_describe_rst(FILE *out)
{
	static const char *const titles[SSDC_NR_KINDS] = {
		[SSDC_REPLACEMENT] = "Replacement policies",
		[SSDC_ADMISSION] = "Admission schemes",
		[SSDC_PREFETCH] = "Prefetchers",
	};
	unsigned int kind;

	fputs(".. SPDX-License-Identifier: GPL-2.0\n"
	      ".. Made by ssdcache-sim --describe=rst from the tables in the source.\n", out);
	rst_title(out, "Reference of tunables and statistics", '=');
	rst_title(out, "Engine", '-');
	rst_tunables(out, ssdc_core_tunable_table, ssdc_nr_core_tunables);
	rst_stats(out, ssdc_core_stat_table, ssdc_nr_core_stats);
	for (kind = 0; kind < SSDC_NR_KINDS; kind++) {
		const struct ssdc_plugin_type *type = NULL;

		rst_title(out, titles[kind], '-');
		while ((type = ssdc_type_next(kind, type)))
			rst_plugin(out, type);
	}
	rst_title(out, "Shadows", '-');
	rst_stats(out, ssdc_shadows_stat_table, ssdc_nr_shadows_stats);
	rst_title(out, "Each shadow", '~');
	rst_stats(out, ssdc_shadow_stat_table, ssdc_nr_shadow_stats);
	rst_title(out, "Auto", '-');
	rst_candidates(out);
	rst_tunables(out, ssdc_auto_tunable_table, ssdc_nr_auto_tunables);
	rst_stats(out, ssdc_auto_stat_table, ssdc_nr_auto_stats);
	rst_title(out, "Each candidate", '~');
	rst_stats(out, ssdc_auto_candidate_stat_table, ssdc_nr_auto_candidate_stats);
	rst_title(out, "Flash", '-');
	rst_tunables(out, ssdf_param_table, ssdf_nr_params);
	rst_stats(out, ssdf_stat_table, ssdf_nr_stats);
	rst_title(out, "Profiles", '~');
	rst_profiles(out);
}

/* Ended by NULL; the first one is the default. */
const char *const sim_describe_formats[] = { "json", "rst", "names", NULL };

/**
 * sim_describe() - print the tables of all plug-ins, tunables and statistics
 * @format: one of sim_describe_formats
 * @out: to it
 *
 * Return: false if there is no such format.
 */
bool sim_describe(const char *format, FILE *out)
{
	static void (*const describe[])(FILE *out) = { sim_describe_json, sim_describe_rst, sim_describe_names };
	unsigned int i;

	for (i = 0; sim_describe_formats[i]; i++) {
		if (!strcmp(format, sim_describe_formats[i])) {
			describe[i](out);
			return true;
		}
	}
	return false;
}
