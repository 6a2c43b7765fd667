// SPDX-License-Identifier: GPL-2.0
/*
 * stats/auto/ and stats/shadow/ of a cache that chooses its policies by itself. A file about the
 * candidates has a number, or a name, for each of them, in the order of stats/auto/candidates.
 */
#include <linux/sysfs.h>

#include "cache.h"

static struct dmsc_cache *cache_of(struct dms_sysfs *sysfs)
{
	return container_of(sysfs, struct dmsc_cache, sysfs);
}

/**
 * dmsc_auto_show() - print the spec of the choice
 * @c: cache
 * @kind: SSDC_REPLACEMENT or SSDC_ADMISSION: what is chosen
 * @buf: a page
 *
 * Context: takes @control.
 * Return: characters written.
 */
ssize_t dmsc_auto_show(struct dmsc_cache *c, enum ssdc_kind kind, char *buf)
{
	const char *spec = "";
	struct dmsc_choice *choice;
	ssize_t n;

	mutex_lock(&c->control);
	choice = dmsc_auto_of(c);
	if (choice)
		spec = kind == SSDC_REPLACEMENT ? choice->text : choice->admission;
	n = sysfs_emit(buf, "%s\n", ssdc_auto_is_spec(spec) ? spec : "off");
	mutex_unlock(&c->control);
	return n;
}

static ssize_t emit_name(const struct ssdc_auto *a, u32 i, char *buf, ssize_t at)
{
	const struct ssdc_shadow_candidate *candidate = &a->shadows->candidates[i];

	return sysfs_emit_at(buf, at, "%s/%s", candidate->replacement, candidate->admission);
}

/* Returns -EFBIG if the list does not fit a page: a part of it would look like all of it. */
static ssize_t emit_candidates(const struct ssdc_auto *a, char *buf)
{
	ssize_t at = 0;
	u32 i;

	for (i = 0; i < a->nr; i++) {
		at += sysfs_emit_at(buf, at, "%s", i ? " " : "");
		at += emit_name(a, i, buf, at);
	}
	at += sysfs_emit_at(buf, at, "\n");
	return at < PAGE_SIZE - 1 ? at : -EFBIG;
}

static ssize_t emit_live(const struct ssdc_auto *a, char *buf)
{
	ssize_t at = emit_name(a, a->live, buf, 0);

	return at + sysfs_emit_at(buf, at, "\n");
}

/* "REQUEST PATIENCE FROM TO COST..." FROM and TO are numbers of candidates. */
static int print_decision(const struct ssdc_auto *a, u64 number, char *line, size_t size)
{
	const struct ssdc_auto_decision *decision = &a->log[number & (SSDC_AUTO_LOG - 1)];
	int at;
	u32 i;

	at = scnprintf(line, size, "%llu %u %u %u", decision->request, decision->patience,
		       decision->from, decision->to);
	for (i = 0; i < a->nr; i++)
		at += scnprintf(line + at, size - at, " %llu", decision->costs[i]);
	return at + scnprintf(line + at, size - at, "\n");
}

/* The last decisions, oldest first: as many as are kept, and as fit into a page. */
static ssize_t emit_decisions(const struct ssdc_auto *a, char *buf)
{
	u64 first = a->nr_decisions, oldest = first > SSDC_AUTO_LOG ? first - SSDC_AUTO_LOG : 0;
	char line[64 + 21 * SSDC_AUTO_MAX_CANDIDATES];
	ssize_t at = 0, size = 0;

	while (first > oldest) {
		size += print_decision(a, first - 1, line, sizeof(line));
		if (size >= PAGE_SIZE)
			break;
		first--;
	}
	for (; first < a->nr_decisions; first++)
		at += print_decision(a, first, buf + at, PAGE_SIZE - at);
	return at;
}

/* stats/auto/: the statistics of the choice and of its candidates, and texts. */
static const struct text {
	const char *name;
	ssize_t (*emit)(const struct ssdc_auto *a, char *buf);
} texts[] = {
	{ "candidates", emit_candidates },
	{ "live", emit_live },
	{ "decisions", emit_decisions },
};

/* The caller has @control and the @lock of the chooser, so the counts of requests do not change. */
static ssize_t emit_row(const struct ssdc_auto *a, const struct ssdc_stat *stat, const void *first,
			size_t stride, char *buf)
{
	ssize_t at = 0;
	u32 i;

	for (i = 0; i < a->nr; i++)
		at += sysfs_emit_at(buf, at, "%s%llu", i ? " " : "",
				    ssdc_stat_read(stat, first + i * stride));
	return at + sysfs_emit_at(buf, at, "\n");
}

