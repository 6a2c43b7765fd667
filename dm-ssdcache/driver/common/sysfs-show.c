// SPDX-License-Identifier: GPL-2.0
/*
 * The part of /sys/block/dm-N that both targets have: params/, stats/ and stats/latency/,
 * made from descriptor tables, and some files of the root directory.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "sysfs-node.h"

/* Files of the root directory. */

ssize_t dms_show_schema(struct dms_sysfs *sysfs, char *buf)
{
	return sysfs_emit(buf, "1\n");
}

/**
 * dms_show_last_error() - print why the last message was refused
 * @lock: guards @error
 * @error: the reason, empty before the first refusal
 * @buf: a page
 *
 * Context: takes @lock.
 * Return: characters written.
 */
ssize_t dms_show_last_error(struct mutex *lock, const struct ssdc_error *error, char *buf)
{
	ssize_t n;

	mutex_lock(lock);
	n = sysfs_emit(buf, "%s\n", error->text);
	mutex_unlock(lock);
	return n;
}

/**
 * dms_show_tunable() - print a tunable and a newline
 * @tunable: descriptor
 * @value: its value
 * @buf: a page
 *
 * Return: characters written.
 */
ssize_t dms_show_tunable(const struct ssdc_tunable *tunable, u32 value, char *buf)
{
	ssize_t at = ssdc_tunable_print(tunable, value, buf, PAGE_SIZE - 1);

	buf[at++] = '\n';
	return at;
}

/**
 * dms_alloc_numbers() - allocate memory for the numbers of a statistic
 * @stat: descriptor
 *
 * Context: may sleep; not under the lock that guards the statistic.
 * Return: zeroes that the caller frees with kfree(), or NULL.
 */
u64 *dms_alloc_numbers(const struct ssdc_stat *stat)
{
	return kcalloc(ssdc_stat_count(stat), sizeof(u64), GFP_NOIO);
}

/**
 * dms_read_stat() - copy the numbers of a statistic
 * @stat: descriptor
 * @base: structure that holds the statistic
 * @numbers: from dms_alloc_numbers()
 *
 * Context: the caller holds the lock that guards @base.
 */
void dms_read_stat(const struct ssdc_stat *stat, const void *base, u64 *numbers)
{
	unsigned int i;

	for (i = 0; i < ssdc_stat_count(stat); i++)
		numbers[i] = ssdc_stat_read_at(stat, base, i);
}

/**
 * dms_show_numbers() - print the numbers of a statistic and a newline
 * @stat: descriptor
 * @numbers: from dms_read_stat()
 * @buf: a page
 *
 * Return: characters written.
 */
ssize_t dms_show_numbers(const struct ssdc_stat *stat, const u64 *numbers, char *buf)
{
	unsigned int i;
	ssize_t at = 0;

	for (i = 0; i < ssdc_stat_count(stat); i++)
		at += sysfs_emit_at(buf, at, "%s%llu", i ? " " : "", numbers[i]);
	return at + sysfs_emit_at(buf, at, "\n");
}

/* params/ */

static const struct ssdc_tunable *param_of(const struct dms_dir *dir, unsigned int index)
{
	return &((const struct ssdc_tunable *)dir->shows)[index];
}

static void describe_param(const struct dms_dir *dir, unsigned int index, struct attribute *attr)
{
	attr->name = param_of(dir, index)->name;
}

static ssize_t show_param(struct dms_sysfs *sysfs, const struct dms_dir *dir, unsigned int index,
			  char *buf)
{
	const struct ssdc_tunable *tunable = param_of(dir, index);

	return dms_show_tunable(tunable, sysfs->type->read_param(sysfs, tunable), buf);
}

static int store_param(struct dms_sysfs *sysfs, const struct dms_dir *dir, unsigned int index,
		       const char *value)
{
	return sysfs->type->set_param(sysfs, param_of(dir, index)->name, value);
}

static const struct dms_dir_type fixed_params_type = {
	.describe = describe_param,
	.show = show_param,
};

static const struct dms_dir_type params_type = {
	.describe = describe_param,
	.show = show_param,
	.store = store_param,
};

/* stats/ */

static const struct ssdc_stat *stat_of(const struct dms_dir *dir, unsigned int index)
{
	return &((const struct ssdc_stat *)dir->shows)[index];
}

static void describe_stat(const struct dms_dir *dir, unsigned int index, struct attribute *attr)
{
	attr->name = stat_of(dir, index)->name;
}

static ssize_t show_stat(struct dms_sysfs *sysfs, const struct dms_dir *dir, unsigned int index,
			 char *buf)
{
	const struct ssdc_stat *stat = stat_of(dir, index);
	u64 *numbers = dms_alloc_numbers(stat);
	ssize_t n;

	if (!numbers)
		return -ENOMEM;
	sysfs->type->read_stat(sysfs, stat, numbers);
	n = dms_show_numbers(stat, numbers, buf);
	kfree(numbers);
	return n;
}

