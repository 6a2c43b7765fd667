// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include "prefetch-model.h"

#define WINDOW_PAGES	4096	/* different pages counted in a window */
#define POOL		128
#define ROWS		32
#define COLUMNS		128
#define READ_PAGES	8	/* pages of a read that are mined */

static u32 get(const struct model *m, const char *name)
{
	return m->tunable(name);
}

static void want(struct model *m, u64 page)
{
	if (m->nr_wants == MODEL_MAX_WANTS)
		die(TOOL_FAILED, "too many wants for this test");
	m->wants[m->nr_wants++] = page;
}

/* ---- pattern and pattern-plus ---- */

struct pattern {
	u32 nr, accesses;
	u64 pages[2 * SSDC_FP_ELEMENTS];
	bool read[SSDC_FP_ELEMENTS];
	bool fired;
};

struct count {
	u64 page;
	u32 reads, writes;
};

struct patterns {
	bool plus;
	struct ssdc_fp_growth fp;
	u32 requests, reads, writes, prefetches, used;
	bool collecting, mine, model, open;
	bool wait, load;		/* patterns found wait for the next window */
	struct pattern *found;		/* in the order in which they were found */
	u32 nr_found;
	struct pattern rows[ROWS];
	u32 nr_rows;
	struct count counts[2][WINDOW_PAGES];
	u32 nr_counts[2];
	unsigned int now;
	u32 target;
	s64 cur, prev;
};

static u32 cap(const struct model *m)
{
	return (u64)m->frames * get(m, "cap") / 100;
}

static void algorithm_1(struct model *m)
{
	struct patterns *x = m->state;

	m->pages_max = x->open && x->cur >= x->prev ? cap(m) : 0;
}

static void set_target(struct model *m, u32 target)
{
	struct patterns *x = m->state;

	x->prev = x->target;
	x->cur = target;
	x->target = target;
	m->pages_max = target;
	if (get(m, "literal"))
		algorithm_1(m);
}

static void patterns_init(struct model *m, bool plus)
{
	struct patterns *x = xcalloc(1, sizeof(*x));

	m->state = x;
	x->plus = plus;
	x->open = true;
	if (ssdc_fp_create(&x->fp))
		die(TOOL_FAILED, "no memory");
	if (plus)
		set_target(m, cap(m) / 2);
	else
		m->pages_max = cap(m) / 2;
}

static void pattern_init(struct model *m)
{
	patterns_init(m, false);
}

static void plus_init(struct model *m)
{
	patterns_init(m, true);
}

static void patterns_destroy(struct model *m)
{
	struct patterns *x = m->state;

	ssdc_fp_destroy(&x->fp);
	free(x->found);
	free(x);
}

static bool has(const struct pattern *pattern, u64 page)
{
	u32 i;

	for (i = 0; i < pattern->nr; i++)
		if (pattern->pages[i] == page)
			return true;
	return false;
}

static u32 shared(const struct pattern *a, const struct pattern *b)
{
	u32 i, nr = 0;

	for (i = 0; i < b->nr; i++)
		nr += has(a, b->pages[i]);
	return nr;
}

static void found(void *context, const struct ssdc_fp_set *set)
{
	struct patterns *x = context;
	struct pattern *pattern;

	x->found = xrealloc(x->found, x->nr_found + 1, sizeof(*x->found));
	pattern = &x->found[x->nr_found++];
	memset(pattern, 0, sizeof(*pattern));
	pattern->nr = set->nr;
	pattern->accesses = set->nr * set->support;
	memcpy(pattern->pages, set->addresses, set->nr * sizeof(u64));
}

/* Insertion sort: stable. */
static void sort_found(struct patterns *x)
{
	u32 i, at;

	for (i = 1; i < x->nr_found; i++) {
		struct pattern pattern = x->found[i];

		for (at = i; at && x->found[at - 1].accesses < pattern.accesses; at--)
			x->found[at] = x->found[at - 1];
		x->found[at] = pattern;
	}
	x->nr_found = min(x->nr_found, (u32)POOL);
}

