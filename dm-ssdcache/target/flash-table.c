// SPDX-License-Identifier: GPL-2.0
/*
 * Table line, status and messages of "ssdflash".
 *
 *	ssdflash <origin> <#args> [profile <name>] [<key> <value>]…
 *
 *	profile NAME		parameters of a publication, to begin with
 *	KEY VALUE		any row of ssdf_param_table
 */
#include <linux/string.h>

#include "below.h"
#include "flash.h"

#define DM_MSG_PREFIX "ssdflash"

static int parse_pair(struct ssdf_config *config, bool first, const char *key, const char *value,
		      struct ssdc_error *error)
{
	struct ssdf_params params;
	int r;

	if (strcmp(key, "profile"))
		return ssdf_params_set(&config->params, key, strlen(key), value, strlen(value),
				       error);
	if (!first) {
		scnprintf(error->text, sizeof(error->text),
			  "profile: to be given first, as it sets all that others change");
		return -EINVAL;
	}
	if (strchr(value, ':')) {
		scnprintf(error->text, sizeof(error->text),
			  "profile: \"%.32s\": a name alone expected, parameters as further words",
			  value);
		return -EINVAL;
	}
	r = ssdf_params_parse(&params, value, error);
	if (r)
		return r;
	config->profile = ssdf_profile_find(value, strlen(value));
	config->params = params;
	return 0;
}

/**
 * ssdf_table_parse() - read the words of a table line
 * @config: result; points into @argv
 * @argc: number of words after the target's name
 * @argv: the words
 * @error: names the word that is wrong on failure
 *
 * Return: 0 or -EINVAL.
 */
int ssdf_table_parse(struct ssdf_config *config, unsigned int argc, char **argv,
		     struct ssdc_error *error)
{
	unsigned int i;
	int r;

	memset(config, 0, sizeof(*config));
	ssdc_tunables_default(ssdf_param_table, ssdf_nr_params, &config->params);
	if (argc < 2) {
		scnprintf(error->text, sizeof(error->text),
			  "want: <origin> <#args> [profile <name>] [<key> <value>]...");
		return -EINVAL;
	}
	config->origin = argv[0];
	r = ssdc_check_nr_args(argc, argv, error);
	for (i = 2; !r && i < argc; i += 2)
		r = parse_pair(config, i == 2, argv[i], argv[i + 1], error);
	return r;
}

/**
 * ssdf_table_print() - the table line as it could be loaded again
 * @f: target
 * @buf: destination
 * @size: of @buf
 */
void ssdf_table_print(struct ssdf_target *f, char *buf, size_t size)
{
	const struct ssdf_profile *profile = f->config.profile;
	struct ssdf_params base;
	char words[1024], value[16];
	unsigned int i, nr = 0;
	int at = 0;

	ssdf_params_base(profile, &base);
	words[0] = '\0';
	if (profile) {
		at = scnprintf(words, sizeof(words), " profile %s", profile->name);
		nr = 2;
	}
	for (i = 0; i < ssdf_nr_params; i++) {
		const struct ssdc_tunable *tunable = &ssdf_param_table[i];
		u32 given = *ssdc_tunable_at(tunable, &f->config.params);

		if (given == *ssdc_tunable_at(tunable, &base))
			continue;
		ssdc_tunable_print(tunable, given, value, sizeof(value));
		at += scnprintf(words + at, sizeof(words) - at, " %s %s", tunable->name, value);
		nr += 2;
	}
	scnprintf(buf, size, "%s %u%s", f->origin->name, nr, words);
}

static int print_stats(struct ssdf_target *f, char *buf, size_t size)
{
	unsigned int i;
	int at = 0;

	spin_lock_bh(&f->lock);
	ssdf_update_stats(f->device, ktime_get_ns());
	for (i = 0; i < ssdf_nr_stats; i++)
		at += scnprintf(buf + at, size - at, " %s %llu", ssdf_stat_table[i].name,
				ssdc_stat_read(&ssdf_stat_table[i], f->device));
	spin_unlock_bh(&f->lock);
	return at;
}

