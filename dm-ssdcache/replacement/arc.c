// SPDX-License-Identifier: GPL-2.0
/*
 * ARC: one LRU list for pages used once and one for pages used again; their sizes follow the hits
 * of pages that have left.
 *
 * Source	Megiddo & Modha, FAST 2003 [Megiddo03], figure 4
 * Cost		O(1) per access; SSDC_GHOST_BYTES per page
 *
 *	not remembered -> [ T1: used once  ] -> victim -> B1: numbers of pages that left T1
 *			      | hit
 *			      v
 *	in B1 or B2 ---> [ T2: used again ] -> victim -> B2: numbers of pages that left T2
 *			      ^ hit
 *
 *	p: the size that T1 should have. A page of B1 enters: larger; a page of B2: smaller.
 *
 * p is kept in units of 2^-32 pages.
 *
 * The paper's REPLACE knows the page that enters. Here victims leave before the policy is told
 * which page enters. So the policy infers the page: the first page of the request, after the last
 * hit or insert, that is not cached. If another page enters after all, because an admission scheme
 * chose so, or because requests overlap, p changes when that page enters, not before.
 */
#include "ghost-share.h"

enum { T1, T2, NR_LISTS };	/* their ghosts: the same numbers */

#define ONE	((u64)1 << 32)

struct arc {
	struct ssdc_replacement r;
	struct ssdc_list lists[NR_LISTS];
	struct ssdc_ghosts ghosts;
	u64 p;			/* in units of 1 / ONE pages */
	u64 next;		/* pages of the current request that are still to come */
	u64 end;
	u64 adapted;		/* p has changed for this page, which has not entered yet */
	/* statistics */
	u32 target;
	u64 ghost_hits[NR_LISTS];
};

static struct arc *to_arc(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct arc, r);
}

static int arc_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	struct arc *arc = to_arc(r);

	ssdc_list_init(&arc->lists[T1]);
	ssdc_list_init(&arc->lists[T2]);
	arc->adapted = SSDC_NO_PAGE;
	return create_ghosts(r, &arc->ghosts, 100, error);
}

static void arc_destroy(struct ssdc_replacement *r)
{
	ssdc_ghosts_destroy(&to_arc(r)->ghosts);
}

static void arc_request(struct ssdc_replacement *r, const struct ssdc_host_request *rq)
{
	to_arc(r)->next = rq->sector >> r->plugin.tier->page_shift;
	to_arc(r)->end = to_arc(r)->next + ssdc_request_pages(r->plugin.tier, rq);
}

/* The engine has decided about the page in @frame. */
static void pass(struct arc *arc, ssdc_frame_t frame)
{
	u64 page = page_in(&arc->r, frame);

	if (page >= arc->next && page < arc->end)
		arc->next = page + 1;
}

/*
 * Most pages that are looked at per victim. Only overlapping requests leave more pages behind,
 * which are looked at with later victims.
 */
#define MAX_LOOKS	64

/* The page that probably enters next; SSDC_NO_PAGE if no such page is known. */
static u64 next_page(struct arc *arc)
{
	u32 i;

	for (i = 0; i < MAX_LOOKS && arc->next < arc->end; i++, arc->next++)
		if (!ssdc_page_is_cached(arc->r.plugin.tier, arc->next))
			return arc->next;
	return SSDC_NO_PAGE;
}

/* @a / @b, but at least 1, in units of 1 / ONE. */
static u64 ratio(u32 a, u32 b)
{
	return max(div_u64(a * ONE + b / 2, b), ONE);
}

/* Cases II and III: a page with a ghost on list @list enters. */
static void adapt(struct arc *arc, u8 list, u64 page)
{
	u32 b1 = arc->ghosts.lists[T1].count, b2 = arc->ghosts.lists[T2].count;

	if (arc->adapted == page)
		return;
	arc->adapted = page;
	if (list == T1)
		arc->p = min(arc->p + ratio(b2, b1), arc->r.capacity * ONE);
	else
		arc->p -= min(arc->p, ratio(b1, b2));
	arc->target = arc->p / ONE;
	arc->ghost_hits[list]++;
}

static void link_head(struct arc *arc, ssdc_frame_t frame, u8 list)
{
	ssdc_replacement_entry(&arc->r, frame)->list = list;
	ssdc_list_add_head(arc->r.entries, &arc->lists[list], frame);
}

static void arc_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
		       const struct ssdc_host_request *rq, bool dirty)
{
	struct arc *arc = to_arc(r);
	u32 ghost = ssdc_ghost_find(&arc->ghosts, page_in(r, frame));
	u8 list = T1;

	pass(arc, frame);
	if (ghost != SSDC_NO_GHOST) {
		adapt(arc, arc->ghosts.all[ghost].list, page_in(r, frame));
		ssdc_ghost_drop(&arc->ghosts, ghost);
		list = T2;
	}
	arc->adapted = SSDC_NO_PAGE;
	link_head(arc, frame, list);
	/*
	 * After discards, T1 grows without victims. Together, T1 and B1 must have at most c pages.
	 */
	ssdc_ghost_trim(&arc->ghosts, T1,
			r->capacity - min(r->capacity, arc->lists[T1].count));
}

static void arc_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_list_del(r->entries, &to_arc(r)->lists[ssdc_replacement_entry(r, frame)->list], frame);
}

