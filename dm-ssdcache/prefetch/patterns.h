/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common part of pattern and pattern-plus ([Li22], section 3.2): windows of requests, mining
 * of the first requests of each window, and matching.
 *
 *	window	|<--- mined ---->|                               |
 *	reads	 r r  r rr r  r  r   r  r r r r  r   r rr  r  r r
 *	patterns of the window before    | those of this one	 . . .
 *
 * Reads are grouped into transactions of a few reads each. Sets of pages that are frequent
 * in transactions become patterns. The patterns are refined and loaded into the matrix,
 * which is matched until the next ones are ready. The plug-in's step() does this work.
 *
 * This follows section 4.1. Section 3.2 instead analyses "the requests in the previous time
 * window" (mine=prev): patterns then wait for the next window, and matching starts once the
 * worker has loaded the matrix. The first request of that window ends unfinished mining, so
 * `mined` close to `window` leaves mining no time on a busy target.
 */
#ifndef SSDC_PATTERNS_H
#define SSDC_PATTERNS_H

#include "../policy-api/prefetch.h"
#include "pattern-matrix.h"
#include "pattern-pool.h"

enum ssdc_mining {
	SSDC_MINE_NOTHING,
	SSDC_MINE_SETS,		/* find frequent sets */
	SSDC_MINE_UNITE,	/* unite patterns from @cursor on */
	SSDC_MINE_WAIT,		/* wait for the next window */
	SSDC_MINE_LOAD,		/* load the matrix */
};

/* Counts of a window. */
struct ssdc_window {
	u32 requests;
	u32 reads;
	u32 writes;
	u32 prefetches;		/* pages */
	u32 used;		/* prefetched pages that a read found for the first time */
};

/**
 * struct ssdc_patterns - the start of an instance of either
 * @p: must be first
 * @window: tunable, as are the next ten: requests in a window
 * @mined: requests of a window that are mined, its first ones
 * @previous: patterns wait for the next window before they are matched
 * @transaction: reads per transaction
 * @min_support: least number of transactions that contain all pages of a pattern
 * @max_elements: largest pattern, in pages
 * @threshold: percent of a pattern that must be read before the rest is wanted
 * @strict: more than @threshold must be read
 * @hits: what reads do that DRAM serves
 * @cap: percent of DRAM that prefetched pages may hold
 * @max_work: limit on mining per window, in thousands of steps
 * @now: counts of the current window
 * @last: counts of the previous window
 * @matching: patterns that fire cause prefetching
 * @collecting: reads are added to the miner
 * @mining: what step() does next
 * @cursor: progress of SSDC_MINE_UNITE and SSDC_MINE_LOAD
 * @all_fit: SSDC_MINE_LOAD: there was room for all patterns so far
 * @until_look: SSDC_MINE_SETS: work before the next look whether max_work is reached
 * @fp: miner
 * @pool: patterns found
 * @matrix: patterns being matched
 * @rows: rows of pages that were read and have yet to be matched: more of the read follow
 * @missed: DRAM lacks one of these pages
 * @windows: statistic, as are all that follow
 */
struct ssdc_patterns {
	struct ssdc_prefetch p;

	u32 window;
	u32 mined;
	u32 previous;
	u32 transaction;
	u32 min_support;
	u32 max_elements;
	u32 threshold;
	u32 strict;
	u32 hits;
	u32 cap;
	u32 max_work;

	struct ssdc_window now;
	struct ssdc_window last;
	bool matching;
	bool collecting;
	enum ssdc_mining mining;
	u32 cursor;
	bool all_fit;
	u32 until_look;
	struct ssdc_fp_growth fp;
	struct ssdc_pool *pool;
	struct ssdc_matrix matrix;
	u32 rows;
	bool missed;

	u64 windows;
	u64 mined_windows;
	u64 abandoned;
	u64 cut_short;
	u64 left_out;
	u64 mining_work;
	u64 frequent_sets;
	u64 mined_patterns;
	u64 pattern_pages;
	u64 many_patterns;
	u64 many_pages;
	u64 fired;
	u32 mining_bytes;
	u32 matrix_bytes;
};

static inline u32 ssdc_patterns_share(const struct ssdc_patterns *x, u32 percent)
{
	return x->p.plugin.tier->capacity * (u64)percent / 100;
}

/* Does mining need a step now? */
static inline bool ssdc_patterns_busy(const struct ssdc_patterns *x)
{
	return x->mining != SSDC_MINE_NOTHING && x->mining != SSDC_MINE_WAIT;
}

extern const char *const ssdc_patterns_mine_words[];

/* Values of the tunable `hits`. */
enum { SSDC_HITS_MARK, SSDC_HITS_FIRE };

extern const char *const ssdc_patterns_hits_words[];

int ssdc_patterns_create(struct ssdc_patterns *x, struct ssdc_error *error);
void ssdc_patterns_destroy(struct ssdc_prefetch *p);
void ssdc_patterns_tuned(struct ssdc_patterns *x);
void ssdc_patterns_observe(struct ssdc_patterns *x, const struct ssdc_host_request *rq);
bool ssdc_patterns_observe_pages(struct ssdc_patterns *x, const struct ssdc_host_request *rq,
				 u32 first, u32 nr, bool last);
