// SPDX-License-Identifier: GPL-2.0
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include "../base/alloc.h"
#include "../base/byte-words.h"
#include "visibility-graph.h"

/*
 * Bytes of @counts before the first rank, and behind the last, that may be read, as counts are read
 * eight at a time.
 */
#define MARGIN 8

/* The first and the last group have no ranks: a window may begin or end there. */
static size_t nr_marks(u32 nr)
{
	return nr / VG_WINDOW + 3;
}

static bool alloc_copy(struct vg_copy *copy, u32 nr)
{
	u8 *counts = ssdc_alloc_array((size_t)nr + 2 * MARGIN, sizeof(*counts));
	u32 i;

	copy->counts = counts ? counts + MARGIN : NULL;
	copy->marks = ssdc_alloc_array(nr_marks(nr), sizeof(*copy->marks));
	copy->frames = ssdc_alloc_array(nr, sizeof(*copy->frames));
	copy->pages = ssdc_alloc_array(nr, sizeof(*copy->pages));
	copy->ranks = ssdc_alloc_array(nr, sizeof(*copy->ranks));
	if (!copy->frames || !copy->counts || !copy->marks || !copy->pages || !copy->ranks)
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
	static_assert(SSDC_MAX_FRAMES <= VG_ON_STACK && VG_END < VG_PENDING);
	static_assert(VG_WINDOW == 64);		/* bits of struct vg_pages */

	g->r = r;
	g->now = &g->copies[0];
	g->next = &g->copies[1];
	g->newest = VG_END;
	if (alloc_copy(&g->copies[0], r->nr_frames) && alloc_copy(&g->copies[1], r->nr_frames))
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
		kvfree(g->copies[i].pages);
		kvfree(g->copies[i].counts ? g->copies[i].counts - MARGIN : NULL);
		kvfree(g->copies[i].marks);
		kvfree(g->copies[i].ranks);
	}
}

/**
 * visibility_graph_enter() - note that a page entered the policy
 * @g: the graph; the page joins it at the next build
 * @frame: the page's frame
 */
void visibility_graph_enter(struct visibility_graph *g, ssdc_frame_t frame)
{
	u32 *older = g->copies[0].ranks, *newer = g->copies[1].ranks;
	u32 nr = ssdc_frame_nr(frame);

	older[nr] = g->newest;
	newer[nr] = VG_END;
	if (g->newest != VG_END)
		newer[g->newest - VG_ON_STACK] = VG_ON_STACK + nr;
	g->newest = VG_ON_STACK + nr;
}

/* Take a page off its stack. */
static void unstack(struct visibility_graph *g, u32 frame)
{
	u32 *older = g->copies[0].ranks, *newer = g->copies[1].ranks;

	if (older[frame] != VG_END)
		newer[older[frame] - VG_ON_STACK] = newer[frame];
	if (newer[frame] != VG_END)
		older[newer[frame] - VG_ON_STACK] = older[frame];
	else if (g->newest == VG_ON_STACK + frame)
		g->newest = older[frame];
	else
		g->gathered = older[frame];
}

/* Has the copy being built taken in the page? */
static bool is_merged(const struct visibility_graph *g, u32 frame)
{
	u32 rank = g->now->ranks[frame];

	if (rank < VG_ON_STACK)
		return g->phase == VG_MERGE && rank < g->merged;
	return rank == VG_PENDING && vg_has_rank(g->next, frame);
}

static void forget(struct vg_copy *copy, u32 frame)
{
	u32 rank = copy->ranks[frame];

	copy->frames[rank] = SSDC_NO_FRAME;
	vg_marks_of(copy, rank)->here &= ~(1ULL << rank % VG_WINDOW);
	copy->gone++;
}

/**
 * visibility_graph_leave() - note that a page left the policy
 * @g: the graph
 * @frame: the page's frame
 */
void visibility_graph_leave(struct visibility_graph *g, ssdc_frame_t frame)
{
	struct vg_copy *now = g->now, *next = g->next;
	u32 nr = ssdc_frame_nr(frame), rank = now->ranks[nr];

	if (is_merged(g, nr))
		forget(next, nr);
	if (rank < VG_ON_STACK) {
		forget(now, nr);
		g->members--;
	} else if (rank != VG_PENDING) {
		unstack(g, nr);
	}
	now->ranks[nr] = VG_NO_PAGE;
	next->ranks[nr] = VG_NO_PAGE;
}

