// SPDX-License-Identifier: GPL-2.0
/*
 * pattern-plus: like pattern, but a model computes how much DRAM prefetched pages are worth,
 * and a gate stops prefetching when it is not worth its cost.
 *
 * Source	Li, Xu, Cai, Liao, Li, Gerofi, Ishikawa, "Pattern-Based Prefetching with
 *		Adaptive Cache Management Inside of Solid-State Drives", ACM TOS 2022 [Li22]
 * Status	as published, except: Algorithm 1 is corrected (literal=on: as printed); the
 *		bound of tau is our choice, as the paper does not give it; choices in mining
 *		and matching are listed in patterns.h
 * Cost		O(pages) per request, one hash probe each; per window, mining and one visit
 *		to each page of the window, in the worker
 * Memory	that of pattern, plus 256 KiB for the counts of two windows
 *
 * At the end of a window, from the counts of that window:
 *
 *	tau = writes / reads * missed / prefetched			(1)
 *
 * If tau >= tau_max, prefetching stops for the next window. Otherwise the partition has room
 * for the pages that were read often enough:
 *
 *	f_R(theta) = beta / alpha * omega / gamma * R / N * f_W(k)		(7)
 *
 * f_R and f_W are densities over the read and the whole address space; theta is the share of
 * these that was read in the window. A page read n times has f_R = n * R / gamma; a page
 * written m times has f_W = m * N / omega. Everything but the counts cancels out:
 *
 *	n >= beta / alpha * m
 *
 * where m is the write count, in the window, of the least written dirty page in DRAM, the
 * page that prefetching would evict. (Taken literally, with m for f_W(k), the equation asks
 * for thousands of reads in a window of 1024 requests.)
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>
#include "page-counts.h"
#include "patterns.h"

/* Slots of the counts examined per step. */
#define STEP_SLOTS 128u

/* A request reads a page once. */
#define MOST_READS SSDC_PATTERNS_WINDOW

/* Read counts that are summed up per step. */
#define STEP_READS 256u

struct pattern_plus {
	struct ssdc_patterns x;		/* must be first */

	/* Tunables. */
	u32 tau_max;
	u32 unwritten;
	u32 literal;

	struct ssdc_page_counts counts[2];
	unsigned int now;		/* index of the counts of the current window */
	bool modelling;			/* the other counts are being evaluated */
	u32 slot;			/* progress of the evaluation: slots, then read counts */
	u32 most_reads;			/* no page was read more often */
	u32 pages;			/* read in the window */
	u32 pages_in_bound;		/* of these, often enough */
	u16 read_pages[MOST_READS + 1];	/* pages by read count */
	u32 dirty_written;		/* dirty pages that were written in the window */
	u32 least_writes;		/* least write count among these */

	/* Algorithm 1 as printed. */
	s64 rd_pages_cur;
	s64 rd_pages_prev;

	/* Statistics. */
	u64 closed_windows;
	u64 skipped_models;
	u64 uncounted;
	u32 tau;
	u32 bound;
	u32 theta;
	u32 target;
};

static struct pattern_plus *to_plus(const struct ssdc_prefetch *p)
{
	return container_of((struct ssdc_prefetch *)p, struct pattern_plus, x.p);
}

/* ---- the partition ---- */

static u32 cap(const struct pattern_plus *plus)
{
	return ssdc_patterns_share(&plus->x, plus->x.cap);
}

/*
 * As printed, Algorithm 1 uses one number for both the target and the current size of the
 * partition: once it grows it keeps growing, and once it shrinks it keeps shrinking.
 */
static void follow_algorithm_1(struct pattern_plus *plus)
{
	bool rep_flag = plus->rd_pages_cur >= plus->rd_pages_prev;

	plus->x.p.pages_max = plus->x.matching && rep_flag ? cap(plus) : 0;
}

static void set_target(struct pattern_plus *plus, u32 target)
{
	plus->rd_pages_prev = plus->target;
	plus->rd_pages_cur = target;
	plus->target = target;
	if (plus->literal)
		follow_algorithm_1(plus);
	else
		plus->x.p.pages_max = target;
}

/* ---- the model ---- */

static void start_model(struct pattern_plus *plus)
{
	plus->modelling = true;
	plus->slot = 0;
	plus->pages = 0;
	plus->pages_in_bound = 0;
	plus->most_reads = min(plus->x.last.reads, MOST_READS);
	memset(plus->read_pages, 0, (plus->most_reads + 1) * sizeof(*plus->read_pages));
	plus->dirty_written = 0;
	plus->least_writes = U32_MAX;
	plus->x.p.plugin.wants_step = true;
}

static void look_at(struct pattern_plus *plus, const struct ssdc_page_count *count)
{
	if (count->reads)
		plus->read_pages[min_t(u32, count->reads, plus->most_reads)]++;
	if (count->writes && ssdc_page_is_dirty(plus->x.p.plugin.tier, count->page)) {
		plus->dirty_written++;
		plus->least_writes = min_t(u32, plus->least_writes, count->writes);
	}
}