/* Largest overlap first; a pattern united with another ceases to exist. */
static bool unite_one(struct patterns *x, u32 i, u32 limit)
{
	struct pattern *a = &x->found[i], *best = NULL;
	u32 j, most = 0;

	for (j = i + 1; j < x->nr_found; j++) {
		struct pattern *b = &x->found[j];
		u32 both = shared(a, b);
		bool half = 2 * both > a->nr || 2 * both > b->nr;

		if (a->nr && b->nr && half && a->nr + b->nr - both <= limit && both > most) {
			best = b;
			most = both;
		}
	}
	if (!best)
		return false;
	for (j = 0; j < best->nr; j++)
		if (!has(a, best->pages[j]))
			a->pages[a->nr++] = best->pages[j];
	best->nr = 0;
	return true;
}

static u32 new_columns(const struct patterns *x, const struct pattern *pattern)
{
	u32 i, row, nr = 0;

	for (i = 0; i < pattern->nr; i++) {
		for (row = 0; row < x->nr_rows && !has(&x->rows[row], pattern->pages[i]); row++)
			;
		nr += row == x->nr_rows;
	}
	return nr;
}

static void find(struct model *m)
{
	struct patterns *x = m->state;
	const struct ssdc_fp_params params = {
		.min_support = get(m, "min_support"),
		.max_elements = get(m, "max_elements"),
		.brief = true, .found = found, .context = x,
	};
	u64 look = 256;
	u32 i;

	x->nr_found = 0;
	ssdc_fp_start(&x->fp, &params);
	/* The limit on mining is checked after each 256 units, in however many steps. */
	while (ssdc_fp_step(&x->fp, look - x->fp.work)) {
		if (x->fp.work < look)
			continue;
		if (x->fp.work >= 1000ULL * get(m, "max_work"))
			break;
		look = x->fp.work + 256;
	}
	sort_found(x);
	for (i = 0; i < x->nr_found; i++)
		while (unite_one(x, i, params.max_elements))
			;
}

static void load(struct patterns *x)
{
	u32 i, columns = 0;

	x->nr_rows = 0;
	for (i = 0; i < x->nr_found; i++) {
		u32 new = new_columns(x, &x->found[i]);

		if (!x->found[i].nr || x->nr_rows == ROWS || columns + new > COLUMNS)
			continue;
		columns += new;
		x->rows[x->nr_rows++] = x->found[i];
	}
}

static void match(struct model *m, u64 first, u64 last)
{
	struct patterns *x = m->state;
	u32 row, i;

	for (row = 0; row < x->nr_rows; row++) {
		struct pattern *p = &x->rows[row];
		bool touched = false;
		u32 read = 0, need;

		for (i = 0; i < p->nr; i++) {
			if (p->pages[i] >= first && p->pages[i] <= last) {
				touched = true;
				p->read[i] = true;
			}
			read += p->read[i];
		}
		need = get(m, "threshold") * p->nr;
		if (touched && x->open && !p->fired && (get(m, "hits") || !m->served) &&
		    (get(m, "strict") ? 100 * read > need : 100 * read >= need)) {
			p->fired = true;
			for (i = 0; i < p->nr; i++)
				if (!p->read[i])
					want(m, p->pages[i]);
		}
		if (read == p->nr) {
			p->fired = false;
			memset(p->read, 0, sizeof(p->read));
		}
	}
}

static void count_access(struct patterns *x, bool write, u64 page)
{
	struct count *counts = x->counts[x->now];
	u32 *nr = &x->nr_counts[x->now], i;

	for (i = 0; i < *nr && counts[i].page != page; i++)
		;
	if (i == WINDOW_PAGES)
		return;
	if (i == *nr)
		counts[(*nr)++] = (struct count) { .page = page };
	counts[i].reads += !write;
	counts[i].writes += write;
}

