// SPDX-License-Identifier: GPL-2.0
/*
 * Building the visibility graph in bounded steps; see visibility-graph.h.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include "../base/byte-words.h"
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
 * Take new pages off the stack, and put them at the end of the new copy. The merged part grows from
 * the start of the copy, and never reaches the pages that are not merged yet, because each page has
 * a frame of its own. Returns whether more pages are left.
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

/*
 * Begin to sort the new pages. Use the space in front of them, or an empty copy, if there is room.
 */
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

/* Ranks whose marks are set at a time. */
#define WORD 8u

/* The bit of a page that joins; the bits below it are the number of its list. */
#define JOINS 4u

/* The bits of the marks, from @rank on, for which a comparison of a word is true. */
static __always_inline u64 marks_of(u64 answer, u32 rank)
{
	return (u64)ssdc_bytes_pack(answer) << rank % VG_WINDOW;
}

/*
 * Mark the pages of ranks from @rank, a multiple of WORD, to @end that join the copy. Each rank has
 * a byte in @joining: its list and JOINS, or 0.
 */
static void set_marks(struct vg_copy *next, u32 rank, u32 end, const u8 *joining)
{
	for (; rank < end; rank += WORD, joining += WORD) {
		u64 word = ssdc_bytes_load(joining), here = word << 5 & SSDC_BYTES_TOP;
		u64 once = ssdc_bytes_equal(ssdc_bytes_load(&next->counts[rank]), 1);
		struct vg_marks *marks = vg_marks_of(next, rank);

		marks->here |= marks_of(here, rank);
		marks->once |= marks_of(once & here, rank);
		marks->low |= marks_of(word << 7 & SSDC_BYTES_TOP, rank);
		marks->high |= marks_of(word << 6 & SSDC_BYTES_TOP, rank);
	}
}

/*
 * Clear the marks of the ranks that a step may assign, from @rank on, and of the ranks within their
 * sight.
 */
static void clear_marks(struct vg_copy *next, u32 rank, u32 nr_frames)
{
	u32 first = DIV_ROUND_UP(rank, VG_WINDOW);
	u32 last = min(rank + MERGE_STEP, nr_frames) / VG_WINDOW + 1;

	memset(vg_marks_of(next, first * VG_WINDOW), 0, (last + 1 - first) * sizeof(*next->marks));
}

/* The state of a build that merges. */
struct merge {
	struct vg_copy next;
	struct ssdc_entry *entries;
	u8 *joining;		/* by rank, from @start on */
	u32 start;
	bool decay;
};

/*
 * Has the page of an old or a new record left? Its frame may have another page by now, which is on
 * the stack.
 */
static __always_inline bool has_left(const struct merge *m, ssdc_frame_t frame, bool new)
{
	return new ? m->next.ranks[ssdc_frame_nr(frame)] != VG_PENDING : frame == SSDC_NO_FRAME;
}

/*
 * Append the pages of old or new records that have not left, from @begin up to @end, or up to the
 * first page that is not below @limit. Returns the place of that page. A build spends most of its
 * time here.
 */
static __always_inline u32 append(struct merge *m, struct vg_records from, bool new, u32 begin,
				  u32 end, u64 limit)
{
	size_t at;

	for (at = begin; at < end && from.pages[at] < limit; at++) {
		ssdc_frame_t frame = from.frames[at];
		struct ssdc_entry *entry;
		u32 *count, rank;

		if (has_left(m, frame, new))
			continue;
		entry = &m->entries[ssdc_frame_nr(frame)];
		count = &entry->weight;
		rank = m->next.nr++;
		m->next.frames[rank] = frame;
		m->next.pages[rank] = from.pages[at];
		m->next.counts[rank] = *count;
		m->next.ranks[ssdc_frame_nr(frame)] = rank;
		m->joining[rank - m->start] = entry->list | JOINS;
		if (m->decay)
			*count = max(*count / 2, 1u);
	}
	return at;
}

/*
 * Merge a bounded number of pages of the current graph and of new pages. Returns whether more are
 * left.
 */
static bool merge(struct visibility_graph *g)
{
	const struct vg_copy *now = visibility_graph_now(g);
	struct vg_copy *next = vg_next_copy(g);
	const struct vg_records old = { .pages = now->pages, .frames = now->frames };
	const struct vg_records new = vg_records_before(g->sort.end, g->sort.nr);
	const u32 nr_old = now->nr, nr_new = g->sort.nr;
	u32 merged = g->merged, cursor = g->cursor, left = MERGE_STEP, end;
	u8 joining[MERGE_STEP + 2 * WORD];
	struct merge m = {
		.next = *next,
		.entries = g->r->entries,
		.joining = joining,
		.start = round_down(next->nr, WORD),
		.decay = g->decay,
	};

	memset(joining, 0, WORD);
	while (left && (merged < nr_old || cursor < nr_new)) {
		end = min(nr_old, merged + left);
		left += merged;
		merged = append(&m, old, false, merged, end,
				cursor < nr_new ? new.pages[cursor] : U64_MAX);
		left -= merged;

		end = min(nr_new, cursor + left);
		left += cursor;
		cursor = append(&m, new, true, cursor, end,
				merged < nr_old ? old.pages[merged] + 1 : U64_MAX);
		left -= cursor;
	}
	memset(&joining[m.next.nr - m.start], 0, WORD);
	clear_marks(next, next->nr, g->r->nr_frames);
	set_marks(next, m.start, m.next.nr, joining);
	next->nr = m.next.nr;
	g->merged = merged;
	g->cursor = cursor;
	return merged < nr_old || cursor < nr_new;
}

static void use_next_copy(struct visibility_graph *g)
{
	swap(g->now, g->next);
	g->now->touch = g->touch;
	g->members = g->now->nr - g->now->gone;
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
