// SPDX-License-Identifier: GPL-2.0
/*
 * Table line and status of "ssdflash".
 *
 *	ssdflash <origin> <#args> [profile <name>] [<key> <value>]…
 *
 *	profile NAME		start from the parameters of a published drive
 *	KEY VALUE		any row of ssdf_param_table
 */
#include <linux/string.h>

#include "../common/origin.h"
#include "flash.h"

static int parse_pair(struct dmsf_config *config, bool first, const char *key, const char *value,
		      struct ssdc_error *error)
{
	struct ssdf_params params;
	int r;

	if (strcmp(key, "profile"))
		return ssdf_params_set(&config->params, key, strlen(key), value, strlen(value),
				       error);
	if (!first) {
		scnprintf(error->text, sizeof(error->text),
			  "profile: must be the first key, as it sets all parameters");
		return -EINVAL;
	}
	if (strchr(value, ':')) {
		scnprintf(error->text, sizeof(error->text),
			  "profile: \"%.32s\": must be a name alone; give parameters as further words",
			  value);
		return -EINVAL;
	}
	r = ssdf_params_parse(&params, value, error);
	if (r)
		return r;
	config->profile = ssdf_profile_find(value, strlen(value));
	if (config->profile)
		config->profile_name = ssdf_profile_given(config->profile, value, strlen(value));
	config->params = params;
	return 0;
}

/**
 * dmsf_table_parse() - parse a table line
 * @config: result; its origin points into @argv
 * @argc: number of words after the target's name
 * @argv: the words
 * @error: on failure, names the wrong word
 *
 * Return: 0 or -EINVAL.
 */
int dmsf_table_parse(struct dmsf_config *config, unsigned int argc, char **argv,
		     struct ssdc_error *error)
{
	unsigned int i;
	int r;

	memset(config, 0, sizeof(*config));
	ssdc_tunables_default(ssdf_param_table, ssdf_nr_params, &config->params);
	if (argc < 2) {
		scnprintf(error->text, sizeof(error->text),
			  "usage: <origin> <#args> [profile <name>] [<key> <value>]...");
		return -EINVAL;
	}
	config->origin = argv[0];
	r = dms_check_nr_args(argc, argv, error);
	for (i = 2; !r && i < argc; i += 2)
		r = parse_pair(config, i == 2, argv[i], argv[i + 1], error);
	return r;
}

static bool is_given(struct dmsf_target *f, unsigned int i, struct ssdf_params *base)
{
	const struct ssdc_tunable *tunable = &ssdf_param_table[i];

	return *ssdc_tunable_at(tunable, &f->config.params) != *ssdc_tunable_at(tunable, base);
}

/**
 * dmsf_table_print() - print the table line in a form that can be loaded again
 * @f: target
 * @buf: destination
 * @size: size of @buf
 */
void dmsf_table_print(struct dmsf_target *f, char *buf, size_t size)
{
	const struct ssdf_profile *profile = f->config.profile;
	u32 nr = profile ? 2 : 0;
	struct ssdf_params base;
	unsigned int i;
	char value[16];
	int at;

	ssdf_params_base(profile, &base);
	for (i = 0; i < ssdf_nr_params; i++)
		nr += 2 * is_given(f, i, &base);
	at = scnprintf(buf, size, "%s %u", f->origin->name, nr);
	if (profile)
		at += scnprintf(buf + at, size - at, " profile %s", f->config.profile_name);
	for (i = 0; i < ssdf_nr_params; i++) {
		const struct ssdc_tunable *tunable = &ssdf_param_table[i];

		if (!is_given(f, i, &base))
			continue;
		ssdc_tunable_print(tunable, *ssdc_tunable_at(tunable, &f->config.params), value,
				   sizeof(value));
		at += scnprintf(buf + at, size - at, " %s %s", tunable->name, value);
	}
}

/* The numbers of a row have commas between them, so that each statistic is one word. */
static int print_stat(const struct ssdc_stat *stat, const void *base, char *buf, size_t size)
{
	int at = scnprintf(buf, size, " %s", stat->name);
	unsigned int i;

	for (i = 0; i < ssdc_stat_count(stat); i++)
		at += scnprintf(buf + at, size - at, "%c%llu", i ? ',' : ' ',
				ssdc_stat_read_at(stat, base, i));
	return at;
}

static int print_stats(struct dmsf_target *f, char *buf, size_t size)
{
	unsigned int i;
	int at = 0;

	spin_lock_bh(&f->lock);
	ssdf_update_stats(f->device, dmsf_now_ns(f));
	for (i = 0; i < ssdf_nr_stats; i++)
		at += print_stat(&ssdf_stat_table[i], f->device, buf + at, size - at);
	spin_unlock_bh(&f->lock);
	return at;
}

/**
 * dmsf_status_print() - print the status line: pairs of key and value
 * @f: target
 * @buf: destination
 * @size: size of @buf
 *
 * Context: takes the target's lock.
 */
void dmsf_status_print(struct dmsf_target *f, char *buf, size_t size)
{
	int at = scnprintf(buf, size, "schema 1 state %s profile %s stats", dmsf_state_name(f),
			   dmsf_profile_name(f));

	print_stats(f, buf + at, size - at);
}
