// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of "ssdflash", and the actions of its sysfs directory. The reason of the last
 * refusal is kept for /sys/…/ssdflash/last_error.
 */
#include <linux/string.h>

#include "../../engine/engine.h"
#include "flash.h"

#define DM_MSG_PREFIX "ssdflash"

static int print_help(struct dmsf_target *f, char *buf, size_t size);

static int print_latency(struct dmsf_target *f, char *buf, size_t size)
{
	struct ssdc_latency l;
	unsigned int op;
	u64 sum_ns;
	int at = 0;

	for (op = 0; op < SSDC_NR_OPS; op++) {
		spin_lock_bh(&f->lock);
		ssdc_histogram_read(ssdf_latency(f->device, op), &l);
		sum_ns = ssdf_latency(f->device, op)->sum_ns;
		spin_unlock_bh(&f->lock);
		at += scnprintf(buf + at, size - at,
				"%s count %llu mean_ns %llu p50_ns %llu p90_ns %llu p99_ns %llu p999_ns %llu max_ns %llu worst1_mean_ns %llu sum_ns %llu\n",
				ssdc_op_names[op], l.count, l.mean_ns, l.p50_ns, l.p90_ns,
				l.p99_ns, l.p999_ns, l.max_ns, l.worst1_mean_ns, sum_ns);
	}
	return at;
}

static int print_channels(struct dmsf_target *f, char *buf, size_t size)
{
	u32 i, channels = f->device_params.channels;
	int at = 0;

	spin_lock_bh(&f->lock);
	for (i = 0; i < channels; i++)
		at += scnprintf(buf + at, size - at, "%u busy_ns %llu\n", i,
				ssdf_channel_busy_ns(f->device, i, dmsf_now_ns(f)));
	spin_unlock_bh(&f->lock);
	return at;
}

static void reset_stats(struct dmsf_target *f)
{
	spin_lock_bh(&f->lock);
	ssdf_reset_stats(f->device, dmsf_now_ns(f));
	spin_unlock_bh(&f->lock);
}

/* A message is one word; it either prints something or does something. */
static const struct message {
	const char *name;
	const char *doc;
	int (*print)(struct dmsf_target *f, char *buf, size_t size);
	void (*act)(struct dmsf_target *f);
} messages[] = {
	{ .name = "help", .doc = "this list", .print = print_help },
	{ .name = "latency", .doc = "latencies of requests in the model, by operation",
	  .print = print_latency },
	{ .name = "channels", .doc = "time that each channel spent on transfers",
	  .print = print_channels },
	{ .name = "reset_stats", .doc = "zero all counters and latencies", .act = reset_stats },
};

static int print_help(struct dmsf_target *f, char *buf, size_t size)
{
	unsigned int i;
	int at = 0;

	for (i = 0; i < ARRAY_SIZE(messages); i++)
		at += scnprintf(buf + at, size - at, "%s\t%s\n", messages[i].name, messages[i].doc);
	return at;
}

static const struct message *find_message(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(messages); i++)
		if (!strcmp(name, messages[i].name))
			return &messages[i];
	return NULL;
}

/* Log and keep the reason; the caller holds @f->control. */
static int refuse(struct dmsf_target *f, const struct ssdc_error *error)
{
	f->last_error = *error;
	DMERR("%s: %s", dm_device_name(dm_table_get_md(f->ti->table)), error->text);
	return -EINVAL;
}

/**
 * dmsf_refuse() - log why something is refused, and keep the reason for last_error
 * @f: target
 * @error: the reason
 *
 * Context: may sleep.
 * Return: -EINVAL.
 */
int dmsf_refuse(struct dmsf_target *f, const struct ssdc_error *error)
{
	int r;

	mutex_lock(&f->control);
	r = refuse(f, error);
	mutex_unlock(&f->control);
	return r;
}

static int refuse_word(struct dmsf_target *f, const char *word, bool actions_only)
{
	struct ssdc_error error;
	unsigned int i;
	int at;

	at = scnprintf(error.text, sizeof(error.text), "\"%.32s\" is not one of", word);
	for (i = 0; i < ARRAY_SIZE(messages); i++)
		if (messages[i].act || !actions_only)
			at += scnprintf(error.text + at, sizeof(error.text) - at, " %s",
					messages[i].name);
	return refuse(f, &error);
}

static int refuse_more(struct dmsf_target *f, const struct message *message, const char *word)
{
	struct ssdc_error error;

	scnprintf(error.text, sizeof(error.text), "%s: takes no words, not \"%.32s\"",
		  message->name, word);
	return refuse(f, &error);
}

/* The caller holds @f->control. */
static int do_message(struct dmsf_target *f, unsigned int argc, char **argv, char *result,
		      unsigned int maxlen)
{
	const struct message *message = find_message(argv[0]);

	if (!message)
		return refuse_word(f, argv[0], false);
	if (argc > 1)
		return refuse_more(f, message, argv[1]);
	if (message->act) {
		message->act(f);
		return 0;
	}
	message->print(f, result, maxlen);
	return 1;
}

/**
 * dmsf_message() - handle a message
 * @f: target
 * @argc: number of words
 * @argv: the words
 * @result: answer
 * @maxlen: size of @result
 *
 * Context: may sleep.
 * Return: 1 with an answer, 0 without, -EINVAL.
 */
int dmsf_message(struct dmsf_target *f, unsigned int argc, char **argv, char *result,
		 unsigned int maxlen)
{
	int r;

	mutex_lock(&f->control);
	r = do_message(f, argc, argv, result, maxlen);
	mutex_unlock(&f->control);
	return r;
}

/**
 * dmsf_action() - handle an action of sysfs, which is a message without an answer
 * @f: target
 * @action: name of the action
 *
 * Context: may sleep.
 * Return: 0 or -EINVAL.
 */
int dmsf_action(struct dmsf_target *f, const char *action)
{
	const struct message *message = find_message(action);
	int r = 0;

	mutex_lock(&f->control);
	if (message && message->act)
		message->act(f);
	else
		r = refuse_word(f, action, true);
	mutex_unlock(&f->control);
	return r;
}
