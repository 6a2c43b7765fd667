// SPDX-License-Identifier: GPL-2.0
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include "visibility-graph.h"

static void *alloc_array(size_t nr, size_t bytes)
{
	return kvcalloc(nr, bytes, GFP_KERNEL | __GFP_NOWARN);
}

static bool alloc_copy(struct vg_copy *copy, u32 nr)
{
	u32 i;

	copy->frames = alloc_array(nr, sizeof(*copy->frames));
	copy->counts = alloc_array(nr, sizeof(*copy->counts));
	copy->rows = alloc_array(nr, sizeof(*copy->rows));
	copy->ranks = alloc_array(nr, sizeof(*copy->ranks));
	if (!copy->frames || !copy->counts || !copy->rows || !copy->ranks)
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
 * Return: 0, or -ENOMEM with nothing left behind.
 */
int visibility_graph_create(struct visibility_graph *g, struct ssdc_replacement *r,
			    struct ssdc_error *error)
{
	static_assert(SSDC_MAX_FRAMES < VG_PENDING);
	static_assert(VG_WINDOW == 64);		/* bits of a row */
	static_assert(VG_WINDOW / VG_BLOCK + 2 <= VG_BLOCKS);

	g->r = r;
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
		kvfree(g->copies[i].counts);
		kvfree(g->copies[i].rows);
		kvfree(g->copies[i].ranks);
	}
}

/**
 * visibility_graph_enter() - a page is the policy's from now on
 * @g: the graph, which it enters when that is built the next time
 * @frame: of the page
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
 * visibility_graph_leave() - a page is the policy's no more
 * @g: the graph
 * @frame: of the page
 */
void visibility_graph_leave(struct visibility_graph *g, ssdc_frame_t frame)
{
	struct vg_copy *now = &g->copies[g->in_use];
	u32 nr = ssdc_frame_nr(frame);

	forget(now, nr);
	g->members = now->nr - now->gone;
	/* What was not gathered yet has the rank of the graph before the one in use. */
	if (g->phase > VG_GATHER || (g->phase == VG_GATHER && nr < g->cursor))
		forget(vg_next_copy(g), nr);
	else
		vg_next_copy(g)->ranks[nr] = VG_NO_PAGE;
}

/* ---- looking ---- */

/* Who of the 64 pages before it sees the page; bit i: the one 64 - i ranks before. */
static u64 seen_before(const struct vg_copy *copy, u32 rank)
{
	u32 nr = min_t(u32, rank, VG_WINDOW), i;
	const u64 *rows = &copy->rows[rank - nr];
	unsigned int shift = rank % VG_WINDOW;
	u64 left = 0;

	for (i = nr; i; i--)
		left = left << 1 | (rows[i - 1] >> shift & 1);
	return nr && nr < VG_WINDOW ? left << (VG_WINDOW - nr) : left;
}

/**
 * vg_walk_begin() - walk over the pages that a page sees
 * @walk: the walk, which holds until the graph is built anew; pages may leave meanwhile
 * @g: the graph
 * @frame: of the page; if the graph does not have it, it sees nothing
 * @gap: pages whose addresses differ by no more are near
 */
void vg_walk_begin(struct vg_walk *walk, const struct visibility_graph *g, ssdc_frame_t frame,
		   u32 gap)
{
	const struct vg_copy *now = visibility_graph_now(g);

	walk->g = g;
	walk->gap = gap;
	walk->page = vg_page_of(g, frame);
	walk->rank = now->ranks[ssdc_frame_nr(frame)];
	walk->left = 0;
	walk->right = 0;
	if (!vg_has_rank(now, ssdc_frame_nr(frame)))
		return;
	walk->count = now->counts[walk->rank];
	walk->left = seen_before(now, walk->rank);
	walk->right = ror64(now->rows[walk->rank], (walk->rank + 1) % VG_WINDOW);
}

/* The rank that comes next; VG_NO_PAGE after the last. */
static u32 next_rank(struct vg_walk *walk)
{
	u32 rank;

	if (walk->left) {
		rank = walk->rank - VG_WINDOW + __ffs64(walk->left);
		walk->left &= walk->left - 1;
	} else if (walk->right) {
		rank = walk->rank + 1 + __ffs64(walk->right);
		walk->right &= walk->right - 1;
	} else {
		return VG_NO_PAGE;
	}
	return rank;
}

/**
 * vg_walk_next() - go on to the next page
 * @walk: the walk, whose frame and type tell which it is
 *
 * Return: false after the last one.
 */
bool vg_walk_next(struct vg_walk *walk)
{
	const struct vg_copy *now = visibility_graph_now(walk->g);
	u32 rank;

	while ((rank = next_rank(walk)) != VG_NO_PAGE) {
		u64 page;
		bool near;

		walk->frame = now->frames[rank];
		if (walk->frame == SSDC_NO_FRAME)
			continue;
		page = vg_page_of(walk->g, walk->frame);
		near = (rank < walk->rank ? walk->page - page : page - walk->page) <= walk->gap;
		walk->type = (near ? VG_NEAR_LOWER : VG_FAR_LOWER) |
			     (now->counts[rank] > walk->count);
		return true;
	}
	return false;
}

/* ---- check ---- */

/* The pages of a copy are there, know their ranks, and are in order. */
static bool ranks_ok(const struct visibility_graph *g, const struct vg_copy *copy)
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
		if (copy->ranks[ssdc_frame_nr(frame)] != rank ||
		    (!first && vg_page_of(g, frame) <= page))
			return false;
		page = vg_page_of(g, frame);
		first = false;
	}
	return gone == copy->gone;
}

/* Neighbours see each other, and nobody sees past the end. */
static bool rows_ok(const struct vg_copy *copy)
{
	u32 a, b;

	for (a = 0; a < copy->nr; a++) {
		if (a + 1 < copy->nr && !vg_sees(copy, a, a + 1))
			return false;
		for (b = copy->nr; b <= a + VG_WINDOW; b++)
			if (vg_sees(copy, a, b))
				return false;
	}
	return true;
}

/**
 * visibility_graph_check() - verify all invariants
 * @g: the graph
 *
 * Return: 0 or -EUCLEAN.
 */
int visibility_graph_check(const struct visibility_graph *g)
{
	const struct vg_copy *now = visibility_graph_now(g);
	u32 i, known = 0;

	for (i = 0; i < g->r->nr_frames; i++) {
		bool held = now->ranks[i] != VG_NO_PAGE;
		bool held_there = vg_next_copy(g)->ranks[i] != VG_NO_PAGE;

		if (held != held_there)
			return -EUCLEAN;
		known += vg_has_rank(now, i);
	}
	if (known != g->members || now->nr - now->gone != g->members ||
	    !ranks_ok(g, now) || !rows_ok(now))
		return -EUCLEAN;
	if (g->phase >= VG_MERGE && !ranks_ok(g, vg_next_copy(g)))
		return -EUCLEAN;
	return 0;
}
