// SPDX-License-Identifier: GPL-2.0
/*
 * VS-Batch and VS-Batch+: [Sha23], eq. 2, Fig. 2 to 4 and Alg. 1, with the choices listed in
 * dm-ssdcache/replacement/vs-*.[ch]. The graph is the paper's: a matrix of two bits per pair of
 * pages, each computed from the equation as printed. It is built at once, at the end of the
 * event that makes it due.
 */
#include <stdlib.h>
#include <string.h>
#include "reference.h"

enum { HIT, HOT, ADJACENT, EVICTION, NR_LEVELS };

#define WINDOW 64
#define NOT_VISIBLE 4

/* A page of the graph. */
struct node {
	u64 page;
	u64 count;
	bool gone;
	unsigned char sees[2 * WINDOW];	/* 64 pages before, 64 behind: 0 to 3, NOT_VISIBLE */
};

struct access_count {
	u64 page;
	u64 count;
};

struct vs {
	struct ref ref;
	struct ref_list levels[NR_LEVELS];
	struct access_count *counts;	/* of all pages */
	size_t nr;
	struct node *graph;		/* in order of addresses */
	size_t nr_nodes;
	bool was_full;
	u64 written;
};

static struct vs *to_vs(struct ref *ref)
{
	return (struct vs *)ref;
}

static void destroy(struct ref *ref)
{
	unsigned int level;

	for (level = 0; level < NR_LEVELS; level++)
		ref_list_free(&to_vs(ref)->levels[level]);
	free(to_vs(ref)->counts);
	free(to_vs(ref)->graph);
}

/* ---- the graph ---- */

static size_t count_of(struct vs *vs, u64 page)
{
	size_t i;

	for (i = 0; i < vs->nr; i++)
		if (vs->counts[i].page == page)
			return i;
	ref_differs("vs-batch: a page is missing in the reference");
}

static int by_page(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	return x->page < y->page ? -1 : x->page > y->page;
}

/* Eq. 2: every c between has y_c < y_b + (y_a - y_b) * (x_b - x_c) / (x_b - x_a); touch=on: <=. */
static bool visible(const struct vs *vs, size_t a, size_t b, bool touch)
{
	const struct node *node = vs->graph;
	size_t c;

	for (c = a + 1; c < b; c++) {
		s64 above = (s64)(node[c].count - node[b].count) * (s64)(b - a) -
			    (s64)(node[a].count - node[b].count) * (s64)(b - c);

		if (above > 0 || (!above && !touch))
			return false;
	}
	return true;
}

static void enter_pair(struct vs *vs, size_t a, size_t b, u32 gap, bool touch)
{
	struct node *from = &vs->graph[a], *to = &vs->graph[b];
	bool near = to->page - from->page <= gap;

	if (!visible(vs, a, b, touch))
		return;
	from->sees[WINDOW + (b - a) - 1] = 2 * near + (to->count > from->count);
	to->sees[WINDOW - (b - a)] = 2 * near + (from->count > to->count);
}

static void build(struct vs *vs)
{
	u32 gap = ref_tunable(&vs->ref, "gap"), touch = ref_tunable(&vs->ref, "touch");
	size_t a, b;

	free(vs->graph);
	vs->graph = xcalloc(vs->nr + 1, sizeof(*vs->graph));
	vs->nr_nodes = vs->nr;
	for (a = 0; a < vs->nr; a++) {
		vs->graph[a].page = vs->counts[a].page;
		vs->graph[a].count = vs->counts[a].count;
		memset(vs->graph[a].sees, NOT_VISIBLE, sizeof(vs->graph[a].sees));
		if (ref_tunable(&vs->ref, "decay") && vs->counts[a].count > 1)
			vs->counts[a].count /= 2;
	}
	qsort(vs->graph, vs->nr_nodes, sizeof(*vs->graph), by_page);
	for (a = 0; a < vs->nr_nodes; a++)
		for (b = a + 1; b < vs->nr_nodes && b <= a + WINDOW; b++)
			enter_pair(vs, a, b, gap, touch);
}

static struct node *node_of(struct vs *vs, u64 page)
{
	size_t i;

	for (i = 0; i < vs->nr_nodes; i++)
		if (vs->graph[i].page == page && !vs->graph[i].gone)
			return &vs->graph[i];
	return NULL;
}