/* Twice m. A dirty page that was not written in the window counts as 0 or half a write. */
static u32 twice_least_writes(const struct pattern_plus *plus)
{
	u32 dirty = plus->x.p.plugin.tier->dirty_pages;

	if (!dirty)
		return 0;
	return dirty <= plus->dirty_written ? 2 * plus->least_writes : plus->unwritten;
}

static void set_bound(struct pattern_plus *plus)
{
	const struct ssdc_tier *tier = plus->x.p.plugin.tier;
	u64 gain = 2 * ssdc_read_hit_us(tier);
	u64 loss = (u64)ssdc_write_hit_us(tier) * twice_least_writes(plus);

	plus->bound = min_t(u64, div64_u64(loss + gain - 1, gain), U32_MAX);
}

/* Sum up the pages of the next read counts. */
static void sum_up(struct pattern_plus *plus)
{
	u32 reads = plus->slot - SSDC_COUNTS_SLOTS;
	u32 end = min(reads + STEP_READS, plus->most_reads + 1);

	plus->slot += end - reads;
	for (; reads < end; reads++) {
		plus->pages += plus->read_pages[reads];
		plus->pages_in_bound += reads >= plus->bound ? plus->read_pages[reads] : 0;
	}
	if (end <= plus->most_reads)
		return;
	plus->modelling = false;
	plus->theta = plus->pages ? 1000 * plus->pages_in_bound / plus->pages : 0;
	set_target(plus, min(plus->pages_in_bound, cap(plus)));
}

static void model(struct pattern_plus *plus)
{
	const struct ssdc_page_counts *counts = &plus->counts[!plus->now];
	u32 end = min(plus->slot + STEP_SLOTS, SSDC_COUNTS_SLOTS);

	if (plus->slot >= SSDC_COUNTS_SLOTS) {
		sum_up(plus);
		return;
	}
	for (; plus->slot < end; plus->slot++) {
		const struct ssdc_page_count *count = ssdc_counts_at(counts, plus->slot);

		if (count)
			look_at(plus, count);
	}
	if (plus->slot == SSDC_COUNTS_SLOTS)
		set_bound(plus);
}

/* ---- windows ---- */

/* Equation 1, in thousandths. Without reads, prefetching is pointless. */
static u32 tau_of(const struct ssdc_window *window)
{
	u64 all = max(window->prefetches, 1u), missed = 1;

	if (window->prefetches > window->used)
		missed = window->prefetches - window->used;
	if (!window->reads)
		return U32_MAX;
	return min_t(u64, div64_u64(1000ULL * window->writes * missed, window->reads * all),
		     U32_MAX);
}

static void end_window(struct pattern_plus *plus)
{
	plus->tau = tau_of(&plus->x.last);
	plus->x.matching = plus->tau < 10 * plus->tau_max;
	plus->skipped_models += plus->modelling;
	plus->modelling = false;
	plus->now ^= 1;
	ssdc_counts_clear(&plus->counts[plus->now]);
	if (plus->x.matching) {
		start_model(plus);
		return;
	}
	plus->closed_windows++;
	set_target(plus, 0);
}

static void plus_observe(struct ssdc_prefetch *p, const struct ssdc_host_request *rq)
{
	ssdc_patterns_observe(&to_plus(p)->x, rq);
}

static void plus_observe_pages(struct ssdc_prefetch *p, const struct ssdc_host_request *rq,
			       u32 first, u32 nr, bool last)
{
	struct pattern_plus *plus = to_plus(p);
	u64 page = (rq->sector >> p->plugin.tier->page_shift) + first;
	u32 i;

	for (i = 0; i < nr; i++)
		plus->uncounted += !ssdc_counts_add(&plus->counts[plus->now], page + i,
						    rq->op == SSDC_WRITE);
	if (ssdc_patterns_observe_pages(&plus->x, rq, first, nr, last))
		end_window(plus);
}

static bool plus_step(struct ssdc_plugin *plugin)
{
	struct pattern_plus *plus = to_plus(container_of(plugin, struct ssdc_prefetch, plugin));

	if (plus->modelling)
		model(plus);
	else
		ssdc_patterns_step(&plus->x);
	return plus->modelling || ssdc_patterns_busy(&plus->x);
}

static void plus_loaded(struct ssdc_prefetch *p, ssdc_page_t page)
{
	struct pattern_plus *plus = to_plus(p);

	ssdc_patterns_loaded(p, page);
	if (plus->literal && plus->rd_pages_cur >= plus->rd_pages_prev) {
		plus->rd_pages_cur++;
		follow_algorithm_1(plus);
	}
}

static void plus_left(struct ssdc_prefetch *p, ssdc_page_t page, bool used,
		      enum ssdc_prefetch_end end)
{
	struct pattern_plus *plus = to_plus(p);