/* A page moves to another list during a build: see vg_mark_list(). */
void vg_mark_in_next(struct visibility_graph *g, u32 frame, u32 differ)
{
	if (is_merged(g, frame))
		vg_mark_list(g->next, g->next->ranks[frame], differ);
}

/* ---- neighbours ---- */

/* Counts that are compared at a time. */
#define WORD 8u

/* The bit in struct vg_pages of the page @away ranks away. */
static __always_inline u64 bit_of(enum vg_side side, u32 away)
{
	return side == VG_BEHIND ? 1ULL << (away - 1) : 1ULL << (VG_WINDOW - away);
}

/* The bits of the pages up to @away ranks away. */
static __always_inline u64 bits_up_to(enum vg_side side, u32 away)
{
	if (!away)
		return 0;
	return side == VG_BEHIND ? ~0ULL >> (VG_WINDOW - away) : ~0ULL << (VG_WINDOW - away);
}

/* The height of the page @away ranks away from the page at @counts. */
static __always_inline int height_of(const u8 *counts, enum vg_side side, u32 away)
{
	return side == VG_BEHIND ? counts[away] : *(counts - away);
}

/*
 * The counts of WORD pages in order of ranks; the nearest of the pages is @offset + 1 ranks away.
 */
static __always_inline u64 word_of(const u8 *counts, enum vg_side side, u32 offset)
{
	return ssdc_bytes_load(side == VG_BEHIND ? counts + offset + 1 : counts - offset - WORD);
}

/* The bits in a word of the bytes for the @nr pages, at most WORD, next to the page that looks. */
static __always_inline u64 nearest(enum vg_side side, u32 nr)
{
	if (!nr)
		return 0;
	return side == VG_BEHIND ? ~0ULL >> 8 * (WORD - nr) : ~0ULL << 8 * (WORD - nr);
}

/* The nearest of the pages for which a comparison of a word is true. */
static __always_inline u32 first_of(enum vg_side side, u64 answer)
{
	return (side == VG_BEHIND ? __ffs64(answer) : 64u - fls64(answer)) / 8;
}

