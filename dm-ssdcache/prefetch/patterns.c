// SPDX-License-Identifier: GPL-2.0
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include "patterns.h"

/* Only the first pages of a long read are mined: the others came with them. */
#define READ_PAGES 8u

/* Mining work per step, under the lock, and between two looks whether max_work is reached. */
#define STEP_WORK 96u
#define LOOK_WORK 256u

/* Patterns loaded into the matrix per step. */
#define STEP_PATTERNS 8u

const char *const ssdc_patterns_mine_words[] = { "this", "prev", NULL };
const char *const ssdc_patterns_hits_words[] = { "mark", "fire", NULL };

/* ---- mining, in steps ---- */

static void found(void *context, const struct ssdc_fp_set *set)
{
	struct ssdc_patterns *x = context;

	x->frequent_sets++;
	ssdc_pool_add(x->pool, set);
}

static void start_mining(struct ssdc_patterns *x)
{
	const struct ssdc_fp_params params = {
		.min_support = x->min_support,
		.max_elements = x->max_elements,
		.brief = true,
		.found = found,
		.context = x,
	};

	x->collecting = false;
	x->abandoned += x->mining != SSDC_MINE_NOTHING;
	ssdc_pool_clear(x->pool);
	ssdc_fp_start(&x->fp, &params);
	x->until_look = LOOK_WORK;
	x->mining = SSDC_MINE_SETS;
	x->p.plugin.wants_step = true;
}

static void mine(struct ssdc_patterns *x)
{
	u64 before = x->fp.work;
	bool more = ssdc_fp_step(&x->fp, min(STEP_WORK, x->until_look));
	u32 done = x->fp.work - before;
	bool exhausted = false;

	x->mining_work += done;
	x->until_look -= min(done, x->until_look);
	if (!x->until_look) {
		exhausted = x->fp.work >= 1000ULL * x->max_work;
		x->until_look = LOOK_WORK;
	}
	if (more && !exhausted)
		return;
	x->cut_short += more;
	x->many_pages += x->fp.more_items;
	x->cursor = 0;
	x->mining = SSDC_MINE_UNITE;
}

static void unite(struct ssdc_patterns *x)
{
	if (x->cursor == x->pool->nr) {
		x->mining = x->previous ? SSDC_MINE_WAIT : SSDC_MINE_LOAD;
		x->cursor = 0;
	} else if (!ssdc_pool_unite(x->pool, x->cursor, x->max_elements)) {
		x->cursor++;
	}
}

/* Replace the patterns of the matrix, in steps: those loaded so far are matched in between. */
static void load(struct ssdc_patterns *x)
{
	u32 end = min(x->cursor + STEP_PATTERNS, x->pool->nr);

	if (!x->cursor) {
		ssdc_matrix_clear(&x->matrix);
		x->rows = 0;
		x->all_fit = true;
	}
	for (; x->cursor < end; x->cursor++) {
		const struct ssdc_pattern *pattern = ssdc_pool_at(x->pool, x->cursor);

		if (!pattern->nr)
			continue;
		if (!ssdc_matrix_add(&x->matrix, pattern->pages, pattern->nr)) {
			x->all_fit = false;
			continue;
		}
		x->mined_patterns++;
		x->pattern_pages += pattern->nr;
	}
	if (end < x->pool->nr)
		return;
	x->many_patterns += !x->all_fit && x->matrix.nr_rows == SSDC_MATRIX_ROWS;
	x->mined_windows++;
	x->mining = SSDC_MINE_NOTHING;
}

/**
 * ssdc_patterns_step() - do a bounded step of mining
 * @x: instance
 *
 * Return: true if work remains.
 */
bool ssdc_patterns_step(struct ssdc_patterns *x)
{
	switch (x->mining) {
	case SSDC_MINE_SETS:
		mine(x);
		break;
	case SSDC_MINE_UNITE:
		unite(x);
		break;
	case SSDC_MINE_LOAD:
		load(x);
		break;
	default:
		break;
	}
	return ssdc_patterns_busy(x);
}

/* ---- requests ---- */