static const struct dms_dir_type stats_type = {
	.describe = describe_stat,
	.show = show_stat,
};

/* stats/latency/: for each operation a summary (even index) and a histogram (odd index) */

static const char *const latency_names[2 * SSDC_NR_OPS] = {
	[2 * SSDC_READ] = "read", "read_histogram",
	[2 * SSDC_WRITE] = "write", "write_histogram",
	[2 * SSDC_FLUSH] = "flush", "flush_histogram",
	[2 * SSDC_DISCARD] = "discard", "discard_histogram",
};

static void describe_latency(const struct dms_dir *dir, unsigned int index, struct attribute *attr)
{
	attr->name = latency_names[index];
}

/* @sum_ns: modulo 2^64. It grows with each request; the rounded mean times the count may shrink. */
static ssize_t emit_latency(const struct ssdc_latency *l, u64 sum_ns, char *buf)
{
	return sysfs_emit(buf, "count %llu\nmean_ns %llu\np50_ns %llu\np90_ns %llu\np99_ns %llu\n"
			  "p999_ns %llu\nmax_ns %llu\nworst1_mean_ns %llu\nsum_ns %llu\n", l->count,
			  l->mean_ns, l->p50_ns, l->p90_ns, l->p99_ns, l->p999_ns, l->max_ns,
			  l->worst1_mean_ns, sum_ns);
}

/* This many lines of up to 40 characters fit into a page. */
#define MAX_LINES 100

static u64 count_buckets(const struct ssdc_histogram *hist, unsigned int first, unsigned int nr)
{
	u64 count = 0;

	while (nr--)
		count += hist->buckets[first + nr];
	return count;
}

/* The number of neighbouring buckets, a power of two, that share a line. */
static unsigned int buckets_per_line(const struct ssdc_histogram *hist)
{
	unsigned int step, i, lines;

	for (step = 1; step < 1u << SSDC_HIST_SUB_BITS; step *= 2) {
		lines = 0;
		for (i = 0; i < SSDC_HIST_BUCKETS; i += step)
			lines += !!count_buckets(hist, i, step);
		if (lines <= MAX_LINES)
			break;
	}
	return step;
}

/* Lines "low_ns high_ns count", without empty buckets. */
static ssize_t emit_histogram(const struct ssdc_histogram *hist, char *buf)
{
	unsigned int i, step = buckets_per_line(hist);
	ssize_t at = 0;

	for (i = 0; i < SSDC_HIST_BUCKETS; i += step) {
		u64 count = count_buckets(hist, i, step);

		if (count)
			at += sysfs_emit_at(buf, at, "%llu %llu %llu\n", ssdc_histogram_low_ns(i),
					    ssdc_histogram_high_ns(i + step - 1), count);
	}
	return at;
}

static ssize_t show_latency(struct dms_sysfs *sysfs, const struct dms_dir *dir,
			    unsigned int index, char *buf)
{
	struct ssdc_histogram *hist = kvzalloc(sizeof(*hist), GFP_NOIO);
	struct ssdc_latency latency;
	ssize_t n;

	if (!hist)
		return -ENOMEM;
	sysfs->type->copy_latency(sysfs, index / 2, hist);
	if (index % 2) {
		n = emit_histogram(hist, buf);
	} else {
		ssdc_histogram_read(hist, &latency);
		n = emit_latency(&latency, hist->sum_ns, buf);
	}
	kvfree(hist);
	return n;
}

static const struct dms_dir_type latency_type = {
	.describe = describe_latency,
	.show = show_latency,
};

/**
 * dms_make_dirs() - create params/, stats/ and stats/latency/
 * @root: root directory of the node
 * @writable: whether the files in params/ can be written
 * @params: descriptors of the files in params/; must outlive the node
 * @nr_params: length of @params
 * @stats: descriptors of the files in stats/; must outlive the node
 * @nr_stats: length of @stats
 *
 * Context: from the make_dirs() of struct dms_node_type. May sleep.
 * Return: 0 or -errno.
 */
int dms_make_dirs(struct dms_dir *root, bool writable, const struct ssdc_tunable *params,
		  unsigned int nr_params, const struct ssdc_stat *stats, unsigned int nr_stats)
{
	int r;

	r = dms_dir_make(root, "params", writable ? &params_type : &fixed_params_type, params,
			 nr_params);
	if (!r)
		r = dms_dir_make(root, "stats", &stats_type, stats, nr_stats);
	if (!r)
		r = dms_dir_make(dms_dir_find(root, "stats"), "latency", &latency_type, NULL,
				 ARRAY_SIZE(latency_names));
	return r;
}