/* Page @i of the row of @node, if it is visible and has not left. */
static const struct node *seen(const struct vs *vs, const struct node *node, unsigned int i)
{
	size_t rank = node - vs->graph;
	const struct node *other;

	if (node->sees[i] == NOT_VISIBLE)
		return NULL;
	other = i < WINDOW ? &vs->graph[rank - WINDOW + i] : &vs->graph[rank + i - WINDOW + 1];
	return other->gone ? NULL : other;
}

static unsigned int type_of(struct vs *vs, const struct node *node, unsigned int i)
{
	const struct node *other = seen(vs, node, i);
	u64 distance = other->page > node->page ? other->page - node->page :
						  node->page - other->page;

	/* The gap may have changed since the build. */
	return (node->sees[i] & 1) | (distance <= ref_tunable(&vs->ref, "gap") ? 2 : 0);
}

/* ---- the lists ---- */

static unsigned int level_of(struct vs *vs, u64 page)
{
	unsigned int level;

	for (level = 0; level < NR_LEVELS; level++)
		if (ref_list_has(&vs->levels[level], page))
			return level;
	ref_differs("vs-batch: a page is on no list of the reference");
}

static void move_to_list(struct vs *vs, u64 page, unsigned int level)
{
	ref_list_remove(&vs->levels[level_of(vs, page)], page);
	ref_list_add_head(&vs->levels[level], page);
}

static size_t members(const struct vs *vs)
{
	size_t nr = 0, i;

	for (i = 0; i < vs->nr_nodes; i++)
		nr += !vs->graph[i].gone;
	return nr;
}

static void enter(struct vs *vs, u64 page)
{
	vs->counts = realloc(vs->counts, (vs->nr + 1) * sizeof(*vs->counts));
	vs->counts[vs->nr++] = (struct access_count){ page, 1 };
	if (vs->nr + ref_prefetched(&vs->ref) < vs->ref.frames || (vs->was_full && vs->nr_nodes))
		return;
	vs->was_full = true;
	build(vs);
}

static void leave(struct vs *vs, u64 page)
{
	struct node *node = node_of(vs, page);
	size_t at = count_of(vs, page);

	ref_list_remove(&vs->levels[level_of(vs, page)], page);
	vs->counts[at] = vs->counts[--vs->nr];
	if (node)
		node->gone = true;
}

/* A discard or the like: an empty policy is in its initial state. */
static void drop(struct vs *vs, u64 page)
{
	leave(vs, page);
	if (!vs->nr)
		vs->was_full = false;
}

/* Fig. 4 (b). */
static void demote(struct vs *vs)
{
	while (vs->nr && !vs->levels[EVICTION].nr) {
		struct ref_list empty = vs->levels[EVICTION];

		vs->levels[EVICTION] = vs->levels[ADJACENT];
		vs->levels[ADJACENT] = vs->levels[HOT];
		vs->levels[HOT] = vs->levels[HIT];
		vs->levels[HIT] = empty;
	}
}

/* ---- events ---- */

static void insert(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty)
{
	struct vs *vs = to_vs(ref);

	ref_list_add_head(&vs->levels[vs->was_full || ref_tunable(&vs->ref, "first") ? HIT : EVICTION],
			  page);
	enter(vs, page);
}

/* Alg. 1, line 10, and the other two values of the tunable. */
static bool may_move(struct vs *vs, unsigned int from, unsigned int to)
{
	switch (ref_tunable(&vs->ref, "move")) {
	case 0:
		return to <= from;
	case 1:
		return from <= to && to < NR_LEVELS;
	default:
		return to < NR_LEVELS;
	}
}

/* Alg. 1, vs_batch_move(). */
static void hit(struct ref *ref, u64 page, const struct ref_request *rq, bool write)
{
	struct vs *vs = to_vs(ref);
	struct access_count *count = &vs->counts[count_of(vs, page)];
	const struct node *node = node_of(vs, page);
	unsigned int i;

	if (count->count < 255)
		count->count++;
	move_to_list(vs, page, HIT);
	for (i = 0; node && i < 2 * WINDOW; i++) {
		static const unsigned int levels[] = { NR_LEVELS, HOT, ADJACENT, HOT };
		const struct node *other = seen(vs, node, i);

		if (other && may_move(vs, level_of(vs, other->page), levels[type_of(vs, node, i)]))
			move_to_list(vs, other->page, levels[type_of(vs, node, i)]);
	}
}

static void remove_page(struct ref *ref, u64 page)
{
	drop(to_vs(ref), page);
}

