/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The visibility graph of cached pages ([Sha23], section 3.2.1, eq. 2).
 *
 * Imagine pages as bars side by side in the order of their addresses, each as high as its access
 * count at the time of the build. Two pages see each other if all pages between them are below the
 * line from top to top:
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
 * The counts determine which pages see each other, so no pairs are stored: vg_look() looks from a
 * page on demand. A build ranks more than ten times as many pages as look around before the next
 * build; storing the pairs would take a third of the time that vs-batch-plus spends on decisions.
 *
 * A build takes long, so it runs in bounded steps on a second copy, which replaces the first when
 * it is complete. Pages of the current graph are already in order. Pages that have entered since
 * that graph was built are on a stack. Only these pages are sorted (visibility-sort.h, in the space
 * of pages not merged yet), and merged in.
 *
 *	gather new pages -> sort them -> merge with the old -> becomes current
 *
 * Pages may enter and leave during a build. A page that enters joins the next graph. A page
 * that leaves is no longer visible, but still hides the pages behind it.
 *
 * Most of the pages that a page sees are not wanted: they have left, or are on a list whose pages
 * may neither leave nor move with it. Marks, which have a bit per rank, tell which pages are
 * wanted, for many pages at a time.
 *
 * The caller holds the engine's lock; only create() allocates.
 */
#ifndef SSDC_VISIBILITY_GRAPH_H
#define SSDC_VISIBILITY_GRAPH_H

#include <linux/bitops.h>
#include <linux/kernel.h>
#include "../policy-api/replacement.h"
#include "visibility-sort.h"

/* Pages that a page can see on either side. */
#define VG_WINDOW 64

/* Counts are one byte ([Sha23], section 4.3.4) and saturate. */
#define VG_MAX_COUNT U8_MAX

/*
 * The values that @ranks of a copy may have. The current copy says in which state a page is:
 *
 *	a rank			a page of the graph; @ranks of the next copy count only once the
 *				page has been merged
 *	VG_ON_STACK + frame	a page on the stack, in both copies: copies[0] has the next older
 *				one, copies[1] the next newer one; VG_END: there is none
 *	VG_PENDING		a page that joins the copy being built; so in @ranks of that, too,
 *				before the page has been merged
 *	VG_NO_PAGE		the frame has no page of the policy
 */
#define VG_ON_STACK	0x80000000u
#define VG_END		(VG_ON_STACK + SSDC_MAX_FRAMES)
#define VG_PENDING	(U32_MAX - 1)
#define VG_NO_PAGE	U32_MAX

/* Lists of the policy; see struct visibility_graph. */
#define VG_LISTS 4

/**
 * struct vg_marks - a bit for each of 64 ranks
 * @here: the page has not left
 * @once: its count is 1
 * @low: the low bit of the number of its list
 * @high: the high bit
 */
struct vg_marks {
	u64 here;
	u64 once;
	u64 low;
	u64 high;
};

/**
 * struct vg_copy - one copy of the graph
 * @frames: by rank; SSDC_NO_FRAME: the page has left
 * @pages: by rank; number of the page, even if the page has left
 * @counts: by rank; the eight bytes before and the eight behind may be read, too
 * @marks: by rank / 64; there is one more element before the first, and one behind the last
 * @ranks: by frame
 * @nr: pages at the time of the build
 * @gone: pages that have left since
 * @touch: the tunable at the time of the build
 *
 * During a build, the end of @frames and @pages holds new pages that are not merged yet.
 */
struct vg_copy {
	ssdc_frame_t *frames;
	u64 *pages;
	u8 *counts;
	struct vg_marks *marks;
	u32 *ranks;
	u32 nr;
	u32 gone;
	bool touch;
};

enum vg_phase {
	VG_IDLE,
	VG_GATHER,
	VG_SORT,
	VG_MERGE,
};

/**
 * struct visibility_graph - the graph of a policy's pages
 * @r: the policy; it keeps a page's access count, from 1 to VG_MAX_COUNT, in the entry's weight,
 *	and the number of its list, below VG_LISTS, in the entry's list
 * @copies: two copies, which take turns
 * @now: the current copy, used for decisions
 * @next: the copy for the running or next build
 * @newest: top of the stack of pages that will join the graph: VG_ON_STACK + frame, or VG_END
 * @gathered: VG_GATHER: the top of the stack when the build began
 * @phase: phase of the build
 * @cursor: new pages already merged
 * @merged: ranks of the current copy already merged
 * @sort: the new pages
 * @decay: tunable: halve access counts at each build
 * @touch: tunable: a page that just reaches the line between two others does not hide them
 * @again: another build was requested during this one
 * @members: pages of the current copy that have not left
 * @builds: completed builds
 * @steps: steps of all builds
 */
struct visibility_graph {
	struct ssdc_replacement *r;
	struct vg_copy copies[2];
	struct vg_copy *now;
	struct vg_copy *next;
	u32 newest;
	u32 gathered;
	enum vg_phase phase;
	u32 cursor;
	u32 merged;
	struct vg_sort sort;
	u32 decay;
	u32 touch;
	bool again;
	u32 members;
	u64 builds;
	u64 steps;
};

/* Memory per page for struct ssdc_plugin_info: two copies, and two times four bits of marks. */
#define VISIBILITY_GRAPH_BYTES \
	((unsigned int)(2 * (sizeof(ssdc_frame_t) + sizeof(u8) + sizeof(u32) + sizeof(u64)) + 1))

