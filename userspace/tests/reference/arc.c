// SPDX-License-Identifier: GPL-2.0
/*
 * ARC, figure 4 of [Megiddo03], with p in units of 2^-32 pages; which page enters is inferred as
 * dm-ssdcache/replacement/arc.c says.
 */
#include "reference.h"

#define UNIT		4294967296.0L
#define MOST_LOOKS	64

struct arc {
	struct ref ref;
	struct ref_list t1, t2, b1, b2;
	long double p;			/* a whole number of units */
	u64 next;
	u64 end;
	u64 known;			/* p is right for this page */
};

static struct arc *to_arc(struct ref *ref)
{
	return (struct arc *)ref;
}

static void create(struct ref *ref)
{
	to_arc(ref)->known = REF_NO_PAGE;
}

static void destroy(struct ref *ref)
{
	ref_list_free(&to_arc(ref)->t1);
	ref_list_free(&to_arc(ref)->t2);
	ref_list_free(&to_arc(ref)->b1);
	ref_list_free(&to_arc(ref)->b2);
}

static void request(struct ref *ref, const struct ref_request *rq)
{
	to_arc(ref)->next = rq->first;
	to_arc(ref)->end = rq->first + rq->nr;
}

static void used(struct arc *arc, u64 page)
{
	if (arc->next <= page && page < arc->end)
		arc->next = page + 1;
}

static u64 next_page(struct arc *arc)
{
	unsigned int i;

	for (i = 0; i < MOST_LOOKS && arc->next < arc->end; i++) {
		if (!ssdc_page_is_cached(arc->ref.fast->plugin.tier, arc->next))
			return arc->next;
		arc->next++;
	}
	return REF_NO_PAGE;
}

static long double quotient(size_t a, size_t b)
{
	u64 units = ((u64)a * (u64)UNIT + b / 2) / b;

	return a < b ? UNIT : (long double)units;
}

/* Case II, a page of B1, and case III, a page of B2. */
static void change_p(struct arc *arc, u64 page)
{
	long double most = arc->ref.frames * UNIT;

	if (arc->known == page)
		return;
	arc->known = page;
	if (ref_list_has(&arc->b1, page)) {
		arc->p += quotient(arc->b2.nr, arc->b1.nr);
		arc->p = arc->p > most ? most : arc->p;
	} else {
		arc->p -= quotient(arc->b1.nr, arc->b2.nr);
		arc->p = arc->p < 0 ? 0 : arc->p;
	}
}

static bool is_ghost(struct arc *arc, u64 page)
{
	return ref_list_has(&arc->b1, page) || ref_list_has(&arc->b2, page);
}

static void insert(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty)
{
	struct arc *arc = to_arc(ref);

	used(arc, page);
	if (is_ghost(arc, page)) {
		change_p(arc, page);
		if (!ref_list_drop(&arc->b1, page))
			ref_list_remove(&arc->b2, page);
		ref_list_add_head(&arc->t2, page);
	} else {
		ref_list_add_head(&arc->t1, page);
	}
	arc->known = REF_NO_PAGE;
	ref_ghost_trim(&arc->b1, ref->frames > arc->t1.nr ? ref->frames - arc->t1.nr : 0);
}

static void remove_page(struct ref *ref, u64 page)
{
	if (!ref_list_drop(&to_arc(ref)->t1, page))
		ref_list_remove(&to_arc(ref)->t2, page);
}

static void hit(struct ref *ref, u64 page, const struct ref_request *rq, bool write)
{
	used(to_arc(ref), page);
	remove_page(ref, page);
	ref_list_add_head(&to_arc(ref)->t2, page);
}

/* Both lists of ghosts share the room of the tier and the slack. */
static void remember(struct arc *arc, struct ref_list *ghosts, struct ref_list *others, u64 page)
{
	if (page == REF_NO_PAGE)
		return;
	if (!ref_list_drop(&arc->b1, page))
		ref_list_drop(&arc->b2, page);
	if (arc->b1.nr + arc->b2.nr >= arc->ref.frames + 64)
		ref_list_pop_tail(ghosts->nr ? ghosts : others);
	ref_list_add_head(ghosts, page);
}

static u64 replace(struct arc *arc, bool in_b2)
{
	long double t1 = arc->t1.nr * UNIT;
	u64 page;

	if (!arc->t2.nr || (t1 > 0 && (t1 > arc->p || (in_b2 && t1 == arc->p)))) {
		page = ref_list_pop_tail(&arc->t1);
		remember(arc, &arc->b1, &arc->b2, page);
	} else {
		page = ref_list_pop_tail(&arc->t2);
		remember(arc, &arc->b2, &arc->b1, page);
	}
	return page;
}

static u64 case_iv(struct arc *arc)
{
	size_t c = arc->ref.frames;

	if (arc->t1.nr + arc->b1.nr >= c) {
		if (!arc->b1.nr)
			return ref_list_pop_tail(&arc->t1);
		ref_list_pop_tail(&arc->b1);
	} else if (arc->t1.nr + arc->t2.nr + arc->b1.nr + arc->b2.nr >= 2 * c && arc->b2.nr) {
		ref_list_pop_tail(&arc->b2);
	}
	return replace(arc, false);
}

static void victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	struct arc *arc = to_arc(ref);
	u64 enters = next_page(arc), page;

	if (enters != REF_NO_PAGE && is_ghost(arc, enters)) {
		change_p(arc, enters);
		page = replace(arc, ref_list_has(&arc->b2, enters));
	} else {
		page = case_iv(arc);
	}
	if (page != REF_NO_PAGE)
		ref_list_add_tail(batch, page);
}

static void adopt(struct ref *ref, u64 page)
{
	ref_list_add_tail(&to_arc(ref)->t1, page);
}

static u64 pop_hottest(struct ref *ref)
{
	u64 page = ref_hotter(ref, ref_list_head(&to_arc(ref)->t2), ref_list_head(&to_arc(ref)->t1));

	if (page != REF_NO_PAGE)
		remove_page(ref, page);
	return page;
}

const struct ref_type ref_arc = {
	.name = "arc",
	.bytes = sizeof(struct arc),
	.create = create,
	.destroy = destroy,
	.request = request,
	.insert = insert,
	.hit = hit,
	.remove = remove_page,
	.victims = victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};