static void adopt(struct ref *ref, u64 page)
{
	ref_list_add_tail(&to_vs(ref)->levels[EVICTION], page);
	enter(to_vs(ref), page);
}

static u64 pop_hottest(struct ref *ref)
{
	struct vs *vs = to_vs(ref);
	u64 page = REF_NO_PAGE;
	unsigned int level;

	for (level = 0; level < NR_LEVELS; level++)
		if (vs->levels[level].nr)
			page = ref_hotter(ref, ref_list_head(&vs->levels[level]), page);
	if (page != REF_NO_PAGE)
		leave(vs, page);
	return page;
}

/* The tail of the Eviction list, or REF_NO_PAGE. */
static u64 tail(struct vs *vs)
{
	struct ref_list *list = &vs->levels[EVICTION];

	demote(vs);
	return list->nr ? list->pages[list->nr - 1] : REF_NO_PAGE;
}

static void evict(struct vs *vs, u64 page, struct ref_list *batch)
{
	leave(vs, page);
	ref_list_add_tail(batch, page);
}

/* The first victim means that the cache is full. Returns whether the graph is due. */
static bool is_full(struct vs *vs)
{
	bool first = !vs->was_full;

	vs->was_full = true;
	return first;
}

/* ---- VS-Batch ---- */

static void vb_request(struct ref *ref, const struct ref_request *rq)
{
	struct vs *vs = to_vs(ref);
	u64 cache = (u64)ref->frames * ref->page_sectors;

	if (!vs->was_full)
		vs->written = 0;
	else if (rq->write)
		vs->written += rq->sectors;
	if (vs->written < cache * ref_tunable(ref, "rebuild") / 100)
		return;
	vs->written = 0;
	build(vs);
}

static void vb_victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	struct vs *vs = to_vs(ref);
	bool first = is_full(vs);
	u64 page = tail(vs);

	while (page != REF_NO_PAGE) {
		evict(vs, page, batch);
		if (!vs->levels[EVICTION].nr || ref_tunable(ref, "evict") ||
		    batch->nr >= view->idle_channels)
			break;
		page = vs->levels[EVICTION].pages[vs->levels[EVICTION].nr - 1];
	}
	demote(vs);
	if (first)
		build(vs);
}

const struct ref_type ref_vs_batch = {
	.name = "vs-batch",
	.bytes = sizeof(struct vs),
	.destroy = destroy,
	.request = vb_request,
	.insert = insert,
	.hit = hit,
	.remove = remove_page,
	.victims = vb_victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};

/* ---- VS-Batch+ ---- */

/* Have more pages left than the graph tolerates? */
static bool is_aged(struct vs *vs)
{
	size_t gone = vs->nr_nodes - members(vs);

	return vs->nr_nodes &&
		(long double)gone / vs->nr_nodes > ref_tunable(&vs->ref, "rebuild") / 1000.0L;
}

static void vbp_remove(struct ref *ref, u64 page)
{
	drop(to_vs(ref), page);
	if (is_aged(to_vs(ref)))
		build(to_vs(ref));
}

/* Limit on the size of a batch. */
static u64 limit(struct ref *ref, const struct ssdc_view *view)
{
	if (ref_tunable(ref, "literal"))
		return view->idle_channels + 2;
	return view->idle_channels > 1 ? view->idle_channels : 1;
}

/* Alg. 1, vs_batch_evict(). */
static void vbp_victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	struct vs *vs = to_vs(ref);
	bool first = is_full(vs);
	u64 page = tail(vs);
	const struct node *node = node_of(vs, page);
	unsigned int i;

	if (page == REF_NO_PAGE)
		return;
	evict(vs, page, batch);
	for (i = 0; node && i < 2 * WINDOW && batch->nr < limit(ref, view); i++) {
		const struct node *other = seen(vs, node, i);

		if (!other || level_of(vs, other->page) != EVICTION)
			continue;
		if (type_of(vs, node, i) == 2 ||
		    (type_of(vs, node, i) == 0 && ref_tunable(ref, "lower")))
			evict(vs, other->page, batch);
	}
	demote(vs);
	if (first || is_aged(vs))
		build(vs);
}

const struct ref_type ref_vs_batch_plus = {
	.name = "vs-batch-plus",
	.bytes = sizeof(struct vs),
	.destroy = destroy,
	.insert = insert,
	.hit = hit,
	.remove = vbp_remove,
	.victims = vbp_victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};