bool ssdc_patterns_step(struct ssdc_patterns *x);
void ssdc_patterns_loaded(struct ssdc_prefetch *p, ssdc_page_t page);
void ssdc_patterns_hit(struct ssdc_prefetch *p, ssdc_page_t page, bool first, bool late);
int ssdc_patterns_check(const struct ssdc_prefetch *p, struct ssdc_error *finding);

/* Requests of the longest window. */
#define SSDC_PATTERNS_WINDOW 8192u

/* Table rows of pattern and pattern-plus. */
#define SSDC_PATTERNS_TUNABLES \
	{ "window", "requests", "length of a window; longer windows adapt more slowly", \
	  offsetof(struct ssdc_patterns, window), 1024, 64, SSDC_PATTERNS_WINDOW, NULL }, \
	{ "mined", "requests", "first requests of a window, which are mined; at most the window", \
	  offsetof(struct ssdc_patterns, mined), 256, 16, SSDC_PATTERNS_WINDOW, NULL }, \
	{ "mine", "", "window whose patterns are matched: this one, or the previous one", \
	  offsetof(struct ssdc_patterns, previous), 0, 0, 0, ssdc_patterns_mine_words }, \
	{ "transaction", "reads", "reads per transaction; more find longer patterns", \
	  offsetof(struct ssdc_patterns, transaction), 16, 2, 256, NULL }, \
	{ "min_support", "transactions", "transactions that must contain all pages of a pattern", \
	  offsetof(struct ssdc_patterns, min_support), 3, 2, 256, NULL }, \
	{ "max_elements", "pages", "largest pattern", \
	  offsetof(struct ssdc_patterns, max_elements), SSDC_FP_ELEMENTS, 2, SSDC_FP_ELEMENTS, \
	  NULL }, \
	{ "threshold", "percent", "share of a pattern to be read before the rest is wanted", \
	  offsetof(struct ssdc_patterns, threshold), 50, 10, 100, NULL }, \
	{ "strict", "", "on: more than the threshold must be read", \
	  offsetof(struct ssdc_patterns, strict), 0, 0, 0, ssdc_off_on }, \
	{ "hits", "", "reads that DRAM serves: mark: count as read; fire: may fire patterns, too", \
	  offsetof(struct ssdc_patterns, hits), SSDC_HITS_MARK, 0, 0, \
	  ssdc_patterns_hits_words }, \
	{ "cap", "percent", "largest share of DRAM that prefetched pages may hold", \
	  offsetof(struct ssdc_patterns, cap), 16, 1, 50, NULL }, \
	{ "max_work", "1000 steps", "limit on mining per window; the sets found by then are used", \
	  offsetof(struct ssdc_patterns, max_work), 100, 1, 100000, NULL }

#define SSDC_PATTERNS_COUNTER(member, unit, doc) \
	SSDC_STAT(struct ssdc_patterns, member, #member, unit, SSDC_COUNTER, doc)
#define SSDC_PATTERNS_GAUGE(member, name, unit, doc) \
	SSDC_STAT(struct ssdc_patterns, member, name, unit, SSDC_GAUGE, doc)

#define SSDC_PATTERNS_STATS \
	SSDC_PREFETCH_STATS, \
	SSDC_PATTERNS_COUNTER(windows, "windows", "windows that ended"), \
	SSDC_PATTERNS_COUNTER(mined_windows, "windows", "windows mined to the end"), \
	SSDC_PATTERNS_COUNTER(abandoned, "windows", \
			      "windows still being mined when the next one began"), \
	SSDC_PATTERNS_COUNTER(cut_short, "windows", "windows whose mining reached max_work"), \
	SSDC_PATTERNS_COUNTER(left_out, "pages", "pages read that did not fit into a window"), \
	SSDC_PATTERNS_COUNTER(mining_work, "steps", \
			      "pages read and tree nodes visited in mining"), \
	SSDC_PATTERNS_COUNTER(frequent_sets, "sets", "frequent sets of pages found"), \
	SSDC_PATTERNS_COUNTER(mined_patterns, "patterns", "patterns loaded into the matrix"), \
	SSDC_PATTERNS_COUNTER(pattern_pages, "pages", "pages of all loaded patterns"), \
	SSDC_PATTERNS_COUNTER(many_patterns, "windows", \
			      "windows with more patterns than the matrix has rows"), \
	SSDC_PATTERNS_COUNTER(many_pages, "windows", \
			      "windows with more frequent pages than the matrix has columns"), \
	SSDC_PATTERNS_COUNTER(fired, "patterns", "patterns that fired: the rest was wanted"), \
	SSDC_PATTERNS_GAUGE(matrix.nr_rows, "rows", "patterns", "patterns being matched"), \
	SSDC_PATTERNS_GAUGE(matrix.nr_columns, "columns", "pages", "pages of these patterns"), \
	SSDC_PATTERNS_GAUGE(mining_bytes, "mining_bytes", "bytes", "memory for mining"), \
	SSDC_PATTERNS_GAUGE(matrix_bytes, "matrix_bytes", "bytes", "memory for the matrix")

#endif /* SSDC_PATTERNS_H */
