// SPDX-License-Identifier: GPL-2.0
/*
 * Building the visibility graph in bounded steps; see visibility-graph.h.
 */
#include <linux/kernel.h>
#include "visibility-graph.h"

/* Pages per step. One that is measured takes least, but counts of steps stay comparable. */
#define GATHER_STEP	(4 * SSDC_STEP_FRAMES)
#define SORT_STEP	SSDC_STEP_FRAMES
#define MERGE_STEP	(4 * SSDC_STEP_FRAMES)
#define MEASURE_STEP	SSDC_STEP_FRAMES

static void enter_phase(struct visibility_graph *g, enum vg_phase phase)
{
	g->phase = phase;
	g->cursor = 0;
}

/**
 * visibility_graph_build() - start a build, or queue one after the running build
 * @g: the graph; the caller then calls visibility_graph_step() until it returns false
 */
void visibility_graph_build(struct visibility_graph *g)
{
	if (g->phase != VG_IDLE) {
		g->again = true;
		return;
	}
	g->again = false;
	g->nr_records = 0;
	g->merged = 0;
	vg_next_copy(g)->nr = 0;
	vg_next_copy(g)->gone = 0;
	enter_phase(g, VG_GATHER);
}

/*
 * Unsorted new pages occupy the end of the new copy. The merged part grows from its start and
 * never reaches them, because each new page and each old page has a frame of its own.
 */
static u32 first_new(const struct visibility_graph *g)
{
	return g->r->nr_frames - g->nr_records;
}

/*
 * Record the pages of the next frames, up to @units, that the current graph lacks. Returns how many
 * units are left after the last frame.
 */
static unsigned int gather(struct visibility_graph *g, unsigned int units)
{
	const struct vg_copy *now = visibility_graph_now(g);
	struct vg_copy *next = vg_next_copy(g);
	u32 frame = g->cursor, nr = min(g->r->nr_frames - frame, units), end = frame + nr;
	u32 first = first_new(g);

	for (; frame < end; frame++) {
		if (next->ranks[frame] == VG_NO_PAGE)
			continue;
		next->ranks[frame] = VG_PENDING;
		if (vg_has_rank(now, frame))
			continue;
		next->frames[--first] = ssdc_frame(frame);
		g->pages[first] = vg_page_of(g, ssdc_frame(frame));
	}
	g->nr_records = g->r->nr_frames - first;
	g->cursor = end;
	return units - nr;
}

/* Page numbers are stored apart, because an entry's page may change once the page left. */
struct records {
	u64 *pages;
	ssdc_frame_t *frames;
};

static struct records records_of(const struct visibility_graph *g)
{
	return (struct records){
		.pages = g->pages + first_new(g),
		.frames = vg_next_copy(g)->frames + first_new(g),
	};
}

static void move_record(const struct records *records, u32 to, u32 from)
{
	records->pages[to] = records->pages[from];
	records->frames[to] = records->frames[from];
}

/*
 * Heap sort: sift the record at @at down in the heap of the first @nr records. The larger children
 * move up, down to a leaf, and then the record climbs from there. It comes from a leaf, so it
 * climbs a step or two, while to compare it on the way down would cost a branch per level that
 * no processor predicts: twice the time.
 */
static void sink(const struct records *records, u32 at, u32 nr)
{
	u64 *pages = records->pages, page = pages[at];
	ssdc_frame_t frame = records->frames[at];
	u32 hole = at, child;

	for (child = 2 * hole + 2; child < nr; child = 2 * hole + 2) {
		child -= pages[child - 1] > pages[child];
		move_record(records, hole, child);
		hole = child;
	}
	if (child == nr) {
		move_record(records, hole, child - 1);
		hole = child - 1;
	}
	while (hole > at && pages[(hole - 1) / 2] < page) {
		move_record(records, hole, (hole - 1) / 2);
		hole = (hole - 1) / 2;
	}
	pages[hole] = page;
	records->frames[hole] = frame;
}

/* One step: @nr / 2 steps build the heap, @nr more extract the largest page. */
static void sort(struct visibility_graph *g)
{
	struct records records = records_of(g);
	u32 nr = g->nr_records, half = nr / 2, at = g->cursor++;

	if (at < half) {
		sink(&records, half - 1 - at, nr);
	} else {
		u32 last = nr - 1 - (at - half);

		swap(records.pages[0], records.pages[last]);
		swap(records.frames[0], records.frames[last]);
		sink(&records, 0, last);
	}
}