static void end_window(struct model *m)
{
	struct patterns *x = m->state;
	u64 all = x->prefetches ? x->prefetches : 1;
	u64 missed = x->prefetches > x->used ? x->prefetches - x->used : 1;

	if (!x->plus) {
		m->pages_max = (u64)cap(m) * x->reads / x->requests;
	} else {
		/* tau < tau_max */
		x->open = x->reads && x->writes * missed * 100 < get(m, "tau_max") * x->reads * all;
		x->model = x->open;
		if (!x->open)
			set_target(m, 0);
		x->now ^= 1;
		x->nr_counts[x->now] = 0;
	}
	x->requests = 0;
	x->reads = 0;
	x->writes = 0;
	x->prefetches = 0;
	x->used = 0;
}

static void patterns_request(struct model *m, bool write, u64 first, u64 last)
{
	struct patterns *x = m->state;
	u64 page;

	for (page = first; x->plus && page <= last; page++)
		count_access(x, write, page);
	if (!x->requests++) {
		/* Requests of the same moment follow each other without steps in between. */
		x->mine = false;
		x->load = x->wait;
		x->wait = false;
		ssdc_fp_clear(&x->fp);
		x->collecting = true;
	}
	x->reads += !write;
	x->writes += write;
	for (page = first; !write && x->collecting && page <= last && page < first + READ_PAGES; page++)
		ssdc_fp_add(&x->fp, (x->reads - 1) / get(m, "transaction"), page);
	if (!write)
		match(m, first, last);
	if (x->collecting && x->requests >= min(get(m, "mined"), get(m, "window"))) {
		x->collecting = false;
		x->mine = true;
		x->load = false;
	}
	if (x->requests >= get(m, "window"))
		end_window(m);
}

/* m of the equation; "half" is written as 0.5. */
static double least_writes(struct model *m, bool (*is_dirty)(u64 page), u32 dirty)
{
	struct patterns *x = m->state;
	u32 nr = x->nr_counts[!x->now], i, seen = 0, least = 0;

	for (i = 0; i < nr; i++) {
		const struct count *c = &x->counts[!x->now][i];

		if (!c->writes || !is_dirty(c->page))
			continue;
		if (!seen++ || c->writes < least)
			least = c->writes;
	}
	if (!dirty)
		return 0;
	return seen == dirty ? least : get(m, "unwritten") ? 0.5 : 0;
}

static void patterns_steps_done(struct model *m, bool (*is_dirty)(u64 page), u32 dirty)
{
	struct patterns *x = m->state;
	u32 i, pages = 0;
	double bound;

	if (x->model) {
		bound = (double)get(m, "beta_us") / get(m, "alpha_us") *
			least_writes(m, is_dirty, dirty);
		for (i = 0; i < x->nr_counts[!x->now]; i++) {
			u32 reads = x->counts[!x->now][i].reads;

			pages += reads && reads >= bound;
		}
		set_target(m, min(pages, cap(m)));
	}
	if (x->mine)
		find(m);
	x->wait |= x->mine && get(m, "mine");
	if (x->load || (x->mine && !x->wait))
		load(x);
	x->model = false;
	x->mine = false;
	x->load = false;
}

static void patterns_loaded(struct model *m)
{
	struct patterns *x = m->state;

	x->prefetches++;
	if (x->plus && get(m, "literal") && x->cur >= x->prev) {
		x->cur++;
		algorithm_1(m);
	}
}

static void patterns_used(struct model *m)
{
	((struct patterns *)m->state)->used++;
}

static void patterns_gave_way(struct model *m)
{
	struct patterns *x = m->state;

	if (x->plus && get(m, "literal") && x->cur < x->prev) {
		x->cur--;
		algorithm_1(m);
	}
}

/* ---- c-miner ---- */

#define MINER_ACCESSES 2048

