// SPDX-License-Identifier: GPL-2.0
/*
 * Values in sysfs that both targets show alike: tunables, names of statistics,
 * latencies.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "sysfs-node.h"

/**
 * dms_describe_tunable() - name of a file that shows a tunable
 * @dir: shows an array of struct ssdc_tunable
 * @index: in it
 * @attr: result
 */
void dms_describe_tunable(const struct dms_dir *dir, unsigned int index, struct attribute *attr)
{
	attr->name = ((const struct ssdc_tunable *)dir->shows)[index].name;
}

/**
 * dms_describe_stat() - name of a file that shows a statistic
 * @dir: shows an array of struct ssdc_stat
 * @index: in it
 * @attr: result
 */
void dms_describe_stat(const struct dms_dir *dir, unsigned int index, struct attribute *attr)
{
	attr->name = ((const struct ssdc_stat *)dir->shows)[index].name;
}

/* Two files per operation: even ones sum up, odd ones list the buckets. */
static const char *const latency_names[DMS_NR_LATENCY_FILES] = {
	[2 * SSDC_READ] = "read", "read_histogram",
	[2 * SSDC_WRITE] = "write", "write_histogram",
	[2 * SSDC_FLUSH] = "flush", "flush_histogram",
	[2 * SSDC_DISCARD] = "discard", "discard_histogram",
};

/**
 * dms_describe_latency() - name of a file that shows latencies
 * @dir: not looked at
 * @index: below DMS_NR_LATENCY_FILES
 * @attr: result
 */
void dms_describe_latency(const struct dms_dir *dir, unsigned int index, struct attribute *attr)
{
	attr->name = latency_names[index];
}

/**
 * dms_show_tunable() - print a tunable and a newline
 * @tunable: descriptor
 * @base: of the structure it is in
 * @buf: a page
 *
 * Return: characters written.
 */
ssize_t dms_show_tunable(const struct ssdc_tunable *tunable, void *base, char *buf)
{
	ssize_t at = ssdc_tunable_print(tunable, *ssdc_tunable_at(tunable, base), buf,
					PAGE_SIZE - 1);

	buf[at++] = '\n';
	return at;
}

/**
 * dms_show_stat() - print a statistic and a newline
 * @stat: descriptor
 * @base: of the structure it is in
 * @buf: a page
 *
 * Return: characters written.
 */
ssize_t dms_show_stat(const struct ssdc_stat *stat, const void *base, char *buf)
{
	ssize_t at = ssdc_stat_print(stat, base, buf, PAGE_SIZE - 1);

	buf[at++] = '\n';
	return at;
}

static ssize_t emit_latency(const struct ssdc_latency *l, char *buf)
{
	return sysfs_emit(buf, "count %llu\nmean_ns %llu\np50_ns %llu\np90_ns %llu\np99_ns %llu\n"
			  "p999_ns %llu\nmax_ns %llu\nworst1_mean_ns %llu\n", l->count, l->mean_ns,
			  l->p50_ns, l->p90_ns, l->p99_ns, l->p999_ns, l->max_ns,
			  l->worst1_mean_ns);
}

/* Lines of up to 40 characters that are sure to fit a page. */
#define MAX_LINES 100

static u64 count_buckets(const struct ssdc_histogram *hist, unsigned int first, unsigned int nr)
{
	u64 count = 0;

	while (nr--)
		count += hist->buckets[first + nr];
	return count;
}

/* How many neighbouring buckets, a power of two, have to share a line. */
static unsigned int buckets_per_line(const struct ssdc_histogram *hist)
{
	unsigned int step, i, lines;

	for (step = 1; step < 8; step *= 2) {
		lines = 0;
		for (i = 0; i < SSDC_HIST_BUCKETS; i += step)
			lines += !!count_buckets(hist, i, step);
		if (lines <= MAX_LINES)
			break;
	}
	return step;
}

/* Lines "low_ns high_ns count"; empty ones are left out. */
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

/**
 * dms_show_latency() - print the summary or the histogram of an operation
 * @sysfs: of the instance
 * @index: of the file, see dms_describe_latency()
 * @buf: a page
 * @copy: gets the histogram of an operation, under the lock that guards it
 *
 * Context: may sleep.
 * Return: characters written, or -ENOMEM.
 */
ssize_t dms_show_latency(struct dms_sysfs *sysfs, unsigned int index, char *buf,
			 void (*copy)(struct dms_sysfs *sysfs, enum ssdc_op op,
				      struct ssdc_histogram *hist))
{
	struct ssdc_histogram *hist = kmalloc(sizeof(*hist), GFP_NOIO);
	struct ssdc_latency latency;
	ssize_t n;

	if (!hist)
		return -ENOMEM;
	copy(sysfs, index / 2, hist);
	if (index % 2) {
		n = emit_histogram(hist, buf);
	} else {
		ssdc_histogram_read(hist, &latency);
		n = emit_latency(&latency, buf);
	}
	kfree(hist);
	return n;
}
