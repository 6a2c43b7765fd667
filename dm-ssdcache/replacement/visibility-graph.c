// SPDX-License-Identifier: GPL-2.0
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include "../base/alloc.h"
#include "visibility-graph.h"

static bool alloc_copy(struct vg_copy *copy, u32 nr)
{
	u32 i;

	copy->frames = ssdc_alloc_array(nr, sizeof(*copy->frames));
	copy->counts = ssdc_alloc_array(nr, sizeof(*copy->counts));
	copy->steps = ssdc_alloc_array(nr, sizeof(*copy->steps));
	copy->ranks = ssdc_alloc_array(nr, sizeof(*copy->ranks));
	if (!copy->frames || !copy->counts || !copy->steps || !copy->ranks)
		return false;
	for (i = 0; i < nr; i++)
		copy->ranks[i] = VG_NO_PAGE;
	return true;
}

/**
 * visibility_graph_create() - make an empty graph
 * @g: part of the policy's instance, all zero
 * @r: the policy
 * @error: filled in on failure
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM with everything freed.
 */
int visibility_graph_create(struct visibility_graph *g, struct ssdc_replacement *r,
			    struct ssdc_error *error)
{
	static_assert(SSDC_MAX_FRAMES < VG_PENDING);
	static_assert(VG_WINDOW == 64);		/* bits of an iterator */

	g->r = r;
	g->pages = ssdc_alloc_array(r->nr_frames, sizeof(*g->pages));
	if (g->pages && alloc_copy(&g->copies[0], r->nr_frames) &&
	    alloc_copy(&g->copies[1], r->nr_frames))
		return 0;
	visibility_graph_destroy(g);
	scnprintf(error->text, sizeof(error->text),
		  "%s: no memory: %llu bytes are needed for its visibility graph",
		  r->plugin.type->info.name,
		  (unsigned long long)r->nr_frames * VISIBILITY_GRAPH_BYTES);
	return -ENOMEM;
}

/* Context: may sleep. */
void visibility_graph_destroy(struct visibility_graph *g)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(g->copies); i++) {
		kvfree(g->copies[i].frames);
		kvfree(g->copies[i].counts);
		kvfree(g->copies[i].steps);
		kvfree(g->copies[i].ranks);
	}
	kvfree(g->pages);
}

/**
 * visibility_graph_enter() - note that a page entered the policy
 * @g: the graph; the page joins it at the next build
 * @frame: the page's frame
 */
void visibility_graph_enter(struct visibility_graph *g, ssdc_frame_t frame)
{
	u32 nr = ssdc_frame_nr(frame);

	g->copies[0].ranks[nr] = VG_NEW;
	g->copies[1].ranks[nr] = VG_NEW;
}

static void forget(struct vg_copy *copy, u32 frame)
{
	if (vg_has_rank(copy, frame)) {
		copy->frames[copy->ranks[frame]] = SSDC_NO_FRAME;
		copy->gone++;
	}
	copy->ranks[frame] = VG_NO_PAGE;
}

/**
 * visibility_graph_leave() - note that a page left the policy
 * @g: the graph
 * @frame: the page's frame
 */
void visibility_graph_leave(struct visibility_graph *g, ssdc_frame_t frame)
{
	struct vg_copy *now = &g->copies[g->in_use];
	u32 nr = ssdc_frame_nr(frame);

	forget(now, nr);
	g->members = now->nr - now->gone;
	/* Frames not yet gathered still have their ranks of the previous graph. */
	if (g->phase > VG_GATHER || (g->phase == VG_GATHER && nr < g->cursor))
		forget(vg_next_copy(g), nr);
	else
		vg_next_copy(g)->ranks[nr] = VG_NO_PAGE;
}

/* ---- neighbours ---- */

/* On which side of a page to look. */
enum side { BEFORE = -1, BEHIND = 1 };

/* The bit in struct vg_iter of the page next to the one that looks. */
static __always_inline u64 first_bit(enum side side)
{
	return side == BEHIND ? 1ULL : 1ULL << (VG_WINDOW - 1);
}

/* The bit of the page beyond. */
static __always_inline u64 next_bit(enum side side, u64 bit)
{
	return side == BEHIND ? bit << 1 : bit >> 1;
}