int visibility_graph_create(struct visibility_graph *g, struct ssdc_replacement *r,
			    struct ssdc_error *error);
void visibility_graph_destroy(struct visibility_graph *g);

void visibility_graph_enter(struct visibility_graph *g, ssdc_frame_t frame);
void visibility_graph_leave(struct visibility_graph *g, ssdc_frame_t frame);
void vg_mark_in_next(struct visibility_graph *g, u32 frame, u32 differ);

void visibility_graph_build(struct visibility_graph *g);
bool visibility_graph_step(struct visibility_graph *g);

/* On which side of a page to look. */
enum vg_side { VG_BEFORE, VG_BEHIND };

/* The page is not in the graph. */
#define VG_NO_RANK	U32_MAX

/* For vg_look(): pages that are not higher are seen at any difference of addresses. */
#define VG_ANY_GAP	U32_MAX

/**
 * struct vg_pages - pages on one side of another page
 * @lower: the pages that are not higher
 * @higher: the pages that are higher
 *
 * Bit i is the page 64 - i ranks before or i + 1 ranks behind, so the lowest bit is the lowest
 * address: see vg_next_rank().
 */
struct vg_pages {
	u64 lower;
	u64 higher;
};

struct vg_pages vg_look(const struct visibility_graph *g, u32 rank, enum vg_side side, u32 gap,
			struct vg_pages wanted);

int visibility_graph_check(const struct visibility_graph *g, struct ssdc_error *finding);

/* The current copy, used for decisions. */
static inline const struct vg_copy *visibility_graph_now(const struct visibility_graph *g)
{
	return g->now;
}

/* The copy for the running or next build. */
static inline struct vg_copy *vg_next_copy(const struct visibility_graph *g)
{
	return g->next;
}

/* Number of the page in a frame. */
static inline u64 vg_page_of(const struct visibility_graph *g, ssdc_frame_t frame)
{
	return ssdc_page_nr(ssdc_replacement_entry(g->r, frame)->page);
}

/* Does the copy have the page? For the copy being built, see VG_ON_STACK. */
static inline bool vg_has_rank(const struct vg_copy *copy, u32 frame)
{
	return copy->ranks[frame] < VG_ON_STACK;
}

/*
 * The rank of the page in a frame; VG_NO_RANK if the page is not in the graph, and so sees nothing.
 */
static inline u32 vg_rank_of(const struct visibility_graph *g, ssdc_frame_t frame)
{
	u32 rank = visibility_graph_now(g)->ranks[ssdc_frame_nr(frame)];

	return rank < VG_ON_STACK ? rank : VG_NO_RANK;
}

/* The marks that have the bit of a rank. */
static inline struct vg_marks *vg_marks_of(const struct vg_copy *copy, u32 rank)
{
	return &copy->marks[rank / VG_WINDOW + 1];
}

/* The page of that rank is on another list: @differ is the old number xor the new one. */
static inline void vg_mark_list(struct vg_copy *copy, u32 rank, u32 differ)
{
	struct vg_marks *marks = vg_marks_of(copy, rank);

	marks->low ^= (u64)(differ & 1) << rank % VG_WINDOW;
	marks->high ^= (u64)(differ >> 1) << rank % VG_WINDOW;
}

/* A page moves from one list to another; @rank is the page's vg_rank_of(). */
static inline void visibility_graph_move(struct visibility_graph *g, ssdc_frame_t frame, u32 rank,
					 u32 from, u32 to)
{
	if (rank != VG_NO_RANK)
		vg_mark_list(g->now, rank, from ^ to);
	if (unlikely(g->phase == VG_MERGE))
		vg_mark_in_next(g, ssdc_frame_nr(frame), from ^ to);
}

/* The rank of bit 0 of struct vg_pages. Near the start of the copy it wraps around. */
static inline u32 vg_first_rank(u32 rank, enum vg_side side)
{
	return side == VG_BEHIND ? rank + 1 : rank - VG_WINDOW;
}

/*
 * Take the lowest page out of @left, whose bit 0 has the rank @first. Returns the rank of the page.
 */
static inline u32 vg_next_rank(u32 first, u64 *left)
{
	u32 bit = __ffs64(*left);

	*left &= *left - 1;
	return first + bit;
}

/* The 64 bits that begin at bit @shift of @low, and continue in @high. */
static inline u64 vg_window(u64 low, u64 high, u32 shift)
{
	return low >> shift | high << 1 << (VG_WINDOW - 1 - shift);
}

/*
 * The marks of the pages on one side of a rank, in the bits of struct vg_pages; 0 where there is no
 * page.
 */
static inline struct vg_marks vg_marks_beside(const struct vg_copy *copy, u32 rank,
					      enum vg_side side)
{
	u32 at = vg_first_rank(rank, side) + VG_WINDOW, shift = at % VG_WINDOW;
	const struct vg_marks *marks = &copy->marks[at / VG_WINDOW];

	return (struct vg_marks){
		.here = vg_window(marks[0].here, marks[1].here, shift),
		.once = vg_window(marks[0].once, marks[1].once, shift),
		.low = vg_window(marks[0].low, marks[1].low, shift),
		.high = vg_window(marks[0].high, marks[1].high, shift),
	};
}

#endif /* SSDC_VISIBILITY_GRAPH_H */