/* Case I. */
static void arc_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		    const struct ssdc_host_request *rq, bool write)
{
	pass(to_arc(r), frame);
	arc_remove(r, frame);
	link_head(to_arc(r), frame, T2);
}

/* REPLACE: the list whose last page leaves. @in_b2: the page that enters was in B2. */
static u8 choose(const struct arc *arc, bool in_b2)
{
	u64 t1 = arc->lists[T1].count * ONE;

	if (ssdc_list_empty(&arc->lists[T2]))
		return T1;
	return t1 && (t1 > arc->p || (in_b2 && t1 == arc->p)) ? T1 : T2;
}

static void forget_oldest(struct arc *arc, u8 list)
{
	if (arc->ghosts.lists[list].count)
		ssdc_ghost_drop(&arc->ghosts, arc->ghosts.lists[list].oldest);
}

/* Case IV: the page that enters is not remembered. Returns whether the victim will be. */
static bool make_history(struct arc *arc)
{
	u32 l1 = arc->lists[T1].count + arc->ghosts.lists[T1].count;
	u32 l2 = arc->lists[T2].count + arc->ghosts.lists[T2].count;

	if (l1 >= arc->r.capacity) {
		if (!arc->ghosts.lists[T1].count)
			return false;
		forget_oldest(arc, T1);
	} else if (l1 + l2 >= 2 * arc->r.capacity) {
		forget_oldest(arc, T2);
	}
	return true;
}

static void arc_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			struct ssdc_batch *batch, unsigned int max)
{
	struct arc *arc = to_arc(r);
	u64 page = next_page(arc);
	u32 ghost = page == SSDC_NO_PAGE ? SSDC_NO_GHOST : ssdc_ghost_find(&arc->ghosts, page);
	bool remember = true;
	ssdc_frame_t frame;
	u8 list;

	if (ghost != SSDC_NO_GHOST) {
		adapt(arc, arc->ghosts.all[ghost].list, page);
		list = choose(arc, arc->ghosts.all[ghost].list == T2);
	} else {
		remember = make_history(arc);
		list = remember ? choose(arc, false) : T1;
	}
	frame = ssdc_list_pop_tail(r->entries, &arc->lists[list]);
	if (frame == SSDC_NO_FRAME)
		return;
	if (remember)
		ssdc_ghost_add(&arc->ghosts, list, page_in(r, frame), 0);
	ssdc_batch_add(batch, frame);
}

static void arc_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_replacement_entry(r, frame)->list = T1;
	ssdc_list_add_tail(r->entries, &to_arc(r)->lists[T1], frame);
}

static ssdc_frame_t arc_pop_hottest(struct ssdc_replacement *r)
{
	struct arc *arc = to_arc(r);
	ssdc_frame_t frame = ssdc_replacement_hotter(r, arc->lists[T2].head, arc->lists[T1].head);

	if (frame != SSDC_NO_FRAME)
		arc_remove(r, frame);
	return frame;
}

static int arc_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	static const char *const names[NR_LISTS] = { "T1", "T2" };
	const struct arc *arc = to_arc(r);
	int result = ssdc_lists_check(r, arc->lists, names, NR_LISTS, finding);

	if (result)
		return result;
	if (arc->p > r->capacity * ONE)
		return ssdc_finding(finding, "T1 should have %llu pages, the tier has %u",
				    (unsigned long long)(arc->p / ONE), r->capacity);
	return ssdc_ghosts_check(&arc->ghosts, finding);
}

static const struct ssdc_stat arc_stats[] = {
	SSDC_STAT(struct arc, lists[T1].count, "t1_list", "pages", SSDC_GAUGE,
		  "pages on T1, used once"),
	SSDC_STAT(struct arc, lists[T2].count, "t2_list", "pages", SSDC_GAUGE,
		  "pages on T2, used again"),
	SSDC_STAT(struct arc, ghosts.lists[T1].count, "b1_ghosts", "pages", SSDC_GAUGE,
		  "pages that left T1 and are remembered"),
	SSDC_STAT(struct arc, ghosts.lists[T2].count, "b2_ghosts", "pages", SSDC_GAUGE,
		  "pages that left T2 and are remembered"),
	SSDC_STAT(struct arc, target, "t1_target", "pages", SSDC_GAUGE,
		  "p: pages that T1 should have"),
	SSDC_STAT(struct arc, ghost_hits[T1], "b1_hits", "pages", SSDC_COUNTER,
		  "pages of B1 that entered again: T1 was too small"),
	SSDC_STAT(struct arc, ghost_hits[T2], "b2_hits", "pages", SSDC_COUNTER,
		  "pages of B2 that entered again: T2 was too small"),
};

struct ssdc_replacement_type ssdc_arc = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "arc",
			.source = "Megiddo & Modha, FAST 2003 [Megiddo03]",
			.status = "as published; the page that enters is inferred",
			.doc = "LRU of pages used once and used again; their shares adapt",
			.stats = arc_stats,
			.nr_stats = ARRAY_SIZE(arc_stats),
			.instance_bytes = sizeof(struct arc),
			.page_bytes = SSDC_GHOST_BYTES,
			.on_request = true,
		},
	},
	.create = arc_create,
	.destroy = arc_destroy,
	.request = arc_request,
	.insert = arc_insert,
	.hit = arc_hit,
	.remove = arc_remove,
	.long_victims = true,
	.no_view = true,
	.victims = arc_victims,
	.adopt = arc_adopt,
	.pop_hottest = arc_pop_hottest,
	.check = arc_check,
};