/* A line of sight from a page: it climbs @rise over @run ranks. */
struct sight {
	int rise;
	int run;
	bool touch;
};

/* Does the top of a page, @above the page that looks, rise above the line (@touch: or reach it)? */
static __always_inline bool rises(const struct sight *sight, int above, int away)
{
	return above * sight->run - sight->rise * away + sight->touch > 0;
}

/* The line leads to that top now. */
static __always_inline void look_at(struct sight *sight, int above, int away)
{
	sight->rise = above;
	sight->run = away;
}

/*
 * The pages that the one at @rank sees on one side: those that are not higher up to @lower ranks
 * away, and those that are up to @higher.
 *
 * Eq. 2 without division: the steepest line so far leads to the last visible page, and the next
 * visible page rises above that line (with @touch: or reaches it). The line descends to lower
 * pages. It is level from the first page of the same height on; others of that height just reach
 * it. The first higher page is visible, and as the line climbs then, only pages that are higher
 * than the last visible one can be.
 */
static __always_inline u64 look_at_side(const struct vg_copy *copy, u32 rank, enum side side,
					u32 lower, u32 higher)
{
	struct sight sight = { .rise = -VG_MAX_COUNT - 1, .run = 1, .touch = copy->touch };
	u64 seen = 0, bit = first_bit(side);
	const u8 *counts = &copy->counts[rank];
	int height = counts[0], above = -1, top;
	u32 away = 1;

	for (; away <= lower; away++, bit = next_bit(side, bit)) {
		above = counts[(int)side * (int)away] - height;
		if (above >= 0)
			break;
		if (rises(&sight, above, away)) {
			look_at(&sight, above, away);
			seen |= bit;
		}
	}
	if (!above) {
		seen |= bit;
		do {
			bit = next_bit(side, bit);
			if (++away > lower)
				break;
			above = counts[(int)side * (int)away] - height;
			seen |= !above && sight.touch ? bit : 0;
		} while (above <= 0);
	}
	for (top = height; away <= higher; away++, bit = next_bit(side, bit)) {
		int count = counts[(int)side * (int)away];

		if (count <= top ||
		    (top > height && !rises(&sight, count - height, away)))
			continue;
		look_at(&sight, count - height, away);
		top = count;
		seen |= bit;
	}
	return seen;
}

/* How many ranks away on that side are pages whose addresses differ by at most the gap? */
static __always_inline u32 near_ranks(const struct vg_iter *iter, enum side side, u32 last)
{
	const u32 *step = &iter->now->steps[iter->rank + (side == BEHIND)];
	u64 distance = 0;
	u32 away = 0;

	for (; away < last; away++) {
		distance += step[(int)side * (int)away];
		if (distance > iter->gap)
			break;
	}
	return away;
}

/* Fill in the pages that the iterator's page sees on one side, and that are wanted. */
static __always_inline void look(struct vg_iter *iter, enum side side)
{
	const struct vg_copy *now = iter->now;
	u32 rank = iter->rank, left = side == BEHIND ? now->nr - 1 - rank : rank;
	u32 last = min_t(u32, left, VG_WINDOW), near = near_ranks(iter, side, last);
	u32 lower = 0, higher = 0, i;
	u64 bit = first_bit(side);

	if (iter->types & BIT(VG_FAR_LOWER))
		lower = last;
	else if (iter->types & BIT(VG_NEAR_LOWER))
		lower = near;
	if (iter->types & BIT(VG_FAR_HIGHER))
		higher = last;
	else if (iter->types & BIT(VG_NEAR_HIGHER))
		higher = near;
	iter->near = 0;
	for (i = 0; i < near; i++, bit = next_bit(side, bit))
		iter->near |= bit;
	iter->side = look_at_side(now, rank, side, lower, higher);
	iter->first = side == BEHIND ? rank + 1 : rank - VG_WINDOW;
}

/* For vg_iter_next(): the pages before were the last. */
void vg_look_behind(struct vg_iter *iter)
{
	look(iter, BEHIND);
	iter->behind = true;
}