/**
 * ssdf_status_print() - the status line: pairs of key and value
 * @f: target
 * @buf: destination
 * @size: of @buf
 */
void ssdf_status_print(struct ssdf_target *f, char *buf, size_t size)
{
	int at = scnprintf(buf, size, "schema 1 state %s profile %s stats",
			   ssdf_is_failed(f->device) ? "failed" :
			   READ_ONCE(f->stopped) ? "suspended" : "ok",
			   f->config.profile ? f->config.profile->name : "custom");

	print_stats(f, buf + at, size - at);
}

static int print_latency(struct ssdf_target *f, char *buf, size_t size)
{
	static const char *const names[] = { "read", "write", "flush", "discard" };
	struct ssdc_latency l;
	unsigned int op;
	int at = 0;

	for (op = 0; op < SSDC_NR_OPS; op++) {
		spin_lock_bh(&f->lock);
		ssdc_histogram_read(ssdf_latency(f->device, op), &l);
		spin_unlock_bh(&f->lock);
		at += scnprintf(buf + at, size - at,
				"%s count %llu mean_ns %llu p50_ns %llu p90_ns %llu p99_ns %llu p999_ns %llu max_ns %llu worst1_mean_ns %llu\n",
				names[op], l.count, l.mean_ns, l.p50_ns, l.p90_ns, l.p99_ns,
				l.p999_ns, l.max_ns, l.worst1_mean_ns);
	}
	return at;
}

static int print_channels(struct ssdf_target *f, char *buf, size_t size)
{
	u32 i, channels = f->device_params.channels;
	int at = 0;

	spin_lock_bh(&f->lock);
	for (i = 0; i < channels; i++)
		at += scnprintf(buf + at, size - at, "%u busy_ns %llu\n", i,
				ssdf_channel_busy_ns(f->device, i));
	spin_unlock_bh(&f->lock);
	return at;
}

static const struct {
	const char *name;
	const char *doc;
} messages[] = {
	{ "help", "this list" },
	{ "latency", "of requests in the model, by operation" },
	{ "channels", "how long each channel transferred" },
	{ "reset_stats", "zero all counters and latencies" },
};

enum { HELP, LATENCY, CHANNELS, RESET_STATS };

static int print_help(char *buf, size_t size)
{
	unsigned int i;
	int at = 0;

	for (i = 0; i < ARRAY_SIZE(messages); i++)
		at += scnprintf(buf + at, size - at, "%s\t%s\n", messages[i].name, messages[i].doc);
	return at;
}

static int refuse(struct ssdf_target *f, const char *word)
{
	DMERR("%s: \"%.32s\" is no message; want one of help, latency, channels, reset_stats",
	      dm_device_name(dm_table_get_md(f->ti->table)), word);
	return -EINVAL;
}

/**
 * ssdf_message() - do what a message asks for
 * @f: target
 * @argc: number of words
 * @argv: the words
 * @result: answer
 * @maxlen: of @result
 *
 * Return: 1 with an answer, 0 without, -EINVAL.
 */
int ssdf_message(struct ssdf_target *f, unsigned int argc, char **argv, char *result,
		 unsigned int maxlen)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(messages); i++)
		if (!strcmp(argv[0], messages[i].name))
			break;
	if (argc != 1)
		return refuse(f, argv[argc - 1]);
	switch (i) {
	case HELP:
		print_help(result, maxlen);
		return 1;
	case LATENCY:
		print_latency(f, result, maxlen);
		return 1;
	case CHANNELS:
		print_channels(f, result, maxlen);
		return 1;
	case RESET_STATS:
		spin_lock_bh(&f->lock);
		ssdf_reset_stats(f->device, ktime_get_ns());
		spin_unlock_bh(&f->lock);
		return 0;
	default:
		return refuse(f, argv[0]);
	}
}