/* Pages @first to @first + @nr - 1 of a read that begins with page @page. */
static void collect(struct ssdc_patterns *x, u64 page, u32 first, u32 nr)
{
	u32 transaction = (x->now.reads - 1) / x->transaction, i;

	for (i = first; i < min(first + nr, READ_PAGES); i++)
		x->left_out += !ssdc_fp_add(&x->fp, transaction, page + i);
}

static void fire(struct ssdc_patterns *x, u32 row)
{
	u64 pages[SSDC_FP_ELEMENTS];
	u32 nr = ssdc_matrix_rest(&x->matrix, row, pages), i;

	x->fired++;
	for (i = 0; i < nr; i++)
		ssdc_prefetch_want(&x->p, pages[i]);
}

/* Does DRAM lack any of these pages? */
static bool is_missed(const struct ssdc_patterns *x, u64 page, u32 nr)
{
	while (nr && ssdc_page_is_cached(x->p.plugin.tier, page)) {
		page++;
		nr--;
	}
	return nr;
}

/* [Li22], Algorithm 1, line 8: a request that DRAM serves starts no prefetching. */
static bool needs_miss(const struct ssdc_patterns *x)
{
	return x->matching && x->hits == SSDC_HITS_MARK && !x->missed;
}

/* The rows of the pages that have been marked may fire, and restart if they are complete. */
static void match_rows(struct ssdc_patterns *x)
{
	u32 row;

	if (x->matching && !needs_miss(x))
		for (row = 0; row < x->matrix.nr_rows; row++)
			if ((x->rows & BIT(row)) &&
			    ssdc_matrix_fires(&x->matrix, row, x->threshold, x->strict))
				fire(x, row);
	ssdc_matrix_renew(&x->matrix, x->rows);
}

/*
 * Mark all pages of a read before any row fires, so that none of them is wanted. If those of
 * another read come in between, the first of the two that ends counts for both.
 */
static void match(struct ssdc_patterns *x, u64 page, u32 nr, bool last)
{
	u32 i;

	for (i = 0; i < nr; i++)
		x->rows |= ssdc_matrix_read(&x->matrix, page + i);
	if ((x->rows || !last) && needs_miss(x))
		x->missed = is_missed(x, page, nr);
	if (!last)
		return;
	if (x->rows)
		match_rows(x);
	x->rows = 0;
	x->missed = false;
}

static void begin_window(struct ssdc_patterns *x)
{
	if (x->mining == SSDC_MINE_WAIT) {
		x->mining = SSDC_MINE_LOAD;
		x->p.plugin.wants_step = true;
	} else {
		x->abandoned += x->mining != SSDC_MINE_NOTHING;
		x->mining = SSDC_MINE_NOTHING;
	}
	ssdc_fp_clear(&x->fp);
	x->collecting = true;
}

/**
 * ssdc_patterns_observe() - a host read or write arrived
 * @x: instance
 * @rq: the request
 */
void ssdc_patterns_observe(struct ssdc_patterns *x, const struct ssdc_host_request *rq)
{
	if (!x->now.requests++)
		begin_window(x);
	if (rq->op == SSDC_READ)
		x->now.reads++;
	else
		x->now.writes++;
}

/**
 * ssdc_patterns_observe_pages() - handle pages of a host read or write
 * @x: instance
 * @rq: the request
 * @first: first page, counted from that of the request
 * @nr: number of pages
 * @last: there are no more
 *
 * Return: true if the request ended its window; @x->last then has the window's counts.
 */
bool ssdc_patterns_observe_pages(struct ssdc_patterns *x, const struct ssdc_host_request *rq,
				 u32 first, u32 nr, bool last)
{
	u64 page = rq->sector >> x->p.plugin.tier->page_shift;

	if (rq->op == SSDC_READ) {
		if (x->collecting && x->now.reads)
			collect(x, page, first, nr);
		match(x, page + first, nr, last);
	}
	if (!last)
		return false;
	if (x->collecting && x->now.requests >= min(x->mined, x->window))
		start_mining(x);
	if (x->now.requests < x->window)
		return false;
	x->last = x->now;
	x->now = (struct ssdc_window) {};
	x->windows++;
	return true;
}