/**
 * vg_iter_begin() - iterate over pages that a page sees
 * @iter: iterator, valid until the next build completes; pages may leave meanwhile
 * @g: the graph
 * @frame: the page's frame; a page that is not in the graph sees nothing
 * @gap: largest address difference, in pages, of a near page; at most VG_WINDOW
 * @types: a bit for each enum vg_type that is wanted, or VG_ALL_TYPES. If far pages are wanted,
 *	near ones of the same height are, too
 *
 * The pages behind are looked at once those before have been passed. O(VG_WINDOW), or O(@gap) if
 * only near pages are wanted.
 */
void vg_iter_begin(struct vg_iter *iter, const struct visibility_graph *g, ssdc_frame_t frame,
		   u32 gap, u32 types)
{
	const struct vg_copy *now = visibility_graph_now(g);

	iter->now = now;
	iter->gap = gap;
	iter->types = types;
	iter->rank = now->ranks[ssdc_frame_nr(frame)];
	iter->side = 0;
	iter->behind = !vg_has_rank(now, ssdc_frame_nr(frame));
	if (!iter->behind)
		look(iter, BEFORE);
}

/* ---- check ---- */

/* All pages of the copy are present, know their ranks, and are in order of addresses. */
static int ranks_check(const struct visibility_graph *g, const struct vg_copy *copy,
		       struct ssdc_error *finding)
{
	u64 page = 0;
	u32 rank, gone = 0;
	bool first = true;

	for (rank = 0; rank < copy->nr; rank++) {
		ssdc_frame_t frame = copy->frames[rank];

		if (frame == SSDC_NO_FRAME) {
			gone++;
			continue;
		}
		if (copy->ranks[ssdc_frame_nr(frame)] != rank)
			return ssdc_finding(finding,
					    "graph: frame %u is at rank %u and marked as at rank %u",
					    ssdc_frame_nr(frame), rank,
					    copy->ranks[ssdc_frame_nr(frame)]);
		if (!first && vg_page_of(g, frame) <= page)
			return ssdc_finding(finding,
					    "graph: page %llu at rank %u follows page %llu",
					    vg_page_of(g, frame), rank, page);
		page = vg_page_of(g, frame);
		first = false;
	}
	if (gone != copy->gone)
		return ssdc_finding(finding, "graph: %u pages have left, the count is %u", gone,
				    copy->gone);
	return 0;
}

/* Each page knows how far its address is from that of the rank before. */
static int steps_check(const struct visibility_graph *g, const struct vg_copy *copy,
		       struct ssdc_error *finding)
{
	u32 rank;

	for (rank = 1; rank < copy->nr; rank++) {
		ssdc_frame_t last = copy->frames[rank - 1], frame = copy->frames[rank];

		if (last == SSDC_NO_FRAME || frame == SSDC_NO_FRAME)
			continue;
		if (copy->steps[rank] !=
		    min_t(u64, vg_page_of(g, frame) - vg_page_of(g, last), U32_MAX))
			return ssdc_finding(finding,
					    "graph: page %llu at rank %u follows page %llu, the step is %u",
					    vg_page_of(g, frame), rank, vg_page_of(g, last),
					    copy->steps[rank]);
	}
	return 0;
}

/**
 * visibility_graph_check() - verify all invariants
 * @g: the graph
 * @finding: filled in on failure
 *
 * Return: 0 or -EUCLEAN.
 */
int visibility_graph_check(const struct visibility_graph *g, struct ssdc_error *finding)
{
	const struct vg_copy *now = visibility_graph_now(g);
	u32 i, known = 0;
	int r;

	for (i = 0; i < g->r->nr_frames; i++) {
		bool held = now->ranks[i] != VG_NO_PAGE;
		bool held_there = vg_next_copy(g)->ranks[i] != VG_NO_PAGE;

		if (held != held_there)
			return ssdc_finding(finding, "graph: frame %u is in the %s copy only", i,
					    held ? "current" : "next");
		known += vg_has_rank(now, i);
	}
	if (known != g->members || now->nr - now->gone != g->members)
		return ssdc_finding(finding,
				    "graph: %u frames have a rank, %u ranks a page, members is %u",
				    known, now->nr - now->gone, g->members);
	r = ranks_check(g, now, finding);
	if (!r)
		r = steps_check(g, now, finding);
	if (!r && g->phase >= VG_MERGE)
		r = ranks_check(g, vg_next_copy(g), finding);
	return r;
}
