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
	copy->rows = ssdc_alloc_array(nr, sizeof(*copy->rows));
	copy->ranks = ssdc_alloc_array(nr, sizeof(*copy->ranks));
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
 * Return: 0, or -ENOMEM with everything freed.
 */
int visibility_graph_create(struct visibility_graph *g, struct ssdc_replacement *r,
			    struct ssdc_error *error)
{
	static_assert(SSDC_MAX_FRAMES < VG_PENDING);
	static_assert(VG_WINDOW == 64);		/* bits of a row */

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

/*
 * Which of the @window pages before @rank see it; bit i is the page 64 - i ranks before. The rows
 * are read from the nearest page to the farthest, and each moves the earlier ones up by one bit.
 */
static u64 seen_before(const struct vg_copy *copy, u32 rank, u32 window)
{
	const u64 *row = &copy->rows[rank], *first = row - min(rank, window);
	unsigned int shift = rank % VG_WINDOW;
	u32 nr = row - first;
	u64 left = 0;

	if (!nr)
		return 0;
	while (row-- > first)
		left = 2 * left + (*row >> shift & 1);
	return left << (VG_WINDOW - nr);
}

/* The @window pages behind @rank that it sees; bit i is the page i + 1 ranks behind. */
static u64 seen_behind(const struct vg_copy *copy, u32 rank, u32 window)
{
	return ror64(copy->rows[rank], (rank + 1) % VG_WINDOW) & (~0ULL >> (VG_WINDOW - window));
}

static void begin(struct vg_iter *iter, const struct visibility_graph *g, ssdc_frame_t frame,
		  u32 gap, u32 window)
{
	const struct vg_copy *now = visibility_graph_now(g);

	iter->g = g;
	iter->gap = gap;
	iter->page = vg_page_of(g, frame);
	iter->rank = now->ranks[ssdc_frame_nr(frame)];
	iter->left = 0;
	iter->right = 0;
	if (!vg_has_rank(now, ssdc_frame_nr(frame)))
		return;
	iter->count = now->counts[iter->rank];
	iter->left = seen_before(now, iter->rank, window);
	iter->right = seen_behind(now, iter->rank, window);
}

/**
 * vg_iter_begin() - iterate over the pages that a page sees
 * @iter: iterator, valid until the next build completes; pages may leave meanwhile
 * @g: the graph
 * @frame: the page's frame; a page that is not in the graph sees nothing
 * @gap: largest address difference, in pages, of a near page
 */
void vg_iter_begin(struct vg_iter *iter, const struct visibility_graph *g, ssdc_frame_t frame,
		   u32 gap)
{
	begin(iter, g, frame, gap, VG_WINDOW);
}

/**
 * vg_iter_begin_near() - iterate over pages that a page sees, at least over all near ones
 * @iter: iterator, as for vg_iter_begin()
 * @g: the graph
 * @frame: the page's frame
 * @gap: largest address difference, in pages, of a near page; from 1 to VG_WINDOW
 *
 * Pages whose addresses differ by at most @gap have ranks that differ by at most @gap. O(@gap).
 */
void vg_iter_begin_near(struct vg_iter *iter, const struct visibility_graph *g,
			ssdc_frame_t frame, u32 gap)
{
	begin(iter, g, frame, gap, gap);
}

/* The next rank in order of addresses; VG_NO_PAGE after the last. */
static u32 next_rank(struct vg_iter *iter)
{
	u32 rank;

	if (iter->left) {
		rank = iter->rank - VG_WINDOW + __ffs64(iter->left);
		iter->left &= iter->left - 1;
	} else if (iter->right) {
		rank = iter->rank + 1 + __ffs64(iter->right);
		iter->right &= iter->right - 1;
	} else {
		return VG_NO_PAGE;
	}
	return rank;
}

/*
 * Is the address of the iterator's page, at @rank, near? Addresses differ by at least as much as
 * ranks, so that those of most pages need not be looked up.
 */
static bool is_near(const struct vg_iter *iter, u32 rank)
{
	u64 page;

	if (rank - iter->rank + iter->gap > 2 * iter->gap)
		return false;
	page = vg_page_of(iter->g, iter->frame);
	return (rank < iter->rank ? iter->page - page : page - iter->page) <= iter->gap;
}

/**
 * vg_iter_next() - advance to the next page
 * @iter: iterator; its frame and type describe the page
 *
 * Return: false after the last page.
 */
bool vg_iter_next(struct vg_iter *iter)
{
	const struct vg_copy *now = visibility_graph_now(iter->g);
	u32 rank;

	while ((rank = next_rank(iter)) != VG_NO_PAGE) {
		iter->frame = now->frames[rank];
		if (iter->frame == SSDC_NO_FRAME)
			continue;
		iter->type = (is_near(iter, rank) ? VG_NEAR_LOWER : VG_FAR_LOWER) |
			     (now->counts[rank] > iter->count);
		return true;
	}
	return false;
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

/* Rank neighbours see each other, and no page sees past the end. */
static int rows_check(const struct vg_copy *copy, struct ssdc_error *finding)
{
	u32 a, b;

	for (a = 0; a < copy->nr; a++) {
		if (a + 1 < copy->nr && !vg_sees(copy, a, a + 1))
			return ssdc_finding(finding,
					    "graph: rank %u does not see its neighbour", a);
		for (b = copy->nr; b <= a + VG_WINDOW; b++)
			if (vg_sees(copy, a, b))
				return ssdc_finding(finding,
						    "graph: rank %u sees rank %u of %u", a, b,
						    copy->nr);
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
		r = rows_check(now, finding);
	if (!r && g->phase >= VG_MERGE)
		r = ranks_check(g, vg_next_copy(g), finding);
	return r;
}
