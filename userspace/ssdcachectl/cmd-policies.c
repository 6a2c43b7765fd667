// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcachectl policies
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report.h"

static const struct option_def options[] = {
	OPTION_JSON,
	OPTION_SYSFS,
	OPTION_END
};

/* A plug-in known to this tool, to the running kernel, or to both. */
struct policy {
	enum ssdc_kind kind;
	const char *name;
	const char *source;
	const char *status;
	const char *doc;
	const struct ssdc_plugin_info *info;	/* NULL: only the kernel knows it */
	bool offered;
};

typedef void (*policy_fn)(const struct policy *policy, bool known, void *context);

static void each_of_kind(const struct catalog_offer *offer, enum ssdc_kind kind, policy_fn fn,
			 void *context)
{
	const struct ssdc_plugin_type *type = NULL;
	const char *at = offer->lines[kind];
	struct catalog_line line;
	struct policy policy;

	while ((type = ssdc_type_next(kind, type))) {
		policy = (struct policy){
			kind, type->info.name, type->info.source, type->info.status,
			type->info.doc, &type->info,
			catalog_offered(offer, kind, type->info.name, strlen(type->info.name)),
		};
		fn(&policy, offer->known, context);
	}
	while ((at = catalog_offer_next(at, &line))) {
		if (ssdc_type_find(kind, line.name, strlen(line.name)))
			continue;
		policy = (struct policy){
			kind, line.name, line.source, line.status, line.doc, NULL, true,
		};
		fn(&policy, offer->known, context);
	}
}

static void each_policy(const struct catalog_offer *offer, policy_fn fn, void *context)
{
	unsigned int kind;

	for (kind = 0; kind < SSDC_NR_KINDS; kind++)
		each_of_kind(offer, (enum ssdc_kind)kind, fn, context);
}

static const char *where(const struct policy *policy, bool known)
{
	if (!policy->info)
		return "  [only in the running kernel]";
	if (known && !policy->offered)
		return "  [not in the running kernel]";
	return "";
}

static void print_tunable(const struct ssdc_tunable *tunable)
{
	char range[128], def[64];

	catalog_range(tunable, range, sizeof(range));
	ssdc_tunable_print(tunable, tunable->def, def, sizeof(def));
	printf("    %s=%s  (%s%s%s)  ", tunable->name, def, range, *tunable->unit ? " " : "",
	       tunable->unit);
	wrap(tunable->doc, 8);
}

static void print_policy(const struct policy *policy, bool known, void *context)
{
	int *last = context;
	unsigned int i;

	if (*last != (int)policy->kind)
		printf("%s%s\n", *last < 0 ? "" : "\n", ssdc_kind_name(policy->kind));
	*last = policy->kind;
	printf("  %-14s", policy->name);
	wrap(policy->doc, 16);
	if (*where(policy, known))
		printf("  %s\n", where(policy, known));
	printf("    source: ");
	wrap(policy->source, 12);
	printf("    status: ");
	wrap(policy->status, 12);
	for (i = 0; policy->info && i < policy->info->nr_tunables; i++)
		print_tunable(&policy->info->tunables[i]);
}

static json_t *tunable_value(const struct ssdc_tunable *tunable, u32 value)
{
	char text[64];

	if (!tunable->words)
		return report_number(value);
	ssdc_tunable_print(tunable, value, text, sizeof(text));
	return json_string(text);
}

static json_t *tunable_json(const struct ssdc_tunable *tunable)
{
	json_t *object = json_object(), *words;
	unsigned int i;

	json_object_set_new(object, "name", json_string(tunable->name));
	json_object_set_new(object, "unit", json_string(tunable->unit));
	json_object_set_new(object, "doc", json_string(tunable->doc));
	json_object_set_new(object, "default", tunable_value(tunable, tunable->def));
	if (tunable->words) {
		words = json_array();
		for (i = 0; tunable->words[i]; i++)
			json_array_append_new(words, json_string(tunable->words[i]));
		json_object_set_new(object, "words", words);
	} else {
		json_object_set_new(object, "min", report_number(tunable->min));
		json_object_set_new(object, "max", report_number(tunable->max));
	}
	return object;
}

static json_t *stat_json(const struct ssdc_stat *stat)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", json_string(stat->name));
	json_object_set_new(object, "unit", json_string(stat->unit));
	json_object_set_new(object, "doc", json_string(stat->doc));
	json_object_set_new(object, "kind",
			    json_string(stat->kind == SSDC_COUNTER ? "counter" : "gauge"));
	json_object_set_new(object, "numbers", json_integer(ssdc_stat_count(stat)));
	return object;
}

