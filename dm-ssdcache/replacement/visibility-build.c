// SPDX-License-Identifier: GPL-2.0
/*
 * Building the visibility graph in bounded steps; see visibility-graph.h.
 */
#include <linux/kernel.h>
#include "visibility-graph.h"

/* Pages per step. */
#define GATHER_STEP	256u
#define MERGE_STEP	160u

/* The ends of a copy's arrays. */
static struct vg_records ends_of(const struct visibility_graph *g, const struct vg_copy *copy)
{
	return (struct vg_records){
		.pages = copy->pages + g->r->nr_frames,
		.frames = copy->frames + g->r->nr_frames,
	};
}

/**
 * visibility_graph_build() - start a build, or queue one after the running build
 * @g: the graph; the caller then calls visibility_graph_step() until it returns false
 */
void visibility_graph_build(struct visibility_graph *g)
{
	struct vg_copy *next = vg_next_copy(g);

	if (g->phase != VG_IDLE) {
		g->again = true;
		return;
	}
	g->again = false;
	g->phase = VG_GATHER;
	g->gathered = g->newest;
	g->newest = VG_END;
	g->merged = 0;
	g->cursor = 0;
	next->nr = 0;
	next->gone = 0;
	g->sort.end = ends_of(g, next);
	g->sort.nr = 0;
	g->sort.differ = 0;
}

/*
 * Take new pages off the stack. They go to the end of the new copy. The merged part grows from its
 * start and never reaches those that are not merged yet, because each page has a frame of its own.
 * Returns whether more are left.
 */
static bool gather(struct visibility_graph *g)
{
	u32 *older = g->copies[0].ranks, *newer = g->copies[1].ranks;
	u32 at = g->gathered, units;

	for (units = 0; units < GATHER_STEP && at != VG_END; units++) {
		u32 frame = at - VG_ON_STACK;

		at = older[frame];
		older[frame] = VG_PENDING;
		newer[frame] = VG_PENDING;
		vg_sort_add(&g->sort, vg_page_of(g, ssdc_frame(frame)), ssdc_frame(frame));
	}
	g->gathered = at;
	if (at == VG_END)
		return false;
	newer[at - VG_ON_STACK] = VG_END;
	return true;
}

/* Sort the new pages, in front of them or in an empty copy if there is room. */
static void begin_sort(struct visibility_graph *g)
{
	const struct vg_copy *now = visibility_graph_now(g);
	u32 nr = g->sort.nr;
	struct vg_records room = vg_records_before(g->sort.end, 2 * nr);
	bool has_room = nr <= g->r->nr_frames / 2;

	if (!has_room && !now->nr) {
		room = vg_records_before(ends_of(g, now), nr);
		has_room = true;
	}
	vg_sort_begin(&g->sort, has_room ? &room : NULL);
	g->phase = VG_SORT;
}

/* The next page of the copy being built. */
static inline void append(struct vg_copy *next, struct ssdc_entry *entries, bool decay,
			  ssdc_frame_t frame, u64 page)
{
	u32 *count = &entries[ssdc_frame_nr(frame)].weight, rank = next->nr++;

	next->frames[rank] = frame;
	next->pages[rank] = page;
	next->counts[rank] = min_t(u32, *count, VG_MAX_COUNT);
	next->ranks[ssdc_frame_nr(frame)] = rank;
	if (decay)
		*count = max(*count / 2, 1u);
}

/*
 * Append pages of the current graph that have not left, from rank @from up to @end or to the first
 * one that is not below @limit. Returns its rank. Most of a build's time is spent here.
 */
static u32 append_old(struct visibility_graph *g, struct vg_copy *to, u32 from, u32 end, u64 limit)
{
	const struct vg_copy now = *visibility_graph_now(g);
	struct ssdc_entry *entries = g->r->entries;
	struct vg_copy next = *to;
	bool decay = g->decay;

	for (; from < end && now.pages[from] < limit; from++)
		if (now.frames[from] != SSDC_NO_FRAME)
			append(&next, entries, decay, now.frames[from], now.pages[from]);
	to->nr = next.nr;
	return from;
}

/*
 * Merge the pages of the current graph with the new ones, a bounded number. Returns whether more
 * are left.
 */
static bool merge(struct visibility_graph *g)
{
	const struct vg_copy *now = visibility_graph_now(g);
	struct vg_copy *next = vg_next_copy(g);
	u32 nr_new = g->sort.nr, units = MERGE_STEP;
	const struct vg_records new = vg_records_before(g->sort.end, nr_new);

	for (; units && (g->merged < now->nr || g->cursor < nr_new); units--) {
		u32 end = min(now->nr, g->merged + units), from = g->merged;
		u64 limit = g->cursor < nr_new ? new.pages[g->cursor] : U64_MAX;

		g->merged = append_old(g, next, from, end, limit);
		units -= g->merged - from;
		if (!units || g->cursor == nr_new)
			break;
		/* The frame may have another page now, which is on the stack. */
		if (next->ranks[ssdc_frame_nr(new.frames[g->cursor])] == VG_PENDING)
			append(next, g->r->entries, g->decay, new.frames[g->cursor],
			       new.pages[g->cursor]);
		g->cursor++;
	}
	return g->merged < now->nr || g->cursor < nr_new;
}

static void use_next_copy(struct visibility_graph *g)
{
	const struct vg_copy *now;

	g->in_use = !g->in_use;
	g->copies[g->in_use].touch = g->touch;
	now = visibility_graph_now(g);
	g->members = now->nr - now->gone;
	g->builds++;
	g->phase = VG_IDLE;
	if (g->again)
		visibility_graph_build(g);
}

/**
 * visibility_graph_step() - do a bounded step of the build
 * @g: the graph
 *
 * Return: true if more steps are due.
 */
bool visibility_graph_step(struct visibility_graph *g)
{
	if (g->phase == VG_IDLE)
		return false;
	g->steps++;
	switch (g->phase) {
	case VG_GATHER:
		if (!gather(g))
			begin_sort(g);
		return true;
	case VG_SORT:
		if (!vg_sort_step(&g->sort))
			g->phase = VG_MERGE;
		return true;
	default:
		if (merge(g))
			return true;
		use_next_copy(g);
		return g->phase != VG_IDLE;
	}
}
