/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The visibility graph of cached pages (S000, section 3.2.1, eq. 2).
 *
 * Pages in the order of their addresses stand side by side, each as high as its access
 * count was when the graph was built. Two of them see each other if all between them are
 * lower than the line from the top of the one to the top of the other:
 *
 *	count	5   .   .   .   .   *		b sees all others, and they see it;
 *		4   .   *   .   .   |		c and d see e over nobody or a lower one;
 *		2   *   |   .   *   |		a is hidden from all behind b
 *		1   |   |   *   |   |
 *	page	    7   8   9  20  21
 *	rank	    a   b   c   d   e
 *
 * The distance is counted in ranks, and only the 64 pages on either side are looked at.
 * What a page that sees another is to it (S000's two bits): its high bit says that their
 * addresses are near, its low bit that its count is higher.
 *
 * Seeing is mutual, so a row has only the pages behind; who stands before it is looked for
 * in the rows of these.
 *
 * Building takes long, so it is done in bounded steps on a second copy, which takes the
 * place of the first when it is complete. What was seen by the first stays in the order of
 * addresses, so that only pages that came later are sorted (heap sort, in the room of the
 * rows that are not there yet), then merged with these.
 *
 *	gather new pages -> sort them -> merge with the old -> connect -> the graph in use
 *
 * Pages may come and go meanwhile. A page that comes is in the next graph; one that goes is
 * seen by nobody any more, though what stood behind it stays hidden.
 *
 * The caller holds the lock of the engine; nothing is allocated but in create().
 */
#ifndef SSDC_VISIBILITY_GRAPH_H
#define SSDC_VISIBILITY_GRAPH_H

#include <linux/kernel.h>
#include "../engine/engine.h"

/* Pages on either side. */
#define VG_WINDOW 64

/* Counts are one byte (S000, section 4.3.4); higher ones are this high. */
#define VG_MAX_COUNT U8_MAX

/* What a visible page is to the one that sees it. */
enum vg_type {
	VG_FAR_LOWER,		/* 00: of no use to S000 */
	VG_FAR_HIGHER,		/* 01 */
	VG_NEAR_LOWER,		/* 10: or as high */
	VG_NEAR_HIGHER,		/* 11 */
};

/* Ranks of pages that have none. */
#define VG_NO_PAGE	U32_MAX		/* of a frame without a page of the policy */
#define VG_NEW		(U32_MAX - 1)	/* of a page that is not in this copy */
#define VG_PENDING	(U32_MAX - 2)	/* of one that is to be in the copy that is being built */

/**
 * struct vg_copy - one copy of the graph
 * @frames: by rank; SSDC_NO_FRAME: the page has gone
 * @counts: by rank
 * @rows: by rank; bit b % 64: it sees the page with rank b, one of the 64 behind it, which
 *	so sees it, too: see vg_sees()
 * @ranks: by frame
 * @nr: pages it was built from
 * @gone: of these, gone since
 *
 * Of a copy that is being built the last of @frames and @rows hold the new pages' frames and
 * numbers until they are merged.
 */
struct vg_copy {
	ssdc_frame_t *frames;
	u8 *counts;
	u64 *rows;
	u32 *ranks;
	u32 nr;
	u32 gone;
};

/* Ranks of which the highest count is known while the graph is being connected. */
#define VG_BLOCK 16
#define VG_BLOCKS 8		/* at least those that a window touches */

enum vg_phase {
	VG_IDLE,
	VG_GATHER,
	VG_SORT,
	VG_MERGE,
	VG_CONNECT,
};

/**
 * struct visibility_graph - the graph of a policy's pages
 * @r: the policy, which keeps the access count of a page in its entry's weight
 * @copies: one in use, one that is being built, or for the next time
 * @in_use: which one is in use
 * @phase: of the build
 * @cursor: of the phase
 * @merged: ranks of the copy in use that were merged
 * @nr_records: new pages
 * @decay: halve access counts when the graph is built from them
 * @touch: a page that just touches the line between two others does not hide them
 * @highest: counts of the blocks of ranks from the cursor on
 * @again: the next build was asked for while one was under way
 * @members: pages of the copy in use that are there still
 * @builds: complete ones
 * @steps: of all builds
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
	u8 highest[VG_BLOCKS];
	bool again;
	u32 members;
	u64 builds;
	u64 steps;
};

/* Memory per page, for struct ssdc_plugin_info: two copies. */
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
 * struct vg_walk - a walk over the pages that a page sees, in the order of their addresses
 * @g: the graph
 * @page: of the page that sees
 * @rank: likewise
 * @count: likewise
 * @left: whom it has not come to yet; bit i: the page 64 - i ranks before it
 * @right: likewise; bit i: the page i + 1 ranks behind it
 * @gap: addresses at most so far from each other are near
 * @frame: where the walk is
 * @type: what that page is to the one that sees
 */
struct vg_walk {
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

void vg_walk_begin(struct vg_walk *walk, const struct visibility_graph *g, ssdc_frame_t frame,
		   u32 gap);
bool vg_walk_next(struct vg_walk *walk);

int visibility_graph_check(const struct visibility_graph *g);

/* The copy that decisions use. */
static inline const struct vg_copy *visibility_graph_now(const struct visibility_graph *g)
{
	return &g->copies[g->in_use];
}

/* The copy that is being built. */
static inline struct vg_copy *vg_next_copy(const struct visibility_graph *g)
{
	return (struct vg_copy *)&g->copies[!g->in_use];
}

/* The number of the page that is in a frame. */
static inline u64 vg_page_of(const struct visibility_graph *g, ssdc_frame_t frame)
{
	return ssdc_page_nr(ssdc_replacement_entry(g->r, frame)->page);
}

static inline bool vg_has_rank(const struct vg_copy *copy, u32 frame)
{
	return copy->ranks[frame] < VG_PENDING;
}

/* Do the pages of ranks @a and @b, at most VG_WINDOW behind it, see each other? */
static inline bool vg_sees(const struct vg_copy *copy, u32 a, u32 b)
{
	return copy->rows[a] >> (b % VG_WINDOW) & 1;
}

#endif /* SSDC_VISIBILITY_GRAPH_H */