/* The bits in struct vg_pages of the pages for which a comparison of a word is true. */
static __always_inline u64 bits_of(enum vg_side side, u64 answer, u32 offset)
{
	u64 bits = ssdc_bytes_pack(answer);

	return side == VG_BEHIND ? bits << offset : bits << (VG_WINDOW - WORD - offset);
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

/* From now on, the line leads to the top of that page. */
static __always_inline void look_at(struct sight *sight, int above, int away)
{
	sight->rise = above;
	sight->run = away;
}

/*
 * Look from a page of count 1. No page is lower. It sees pages of count 1, up to the first higher
 * page.
 */
static __always_inline u64 look_level(const struct vg_copy *now, u32 rank, enum vg_side side)
{
	u64 once = vg_marks_beside(now, rank, side).once;

	if (!now->touch)
		return once & bit_of(side, 1);
	if (side == VG_BEHIND)
		return once & ~(once + 1);
	return ~once ? once & ~(~0ULL >> (VG_WINDOW - fls64(~once))) : once;
}

/*
 * The pages not higher than the page at @counts that it sees on one side, up to @most ranks away.
 *
 * Eq. 2 without division: the steepest line so far leads to the last visible page, and the next
 * visible page rises above that line (with @touch: or reaches it). The line descends to lower
 * pages. From the first page of the same height on, the line is level; further pages of that height
 * just reach it, up to the first higher page. Pages further away than @most hide nothing, so words
 * are looked at as a whole, even if they reach further than @most.
 */
static __always_inline u64 look_down(const u8 *counts, bool touch, enum vg_side side, u32 most)
{
	struct sight sight = { .rise = -VG_MAX_COUNT - 1, .run = 1, .touch = touch };
	int height = counts[0], above = 1;
	struct ssdc_bytes_limit limit;
	u64 seen = 0;
	u32 away, offset;

	for (away = 1; away <= most; away++) {
		above = height_of(counts, side, away) - height;
		if (above >= 0)
			break;
		if (rises(&sight, above, away)) {
			look_at(&sight, above, away);
			seen |= bit_of(side, away);
		}
	}
	if (above || away > most)
		return seen;
	if (!touch)
		return seen | bit_of(side, away);
	limit = ssdc_bytes_limit(height);
	for (offset = round_down(away - 1, WORD); offset < most; offset += WORD) {
		u64 word = word_of(counts, side, offset);
		u64 higher = ssdc_bytes_above(word, limit);
		u64 equal = ssdc_bytes_equal(word, height);

		if (higher)
			equal &= nearest(side, first_of(side, higher));
		seen |= bits_of(side, equal, offset);
		if (higher)
			break;
	}
	return seen & bits_up_to(side, most);
}

/*
 * The higher pages that the page at @counts sees on one side, up to @most ranks away. The first of
 * them is visible, and the line climbs from then on: a page that is not higher than all pages
 * before it, seen or not, is below the line.
 */
static __always_inline u64 look_up(const u8 *counts, bool touch, enum vg_side side, u32 most)
{
	struct sight sight = { .rise = 0, .run = 1, .touch = touch };
	int height = counts[0];
	struct ssdc_bytes_limit limit = ssdc_bytes_limit(height);
	u64 seen = 0;
	u32 offset;

	if (height == VG_MAX_COUNT)
		return 0;
	for (offset = 0; offset < most; offset += WORD) {
		u64 word = word_of(counts, side, offset);
		u64 higher = ssdc_bytes_above(word, limit);

		while (higher) {
			u32 away = offset + first_of(side, higher) + 1;
			int there = height_of(counts, side, away);

			limit = ssdc_bytes_limit(there);
			higher = ssdc_bytes_above(word, limit);
			if (!rises(&sight, there - height, away))
				continue;
			look_at(&sight, there - height, away);
			seen |= bit_of(side, away);
		}
	}
	return seen & bits_up_to(side, most);
}

/* Does the address of the page @away ranks away from the page at @page differ by at most @gap? */
static __always_inline bool is_near(const u64 *page, enum vg_side side, u32 away, u32 gap)
{
	return (side == VG_BEHIND ? page[away] - *page : *page - *(page - away)) <= gap;
}

/*
 * The number of ranks on that side, out of @last, whose pages are near: at most the gap, as all
 * pages are different.
 */
static __always_inline u32 near_ranks(const u64 *page, enum vg_side side, u32 last, u32 gap)
{
	u32 most = min(last, gap), near = 0, away;

	while (near + WORD <= most && is_near(page, side, near + WORD, gap))
		near += WORD;
	/* Count the rest without a branch for each page. */
	most = min(most, near + WORD - 1);
	for (away = near + 1; away <= most; away++)
		near += is_near(page, side, away, gap);
	return near;
}

/* See vg_look(), which has two inlined copies of this function. */
static __always_inline struct vg_pages look(const struct vg_copy *now, u32 rank, enum vg_side side,
					    u32 gap, struct vg_pages wanted)
{
	const u8 *counts = &now->counts[rank];
	u32 left = side == VG_BEHIND ? now->nr - 1 - rank : rank;
	u32 last = min_t(u32, left, VG_WINDOW), most = last;

	if (gap != VG_ANY_GAP && wanted.lower & bits_up_to(side, gap))
		most = near_ranks(&now->pages[rank], side, last, gap);
	wanted.lower &= bits_up_to(side, min(most, gap));
	if (wanted.lower)
		wanted.lower &= *counts == 1 ? look_level(now, rank, side) :
					       look_down(counts, now->touch, side, most);
	if (wanted.higher)
		wanted.higher &= look_up(counts, now->touch, side, last);
	return wanted;
}

/**
 * vg_look() - look for the pages that a page sees on one side
 * @g: the graph
 * @rank: rank of a page of the graph; the page may have left since
 * @side: lower or higher addresses
 * @gap: largest address difference, in pages, at which pages that are not higher are wanted; at
 *	most VG_WINDOW, or VG_ANY_GAP
 * @wanted: only these pages are looked for
 *
 * O(VG_WINDOW), or O(@gap) if no higher pages are wanted.
 *
 * Return: the pages of @wanted that are seen; valid until the next build completes.
 */
struct vg_pages vg_look(const struct visibility_graph *g, u32 rank, enum vg_side side, u32 gap,
			struct vg_pages wanted)
{
	const struct vg_copy *now = visibility_graph_now(g);

	return side == VG_BEFORE ? look(now, rank, VG_BEFORE, gap, wanted) :
				   look(now, rank, VG_BEHIND, gap, wanted);
}

/* ---- check ---- */

/* Check that all pages of the copy are present, know their ranks, and are in order of addresses. */
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
		if (copy->pages[rank] != vg_page_of(g, frame))
			return ssdc_finding(finding,
					    "graph: page %llu at rank %u is marked as page %llu",
					    vg_page_of(g, frame), rank, copy->pages[rank]);
		if (!first && copy->pages[rank] <= page)
			return ssdc_finding(finding,
					    "graph: page %llu at rank %u follows page %llu",
					    copy->pages[rank], rank, page);
		page = copy->pages[rank];
		first = false;
	}
	if (gone != copy->gone)
		return ssdc_finding(finding, "graph: %u pages have left, the count is %u", gone,
				    copy->gone);
	return 0;
}