static void policy_json(const struct policy *policy, bool known, void *context)
{
	json_t *object = json_object(), *tunables = json_array(), *stats = json_array();
	const struct ssdc_plugin_info *info = policy->info;
	unsigned int i;

	json_object_set_new(object, "kind", json_string(ssdc_kind_name(policy->kind)));
	json_object_set_new(object, "name", report_string(policy->name));
	json_object_set_new(object, "source", report_string(policy->source));
	json_object_set_new(object, "status", report_string(policy->status));
	json_object_set_new(object, "doc", report_string(policy->doc));
	json_object_set_new(object, "built_in", json_boolean(info));
	json_object_set_new(object, "in_kernel",
			    known ? json_boolean(policy->offered) : json_null());
	for (i = 0; info && i < info->nr_tunables; i++)
		json_array_append_new(tunables, tunable_json(&info->tunables[i]));
	for (i = 0; info && i < info->nr_stats; i++)
		json_array_append_new(stats, stat_json(&info->stats[i]));
	json_object_set_new(object, "tunables", tunables);
	json_object_set_new(object, "stats", stats);
	json_array_append_new(context, object);
}

static const char auto_doc[] = "the cache chooses among candidates, by what their shadows cost, and changes while it runs; "
	"\"auto:key=value,...\"";
static const char candidates_doc[] = "POLICY or POLICY/ADMISSION, joined by +; the first one is live at the beginning";
static const char schemes_doc[] = "admission schemes, joined by +; each is a candidate with each policy";

static void print_candidates(const char *kind, const char *usual, const char *doc)
{
	printf("\n%s\n  %-14s", kind, SSDC_AUTO_NAME);
	wrap(auto_doc, 16);
	printf("    candidates=%s  (1..%u)  ", usual, SSDC_AUTO_MAX_CANDIDATES);
	wrap(doc, 8);
}

/* Not a policy or a scheme, but said in the place of one. */
static void print_auto(void)
{
	unsigned int i;

	print_candidates("admission", SSDC_AUTO_SCHEMES, schemes_doc);
	printf("    further words: those of replacement auto\n");
	print_candidates("replacement", ssdc_auto_candidates[SSDC_AUTO_LATENCY], candidates_doc);
	for (i = 0; ssdc_auto_goals[i]; i++)
		if (strcmp(ssdc_auto_candidates[i], ssdc_auto_candidates[SSDC_AUTO_LATENCY]))
			printf("        default with goal=%s: %s\n", ssdc_auto_goals[i], ssdc_auto_candidates[i]);
	for (i = 0; i < ssdc_nr_auto_tunables; i++)
		print_tunable(&ssdc_auto_tunable_table[i]);
}

static json_t *auto_json(void)
{
	json_t *object = json_object(), *tunables = json_array(), *by_goal = json_object();
	unsigned int i;

	for (i = 0; ssdc_auto_goals[i]; i++)
		json_object_set_new(by_goal, ssdc_auto_goals[i], json_string(ssdc_auto_candidates[i]));
	json_object_set_new(object, "doc", json_string(auto_doc));
	json_object_set_new(object, "candidates", json_string(ssdc_auto_candidates[SSDC_AUTO_LATENCY]));
	json_object_set_new(object, "candidates_by_goal", by_goal);
	json_object_set_new(object, "admission_candidates", json_string(SSDC_AUTO_SCHEMES));
	for (i = 0; i < ssdc_nr_auto_tunables; i++)
		json_array_append_new(tunables, tunable_json(&ssdc_auto_tunable_table[i]));
	json_object_set_new(object, "tunables", tunables);
	return object;
}

static int run(const struct command *cmd)
{
	struct catalog_offer *offer = malloc(sizeof(*offer));
	json_t *root, *list;
	int last = -1, code = TOOL_OK;

	if (!offer)
		return fail("policies: no memory");
	catalog_offer_read(cmd, offer);
	if (command_has(cmd, "json")) {
		root = json_object();
		list = json_array();
		each_policy(offer, policy_json, list);
		json_object_set_new(root, "schema", json_integer(CTL_SCHEMA));
		json_object_set_new(root, "policies", list);
		json_object_set_new(root, "auto", auto_json());
		code = report_print(root, false);
	} else {
		each_policy(offer, print_policy, &last);
		print_auto();
	}
	free(offer);
	return code;
}

const struct verb verb_policies = {
	.name = "policies",
	.args = "",
	.doc = "Show all policies, their sources and their keys.",
	.more = "The list is built into this tool. If a device exists, policies that the running kernel "
		"lacks are marked, and policies of other modules are added.",
	.options = options,
	.run = run,
};