static inline void append(struct visibility_graph *g, struct vg_copy *next, ssdc_frame_t frame,
			  u64 page)
{
	u32 *count = &ssdc_replacement_entry(g->r, frame)->weight, rank = next->nr++;

	next->frames[rank] = frame;
	next->counts[rank] = min_t(u32, *count, VG_MAX_COUNT);
	next->ranks[ssdc_frame_nr(frame)] = rank;
	g->pages[rank] = page;
	if (g->decay)
		*count = max(*count / 2, 1u);
}

/*
 * Up to @units times: append the next page of the current graph or the next new page, whichever is
 * lower, or skip a page that has left. Returns how many are left after the last page.
 */
static unsigned int merge(struct visibility_graph *g, unsigned int units)
{
	const struct vg_copy *now = visibility_graph_now(g);
	struct vg_copy *next = vg_next_copy(g);
	struct records records = records_of(g);
	u32 merged = g->merged, cursor = g->cursor;

	for (; units && (merged < now->nr || cursor < g->nr_records); units--) {
		ssdc_frame_t old = SSDC_NO_FRAME;
		u64 page = U64_MAX;

		if (merged < now->nr) {
			old = now->frames[merged];
			if (old == SSDC_NO_FRAME) {
				merged++;
				continue;
			}
			page = vg_page_of(g, old);
		}
		if (cursor == g->nr_records || page < records.pages[cursor]) {
			append(g, next, old, page);
			merged++;
			continue;
		}
		/* A new page that has left in between is skipped. */
		if (next->ranks[ssdc_frame_nr(records.frames[cursor])] == VG_PENDING)
			append(g, next, records.frames[cursor], records.pages[cursor]);
		cursor++;
	}
	g->merged = merged;
	g->cursor = cursor;
	return units;
}

/* Measure up to @units steps. Returns how many are left after the last page. */
static unsigned int measure(struct visibility_graph *g, unsigned int units)
{
	u32 rank = g->cursor, nr = min(vg_next_copy(g)->nr - rank, units), end = rank + nr;
	u32 *steps = vg_next_copy(g)->steps;
	const u64 *pages = g->pages;

	for (; rank < end; rank++)
		steps[rank] = rank ? min_t(u64, pages[rank] - pages[rank - 1], U32_MAX) : 0;
	g->cursor = end;
	return units - nr;
}

static void use_next_copy(struct visibility_graph *g)
{
	const struct vg_copy *now;

	g->in_use = !g->in_use;
	g->copies[g->in_use].touch = g->touch;
	now = visibility_graph_now(g);
	g->members = now->nr - now->gone;
	g->builds++;
	enter_phase(g, VG_IDLE);
	if (g->again)
		visibility_graph_build(g);
}

/*
 * Do up to @units of the phase's work. Returns how many were left undone, because there is no
 * more.
 */
static unsigned int work(struct visibility_graph *g, unsigned int units)
{
	u32 end;

	switch (g->phase) {
	case VG_GATHER:
		units = gather(g, units);
		break;
	case VG_SORT:
		for (end = g->nr_records / 2 + g->nr_records; units && g->cursor < end; units--)
			sort(g);
		break;
	case VG_MERGE:
		units = merge(g, units);
		break;
	case VG_MEASURE:
		units = measure(g, units);
		break;
	default:
		break;
	}
	return units;
}

/**
 * visibility_graph_step() - do a bounded step of the build
 * @g: the graph
 *
 * Return: true if more steps are due.
 */
bool visibility_graph_step(struct visibility_graph *g)
{
	static const unsigned int units[] = {
		[VG_IDLE] = 0,
		[VG_GATHER] = GATHER_STEP,
		[VG_SORT] = SORT_STEP,
		[VG_MERGE] = MERGE_STEP,
		[VG_MEASURE] = MEASURE_STEP,
	};
	unsigned int left = units[g->phase];

	if (g->phase == VG_IDLE)
		return false;
	g->steps++;
	left = work(g, left);
	if (!left)
		return true;
	if (g->phase == VG_MEASURE)
		use_next_copy(g);
	else
		enter_phase(g, g->phase + 1);
	return g->phase != VG_IDLE;
}