struct access {
	u64 page;
	u32 read;
};

struct miner {
	u32 requests, reads;
	struct access record[2][MINER_ACCESSES];
	u32 nr[2];
	unsigned int now;
	bool mine;
	struct access rules[MINER_ACCESSES];	/* the record that the rules were mined from */
	u32 nr_rules;
};

static void miner_init(struct model *m)
{
	m->state = xcalloc(1, sizeof(struct miner));
	m->pages_max = (u64)m->frames * get(m, "share") / 100;
}

static void miner_destroy(struct model *m)
{
	free(m->state);
}

/* Number of segments that contain @a; with @b, in which @b follows @a within the gap. */
static u32 support(struct model *m, u64 a, const u64 *b)
{
	struct miner *x = m->state;
	u32 segment = get(m, "segment"), gap = get(m, "gap"), nr = 0, i, j;
	u32 last = U32_MAX;

	for (i = 0; i < x->nr_rules; i++) {
		const struct access *first = &x->rules[i];
		bool counts = !b;

		if (first->page != a || first->read / segment == last)
			continue;
		for (j = i + 1; b && j < x->nr_rules; j++) {
			const struct access *then = &x->rules[j];

			counts |= then->page == *b && then->read > first->read &&
				  then->read <= first->read + gap &&
				  then->read / segment == first->read / segment;
		}
		if (counts) {
			last = first->read / segment;
			nr++;
		}
	}
	return nr;
}

/* The pages that follow @a by a rule, best first; among equals, those that came first. */
static u32 successors(struct model *m, u64 a, u64 best[4])
{
	struct miner *x = m->state;
	u32 supports[4] = {}, nr = 0, i, j, at;

	for (i = 0; i < x->nr_rules; i++) {
		u64 b = x->rules[i].page;
		u32 s;

		for (j = 0; j < i && x->rules[j].page != b; j++)
			;
		if (j < i || b == a)
			continue;
		s = support(m, a, &b);
		if (s < get(m, "min_support") ||
		    100 * s < get(m, "confidence") * support(m, a, NULL))
			continue;
		for (at = nr; at && supports[at - 1] < s; at--)
			if (at < 4) {
				best[at] = best[at - 1];
				supports[at] = supports[at - 1];
			}
		if (at < 4) {
			best[at] = b;
			supports[at] = s;
			nr = min(nr + 1, 4u);
		}
	}
	return nr;
}

static void miner_request(struct model *m, bool write, u64 first, u64 last)
{
	struct miner *x = m->state;
	u64 page, best[4];
	u32 nr, i;

	for (page = first; !write && page <= last && page < first + READ_PAGES; page++) {
		if (x->nr[x->now] < MINER_ACCESSES)
			x->record[x->now][x->nr[x->now]++] = (struct access) { page, x->reads };
		nr = successors(m, page, best);
		for (i = 0; i < nr; i++)
			if (best[i] < first || best[i] > last)
				want(m, best[i]);
	}
	x->reads += !write;
	if (++x->requests < get(m, "window"))
		return;
	x->mine = true;
	x->now ^= 1;
	x->nr[x->now] = 0;
	x->requests = 0;
	x->reads = 0;
}

static void miner_steps_done(struct model *m, bool (*is_dirty)(u64 page), u32 dirty)
{
	struct miner *x = m->state;

	(void)is_dirty;
	(void)dirty;
	if (!x->mine)
		return;
	x->mine = false;
	x->nr_rules = x->nr[!x->now];
	memcpy(x->rules, x->record[!x->now], x->nr_rules * sizeof(x->rules[0]));
}

/* ---- rop ---- */

#define ROP_REGION	4096
#define ROP_REGIONS	64
#define ROP_NEXT	8

struct chain {
	u64 region;
	int distance;
	int next[ROP_NEXT];
	u32 counts[ROP_NEXT];
};