/* Follow a stack from its top. Adds the length to @nr, but at most the number of frames. */
static int stack_check(const struct visibility_graph *g, u32 at, u32 *nr,
		       struct ssdc_error *finding)
{
	const u32 *older = g->copies[0].ranks, *newer = g->copies[1].ranks;
	u32 before = VG_END;

	for (; at != VG_END && *nr <= g->r->nr_frames; at = older[at - VG_ON_STACK]) {
		if (newer[at - VG_ON_STACK] != before)
			return ssdc_finding(finding,
					    "graph: new frame %u has 0x%x before it, not 0x%x",
					    at - VG_ON_STACK, newer[at - VG_ON_STACK], before);
		before = at;
		++*nr;
	}
	return 0;
}

/* The marks of a rank, as bits of a number. */
static u32 marks_at(const struct vg_copy *copy, u32 rank)
{
	const struct vg_marks *marks = vg_marks_of(copy, rank);
	u32 bit = rank % VG_WINDOW;

	return (marks->here >> bit & 1) << 3 | (marks->once >> bit & 1) << 2 |
		(marks->high >> bit & 1) << 1 | (marks->low >> bit & 1);
}

/* Check that the marks agree with the arrays, and with the entries of pages that have not left. */
static int marks_check(const struct visibility_graph *g, const struct vg_copy *copy,
		       struct ssdc_error *finding)
{
	u32 rank;

	/* The steps of a build clear the marks behind the last page. */
	for (rank = 0; rank < copy->nr + (copy == g->now ? VG_WINDOW : 0); rank++) {
		u32 found = marks_at(copy, rank), expected = 0;

		if (rank < copy->nr && copy->frames[rank] != SSDC_NO_FRAME)
			expected = ssdc_replacement_entry(g->r, copy->frames[rank])->list | 1 << 3;
		else
			found &= ~3u;
		if (rank < copy->nr)
			expected |= (copy->counts[rank] == 1) << 2;
		if (found != expected)
			return ssdc_finding(finding, "graph: rank %u has the marks 0x%x, not 0x%x",
					    rank, found, expected);
	}
	return 0;
}

/* Check that the stacks have exactly the pages that are marked as being on them. */
static int stacks_check(const struct visibility_graph *g, struct ssdc_error *finding)
{
	const struct vg_copy *now = visibility_graph_now(g);
	u32 linked = 0, marked = 0, i;
	int r;

	for (i = 0; i < g->r->nr_frames; i++)
		marked += now->ranks[i] >= VG_ON_STACK && now->ranks[i] < VG_PENDING;
	r = stack_check(g, g->newest, &linked, finding);
	if (!r && g->phase == VG_GATHER)
		r = stack_check(g, g->gathered, &linked, finding);
	if (!r && linked != marked)
		r = ssdc_finding(finding, "graph: %u new pages are linked, %u are marked", linked,
				 marked);
	return r;
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
		r = marks_check(g, now, finding);
	if (!r)
		r = stacks_check(g, finding);
	if (!r && g->phase >= VG_MERGE)
		r = ranks_check(g, vg_next_copy(g), finding);
	if (!r && g->phase >= VG_MERGE)
		r = marks_check(g, vg_next_copy(g), finding);
	return r;
}