void ssdc_patterns_loaded(struct ssdc_prefetch *p, ssdc_page_t page)
{
	container_of(p, struct ssdc_patterns, p)->now.prefetches++;
}

void ssdc_patterns_hit(struct ssdc_prefetch *p, ssdc_page_t page, bool first, bool late)
{
	container_of(p, struct ssdc_patterns, p)->now.used += first;
}

/* ---- instance ---- */

int ssdc_patterns_create(struct ssdc_patterns *x, struct ssdc_error *error)
{
	x->pool = kvzalloc(sizeof(*x->pool), GFP_KERNEL | __GFP_NOWARN);
	if (!x->pool || ssdc_fp_create(&x->fp)) {
		kvfree(x->pool);
		scnprintf(error->text, sizeof(error->text), "%s: no memory for mining",
			  x->p.plugin.type->info.name);
		return -ENOMEM;
	}
	x->matching = true;
	x->mining_bytes = ssdc_fp_bytes() + sizeof(x->fp) + sizeof(*x->pool);
	x->matrix_bytes = sizeof(x->matrix);
	return 0;
}

void ssdc_patterns_destroy(struct ssdc_prefetch *p)
{
	struct ssdc_patterns *x = container_of(p, struct ssdc_patterns, p);

	ssdc_fp_destroy(&x->fp);
	kvfree(x->pool);
}

/* Transactions of different lengths cannot be mixed, so stop collecting in this window. */
void ssdc_patterns_tuned(struct ssdc_patterns *x)
{
	x->collecting = false;
	x->p.pages_max = min(x->p.pages_max, ssdc_patterns_share(x, x->cap));
}

/* Only of a row that has yet to be @matched may all pages have been read. */
static int row_check(const struct ssdc_matrix *m, u32 row, bool matched,
		     struct ssdc_error *finding)
{
	const struct ssdc_matrix_row *r = &m->rows[row];
	u32 column, members = 0, read = 0;

	for (column = 0; column < SSDC_MATRIX_COLUMNS; column++) {
		bool member = test_bit(column, r->members);

		if (member && (column >= m->nr_columns || !(m->rows_of[column] & BIT(row))))
			return ssdc_finding(finding,
					    "row %u has column %u of %u, which lacks the row",
					    row, column, m->nr_columns);
		if (test_bit(column, r->read) && !member)
			return ssdc_finding(finding, "row %u: column %u was read and is no member",
					    row, column);
		members += member;
		read += test_bit(column, r->read);
	}
	if (members != r->nr_members || read != r->nr_read || (matched && read >= members))
		return ssdc_finding(finding,
				    "row %u has %u members and %u read, its counts are %u and %u",
				    row, members, read, r->nr_members, r->nr_read);
	return 0;
}

int ssdc_patterns_check(const struct ssdc_prefetch *p, struct ssdc_error *finding)
{
	const struct ssdc_patterns *x = container_of((struct ssdc_prefetch *)p,
						     struct ssdc_patterns, p);
	u32 row;
	int r = 0;

	if (x->matrix.nr_rows > SSDC_MATRIX_ROWS || x->matrix.nr_columns > SSDC_MATRIX_COLUMNS ||
	    x->pool->nr > SSDC_POOL_PATTERNS)
		return ssdc_finding(finding,
				    "%u rows (at most %u), %u columns (at most %u), %u patterns (at most %u)",
				    x->matrix.nr_rows, SSDC_MATRIX_ROWS, x->matrix.nr_columns,
				    SSDC_MATRIX_COLUMNS, x->pool->nr, SSDC_POOL_PATTERNS);
	if (ssdc_patterns_busy(x) && !p->plugin.wants_step)
		return ssdc_finding(finding, "a mining waits for no step");
	for (row = 0; row < x->matrix.nr_rows && !r; row++)
		r = row_check(&x->matrix, row, !(x->rows & BIT(row)), finding);
	return r;
}