	if (plus->literal && end == SSDC_GAVE_WAY && plus->rd_pages_cur < plus->rd_pages_prev) {
		plus->rd_pages_cur--;
		follow_algorithm_1(plus);
	}
}

/* ---- instance ---- */

static void plus_destroy(struct ssdc_prefetch *p)
{
	ssdc_counts_destroy(&to_plus(p)->counts[0]);
	ssdc_counts_destroy(&to_plus(p)->counts[1]);
	ssdc_patterns_destroy(p);
}

/* The first window gets half of the cap, the fixed share of the rival prefetchers. */
static int plus_create(struct ssdc_prefetch *p, struct ssdc_error *error)
{
	struct pattern_plus *plus = to_plus(p);
	int r;

	r = ssdc_patterns_create(&plus->x, error);
	if (r)
		return r;
	if (ssdc_counts_create(&plus->counts[0]) || ssdc_counts_create(&plus->counts[1])) {
		plus_destroy(p);
		scnprintf(error->text, sizeof(error->text), "%s: no memory for counts",
			  p->plugin.type->info.name);
		return -ENOMEM;
	}
	set_target(plus, cap(plus) / 2);
	return 0;
}

static void plus_tuned(struct ssdc_prefetch *p)
{
	struct pattern_plus *plus = to_plus(p);

	ssdc_patterns_tuned(&plus->x);
	set_target(plus, min(plus->target, cap(plus)));
}

static int plus_check(const struct ssdc_prefetch *p, struct ssdc_error *finding)
{
	const struct pattern_plus *plus = to_plus(p);

	if (plus->target > cap(plus) || p->pages_max > cap(plus))
		return ssdc_finding(finding, "the target is %u and pages_max %u, the most is %u",
				    plus->target, p->pages_max, cap(plus));
	if (plus->modelling && !p->plugin.wants_step)
		return ssdc_finding(finding, "the model waits for no step");
	if (plus->counts[plus->now].used > SSDC_COUNTS_PAGES)
		return ssdc_finding(finding, "%u pages are counted, the most is %u",
				    plus->counts[plus->now].used, SSDC_COUNTS_PAGES);
	return ssdc_patterns_check(p, finding);
}

static const char *const unwritten_words[] = { "0", "half", NULL };

#define TUNABLE(member) offsetof(struct pattern_plus, member)

static const struct ssdc_tunable plus_tunables[] = {
	SSDC_PATTERNS_TUNABLES,
	{ "tau_max", "percent", "bound of tau; larger: prefetch despite more writes and misses",
	  TUNABLE(tau_max), 100, 0, 100000, NULL },
	{ "unwritten", "", "write count assumed for dirty pages not written in the window",
	  TUNABLE(unwritten), 0, 0, 0, unwritten_words },
	{ "literal", "", "on: Algorithm 1 as printed, which keeps growing or shrinking",
	  TUNABLE(literal), 0, 0, 0, ssdc_off_on },
};

#define COUNTER(member, unit, doc) \
	SSDC_STAT(struct pattern_plus, member, #member, unit, SSDC_COUNTER, doc)
#define GAUGE(member, unit, doc) \
	SSDC_STAT(struct pattern_plus, member, #member, unit, SSDC_GAUGE, doc)

static const struct ssdc_stat plus_stats[] = {
	SSDC_PATTERNS_STATS,
	COUNTER(closed_windows, "windows", "windows after which tau stopped prefetching"),
	COUNTER(skipped_models, "windows", "windows that ended before the last model was done"),
	COUNTER(uncounted, "pages", "accesses to pages beyond those that a window can count"),
	GAUGE(tau, "permille", "writes / reads * missed / prefetched, in the last window"),
	GAUGE(bound, "reads", "reads that make a page worth its frame"),
	GAUGE(theta, "permille", "share of the pages read in the last window that reached bound"),
	GAUGE(target, "pages", "target size of the partition"),
};

struct ssdc_prefetch_type ssdc_pattern_plus = {
	.plugin = {
		.kind = SSDC_PREFETCH,
		.info = {
			.name = "pattern-plus",
			.source = "Li et al., ACM TOS 18(1), 2022 [Li22]",
			.status = "Algorithm 1 corrected; parts of mining are ours",
			.doc = "prefetches pages often read together; share of DRAM by a model",
			.tunables = plus_tunables,
			.nr_tunables = ARRAY_SIZE(plus_tunables),
			.stats = plus_stats,
			.nr_stats = ARRAY_SIZE(plus_stats),
			.instance_bytes = sizeof(struct pattern_plus),
		},
		.step = plus_step,
	},
	.create = plus_create,
	.destroy = plus_destroy,
	.tuned = plus_tuned,
	.observe = plus_observe,
	.observe_pages = plus_observe_pages,
	.loaded = plus_loaded,
	.hit = ssdc_patterns_hit,
	.left = plus_left,
	.check = plus_check,
};
