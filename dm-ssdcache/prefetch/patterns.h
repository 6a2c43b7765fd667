/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What pattern and pattern-plus have in common (S001, section 3.2): windows of requests,
 * of which the first are mined for pages that are read together, and matching.
 *
 *	window	|<--- mined ---->|                               |
 *	reads	 r r  r rr r  r  r   r  r r r r  r   r rr  r  r r
 *	patterns of the window before    | those of this one	 . . .
 *
 * Reads are cut into transactions of a few reads each. Frequent sets of pages become
 * patterns; these are refined and put into the matrix, which is matched until the next
 * ones are there. All of that is done by the plug-in's step(), in pieces.
 *
 * Section 4.1 has it so; section 3.2 analyses "the requests in the previous time window".
 * With mine=prev patterns wait for the next window, and are matched in it from when the
 * worker has loaded the matrix. Its first request ends mining that is not done: with mined
 * near window that has no room on the target under load.
 */
#ifndef SSDC_PATTERNS_H
#define SSDC_PATTERNS_H

#include "../engine/engine.h"
#include "pattern-matrix.h"
#include "pattern-pool.h"

enum ssdc_mining {
	SSDC_MINE_NOTHING,
	SSDC_MINE_SETS,
	SSDC_MINE_UNITE,	/* patterns, from @cursor on */
	SSDC_MINE_WAIT,		/* for the next window, with what was found */
	SSDC_MINE_LOAD,		/* into the matrix */
};

/* What was counted in a window. */
struct ssdc_window {
	u32 requests;
	u32 reads;
	u32 writes;
	u32 prefetches;		/* pages */
	u32 used;		/* of prefetched pages, those a read found first in this window */
};

/**
 * struct ssdc_patterns - the start of an instance of either
 * @p: must be first
 * @window: tunables from here on: requests of a window
 * @mined: of these, the first that are mined
 * @previous: patterns wait for the next window before they are matched
 * @transaction: reads that count as made together
 * @min_support: transactions that a set of pages has to be found in
 * @max_elements: of a pattern
 * @threshold: percent of a pattern that have to be read before the rest is wanted
 * @strict: more than that
 * @cap: percent of DRAM that prefetched pages may hold at most
 * @max_work: thousands of steps of mining that a window is worth
 * @now: the window under way
 * @last: the one before
 * @matching: the rest of a pattern is wanted
 * @collecting: reads are added to the next ones to be mined
 * @mining: what step() has to do
 * @cursor: where it has got to
 * @fp: miner
 * @pool: patterns that were found
 * @matrix: patterns that are matched
 * @windows: statistics from here on
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
	u32 cap;
	u32 max_work;

	struct ssdc_window now;
	struct ssdc_window last;
	bool matching;
	bool collecting;
	enum ssdc_mining mining;
	u32 cursor;
	struct ssdc_fp_growth fp;
	struct ssdc_pool *pool;
	struct ssdc_matrix matrix;

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
	return x->p.plugin.engine->nr_frames * (u64)percent / 100;
}

/* Is there mining to be done now? */
static inline bool ssdc_patterns_busy(const struct ssdc_patterns *x)
{
	return x->mining != SSDC_MINE_NOTHING && x->mining != SSDC_MINE_WAIT;
}

extern const char *const ssdc_patterns_mine_words[];

int ssdc_patterns_create(struct ssdc_patterns *x, struct ssdc_error *error);
void ssdc_patterns_destroy(struct ssdc_prefetch *p);
void ssdc_patterns_tuned(struct ssdc_patterns *x);
bool ssdc_patterns_observe(struct ssdc_patterns *x, const struct ssdc_request *rq);
bool ssdc_patterns_step(struct ssdc_patterns *x);
void ssdc_patterns_loaded(struct ssdc_prefetch *p, ssdc_page_t page);
void ssdc_patterns_hit(struct ssdc_prefetch *p, ssdc_page_t page, bool first, bool late);
int ssdc_patterns_check(const struct ssdc_prefetch *p);

