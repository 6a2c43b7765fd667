/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The visibility graph of cached pages ([Sha23], section 3.2.1, eq. 2).
 *
 * Pages stand side by side in the order of their addresses, each as high as its access count
 * at the time of the build. Two pages see each other if all pages between them are lower than
 * the line from top to top:
 *
 *	count	5   .   .   .   .   *		b and every other page see each other;
 *		4   .   *   .   .   |		c sees e over d, and d sees e, its neighbour;
 *		2   *   |   .   *   |		a sees only b, which hides the rest
 *		1   |   |   *   |   |
 *	page	    7   8   9  20  21
 *	rank	    a   b   c   d   e
 *
 * Distance is counted in ranks, and each page sees at most the 64 pages on either side. A
 * visible page has a two-bit type: the high bit says that its address is near, the low bit
 * that its count is higher.
 *
 * Visibility is mutual, so a row stores only the 64 pages behind; the pages before are found
 * in their own rows.
 *
 * A build takes long, so it runs in bounded steps on a second copy, which replaces the first
 * when it is complete. Pages of the current graph are already in order; only new pages are
 * sorted (heap sort, in the space of rows not built yet) and merged in.
 *
 *	gather new pages -> sort them -> merge with the old -> connect -> becomes current
 *
 * Pages may enter and leave during a build. A page that enters joins the next graph. A page
 * that leaves is no longer visible, but still hides the pages behind it.
 *
 * The caller holds the engine's lock; only create() allocates.
 */
#ifndef SSDC_VISIBILITY_GRAPH_H
#define SSDC_VISIBILITY_GRAPH_H

#include <linux/kernel.h>
#include "../policy-api/replacement.h"

/* Pages that a page can see on either side. */
#define VG_WINDOW 64

/* Counts are one byte ([Sha23], section 4.3.4) and saturate. */
#define VG_MAX_COUNT U8_MAX

/* What a visible page is to the page that sees it. */
enum vg_type {
	VG_FAR_LOWER,		/* 00: unused in [Sha23] */
	VG_FAR_HIGHER,		/* 01 */
	VG_NEAR_LOWER,		/* 10: lower or equal */
	VG_NEAR_HIGHER,		/* 11 */
};

/* Special ranks. */
#define VG_NO_PAGE	U32_MAX		/* the frame has no page of the policy */
#define VG_NEW		(U32_MAX - 1)	/* the page is not in this copy */
#define VG_PENDING	(U32_MAX - 2)	/* the page will join the copy being built */

/**
 * struct vg_copy - one copy of the graph
 * @frames: by rank; SSDC_NO_FRAME: the page has left
 * @counts: by rank
 * @rows: by rank; bit b % 64: this page and the page at rank b, up to 64 behind, see each
 *	other; see vg_sees()
 * @ranks: by frame
 * @nr: pages at the time of the build
 * @gone: pages that have left since
 *
 * During a build, the ends of @frames and @rows hold the frames and page numbers of new
 * pages that are not merged yet.
 */
struct vg_copy {
	ssdc_frame_t *frames;
	u8 *counts;
	u64 *rows;
	u32 *ranks;
	u32 nr;
	u32 gone;
};

enum vg_phase {
	VG_IDLE,
	VG_GATHER,
	VG_SORT,
	VG_MERGE,
	VG_CONNECT,
};

/**
 * struct visibility_graph - the graph of a policy's pages
 * @r: the policy; it keeps a page's access count in the entry's weight
 * @copies: the current copy, and one for the running or next build
 * @in_use: index of the current copy
 * @phase: phase of the build
 * @cursor: progress in the phase
 * @merged: ranks of the current copy already merged
 * @nr_records: number of new pages
 * @decay: tunable: halve access counts at each build
 * @touch: tunable: a page that just reaches the line between two others does not hide them
 * @skyline: while connecting: pages behind the cursor's rank that are higher than all between
 *	(with @touch: not lower); bit i is the page i + 1 ranks behind
 * @leaders: of these, those that are higher than all between
 * @again: another build was requested during this one
 * @members: pages of the current copy that have not left
 * @builds: completed builds
 * @steps: steps of all builds
 */
struct visibility_graph {
	struct ssdc_replacement *r;
	struct vg_copy copies[2];
	unsigned int in_use;
	enum vg_phase phase;
	u32 cursor;
	u32 merged;
	u32 nr_records;
	u32 decay;
	u32 touch;
	u64 skyline;
	u64 leaders;
	bool again;
	u32 members;
	u64 builds;
	u64 steps;
};

/* Memory per page for struct ssdc_plugin_info: two copies. */
#define VISIBILITY_GRAPH_BYTES \
	((unsigned int)(2 * (sizeof(ssdc_frame_t) + sizeof(u8) + sizeof(u64) + sizeof(u32))))

int visibility_graph_create(struct visibility_graph *g, struct ssdc_replacement *r,
			    struct ssdc_error *error);
void visibility_graph_destroy(struct visibility_graph *g);

void visibility_graph_enter(struct visibility_graph *g, ssdc_frame_t frame);
void visibility_graph_leave(struct visibility_graph *g, ssdc_frame_t frame);

void visibility_graph_build(struct visibility_graph *g);
bool visibility_graph_step(struct visibility_graph *g);

/**
 * struct vg_iter - iterator over the pages that a page sees, in the order of addresses
 * @g: the graph
 * @page: number of the page that sees
 * @rank: rank of that page
 * @count: count of that page
 * @left: remaining pages before it; bit i is the page 64 - i ranks before
 * @right: remaining pages behind it; bit i is the page i + 1 ranks behind
 * @gap: largest address difference of a near page
 * @frame: current page
 * @type: type of the current page
 */
struct vg_iter {
	const struct visibility_graph *g;
	u64 page;
	u32 rank;
	u8 count;
	u64 left;
	u64 right;
	u32 gap;
	ssdc_frame_t frame;
	enum vg_type type;
};

void vg_iter_begin(struct vg_iter *iter, const struct visibility_graph *g, ssdc_frame_t frame,
		   u32 gap);
void vg_iter_begin_near(struct vg_iter *iter, const struct visibility_graph *g,
			ssdc_frame_t frame, u32 gap);
bool vg_iter_next(struct vg_iter *iter);

int visibility_graph_check(const struct visibility_graph *g, struct ssdc_error *finding);

/* The current copy, used for decisions. */
static inline const struct vg_copy *visibility_graph_now(const struct visibility_graph *g)
{
	return &g->copies[g->in_use];
}

/* The copy for the running or next build. */
static inline struct vg_copy *vg_next_copy(const struct visibility_graph *g)
{
	return (struct vg_copy *)&g->copies[!g->in_use];
}

/* Number of the page in a frame. */
static inline u64 vg_page_of(const struct visibility_graph *g, ssdc_frame_t frame)
{
	return ssdc_page_nr(ssdc_replacement_entry(g->r, frame)->page);
}

static inline bool vg_has_rank(const struct vg_copy *copy, u32 frame)
{
	return copy->ranks[frame] < VG_PENDING;
}

/* Do the pages at ranks @a and @b see each other? @b is 1 to VG_WINDOW behind @a. */
static inline bool vg_sees(const struct vg_copy *copy, u32 a, u32 b)
{
	return copy->rows[a] >> (b % VG_WINDOW) & 1;
}

#endif /* SSDC_VISIBILITY_GRAPH_H */