static ssize_t emit_auto(const struct ssdc_auto *a, unsigned int index, char *buf)
{
	if (index < ssdc_nr_auto_stats)
		return sysfs_emit(buf, "%llu\n",
				  ssdc_stat_read(&ssdc_auto_stat_table[index], &a->stats));
	index -= ssdc_nr_auto_stats;
	if (index < ssdc_nr_auto_candidate_stats)
		return emit_row(a, &ssdc_auto_candidate_stat_table[index], a->candidates,
				sizeof(*a->candidates), buf);
	return texts[index - ssdc_nr_auto_candidate_stats].emit(a, buf);
}

static ssize_t emit_shadow(const struct ssdc_auto *a, unsigned int index, char *buf)
{
	return emit_row(a, &ssdc_shadow_stat_table[index], &a->shadows->shadows[0].stats,
			sizeof(a->shadows->shadows[0]), buf);
}

/* A choice may end, or another one begin, while its files are read. */
static ssize_t show(struct dms_sysfs *sysfs, unsigned int index, char *buf,
		    ssize_t (*emit)(const struct ssdc_auto *a, unsigned int index, char *buf))
{
	struct dmsc_cache *c = cache_of(sysfs);
	/* A text is long, and shows only data that the work item changes, so it needs no @lock. */
	bool is_text = emit == emit_auto &&
		index >= ssdc_nr_auto_stats + ssdc_nr_auto_candidate_stats;
	struct dmsc_choice *choice;
	ssize_t n = -ENODEV;

	mutex_lock(&c->control);
	choice = dmsc_auto_of(c);
	if (choice) {
		spin_lock(&c->chooser.lock);
		dmsc_auto_catch_up(&c->chooser);
		ssdc_auto_update(choice->a);
		if (!is_text)
			n = emit(choice->a, index, buf);
		spin_unlock(&c->chooser.lock);
		if (is_text)
			n = emit(choice->a, index, buf);
	}
	mutex_unlock(&c->control);
	return n;
}

static void describe_auto(const struct dms_dir *dir, unsigned int index, struct attribute *attr)
{
	if (index < ssdc_nr_auto_stats) {
		attr->name = ssdc_auto_stat_table[index].name;
		return;
	}
	index -= ssdc_nr_auto_stats;
	attr->name = index < ssdc_nr_auto_candidate_stats ?
		ssdc_auto_candidate_stat_table[index].name :
		texts[index - ssdc_nr_auto_candidate_stats].name;
}

static ssize_t show_auto(struct dms_sysfs *sysfs, const struct dms_dir *dir, unsigned int index,
			 char *buf)
{
	return show(sysfs, index, buf, emit_auto);
}

static const struct dms_dir_type auto_type = {
	.describe = describe_auto,
	.show = show_auto,
};

static void describe_shadow(const struct dms_dir *dir, unsigned int index, struct attribute *attr)
{
	attr->name = ssdc_shadow_stat_table[index].name;
}

static ssize_t show_shadow(struct dms_sysfs *sysfs, const struct dms_dir *dir, unsigned int index,
			   char *buf)
{
	return show(sysfs, index, buf, emit_shadow);
}

static const struct dms_dir_type shadow_type = {
	.describe = describe_shadow,
	.show = show_shadow,
};

/**
 * dmsc_auto_renew_dirs() - make the directories if there is a choice, remove them if there is none
 * @root: root directory of the node
 * @c: cache
 *
 * Context: from update() of struct dms_node_type. May sleep.
 * Return: 0 or -errno.
 */
int dmsc_auto_renew_dirs(struct dms_dir *root, struct dmsc_cache *c)
{
	struct dms_dir *stats = dms_dir_find(root, "stats");
	int r;

	if (!rcu_access_pointer(c->chooser.choice)) {
		dms_dir_drop(stats, "auto");
		dms_dir_drop(stats, "shadow");
		return 0;
	}
	r = dms_dir_renew(stats, "auto", &auto_type, ssdc_auto_stat_table,
			  ssdc_nr_auto_stats + ssdc_nr_auto_candidate_stats + ARRAY_SIZE(texts));
	if (r)
		return r;
	return dms_dir_renew(stats, "shadow", &shadow_type, ssdc_shadow_stat_table,
			     ssdc_nr_shadow_stats);
}