/* Rows for the tables of either. */
#define SSDC_PATTERNS_TUNABLES \
	{ "window", "requests", "length of a window; longer ones adapt more slowly", \
	  offsetof(struct ssdc_patterns, window), 1024, 64, 8192, NULL }, \
	{ "mined", "requests", "of a window, the first that are mined; more than a window: all", \
	  offsetof(struct ssdc_patterns, mined), 256, 16, 8192, NULL }, \
	{ "mine", "", "window whose patterns are matched: this one, or the one before", \
	  offsetof(struct ssdc_patterns, previous), 0, 0, 0, ssdc_patterns_mine_words }, \
	{ "transaction", "reads", "that count as made together; more find longer patterns", \
	  offsetof(struct ssdc_patterns, transaction), 16, 2, 256, NULL }, \
	{ "min_support", "transactions", "a pattern's pages are found together in as many", \
	  offsetof(struct ssdc_patterns, min_support), 3, 2, 256, NULL }, \
	{ "max_elements", "pages", "of a pattern", \
	  offsetof(struct ssdc_patterns, max_elements), SSDC_FP_ELEMENTS, 2, SSDC_FP_ELEMENTS, \
	  NULL }, \
	{ "threshold", "percent", "of a pattern that are read before the rest is brought in", \
	  offsetof(struct ssdc_patterns, threshold), 50, 10, 100, NULL }, \
	{ "strict", "", "more than the threshold have to be read", \
	  offsetof(struct ssdc_patterns, strict), 0, 0, 0, ssdc_off_on }, \
	{ "cap", "percent", "of DRAM that prefetched pages may hold at most", \
	  offsetof(struct ssdc_patterns, cap), 16, 1, 50, NULL }, \
	{ "max_work", "1000 steps", "of mining, for a window; then it goes with what was found", \
	  offsetof(struct ssdc_patterns, max_work), 100, 1, 100000, NULL }

#define SSDC_PATTERNS_COUNTER(member, unit, doc) \
	SSDC_STAT(struct ssdc_patterns, member, #member, unit, SSDC_COUNTER, doc)
#define SSDC_PATTERNS_GAUGE(member, name, unit, doc) \
	SSDC_STAT(struct ssdc_patterns, member, name, unit, SSDC_GAUGE, doc)

#define SSDC_PATTERNS_STATS \
	SSDC_PREFETCH_STATS, \
	SSDC_PATTERNS_COUNTER(windows, "windows", "that ended"), \
	SSDC_PATTERNS_COUNTER(mined_windows, "windows", "that were mined to the end"), \
	SSDC_PATTERNS_COUNTER(abandoned, "windows", \
			      "whose mining was not over when the next one began"), \
	SSDC_PATTERNS_COUNTER(cut_short, "windows", "whose mining reached max_work"), \
	SSDC_PATTERNS_COUNTER(left_out, "pages", "read in a window that had no room for them"), \
	SSDC_PATTERNS_COUNTER(mining_work, "steps", \
			      "looks at a page read or a node of a tree, in mining"), \
	SSDC_PATTERNS_COUNTER(frequent_sets, "sets", "of pages, found by mining"), \
	SSDC_PATTERNS_COUNTER(mined_patterns, "patterns", "put into the matrix"), \
	SSDC_PATTERNS_COUNTER(pattern_pages, "pages", "of all these together"), \
	SSDC_PATTERNS_COUNTER(many_patterns, "windows", \
			      "that had more patterns than the matrix has rows"), \
	SSDC_PATTERNS_COUNTER(many_pages, "windows", \
			      "that had more frequent pages than the matrix has columns"), \
	SSDC_PATTERNS_COUNTER(fired, "patterns", "the rest of which was wanted"), \
	SSDC_PATTERNS_GAUGE(matrix.nr_rows, "rows", "patterns", "matched now"), \
	SSDC_PATTERNS_GAUGE(matrix.nr_columns, "columns", "pages", "of these together"), \
	SSDC_PATTERNS_GAUGE(mining_bytes, "mining_bytes", "bytes", "of memory for mining"), \
	SSDC_PATTERNS_GAUGE(matrix_bytes, "matrix_bytes", "bytes", "of memory for the matrix")

#endif /* SSDC_PATTERNS_H */