struct rop_model {
	struct { bool known, moved; int last, distance; } regions[ROP_REGIONS];
	struct chain *chains;
	u32 nr_chains;
};

static void rop_init(struct model *m)
{
	m->state = xcalloc(1, sizeof(struct rop_model));
	m->pages_max = (u64)m->frames * get(m, "share") / 100;
}

static void rop_destroy(struct model *m)
{
	free(((struct rop_model *)m->state)->chains);
	free(m->state);
}

static struct chain *chain_of(struct rop_model *x, u64 region, int distance)
{
	u32 i;

	for (i = 0; i < x->nr_chains; i++)
		if (x->chains[i].region == region && x->chains[i].distance == distance)
			return &x->chains[i];
	return NULL;
}

static void learn(struct rop_model *x, u64 region, int distance, int next)
{
	struct chain *c = chain_of(x, region, distance);
	u32 i, least = 0;

	if (!c) {
		x->chains = xrealloc(x->chains, x->nr_chains + 1, sizeof(*c));
		c = &x->chains[x->nr_chains++];
		memset(c, 0, sizeof(*c));
		c->region = region;
		c->distance = distance;
	}
	for (i = 0; i < ROP_NEXT; i++) {
		if (c->counts[i] && c->next[i] == next)
			break;
		if (c->counts[i] < c->counts[least])
			least = i;
	}
	if (i == ROP_NEXT) {
		i = least;
		c->counts[i] = 0;
		c->next[i] = next;
	}
	if (c->counts[i] == 255)
		for (least = 0; least < ROP_NEXT; least++)
			c->counts[least] /= 2;
	c->counts[i]++;
}

static void predict(struct model *m, u64 region)
{
	struct rop_model *x = m->state;
	int at = x->regions[region].last, distance = x->regions[region].distance;
	u64 chance = 65536;
	u32 step, i, best, total;

	for (step = 0; step < get(m, "depth"); step++) {
		const struct chain *c = chain_of(x, region, distance);

		for (best = 0, total = 0, i = 0; c && i < ROP_NEXT; i++) {
			total += c->counts[i];
			if (c->counts[i] > c->counts[best])
				best = i;
		}
		if (total < 2)
			return;
		chance = chance * c->counts[best] / total;
		if (100 * chance <= 65536 * get(m, "threshold"))
			return;
		distance = c->next[best];
		at += distance;
		if (at < 0 || at >= ROP_REGION)
			return;
		want(m, region * ROP_REGION + at);
	}
}

static void rop_request(struct model *m, bool write, u64 first, u64 last)
{
	struct rop_model *x = m->state;
	u64 page = last - first >= 32 ? last - 31 : first, region = 0;

	if (write)
		return;
	for (; page <= last; page++) {
		int at = page % ROP_REGION, distance;

		region = page / ROP_REGION;
		distance = at - x->regions[region].last;
		if (x->regions[region].known) {
			if (!distance)
				continue;
			if (x->regions[region].moved)
				learn(x, region, x->regions[region].distance, distance);
			x->regions[region].distance = distance;
			x->regions[region].moved = true;
		}
		x->regions[region].known = true;
		x->regions[region].last = at;
	}
	if (x->regions[region].moved)
		predict(m, region);
}

const struct model_type model_types[] = {
	{ "pattern", pattern_init, patterns_destroy, patterns_request, patterns_steps_done,
	  patterns_loaded, patterns_used, patterns_gave_way },
	{ "pattern-plus", plus_init, patterns_destroy, patterns_request, patterns_steps_done,
	  patterns_loaded, patterns_used, patterns_gave_way },
	{ "c-miner", miner_init, miner_destroy, miner_request, miner_steps_done, NULL, NULL, NULL },
	{ "rop", rop_init, rop_destroy, rop_request, NULL, NULL, NULL, NULL },
};

const unsigned int model_nr_types = sizeof(model_types) / sizeof(model_types[0]);
